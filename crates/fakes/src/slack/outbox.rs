//! Deliveries to the app, their attempts, and the sockets they can go over.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// The time within which an app must answer, in milliseconds.
const PATIENCE: i64 = 3_000;
/// The waits before an event is sent again, in milliseconds.
const RETRIES: [i64; 3] = [0, 60_000, 300_000];

/// The id of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub(super) usize);

/// A kind of delivery, and with it the endpoint and the type of envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// An event of the Events API.
    Event,
    /// A press, a shortcut or a form.
    Interaction,
    /// A slash command.
    Command,
}

impl Sort {
    pub(super) fn envelope(self) -> &'static str {
        match self {
            Sort::Event => "events_api",
            Sort::Interaction => "interactive",
            Sort::Command => "slash_commands",
        }
    }
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits to be sent, for the first time or again.
    Waiting,
    /// It was sent, and no answer has come.
    Sent,
    /// The app took it.
    Acked,
    /// The app did not take it, and it is not sent again.
    Failed,
    /// It is an event that the app has no scope for, or has not subscribed to. It is never sent.
    Withheld,
}

/// One attempt to deliver.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The time it was sent, in milliseconds since 1970.
    pub at: i64,
    /// The time of the answer, in milliseconds since 1970.
    pub answered: Option<i64>,
    /// The HTTP status of the answer, 200 for an acknowledgement over a socket, 0 without an answer.
    pub status: u16,
    /// The answer: JSON, else text, else null.
    pub answer: Value,
    /// The socket it went over.
    pub socket: Option<u64>,
    /// The id of the envelope, over a socket.
    pub envelope: Option<String>,
}

impl Attempt {
    fn new(at: i64, socket: Option<u64>, envelope: Option<String>) -> Self {
        Self { at, answered: None, status: 0, answer: Value::Null, socket, envelope }
    }
}

/// A delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The id.
    pub id: DeliveryId,
    /// The kind.
    pub sort: Sort,
    /// The payload.
    pub payload: Value,
    /// The state.
    pub progress: Progress,
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
    /// The reason that is sent with the next attempt.
    pub(super) reason: &'static str,
    /// The time of the next attempt.
    due: i64,
}

impl Delivery {
    /// Returns the time from the first attempt to the answer that counted, in milliseconds.
    #[must_use]
    pub fn elapsed(&self) -> Option<i64> {
        let first = self.attempts.first()?.at;
        let answered = self.attempts.iter().filter_map(|attempt| attempt.answered).max()?;
        (self.progress == Progress::Acked).then_some(answered - first)
    }

    /// Returns the answer that counted; null without one.
    #[must_use]
    pub fn answer(&self) -> Value {
        let answered = self.attempts.iter().rev().find(|attempt| attempt.answered.is_some());
        answered.map(|attempt| attempt.answer.clone()).unwrap_or_default()
    }

    /// Returns the HTTP status of the last attempt.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.attempts.last().map_or(0, |attempt| attempt.status)
    }

    /// Returns the type of the event or of the interaction, or the command.
    #[must_use]
    pub fn kind(&self) -> &str {
        let of = match self.sort {
            Sort::Event => &self.payload["event"]["type"],
            Sort::Interaction => &self.payload["type"],
            Sort::Command => &self.payload["command"],
        };
        of.as_str().unwrap_or_default()
    }

    /// Returns true if the app may answer with a payload.
    pub(super) fn takes_payload(&self) -> bool {
        self.sort == Sort::Command || matches!(self.kind(), "view_submission" | "block_suggestion")
    }
}

/// A frame, as it is written to a socket.
#[derive(Debug)]
pub(super) enum Frame {
    /// A text.
    Text(String),
    /// A ping.
    Ping,
    /// A close frame.
    Close,
    /// Nothing: the connection is reset.
    Drop,
}

/// An open socket.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) sender: UnboundedSender<Frame>,
    /// True if it was told to go away.
    pub(super) leaving: bool,
}

/// The paths of an app that is reached over HTTP.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// The base URL.
    pub base: String,
    /// The path of events.
    pub events: String,
    /// The path of presses, shortcuts and forms.
    pub interactions: String,
    /// The path of slash commands.
    pub commands: String,
}

impl Endpoints {
    /// Returns the usual paths under a base URL.
    #[must_use]
    pub fn at(base: &str) -> Self {
        Self {
            base: base.trim_end_matches('/').into(),
            events: "/slack/events".into(),
            interactions: "/slack/interactions".into(),
            commands: "/slack/commands".into(),
        }
    }

    pub(super) fn url(&self, sort: Sort) -> String {
        let path = match sort {
            Sort::Event => &self.events,
            Sort::Interaction => &self.interactions,
            Sort::Command => &self.commands,
        };
        format!("{}{path}", self.base)
    }
}

