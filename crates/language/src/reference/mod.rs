//! References to what was said before (`docs/design/0013-focus-and-anchors.md`): a word of the message refers to it, or
//! the message lacks a part that was said before. Words that only look like a reference do not count: the conjunction
//! and the relative "that", the "it" of the weather, a pronoun whose noun is in the same message.
//!
//! The rules are about classes of words; the words of each class are in `data/*/answers/reference.txt`.

mod clause;
mod lacking;
mod refers;

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::lexicon::{ANSWERS, Lexicon, SectionId};
use crate::words::{Gap, Word};
use crate::{Words, section};
use clause::{Clause, MOST};

/// The need of a message for an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// No word refers to anything.
    #[default]
    None,
    /// Words that refer, or look like it, and mean something in the message itself.
    Bound,
    /// The message cannot be understood without what was said before.
    NeedsAnchor,
}

impl Need {
    /// The public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bound => "bound",
            Self::NeedsAnchor => "needs_anchor",
        }
    }
}

/// The references of a message, and the words that make them: words of the lexicon, never others of the message.
///
/// ```
/// use throughline_language::Words;
/// use throughline_language::reference::{Need, reference};
///
/// let read = |text: &str| reference(&Words::of(text));
/// assert_eq!(read("do that via a sub-agent").need, Need::NeedsAnchor);
/// assert_eq!(read("and for tomorrow?").need, Need::NeedsAnchor);
/// assert_eq!(read("I think that we should wait").need, Need::Bound);
/// assert_eq!(read("create a ticket for Ana").need, Need::None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The need for an earlier message.
    pub need: Need,
    /// The words, in order, a blank between them.
    pub words: String,
}

/// True if a word says what a message is about: a noun, a verb or an adjective that the lexicon does not have for
/// another purpose.
pub(crate) fn says_what_it_is_about(message: &Words, word: &Word) -> bool {
    let classes = message.languages().lexicons(&ANSWERS).fold(0, |all, lexicon| all | lexicon.classes(word));
    clause::tells(classes) && message.folded(word).len() > 2
}

/// The most words that are named: enough to see the reason.
const NAMED: usize = 4;

/// Reads a message in the language most of its words are in, the person's own where two are even.
#[must_use]
pub fn reference(message: &Words) -> Reference {
    let own = message.languages().lexicons(&ANSWERS).filter(|lexicon| lexicon.has(IT));
    let known = |lexicon: &&'static Lexicon| {
        message.all().iter().take(MOST).filter(|word| lexicon.classes(word) != 0).count()
    };
    let mut best: Option<(usize, &'static Lexicon)> = None;
    for lexicon in own {
        let count = known(&lexicon);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, lexicon));
        }
    }
    best.map(|(_, lexicon)| Reading::of(lexicon, message).reference()).unwrap_or_default()
}

/// The findings in the clauses read so far.
#[derive(Default)]
pub(super) struct Gathered {
    needs: [Option<Sign>; NAMED],
    bound: [Option<Sign>; NAMED],
    /// A clause above names somebody.
    pub(super) named: bool,
    /// A clause above brought something up: "a restaurant".
    pub(super) brought_up: bool,
    /// True if the clause above is a statement that "that" can refer to.
    pub(super) stated: bool,
}

/// One sign of a reference.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    /// From one word of the message to before another.
    Words(usize, usize),
    /// A text without a verb.
    Fragment,
}

impl Gathered {
    pub(super) fn need(&mut self, sign: Sign) {
        push(&mut self.needs, sign);
    }

    pub(super) fn bind(&mut self, sign: Sign) {
        push(&mut self.bound, sign);
    }
}

fn push(signs: &mut [Option<Sign>; NAMED], sign: Sign) {
    if let Some(free) = signs.iter_mut().find(|sign| sign.is_none()) {
        *free = Some(sign);
    }
}

/// A message in one language.
struct Reading<'m> {
    message: &'m Words,
    lexicon: &'static Lexicon,
    classes: [u64; MOST],
}

impl<'m> Reading<'m> {
    fn of(lexicon: &'static Lexicon, message: &'m Words) -> Self {
        let mut classes = [0; MOST];
        for (class, word) in classes.iter_mut().zip(message.all()) {
            *class = lexicon.classes(word) | clause::shape(word);
        }
        Self { message, lexicon, classes }
    }

    fn reference(&self) -> Reference {
        let words = self.message.all();
        let words = &words[..words.len().min(MOST)];
        let mut gathered = Gathered::default();
        let mut from = 0;
        while from < words.len() {
            let to = words[from..].iter().position(|word| word.after >= Gap::Hard);
            let to = to.map_or(words.len(), |at| from + at + 1);
            let clause = Clause::of(self.lexicon, &words[from..to], &self.classes[from..to], from);
            refers::look(&clause, &mut gathered);
            lacking::look(&clause, to == words.len(), from == 0 && to == words.len(), &mut gathered);
            gathered.named |= clause.names(1..clause.len());
            gathered.brought_up |= clause.brings_up(clause.len());
            gathered.stated = clause.states();
            from = to;
        }
        let (need, signs) = match (gathered.needs[0], gathered.bound[0]) {
            (Some(_), _) => (Need::NeedsAnchor, gathered.needs),
            (None, Some(_)) => (Need::Bound, gathered.bound),
            (None, None) => return Reference::default(),
        };
        Reference { need, words: self.told(&signs) }
    }

