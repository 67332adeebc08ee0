//! The order in which one text is decided (`spec 04 §9`): where it says its option is, what is said to the list as a
//! whole, what is no choice, what denotes one option, what only resembles one. The first that decides wins.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::control::{Control, Repair};
use super::cue::{self, Cue, Place, Sure};
use super::hint::{self, Class, Hints};
use super::parse::Parses;
use super::read::{By, Options, Pool, Reading};
use super::winner::{Blocked, Continuity};
use super::{ClarifierType, OptionSet, Parked, Scope, Standing, Status, View};
use crate::decision::Reason;
use crate::id::{MessageId, SetId};
use crate::policy::selection::Selection;
use crate::recognize::lexicon::Lexicon;
use crate::recognize::words::Words;
use crate::time::Timestamp;

/// What one text is judged by.
pub(crate) struct Scene<'s> {
    pub(crate) lexicon: &'static Lexicon,
    pub(crate) view: &'s View,
    /// The lists that stand for this person.
    pub(crate) sets: &'s [&'s OptionSet],
    pub(crate) message: &'s Words,
    /// The message it replied to.
    pub(crate) reply: Option<&'s MessageId>,
    pub(crate) policy: &'s Selection,
    pub(crate) now: Timestamp,
}

/// What becomes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It leaves this lane for the next rung.
    Pass(Reason),
    /// It executes an option.
    Act(Act),
    /// It is asked about.
    Ask(Question),
}

/// An option that executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) set: SetId,
    /// Its place in the base order.
    pub(crate) option: usize,
    pub(crate) reason: Reason,
    /// What else the text says, which goes on to the next rungs.
    pub(crate) remainder: Option<String>,
}

/// A question that is safe to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) reason: Reason,
    pub(crate) kind: ClarifierType,
    pub(crate) about: About,
}

/// What a question shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A list, with the best guess first, without what was rejected.
    List { set: SetId, first: Option<usize>, rejected: Options },
    /// Whether it is this one.
    Confirm { set: SetId, option: usize },
    /// Places: where is it?
    Scopes(Vec<(Scope, Option<String>)>),
    /// What is wanted, since none of the list is.
    Refine { set: SetId },
    /// Words only.
    Nothing,
}

/// The list a text is read against, and the text without what says where.
struct Target<'s> {
    set: &'s OptionSet,
    order: Vec<u8>,
    displayed: usize,
    /// Only exact names count: another request put the list aside.
    exact: bool,
    cued: bool,
    message: Words,
}

/// Decides one text.
pub(crate) fn rule(scene: &Scene<'_>) -> Ruling {
    if !scene.policy.enabled {
        return Ruling::Pass(Reason::SelectionOff);
    }
    let target = match scene.target() {
        Ok(target) => target,
        Err(ruling) => return ruling,
    };
    Judge::of(scene, &target).rule()
}

