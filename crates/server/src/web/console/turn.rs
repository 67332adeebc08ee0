//! Turn in the console: input, ladder, results and record. A page reads the turn and its two neighbours, its effects
//! with the turns on their outcomes, and the messages it added to the lane.

use axum::response::Response;
use serde::Serialize;
use throughline_engine::data::action::Action;
use throughline_engine::data::erasure::ErasureScope;
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::focus::FocusTrace;
use throughline_engine::data::focus::ThreadPosition;
use throughline_engine::data::issue_report::IssueNow;
use throughline_engine::{CardId, EffectId, Language, MessageId, TurnId};
use throughline_language::reference::Need;
use throughline_runtime::MessageView;
use throughline_runtime::turn_log::{GENESIS, Turn, chain, content_hash};
use throughline_store::{LaneInfo, StoredTurn};

use super::effect::{self, EffectRow};
use super::form::SentForm;
use super::formatting::length;
use super::ladder::{RungView, ladder};
use super::operator::{Equivalents, Operator, Section};
use super::replay::{self, Changed, Replay};
use super::timeline::{Timeline, timeline};
use crate::access::{self, Act};
use crate::codes;
use crate::problem::Problem;
use crate::request::PathParam;
use crate::routes::lanes::{messages, read};
use crate::routes::pause::operates;
use crate::turn_chain;
use crate::views;
use crate::wire;

/// Values of a turn.
#[derive(Serialize)]
pub(super) struct TurnView {
    info: wire::TurnInfo,
    lane: wire::LaneInfo,
    why: wire::Why,
    ladder: Vec<RungView>,
    rule: Option<String>,
    intent: Option<&'static str>,
    applied: Option<wire::Applied>,
    focus: Option<Focus>,
    /// Interruption by the message, if any: "start over".
    interrupt: Option<String>,
    /// Selection trace.
    selection: Option<wire::Selection>,
    input: Option<Input>,
    /// Effect whose outcome it took in.
    settles: Option<EffectRow>,
    said: Vec<TurnMessage>,
    effects: Vec<EffectRow>,
    settled_by: Vec<wire::SettledBy>,
    record: Record,
    timing: Timing,
    timeline: Option<Timeline>,
    previous: Option<String>,
    next: Option<String>,
}

/// Reference of a message.
#[derive(Serialize)]
struct Focus {
    source: &'static str,
    anchor: Option<String>,
    text: Option<String>,
    task: Option<String>,
    /// Dependence of the text on its reference, in words.
    reference: &'static str,
    /// Words that refer.
    words: String,
    /// Message it answers, or a mark that it starts something new.
    thread: Option<ThreadPosition>,
}

/// Message of the turn, as shown then.
#[derive(Serialize)]
struct TurnMessage {
    role: &'static str,
    by: String,
    /// Kind: `card`, `notice to @bob`, …
    kind: String,
    text: String,
    card: Option<wire::Card>,
}

/// Event of the turn.
#[derive(Serialize)]
struct Input {
    text: Option<String>,
    /// Further properties, by name.
    facts: Vec<(&'static str, String)>,
    card: Option<String>,
    /// True if it can be replayed with another text.
    changeable: bool,
    /// Whole event.
    raw: String,
    given: String,
}

/// Stored row, with the checks of its hashes.
#[derive(Serialize)]
struct Record {
    key: String,
    policy: String,
    engine: String,
    snapshot: u32,
    before: String,
    after: String,
    content: String,
    prev_hash: String,
    hash: String,
    /// True if the row matches its hash and follows the previous row.
    chained: bool,
    /// True if the content matches the row's hash; `None` if it was erased.
    intact: Option<bool>,
}

#[derive(Serialize)]
struct Timing {
    received: Option<String>,
    decided: String,
    /// Time between receipt and decision.
    waited: Option<String>,
    committed: Option<String>,
}

#[derive(Serialize)]
struct Page {
    turn: TurnView,
    replay: Option<Replay>,
    changed: Option<Changed>,
}

/// `GET /console/turns/{turn}`.
pub(super) async fn show(operator: Operator, PathParam(id): PathParam) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let stored = find(&operator, &id).await?;
    page(&operator, &stored, None, None).await
}

