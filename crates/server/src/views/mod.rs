//! Views of turns, effects, approvals and lanes: read from the store, in the shapes of the wire. The routes and the
//! command line share them.

pub(crate) mod approvals;
pub mod context;
mod effect_states;
mod in_words;
pub(crate) mod options;

pub use approvals::approval;
pub use effect_states::{effect_state, effect_state_name};

use std::ops::Deref;

use serde_json::{Map, Value};
use throughline_channels::direction::steady;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::effect::{EffectBody, EffectClass};
use throughline_engine::data::intent::Remembered;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Role;
use throughline_engine::data::record::Record;
use throughline_engine::{EffectId, LaneKey, Language, MessageId, Timestamp};
use throughline_runtime::replay::{Comparison, Replayed};
use throughline_runtime::turn_log::{LeftOpen, Shown, Turn};
use throughline_runtime::{MessageView, Runtime, RuntimeError};
use throughline_store::{EffectState, LaneInfo, Performer, StoredEffect};

use crate::turn_chain::TurnChain;
use crate::wire;

/// Returns the answer to a delivered event: the decision of one turn of the chain, and the results of all its turns.
pub(crate) async fn answer(
    runtime: &Runtime,
    chain: &TurnChain,
    deciding: &Turn,
) -> Result<wire::TurnAnswer, RuntimeError> {
    let decision = &deciding.row.decision;
    let mut planned = Vec::new();
    for turn in chain.turns() {
        planned.extend(offered(runtime, self::planned(runtime, &chain.lane, turn).await?).await?);
    }
    let lane = runtime.lane(&chain.lane).await?;
    let left = left_open(&lane, chain.newest());
    let said = chain.turns().flat_map(|turn| turn.row.messages.clone());
    let views =
        messages(runtime, &lane, said.chain(planned.iter().filter_map(|effect| effect.message()))).await?;
    let effects = planned.iter().map(|effect| effect.to_wire(runtime, &views)).collect();
    let applied = chain.turns().filter_map(|turn| turn.content.as_ref()?.applied.as_ref()).next();
    let model_calls = planned.iter().map(|effect| effect.model_calls()).sum();
    let info = wire::TurnInfo::new(deciding);
    Ok(wire::TurnAnswer {
        turn: info.turn,
        lane: chain.lane.id().0,
        decision: info.decision,
        reason: info.reason,
        rung: info.rung,
        intent: decision.intent.map(|intent| intent.as_str().into()),
        applied: applied.map(wire::Applied::from),
        pending: left.pending.as_ref().map(wire::Pending::from),
        selected: chain.turns().find_map(|turn| turn.row.trace.selection.as_ref()?.selected.clone()),
        selection: options::selection(chain, deciding),
        options: options::active_set(&lane, &chain.own, &left),
        focus: focus(chain, deciding),
        interrupt: info.interrupt,
        messages: views.into_iter().filter(is_assistant).map(wire::Message::from).collect(),
        effects,
        also: deciding.row.trace.also.iter().map(|reason| reason.code().into()).collect(),
        model_calls,
        settled: settled(chain),
    })
}

fn focus(chain: &TurnChain, deciding: &Turn) -> Option<wire::Focus> {
    let of_own = chain.own.row.trace.focus.as_ref();
    deciding.row.trace.focus.as_ref().or(of_own).map(wire::Focus::from)
}

fn settled(chain: &TurnChain) -> Vec<wire::SettledBy> {
    let by = |(effect, turn): &(EffectId, Turn)| wire::SettledBy {
        effect: effect.0.clone(),
        turn: turn.row.turn.0.clone(),
        reason: turn.row.decision.reason.code().into(),
    };
    chain.settled.iter().map(by).collect()
}

/// Returns what waited after a turn. Turns of versions before 0.2 do not say it: it is known as long as none followed.
fn left_open(lane: &Lane, turn: &Turn) -> LeftOpen {
    let stored = turn.content.as_ref().and_then(|content| content.left.clone());
    let now = || (lane.revision == turn.row.revision).then(|| LeftOpen::of(lane, turn.row.at));
    stored.or_else(now).unwrap_or_default()
}

