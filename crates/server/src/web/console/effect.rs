//! Effects as pages show them: a summary line, the state, and the answer of the remote side.

use serde::Serialize;
use throughline_engine::Language;
use throughline_engine::data::ask::{Answer, Ask, FieldChange, Question};
use throughline_engine::data::call::{CallPhase, RemoteTask};
use throughline_engine::data::effect::{EffectBody, EffectResult, IssueChange, IssueState, Outcome};
use throughline_engine::data::field_error::FieldError;
use throughline_engine::data::focus::AnchorHint;
use throughline_engine::data::ticket::{Item, Part, Target};
use throughline_runtime::MessageView;
use throughline_store::{EffectState, Performer, StoredEffect};

use crate::views::{self, PlannedEffect};
use crate::web::card_view::zoned;
use crate::wire;

/// Effect in a list.
#[derive(Serialize)]
pub(super) struct EffectRow {
    pub(super) id: String,
    /// True if it has a row and a page of its own; false if its turn's commit delivered it.
    stored: bool,
    class: String,
    state: String,
    /// Summary, one line.
    pub(super) what: String,
    /// True if it leaves the conversation, released by an approval.
    outward: bool,
    /// Performer: `us`, the `host`, or the `commit`.
    by: &'static str,
    attempts: u32,
    created_at: String,
    lane: String,
    turn: String,
    /// Id and version of the card that released it.
    approval: Option<(String, u32)>,
    /// Time of the next automatic attempt.
    next_look: Option<String>,
    /// Time until which the host may report.
    deadline: Option<String>,
    outcome: Option<OutcomeView>,
    /// State of work that a remote side continues, or for which it asked back.
    far: Option<RemoteWork>,
    /// Question to a model.
    ask: Option<ModelAskView>,
}

/// Work on a remote side.
#[derive(Serialize)]
struct RemoteWork {
    /// Id there.
    remote: String,
    /// Last report.
    told: String,
}

/// Outcome of an effect.
#[derive(Serialize)]
struct OutcomeView {
    /// Summary, one line.
    text: String,
    /// Stable code of a failure.
    reason: Option<String>,
    errors: Vec<FieldError>,
    /// Key of the issue that was created.
    issue: Option<String>,
    url: Option<String>,
}

/// Question to a model, with its answer.
#[derive(Serialize)]
struct ModelAskView {
    purpose: &'static str,
    text: String,
    /// Sections of the prompt, as they were when it was asked.
    prompt: Vec<(&'static str, String)>,
    /// Reference of the message, as far as the model was given it.
    hint: Option<AnchorHint>,
    labels: Vec<&'static str>,
    budget_ms: i64,
    /// Answer; absent while the model is being asked.
    answer: Option<String>,
}

/// Converts a stored effect.
pub(super) fn row(effect: &StoredEffect) -> EffectRow {
    let body = views::effect_body(effect);
    let outcome = outcome(effect);
    let ask = match &body {
        Some(EffectBody::ModelAsk(ask)) => Some(model_ask(ask, outcome.as_ref())),
        _ => None,
    };
    EffectRow {
        id: effect.row.id.0.clone(),
        stored: true,
        class: effect.row.class.as_str().into(),
        state: views::effect_state_name(effect.state).into(),
        what: body.as_ref().map(line).unwrap_or_default(),
        outward: effect.row.outward,
        by: performer(effect.row.performer),
        attempts: effect.attempts,
        created_at: effect.created_at.rfc3339(),
        lane: effect.lane.id().0,
        turn: effect.turn.0.clone(),
        approval: effect.row.approval.as_ref().map(|by| (by.card.0.clone(), by.version)),
        next_look: (effect.state == EffectState::Planned && effect.not_before > effect.created_at)
            .then(|| effect.not_before.rfc3339()),
        deadline: effect.row.deadline.map(|end| end.rfc3339()),
        far: far(effect, outcome.as_ref()),
        outcome: outcome.as_ref().map(outcome_view),
        ask,
    }
}

/// Converts an effect of a turn, whether it has a row or was delivered by the commit.
pub(super) fn planned(planned: &PlannedEffect, views: &[MessageView]) -> EffectRow {
    let told = match planned {
        PlannedEffect::Performed(effect) => return row(effect),
        PlannedEffect::Delivered(delivered) => delivered.to_wire(views),
    };
    EffectRow {
        what: delivered(planned, views),
        id: told.id,
        stored: false,
        class: told.class,
        state: told.state,
        outward: false,
        by: "the commit",
        attempts: 0,
        created_at: told.created_at,
        lane: told.lane,
        turn: told.turn,
        approval: None,
        next_look: None,
        deadline: None,
        outcome: None,
        far: None,
        ask: None,
    }
}

/// Summarises what the commit delivered, in one line.
fn delivered(planned: &PlannedEffect, views: &[MessageView]) -> String {
    if let Some((to, text)) = planned.notice() {
        return format!("to @{to}: {text}");
    }
    let shown = planned.shows().and_then(|(id, _)| views.iter().find(|view| view.id == id));
    shown.map_or_else(String::new, |view| match &view.card {
        Some(card) => {
            let card = wire::Card::from(card.clone());
            format!("v{}: {}", card.version, zoned(&card.title, &card.moments))
        }
        None => view.text.clone(),
    })
}

fn outcome(effect: &StoredEffect) -> Option<Outcome> {
    serde_json::from_str(effect.outcome.as_deref()?).ok()
}

fn far(effect: &StoredEffect, outcome: Option<&Outcome>) -> Option<RemoteWork> {
    if let Some(Outcome::Done { result: EffectResult::Asked(asked) }) = outcome {
        return Some(RemoteWork { remote: asked.remote.clone(), told: asked.text.clone() });
    }
    let RemoteTask { remote, told, .. } = serde_json::from_str(effect.outcome.as_deref()?).ok()?;
    Some(RemoteWork { remote, told })
}

fn performer(performer: Performer) -> &'static str {
    match performer {
        Performer::Us => "us",
        Performer::Host => "the host",
    }
}

