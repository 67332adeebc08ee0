//! A piece of work: asked for, completed with arguments, approved, sent, settled, and offered again.
//!
//! Design: docs/design/0024-tasks.md and docs/design/0031-effects-and-retries.md.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::in_progress::{cancel_call, question_asked, send_answers, withdraw_offer, words_of};
use crate::calls::issue_lookup;
use crate::cards::decide::{close, decide, end_of, following, released_by, result_on};
use crate::context::briefing::briefing;
use crate::data::action::Action;
use crate::data::approval::CloseReason;
use crate::data::authors::Authors;
use crate::data::call::CallPhase;
use crate::data::call::{Call, Job, Risk, Work};
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::fault::FieldFault;
use crate::data::field_error::FieldError;
use crate::data::id::{CardId, EffectId, MessageId, TaskId};
use crate::data::language::Language;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::pending::{PendingClass, PendingKind, PendingState, Slot};
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::task::{Task, TaskMove, first_line};
use crate::data::task_status::TaskStatus;
use crate::messages;
use crate::selection::rung as lists;
use crate::turn::routed_message::focus;
use crate::turn::tasks::begun_by;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Context, Expected, Words};
use throughline_messages as say;

// ---- asked for ----

/// Hands work to a sub-agent: the task `about` describes, else the anchor's. The sub-agent is the named one,
/// or the only one there is; among several it asks.
pub(crate) fn hand_over(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    agent: Option<&str>,
    about: Option<&str>,
) -> Decision {
    let Some(task) = meant(turn, said, about) else {
        turn.say(MessageKind::Answer, None, &say::call_nothing_to_hand_over(turn.language()));
        return Decision::new(Verdict::Answered, Reason::DelegationNothing);
    };
    let agents: Vec<&String> = turn.policy.agents.keys().collect();
    match (agent, agents.as_slice()) {
        (Some(agent), _) => delegate_to(turn, task, agent),
        (None, [only]) => delegate_to(turn, task, only),
        (None, several) => {
            let options: Vec<String> = several.iter().map(|name| (*name).clone()).collect();
            let (id, by) = (task.id.clone(), said.by.clone());
            let asked = turn.say(
                MessageKind::Question,
                Some(&id),
                &say::call_which_agent(turn.language(), options.join(", ")),
            );
            turn.put_task(task);
            let kind = PendingKind::ClarificationNeeded(Slot::Agent);
            turn.open_pending(kind, Some(Expected::Selection(options)), &asked, Some(&id), Some(&by), None);
            Decision::new(Verdict::Asked, Reason::DelegationUnclear)
        }
    }
}

/// Returns the task to hand over: a new one for `about`, else the anchor's.
fn meant(turn: &mut Turn<'_>, said: &RoutedMessage, about: Option<&str>) -> Option<Task> {
    let (by, now) = (said.by.clone(), turn.now());
    if let Some(about) = about {
        let id = turn.start_task(about, &by);
        return turn.get::<Task>(&id).cloned();
    }
    let focus = focus(turn).clone();
    let anchor = focus.anchor_id()?;
    let id = focus.task.clone().unwrap_or_else(|| begun_by(anchor));
    let task = turn.get::<Task>(&id).cloned().unwrap_or_else(|| {
        let (text, author) = asked_with(turn, &id, Some(anchor));
        let mut task = Task::new(id.clone(), first_line(&text), &by, now);
        task.has_words_of(&author);
        task.language = turn.language();
        task
    });
    turn.belongs_to(&id);
    Some(task)
}

/// Returns the text a task began with, and who wrote it: the first message of a person in it, else the anchor.
pub(super) fn asked_with(turn: &Turn<'_>, task: &TaskId, anchor: Option<&MessageId>) -> (String, Authors) {
    let mut window = turn.lane.head.window.texts().filter_map(|id| turn.lane.records.named::<Message>(id));
    let first = window.find(|message| message.role == Role::User && message.task.as_ref() == Some(task));
    let known = turn.given.anchor.as_ref().filter(|given| Some(&given.id) == anchor);
    let message = first.or(known).or_else(|| turn.named::<Message>(&anchor?.0));
    let said = |message: &Message| (message.text.clone(), Authors::of(&message.by));
    message.map(said).unwrap_or_default()
}

/// Hands a task to the named sub-agent.
pub(crate) fn delegate_to(turn: &mut Turn<'_>, mut task: Task, agent: &str) -> Decision {
    let (words, author) = asked_with(turn, &task.id, None);
    task.has_words_of(&author);
    let text = if words.is_empty() { task.intent.clone() } else { words };
    start(turn, task, Job::Agent { name: agent.into() }, CallPhase::Begin, text, Reason::DelegationStarted)
}

