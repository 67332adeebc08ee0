//! The way of one piece of work: asked for, completed, released, sent, answered, offered again.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::back::{asked_back, go_on, take_back, withdraw_offer};
use super::{Call, Job, Phase, Risk, Work};
use crate::approval::Closing;
use crate::context::delegated::briefing;
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::{EffectResult, FieldError, Outcome};
use crate::id::{EffectId, MessageId, TaskId};
use crate::lane::{MessageKind, Moved, Role, Task, TaskStatus, first_line};
use crate::pending::{PendingClass, PendingKind, PendingState, Slot};
use crate::policy::{Policy, limits};
use crate::recognize::{self, Context, Expected, Words};
use crate::rungs::{focus, said};
use crate::say;
use crate::selection::flow as lists;
use crate::turn::{Turn, begun_by};
use crate::workflow::press::{close, decide, end_of, released_by, result_on};
use crate::workflow::{About, Action, Card, CardStatus, Progress};

// ---- asked for ----

/// Hands the anchor's task, or what the message says, to a sub-agent: the named one, or the only one there is.
pub(crate) fn hand_over(turn: &mut Turn<'_>, agent: Option<&str>, about: Option<&str>) -> Decision {
    let Some(task) = meant(turn, about) else {
        turn.say(MessageKind::Answer, None, say::NOTHING_TO_HAND_OVER);
        return Decision::new(Verdict::Answered, Reason::DelegationNothing);
    };
    let agents: Vec<&String> = turn.policy.agents.keys().collect();
    match (agent, agents.as_slice()) {
        (Some(agent), _) => delegate_to(turn, task, agent),
        (None, [only]) => delegate_to(turn, task, only),
        (None, several) => {
            let options: Vec<String> = several.iter().map(|name| (*name).clone()).collect();
            let (id, by) = (task.id.clone(), said(turn).by.clone());
            let asked = turn.say(MessageKind::Question, Some(&id), &say::which_agent(&options));
            turn.put_task(task);
            let kind = PendingKind::ClarificationNeeded(Slot::Agent);
            turn.open_pending(kind, Some(Expected::Selection(options)), &asked, Some(&id), Some(&by), None);
            Decision::new(Verdict::Asked, Reason::DelegationUnclear)
        }
    }
}

/// The task that is handed over: one of its own for words of its own, else the anchor's.
fn meant(turn: &mut Turn<'_>, about: Option<&str>) -> Option<Task> {
    let (by, now) = (said(turn).by.clone(), turn.now());
    if let Some(about) = about {
        let id = turn.start_task(about, &by);
        return turn.task(&id);
    }
    let focus = focus(turn).clone();
    let anchor = focus.anchor_id()?;
    let id = focus.task.clone().unwrap_or_else(|| begun_by(anchor));
    let known = turn.task(&id);
    let task = known
        .unwrap_or_else(|| Task::new(id.clone(), first_line(&asked_with(turn, &id, Some(anchor))), &by, now));
    turn.belongs_to(&id);
    Some(task)
}

/// The words a task was begun with: the person's message that names it, else the anchor itself.
fn asked_with(turn: &Turn<'_>, task: &TaskId, anchor: Option<&MessageId>) -> String {
    let mut window = turn.lane.head.window.texts().filter_map(|id| turn.lane.records.message_of(id));
    let first = window.find(|message| message.role == Role::User && message.task.as_ref() == Some(task));
    let known = turn.given.anchor.as_ref().filter(|given| Some(&given.id) == anchor);
    let message = first.or(known).or_else(|| turn.message_ref(&anchor?.0));
    message.map_or_else(String::new, |message| message.text.clone())
}

/// Hands a task to a sub-agent that is named.
pub(crate) fn delegate_to(turn: &mut Turn<'_>, task: Task, agent: &str) -> Decision {
    let words = asked_with(turn, &task.id, None);
    let text = if words.is_empty() { task.intent.clone() } else { words };
    start(turn, task, Job::Agent { name: agent.into() }, Phase::Begin, text, Reason::DelegationStarted)
}

