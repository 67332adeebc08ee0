//! Requests for something else than the question is about. They happen to hold a value of the expected type, as answers
//! do that say more than was asked.
//!
//! Topics are everyday classes of things and doings, such as journeys, meals or films. A message is about something
//! else when it
//!
//! - asks: a sentence is a question, unless it proposes an answer ("how about …?");
//! - names a topic the question is not about;
//! - asks for something to be done, and nothing ties that to the question: no topic of it, no word of it, no "it";
//! - wants a thing, after a question that is about no topic: "I need a rental car at 3" follows "What time?" badly.
//!
//! Any other message informs: "I'm leaving from Vancouver on the 10th." In doubt a message is a request.

use core::cell::OnceCell;

use super::echo::Echo;
use super::lexicon::{ANSWERS, Lexicon, Section, SectionId, Sections, skip};
use super::section;
use super::words::{Gap, MOST, Word, Words};

/// Every section that is called so is a topic: a further one is a section more.
const TOPIC: &str = "topic.";
const TOPICS: [SectionId; ANSWERS.count(TOPIC)] = ANSWERS.sections(TOPIC);
/// Topics are bits of one number.
const _: () = assert!(TOPICS.len() <= 32);
const ANY_TOPIC: Sections = Sections::of(&TOPICS);
/// Phrases before the words that say what a sentence does.
const BEFORE: [SectionId; 5] =
    [section("filler"), section("thanks"), section("greeting"), section("joiner"), section("request.turn")];
pub(crate) const ACT: SectionId = section("request.act");
const VERB: SectionId = section("request.verb");
const FOR: SectionId = section("request.for");
const JOINER: SectionId = section("joiner");
const WANT: SectionId = section("request.want");
const POINTS: SectionId = section("request.points");
const KNOWN: SectionId = section("request.known");
const FRESH: SectionId = section("request.fresh");
const PERSON: SectionId = section("request.person");
const PLACED: SectionId = section("request.placed");
const OPEN: SectionId = section("question.open");
const INFORMATION: SectionId = section("question.information");
const FACT: SectionId = section("question.fact");
const PROPOSES: SectionId = section("question.proposes");

/// A question of so few words is an answer that is not sure: "Chinese?"
const BARE: usize = 2;

