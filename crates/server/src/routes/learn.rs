//! `/v1/learn`: what the log of an installation could teach, and proposals of it, which are approved like every act of a host.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value as Json;
use throughline_channels::api::{
    ApprovalRequest, EventRequest, LaneRequest, MAX_ACT_LINES, MAX_ACT_TITLE, NormalisedEvent,
};
use throughline_engine::data::canonical_json::{hex, jcs, sha256};
use throughline_engine::data::policy::lexicon::LexiconEntry;
use throughline_eval::learn::{ChangedDecision, Lesson, Shift};
use throughline_messages::{self as say, Language};
use utoipa::IntoParams;

use super::events::normalise;
use super::json;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::deliver::{AnswerKind, Delivery, deliver};
use crate::idempotency::KeyedRequest;
use crate::learned::suggest::{Log, Replayed, Suggestion};
use crate::learned::versions::{self, Version};
use crate::learned::worker::Content;
use crate::learned::{self, Learned, Margins};
use crate::problem::{Pointed, Problem};
use crate::request::{MAX_LIMIT, QueryParams, caller, parse, read_json, wait};
use crate::wire;

/// Path of proposals, which is part of every delivery key.
pub(crate) const ROUTE: &str = "/v1/learn";
/// Time that a form waits for the turn of its proposal.
pub(crate) const WAIT: Duration = Duration::from_secs(10);
/// Lanes that are read unless a request names another number.
const LANES: u32 = 200;
/// Changed decisions that an answer lists.
const MAX_CHANGED: usize = 200;
/// Versions that an answer lists.
const MAX_VERSIONS: u64 = 50;

/// Query of a suggestion.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LearnQuery {
    /// Newest lanes that are read; 200 unless given.
    #[param(minimum = 1, maximum = 200)]
    lanes: Option<u32>,
}

/// Suggest what could be learned
///
/// Reads recorded lanes for phrases that were not understood and what people showed that they meant, and for thresholds under which
/// more decisions would have been right. Decides the lanes again under that, dry. Nothing is changed.
#[utoipa::path(
    get, path = "/v1/learn", tag = "operations", operation_id = "suggestLearning",
    params(LearnQuery),
    responses((status = 200, description = "What could be learned, and the recorded decisions that would be others.", body = wire::LearnSuggestion))
)]
pub(crate) async fn get_suggestion(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(query): QueryParams<LearnQuery>,
) -> Result<Response, Problem> {
    Ok(json(&suggestion(&app, &caller, query.lanes).await?))
}

/// Returns what the log could teach.
///
/// # Errors
/// The caller is no administrator, or the store did not answer.
pub(crate) async fn suggestion(
    app: &App,
    caller: &Caller,
    lanes: Option<u32>,
) -> Result<wire::LearnSuggestion, Problem> {
    caller.need(Scope::Admin)?;
    let suggestion = read_log(app, caller, lanes).await?.suggest(&caller.tenant).await?;
    Ok(to_wire(app, suggestion))
}

async fn read_log<'a>(app: &'a App, caller: &Caller, lanes: Option<u32>) -> Result<Log<'a>, Problem> {
    let lanes = lanes.unwrap_or(LANES).clamp(1, MAX_LIMIT);
    Ok(Log::read(app.runtime(), &caller.tenant, lanes).await?)
}

/// List what was learned
#[utoipa::path(
    get, path = "/v1/learn/versions", tag = "operations", operation_id = "listLearned",
    responses((status = 200, description = "The versions that were approved, newest first: the first is in force. At most 50.", body = wire::Page<wire::LearnedVersion>))
)]
pub(crate) async fn list_versions(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    Ok(json(&wire::Page { items: self::versions(&app, &caller).await?, next: None }))
}

