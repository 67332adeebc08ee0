//! The selection rung: carries out what `resolve.rs` decides about a text. An option is executed, a question
//! is asked, or the text goes on to the next rung. The outcomes of executed options are recorded here too.

use crate::data::task::Task;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::call::CallPhase;
use crate::data::call::{Call, Job};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::outcome::Outcome;
use crate::data::event::EventKind;
use crate::data::id::{MessageId, SetId, TaskId};
use crate::data::message::MessageKind;
use crate::data::option_set::OptionSet;
use crate::data::permit::ChosenOption;
use crate::data::scope::Scope;
use crate::data::selection_trace::{Provenance, Signal};
use crate::data::set_option::{OptionRole, SetOption};
use crate::data::time::Timestamp;
use crate::data::trace::Predicate;
use crate::data::view::{
    ActionKind, ActionOutcome, ClarifierType, InFlight, LastChoice, ParkReason, ScopeQuestion, TargetRef,
    TraceEntry, View,
};
use crate::messages::option as words;
use crate::selection::newest::{asked_since, left_since, other_choices};
use crate::selection::resolution::{ClarifyingQuestion, Execution, QuestionSubject, Resolution};
use crate::selection::resolve::resolve;
use crate::selection::target_list::{ReplyTo, ResolveInput};
use crate::selection::{clarify, handoff, model_pick};
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::routed_message::{context, focus};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Expected, Value, Words};
use throughline_messages as say;

/// Counts a person's accepted text and ends what has outlived its lifetime, before the text is read.
pub(crate) fn begin(turn: &mut Turn<'_>, said: &RoutedMessage) {
    if !turn.has_lists() {
        return;
    }
    let mut view = turn.view(&said.by);
    let policy = &turn.policy.selection;
    view.tick(turn.now(), policy, |id| turn.kind_of(id));
    drop_ended_executions(turn, &mut view);
    // A text that was joined to an earlier one starts a new cycle.
    let asks = turn
        .head
        .ask
        .as_ref()
        .is_some_and(|ask| ask.about == crate::data::ask::AnswerRecipient::Selection(view.user.clone()));
    view.cycle = view.cycle.take().filter(|_| asks);
    turn.put_view(view);
    turn.sweep_lists();
}

/// Removes executions from the view whose task has ended: the approval was refused, or the task was stopped.
pub(super) fn drop_ended_executions(turn: &Turn<'_>, view: &mut View) {
    let lives = |task: &TaskId| turn.get::<Task>(task).is_some_and(|task| task.status.is_live());
    view.in_flight.retain(|act| lives(&act.task));
}

/// Reads a text against the lists of the person who wrote it.
pub(crate) fn selection(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    if !turn.selects() {
        return Passed(Predicate::SelectionOff);
    }
    if !turn.has_lists() {
        return Passed(Predicate::NoOptions);
    }
    let view = turn.view(&said.by);
    if view.refined.is_some_and(|turn| view.within(turn, 1)) {
        return Passed(refined(turn, said, view));
    }
    let asked = view.scope_question.is_some();
    let there = match scope_answer(turn, said, &view) {
        ScopeAnswer::ListChanged(decision) => return Decided(decision),
        ScopeAnswer::Place(words, place) => Some((words, place)),
        ScopeAnswer::Nothing => None,
    };
    let (words, place) = there.as_ref().map_or((&said.words, None), |(words, place)| (words, Some(place)));
    // Reading the answer ended the scope question in the stored view.
    let mut view = if asked { turn.view(&said.by) } else { view };
    let yes = plain_yes(turn, words).filter(|_| !asked_since(turn, &view));
    let reply = reply(turn);
    let ruling = read(turn, &view, words, (&reply, place, yes, said.since));
    if yes == Some(false) {
        view.denied = Some(view.turn);
    }
    match ruling {
        Resolution::Pass(reason) => Passed(leave(turn, said, view, reason)),
        Resolution::Act(act) => acted(turn, said, view, *act),
        Resolution::Ask(question) => Decided(ask(turn, said, view, *question)),
    }
}