/// Calls a tool the person named, or asks for its first missing argument. `rest` is the text after its name;
/// returns `None` if that fits no argument.
pub(crate) fn begin(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    tool: &str,
    rest: &str,
    context: &Context<'_>,
) -> Option<Decision> {
    let spec = turn.policy.tools.get(tool)?;
    let mut args = BTreeMap::new();
    if !rest.is_empty() {
        let words = Words::new(rest, turn.languages());
        let fits = |(name, expected): (&String, &Expected)| {
            let found = language::read(expected, &words, context).ok()?;
            found.remainder.is_none().then(|| (name.clone(), found.value.text().into()))
        };
        args.extend([spec.args.iter().find_map(fits)?]);
    }
    let id = turn.start_task(said.text(), &said.by);
    let task = turn.get::<Task>(&id).cloned()?;
    Some(complete(turn, task, tool, args))
}

/// Asks for the next missing argument of the tool, or calls it.
fn complete(turn: &mut Turn<'_>, mut task: Task, tool: &str, args: BTreeMap<String, String>) -> Decision {
    let Some(spec) = turn.policy.tools.get(tool) else { return gone(turn, &task, tool) };
    let missing = spec.args.iter().find(|(name, _)| !args.contains_key(*name));
    let job = Job::Tool { name: tool.into(), args };
    let Some((name, expected)) = missing else {
        let text = task.intent.clone();
        return start(turn, task, job, CallPhase::Begin, text, Reason::ToolStarted);
    };
    let (id, by) = (task.id.clone(), task.requested_by.clone());
    let asked = turn.say(
        MessageKind::Question,
        Some(&id),
        &messages::call::ask_argument(turn.language(), name, tool),
    );
    let kind = PendingKind::SlotRequest(Slot::Argument { name: name.clone() });
    turn.open_pending(
        kind,
        Some(expected.clone()),
        &asked,
        Some(&id),
        Some(&by).filter(|by| !by.is_empty()).map(String::as_str),
        None,
    );
    task.work = Some(Work::of(job));
    turn.put_task(task);
    Decision::new(Verdict::Asked, Reason::ToolStarted)
}

/// Takes in an answer about an argument of a tool.
pub(crate) fn argument_given(turn: &mut Turn<'_>, task: &TaskId, name: &str, value: &str) {
    let Some(mut task) = turn.get::<Task>(task).cloned() else { return };
    task.has_words_of(&turn.writer());
    if let Some(Work { job: Job::Tool { name: tool, args }, .. }) = task.work.clone() {
        let mut args = args;
        args.insert(name.into(), value.into());
        let _ = complete(turn, task, &tool, args);
    }
}