impl<'s> Scene<'s> {
    /// Which list the text is about.
    fn target(&self) -> Result<Target<'s>, Ruling> {
        let cues = cue::cues(self.lexicon, self.message, &self.places());
        if self.view.standings.is_empty() && cues.is_empty() {
            return Err(Ruling::Pass(Reason::SelectionNothing));
        }
        if let Some(target) = self.replied() {
            return target;
        }
        let active = self.by(|standing| standing.status == Status::Active);
        // A label that reads like a cue is the label.
        let uncut = active.is_some_and(|set| self.pool(set, false).whole(self.message.text()) != 0);
        if let [first, rest @ ..] = cues.as_slice()
            && !uncut
        {
            return self.cued(first, rest);
        }
        let soft = || self.by(|standing| standing.status == Status::Soft);
        if let Some(set) = active.or_else(soft) {
            return Ok(self.whole(set, false));
        }
        let ttl = &self.policy.ttl;
        let interrupted = self.by(|standing| {
            standing.status == Status::Parked(Parked::Interrupt)
                && self.view.within(standing.turn, ttl.implicit_return)
        });
        match interrupted {
            Some(set) => Ok(self.whole(set, true)),
            None => Err(self.nothing_open()),
        }
    }

    /// A reply to a list means that list, in that order.
    fn replied(&self) -> Option<Result<Target<'s>, Ruling>> {
        let message = self.reply?;
        let (set, showing) = self.sets.iter().find_map(|set| Some((*set, set.shown_by(message)?)))?;
        let mut target = self.whole(set, false);
        (target.order, target.displayed) = (showing.order.clone(), usize::from(showing.displayed));
        Some(Ok(target))
    }

    fn cued(&self, first: &Cue, rest: &[Cue]) -> Result<Target<'s>, Ruling> {
        let mut places = vec![(first.scope, first.instance.clone())];
        places.extend(rest.iter().map(|cue| (cue.scope, cue.instance.clone())));
        let ask =
            |reason, about| Ruling::Ask(Question { reason, kind: ClarifierType::ScopeDisambiguation, about });
        if first.sure != Sure::High {
            return Err(ask(Reason::ScopeTypo, About::Scopes(places)));
        }
        if rest.iter().any(|cue| cue.scope != first.scope) {
            return Err(ask(Reason::ScopeConflict, About::Scopes(places)));
        }
        let here = |set: &&&OptionSet| {
            set.scope == first.scope
                && first.instance.as_ref().is_none_or(|instance| set.scope_instance == *instance)
        };
        let standing = |set: &&OptionSet| self.view.standing(&set.id).map(|standing| standing.status);
        let best = self.sets.iter().filter(here).min_by_key(|set| match standing(set) {
            Some(Status::Active) => 0,
            Some(Status::Soft) => 1,
            _ => 2,
        });
        let Some(set) = best else { return Err(ask(Reason::ScopeMissing, About::Scopes(places))) };
        let text = cue::without(self.message, &first.words);
        Ok(Target { cued: true, message: Words::of(&text), ..self.whole(set, false) })
    }

    fn whole(&self, set: &'s OptionSet, exact: bool) -> Target<'s> {
        let (order, displayed) = match set.newest() {
            Some(showing) => (showing.order.clone(), usize::from(showing.displayed)),
            None => (base(set), set.options.len()),
        };
        Target { set, order, displayed, exact, cued: false, message: self.message.clone() }
    }

    /// No list is open. A place or sign alone may mean one that was put aside; then it is said how to come back.
    fn nothing_open(&self) -> Ruling {
        let parked = self.by(|standing| matches!(standing.status, Status::Parked(_)));
        let Some(set) = parked else { return Ruling::Pass(Reason::SelectionNothing) };
        let target = self.whole(set, false);
        let judge = Judge::of(self, &target);
        if judge.parses.control() == Some(Control::Return) {
            return judge.list(Reason::ListReturned, ClarifierType::SelectionDisambiguation, None);
        }
        let closed = matches!(judge.reading, Reading::One(_, By::Ordinal | By::Badge) | Reading::OutOfRange);
        let ask = Question { reason: Reason::ListClosed, kind: ClarifierType::None, about: About::Nothing };
        if closed { Ruling::Ask(ask) } else { Ruling::Pass(Reason::SelectionNothing) }
    }

    /// The newest list that stands like this.
    fn by(&self, fits: impl Fn(&Standing) -> bool) -> Option<&'s OptionSet> {
        let newest = self
            .view
            .standings
            .iter()
            .filter(|standing| fits(standing))
            .max_by_key(|standing| standing.turn)?;
        self.sets.iter().find(|set| set.id == newest.set).copied()
    }

    fn places(&self) -> Vec<Place<'s>> {
        let titled = self.sets.iter().filter_map(|set| {
            Some(Place { scope: set.scope, instance: &set.scope_instance, title: set.title.as_deref()? })
        });
        titled.collect()
    }

    fn pool<'p>(&self, set: &'p OptionSet, positional: bool) -> Pool<'p> {
        Pool { set, order: &[], displayed: 0, positional, marked: 0 }
    }
}

fn base(set: &OptionSet) -> Vec<u8> {
    (0..set.options.len()).filter_map(|at| u8::try_from(at).ok()).collect()
}

/// One text, read against one list.
struct Judge<'j> {
    scene: &'j Scene<'j>,
    target: &'j Target<'j>,
    parses: Parses<'j>,
    pool: Pool<'j>,
    reading: Reading,
    hints: Hints,
}

impl<'j> Judge<'j> {
    /// Steps 4 to 16, in their order.
    const STEPS: [fn(&Self) -> Option<Ruling>; 9] = [
        Self::alone,
        Self::control,
        Self::verify,
        Self::question,
        Self::repair,
        Self::command,
        Self::denoted,
        Self::referred,
        Self::unresolved,
    ];

