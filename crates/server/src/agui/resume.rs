//! Answers to interrupts: all of them are judged before any of them is applied.

use serde_json::{Value, json};
use throughline_channels::agui::{Answer, ResumeEntry};
use throughline_channels::api::{EventRequest, FormRequest, LaneRequest, PressRequest};
use throughline_engine::CardId;
use throughline_engine::data::action::Action;
use throughline_engine::data::canonical_json::{hex, jcs, sha256};
use throughline_engine::data::card::{Card, CardStatus};
use throughline_engine::data::id::id_origin;
use throughline_engine::data::lane::Lane;
use throughline_engine::{LaneKey, TurnId};

use super::interrupts::{Asks, Chosen, Open, Waiting, card_and_version};
use super::run::Speaker;
use crate::app::App;
use crate::codes::{self, Code};
use crate::deliver::{AnswerKind, Delivery};
use crate::idempotency::KeyedRequest;
use crate::problem::Problem;
use crate::request::MAX_WAIT;
use crate::routes::{approvals, events};
use crate::wire;

/// Thing to do for an answer.
pub(super) enum Step {
    /// The answer was given before: its turn is told again.
    Again { card: CardId, turn: TurnId },
    /// A press, to be delivered.
    Deliver { card: CardId, delivery: Box<Delivery> },
    /// The interrupt is left: it no longer blocks this thread.
    Leave { interrupt: String },
    /// The interrupt is over, and was left.
    Nothing,
}

/// Judges the answers to interrupts.
///
/// # Errors
/// The first answer that cannot be applied, or an open interrupt that none of them answers.
pub(super) async fn plan(
    app: &App,
    by: &Speaker,
    lane: &Lane,
    waiting: &Waiting,
    resume: &[ResumeEntry],
) -> Result<Vec<Step>, Problem> {
    let mut steps = Vec::new();
    for (at, entry) in resume.iter().enumerate() {
        let judged = judge(app, by, lane, waiting, entry).await;
        steps.push(judged.map_err(|fault| fault.at(at))?);
    }
    covers_all(waiting, resume)?;
    Ok(steps)
}

/// Reason why an answer is not applied.
enum Fault {
    Code(&'static Code, String),
    Problem(Problem),
}

impl<E: Into<Problem>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Problem(error.into())
    }
}

impl Fault {
    fn at(self, at: usize) -> Problem {
        match self {
            Self::Code(code, why) => Problem::new(code, format!("/resume/{at}: {why}")),
            Self::Problem(problem) => problem,
        }
    }
}

async fn judge(
    app: &App,
    by: &Speaker,
    lane: &Lane,
    waiting: &Waiting,
    entry: &ResumeEntry,
) -> Result<Step, Fault> {
    let id = &entry.interrupt;
    let unknown =
        || Fault::Code(&codes::AGUI_UNKNOWN, format!("there is no interrupt {id:?} in this thread"));
    let (name, version) = card_and_version(id).ok_or_else(unknown)?;
    if id_origin(&lane.key.id(), name).is_none() {
        // The id says which lane made it, so nothing is looked up that the caller might not see.
        return Err(if is_a_card(name) {
            let why = format!("the interrupt {id:?} belongs to another thread; answer it there");
            Fault::Code(&codes::AGUI_WRONG_THREAD, why)
        } else {
            unknown()
        });
    }
    let card = CardId::from(name);
    let keyed = keyed(by, &lane.key, entry);
    if let Some(row) = app.store().delivery(&keyed.tenant, &keyed.key).await?
        && row.body_hash.as_deref() == Some(keyed.stored_hash())
        && let Some(turn) = row.turn
    {
        return Ok(Step::Again { card, turn });
    }
    let open = waiting.open.iter().find(|open| open.card.id == card && open.card.version == version);
    match (open, &entry.answer) {
        (Some(open), Answer::Resolved(payload)) => {
            let chosen = open.read(payload);
            let chosen = chosen.map_err(|why| Fault::Code(&codes::AGUI_PAYLOAD, format!("{id}: {why}")))?;
            Ok(Step::Deliver { card, delivery: Box::new(press(app, by, lane, open, chosen, keyed).await?) })
        }
        (Some(open), Answer::Cancelled) => match open.giving_up(&by.actor) {
            Some(action) => {
                let chosen = Chosen::Press(action);
                Ok(Step::Deliver {
                    card,
                    delivery: Box::new(press(app, by, lane, open, chosen, keyed).await?),
                })
            }
            None => Ok(Step::Leave { interrupt: id.clone() }),
        },
        (None, answer) => over(app, lane, &card, version, answer).await?.ok_or_else(unknown),
    }
}

/// True if a text has the form of a card's id.
fn is_a_card(id: &str) -> bool {
    let Some(rest) = id.strip_prefix(CardId::APPROVAL).or_else(|| id.strip_prefix("cd_")) else {
        return false;
    };
    let parts: Vec<&str> = rest.split('_').collect();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts[..], [lane, revision, ordinal]
        if !lane.is_empty() && lane.bytes().all(|byte| byte.is_ascii_alphanumeric()) && number(revision) && number(ordinal))
}

