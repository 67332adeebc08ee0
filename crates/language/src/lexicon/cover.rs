//! A message laid out in phrases: which rows of phrases of several sections cover its beginning.

use alloc::vec;
use alloc::vec::Vec;

use super::{DEPTH, Memo, Section, WINDOW};
use crate::words::Word;

/// The beginning of a message, covered with phrases of several sections: the fewest phrases.
pub struct Cover {
    /// For each word boundary, the last phrase of the best row that ends there. Empty if no phrase begins the message, as
    /// in most.
    best: Vec<Option<Piece>>,
}

/// One phrase of a cover.
#[derive(Clone, Copy)]
pub struct Piece {
    /// The section, by its place among those that were given.
    pub section: usize,
    /// The first word, a joining word included.
    pub from: usize,
    /// The word behind the last one.
    pub to: usize,
    /// The number of phrases up to here.
    count: usize,
}

impl Cover {
    /// Covers `words` from the beginning; a `joiner` may be between two phrases.
    pub fn of(sections: &[Section], joiner: Option<Section>, words: &[Word]) -> Self {
        if !sections.iter().any(|section| section.may_begin(words, 0)) {
            return Self { best: Vec::new() };
        }
        Self::with(sections, joiner, words, |_| core::iter::empty(), 1)
    }

    /// Like [`Self::of`], with further phrases: `more` gives those that begin at a word, each with the word behind it and the
    /// number of its section; it counts as `cost` phrases.
    pub(crate) fn with<I: Iterator<Item = (usize, usize)>>(
        sections: &[Section],
        joiner: Option<Section>,
        words: &[Word],
        more: impl Fn(usize) -> I,
        cost: usize,
    ) -> Self {
        let (mut cover, memo) = (Self { best: vec![None; words.len().min(WINDOW) + 1] }, Memo::new());
        for from in 0..words.len().min(WINDOW) {
            let Some(count) = cover.count(from) else { continue };
            let joined = from > 0 && joiner.is_some_and(|j| j.at(words, from));
            for at in from..=from + usize::from(joined) {
                cover.extend(sections, words, (from, at), count, &memo);
                for (to, section) in more(at) {
                    let piece = Piece { section, from, to, count: count + cost };
                    // What costs as little as a phrase goes before one, but a word alone says what its list says.
                    let tie =
                        cover.best.get(to).copied().flatten().is_some_and(|best| best.count == piece.count);
                    if tie && cost == 1 && to > at + 1 {
                        cover.best[to] = Some(piece);
                    }
                    cover.add(piece);
                }
            }
        }
        cover
    }

    fn extend(
        &mut self,
        sections: &[Section],
        words: &[Word],
        (from, at): (usize, usize),
        before: usize,
        memo: &Memo,
    ) {
        for (section, list) in sections.iter().enumerate() {
            let mut ends = list.ends_at(words, at, DEPTH, Some(memo)) & !1;
            while ends != 0 {
                let to = at + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                self.add(Piece { section, from, to, count: before + 1 });
            }
        }
    }

    fn add(&mut self, piece: Piece) {
        if let Some(slot) = self.best.get_mut(piece.to)
            && slot.is_none_or(|best| best.count > piece.count)
        {
            *slot = Some(piece);
        }
    }

    fn count(&self, at: usize) -> Option<usize> {
        if at == 0 { Some(0) } else { self.best[at].map(|b| b.count) }
    }

    /// True if the first `end` words are covered.
    pub fn reaches(&self, end: usize) -> bool {
        self.best.get(end).is_some_and(Option::is_some)
    }

    /// The phrases that cover the first `end` words, the last one first.
    pub fn pieces(&self, end: usize) -> impl Iterator<Item = Piece> {
        let last = |at: usize| self.best.get(at).copied().flatten();
        core::iter::successors(last(end), move |piece| last(piece.from))
    }

    /// The section of each of those phrases, as bits.
    pub fn sections(&self, end: usize) -> u32 {
        self.pieces(end).fold(0, |all, piece| all | 1 << piece.section)
    }
}
