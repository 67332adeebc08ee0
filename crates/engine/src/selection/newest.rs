//! The newest thing that was shown to a person: lists, gates and questions compared by their moments, because a text that
//! fits several means the newest of them.

use alloc::vec::Vec;

use crate::data::card::CardSubject;
use crate::data::decision::Reason;
use crate::data::id::SetId;
use crate::data::option_set::OptionSet;
use crate::data::shown_at::ShownAt;
use crate::data::view::View;
use crate::selection::exact_match::Reading;
use crate::selection::parse::Parses;
use crate::selection::resolution::Resolution;
use crate::selection::rung::{plain_yes, read};
use crate::selection::target_list::{ReplyTo, names_only_pool};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Expected;

/// The newest gate or question of choices that waits for a person, or that their other words put aside.
pub(super) fn counted(turn: &Turn<'_>, user: &str) -> Option<ShownAt> {
    let gates = turn
        .open_cards()
        .filter(|card| matches!(card.about, CardSubject::ScopeGate { .. }) && card.by == user);
    let gates = gates.map(|card| ShownAt::by_message(&card.message, card.created_at));
    let asked = turn.conversational().into_iter().chain(turn.head.lapsed.as_ref()).filter(|pending| {
        matches!(pending.expected, Some(Expected::Selection(_)))
            && pending.is_alive(turn.now())
            && pending.asked_of.as_deref().is_none_or(|of| of == user)
    });
    let asked = asked.map(|pending| ShownAt::by_message(&pending.anchor, pending.created_at));
    gates.chain(asked).reduce(|newest, next| if next.is_after(&newest) { next } else { newest })
}

/// True if a question of yes or no was put to a person after the newest question about their list, even if other words
/// have put it aside.
pub(super) fn asked_since(turn: &Turn<'_>, view: &View) -> bool {
    let Some(asked) = &view.clarifier else { return false };
    let asked = ShownAt::by_message(&asked.message, turn.now());
    let questions = turn.conversational().into_iter().chain(turn.head.lapsed.as_ref());
    let mut yes_or_no = questions.filter(|pending| {
        pending.expected == Some(Expected::Boolean)
            && pending.is_alive(turn.now())
            && pending.asked_of.as_deref().is_none_or(|of| of == view.user)
    });
    yes_or_no.any(|pending| ShownAt::by_message(&pending.anchor, pending.created_at).is_after(&asked))
}

/// True if a list, a gate or a question was shown to a person later than `shown`.
pub(crate) fn shown_since(turn: &Turn<'_>, view: &View, shown: &ShownAt) -> bool {
    let newest = |set: &SetId| {
        let showing = turn.get::<OptionSet>(set)?.newest(&view.user)?;
        Some(ShownAt::in_turn(showing.revision, showing.at))
    };
    let lists = view.standings.iter().filter_map(|standing| newest(&standing.set));
    let asked = turn.conversational().map(|asked| ShownAt::by_message(&asked.anchor, asked.created_at));
    lists.chain(counted(turn, &view.user)).chain(asked).any(|other| other.is_after(shown))
}

/// True if a list that was shown to the writer later than `shown` would take the text as a choice, so that the text
/// is no answer to what was shown before. A list that was put aside and is on the screen again takes no text, but what
/// is older does not either.
pub(crate) fn newer_list_takes(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    if !turn.policy.selection.enabled || !turn.has_lists() || focus(turn).replies() {
        return false;
    }
    let view = turn.view(&said.by);
    let sets = view.standings.iter().filter_map(|standing| turn.get::<OptionSet>(&standing.set));
    let newer: Vec<&OptionSet> = sets
        .filter(|set| {
            let showing = set.newest(&said.by);
            showing.is_some_and(|showing| ShownAt::in_turn(showing.revision, showing.at).is_after(shown))
        })
        .collect();
    if newer.is_empty() {
        return false;
    }
    let parses = Parses::of(super::lexicon(&said.words), &said.words, false);
    let named =
        |set: &&OptionSet| matches!(names_only_pool(set).read(&parses), Reading::One(..) | Reading::Tie(_));
    let asked = (&ReplyTo::Nothing, None, plain_yes(turn, &said.words), said.since);
    newer.iter().any(named)
        || match read(turn, &view, &said.words, asked) {
            Resolution::Act(_) => true,
            Resolution::Ask(question) => CHOOSES.contains(&question.reason),
            Resolution::Pass(_) => false,
        }
}

/// True if a list was shown to anybody later than `shown`: then a bare position means nothing older.
pub(crate) fn list_shown_since(turn: &Turn<'_>, shown: &ShownAt) -> bool {
    turn.policy.selection.enabled
        && turn
            .all::<OptionSet>()
            .flat_map(|set| &set.showings)
            .any(|showing| ShownAt::in_turn(showing.revision, showing.at).is_after(shown))
}

/// The reasons to ask about a text that chooses, though not one option that can be executed.
const CHOOSES: [Reason; 10] = [
    Reason::ListClosed,
    Reason::OptionTie,
    Reason::OptionCollision,
    Reason::OptionOutOfRange,
    Reason::OptionSeveral,
    Reason::OptionInFlight,
    Reason::OptionsOnly,
    Reason::OptionUnseen,
    Reason::OptionConditional,
    Reason::OptionUnreferenced,
];
