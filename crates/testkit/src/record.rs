//! Makes a scenario from recorded turns, for `throughline record LANE`.
//!
//! Acts of people, hosts and time become turns, the engine's decisions become their expectations, and answers of the
//! outside become the tracker's faults and the model's script. Settled effects and timers are not turns: the world a
//! scenario runs in produces them again.
//!
//! What people, hosts and time did becomes turns; what the engine did about it becomes their expectations; what the far
//! sides answered becomes the tracker's faults and the model's script. Settled effects and timers are not turns: the world
//! a scenario runs in brings them about again.

mod option;

use std::collections::{BTreeMap, BTreeSet};

use throughline_engine::data::action::Action;
use throughline_engine::data::ask::Answer;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::effect::{EffectClass, EffectResult, Outcome};
use throughline_engine::data::event::{Event, EventKind, Press};
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::id;
use throughline_engine::data::rung::Rung;
use throughline_engine::data::step_input::StepInput as StepGiven;
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{CardId, LaneKey, MessageId, Policy, Reason, Timestamp, Verdict};

use crate::compare::value_text;
use crate::driver::Checker;
use crate::emit;
use crate::model::{
    Act, Expectation, Fault, Given, GivenWorker, HostPost, MAIN, MessageAct, Pause, PressAct,
    RequestApproval, Scenario, ScriptedAnswer, ScriptedReply, StateFact, TaskReportAct, Turn, When,
};
use crate::seed;

/// One turn of a lane's log.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The lane's revision after it.
    pub revision: u64,
    /// The event.
    pub event: Event,
    /// The input of the step beside the event.
    pub given: StepGiven,
    /// The decision and its reasons.
    pub summary: TurnSummary,
    /// The messages it added to the lane.
    pub messages: Vec<MessageId>,
}

/// A lane's log.
#[derive(Clone, Debug)]
pub struct RecordedLane {
    /// The lane's key.
    pub lane: LaneKey,
    /// Its turns, in order.
    pub turns: Vec<Recorded>,
    /// The policy of the installation; differences from the defaults go into the scenario.
    pub policy: Policy,
}

/// Shorter gaps between turns are not written as `advance`, in milliseconds.
const PAUSE: i64 = Timestamp::SECOND;

/// Makes a scenario that replays a recorded lane. [`write`](crate::write) makes a file of it.
#[must_use]
pub fn record(name: &str, recorded: &RecordedLane) -> Scenario {
    let mut scenario = Scenario {
        name: name.into(),
        rows: Vec::new(),
        about: format!("Recorded from {}.", recorded.lane),
        file: String::new(),
        given: given(recorded),
        script: script(recorded),
        turns: Vec::new(),
        always: Checker::ALL.to_vec(),
    };
    scenario.given.model = !scenario.script.is_empty();
    let mut names: BTreeSet<usize> = BTreeSet::new();
    let mut turn_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut clock = scenario.given.clock;
    let mut paused = None;
    for (n, one) in recorded.turns.iter().enumerate() {
        let Some(act) = act(recorded, n, &mut names) else { continue };
        if one.given.press.is_some() && one.given.paused != paused {
            // The switch is looked up for every press, and only there is it sure to be known.
            paused.clone_from(&one.given.paused);
            let switch = paused.as_ref().map(|by| Pause { by: by.by.clone(), everything: by.everything });
            scenario.turns.push(Turn { line: 0, act: Act::Effects(switch), name: None, expect: None });
        }
        let gap = one.event.received_at.since(clock);
        if gap >= PAUSE {
            scenario.turns.push(Turn { line: 0, act: Act::Advance(gap), name: None, expect: None });
            clock = one.event.received_at;
        }
        turn_of.insert(n, scenario.turns.len());
        scenario.turns.push(Turn { line: 0, act, name: None, expect: Some(expectations(recorded, n)) });
    }
    for n in names {
        if let Some(turn) = turn_of.get(&n) {
            scenario.turns[*turn].name = Some(name_of(n));
        }
    }
    scenario
}

