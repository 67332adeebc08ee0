//! Rich text: the blocks in which Slack shows text exactly as it is given, without reading marks or mentions in it.

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

use crate::direction::steady;
use crate::slack::mrkdwn::quiet;

/// The most characters of one block.
pub(super) const BLOCK: usize = 3_000;

/// The style of a run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Bold,
    Code,
    /// A person, by user id. Only the engine's own sentences make one.
    Mention(String),
    /// A link to this address.
    Link(String),
}

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    text: String,
    style: Style,
}

/// A text as runs, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rich(Vec<Run>);

impl Rich {
    pub(super) fn push(&mut self, style: Style, text: &str) {
        if !text.is_empty() {
            self.0.push(Run { text: steady(text).into(), style });
        }
    }

    /// Adds text that people or models wrote: no client makes a mention of a name in it.
    pub(super) fn push_untrusted(&mut self, style: Style, text: &str) {
        self.push(style, &quiet(text));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of characters.
    pub(super) fn chars(&self) -> usize {
        self.0.iter().map(|run| run.text.chars().count()).sum()
    }

    /// The text alone.
    pub(super) fn plain(&self) -> String {
        self.0.iter().map(|run| run.text.as_str()).collect()
    }

    /// The text in as many blocks as it needs. Blocks end where a line or a word ends, where they can.
    pub(super) fn blocks(self) -> Vec<Value> {
        let mut blocks = Vec::new();
        let mut elements = Vec::new();
        let mut room = BLOCK;
        for Run { text, style } in self.0 {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (head, tail) = split(rest, room, !elements.is_empty());
                if !head.is_empty() {
                    elements.push(element(head, &style));
                    room -= head.chars().count();
                }
                rest = tail;
                if !rest.is_empty() {
                    blocks.push(block(std::mem::take(&mut elements)));
                    room = BLOCK;
                }
            }
        }
        if !elements.is_empty() {
            blocks.push(block(elements));
        }
        blocks
    }
}

/// Splits a text so that the first part has at most `room` characters. It may be empty where the block has `more`
/// already.
fn split(text: &str, room: usize, more: bool) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(room) else { return (text, "") };
    let fits = &text[..end];
    let at = fits.rfind('\n').map(|at| at + 1).or_else(|| fits.rfind(' ').map(|at| at + 1));
    match at.filter(|at| *at > end / 2) {
        Some(at) => text.split_at(at),
        None if more && room < BLOCK / 4 => ("", text),
        None => text.split_at(whole_graphemes(text, end)),
    }
}

/// The end of the last grapheme that ends by `end`; `end` where one grapheme is longer.
fn whole_graphemes(text: &str, end: usize) -> usize {
    let ends = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len());
    ends.take_while(|at| *at <= end).last().unwrap_or(end)
}

fn block(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]})
}

fn element(text: &str, style: &Style) -> Value {
    match style {
        Style::Plain => json!({"type": "text", "text": text}),
        Style::Bold => json!({"type": "text", "text": text, "style": {"bold": true}}),
        Style::Code => json!({"type": "text", "text": text, "style": {"code": true}}),
        Style::Mention(user) => json!({"type": "user", "user_id": user}),
        Style::Link(url) => json!({"type": "link", "url": url, "text": text}),
    }
}

/// The beginning of a text in whole graphemes, with an ellipsis if something is left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let ends = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len());
    let end = ends.take_while(|at| *at <= end).last().unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_in_a_block_and_no_block_has_too_many() {
        for unit in ["word ", "x", "line\n", "👩‍👩‍👧‍👦", "e\u{301}"] {
            let whole = unit.repeat(9_000 / unit.chars().count());
            let mut text = Rich::default();
            text.push(Style::Bold, "Description\n");
            text.push(Style::Plain, &whole);
            let blocks = text.blocks();
            let texts: Vec<String> = blocks.iter().map(text_of).collect();
            assert_eq!(texts.concat(), format!("Description\n{whole}"));
            assert!(texts.iter().all(|text| text.chars().count() <= BLOCK), "{unit}");
            assert!(texts.len() <= 5, "{unit}: {}", texts.len());
        }
    }

    fn text_of(block: &Value) -> String {
        let elements = block["elements"][0]["elements"].as_array().unwrap();
        elements.iter().map(|element| element["text"].as_str().unwrap_or_default()).collect()
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 4), "e\u{301}…");
    }
}
