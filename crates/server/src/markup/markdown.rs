//! Reads Markdown: CommonMark with tables, tasks and struck text.
//!
//! Nothing that was written is lost: what is no Markdown of ours (HTML, links that may not be followed) stays as it is
//! written, and a text of which some word would not be shown is shown as it is written altogether.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag as Markdown, TextMergeWithOffset,
};

use super::links::{followed, link, linked};
use super::{Element, Node, Tag};

/// Characters that set the direction of what follows, also of the host behind a link.
const DIRECTING: [char; 9] = [
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];
/// Depth of elements that is shown as such.
const DEEPEST: usize = 24;

/// Reads a text; `None` if it has to be shown as it is written.
pub(super) fn read(text: &str) -> Option<Vec<Node>> {
    if text.contains(DIRECTING) {
        return None;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(text, options);
    let definitions: Vec<Range<usize>> =
        parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    let mut reader = Reader { text, shown: vec![false; text.len()], open: Vec::new(), done: Vec::new() };
    for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
        reader.take(event, range)?;
    }
    // A definition of links is no part of the text to Markdown. To its reader it is a line with an address.
    for range in definitions {
        reader.show(&range);
        let line = text[range].trim();
        reader.done.push(Node::of(Tag::Paragraph, linked(line)));
    }
    reader.shows_everything().then_some(reader.done)
}

/// Element that is being read.
struct Open {
    element: Element,
    range: Range<usize>,
    /// True for a link or a picture that may not be followed.
    refused: bool,
}

struct Reader<'t> {
    text: &'t str,
    /// The bytes of the text that are shown.
    shown: Vec<bool>,
    open: Vec<Open>,
    done: Vec<Node>,
}

impl Reader<'_> {
    /// Takes the next event; `None` if it goes too deep.
    fn take(&mut self, event: Event<'_>, range: Range<usize>) -> Option<()> {
        match event {
            Event::Start(tag) => return self.begin(&tag, range),
            Event::End(_) => self.end(),
            Event::Text(text) => {
                self.show(&range);
                let bare = self.open.iter().any(|open| matches!(open.element.tag, Tag::Link | Tag::Block));
                let nodes = if bare { vec![Node::Text(text.into_string())] } else { linked(&text) };
                self.put(nodes);
            }
            Event::Code(code) => {
                self.show(&range);
                self.put(vec![Node::of(Tag::Code, vec![Node::Text(code.into_string())])]);
            }
            Event::SoftBreak => self.put(vec![Node::Text("\n".into())]),
            Event::HardBreak => self.put(vec![Node::of(Tag::Break, Vec::new())]),
            Event::Rule => self.put(vec![Node::of(Tag::Rule, Vec::new())]),
            Event::TaskListMarker(done) => {
                self.show(&range);
                self.put(vec![Node::Text(if done { "☑ " } else { "☐ " }.into())]);
            }
            // As it is written.
            _ => {
                self.show(&range);
                let written = self.text[range].to_owned();
                self.put(vec![Node::Text(written)]);
            }
        }
        Some(())
    }

    fn begin(&mut self, tag: &Markdown<'_>, range: Range<usize>) -> Option<()> {
        let mut element = Element::of(match tag {
            Markdown::Heading { level, .. } => heading(*level),
            Markdown::BlockQuote(_) => Tag::Quote,
            Markdown::CodeBlock(_) => Tag::Block,
            Markdown::List(Some(_)) => Tag::Numbers,
            Markdown::List(None) => Tag::Bullets,
            Markdown::Item => Tag::Item,
            Markdown::Table(_) => Tag::Table,
            Markdown::TableHead => Tag::Head,
            Markdown::TableRow => Tag::Row,
            Markdown::TableCell if self.within(Tag::Head) => Tag::HeadCell,
            Markdown::TableCell => Tag::Cell,
            Markdown::Emphasis => Tag::Emphasis,
            Markdown::Strong => Tag::Strong,
            Markdown::Strikethrough => Tag::Struck,
            Markdown::Link { .. } | Markdown::Image { .. } => Tag::Link,
            _ => Tag::Paragraph,
        });
        match tag {
            Markdown::List(start) => element.start = start.filter(|start| *start != 1),
            Markdown::Link { dest_url, .. } | Markdown::Image { dest_url, .. } => {
                element.href = followed(dest_url);
                self.show(&range);
            }
            Markdown::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let line = self.text[range.clone()].lines().next().unwrap_or_default().len();
                self.show(&(range.start..range.start + line));
                element.language = info.to_string();
            }
            _ => {}
        }
        let refused = element.tag == Tag::Link && element.href.is_none();
        self.open.push(Open { element, range, refused });
        (self.open.len() <= DEEPEST).then_some(())
    }

    fn end(&mut self) {
        let Some(Open { mut element, range, refused }) = self.open.pop() else { return };
        if refused {
            let written = self.text[range].to_owned();
            return self.put(vec![Node::Text(written)]);
        }
        let children = std::mem::take(&mut element.children);
        if let (Tag::Link, Some(href)) = (element.tag, element.href.take()) {
            // A link within a link is words of the outer one.
            let words = if self.within(Tag::Link) { children } else { link(href, children) };
            return self.put(words);
        }
        element.children = match element.tag {
            Tag::Block => vec![Node::of(Tag::Code, children)],
            Tag::Head => vec![Node::of(Tag::Row, children)],
            Tag::Table => in_table(children),
            _ => children,
        };
        self.put(vec![Node::Element(element)]);
    }

    fn put(&mut self, nodes: Vec<Node>) {
        match self.open.last_mut() {
            Some(open) => open.element.children.extend(nodes),
            None => self.done.extend(nodes),
        }
    }

    fn within(&self, tag: Tag) -> bool {
        self.open.iter().any(|open| open.element.tag == tag)
    }

    fn show(&mut self, range: &Range<usize>) {
        self.shown[range.clone()].fill(true);
    }

    /// Returns true if every word of the text is shown. The number of a list's item is not a word.
    fn shows_everything(&self) -> bool {
        let hidden = |(at, _): &(usize, char)| !self.shown[*at];
        let mut words = self.text.char_indices().filter(hidden).filter(|(_, c)| c.is_alphanumeric());
        words.all(|(at, c)| {
            let rest = self.text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
            c.is_ascii_digit() && rest.starts_with(['.', ')'])
        })
    }
}

/// Below the headings of the page.
fn heading(level: HeadingLevel) -> Tag {
    match level {
        HeadingLevel::H1 => Tag::Heading3,
        HeadingLevel::H2 => Tag::Heading4,
        HeadingLevel::H3 => Tag::Heading5,
        _ => Tag::Heading6,
    }
}

fn in_table(rows: Vec<Node>) -> Vec<Node> {
    let is_head = |node: &Node| matches!(node, Node::Element(element) if element.tag == Tag::Head);
    let (head, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_head);
    let body = (!rows.is_empty()).then(|| Node::of(Tag::Body, rows));
    head.into_iter().chain(body).collect()
}