fn name_of(n: usize) -> String {
    format!("turn{}", n + 1)
}

/// Formats a UTC offset as a time zone: a recording has the offset only.
fn offset(seconds: i32) -> String {
    let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn given(recorded: &RecordedLane) -> Given {
    let mut given = Given { channel: recorded.lane.channel.clone(), ..Given::default() };
    if !["slack", "telegram", "web"].contains(&given.channel.as_str()) {
        given.channel = "web".into();
    }
    if let Some(first) = recorded.turns.first() {
        given.clock = first.event.received_at;
    }
    for one in recorded.turns.iter().filter(|one| !one.event.actor.is_empty()) {
        let user = given.users.entry(one.event.actor.clone()).or_default();
        user.bot |= one.given.addressing.bot;
        let Some(actor) = &one.given.actor else { continue };
        user.barred.clone_from(&actor.barred);
        user.language.clone_from(&actor.language);
        user.zone = Some(one.given.offset_s).filter(|offset| *offset != 0).map(offset);
        let roles = actor.principals.iter().filter_map(|principal| principal.strip_prefix("role:"));
        user.roles = roles.map(Into::into).collect();
    }
    for name in may_approve(&recorded.policy).unwrap_or_default() {
        given.users.entry(name).or_default().approves = true;
    }
    for other in recorded.turns.iter().filter(|one| one.given.addressing.to_other).filter_map(addressee) {
        given.users.entry(other).or_default();
    }
    given.tracker.project.clone_from(&recorded.policy.project.project);
    given.tracker.fail = faults(recorded);
    given.tracker.idempotent = !given.tracker.fail.iter().any(|fault| fault.how == "lost_request");
    given.policy = tuned(&recorded.policy);
    given.host = option::host(recorded);
    workers(recorded, &mut given);
    given
}

/// Returns the person a message was addressed to, if its first word is a name.
fn addressee(one: &Recorded) -> Option<String> {
    let EventKind::MessagePosted(posted) = &one.event.kind else { return None };
    let name = posted.text.strip_prefix('@')?.split(|c: char| !c.is_alphanumeric()).next()?;
    Some(name.to_string())
}

/// Returns the approvers if the rules say no more than `may: [approve]` can.
fn may_approve(policy: &Policy) -> Option<Vec<String>> {
    let [rule] = policy.approvers.as_slice() else { return None };
    let allowed: Vec<&str> = rule.allow.iter().map(String::as_str).collect();
    let people = || allowed.iter().map(|who| who.strip_prefix("user:").map(str::to_string));
    (*rule == Policy::demo_rule(&allowed)).then(|| people().collect())?
}

/// Policy values that differ from the defaults, without those a scenario says elsewhere.
fn tuned(policy: &Policy) -> Vec<(String, serde_json::Value)> {
    let mut plain = Policy { project: Policy::default().project, ..policy.clone() };
    plain.tools.clear();
    plain.agents.clear();
    if may_approve(policy).is_some() {
        plain.approvers.clear();
    }
    let (Ok(now), Ok(base)) = (seed::tree(&plain), seed::tree(&Policy::default())) else {
        return Vec::new();
    };
    let mut tuned = Vec::new();
    for (group, value) in now.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(fields) => {
                let differs =
                    fields.iter().filter(|(name, value)| base[group].get(name.as_str()) != Some(*value));
                tuned.extend(differs.map(|(name, value)| (format!("{group}.{name}"), value.clone())));
            }
            None if base.get(group) != Some(value) => tuned.push((group.clone(), value.clone())),
            None => {}
        }
    }
    tuned
}

