//! Hand-offs: the kind of a text that is no choice, and the thing it is about if exactly one fits. Questions
//! about what was done are answered here (docs/design/0022-choosing-an-option.md).

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::message::MessageKind;
use crate::data::option_set::OptionSet;
use crate::data::scope::Scope;
use crate::data::selection_trace::{Handoff, HandoffKind, HandoffQuestion, Referent, ReferentKind};
use crate::data::view::{ActionOutcome, TraceEntry, View};
use crate::selection::scope_phrase;
use crate::selection::scope_phrase::FoldedWords;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::lexicon::SectionId;
use throughline_language::section;
use throughline_messages as say;

const WHY: SectionId = section("list.why");
const RECENT: SectionId = section("list.recent");
const MEANS: SectionId = section("list.means");
const POINTS: SectionId = section("list.that");
const NOUN: SectionId = section("list.place.after");
const THEM: SectionId = section("list.them");
const STOP: SectionId = section("list.stop");
const COMPARED: [SectionId; 4] =
    [section("compare.least"), section("compare.most"), section("compare.less"), section("compare.more")];

/// Returns the hand-off of a text that leaves for this reason.
pub(super) fn of(turn: &Turn<'_>, said: &RoutedMessage, view: &View, reason: Reason) -> Handoff {
    let words = &said.words;
    match reason {
        Reason::SelectionQuestion | Reason::SelectionVerify => semantic(turn, view, words, reason),
        Reason::SelectionCommand => plain(view, HandoffKind::Command),
        _ => plain(view, HandoffKind::NewRequest),
    }
}

/// True if a question is about a list: it points at something, has a word of an option or of its fields, or compares.
pub(super) fn is_about(words: &Words, set: &OptionSet) -> bool {
    let all = words.all();
    let options = set.options.fields();
    super::in_any_language(words, |lexicon| {
        let stop = lexicon.section(STOP);
        let telling = |at: usize| !stop.is(&all[at..=at]) && options.speak_of(words.folded(&all[at]));
        let compares = |at: usize| COMPARED.iter().any(|id| lexicon.section(*id).valued(all, at).is_some());
        [POINTS, NOUN, THEM].iter().any(|id| lexicon.section(*id).within(all))
            || (0..all.len()).any(|at| telling(at) || compares(at))
    })
}

/// Returns the hand-off of the rest of a text, after its first clause chose an option.
pub(super) fn of_rest(turn: &Turn<'_>, said: &RoutedMessage, words: &Words) -> Handoff {
    let view = turn.view(&said.by);
    match slot(words) {
        Some(_) => semantic(turn, &view, words, Reason::SelectionQuestion),
        None => plain(&view, HandoffKind::NewRequest),
    }
}

fn plain(view: &View, kind: HandoffKind) -> Handoff {
    Handoff {
        kind,
        scope: view.active_scope,
        set: view.active_option_set_id.clone(),
        referent: None,
        slot: None,
    }
}

fn semantic(turn: &Turn<'_>, view: &View, words: &Words, reason: Reason) -> Handoff {
    let asked = slot(words);
    let slot = match reason {
        Reason::SelectionVerify => Some(HandoffQuestion::ExplainLastAction),
        _ => asked.or(Some(HandoffQuestion::ExplainEntityMeaning)),
    };
    let cued = scope_phrase::scope_phrases(super::lexicon(words), words, &[]).first().map(|cue| cue.scope);
    let scope = cued.or(view.active_scope);
    Handoff {
        slot,
        scope,
        referent: referent(turn, view, (words, asked), scope),
        ..plain(view, HandoffKind::Semantic)
    }
}

/// The kind of question the words ask.
fn slot(words: &Words) -> Option<HandoffQuestion> {
    let says = |section| super::lexicon(words).section(section).within(words.all());
    if says(RECENT) {
        Some(HandoffQuestion::SummarizeRecentActivity)
    } else if says(WHY) {
        Some(HandoffQuestion::ReflectiveWhyFollowup)
    } else if says(MEANS) {
        Some(HandoffQuestion::ExplainEntityMeaning)
    } else {
        None
    }
}

/// The one thing a question is about: an option it names, else the focused option, else the last action. The
/// latter two count only if the words point at something.
fn referent(
    turn: &Turn<'_>,
    view: &View,
    (words, asked): (&Words, Option<HandoffQuestion>),
    scope: Option<Scope>,
) -> Option<Referent> {
    let stands =
        |set: &&OptionSet| view.standing(&set.id).is_some() && scope.is_none_or(|scope| set.scope == scope);
    let spelling = FoldedWords::of(words);
    let mut named = turn.all::<OptionSet>().filter(stands).flat_map(|set| {
        let named = set.options.names().labels().filter(|(_, label)| spelling.holds(label));
        named.map(move |(option, _)| (set, &set.options[option]))
    });
    if let (Some((set, option)), None) = (named.next(), named.next()) {
        let kind = if set.scope == Scope::Chat { ReferentKind::Choice } else { ReferentKind::WidgetItem };
        return Some(Referent { kind, id: option.id.clone(), scope: set.scope, set: Some(set.id.clone()) });
    }
    if asked.is_none() && !super::lexicon(words).section(POINTS).within(words.all()) {
        return None;
    }
    let focused = view.focus.as_ref().filter(|focus| scope.is_none_or(|scope| focus.scope == scope));
    if let Some((focus, option)) = focused.and_then(|focus| Some((focus, focus.option.clone()?))) {
        return Some(Referent { kind: ReferentKind::Entity, id: option, scope: focus.scope, set: None });
    }
    let ttl = &turn.policy.selection.ttl;
    let last = view.last_resolved_action.as_ref().filter(|last| {
        view.within(last.turn, ttl.reference)
            && turn.now().since(last.timestamp) <= ttl.reference_ms
            && scope.is_none_or(|scope| last.source_scope == scope)
    })?;
    Some(Referent::acted(&last.target_ref, last.source_scope, last.option_set_id.clone()))
}

/// Answers "did I open sample2?" from the record of actions, without executing anything or asking a model.
pub(crate) fn answer(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let handoff = turn.trace.selection.as_ref()?.handoff.as_ref()?;
    if handoff.kind != HandoffKind::Semantic || !verifies(&said.words) {
        return None;
    }
    let view = turn.view(&said.by);
    let done = |entry: &&TraceEntry| entry.outcome == ActionOutcome::Success;
    // Without a referent the question is about something else: "did you pick a name for the service?"
    let about = handoff.referent.clone()?;
    let mut entries = view.recent_action_trace.iter().filter(done);
    let text = match entries.find(|entry| same(entry, &about)) {
        Some(entry) => {
            let at = entry.timestamp.display_at(turn.now(), turn.language());
            say::option_was_done(turn.language(), at, &entry.target_ref.label)
        }
        None => say::option_was_not(turn.language()),
    };
    turn.say(MessageKind::Answer, None, &text);
    Some(Decision::new(Verdict::Answered, Reason::SelectionVerify))
}

/// True if an action was on this thing. One that was named without its list is any of that name.
fn same(entry: &TraceEntry, about: &Referent) -> bool {
    let list = about.set.as_ref();
    entry.target_ref.id == about.id && list.is_none_or(|list| entry.option_set_id.as_ref() == Some(list))
}

fn verifies(words: &Words) -> bool {
    super::parse::Parses::of(super::lexicon(words), words, false).asks_what_was_done()
}