/// Summarises an effect, in one line.
pub(super) fn line(body: &EffectBody) -> String {
    let item =
        |item: &Item, target: &Target| format!("{} “{}” in {target}", item.item_type.as_str(), item.title());
    match body {
        EffectBody::Reply { text, .. } => text.clone(),
        EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => {
            let moments: Vec<_> = card.outline.moments.iter().cloned().map(wire::Moment::from).collect();
            format!("v{}: {}", card.version, zoned(&card.title, &moments))
        }
        EffectBody::Notice { to, text } => format!("to @{to}: {text}"),
        EffectBody::ModelAsk(ask) => format!("{}: “{}”", ask.purpose().as_str(), ask.text),
        EffectBody::TrackerCheck { target, items, .. } => {
            let items: Vec<String> = items.iter().map(|checked| item(checked, target)).collect();
            format!("would it take: {}", items.join("; "))
        }
        EffectBody::TrackerFind { target, key, .. } => format!("is there {key} in {target}"),
        EffectBody::TrackerSeek { target, marker, .. } => format!("which issues of {target} carry {marker}"),
        EffectBody::TrackerCreate { target, item: made, .. } => format!("create {}", item(made, target)),
        EffectBody::TrackerUpdate { key, change, .. } => match change {
            IssueChange::Parent(epic) => format!("put {key} under {epic}"),
            IssueChange::Comment(text) => format!("comment on {key}: {text}"),
            IssueChange::State(IssueState::Open) => format!("open {key} again"),
            IssueChange::State(IssueState::Closed) => format!("close {key}"),
            IssueChange::Assignee(name) => format!("assign {key} to {name}"),
            IssueChange::Link(other) => format!("link {key} to {other}"),
        },
        EffectBody::PostChannel { to, text, .. } => format!("in {}: {text}", to.conversation),
        EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => {
            let target = call.job.target();
            match &call.phase {
                CallPhase::Begin => format!("{target}: “{}”", call.text),
                CallPhase::Answer { .. } => {
                    format!("{target}, the answer to what it asked back: “{}”", call.text)
                }
                CallPhase::Stop { effect } => format!("{target}: stop {effect}"),
            }
        }
        EffectBody::OptionExecute(call) => format!("run “{}” ({})", call.job.name(), call.job.target()),
        EffectBody::HostAct(call) => format!("perform “{}” ({})", call.job.name(), call.job.target()),
        EffectBody::EvidenceFetch { scope_instance, .. } => format!("what does {scope_instance} hold now"),
        EffectBody::TurnHandover(handover) => format!("answer @{}: “{}”", handover.by, handover.text),
    }
}

