//! One of the named options (`spec 02 §6`, `selection`): by id or letter, number or ordinal, label, or the words of
//! one label that no other option has.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::lexicon::{Lexicon, Section, SectionId, skip};
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Value, clause, named, number};

pub(crate) const LEAD: SectionId = named("selection.lead");
const TAIL: [SectionId; 3] = [named("selection.tail"), named("filler"), named("thanks")];
const LAST: SectionId = named("selection.last");
const FIRST: SectionId = named("selection.first");
const ORDINAL: SectionId = named("ordinal");

/// Reads a choice, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    _context: &Context<'_>,
    options: &[String],
) -> Result<Match, NoMatch> {
    let choice = Choice::of(lexicon, message, options);
    clause::read(lexicon, message, |said| {
        choice.pick(said).map(|i| Found::of(Value::Selection(options[i].clone()), said))
    })
}

struct Choice<'m> {
    lexicon: &'static Lexicon,
    message: &'m Words,
    /// The words of all options, and which of them are whose.
    options: Words,
    labels: Vec<Range<usize>>,
    lead: Section,
    tail: [Section; 3],
}

impl<'m> Choice<'m> {
    fn of(lexicon: &'static Lexicon, message: &'m Words, options: &[String]) -> Self {
        let (options, labels) = Words::each(options.iter().map(String::as_str));
        let (lead, tail) = (lexicon.section(LEAD), TAIL.map(|id| lexicon.section(id)));
        Self { lexicon, message, options, labels, lead, tail }
    }

    fn labels(&self) -> impl Iterator<Item = &[Word]> {
        self.labels.iter().map(|range| &self.options.all()[range.clone()])
    }

    /// The option these words name, if they do nothing else.
    fn pick(&self, said: &[Word]) -> Option<usize> {
        if said.last().is_some_and(|w| w.after == Gap::Question) && said.len() < 2 {
            return None;
        }
        if let Some(exact) = self.only(|label| self.same(label, said)) {
            return Some(exact);
        }
        // A label's own words may look like a frame, so every split into frame and rest is tried, shortest first.
        let mut from = 0;
        loop {
            if let Some(found) = self.core(&said[from..]) {
                return Some(found);
            }
            match self.lead.longest(said, from) {
                0 => return None,
                n if from + n < said.len() => from += n,
                _ => return None,
            }
        }
    }

    /// What the words are when nothing but a tail may follow.
    fn core(&self, said: &[Word]) -> Option<usize> {
        let ends = |at: usize| at <= said.len() && skip(&self.tail, said, at) == said.len();
        let by_label =
            self.only(|l| l.len() <= said.len() && self.same(l, &said[..l.len()]) && ends(l.len()));
        by_label.or_else(|| self.by_position(said, &ends)).or_else(|| self.by_words(said))
    }

    /// A letter, a number, an ordinal, or "last".
    fn by_position(&self, said: &[Word], ends: &impl Fn(usize) -> bool) -> Option<usize> {
        let list = |id| self.lexicon.section(id);
        let count = self.labels.len();
        let (last, first) = (list(LAST).longest(said, 0), list(FIRST).longest(said, 0));
        if last > 0 && ends(last) {
            return count.checked_sub(1);
        }
        let word = said.first()?;
        let at = usize::from(self.message.folded(word) == "#");
        let ordinal = list(ORDINAL).value(word).and_then(|n| usize::try_from(n).ok());
        let number = number::index(self.lexicon, self.message, said, at);
        let number = number.filter(|(_, next)| ends(*next)).map(|(n, _)| n);
        let nth = match ordinal.filter(|_| ends(1)).or(number) {
            Some(n) => Some(n),
            None if first > 0 && ends(first) => Some(1),
            None => letter(self.message.folded(word)).filter(|_| ends(1)),
        };
        nth.and_then(|n: usize| n.checked_sub(1)).filter(|&i| i < count)
    }

    /// Words of exactly one label, with one among them that no other label has, and nothing else left over.
    fn by_words(&self, said: &[Word]) -> Option<usize> {
        let kept = self.distinctive(said)?;
        self.only(|label| {
            kept.iter().all(|w| self.has(label, w)) && kept.iter().any(|w| self.holders(w) == 1)
        })
    }

