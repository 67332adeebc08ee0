//! The things a turn showed and did, as people and hosts see it.

use throughline_engine::data::action::Action;
use throughline_engine::data::call::Job;
use throughline_engine::data::card::{Card, CardStatus, CardSubject};
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::pending::PendingState;
use throughline_engine::data::selection_trace::Provenance;
use throughline_engine::data::view::View;
use throughline_engine::{Event, EventKind, Record, Step};
use throughline_language::{Expected, Value};

use super::events;
use super::generate::{Expects, Who};
use super::oracle::{Deed, Target, Thing, ThingKind};
use super::play::{Play, Written, records};
use super::report::Family;
use super::texts::{Meaning, PLAIN_LABELS};

/// Judges what a turn did, then tells the oracle what it showed.
pub(super) fn watch(
    play: &mut Play<'_>,
    event: &Event,
    step: &Step,
    written: Option<&Written>,
    allowed: &[Deed],
) {
    for effect in &step.effects {
        if let EffectBody::OptionExecute(call) = &effect.body
            && let Job::Option(chosen) = &call.job
        {
            let deed = Deed::Run { option: chosen.identity().option, exec_ref: chosen.exec_ref().to_owned() };
            let user = Who::named(chosen.user());
            play.judge(&deed, user, written, allowed, |play| family(play, event, step, written, &deed));
            if let Some(user) = user {
                play.ran(user, &call.job);
            }
        }
    }
    if let Some(applied) = &step.decision.applied {
        let deed = Deed::Answer { question: applied.pending.0.clone(), value: value(&applied.value) };
        play.judge(&deed, None, written, allowed, |play| family(play, event, step, written, &deed));
        play.oracle.answered(&applied.pending.0, written.map(|written| written.who));
    }
    for record in records(step) {
        match record {
            Record::OptionSet(set) => {
                let list = events::list_of(set);
                play.sets.insert(set.id.clone(), list);
                play.versions.insert(list, set.exec_rev);
            }
            Record::Card(card) => gate(play, card, event, step, written, allowed),
            Record::View(view) => asked(play, view, step, allowed),
            _ => {}
        }
    }
    if !matches!(event.kind, EventKind::AssistantPosted(_)) {
        let pendings: Vec<PendingState> = play.lane.head.pendings.to_vec();
        for pending in &pendings {
            question(play, pending);
        }
        let waiting = pendings.iter().chain(&play.lane.head.lapsed).map(|pending| pending.id.0.as_str());
        play.oracle.waits_for(&waiting.collect::<Vec<_>>());
    }
}

/// Watches the question what to do with a message.
fn gate(
    play: &mut Play<'_>,
    card: &Card,
    event: &Event,
    step: &Step,
    written: Option<&Written>,
    allowed: &[Deed],
) {
    let CardSubject::ScopeGate { remember, .. } = &card.about else { return };
    let known = play.oracle.things().iter().any(|thing| is_shown_by(thing, &card.message.0));
    if !known {
        if let Some(of) = Who::named(&card.by) {
            let kind = ThingKind::Gate { of, open: card.is_open() };
            play.oracle.saw(Some(card.message.0.clone()), None, kind);
        }
        return;
    }
    let button = match &card.status {
        CardStatus::Decided { action: Action::SelectReview, .. } => Some(0),
        CardStatus::Decided { action: Action::SelectTicket, .. } => Some(1),
        CardStatus::Decided { action: Action::Dismiss, .. } => Some(2),
        CardStatus::Open if *remember => Some(3),
        _ => None,
    };
    if let Some(button) = button {
        let deed = Deed::Gate(button);
        let user = Who::named(&card.by);
        play.judge(&deed, user, written, allowed, |play| family(play, event, step, written, &deed));
    }
    if !card.is_open() {
        play.oracle.gate_closed(&card.message.0);
    }
}

fn is_shown_by(thing: &Thing, message: &str) -> bool {
    thing.message.as_deref() == Some(message)
}

/// Watches the engine's questions about lists.
fn asked(play: &mut Play<'_>, view: &View, step: &Step, allowed: &[Deed]) {
    let (Some(clarifier), Some(user)) = (&view.clarifier, Who::named(&view.user)) else { return };
    let known = play.oracle.things().iter().any(|thing| is_shown_by(thing, &clarifier.message.0));
    if !known && clarifier.set.is_none() && view.scope_question.is_some() {
        let text = view.scope_question.as_ref().map_or("", |question| question.text.as_str());
        let named = play.oracle.named_anywhere(user, text);
        let kind = ThingKind::Where { deeds: [named, allowed.to_vec()].concat() };
        play.oracle.saw(Some(clarifier.message.0.clone()), Some(user), kind);
    }
    let list = clarifier.set.as_ref().and_then(|set| play.sets.get(set)).copied();
    let (false, Some(list)) = (known, list) else { return };
    let options = step.trace.selection.as_deref().map(|account| account.clarify.clone()).unwrap_or_default();
    play.oracle.asked(clarifier.message.0.clone(), user, list, &options, clarifier.suggests.as_deref());
}

/// Watches the engine's own questions for an answer in words.
fn question(play: &mut Play<'_>, pending: &PendingState) {
    let Some(expected) = &pending.expected else { return };
    let id = &pending.id.0;
    let is = |thing: &Thing| matches!(&thing.kind, ThingKind::Question { id: known, .. } if known == id);
    if play.oracle.things().iter().any(is) {
        return;
    }
    let expects = if *expected == Expected::Boolean { Expects::YesOrNo } else { Expects::Words };
    let of = pending.asked_of.as_deref().and_then(Who::named);
    let kind = ThingKind::Question { id: id.clone(), expects, of, open: true, hosts: false };
    play.oracle.saw(Some(pending.anchor.0.clone()), None, kind);
}

