//! Every sentence that the product says, in each language: a function for each message, with an argument for each of
//! its variables.
//!
//! The catalogues are in `locales`, one folder for each language, in the syntax of Fluent. They are compiled, so that a
//! message that a language lacks is an error of the build and nothing is parsed at run time.
//!
//! ```
//! use throughline_messages::Language;
//!
//! assert_eq!(Language::of("de-AT"), Some(Language::De));
//! assert_eq!(throughline_messages::page_new_conversation(Language::De), "Neues Gespräch");
//! ```

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[allow(dead_code, reason = "the build script chooses the rules that the languages need")]
mod plural;

#[rustfmt::skip]
#[allow(clippy::if_same_then_else, reason = "several words may have one wording")]
mod generated {
    use alloc::string::String;

    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

pub use generated::*;

impl Language {
    /// Returns the language for a BCP 47 code: that of the code, or of the part of it before a region.
    #[must_use]
    pub fn of(code: &str) -> Option<Self> {
        let all = || Self::ALL.into_iter().chain([Self::Pseudo]);
        let exact = all().find(|one| one.code().eq_ignore_ascii_case(code));
        let base = code.split(['-', '_']).next().unwrap_or_default();
        exact.or_else(|| all().find(|one| one.code().eq_ignore_ascii_case(base)))
    }

    /// Returns the language that an `Accept-Language` header asks for most, among those that there are.
    ///
    /// ```
    /// use throughline_messages::Language;
    ///
    /// assert_eq!(Language::accepted("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5"), Some(Language::En));
    /// assert_eq!(Language::accepted("fr"), None);
    /// ```
    #[must_use]
    pub fn accepted(header: &str) -> Option<Self> {
        let weighed = header.split(',').filter_map(|entry| {
            let mut parts = entry.split(';').map(str::trim);
            let language = Self::of(parts.next()?)?;
            let weight =
                parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |text| text.parse().ok())?;
            (weight > 0.0).then_some((language, weight))
        });
        // The first of equal weight wins.
        let best = weighed.reduce(|best: (Self, f32), next| if next.1 > best.1 { next } else { best });
        best.map(|(language, _)| language)
    }
}
