//! Finds the list a text is about: the place it names, the message it replies to, else the open list.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::data::decision::Reason;
use crate::data::id::MessageId;
use crate::data::option_names::MatchedBy;
use crate::data::option_set::OptionSet;
use crate::data::policy::selection::SelectionPolicy;
use crate::data::scope::Scope;
use crate::data::set_option::OptionMask;
use crate::data::set_option::SetOption;
use crate::data::shown_at::ShownAt;
use crate::data::time::Timestamp;
use crate::data::view::{ClarifierType, ListState, ListStatus, ParkReason, View};
use crate::selection::control::Control;
use crate::selection::describe::ListFacts;
use crate::selection::exact_match::{CandidatePool, Places, Reading};
use crate::selection::newest::OtherChoices;
use crate::selection::parse::Parses;
use crate::selection::resolution::{ClarifyingQuestion, QuestionSubject, Resolution};
use crate::selection::resolve::Resolver;
use crate::selection::scope_phrase;
use crate::selection::scope_phrase::{Certainty, ScopePhrase, TitledPlace};
use crate::selection::similarity;
use crate::selection::similarity::SimilarityClass;
use throughline_language::lexicon::Lexicon;
use throughline_language::words::Words;

/// The most words, without politeness, of a text that may still be a choice.
pub(super) const SHORT: usize = 5;

/// A scope, and the concrete panel if it was named.
pub(crate) type ScopePlace = (Scope, Option<String>);

/// The message a text replies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyTo {
    /// It is no reply.
    Nothing,
    /// This one.
    Message(MessageId),
    /// One that is not stored.
    Unknown,
}

/// The meaning of a text's reply for of the list it is read against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It replies to nothing, or to the list.
    Own,
    /// It replies to a message that shows no list: a name is asked about, and a position is none.
    Other,
    /// It replies to something unknown, and nothing is executed.
    Unknown,
}

/// A text with everything it is judged by.
#[derive(Clone, Copy)]
pub(crate) struct ResolveInput<'s> {
    pub(crate) lexicon: &'static Lexicon,
    pub(crate) view: &'s View,
    /// The lists in this person's view.
    pub(crate) sets: &'s [&'s OptionSet],
    pub(crate) message: &'s Words,
    /// The message the text replies to.
    pub(crate) reply: &'s ReplyTo,
    /// The place the person gave when asked where the option is.
    pub(crate) place: Option<&'s ScopePlace>,
    /// True if the whole text is a yes, false if it is a no.
    pub(crate) yes: Option<bool>,
    /// The moment the text was received.
    pub(crate) since: Timestamp,
    /// Cards and questions with choices of their own that wait for this person.
    pub(crate) others: &'s [OtherChoices<'s>],
    /// True if an older question for words would take the text, too.
    pub(crate) contested: bool,
    /// True if a question or a list that the text may have meant went away after it was received.
    pub(crate) left_since: bool,
    pub(crate) policy: &'s SelectionPolicy,
    pub(crate) now: Timestamp,
}

/// The list a text is read against, and the text without its scope cue.
#[derive(Clone)]
pub(crate) struct TargetList<'s> {
    pub(crate) set: &'s OptionSet,
    pub(crate) order: Cow<'s, [u8]>,
    pub(crate) displayed: usize,
    /// The number of the first one displayed.
    pub(crate) numbers_from: usize,
    /// Only exact readings count, because another request put the list aside.
    pub(crate) exact: bool,
    /// The text has a scope cue.
    pub(crate) cued: bool,
    /// The text calls the list back.
    pub(crate) returns: bool,
    /// The text is a label of the open list, and also a scope cue with an option of another list.
    pub(crate) torn: bool,
    pub(crate) anchor: Anchor,
    /// The list was shown as it is now only after the text was received.
    pub(crate) unseen: bool,
    pub(crate) message: Cow<'s, Words>,
}