fn value(value: &Value) -> String {
    match value {
        Value::Boolean(true) => "yes".into(),
        Value::Boolean(false) => "no".into(),
        Value::Selection(chosen) => chosen.clone(),
        other => format!("{other:?}"),
    }
}

/// True if any reader would do what a text says: a name or a place, of a list that was just shown and nothing else waits.
pub(super) fn is_plain(play: &Play<'_>, written: &Written) -> bool {
    let plain = match written.meaning {
        Meaning::Label(label) => label < PLAIN_LABELS,
        Meaning::Nth(_) => true,
        _ => false,
    };
    let [Deed::Run { exec_ref, .. }] = written.allowed.as_slice() else { return false };
    if !plain || written.waited || !play.is_quiet() || play.oracle.has_run(written.who, exec_ref) {
        return false;
    }
    let mut waiting = play.oracle.waiting(written.who);
    let Some((newest, thing)) = waiting.next() else { return false };
    let ThingKind::List { asked: false, choices, .. } = &thing.kind else { return false };
    // A name that only an older list has is not plain.
    let here = choices.iter().any(|choice| choice.exec_ref == *exec_ref);
    let alone = waiting.all(|(_, thing)| matches!(thing.kind, ThingKind::List { .. }));
    let shown = play.oracle.things();
    // A list is left after two turns of other things.
    let spoken = shown[newest..].iter().filter(|thing| matches!(thing.kind, ThingKind::Message(_))).count();
    let recent = shown.len() <= newest + 3 && spoken < 2;
    // Nor is anything plain behind a list that was shown since and is closed.
    let last = !shown[newest + 1..].iter().any(|thing| matches!(thing.kind, ThingKind::List { .. }));
    last && here
        && alone
        && recent
        && matches!(written.target, Target::Nothing) | (written.target == Target::Thing(newest))
}

/// Returns the family of a finding.
fn family(play: &Play<'_>, event: &Event, step: &Step, written: Option<&Written>, deed: &Deed) -> Family {
    let meaning = match (&event.kind, written) {
        (EventKind::CardPressed { .. }, _) => "press",
        (EventKind::MessageDeleted { .. }, _) => "deletion",
        (_, Some(written)) => written.meaning.name(),
        (_, None) => "host",
    };
    let mut family = Family { meaning, situation: String::new(), deed: String::new() };
    let Some(written) = written else { return family };
    let newest = play.oracle.waiting(written.who).find(|(at, _)| *at < written.seen).map(|(_, thing)| thing);
    family.situation = format!("{}, newest: {}", replied(play, written), newest.map_or("nothing", kind));
    if written.waited {
        family.situation.push_str(", waited");
    }
    if written.void {
        family.situation.push_str(", overtaken");
    }
    if written.edit {
        family.situation.push_str(", edit");
    }
    let account = step.trace.selection.as_deref();
    let by_model = account.is_some_and(|account| account.provenance == Some(Provenance::LlmExecuted));
    family.deed = match deed {
        Deed::Run { option, exec_ref } => {
            let is = |thing: &Thing| {
                matches!(&thing.kind, ThingKind::List { choices, .. }
                if choices.iter().any(|choice| choice.option == *option && choice.exec_ref == *exec_ref))
            };
            let which = if newest.is_some_and(is) { "runs an option of it" } else { "runs an option" };
            let late = if play.now > event.received_at { " late" } else { "" };
            format!("{}{which}{late}", if by_model { "a model " } else { "" })
        }
        Deed::Gate(_) => "chooses at the gate".into(),
        Deed::Answer { question, .. } => {
            let asks =
                |thing: &&Thing| matches!(&thing.kind, ThingKind::Question { id, .. } if id == question);
            let other = play.oracle.things().iter().find(asks).is_some_and(
                |thing| matches!(&thing.kind, ThingKind::Question { of: Some(of), .. } if *of != written.who),
            );
            if other { "answers somebody else's question".into() } else { "answers a question".into() }
        }
    };
    family
}

fn kind(thing: &Thing) -> &'static str {
    match &thing.kind {
        ThingKind::List { asked: true, .. } => "question about a list",
        ThingKind::List { .. } => "list",
        ThingKind::Gate { .. } => "gate",
        ThingKind::Question { hosts: true, .. } => "host's question",
        ThingKind::Question { .. } => "our question",
        ThingKind::Where { .. } => "question where",
        ThingKind::Said => "answer",
        ThingKind::Message(_) => "message",
    }
}

fn replied(play: &Play<'_>, written: &Written) -> String {
    let at = match written.target {
        Target::Nothing => return "no reply".into(),
        Target::Unknown => return "reply to something unknown".into(),
        Target::Thing(at) => at,
    };
    let thing = &play.oracle.things()[at];
    let ThingKind::List { list, .. } = &thing.kind else { return format!("reply to a {}", kind(thing)) };
    let there = play.oracle.current(*list).is_some();
    let newest =
        play.oracle.waiting(written.who).find(|(_, thing)| matches!(thing.kind, ThingKind::List { .. }));
    let which = match newest {
        _ if !there => "closed",
        Some((newest, _)) if newest == at => "newest",
        _ => "older",
    };
    format!("reply to a {which} {}", kind(thing))
}