/// Reads a text against the lists of a view.
pub(super) fn read(
    turn: &Turn<'_>,
    view: &View,
    words: &Words,
    (reply, place, yes, since): (&ReplyTo, Option<&super::target_list::ScopePlace>, Option<bool>, Timestamp),
) -> Resolution {
    let sets: Vec<&OptionSet> =
        turn.all::<OptionSet>().filter(|set| view.standing(&set.id).is_some()).collect();
    let others = other_choices(turn, &view.user);
    resolve(&ResolveInput {
        lexicon: super::lexicon(words),
        view,
        sets: &sets,
        message: words,
        reply,
        place,
        yes,
        since,
        others: &others,
        contested: turn.trace.also.contains(&Reason::PendingNewer),
        left_since: left_since(turn, since),
        policy: &turn.policy.selection,
        now: turn.now(),
    })
}

/// The message that the text replies to. One that only its host stored is known by the list that it shows.
fn reply(turn: &Turn<'_>) -> ReplyTo {
    let focus = focus(turn);
    if !focus.replies() {
        return ReplyTo::Nothing;
    }
    if let Some(anchor) = focus.anchor_id() {
        return ReplyTo::Message(anchor.clone());
    }
    let EventKind::MessagePosted(posted) = &turn.event.kind else { return ReplyTo::Unknown };
    let raw = posted.reply_to.as_deref().map(MessageId::from);
    let shows = |message: &MessageId| turn.all::<OptionSet>().any(|set| set.shown_in().contains(message));
    raw.filter(shows).map_or(ReplyTo::Unknown, ReplyTo::Message)
}

/// Returns true if the whole message is a yes, false if it is a no.
pub(super) fn plain_yes(turn: &Turn<'_>, words: &Words) -> Option<bool> {
    if words.all().len() > 3 {
        return None;
    }
    let found = language::read(&Expected::Boolean, words, &context(turn)).ok()?;
    match found.value {
        // "Ok, thanks" ends a conversation and is no yes.
        Value::Boolean(yes) if found.remainder.is_none() => Some(yes)
            .filter(|yes| !yes || !language::is_acknowledgement(words, &context(turn)) || plain(words)),
        _ => None,
    }
}

/// True if the message is one word. "Ok" alone may end a conversation or say yes; the pending question
/// decides.
fn plain(words: &Words) -> bool {
    words.all().len() == 1
}

// ---- executing an option ----

fn acted(turn: &mut Turn<'_>, said: &RoutedMessage, view: View, act: Execution) -> RungResult {
    let remainder = act.remainder.clone();
    let by_model =
        act.reason == Reason::OptionConfirmed && view.clarifier.as_ref().is_some_and(|asked| asked.by_model);
    let provenance = if by_model { Provenance::LlmInfluenced } else { Provenance::Deterministic };
    let reason = act.reason;
    turn.selection_trace().signals.push(Signal::Resolved);
    let decision = execute(turn, view, act, provenance);
    let Some(rest) = remainder else { return Decided(decision) };
    // The rest of the message goes on as a message of its own.
    turn.note(reason);
    turn.another_task();
    let words = Words::new(&rest, turn.languages());
    turn.selection_trace().handoff = Some(handoff::of_rest(turn, said, &words));
    turn.route(said.saying(words));
    Passed(Predicate::OptionTaken)
}

