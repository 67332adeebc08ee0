//! Rung 7: what becomes of a text, a press and an outcome. `ladder.rs` says what a text means; here it is done: executed,
//! asked about, or let through to the next rung.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::ladder::{About, Act, Question, Ruling, rule};
use super::scene::Scene;
use super::{
    ActionKind, ActionOutcome, ClarifierType, InFlight, OptionSet, Parked, Provenance, Role, Scope,
    ScopeQuestion, SetOption, Signal, Status, TargetRef, TraceEntry, View, account, clarify, cycle, handoff,
};
use crate::ask;
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::Outcome;
use crate::id::{MessageId, SetId, TaskId};
use crate::lane::MessageKind;
use crate::recognize::lexicon::RECOGNIZE;
use crate::recognize::{self, Expected, Value, Words};
use crate::rungs::Tried::{self, Decided, Passed};
use crate::rungs::{focus, said, words::context};
use crate::say::option as words;
use crate::trace::Predicate;
use crate::turn::{Said, Turn};
use crate::work::{Call, Chosen, Job, Phase};

/// Counts an accepted text of a person, and ends what has outlived its time (`spec 04 §5`).
pub(crate) fn begin(turn: &mut Turn<'_>) {
    if !turn.has_lists() {
        return;
    }
    let mut view = turn.view(&said(turn).by);
    let policy = &turn.policy.selection;
    view.tick(turn.now(), policy, |id| turn.kind_of(id));
    landed(turn, &mut view);
    // A text that joined another restarts its cycle.
    let asks =
        turn.head.ask.as_ref().is_some_and(|ask| ask.about == ask::Asked::Selection(view.user.clone()));
    view.cycle = view.cycle.take().filter(|_| asks);
    turn.put_view(view);
    turn.sweep_lists();
}

/// What nobody waits for any more is not on its way: its approval was refused, or it was stopped.
pub(super) fn landed(turn: &Turn<'_>, view: &mut View) {
    let lives = |task: &TaskId| turn.task(task).is_some_and(|task| task.status.live());
    view.in_flight.retain(|act| lives(&act.task));
}

/// Rung 7.
pub(crate) fn selection(turn: &mut Turn<'_>) -> Tried {
    if !turn.policy.selection.enabled {
        return Passed(Predicate::SelectionOff);
    }
    if !turn.has_lists() {
        return Passed(Predicate::NoOptions);
    }
    let said = said(turn);
    let view = turn.view(&said.by);
    if view.refined.is_some_and(|turn| view.within(turn, 1)) {
        return Passed(refined(turn, view));
    }
    let asked = view.scope_question.is_some();
    let there = match scope_answer(turn, &view) {
        Asked::Again(decision) => return Decided(decision),
        Asked::There(words, place) => Some((words, place)),
        Asked::Nothing => None,
    };
    let (words, place) = there.as_ref().map_or((&said.words, None), |(words, place)| (words, Some(place)));
    // The question where an option is was answered, or is over.
    let mut view = if asked { turn.view(&said.by) } else { view };
    let yes = plain_yes(turn, words);
    let reply =
        Some(focus(turn)).filter(|focus| focus.replies()).and_then(|focus| focus.anchor_id().cloned());
    let ruling = {
        let sets: Vec<&OptionSet> = turn.sets().filter(|set| view.standing(&set.id).is_some()).collect();
        rule(&Scene {
            lexicon: &RECOGNIZE[0],
            view: &view,
            sets: &sets,
            message: words,
            reply: reply.as_ref(),
            place,
            yes,
            policy: &turn.policy.selection,
            now: turn.now(),
        })
    };
    if yes == Some(false) {
        view.denied = Some(view.turn);
    }
    match ruling {
        Ruling::Pass(reason) => Passed(leave(turn, view, reason)),
        Ruling::Act(act) => acted(turn, view, act),
        Ruling::Ask(question) => Decided(ask(turn, view, *question)),
    }
}

/// The whole message is a yes, or a no.
fn plain_yes(turn: &Turn<'_>, words: &Words) -> Option<bool> {
    if words.all().len() > 3 {
        return None;
    }
    let found = recognize::answer(&Expected::Boolean, words, &context(turn)).ok()?;
    match found.value {
        // "Ok, thanks" closes; it says yes to nothing.
        Value::Boolean(yes) if found.remainder.is_none() => {
            Some(yes).filter(|yes| !yes || !recognize::acknowledgement(words, &context(turn)) || plain(words))
        }
        _ => None,
    }
}

/// One word, which may close a conversation and may say yes: what was asked decides.
fn plain(words: &Words) -> bool {
    words.all().len() == 1
}

// ---- it is executed ----

