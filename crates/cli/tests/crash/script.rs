//! The script of a run: three parallel conversations, each with a ticket that two people approve at the same moment, a
//! rejection, a late press and a command. One of them also has an edit, another an epic with five stories.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

use serde_json::{Value, json};

use crate::client::Client;

/// The number of parallel conversations.
const LANES: usize = 3;

/// The events of a conversation and their answers.
#[derive(Default)]
pub(crate) struct Transcript {
    /// The lane's id.
    pub(crate) lane: String,
    /// The key, body and answer of each event.
    pub(crate) events: Vec<(String, Value, Value)>,
    /// The keys of events that were acknowledged and whose turn was not waited for.
    pub(crate) unawaited: Vec<String>,
    /// The titles of approved tickets.
    pub(crate) approved: Vec<String>,
    /// The titles of stories, each with the title of its epic.
    pub(crate) linked: Vec<(String, String)>,
}

/// Plays the script in all conversations.
pub(crate) fn play(client: &Client, seed: u64) -> Vec<Transcript> {
    std::thread::scope(|scope| {
        let lanes: Vec<_> =
            (0..LANES).map(|n| scope.spawn(move || Lane::new(client, seed, n).play())).collect();
        let joined = |lane: ScopedJoinHandle<'_, _>| lane.join().unwrap_or_else(|why| resume_unwind(why));
        lanes.into_iter().map(joined).collect()
    })
}

/// Plays a batch of six only: requested, confirmed, approved by two people at once.
pub(crate) fn play_batch(client: &Client) -> Transcript {
    let mut lane = Lane::new(client, 0, 0);
    lane.batch();
    lane.sent
}

/// Plays one ticket in each of two conversations: requested, and approved by two people at once.
pub(crate) fn play_tickets(client: &Client) -> Vec<Transcript> {
    std::thread::scope(|scope| {
        let play = |n| {
            let mut lane = Lane::new(client, 0, n);
            let title = format!("Page {n} is empty");
            let asked = lane.ticket("bug", &title);
            lane.two_people_approve(&button_when_checked(client, &asked, "approve"), &title);
            lane.sent
        };
        let lanes: Vec<_> = (0..2).map(|n| scope.spawn(move || play(n))).collect();
        lanes.into_iter().map(|lane| lane.join().unwrap()).collect()
    })
}

/// Asks for one ticket. Returns what was sent, and the press that approves it, of one person.
pub(crate) fn ask_for_ticket(client: &Client, title: &str) -> (Transcript, impl Fn(&str) -> Value) {
    let mut lane = Lane::new(client, 0, 0);
    let asked = lane.ticket("bug", title);
    let token = button_when_checked(client, &asked, "approve");
    let conversation = lane.conversation;
    let press = move |who: &str| {
        let mut body = pressed(who, &token);
        body["lane"] = json!({ "channel": "api", "conversation": conversation });
        body
    };
    lane.sent.approved.push(title.to_owned());
    (lane.sent, press)
}

struct Lane<'c> {
    client: &'c Client,
    n: usize,
    conversation: String,
    sent: Transcript,
}

impl<'c> Lane<'c> {
    fn new(client: &'c Client, seed: u64, n: usize) -> Self {
        Self { client, n, conversation: format!("seed{seed}-lane{n}"), sent: Transcript::default() }
    }

    fn play(mut self) -> Transcript {
        self.says("hello");
        self.says_without_waiting("nobody waits for this one");
        let title = format!("Page {} is empty", self.n);
        let asked = self.ticket("bug", &title);
        let mut approve = button_when_checked(self.client, &asked, "approve");
        let outdated = approve.clone();
        if self.n == 1 {
            let edit = json!({
                "kind": "form.submitted", "actor": { "id": "you" },
                "form": { "token": button(&asked, "edit"), "values": { "risks": "none" } },
            });
            let edited = self.event(edit);
            approve = button_when_checked(self.client, &edited, "approve");
            let stale = self.press("ana", &outdated);
            assert_eq!(stale["reason"], "stale.version", "{stale}");
        }
        self.two_people_approve(&approve, &title);
        if self.n == 2 {
            self.batch();
        }
        self.says("/maro status");
        self.says_without_waiting("nor for this one");
        let refused = self.ticket("bug", &format!("Never mind {}", self.n));
        let rejected = self.press("bob", &button(&refused, "reject"));
        assert_eq!(rejected["reason"], "press.applied", "{rejected}");
        let late = self.press("you", &approve);
        assert_eq!(late["reason"], "press.consumed", "{late}");
        self.says("thanks");
        self.sent
    }

    fn ticket(&mut self, kind: &str, title: &str) -> Value {
        self.says(&format!("Create a {kind}: {title}\nSteps: open it\nExpected: a list\nActual: nothing"))
    }

