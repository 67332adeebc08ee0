//! The wiki markup of Data Center, as far as it tells what people read, and what a text does beside being read.

/// Macros and marks of a line that are not read as they are written.
const PHRASES: [char; 6] = ['*', '_', '-', '+', '^', '~'];

/// A piece of a line.
enum Piece<'a> {
    /// A character that stands for itself.
    Plain(char),
    /// A macro: `{code}`, `{color:red}`.
    Macro(&'a str),
    /// A link, a mention or an attachment: `[…]`.
    Link(&'a str),
    /// An embedded picture: `!…!`.
    Picture(&'a str),
    /// An address of the web.
    Address(&'a str),
    /// A break of the line: two backslashes.
    Break,
    /// A mark around words: `*`, `{{`.
    Mark,
}

/// Returns what people read of a text.
pub(super) fn text(markup: &str) -> String {
    let mut shown = Vec::new();
    let mut verbatim: Option<&str> = None;
    for line in markup.split('\n') {
        match verbatim {
            Some(end) if line == end => verbatim = None,
            Some(_) => shown.push(line.to_owned()),
            None if line.starts_with("{code") && line.ends_with('}') => verbatim = Some("{code}"),
            None if line == "{noformat}" => verbatim = Some("{noformat}"),
            None => shown.push(read_line(line)),
        }
    }
    shown.join("\n")
}

/// Returns what a text does beside being read: mentions, macros, links to something else than a page of the web, pictures,
/// and breaks.
#[must_use]
pub fn live_markup(markup: &str) -> Vec<String> {
    let mut live = Vec::new();
    let mut verbatim: Option<&str> = None;
    for line in markup.split('\n') {
        match verbatim {
            Some(end) => {
                if line.contains(end) {
                    verbatim = None;
                    live.extend((line != end).then(|| line.to_owned()));
                }
            }
            None if line.starts_with("{code") && line.ends_with('}') => verbatim = Some("{code}"),
            None if line == "{noformat}" => verbatim = Some("{noformat}"),
            None => live.extend(live_pieces(line)),
        }
    }
    live.extend(verbatim.map(|end| format!("{end} does not end")));
    live
}

fn live_pieces(line: &str) -> Vec<String> {
    let web = |link: &str| {
        let target = link.rsplit('|').next().unwrap_or_default();
        ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
    };
    let one = |piece: Piece<'_>| match piece {
        Piece::Macro(name) => Some(format!("{{{name}}}")),
        Piece::Link(link) => (!web(link)).then(|| format!("[{link}]")),
        Piece::Picture(name) => Some(format!("!{name}!")),
        Piece::Break => Some("a break".into()),
        Piece::Plain(_) | Piece::Address(_) | Piece::Mark => None,
    };
    pieces(line).into_iter().filter_map(one).collect()
}

fn read_line(line: &str) -> String {
    if line == "----" {
        return String::new();
    }
    let heading = line.strip_prefix('h').and_then(|rest| rest.split_once(". "));
    let line = match heading {
        Some(("1" | "2" | "3" | "4" | "5" | "6", title)) => title,
        _ => line,
    };
    let marks = line.trim_start_matches(['*', '#', '-']);
    let line = if marks.len() < line.len() { marks.strip_prefix(' ').unwrap_or(line) } else { line };
    let mut shown = String::new();
    for piece in pieces(line) {
        match piece {
            Piece::Plain(c) => shown.push(c),
            Piece::Link(link) => shown.push_str(&read_line(link.split('|').next().unwrap_or_default())),
            Piece::Address(address) => shown.push_str(address),
            Piece::Break => shown.push('\n'),
            Piece::Macro(_) | Piece::Picture(_) | Piece::Mark => {}
        }
    }
    shown
}

fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut before) = (line, None);
    while let Some(c) = rest.chars().next() {
        let (piece, length) = piece(rest, c, before);
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
        found.push(piece);
    }
    found
}

/// Returns the piece with which a text begins, and its length.
fn piece(rest: &str, c: char, before: Option<char>) -> (Piece<'_>, usize) {
    let enclosed =
        |end: char| rest[1..].split_once(end).map(|(inner, _)| inner).filter(|inner| !inner.is_empty());
    let whole = |inner: &str| inner.len() + 2;
    let next = rest[c.len_utf8()..].chars().next();
    let edge = |side: Option<char>| side.is_none_or(|c| !c.is_alphanumeric());
    if ["https://", "http://", "mailto:"].iter().any(|scheme| rest.starts_with(scheme)) && edge(before) {
        let length = rest.find(|c: char| c.is_whitespace() || "|]{}\\".contains(c)).unwrap_or(rest.len());
        return (Piece::Address(&rest[..length]), length);
    }
    match c {
        '\\' if next == Some('\\') => (Piece::Break, 2),
        '\\' if next.is_some_and(|next| next.is_ascii_punctuation()) => {
            (Piece::Plain(next.unwrap_or('\\')), 2)
        }
        '&' => entity(rest).map_or((Piece::Plain('&'), 1), |(c, length)| (Piece::Plain(c), length)),
        '{' if rest.starts_with("{{") => (Piece::Mark, 2),
        '}' if rest.starts_with("}}") => (Piece::Mark, 2),
        '{' => match enclosed('}') {
            Some(mark) if mark.chars().all(|c| PHRASES.contains(&c)) => (Piece::Mark, whole(mark)),
            Some(name) if name.starts_with(char::is_alphabetic) => (Piece::Macro(name), whole(name)),
            _ => (Piece::Plain(c), 1),
        },
        '[' => enclosed(']').map_or((Piece::Plain(c), 1), |link| (Piece::Link(link), whole(link))),
        '!' => match enclosed('!').filter(|name| !name.contains(char::is_whitespace)) {
            Some(name) => (Piece::Picture(name), whole(name)),
            None => (Piece::Plain(c), 1),
        },
        _ if PHRASES.contains(&c) && c != '-' && edge(before) != edge(next) => (Piece::Mark, 1),
        _ => (Piece::Plain(c), c.len_utf8()),
    }
}

/// Returns the character of an entity with which a text begins, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let (name, _) = text[1..].split_once(';')?;
    let c = match name.strip_prefix('#') {
        Some(number) => char::from_u32(number.parse().ok()?)?,
        None => match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            _ => return None,
        },
    };
    Some((c, name.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_people_read_it() {
        for (markup, shown, live) in [
            ("h3. Title\n\n* one\n** two\n# three", "Title\n\none\ntwo\nthree", vec![]),
            ("*bold* _em_ {{code}} a_b 2 - 1", "bold em code a_b 2 - 1", vec![]),
            ("see [the page|https://a.example]", "see the page", vec![]),
            ("{code:java}\n[~ana] {x}\n{code}\nend", "[~ana] {x}\nend", vec![]),
            (r"\[\~ana\] \{code\} \!x.png\! C:&#92;x &amp;amp;", r"[~ana] {code} !x.png! C:\x &amp;", vec![]),
            ("[~ana] {html} !x.png! [a|#b]", "ana   a", vec!["[~ana]", "{html}", "!x.png!", "[a|#b]"]),
            (r"C:\\x", "C:\nx", vec!["a break"]),
            ("{noformat}\nx", "x", vec!["{noformat} does not end"]),
        ] {
            assert_eq!(
                (text(markup).as_str(), live_markup(markup)),
                (shown, live.into_iter().map(str::to_owned).collect()),
                "{markup}"
            );
        }
    }
}