/// Starts an option. One that only reads runs at once, any other waits for its approval.
pub(super) fn execute(
    turn: &mut Turn<'_>,
    mut view: View,
    act: Execution,
    provenance: Provenance,
) -> Decision {
    let is = act.chosen.identity();
    let Some(set) = turn.get::<OptionSet>(&is.set).cloned() else {
        return Decision::new(Verdict::Refused, Reason::StaleVersion);
    };
    let Some(option) = set.option(&is.option).map(|(_, option)| option.clone()) else {
        return Decision::new(Verdict::Refused, Reason::StaleVersion);
    };
    match option.role {
        OptionRole::Normal => {}
        OptionRole::Exit => return leave_list(turn, view, &set, act.reason),
        OptionRole::NoneOfThese => return reject_all(turn, view, &set),
    }
    make_active(turn, &mut view, &set);
    if let Some(wrong) = act.corrects.and_then(|at| set.options.get(at)) {
        view.reject(&wrong.id, &turn.policy.selection);
    }
    view.unreject(&option.id);
    view.settle_questions();
    if let Some(guard) = view.guard.as_mut().filter(|guard| guard.suggested.as_ref() == Some(&option.id)) {
        guard.executed = true;
    }
    note_set(turn, &set);
    // What waits for an approval is neither executed nor done.
    let waits = option.risk.is_outward();
    let account = turn.selection_trace();
    account.selected = (!waits).then(|| option.id.clone());
    account.provenance = Some(provenance);
    let task = run(turn, act.chosen, &option);
    view.in_flight.push(InFlight { task, set: set.id.clone(), option: option.id.clone() });
    view.last_choice = Some(LastChoice { set: set.id.clone(), revision: turn.revision(), at: turn.now() });
    turn.put_view(view);
    Decision::new(if waits { Verdict::Shown } else { Verdict::Done }, act.reason)
}

/// Makes a list the active one when it is called for or asked about, so that it lives as long as what was just shown, and
/// updates the latch.
pub(super) fn make_active(turn: &Turn<'_>, view: &mut View, set: &OptionSet) {
    if view.standing(&set.id).is_some() && set.is_executable() {
        view.revive(set, turn.now(), |id| turn.kind_of(id));
    }
    if let Some(latch) = view.latch.as_mut() {
        latch.suspended = set.scope == Scope::Chat;
    }
    if set.scope == Scope::Widget {
        view.latch_on(&set.scope_instance, true);
    }
}

/// Says of an option that was chosen before what it waits for.
pub(super) fn under_way(turn: &Turn<'_>, view: &View, set: &SetId, option: &str) -> String {
    let label = turn.get::<OptionSet>(set).and_then(|set| set.option(option)).map(|(_, it)| it.label.clone());
    let label = label.unwrap_or_default();
    let act = view.in_flight.iter().find(|act| act.set == *set && act.option == option);
    let work = act.and_then(|act| turn.get::<Task>(&act.task)).and_then(|task| task.work.as_ref());
    if work.is_some_and(|work| work.effect.is_none() && work.card.is_some()) {
        return say::option_waits(turn.language(), &label);
    }
    say::option_on_its_way(turn.language(), &label)
}

fn run(turn: &mut Turn<'_>, chosen: ChosenOption, option: &SetOption) -> TaskId {
    let source = turn.source();
    let id = turn.start_task(&option.label, chosen.user());
    let call = Call {
        job: Job::Option(chosen),
        phase: CallPhase::Begin,
        task: id.clone(),
        text: option.label.clone(),
        risk: option.risk,
        prompt: None,
    };
    turn.run_option(call, source);
    id
}

/// Records the outcome of an executed option. Only from here on it counts as the last action.
pub(crate) fn settled(turn: &mut Turn<'_>, task: &TaskId, outcome: &Outcome) {
    let work = turn.get::<Task>(task).and_then(|task| task.work.clone());
    let Some((Job::Option(chosen), card)) = work.map(|work| (work.job, work.card)) else { return };
    let success = match outcome {
        Outcome::Done { .. } => Some(true),
        Outcome::Failed { .. } => Some(false),
        // A card asks what came of it, so the option stays in flight.
        Outcome::Uncertain { .. } if card.is_some() => return,
        // Nobody knows, and nothing was changed: it counts for nothing, and may be chosen again.
        Outcome::Uncertain { .. } => None,
    };
    let mut view = turn.view(chosen.user());
    let is = chosen.identity();
    let before = view.in_flight.len();
    view.in_flight.retain(|act| act.task != *task);
    if view.in_flight.len() == before {
        return;
    }
    let Some(success) = success else { return turn.put_view(view) };
    let entry = TraceEntry {
        kind: ActionKind::SelectOption,
        target_ref: TargetRef {
            kind: if chosen.scope() == Scope::Chat { "choice".into() } else { "widget_item".into() },
            id: is.option.clone(),
            label: chosen.label().into(),
        },
        source_scope: chosen.scope(),
        option_set_id: Some(is.set.clone()),
        timestamp: turn.now(),
        outcome: if success { ActionOutcome::Success } else { ActionOutcome::Failed },
        turn: view.turn,
        executed: Some(is.clone()),
    };
    view.trace(entry.clone(), turn.policy.selection.trace);
    if success {
        view.last_resolved_action = Some(entry);
        // A list that runs something else by now is another question, and stays open.
        if let Some(set) = turn.get::<OptionSet>(&is.set).filter(|set| set.exec_rev == is.exec_rev) {
            view.record_execution(set, &is.option, turn.now(), &turn.policy.selection);
        }
    }
    turn.put_view(view);
}

