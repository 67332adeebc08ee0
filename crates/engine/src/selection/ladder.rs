//! Decides one text beside an open list, in a fixed order of steps. The first step that decides wins
//! (docs/design/0022-choosing-an-option.md, "The ladder").

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use core::cell::OnceCell;

use crate::data::decision::Reason;
use crate::data::fingerprint::{Print, loop_guard};
use crate::data::id::SetId;
use crate::data::option_names::By;
use crate::data::option_set::OptionSet;
use crate::data::scope::Scope;
use crate::data::set_option::Options;
use crate::data::view::{ClarifierType, Status};
use crate::selection::control::{Control, Repair};
use crate::selection::hint;
use crate::selection::hint::{Class, Hints};
use crate::selection::parse::Parses;
use crate::selection::read::{Pool, Reading};
use crate::selection::remainder;
use crate::selection::remainder::Named;
use crate::selection::scene::{Scene, Target, Where, bare, elsewhere};
use crate::selection::winner::{Blocked, Continuity};
use throughline_language::normal;
use throughline_language::words::Words;

/// The decision about one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// The text is no choice and goes on to the next rung.
    Pass(Reason),
    /// The text executes an option.
    Act(Act),
    /// The person, or a model first, is asked what the text means.
    Ask(Box<Question>),
}

/// An option to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) set: SetId,
    /// Its index in the base order.
    pub(crate) option: usize,
    pub(crate) reason: Reason,
    /// The option this one corrects, which is thereby rejected.
    pub(crate) corrects: Option<usize>,
    /// The rest of the text, which goes on to the next rungs.
    pub(crate) remainder: Option<String>,
}

/// A question to the person; asking it executes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) reason: Reason,
    pub(crate) kind: ClarifierType,
    pub(crate) about: About,
    /// The unresolved text, if the question is about a list: the material for a model.
    pub(crate) open: Option<Open>,
}

/// A text that the rules did not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    /// The text without its scope cue.
    pub(crate) text: String,
    /// True if it had a scope cue.
    pub(crate) cued: bool,
    /// A key of the text and the list, so that a model is not asked the same twice.
    pub(crate) key: Print,
    /// The options it resembles, best first.
    pub(crate) hints: Vec<usize>,
    /// The continuity gate that failed.
    pub(crate) blocked: Option<Blocked>,
}

/// The content of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A list with the best guess first and without the rejected options.
    List { set: SetId, first: Option<usize>, rejected: Options },
    /// A list, with more of its options than were displayed before.
    More { set: SetId },
    /// A yes-or-no question about one option; `rejected` are to be marked as rejected.
    Confirm { set: SetId, option: usize, rejected: Options },
    /// The places the option may be in, and the text without its scope cue.
    Scopes { places: Vec<Where>, text: String },
    /// An open question: none of the list was wanted, so what is? `rejected` are to be marked as rejected.
    Refine { set: SetId, rejected: Options },
    /// A text without a list.
    Nothing,
}

impl Ruling {
    pub(super) fn ask(question: Question) -> Self {
        Self::Ask(Box::new(question))
    }
}

impl Question {
    pub(crate) fn plain(reason: Reason, kind: ClarifierType, about: About) -> Self {
        Self { reason, kind, about, open: None }
    }
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

/// Applies the continuity gates to a text, with the list as it is now: the rules' last word after a model
/// could not tell.
pub(crate) fn winner(scene: &Scene<'_>, set: &OptionSet) -> Result<usize, Blocked> {
    let target = scene.whole(set, false);
    Judge::of(scene, &target).continuity().winner()
}

/// One text, read against one list.
pub(super) struct Judge<'j> {
    scene: &'j Scene<'j>,
    target: &'j Target<'j>,
    parses: Parses<'j>,
    pool: Pool<'j>,
    pub(super) reading: Reading,
    hints: OnceCell<Hints>,
    /// The whole text is a label; then it is not read as anything else.
    labelled: bool,
}

impl<'j> Judge<'j> {
    /// The steps of the ladder, in their order.
    const STEPS: [fn(&Self) -> Option<Ruling>; 12] = [
        Self::alone,
        Self::torn,
        Self::and_more,
        Self::control,
        Self::answered,
        Self::verify,
        Self::question,
        Self::repair,
        Self::command,
        Self::denoted,
        Self::referred,
        Self::unresolved,
    ];