    fn of(scene: &'j Scene<'j>, target: &'j Target<'j>) -> Self {
        let asked = scene.view.pending_clarifier_type != ClarifierType::None;
        let parses = Parses::of(scene.lexicon, &target.message, asked);
        let pool = Pool {
            set: target.set,
            order: &target.order,
            displayed: target.displayed,
            positional: scene.positional(target.set),
            marked: scene.marked(target.set),
        };
        let reading = pool.read(&parses);
        let hints = hint::hints(&parses, &pool);
        Self { scene, target, parses, pool, reading, hints }
    }

    fn rule(&self) -> Ruling {
        Self::STEPS.iter().find_map(|step| step(self)).unwrap_or(Ruling::Pass(Reason::SelectionUnlike))
    }

    /// The text only said where.
    fn alone(&self) -> Option<Ruling> {
        let empty = self.target.cued && self.parses.cores().next().is_none();
        empty.then(|| self.list(Reason::ScopeAlone, ClarifierType::SelectionDisambiguation, None))
    }

    /// Whether the whole text is a label: then it is nothing else.
    fn labelled(&self) -> bool {
        self.pool.whole(self.target.message.text()) != 0
    }

    fn control(&self) -> Option<Ruling> {
        if self.labelled() || self.target.exact {
            return None;
        }
        let ask = |reason, kind| Some(self.list(reason, kind, None));
        match self.parses.control()? {
            Control::Reject => Some(Ruling::Ask(Question {
                reason: Reason::ListRejected,
                kind: ClarifierType::Repair,
                about: About::Refine { set: self.target.set.id.clone() },
            })),
            Control::Return => ask(Reason::ListReturned, ClarifierType::SelectionDisambiguation),
            Control::Reshow => ask(Reason::ListReshown, ClarifierType::SelectionDisambiguation),
            Control::Hesitate => ask(Reason::ListHesitation, self.scene.view.pending_clarifier_type),
        }
    }

    fn verify(&self) -> Option<Ruling> {
        (!self.labelled() && self.parses.verifies()).then_some(Ruling::Pass(Reason::SelectionVerify))
    }

    fn question(&self) -> Option<Ruling> {
        let open = self.scene.view.pending_clarifier_type == ClarifierType::SelectionDisambiguation;
        let exact = open && matches!(self.reading, Reading::One(..) | Reading::Tie(_));
        (!self.labelled() && self.parses.asks(exact)).then_some(Ruling::Pass(Reason::SelectionQuestion))
    }

    /// What takes something back; a "not" that nothing explains leaves no exact reading.
    fn repair(&self) -> Option<Ruling> {
        if self.labelled() {
            return None;
        }
        match self.parses.repairs() {
            Some(Repair::These(parts)) => {
                let own = parts.iter().map(|part| self.part(part)).collect::<Option<Vec<usize>>>()?;
                Some(self.left(own.iter().fold(self.rejected(), |all, option| all | 1 << option)))
            }
            Some(Repair::Last) => {
                let last = self.last()?;
                Some(self.left(self.rejected() | 1 << last))
            }
            Some(Repair::Instead(part)) => {
                let option = self.part(&part)?;
                let corrects = self.last().is_some_and(|last| last != option);
                let by = if corrects { Reason::OptionCorrected } else { reason_of(self.by(&part)?) };
                Some(self.act(option, by))
            }
            None => self.parses.negates().then(|| self.resembles(Reason::OptionNoMatch)),
        }
    }

    fn command(&self) -> Option<Ruling> {
        if self.labelled() {
            return None;
        }
        let phrase = |text: &str| crate::recognize::selection::normal::compact(text, false);
        let cores: Vec<String> = self.parses.cores().map(|core| phrase(self.parses.written(&core))).collect();
        let declared =
            self.scene.policy.commands.iter().find(|command| cores.contains(&phrase(&command.phrase)));
        let changed = self.parses.changed();
        if declared.is_none() && changed.is_none() {
            return None;
        }
        // "Delete sample2", where sample2 is an option: neither before the person says.
        let named = |part| {
            let words = Words::of(self.parses.written(part));
            let parses = Parses::of(self.scene.lexicon, &words, false);
            let exact = matches!(self.pool.read(&parses), Reading::One(..) | Reading::Tie(_));
            exact || hint::hints(&parses, &self.pool).reaches(Class::A3)
        };
        if let Some(rest) = changed
            && (self.target.cued || !rest.is_empty() && named(&rest))
        {
            return Some(self.resembles(Reason::OptionCommand));
        }
        Some(Ruling::Pass(if declared.is_some() {
            Reason::SelectionCommand
        } else {
            Reason::SelectionUnlike
        }))
    }

