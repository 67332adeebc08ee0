//! Edits of an open preview, and the phrases they are made of: which item is meant, and politeness around it.

use alloc::string::String;

use crate::data::ticket::{ItemType, Part};
use crate::tickets::vocabulary::{self, longest};
use throughline_language::Words;
use throughline_language::lexicon::{SectionId, TICKETS};
use throughline_language::words::Word;

/// An edit in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// A part gets this text.
    Set(Option<ItemRef>, Part, String),
    /// A part gets this line in addition.
    Add(Option<ItemRef>, Part, String),
    /// A part is emptied.
    Clear(Option<ItemRef>, Part),
    /// An item is struck out.
    Drop(ItemRef),
    /// An item is to be written anew, in words that follow.
    Reword(ItemRef),
    /// An item becomes one of this type.
    Become(Option<ItemRef>, ItemType),
    /// An item moves.
    Move(ItemRef, Place),
    /// An item of this title is added.
    AddItem(ItemType, String),
}

impl Edit {
    /// The item that it names.
    pub(super) fn item(&self) -> Option<ItemRef> {
        match self {
            Self::Set(item, ..) | Self::Add(item, ..) | Self::Clear(item, _) | Self::Become(item, _) => *item,
            Self::Drop(item) | Self::Reword(item) | Self::Move(item, _) => Some(*item),
            Self::AddItem(..) => None,
        }
    }
}

/// An item of a preview, as its label calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemRef {
    /// Its type; `None` counts the stories, or all items without an epic.
    pub(super) kind: Option<ItemType>,
    /// Its number among those, from 1; `None` for the last one.
    pub(super) n: Option<usize>,
}

/// The place an item moves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Last,
    Before(ItemRef),
    After(ItemRef),
}

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

pub(super) const PLEASE: SectionId = id("edit.please");
pub(super) const THE: SectionId = id("edit.the");
pub(super) const IT: SectionId = id("edit.it");
pub(super) const IN: SectionId = id("edit.in");
const LAST: SectionId = id("edit.last");
const NTH: [SectionId; 10] = [
    id("edit.nth.1"),
    id("edit.nth.2"),
    id("edit.nth.3"),
    id("edit.nth.4"),
    id("edit.nth.5"),
    id("edit.nth.6"),
    id("edit.nth.7"),
    id("edit.nth.8"),
    id("edit.nth.9"),
    id("edit.nth.10"),
];

/// A text whose phrases are read.
pub(super) struct Reader<'w> {
    pub(super) words: &'w Words,
    pub(super) all: &'w [Word],
}

impl<'w> Reader<'w> {
    pub(super) fn of(words: &'w Words) -> Self {
        Self { words, all: words.all() }
    }

    /// The number of words that a phrase of a section covers from a word on; 0 for none.
    pub(super) fn at(&self, section: SectionId, at: usize) -> usize {
        longest(section, self.all, at)
    }

    /// The word behind any number of phrases of a section.
    pub(super) fn skip(&self, section: SectionId, mut at: usize) -> usize {
        while self.at(section, at) > 0 {
            at += self.at(section, at);
        }
        at
    }

    /// An item behind "of", "in", "to": "the title of story 2".
    pub(super) fn of_item(&self, at: usize) -> (Option<ItemRef>, usize) {
        let n = self.at(IN, at);
        match self.item(self.skip(THE, at + n)).filter(|_| n > 0) {
            Some((item, end)) => (Some(item), end),
            None => (None, at),
        }
    }

    /// "story 3", "the second", "the second story", "the last one", "#2", "the epic".
    pub(super) fn item(&self, at: usize) -> Option<(ItemRef, usize)> {
        if let Some((kind, n)) = vocabulary::kind_at(self.all, at) {
            let sign = self.all.get(at + n).is_some_and(|word| self.words.folded(word) == "#");
            let number = at + n + usize::from(sign);
            return match self.number(number) {
                Some(of) => Some((ItemRef { kind: Some(kind), n: Some(of) }, number + 1)),
                None if kind == ItemType::Epic => Some((ItemRef { kind: Some(kind), n: Some(1) }, at + n)),
                None => None,
            };
        }
        let nth = NTH.iter().position(|section| self.at(*section, at) > 0).map(|at| at + 1);
        let last = self.at(LAST, at) > 0;
        if nth.is_some() || last {
            let kind = vocabulary::kind_at(self.all, at + 1);
            let one =
                self.all.get(at + 1).is_some_and(|word| matches!(self.words.folded(word), "one" | "item"));
            let end = at + 1 + kind.map_or(usize::from(one), |(_, n)| n);
            return Some((ItemRef { kind: kind.map(|(kind, _)| kind), n: nth }, end));
        }
        let sign = self.all.get(at).is_some_and(|word| self.words.folded(word) == "#");
        let n = self.number(at + usize::from(sign)).filter(|_| sign)?;
        Some((ItemRef { kind: None, n: Some(n) }, at + 2))
    }

    fn number(&self, at: usize) -> Option<usize> {
        self.words.folded(self.all.get(at)?).parse().ok().filter(|n| (1..=999).contains(n))
    }
}