/// Adds tools and sub-agents, and the answers of a worker that is the only one of its kind.
fn workers(recorded: &RecordedLane, given: &mut Given) {
    let policy = &recorded.policy;
    for (name, tool) in &policy.tools {
        let one = GivenWorker { risk: tool.risk, args: tool.args.clone(), ..GivenWorker::default() };
        given.tools.insert(name.clone(), one);
    }
    for (name, agent) in &policy.agents {
        given.agents.insert(name.clone(), GivenWorker { risk: agent.risk, ..GivenWorker::default() });
    }
    let classes =
        [(EffectClass::ToolCall, &mut given.tools), (EffectClass::AgentDelegate, &mut given.agents)];
    for (class, workers) in classes {
        let calls = planned(recorded, class);
        let progress = |one: &Recorded| match &one.event.kind {
            EventKind::EffectProgressed { effect, text, .. } if calls.contains(&effect.0) => {
                Some(text.clone())
            }
            _ => None,
        };
        let mut alone = workers.values_mut();
        let (Some(worker), None) = (alone.next(), alone.next()) else { continue };
        worker.progress.extend(recorded.turns.iter().filter_map(progress));
        for (_, outcome) in outcomes(recorded).filter(|(effect, _)| calls.contains(*effect)) {
            match outcome {
                Outcome::Done { result: EffectResult::Said { text } } => worker.answer.push(text.clone()),
                Outcome::Done { result: EffectResult::Asked(asked) } => worker.asks.push(asked.text.clone()),
                Outcome::Done { result: EffectResult::Stopped { .. } } => {}
                Outcome::Done { .. } => worker.answer.push(String::new()),
                Outcome::Failed { reason, .. } if reason == "gave_up" => {
                    // The world tries as often as we do before it gives up.
                    let (tries, _) = class.retry_limits();
                    worker.fail.extend((0..tries).map(|_| "refused".to_string()));
                }
                Outcome::Failed { .. } => worker.fail.push("rejected".into()),
                Outcome::Uncertain { .. } => {
                    worker.idempotent = false;
                    worker.fail.push("lost_request".into());
                }
            }
        }
    }
}

/// Returns true if effects of a class leave the thread under this policy.
fn leaves(policy: &Policy, class: EffectClass) -> bool {
    match class {
        EffectClass::ToolCall => policy.tools.values().any(|tool| tool.risk.is_outward()),
        EffectClass::AgentDelegate => policy.agents.values().any(|agent| agent.risk.is_outward()),
        other => other.can_leave(),
    }
}

/// Returns the outcomes of creates, in order, if any of them failed.
fn faults(recorded: &RecordedLane) -> Vec<Fault> {
    let creates = planned(recorded, EffectClass::TrackerCreate);
    let mut list: Vec<Fault> = outcomes(recorded)
        .filter(|(effect, _)| creates.contains(*effect))
        .map(|(_, outcome)| {
            let how = match outcome {
                Outcome::Done { .. } => "ok",
                Outcome::Failed { .. } => "rejected",
                Outcome::Uncertain { .. } => "lost_request",
            };
            Fault::next("create", how)
        })
        .collect();
    while list.last().is_some_and(|fault| fault.how == "ok") {
        list.pop();
    }
    list
}

fn script(recorded: &RecordedLane) -> Vec<ScriptedAnswer> {
    let answered = |one: &Recorded| {
        let EventKind::EffectSettled { outcome: Outcome::Done { result }, .. } = &one.event.kind else {
            return None;
        };
        let EffectResult::Answered(answer) = result else { return None };
        let of_list = one.summary.trace.selection.is_some();
        let purpose = if of_list { "select" } else { "classify" };
        reply(answer).map(|reply| ScriptedAnswer { purpose: purpose.into(), reply, held: false })
    };
    recorded.turns.iter().filter_map(answered).collect()
}

fn reply(answer: &Answer) -> Option<ScriptedReply> {
    Some(match answer {
        Answer::Classify { label, confidence, anchor } => {
            let mut json =
                serde_json::json!({ "label": label, "confidence": f64::from(*confidence) / 100.0 });
            if let Some(anchor) = anchor {
                json["anchor"] = anchor.0.clone().into();
            }
            ScriptedReply::Answer(json)
        }
        Answer::None { why } => ScriptedReply::Fail(why.clone()),
        other => return option::choice_reply(other),
    })
}