/// Corrects an argument: a call on its way is cancelled and made again. Returns `false` if it is too late.
pub(crate) fn call_corrected(turn: &mut Turn<'_>, task: &TaskId, name: &str, value: &str) -> bool {
    let Some(mut task) = turn.get::<Task>(task).cloned().filter(|task| task.status.is_live()) else {
        return false;
    };
    let Some(Work { job: Job::Tool { name: tool, mut args }, effect, card, .. }) = task.work.take() else {
        return false;
    };
    if effect.is_none() && card.is_some() {
        return false;
    }
    args.insert(name.into(), value.into());
    task.has_words_of(&turn.writer());
    match effect {
        Some(effect) => {
            turn.cancel(&effect);
            let _ = complete(turn, task, &tool, args);
        }
        // The question about another argument stays open.
        None => {
            task.work = Some(Work::of(Job::Tool { name: tool, args }));
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
        // The call carries its risk: the host registered it with the list, and an act that needs leave is never harmless.
        Job::Option(_) | Job::Act(_) => None,
        Job::Change(_) => Some(Risk::Write),
    }
}

/// Sends a call that only reads; shows a card for approval for any other.
pub(super) fn start(
    turn: &mut Turn<'_>,
    mut task: Task,
    job: Job,
    phase: CallPhase,
    text: String,
    reason: Reason,
) -> Decision {
    let Some(risk) = risk(turn.policy, &job) else { return gone(turn, &task, job.name()) };
    let waits = if phase.begins() {
        cancel_call(turn, &mut task);
        None
    } else {
        task.work.as_mut().and_then(|work| work.waits.take())
    };
    // Built before the approval, so that the approved prompt is the one that runs.
    let prompt = match (&job, phase.begins()) {
        (Job::Agent { .. }, true) => {
            turn.belongs_to(&task.id);
            let Some(prompt) = briefing(turn, &text, &task.requested_by) else {
                turn.put_task(task.clone());
                return unsent(
                    turn,
                    &task,
                    &say::call_too_long(turn.language(), job.name()),
                    Reason::ContextTooLarge,
                );
            };
            Some(prompt)
        }
        _ => None,
    };
    let call = Call { job, phase, task: task.id.clone(), text, risk, prompt };
    if !risk.is_outward() {
        let told = match waits {
            Some(_) => say::call_passing_on(turn.language(), call.job.name()),
            None => messages::call::started(turn.language(), &call.job, &task.intent),
        };
        turn.say(MessageKind::Notification, Some(&task.id), &told);
        task.work = Some(Work { waits, ..Work::of(call.job.clone()) });
        turn.send(task, call, None);
        return Decision::new(Verdict::Done, reason);
    }
    let (source, by) = (turn.source(), turn.author());
    let (id, job) = (task.id.clone(), call.job.clone());
    turn.put_task(task.clone());
    let card = turn.show(CardSubject::CallPreview { call, source }, &by, Some(&id));
    task.work = Some(Work { card: Some(card), waits, ..Work::of(job) });
    turn.put_task(task);
    Decision::new(Verdict::Shown, Reason::ApprovalNeeded)
}

impl Turn<'_> {
    /// Runs a chosen option. A choice is no approval: an option that may change something is shown on a card
    /// first.
    pub(crate) fn run_option(&mut self, call: Call, source: MessageId) {
        let Some(task) = self.get::<Task>(&call.task).cloned() else { return };
        if !call.risk.is_outward() {
            self.say(
                MessageKind::Answer,
                Some(&task.id),
                &messages::call::started(self.language(), &call.job, &task.intent),
            );
            return self.send(task, call, None);
        }
        self.preview_call(call, source);
    }

    /// Shows a call for approval.
    pub(super) fn preview_call(&mut self, call: Call, source: MessageId) {
        let Some(mut task) = self.get::<Task>(&call.task).cloned() else { return };
        let (id, by, job) = (task.id.clone(), task.requested_by.clone(), call.job.clone());
        let card = self.show(CardSubject::CallPreview { call, source }, &by, Some(&id));
        task.work = Some(Work { card: Some(card), ..Work::of(job) });
        self.put_task(task);
    }
}

fn gone(turn: &mut Turn<'_>, task: &Task, name: &str) -> Decision {
    unsent(turn, task, &say::call_not_set_up(turn.language(), name), Reason::DelegationNothing)
}

fn unsent(turn: &mut Turn<'_>, task: &Task, why: &str, reason: Reason) -> Decision {
    turn.say(MessageKind::Answer, Some(&task.id), why);
    turn.end_task(&task.id, TaskStatus::Failed);
    Decision::new(Verdict::Answered, reason)
}

/// Applies *Approve* on the card: sends exactly the call it showed.
pub(crate) fn release(turn: &mut Turn<'_>, card: Card) {
    let CardSubject::CallPreview { call, .. } = card.about.clone() else { return };
    let approval = released_by(&card);
    if let Some(task) = turn.get::<Task>(&call.task).cloned() {
        turn.send(task, call, Some(approval));
    }
    decide(turn, card, Action::Approve, Progress::None);
}

