//! People: a name by shape, a mention, or the one who speaks.
//!
//! A name is up to four words that are no common ones, or given names among those ("Bob", "Will") with a capital. In
//! lower case it stands alone or behind a frame. A mention begins with `@` or is what a channel writes for one,
//! `<@U7>`. "Me" and "myself" are the value `me`, since only the caller knows who wrote.

use alloc::format;
use alloc::string::ToString;

use super::echo::Echo;
use super::lexicon::{Lexicon, Section, SectionId, skip};
use super::words::{Gap, Word, Words};
use super::{ACTS, Context, Found, Match, NoMatch, Value, remainder, section};

pub(crate) const LEAD: SectionId = section("person.lead");
const TAIL: [SectionId; 3] = [section("person.tail"), section("filler"), section("thanks")];
const TITLE: SectionId = section("person.title");
const NAME: SectionId = section("person.name");
const ME: SectionId = section("person.me");
const INNER: SectionId = section("location.inner");
const COMMON: SectionId = section("common");

/// The most words of a name.
const MOST: usize = 4;

/// Reads a person, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
) -> Result<Match, NoMatch> {
    let reader = Reader { lexicon, message, echo: Echo::of(lexicon, message, context.question()) };
    remainder::read(lexicon, message, |words| reader.whole(words))
}

struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    echo: Echo<'r>,
}

impl Reader<'_> {
    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    fn whole(&self, words: &[Word]) -> Option<Found> {
        if words.last()?.after == Gap::Question || ACTS.iter().any(|id| self.list(*id).is(words)) {
            return None;
        }
        let ends = |at: usize| skip(&TAIL.map(|id| self.list(id)), words, at) == words.len();
        let mut from = 0;
        loop {
            let me = self.list(ME).longest(words, from);
            if me > 0 && ends(from + me) {
                return Some(Found::of(Value::Person("me".to_string()), &words[from..from + me]));
            }
            let most = (words.len() - from).min(MOST + 1);
            if let Some(name) = (1..=most)
                .rev()
                .map(|n| &words[from..from + n])
                .find(|name| ends(from + name.len()) && (self.mention(name) || self.is_name(name)))
            {
                let sign = if self.mentioned(&name[0]) { "@" } else { "" };
                let said = self.message.slice(name).trim_start_matches('@');
                return Some(Found::of(Value::Person(format!("{sign}{said}")), name));
            }
            match self.list(LEAD).longest(words, from).max(self.echo.longest(words, from)) {
                0 => return None,
                n if from + n < words.len() => from += n,
                _ => return None,
            }
        }
    }

    /// True if the words are an `@` and a name.
    fn mention(&self, name: &[Word]) -> bool {
        match name {
            [at, handle @ ..] if self.mentioned(at) => {
                let between = |pair: &[Word]| &self.message.text()[pair[0].end..pair[1].at];
                let whole = name.windows(2).all(|pair| !between(pair).contains(char::is_whitespace));
                whole && !handle.is_empty()
            }
            _ => false,
        }
    }

    fn mentioned(&self, word: &Word) -> bool {
        self.message.folded(word) == "@"
    }

    fn is_name(&self, name: &[Word]) -> bool {
        let title = self.list(TITLE).longest(name, 0);
        let name = &name[title.min(name.len())..];
        let capitals =
            name.iter().all(|word| word.capital || self.list(INNER).is(core::slice::from_ref(word)));
        let letters =
            |word: &Word| self.message.folded(word).chars().all(|c| c.is_alphabetic() || "-.".contains(c));
        let free = |word: &Word| {
            let one = core::slice::from_ref(word);
            let common = self.list(COMMON).is(one);
            let inner = capitals && name.len() > 2 && !word.capital && self.list(INNER).is(one);
            (!common || (word.capital && self.list(NAME).is(one)) || inner) && !self.list(TITLE).is(one)
        };
        (1..=MOST).contains(&name.len())
            && name.iter().all(|word| letters(word) && free(word))
            && name[..name.len() - 1].iter().all(|word| word.after == Gap::Space)
    }
}

#[cfg(test)]
mod tests {
    use crate::Expected;
    use crate::tests::matches;

    #[test]
    fn people() {
        for (text, person) in [
            ("Bob", "Bob"),
            ("bob smith", ""),
            ("ana silva", "ana silva"),
            ("My name is Ana Silva.", "Ana Silva"),
            ("call me Will, please", "Will"),
            ("it's Dr. Lesley Plotke", "Dr. Lesley Plotke"),
            ("@ana", "@ana"),
            ("assign it to @bob-smith please", "@bob-smith"),
            ("me", "me"),
            ("Myself, thanks", "me"),
            ("Vincent van Gogh", "Vincent van Gogh"),
        ] {
            let found = matches(&Expected::Person, text).ok();
            assert_eq!(found.as_ref().map_or("", |found| found.value.text()), person, "{text}");
        }
    }

    #[test]
    fn near_misses() {
        for text in [
            "yes",
            "thanks",
            "stop it",
            "write an email",
            "what about the database?",
            "Ana?",
            "tomorrow",
            "42",
            "create a ticket for Bob",
            "will do",
            "hello",
            "@",
            "the second one",
        ] {
            assert!(matches(&Expected::Person, text).is_err(), "{text}");
        }
    }
}