/// Judges an answer to what is not open for this person; `None` if there never was such a card.
async fn over(
    app: &App,
    lane: &Lane,
    card: &CardId,
    version: u32,
    answer: &Answer,
) -> Result<Option<Step>, Fault> {
    let loaded = lane.records.get::<Card>(card);
    let known = loaded.is_some() || app.store().record(&lane.key, "card", card.as_str()).await?.is_some();
    let newest = loaded.map(|card| card.version);
    if !known || version == 0 || newest.is_some_and(|newest| version > newest) {
        return Ok(None);
    }
    // Whoever leaves what is over leaves nothing open: no thread is one that cannot be left.
    if *answer == Answer::Cancelled {
        return Ok(Some(Step::Nothing));
    }
    let is = |code: &'static Code, why: &str| Err(Fault::Code(code, format!("{card}.v{version}: {why}")));
    match loaded {
        Some(card) if card.version != version => {
            let why = format!("version {} is current; cancel this one to go on", card.version);
            is(&codes::STALE_VERSION, &why)
        }
        Some(card) if expired(app, card) => is(&codes::AGUI_EXPIRED, "cancel it to go on"),
        Some(card) if matches!(card.status, CardStatus::Superseded { .. }) => {
            is(&codes::STALE_VERSION, "another card took its place; cancel this one to go on")
        }
        Some(card) if card.is_open() => {
            is(&codes::FORBIDDEN, "it does not wait for this person; see throughline.pending")
        }
        _ => is(&codes::PRESS_CONSUMED, "Already processed"),
    }
}

fn expired(app: &App, card: &Card) -> bool {
    let late = card.is_open() && card.expires_at.is_some_and(|end| app.store().now() > end);
    late || card.status == CardStatus::Expired
}

/// Checks that every open interrupt is answered. Whoever leaves an older version of a card answers nothing of the newer one,
/// which is sent to them now.
fn covers_all(waiting: &Waiting, resume: &[ResumeEntry]) -> Result<(), Problem> {
    let answered = |open: &Open| {
        resume.iter().any(|entry| {
            card_and_version(&entry.interrupt).is_some_and(|(card, version)| {
                card == open.card.id.0 && (version == open.card.version || entry.answer == Answer::Cancelled)
            })
        })
    };
    let missing: Vec<String> = waiting.blocking().filter(|open| !answered(open)).map(Open::id).collect();
    // Who only left what was over already applies nothing, and learns what is open.
    let applies = |entry: &ResumeEntry| waiting.open.iter().any(|open| open.id() == entry.interrupt);
    if missing.is_empty() || !resume.iter().any(applies) {
        return Ok(());
    }
    let text = format!("nothing was applied: {} wait for an answer too", missing.join(", "));
    Err(Problem::new(&codes::AGUI_PARTIAL, text))
}

/// Returns the key of an answer: thread, interrupt, status and payload. The person is part of its hash.
fn keyed(by: &Speaker, lane: &LaneKey, entry: &ResumeEntry) -> KeyedRequest {
    let payload = hex(&sha256(&[jcs(entry.answer.payload()).as_bytes()]));
    let status = entry.answer.status();
    KeyedRequest {
        tenant: lane.tenant.clone(),
        client: entry.interrupt.clone(),
        key: format!("agui:{}:{}:{status}:{payload}", lane.id(), entry.interrupt),
        hash: hex(&sha256(&[b"agui/resume\n", by.actor.as_bytes()])),
        event_hash: None,
    }
}

async fn press(
    app: &App,
    by: &Speaker,
    lane: &Lane,
    open: &Open,
    chosen: Chosen,
    keyed: KeyedRequest,
) -> Result<Delivery, Problem> {
    let decision = match (&open.asks, &chosen) {
        (Asks::Approval(row), Chosen::Press(action)) => decided(*action).map(|decision| (row, decision)),
        _ => None,
    };
    if let Some((row, decision)) = decision {
        let actor = Some(wire::DecideActor { id: by.actor.clone(), name: None });
        let asked = wire::Decide { version: open.card.version, decision, actor };
        let longest = std::time::Duration::from_secs(MAX_WAIT);
        return approvals::decision(app, &by.caller, (**row).clone(), &asked, keyed, longest);
    }
    let action = match &chosen {
        Chosen::Press(action) => *action,
        Chosen::Adopt(_) => Action::Adopt,
    };
    let token = open.token(action);
    let mut request = EventRequest {
        lane: LaneRequest {
            channel: Some(lane.key.channel.clone()),
            conversation: Some(lane.key.conversation.clone()),
            thread: None,
        },
        actor: Some(by.named()),
        ..EventRequest::default()
    };
    match chosen {
        Chosen::Press(_) => {
            request.kind = "card.pressed".into();
            request.press = Some(PressRequest { token, ..PressRequest::default() });
        }
        Chosen::Adopt(key) => {
            request.kind = "form.submitted".into();
            request.form = Some(FormRequest { token, values: Some([("key".to_owned(), key)].into()) });
        }
    }
    let inbound = events::permitted(app, &by.caller, &keyed, request)?;
    events::admitted(app, &by.caller, keyed, inbound, None, AnswerKind::Decision).await
}

fn decided(action: Action) -> Option<wire::Decision> {
    match action {
        Action::Approve => Some(wire::Decision::Approve),
        Action::Reject => Some(wire::Decision::Reject),
        Action::Cancel => Some(wire::Decision::Cancel),
        _ => None,
    }
}

/// Returns open interrupts as the value of a custom event.
pub(super) fn listed(waiting: &Waiting) -> Value {
    json!({"interrupts": waiting.interrupts()})
}
