//! Decides one text beside an open list, in a fixed order of steps. The first step that decides wins
//! (docs/design/0022-choosing-an-option.md, "The ladder").

use alloc::vec::Vec;

use core::cell::OnceCell;

use alloc::boxed::Box;

use crate::data::decision::Reason;
use crate::data::option_names::MatchedBy;
use crate::data::option_set::OptionSet;
use crate::data::permit::{ChosenOption, Door, TextFacts, Veto};
use crate::data::scope::Scope;
use crate::data::set_option::OptionMask;
use crate::data::view::ClarifierType;
use crate::selection::continuity::{Continuity, FailedGate};
use crate::selection::control::{Control, Repair};
use crate::selection::describe::is_descriptive;
use crate::selection::distinctive::{NamedByWords, by_words};
use crate::selection::exact_match::{CandidatePool, Places, Reading};
use crate::selection::noise::is_noise;
use crate::selection::parse::Parses;
use crate::selection::resolution::{ClarifyingQuestion, Execution, QuestionSubject, Resolution};
use crate::selection::similarity;
use crate::selection::similarity::{SimilarOptions, SimilarityClass};
use crate::selection::target_list::{Anchor, ReplyTo, ResolveInput, TargetList, elsewhere, names_only_pool};
use crate::selection::vetoes::{self, ChoiceMade, permit};
use throughline_language::normal;
use throughline_language::words::Words;

/// The longest text, in bytes, that is read for a description, or for words that only one option has: what is longer is no
/// choice from a list, and would be compared with every option in every part.
const BRIEF: usize = 500;

/// Decides one text.
pub(crate) fn resolve(scene: &ResolveInput<'_>) -> Resolution {
    let target = match scene.target() {
        Ok(target) => target,
        Err(ruling) => return ruling,
    };
    let resolver = Resolver::of(scene, &target);
    match resolver.other_page() {
        Some(page) => Resolver::of(scene, &TargetList { message: target.message.clone(), ..page }).rule(),
        None => resolver.rule(),
    }
}

/// Applies the continuity gates to a text, with the list as it is now: the rules' last word after a model
/// could not tell.
pub(crate) fn check_continuity(
    scene: &ResolveInput<'_>,
    set: &OptionSet,
) -> Result<ChosenOption, FailedGate> {
    let target = scene.whole(set, false);
    let resolver = Resolver::of(scene, &target);
    let option = resolver.continuity().allowed_option()?;
    match resolver.act(option, Reason::ModelVetoed, resolver.facts()) {
        Resolution::Act(act) => Ok(act.chosen),
        _ => Err(FailedGate::NotDenoted),
    }
}

/// Facts of a text beside the option that a model picks for it.
pub(crate) fn text_facts(scene: &ResolveInput<'_>, set: &OptionSet) -> TextFacts {
    let target = scene.whole(set, false);
    Resolver::of(scene, &target).facts()
}

/// True if a text resembles this option more than any other, and spells it.
pub(crate) fn names(scene: &ResolveInput<'_>, set: &OptionSet, option: usize) -> bool {
    let target = scene.whole(set, false);
    let resolver = Resolver::of(scene, &target);
    resolver.hints().unique() == Some(option) && similarity::spells(&resolver.parses, &resolver.pool, option)
}

/// One text, read against one list.
pub(super) struct Resolver<'j> {
    scene: &'j ResolveInput<'j>,
    target: &'j TargetList<'j>,
    parses: Parses<'j>,
    pool: CandidatePool<'j>,
    pub(super) reading: Reading,
    /// The option of this reading, if it is named by words alone.
    named: Option<NamedByWords>,
    hints: OnceCell<SimilarOptions>,
    /// The whole text is a label; then it is not read as anything else.
    labelled: bool,
}

