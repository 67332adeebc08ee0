//! Splits a short message into what leads to an option, the option (the core) and what follows it: `PRE*
//! FRAME? VERB? ARTICLE? CORE TAIL? POST*`. Every part may also stay in the core, so one text has several
//! parses. A core is never empty.

use alloc::string::String;
use core::ops::Range;

use throughline_language::lexicon::{Lexicon, Section, SectionId};
use throughline_language::normal;
use throughline_language::section;
use throughline_language::words::{Word, Words};

const PRE: SectionId = section("list.pre");
const VERB: SectionId = section("list.verb");
const ARTICLE: SectionId = section("list.article");
const POST: SectionId = section("list.post");
const FRAME: SectionId = section("frame");
const TAIL: SectionId = section("tail");
const ORDINAL: SectionId = section("ordinal");

/// The most words of a text that may be a choice. Word boundaries are the bits of one integer.
pub(crate) const MOST: usize = 48;

/// The most bytes of such a text: each core is compared in its normal form, and a label is far shorter.
const BYTES: usize = 8 * 1024;

/// True if a text is too long to be a choice.
fn too_long(message: &Words) -> bool {
    message.all().len() > MOST || message.text().len() > BYTES
}

/// The number of word boundaries kept for a core's beginning, and for its end, beside the innermost one.
const FEW: usize = 8;

/// All parses of a text in one language.
pub(crate) struct Parses<'m> {
    pub(crate) lexicon: &'static Lexicon,
    pub(crate) message: &'m Words,
    /// Bit `k`: the core may begin at word `k`.
    starts: u64,
    /// Bit `k`: the core may end before word `k`.
    ends: u64,
    /// Bit `k`: a verb, or what leads to one, ends before word `k`.
    verbs: u64,
}

impl<'m> Parses<'m> {
    /// Parses a message. `asked`: a question about options is open, so the phrases that frame an answer are
    /// cut off too.
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'m Words, asked: bool) -> Self {
        let words = message.all();
        if too_long(message) {
            return Self { lexicon, message, starts: 0, ends: 0, verbs: 0 };
        }
        let list = |id| lexicon.section(id);
        let repeated = |from: u64, section: Section| {
            let mut reached = from;
            for at in 0..words.len() {
                if reached & 1 << at != 0 {
                    reached |= section.ends(words, at) << at;
                }
            }
            reached
        };
        let once = |from: u64, section: Section| {
            let open = (0..words.len()).filter(|at| from & 1 << at != 0);
            open.fold(from, |all, at| all | section.ends(words, at) << at)
        };
        let led = repeated(1, list(PRE));
        let framed = if asked { once(led, list(FRAME)) } else { led };
        let verbs = once(framed, list(VERB));
        let starts = few(once(verbs, list(ARTICLE)));
        Self {
            lexicon,
            message,
            starts,
            ends: few(behind(words, list(POST), asked.then(|| list(TAIL))).reverse_bits()).reverse_bits(),
            verbs: verbs & !framed,
        }
    }

    /// Iterates over the cores, by their beginning and then the longest first.
    pub(crate) fn cores(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let all = self.read();
        let starts = (0..all).filter(|at| self.starts & 1 << at != 0);
        starts.flat_map(move |start| {
            let ends = (start + 1..=all).rev().filter(|at| self.ends & 1 << at != 0);
            ends.map(move |end| start..end)
        })
    }

    /// The number of words parsed: 0 for a text that is too long to be a choice.
    fn read(&self) -> usize {
        if too_long(self.message) { 0 } else { self.message.all().len() }
    }

    /// Iterates over the words at which a core may begin.
    pub(crate) fn starting(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.read()).filter(|at| self.starts & 1 << at != 0)
    }

    /// True if the text has only words that lead to an option or follow one.
    pub(crate) fn has_no_core_words(&self) -> bool {
        let words = self.message.all().len();
        words == 0 || !too_long(self.message) && self.starts & self.ends != 0
    }

    /// Returns the shortest core: the text without everything that may be cut off.
    pub(crate) fn shortest(&self) -> Option<Range<usize>> {
        self.cores().min_by_key(|core| (core.len(), core.start))
    }

    /// True if the shortest core contains an ordinal: "second to last".
    pub(crate) fn has_ordinal(&self) -> bool {
        let ordinal = self.lexicon.section(ORDINAL);
        let says =
            |core: Range<usize>| self.message.all()[core].iter().any(|word| ordinal.value(word).is_some());
        self.shortest().is_some_and(says)
    }

    /// True if a harmless verb leads to the core, or is the whole text.
    pub(crate) fn has_verb(&self) -> bool {
        self.verbs != 0
    }

    /// Returns a core as it is written, including emoji next to its words.
    pub(crate) fn written(&self, core: &Range<usize>) -> &'m str {
        let words = self.message.all();
        let (Some(first), Some(last)) = (words.get(core.start), words.get(core.end - 1)) else { return "" };
        let pictures = |from: usize, to: usize| {
            let text = self.message.text().get(from..to).unwrap_or("");
            text.chars().any(|c| normal::kind(c) == normal::Kind::Picture)
        };
        let before = core.start.checked_sub(1).map_or(0, |at| words[at].end);
        let after = words.get(core.end).map_or(self.message.text().len(), |next| next.at);
        let from = if pictures(before, first.at) { before } else { first.at };
        let to = if pictures(last.end, after) { after } else { last.end };
        self.message.text().get(from..to).unwrap_or("")
    }

    /// Returns the emoji of a text whose words all lead to an option or follow one: "open 🎉".
    pub(crate) fn only_pictures(&self) -> Option<String> {
        let words = self.message.all().len();
        let bare = self.starts & self.ends != 0 || words == 0;
        let pictures: String =
            self.message.text().chars().filter(|c| normal::kind(*c) == normal::Kind::Picture).collect();
        (bare && !pictures.is_empty()).then_some(pictures)
    }
}

