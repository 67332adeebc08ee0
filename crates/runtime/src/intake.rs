//! Intake: makes deliveries durable before anything else happens (`docs/design/0029-durable-intake.md`).

use serde::{Deserialize, Serialize};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::given::Addressing;
use throughline_engine::{Event, LaneKey, Timestamp};
use throughline_store::{Accepted, Delivery, InboxRow, QueueLimit};

use crate::{FailPoint, Runtime, RuntimeError, counters};

/// A delivery that an adapter has normalised.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// The lane it is for.
    pub lane: LaneKey,
    /// Every identity of the delivery, the delivery key first. A delivery with a known identity is a duplicate.
    pub keys: Vec<String>,
    /// The event.
    pub event: Event,
    /// The facts of how it was addressed, as far as the adapter saw them.
    pub addressing: Addressing,
    /// For HTTP, the hash of method, route and body.
    pub body_hash: Option<String>,
}

impl Inbound {
    /// An event that we cause ourselves: an outcome, a deadline, a post. Nobody is its actor, and `key` is both its id
    /// and its delivery key.
    pub(crate) fn internal(lane: LaneKey, key: String, kind: EventKind, at: Timestamp) -> Self {
        let event = Event { id: key.clone(), received_at: at, actor: String::new(), kind };
        Self { lane, keys: vec![key], event, addressing: Addressing::default(), body_hash: None }
    }
}

impl Runtime {
    /// Makes a delivery durable and wakes its lane. Only after this returned may the sender be answered with 2xx.
    ///
    /// # Errors
    /// The store took nothing. Answer the sender with 503; it will deliver again.
    pub async fn accept(&self, mut inbound: Inbound) -> Result<Accepted, RuntimeError> {
        inbound.event.received_at = self.store.now();
        if self.accept_with_turn(&inbound).await? {
            counters::delivery(&inbound.lane, "new");
            return Ok(Accepted::New(0));
        }
        let delivery = delivery(&inbound, self.policy.intake.queue);
        let (lane, kind) = (inbound.lane, inbound.event.kind);
        let accepted = self.store.accept(delivery).await?;
        self.faults.at(FailPoint::InboxCommitted, kind.name())?;
        let outcome = match &accepted {
            Accepted::New(_) => "new",
            Accepted::Full(_) => "full",
            Accepted::Duplicate(_) => "duplicate",
        };
        counters::delivery(&lane, outcome);
        if !matches!(accepted, Accepted::Duplicate(_)) {
            self.wakes.wake(&lane);
        }
        Ok(accepted)
    }
}

/// The inbox row of a delivery that waits for its turn. Only messages of people are limited: a press, an outcome or a
/// deadline is never refused because a queue is full.
pub(crate) fn delivery(inbound: &Inbound, queue: u32) -> Delivery {
    let key = inbound.keys.first().cloned().unwrap_or_default();
    let limit = matches!(inbound.event.kind, EventKind::MessagePosted(_)).then(|| QueueLimit {
        max: queue,
        notice_key: format!("notice:queue_full:{key}"),
        notice: encode(
            &notice(&inbound.event, "queue_full", queue_full(&inbound.event, queue), &key),
            Addressing::default(),
        ),
    });
    Delivery {
        lane: inbound.lane.clone(),
        keys: inbound.keys.clone(),
        kind: inbound.event.kind.name().into(),
        event: encode(&inbound.event, inbound.addressing),
        body_hash: inbound.body_hash.clone(),
        limit,
    }
}

/// An event as stored, with how it was addressed, which its step is given later.
#[derive(Serialize, Deserialize)]
pub(crate) struct Envelope {
    #[serde(flatten)]
    pub(crate) event: Event,
    #[serde(default)]
    pub(crate) addressing: Addressing,
}

fn encode(event: &Event, addressing: Addressing) -> String {
    serde_json::to_string(&Envelope { event: event.clone(), addressing }).unwrap_or_default()
}

/// The event of an inbox row, with the time it was received.
pub(crate) fn decode(row: &InboxRow) -> Result<Envelope, RuntimeError> {
    let mut envelope: Envelope = serde_json::from_str(&row.event)
        .map_err(|e| RuntimeError::unreadable("a stored event", &e.to_string()))?;
    envelope.event.received_at = row.received_at;
    Ok(envelope)
}

/// The event that tells a person what intake did not take.
fn notice(about: &Event, why: &str, message: String, key: &str) -> Event {
    Event {
        id: format!("notice:{why}:{key}"),
        received_at: about.received_at,
        actor: about.actor.clone(),
        kind: EventKind::IntakeNotice { why: why.into(), message },
    }
}

/// The event that tells a person about a stored delivery that cannot be handled. The delivery itself may be
/// unreadable.
pub(crate) fn notice_of(row: &InboxRow, why: &str, message: String) -> Event {
    Event {
        id: format!("notice:{why}:{}", row.key),
        received_at: row.received_at,
        actor: decode(row).map(|envelope| envelope.event.actor).unwrap_or_default(),
        kind: EventKind::IntakeNotice { why: why.into(), message },
    }
}

fn queue_full(event: &Event, queue: u32) -> String {
    let EventKind::MessagePosted(posted) = &event.kind else { return String::new() };
    let beginning: String = posted.text.chars().take(50).collect();
    format!(
        "I could not take \"{beginning}\": {queue} messages are already waiting here. Please send it again later."
    )
}