impl<'s> ResolveInput<'s> {
    /// Returns the list the text is about, or the ruling if that already decides the text.
    pub(super) fn target(&self) -> Result<TargetList<'s>, Resolution> {
        if let Some(place) = self.place {
            return self.placed(place, core::slice::from_ref(place), Cow::Borrowed(self.message));
        }
        let cues = scope_phrase::scope_phrases(self.lexicon, self.message, &self.places());
        // Without a list on the screen only a text that is nothing but a place still asks for one.
        if self.view.standings.is_empty() && !self.only_says_where(&cues) {
            return Err(Resolution::Pass(Reason::SelectionNothing));
        }
        if let Some(target) = self.replied() {
            return target;
        }
        let active = self.open().or_else(|| self.by(|standing| standing.status == ListStatus::Active));
        let gone = matches!(self.reply, ReplyTo::Message(reply) if self.view.past.contains(reply));
        if let Some(set) = active.or_else(|| self.by(|_| true)).filter(|_| gone) {
            return Err(replaced(set));
        }
        if let Some(target) = self.returning(active) {
            return Ok(target);
        }
        // A label that contains a cue is read as the label.
        let uncut = active.filter(|set| !cues.is_empty() && self.names(set));
        match (uncut, cues.as_slice()) {
            (Some(set), [first, ..]) => {
                let torn = self.denotes_there(first);
                return Ok(TargetList { torn, ..self.whole(set, false) });
            }
            (None, [first, rest @ ..]) if self.chooses(first) => return self.cued(first, rest),
            (None, [_, ..]) => {}
            (_, []) => {}
        }
        let soft = || self.by(|standing| standing.status == ListStatus::Soft);
        if let Some(set) = active.or_else(soft) {
            return Ok(self.whole(set, false));
        }
        let ttl = &self.policy.ttl;
        let interrupted = self.by(|standing| {
            standing.status == ListStatus::Parked(ParkReason::Interrupt)
                && self.view.within(standing.turn, ttl.implicit_return)
        });
        match interrupted {
            Some(set) => Ok(self.whole(set, true)),
            None => Err(self.nothing_open()),
        }
    }

    /// The list the replied-to message showed, in the order it showed.
    fn replied(&self) -> Option<Result<TargetList<'s>, Resolution>> {
        let ReplyTo::Message(message) = self.reply else { return None };
        let (set, showing) =
            self.sets.iter().find_map(|set| Some((*set, set.shown_by(message, &self.view.user)?)))?;
        if showing.exec_rev != set.exec_rev {
            return Some(Err(replaced(set)));
        }
        let mut target = self.whole(set, false);
        (target.order, target.displayed) = (Cow::Borrowed(&*showing.order), usize::from(showing.displayed));
        (target.numbers_from, target.anchor) = (usize::from(showing.numbers_from), Anchor::Own);
        Some(Ok(target))
    }

    fn anchor(&self) -> Anchor {
        let asks =
            |message: &MessageId| self.view.clarifier.as_ref().is_some_and(|asked| asked.message == *message);
        match self.reply {
            ReplyTo::Nothing => Anchor::Own,
            ReplyTo::Message(message) if asks(message) => Anchor::Own,
            ReplyTo::Message(_) => Anchor::Other,
            ReplyTo::Unknown => Anchor::Unknown,
        }
    }

    /// The list that the text calls back: one the person left, not one that another list displaced.
    fn returning(&self, active: Option<&OptionSet>) -> Option<TargetList<'s>> {
        let left = |standing: &ListState| {
            matches!(
                standing.status,
                ListStatus::Parked(ParkReason::Stop | ParkReason::Interrupt | ParkReason::Attempts)
            )
        };
        let set = self.by(left)?;
        if active.is_some_and(|active| names_only_pool(active).whole(self.message.text()).0 != 0) {
            return None;
        }
        let rest = Control::parse_return(self.lexicon, self.message)?;
        Some(TargetList { returns: true, message: Cow::Owned(Words::of(&rest)), ..self.whole(set, false) })
    }

    /// True if the text, without politeness, names an option of that list.
    fn names(&self, set: &'s OptionSet) -> bool {
        let target = self.whole(set, false);
        matches!(
            Resolver::of(self, &target).reading,
            Reading::One(_, MatchedBy::Label | MatchedBy::Sublabel | MatchedBy::Alias) | Reading::Tie(_)
        )
    }

    /// True if the text without the cue denotes an option in the cue's place.
    fn denotes_there(&self, cue: &ScopePhrase) -> bool {
        let text = scope_phrase::without_phrase(self.message, &cue.words);
        self.there(&(cue.scope, cue.instance.clone())).is_some_and(|set| {
            let target = TargetList { message: Cow::Owned(Words::of(&text)), ..self.whole(set, false) };
            !matches!(Resolver::of(self, &target).reading, Reading::Nothing | Reading::Reference { .. })
        })
    }

    fn only_says_where(&self, cues: &[ScopePhrase]) -> bool {
        cues.first()
            .is_some_and(|cue| scope_phrase::without_phrase(self.message, &cue.words).trim().is_empty())
    }

    /// True if a text with a cue may be a choice at all. "What does the error in the dashboard mean?", "the
    /// deploy failed in the workspace" and "an email from Chad" are not, unless they name an option of that
    /// place.
    fn chooses(&self, cue: &ScopePhrase) -> bool {
        let text = scope_phrase::without_phrase(self.message, &cue.words);
        let words = Words::of(&text);
        let parses = Parses::of(self.lexicon, &words, false);
        if parses.asks_what_was_done() || parses.is_question(false) {
            // A later rung answers the question; the place only narrows it.
            return cue.sure == Certainty::Exact && self.there(&(cue.scope, cue.instance.clone())).is_some();
        }
        let alike = |set: &&OptionSet| {
            let pool = names_only_pool(set);
            !matches!(pool.read(&parses), Reading::Nothing)
                || similarity::rank_similar(&parses, &pool).reaches(SimilarityClass::SharedWord)
        };
        let short = parses.shortest().is_none_or(|core| core.len() <= SHORT);
        parses.has_no_core_words()
            || parses.has_verb()
            || parses.command_object().is_some()
            || short
                && cue.sure == Certainty::Exact
                && self.there(&(cue.scope, cue.instance.clone())).is_some()
            || self.sets.iter().any(alike)
    }

    fn cued(&self, first: &ScopePhrase, rest: &[ScopePhrase]) -> Result<TargetList<'s>, Resolution> {
        let places: Vec<ScopePlace> = core::iter::once(first)
            .chain(rest)
            .map(|cue| (cue.scope, cue.instance.clone()))
            .fold(Vec::new(), |mut all, place| {
                if !all.contains(&place) {
                    all.push(place);
                }
                all
            });
        let text = scope_phrase::without_phrase(self.message, &first.words);
        if first.sure != Certainty::Exact {
            return Err(ask(Reason::ScopeTypo, places, &text));
        }
        if rest.iter().any(|cue| cue.scope != first.scope) {
            let text = rest.iter().fold(Words::of(&text), |words, _| {
                let again = scope_phrase::scope_phrases(self.lexicon, &words, &self.places());
                again
                    .first()
                    .map_or(words.clone(), |cue| Words::of(&scope_phrase::without_phrase(&words, &cue.words)))
            });
            return Err(ask(Reason::ScopeConflict, places, text.text()));
        }
        self.placed(&places[0].clone(), &places, Cow::Owned(Words::of(&text)))
    }

    fn placed(
        &self,
        place: &ScopePlace,
        places: &[ScopePlace],
        message: Cow<'s, Words>,
    ) -> Result<TargetList<'s>, Resolution> {
        let Some(set) = self.there(place) else {
            return Err(ask(Reason::ScopeMissing, places.to_vec(), message.text()));
        };
        Ok(TargetList { cued: true, message, ..self.whole(set, false) })
    }

    /// Returns the list in a place: of the named panel, else of the panel acted in, else of the one in focus,
    /// else the one in the best state, newest first.
    pub(super) fn there(&self, place: &ScopePlace) -> Option<&'s OptionSet> {
        let (scope, instance) = place;
        let latched = self.view.latch.as_ref().map(|latch| &latch.instance);
        let focused = self.view.focus.as_ref().map(|focus| &focus.scope_instance);
        let instance = instance.as_ref();
        let here = |set: &&&OptionSet| {
            set.scope == *scope && instance.is_none_or(|instance| set.scope_instance == *instance)
        };
        let rank = |set: &&&OptionSet| {
            let own = |named: Option<&String>| named == Some(&set.scope_instance);
            let status = self.view.standing(&set.id).map(|standing| (standing.status, standing.turn));
            let stands = match status {
                Some((ListStatus::Active, _)) => 0,
                Some((ListStatus::Soft, _)) => 1,
                _ => 2,
            };
            (!own(latched), !own(focused), stands, core::cmp::Reverse(status.map(|(_, turn)| turn)))
        };
        self.sets.iter().filter(here).min_by_key(rank).copied()
    }

    pub(super) fn whole(&self, set: &'s OptionSet, exact: bool) -> TargetList<'s> {
        let newest = set.newest(&self.view.user);
        let (order, displayed) = match newest {
            Some(showing) => (Cow::Borrowed(&*showing.order), usize::from(showing.displayed)),
            None => (Cow::Owned(base_order(&set.options)), set.options.len()),
        };
        let message = Cow::Borrowed(self.message);
        TargetList {
            set,
            order,
            displayed,
            numbers_from: newest.map_or(1, |showing| usize::from(showing.numbers_from)),
            exact,
            cued: false,
            returns: false,
            torn: false,
            anchor: if self.replies_before(set) { Anchor::Other } else { self.anchor() },
            unseen: self.left_since
                || newest.is_some_and(|showing| showing.at > self.since)
                || self.view.standing(&set.id).is_some_and(|standing| standing.at > self.since),
            message,
        }
    }

    /// True if the text replies to a question about a list that was shown after it: its positions are others now.
    fn replies_before(&self, set: &OptionSet) -> bool {
        let asked = self.view.clarifier.as_ref();
        let asked = asked.filter(|asked| *self.reply == ReplyTo::Message(asked.message.clone()));
        asked.is_some_and(|asked| set.newest(&self.view.user).is_some_and(|showing| showing.at > asked.at))
    }

    /// Decides a text while no list is open. A bare position or badge may mean a list that was put aside, so
    /// the person is told how to come back to it.
    fn nothing_open(&self) -> Resolution {
        let parked = self.by(|standing| matches!(standing.status, ListStatus::Parked(_)));
        let Some(set) = parked else { return Resolution::Pass(Reason::SelectionNothing) };
        let target = self.whole(set, false);
        let judge = Resolver::of(self, &target);
        let closed = matches!(
            judge.reading,
            Reading::One(_, MatchedBy::Ordinal | MatchedBy::Badge) | Reading::OutOfRange
        );
        let ask =
            ClarifyingQuestion::plain(Reason::ListClosed, ClarifierType::None, QuestionSubject::Nothing);
        if closed { Resolution::ask(ask) } else { Resolution::Pass(Reason::SelectionNothing) }
    }

    /// The active list, unless it is put aside or soft.
    fn open(&self) -> Option<&'s OptionSet> {
        let id = self.view.active_option_set_id.as_ref()?;
        self.by(|standing| standing.set == *id && standing.status == ListStatus::Active)
    }

    /// Returns the list whose state fits: the active one, else the newest.
    pub(super) fn by(&self, fits: impl Fn(&ListState) -> bool) -> Option<&'s OptionSet> {
        let newest = self.view.standings.iter().filter(|standing| fits(standing)).max_by_key(|standing| {
            let open = self.view.active_option_set_id.as_ref() == Some(&standing.set);
            (open, standing.turn, standing.at)
        })?;
        self.sets.iter().find(|set| set.id == newest.set).copied()
    }

    /// Returns the other pages of a list that is shown in pages.
    pub(super) fn other_pages(&self, of: &OptionSet) -> impl Iterator<Item = &'s OptionSet> {
        let (id, scope, instance) = (of.id.clone(), of.scope, of.scope_instance.clone());
        let numbers = of.numbers();
        self.sets.iter().copied().filter(move |set| {
            set.id != id && set.scope == scope && set.scope_instance == instance && set.is_apart(&numbers)
        })
    }

    pub(super) fn places(&self) -> Vec<TitledPlace<'s>> {
        let titled = self
            .sets
            .iter()
            .filter_map(|set| Some(TitledPlace::of(set.scope, &set.scope_instance, set.title.as_deref()?)));
        titled.collect()
    }

    /// True if the text replies to a showing of this list.
    fn replies_to(&self, set: &OptionSet) -> bool {
        matches!(self.reply, ReplyTo::Message(message) if set.shown_by(message, &self.view.user).is_some())
    }

    /// True if positions may mean this list: nothing else with positions was shown since, or the text replies to it.
    pub(super) fn counts(&self, set: &OptionSet) -> bool {
        let shown = set.newest(&self.view.user).map(|showing| ShownAt::in_turn(showing.revision, showing.at));
        let newer = shown.is_some_and(|shown| self.others.iter().any(|other| other.is_after(&shown)));
        (!newer || self.replies_to(set)) && self.positional(set)
    }

    /// True if a choice that was put to this person after a list has the name of this option too.
    pub(super) fn is_named_since(&self, set: &OptionSet, label: &str) -> bool {
        let shown = set.newest(&self.view.user).map(|showing| ShownAt::in_turn(showing.revision, showing.at));
        let newer =
            |shown: ShownAt| self.others.iter().any(|other| other.is_after(&shown) && other.has(label));
        shown.is_some_and(newer) && !self.replies_to(set)
    }

    /// True if positions and references may mean this list: always in the chat, elsewhere for some turns
    /// after it was seen.
    pub(super) fn positional(&self, set: &OptionSet) -> bool {
        let seen = self.view.standing(&set.id).map_or(0, |standing| standing.seen);
        set.scope == Scope::Chat || self.view.within(seen, self.policy.ttl.positional)
    }

    /// True if an option of a list was just executed.
    pub(super) fn is_soft(&self, set: &OptionSet) -> bool {
        self.view.standing(&set.id).is_some_and(|standing| standing.status == ListStatus::Soft)
    }

    /// True if a list was shown as a question that waits for its answer.
    pub(super) fn is_put(&self, set: &OptionSet) -> bool {
        set.asked && !self.is_soft(set)
    }

    /// True if a question about a list is open: the engine's, or the list itself.
    pub(super) fn is_asked(&self, set: &OptionSet) -> bool {
        self.view.pending_clarifier_type != ClarifierType::None || self.is_put(set)
    }

    /// True if the list is a question, or is what the assistant said last in the chat, and nothing else with positions was shown
    /// since: its title is then what the text answers.
    pub(super) fn just_offered(&self, set: &OptionSet) -> bool {
        let seen = self.view.standing(&set.id).map_or(0, |standing| standing.seen);
        let said_last = set.scope == Scope::Chat && !self.is_soft(set) && self.view.within(seen, 1);
        self.counts(set) && (self.is_put(set) || said_last)
    }

    /// Returns what descriptions of a list's options are read against.
    pub(super) fn facts(&self, set: &'s OptionSet) -> ListFacts<'s> {
        let left = |option: &SetOption| option.is_normal() && !self.view.rejected_in(&set.id, &option.id);
        ListFacts { title: set.title.as_deref(), comparisons: &set.comparisons, left: set.those(left) }
    }

    /// Returns the options that are rejected or were accepted last; "the other one" is the one without this
    /// mark.
    pub(super) fn marked(&self, set: &OptionSet) -> OptionMask {
        // What was done by an earlier version of the list says nothing of what its options run now.
        let last = self.view.last_resolved_action.as_ref();
        let accepted = |id: &str| {
            let now = set.option(id).and_then(|(at, _)| set.identity(at));
            self.view.last_accepted_choice_id.as_deref() == Some(id)
                && last.is_some_and(|last| last.still_is(now.as_ref()))
        };
        set.those(|option| self.view.rejected_in(&set.id, &option.id) || accepted(&option.id))
    }
}

