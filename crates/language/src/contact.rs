//! E-mail addresses, telephone numbers and web addresses.
//!
//! Each is one piece of the message, known by its shape alone, with frames around it. Shapes are checked here: of the
//! well-kept crates `phonenumber` needs `std` and its tables, and `url` takes nearly anything and rewrites it, while
//! the value is to be as written.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::echo::Echo;
use super::lexicon::{Lexicon, SectionId, skip};
use super::words::{Word, Words};
use super::{Context, Expected, Found, Match, NoMatch, Value, remainder, section};

pub(crate) const LEAD: SectionId = section("contact.lead");
const TAIL: [SectionId; 4] = [section("contact.tail"), section("tail"), section("filler"), section("thanks")];
const DIGIT: SectionId = section("contact.digit");

/// The fewest and most digits of a telephone number; the most is that of ITU-T E.164.
const PHONE: core::ops::RangeInclusive<usize> = 7..=15;
/// The longest address by RFC 5321, and the longest label of a domain.
const EMAIL: usize = 254;
const LABEL: usize = 63;

/// Reads an address of that type, with a remainder when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
) -> Result<Match, NoMatch> {
    let echo = Echo::of(lexicon, message, context.question());
    let list = |id| lexicon.section(id);
    remainder::read(lexicon, message, |words| {
        let mut from = 0;
        loop {
            if let Some((value, next)) = at(lexicon, message, words, from, expected)
                && skip(&TAIL.map(list), words, next) == words.len()
            {
                return Some(Found::of(value, &words[from..next]));
            }
            match list(LEAD).longest(words, from).max(echo.longest(words, from)) {
                0 => return None,
                n => from += n,
            }
        }
    })
}

/// The value that begins at `from`, and where it ends.
fn at(
    lexicon: &'static Lexicon,
    message: &Words,
    words: &[Word],
    from: usize,
    expected: &Expected,
) -> Option<(Value, usize)> {
    match expected {
        Expected::Phone => phone(lexicon, message, words, from),
        Expected::Email => piece(message, words, from).and_then(|(text, next)| Some((email(text)?, next))),
        _ => piece(message, words, from).and_then(|(text, next)| Some((url(text)?, next))),
    }
}

/// Finds the text without a space that begins at a word, and the word behind it.
fn piece<'m>(message: &'m Words, words: &[Word], from: usize) -> Option<(&'m str, usize)> {
    let begin = words.get(from)?.at;
    let spaced = |text: &str| text.find(char::is_whitespace);
    let end = spaced(&message.text()[begin..]).map_or(message.text().len(), |n| begin + n);
    let before = message.text()[..begin].chars().next_back();
    let opened = before.is_none_or(|c| c.is_whitespace() || "<(\"'[".contains(c));
    let text =
        message.text()[begin..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '>', ')', '"', '\'', ']']);
    let next = from + words[from..].iter().take_while(|word| word.at < end).count();
    opened.then_some((text, next))
}

/// `local@domain`, the domain in lower case.
fn email(text: &str) -> Option<Value> {
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let (local, domain) = text.rsplit_once('@')?;
    let atom = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    let dotted = local.len() <= 64 && local.split('.').all(|part| !part.is_empty() && part.chars().all(atom));
    (dotted && text.len() <= EMAIL && is_domain(domain))
        .then(|| Value::Email(format!("{local}@{}", domain.to_lowercase())))
}

/// Labels with a dot between them, the last one without a digit.
fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        (1..=LABEL).contains(&label.len())
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let top = text.rsplit_once('.').map(|(_, top)| top);
    top.is_some_and(|top| top.chars().count() > 1 && top.chars().all(char::is_alphabetic))
        && text.split('.').all(label)
}

/// With its scheme, or as a domain that gets one: `example.org/a` is `https://example.org/a`.
fn url(text: &str) -> Option<Value> {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, text),
    };
    let web =
        scheme.is_none_or(|s| ["http", "https", "ftp"].iter().any(|known| s.eq_ignore_ascii_case(known)));
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        Some(_) => return None,
        None => authority,
    };
    let numeric = || host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    let local = || host.eq_ignore_ascii_case("localhost") || numeric();
    let sane = !rest.contains(|c: char| c.is_control() || "<>\"`".contains(c));
    let named = is_domain(host) || (scheme.is_some() && local());
    (web && sane && named)
        .then(|| Value::Url(scheme.map_or_else(|| format!("https://{text}"), |_| text.to_string())))
}

