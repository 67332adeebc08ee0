//! What is said and pressed: three conversations at once, each with a ticket that two people approve at the same
//! moment, an edit, a rejection, a late press and a command; in one of them an epic with five stories as well.

use serde_json::{Value, json};

use crate::client::Client;

/// Conversations at once.
const LANES: usize = 3;

/// What was sent in one conversation, and what was answered.
#[derive(Default)]
pub(crate) struct Sent {
    /// The lane's id.
    pub(crate) lane: String,
    /// Key, event and answer of each.
    pub(crate) events: Vec<(String, Value, Value)>,
    /// Keys of events that were acknowledged and never asked about again.
    pub(crate) forgotten: Vec<String>,
    /// Titles of the tickets that were approved.
    pub(crate) approved: Vec<String>,
    /// Titles of stories, each with that of its epic.
    pub(crate) linked: Vec<(String, String)>,
}

/// Plays it to its end.
pub(crate) fn play(client: &Client, seed: u64) -> Vec<Sent> {
    std::thread::scope(|scope| {
        let lanes: Vec<_> =
            (0..LANES).map(|n| scope.spawn(move || Lane::new(client, seed, n).play())).collect();
        lanes.into_iter().map(|lane| lane.join().unwrap()).collect()
    })
}

/// A batch of six alone: asked for, confirmed, approved by two people at once.
pub(crate) fn play_batch(client: &Client) -> Sent {
    let mut lane = Lane::new(client, 0, 0);
    lane.batch();
    lane.sent
}

struct Lane<'c> {
    client: &'c Client,
    n: usize,
    conversation: String,
    sent: Sent,
}

impl<'c> Lane<'c> {
    fn new(client: &'c Client, seed: u64, n: usize) -> Self {
        Self { client, n, conversation: format!("seed{seed}-lane{n}"), sent: Sent::default() }
    }

    fn play(mut self) -> Sent {
        self.says("hello");
        self.says_and_forgets("nobody waits for this one");
        let title = format!("Page {} is empty", self.n);
        let asked = self.ticket("bug", &title);
        let mut approve = button(&asked, "approve");
        let outdated = approve.clone();
        if self.n == 1 {
            let edit = json!({
                "kind": "form.submitted", "actor": { "id": "you" },
                "form": { "token": button(&asked, "edit"), "values": { "risks": "none" } },
            });
            let edited = self.event(edit);
            approve = button(&edited, "approve");
            let stale = self.press("ana", &outdated);
            assert_eq!(stale["reason"], "stale.version", "{stale}");
        }
        self.two_people_approve(&approve, &title);
        if self.n == 2 {
            self.batch();
        }
        self.says("/maro status");
        self.says_and_forgets("nor for this one");
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

    /// An epic with five stories: confirmed by one person, approved by two at once.
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
        self.two_people_approve(&button(&confirmed, "approve"), &epic);
        self.sent.approved.extend(stories.iter().cloned());
        self.sent.linked.extend(stories.into_iter().map(|story| (story, epic.clone())));
    }

    fn says(&mut self, text: &str) -> Value {
        self.event(json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": text }))
    }

    fn says_and_forgets(&mut self, text: &str) {
        let key = format!("{}-forgotten-{}", self.conversation, self.sent.forgotten.len());
        let lane = json!({ "channel": "api", "conversation": self.conversation });
        let body = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": text });
        self.client.forget(&key, &body);
        self.sent.forgotten.push(key);
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
        self.noted(key, body, answer.clone());
        answer
    }

    fn noted(&mut self, key: String, body: Value, answer: Value) {
        self.sent.lane = answer["lane"].as_str().unwrap().to_owned();
        self.sent.events.push((key, body, answer));
    }

    /// Two people, two connections, one moment: one of them did it, the other is told.
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
            self.noted(key, body, answer.clone());
        }
        self.sent.approved.push(title.to_owned());
    }
}

pub(crate) fn pressed(who: &str, token: &str) -> Value {
    json!({ "kind": "card.pressed", "actor": { "id": who }, "press": { "token": token } })
}

/// The token of a button on the card that an answer shows.
fn button(answer: &Value, action: &str) -> String {
    let cards = answer["messages"].as_array().unwrap().iter().map(|message| &message["card"]);
    let mut buttons = cards.filter_map(|card| card["buttons"].as_array()).flatten();
    let found = buttons.find(|button| button["action"] == action);
    found.unwrap_or_else(|| panic!("no button {action} in {answer:#}"))["token"].as_str().unwrap().to_owned()
}