/// The reason why the message is something else than an answer to the question; `None` when it only informs.
pub(crate) fn other(lexicon: &'static Lexicon, message: &Words, question: &Words) -> Option<&'static str> {
    if message.all().len() > MOST {
        return Some("too long");
    }
    let reader = Reader::of(lexicon, message, question);
    sentences(message.all()).find_map(|sentence| reader.other(sentence))
}

/// The reason why the message is an explicit request and no free text. Any word may be in such a text, so topics alone
/// make no request; and the subject of the question may be asked for in turn: "Are there any jazz songs?"
pub(crate) fn explicit(lexicon: &'static Lexicon, message: &Words, question: &Words) -> Option<&'static str> {
    let reader = Reader::of(lexicon, message, question);
    let most = message.all().len().min(MOST);
    let mut begun = false;
    message.all()[..most].chunk_by(|word, _| word.after == Gap::Space).find_map(|words| {
        let first = !begun;
        begun |= reader.begins(words) < words.len();
        let clause = Clause::of(&reader, words);
        let joined = (1..words.len()).filter(|at| reader.list(JOINER).at(words, at - 1));
        let parts = core::iter::once((0, first)).chain(joined.map(|at| (at, false)));
        parts.into_iter().find_map(|(from, first)| reader.explicit(clause.from(from), first))
    })
}

/// True if a message names a topic that the question is not about.
pub(crate) fn strays(lexicon: &'static Lexicon, message: &Words, question: &Words) -> bool {
    let reader = Reader::of(lexicon, message, question);
    let words = &message.all()[..message.all().len().min(MOST)];
    reader.foreign(Clause::of(&reader, words).from(0))
}

/// True if words only chat: they ask nothing, want nothing done, and are about no topic, number or time. In doubt they
/// do not.
pub(crate) fn chats(lexicon: &'static Lexicon, words: &[Word]) -> bool {
    let list = |id: SectionId| lexicon.section(id);
    words.len() <= MOST
        && !words.iter().any(|word| word.digit || word.after == Gap::Question)
        && topics(lexicon, words) == 0
        && words.chunk_by(|word, _| word.after == Gap::Space).all(|clause| {
            let joined = (1..clause.len()).filter(|at| list(JOINER).at(clause, at - 1));
            core::iter::once(0).chain(joined).all(|from| {
                let part = &clause[from..];
                let from = skip(&BEFORE.map(list), part, 0);
                ![ACT, WANT, OPEN].iter().any(|id| list(*id).at(part, from))
            })
        })
}

/// True if a message is about something everyday: a topic that is no part of a team's work.
pub(crate) fn is_everyday(message: &Words) -> bool {
    const WORK: [SectionId; 3] = [section("topic.work"), section("topic.paper"), section("topic.message")];
    let work =
        TOPICS.iter().enumerate().filter(|(_, id)| WORK.contains(id)).fold(0, |all, (i, _)| all | 1u32 << i);
    message.languages().lexicons(&ANSWERS).any(|lexicon| topics(lexicon, message.all()) & !work != 0)
}

/// True if a message is about a known topic.
pub(crate) fn has_topic(lexicon: &'static Lexicon, message: &Words) -> bool {
    topics(lexicon, message.all()) != 0
}

/// True if words are about a topic of the question.
pub(crate) fn tied(lexicon: &'static Lexicon, words: &[Word], question: &Words) -> bool {
    topics(lexicon, words) & topics(lexicon, question.all()) != 0
}

/// True if words are about no topic, or about one of the question's.
pub(crate) fn agrees(lexicon: &'static Lexicon, words: &[Word], question: &Words) -> bool {
    topics(lexicon, words) == 0 || tied(lexicon, words, question)
}

/// The topics these words are about, as bits.
fn topics(lexicon: &'static Lexicon, words: &[Word]) -> u32 {
    (0..words.len().min(MOST)).fold(0, |all, at| all | topic(lexicon, words, at))
}

/// The topics of the phrases that begin at `at`, as bits.
fn topic(lexicon: &'static Lexicon, words: &[Word], at: usize) -> u32 {
    if !lexicon.may_begin(&ANY_TOPIC, words, at) {
        return 0;
    }
    let bits = TOPICS.iter().enumerate();
    bits.fold(0, |all, (i, id)| all | u32::from(lexicon.section(*id).at(words, at)) << i)
}

/// Some words of a message, and what is asked about each of them again and again: bit `i` is their word `i`.
struct Clause<'c> {
    words: &'c [Word],
    /// The topics of the phrases that begin at each word.
    topics: OnceCell<[u32; MOST]>,
    /// A phrase of [`POINTS`] begins there.
    points: OnceCell<u64>,
    /// A phrase of [`FOR`] begins there.
    serves: OnceCell<u64>,
    /// The question has the word.
    echoes: OnceCell<u64>,
    reader: &'c Reader<'c>,
}

/// A clause from one of its words on.
#[derive(Clone, Copy)]
struct Part<'c> {
    clause: &'c Clause<'c>,
    from: usize,
}

impl<'c> Clause<'c> {
    /// At most [`MOST`] words.
    fn of(reader: &'c Reader<'c>, words: &'c [Word]) -> Self {
        let new = OnceCell::new;
        Self { words, topics: OnceCell::new(), points: new(), serves: new(), echoes: new(), reader }
    }

    fn from(&'c self, from: usize) -> Part<'c> {
        Part { clause: self, from }
    }

    fn bits(&self, is: impl Fn(usize) -> bool) -> u64 {
        (0..self.words.len().min(MOST)).fold(0, |all, at| all | u64::from(is(at)) << at)
    }
}

impl<'c> Part<'c> {
    fn words(self) -> &'c [Word] {
        &self.clause.words[self.from..]
    }

    /// The topics of the phrases that begin at a word of the part.
    fn topic(self, at: usize) -> u32 {
        let Clause { words, reader, .. } = self.clause;
        let topics = self.clause.topics.get_or_init(|| {
            let mut topics = [0; MOST];
            for (at, about) in topics.iter_mut().enumerate().take(words.len()) {
                *about = topic(reader.lexicon, words, at);
            }
            topics
        });
        topics.get(self.from + at).copied().unwrap_or(0)
    }

