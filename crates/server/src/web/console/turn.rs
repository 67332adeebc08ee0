//! One turn: what came in, the ladder, what came of it, and the record it left. Reads the turn and its two neighbours,
//! its effects with the turns on their outcomes, and the messages it put into the lane.

use axum::response::Response;
use serde::Serialize;
use throughline_engine::event::{EventKind, Press};
use throughline_engine::focus::{Need, Thread};
use throughline_engine::trace::FocusTrace;
use throughline_engine::workflow::Action;
use throughline_engine::{CardId, EffectId, MessageId, TurnId};
use throughline_runtime::MessageView;
use throughline_runtime::record::{GENESIS, Turn, chain, content_hash};
use throughline_store::{LaneInfo, StoredTurn};

use super::desk::{Desk, Section, Twin};
use super::effect::{self, EffectRow};
use super::form::Sent;
use super::ladder::{Step, ladder};
use super::replaying::{self, Changed, Replay};
use super::words::length;
use crate::codes;
use crate::follow;
use crate::problem::Problem;
use crate::request::Named;
use crate::routes::lanes::{messages, read};
use crate::routes::pause::operates;
use crate::telling;
use crate::wire;

/// A turn as it is shown.
#[derive(Serialize)]
pub(super) struct TurnView {
    info: wire::TurnInfo,
    lane: wire::LaneInfo,
    why: wire::Why,
    ladder: Vec<Step>,
    rule: Option<String>,
    intent: Option<&'static str>,
    applied: Option<wire::Applied>,
    focus: Option<Focus>,
    /// What the whole message said, where it interrupted: "start over".
    interrupt: Option<String>,
    /// What it looked at and did among options.
    selection: Option<wire::Selection>,
    input: Option<Input>,
    /// The effect whose outcome it took in.
    settles: Option<EffectRow>,
    said: Vec<Said>,
    effects: Vec<EffectRow>,
    settled_by: Vec<wire::SettledBy>,
    record: Record,
    timing: Timing,
    previous: Option<String>,
    next: Option<String>,
}

/// What a message referred to.
#[derive(Serialize)]
struct Focus {
    source: &'static str,
    anchor: Option<String>,
    text: Option<String>,
    task: Option<String>,
    /// Whether the text needs it, in words.
    reference: &'static str,
    /// The words that say so.
    words: String,
    /// Which message it answers, or that it starts something new.
    thread: Option<Thread>,
}

/// What was said in the turn, as it was shown then.
#[derive(Serialize)]
struct Said {
    role: &'static str,
    by: String,
    /// `card`, `notice to @bob`, …
    kind: String,
    text: String,
    card: Option<wire::Card>,
}

/// What came in.
#[derive(Serialize)]
struct Input {
    text: Option<String>,
    /// What else it says, by name.
    facts: Vec<(&'static str, String)>,
    card: Option<String>,
    /// Another text can be put in its place.
    changeable: bool,
    /// All of it.
    raw: String,
    given: String,
}

/// The row it left, and whether it fits.
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
    /// It hashes to what it says, and follows the row before.
    chained: bool,
    /// What was said hashes to what the row holds; `None` when it was erased.
    intact: Option<bool>,
}