/// A pool in which only names count, not positions.
pub(super) fn names_only_pool(set: &OptionSet) -> CandidatePool<'_> {
    CandidatePool {
        options: &set.options,
        order: &[],
        displayed: 0,
        places: Places::Unmeant,
        marked: 0,
        facts: None,
    }
}

pub(super) fn base_order(options: &[SetOption]) -> Vec<u8> {
    (0..options.len()).filter_map(|at| u8::try_from(at).ok()).collect()
}

fn ask(reason: Reason, places: Vec<ScopePlace>, text: &str) -> Resolution {
    let about = QuestionSubject::Scopes { places, text: text.to_string() };
    Resolution::ask(ClarifyingQuestion::plain(reason, ClarifierType::ScopeDisambiguation, about))
}

/// Shows the list that took the place of the one replied to.
fn replaced(set: &OptionSet) -> Resolution {
    let about = QuestionSubject::List { set: set.id.clone(), first: None, ahead: 0, rejected: 0 };
    Resolution::ask(ClarifyingQuestion::plain(
        Reason::ListReplaced,
        ClarifierType::SelectionDisambiguation,
        about,
    ))
}

/// Asks if the text means an option of that other list on the screen.
pub(super) fn elsewhere(set: &OptionSet, text: &str) -> Resolution {
    ask(Reason::OptionElsewhere, vec![(set.scope, Some(set.scope_instance.clone()))], text)
}