    fn denoted(&self) -> Option<Ruling> {
        match self.reading {
            Reading::One(option, by) if !self.target.exact || by != By::Other => {
                Some(self.act(option, reason_of(by)))
            }
            _ if self.target.exact => Some(Ruling::Pass(Reason::SelectionUnlike)),
            Reading::Tie(_) => Some(self.resembles(Reason::OptionTie)),
            Reading::Collision(_) => Some(self.resembles(Reason::OptionCollision)),
            Reading::OutOfRange => Some(self.resembles(Reason::OptionOutOfRange)),
            Reading::Several => Some(self.resembles(Reason::OptionSeveral)),
            _ => None,
        }
    }

    fn referred(&self) -> Option<Ruling> {
        let Reading::Reference { .. } = self.reading else { return None };
        let continuity = Continuity {
            view: self.scene.view,
            set: self.target.set,
            reading: self.reading,
            guarded: false,
            ttl: &self.scene.policy.ttl,
            now: self.scene.now,
        };
        Some(match continuity.winner() {
            Ok(option) => self.act(option, Reason::OptionReference),
            Err(Blocked::UiOnly) => self.resembles(Reason::OptionsOnly),
            Err(_) => self.resembles(Reason::OptionUnreferenced),
        })
    }

    /// Nothing exact: what it resembles is asked about, where it is like a choice at all.
    fn unresolved(&self) -> Option<Ruling> {
        let asked = self.scene.view.pending_clarifier_type != ClarifierType::None;
        let short = self.parses.shortest().is_some_and(|core| core.len() <= 5);
        let like = short && self.hints.reaches(Class::A4) || asked && self.hints.reaches(Class::A5);
        if self.target.cued || self.parses.has_verb() || like {
            let many = self.hints.best().count_ones() > 1;
            return Some(self.resembles(if many { Reason::OptionManyMatch } else { Reason::OptionNoMatch }));
        }
        if let Some(question) = self.elsewhere() {
            return Some(question);
        }
        (asked && self.noise())
            .then(|| self.list(Reason::OptionNoise, ClarifierType::SelectionDisambiguation, None))
    }

    /// The text is a label of another list that is on the screen: it is asked, never executed.
    fn elsewhere(&self) -> Option<Ruling> {
        let text = self.target.message.text();
        let other = self.scene.sets.iter().find(|set| {
            set.id != self.target.set.id
                && set.scope != Scope::Chat
                && self.scene.pool(set, false).whole(text) != 0
        })?;
        let places = vec![(other.scope, Some(other.scope_instance.clone()))];
        Some(Ruling::Ask(Question {
            reason: Reason::OptionElsewhere,
            kind: ClarifierType::ScopeDisambiguation,
            about: About::Scopes(places),
        }))
    }

