//! Lexicons: the words and short patterns of one language, in a text file indexed at compile time.
//!
//! A file holds sections; a section holds phrases, separated by commas or line ends; `#` starts a comment line:
//!
//! ```text
//! [good]
//! good, great, fine
//! [yes.proposal]
//! that? sounds|looks <good> <to_me>?
//! ```
//!
//! A phrase is a list of elements. `word` is that word, folded as [`super::text`] folds it (lower case, no
//! apostrophes); `a|b` is either word and `a+b|c` either `a b` or `c`; `<section>` is a phrase of that section, `_` any
//! one word, `#` a word that begins with a digit. `?` after an element makes it optional, `*` lets it repeat or be
//! absent. Nothing is allocated, and a phrase looks at no more than 63 words: linear in the text.
//!
//! A further language is a further file and its line in [`LEXICONS`].

use super::text::Word;

/// The languages, in the order they are tried.
pub(crate) static LEXICONS: [Lexicon; 1] = [Lexicon::parse(include_str!("data/en.txt"))];

const SECTIONS: usize = 192;
const PHRASES: usize = 5120;
/// How deep sections may name each other; a file that goes deeper simply does not match.
const DEPTH: u8 = 4;

/// The words of one language.
pub(crate) struct Lexicon {
    sections: [(&'static str, usize, usize); SECTIONS],
    phrases: [&'static str; PHRASES],
    /// How a phrase can begin: most phrases are passed over by this alone.
    heads: [Head; PHRASES],
}

/// The phrases of one section.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    lexicon: &'static Lexicon,
    from: usize,
    to: usize,
}

impl Lexicon {
    /// Indexes a file. Runs in the compiler: a file that does not fit fails the build.
    pub(crate) const fn parse(file: &'static str) -> Self {
        let mut sections = [("", 0, 0); SECTIONS];
        let mut phrases = [""; PHRASES];
        let mut heads = [Head::NONE; PHRASES];
        let (mut named, mut filled) = (0, 0);
        let mut rest = file.as_bytes();
        while !rest.is_empty() {
            let (line, after) = cut(rest, false);
            rest = after;
            let mut line = line.trim_ascii();
            match line.first() {
                None | Some(b'#') => {}
                Some(b'[') => {
                    let name = line.split_at(line.len() - 1).0.split_at(1).1;
                    sections[named] = (utf8(name), filled, filled);
                    named += 1;
                }
                Some(_) => {
                    while !line.is_empty() {
                        let (phrase, after) = cut(line, true);
                        line = after;
                        let phrase = phrase.trim_ascii();
                        if !phrase.is_empty() {
                            phrases[filled] = utf8(phrase);
                            heads[filled] = match leading_section(phrase) {
                                Some(_) => Head::NONE,
                                None => Head::of_phrase(phrase),
                            };
                            filled += 1;
                            sections[named - 1].2 = filled;
                        }
                    }
                }
            }
        }
        // A phrase that begins with a section begins as that section does, which may begin with another.
        let mut round = 0;
        while round <= DEPTH {
            let mut i = 0;
            while i < filled {
                if let Some(name) = leading_section(phrases[i].as_bytes()) {
                    heads[i] = union(&sections, &heads, name);
                }
                i += 1;
            }
            round += 1;
        }
        Self { sections, phrases, heads }
    }

    /// The section of that name, empty when the language has none.
    pub(crate) fn section(&'static self, name: &str) -> Section {
        let found = self.sections.iter().find(|(n, _, _)| *n == name);
        let (from, to) = found.map_or((0, 0), |&(_, from, to)| (from, to));
        Section { lexicon: self, from, to }
    }

    /// The sections whose name begins with `prefix`, with the rest of their names.
    pub(crate) fn family(
        &'static self,
        prefix: &'static str,
    ) -> impl Iterator<Item = (&'static str, Section)> {
        self.sections.iter().filter_map(move |&(name, from, to)| {
            let rest = name.strip_prefix(prefix)?;
            Some((rest, Section { lexicon: self, from, to }))
        })
    }

    /// Bit `k` is set when `phrase` is the `k` words from `at` on.
    fn ends(&'static self, phrase: &str, words: &[Word<'_>], at: usize, depth: u8) -> u64 {
        let mut reached: u64 = 1;
        for element in phrase.split(' ') {
            let (base, optional, repeats) = match element.as_bytes().last() {
                Some(b'?') => (&element[..element.len() - 1], true, false),
                Some(b'*') => (&element[..element.len() - 1], true, true),
                _ => (element, false, false),
            };
            let mut next = if optional { reached } else { 0 };
            let mut open = reached;
            while open != 0 {
                let offset = open.trailing_zeros();
                open &= open - 1;
                let step =
                    self.step(base, words, at + offset as usize, depth).checked_shl(offset).unwrap_or(0);
                if repeats {
                    open |= step & !next;
                }
                next |= step;
            }
            reached = next;
            if reached == 0 {
                break;
            }
        }
        reached
    }

    /// The same for one element without its suffix.
    fn step(&'static self, base: &str, words: &[Word<'_>], at: usize, depth: u8) -> u64 {
        let Some(word) = words.get(at) else { return 0 };
        if let Some(name) = base.strip_prefix('<').and_then(|b| b.strip_suffix('>')) {
            return if depth == 0 { 0 } else { self.section(name).ends_at(words, at, depth - 1) };
        }
        match base {
            "_" => 2,
            "#" => u64::from(word.text.starts_with(|c: char| c.is_ascii_digit())) << 1,
            _ => base.split('|').fold(0, |all, choice| all | spelled(choice, words, at)),
        }
    }
}