    pub(super) fn of(scene: &'j Scene<'j>, target: &'j Target<'j>) -> Self {
        let asked = scene.view.pending_clarifier_type != ClarifierType::None;
        let parses = Parses::of(scene.lexicon, &target.message, asked);
        let pool = Pool {
            options: &target.set.options,
            order: &target.order,
            displayed: target.displayed,
            positional: scene.positional(target.set),
            marked: scene.marked(target.set),
        };
        // A denied option is not chosen; `repair` handles what the text takes back.
        let whole = pool.whole(target.message.text());
        let labelled = whole.0 != 0;
        let denies = parses.negates() && !labelled;
        let reading = if denies { Reading::Nothing } else { pool.read_beside(&parses, whole) };
        Self { scene, target, parses, pool, reading, hints: OnceCell::new(), labelled }
    }

    fn rule(&self) -> Ruling {
        Self::STEPS.iter().find_map(|step| step(self)).unwrap_or(Ruling::Pass(Reason::SelectionUnlike))
    }

    /// The text only names a place or calls a list back.
    fn alone(&self) -> Option<Ruling> {
        let called = self.target.cued || self.target.returns;
        let reason = if self.target.returns { Reason::ListReturned } else { Reason::ScopeAlone };
        let empty = called && self.parses.bare();
        empty.then(|| self.list(reason, ClarifierType::SelectionDisambiguation, None))
    }

    /// The options the text resembles, computed on first use.
    fn hints(&self) -> &Hints {
        self.hints.get_or_init(|| hint::hints(&self.parses, &self.pool))
    }

    /// The text is a label here and, without its scope cue, a label elsewhere: "Notes from chat".
    fn torn(&self) -> Option<Ruling> {
        self.target.torn.then(|| self.resembles(Reason::OptionCollision))
    }

    /// One clause denotes an option and the rest goes on: "open sample2 and explain why".
    fn and_more(&self) -> Option<Ruling> {
        if self.labelled || self.target.exact || matches!(self.reading, Reading::One(..)) {
            return None;
        }
        let named = |text: &str| match self.reading_in(text) {
            Reading::One(_, By::Ordinal | By::Badge | By::Other) => Some(Named::Place),
            Reading::One(..) | Reading::Tie(_) => Some(Named::Name),
            _ => None,
        };
        let (part, rest) = remainder::divided(self.scene.lexicon, &self.target.message, named)?;
        if remainder::binds(self.scene.lexicon, &rest, |text| {
            named(text).is_some()
                || hint::hints(&Parses::of(self.scene.lexicon, &Words::of(text), false), &self.pool)
                    .reaches(Class::A3)
        }) {
            return Some(self.resembles(Reason::OptionSeveral));
        }
        let words = Words::of(&part);
        let parses = Parses::of(self.scene.lexicon, &words, false);
        if parses.asks(false) || parses.verifies() || parses.negates() {
            return None;
        }
        let Reading::One(option, by) = self.pool.read(&parses) else { return None };
        match self.act(option, reason_of(by)) {
            Ruling::Act(act) => Some(Ruling::Act(Act { remainder: Some(rest), ..act })),
            other => Some(other),
        }
    }

    fn control(&self) -> Option<Ruling> {
        if self.labelled || self.target.exact {
            return None;
        }
        let ask = |reason, kind| Some(self.list(reason, kind, None));
        match self.parses.control()? {
            Control::Reject => Some(self.refine()),
            Control::Reshow => ask(Reason::ListReshown, ClarifierType::SelectionDisambiguation),
            Control::More => {
                let more = self.target.displayed < self.target.order.len();
                let about = About::More { set: self.target.set.id.clone() };
                let kind = ClarifierType::SelectionDisambiguation;
                more.then(|| Ruling::ask(Question::plain(Reason::ListReshown, kind, about)))
            }
            Control::Hesitate => {
                // Hesitation means something only while a question is open.
                let kind = self.scene.view.pending_clarifier_type;
                (kind != ClarifierType::None).then(|| self.list(Reason::ListHesitation, kind, None))
            }
        }
    }

