//! Styled text, independent of Telegram's formatting. Escaping happens here and nowhere else.

use std::fmt::Write as _;

use crate::direction::steady;

/// The style of a run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Bold,
    Code,
    /// A person of the lane, by number. Only the engine's own texts make one.
    Mention(i64),
}

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) style: Style,
}

/// A text as runs, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) Vec<Run>);

impl Text {
    pub(super) fn push(&mut self, style: Style, text: &str) {
        if !text.is_empty() {
            self.0.push(Run { text: steady(text).into(), style });
        }
    }

    /// Adds text that people wrote, or that may hold such text: it mentions nobody.
    pub(super) fn push_untrusted(&mut self, style: Style, text: &str) {
        self.push(style, &inert(text));
    }

    /// The text without formatting.
    pub(super) fn plain(&self) -> String {
        self.0.iter().map(|run| run.text.as_str()).collect()
    }

    /// The text with HTML formatting.
    pub(super) fn html(&self) -> String {
        let mut out = String::new();
        for Run { text, style } in &self.0 {
            let text = escape(text);
            let _ = match style {
                Style::Plain => write!(out, "{text}"),
                Style::Bold => write!(out, "<b>{text}</b>"),
                Style::Code => write!(out, "<code>{text}</code>"),
                Style::Mention(id) => write!(out, "<a href=\"tg://user?id={id}\">{text}</a>"),
            };
        }
        out
    }
}

/// Escapes the three characters that HTML parse mode reads.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Telegram makes a mention of every `@name`, whoever wrote it. An invisible word joiner behind the sign prevents
/// that (`docs/design/0034-untrusted-text.md`).
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '@' && chars.peek().is_some_and(|next| next.is_alphanumeric() || *next == '_') {
            out.push('\u{2060}');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_mentioned_by_words() {
        let mut text = Text::default();
        text.push_untrusted(Style::Plain, "ping @everyone, ana@example.org, @ alone <b>&");
        assert_eq!(text.html(), "ping @\u{2060}everyone, ana@\u{2060}example.org, @ alone &lt;b&gt;&amp;");
        text.push(Style::Mention(7), "Ana <3");
        assert!(text.html().ends_with("<a href=\"tg://user?id=7\">Ana &lt;3</a>"));
        assert!(text.plain().ends_with("<b>&Ana <3"));
    }
}
