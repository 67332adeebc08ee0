//! Secrets that a name announces: "password: …", `DB_PASSWORD=…`, "das Passwort lautet …", `jira_token = …`.

use throughline_language::budget::count;

use super::beginnings::Beginnings;
use super::redact::MARK;
use super::secret_rules::{Rule, SERVICES};

/// Names of secrets in small letters. A blank matches any number of blanks, `_` and `-`.
pub(super) const NAMES: [&str; 31] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "client secret",
    "secret key",
    "secret",
    "access token",
    "auth token",
    "token",
    "api key",
    "access key",
    "account key",
    "private key",
    "signing key",
    "encryption key",
    "auth key",
    "master key",
    "credential",
    "credentials",
    "passwort",
    "kennwort",
    "geheimnis",
    "geheimer schlüssel",
    "zugangscode",
    "zugangstoken",
    "zugriffstoken",
    "zugangsschlüssel",
    "zugriffsschlüssel",
    "api schlüssel",
    "privater schlüssel",
];
/// Signs that give a name its value, the longer ones first.
const SIGNS: [&str; 10] = [":::=", "::=", ":=", "=>", "?=", "||", "->", "=", ":", ">"];
/// Words that do so in a sentence.
const VERBS: [&str; 5] = [" is", " are", " ist", " sind", " lautet"];
/// Maximum length of a value that has to be read whole to tell, in bytes.
const READ: usize = 256;
/// Characters around a name or a value that belong to neither.
const QUOTES: [char; 6] = ['"', '\'', '`', '\\', ']', ')'];
/// Maximum length of a name in bytes, and of the words between a name and its sign.
const NAME: usize = 50;
const GAP: usize = 20;

/// Words before the credentials of an HTTP header.
const SCHEMES: [&str; 6] = ["Basic ", "Bearer ", "Token ", "Api-Token ", "ApiKey ", "Digest "];

const NAMES_BEGIN: Beginnings = Beginnings::NONE.and_all(&NAMES);
const SERVICES_BEGIN: Beginnings = Beginnings::NONE.and_rules(&SERVICES);

/// Likeness to a secret that a value must have, by how surely its name announces it.
#[derive(Clone, Copy)]
enum Proof {
    /// "password: hunter2x": four characters with a digit, or twelve.
    Announced,
    /// "the password is hunter2x": six characters, letters and digits.
    Said,
    /// "password for the database: hunter2x4y": ten characters, letters and digits, and no address, version or issue.
    Near,
}

/// True if a text has a sign or a verb that may give a name its value. The sign of a mark gives none.
pub(super) fn gives(text: &str) -> bool {
    text.split(MARK).any(|part| part.contains([':', '=', '>', '|']))
        || VERBS.iter().any(|verb| text.contains(verb))
}

/// The length of the name and the value at the beginning of a text, which is the beginning of a word.
pub(super) fn assignment(text: &str) -> Option<usize> {
    let names: &[&str] = if NAMES_BEGIN.fit(text.as_bytes()) { &NAMES } else { &[] };
    let rest = if let Some(rest) = names.iter().find_map(|name| behind(text, name)) {
        given(rest)
            .and_then(|value| secret(value, Proof::Announced))
            .or_else(|| said(rest).and_then(|value| secret(value, Proof::Said)))
            .or_else(|| given(behind_gap(rest)?).and_then(|value| secret(value, Proof::Near)))
    } else {
        let (word, rest) = text.split_at(compound(text)?);
        let ends = || NAMES.iter().any(|name| ends_in(word, name));
        let holds = || NAMES.iter().any(|name| holds(word, name));
        match (given(rest), said(rest)) {
            (Some(value), _) if ends() => secret(value, Proof::Announced),
            (Some(value), _) => secret(value, Proof::Near).filter(|_| holds()),
            (None, Some(value)) => secret(value, Proof::Said).filter(|_| ends()),
            (None, None) => None,
        }
    };
    Some(text.len() - rest.or_else(|| authorization(text))?)
}