    /// Plays an epic with five stories: confirmed by one person, approved by two at once.
    fn batch(&mut self) {
        let epic = format!("Auth {}", self.n);
        let stories: Vec<String> = (1..=5).map(|n| format!("Way {n} to sign in")).collect();
        let mut text = format!(
            "Create an epic with 5 stories for {epic}\nProblem: nobody gets in\nAcceptance criteria: all stories are done"
        );
        for story in &stories {
            text += &format!("\n- {story}\n  Problem: there is none\n  Acceptance criteria: there is one");
        }
        let shown = self.says(&text);
        let confirmed = self.press("ana", &button(&shown, "confirm_quantity"));
        assert_eq!(confirmed["reason"], "press.applied", "{confirmed}");
        let approve = button_when_checked(self.client, &confirmed, "approve");
        self.two_people_approve(&approve, &epic);
        self.sent.approved.extend(stories.iter().cloned());
        self.sent.linked.extend(stories.into_iter().map(|story| (story, epic.clone())));
    }

    fn says(&mut self, text: &str) -> Value {
        self.event(json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": text }))
    }

    fn says_without_waiting(&mut self, text: &str) {
        let key = format!("{}-forgotten-{}", self.conversation, self.sent.unawaited.len());
        let lane = json!({ "channel": "api", "conversation": self.conversation });
        let body = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": text });
        self.client.event_without_waiting(&key, &body);
        self.sent.unawaited.push(key);
    }

    fn press(&mut self, who: &str, token: &str) -> Value {
        self.event(pressed(who, token))
    }

    fn event(&mut self, body: Value) -> Value {
        let key = format!("{}-{}", self.conversation, self.sent.events.len());
        self.keyed(key, body)
    }

    fn keyed(&mut self, key: String, mut body: Value) -> Value {
        body["lane"] = json!({ "channel": "api", "conversation": self.conversation });
        let answer = self.client.event(&key, &body);
        self.record(key, body, answer.clone());
        answer
    }

    fn record(&mut self, key: String, body: Value, answer: Value) {
        self.sent.lane = answer["lane"].as_str().unwrap().to_owned();
        self.sent.events.push((key, body, answer));
    }

    /// Lets two people approve at the same moment. One press takes effect, the other is told so.
    fn two_people_approve(&mut self, token: &str, title: &str) {
        let at = self.sent.events.len();
        let (client, conversation) = (self.client, self.conversation.clone());
        let presses: Vec<(String, Value)> = ["ana", "bob"]
            .iter()
            .map(|who| {
                let mut body = pressed(who, token);
                body["lane"] = json!({ "channel": "api", "conversation": conversation });
                (format!("{conversation}-{at}-{who}"), body)
            })
            .collect();
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let asked: Vec<_> =
                presses.iter().map(|(key, body)| scope.spawn(move || client.event(key, body))).collect();
            asked.into_iter().map(|answer| answer.join().unwrap()).collect()
        });
        let mut reasons: Vec<&str> = answers.iter().filter_map(|answer| answer["reason"].as_str()).collect();
        reasons.sort_unstable();
        assert_eq!(reasons, ["press.applied", "press.consumed"], "{answers:#?}");
        for ((key, body), answer) in presses.into_iter().zip(&answers) {
            self.record(key, body, answer.clone());
        }
        self.sent.approved.push(title.to_owned());
    }
}

pub(crate) fn pressed(who: &str, token: &str) -> Value {
    json!({ "kind": "card.pressed", "actor": { "id": who }, "press": { "token": token } })
}

/// Returns the token of a button on a card in an answer.
pub(crate) fn button(answer: &Value, action: &str) -> String {
    let mut cards = shown(answer).filter_map(|card| token(card, action));
    cards.next().unwrap_or_else(|| panic!("no button {action} in {answer:#}"))
}

/// Returns the token of a button on a card in an answer, or on that card once what it shows is checked.
pub(crate) fn button_when_checked(client: &Client, answer: &Value, action: &str) -> String {
    if let Some(token) = shown(answer).find_map(|card| token(card, action)) {
        return token;
    }
    let lane = answer["lane"].as_str().unwrap();
    let ids: Vec<&Value> = shown(answer).map(|card| &card["id"]).collect();
    client.until(&format!("button {action}"), || {
        let cards = client.cards(lane);
        cards.iter().filter(|card| ids.contains(&&card["id"])).find_map(|card| token(card, action))
    })
}

/// Returns the cards of an answer.
fn shown(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["messages"].as_array().into_iter().flatten().map(|message| &message["card"])
}

/// Returns the token of a card's button.
fn token(card: &Value, action: &str) -> Option<String> {
    let button = card["buttons"].as_array()?.iter().find(|button| button["action"] == action)?;
    button["token"].as_str().map(str::to_owned)
}