    fn refine(&self) -> Ruling {
        let about = About::Refine { set: self.target.set.id.clone(), rejected: self.all() };
        Ruling::ask(Question::plain(Reason::ListRejected, ClarifierType::Repair, about))
    }

    /// A yes or a no to the pending question.
    fn answered(&self) -> Option<Ruling> {
        let view = self.scene.view;
        let (yes, asked) = (self.scene.yes?, view.clarifier.as_ref()?);
        if self.labelled || view.pending_clarifier_type == ClarifierType::None {
            return None;
        }
        // "I want that" is a yes to a suggestion; without one it is a reference.
        let points = !matches!(self.reading, Reading::Nothing);
        let fresh = view.within(asked.turn, self.scene.policy.ttl.repair);
        let suggested = asked.suggests.as_ref().filter(|_| fresh).and_then(|id| self.target.set.option(id));
        let confirms = view.pending_clarifier_type == ClarifierType::Confirmation;
        match (yes, suggested.filter(|_| confirms && asked.set.as_ref() == Some(&self.target.set.id))) {
            (true, Some((option, _))) => Some(self.act(option, Reason::OptionConfirmed)),
            (_, None) if points => None,
            (true, None) => Some(self.resembles(Reason::OptionYesToWhat)),
            (false, Some((option, _))) => Some(self.left(self.rejected() | 1 << option)),
            (false, None) if view.denied.is_some_and(|turn| turn + 1 == view.turn) => Some(self.refine()),
            (false, None) => Some(self.resembles(Reason::OptionNoMatch)),
        }
    }

    fn verify(&self) -> Option<Ruling> {
        (!self.labelled && self.parses.verifies()).then_some(Ruling::Pass(Reason::SelectionVerify))
    }

    fn question(&self) -> Option<Ruling> {
        let open = self.scene.view.pending_clarifier_type == ClarifierType::SelectionDisambiguation;
        let exact = open && matches!(self.reading, Reading::One(..) | Reading::Tie(_));
        (!self.labelled && self.parses.asks(exact)).then_some(Ruling::Pass(Reason::SelectionQuestion))
    }

    /// Takes back an option, or corrects a choice.
    fn repair(&self) -> Option<Ruling> {
        if self.labelled || self.target.exact {
            return None;
        }
        self.parses.repairs().and_then(|repair| self.taken_back(&repair))
    }

    fn taken_back(&self, repair: &Repair) -> Option<Ruling> {
        match repair {
            Repair::These(parts) => {
                let own = parts.iter().map(|part| self.part(part)).collect::<Option<Vec<usize>>>()?;
                Some(self.left(own.iter().fold(self.rejected(), |all, option| all | 1 << option)))
            }
            Repair::Last => {
                let last = self.last()?;
                Some(self.left(self.rejected() | 1 << last))
            }
            Repair::Instead(part) => {
                let option = self.part(part)?;
                let corrects = self.last().is_some_and(|last| last != option);
                let by = if corrects { Reason::OptionCorrected } else { reason_of(self.by(part)?) };
                Some(self.act(option, by))
            }
        }
    }

