//! Error codes, in one table. Problem documents, `throughline explain` and the docs page are made from it.
//!
//! Numbers are never reused: 1xxx configuration and start, 2xxx intake and HTTP, 3xxx channels, 4xxx approvals and
//! effects, 5xxx models, tools and trackers, 6xxx storage.

// Declares each code, and the list of them.
macro_rules! codes {
    ($($name:ident = $number:literal, $word:literal, $status:expr, $title:literal,
        $what:literal, $why:literal, $fix:literal, $settings:expr;)*) => {
        $(
            #[doc = $title]
            pub static $name: Code = Code {
                number: $number,
                name: $word,
                status: $status,
                title: $title,
                what: $what,
                why: $why,
                fix: $fix,
                settings: &$settings,
            };
        )*

        /// Every code, in order.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

mod table;

use std::fmt::Write as _;

use throughline_messages::{self as messages, Language};
use throughline_store::StoreError;

pub use table::*;

/// Error code with its explanation.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Number: `2203` for `TL-2203`.
    pub number: u16,
    /// Stable name: `idempotency.key_reused`.
    pub name: &'static str,
    /// HTTP status, if a request can be answered with this code.
    pub status: Option<u16>,
    /// Title, one line.
    pub title: &'static str,
    /// Description of what happened.
    pub what: &'static str,
    /// Cause.
    pub why: &'static str,
    /// Remedy.
    pub fix: &'static str,
    /// Paths of related settings.
    pub settings: &'static [&'static str],
}

impl Code {
    /// Returns the code as it is printed: `TL-2203`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("TL-{:04}", self.number)
    }

    /// Returns the title in a language. A code that no request is answered with has an English one only.
    #[must_use]
    pub fn title_in(&self, language: Language) -> String {
        let message = format!("problem-{:04}", self.number);
        messages::say(language, &message, &|_| String::new()).unwrap_or_else(|| self.title.into())
    }

    /// Returns the `type` of its problem documents, a URN.
    #[must_use]
    pub fn urn(&self) -> String {
        format!("urn:throughline:error:{}", self.id())
    }

    /// Returns the explanation for a terminal: what happened, why, what to do, related settings.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{} {}: {}\n\n", self.id(), self.name, self.title);
        let _ = writeln!(out, "What happened: {}", self.what);
        let _ = writeln!(out, "Why: {}", self.why);
        let _ = writeln!(out, "What to do: {}", self.fix);
        if let Some(status) = self.status {
            let _ = writeln!(out, "HTTP status: {status}");
        }
        if !self.settings.is_empty() {
            let _ = writeln!(out, "Settings: {}", self.settings.join(", "));
        }
        out
    }

    /// Returns the explanation as a section of the docs page.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("## {} `{}`\n\n**{}**\n\n", self.id(), self.name, self.title);
        let _ = writeln!(out, "{}\n\n*Why.* {}\n\n*What to do.* {}\n", self.what, self.why, self.fix);
        if let Some(status) = self.status {
            let _ = writeln!(out, "HTTP status: {status}.\n");
        }
        if !self.settings.is_empty() {
            let settings: Vec<String> = self.settings.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(out, "Settings: {}.\n", settings.join(", "));
        }
        out
    }
}

/// Finds a code by number or name: `TL-4103`, `tl-4103`, `4103` or `press.no_policy`.
#[must_use]
pub fn explain(named: &str) -> Option<&'static Code> {
    let named = named.trim();
    let digits =
        named.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("tl-")).map_or(named, |_| &named[3..]);
    ALL.iter().copied().find(|code| digits.parse() == Ok(code.number) || code.name == named)
}

/// Returns the docs page: every code in order, each with a heading.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# Error codes\n\nGenerated from `crates/server/src/codes/table.rs`; `throughline explain CODE` prints the \
         same text. Codes are never reused.\n\n",
    );
    for code in ALL {
        out.push_str(&code.markdown());
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Returns the code for an error of the store.
#[must_use]
pub fn store_error(error: &StoreError) -> &'static Code {
    match error {
        StoreError::ReadOnly { .. } => &READ_ONLY,
        StoreError::Replica { .. } => &STORE_REPLICA,
        StoreError::InUse { .. } => &STORE_IN_USE,
        StoreError::HardLinked { .. } => &STORE_HARD_LINKED,
        StoreError::TakenOver { .. } => &STORE_TAKEN_OVER,
        StoreError::Moved { .. } => &STORE_MOVED,
        StoreError::Open { why, .. } if why.contains("TL-6101") => &SQLITE_TOO_OLD,
        StoreError::Open { .. } => &STORE_OPEN,
        StoreError::Damaged { .. } => &UNREADABLE,
        StoreError::Unknown { .. } | StoreError::Backend { .. } => &STORE_UNAVAILABLE,
        StoreError::Refused { .. } => &INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_answers_a_request_has_a_title_in_every_language() {
        for code in ALL.iter().filter(|code| code.status.is_some()) {
            assert_eq!(code.title_in(Language::En), code.title, "{}", code.id());
            assert_ne!(code.title_in(Language::De), code.title, "{}", code.id());
        }
        let titled = messages::IDS.iter().filter_map(|id| id.strip_prefix("problem-"));
        for number in titled {
            assert!(explain(number).is_some_and(|code| code.status.is_some()), "{number} answers no request");
        }
    }

    #[test]
    fn every_code_is_whole_and_there_once() {
        for pair in ALL.windows(2) {
            assert!(
                pair[0].number < pair[1].number,
                "{} and {} are out of order",
                pair[0].id(),
                pair[1].id()
            );
        }
        for code in ALL {
            for text in [code.title, code.what, code.why, code.fix] {
                assert!(!text.is_empty() && !text.contains("exactly once"), "{}: {text}", code.id());
            }
            assert!(code.what.ends_with('.') && code.fix.ends_with('.'), "{} wants sentences", code.id());
            assert_eq!(ALL.iter().filter(|other| other.name == code.name).count(), 1, "{}", code.name);
            assert_eq!(explain(&code.id()), Some(*code));
            assert_eq!(explain(code.name), Some(*code));
            assert!(markdown().contains(&format!("## {} ", code.id())));
        }
    }

    #[test]
    fn a_code_is_found_however_it_is_written() {
        for named in ["TL-4103", "tl-4103", "4103", " TL-4103 ", "press.no_policy"] {
            assert_eq!(explain(named).map(|code| code.number), Some(4103), "{named}");
        }
        for named in ["", "TL-", "TL-9999", "é", "4-103", "tl–4103"] {
            assert_eq!(explain(named), None, "{named}");
        }
    }

    #[test]
    fn documented_codes_keep_their_numbers() {
        for (number, name) in [
            (2201, "idempotency.key_required"),
            (2202, "idempotency.in_progress"),
            (2203, "idempotency.key_reused"),
            (4101, "press.unknown"),
            (4102, "press.consumed"),
            (4103, "press.no_policy"),
            (4104, "stale.version"),
            (4105, "stale.step"),
            (4106, "press.expired"),
            (4107, "press.tampered"),
            (4108, "press.forbidden"),
            (4109, "effects.paused"),
            (5101, "model.misconfigured"),
            (5301, "tool.changed"),
            (6101, "sqlite.too_old"),
            (6102, "store.in_use"),
            (6104, "store.replica"),
        ] {
            assert_eq!(explain(&number.to_string()).map(|code| code.name), Some(name));
        }
    }
}