/// Digits with spaces, dots, hyphens, slashes and brackets between them, or spoken one by one.
fn phone(lexicon: &'static Lexicon, message: &Words, words: &[Word], from: usize) -> Option<(Value, usize)> {
    let said = |word: &Word| {
        lexicon.section(DIGIT).value(word).and_then(|n| char::from_digit(u32::try_from(n).ok()?, 10))
    };
    let plus = words.get(from).is_some_and(|word| message.folded(word) == "+");
    let (mut digits, mut at) = (String::new(), from + usize::from(plus));
    let mut groups = Vec::new();
    while let Some(word) = words.get(at) {
        let between =
            words.get(at.wrapping_sub(1)).filter(|_| at > from).map(|b| &message.text()[b.end..word.at]);
        if between.is_some_and(|b| !b.chars().all(|c| c.is_whitespace() || "-.()/–".contains(c))) {
            break;
        }
        let folded = message.folded(word);
        match said(word) {
            Some(digit) if !word.digit => digits.push(digit),
            _ if folded.bytes().all(|b| b.is_ascii_digit() || b == b'.') && word.digit => {
                let before = digits.len();
                digits.extend(folded.chars().filter(char::is_ascii_digit));
                groups.push(digits.len() - before);
            }
            _ => break,
        }
        at += 1;
    }
    // "2026-03-03" is a date.
    let dated = !plus && matches!(groups.as_slice(), [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4]);
    let international = digits.strip_prefix("00").filter(|_| !plus).map(ToString::to_string);
    let number = international.as_ref().unwrap_or(&digits);
    (PHONE.contains(&number.len()) && !dated).then(|| {
        let sign = if plus || international.is_some() { "+" } else { "" };
        (Value::Phone(format!("{sign}{number}")), at)
    })
}

#[cfg(test)]
mod tests {
    use crate::Expected;
    use crate::tests::matches;

    #[test]
    fn addresses() {
        for (expected, text, value) in [
            (Expected::Email, "bob@example.com", "bob@example.com"),
            (Expected::Email, "My email is Bob.Smith+x@Example.COM.", "Bob.Smith+x@example.com"),
            (Expected::Email, "you can reach me at <a_b@mail.example.org>, please", "a_b@mail.example.org"),
            (Expected::Url, "https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
            (Expected::Url, "it's example.org/docs, thanks", "https://example.org/docs"),
            (Expected::Url, "http://localhost:8080/x", "http://localhost:8080/x"),
            (Expected::Phone, "(555) 123-4567", "5551234567"),
            (Expected::Phone, "+44 20 7946 0958", "+442079460958"),
            (Expected::Phone, "call me at 0049 30 901820 please", "+4930901820"),
            (Expected::Phone, "My number is 555.123.4567", "5551234567"),
            (Expected::Phone, "five five five one two oh seven", "5551207"),
        ] {
            let found = matches(&expected, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value.text(), found.remainder), (value, None), "{text}");
        }
        let found = matches(&Expected::Email, "bob@example.com, and mail him the plan").unwrap();
        assert_eq!(found.remainder.as_deref(), Some("mail him the plan"));
    }

    #[test]
    fn near_misses() {
        for (expected, text) in [
            (Expected::Email, "bob at example"),
            (Expected::Email, "bob@example"),
            (Expected::Email, "@bob"),
            (Expected::Email, "a..b@example.com"),
            (Expected::Email, "write an email to bob@example.com"),
            (Expected::Email, "is bob@example.com right?"),
            (Expected::Url, "example"),
            (Expected::Url, "v1.2"),
            (Expected::Url, "javascript:alert(1)"),
            (Expected::Url, "e.g. this"),
            (Expected::Url, "open https://example.com and log in"),
            (Expected::Phone, "2026-03-03"),
            (Expected::Phone, "12345"),
            (Expected::Phone, "1,250,000"),
            (Expected::Phone, "17:30"),
            (Expected::Phone, "1234567890123456"),
            (Expected::Phone, "thanks"),
        ] {
            assert!(matches(&expected, text).is_err(), "{expected} {text}");
        }
    }
}
