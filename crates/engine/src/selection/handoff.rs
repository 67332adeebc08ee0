//! What leaves this lane with a text that is no choice (`spec 04 §15`): what kind of thing it is, and what it is about when
//! exactly one thing can be meant. And the one question this lane can answer itself: what was done.

use super::cue::Spelling;
use super::{
    ActionOutcome, Handoff, HandoffKind, OptionSet, Referent, ReferentKind, Scope, Slot, TraceEntry, View,
    cue,
};
use crate::decision::{Decision, Reason, Verdict};
use crate::lane::MessageKind;
use crate::recognize::Words;
use crate::recognize::lexicon::{RECOGNIZE, SectionId};
use crate::recognize::named;
use crate::rungs::said;
use crate::say::option as words;
use crate::turn::Turn;

const WHY: SectionId = named("list.why");
const RECENT: SectionId = named("list.recent");
const MEANS: SectionId = named("list.means");
const POINTS: SectionId = named("list.that");

/// What leaves with a text.
pub(super) fn of(turn: &Turn<'_>, view: &View, reason: Reason) -> Handoff {
    let words = &said(turn).words;
    match reason {
        Reason::SelectionQuestion | Reason::SelectionVerify => semantic(turn, view, words, reason),
        Reason::SelectionCommand => plain(view, HandoffKind::Command),
        _ => plain(view, HandoffKind::NewRequest),
    }
}

/// What leaves with the rest of a text whose beginning was an option.
pub(super) fn of_rest(turn: &Turn<'_>, words: &Words) -> Handoff {
    let view = turn.view(&said(turn).by);
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
        Reason::SelectionVerify => Some(Slot::ExplainLastAction),
        _ => asked.or(Some(Slot::ExplainEntityMeaning)),
    };
    let cued = cue::cues(&RECOGNIZE[0], words, &[]).first().map(|cue| cue.scope);
    let scope = cued.or(view.active_scope);
    Handoff {
        slot,
        scope,
        referent: referent(turn, view, (words, asked), scope),
        ..plain(view, HandoffKind::Semantic)
    }
}

/// Which question it is.
fn slot(words: &Words) -> Option<Slot> {
    let says = |section| RECOGNIZE[0].section(section).within(words.all());
    if says(RECENT) {
        Some(Slot::SummarizeRecentActivity)
    } else if says(WHY) {
        Some(Slot::ReflectiveWhyFollowup)
    } else if says(MEANS) {
        Some(Slot::ExplainEntityMeaning)
    } else {
        None
    }
}

/// What it is about: what it names, what is looked at, what was done last; borrowed only where the words point, and only
/// when one thing fits.
fn referent(
    turn: &Turn<'_>,
    view: &View,
    (words, asked): (&Words, Option<Slot>),
    scope: Option<Scope>,
) -> Option<Referent> {
    let stands =
        |set: &&OptionSet| view.standing(&set.id).is_some() && scope.is_none_or(|scope| set.scope == scope);
    let spelling = Spelling::of(words);
    let mut named = turn.sets().filter(stands).flat_map(|set| {
        let named = set.options.names().labels().filter(|(_, label)| spelling.holds(label));
        named.map(move |(option, _)| (set, &set.options[option]))
    });
    if let (Some((set, option)), None) = (named.next(), named.next()) {
        let kind = if set.scope == Scope::Chat { ReferentKind::Choice } else { ReferentKind::WidgetItem };
        return Some(Referent { kind, id: option.id.clone(), scope: set.scope, set: Some(set.id.clone()) });
    }
    if asked.is_none() && !RECOGNIZE[0].section(POINTS).within(words.all()) {
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

/// "Did I open sample2?" is answered from what was done (`spec 04 §15`): nothing is executed, and no model is asked.
pub(crate) fn answer(turn: &mut Turn<'_>) -> Option<Decision> {
    let handoff = turn.trace.selection.as_ref()?.handoff.as_ref()?;
    let said = said(turn);
    if handoff.kind != HandoffKind::Semantic || !verifies(&said.words) {
        return None;
    }
    let view = turn.view(&said.by);
    let done = |entry: &&TraceEntry| entry.outcome == ActionOutcome::Success;
    // "Did you pick a name for the service?" is about something else.
    let about = handoff.referent.clone()?;
    let mut entries = view.recent_action_trace.iter().filter(done);
    let text = match entries.find(|entry| entry.target_ref.id == about.id) {
        Some(entry) => words::was_done(&entry.target_ref.label, entry.timestamp, turn.now()),
        None => words::WAS_NOT.into(),
    };
    turn.say(MessageKind::Answer, None, &text);
    Some(Decision::new(Verdict::Answered, Reason::SelectionVerify))
}

fn verifies(words: &Words) -> bool {
    super::parse::Parses::of(&RECOGNIZE[0], words, false).verifies()
}