    /// Under half letters, one short token, no vowels, one letter again and again.
    fn noise(&self) -> bool {
        let text = self.target.message.text();
        let (mut letters, mut all) = (0, 0);
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            all += 1;
            letters += usize::from(c.is_alphabetic());
        }
        let words = self.target.message.all();
        let vowels = |word: &str| word.chars().any(|c| "aeiouyäöüáéíóúàèìòùâêîôû".contains(c));
        let hard = |word: &str| word.chars().count() >= 5 && word.is_ascii() && !vowels(word);
        let same = |word: &str| {
            let chars: Vec<char> = word.chars().collect();
            chars.windows(4).any(|four| four.iter().all(|c| *c == four[0]))
        };
        let row = |word: &str| word.len() >= 4 && ROWS.iter().any(|row| row.contains(word));
        let folded = |at: usize| self.target.message.folded(&words[at]).to_string();
        2 * letters < all
            || words.len() == 1 && folded(0).chars().count() < 3
            || words.len() == 1 && (hard(&folded(0)) || same(&folded(0)) || row(&folded(0)))
    }

    // ---- what a ruling is made of ----

    fn act(&self, option: usize, reason: Reason) -> Ruling {
        let set = self.target.set;
        if !set.executable() {
            return self.resembles(Reason::OptionsOnly);
        }
        let flying = self.scene.view.in_flight.iter().any(|act| {
            act.set == set.id && set.options.get(option).is_some_and(|named| named.id == act.option)
        });
        if flying {
            return self.resembles(Reason::OptionInFlight);
        }
        Ruling::Act(Act { set: set.id.clone(), option, reason, remainder: None })
    }

    /// The list, with what the text resembles first.
    fn resembles(&self, reason: Reason) -> Ruling {
        self.list(reason, ClarifierType::SelectionDisambiguation, self.hints.unique())
    }

    fn list(&self, reason: Reason, kind: ClarifierType, first: Option<usize>) -> Ruling {
        let set = self.target.set.id.clone();
        Ruling::Ask(Question { reason, kind, about: About::List { set, first, rejected: self.rejected() } })
    }

    /// After something was taken back: the rest, or the only one left, or what else is wanted.
    fn left(&self, rejected: Options) -> Ruling {
        let set = self.target.set.id.clone();
        let open: Options = (0..self.target.set.options.len()).fold(0, |all, at| all | 1 << at) & !rejected;
        let (kind, about) = match open.count_ones() {
            0 => (ClarifierType::Repair, About::Refine { set }),
            1 => {
                (ClarifierType::Confirmation, About::Confirm { set, option: open.trailing_zeros() as usize })
            }
            _ => (ClarifierType::Repair, About::List { set, first: None, rejected }),
        };
        Ruling::Ask(Question { reason: Reason::RepairRemaining, kind, about })
    }

    /// The option that a part of the text denotes alone.
    fn part(&self, part: &core::ops::Range<usize>) -> Option<usize> {
        match self.reading_of(part) {
            Reading::One(option, _) => Some(option),
            _ => None,
        }
    }

    fn by(&self, part: &core::ops::Range<usize>) -> Option<By> {
        if let Reading::One(_, by) = self.reading_of(part) { Some(by) } else { None }
    }

    fn reading_of(&self, part: &core::ops::Range<usize>) -> Reading {
        let words = Words::of(self.parses.written(part));
        self.pool.read(&Parses::of(self.scene.lexicon, &words, false))
    }

    fn rejected(&self) -> Options {
        let options = (0..).zip(&self.target.set.options);
        let rejected = options.filter(|(_, option)| self.scene.view.rejected(&option.id));
        rejected.fold(0, |all, (at, _): (u32, _)| all | 1 << at)
    }

    /// What was executed or suggested last in this list, not long ago.
    fn last(&self) -> Option<usize> {
        let view = self.scene.view;
        let last = view.last_resolved_action.as_ref()?;
        let fresh = view.within(last.turn, self.scene.policy.ttl.repair);
        let here = last.option_set_id.as_ref() == Some(&self.target.set.id);
        let (option, _) = self.target.set.option(&last.target_ref.id).filter(|_| fresh && here)?;
        Some(option)
    }
}

/// Letters as they lie on a keyboard.
const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

fn reason_of(by: By) -> Reason {
    match by {
        By::Label => Reason::OptionLabel,
        By::Sublabel => Reason::OptionSublabel,
        By::Alias => Reason::OptionAlias,
        By::Ordinal => Reason::OptionOrdinal,
        By::Badge => Reason::OptionBadge,
        By::Other => Reason::OptionOther,
    }
}

impl Scene<'_> {
    /// Whether places and references mean a list: in the chat always, elsewhere while it was seen not long ago.
    fn positional(&self, set: &OptionSet) -> bool {
        let seen = self.view.standing(&set.id).map_or(0, |standing| standing.seen);
        set.scope == Scope::Chat || self.view.within(seen, self.policy.ttl.positional)
    }

    /// The options that "the other one" leaves.
    fn marked(&self, set: &OptionSet) -> Options {
        let accepted = |id: &str| {
            let last = self.view.last_resolved_action.as_ref();
            let here = last.is_some_and(|last| last.option_set_id.as_ref() == Some(&set.id));
            here && self.view.last_accepted_choice_id.as_deref() == Some(id)
        };
        let options = (0..).zip(&set.options);
        let marked = options.filter(|(_, option)| self.view.rejected(&option.id) || accepted(&option.id));
        marked.fold(0, |all, (at, _): (u32, _)| all | 1 << at)
    }
}

#[cfg(test)]
mod tests;
