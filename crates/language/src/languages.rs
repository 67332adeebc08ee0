//! The languages that messages are read in, as values to pass.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::Expected;
use crate::lexicon::{ANSWERS, CODES, Family, Lexicon, SectionId};
use crate::read::own;

/// A language that is compiled in.
///
/// ```
/// use throughline_language::Language;
///
/// let german: Language = "de-AT".parse()?;
/// assert_eq!(german.code(), "de");
/// assert!("tlh".parse::<Language>().is_err());
/// # Ok::<(), throughline_language::UnknownLanguage>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

impl Language {
    /// Every language that is compiled in, English first and then by code.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).take(CODES.len()).map(Self)
    }

    /// The BCP 47 code: `en`.
    #[must_use]
    pub fn code(self) -> &'static str {
        CODES[self.index()]
    }

    /// True if the language has words for answers of this type.
    ///
    /// ```
    /// use throughline_language::{Expected, Language};
    ///
    /// let german: Language = "de".parse()?;
    /// assert!(german.reads(&Expected::Date));
    /// assert!(!german.reads(&Expected::Email));
    /// # Ok::<(), throughline_language::UnknownLanguage>(())
    /// ```
    #[must_use]
    pub fn reads(self, expected: &Expected) -> bool {
        ANSWERS.lexicon(self).has(own(expected))
    }

    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Reads a BCP 47 code by its primary subtag: `de-AT` is German.
impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let primary = code.split('-').next().unwrap_or_default();
        let known = Self::all().find(|language| language.code().eq_ignore_ascii_case(primary));
        known.ok_or_else(|| UnknownLanguage(code.to_string()))
    }
}

/// A code of a language that is not compiled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage(pub String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown language \"{}\": known are {}", self.0, CODES.join(", "))
    }
}

impl core::error::Error for UnknownLanguage {}

/// The languages a message may be in, the likeliest first.
///
/// The order matters where a message means something in two of them. Lists that refuse something (a word that is never a
/// place, say) count in all of the languages together.
///
/// ```
/// use throughline_language::Languages;
///
/// let codes = |languages: Languages| languages.iter().map(|one| one.code()).collect::<Vec<_>>();
/// assert_eq!(codes(Languages::default())[0], "en");
/// assert_eq!(codes(Languages::preferring("de-AT"))[..2], ["de", "en"]);
/// assert_eq!(codes(Languages::only(&["de".parse()?])), ["de"]);
/// # Ok::<(), throughline_language::UnknownLanguage>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Languages {
    order: [Language; CODES.len()],
    count: u8,
}

impl Default for Languages {
    /// Every language that is compiled in.
    fn default() -> Self {
        let mut order = [Language(0); CODES.len()];
        for (place, language) in order.iter_mut().zip(Language::all()) {
            *place = language;
        }
        Self { order, count: CODES.len() as u8 }
    }
}

impl Languages {
    /// Every language that is compiled in, that of a person first. A code that is empty or unknown prefers none.
    #[must_use]
    pub fn preferring(code: &str) -> Self {
        let mut all = Self::default();
        if let Some(at) = code.parse().ok().and_then(|own| all.order.iter().position(|one| *one == own)) {
            all.order[..=at].rotate_right(1);
        }
        all
    }

    /// These languages in this order, each once. Without any there is nothing to read in, and no message matches.
    #[must_use]
    pub fn only(languages: &[Language]) -> Self {
        let mut only = Self { count: 0, ..Self::default() };
        for language in languages {
            if !only.iter().any(|known| known == *language) {
                only.order[usize::from(only.count)] = *language;
                only.count += 1;
            }
        }
        only
    }

    /// The languages, the likeliest first.
    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Language> + ExactSizeIterator {
        self.order.into_iter().take(self.count.into())
    }

    /// Their lexicons of one family, in the same order.
    #[inline]
    pub fn lexicons(self, family: &'static Family) -> impl Iterator<Item = &'static Lexicon> {
        self.iter().map(move |language| family.lexicon(language))
    }

    /// The lexicon of the likeliest language that has a section; one without any words when none has it.
    #[must_use]
    pub fn lexicon(self, family: &'static Family, section: SectionId) -> &'static Lexicon {
        self.lexicons(family).find(|lexicon| lexicon.has(section)).unwrap_or(&Lexicon::EMPTY)
    }
}

impl fmt::Debug for Languages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