/// `POST /console/turns/{turn}/replay`: replays the turn. Since nothing is written, the answer is the page itself.
pub(super) async fn replay(PathParam(id): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    operator.enter(Section::Lanes)?;
    operates(&operator.app, &operator.caller)?;
    let stored = find(operator, &id).await?;
    let turn = read(&stored)?;
    match sent.field("text") {
        None => {
            let replay = replay::same(operator.app.runtime(), &stored, &turn).await?;
            page(operator, &stored, Some(replay), None).await
        }
        Some(text) => {
            let changed = replay::changed(operator.app.runtime(), &stored, &turn, &text).await?;
            page(operator, &stored, None, Some(changed)).await
        }
    }
}

pub(super) async fn find(operator: &Operator, id: &str) -> Result<StoredTurn, Problem> {
    let found = operator.app.store().turn(operator.tenant(), &TurnId::from(id)).await?;
    let turn = found.ok_or_else(|| Problem::not_found("turn"))?;
    access::check(&operator.app, &operator.caller, Act::ReadLane, &turn.lane, "turn").await?;
    Ok(turn)
}

async fn page(
    operator: &Operator,
    stored: &StoredTurn,
    replay: Option<Replay>,
    changed: Option<Changed>,
) -> Result<Response, Problem> {
    let turn = view(operator, stored).await?;
    let id = &stored.log.turn;
    let twin = match (&replay, &changed) {
        (None, None) => Equivalents::new(format!("throughline why {id}"), format!("GET /v1/turns/{id}/why")),
        _ => Equivalents::new(format!("throughline replay {id}"), "POST /v1/replay"),
    };
    operator.page(Section::Lanes, "console/turn.html", twin, &Page { turn, replay, changed }).await
}

/// Returns the values of a turn.
pub(super) async fn view(operator: &Operator, stored: &StoredTurn) -> Result<TurnView, Problem> {
    let (runtime, store) = (operator.app.runtime(), operator.app.store());
    let key = &stored.lane;
    let lane = store.lane(operator.tenant(), &key.id()).await?.ok_or_else(|| Problem::not_found("lane"))?;
    let chain = turn_chain::so_far(runtime, operator.tenant(), &stored.log.turn).await?;
    let chain = chain.ok_or_else(|| Problem::not_found("turn"))?;
    let turn = &chain.own;
    let planned = views::planned(runtime, key, turn).await?;
    let shown = planned.iter().filter_map(|effect| effect.shows()).map(|(message, _)| message);
    let views =
        views::messages(runtime, &runtime.lane(key).await?, turn.row.messages.iter().cloned().chain(shown))
            .await?;
    let previous = store.turns_before(key, stored.revision, 1).await?.pop();
    let next = store.turns(key, stored.revision, 1).await?.pop();
    let id = |stored: &StoredTurn| stored.log.turn.0.clone();
    Ok(TurnView {
        info: wire::TurnInfo::new(turn),
        lane: wire::LaneInfo::from(&lane),
        why: views::why(turn, Language::En),
        ladder: ladder(&turn.row.decision, &turn.row.trace),
        rule: turn.row.trace.rule.as_ref().map(ToString::to_string),
        intent: turn.row.decision.intent.map(throughline_engine::data::intent::Intent::as_str),
        applied: turn.content.as_ref().and_then(|content| content.applied.as_ref()).map(wire::Applied::from),
        focus: match &turn.row.trace.focus {
            Some(focus) => Some(self::focus(operator, &lane, focus).await?),
            None => None,
        },
        interrupt: turn.row.trace.interrupt().map(|kind| kind.as_str().replace('_', " ")),
        selection: turn.row.trace.selection.as_deref().map(wire::Selection::from),
        input: turn.content.as_ref().map(|_| input(turn)),
        settles: settles(operator, turn).await?,
        said: said(turn, &planned, &views),
        effects: planned.iter().map(|planned| effect::planned(planned, &views)).collect(),
        settled_by: chain.settled.iter().map(settled_by).collect(),
        record: record(stored, turn, previous.as_ref()),
        timeline: timeline(&chain),
        timing: timing(turn, planned.iter().find_map(views::PlannedEffect::stored_at)),
        previous: previous.as_ref().map(id),
        next: next.as_ref().map(id),
    })
}