// ---- asking ----

/// Asks a model if one may be asked, else the person.
pub(super) fn ask(
    turn: &mut Turn<'_>,
    said: &Rc<RoutedMessage>,
    view: View,
    question: ClarifyingQuestion,
) -> Decision {
    note_question(turn, &view, &question);
    match model_pick::open(turn, said, view, &question) {
        Ok(decision) => decision,
        Err(back) => {
            let (view, question) = *back;
            let by_model = question.reason == Reason::LoopGuardContinuity;
            let provenance = if by_model { Provenance::LlmInfluenced } else { Provenance::SafeClarifier };
            clarify::ask(turn, view, &question, provenance)
        }
    }
}

/// Writes the candidates and hints of a question to the turn's record.
fn note_question(turn: &mut Turn<'_>, view: &View, question: &ClarifyingQuestion) {
    let set = match &question.about {
        QuestionSubject::List { set, .. }
        | QuestionSubject::More { set }
        | QuestionSubject::Confirm { set, .. }
        | QuestionSubject::Refine { set, .. } => Some(set.clone()),
        QuestionSubject::Scopes { .. } | QuestionSubject::Running { .. } | QuestionSubject::Nothing => {
            view.active_option_set_id.clone()
        }
    };
    let Some(set) = set.and_then(|id| turn.get::<OptionSet>(&id).cloned()) else { return };
    note_set(turn, &set);
    let account = turn.selection_trace();
    account.collisions = crate::data::selection_trace::Collision::of(question.reason).into_iter().collect();
    if let Some(open) = &question.open {
        let ids = open.hints.iter().filter_map(|at| set.options.get(*at)).map(|option| option.id.clone());
        account.hints = ids.collect();
        account.blocked = open.blocked.map(super::continuity::FailedGate::name);
    }
}

pub(super) fn note_set(turn: &mut Turn<'_>, set: &OptionSet) {
    let account = turn.selection_trace();
    account.set = Some(set.id.clone());
    account.scope = Some(set.scope);
    account.candidates = u32::try_from(set.options.len()).unwrap_or(u32::MAX);
}

/// The outcome of a question where an option is.
enum ScopeAnswer {
    /// The person named the place: the kept text is read there.
    Place(Words, super::target_list::ScopePlace),
    /// The list in that place has changed since, so it is shown.
    ListChanged(Decision),
    /// No question was open, or the text does not answer it.
    Nothing,
}

fn scope_answer(turn: &mut Turn<'_>, said: &RoutedMessage, view: &View) -> ScopeAnswer {
    let Some(question) = view.scope_question.clone() else { return ScopeAnswer::Nothing };
    // What was written before the question was put is no answer to it.
    if view.clarifier.as_ref().is_some_and(|asked| asked.at > said.since) {
        return ScopeAnswer::Nothing;
    }
    let ttl = turn.policy.selection.ttl.scope_question;
    let place = Some(&question).filter(|question| view.within(question.turn, ttl)).and_then(|question| {
        let only = match question.places.as_slice() {
            [only] if plain_yes(turn, &said.words) == Some(true) => Some(only.clone()),
            _ => None,
        };
        only.or_else(|| {
            super::scope_phrase::place_answered(
                super::lexicon(&said.words),
                &said.words,
                &question.places,
                &turn.titles(view),
            )
        })
    });
    let mut view = view.clone();
    view.scope_question = None;
    let Some(place) = place else {
        turn.put_view(view);
        return ScopeAnswer::Nothing;
    };
    let at = question.places.iter().position(|known| *known == place);
    let before = at.and_then(|at| question.sets.get(at).cloned().flatten());
    let now = list_in_place(turn, &view, &place);
    match now {
        Some(set) if before.as_ref() == Some(&(set.id.clone(), set.content_rev)) => {
            turn.put_view(view);
            ScopeAnswer::Place(Words::new(&question.text, turn.languages()), place)
        }
        Some(set) => {
            let about = QuestionSubject::List { set: set.id.clone(), first: None, ahead: 0, rejected: 0 };
            let question =
                ClarifyingQuestion::plain(Reason::ScopeAlone, ClarifierType::SelectionDisambiguation, about);
            ScopeAnswer::ListChanged(clarify::ask(turn, view, &question, Provenance::SafeClarifier))
        }
        None => {
            turn.put_view(view);
            ScopeAnswer::Place(Words::new(&question.text, turn.languages()), place)
        }
    }
}

