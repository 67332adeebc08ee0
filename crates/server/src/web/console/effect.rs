//! An effect as the pages show it: what it does in one line, how it stands, what the far side said.

use serde::Serialize;
use throughline_engine::ask::{Answer, Ask, Question};
use throughline_engine::effect::{EffectBody, EffectResult, FieldError, IssueChange, Outcome};
use throughline_engine::focus::Hint;
use throughline_engine::tickets::{Item, Part, Target};
use throughline_engine::work::{Phase, Underway};
use throughline_runtime::{MessageView, Runtime};
use throughline_store::{EffectState, Performer, StoredEffect};

use crate::telling::{self, Planned};

/// One line of a list of effects.
#[derive(Serialize)]
pub(super) struct EffectRow {
    pub(super) id: String,
    /// It has a row, and a page, of its own; else it was delivered by its turn's commit.
    stored: bool,
    class: String,
    state: String,
    /// What it does, in one line.
    what: String,
    /// Leaves the conversation: released by an approval.
    outward: bool,
    /// `us`, the `host`, or the `commit` itself.
    by: &'static str,
    attempts: u32,
    created_at: String,
    lane: String,
    turn: String,
    /// Card and version that released it.
    approval: Option<(String, u32)>,
    /// When it is tried again, by itself.
    next_look: Option<String>,
    /// Until when the host may report.
    deadline: Option<String>,
    outcome: Option<Told>,
    /// Where it stands at a far side that goes on with it, or asked back.
    far: Option<Far>,
    /// It asked a model.
    ask: Option<Asked>,
}

/// Work at a far side.
#[derive(Serialize)]
struct Far {
    /// Its id over there.
    remote: String,
    /// What was said of it last.
    told: String,
}

/// How an effect ended.
#[derive(Serialize)]
struct Told {
    /// One line.
    text: String,
    /// A stable word for why it failed.
    reason: Option<String>,
    errors: Vec<FieldError>,
    /// The issue that came of it.
    issue: Option<String>,
    url: Option<String>,
}

/// What a model was asked, and what it said.
#[derive(Serialize)]
struct Asked {
    purpose: &'static str,
    text: String,
    /// The sections of its prompt, as they were when it was asked.
    prompt: Vec<(&'static str, String)>,
    /// What the message refers to, as far as the model was told.
    hint: Option<Hint>,
    labels: Vec<&'static str>,
    budget_ms: i64,
    /// Absent while it is asked.
    answer: Option<String>,
}

/// The effect as it is shown.
pub(super) fn row(effect: &StoredEffect) -> EffectRow {
    let body = telling::body(effect);
    let outcome = outcome(effect);
    let ask = match &body {
        Some(EffectBody::ModelAsk(ask)) => Some(asked(ask, outcome.as_ref())),
        _ => None,
    };
    EffectRow {
        id: effect.row.id.0.clone(),
        stored: true,
        class: effect.row.class.word().into(),
        state: telling::state_word(effect.state).into(),
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
        outcome: outcome.as_ref().map(told),
        ask,
    }
}

/// An effect of a turn: one with a row of its own, or what the turn's commit delivered.
pub(super) fn planned(runtime: &Runtime, planned: &Planned, views: &[MessageView]) -> EffectRow {
    if let Planned::Performed(effect) = planned {
        return row(effect);
    }
    let told = planned.told(runtime, views);
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

/// What the commit delivered, in one line.
fn delivered(planned: &Planned, views: &[MessageView]) -> String {
    if let Some((to, text)) = planned.notice() {
        return format!("to @{to}: {text}");
    }
    let shown = planned.shows().and_then(|(id, _)| views.iter().find(|view| view.id == id));
    shown.map_or_else(String::new, |view| match &view.card {
        Some(card) => format!("v{}: {}", card.version, card.title),
        None => view.text.clone(),
    })
}

fn outcome(effect: &StoredEffect) -> Option<Outcome> {
    serde_json::from_str(effect.outcome.as_deref()?).ok()
}

fn far(effect: &StoredEffect, outcome: Option<&Outcome>) -> Option<Far> {
    if let Some(Outcome::Done { result: EffectResult::Asked(asked) }) = outcome {
        return Some(Far { remote: asked.remote.clone(), told: asked.text.clone() });
    }
    let Underway { remote, told, .. } = serde_json::from_str(effect.outcome.as_deref()?).ok()?;
    Some(Far { remote, told })
}

fn performer(performer: Performer) -> &'static str {
    match performer {
        Performer::Us => "us",
        Performer::Host => "the host",
    }
}

/// What an effect does, in one line.
pub(super) fn line(body: &EffectBody) -> String {
    let item =
        |item: &Item, target: &Target| format!("{} “{}” in {target}", item.item_type.word(), item.title());
    match body {
        EffectBody::Reply { text, .. } => text.clone(),
        EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => {
            format!("v{}: {}", card.version, card.title)
        }
        EffectBody::Notice { to, text } => format!("to @{to}: {text}"),
        EffectBody::ModelAsk(ask) => format!("{}: “{}”", ask.purpose().word(), ask.text),
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
        },
        EffectBody::PostChannel { to, text, .. } => format!("in {}: {text}", to.conversation),
        EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => {
            let target = call.job.target();
            match &call.phase {
                Phase::Begin => format!("{target}: “{}”", call.text),
                Phase::Answer { .. } => {
                    format!("{target}, the answer to what it asked back: “{}”", call.text)
                }
                Phase::Stop { effect } => format!("{target}: stop {effect}"),
            }
        }
        EffectBody::OptionExecute(call) => format!("run “{}” ({})", call.job.name(), call.job.target()),
        EffectBody::EvidenceFetch { scope_instance, .. } => format!("what does {scope_instance} hold now"),
    }
}