/// Calls a tool the person named, or asks for what it has to know first. `rest` is what the message says behind its
/// name.
pub(crate) fn begin(turn: &mut Turn<'_>, tool: &str, rest: &str, context: &Context<'_>) -> Option<Decision> {
    let spec = turn.policy.tools.get(tool)?;
    let mut args = BTreeMap::new();
    if !rest.is_empty() {
        let words = Words::of(rest);
        let fits = |(name, expected): (&String, &Expected)| {
            let found = recognize::answer(expected, &words, context).ok()?;
            found.remainder.is_none().then(|| (name.clone(), found.value.text().into()))
        };
        args.extend([spec.args.iter().find_map(fits)?]);
    }
    let said = said(turn);
    let id = turn.start_task(said.text(), &said.by);
    let task = turn.task(&id)?;
    Some(complete(turn, task, tool, args))
}

/// Asks for the next thing the tool has to know, or calls it.
fn complete(turn: &mut Turn<'_>, mut task: Task, tool: &str, args: BTreeMap<String, String>) -> Decision {
    let Some(spec) = turn.policy.tools.get(tool) else { return gone(turn, &task, tool) };
    let missing = spec.args.iter().find(|(name, _)| !args.contains_key(*name));
    let job = Job::Tool { name: tool.into(), args };
    let Some((name, expected)) = missing else {
        let text = task.intent.clone();
        return start(turn, task, job, Phase::Begin, text, Reason::ToolStarted);
    };
    let (id, by) = (task.id.clone(), task.requested_by.clone());
    let asked = turn.say(MessageKind::Question, Some(&id), &say::ask_argument(name, tool));
    let kind = PendingKind::SlotRequest(Slot::Argument { name: name.clone() });
    turn.open_pending(
        kind,
        Some(expected.clone()),
        &asked,
        Some(&id),
        Some(&by).filter(|by| !by.is_empty()).map(String::as_str),
        None,
    );
    task.work = Some(Work { job, effect: None, card: None, waits: None });
    turn.put_task(task);
    Decision::new(Verdict::Asked, Reason::ToolStarted)
}

/// An answer to what a tool has to know.
pub(crate) fn argument_given(turn: &mut Turn<'_>, task: &TaskId, name: &str, value: &str) {
    let Some(task) = turn.task(task) else { return };
    if let Some(Work { job: Job::Tool { name: tool, args }, .. }) = task.work.clone() {
        let mut args = args;
        args.insert(name.into(), value.into());
        let _ = complete(turn, task, &tool, args);
    }
}

/// An argument was corrected: a call that is on its way is taken back and made again. `false`: it is too late.
pub(crate) fn call_corrected(turn: &mut Turn<'_>, task: &TaskId, name: &str, value: &str) -> bool {
    let Some(mut task) = turn.task(task).filter(|task| task.status.live()) else { return false };
    let Some(Work { job: Job::Tool { name: tool, mut args }, effect, card, waits: _ }) = task.work.take()
    else {
        return false;
    };
    if effect.is_none() && card.is_some() {
        return false;
    }
    args.insert(name.into(), value.into());
    match effect {
        Some(effect) => {
            turn.cancel(&effect);
            let _ = complete(turn, task, &tool, args);
        }
        // Something else is still asked for; that question stands.
        None => {
            task.work =
                Some(Work { job: Job::Tool { name: tool, args }, effect: None, card: None, waits: None });
            turn.put_task(task);
        }
    }
    true
}

// ---- released and sent ----

fn risk(policy: &Policy, job: &Job) -> Option<Risk> {
    match job {
        Job::Tool { name, .. } => policy.tools.get(name).map(|tool| tool.risk),
        Job::Agent { name } => policy.agents.get(name).map(|agent| agent.risk),
        // Its host said so when it registered the list; it is in the call.
        Job::Option(_) => None,
    }
}