fn outcomes(recorded: &RecordedLane) -> impl Iterator<Item = (&String, &Outcome)> {
    recorded.turns.iter().filter_map(|one| match &one.event.kind {
        EventKind::EffectSettled { effect, outcome, .. } => Some((&effect.0, outcome)),
        _ => None,
    })
}

fn planned(recorded: &RecordedLane, class: EffectClass) -> BTreeSet<String> {
    let effects = recorded.turns.iter().flat_map(|one| &one.summary.effects);
    effects.filter(|(word, _)| word == class.as_str()).map(|(_, id)| id.clone()).collect()
}

/// Returns the act of a turn; `None` for a turn the world produces by itself.
fn act(recorded: &RecordedLane, n: usize, names: &mut BTreeSet<usize>) -> Option<Act> {
    let one = &recorded.turns[n];
    let (user, lane) = (one.event.actor.clone(), MAIN.to_string());
    Some(match &one.event.kind {
        EventKind::MessagePosted(posted) => {
            let anchor = one.given.anchor.as_ref().filter(|_| posted.reply_to.is_some());
            let made =
                anchor.and_then(|anchor| recorded.turns.iter().position(|t| t.messages.contains(&anchor.id)));
            let replies_to = made.filter(|made| *made < n).map(|made| {
                names.insert(made);
                name_of(made)
            });
            // The message was unknown then and is unknown now: the quotation alone makes this a reply.
            let unknown = posted.reply_to.is_some() && replies_to.is_none();
            let quote = posted.quote.clone().or_else(|| unknown.then(|| "…".into()));
            let attach = posted.files.iter().map(Attachment::display_name).collect();
            Act::Message(MessageAct {
                user,
                lane,
                text: posted.text.clone(),
                replies_to,
                quote,
                attach,
                ..MessageAct::default()
            })
        }
        EventKind::MessageEdited { text, metadata_only: false, .. } => {
            let edited = one.given.anchor.as_ref()?;
            let made = recorded.turns.iter().position(|t| t.messages.contains(&edited.id))?;
            names.insert(made);
            Act::Message(MessageAct {
                user,
                lane,
                text: text.clone(),
                edits: Some(name_of(made)),
                ..MessageAct::default()
            })
        }
        EventKind::CardPressed { press: Press::Option { .. }, .. } => return option::act(one),
        EventKind::CardPressed { press, remember } => {
            let (card, version, action) = button(press, &one.given)?;
            let card = card_name(recorded, n, &card, version, names)?;
            let action = action.as_str().into();
            let (item, remember) = (item(press, &one.given), *remember);
            Act::Press(PressAct { user, lane, action, card, item, remember, times: 1, deliveries: 1 })
        }
        EventKind::FormSubmitted { press, values } => {
            let (card, version, action) = button(press, &one.given)?;
            let card = card_name(recorded, n, &card, version, names)?;
            let button = (action == Action::AddStory).then(|| action.as_str().to_string());
            Act::Form { user, lane, fields: values.clone(), card, item: item(press, &one.given), button }
        }
        EventKind::Command { text } => Act::Command {
            user,
            lane,
            text: format!("{} {text}", recorded.policy.command.0).trim_end().into(),
        },
        EventKind::AssistantPosted(posted) => Act::HostPost(HostPost::of(lane, posted)),
        EventKind::ApprovalRequested(act) => Act::RequestApproval(RequestApproval {
            user,
            lane,
            act: HostAct { expires: None, ..act.clone() },
            expires: act.expires.map(When::At),
        }),
        EventKind::TaskReported(report) => Act::TaskReport(TaskReportAct {
            lane,
            task: report.task.0.clone(),
            status: report.status,
            at: report.at.map(When::At),
            intent: report.intent.clone(),
            reason: report.reason.clone(),
            result: report.result.clone(),
        }),
        EventKind::FactStated(fact) => Act::StateFact(StateFact { user, lane, fact: fact.clone() }),
        _ => return option::act(one),
    })
}