/// Returns the list that is in a place now.
pub(super) fn list_in_place(
    turn: &Turn<'_>,
    view: &View,
    place: &super::target_list::ScopePlace,
) -> Option<OptionSet> {
    let sets: Vec<&OptionSet> =
        turn.all::<OptionSet>().filter(|set| view.standing(&set.id).is_some()).collect();
    let words = Words::default();
    let scene = ResolveInput {
        lexicon: super::lexicon(&words),
        view,
        sets: &sets,
        message: &words,
        reply: &ReplyTo::Nothing,
        since: turn.now(),
        others: &[],
        contested: false,
        left_since: false,
        place: None,
        yes: None,
        policy: &turn.policy.selection,
        now: turn.now(),
    };
    scene.there(place).cloned()
}

/// Keeps a text until the person says where it is meant, with the lists that are in those places now.
pub(super) fn keep_text(
    turn: &Turn<'_>,
    view: &mut View,
    places: &[super::target_list::ScopePlace],
    text: &str,
) {
    let sets =
        places.iter().map(|place| list_in_place(turn, view, place).map(|set| (set.id, set.content_rev)));
    let sets = sets.collect();
    view.scope_question =
        Some(ScopeQuestion { text: text.into(), places: places.into(), sets, turn: view.turn });
}

impl Turn<'_> {
    /// The titles of the places whose lists are in a view.
    pub(super) fn titles(&self, view: &View) -> Vec<(Scope, String, String)> {
        let stands = |set: &&OptionSet| view.standing(&set.id).is_some();
        let titled = |set: &OptionSet| Some((set.scope, set.scope_instance.clone(), set.title.clone()?));
        self.all::<OptionSet>().filter(stands).filter_map(titled).collect()
    }
}

// ---- leaving ----

/// Passes the text after all options were rejected: it says what else is wanted, so it is no choice.
fn refined(turn: &mut Turn<'_>, said: &RoutedMessage, mut view: View) -> Predicate {
    view.refined = None;
    let reason = Reason::SelectionUnlike;
    leave(turn, said, view, reason)
}

/// Passes a text that is no choice. A request parks the active list of the chat; a question or a thank-you
/// does not.
pub(super) fn leave(turn: &mut Turn<'_>, said: &RoutedMessage, mut view: View, reason: Reason) -> Predicate {
    let asks = matches!(reason, Reason::SelectionQuestion | Reason::SelectionVerify);
    let closes = || language::is_acknowledgement(&said.words, &context(turn));
    view.scope_question = None;
    let chat = view.active_scope == Some(Scope::Chat);
    if chat && !asks && reason != Reason::SelectionNothing && !closes() {
        view.park(ParkReason::Interrupt, turn.now());
    }
    if asks
        && let Some(set) =
            view.active_option_set_id.clone().and_then(|id| turn.get::<OptionSet>(&id).cloned())
    {
        view.keep_alive(&set.id, handoff::is_about(&said.words, &set), turn.now());
    }
    turn.selection_trace().handoff = Some(handoff::of(turn, said, &view, reason));
    turn.put_view(view);
    match reason {
        Reason::SelectionOff => Predicate::SelectionOff,
        Reason::SelectionQuestion => Predicate::SelectionQuestion,
        Reason::SelectionVerify => Predicate::SelectionVerify,
        Reason::SelectionCommand => Predicate::SelectionCommand,
        Reason::SelectionReleased => Predicate::SelectionReleased,
        Reason::SelectionNothing => Predicate::NoOptions,
        _ => Predicate::NotAnOption,
    }
}