/// Returns the number of words of a message without those that lead to an option or follow one.
pub(crate) fn core_words(message: &Words) -> usize {
    let core = Parses::of(super::lexicon(message), message, false).shortest();
    core.map_or(message.all().len(), |core| core.len())
}

/// Keeps the lowest bits and the highest one, so that "ok, ok, ok, …" has no more parses than a sentence.
fn few(bits: u64) -> u64 {
    let mut left = bits;
    for _ in 0..FEW {
        left &= left.wrapping_sub(1);
    }
    let highest = if bits == 0 { 0 } else { 1 << (63 - bits.leading_zeros()) };
    bits & !left | highest
}

/// Returns the boundaries after which only words follow that may come behind an option: bit `k` is the
/// boundary before word `k`.
fn behind(words: &[Word], post: Section, tail: Option<Section>) -> u64 {
    let all = words.len();
    let mut ends = 1u64 << all;
    let mut tails = 0u64;
    for at in (0..all).rev() {
        let reaches = |section: Section, to: u64| section.ends(words, at) << at & to & !(1 << at) != 0;
        if reaches(post, ends & !tails) {
            ends |= 1 << at;
        } else if tail.is_some_and(|tail| reaches(tail, ends & !tails)) {
            ends |= 1 << at;
            tails |= 1 << at;
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn cores(text: &str, asked: bool) -> Vec<String> {
        let words = Words::of(text);
        let parses = Parses::of(super::super::lexicon(&words), &words, asked);
        parses.cores().map(|core| parses.written(&core).to_string()).collect()
    }

    #[test]
    fn what_leads_and_follows_may_be_dropped_or_stay() {
        assert_eq!(
            cores("open the sample2 pls", false),
            [
                "open the sample2 pls",
                "open the sample2",
                "the sample2 pls",
                "the sample2",
                "sample2 pls",
                "sample2"
            ]
        );
        assert!(cores("can you open links panel pls", false).contains(&"links panel".to_string()));
        assert!(cores("open the panel d thank you so much", false).contains(&"panel d".to_string()));
        assert!(
            !cores("delete the sample2", false).contains(&"sample2".to_string()),
            "what changes things stays"
        );
    }

    #[test]
    fn frames_are_dropped_only_where_something_was_asked() {
        assert!(cores("let's go with the second", true).contains(&"second".to_string()));
        assert!(cores("sample2 works for me", true).contains(&"sample2".to_string()));
        assert!(!cores("sample2 works for me", false).contains(&"sample2".to_string()));
    }

    #[test]
    fn the_core_is_never_empty() {
        for text in ["", "please", "open", "ok ok ok", "open the"] {
            assert!(cores(text, true).iter().all(|core| !core.is_empty()), "{text}");
        }
        for words in [MOST, MOST + 1, 75, 300] {
            let text = "sample ".repeat(words);
            let words = Words::of(&text);
            let parses = Parses::of(super::super::lexicon(&words), &words, true);
            assert!(parses.cores().count() <= (FEW + 2) * (FEW + 2), "a long text is no choice: {words:?}");
            let _ = (
                parses.shortest(),
                parses.starting().count(),
                parses.has_no_core_words(),
                parses.has_ordinal(),
            );
        }
        let words = Words::of("open 🎉");
        assert_eq!(
            Parses::of(super::super::lexicon(&words), &words, false).only_pictures().as_deref(),
            Some("🎉")
        );
    }
}
