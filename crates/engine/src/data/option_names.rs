//! Names of a list's options, folded into every form that a text is compared with.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::set_option::OptionMask;
use crate::data::set_option::SetOption;

use alloc::borrow::Cow;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use throughline_language::normal;

/// The names of a list's options.
pub(crate) struct OptionNames {
    all: Vec<OptionName>,
    /// Bytes of the longest folded name.
    longest: usize,
    /// Badges, each with the index of its option.
    badges: Vec<(usize, String)>,
}

/// One name of one option.
pub(crate) struct OptionName {
    pub(crate) option: usize,
    by: MatchedBy,
    verbatim: String,
    /// Folded, with pictures kept.
    shown: String,
    /// Folded without pictures; `None` if that equals `shown`.
    said: Option<String>,
    /// Forms for finding similar names; `None` for a second line, which is never compared that way.
    alike: Option<SimilarityForms>,
}

/// The forms of a label or an alias that similarity is measured on.
pub(crate) struct SimilarityForms {
    /// Words separated by one space.
    pub(crate) words: String,
    pub(crate) plain: String,
    pub(crate) letters: usize,
}

/// The result when no option has the name.
const NONE: (OptionMask, MatchedBy) = (0, MatchedBy::Alias);

impl OptionNames {
    pub(super) fn of(options: &[SetOption]) -> Self {
        let mut all = Vec::with_capacity(options.len());
        let mut badges = Vec::new();
        for (option, known) in options.iter().enumerate() {
            all.push(OptionName::of(option, MatchedBy::Label, &known.label));
            all.extend(known.sublabel.iter().map(|text| OptionName::of(option, MatchedBy::Sublabel, text)));
            all.extend(known.aliases.iter().map(|text| OptionName::of(option, MatchedBy::Alias, text)));
            badges.extend(known.badge.iter().map(|badge| (option, normal::compact(badge, true))));
        }
        let longest = all.iter().map(|name: &OptionName| name.shown.len().max(name.said().len())).max();
        Self { all, longest: longest.unwrap_or(0), badges }
    }

    /// Returns the names that similarity is measured on.
    pub(crate) fn alike(&self) -> impl Iterator<Item = (&OptionName, &SimilarityForms)> {
        self.all.iter().filter_map(|name| Some((name, name.alike.as_ref()?)))
    }

    /// Returns the index and the label of each option, without pictures.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (usize, &str)> {
        let labels = self.all.iter().filter(|name| name.by == MatchedBy::Label);
        labels.map(|name| (name.option, name.said()))
    }

    /// Returns the options with a matching name, and the best kind of name among them.
    fn those(&self, is: impl Fn(&OptionName) -> bool) -> (OptionMask, MatchedBy) {
        let fitting = self.all.iter().filter(|name| is(name));
        fitting.fold(NONE, |(all, by), name| (all | 1 << name.option, by.min(name.by)))
    }

    /// Returns the options that a whole text names: those equal in every letter but for case, width and
    /// space, or else those equal once folded.
    pub(crate) fn whole(&self, text: &str) -> (OptionMask, MatchedBy) {
        if self.too_long(text) {
            return NONE;
        }
        let shown = normal::compact(text, true);
        let same = self.shown(text, &shown);
        // Names equal in every letter are equal when folded too, unless they fold to nothing: "??".
        if same.0 == 0 && !shown.is_empty() {
            return same;
        }
        let text = normal::verbatim_form(text);
        let verbatim = self.those(|name| name.verbatim == text);
        if verbatim.0 == 0 { same } else { verbatim }
    }

    /// Returns the options with a name that equals the text once folded.
    pub(crate) fn same(&self, text: &str) -> (OptionMask, MatchedBy) {
        if self.too_long(text) { NONE } else { self.shown(text, &normal::compact(text, true)) }
    }

    /// True if a text has more ASCII letters and digits than the longest name has bytes. Folding drops none
    /// of these, so the text can be rejected before it is folded.
    fn too_long(&self, text: &str) -> bool {
        text.bytes().filter(u8::is_ascii_alphanumeric).count() > self.longest
    }

    /// Compares with pictures first, because they may be all that distinguishes two names. A text typed
    /// without pictures is then compared with the names without them.
    fn shown(&self, text: &str, shown: &str) -> (OptionMask, MatchedBy) {
        if shown.is_empty() {
            return NONE;
        }
        let exact = self.those(|name| name.shown == shown);
        if exact.0 != 0 || !text.is_ascii() && normal::compact(text, false) != shown {
            return exact;
        }
        self.those(|name| name.said() == shown)
    }

    /// Returns the option with this badge; `None` if no option or several have it.
    pub(crate) fn badge(&self, text: &str) -> Option<usize> {
        if self.badges.is_empty() {
            return None;
        }
        let said = normal::compact(text, true);
        let mut with = self.badges.iter().filter(|(_, badge)| *badge == said);
        let (option, _) = with.next()?;
        with.next().is_none().then_some(*option)
    }
}

impl OptionName {
    fn of(option: usize, by: MatchedBy, text: &str) -> Self {
        let shown = normal::compact(text, true);
        let said = if text.is_ascii() { None } else { Some(normal::compact(text, false)) };
        let said = said.filter(|said| *said != shown);
        let verbatim = normal::verbatim_form(text);
        let alike =
            (by != MatchedBy::Sublabel).then(|| SimilarityForms::of(text, said.as_deref().unwrap_or(&shown)));
        Self { option, by, verbatim, shown, said, alike }
    }

    /// Returns the form without pictures.
    pub(crate) fn said(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.shown)
    }
}

impl SimilarityForms {
    fn of(text: &str, said: &str) -> Self {
        Self {
            words: normal::folded_text(text),
            plain: plain(said).into_owned(),
            letters: said.chars().count(),
        }
    }
}

/// The kind of name that an option was found by, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchedBy {
    Label,
    Sublabel,
    Alias,
    Ordinal,
    Badge,
    Other,
    Words,
    Described,
}

/// Removes accents and a final "s".
pub(crate) fn plain(compact: &str) -> Cow<'_, str> {
    let singular = |text: &str| text.len() - usize::from(text.ends_with('s') && text.len() > 1);
    if compact.is_ascii() {
        return Cow::Borrowed(&compact[..singular(compact)]);
    }
    let categories = CodePointMapData::<GeneralCategory>::new();
    let normal = DecomposingNormalizerBorrowed::new_nfd();
    let mut out: String = normal
        .normalize_iter(compact.chars())
        .filter(|c| categories.get(*c) != GeneralCategory::NonspacingMark)
        .collect();
    out.truncate(singular(&out));
    Cow::Owned(out)
}