    /// Bit `i`: a phrase of [`POINTS`] begins at word `i` of the part.
    fn pointers(self) -> u64 {
        let Clause { words, reader, points, .. } = self.clause;
        let points = points.get_or_init(|| self.clause.bits(|at| reader.list(POINTS).at(words, at)));
        points >> self.from
    }

    fn points(self) -> bool {
        self.pointers() != 0
    }

    /// True if it points back to something: in "I need a car and want to pick it up" it does not.
    fn points_back(self) -> bool {
        let pointer = self.pointers().trailing_zeros() as usize;
        (0..self.words().len()).take(pointer).all(|at| self.topic(at) == 0) && self.points()
    }

    fn serves(self) -> bool {
        let Clause { words, reader, serves, .. } = self.clause;
        let serves = serves.get_or_init(|| self.clause.bits(|at| reader.list(FOR).at(words, at)));
        serves >> self.from != 0
    }

    /// True if the part takes up a word of the question that says what it is about.
    fn echoes(self) -> bool {
        let Clause { words, reader, echoes, .. } = self.clause;
        let echoes = echoes.get_or_init(|| self.clause.bits(|at| reader.echo.is_asked(&words[at])));
        echoes >> self.from != 0
    }
}

/// The words between ends of sentences.
fn sentences(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|word, _| word.after < Gap::Hard)
}

struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    question: &'r Words,
    echo: Echo<'r>,
    /// The topics of the question.
    asked: u32,
}