fn button(press: &Press, given: &StepGiven) -> Option<(CardId, u32, Action)> {
    match (press, &given.press) {
        (Press::Decision { card, version, action, .. }, _) => Some((card.clone(), *version, *action)),
        (Press::Token(_), Some(target)) => Some((target.card.clone(), target.version, target.action)),
        // An unknown button has no card.
        (Press::Token(_), None) | (Press::Option { .. }, _) => None,
    }
}

/// Returns the item a press is about; ids of drafts are equal in every run.
fn item(press: &Press, given: &StepGiven) -> Option<String> {
    let item = match (press, &given.press) {
        (Press::Decision { item, .. }, _) => item,
        (Press::Token(_), Some(target)) => &target.item,
        (Press::Token(_), None) | (Press::Option { .. }, _) => return None,
    };
    Some(item.clone()).filter(|item| !item.is_empty())
}

/// Names a card by the turn that made it, and an outdated version by its number.
fn card_name(
    recorded: &RecordedLane,
    n: usize,
    card: &CardId,
    version: u32,
    names: &mut BTreeSet<usize>,
) -> Option<String> {
    let made = recorded.turns[..n].iter().position(|one| made_here(&recorded.lane, one.revision, card))?;
    // Only approvals have outdated versions to name: a gate that is outdated was superseded, at its only version.
    let outdated = recorded.turns[n].summary.decision.reason == Reason::StaleVersion
        && card.0.starts_with(CardId::APPROVAL);
    // A card that no act made cannot be named after a turn.
    let by_itself = act(recorded, made, &mut BTreeSet::new()).is_none();
    let name = if by_itself {
        if outdated { "card".into() } else { "latest".into() }
    } else {
        names.insert(made);
        name_of(made)
    };
    Some(if outdated { format!("{name}.v{version}") } else { name })
}

/// Returns true if this turn made the card: its id encodes the revision.
fn made_here(lane: &LaneKey, revision: u64, card: &CardId) -> bool {
    id::id_origin(&lane.id(), &card.0).is_some_and(|made| made.revision == revision)
}

/// Returns the expectations of a turn: its decision, and the released effects that succeeded.
fn expectations(recorded: &RecordedLane, n: usize) -> Vec<Expectation> {
    let one = &recorded.turns[n];
    let mut decided = &one.summary;
    let of_list =
        |turn: &TurnSummary| turn.trace.selection.is_some() && turn.decision.outcome != Verdict::Deferred;
    if decided.decision.outcome == Verdict::Deferred {
        let later = recorded.turns[n + 1..].iter().map(|one| &one.summary);
        decided = later
            .into_iter()
            .find(|turn| {
                turn.event == "effect.settled" && (turn.decision.rung >= Rung::Intent || of_list(turn))
            })
            .unwrap_or(decided);
    }
    let decision = &decided.decision;
    let mut all =
        vec![Expectation::Decision(decision.outcome), Expectation::Reason(decision.reason.code().into())];
    all.extend(decision.intent.map(Expectation::Intent));
    let applied = decision.applied.as_ref().map(|applied| value_text(&applied.value));
    all.extend(applied.map(|value| Expectation::Applied(Some(value))));
    all.extend(option::expectations(decided));
    let mut effects: BTreeMap<String, u32> = BTreeMap::new();
    for (class, id) in &one.summary.effects {
        let outward = EffectClass::parse(class).is_some_and(|class| leaves(&recorded.policy, class));
        let came =
            |(effect, outcome): (&String, &Outcome)| effect == id && matches!(outcome, Outcome::Done { .. });
        if outward && outcomes(recorded).any(came) {
            *effects.entry(class.clone()).or_default() += 1;
        }
    }
    all.push(Expectation::Effects(effects));
    all
}

impl RecordedLane {
    /// Returns the recorded lane as a scenario file.
    #[must_use]
    pub fn to_yaml(&self, name: &str) -> String {
        emit::write(&record(name, self))
    }
}
