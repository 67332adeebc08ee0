//! What the options of a list are called, folded for all that a text is compared with.

use alloc::string::String;
use alloc::vec::Vec;

use super::SetOption;
use super::hint::plain;
use super::read::{By, Options};
use crate::recognize::selection::normal;

/// The names of a list's options.
pub(crate) struct Names {
    all: Vec<Name>,
    /// Bytes of the longest of them, folded.
    longest: usize,
    /// The signs beside them, with the option each stands at.
    badges: Vec<(usize, String)>,
}

/// One name of one option.
pub(crate) struct Name {
    pub(super) option: usize,
    by: By,
    verbatim: String,
    /// With pictures.
    shown: String,
    /// Without, where there are any.
    said: Option<String>,
    /// What resemblance is looked for in; a second line is not resembled.
    alike: Option<Alike>,
}

/// A label or an alias as what a text resembles.
pub(super) struct Alike {
    /// With one space between them.
    pub(super) words: String,
    pub(super) plain: String,
    pub(super) letters: usize,
}

/// No option is called so.
const NONE: (Options, By) = (0, By::Alias);

impl Names {
    pub(super) fn of(options: &[SetOption]) -> Self {
        let mut all = Vec::with_capacity(options.len());
        let mut badges = Vec::new();
        for (option, known) in options.iter().enumerate() {
            all.push(Name::of(option, By::Label, &known.label));
            all.extend(known.sublabel.iter().map(|text| Name::of(option, By::Sublabel, text)));
            all.extend(known.aliases.iter().map(|text| Name::of(option, By::Alias, text)));
            badges.extend(known.badge.iter().map(|badge| (option, normal::compact(badge, true))));
        }
        let longest = all.iter().map(|name: &Name| name.shown.len().max(name.said().len())).max();
        Self { all, longest: longest.unwrap_or(0), badges }
    }

    /// What may be resembled.
    pub(super) fn alike(&self) -> impl Iterator<Item = (&Name, &Alike)> {
        self.all.iter().filter_map(|name| Some((name, name.alike.as_ref()?)))
    }

    /// The label of each option without pictures.
    pub(super) fn labels(&self) -> impl Iterator<Item = (usize, &str)> {
        let labels = self.all.iter().filter(|name| name.by == By::Label);
        labels.map(|name| (name.option, name.said()))
    }

    /// The options that are called so, and by the best kind of name.
    fn those(&self, is: impl Fn(&Name) -> bool) -> (Options, By) {
        let fitting = self.all.iter().filter(|name| is(name));
        fitting.fold(NONE, |(all, by), name| (all | 1 << name.option, by.min(name.by)))
    }

    /// The options that a whole text names: letter by letter, but for case, width and space, if there are such; else
    /// but for what does not tell names apart.
    pub(super) fn whole(&self, text: &str) -> (Options, By) {
        if self.too_long(text) {
            return NONE;
        }
        let shown = normal::compact(text, true);
        let same = self.shown(text, &shown);
        // What is equal letter by letter is equal here too, unless nothing of it is a letter: "??".
        if same.0 == 0 && !shown.is_empty() {
            return same;
        }
        let text = normal::verbatim_form(text);
        let verbatim = self.those(|name| name.verbatim == text);
        if verbatim.0 == 0 { same } else { verbatim }
    }

    /// But for what does not tell names apart.
    pub(super) fn same(&self, text: &str) -> (Options, By) {
        if self.too_long(text) { NONE } else { self.shown(text, &normal::compact(text, true)) }
    }

    /// Whether a text has more letters than any name, before it is folded: folding drops none of these.
    fn too_long(&self, text: &str) -> bool {
        text.bytes().filter(u8::is_ascii_alphanumeric).count() > self.longest
    }

    /// Pictures tell two names apart; where nobody typed them, a label is what is left without.
    fn shown(&self, text: &str, shown: &str) -> (Options, By) {
        if shown.is_empty() {
            return NONE;
        }
        let exact = self.those(|name| name.shown == shown);
        if exact.0 != 0 || !text.is_ascii() && normal::compact(text, false) != shown {
            return exact;
        }
        self.those(|name| name.said() == shown)
    }

    /// The one option that has this sign.
    pub(super) fn badge(&self, text: &str) -> Option<usize> {
        if self.badges.is_empty() {
            return None;
        }
        let said = normal::compact(text, true);
        let mut with = self.badges.iter().filter(|(_, badge)| *badge == said);
        let (option, _) = with.next()?;
        with.next().is_none().then_some(*option)
    }
}

impl Name {
    fn of(option: usize, by: By, text: &str) -> Self {
        let shown = normal::compact(text, true);
        let said = if text.is_ascii() { None } else { Some(normal::compact(text, false)) };
        let said = said.filter(|said| *said != shown);
        let verbatim = normal::verbatim_form(text);
        let alike = (by != By::Sublabel).then(|| Alike::of(text, said.as_deref().unwrap_or(&shown)));
        Self { option, by, verbatim, shown, said, alike }
    }

    /// Without pictures.
    pub(super) fn said(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.shown)
    }
}

impl Alike {
    fn of(text: &str, said: &str) -> Self {
        Self {
            words: normal::folded_text(text),
            plain: plain(said).into_owned(),
            letters: said.chars().count(),
        }
    }
}