impl<'j> Resolver<'j> {
    /// The steps of the ladder, in their order.
    const STEPS: [fn(&Self) -> Option<Resolution>; 12] = [
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

    pub(super) fn of(scene: &'j ResolveInput<'j>, target: &'j TargetList<'j>) -> Self {
        // "I'll take the second one" answers a list that is on the screen, whether or not somebody asked.
        let framed = scene.is_asked(target.set) || !target.exact && !scene.is_soft(target.set);
        let parses = Parses::of(scene.lexicon, &target.message, framed);
        let brief = target.message.text().len() <= BRIEF;
        let pool = CandidatePool {
            options: &target.set.options,
            order: &target.order,
            displayed: target.displayed,
            places: if scene.counts(target.set) {
                Places::from(target.numbers_from)
            } else {
                Places::Unmeant
            },
            marked: scene.marked(target.set),
            facts: (!target.exact && brief).then(|| scene.facts(target.set)),
        };
        // A denied option is not chosen; `repair` handles what the text takes back.
        let whole = pool.whole(target.message.text());
        let labelled = whole.0 != 0;
        let denies = parses.is_negated(&pool) && !labelled;
        let reading = if denies { Reading::Nothing } else { pool.read_beside(&parses, whole) };
        // What is denied in the rest of a text is not the option: "Shazam is fine, but I can't pay by card".
        let named = (reading == Reading::Nothing && !target.exact && brief)
            .then(|| by_words(scene, target))
            .flatten()
            .filter(|named| !denies || named.parts.is_some());
        let reading = named.as_ref().map_or(reading, |named| Reading::One(named.option, MatchedBy::Words));
        Self { scene, target, parses, pool, reading, named, hints: OnceCell::new(), labelled }
    }

    fn rule(&self) -> Resolution {
        Self::STEPS.iter().find_map(|step| step(self)).unwrap_or(Resolution::Pass(Reason::SelectionUnlike))
    }

    /// Returns the page of this list that has the option of the text, by its number or its name, if this page has none.
    fn other_page(&self) -> Option<TargetList<'j>> {
        let unread = matches!(self.reading, Reading::OutOfRange | Reading::Nothing);
        if !unread || self.target.exact || self.target.anchor != Anchor::Own {
            return None;
        }
        let has = |set: &&OptionSet| {
            let page = self.scene.whole(set, false);
            let places =
                if self.scene.counts(set) { Places::Numbered(page.numbers_from) } else { Places::Unmeant };
            let pool = CandidatePool {
                places,
                displayed: page.displayed,
                order: &page.order,
                ..names_only_pool(set)
            };
            !self.parses.is_negated(&pool) && matches!(pool.read(&self.parses), Reading::One(..))
        };
        let mut pages = self.scene.other_pages(self.target.set).filter(has);
        match (pages.next(), pages.next()) {
            (Some(page), None) => Some(self.scene.whole(page, false)),
            _ => None,
        }
    }

    /// The text only names a place or calls a list back.
    fn alone(&self) -> Option<Resolution> {
        let called = self.target.cued || self.target.returns;
        let reason = if self.target.returns { Reason::ListReturned } else { Reason::ScopeAlone };
        let empty = called && self.parses.has_no_core_words();
        empty.then(|| self.list(reason, ClarifierType::SelectionDisambiguation, None))
    }

    /// The options the text resembles, computed on first use.
    fn hints(&self) -> &SimilarOptions {
        self.hints.get_or_init(|| similarity::rank_similar(&self.parses, &self.pool))
    }

    /// The text is a label here and, without its scope cue, a label elsewhere: "Notes from chat".
    fn torn(&self) -> Option<Resolution> {
        self.target.torn.then(|| self.resembles(Reason::OptionCollision))
    }

    fn control(&self) -> Option<Resolution> {
        if self.labelled || self.target.exact {
            return None;
        }
        let ask = |reason, kind| Some(self.list(reason, kind, None));
        match self.parses.control()? {
            Control::Reject => Some(self.refine()),
            Control::Reshow => ask(Reason::ListReshown, ClarifierType::SelectionDisambiguation),
            Control::More => {
                let more = self.target.displayed < self.target.order.len();
                let about = QuestionSubject::More { set: self.target.set.id.clone() };
                let kind = ClarifierType::SelectionDisambiguation;
                more.then(|| Resolution::ask(ClarifyingQuestion::plain(Reason::ListReshown, kind, about)))
            }
            Control::Hesitate => {
                // Hesitation means something only while a question is open.
                let kind = self.scene.view.pending_clarifier_type;
                (kind != ClarifierType::None).then(|| self.list(Reason::ListHesitation, kind, None))
            }
        }
    }

    fn refine(&self) -> Resolution {
        let about = QuestionSubject::Refine { set: self.target.set.id.clone(), rejected: self.all() };
        Resolution::ask(ClarifyingQuestion::plain(Reason::ListRejected, ClarifierType::Repair, about))
    }