/// The text behind the credentials of an HTTP header: "Authorization: Token …".
fn authorization(text: &str) -> Option<usize> {
    let value = given(behind(text, "authorization")?)?;
    let scheme =
        |scheme: &&&str| value.get(..scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme));
    secret(&value[SCHEMES.iter().find(scheme).map_or(0, |scheme| scheme.len())..], Proof::Said)
}

/// The credentials of an option of a command, as a range of bytes: of `-u name:secret` from the `u` on.
pub(super) fn of_command(text: &str) -> Option<(usize, usize)> {
    let rest = text.strip_prefix("user").or_else(|| text.strip_prefix('u'))?;
    let value = rest.trim_start_matches([' ', '=', '"', '\'', '\\']);
    // A secret that was replaced already ends the value.
    let near = &value[..value.floor_char_boundary(READ)];
    let near = &near[..near.find(MARK).unwrap_or(near.len())];
    let end = near.find(|c: char| c.is_whitespace() || matches!(c, '"' | '<')).unwrap_or(near.len());
    count(end);
    let named =
        near[..end].split_once(':').is_some_and(|(name, secret)| !name.is_empty() || !secret.is_empty());
    let from = text.len() - value.len();
    (value.len() < rest.len() && named && end > 3 && !near.starts_with("${")).then_some((from, from + end))
}

/// The length of the name of a service and the value of the length and the characters that it gives its keys.
pub(super) fn of_service(text: &str) -> Option<usize> {
    if !SERVICES_BEGIN.fit(text.as_bytes()) {
        return None;
    }
    let first = text.as_bytes().first()?.to_ascii_lowercase();
    let mut named = SERVICES.iter().filter(|rule| rule.begins.as_bytes()[0] == first);
    named.find_map(|rule| {
        let name = text.get(..rule.begins.len()).filter(|name| name.eq_ignore_ascii_case(rule.begins))?;
        // "sumOf" is another word; `jiraToken` begins with the name.
        if text[name.len()..].starts_with(char::is_lowercase) {
            return None;
        }
        let value = given(behind_gap(&text[name.len()..])?)?;
        Some(text.len() - value.len() + rule_length(value, rule)?)
    })
}

/// The length of a value that is all of one rule's characters, with a digit.
fn rule_length(value: &str, rule: &Rule) -> Option<usize> {
    let length = rule.run(value);
    let ends = !value[length..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let digit = || value[..length].contains(|c: char| c.is_ascii_digit());
    (ends && rule.length.contains(&length) && digit()).then_some(length)
}

/// The text behind a name that it begins with, and that no letter or digit follows.
fn behind<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    behind_parts(text, name).filter(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The text behind the parts of a name that it begins with.
fn behind_parts<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text;
    for part in name.split(' ') {
        rest = if rest.len() == text.len() { rest } else { rest.trim_start_matches([' ', '_', '-']) };
        rest = &rest[rest.get(..part.len()).filter(|begins| same(begins, part))?.len()..];
    }
    Some(rest)
}

/// The length of the word at the beginning, which may have a name in it: `dbPassword`, "Datenbankpasswort".
fn compound(text: &str) -> Option<usize> {
    let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let length =
        text.char_indices().find(|(at, c)| !of_word(*c) || *at > NAME).map_or(text.len(), |(at, _)| at);
    count(length);
    (length > 3).then_some(length)
}

/// True if a word has a name in it that begins with a capital letter, as parts of a word do: `mySecretString`.
fn holds(word: &str, name: &str) -> bool {
    let begins = |(at, c): (usize, char)| c.is_uppercase() && behind_parts(&word[at..], name).is_some();
    word.char_indices().any(begins)
}

fn ends_in(word: &str, name: &str) -> bool {
    let mut rest = word;
    name.rsplit(' ').all(|part| {
        rest = rest.trim_end_matches(['_', '-']);
        let Some(at) = rest.len().checked_sub(part.len()) else { return false };
        let ends = rest.get(at..).is_some_and(|end| same(end, part));
        rest = if ends { &rest[..at] } else { rest };
        ends
    })
}

/// True if a text is a name but for capital letters.
fn same(text: &str, name: &str) -> bool {
    text.eq_ignore_ascii_case(name)
        || !text.is_ascii() && text.chars().flat_map(char::to_lowercase).eq(name.chars())
}

/// The text behind a few words, where a sign may be.
fn behind_gap(text: &str) -> Option<&str> {
    let of_gap = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '\t' | '_' | '.' | '-');
    let near = &text[..text.floor_char_boundary(GAP + 1)];
    let length = near.find(|c| !of_gap(c)).unwrap_or(near.len());
    count(length);
    (length <= GAP).then_some(&text[length..])
}

