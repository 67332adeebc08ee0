//! Obvious secrets, taken out of what others get to see (`spec 05 §13.2`). What a secret looks like is data: the
//! tables below; hashes, UUIDs, issue keys and our own ids are none.

use alloc::borrow::Cow;
use alloc::string::String;

use unicode_segmentation::UnicodeSegmentation;

/// How many characters the rest of a token has.
#[derive(Clone, Copy)]
enum Body {
    /// At least so many.
    Least(usize),
    /// Just so many.
    Exactly(usize),
}

/// How well-known tokens begin, `?` standing for any letter or digit, and what follows.
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
/// A bot token: so many digits, a colon, so many characters.
const BOT: (core::ops::RangeInclusive<usize>, usize) = (8..=10, 35);
/// What names a secret before `=` or `:`. A blank in it stands for a blank, `_`, `-` or nothing.
const NAMES: [&str; 8] =
    ["password", "passwd", "pwd", "client secret", "secret", "token", "api key", "access key"];
/// The shortest value, and from how many characters on it needs no digit.
const VALUE: (usize, usize) = (4, 12);
/// What a credential of HTTP begins with, and how long it is at least.
const SCHEMES: [&str; 2] = ["Bearer ", "Basic "];
const CREDENTIAL: usize = 16;
/// Addresses that are a secret as a whole: who knows one may post.
const WEBHOOKS: [&str; 5] = [
    "hooks.slack.com/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    ".webhook.office.com/",
    "hooks.zapier.com/",
];
const PEM: (&str, &str, &str) = ("-----BEGIN ", "PRIVATE KEY-----", "-----END ");
/// How a token of three parts begins: a JSON object in base64url.
const JWT: &str = "eyJ";
/// Bytes of what kind of key it is, at most.
const PEM_LABEL: usize = 80;
/// What we put in a secret's place begins like this.
const MARK: &str = "[redacted:";

/// With which two bytes, in either case, something of the tables begins: for each first byte a bit for every second.
/// Most words do not, and are passed over.
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

/// The text with `[redacted:<kind>]` in the place of each secret. Doing it again changes nothing.
///
/// ```
/// use throughline_engine::redact::redacted;
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

/// Where the next secret may begin: where a word begins, as something of the tables does. What is before `copied` is
/// replaced already and ends a word.
fn next(text: &str, copied: usize, at: usize, addresses: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    (at..bytes.len()).find(|&at| {
        let within = at > copied && bytes[at - 1].is_ascii_alphanumeric();
        !within
            && (may_begin(&bytes[at..]) || addresses && bytes[at].is_ascii_alphabetic())
            && !text[copied..at].ends_with(char::is_alphanumeric)
    })
}

/// How a text begins: without secrets, on one line, at most `most` characters, cut between two graphemes.
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
    // Some are one only now that they stand on one line.
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

/// A secret at the beginning of a text.
struct Secret {
    kind: &'static str,
    /// From here on: 0 but for what only holds one.
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

/// How long the run of such characters is at the beginning.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
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

/// What stands behind a shape.
fn begins<'t>(text: &'t str, shape: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    let fits = shape
        .chars()
        .all(|wanted| rest.next().is_some_and(|c| c == wanted || wanted == '?' && c.is_ascii_alphanumeric()));
    fits.then_some(rest.as_str())
}

/// Three parts of base64url, the first of which is the beginning of a JSON object.
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

/// The user information of an address, or all of one that is a webhook's.
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
    // What was taken out already ends a value.
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

/// A private key's block, to its end or the end of the text.
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

    /// Whatever is looked at again and again would take minutes here.
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