    fn told(&self, signs: &[Option<Sign>]) -> String {
        let mut told = String::new();
        for sign in signs.iter().flatten() {
            let range = match *sign {
                Sign::Words(from, to) => from..to,
                Sign::Fragment => {
                    add(&mut told, "fragment");
                    continue;
                }
            };
            let words = self.message.all()[range].iter().filter(|word| self.lexicon.classes(word) != 0);
            words.for_each(|word| add(&mut told, self.message.folded(word)));
        }
        told
    }
}

fn add(told: &mut String, word: &str) {
    if !told.is_empty() {
        told.push(' ');
    }
    told.push_str(word);
}

const IT: SectionId = section("class.it");

/// The class of that name.
const fn class(name: &str) -> u64 {
    ANSWERS.class(name)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use proptest::prelude::*;

    use super::Need::{Bound, NeedsAnchor, None as Nothing};
    use super::*;
    use crate::Languages;

    fn read(text: &str) -> Reference {
        reference(&Words::of(text))
    }

    fn check(cases: &[(Need, &[&str])]) {
        for (need, texts) in cases {
            for text in *texts {
                let found = read(text);
                assert_eq!(found.need, *need, "{text}: {}", found.words);
            }
        }
    }

    #[test]
    fn words_that_refer() {
        check(&[
            (
                NeedsAnchor,
                &[
                    "do that via a sub-agent",
                    "delegate that to writer",
                    "make it shorter",
                    "send this to Bob",
                ],
            ),
            (
                NeedsAnchor,
                &["What about those?", "the same again, please", "do it again", "the first one", "the other"],
            ),
            (
                NeedsAnchor,
                &["Are special events held there?", "Ask her", "Did he call?", "tell them", "How so?"],
            ),
            (
                NeedsAnchor,
                &[
                    "both are fine",
                    "anything else?",
                    "use something cheaper instead",
                    "email that report to Bob",
                ],
            ),
        ]);
    }

    #[test]
    fn words_that_only_look_like_it() {
        check(&[
            (
                Bound,
                &[
                    "I think that we should wait",
                    "it is raining",
                    "Is it possible to pay by card?",
                    "It seems late",
                ],
            ),
            (
                Bound,
                &[
                    "call Ana and ask her",
                    "When he arrives, tell Bob",
                    "write a test and run it",
                    "that's all",
                ],
            ),
            (Bound, &["a restaurant that serves curry", "ship the release this week", "that sounds good"]),
            (
                Nothing,
                &[
                    "there is a bug in login",
                    "hi there",
                    "create one ticket",
                    "we meet at one",
                    "one of the tickets fails",
                ],
            ),
            (Nothing, &["Thanks again!", "create a ticket for Ana", "", "hello", "Swansea needs more buses"]),
        ]);
    }

    #[test]
    fn requests_that_lack_a_part() {
        check(&[
            (
                NeedsAnchor,
                &[
                    "and for tomorrow?",
                    "what about trains?",
                    "How about Friday?",
                    "why?",
                    "What happened next?",
                ],
            ),
            (
                NeedsAnchor,
                &[
                    "What is the price?",
                    "Please send me the address and phone number.",
                    "I don't care",
                    "Chinese",
                ],
            ),
            (
                NeedsAnchor,
                &["Which is better?", "What kind should I get?", "How is that different", "Is there a bar?"],
            ),
            (
                Nothing,
                &[
                    "What is the price of the blue ticket?",
                    "What is the address of City Hall?",
                    "what's the weather",
                ],
            ),
            (
                Nothing,
                &[
                    "Create a ticket for the login bug",
                    "thank you for the information",
                    "no, thank you",
                    "Goodbye.",
                ],
            ),
        ]);
    }

    #[test]
    fn the_words_are_those_of_lists() {
        assert_eq!(read("please do that again").words, "that again");
        assert_eq!(read("What is the frobnicator?").words, "the");
        assert_eq!(read("frobnicators").words, "fragment");
    }

    #[test]
    fn german_is_read_as_german() {
        let german = |text: &str| reference(&Words::new(text, Languages::preferring("de"))).need;
        for text in
            ["mach es nochmal", "was mit Freitag?", "warum?", "schick ihn an Bob", "kannst du dieses löschen"]
        {
            assert_eq!(german(text), NeedsAnchor, "{text}");
        }
        for text in ["es regnet in Berlin", "das passt", "Ich brauche diese Woche Urlaub"] {
            assert_ne!(german(text), NeedsAnchor, "{text}");
        }
        assert_eq!(read("mach es nochmal").need, NeedsAnchor, "whoever says it");
    }

    proptest! {
        /// Any text is read, and only words of the lexicon are named.
        #[test]
        fn any_text_is_read(text in any::<String>(), parts in prop::collection::vec(prop::sample::select(alloc::vec![
            "that", "it", "is", "the", "a", "one", "there", "other", "what", "about", "and", ",", ".", "?", "Ana", "her",
            "price", "of", "do", "so", "again", "raining", "zzzsecret", "else", "which", "any", "no", "1", "instead",
        ]), 0..40)) {
            for text in [text, parts.join(" "), format!("{} that", parts.concat())] {
                let found = read(&text);
                prop_assert!(!found.words.contains("zzzsecret"), "{}", found.words);
                prop_assert_eq!(found.need == Nothing, found.words.is_empty() && found.need != Bound && found.need != NeedsAnchor);
            }
        }
    }
}