fn outcome_view(outcome: &Outcome) -> OutcomeView {
    let plain = |text: String| OutcomeView { text, reason: None, errors: Vec::new(), issue: None, url: None };
    match outcome {
        Outcome::Done { result } => match result {
            EffectResult::Delivered { channel_id } => {
                let under = channel_id.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
                plain(format!("delivered{under}"))
            }
            EffectResult::Checked => plain("it would".into()),
            EffectResult::Found { key, title, url, .. } => OutcomeView {
                issue: Some(key.clone()),
                url: url.clone(),
                ..plain(format!("found: “{title}”"))
            },
            EffectResult::Sought { issues } => plain(match issues.as_slice() {
                [] => "none seen, which proves nothing".into(),
                found => found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", "),
            }),
            EffectResult::Updated => plain("changed".into()),
            EffectResult::Posted { url } => OutcomeView { url: url.clone(), ..plain("posted".into()) },
            EffectResult::Issue { key, url } => {
                OutcomeView { issue: Some(key.clone()), url: url.clone(), ..plain("created".into()) }
            }
            EffectResult::Answered(answer) => plain(said(answer)),
            EffectResult::Said { text } => plain(text.clone()),
            EffectResult::Asked(asked) => plain(format!("asked back: {}", asked.text)),
            EffectResult::Stopped { text } if text.is_empty() => plain("stopped".into()),
            EffectResult::Stopped { text } => plain(format!("stopped: {text}")),
            EffectResult::Snapshot { options, .. } => plain(format!("{} options", options.len())),
            EffectResult::Handled(answer) => plain(match (&answer.posted, &answer.options) {
                (Some(said), _) => said.text.clone(),
                (None, Some(list)) => format!("{} options shown", list.options.len()),
                (None, None) => "nothing to say".into(),
            }),
        },
        Outcome::Failed { reason, text, errors } => {
            let errors = errors.iter().map(|error| error.shown(Language::En)).collect();
            OutcomeView { reason: Some(reason.clone()), errors, ..plain(text.text(Language::En)) }
        }
        Outcome::Uncertain { text } => plain(text.text(Language::En)),
    }
}

fn model_ask(ask: &Ask, outcome: Option<&Outcome>) -> ModelAskView {
    let answer = outcome.map(|outcome| match outcome {
        Outcome::Done { result: EffectResult::Answered(answer) } => said(answer),
        Outcome::Done { .. } => "no answer".into(),
        Outcome::Failed { reason, text, .. } => format!("no answer: {reason}, {}", text.text(Language::En)),
        Outcome::Uncertain { text } => format!("no answer: {}", text.text(Language::En)),
    });
    let labels = match &ask.question {
        Question::Classify { labels } => labels.iter().map(|label| label.as_str()).collect(),
        _ => Vec::new(),
    };
    ModelAskView {
        purpose: ask.purpose().as_str(),
        text: ask.text.clone(),
        prompt: ask.prompt.sections.iter().map(|(section, text)| (section.as_str(), text.clone())).collect(),
        hint: ask.hint.clone(),
        labels,
        budget_ms: ask.budget_ms,
        answer,
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Classify { label, confidence, .. } => format!("{label}, {confidence} %"),
        Answer::Draft { items } => {
            let titles = items.iter().map(|item| item.fields.get(&Part::Title).map_or("", String::as_str));
            titles.collect::<Vec<_>>().join("; ")
        }
        Answer::Revision { changes } => {
            let change =
                |change: &FieldChange| format!("{} {}: {}", change.item, change.field.as_str(), change.text);
            changes.iter().map(change).collect::<Vec<_>>().join("; ")
        }
        Answer::Review(review) => format!("{}: {}", review.topic, review.summary),
        Answer::Patch(patch) => {
            let bullets = [&patch.decisions, &patch.risks, &patch.questions, &patch.changes];
            bullets.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; ")
        }
        Answer::Text { text, .. } | Answer::Summary { text, .. } => text.clone(),
        Answer::Select { choice, confidence, .. } => {
            format!("{}, {confidence} %", choice.as_deref().unwrap_or("no option"))
        }
        Answer::None { why } => format!("no answer: {why}"),
    }
}
