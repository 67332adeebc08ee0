//! What the options of a list are called, folded once for all that a text is compared with.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::OptionSet;
use super::hint::plain;
use super::read::{By, Options};
use crate::recognize::selection::normal;

/// The names of a list's options.
#[derive(Debug)]
pub(crate) struct Names {
    all: Vec<Name>,
}

/// One name of one option.
#[derive(Debug)]
pub(crate) struct Name {
    pub(super) option: usize,
    by: By,
    verbatim: String,
    /// With pictures.
    shown: String,
    /// Without, where there are any.
    said: Option<String>,
    alike: OnceCell<Alike>,
    text: String,
}

/// What resemblance is looked for in: made when nothing is exact.
#[derive(Debug)]
pub(super) struct Alike {
    pub(super) words: String,
    pub(super) plain: String,
    pub(super) letters: usize,
}

impl Names {
    pub(crate) fn of(set: &OptionSet) -> Self {
        let mut all = Vec::with_capacity(set.options.len());
        for (option, known) in set.options.iter().enumerate() {
            all.push(Name::of(option, By::Label, &known.label));
            all.extend(known.sublabel.iter().map(|text| Name::of(option, By::Sublabel, text)));
            all.extend(known.aliases.iter().map(|text| Name::of(option, By::Alias, text)));
        }
        Self { all }
    }

    /// Labels and aliases: what may be resembled.
    pub(super) fn alike(&self) -> impl Iterator<Item = &Name> {
        self.all.iter().filter(|name| name.by != By::Sublabel)
    }

    /// The options that are called so, and by the best kind of name.
    fn those(&self, is: impl Fn(&Name) -> bool) -> (Options, By) {
        let fitting = self.all.iter().filter(|name| is(name));
        fitting.fold((0, By::Alias), |(all, by), name| (all | 1 << name.option, by.min(name.by)))
    }

    /// Letter by letter, but for case, width and space.
    pub(super) fn verbatim(&self, text: &str) -> (Options, By) {
        let text = normal::verbatim_form(text);
        self.those(|name| name.verbatim == text)
    }

    /// But for what does not tell names apart. Pictures tell two apart; where nobody typed them, a label is what is left
    /// without.
    pub(super) fn same(&self, text: &str) -> (Options, By) {
        let shown = normal::compact(text, true);
        if shown.is_empty() {
            return (0, By::Alias);
        }
        let exact = self.those(|name| name.shown == shown);
        if exact.0 != 0 || normal::compact(text, false) != shown {
            return exact;
        }
        self.those(|name| *name.said() == *shown)
    }
}

impl Name {
    fn of(option: usize, by: By, text: &str) -> Self {
        let shown = normal::compact(text, true);
        let said = if text.is_ascii() { None } else { Some(normal::compact(text, false)) };
        let said = said.filter(|said| *said != shown);
        let verbatim = normal::verbatim_form(text);
        Self { option, by, verbatim, shown, said, alike: OnceCell::new(), text: text.into() }
    }

    /// Without pictures.
    pub(super) fn said(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.shown)
    }

    pub(super) fn resemblance(&self) -> &Alike {
        self.alike.get_or_init(|| Alike {
            words: normal::folded_text(&self.text),
            plain: plain(self.said()),
            letters: self.said().chars().count(),
        })
    }
}