/// Returns the newest versions, newest first.
///
/// # Errors
/// The caller is no administrator, or the store did not answer.
pub(crate) async fn versions(app: &App, caller: &Caller) -> Result<Vec<wire::LearnedVersion>, Problem> {
    caller.need(Scope::Admin)?;
    let found = versions::history(app.store(), &caller.tenant, MAX_VERSIONS).await?;
    let items = found.into_iter().map(|version| wire::LearnedVersion {
        version: version.number,
        effect: Some(version.effect),
        learned: version.learned.into(),
    });
    Ok(items.collect())
}

/// Propose what is to be learned
///
/// Asks for the approval of all that is to be in force from then on, or of an earlier version. The card holds exactly these bytes, says
/// what changes and which recorded decisions would be others. Approver rules name it as the class `host.act` and the target `act:policy`.
#[utoipa::path(
    post, path = "/v1/learn", tag = "operations", operation_id = "proposeLearning",
    request_body = wire::LearnProposal,
    params(
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: answer with the turn, waiting at most N seconds"),
    ),
    responses(
        (status = 200, description = "The turn that asks for the approval, with its card.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn post_proposal(State(app): State<Arc<App>>, request: Request) -> Response {
    propose(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn propose(app: &Arc<App>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::Admin)?;
    let body = read_json(&parts.headers, body).await?;
    let keyed = KeyedRequest::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    let asked = parse(&body)?;
    ask(app, &caller, keyed, asked, wait(&parts.headers)).await
}

/// Asks for the approval of a proposal.
///
/// # Errors
/// The caller is no administrator, the proposal cannot be in force or changes nothing, or the store did not answer.
pub(crate) async fn ask(
    app: &Arc<App>,
    caller: &Caller,
    keyed: KeyedRequest,
    asked: wire::LearnProposal,
    wait: Option<Duration>,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    let (from, _) = versions::current(app.store(), &caller.tenant).await?;
    let learned = proposed(app, caller, asked).await?;
    let differences = learned.differences(&from.learned, app.runtime().policy());
    if differences.is_empty() {
        return Err(refused("", format!("it is what version {} has; nothing would change", from.number)));
    }
    let replayed = read_log(app, caller, None).await?.replay(&from.learned, &learned).await?;
    let language = app.runtime().policy().language();
    let event = approval(language, &from, learned, differences, &replayed);
    let inbound = normalise(app, caller, &keyed, event).map_err(Problem::from_channel)?;
    let NormalisedEvent { lane, event, addressed, .. } = inbound;
    // Not by the right to speak for an assistant: the request is this process's own.
    let (href, answer_kind) = (keyed.turn_href(), AnswerKind::Turn);
    deliver(app, Delivery { keyed, lane, more_keys: Vec::new(), event, addressed, wait, href, answer_kind })
        .await
}

fn refused(pointer: &str, text: String) -> Problem {
    Problem::schema(vec![Pointed { pointer: pointer.into(), text }])
}

/// Returns what a body proposes, if it can be in force.
async fn proposed(app: &App, caller: &Caller, asked: wire::LearnProposal) -> Result<Learned, Problem> {
    let learned: Learned = match asked {
        wire::LearnProposal { learned: Some(learned), version: None } => learned.into(),
        wire::LearnProposal { learned: None, version: Some(number) } => {
            let found = versions::version(app.store(), &caller.tenant, number).await?;
            found.ok_or_else(|| refused("/version", format!("there is no version {number}")))?.learned
        }
        _ => {
            return Err(refused(
                "",
                "name what is to be learned or a version to go back to, one of them".into(),
            ));
        }
    };
    match learned.invalid(app.runtime().policy()) {
        Some(why) => Err(refused("/learned", why)),
        None => Ok(learned),
    }
}

/// Makes the request for the approval.
fn approval(
    language: Language,
    from: &Version,
    learned: Learned,
    differences: Vec<String>,
    replayed: &Replayed,
) -> EventRequest {
    let content = Content { learned, replaces: from.number };
    let bytes = jcs(&content);
    let mut lines: Vec<String> = differences;
    let changes = lines.len();
    if changes >= MAX_ACT_LINES {
        lines.truncate(MAX_ACT_LINES - 2);
        lines.push(say::learned_more(language, (changes - lines.len()) as u64));
    }
    let count = |shift| replayed.count(shift) as u64;
    lines.push(say::learned_replayed(
        language,
        replayed.decided as u64,
        replayed.changed.len() as u64,
        count(Shift::Better),
        count(Shift::Worse),
        count(Shift::Unknown),
    ));
    let mut title = say::learned_title(language, changes);
    title.truncate(MAX_ACT_TITLE);
    let mut id = hex(&sha256(&[bytes.as_bytes()]));
    id.truncate(12);
    let payload = match serde_json::to_value(&content) {
        Ok(Json::Object(members)) => Some(members),
        _ => None,
    };
    EventRequest {
        lane: LaneRequest {
            channel: Some(learned::CHANNEL.into()),
            conversation: Some(learned::CONVERSATION.into()),
            thread: None,
        },
        kind: "approval.requested".into(),
        approval: Some(ApprovalRequest {
            request_id: Some(format!("{}-{id}", from.number + 1)),
            title: Some(title),
            target: Some(learned::TARGET.into()),
            payload,
            lines: Some(lines),
            expires: None,
        }),
        ..EventRequest::default()
    }
}

fn to_wire(app: &App, suggestion: Suggestion) -> wire::LearnSuggestion {
    let Suggestion { from, learned, lessons, replayed } = suggestion;
    wire::LearnSuggestion {
        version: from.number,
        differences: learned.differences(&from.learned, app.runtime().policy()),
        lessons: lessons.into_iter().map(Into::into).collect(),
        learned: learned.into(),
        replay: wire::LearnReplay {
            decided: replayed.decided,
            better: replayed.count(Shift::Better),
            worse: replayed.count(Shift::Worse),
            unknown: replayed.count(Shift::Unknown),
            changed: replayed.changed.iter().take(MAX_CHANGED).map(Into::into).collect(),
        },
    }
}

impl From<Lesson> for wire::Lesson {
    fn from(Lesson { entry, turns, people }: Lesson) -> Self {
        Self { said: entry.said, means: entry.means, turns, people }
    }
}

impl From<&ChangedDecision> for wire::ChangedDecision {
    fn from(change: &ChangedDecision) -> Self {
        let shift = match change.shift {
            Shift::Better => "better",
            Shift::Worse => "worse",
            Shift::Unknown => "unknown",
        };
        Self {
            turn: change.turn.clone(),
            said: change.said.clone(),
            before: brief(&change.before),
            after: brief(&change.after),
            shift: shift.into(),
        }
    }
}

fn brief(decision: &throughline_engine::Decision) -> wire::DecisionBrief {
    wire::DecisionBrief {
        reason: decision.reason.code().into(),
        intent: decision.intent.map(|intent| intent.as_str().into()),
        value: decision.applied.as_ref().map(|applied| applied.value.text().to_owned()),
    }
}

impl From<Learned> for wire::Learned {
    fn from(Learned { lexicon, judge, min_confidence }: Learned) -> Self {
        let phrase = |LexiconEntry { said, means }| wire::Phrase { said, means };
        let margins = |Margins { yes, no, end }| wire::JudgeMargins { yes, no, end };
        Self { lexicon: lexicon.into_iter().map(phrase).collect(), judge: judge.map(margins), min_confidence }
    }
}

impl From<wire::Learned> for Learned {
    fn from(wire::Learned { lexicon, judge, min_confidence }: wire::Learned) -> Self {
        let entry = |wire::Phrase { said, means }| LexiconEntry { said, means };
        let margins = |wire::JudgeMargins { yes, no, end }| Margins { yes, no, end };
        Self { lexicon: lexicon.into_iter().map(entry).collect(), judge: judge.map(margins), min_confidence }
    }
}