/// An answer of the app.
#[derive(Debug)]
pub(super) struct Given {
    /// The HTTP status; 0 without an answer.
    pub(super) status: u16,
    /// JSON, else text, else null.
    pub(super) answer: Value,
    /// True if the app wants no other attempt.
    pub(super) last: bool,
}

/// A delivery to be sent over HTTP.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) id: DeliveryId,
    pub(super) attempt: usize,
    pub(super) url: String,
}

/// The queue of deliveries.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) deliveries: Vec<Delivery>,
    pub(super) sockets: BTreeMap<u64, Socket>,
    /// The tickets that can still be used.
    pub(super) tickets: BTreeSet<String>,
    /// The app's endpoints; the app is reached over sockets if there are none.
    pub(super) endpoints: Option<Endpoints>,
    /// True if nothing is sent for now.
    pub(super) held: bool,
    /// True if the newest is sent first.
    pub(super) reversed: bool,
    /// True if an HTTP delivery does not wait for the answer to the one before.
    pub(super) concurrent: bool,
    /// True if presses and commands are sent again, too, when their socket goes.
    pub(super) resends_all: bool,
    pub(super) socket_mode: bool,
    /// The number of sockets asked for.
    pub(super) opened: u64,
    /// The number of sockets connected so far.
    pub(super) connected: u64,
    envelopes: u64,
    turn: usize,
    retries: [i64; 3],
    patience: i64,
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            deliveries: Vec::new(),
            sockets: BTreeMap::new(),
            tickets: BTreeSet::new(),
            endpoints: None,
            held: false,
            reversed: false,
            concurrent: false,
            resends_all: false,
            socket_mode: true,
            opened: 0,
            connected: 0,
            envelopes: 0,
            turn: 0,
            retries: RETRIES,
            patience: PATIENCE,
        }
    }
}

impl Outbox {
    /// Queues a delivery.
    pub(super) fn queue(&mut self, sort: Sort, payload: Value, now: i64) -> DeliveryId {
        let id = DeliveryId(self.deliveries.len());
        let (progress, attempts) = (Progress::Waiting, Vec::new());
        self.deliveries.push(Delivery { id, sort, payload, progress, attempts, reason: "", due: now });
        id
    }

    /// Adds an event that is never sent.
    pub(super) fn withhold(&mut self, payload: Value, now: i64) -> DeliveryId {
        let id = self.queue(Sort::Event, payload, now);
        self.deliveries[id.0].progress = Progress::Withheld;
        id
    }

    /// Returns true if something waits or is under way, so that time matters.
    pub(super) fn busy(&self) -> bool {
        let open = |one: &Delivery| matches!(one.progress, Progress::Waiting | Progress::Sent);
        self.deliveries.iter().any(open)
    }

    /// Lets go of what was held back. What waits keeps its ids and changes its order if `reversed`.
    pub(super) fn release(&mut self, reversed: bool) {
        self.held = false;
        self.reversed = reversed;
    }

    /// Gives up attempts without an answer.
    pub(super) fn expire(&mut self, now: i64) {
        for at in 0..self.deliveries.len() {
            let one = &self.deliveries[at];
            let sent = one.attempts.last().map_or(now, |attempt| attempt.at);
            if one.progress == Progress::Sent && now - sent > self.patience {
                self.fail(at, "http_timeout", "timeout", now);
            }
        }
    }

    /// Notes that an attempt failed: it is made again later, or the delivery failed.
    fn fail(&mut self, at: usize, http: &'static str, socket: &'static str, now: i64) {
        let over_http = self.endpoints.is_some();
        let one = &mut self.deliveries[at];
        let wait = self.retries.get(one.attempts.len().saturating_sub(1)).copied();
        let again = one.sort == Sort::Event || self.resends_all && !over_http;
        one.reason = if over_http { http } else { socket };
        match wait.filter(|_| again) {
            Some(wait) => (one.progress, one.due) = (Progress::Waiting, now + wait),
            None => one.progress = Progress::Failed,
        }
    }

    /// Sends what is due over sockets, and returns what is due over HTTP.
    pub(super) fn send_due(&mut self, now: i64) -> Vec<Post> {
        self.expire(now);
        if self.held {
            return Vec::new();
        }
        let mut posts = Vec::new();
        let due = |one: &&Delivery| one.progress == Progress::Waiting && one.due <= now;
        let mut due: Vec<usize> = self.deliveries.iter().filter(due).map(|one| one.id.0).collect();
        if self.reversed {
            due.reverse();
        }
        self.reversed &= !due.is_empty();
        for at in due {
            match self.endpoints.clone() {
                Some(endpoints) => {
                    let under_way = self.deliveries.iter().any(|one| one.progress == Progress::Sent);
                    if under_way && !self.concurrent {
                        break;
                    }
                    posts.push(self.post(at, &endpoints, now));
                }
                None if self.send_envelope(at, now) => {}
                None => break,
            }
        }
        posts
    }