fn acted(turn: &mut Turn<'_>, view: View, act: Act) -> Tried {
    let remainder = act.remainder.clone();
    let by_model =
        act.reason == Reason::OptionConfirmed && view.clarifier.as_ref().is_some_and(|asked| asked.by_model);
    let provenance = if by_model { Provenance::LlmInfluenced } else { Provenance::Deterministic };
    let reason = act.reason;
    turn.account().signals.push(Signal::Resolved);
    let decision = execute(turn, view, &act, provenance);
    let Some(rest) = remainder else { return Decided(decision) };
    // What else the message says goes on as a message of its own.
    turn.note(reason);
    let said = said(turn);
    turn.another_task();
    let words = Words::of(&rest);
    turn.account().handoff = Some(handoff::of_rest(turn, &words));
    turn.said = Some(Rc::new(Said { words, ..Rc::unwrap_or_clone(said) }));
    Passed(Predicate::OptionTaken)
}

/// Runs an option: what only reads at once, anything else behind its approval (`spec 06 §4.2`).
pub(super) fn execute(turn: &mut Turn<'_>, mut view: View, act: &Act, provenance: Provenance) -> Decision {
    let Some(set) = turn.set_of(&act.set).cloned() else {
        return Decision::new(Verdict::Refused, Reason::StaleVersion);
    };
    let Some(option) = set.options.get(act.option).cloned() else {
        return Decision::new(Verdict::Refused, Reason::StaleVersion);
    };
    match option.role {
        Role::Normal => {}
        Role::Exit => return leave_list(turn, view, &set, act.reason),
        Role::NoneOfThese => return reject_all(turn, view, &set),
    }
    stand(turn, &mut view, &set);
    if let Some(wrong) = act.corrects.and_then(|at| set.options.get(at)) {
        view.reject(&wrong.id, &turn.policy.selection);
    }
    view.unreject(&option.id);
    view.settle_questions();
    if let Some(guard) = view.guard.as_mut().filter(|guard| guard.suggested.as_ref() == Some(&option.id)) {
        guard.executed = true;
    }
    note_set(turn, &set);
    let account = turn.account();
    account.selected = Some(option.id.clone());
    account.provenance = Some(provenance);
    let task = run(turn, &view.user, &set, &option);
    view.in_flight.push(InFlight { task, set: set.id.clone(), option: option.id.clone() });
    turn.put_view(view);
    Decision::new(Verdict::Done, act.reason)
}

/// A list that was called for is the one that is open now.
pub(super) fn stand(turn: &Turn<'_>, view: &mut View, set: &OptionSet) {
    let parked = |status: Status| matches!(status, Status::Parked(_));
    if view.standing(&set.id).is_some_and(|standing| parked(standing.status)) && set.executable() {
        view.revive(set, turn.now(), |id| turn.kind_of(id));
    }
    if let Some(latch) = view.latch.as_mut() {
        latch.suspended = set.scope == Scope::Chat;
    }
    if set.scope == Scope::Widget {
        view.latch_on(&set.scope_instance, true);
    }
}

fn run(turn: &mut Turn<'_>, user: &str, set: &OptionSet, option: &SetOption) -> TaskId {
    let chosen = Chosen {
        user: user.into(),
        set: set.id.clone(),
        scope: set.scope,
        scope_instance: set.scope_instance.clone(),
        option: option.id.clone(),
        label: option.label.clone(),
        exec_ref: option.exec_ref.clone().unwrap_or_default(),
        exec_rev: set.exec_rev,
    };
    let source = turn.said.as_ref().map_or_else(|| MessageId::from(""), |said| said.message.clone());
    let id = turn.start_task(&option.label, user);
    let call = Call {
        job: Job::Option(chosen),
        phase: Phase::Begin,
        task: id.clone(),
        text: option.label.clone(),
        risk: option.risk,
        prompt: None,
    };
    turn.run_option(call, source);
    id
}

/// The outcome of an option that was executed: only now it is what was done last (`spec 04 §3`).
pub(crate) fn settled(turn: &mut Turn<'_>, task: &TaskId, outcome: &Outcome) {
    let Some(Job::Option(chosen)) = turn.task(task).and_then(|task| task.work).map(|work| work.job) else {
        return;
    };
    let success = match outcome {
        Outcome::Done { .. } => true,
        Outcome::Failed { .. } => false,
        // Nobody knows yet: until somebody does, it is on its way.
        Outcome::Uncertain { .. } => return,
    };
    let mut view = turn.view(&chosen.user);
    let before = view.in_flight.len();
    view.in_flight.retain(|act| act.task != *task);
    if view.in_flight.len() == before {
        return;
    }
    let entry = TraceEntry {
        kind: ActionKind::SelectOption,
        target_ref: TargetRef {
            kind: if chosen.scope == Scope::Chat { "choice".into() } else { "widget_item".into() },
            id: chosen.option.clone(),
            label: chosen.label.clone(),
        },
        source_scope: chosen.scope,
        option_set_id: Some(chosen.set.clone()),
        timestamp: turn.now(),
        outcome: if success { ActionOutcome::Success } else { ActionOutcome::Failed },
        turn: view.turn,
    };
    view.trace(entry.clone(), turn.policy.selection.trace);
    if success {
        view.last_resolved_action = Some(entry);
        if let Some(set) = turn.set_of(&chosen.set) {
            view.done(set, &chosen.option, turn.now(), &turn.policy.selection);
        }
    }
    turn.put_view(view);
}