    /// The words that name something: not those of the frame, unless a label has them.
    fn distinctive<'w>(&self, said: &'w [Word]) -> Option<Vec<&'w Word>> {
        let mut kept = Vec::new();
        let mut at = 0;
        while at < said.len() {
            if self.holders(&said[at]) > 0 {
                kept.push(&said[at]);
                at += 1;
                continue;
            }
            let around =
                self.tail.iter().map(|s| s.longest(said, at)).fold(self.lead.longest(said, at), usize::max);
            // Never over a word some label has: "the one in the second room" may name the room.
            let free = (1..=around).take_while(|n| *n == 1 || self.holders(&said[at + n - 1]) == 0).last()?;
            at += free;
        }
        (!kept.is_empty()).then_some(kept)
    }

    /// How many labels have the word.
    fn holders(&self, word: &Word) -> usize {
        self.labels().filter(|label| self.has(label, word)).count()
    }

    fn has(&self, label: &[Word], word: &Word) -> bool {
        let word = self.message.folded(word);
        label.iter().any(|w| alike(self.options.folded(w), word))
    }

    fn same(&self, label: &[Word], said: &[Word]) -> bool {
        let alike = |(l, s): (&Word, &Word)| self.options.folded(l) == self.message.folded(s);
        !label.is_empty() && label.len() == said.len() && label.iter().zip(said).all(alike)
    }

    /// The one label that fits; nothing when two do.
    fn only(&self, fits: impl Fn(&[Word]) -> bool) -> Option<usize> {
        let mut fitting = self.labels().enumerate().filter(|(_, l)| fits(l)).map(|(i, _)| i);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// Equal, but for a plural or an adverb's ending.
fn alike(one: &str, other: &str) -> bool {
    one == other || (one.len() > 3 && other.len() > 3 && stem(one) == stem(other))
}

fn stem(word: &str) -> &str {
    let stem = word.strip_suffix("ly").unwrap_or(word);
    stem.strip_suffix('s').unwrap_or(stem)
}

fn letter(word: &str) -> Option<usize> {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(c @ 'a'..='z'), None) => Some(c as usize - 'a' as usize + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::recognize::{Expected, Match, Value, matches};
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn pick(options: &str, text: &str) -> Option<String> {
        let options: Vec<String> = options.split('|').map(ToString::to_string).collect();
        match matches(&Expected::Selection(options), text) {
            Ok(Match { value: Value::Selection(label), .. }) => Some(label),
            _ => None,
        }
    }

    #[test]
    fn one_option() {
        for (options, text, expected) in [
            ("A|B", "A", "A"),
            ("A|B", "b.", "B"),
            ("A|B", "option B please", "B"),
            ("A|B", "the second", "B"),
            ("A|B|C", "second one", "B"),
            ("A|B|C", "the last one", "C"),
            ("A|B|C", "#2", "B"),
            ("A|B|C", "option 3", "C"),
            ("A|B|C", "number two, thanks", "B"),
            ("Login bug|Payment timeout|Dark mode", "b", "Payment timeout"),
            ("Login bug|Payment timeout|Dark mode", "dark mode", "Dark mode"),
            ("Login bug|Payment timeout|Dark mode", "the payment one", "Payment timeout"),
            ("Login bug|Payment timeout|Dark mode", "Let's go with login", "Login bug"),
            ("10|20|30", "20", "20"),
            ("checking|savings", "From my savings, please", "savings"),
            ("cheap|moderate|expensive", "moderately priced", "moderate"),
            ("continue|cancel", "2", "cancel"),
            ("Hellboy|Dumbo", "Hellboy sounds good. That's all I need for now.", "Hellboy"),
        ] {
            assert_eq!(pick(options, text).as_deref(), Some(expected), "{options}: {text}");
        }
    }

    #[test]
    fn none_or_two() {
        for (options, text) in [
            ("A|B", "A or B"),
            ("A|B", "a and b"),
            ("A|B", "C"),
            ("A|B", "the fifth"),
            ("A|B", "not A"),
            ("A|B", "thanks"),
            ("A|B", "a table for two"),
            ("continue|cancel", "cancel"),
            ("Login bug|Login page", "login"),
            ("Login bug|Payment timeout|Dark mode", "how long has the payment timeout been broken?"),
            ("Login bug|Payment timeout|Dark mode", "login bug or dark mode"),
            ("Login bug|Payment timeout|Dark mode", "write an email about the login bug"),
            ("Rob Roy|Dog Boy", "not the one about the boy"),
            ("Mobile|Home", "neither"),
        ] {
            assert_eq!(pick(options, text), None, "{options}: {text}");
        }
    }
}