/// Returns the messages of a turn without its input, the cards it changed, and its notices.
fn said(turn: &Turn, planned: &[views::PlannedEffect], views: &[MessageView]) -> Vec<TurnMessage> {
    let view = |id: &MessageId| views.iter().find(|view| view.id == *id).cloned().map(wire::Message::from);
    let messages = turn.row.messages.iter().filter_map(view).filter(|message| message.role != "user");
    let beside = planned.iter().filter_map(|effect| {
        if let Some((to, text)) = effect.notice() {
            return Some(TurnMessage::ours(format!("to @{to} privately"), text, None));
        }
        let (message, _) = effect.card().filter(|_| !effect.posts_card())?;
        Some(TurnMessage::ours("card, changed".into(), String::new(), view(&message)?.card))
    });
    messages.map(TurnMessage::from).chain(beside).collect()
}

impl TurnMessage {
    fn ours(kind: String, text: String, card: Option<wire::Card>) -> Self {
        Self { role: "assistant", by: String::new(), kind, text, card }
    }
}

impl From<wire::Message> for TurnMessage {
    fn from(message: wire::Message) -> Self {
        let role = if message.role == "user" { "user" } else { "assistant" };
        let (by, kind) = (message.by.unwrap_or_default(), message.kind.unwrap_or_default());
        // A card contains this text itself.
        let text = if message.card.is_some() { String::new() } else { message.text };
        Self { role, by, kind, text, card: message.card }
    }
}

fn settled_by((effect, turn): &(EffectId, Turn)) -> wire::SettledBy {
    wire::SettledBy {
        effect: effect.0.clone(),
        turn: turn.row.turn.0.clone(),
        reason: turn.row.decision.reason.code().into(),
    }
}

async fn focus(operator: &Operator, lane: &LaneInfo, focus: &FocusTrace) -> Result<Focus, Problem> {
    let anchors: Vec<_> = focus.anchor.iter().cloned().collect();
    let anchor = messages(operator.app.runtime(), lane, &anchors).await?.pop();
    Ok(Focus {
        source: focus.source.as_str(),
        anchor: focus.anchor.as_ref().map(|anchor| anchor.0.clone()),
        text: anchor.map(|message| match message.card {
            Some(card) => card.title,
            None => message.text,
        }),
        task: focus.task.as_ref().map(|task| task.0.clone()),
        reference: match focus.reference.need {
            Need::None => "no word refers to anything",
            Need::Bound => "what its words refer to stands in the text itself",
            Need::NeedsAnchor => "cannot be understood without the anchor",
        },
        words: focus.reference.words.clone(),
        thread: focus.thread.clone(),
    })
}

async fn settles(operator: &Operator, turn: &Turn) -> Result<Option<EffectRow>, Problem> {
    let Some(EventKind::EffectSettled { effect: id, .. } | EventKind::EffectProgressed { effect: id, .. }) =
        turn.content.as_ref().map(|content| &content.event.kind)
    else {
        return Ok(None);
    };
    Ok(operator.app.store().effect(operator.tenant(), id).await?.as_ref().map(effect::row))
}