/// Effect of a turn.
pub(crate) enum PlannedEffect {
    /// Effect that somebody performs.
    Performed(Box<StoredEffect>),
    /// Effect that the turn's commit delivered.
    Delivered(DeliveredEffect),
}

/// Effect that was delivered by the commit of its turn.
pub(crate) struct DeliveredEffect {
    id: String,
    class: String,
    lane: String,
    turn: String,
    at: Timestamp,
    what: Shown,
}

/// Returns the effects of a turn, in order. Those that the commit delivered are part of the turn's content and are
/// erased with it.
pub(crate) async fn planned(
    runtime: &Runtime,
    lane: &LaneKey,
    turn: &Turn,
) -> Result<Vec<PlannedEffect>, RuntimeError> {
    let mut found = Vec::new();
    for (n, (class, id)) in (0..).zip(&turn.row.effects) {
        let shown = turn.content.as_ref().and_then(|content| content.shown.get(&n));
        if let Some(what) = shown {
            found.push(PlannedEffect::Delivered(DeliveredEffect {
                id: id.clone(),
                class: class.clone(),
                lane: turn.row.lane.clone(),
                turn: turn.row.turn.0.clone(),
                at: turn.row.at,
                what: what.clone(),
            }));
            continue;
        }
        let stored = runtime.store().effect(&lane.tenant, &EffectId::from(id.as_str())).await?;
        found.extend(stored.map(|effect| PlannedEffect::Performed(Box::new(effect))));
    }
    Ok(found)
}

/// Effect as others may have it: one that a host performs is complete, and is the one that was approved.
pub(crate) struct OfferedEffect(PlannedEffect);

impl Deref for OfferedEffect {
    type Target = PlannedEffect;

    fn deref(&self) -> &PlannedEffect {
        &self.0
    }
}

/// Returns the effects as others may have them, without those that are not what was approved.
pub(crate) async fn offered(
    runtime: &Runtime,
    planned: Vec<PlannedEffect>,
) -> Result<Vec<OfferedEffect>, RuntimeError> {
    let mut offered = Vec::new();
    for effect in planned {
        offered.extend(match effect {
            PlannedEffect::Performed(effect) if effect.row.performer == Performer::Host => {
                let complete = runtime.offered(*effect).await?;
                complete.map(|effect| OfferedEffect(PlannedEffect::Performed(Box::new(effect))))
            }
            other => Some(OfferedEffect(other)),
        });
    }
    Ok(offered)
}

impl OfferedEffect {
    /// Converts the effect. The text of a delivered message is taken from `messages`; a card is there in its current
    /// form.
    pub(crate) fn to_wire(&self, runtime: &Runtime, messages: &[MessageView]) -> wire::Effect {
        match &self.0 {
            PlannedEffect::Performed(effect) => converted(runtime, effect),
            PlannedEffect::Delivered(delivered) => delivered.to_wire(messages),
        }
    }
}

