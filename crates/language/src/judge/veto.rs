//! Hard vetoes: messages that are no yes and no end, whatever was learned.

use core::ops::Range;

use crate::lexicon::{ANSWERS, Cover, Lexicon, SectionId};
use crate::numeral::count;
use crate::reference::reference;
use crate::words::{Gap, Word, Words};
use crate::{request, section};

use super::kind::Kind;

const NEGATES: SectionId = section("judge.negates");
const EXPLAINED: SectionId = section("judge.explained");
const STOPS: SectionId = section("judge.stops");
const CONDITION: SectionId = section("judge.condition");
/// Sections of words that agree to nothing.
const GREETS: [SectionId; 4] = [section("greeting"), section("thanks"), section("filler"), section("name")];

/// The reason why a message may not be judged a yes, or an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Veto {
    /// A word negates, and no phrase around it explains that.
    Negated,
    /// A word stops, cancels, corrects or takes back.
    Stopped,
    /// A number that the question does not have.
    Number,
    /// The answer depends on something, or is doubted.
    Condition,
    /// It asks.
    Question,
    /// It is in quotes.
    Quoted,
    /// It begins with a wish that nothing ties to the question.
    Elsewhere,
    /// It refers, greets or thanks, and says nothing of what was asked: "that one", "thanks".
    Nothing,
}

impl Veto {
    /// The name in a trace.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Negated => "negated",
            Self::Stopped => "stopped",
            Self::Number => "number",
            Self::Condition => "condition",
            Self::Question => "question",
            Self::Quoted => "quoted",
            Self::Elsewhere => "elsewhere",
            Self::Nothing => "nothing",
        }
    }
}

/// A message and what it is read against.
pub(super) struct Said<'s> {
    pub(super) message: &'s Words,
    pub(super) question: &'s Words,
    pub(super) kind: Kind,
    /// Its words that answer.
    pub(super) answer: &'s [Word],
    /// Those that ask for more, and are routed as a message of their own.
    pub(super) rest: &'s Range<usize>,
}

/// Returns the veto against a yes, if there is one. What asks for more may ask, and name numbers where nothing was to be
/// confirmed.
pub(super) fn of_yes(said: &Said<'_>) -> Option<Veto> {
    let Said { message, question, .. } = *said;
    let all = message.all();
    let lexicons = || message.languages().lexicons(&ANSWERS);
    let has = |id| lexicons().any(|lexicon| lexicon.section(id).within(all));
    let settles = said.kind.is_settled_by_yes();
    let answer = if said.answer.is_empty() { all } else { said.answer };
    let tied = || lexicons().any(|lexicon| request::tied(lexicon, all, question));
    let elsewhere = || said.kind != Kind::More && said.begins_with_a_wish() && !tied();
    match () {
        () if all.iter().any(|word| word.quoted) => Some(Veto::Quoted),
        () if only_refers(message) || said.only_greets(all) => Some(Veto::Nothing),
        () if asks(answer) => Some(Veto::Question),
        () if lexicons().any(|lexicon| negates(lexicon, all)) => Some(Veto::Negated),
        () if has(STOPS) => Some(Veto::Stopped),
        () if has(CONDITION) => Some(Veto::Condition),
        () if has_other_number(message, if settles { all } else { said.answer }, question) => {
            Some(Veto::Number)
        }
        () if elsewhere() => Some(Veto::Elsewhere),
        () if said.asks_about_it() => Some(Veto::Question),
        () => None,
    }
}

impl Said<'_> {
    fn lexicons(&self) -> impl Iterator<Item = &'static Lexicon> {
        self.message.languages().lexicons(&ANSWERS)
    }

    /// True if the message opens with what asks for more, or says nothing before it that could agree.
    fn begins_with_a_wish(&self) -> bool {
        if self.rest.is_empty() {
            return requests(self.message, self.question);
        }
        self.rest.start == 0 || self.only_greets(self.answer)
    }

    /// True if the words are greetings, thanks, fillers and names.
    fn only_greets(&self, words: &[Word]) -> bool {
        let greets = |lexicon: &'static Lexicon| {
            Cover::of(&GREETS.map(|id| lexicon.section(id)), None, words).reaches(words.len())
        };
        self.lexicons().any(greets)
    }

    /// True if what was proposed is asked about: only a question about another thing takes it as settled.
    fn asks_about_it(&self) -> bool {
        let rest = &self.message.all()[self.rest.clone()];
        if self.kind.is_settled_by_yes() || self.kind == Kind::More || !asks(rest) {
            return false;
        }
        let rest = self.message.with(rest.to_vec());
        !self.lexicons().any(|lexicon| request::strays(lexicon, &rest, self.question))
    }
}

/// True if rules read a request in the message.
pub(super) fn requests(message: &Words, question: &Words) -> bool {
    let mut lexicons = message.languages().lexicons(&ANSWERS);
    lexicons.any(|lexicon| request::other(lexicon, message, question).is_some())
}

/// True if every word of the message refers to something.
fn only_refers(message: &Words) -> bool {
    let words = message.all().iter().map(|word| message.folded(word));
    words.eq(reference(message).words.split(' '))
}

/// Returns the veto against a no: what asks, or is in quotes, refuses nothing.
pub(super) fn of_no(message: &Words, answer: &[Word]) -> Option<Veto> {
    if message.all().iter().any(|word| word.quoted) {
        return Some(Veto::Quoted);
    }
    asks(if answer.is_empty() { message.all() } else { answer }).then_some(Veto::Question)
}

fn asks(words: &[Word]) -> bool {
    words.iter().any(|word| word.after == Gap::Question)
}

/// Returns the veto against an end, if there is one: whoever asks or quotes goes on.
pub(super) fn of_end(message: &Words) -> Option<Veto> {
    let all = message.all();
    if all.iter().any(|word| word.quoted) {
        return Some(Veto::Quoted);
    }
    asks(all).then_some(Veto::Question)
}

/// True if a word negates outside of the phrases that explain it.
fn negates(lexicon: &'static Lexicon, words: &[Word]) -> bool {
    let [negates, explained] = [NEGATES, EXPLAINED].map(|id| lexicon.section(id));
    let mut at = 0;
    while at < words.len() {
        let skipped = explained.longest(words, at);
        if skipped == 0 && negates.at(words, at) {
            return true;
        }
        at += skipped.max(1);
    }
    false
}

/// True if the words have a number that the question has not.
fn has_other_number(message: &Words, words: &[Word], question: &Words) -> bool {
    let asked = |number: u64| {
        (0..question.all().len()).any(|at| count(question, at).is_some_and(|(asked, _)| asked == number))
    };
    words.iter().any(|word| {
        let at = message.all().partition_point(|other| other.at < word.at);
        let spelled = || question.all().iter().any(|asked| question.folded(asked) == message.folded(word));
        match count(message, at) {
            _ if word.digit && spelled() => false,
            // "One" is a pronoun more often than a number.
            Some((1, _)) if !word.digit => false,
            Some((number, _)) => !asked(number),
            None => word.digit,
        }
    })
}
