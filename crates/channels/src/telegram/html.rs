//! Reads Telegram's HTML back, for previews: exactly the marks that [`super::render`] makes. Pure. Anything else that
//! looks like a mark stays text.

use crate::drawn::Run;

/// The marks that are read: what begins and what ends each.
const MARKS: [(&str, &str); 3] =
    [("<b>", "</b>"), ("<code>", "</code>"), ("<a href=\"tg://user?id=", "</a>")];

/// Reads the runs of a message's text.
#[must_use]
pub fn runs(html: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(next) = html[at..].find('<') {
        at += next;
        match marked(&html[at..]) {
            Some((run, length)) => {
                push_text(&mut runs, &html[plain..at]);
                runs.push(run);
                at += length;
                plain = at;
            }
            None => at += 1,
        }
    }
    push_text(&mut runs, &html[plain..]);
    runs
}

fn push_text(runs: &mut Vec<Run>, html: &str) {
    if !html.is_empty() {
        runs.push(Run::Text { text: unescaped(html) });
    }
}

/// Returns the run that a text begins with, and its length in bytes.
fn marked(html: &str) -> Option<(Run, usize)> {
    let (begin, end) = MARKS.into_iter().find(|(begin, _)| html.starts_with(begin))?;
    let (inner, _) = html[begin.len()..].split_once(end)?;
    let run = match begin {
        "<b>" => Run::Bold { text: unescaped(inner) },
        "<code>" => Run::Code { text: unescaped(inner) },
        _ => {
            let (id, name) = inner.split_once("\">")?;
            Run::Person { id: id.into(), name: Some(unescaped(name)) }
        }
    };
    Some((run, begin.len() + inner.len() + end.len()))
}

fn unescaped(html: &str) -> String {
    // The ampersand last: `&amp;lt;` is the text `&lt;`.
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::super::render::{Person, reply};
    use super::*;

    fn text(text: &str) -> Run {
        Run::Text { text: text.into() }
    }

    #[test]
    fn reads_each_mark() {
        let (bold, code) = (Run::Bold { text: "Create?".into() }, Run::Code { text: "a1".into() });
        let ana = Run::Person { id: "7".into(), name: Some("Ana <3".into()) };
        assert_eq!(
            runs(
                "<b>Create?</b> v1 · <code>a1</code>, <a href=\"tg://user?id=7\">Ana &lt;3</a> a &amp;lt; b"
            ),
            [bold, text(" v1 · "), code, text(", "), ana, text(" a &lt; b")]
        );
        assert_eq!(runs(""), []);
    }

    #[test]
    fn other_marks_stay_text() {
        for html in ["<i>x</i>", "<b>never closed", "<a href=\"https://x.org\">x</a>", "1 < 2"] {
            assert_eq!(runs(html), [text(html)], "{html}");
        }
    }

    #[test]
    fn what_people_wrote_comes_back_as_it_is_shown() {
        let hostile = "<b>bold</b> &lt;i&gt; <script>alert(1)</script>";
        let person = Person { id: 7, name: "<b>Ana".into() };
        let [part] = &reply(hostile, Some(&person))[..] else { panic!("one message") };
        let ana = Run::Person { id: "7".into(), name: Some("<b>Ana".into()) };
        assert_eq!(runs(&part.html), [ana, text(&format!(": {hostile}"))]);
    }
}
