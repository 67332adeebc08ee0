//! Intake: durable first, then anything else (`spec 06 §2`).

use serde::{Deserialize, Serialize};
use throughline_engine::event::EventKind;
use throughline_engine::given::Addressing;
use throughline_engine::{Event, LaneKey};
use throughline_store::{Accepted, Brought, Delivery, InboxRow, QueueLimit};

use crate::given::unreadable;
use crate::{FailPoint, Runtime, Stop, counted};

/// A delivery as an adapter normalised it.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// Where it goes.
    pub lane: LaneKey,
    /// Every identity of the delivery, the delivery key first.
    pub keys: Vec<String>,
    /// What happened.
    pub event: Event,
    /// The adapter's facts on how it was addressed.
    pub addressing: Addressing,
    /// For HTTP: the hash of method, route and body.
    pub body_hash: Option<String>,
}

impl Runtime {
    /// Makes a delivery durable and wakes its lane. Only after this returns may the sender be told 2xx.
    ///
    /// # Errors
    /// The store took nothing: the sender has to be told 503, and will deliver again.
    pub async fn accept(&self, mut inbound: Inbound) -> Result<Accepted, Stop> {
        inbound.event.received_at = self.store.now();
        if self.accept_directly(&inbound).await? {
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
        counted::taken_in(&lane, outcome);
        if !matches!(accepted, Accepted::Duplicate(_)) {
            self.wakes.wake(&lane);
        }
        Ok(accepted)
    }
}

impl Runtime {
    /// Takes a delivery in together with its turn, where that goes.
    async fn accept_directly(&self, inbound: &Inbound) -> Result<bool, Stop> {
        let Inbound { lane, keys, event, addressing, body_hash } = inbound;
        let Some(key) = keys.first() else { return Ok(false) };
        let brought = || {
            Brought::Delivery(Delivery {
                lane: lane.clone(),
                keys: keys.clone(),
                // The turn's content holds the event, and nothing waits that a limit could count.
                kind: String::new(),
                event: String::new(),
                body_hash: body_hash.clone(),
                limit: None,
            })
        };
        let taken = self.take_directly(lane, key, event, *addressing, brought).await?;
        if taken {
            counted::taken_in(lane, "new");
        }
        Ok(taken)
    }
}

/// The stored form of a delivery. Only what a person writes is limited: a press, an outcome or a deadline is
/// never refused for a full queue.
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

/// An event as stored: with the facts its adapter saw, which a later step is given.
#[derive(Serialize, Deserialize)]
pub(crate) struct Envelope {
    #[serde(flatten)]
    pub(crate) event: Event,
    #[serde(default)]
    pub(crate) addressing: Addressing,
}

/// The stored form of an event.
fn encode(event: &Event, addressing: Addressing) -> String {
    serde_json::to_string(&Envelope { event: event.clone(), addressing }).unwrap_or_default()
}

/// The event of an inbox row, as it was received.
pub(crate) fn decode(row: &InboxRow) -> Result<Envelope, Stop> {
    let mut envelope: Envelope =
        serde_json::from_str(&row.event).map_err(|e| unreadable("a stored event", &e.to_string()))?;
    envelope.event.received_at = row.received_at;
    Ok(envelope)
}

/// The synthetic event that tells a user what intake did not take.
fn notice(about: &Event, why: &str, message: String, key: &str) -> Event {
    Event {
        id: format!("notice:{why}:{key}"),
        received_at: about.received_at,
        actor: about.actor.clone(),
        kind: EventKind::IntakeNotice { why: why.into(), message },
    }
}

/// The same for a stored delivery that cannot be handled, maybe not even read.
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
