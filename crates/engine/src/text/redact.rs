//! Removal of obvious secrets from text that others will see (`docs/design/0034-untrusted-text.md`). The
//! tables below define secrets; hashes, UUIDs, issue keys and our own ids are not among them.

use alloc::borrow::Cow;
use alloc::string::String;

use throughline_language::budget::count;
use unicode_segmentation::UnicodeSegmentation;

/// Length of a token after its prefix, in characters.
#[derive(Clone, Copy)]
enum Body {
    /// Minimum length.
    Least(usize),
    /// Exact length.
    Exactly(usize),
}

/// Prefixes of well-known tokens, with the length of what follows. `?` matches any ASCII letter or digit.
const TOKENS: [(&str, Body); 13] = [
    ("sk-", Body::Least(10)),
    ("sk_live_", Body::Least(10)),
    ("sk_test_", Body::Least(10)),
    ("xox?-", Body::Least(10)),
    ("xapp-", Body::Least(10)),
    ("gh?_", Body::Least(10)),
    ("github_pat_", Body::Least(10)),
    ("glpat-", Body::Least(10)),
    ("tlk_", Body::Least(24)),
    ("AKIA", Body::Exactly(16)),
    ("ASIA", Body::Exactly(16)),
    ("AIza", Body::Exactly(35)),
    ("ATATT", Body::Least(10)),
];
/// Token of a Telegram bot: number of digits, then a colon, then the number of characters.
const BOT: (core::ops::RangeInclusive<usize>, usize) = (8..=10, 35);
/// Names of secrets, before `=` or `:`. A blank matches any number of blanks, `_` and `-`.
const NAMES: [&str; 8] =
    ["password", "passwd", "pwd", "client secret", "secret", "token", "api key", "access key"];
/// Minimum length of a value in characters, and the length from which it needs no digit.
const VALUE: (usize, usize) = (4, 12);
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
/// Beginning of the text that replaces a secret.
const MARK: &str = "[redacted:";

/// Pairs of bytes, in either case, with which an entry of the tables can begin: for each first byte, one bit
/// per second byte. Most words begin otherwise and are skipped.
const BEGINS: [u128; 128] = {
    let mut begins = [0; 128];
    let mut n = 0;
    while n < TOKENS.len() {
        begins = beginning(begins, TOKENS[n].0);
        n += 1;
    }
    n = 0;
    while n < NAMES.len() {
        begins = beginning(begins, NAMES[n]);
        n += 1;
    }
    n = 0;
    while n < SCHEMES.len() {
        begins = beginning(begins, SCHEMES[n]);
        n += 1;
    }
    n = 0;
    while n < 100 {
        begins[b'0' as usize + n / 10] |= 1 << (b'0' as usize + n % 10);
        n += 1;
    }
    beginning(beginning(begins, JWT), PEM.0)
};

const fn beginning(mut begins: [u128; 128], text: &str) -> [u128; 128] {
    let (first, second) = (text.as_bytes()[0], text.as_bytes()[1]);
    let seconds = 1 << second.to_ascii_lowercase() | 1 << second.to_ascii_uppercase();
    begins[first.to_ascii_lowercase() as usize] |= seconds;
    begins[first.to_ascii_uppercase() as usize] |= seconds;
    begins
}

fn may_begin(text: &[u8]) -> bool {
    let [first, second, ..] = text else { return false };
    second.is_ascii() && BEGINS.get(usize::from(*first)).is_some_and(|seconds| seconds >> second & 1 == 1)
}

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
    let addresses = text.contains("://");
    while let Some(begin) = next(text, copied, at, addresses) {
        let before = text[copied..begin].chars().next_back().unwrap_or(' ');
        let Some(secret) = secret(&text[begin..], before) else {
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

/// Returns the next position at which a secret may begin: the beginning of a word that the tables can match.
/// Text before `copied` was replaced already and ends a word.
fn next(text: &str, copied: usize, at: usize, addresses: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    (at..bytes.len()).find(|&at| {
        let within = at > copied && bytes[at - 1].is_ascii_alphanumeric();
        !within
            && (may_begin(&bytes[at..]) || addresses && bytes[at].is_ascii_alphabetic())
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

fn secret(text: &str, before: char) -> Option<Secret> {
    let whole = |kind, to| Secret { kind, from: 0, to };
    let inside = matches!(before, '_' | '-');
    let plain = || {
        token(text)
            .map(|to| whole("token", to))
            .or_else(|| jwt(text).map(|to| whole("jwt", to)))
            .or_else(|| bearer(text).map(|to| whole("bearer", to)))
            .or_else(|| url(text))
    };
    pem(text)
        .map(|to| whole("pem", to))
        .or_else(|| assignment(text).map(|to| whole("assignment", to)))
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
    let known = TOKENS.iter().find_map(|(shape, body)| {
        let rest = begins(text, shape)?;
        let length = run(rest, of_token);
        let fits = match body {
            Body::Least(least) => length >= *least,
            Body::Exactly(exactly) => length == *exactly,
        };
        fits.then(|| text.len() - rest.len() + length)
    });
    known.or_else(|| {
        let digits = run(text, |c| c.is_ascii_digit());
        let rest = text.get(digits..)?.strip_prefix(':')?;
        (BOT.0.contains(&digits) && run(rest, of_token) == BOT.1).then_some(digits + 1 + BOT.1)
    })
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

fn assignment(text: &str) -> Option<usize> {
    let rest = NAMES.iter().find_map(|name| behind_name(text, name))?;
    let rest = rest.trim_start_matches(['"', '\'']).trim_start_matches(' ');
    let rest = rest.strip_prefix(['=', ':'])?.trim_start_matches(' ').trim_start_matches(['"', '\'']);
    // A secret that was replaced already ends the value.
    let ends = |(at, c): &(usize, char)| {
        c.is_whitespace() || matches!(c, '"' | '\'') || *c == '[' && rest[*at..].starts_with(MARK)
    };
    let value = rest.char_indices().find(ends).map_or(rest, |(at, _)| &rest[..at]);
    let count = value.chars().count();
    let secret = count >= VALUE.1 || count >= VALUE.0 && value.contains(|c: char| c.is_ascii_digit());
    secret.then_some(text.len() - rest.len() + value.len())
}

fn behind_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text;
    for part in name.split(' ') {
        rest = if rest.len() == text.len() { rest } else { rest.trim_start_matches([' ', '_', '-']) };
        let begins = rest.get(..part.len()).filter(|begins| begins.eq_ignore_ascii_case(part))?;
        rest = &rest[begins.len()..];
    }
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
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
            ("my_client-secret = s3cr3t".into(), "my_[redacted:assignment]"),
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

    /// A scan that read any part repeatedly would take minutes here.
    #[test]
    fn a_long_text_is_read_once() {
        for part in [
            "a://",
            "-----BEGIN ",
            "eyJ.",
            "password=",
            "token=[redacted:",
            "client ",
            "a@b ",
            "secret:\"",
            "sk-",
        ] {
            let text = part.repeat(300_000 / part.len());
            assert!(!redacted(&text).is_empty());
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