/// The text behind a sign, from its value on.
fn given(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(QUOTES).trim_start_matches([' ', '\t']);
    // `<add key="Password" value="…"/>`
    let rest = rest.strip_prefix("value").unwrap_or(rest);
    let rest = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some(rest.trim_start_matches([' ', '\t', '=']).trim_start_matches(QUOTES))
}

/// The text behind a verb, from its value on.
fn said(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(QUOTES);
    let behind = |verb: &&str| {
        let begins = rest.get(..verb.len())?.eq_ignore_ascii_case(verb);
        let rest = rest[verb.len()..].trim_start_matches(':');
        (begins && rest.starts_with(' ')).then_some(rest)
    };
    Some(VERBS.iter().find_map(behind)?.trim_start_matches(' ').trim_start_matches(QUOTES))
}

/// The length of the text behind a value that is a secret.
fn secret(text: &str, proof: Proof) -> Option<usize> {
    // Before it is read: what follows it would be read again and again.
    if text.starts_with("${") || text.starts_with("{{") {
        return None;
    }
    let all = if matches!(proof, Proof::Announced) { text } else { &text[..text.floor_char_boundary(READ)] };
    // A secret that was replaced already ends the value.
    let ends = |(at, c): &(usize, char)| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '`' | '<')
            || *c == '[' && text[*at..].starts_with(MARK)
            || *c == '\\' && text[at + 1..].starts_with(['n', 'r', 't', '"', '\''])
    };
    let value = all.char_indices().find(ends).map_or(all, |(at, _)| &text[..at]);
    count(value.len());
    let length = value.chars().count();
    let of = |is: fn(&char) -> bool| value.chars().filter(is).count();
    let (digits, letters) = (of(|c| c.is_ascii_digit()), of(|c| c.is_alphabetic()));
    let is_secret = match proof {
        Proof::Announced => length >= 12 || length >= 4 && digits > 0,
        Proof::Said => length >= 6 && digits > 0 && letters > 0,
        Proof::Near => {
            length >= 10
                && digits > 1
                && letters > 2
                && !value.contains("://")
                && !is_issue(value)
                && !is_dotted(value)
        }
    };
    (is_secret && !is_variable(value)).then_some(text.len() - value.len())
}

/// `$DB_PASSWORD`: the name of where a secret is, as `${DB_PASSWORD}` and `{{ password }}` are.
fn is_variable(value: &str) -> bool {
    let name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    value.strip_prefix('$').is_some_and(|rest| rest.chars().all(name))
}

/// "PROJ-12345", with a mark of the sentence behind it.
fn is_issue(value: &str) -> bool {
    let value = value.trim_end_matches(|c: char| c.is_ascii_punctuation());
    value.rsplit_once('-').is_some_and(|(project, number)| {
        project.chars().all(|c| c.is_ascii_alphanumeric()) && number.chars().all(|c| c.is_ascii_digit())
    })
}

/// "v1.2.3-beta4", "report.2026.pdf": parts with points between them.
fn is_dotted(value: &str) -> bool {
    value.trim_end_matches('.').matches('.').count() > 1
}
