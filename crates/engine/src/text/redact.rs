//! Removal of obvious secrets from text that others will see (`docs/design/0034-untrusted-text.md`). The tables below and
//! those of [`secret_rules`](super::secret_rules) define secrets; hashes, UUIDs, issue keys and our own ids are not among
//! them.

use alloc::borrow::Cow;
use alloc::string::String;

use throughline_language::budget::count;
use unicode_segmentation::UnicodeSegmentation;

use super::assignment::{NAMES, assignment, gives, of_command, of_service};
use super::beginnings::Beginnings;
use super::secret_rules::{Class, TOKENS};

/// Token of a Telegram bot: number of digits, then a colon, then the number of characters.
const BOT: (core::ops::RangeInclusive<usize>, usize) = (8..=10, 35);
/// Schemes of HTTP credentials, and the minimum length of a credential in bytes.
const SCHEMES: [&str; 2] = ["Bearer ", "Basic "];
const CREDENTIAL: usize = 16;
/// Web addresses that are a secret as a whole, because whoever knows one can post.
const WEBHOOKS: [&str; 5] = [
    "hooks.slack.com/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    ".webhook.office.com/",
    "hooks.zapier.com/",
];
const PEM: (&str, &str, &str) = ("-----BEGIN ", "PRIVATE KEY-----", "-----END ");
/// Beginning of a JSON Web Token: a JSON object in base64url.
const JWT: &str = "eyJ";
/// Maximum length of the kind of key in a PEM header, in bytes.
const PEM_LABEL: usize = 80;
/// Command whose options `-u` and `--user` take a name and a secret.
const COMMAND: &str = "curl ";
/// Beginning of the text that replaces a secret.
pub(super) const MARK: &str = "[redacted:";

/// Beginnings of everything but web addresses, names inside a word, and tokens with their mark inside.
const BEGINS: Beginnings =
    Beginnings::NONE.and(JWT).and(PEM.0).and_digits().and_rules(&TOKENS).and_all(&SCHEMES).and_all(&NAMES);

/// Returns the text with `[redacted:<kind>]` in place of each secret. Doing it again changes nothing.
///
/// ```
/// use throughline_engine::text::redact::redacted;
/// assert_eq!(redacted("use password: hunter2x, please"), "use [redacted:assignment] please");
/// assert_eq!(redacted("the token is old"), "the token is old");
/// ```
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    let marks = ["Q~", ".atlasv1.", "_mmk", "|"].iter().any(|mark| text.contains(mark));
    let all = marks || gives(text);
    let command = text.find(COMMAND).filter(|_| all);
    while let Some(begin) = next(text, copied, at, all) {
        let before = text[copied..begin].chars().next_back().unwrap_or(' ');
        let of_command = command.is_some_and(|command| command < begin) && before == '-';
        let credentials = || of_command.then(|| credentials(&text[begin..])).flatten();
        let Some(secret) = secret(&text[begin..], before, marks).or_else(credentials) else {
            at = begin + 1;
            continue;
        };
        out.push_str(&text[copied..begin + secret.from]);
        out.push_str(MARK);
        out.push_str(secret.kind);
        out.push(']');
        at = begin + secret.to;
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns true if something in the text may announce a secret, so that any characters behind it may be one.
pub(crate) fn announces(text: &str) -> bool {
    gives(text) || text.contains(COMMAND)
}

/// The credentials that an option of a command takes.
fn credentials(text: &str) -> Option<Secret> {
    of_command(text).map(|(from, to)| Secret { kind: "assignment", from, to })
}

/// Returns the next position at which a secret may begin: the beginning of a word that the tables can match, or of any
/// word of a text in which `all` have to be read.
/// Text before `copied` was replaced already and ends a word.
fn next(text: &str, copied: usize, at: usize, all: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    (at..bytes.len()).find(|&at| {
        let within = at > copied && bytes[at - 1].is_ascii_alphanumeric();
        // The word of a mark announces nothing.
        let of_mark = bytes[..at].ends_with(MARK.as_bytes());
        !within
            && !of_mark
            && (BEGINS.fit(&bytes[at..])
                || all
                    && (bytes[at].is_ascii_digit() || bytes[at].is_ascii_alphabetic() || bytes[at] >= 0xC0))
            && !text[copied..at].ends_with(char::is_alphanumeric)
    })
}

/// Returns the beginning of a text: without secrets, on one line, at most `most` characters, cut between two
/// graphemes.
#[must_use]
pub fn snippet(text: &str, most: usize) -> String {
    let clean = redacted(text);
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let mut line = String::new();
    for word in clean.split(blank).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most * 16 {
            break;
        }
    }
    // Joining the lines may have formed a secret that a line end had split.
    if let Cow::Owned(clean) = redacted(&line) {
        line = clean;
    }
    if line.chars().count() <= most {
        return line;
    }
    let (mut end, mut count) = (0, 0);
    for (at, grapheme) in line.grapheme_indices(true) {
        count += grapheme.chars().count();
        if count >= most {
            break;
        }
        end = at + grapheme.len();
    }
    line.truncate(end);
    line.truncate(line.trim_end().len());
    line.push('…');
    line
}