impl PlannedEffect {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Performed(effect) => effect.row.id.as_str(),
            Self::Delivered(delivered) => &delivered.id,
        }
    }

    pub(crate) fn class(&self) -> &str {
        match self {
            Self::Performed(effect) => effect.row.class.as_str(),
            Self::Delivered(delivered) => &delivered.class,
        }
    }

    /// Returns true if the host performs it.
    pub(crate) fn hosted(&self) -> bool {
        matches!(self, Self::Performed(effect) if effect.row.performer == Performer::Host)
    }

    /// Returns the message that shows it, and the card as it was shown if another party shows it.
    pub(crate) fn shows(&self) -> Option<(MessageId, Option<CardModel>)> {
        match self {
            Self::Performed(effect) => match effect_body(effect)? {
                EffectBody::CardPost { message, card } | EffectBody::CardUpdate { message, card } => {
                    Some((message, Some(card)))
                }
                EffectBody::Reply { message, .. } => Some((message, None)),
                _ => None,
            },
            Self::Delivered(DeliveredEffect { what: Shown::Message(message), .. }) => {
                Some((message.clone(), None))
            }
            Self::Delivered(_) => None,
        }
    }

    /// Returns recipient and text of a notice to one person.
    pub(crate) fn notice(&self) -> Option<(String, String)> {
        match self {
            Self::Performed(effect) => match effect_body(effect)? {
                EffectBody::Notice { to, text } => Some((to, text)),
                _ => None,
            },
            Self::Delivered(DeliveredEffect { what: Shown::Notice { to, text }, .. }) => {
                Some((to.clone(), text.clone()))
            }
            Self::Delivered(_) => None,
        }
    }

    /// Returns the time its row was stored, if it has a row.
    pub(crate) fn stored_at(&self) -> Option<String> {
        match self {
            Self::Performed(effect) => Some(effect.created_at.rfc3339()),
            Self::Delivered(_) => None,
        }
    }

    /// Returns true if it shows a new card.
    pub(crate) fn posts_card(&self) -> bool {
        self.class() == EffectClass::CardPost.as_str()
    }

    /// For a card, returns the message that shows it, and the card as it was shown if another party shows it.
    pub(crate) fn card(&self) -> Option<(MessageId, Option<CardModel>)> {
        let card = self.posts_card() || self.class() == EffectClass::CardUpdate.as_str();
        self.shows().filter(|_| card)
    }

    /// Returns the message a reader needs in addition to those of the turn.
    fn message(&self) -> Option<MessageId> {
        match self {
            Self::Performed(effect) if effect.row.class != EffectClass::CardUpdate => None,
            _ => self.shows().map(|(message, _)| message),
        }
    }

    fn model_calls(&self) -> u32 {
        match self {
            Self::Performed(effect) if effect.row.class == EffectClass::ModelAsk => effect.attempts,
            _ => 0,
        }
    }
}

impl DeliveredEffect {
    /// Converts the effect, with the text of its message.
    pub(crate) fn to_wire(&self, messages: &[MessageView]) -> wire::Effect {
        let mut body = Map::new();
        match &self.what {
            Shown::Message(id) => {
                body.insert("message".into(), id.0.clone().into());
                let view = messages.iter().find(|view| view.id == *id && view.card.is_none());
                body.extend(view.map(|view| ("text".to_owned(), steady(&view.text).into())));
            }
            Shown::Notice { to, text } => {
                body.insert("to".into(), to.clone().into());
                body.insert("text".into(), steady(text).into());
            }
        }
        wire::Effect {
            id: self.id.clone(),
            class: self.class.clone(),
            delivery: "commit".into(),
            state: effect_state_name(EffectState::Done).into(),
            lane: self.lane.clone(),
            turn: self.turn.clone(),
            attempts: 0,
            created_at: self.at.rfc3339(),
            approval: None,
            outcome: None,
            body,
        }
    }
}