// ---- it is asked about ----

/// Asks, by a model first where one may be asked.
pub(super) fn ask(turn: &mut Turn<'_>, view: View, question: Question) -> Decision {
    note_question(turn, &view, &question);
    match cycle::open(turn, view, &question) {
        Ok(decision) => decision,
        Err(back) => {
            let (view, question) = *back;
            let by_model = question.reason == Reason::LoopGuardContinuity;
            let provenance = if by_model { Provenance::LlmInfluenced } else { Provenance::SafeClarifier };
            clarify::ask(turn, view, &question, provenance)
        }
    }
}

/// For the turn's row: what the text could mean, and what it resembles.
fn note_question(turn: &mut Turn<'_>, view: &View, question: &Question) {
    let set = match &question.about {
        About::List { set, .. }
        | About::More { set }
        | About::Confirm { set, .. }
        | About::Refine { set, .. } => Some(set.clone()),
        About::Scopes { .. } | About::Nothing => view.active_option_set_id.clone(),
    };
    let Some(set) = set.and_then(|id| turn.set_of(&id).cloned()) else { return };
    note_set(turn, &set);
    let account = turn.account();
    account.collisions = account::Collision::of(question.reason).into_iter().collect();
    if let Some(open) = &question.open {
        let ids = open.hints.iter().filter_map(|at| set.options.get(*at)).map(|option| option.id.clone());
        account.hints = ids.collect();
        account.blocked = open.blocked.map(super::winner::Blocked::word);
    }
}

pub(super) fn note_set(turn: &mut Turn<'_>, set: &OptionSet) {
    let account = turn.account();
    account.set = Some(set.id.clone());
    account.scope = Some(set.scope);
    account.candidates = u32::try_from(set.options.len()).unwrap_or(u32::MAX);
}

/// What became of the question where an option is (`spec 04 §8.6`).
enum Asked {
    /// The text that waited, and where it is meant.
    There(Words, super::scene::Where),
    /// The list there is another by now, so it is shown.
    Again(Decision),
    /// Nothing was asked, or something else was said.
    Nothing,
}

fn scope_answer(turn: &mut Turn<'_>, view: &View) -> Asked {
    let Some(question) = view.scope_question.clone() else { return Asked::Nothing };
    let said = said(turn);
    let ttl = turn.policy.selection.ttl.scope_question;
    let place = Some(&question).filter(|question| view.within(question.turn, ttl)).and_then(|question| {
        let only = match question.places.as_slice() {
            [only] if plain_yes(turn, &said.words) == Some(true) => Some(only.clone()),
            _ => None,
        };
        only.or_else(|| {
            super::cue::answered(&RECOGNIZE[0], &said.words, &question.places, &turn.titles(view))
        })
    });
    let mut view = view.clone();
    view.scope_question = None;
    let Some(place) = place else {
        turn.put_view(view);
        return Asked::Nothing;
    };
    let at = question.places.iter().position(|known| *known == place);
    let before = at.and_then(|at| question.sets.get(at).cloned().flatten());
    let now = there(turn, &view, &place);
    match now {
        Some(set) if before.as_ref() == Some(&(set.id.clone(), set.content_rev)) => {
            turn.put_view(view);
            Asked::There(Words::of(&question.text), place)
        }
        Some(set) => {
            let about = About::List { set: set.id.clone(), first: None, rejected: 0 };
            let question = Question::plain(Reason::ScopeAlone, ClarifierType::SelectionDisambiguation, about);
            Asked::Again(clarify::ask(turn, view, &question, Provenance::SafeClarifier))
        }
        None => {
            turn.put_view(view);
            Asked::There(Words::of(&question.text), place)
        }
    }
}

/// The list that is in a place now.
pub(super) fn there(turn: &Turn<'_>, view: &View, place: &super::scene::Where) -> Option<OptionSet> {
    let sets: Vec<&OptionSet> = turn.sets().filter(|set| view.standing(&set.id).is_some()).collect();
    let words = Words::default();
    let scene = Scene {
        lexicon: &RECOGNIZE[0],
        view,
        sets: &sets,
        message: &words,
        reply: None,
        place: None,
        yes: None,
        policy: &turn.policy.selection,
        now: turn.now(),
    };
    scene.there(place).cloned()
}