impl<'r> Reader<'r> {
    fn of(lexicon: &'static Lexicon, message: &'r Words, question: &'r Words) -> Self {
        let asked = topics(lexicon, question.all());
        Self { lexicon, message, question, echo: Echo::of(lexicon, message, question), asked }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The first word of a sentence that says what it does.
    fn begins(&self, sentence: &[Word]) -> usize {
        skip(&BEFORE.map(|id| self.list(id)), sentence, 0)
    }

    fn explicit(&self, part: Part<'_>, first: bool) -> Option<&'static str> {
        let sentence = part.words();
        let from = self.begins(sentence);
        let starts = |id| self.list(id).at(sentence, from);
        let asks =
            (sentence.last().is_some_and(|w| w.after == Gap::Question) || starts(OPEN)) && !starts(PROPOSES);
        if starts(INFORMATION) && !starts(PROPOSES) && first {
            return Some("a question");
        }
        // "And the humidity?" asks for a fact; "Chinese?" is an answer that is not sure.
        let fact = self.list(FACT).longest(sentence, from);
        if asks && fact > 0 && from + fact == sentence.len() {
            return Some("a question");
        }
        // The verb of a request is not what it is about: "show me a park" asks for no show.
        let object = from + self.list(ACT).longest(sentence, from);
        let thing =
            |from: usize| (from..sentence.len()).map(|at| self.thing(part, at)).find(|about| *about != 0);
        let about = thing(object).or_else(|| thing(from));
        let tied = match about {
            Some(about) => about & self.asked != 0,
            None => part.echoes() || (!first && part.points()),
        };
        // "Open /login with an empty cache" may tell what somebody does; "open it for me" asks.
        // So it does where the question is about nothing everyday: "open the page and press save".
        let tells =
            (about.is_none() || self.asked == 0) && self.list(VERB).at(sentence, from) && !part.serves();
        if tied && (starts(ACT) || starts(WANT)) && self.bare(part, object) {
            Some("another thing")
        } else if tied {
            None
        } else if asks && sentence.len() - from > BARE {
            Some("a question")
        } else if starts(ACT) && !tells {
            Some("a request")
        } else {
            let wants = starts(WANT) || (starts(PROPOSES) && self.asked != 0);
            let strays = starts(PERSON) && about.is_some() && self.strays(part);
            (strays || (wants && self.introduces(part))).then_some("another thing")
        }
    }

    /// True if a new thing of the question's topic is asked for, and nothing is said of it but where and when: "find me a movie
    /// at the Lark" tells no kind of movie.
    fn bare(&self, part: Part<'_>, object: usize) -> bool {
        let words = part.words();
        let thing = |at: &usize| self.thing(part, *at) & self.asked != 0;
        let Some(at) = (object..words.len()).find(thing) else { return false };
        let longest = TOPICS.iter().map(|id| self.list(*id).longest(words, at)).max().unwrap_or(1);
        let next = at + longest.max(1);
        let fresh = at > 0 && self.list(FRESH).at(words, at - 1);
        fresh && self.names(&words[at]) && (next >= words.len() || self.list(PLACED).at(words, next))
    }

    /// True if the question has a topic and the part is only about others.
    fn strays(&self, part: Part<'_>) -> bool {
        let tied = |at: usize| self.thing(part, at) & self.asked != 0;
        self.asked != 0 && !part.echoes() && !(0..part.words().len()).any(tied)
    }

    /// True if the question has this word, or its plural.
    fn names(&self, word: &Word) -> bool {
        let own = self.message.folded(word).trim_end_matches('s');
        self.question.all().iter().any(|asked| self.question.folded(asked).trim_end_matches('s') == own)
    }

    fn other(&self, sentence: &[Word]) -> Option<&'static str> {
        let from = self.begins(sentence);
        let starts = |id| self.list(id).at(sentence, from);
        let asks = sentence.last().is_some_and(|w| w.after == Gap::Question) || starts(OPEN);
        if asks && !starts(PROPOSES) {
            return Some("a question");
        }
        let clause = Clause::of(self, sentence);
        let part = clause.from(0);
        let about = (0..sentence.len()).fold(0, |all, at| all | part.topic(at));
        if self.asked != 0 && self.foreign(part) {
            return Some("another topic");
        }
        let tied = about & self.asked != 0 || part.echoes();
        if starts(ACT) && !tied && !part.points_back() {
            return Some("a request");
        }
        if self.asked == 0 && starts(WANT) && !tied && self.introduces(part) {
            return Some("another thing");
        }
        None
    }

    /// The topics of the phrase at `at`, unless it is a part of a name: "Hotel Mumbai".
    fn thing(&self, part: Part<'_>, at: usize) -> u32 {
        let sentence = part.words();
        let capital = |at: usize| sentence.get(at).is_some_and(|word| word.capital);
        let name = at > 0 && capital(at) && (capital(at + 1) || (at > 1 && capital(at - 1)));
        if name { 0 } else { part.topic(at) }
    }

    /// True if some phrase is only about topics that the question is not about.
    fn foreign(&self, part: Part<'_>) -> bool {
        (0..part.words().len()).any(|at| {
            let about = self.thing(part, at);
            about != 0 && about & self.asked == 0
        })
    }

    /// True if a new thing is named: "a car", "tickets", but not "the car" or "it".
    fn introduces(&self, part: Part<'_>) -> bool {
        let sentence = part.words();
        let known = |at: usize| at > 0 && self.list(KNOWN).at(sentence, at - 1);
        let thing = |at: &usize| self.thing(part, *at) != 0;
        !part.points_back() && (0..sentence.len()).find(thing).is_some_and(|at| !known(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::english;

    fn of(question: &str, message: &str) -> Option<&'static str> {
        other(english(), &Words::of(message), &Words::of(question))
    }

    #[test]
    fn what_informs() {
        for (question, message) in [
            ("When do you plan to leave?", "I'm leaving from Vancouver on the 10th."),
            ("What amount would you like to transfer?", "Transfer $1420 to Amir."),
            ("What day should I make it for?", "Book it for Dr. Plotke on the 13th."),
            ("What time do you need it?", "I need the car at two pm"),
            ("Which song?", "Please play Lost Girls on my tv"),
            ("At what time?", "How about 11:30 on Sunday?"),
        ] {
            assert_eq!(of(question, message), None, "{question} {message}");
        }
    }

    #[test]
    fn what_asks() {
        for (question, message, why) in [
            ("Which city?", "What will the weather be like in Toronto?", "a question"),
            ("When will you return it?", "I must check the weather on the 10th", "another topic"),
            ("What time?", "I need a rental car at 3", "another thing"),
            ("Which city?", "Thanks. Now please find a dentist in Leeds", "a request"),
            ("How many bedrooms?", "I'm looking for a bus for 2 people", "another topic"),
        ] {
            assert_eq!(of(question, message), Some(why), "{question} {message}");
        }
    }
}