    /// A yes or a no to the pending question.
    fn answered(&self) -> Option<Resolution> {
        let view = self.scene.view;
        let (yes, asked) = (self.scene.yes?, view.clarifier.as_ref()?);
        let here = match self.scene.reply {
            ReplyTo::Nothing => true,
            // Who says no to the list refuses what is suggested of it too.
            ReplyTo::Message(message) => {
                *message == asked.message || !yes && self.target.set.shown_by(message, &view.user).is_some()
            }
            ReplyTo::Unknown => false,
        };
        let named = matches!(self.reading, Reading::One(..) | Reading::Tie(_) | Reading::Collision(_));
        if !here || named || asked.at > self.scene.since || view.pending_clarifier_type == ClarifierType::None
        {
            return None;
        }
        // "I want that" is a yes to a suggestion; without one it is a reference.
        let points = !matches!(self.reading, Reading::Nothing);
        let fresh = view.within(asked.turn, self.scene.policy.ttl.repair);
        let suggested = asked.suggests.as_ref().filter(|_| fresh).and_then(|id| self.target.set.option(id));
        let confirms = view.pending_clarifier_type == ClarifierType::Confirmation;
        // "Report, please" repeats a word of the question, and may mean another option of that name.
        let alike = |option: usize| {
            self.hints().reaches(SimilarityClass::WordsOfLabel) && self.hints().unique() != Some(option)
        };
        match (yes, suggested.filter(|_| confirms && asked.set.as_ref() == Some(&self.target.set.id))) {
            (true, Some((option, _))) if alike(option) => Some(self.resembles(Reason::OptionManyMatch)),
            (true, Some((option, _))) => Some(self.act(option, Reason::OptionConfirmed, self.facts())),
            (_, None) if points => None,
            (true, None) => Some(self.resembles(Reason::OptionYesToWhat)),
            (false, Some((option, _))) => Some(self.left(self.rejected() | 1 << option)),
            (false, None) if view.denied.is_some_and(|turn| turn + 1 == view.turn) => Some(self.refine()),
            (false, None) => Some(self.resembles(Reason::OptionNoMatch)),
        }
    }

    fn verify(&self) -> Option<Resolution> {
        (!self.labelled && self.parses.asks_what_was_done())
            .then_some(Resolution::Pass(Reason::SelectionVerify))
    }

    fn question(&self) -> Option<Resolution> {
        self.asks().then_some(Resolution::Pass(Reason::SelectionQuestion))
    }

    /// True if the text is a question, and not a label or an answer that ends in a question mark.
    fn asks(&self) -> bool {
        let open = self.scene.view.pending_clarifier_type == ClarifierType::SelectionDisambiguation
            || self.scene.is_put(self.target.set);
        let exact = open && matches!(self.reading, Reading::One(..) | Reading::Tie(_));
        !self.labelled && self.parses.is_question(exact)
    }

    /// Facts of the text beside an option. A text that is a label says nothing else.
    pub(super) fn facts(&self) -> TextFacts {
        let said = !self.labelled;
        TextFacts {
            negated: said && self.parses.is_negated(&self.pool),
            several: said && self.reading == Reading::Several,
            conditional: said && self.is_conditional(),
            command: said && self.parses.command_object().is_some(),
            question: self.asks(),
            correction: said && self.parses.repair().is_some(),
            replies_elsewhere: match self.target.anchor {
                Anchor::Own => false,
                Anchor::Other | Anchor::Unknown => true,
            },
            unseen: self.target.unseen,
            edited: false,
            unlike: false,
        }
    }

    fn is_conditional(&self) -> bool {
        let Some(named) = &self.named else { return self.parses.is_conditional(&self.pool) };
        let beside = Words::of(&named.beside);
        Parses::of(self.scene.lexicon, &beside, false).is_conditional(&self.pool)
    }

    /// Takes back an option, or corrects a choice. A reply to something else takes back nothing of the list.
    fn repair(&self) -> Option<Resolution> {
        if self.labelled || self.target.exact || self.target.anchor != Anchor::Own {
            return None;
        }
        self.parses.repair().and_then(|repair| self.taken_back(&repair))
    }