/// Keeps a text until it is said where it is meant.
pub(super) fn keep_text(turn: &Turn<'_>, view: &mut View, places: &[super::scene::Where], text: &str) {
    let sets = places.iter().map(|place| there(turn, view, place).map(|set| (set.id, set.content_rev)));
    let sets = sets.collect();
    view.scope_question =
        Some(ScopeQuestion { text: text.into(), places: places.into(), sets, turn: view.turn });
}

impl Turn<'_> {
    /// What people call the places whose lists stand for a person.
    pub(super) fn titles(&self, view: &View) -> Vec<(Scope, String, String)> {
        let stands = |set: &&OptionSet| view.standing(&set.id).is_some();
        let titled = |set: &OptionSet| Some((set.scope, set.scope_instance.clone(), set.title.clone()?));
        self.sets().filter(stands).filter_map(titled).collect()
    }
}

// ---- it leaves the lane ----

/// All were rejected, and what else is wanted was asked: the next text is no choice.
fn refined(turn: &mut Turn<'_>, mut view: View) -> Predicate {
    view.refined = None;
    let reason = Reason::SelectionUnlike;
    leave(turn, view, reason)
}

/// A text that is no choice goes on. A request puts a list of the chat aside; a question or a thank-you does not.
pub(super) fn leave(turn: &mut Turn<'_>, mut view: View, reason: Reason) -> Predicate {
    let asks = matches!(reason, Reason::SelectionQuestion | Reason::SelectionVerify);
    let closes = || recognize::acknowledgement(&said(turn).words, &context(turn));
    view.scope_question = None;
    let chat = view.active_scope == Some(Scope::Chat);
    if chat && !asks && reason != Reason::SelectionNothing && !closes() {
        view.park(Parked::Interrupt, turn.now());
    }
    turn.account().handoff = Some(handoff::of(turn, &view, reason));
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

/// A stop: the open list is put aside, and what a model is asked about it is over. What the answer says of it.
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
    let open = view.active_option_set_id.clone().and_then(|id| turn.set_of(&id).cloned());
    let told = match open {
        Some(set) => {
            view.park(Parked::Stop, now);
            view.latch = None;
            note_set(turn, &set);
            let named = text.and_then(|text| named(&set, text));
            Some(words::put_aside(named))
        }
        None if again => Some(words::ALL_SET.into()),
        None => {
            // Nothing is open: nothing is kept of it either.
            view =
                View { user: view.user.clone(), turn: view.turn, stopped: view.stopped, ..View::default() };
            None
        }
    };
    turn.put_view(view);
    turn.sweep_lists();
    told
}

/// An option that is called what was taken as a stop.
fn named<'s>(set: &'s OptionSet, text: &str) -> Option<&'s str> {
    let (own, _) = super::scene::bare(set).whole(text);
    (own.count_ones() == 1).then(|| set.options[own.trailing_zeros() as usize].label.as_str())
}

/// *Leave the list*, or an option that says so.
pub(super) fn leave_list(turn: &mut Turn<'_>, mut view: View, set: &OptionSet, reason: Reason) -> Decision {
    note_set(turn, set);
    if view.active_option_set_id.as_ref() == Some(&set.id) {
        view.park(Parked::Stop, turn.now());
    }
    turn.put_view(view);
    turn.say(MessageKind::Answer, None, &words::put_aside(None));
    Decision::new(Verdict::Done, reason)
}

/// *None of these*, or an option that says so.
pub(super) fn reject_all(turn: &mut Turn<'_>, view: View, set: &OptionSet) -> Decision {
    let rejected = set.those(|option| option.role == Role::Normal);
    let about = About::Refine { set: set.id.clone(), rejected };
    let question = Question::plain(Reason::ListRejected, ClarifierType::Repair, about);
    note_set(turn, set);
    clarify::ask(turn, view, &question, Provenance::SafeClarifier)
}

impl View {
    /// What was asked is answered.
    fn settle_questions(&mut self) {
        self.pending_clarifier_type = ClarifierType::None;
        self.clarifier = None;
        self.scope_question = None;
        self.attempts = 0;
        self.refined = None;
    }

    /// One thing more that was done, the newest first.
    pub(super) fn trace(&mut self, entry: TraceEntry, most: usize) {
        self.recent_action_trace.insert(0, entry);
        self.recent_action_trace.truncate(most);
    }
}

impl account::Collision {
    /// What is two things at once, by why it is asked about.
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

/// The list that stands for a person under that id.
pub(super) fn standing_set(turn: &Turn<'_>, view: &View, id: &SetId) -> Option<OptionSet> {
    view.standing(id).and_then(|_| turn.set_of(id)).cloned()
}