impl Section {
    /// Bit `k` is set when a phrase of the section is the `k` words from `at` on.
    pub(crate) fn ends(self, words: &[Word<'_>], at: usize) -> u64 {
        self.ends_at(words, at, DEPTH)
    }

    fn ends_at(self, words: &[Word<'_>], at: usize, depth: u8) -> u64 {
        let Some(word) = words.get(at) else { return 0 };
        let mut ends = 0;
        for i in self.from..self.to {
            if self.lexicon.heads[i].admits(word.head) {
                ends |= self.lexicon.ends(self.lexicon.phrases[i], words, at, depth);
            }
        }
        ends
    }

    /// How many words from `at` on the longest phrase covers; 0 when none does.
    pub(crate) fn longest(self, words: &[Word<'_>], at: usize) -> usize {
        self.ends(words, at).checked_ilog2().unwrap_or(0) as usize
    }

    /// Whether one of the phrases is these words exactly.
    pub(crate) fn is(self, words: &[Word<'_>]) -> bool {
        let bit = u32::try_from(words.len()).ok().and_then(|n| 1u64.checked_shl(n)).unwrap_or(0);
        self.ends(words, 0) & bit & !1 != 0
    }

    /// Whether a phrase begins at `at`.
    pub(crate) fn at(self, words: &[Word<'_>], at: usize) -> bool {
        self.longest(words, at) > 0
    }

    /// Whether a phrase begins anywhere.
    pub(crate) fn within(self, words: &[Word<'_>]) -> bool {
        (0..words.len()).any(|at| self.at(words, at))
    }

    /// The `word=value` pairs of a section that holds them.
    pub(crate) fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.lexicon.phrases[self.from..self.to].iter().filter_map(|p| p.split_once('='))
    }
}

/// The words from `at` on, as far as phrases of these sections cover them, the longest first and at most a window
/// full; returns where that ends.
pub(crate) fn skip(sections: &[Section], words: &[Word<'_>], mut at: usize) -> usize {
    let most = at + WINDOW;
    while at < most
        && let Some(n) = sections.iter().map(|s| s.longest(words, at)).max().filter(|&n| n > 0)
    {
        at += n;
    }
    at
}

/// The words a [`Cover`] or [`skip`] looks at; a longer row of stock phrases says nothing.
const WINDOW: usize = 48;

/// How phrases of several sections cover the beginning of a message, in the fewest phrases.
pub(crate) struct Cover {
    /// For each word boundary, the last phrase of the best row that ends there.
    best: [Option<Piece>; WINDOW + 1],
}

/// One phrase of a cover.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// Which of the sections it is from.
    pub(crate) section: usize,
    /// Where it begins, a joining word included.
    pub(crate) from: usize,
    /// Where it ends.
    pub(crate) to: usize,
    /// How many phrases the row has up to here.
    count: usize,
}

impl Cover {
    /// Covers `words` from the beginning; a `joiner` may stand between two phrases.
    pub(crate) fn of(sections: &[Section], joiner: Option<Section>, words: &[Word<'_>]) -> Self {
        let mut cover = Self { best: [None; WINDOW + 1] };
        for from in 0..words.len().min(WINDOW) {
            let Some(count) = cover.count(from) else { continue };
            cover.extend(sections, words, from, from, count);
            if from > 0 && joiner.is_some_and(|j| j.at(words, from)) {
                cover.extend(sections, words, from, from + 1, count);
            }
        }
        cover
    }

    fn extend(&mut self, sections: &[Section], words: &[Word<'_>], from: usize, at: usize, before: usize) {
        for (section, list) in sections.iter().enumerate() {
            let mut ends = list.ends(words, at) & !1;
            while ends != 0 {
                let to = at + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let count = before + 1;
                if let Some(slot) = self.best.get_mut(to)
                    && slot.is_none_or(|b| b.count > count)
                {
                    *slot = Some(Piece { section, from, to, count });
                }
            }
        }
    }

    fn count(&self, at: usize) -> Option<usize> {
        if at == 0 { Some(0) } else { self.best[at].map(|b| b.count) }
    }

    /// Whether the first `end` words are covered.
    pub(crate) fn reaches(&self, end: usize) -> bool {
        self.best.get(end).is_some_and(Option::is_some)
    }

    /// The phrases that cover the first `end` words, the last one first.
    pub(crate) fn pieces(&self, end: usize) -> impl Iterator<Item = Piece> {
        let last = |at: usize| self.best.get(at).copied().flatten();
        core::iter::successors(last(end), move |piece| last(piece.from))
    }

    /// The section of each of those phrases, as bits.
    pub(crate) fn sections(&self, end: usize) -> u32 {
        self.pieces(end).fold(0, |all, piece| all | 1 << piece.section)
    }
}

/// Bit `k` when `choice`, words joined by `+`, is the `k` words from `at` on.
fn spelled(choice: &str, words: &[Word<'_>], at: usize) -> u64 {
    let mut length = 0;
    for part in choice.split('+') {
        match words.get(at + length) {
            Some(word) if word.text == part => length += 1,
            _ => return 0,
        }
    }
    1u64.checked_shl(length as u32).unwrap_or(0)
}

/// How a phrase or a word can begin: a bit for its first byte in the lower half, one for its first two in the upper.
/// Both are hashed, so a phrase that is not passed over may still not match; one that is never does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head(u64);

impl Head {
    const NONE: Self = Self(0);
    const ALL: Self = Self(u64::MAX);

    /// The head of a word.
    pub(crate) const fn of_word(word: &[u8]) -> Self {
        match word {
            [] => Self::NONE,
            [first] => Self::bits(*first, 0),
            [first, second, ..] => Self::bits(*first, *second),
        }
    }

    const fn bits(first: u8, second: u8) -> Self {
        let pair = (first as u64).wrapping_mul(31).wrapping_add(second as u64) % 32;
        Self(1 << (first % 32) | 1 << (32 + pair))
    }

    /// Every way a phrase can begin: behind optional elements there are several.
    const fn of_phrase(phrase: &[u8]) -> Self {
        let (mut head, mut i, mut fresh, mut optional) = (Self::NONE, 0, true, false);
        while i < phrase.len() {
            match phrase[i] {
                b'<' | b'_' | b'#' if fresh => return Self::ALL,
                b' ' if !optional => return head,
                b' ' => (fresh, optional) = (true, false),
                b'|' => fresh = true,
                b'?' | b'*' => optional = true,
                first if fresh => {
                    let second = if i + 1 < phrase.len() { phrase[i + 1] } else { 0 };
                    let ends = matches!(second, b' ' | b'|' | b'?' | b'*' | b'+');
                    head = Self(head.0 | Self::bits(first, if ends { 0 } else { second }).0);
                    fresh = false;
                }
                _ => {}
            }
            i += 1;
        }
        head
    }

    /// Whether a phrase that can begin like this can begin with a word that begins like `word`.
    const fn admits(self, word: Self) -> bool {
        let both = self.0 & word.0;
        both as u32 != 0 && both >> 32 != 0
    }
}

/// The section a phrase begins with, when that element is neither optional nor repeated.
const fn leading_section(phrase: &'static [u8]) -> Option<&'static [u8]> {
    let mut i = 1;
    while i < phrase.len() && phrase[0] == b'<' {
        if phrase[i] == b'>' {
            let bare = i + 1 == phrase.len() || phrase[i + 1] == b' ';
            return if bare { Some(phrase.split_at(i).0.split_at(1).1) } else { None };
        }
        i += 1;
    }
    None
}

/// How the phrases of a section can begin.
const fn union(sections: &[(&str, usize, usize)], heads: &[Head], name: &[u8]) -> Head {
    let mut s = 0;
    while s < sections.len() {
        let (known, from, to) = sections[s];
        if same(known.as_bytes(), name) {
            let (mut all, mut i) = (0, from);
            while i < to {
                all |= heads[i].0;
                i += 1;
            }
            return Head(all);
        }
        s += 1;
    }
    Head::NONE
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

const fn cut(bytes: &'static [u8], comma: bool) -> (&'static [u8], &'static [u8]) {
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'\n' || (comma && bytes[i] == b',') {
            return (bytes.split_at(i).0, bytes.split_at(i + 1).1);
        }
        i += 1;
    }
    (bytes, &[])
}

const fn utf8(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(s) => s,
        Err(_) => panic!("a lexicon is UTF-8, and a section name one line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognize::text::words;

    static TINY: Lexicon =
        Lexicon::parse("# a comment\n[good]\ngood, very good\n[say]\nthat? sounds|looks <good>\nla*\n");

    #[test]
    fn phrases_cover_as_far_as_they_can() {
        for (text, longest) in [
            ("sounds good", 2),
            ("that looks very good to me", 4),
            ("that good", 0),
            ("la la la", 3),
            ("sounds", 0),
            ("", 0),
        ] {
            assert_eq!(TINY.section("say").longest(&words(text), 0), longest, "{text}");
        }
        assert!(TINY.section("say").is(&words("sounds very good")));
        assert!(!TINY.section("say").is(&words("sounds very good indeed")));
        assert!(!TINY.section("missing").within(&words("good")));
    }

    #[test]
    fn every_section_a_phrase_names_is_there() {
        for lexicon in &LEXICONS {
            let named = lexicon.phrases.iter().flat_map(|p| p.split(' '));
            for element in named.filter(|e| e.starts_with('<')) {
                let name = element.trim_start_matches('<').trim_end_matches(['?', '*']).trim_end_matches('>');
                let section = lexicon.section(name);
                assert!(section.from < section.to, "{name}");
            }
        }
    }
}