/// Returns messages in their current form, each once, in order.
pub(crate) async fn messages(
    runtime: &Runtime,
    lane: &Lane,
    named: impl Iterator<Item = MessageId>,
) -> Result<Vec<MessageView>, RuntimeError> {
    let mut ids: Vec<MessageId> = Vec::new();
    for id in named {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() { Ok(Vec::new()) } else { runtime.messages_of(lane, &ids).await }
}

fn is_assistant(view: &MessageView) -> bool {
    view.role == Role::Assistant
}

/// Parses the payload of a stored effect.
pub(crate) fn effect_body(effect: &StoredEffect) -> Option<EffectBody> {
    serde_json::from_str(&effect.row.payload).ok()
}

/// Converts an effect. One that a host performs is complete; if it is not the one that was approved, its content is
/// withheld.
///
/// # Errors
/// The store did not answer.
pub async fn effect(runtime: &Runtime, effect: &StoredEffect) -> Result<wire::Effect, RuntimeError> {
    let told = converted(runtime, effect);
    if effect.row.performer != Performer::Host {
        return Ok(told);
    }
    let offered = runtime.offered(effect.clone()).await?;
    Ok(offered.map_or(wire::Effect { body: Map::new(), ..told }, |effect| converted(runtime, &effect)))
}

/// Converts effects, as [`effect`] does.
///
/// # Errors
/// The store did not answer.
pub async fn effects(runtime: &Runtime, rows: &[StoredEffect]) -> Result<Vec<wire::Effect>, RuntimeError> {
    let mut told = Vec::with_capacity(rows.len());
    for row in rows {
        told.push(effect(runtime, row).await?);
    }
    Ok(told)
}

/// Converts an effect as it is, with the tokens of its card filled in.
fn converted(runtime: &Runtime, effect: &StoredEffect) -> wire::Effect {
    let mut members: Map<String, Value> = serde_json::from_str(&effect.row.payload).unwrap_or_default();
    members.remove("class");
    // A reply and a notice are shown as they are; every other text is part of what was approved.
    if matches!(effect.row.class, EffectClass::Reply | EffectClass::Notice)
        && let Some(Value::String(text)) = members.get_mut("text")
    {
        *text = steady(text).into_owned();
    }
    if let Some(EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. }) = effect_body(effect)
    {
        let card = card_with_tokens(runtime, &effect.lane, card);
        members.insert("card".into(), serde_json::to_value(card).unwrap_or_default());
    }
    if let Some(EffectBody::TurnHandover(handover)) = effect_body(effect) {
        members.insert("context".into(), handover.prompt.text().into());
        members.remove("prompt");
        members.insert("deadline".into(), effect.created_at.plus(handover.budget_ms).rfc3339().into());
    }
    if let Some(EffectBody::HostAct(call)) = effect_body(effect)
        && let Some(act) = call.job.act()
    {
        members.insert("payload_sha256".into(), hex(&sha256(&[act.payload.as_bytes()])).into());
    }
    wire::Effect {
        id: effect.row.id.0.clone(),
        class: effect.row.class.as_str().into(),
        delivery: delivery(effect.row.performer).into(),
        state: effect_state_name(effect.state).into(),
        lane: effect.lane.id().0,
        turn: effect.turn.0.clone(),
        attempts: effect.attempts,
        created_at: effect.created_at.rfc3339(),
        approval: effect.row.approval.as_ref().map(|by| format!("{} v{}", by.card, by.version)),
        outcome: effect.outcome.as_deref().and_then(in_words::outcome),
        body: members,
    }
}

/// Converts a card as it was shown then, with its tokens filled in.
pub(crate) fn card_with_tokens(runtime: &Runtime, lane: &LaneKey, mut card: CardModel) -> wire::Card {
    runtime.keys().fill(&lane.tenant, &mut card);
    card.into()
}

fn delivery(performer: Performer) -> &'static str {
    match performer {
        Performer::Us => "us",
        Performer::Host => "host",
    }
}

/// Joins the texts of the notices to the person of a turn, in order.
pub(crate) fn notice_texts(effects: &[wire::Effect]) -> String {
    let notice_texts = effects.iter().filter(|effect| effect.class == "notice");
    let texts: Vec<&str> = notice_texts.filter_map(|effect| effect.body.get("text")?.as_str()).collect();
    texts.join(" ")
}