    fn command(&self) -> Option<Ruling> {
        if self.labelled || self.target.exact {
            return None;
        }
        let phrase = |text: &str| normal::compact(text, false);
        let says = |said: &str| self.parses.cores().any(|core| phrase(self.parses.written(&core)) == said);
        let declared = self.scene.policy.commands.iter().find(|command| says(&phrase(&command.phrase)));
        let changed = self.parses.changed();
        if declared.is_none() && changed.is_none() {
            return None;
        }
        // "Delete sample2", where sample2 is an option, may be either: the person is asked.
        let named = |text: &str| {
            let words = Words::of(text);
            let parses = Parses::of(self.scene.lexicon, &words, false);
            match self.pool.read(&parses) {
                Reading::One(option, _) => Some(Some(option)),
                Reading::Tie(_) | Reading::Collision(_) => Some(None),
                _ => hint::hints(&parses, &self.pool).reaches(Class::A3).then_some(None),
            }
        };
        let whole = declared.and_then(|_| named(self.target.message.text()));
        let rest = changed.as_ref().filter(|rest| !rest.is_empty());
        let meant = whole.or_else(|| rest.and_then(|rest| named(self.parses.written(rest))));
        let same = declared.and_then(|command| command.target.as_deref()).zip(meant.flatten()).is_some_and(
            |(target, option)| self.target.set.options.get(option).is_some_and(|known| known.id == target),
        );
        if meant.is_some() && !same || self.target.cued && declared.is_none() {
            return Some(self.resembles(Reason::OptionCommand));
        }
        if self.target.cued || same {
            return None;
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
                // After the question which option instead, a pick is a correction.
                let repairs = self.scene.view.pending_clarifier_type == ClarifierType::Repair
                    && self.last().is_some_and(|last| last != option);
                Some(self.act(option, if repairs { Reason::OptionCorrected } else { reason_of(by) }))
            }
            _ if self.target.exact => Some(Ruling::Pass(Reason::SelectionUnlike)),
            Reading::Tie(_) => Some(self.resembles(Reason::OptionTie)),
            Reading::Collision(_) => Some(self.resembles(Reason::OptionCollision)),
            Reading::OutOfRange => Some(self.resembles(Reason::OptionOutOfRange)),
            Reading::Several => Some(self.resembles(Reason::OptionSeveral)),
            _ => None,
        }
    }

    fn continuity(&self) -> Continuity<'_> {
        Continuity {
            view: self.scene.view,
            set: self.target.set,
            reading: self.reading,
            guarded: self.guarded(),
            ttl: &self.scene.policy.ttl,
            now: self.scene.now,
        }
    }

    fn referred(&self) -> Option<Ruling> {
        let Reading::Reference { .. } = self.reading else { return None };
        if !self.scene.positional(self.target.set) {
            return None;
        }
        Some(match self.continuity().winner() {
            Ok(option) if self.once(option) => {
                let (set, rejected) = (self.target.set.id.clone(), self.rejected());
                let about = About::Confirm { set, option, rejected };
                Ruling::ask(Question::plain(Reason::OptionUnreferenced, ClarifierType::Confirmation, about))
            }
            Ok(option) => self.act(option, Reason::OptionReference),
            Err(blocked) => {
                let mut ruling = self.resembles(blocked.reason());
                if let Ruling::Ask(question) = &mut ruling
                    && let Some(open) = &mut question.open
                {
                    open.blocked = Some(blocked);
                }
                ruling
            }
        })
    }

    /// True if the option was already done and may not simply be repeated.
    fn once(&self, option: usize) -> bool {
        let (done, set) = (&self.scene.view.recent_action_trace, &self.target.set.id);
        let this = |id: &String| {
            done.iter().any(|entry| entry.option_set_id.as_ref() == Some(set) && entry.target_ref.id == *id)
        };
        self.target.set.options.get(option).is_some_and(|named| !named.repeatable && this(&named.id))
    }

    /// Asks about a text that denotes nothing exactly but looks like a choice.
    fn unresolved(&self) -> Option<Ruling> {
        let asked = self.scene.view.pending_clarifier_type != ClarifierType::None;
        let short = self.parses.shortest().is_some_and(|core| core.len() <= 5);
        let like = short && (self.hints().reaches(Class::A4) || self.parses.counts())
            || asked && self.hints().reaches(Class::A5)
            || self.guarded();
        if self.soft() && !self.target.cued && !self.guarded() {
            return self.elsewhere();
        }
        if self.target.cued || self.parses.has_verb() || like {
            let many = self.hints().best().count_ones() > 1;
            return Some(self.resembles(if many { Reason::OptionManyMatch } else { Reason::OptionNoMatch }));
        }
        if let Some(question) = self.elsewhere() {
            return Some(question);
        }
        let polite = self.parses.bare() && !self.target.message.all().is_empty();
        (asked && !polite && self.noise())
            .then(|| self.list(Reason::OptionNoise, ClarifierType::SelectionDisambiguation, None))
    }

    /// Asks if the text is a label of another list on the screen; it never executes there.
    fn elsewhere(&self) -> Option<Ruling> {
        let text = self.target.message.text();
        let other = self.scene.sets.iter().find(|set| {
            set.id != self.target.set.id && set.scope != Scope::Chat && bare(set).whole(text).0 != 0
        })?;
        Some(elsewhere(other, text))
    }

    /// True if an option of this list was just executed. A text that fits none of its options is then about
    /// something else.
    fn soft(&self) -> bool {
        let standing = self.scene.view.standing(&self.target.set.id);
        standing.is_some_and(|standing| standing.status == Status::Soft)
    }

    /// True if the text looks like noise: less than half letters, one very short word, no vowels, a repeated
    /// letter, a run of keys.
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

    // ---- building rulings ----

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
        let corrects = self.last().filter(|last| reason == Reason::OptionCorrected && *last != option);
        Ruling::Act(Act { set: set.id.clone(), option, reason, corrects, remainder: None })
    }

    /// Asks about the list, with the one option that the text resembles most in front.
    fn resembles(&self, reason: Reason) -> Ruling {
        self.list(reason, ClarifierType::SelectionDisambiguation, self.hints().unique())
    }

    fn list(&self, reason: Reason, kind: ClarifierType, first: Option<usize>) -> Ruling {
        let set = self.target.set.id.clone();
        let rejected = if kind == ClarifierType::Repair { self.rejected() } else { 0 };
        let open = Open {
            text: self.target.message.text().to_string(),
            cued: self.target.cued,
            key: self.key(),
            hints: self.hints().ranked.iter().map(|(option, _)| *option).collect(),
            blocked: None,
        };
        Ruling::ask(Question { reason, kind, about: About::List { set, first, rejected }, open: Some(open) })
    }

    /// The guard's key: the text's core, the options' ids and the list.
    fn key(&self) -> Print {
        let core = self.parses.shortest();
        let core = core.map_or(self.target.message.text(), |core| self.parses.written(&core));
        let ids: Vec<&str> = self.target.set.options.iter().map(|option| option.id.as_str()).collect();
        loop_guard(&normal::folded_text(core), &ids, &self.target.set.id)
    }

    /// True if this text was put to a model before.
    fn guarded(&self) -> bool {
        self.scene.view.guard.as_ref().is_some_and(|guard| guard.key == self.key())
    }

    /// Asks after options were rejected: about the rest, about the only one left, or what else is wanted.
    fn left(&self, rejected: Options) -> Ruling {
        let set = self.target.set.id.clone();
        let open: Options = self.all() & !rejected;
        let (kind, about) = match open.count_ones() {
            0 => (ClarifierType::Repair, About::Refine { set, rejected }),
            1 => {
                let option = open.trailing_zeros() as usize;
                (ClarifierType::Confirmation, About::Confirm { set, option, rejected })
            }
            _ => (ClarifierType::Repair, About::List { set, first: None, rejected }),
        };
        Ruling::ask(Question::plain(Reason::RepairRemaining, kind, about))
    }

    fn all(&self) -> Options {
        self.target.set.those(|option| option.role == crate::data::set_option::Role::Normal)
    }

    /// The option a part of the text denotes, if it is exactly one.
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
        self.reading_in(self.parses.written(part))
    }

    fn reading_in(&self, text: &str) -> Reading {
        let words = Words::of(text);
        self.pool.read(&Parses::of(self.scene.lexicon, &words, false))
    }

    fn rejected(&self) -> Options {
        let (view, set) = (self.scene.view, self.target.set);
        set.those(|option| view.rejected_in(&set.id, &option.id))
    }

    /// The option of this list that was suggested or else executed last, while that is recent.
    fn last(&self) -> Option<usize> {
        let (view, ttl) = (self.scene.view, &self.scene.policy.ttl);
        let asked = view.clarifier.as_ref().filter(|asked| view.within(asked.turn, ttl.repair));
        let suggested = asked.filter(|asked| asked.set.as_ref() == Some(&self.target.set.id));
        if let Some((option, _)) =
            suggested.and_then(|asked| self.target.set.option(asked.suggests.as_deref()?))
        {
            return Some(option);
        }
        let last = view.last_resolved_action.as_ref()?;
        let fresh = view.within(last.turn, self.scene.policy.ttl.repair);
        let here = last.option_set_id.as_ref() == Some(&self.target.set.id);
        let (option, _) = self.target.set.option(&last.target_ref.id).filter(|_| fresh && here)?;
        Some(option)
    }
}

/// Rows of letters on a keyboard: a run along one is noise.
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

#[cfg(test)]
mod tests;
