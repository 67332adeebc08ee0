//! The newest thing that was shown to a person: lists, gates and questions compared by their moments, because a text that
//! fits several means the newest of them.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use crate::data::action::{Action, CardStep, allowed};
use crate::data::card::CardSubject;
use crate::data::decision::Reason;
use crate::data::id::SetId;
use crate::data::option_set::OptionSet;
use crate::data::pending::PendingState;
use crate::data::shown_at::ShownAt;
use crate::data::time::Timestamp;
use crate::data::view::View;
use crate::messages::languages;
use crate::selection::exact_match::Reading;
use crate::selection::parse::Parses;
use crate::selection::resolution::Resolution;
use crate::selection::rung::{plain_yes, read};
use crate::selection::similarity::{SimilarityClass, rank_similar};
use crate::selection::target_list::{ReplyTo, SHORT, names_only_pool};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{Expected, normal};

/// A gate or a question of choices: its positions and its names are its own.
pub(crate) struct OtherChoices<'t> {
    shown: ShownAt,
    of: ChoicesOf<'t>,
    /// Names of its choices without spaces and marks, once somebody asked for them.
    names: OnceCell<Vec<String>>,
}

enum ChoicesOf<'t> {
    Gate,
    Question(&'t [String]),
}

impl<'t> OtherChoices<'t> {
    fn new(shown: ShownAt, of: ChoicesOf<'t>) -> Self {
        Self { shown, of, names: OnceCell::new() }
    }

    /// True if it was shown after a list, and so takes the positions of a text.
    pub(super) fn is_after(&self, list: &ShownAt) -> bool {
        self.shown.is_after(list)
    }

    /// True if one of its choices has the name of an option.
    pub(super) fn has(&self, label: &str) -> bool {
        self.names().contains(&normal::compact(label, false))
    }

    fn names(&self) -> &[String] {
        let compact = |label: &str| normal::compact(label, false);
        let labels = |action: &'static Action| languages().map(move |language| action.label(language));
        self.names.get_or_init(|| match self.of {
            ChoicesOf::Gate => {
                let buttons = allowed(CardStep::ScopeGate).iter().flat_map(labels);
                buttons.map(|label: String| compact(&label)).collect()
            }
            ChoicesOf::Question(labels) => labels.iter().map(|label| compact(label)).collect(),
        })
    }
}

/// Gates and questions of choices that wait for a person, or that their other words put aside.
pub(super) fn other_choices<'t>(turn: &'t Turn<'_>, user: &str) -> Vec<OtherChoices<'t>> {
    let gates = turn
        .open_cards()
        .filter(|card| matches!(card.about, CardSubject::ScopeGate { .. }) && card.by == user);
    let gates = gates
        .map(|card| OtherChoices::new(ShownAt::by_message(&card.message, card.created_at), ChoicesOf::Gate));
    let asked = questions(turn, user).filter_map(|pending| {
        let Some(Expected::Selection(labels)) = &pending.expected else { return None };
        let shown = ShownAt::by_message(&pending.anchor, pending.created_at);
        Some(OtherChoices::new(shown, ChoicesOf::Question(labels)))
    });
    gates.chain(asked).collect()
}

/// The questions that wait for a person, and those that other words put aside.
fn questions<'t>(turn: &'t Turn<'_>, user: &str) -> impl Iterator<Item = &'t PendingState> {
    let alive = move |pending: &&PendingState| {
        pending.is_alive(turn.now()) && pending.asked_of.as_deref().is_none_or(|of| of == user)
    };
    turn.conversational().into_iter().chain(&turn.head.lapsed).filter(alive)
}

/// True if a question or a list went away after a text was written, so that nobody knows any more if the text meant it.
pub(crate) fn left_since(turn: &Turn<'_>, written: Timestamp) -> bool {
    turn.head.left_at.is_some_and(|left| left > written)
}

/// The moment of the engine's newest question about a person's lists.
fn clarified(view: &View) -> Option<ShownAt> {
    view.clarifier.as_ref().map(|asked| ShownAt::by_message(&asked.message, asked.at))
}

/// True if a question of yes or no was put to a person after the newest question about their list, even if other words
/// have put it aside.
pub(super) fn asked_since(turn: &Turn<'_>, view: &View) -> bool {
    let Some(asked) = clarified(view) else { return false };
    let mut yes_or_no =
        questions(turn, &view.user).filter(|pending| pending.expected == Some(Expected::Boolean));
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
    let others = other_choices(turn, &view.user).into_iter().map(|other| other.shown);
    lists.chain(others).chain(asked).chain(clarified(view)).any(|other| other.is_after(shown))
}

