//! Observations: messages, views, statuses, deliveries, the journal.

use serde_json::Value;

use super::outbox::{Delivery, DeliveryId, Progress, Sort};
use super::state::{Message, Status, Team, View};
use super::{Call, FakeSlack, lock};

/// The longest time that a test waits for a delivery.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(30);

/// The time after which a status is removed, in milliseconds.
const STATUS_LIFETIME: i64 = 120_000;

impl FakeSlack {
    fn see<T>(&self, see: impl FnMut(&Team) -> Vec<T>) -> Vec<T> {
        self.shared.world().teams.values().flat_map(see).collect()
    }

    /// Returns all messages of a channel, oldest first.
    #[must_use]
    pub fn messages(&self, channel: &str) -> Vec<Message> {
        let all = |team: &Team| match team.channels.get(channel) {
            Some(room) => room.messages.values().cloned().collect(),
            None => Vec::new(),
        };
        self.see(all)
    }

    /// Returns the app's messages in a channel, oldest first.
    #[must_use]
    pub fn bot_messages(&self, channel: &str) -> Vec<Message> {
        let bots: Vec<String> = self.see(|team| vec![team.bot.clone()]);
        let own = |message: &Message| message.bot.as_ref().is_some_and(|bot| bots.contains(bot));
        self.messages(channel).into_iter().filter(own).collect()
    }

    /// Returns a message.
    #[must_use]
    pub fn message(&self, channel: &str, ts: &str) -> Option<Message> {
        self.messages(channel).into_iter().find(|message| message.ts == ts)
    }

    /// Returns the replies in a thread, oldest first, without its root.
    #[must_use]
    pub fn thread(&self, channel: &str, root: &str) -> Vec<Message> {
        let reply = |message: &Message| message.thread.as_deref() == Some(root) && message.ts != root;
        self.messages(channel).into_iter().filter(reply).collect()
    }

    /// Returns the app's newest message with buttons in a channel.
    #[must_use]
    pub fn card(&self, channel: &str) -> Option<Message> {
        self.bot_messages(channel).into_iter().rev().find(|message| !message.buttons().is_empty())
    }

    /// Returns the messages that only this person sees, oldest first.
    #[must_use]
    pub fn ephemerals(&self, user: &str) -> Vec<Message> {
        let of = |message: &&Message| message.only_for.as_deref() == Some(user);
        self.see(|team| team.ephemerals.iter().filter(of).cloned().collect())
    }

    /// Returns the open modals of a person, the topmost last.
    #[must_use]
    pub fn modals(&self, user: &str) -> Vec<View> {
        self.see(|team| team.modals.get(user).cloned().unwrap_or_default())
    }

    /// Returns the topmost modal of a person.
    #[must_use]
    pub fn modal(&self, user: &str) -> Option<View> {
        self.modals(user).pop()
    }

    /// Returns the Home tab of a person.
    #[must_use]
    pub fn home(&self, user: &str) -> Option<View> {
        self.see(|team| team.homes.get(user).cloned().into_iter().collect()).pop()
    }

    /// Returns the statuses that the app set in threads, in order.
    #[must_use]
    pub fn statuses(&self) -> Vec<Status> {
        self.see(|team| team.statuses.clone())
    }

    /// Returns the status that can be seen in a thread: until the app writes there, clears it, or two minutes are over.
    #[must_use]
    pub fn status(&self, channel: &str, thread: &str) -> Option<String> {
        let (place, now) = ((channel.to_owned(), thread.to_owned()), self.shared.now());
        let seen = |(text, at): &&(String, i64)| !text.is_empty() && now - at <= STATUS_LIFETIME;
        self.see(|team| {
            team.shown_statuses.get(&place).filter(seen).map(|(text, _)| text.clone()).into_iter().collect()
        })
        .pop()
    }

    /// Returns the title of a thread with the agent.
    #[must_use]
    pub fn title(&self, channel: &str, thread: &str) -> Option<String> {
        let place = (channel.to_owned(), thread.to_owned());
        self.see(|team| team.titles.get(&place).cloned().into_iter().collect()).pop()
    }

    /// Returns the suggested prompts of a thread with the agent.
    #[must_use]
    pub fn prompts(&self, channel: &str, thread: &str) -> Option<Value> {
        let place = (channel.to_owned(), thread.to_owned());
        self.see(|team| team.prompts.get(&place).cloned().into_iter().collect()).pop()
    }

    /// Returns the names and the contents of the files that the app shared, in order.
    #[must_use]
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.see(|team| {
            let done = team.files.values().filter(|file| file.done);
            done.map(|file| (file.name.clone(), file.content.clone().unwrap_or_default())).collect()
        })
    }

    // ---- deliveries ----

    /// Returns all deliveries, in order.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.shared.world().outbox.deliveries.clone()
    }

    /// Returns a delivery.
    #[must_use]
    pub fn delivery(&self, id: DeliveryId) -> Delivery {
        self.shared.world().outbox.deliveries[id.0].clone()
    }

    /// Returns the deliveries of the events about a message.
    #[must_use]
    pub fn deliveries_of(&self, channel: &str, ts: &str) -> Vec<Delivery> {
        let of = |one: &Delivery| {
            let event = &one.payload["event"];
            one.sort == Sort::Event && event["channel"] == channel && event["ts"] == ts
        };
        self.deliveries().into_iter().filter(of).collect()
    }

    /// Waits until a delivery was acknowledged or has failed, and returns it. Panics after half a minute.
    pub async fn settled(&self, id: DeliveryId) -> Delivery {
        let until = tokio::time::Instant::now() + LONGEST;
        loop {
            let delivery = self.delivery(id);
            if !matches!(delivery.progress, Progress::Waiting | Progress::Sent) {
                return delivery;
            }
            assert!(tokio::time::Instant::now() < until, "nobody answered {delivery:#?}");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// Waits until nothing waits to be delivered or answered. Panics after half a minute.
    pub async fn idle(&self) {
        let until = tokio::time::Instant::now() + LONGEST;
        while self.shared.world().outbox.busy() {
            assert!(
                tokio::time::Instant::now() < until,
                "deliveries are under way: {:#?}",
                self.deliveries()
            );
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    // ---- calls ----

    /// Returns all calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.shared.journal).clone()
    }

    /// Returns the calls of a method.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.method == method).collect()
    }

    /// Returns what the app did so far that Slack forbids or does not know: in calls, acknowledgements, response URLs.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let mut all: Vec<String> = self.calls().into_iter().flat_map(|call| call.violations).collect();
        all.extend(self.shared.world().wrong.iter().cloned());
        all
    }
}