    fn taken_back(&self, repair: &Repair) -> Option<Resolution> {
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
                // "No, the second" denies what went before it.
                Some(self.act(option, by, TextFacts { negated: false, several: false, ..self.facts() }))
            }
        }
    }

    fn command(&self) -> Option<Resolution> {
        if self.labelled || self.target.exact {
            return None;
        }
        let phrase = |text: &str| normal::compact(text, false);
        let says = |said: &str| self.parses.cores().any(|core| phrase(self.parses.written(&core)) == said);
        let declared = self.scene.policy.commands.iter().find(|command| says(&phrase(&command.phrase)));
        let changed = self.parses.command_object();
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
                _ => similarity::rank_similar(&parses, &self.pool)
                    .reaches(SimilarityClass::WordsOfLabel)
                    .then_some(None),
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
        Some(Resolution::Pass(if declared.is_some() {
            Reason::SelectionCommand
        } else {
            Reason::SelectionUnlike
        }))
    }

    fn denoted(&self) -> Option<Resolution> {
        match self.reading {
            Reading::One(option, by) if !self.target.exact || by != MatchedBy::Other => {
                // After the question which option instead, a pick is a correction.
                let repairs = self.scene.view.pending_clarifier_type == ClarifierType::Repair
                    && self.last().is_some_and(|last| last != option);
                let reason = if repairs { Reason::OptionCorrected } else { reason_of(by) };
                let named = matches!(by, MatchedBy::Label | MatchedBy::Sublabel | MatchedBy::Alias);
                // A place that was refused by name is asked about: the list may have been shown without it.
                if !named && self.rejected() & 1 << option != 0 {
                    return Some(self.resembles(Reason::OptionUnreferenced));
                }
                if self.target.anchor == Anchor::Other && !named {
                    return Some(Resolution::Pass(Reason::SelectionUnlike));
                }
                Some(self.act(option, reason, self.facts()))
            }
            _ if self.target.exact => Some(Resolution::Pass(Reason::SelectionUnlike)),
            Reading::Tie(_) => Some(self.resembles(Reason::OptionTie)),
            Reading::Collision(_) => Some(self.resembles(Reason::OptionCollision)),
            Reading::OutOfRange => Some(self.resembles(Reason::OptionOutOfRange)),
            Reading::Compared(ahead) => Some(self.compared(ahead)),
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
            since: self.scene.since,
            now: self.scene.now,
        }
    }

    fn referred(&self) -> Option<Resolution> {
        let Reading::Reference { .. } = self.reading else { return None };
        if !self.scene.positional(self.target.set) || self.target.anchor == Anchor::Other {
            return None;
        }
        Some(match self.continuity().allowed_option() {
            Ok(option) if self.once(option) => {
                let (set, rejected) = (self.target.set.id.clone(), self.rejected());
                let about = QuestionSubject::Confirm { set, option, rejected };
                Resolution::ask(ClarifyingQuestion::plain(
                    Reason::OptionUnreferenced,
                    ClarifierType::Confirmation,
                    about,
                ))
            }
            Ok(option) => self.act(option, Reason::OptionReference, self.facts()),
            // "Open it" once more, before the first time is through.
            Err(_) if self.running().is_some() => self.running()?,
            Err(blocked) => {
                let mut ruling = self.resembles(blocked.reason());
                if let Resolution::Ask(question) = &mut ruling
                    && let Some(open) = &mut question.open
                {
                    open.blocked = Some(blocked);
                }
                ruling
            }
        })
    }

    /// Tells which option of this list is under way, if it is one.
    fn running(&self) -> Option<Resolution> {
        let set = self.target.set;
        let mut here = self.scene.view.in_flight.iter().filter(|act| act.set == set.id);
        let (act, None) = (here.next()?, here.next()) else { return None };
        set.option(&act.option).map(|_| Resolution::running(&set.id, &act.option))
    }

    /// True if the option was already done and may not simply be repeated.
    fn once(&self, option: usize) -> bool {
        let (done, now) = (&self.scene.view.recent_action_trace, self.target.set.identity(option));
        let before = done.iter().any(|entry| entry.still_is(now.as_ref()));
        self.target.set.options.get(option).is_some_and(|named| !named.repeatable) && before
    }

    /// Asks about a text that denotes nothing exactly but looks like a choice.
    fn unresolved(&self) -> Option<Resolution> {
        let asked = self.scene.is_asked(self.target.set);
        let short = self.parses.shortest().is_some_and(|core| core.len() <= 5);
        let taken_back = self.parses.repair() == Some(Repair::Last);
        let described = taken_back || is_descriptive(&self.parses);
        let like = short && (self.hints().reaches(SimilarityClass::PartOfLabel) || self.parses.has_ordinal())
            || asked && self.hints().reaches(SimilarityClass::SharedWord)
            || described
            || self.guarded();
        if self.soft() && !self.target.cued && !self.guarded() && !described {
            return self.elsewhere();
        }
        match self.target.anchor {
            Anchor::Own => {}
            Anchor::Other => return Some(Resolution::Pass(Reason::SelectionUnlike)),
            Anchor::Unknown if like => return Some(self.resembles(Reason::ReplyUnknown)),
            Anchor::Unknown => return None,
        }
        if self.target.cued || self.parses.has_verb() || like {
            if taken_back || described && self.parses.is_conditional(&self.pool) {
                let reason = if taken_back { Reason::OptionUnreferenced } else { Reason::OptionConditional };
                return Some(self.resembles(reason));
            }
            let many = self.hints().best().count_ones() > 1;
            return Some(self.resembles(if many { Reason::OptionManyMatch } else { Reason::OptionNoMatch }));
        }
        if let Some(question) = self.elsewhere() {
            return Some(question);
        }
        let polite = self.parses.has_no_core_words() && !self.target.message.all().is_empty();
        (asked && !polite && is_noise(&self.target.message))
            .then(|| self.list(Reason::OptionNoise, ClarifierType::SelectionDisambiguation, None))
    }

    /// Asks if the text is a label of another list on the screen; it never executes there.
    fn elsewhere(&self) -> Option<Resolution> {
        let text = self.target.message.text();
        let other = self.scene.sets.iter().find(|set| {
            set.id != self.target.set.id
                && set.scope != Scope::Chat
                && names_only_pool(set).whole(text).0 != 0
        })?;
        Some(elsewhere(other, text))
    }

    /// True if an option of this list was just executed. A text that fits none of its options is then about
    /// something else.
    fn soft(&self) -> bool {
        self.scene.is_soft(self.target.set)
    }

    // ---- building rulings ----

    fn act(&self, option: usize, reason: Reason, text: TextFacts) -> Resolution {
        let (view, set) = (self.scene.view, self.target.set);
        let (id, label) =
            set.options.get(option).map_or(("", ""), |option| (option.id.as_str(), option.label.as_str()));
        if self.scene.is_named_since(set, label) {
            return self.resembles(Reason::OptionCollision);
        }
        if self.done_since(option) {
            return self.resembles(Reason::OptionUnseen);
        }
        let permitted = set
            .identity(option)
            .ok_or(Veto::Changed)
            .and_then(|meant| permit(view, set, ChoiceMade { door: Door::Words, meant: &meant, text }));
        match permitted {
            Ok(chosen) => {
                let corrects =
                    self.last().filter(|last| reason == Reason::OptionCorrected && *last != option);
                Resolution::Act(Box::new(Execution { chosen, reason, corrects, remainder: None }))
            }
            Err(Veto::InFlight) => Resolution::running(&set.id, id),
            Err(veto) => self.resembles(vetoes::reason(veto)),
        }
    }

    /// True if the option was done after the text was written, which therefore does not ask for it once more.
    fn done_since(&self, option: usize) -> bool {
        let last = self.scene.view.last_resolved_action.as_ref();
        let later = last.filter(|last| last.timestamp > self.scene.since);
        later.is_some_and(|last| last.still_is(self.target.set.identity(option).as_ref()))
    }

    fn all(&self) -> OptionMask {
        self.target.set.those(|option| option.role == crate::data::set_option::OptionRole::Normal)
    }

    /// The option a part of the text denotes, if it is exactly one.
    fn part(&self, part: &core::ops::Range<usize>) -> Option<usize> {
        match self.reading_of(part) {
            Reading::One(option, _) => Some(option),
            _ => None,
        }
    }

    fn by(&self, part: &core::ops::Range<usize>) -> Option<MatchedBy> {
        if let Reading::One(_, by) = self.reading_of(part) { Some(by) } else { None }
    }

    fn reading_of(&self, part: &core::ops::Range<usize>) -> Reading {
        self.reading_in(self.parses.written(part))
    }

    fn reading_in(&self, text: &str) -> Reading {
        let words = Words::of(text);
        self.pool.read(&Parses::of(self.scene.lexicon, &words, false))
    }

    fn rejected(&self) -> OptionMask {
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
        last.still_is(self.target.set.identity(option).as_ref()).then_some(option)
    }
}

fn reason_of(by: MatchedBy) -> Reason {
    match by {
        MatchedBy::Label => Reason::OptionLabel,
        MatchedBy::Sublabel => Reason::OptionSublabel,
        MatchedBy::Alias => Reason::OptionAlias,
        MatchedBy::Ordinal => Reason::OptionOrdinal,
        MatchedBy::Badge => Reason::OptionBadge,
        MatchedBy::Other => Reason::OptionOther,
        MatchedBy::Words => Reason::OptionWords,
        MatchedBy::Described => Reason::OptionDescribed,
    }
}

mod and_more;
mod questions;
#[cfg(test)]
mod tests;