/// True if a list that was shown to the writer later than `shown` would take the text as a choice, so that the text
/// is no answer to what was shown before. A list that was put aside and is on the screen again takes no text, but what
/// is older does not either.
pub(crate) fn newer_list_takes(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    if !turn.selects() || !turn.has_lists() || focus(turn).replies() {
        return false;
    }
    let view = turn.view(&said.by);
    let newer = lists_since(turn, &view, shown);
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

/// True if a list that was shown to the writer later than `shown` takes the text as a choice in words that only a choice has: a
/// position ("the second one"), or a verb before the option ("open sample2").
pub(crate) fn chooses_in_words(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    let parses = Parses::of(super::lexicon(&said.words), &said.words, false);
    (parses.has_ordinal() || parses.has_verb()) && newer_list_takes(turn, said, shown)
}

/// True if a text that is no exact answer to what was shown before resembles an option of a list that was shown to its
/// writer later.
pub(crate) fn newer_list_resembles(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    if !turn.selects() || !turn.has_lists() || focus(turn).replies() {
        return false;
    }
    let parses = Parses::of(super::lexicon(&said.words), &said.words, false);
    parses.shortest().is_some_and(|core| core.len() <= SHORT)
        && lists_since(turn, &turn.view(&said.by), shown)
            .into_iter()
            .any(|set| rank_similar(&parses, &names_only_pool(set)).reaches(SimilarityClass::PartOfLabel))
}

/// True if a list that was shown to the writer later has an option of this name.
pub(crate) fn newer_list_names(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt, label: &str) -> bool {
    turn.selects()
        && turn.has_lists()
        && lists_since(turn, &turn.view(&said.by), shown)
            .into_iter()
            .any(|set| names_only_pool(set).whole(label).0 != 0)
}

/// True if the person chose from a list later than `shown`.
fn chosen_since(view: &View, set: &SetId, shown: &ShownAt) -> bool {
    let last = view.last_choice.as_ref().filter(|last| last.set == *set);
    last.is_some_and(|last| ShownAt::in_turn(last.revision, last.at).is_after(shown))
}

/// The lists of a view that were shown to its person, or asked about, later than `shown`.
fn lists_since<'t>(turn: &'t Turn<'_>, view: &View, shown: &ShownAt) -> Vec<&'t OptionSet> {
    let asked = clarified(view).filter(|asked| asked.is_after(shown));
    let asked = view.clarifier.as_ref().filter(|_| asked.is_some()).and_then(|asked| asked.set.as_ref());
    let newer = |set: &&OptionSet| {
        let showing = set.newest(&view.user);
        showing.is_some_and(|showing| ShownAt::in_turn(showing.revision, showing.at).is_after(shown))
            || asked == Some(&set.id)
            || chosen_since(view, &set.id, shown)
    };
    let sets = view.standings.iter().filter_map(|standing| turn.get::<OptionSet>(&standing.set));
    sets.filter(newer).collect()
}

/// True if something with positions was shown later than `shown`: a list to anybody, or a question or a gate to this person.
/// Then a bare position means nothing older.
pub(crate) fn positions_since(turn: &Turn<'_>, user: &str, shown: &ShownAt) -> bool {
    if !turn.selects() {
        return false;
    }
    let showings = turn.all::<OptionSet>().flat_map(|set| &set.showings);
    let showings = showings.map(|showing| ShownAt::in_turn(showing.revision, showing.at));
    let others = other_choices(turn, user).into_iter().map(|other| other.shown);
    let asked = clarified(&turn.view(user));
    showings.chain(others).chain(asked).any(|other| other.is_after(shown))
}

/// The reasons to ask about a text that chooses, though not one option that can be executed.
const CHOOSES: [Reason; 11] = [
    Reason::ListClosed,
    Reason::OptionTie,
    Reason::OptionCollision,
    Reason::OptionCompared,
    Reason::OptionOutOfRange,
    Reason::OptionSeveral,
    Reason::OptionInFlight,
    Reason::OptionsOnly,
    Reason::OptionUnseen,
    Reason::OptionConditional,
    Reason::OptionUnreferenced,
];