#[derive(Serialize)]
struct Timing {
    received: Option<String>,
    decided: String,
    /// From the one to the other.
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
pub(super) async fn show(desk: Desk, Named(id): Named) -> Result<Response, Problem> {
    desk.enter(Section::Lanes)?;
    let stored = find(&desk, &id).await?;
    page(&desk, &stored, None, None).await
}

/// `POST /console/turns/{turn}/replay`: decides again, dry. Nothing is written and nothing is sent, so the answer is
/// the page itself.
pub(super) async fn replay(Named(id): Named, sent: Sent) -> Result<Response, Problem> {
    let desk = &sent.desk;
    desk.enter(Section::Lanes)?;
    operates(&desk.app, &desk.caller)?;
    let stored = find(desk, &id).await?;
    let turn = read(&stored)?;
    match sent.field("text") {
        None => {
            let replay = replaying::same(desk.app.runtime(), &stored, &turn).await?;
            page(desk, &stored, Some(replay), None).await
        }
        Some(text) => {
            let changed = replaying::changed(desk.app.runtime(), &stored, &turn, &text).await?;
            page(desk, &stored, None, Some(changed)).await
        }
    }
}

pub(super) async fn find(desk: &Desk, id: &str) -> Result<StoredTurn, Problem> {
    let found = desk.app.store().turn(desk.tenant(), &TurnId::from(id)).await?;
    found.filter(|turn| desk.caller.sees(&turn.lane)).ok_or_else(|| Problem::not_found("turn"))
}

async fn page(
    desk: &Desk,
    stored: &StoredTurn,
    replay: Option<Replay>,
    changed: Option<Changed>,
) -> Result<Response, Problem> {
    let turn = view(desk, stored).await?;
    let id = &stored.log.turn;
    let twin = match (&replay, &changed) {
        (None, None) => Twin::new(format!("throughline why {id}"), format!("GET /v1/turns/{id}/why")),
        _ => Twin::new(format!("throughline replay {id}"), "POST /v1/replay"),
    };
    desk.page(Section::Lanes, "console/turn.html", twin, &Page { turn, replay, changed }).await
}

/// Everything that is shown of a turn.
pub(super) async fn view(desk: &Desk, stored: &StoredTurn) -> Result<TurnView, Problem> {
    let (runtime, store) = (desk.app.runtime(), desk.app.store());
    let key = &stored.lane;
    let lane = store.lane(desk.tenant(), &key.id()).await?.ok_or_else(|| Problem::not_found("lane"))?;
    let chain = follow::so_far(runtime, desk.tenant(), &stored.log.turn).await?;
    let chain = chain.ok_or_else(|| Problem::not_found("turn"))?;
    let turn = &chain.own;
    let planned = telling::planned(runtime, key, turn).await?;
    let shown = planned.iter().filter_map(|effect| effect.shows()).map(|(message, _)| message);
    let views = telling::messages(runtime, key, turn.row.messages.iter().cloned().chain(shown)).await?;
    let previous = store.turns_before(key, stored.revision, 1).await?.pop();
    let next = store.turns(key, stored.revision, 1).await?.pop();
    let id = |stored: &StoredTurn| stored.log.turn.0.clone();
    Ok(TurnView {
        info: wire::TurnInfo::new(turn),
        lane: wire::LaneInfo::from(&lane),
        why: telling::why(turn),
        ladder: ladder(&turn.row.decision, &turn.row.trace),
        rule: turn.row.trace.rule.as_ref().map(ToString::to_string),
        intent: turn.row.decision.intent.map(throughline_engine::intent::Intent::word),
        applied: turn.content.as_ref().and_then(|content| content.applied.as_ref()).map(wire::Applied::from),
        focus: match &turn.row.trace.focus {
            Some(focus) => Some(self::focus(desk, &lane, focus).await?),
            None => None,
        },
        interrupt: turn.row.trace.interrupt().map(|kind| kind.word().replace('_', " ")),
        selection: turn.row.trace.selection.as_deref().map(wire::Selection::from),
        input: turn.content.as_ref().map(|_| input(turn)),
        settles: settles(desk, turn).await?,
        said: said(turn, &planned, &views),
        effects: planned.iter().map(|planned| effect::planned(runtime, planned, &views)).collect(),
        settled_by: chain.settled.iter().map(settled_by).collect(),
        record: record(stored, turn, previous.as_ref()),
        timing: timing(turn, planned.iter().find_map(telling::Planned::stored_at)),
        previous: previous.as_ref().map(id),
        next: next.as_ref().map(id),
    })
}

/// What was said in a turn: its messages without what came in, cards that changed, and what was told to one person.
fn said(turn: &Turn, planned: &[telling::Planned], views: &[MessageView]) -> Vec<Said> {
    let view = |id: &MessageId| views.iter().find(|view| view.id == *id).cloned().map(wire::Message::from);
    let messages = turn.row.messages.iter().filter_map(view).filter(|message| message.role != "user");
    let beside = planned.iter().filter_map(|effect| {
        if let Some((to, text)) = effect.notice() {
            return Some(Said::ours(format!("to @{to} privately"), text, None));
        }
        let (message, _) = effect.card().filter(|_| !effect.posts_card())?;
        Some(Said::ours("card, changed".into(), String::new(), view(&message)?.card))
    });
    messages.map(Said::from).chain(beside).collect()
}

impl Said {
    fn ours(kind: String, text: String, card: Option<wire::Card>) -> Self {
        Self { role: "assistant", by: String::new(), kind, text, card }
    }
}

impl From<wire::Message> for Said {
    fn from(message: wire::Message) -> Self {
        let role = if message.role == "user" { "user" } else { "assistant" };
        let (by, kind) = (message.by.unwrap_or_default(), message.kind.unwrap_or_default());
        // A card says it itself.
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

async fn focus(desk: &Desk, lane: &LaneInfo, focus: &FocusTrace) -> Result<Focus, Problem> {
    let anchors: Vec<_> = focus.anchor.iter().cloned().collect();
    let anchor = messages(desk.app.runtime(), lane, &anchors).await?.pop();
    Ok(Focus {
        source: focus.source.word(),
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

async fn settles(desk: &Desk, turn: &Turn) -> Result<Option<EffectRow>, Problem> {
    let Some(EventKind::EffectSettled { effect: id, .. } | EventKind::EffectProgressed { effect: id, .. }) =
        turn.content.as_ref().map(|content| &content.event.kind)
    else {
        return Ok(None);
    };
    Ok(desk.app.store().effect(desk.tenant(), id).await?.as_ref().map(effect::row))
}

/// The event in words, and whole.
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
            input.facts.push(("Stands at", report.status.word().into()));
            input.text = report.reason.clone().or_else(|| report.result.clone());
        }
        EventKind::OptionsShown(shown) => {
            input.facts.push(("List", format!("{} · {}", shown.scope.word(), shown.scope_instance)));
            let labels: Vec<&str> = shown.options.iter().map(|option| option.label.as_str()).collect();
            input.text = Some(labels.join("\n"));
        }
        EventKind::OptionsClosed { set, scope_instance } => {
            let closed = set.as_ref().map(|set| set.0.clone()).or_else(|| scope_instance.clone());
            input.facts.extend(closed.map(|closed| ("Closed", closed)));
        }
        EventKind::FocusChanged(focus) => {
            input.facts.push(("Looks at", format!("{} · {}", focus.scope.word(), focus.scope_instance)));
            input.facts.extend(focus.option.clone().map(|option| ("Option", option)));
        }
        EventKind::IntakeNotice { message, .. } => input.text = Some(message.clone()),
        EventKind::EffectSettled { card, .. } => input.card = card.as_ref().map(|card| card.0.clone()),
        EventKind::EffectProgressed { text, .. } => input.text = Some(text.clone()),
        EventKind::TimerDue { timer, .. } => input.facts.push(("Deadline", timer.0.clone())),
        EventKind::Unknown { name } => input.facts.push(("Kind", name.clone())),
    }
    input
}

/// What a person did that is no message, in words.
pub(super) fn act(turn: &Turn) -> Option<String> {
    let content = turn.content.as_ref()?;
    match &content.event.kind {
        EventKind::CardPressed { press: Press::Option { option, .. }, .. } => {
            Some(format!("pressed the option {option} where it is shown"))
        }
        EventKind::CardPressed { press, .. } => Some(match button(turn, press) {
            Some((_, version, action)) => format!("pressed {} on version {version}", action.label()),
            None => "pressed a button that is not known here".into(),
        }),
        EventKind::FormSubmitted { press, .. } => Some(match button(turn, press) {
            Some((_, version, action)) => format!("sent the form of {} on version {version}", action.label()),
            None => "sent a form that is not known here".into(),
        }),
        EventKind::Command { text } => Some(format!("gave the command {text}")),
        _ => None,
    }
}

/// The card, version and action of a press; `None`: nobody knew the button.
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
    input.facts.push(("Button", action.label().into()));
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

/// Another text can only be put in the place of one.
pub(super) fn not_changeable(turn: &Turn) -> Problem {
    let text = format!("a turn on {} has no text to change; replay it as it was", turn.row.event);
    Problem::new(&codes::BAD_REQUEST, text)
}