    fn post(&mut self, at: usize, endpoints: &Endpoints, now: i64) -> Post {
        let one = &mut self.deliveries[at];
        one.progress = Progress::Sent;
        one.attempts.push(Attempt::new(now, None, None));
        Post { id: one.id, attempt: one.attempts.len() - 1, url: endpoints.url(one.sort) }
    }

    /// Sends an envelope over the next socket. Returns false if there is none.
    fn send_envelope(&mut self, at: usize, now: i64) -> bool {
        let staying: Vec<u64> =
            self.sockets.iter().filter(|(_, one)| !one.leaving).map(|(id, _)| *id).collect();
        let all: Vec<u64> = self.sockets.keys().copied().collect();
        let choice = if staying.is_empty() { all } else { staying };
        if choice.is_empty() {
            return false;
        }
        self.turn += 1;
        let socket = choice[self.turn % choice.len()];
        self.envelopes += 1;
        let envelope = format!("{:08x}-0000-4000-a000-{:012x}", self.envelopes, self.envelopes);
        let one = &mut self.deliveries[at];
        let mut frame = json!({"envelope_id": envelope, "type": one.sort.envelope(), "payload": one.payload,
            "accepts_response_payload": one.takes_payload()});
        if one.sort == Sort::Event {
            frame["retry_attempt"] = json!(one.attempts.len());
            frame["retry_reason"] = json!(one.reason);
        }
        one.progress = Progress::Sent;
        one.attempts.push(Attempt::new(now, Some(socket), Some(envelope)));
        self.write(socket, Frame::Text(frame.to_string()));
        true
    }

    pub(super) fn write(&mut self, socket: u64, frame: Frame) {
        if let Some(socket) = self.sockets.get(&socket) {
            // A socket whose task has ended is removed by that task.
            let _ = socket.sender.send(frame);
        }
    }

    /// Takes note of an answer. Returns true if the delivery is acknowledged by it.
    pub(super) fn answered(&mut self, id: DeliveryId, attempt: usize, given: &Given, now: i64) -> bool {
        let one = &mut self.deliveries[id.0];
        let before = one.progress;
        let newest = attempt + 1 == one.attempts.len();
        if let Some(attempt) = one.attempts.get_mut(attempt) {
            (attempt.answered, attempt.status) = (Some(now), given.status);
            attempt.answer = given.answer.clone();
        }
        let taken = (200..300).contains(&given.status);
        let socket = one.attempts.get(attempt).is_some_and(|attempt| attempt.socket.is_some());
        match one.progress {
            Progress::Sent if taken && (newest || socket) => one.progress = Progress::Acked,
            // The connection of a late HTTP answer is gone; a socket is still there.
            Progress::Waiting if taken && socket => one.progress = Progress::Acked,
            Progress::Sent if newest && given.last => one.progress = Progress::Failed,
            Progress::Sent if newest => {
                let reason = if given.status == 0 { "connection_failed" } else { "http_error" };
                self.fail(id.0, reason, reason, now);
            }
            _ => {}
        }
        before != Progress::Acked && self.deliveries[id.0].progress == Progress::Acked
    }

    /// Finds the delivery and the attempt of an envelope.
    pub(super) fn envelope(&self, id: &str) -> Option<(DeliveryId, usize)> {
        self.deliveries.iter().rev().find_map(|one| {
            let fits = |attempt: &Attempt| attempt.envelope.as_deref() == Some(id);
            one.attempts.iter().position(fits).map(|attempt| (one.id, attempt))
        })
    }

    /// Removes a socket. What it had not acknowledged is sent again.
    pub(super) fn gone(&mut self, socket: u64, now: i64) {
        self.sockets.remove(&socket);
        for at in 0..self.deliveries.len() {
            let one = &self.deliveries[at];
            let here = one.attempts.last().is_some_and(|attempt| attempt.socket == Some(socket));
            if one.progress == Progress::Sent && here {
                self.fail(at, "connection_failed", "connection_closed", now);
            }
        }
    }

    /// Sets the waits before an event is sent again, in milliseconds.
    pub(super) fn set_retries(&mut self, waits: [i64; 3]) {
        self.retries = waits;
    }

    /// Sets the time within which an app must answer, in milliseconds.
    pub(super) fn set_patience(&mut self, milliseconds: i64) {
        self.patience = milliseconds;
    }
}