/// Secret at the beginning of a text, as a range of bytes.
struct Secret {
    kind: &'static str,
    /// Not 0 if the secret begins inside the match, as in a web address with a password.
    from: usize,
    to: usize,
}

fn secret(text: &str, before: char, marks: bool) -> Option<Secret> {
    let whole = |kind, to| Secret { kind, from: 0, to };
    let inside = matches!(before, '_' | '-');
    let known = BEGINS.fit(text.as_bytes());
    let plain = || {
        let begun = || {
            token(text)
                .map(|to| whole("token", to))
                .or_else(|| jwt(text).map(|to| whole("jwt", to)))
                .or_else(|| bearer(text).map(|to| whole("bearer", to)))
        };
        let marked = || if marks { marked(text).map(|to| whole("token", to)) } else { None };
        known.then(begun).flatten().or_else(|| url(text)).or_else(marked)
    };
    pem(text)
        .map(|to| whole("pem", to))
        .or_else(|| assignment(text).or_else(|| of_service(text)).map(|to| whole("assignment", to)))
        .or_else(|| if inside { None } else { plain() })
}

fn of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the length of the run of such characters at the beginning.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    let length = text.find(|c| !of(c)).unwrap_or(text.len());
    count(length);
    length
}

fn token(text: &str) -> Option<usize> {
    let first = text.as_bytes().first()?;
    let known = TOKENS.iter().filter(|rule| rule.begins.as_bytes()[0] == *first).find_map(|rule| {
        let rest = begins(text, rule.begins)?;
        let mut length = rule.run(rest);
        if rule.class == Class::Dotted {
            length = rest[..length].trim_end_matches('.').len();
        }
        // A token of any length has no other end than that of its characters.
        let ends = *rule.length.end() == usize::MAX || !rest[length..].starts_with(of_token);
        let mixed = rule.class != Class::Mixed || rest[..length].contains(|c: char| c.is_ascii_digit());
        (ends && mixed && rule.length.contains(&length)).then(|| text.len() - rest.len() + length)
    });
    known.or_else(|| {
        let digits = run(text, |c| c.is_ascii_digit());
        let rest = text.get(digits..)?.strip_prefix(':')?;
        (BOT.0.contains(&digits) && run(rest, of_token) == BOT.1).then_some(digits + 1 + BOT.1)
    })
}

/// Maximum length of a token with its mark inside, in bytes.
const MARKED: usize = 120;

/// Matches tokens that have their mark inside or at their end, and ids with a secret behind a bar.
fn marked(text: &str) -> Option<usize> {
    let of = |c: char| of_token(c) || matches!(c, '~' | '.' | '=' | '|');
    let word = &text[..text.floor_char_boundary(MARKED)];
    let word = &word[..run(word, of)];
    let word = word.trim_end_matches('.');
    let bar = || {
        word.split_once('|').is_some_and(|(id, secret)| {
            (15..=16).contains(&id.len())
                && id.bytes().all(|c| c.is_ascii_digit())
                && (27..=40).contains(&secret.len())
        })
    };
    let marks = (36..=41).contains(&word.len())
        && word.get(3..).is_some_and(|rest| rest.get(1..3) == Some("Q~"))
        || word.len() > 80 && word.get(14..).is_some_and(|rest| rest.starts_with(".atlasv1."))
        || word.len() == 40 && word.ends_with("_mmk")
        || bar();
    marks.then_some(word.len())
}

/// Returns the text after the prefix, if the text begins with it.
fn begins<'t>(text: &'t str, shape: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    let fits = shape
        .chars()
        .all(|wanted| rest.next().is_some_and(|c| c == wanted || wanted == '?' && c.is_ascii_alphanumeric()));
    fits.then_some(rest.as_str())
}

/// Matches three parts of base64url, the first of which begins a JSON object.
fn jwt(text: &str) -> Option<usize> {
    let mut rest = text;
    for part in [JWT, ".", "."] {
        let (begins, least) = if part == "." { (rest.strip_prefix('.')?, 4) } else { (rest, part.len() + 1) };
        let length = run(begins, of_token);
        if length < least || !rest.starts_with(part) {
            return None;
        }
        rest = &begins[length..];
    }
    Some(text.len() - rest.len())
}

fn bearer(text: &str) -> Option<usize> {
    let scheme = SCHEMES
        .iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme)))?;
    let length = run(&text[scheme.len()..], |c| of_token(c) || matches!(c, '+' | '/' | '=' | '.' | '~'));
    (length >= CREDENTIAL).then_some(scheme.len() + length)
}

/// Matches the user information of a web address, or the whole address of a webhook.
fn url(text: &str) -> Option<Secret> {
    let scheme = run(text, |c| c.is_ascii_alphabetic());
    let rest = text.get(scheme..)?.strip_prefix("://").filter(|_| scheme > 0)?;
    let begin = text.len() - rest.len();
    let of_address = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '<' | '>' | ')');
    let host = run(rest, |c| of_address(c) && !matches!(c, '/' | '?' | '#'));
    let ends = |hook: &str| rest.get(..=host).is_some_and(|host| host.ends_with(hook));
    if WEBHOOKS.iter().any(|hook| rest.starts_with(hook) || hook.starts_with('.') && ends(hook)) {
        return Some(Secret { kind: "url", from: 0, to: begin + run(rest, of_address) });
    }
    let user = rest[..host].rfind('@').filter(|user| *user > 0)?;
    Some(Secret { kind: "url", from: begin, to: begin + user })
}