/// What only reads goes out; anything else waits on a card (`spec 06 §4.2`).
pub(super) fn start(
    turn: &mut Turn<'_>,
    mut task: Task,
    job: Job,
    phase: Phase,
    text: String,
    reason: Reason,
) -> Decision {
    let Some(risk) = risk(turn.policy, &job) else { return gone(turn, &task, job.name()) };
    let waits = if phase.begins() {
        take_back(turn, &mut task);
        None
    } else {
        task.work.as_mut().and_then(|work| work.waits.take())
    };
    // Made before anybody approves it: what runs is what was approved.
    let prompt = match (&job, phase.begins()) {
        (Job::Agent { .. }, true) => {
            turn.belongs_to(&task.id);
            let Some(prompt) = briefing(turn, &text, &task.requested_by) else {
                turn.put_task(task.clone());
                return unsent(turn, &task, &say::too_long(job.name()), Reason::ContextTooLarge);
            };
            Some(prompt)
        }
        _ => None,
    };
    let call = Call { job, phase, task: task.id.clone(), text, risk, prompt };
    if !risk.outward() {
        let told = match waits {
            Some(_) => say::passed_on(&call.job),
            None => say::started(&call.job, &task.intent),
        };
        turn.say(MessageKind::Notification, Some(&task.id), &told);
        task.work = Some(Work { job: call.job.clone(), effect: None, card: None, waits });
        turn.send(task, call, None);
        return Decision::new(Verdict::Done, reason);
    }
    let (source, by) = (said(turn).message.clone(), said(turn).by.clone());
    let (id, job) = (task.id.clone(), call.job.clone());
    turn.put_task(task.clone());
    let card = turn.show(About::CallPreview { call, source }, &by, Some(&id));
    task.work = Some(Work { job, effect: None, card: Some(card), waits });
    turn.put_task(task);
    Decision::new(Verdict::Shown, Reason::ApprovalNeeded)
}

impl Turn<'_> {
    /// Runs an option that was chosen: choosing is never approving, so what may change something waits on a card.
    pub(crate) fn run_option(&mut self, call: Call, source: MessageId) {
        let Some(mut task) = self.task(&call.task) else { return };
        if !call.risk.outward() {
            self.say(MessageKind::Answer, Some(&task.id), &say::started(&call.job, &task.intent));
            return self.send(task, call, None);
        }
        let (id, by, job) = (task.id.clone(), task.requested_by.clone(), call.job.clone());
        let card = self.show(About::CallPreview { call, source }, &by, Some(&id));
        task.work = Some(Work { job, effect: None, card: Some(card), waits: None });
        self.put_task(task);
    }
}

fn gone(turn: &mut Turn<'_>, task: &Task, name: &str) -> Decision {
    unsent(turn, task, &say::not_set_up(name), Reason::DelegationNothing)
}

fn unsent(turn: &mut Turn<'_>, task: &Task, why: &str, reason: Reason) -> Decision {
    turn.say(MessageKind::Answer, Some(&task.id), why);
    turn.end_task(&task.id, TaskStatus::Failed);
    Decision::new(Verdict::Answered, reason)
}

/// Approve on the card: exactly what it showed goes out.
pub(crate) fn release(turn: &mut Turn<'_>, card: Card) {
    let About::CallPreview { call, .. } = card.about.clone() else { return };
    let approval = released_by(&card);
    if let Some(task) = turn.task(&call.task) {
        turn.send(task, call, Some(approval));
    }
    decide(turn, card, Action::Approve, Progress::None);
}

/// "Yes" or "no" to an offer. What would change something is never released by text: its card is shown.
pub(crate) fn offer_answered(turn: &mut Turn<'_>, pending: &PendingState, yes: bool) {
    let Some(task) = pending.task.as_ref().and_then(|id| turn.task(id)) else { return };
    if !yes {
        turn.say(MessageKind::Answer, Some(&task.id), say::LEFT);
        return;
    }
    // An answer that did not arrive goes on with the work that asked for it.
    let Some(task) = go_on(turn, task) else { return };
    match &pending.kind {
        PendingKind::DelegationOffer { agent } => {
            let _ = delegate_to(turn, task, agent);
        }
        PendingKind::ToolRetryOffer { tool } => {
            let args = match &task.work {
                Some(Work { job: Job::Tool { name, args }, .. }) if name == tool => args.clone(),
                _ => BTreeMap::new(),
            };
            let _ = complete(turn, task, tool, args);
        }
        _ => {}
    }
}

// ---- what came of it ----