/// Takes in "yes" or "no" to an offer. A call that may change something is not released by text; its card is
/// shown.
pub(crate) fn offer_answered(turn: &mut Turn<'_>, pending: &PendingState, yes: bool) {
    let Some(task) = pending.task.as_ref().and_then(|id| turn.get::<Task>(id).cloned()) else { return };
    if !yes {
        turn.say(MessageKind::Answer, Some(&task.id), &say::call_left(turn.language()));
        return;
    }
    // If the call that failed was to deliver answers to a question back, it is the one to repeat.
    let Some(task) = send_answers(turn, task) else { return };
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

// ---- outcomes ----

/// Applies the outcome of the call that the task waits for, or that a card asks about. Any other outcome is
/// [`Reason::EffectSuperseded`].
pub(crate) fn settled(turn: &mut Turn<'_>, id: &TaskId, effect: &EffectId, outcome: &Outcome) -> Reason {
    if let Some(reason) = issue_lookup::settled(turn, id, effect, outcome) {
        return reason;
    }
    let Some(mut task) = turn.get::<Task>(id).cloned() else { return Reason::EffectSuperseded };
    let Some(work) = task.work.as_mut() else { return Reason::EffectSuperseded };
    let card = work.card.as_ref().and_then(|card| turn.get::<Card>(card).cloned());
    let waits = work.effect.as_ref() == Some(effect);
    let late = card.clone().filter(|card| card.is_open() && card.uncertain_effect() == Some(effect));
    match (&late, outcome) {
        (_, _) if waits => {}
        (Some(_), Outcome::Done { .. } | Outcome::Failed { .. }) => {}
        _ => return Reason::EffectSuperseded,
    }
    work.effect = None;
    let job = work.job.clone();
    // A host that repeats its request is shown the card that decided it.
    if job.act().is_none() {
        work.card = None;
    }
    let at = turn.moment(&task);
    let (to, words) = match outcome {
        Outcome::Done { result: EffectResult::Asked(_) } => (TaskStatus::Blocked, String::new()),
        Outcome::Done { result: EffectResult::Stopped { text } } => {
            (TaskStatus::Cancelled, words_of(turn.language(), text))
        }
        Outcome::Done { result } => (TaskStatus::Completed, answer(turn.language(), result)),
        Outcome::Failed { text, errors, .. } if asked_again(turn, &job, errors).is_some() => {
            (TaskStatus::Blocked, words_of(turn.language(), &text.text(turn.language())))
        }
        Outcome::Failed { text, .. } => {
            (TaskStatus::Failed, words_of(turn.language(), &text.text(turn.language())))
        }
        Outcome::Uncertain { text } => (TaskStatus::Blocked, text.text(turn.language())),
    };
    if task.move_to(to, at) != TaskMove::Changed {
        turn.put_task(task);
        return Reason::EffectSuperseded;
    }
    task.set_answer(&words);
    if let Some(asks) = late {
        close(turn, asks, CardStatus::Withdrawn, CloseReason::Cancelled);
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
            question_asked(turn, &mut task, effect, asked);
        }
        Outcome::Done { result: EffectResult::Stopped { .. } } => {
            shown_on(turn, card.as_ref(), Progress::Stopped);
            turn.pass_on(
                &job,
                MessageKind::Answer,
                Some(id),
                &messages::call::was_stopped(turn.language(), &job, &words),
            );
        }
        Outcome::Done { .. } => {
            shown_on(turn, card.as_ref(), Progress::Done);
            // The card of an option list shows the result of its option.
            match &job {
                Job::Option(_) => {}
                Job::Change(planned) => {
                    let made = messages::change::made(turn.language(), planned);
                    turn.say(MessageKind::Answer, Some(id), &made);
                }
                _ => {
                    let told = messages::call::answered(turn.language(), &job, &words);
                    turn.pass_on(&job, MessageKind::Answer, Some(id), &told);
                }
            }
        }
        Outcome::Failed { reason, errors, .. } => {
            let errors_shown = messages::shown(turn.language(), errors);
            let over = Progress::Failed { text: words.clone(), errors: errors_shown, again: None };
            shown_on(turn, card.as_ref(), over);
            if let Some((tool, args)) = asked_again(turn, &job, errors) {
                turn.pass_on(
                    &job,
                    MessageKind::Answer,
                    Some(id),
                    &messages::call::could_not(turn.language(), &job, &words),
                );
                let _ = complete(turn, task, &tool, args);
                return Reason::EffectSettled;
            }
            if reason == "gave_up" {
                offer_again(turn, &task, &job);
            } else {
                turn.pass_on(
                    &job,
                    MessageKind::Answer,
                    Some(id),
                    &messages::call::could_not(turn.language(), &job, &words),
                );
            }
        }
        Outcome::Uncertain { .. } => uncertain(turn, &mut task, card, effect),
    }
    turn.put_task(task);
    Reason::EffectSettled
}

/// Returns the call without the arguments the tool rejected, so that they are asked for again. `None` if it
/// rejected none, or a conversational question is open.
fn asked_again(
    turn: &Turn<'_>,
    job: &Job,
    errors: &[FieldFault],
) -> Option<(String, BTreeMap<String, String>)> {
    let Job::Tool { name, args } = job else { return None };
    let spec = turn.policy.tools.get(name).filter(|_| turn.conversational().is_none())?;
    let wrong =
        |error: &&FieldFault| error.code == FieldError::ARGUMENT && spec.args.contains_key(&error.field);
    let wrong: Vec<&FieldFault> = errors.iter().filter(wrong).collect();
    let mut args = args.clone();
    wrong.iter().for_each(|error| drop(args.remove(&error.field)));
    (!wrong.is_empty()).then(|| (name.clone(), args))
}