/// Handles a stop: parks the active list and ends the cycle. Returns the text to add to the answer.
pub(crate) fn stopped(turn: &mut Turn<'_>, user: &str, text: Option<&str>) -> Option<String> {
    if !turn.has_lists() {
        return None;
    }
    let mut view = turn.view(user);
    let ttl = turn.policy.selection.ttl.stop_suppression;
    let again = view.stopped.is_some_and(|turn| view.within(turn, ttl));
    let now = turn.now();
    view.stopped = Some(view.turn);
    view.cycle = None;
    let open = view.active_option_set_id.clone().and_then(|id| turn.get::<OptionSet>(&id).cloned());
    let told = match open {
        Some(set) => {
            view.park(ParkReason::Stop, now);
            view.latch = None;
            note_set(turn, &set);
            let named = text.and_then(|text| named(&set, text));
            Some(words::put_aside(turn.language(), named))
        }
        None if again => Some(say::option_all_set(turn.language())),
        None => {
            // Without an open list the view starts afresh.
            view =
                View { user: view.user.clone(), turn: view.turn, stopped: view.stopped, ..View::default() };
            None
        }
    };
    turn.put_view(view);
    turn.sweep_lists();
    told
}

/// Returns the label of the option whose name was taken as a stop.
fn named<'s>(set: &'s OptionSet, text: &str) -> Option<&'s str> {
    let (own, _) = super::target_list::names_only_pool(set).whole(text);
    (own.count_ones() == 1).then(|| set.options[own.trailing_zeros() as usize].label.as_str())
}

/// Parks a list after *Leave the list*, or after an option with that role.
pub(super) fn leave_list(turn: &mut Turn<'_>, mut view: View, set: &OptionSet, reason: Reason) -> Decision {
    note_set(turn, set);
    if view.active_option_set_id.as_ref() == Some(&set.id) {
        view.park(ParkReason::Stop, turn.now());
    }
    turn.put_view(view);
    turn.say(MessageKind::Answer, None, &words::put_aside(turn.language(), None));
    Decision::new(Verdict::Done, reason)
}

/// Rejects all options after *None of these*, or after an option with that role.
pub(super) fn reject_all(turn: &mut Turn<'_>, view: View, set: &OptionSet) -> Decision {
    let rejected = set.those(|option| option.role == OptionRole::Normal);
    let about = QuestionSubject::Refine { set: set.id.clone(), rejected };
    let question = ClarifyingQuestion::plain(Reason::ListRejected, ClarifierType::Repair, about);
    note_set(turn, set);
    clarify::ask(turn, view, &question, Provenance::SafeClarifier)
}

impl View {
    /// Clears the open questions after they were answered.
    fn settle_questions(&mut self) {
        self.pending_clarifier_type = ClarifierType::None;
        self.clarifier = None;
        self.scope_question = None;
        self.attempts = 0;
        self.refined = None;
    }

    /// Adds an action to the trace, newest first, and keeps at most `most`.
    pub(super) fn trace(&mut self, entry: TraceEntry, most: usize) {
        self.recent_action_trace.insert(0, entry);
        self.recent_action_trace.truncate(most);
    }
}

impl crate::data::selection_trace::Collision {
    /// Returns the kind of ambiguity behind a question's reason.
    fn of(reason: Reason) -> Option<Self> {
        match reason {
            Reason::OptionTie => Some(Self::LabelTie),
            Reason::OptionCollision => Some(Self::Reading),
            Reason::OptionCommand => Some(Self::Command),
            Reason::OptionElsewhere => Some(Self::CrossSource),
            _ => None,
        }
    }
}

/// Returns the list with this id, if it is in the person's view.
pub(super) fn standing_set(turn: &Turn<'_>, view: &View, id: &SetId) -> Option<OptionSet> {
    view.standing(id).and_then(|_| turn.get::<OptionSet>(id)).cloned()
}