/// The outcome of a call. Only of the one the task waits for, or that a card asks about: anything else was superseded.
pub(crate) fn settled(turn: &mut Turn<'_>, id: &TaskId, effect: &EffectId, outcome: &Outcome) -> Reason {
    let Some(mut task) = turn.task(id) else { return Reason::EffectSuperseded };
    let Some(work) = task.work.as_mut() else { return Reason::EffectSuperseded };
    let card = work.card.as_ref().and_then(|card| turn.card(card));
    let waits = work.effect.as_ref() == Some(effect);
    let late = card.clone().filter(|card| card.open() && card.doubts() == Some(effect));
    match (&late, outcome) {
        (_, _) if waits => {}
        (Some(_), Outcome::Done { .. } | Outcome::Failed { .. }) => {}
        _ => return Reason::EffectSuperseded,
    }
    work.effect = None;
    work.card = None;
    let job = work.job.clone();
    let at = turn.moment(&task);
    let (to, words) = match outcome {
        Outcome::Done { result: EffectResult::Asked(_) } => (TaskStatus::Blocked, String::new()),
        Outcome::Done { result: EffectResult::Stopped { text } } => (TaskStatus::Cancelled, text.clone()),
        Outcome::Done { result } => (TaskStatus::Completed, answer(result)),
        Outcome::Failed { text, errors, .. } if asked_again(turn, &job, errors).is_some() => {
            (TaskStatus::Blocked, text.clone())
        }
        Outcome::Failed { text, .. } => (TaskStatus::Failed, text.clone()),
        Outcome::Uncertain { text } => (TaskStatus::Blocked, text.clone()),
    };
    if task.go(to, at) != Moved::Changed {
        turn.put_task(task);
        return Reason::EffectSuperseded;
    }
    task.comes_to(&words);
    if let Some(asks) = late {
        close(turn, asks, CardStatus::Withdrawn, Closing::Cancelled);
    }
    let answered = !matches!(outcome, Outcome::Uncertain { .. } | Outcome::Failed { .. });
    if answered && let Some(work) = &mut task.work {
        work.waits = None;
    }
    if !matches!(outcome, Outcome::Failed { reason, .. } if reason == "gave_up") {
        withdraw_offer(turn, &job);
    }
    match outcome {
        Outcome::Done { result: EffectResult::Asked(asked) } => {
            shown_on(turn, card.as_ref(), Progress::Done);
            asked_back(turn, &mut task, effect, asked);
        }
        Outcome::Done { result: EffectResult::Stopped { text } } => {
            shown_on(turn, card.as_ref(), Progress::Done);
            turn.pass_on(&job, MessageKind::Answer, Some(id), &say::was_stopped(&job, text));
        }
        Outcome::Done { .. } => {
            shown_on(turn, card.as_ref(), Progress::Done);
            // Its place shows what an option did.
            if !matches!(job, Job::Option(_)) {
                turn.pass_on(&job, MessageKind::Answer, Some(id), &say::answered(&job, &words));
            }
        }
        Outcome::Failed { reason, errors, .. } => {
            let over = Progress::Failed { text: words.clone(), errors: errors.clone(), again: None };
            shown_on(turn, card.as_ref(), over);
            if let Some((tool, args)) = asked_again(turn, &job, errors) {
                turn.pass_on(&job, MessageKind::Answer, Some(id), &say::could_not(&job, &words));
                let _ = complete(turn, task, &tool, args);
                return Reason::EffectSettled;
            }
            if reason == "gave_up" {
                offer_again(turn, &task, &job);
            } else {
                turn.pass_on(&job, MessageKind::Answer, Some(id), &say::could_not(&job, &words));
            }
        }
        Outcome::Uncertain { .. } => uncertain(turn, &mut task, card, effect),
    }
    turn.put_task(task);
    Reason::EffectSettled
}