/// Returns a recorded turn of a chain.
pub(crate) async fn turn(
    runtime: &Runtime,
    chain: &TurnChain,
    of: &Turn,
    hashes: (String, String),
) -> Result<wire::Turn, RuntimeError> {
    let row = &of.row;
    let info = wire::TurnInfo::new(of);
    let input = of.content.as_ref().and_then(|content| {
        let mut event = serde_json::to_value(in_words::event(&content.event)).ok()?;
        event["received_at"] = content.event.received_at.rfc3339().into();
        Some(event)
    });
    let (prev_hash, hash) = hashes;
    Ok(wire::Turn {
        answer: answer(runtime, chain, of).await?,
        revision: info.revision,
        at: info.at,
        event: info.event,
        actor: info.actor,
        passed: wire::Passed::of(&row.trace, Language::En),
        rule: row.trace.rule.as_ref().map(ToString::to_string),
        candidates: row.trace.candidates.clone(),
        key: row.key.clone(),
        input,
        policy_version: row.policy.clone(),
        engine_version: row.engine.clone(),
        state_before: row.before.clone(),
        state_after: row.after.clone(),
        prev_hash,
        hash,
    })
}

/// Returns the explanation of a turn, in this language.
#[must_use]
pub fn why(turn: &Turn, language: Language) -> wire::Why {
    let row = &turn.row;
    let decision = &row.decision;
    let asks = row.effects.iter().filter(|(class, _)| class == EffectClass::ModelAsk.as_str());
    wire::Why {
        turn: row.turn.0.clone(),
        reason: decision.reason.code().into(),
        says: decision.reason.says(language),
        rung: decision.rung.number(),
        name: decision.rung.title(language),
        passed: wire::Passed::of(&row.trace, language),
        also: row.trace.also.iter().map(|reason| reason.code().into()).collect(),
        candidates: row.trace.candidates.clone(),
        model_asks: asks.map(|(_, id)| id.clone()).collect(),
        policy_version: row.policy.clone(),
        text: turn.summary().explain_under(&row.policy, language),
    }
}

/// Returns a lane with the messages of its window.
///
/// # Errors
/// The store did not answer, or holds something this version cannot read.
pub async fn lane(runtime: &Runtime, info: &LaneInfo) -> Result<wire::Lane, RuntimeError> {
    let view = runtime.lane_view(&info.key).await?;
    let head = &view.lane.head;
    let now = runtime.store().now();
    let alive = |mode: &&Remembered| mode.is_alive(head.last_message_at, now, runtime.policy());
    Ok(wire::Lane {
        info: wire::LaneInfo::from(info),
        pending: head.pendings.iter().map(wire::Pending::from).collect(),
        remembered: head.remembered.as_ref().filter(alive).map(|mode| mode.intent.as_str().into()),
        asking: head.ask.is_some(),
        tasks: tasks(&view.lane),
        option_sets: options::option_sets(&view.lane),
        views: options::views(&view.lane),
        messages: view.messages.into_iter().map(wire::Message::from).collect(),
    })
}

/// Returns the tasks a lane has loaded: open ones, those its messages name, and the newest finished ones.
#[must_use]
pub fn tasks(lane: &Lane) -> Vec<wire::Task> {
    let tasks = lane.records.iter().filter_map(|record| match record {
        Record::Task(task) => Some(task),
        _ => None,
    });
    let mut tasks: Vec<_> = tasks.collect();
    tasks.sort_by_key(|task| (task.created_at, task.seq));
    tasks.into_iter().map(wire::Task::from).collect()
}

/// Returns the difference between a turn and its replay; `None` if there is none.
#[must_use]
pub fn replay_difference(replayed: &Replayed) -> Option<wire::ReplayedTurn> {
    let (differs, detail) = match &replayed.verdict {
        Comparison::Same => return None,
        Comparison::ContentErased => ("content_erased", None),
        Comparison::Unknown(why) => ("unknown", Some((*why).to_owned())),
        Comparison::Tampered => ("tampered", None),
        Comparison::OtherDecision(now) => ("decision", Some(format!("{} → {now}", replayed.reason))),
        Comparison::OtherState { recorded, now } => ("state", Some(format!("{recorded} → {now}"))),
    };
    Some(wire::ReplayedTurn {
        turn: replayed.turn.clone(),
        revision: replayed.revision,
        reason: replayed.reason.code().into(),
        differs: differs.into(),
        detail,
    })
}