/// Writes progress to the card that released the call, and to the receipt behind it.
fn shown_on(turn: &mut Turn<'_>, card: Option<&Card>, progress: Progress) {
    let Some(card) = card else { return };
    if let Some(receipt) = card.receipt() {
        shown_behind(turn, receipt, &progress);
    }
    result_on(turn, &card.id, progress);
}

/// Writes progress to a receipt, and to the questions about it that were answered before.
pub(super) fn shown_behind(turn: &mut Turn<'_>, receipt: &CardId, progress: &Progress) {
    result_on(turn, receipt, progress.clone());
    for asked in following(turn, receipt) {
        result_on(turn, &asked.id, progress.clone());
    }
}

/// Asks a person about a call with an unknown outcome. Nothing is sent again unless they approve it.
fn uncertain(turn: &mut Turn<'_>, task: &mut Task, card: Option<Card>, effect: &EffectId) {
    let Some((card, (call, source))) = card.as_ref().and_then(|card| card.call().map(|call| (card, call)))
    else {
        // The call had no card, or its card was erased, so there is no approval to repeat it under.
        let words = task
            .work
            .as_ref()
            .map(|work| messages::call::maybe_done(turn.language(), &work.job))
            .unwrap_or_default();
        turn.say(MessageKind::Answer, Some(&task.id), &words);
        return;
    };
    let parent = card.receipt().unwrap_or(&card.id).clone();
    let (effect, call, source) = (effect.clone(), call.clone(), source.clone());
    let asks =
        turn.show(CardSubject::UncertainCall { effect, call, source, parent }, &card.by, Some(&task.id));
    shown_on(turn, Some(card), Progress::Uncertain { card: asks.clone() });
    if let Some(work) = &mut task.work {
        work.card = Some(asks);
    }
}

/// Applies *It happened*: settles an uncertain call as done, on an approver's word.
pub(crate) fn happened(turn: &mut Turn<'_>, card: Card) {
    let Some((effect, receipt)) = card.uncertain_effect().zip(card.receipt()) else { return };
    let result = EffectResult::Said { text: String::new() };
    let done = Outcome::Done { result };
    if let Some(task) = card.task() {
        lists::settled(turn, task, &done);
    }
    turn.adopt(effect, done);
    shown_behind(turn, receipt, &Progress::Done);
    end_of(turn, &card, TaskStatus::Completed);
    decide(turn, card, Action::Happened, Progress::Done);
}

/// Applies *Do it again*: cancels the old effect and sends the call anew under this card's approval.
pub(crate) fn again(turn: &mut Turn<'_>, card: Card) {
    let Some(((call, _), effect)) = card.call().zip(card.uncertain_effect()) else { return };
    turn.cancel(effect);
    if let Some(task) = turn.get::<Task>(&call.task).cloned() {
        turn.send(task, call.clone(), Some(released_by(&card)));
    }
    decide(turn, card, Action::DoAgain, Progress::None);
}

fn answer(language: Language, result: &EffectResult) -> String {
    match result {
        EffectResult::Said { text } => words_of(language, text),
        _ => String::new(),
    }
}

/// Offers to try a call again after it gave up, if it only reads. Not while a conversational question is
/// open.
fn offer_again(turn: &mut Turn<'_>, task: &Task, job: &Job) {
    let asking = turn.head.pendings.iter().any(|open| open.kind.class() == PendingClass::Conversational);
    if asking || risk(turn.policy, job).is_none_or(Risk::is_outward) {
        turn.say(MessageKind::Answer, Some(&task.id), &messages::call::no_answer(turn.language(), job));
        return;
    }
    let asked = turn.say(MessageKind::Question, Some(&task.id), &messages::call::again(turn.language(), job));
    let kind = match job {
        Job::Tool { name, .. } => PendingKind::ToolRetryOffer { tool: name.clone() },
        Job::Agent { name } => PendingKind::DelegationOffer { agent: name.clone() },
        Job::Option(_) | Job::Change(_) | Job::Act(_) => return,
    };
    let by = Some(task.requested_by.as_str()).filter(|by| !by.is_empty());
    turn.open_pending(kind, Some(Expected::Boolean), &asked, Some(&task.id), by, None);
}