/// Describes the event of a turn.
fn input(turn: &Turn) -> Input {
    let mut input = Input {
        text: None,
        facts: Vec::new(),
        card: None,
        changeable: false,
        raw: String::new(),
        given: String::new(),
    };
    let Some(content) = &turn.content else { return input };
    let pretty = |value: serde_json::Result<String>| value.unwrap_or_default();
    input.raw = pretty(serde_json::to_string_pretty(&content.event));
    input.given = pretty(serde_json::to_string_pretty(&content.given));
    match &content.event.kind {
        EventKind::MessagePosted(posted) => {
            input.text = Some(posted.text.clone());
            input.changeable = true;
            input.facts.extend(posted.reply_to.clone().map(|to| ("Replies to", to)));
            input.facts.extend(posted.quote.clone().map(|quote| ("Quotes", quote)));
        }
        EventKind::MessageEdited { message, text, .. } => {
            input.text = Some(text.clone());
            input.changeable = true;
            input.facts.push(("Edits", message.clone()));
        }
        EventKind::MessageDeleted { message } => input.facts.push(("Deletes", message.clone())),
        EventKind::Command { text } => {
            input.text = Some(text.clone());
            input.changeable = true;
        }
        EventKind::CardPressed { press, .. } => pressed(&mut input, turn, press),
        EventKind::FormSubmitted { press, values } => {
            pressed(&mut input, turn, press);
            let lines = values.iter().map(|(name, value)| format!("{name}: {value}"));
            input.text = Some(lines.collect::<Vec<_>>().join("\n"));
        }
        EventKind::AssistantPosted(posted) => {
            input.text = Some(posted.text.clone());
            input.facts.extend(posted.expected.as_ref().map(|expected| ("Waits for", expected.to_string())));
            input.facts.extend(posted.asked_of.clone().map(|of| ("Asks", of)));
        }
        EventKind::TaskReported(report) => {
            input.facts.push(("Task", report.task.0.clone()));
            input.facts.push(("Stands at", report.status.as_str().into()));
            input.text = report.reason.clone().or_else(|| report.result.clone());
        }
        EventKind::IssueReported(report) => {
            input.facts.push(("Issue", report.key.clone()));
            input.text = Some(match &report.now {
                IssueNow::There { issue } => issue.title.clone(),
                IssueNow::Moved { to } => format!("Moved to {to}"),
                IssueNow::Gone => "Deleted".into(),
            });
        }
        EventKind::ApprovalRequested(act) => {
            input.facts.push(("Request", act.request_id.clone()));
            input.facts.push(("Acts on", act.target.clone()));
            input.text = Some(act.title.clone());
        }
        EventKind::OptionsShown(shown) => {
            input.facts.push(("List", format!("{} · {}", shown.scope.as_str(), shown.scope_instance)));
            let labels: Vec<&str> = shown.options.iter().map(|option| option.label.as_str()).collect();
            input.text = Some(labels.join("\n"));
        }
        EventKind::OptionsClosed { set, scope_instance } => {
            let closed = set.as_ref().map(|set| set.0.clone()).or_else(|| scope_instance.clone());
            input.facts.extend(closed.map(|closed| ("Closed", closed)));
        }
        EventKind::FactStated(fact) => {
            input.facts.push(("States", format!("{} · {}", fact.kind, fact.scope)));
            input.text = Some(fact.text.clone());
        }
        EventKind::FactTakenBack { key, fact } => {
            input.facts.push(("Takes back", format!("{fact} · {} {}", key.scope, key.scope_id)));
        }
        EventKind::FocusChanged(focus) => {
            input.facts.push(("Looks at", format!("{} · {}", focus.scope.as_str(), focus.scope_instance)));
            input.facts.extend(focus.option.clone().map(|option| ("Option", option)));
        }
        EventKind::IntakeNotice(notice) => {
            input.text = Some(notice.text(Language::En, turn.row.at));
        }
        EventKind::Erasure(ErasureScope::Person { id }) => input.facts.push(("Erases", id.clone())),
        EventKind::Erasure(ErasureScope::Lane) => input.facts.push(("Erases", "this conversation".into())),
        EventKind::EffectSettled { card, .. } => input.card = card.as_ref().map(|card| card.0.clone()),
        EventKind::EffectProgressed { text, .. } => input.text = Some(text.clone()),
        EventKind::TimerDue { timer, .. } => input.facts.push(("Deadline", timer.0.clone())),
        EventKind::Unknown { name } => input.facts.push(("Kind", name.clone())),
    }
    input
}

