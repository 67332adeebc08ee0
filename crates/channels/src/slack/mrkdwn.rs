//! Slack's text format: reads what people wrote, and escapes what is shown. Pure.

use crate::direction::steady;
use crate::drawn::Run;

/// The names by which users are known here, for the mentions in a text.
pub type Names<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Makes plain text of a message: entities are unescaped, mentions, channels and links become words, and mentions of
/// `own`, which only address the app, are left out. Quotations and code keep their marks.
#[must_use]
pub fn plain(text: &str, own: &str, names: Names<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tail) = rest.split_at(at);
        push_unescaped(&mut out, before);
        let Some(end) = tail.find('>') else {
            push_unescaped(&mut out, tail);
            return out.trim().to_owned();
        };
        let inner = &tail[1..end];
        // Slack escapes the signs of comparisons; where another program did not, they are no mark.
        if inner.is_empty() || inner.starts_with(char::is_whitespace) {
            out.push('<');
            rest = &tail[1..];
            continue;
        }
        match mention(inner) {
            Some(user) if user == own => {
                // "<@U1>: hi" and "hi <@U1>, go on" address nobody else by what is left.
                rest = tail[end + 1..].trim_start_matches([':', ',']);
                if out.is_empty() || out.ends_with(char::is_whitespace) {
                    rest = rest.trim_start_matches(' ');
                }
                continue;
            }
            Some(user) => {
                out.push('@');
                out.push_str(&names(user).unwrap_or_else(|| labelled(inner).unwrap_or(user).to_owned()));
            }
            None => push_entity(&mut out, inner),
        }
        rest = &tail[end + 1..];
    }
    push_unescaped(&mut out, rest);
    out.trim().to_owned()
}

/// Reads small print of ours: escaped text with mentions of people. Other marks stay as they are written.
#[must_use]
pub fn runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('<') {
        push_unescaped(&mut words, before);
        match tail.split_once('>').and_then(|(inner, after)| Some((mention(inner)?, after))) {
            Some((user, after)) => {
                push_words(&mut runs, std::mem::take(&mut words));
                runs.push(Run::Person { id: user.to_owned(), name: None });
                rest = after;
            }
            None => {
                words.push('<');
                rest = tail;
            }
        }
    }
    push_unescaped(&mut words, rest);
    push_words(&mut runs, words);
    runs
}

fn push_words(runs: &mut Vec<Run>, text: String) {
    if !text.is_empty() {
        runs.push(Run::Text { text });
    }
}

/// The users that a text mentions, in order.
pub fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|part| mention(part.split_once('>')?.0))
}

/// The user that a text mentions before it says anything.
#[must_use]
pub fn first_mentioned(text: &str) -> Option<&str> {
    mention(text.trim_start().strip_prefix('<')?.split_once('>')?.0)
}

/// The user of the mark `@U1` or `@U1|ana`.
fn mention(inner: &str) -> Option<&str> {
    let user = inner.strip_prefix('@')?;
    Some(user.split_once('|').map_or(user, |(user, _)| user)).filter(|user| !user.is_empty())
}

fn labelled(inner: &str) -> Option<&str> {
    inner.split_once('|').map(|(_, label)| label).filter(|label| !label.is_empty())
}

/// Adds the words of a channel, a group, a date or a link.
fn push_entity(out: &mut String, inner: &str) {
    let label = labelled(inner);
    let target = inner.split_once('|').map_or(inner, |(target, _)| target);
    if let Some(channel) = target.strip_prefix('#') {
        out.push('#');
        push_unescaped(out, label.unwrap_or(channel));
    } else if let Some(special) = target.strip_prefix('!') {
        match label {
            Some(label) => push_unescaped(out, label),
            None => {
                out.push('@');
                out.push_str(special.split_once('^').map_or(special, |(_, id)| id));
            }
        }
    } else {
        let address = target.strip_prefix("mailto:").unwrap_or(target);
        match label.filter(|label| !address.ends_with(label)) {
            Some(label) => {
                push_unescaped(out, label);
                out.push_str(" (");
                push_unescaped(out, address);
                out.push(')');
            }
            None => push_unescaped(out, address),
        }
    }
}

