//! Intake: makes deliveries durable before anything else happens (`docs/design/0029-durable-intake.md`).

use serde::{Deserialize, Serialize};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::notice::Notice;
use throughline_engine::data::policy::limits;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, LaneKey, Timestamp, TurnId};
use throughline_store::{Accepted, Delivery, DeliveryIdentity, QueueLimit, WaitingRow};
use tracing::Instrument as _;

use crate::keys::Keys;
use crate::{FailPoint, Runtime, RuntimeError, counters, spans};

/// A delivery that an adapter has normalised.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// The lane it is for, and its keys.
    pub identity: DeliveryIdentity,
    /// The event.
    pub event: Event,
    /// The facts of how it was addressed, as far as the adapter saw them.
    pub addressing: Addressing,
}

impl Inbound {
    /// An event that no person sends: an outcome, a deadline, a post, a report of a tracker. Nobody is its actor, and `key` is both its id
    /// and its delivery key.
    pub(crate) fn internal(lane: LaneKey, key: String, kind: EventKind, at: Timestamp) -> Self {
        let event = Event { id: key.clone(), received_at: at, actor: String::new(), kind };
        Self { identity: DeliveryIdentity::new(lane, key), event, addressing: Addressing::default() }
    }

    /// Returns the row in which the delivery waits for its turn.
    pub(crate) fn waits(self, limit: Option<QueueLimit>) -> Delivery {
        let Self { identity, event, addressing } = self;
        let kind = event.kind.name().into();
        Delivery { identity, kind, event: encode(event, addressing), limit }
    }

    /// Returns the limit of the lane's queue, with the notice for one that is full. Only messages to us are limited: a press,
    /// an outcome or a deadline is never refused because a queue is full, and other people's talk gets no notice. There is
    /// one notice for a lane in each [`limits::NOTICE_WINDOW`], or the notices would fill what the limit keeps free.
    fn limit(&self, max: u32) -> Option<QueueLimit> {
        let EventKind::MessagePosted(posted) = &self.event.kind else { return None };
        if !self.addressing.to_us() {
            return None;
        }
        let full = Notice::QueueFull { beginning: posted.text.chars().take(50).collect(), most: max };
        let Event { received_at, actor, .. } = &self.event;
        let window =
            format!("{}:{}", self.identity.lane.id().0, received_at.0.div_euclid(limits::NOTICE_WINDOW));
        let notice = notice(*received_at, actor.clone(), "queue_full", full, &window);
        Some(QueueLimit { max, notice_key: notice.id.clone(), notice: encode(notice, Addressing::default()) })
    }
}

impl Runtime {
    /// Makes a delivery durable and wakes its lane. Only after this returned may the sender be answered with 2xx.
    ///
    /// # Errors
    /// The store took nothing. Answer the sender with 503; it will deliver again.
    pub async fn accept(&self, inbound: Inbound) -> Result<Accepted, RuntimeError> {
        let span = spans::intake(&inbound.identity.lane, &inbound.event.kind);
        self.accept_once(inbound).instrument(span).await
    }

    async fn accept_once(&self, mut inbound: Inbound) -> Result<Accepted, RuntimeError> {
        inbound.event.received_at = self.store.now();
        forget_token(&mut inbound.event.kind);
        if let Some(known) = self.store.recall(&inbound.identity).await? {
            count(&inbound.identity.lane, "duplicate");
            return Ok(Accepted::Duplicate(Box::new(known)));
        }
        if self.accept_with_turn(&inbound).await? {
            count(&inbound.identity.lane, "new");
            return Ok(Accepted::New);
        }
        let limit = inbound.limit(self.policy().intake.queue);
        let (lane, kind) = (inbound.identity.lane.clone(), inbound.event.kind.name().to_owned());
        self.causes.leads_to(&inbound.identity.key);
        let accepted = self.store.accept(inbound.waits(limit)).await?;
        self.faults.at(FailPoint::InboxCommitted, &kind)?;
        let outcome = match &accepted {
            Accepted::New => "new",
            Accepted::Full => "full",
            Accepted::Duplicate(_) => "duplicate",
        };
        count(&lane, outcome);
        if !matches!(accepted, Accepted::Duplicate(_)) {
            self.wakes.wake(&lane);
        }
        Ok(accepted)
    }
}

fn count(lane: &LaneKey, outcome: &'static str) {
    counters::delivery(lane, outcome);
    spans::accepted(outcome);
}

/// Replaces the token of a press by its hash, so that a copy of the store presses nothing.
pub(crate) fn forget_token(kind: &mut EventKind) {
    if let EventKind::CardPressed { press: Press::Token(token), .. }
    | EventKind::FormSubmitted { press: Press::Token(token), .. } = kind
    {
        *token = Keys::pressed(token);
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

fn encode(event: Event, addressing: Addressing) -> String {
    serde_json::to_string(&Envelope { event, addressing }).unwrap_or_default()
}

/// The event of a waiting row, with the time it was received.
pub(crate) fn decode(row: &WaitingRow) -> Result<Envelope, RuntimeError> {
    let mut envelope: Envelope = serde_json::from_str(&row.event)
        .map_err(|e| RuntimeError::unreadable("a stored event", &e.to_string()))?;
    envelope.event.received_at = row.received_at;
    Ok(envelope)
}

/// The event that tells a person that their delivery of that key was not handled.
fn notice(received_at: Timestamp, actor: String, why: &str, notice: Notice, key: &str) -> Event {
    let kind = EventKind::IntakeNotice(notice);
    Event { id: format!("notice:{why}:{key}"), received_at, actor, kind }
}

/// The event that tells a person about a stored delivery that cannot be handled. The delivery itself may be
/// unreadable.
pub(crate) fn set_aside(row: &WaitingRow, turn: TurnId) -> Event {
    let actor = decode(row).map(|envelope| envelope.event.actor).unwrap_or_default();
    notice(row.received_at, actor, "dead", Notice::Dead { turn }, &row.key)
}