fn told(outcome: &Outcome) -> Told {
    let plain = |text: String| Told { text, reason: None, errors: Vec::new(), issue: None, url: None };
    match outcome {
        Outcome::Done { result } => match result {
            EffectResult::Delivered { channel_id } => {
                let under = channel_id.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
                plain(format!("delivered{under}"))
            }
            EffectResult::Checked => plain("it would".into()),
            EffectResult::Found { key, title, url, .. } => {
                Told { issue: Some(key.clone()), url: url.clone(), ..plain(format!("found: “{title}”")) }
            }
            EffectResult::Sought { issues } => plain(match issues.as_slice() {
                [] => "none seen, which proves nothing".into(),
                found => found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", "),
            }),
            EffectResult::Updated => plain("changed".into()),
            EffectResult::Posted { url } => Told { url: url.clone(), ..plain("posted".into()) },
            EffectResult::Issue { key, url } => {
                Told { issue: Some(key.clone()), url: url.clone(), ..plain("created".into()) }
            }
            EffectResult::Answered(answer) => plain(said(answer)),
            EffectResult::Said { text } => plain(text.clone()),
            EffectResult::Asked(asked) => plain(format!("asked back: {}", asked.text)),
            EffectResult::Stopped { text } if text.is_empty() => plain("stopped".into()),
            EffectResult::Stopped { text } => plain(format!("stopped: {text}")),
            EffectResult::Snapshot { options, .. } => plain(format!("{} options", options.len())),
        },
        Outcome::Failed { reason, text, errors } => {
            Told { reason: Some(reason.clone()), errors: errors.clone(), ..plain(text.clone()) }
        }
        Outcome::Uncertain { text } => plain(text.clone()),
    }
}

fn asked(ask: &Ask, outcome: Option<&Outcome>) -> Asked {
    let answer = outcome.map(|outcome| match outcome {
        Outcome::Done { result: EffectResult::Answered(answer) } => said(answer),
        Outcome::Done { .. } => "no answer".into(),
        Outcome::Failed { reason, text, .. } => format!("no answer: {reason}, {text}"),
        Outcome::Uncertain { text } => format!("no answer: {text}"),
    });
    let labels = match &ask.question {
        Question::Classify { labels } => labels.iter().map(|label| label.word()).collect(),
        _ => Vec::new(),
    };
    Asked {
        purpose: ask.purpose().word(),
        text: ask.text.clone(),
        prompt: ask.prompt.sections.iter().map(|(section, text)| (section.word(), text.clone())).collect(),
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