/// Matches the block of a private key, to its end or to the end of the text.
fn pem(text: &str) -> Option<usize> {
    let (begin, key, end) = PEM;
    let rest = text.strip_prefix(begin)?;
    let label = rest.char_indices().find(|(at, c)| matches!(c, '\n' | '\r') || *at > PEM_LABEL);
    let label = label.map_or(rest, |(at, _)| &rest[..at]);
    label.contains(key).then(|| {
        let Some(last) = rest.find(end) else { return text.len() };
        let from = begin.len() + last + end.len();
        from + text[from..].find("-----").map_or(text.len() - from, |dashes| dashes + 5)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    #[test]
    fn each_kind_is_taken_out() {
        let long = "a1B2".repeat(9);
        for (text, expected) in [
            (format!("key sk-{} ok", &long[..20]), "key [redacted:token] ok"),
            (format!("xoxb-{}", &long[..12]), "[redacted:token]"),
            (format!("ghp_{long}."), "[redacted:token]."),
            (format!("AKIA{} x", &long[..16].to_uppercase()), "[redacted:token] x"),
            (format!("AIza{}", &long[..35]), "[redacted:token]"),
            (format!("123456789:{}", &long[..35]), "[redacted:token]"),
            ("eyJhbGci.eyJzdWIi.c2lnbmF0".into(), "[redacted:jwt]"),
            ("Authorization: Bearer abcdefghijklmnop".into(), "Authorization: [redacted:bearer]"),
            ("password: hunter2x".into(), "[redacted:assignment]"),
            ("API_KEY=\"abcdefghijklmn\" next".into(), "[redacted:assignment]\" next"),
            ("my_client-secret = s3cr3t".into(), "[redacted:assignment]"),
            ("see https://ana:pw1@host/x?y@z".into(), "see https://[redacted:url]@host/x?y@z"),
            ("https://hooks.slack.com/services/T0/B0/abc now".into(), "[redacted:url] now"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nbye".into(),
                "[redacted:pem]\nbye",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMII".into(), "[redacted:pem]"),
            ("-----BEGIN EC PRIVATE KEY----- MII -----END EC PRIVATE KEY----- x".into(), "[redacted:pem] x"),
            ("token=abc123[redacted:jwt]".into(), "[redacted:assignment][redacted:jwt]"),
            ("see eyJhbGci.eyJzdWIi.c2lnbmF0.".into(), "see [redacted:jwt]."),
        ] {
            assert_eq!(redacted(&text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "the token is old",
            "the secret: nobody knows",
            "8c9e3b1f0d4a4f7c9b2a6e5d4c3b2a190f8e7d6c",
            "550e8400-e29b-41d4-a716-446655440000",
            "PROJ-12 and m_8_0, ap_atpfhd2dnan4hnne_8_1",
            "Basic understanding of it",
            "mail ana@example.com or see https://example.com/a?b=c",
            "passwords: none",
            "task-force",
            "",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn a_snippet_is_short_and_whole() {
        assert_eq!(snippet("a\n b\u{7}c ", 180), "a b c");
        assert_eq!(snippet("abcdef", 4), "abc…");
        assert_eq!(snippet("ab 👩‍👩‍👧 cd", 5), "ab…", "no half of a family");
        let straddles = format!("{} password=hunter2hunter2", "x".repeat(170));
        assert_eq!(snippet(&straddles, 180), format!("{} [redacte…", "x".repeat(170)));
        let broken = format!("{} Bearer\nabcdefghijklmnop", "x".repeat(160));
        assert_eq!(snippet(&broken, 180), format!("{} [redacted:bearer]", "x".repeat(160)));
    }

    proptest! {
        #[test]
        fn twice_is_once(text in any::<String>(), parts in prop::collection::vec(prop::sample::select(alloc::vec![
            "password", "=", ":", " ", "token", "Bearer ", "abcdefghijklmnop1", "sk-", "://", "https", "@", "eyJ", ".",
            "-----BEGIN PRIVATE KEY-----", "-----END ", "\"", "[redacted:jwt]", "hooks.slack.com/", "123456789", "é",
            "jira ", "curl ", "-u ", " is ", "]", "|",
            "Q~", "ghp_", "dbToken", "Authorization", "Basic ", "hunter2x4y", "\\", "'", "=> ", "AKIA",
        ]), 0..14)) {
            for text in [text, parts.concat()] {
                let once = redacted(&text).into_owned();
                prop_assert_eq!(redacted(&once), once.as_str());
                for most in [1, 7, 180] {
                    let line = snippet(&text, most);
                    prop_assert!(line.chars().count() <= most.max(1) && !line.contains(char::is_control));
                }
            }
        }
    }
}
