//! Markdown in which nobody is called and nothing is hidden. Pure.

/// A character without width that parts two others.
pub(crate) const GAP: char = '\u{200b}';

/// Makes a text say what it says and do nothing: no mention calls anybody, and no comment hides what comes after it. Blocks
/// of code stay as they are, because nothing is called or hidden in them.
pub(crate) fn inert(text: &str) -> String {
    parted(text, true, |_| false)
}

/// Makes a text inert where more has to be parted: each character with which a text begins that `more` says so of. Blocks of
/// code stay as they are only where that is asked for.
pub(crate) fn parted(text: &str, keeps_code: bool, more: impl Fn(&str) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    let (mut before, mut after_code) = (' ', 0);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if keeps_code && at >= after_code && before_code(&text[..at]) {
            after_code = at + code(rest).map_or(0, str::len);
        }
        safe.push(c);
        if at >= after_code && (parts(c, before, rest) || more(rest)) {
            safe.push(GAP);
        }
        before = c;
    }
    safe
}

/// True if a block of code can begin after this text: in a paragraph of its own, and surely in no block of HTML.
fn before_code(text: &str) -> bool {
    (text.is_empty() || text.ends_with("\n\n")) && !text.contains('<')
}

/// The block of code at the beginning of a text: between two lines of three or more backticks.
fn code(text: &str) -> Option<&str> {
    let first = text.lines().next()?;
    let info = first.trim_start_matches('`');
    let fence = &first[..first.len() - info.len()];
    if fence.len() < 3 || info.contains('`') {
        return None;
    }
    let mut length = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        length += line.len();
        let line = line.trim_end();
        if n > 0 && line.len() >= fence.len() && line.bytes().all(|b| b == b'`') {
            return Some(&text[..length]);
        }
    }
    None
}

/// True if the character at the beginning of `rest` begins something that has to be parted.
fn parts(c: char, before: char, rest: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match c {
        '@' => !word(before) && rest[1..].starts_with(word),
        '<' => rest.starts_with("<!--"),
        '&' => is_at_sign(&rest[1..]),
        _ => false,
    }
}

/// True if a reference to a character, without its `&`, is one to `@`.
fn is_at_sign(reference: &str) -> bool {
    let Some((name, _)) = reference.split_once(';') else { return false };
    let number = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        },
        None => return name == "commat",
    };
    number == Some(u32::from('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_calls_nobody_and_hides_nothing() {
        for (text, expected) in [
            ("ask @ana", "ask @\u{200b}ana"),
            ("@acme/team, (@bob)", "@\u{200b}acme/team, (@\u{200b}bob)"),
            ("é@ana \\@ana *@ana*", "é@\u{200b}ana \\@\u{200b}ana *@\u{200b}ana*"),
            ("ana@acme.example", "ana@acme.example"),
            ("a @ b @", "a @ b @"),
            (
                "&#64;ana &#x40;ana &#0064;ana &commat;ana",
                "&\u{200b}#64;ana &\u{200b}#x40;ana &\u{200b}#0064;ana &\u{200b}commat;ana",
            ),
            ("AT&T; &amp;", "AT&T; &amp;"),
            ("<!-- hidden", "<\u{200b}!-- hidden"),
            ("a <b> #12 acme/web#12", "a <b> #12 acme/web#12"),
        ] {
            assert_eq!(inert(text), expected, "{text}");
            assert_eq!(inert(expected), expected, "{text}: once is enough");
        }
    }

    #[test]
    fn code_stays_as_it_is() {
        let block = "```java\n@Test <!--\n\n@Ana ``\n```\n";
        let safe = "@\u{200b}ana";
        for (text, expected) in [
            (format!("{block}@ana"), format!("{block}{safe}")),
            (format!("@ana\n\n{block}"), format!("{safe}\n\n{block}")),
            ("````\n```\n@ana\n````".into(), "````\n```\n@ana\n````".into()),
            // None that is surely a block of code.
            ("```\n@ana".into(), format!("```\n{safe}")),
            ("``` `\n@ana\n```".into(), format!("``` `\n{safe}\n```")),
            ("x\n```\n@ana\n```".into(), format!("x\n```\n{safe}\n```")),
            ("<pre>\n\n```\n@ana\n```".into(), format!("<pre>\n\n```\n{safe}\n```")),
            ("`@ana`".into(), format!("`{safe}`")),
        ] {
            assert_eq!(inert(&text), expected, "{text}");
        }
    }
}