fn push_unescaped(out: &mut String, text: &str) {
    // The ampersand last: `&amp;lt;` is the text `&lt;`.
    out.push_str(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));
}

/// Escapes the three characters that Slack reads.
#[must_use]
pub fn escaped(text: &str) -> String {
    steady(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes text that people or models wrote: it mentions nobody, and calls nobody by `@channel` and its like.
#[must_use]
pub fn inert(text: &str) -> String {
    escaped(&quiet(text))
}

/// The text with an invisible word joiner behind each at sign of a name, so that a client makes no mention of it.
#[must_use]
pub fn quiet(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '@' && chars.peek().is_some_and(|next| next.is_alphanumeric()) {
            out.push('\u{2060}');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        plain(text, "UBOT", &|user| (user == "U1").then(|| "ana".to_owned()))
    }

    #[test]
    fn reads_marks_as_words() {
        for (written, expected) in [
            ("<@UBOT> create a ticket", "create a ticket"),
            ("<@UBOT>: create a ticket", "create a ticket"),
            ("hey <@UBOT>, the login fails", "hey the login fails"),
            ("<@UBOT>", ""),
            ("ask <@U1> and <@U2|bob> and <@U3>", "ask @ana and @bob and @U3"),
            ("in <#C1|general> or <#C2>", "in #general or #C2"),
            ("<!here> and <!subteam^S1|@pm> and <!subteam^S2>", "@here and @pm and @S2"),
            ("due <!date^1392734382^{date}|18 Feb>", "due 18 Feb"),
            ("see <https://x.org/a?b=1&amp;c=2>", "see https://x.org/a?b=1&c=2"),
            ("see <https://x.org|the page>", "see the page (https://x.org)"),
            ("see <http://x.org|x.org>", "see http://x.org"),
            ("write to <mailto:a@x.org|a@x.org>", "write to a@x.org"),
            ("a &lt; b &amp;&amp; c &gt; d, &amp;lt;", "a < b && c > d, &lt;"),
            ("a < b", "a < b"),
            ("a < b or c > d", "a < b or c > d"),
            ("&gt; said\n```let x = 1;```", "> said\n```let x = 1;```"),
            ("<>", "<>"),
            ("<@>", "@"),
        ] {
            assert_eq!(read(written), expected, "{written}");
        }
    }

    #[test]
    fn mentions_are_found_in_order() {
        assert_eq!(mentioned("<@U1> and <@U2|b>, <!here> <#C1> <@U3").collect::<Vec<_>>(), ["U1", "U2"]);
        assert_eq!(first_mentioned("  <@U2> look"), Some("U2"));
        assert_eq!(first_mentioned("look <@U2>"), None);
    }

    #[test]
    fn small_print_is_text_and_mentions() {
        let text = |text: &str| Run::Text { text: text.into() };
        let person = |id: &str| Run::Person { id: id.into(), name: None };
        for (written, expected) in [
            ("asked by <@U1> · <@U2>", vec![text("asked by "), person("U1"), text(" · "), person("U2")]),
            (&inert("<@U1> & <b>@ana"), vec![text("<@\u{2060}U1> & <b>@\u{2060}ana")]),
            ("<!here> <@U1", vec![text("<!here> <@U1")]),
            ("", vec![]),
        ] {
            assert_eq!(runs(written), expected, "{written}");
        }
    }

    #[test]
    fn what_is_shown_mentions_nobody() {
        let shown = inert("<!channel> <@U1> &lt;!here&gt; @everyone a@b.org @ alone");
        assert_eq!(
            shown,
            "&lt;!channel&gt; &lt;@\u{2060}U1&gt; &amp;lt;!here&amp;gt; @\u{2060}everyone a@\u{2060}b.org @ alone"
        );
        assert_eq!(mentioned(&shown).count(), 0);
    }
}