/// The tool does not take an argument as it is: the call without it, to be asked for again. Not while another question
/// waits.
fn asked_again(
    turn: &Turn<'_>,
    job: &Job,
    errors: &[FieldError],
) -> Option<(String, BTreeMap<String, String>)> {
    let Job::Tool { name, args } = job else { return None };
    let spec = turn.policy.tools.get(name).filter(|_| turn.conversational().is_none())?;
    let wrong =
        |error: &&FieldError| error.code == FieldError::ARGUMENT && spec.args.contains_key(&error.field);
    let wrong: Vec<&FieldError> = errors.iter().filter(wrong).collect();
    let mut args = args.clone();
    wrong.iter().for_each(|error| drop(args.remove(&error.field)));
    (!wrong.is_empty()).then(|| (name.clone(), args))
}

/// What came of a call, on the card that released it and on the one that first did.
fn shown_on(turn: &mut Turn<'_>, card: Option<&Card>, progress: Progress) {
    let Some(card) = card else { return };
    if let Some(receipt) = card.receipt() {
        result_on(turn, receipt, progress.clone());
    }
    result_on(turn, &card.id, progress);
}

/// Nobody knows whether it was done: a person is asked, and nothing is sent again by itself (`spec 06 §4.4`).
fn uncertain(turn: &mut Turn<'_>, task: &mut Task, card: Option<Card>, effect: &EffectId) {
    let Some((card, (call, source))) = card.as_ref().and_then(|card| card.call().map(|call| (card, call)))
    else {
        // Released by no card, or by one that was erased: there is nobody's approval to do it again by.
        let words = task.work.as_ref().map(|work| say::maybe_done(&work.job)).unwrap_or_default();
        turn.say(MessageKind::Answer, Some(&task.id), &words);
        return;
    };
    let parent = card.receipt().unwrap_or(&card.id).clone();
    let (effect, call, source) = (effect.clone(), call.clone(), source.clone());
    let asks = turn.show(About::UncertainCall { effect, call, source, parent }, &card.by, Some(&task.id));
    shown_on(turn, Some(card), Progress::Uncertain { card: asks.clone() });
    if let Some(work) = &mut task.work {
        work.card = Some(asks);
    }
}

/// *It happened*, on the card that asks: done, on the word of an approver.
pub(crate) fn happened(turn: &mut Turn<'_>, card: Card) {
    let Some((effect, receipt)) = card.doubts().zip(card.receipt()) else { return };
    let result = EffectResult::Said { text: String::new() };
    let done = Outcome::Done { result };
    if let Some(task) = card.task() {
        lists::settled(turn, task, &done);
    }
    turn.adopt(effect, done);
    result_on(turn, receipt, Progress::Done);
    end_of(turn, &card, TaskStatus::Completed);
    decide(turn, card, Action::Happened, Progress::Done);
}

/// *Do it again*: a new effect, released by this card. The old one is dropped for it.
pub(crate) fn again(turn: &mut Turn<'_>, card: Card) {
    let Some(((call, _), effect)) = card.call().zip(card.doubts()) else { return };
    turn.cancel(effect);
    if let Some(task) = turn.task(&call.task) {
        turn.send(task, call.clone(), Some(released_by(&card)));
    }
    decide(turn, card, Action::DoAgain, Progress::None);
}

fn answer(result: &EffectResult) -> String {
    match result {
        EffectResult::Said { text } => text.chars().take(limits::WORK_ANSWER).collect(),
        _ => String::new(),
    }
}

/// Nothing was sent, or nothing came back: what only reads may be tried again, if its person wants (`spec 06 §4.5`).
/// A question that waits is not pushed aside for it.
fn offer_again(turn: &mut Turn<'_>, task: &Task, job: &Job) {
    let asking = turn.head.pendings.iter().any(|open| open.kind.class() == PendingClass::Conversational);
    if asking || risk(turn.policy, job).is_none_or(Risk::outward) {
        turn.say(MessageKind::Answer, Some(&task.id), &say::no_answer(job));
        return;
    }
    let asked = turn.say(MessageKind::Question, Some(&task.id), &say::again(job));
    let kind = match job {
        Job::Tool { name, .. } => PendingKind::ToolRetryOffer { tool: name.clone() },
        Job::Agent { name } => PendingKind::DelegationOffer { agent: name.clone() },
        Job::Option(_) => return,
    };
    let by = Some(task.requested_by.as_str()).filter(|by| !by.is_empty());
    turn.open_pending(kind, Some(Expected::Boolean), &asked, Some(&task.id), by, None);
}