/// Describes an act that is not a message, in words.
pub(super) fn act(turn: &Turn) -> Option<String> {
    let content = turn.content.as_ref()?;
    match &content.event.kind {
        EventKind::CardPressed { press: Press::Option { option, .. }, .. } => {
            Some(format!("pressed the option {option} where it is shown"))
        }
        EventKind::CardPressed { press, .. } => Some(match button(turn, press) {
            Some((_, version, action)) => {
                format!("pressed {} on version {version}", action.label(Language::En))
            }
            None => "pressed a button that is not known here".into(),
        }),
        EventKind::FormSubmitted { press, .. } => Some(match button(turn, press) {
            Some((_, version, action)) => {
                format!("sent the form of {} on version {version}", action.label(Language::En))
            }
            None => "sent a form that is not known here".into(),
        }),
        EventKind::Command { text } => Some(format!("gave the command {text}")),
        _ => None,
    }
}

/// Returns the card, version and action of a press; `None` if the button was unknown.
fn button<'t>(turn: &'t Turn, press: &'t Press) -> Option<(&'t CardId, u32, Action)> {
    match press {
        Press::Decision { card, version, action, .. } => Some((card, *version, *action)),
        Press::Option { .. } => None,
        Press::Token(_) => {
            let target = turn.content.as_ref()?.given.press.as_ref()?;
            Some((&target.card, target.version, target.action))
        }
    }
}

fn pressed(input: &mut Input, turn: &Turn, press: &Press) {
    if let Press::Option { set, version, option } = press {
        return input.facts.extend([
            ("Option", option.clone()),
            ("List", set.0.clone()),
            ("Of version", version.to_string()),
        ]);
    }
    let Some((card, version, action)) = button(turn, press) else {
        return input.facts.push(("Button", "not known here".into()));
    };
    input.facts.push(("Button", action.label(Language::En)));
    input.facts.push(("Of version", version.to_string()));
    input.card = Some(card.0.clone());
}

fn record(stored: &StoredTurn, turn: &Turn, previous: Option<&StoredTurn>) -> Record {
    let (log, row) = (&stored.log, &turn.row);
    let follows = match previous {
        Some(previous) => previous.log.hash == log.prev_hash,
        None => log.prev_hash == GENESIS,
    };
    Record {
        key: row.key.clone(),
        policy: row.policy.clone(),
        engine: row.engine.clone(),
        snapshot: row.snapshot,
        before: row.before.clone(),
        after: row.after.clone(),
        content: row.content.clone(),
        prev_hash: log.prev_hash.clone(),
        hash: log.hash.clone(),
        chained: follows && chain(&log.prev_hash, &log.row) == log.hash,
        intact: turn.content.as_ref().map(|_| content_hash(&log.salt, &log.content) == row.content),
    }
}

fn timing(turn: &Turn, committed: Option<String>) -> Timing {
    let received = turn.content.as_ref().map(|content| content.event.received_at);
    Timing {
        received: received.map(|at| at.rfc3339()),
        decided: turn.row.at.rfc3339(),
        waited: received.map(|at| length(turn.row.at.since(at))),
        committed,
    }
}

/// Problem: the event has no text that could be replaced.
pub(super) fn not_changeable(turn: &Turn) -> Problem {
    let text = format!("a turn on {} has no text to change; replay it as it was", turn.row.event);
    Problem::new(&codes::BAD_REQUEST, text)
}
