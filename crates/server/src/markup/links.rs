//! Links that may be followed: to the web and to a mailbox, with their host in sight.

use super::{Element, Node, Tag};

/// Schemes of addresses that may be followed.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];
/// Beginnings of addresses that are links where they are written bare.
const BARE: [&str; 2] = ["https://", "http://"];

/// Returns the address as it may be followed; `None` for any other scheme, and for addresses of this site.
pub(super) fn followed(address: &str) -> Option<String> {
    let visible = !address.chars().any(|c| c.is_control() || c.is_whitespace());
    let after = |scheme: &str| {
        let begins = address.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
        begins && address.len() > scheme.len()
    };
    (visible && SCHEMES.into_iter().any(after)).then(|| address.to_owned())
}

/// Makes a link. Where its words do not say where it leads, its host stands behind them: a link is never disguised.
pub(super) fn link(href: String, words: Vec<Node>) -> Vec<Node> {
    let said = words_of(&words);
    let host = host(&href).to_owned();
    let told = said.to_lowercase().contains(&host.to_lowercase()) && !said.contains(char::is_whitespace);
    let words = if said.trim().is_empty() { vec![Node::Text(href.clone())] } else { words };
    let behind = (!told && !said.trim().is_empty())
        .then(|| Node::of(Tag::Small, vec![Node::Text(format!(" ({host})"))]));
    let link = Element { href: Some(href), children: words, ..Element::of(Tag::Link) };
    std::iter::once(Node::Element(link)).chain(behind).collect()
}

/// Returns the host of an address, or a mailbox.
fn host(href: &str) -> &str {
    let rest = href.split_once("://").or_else(|| href.split_once(':')).map_or(href, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    if href.contains("://") { authority.rsplit('@').next().unwrap_or(authority) } else { authority }
}

/// Makes links of the addresses that a text contains.
pub(super) fn linked(text: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some((at, length)) = first(rest) {
        let address = &rest[at..at + length];
        nodes.extend((at > 0).then(|| Node::Text(rest[..at].into())));
        match followed(address) {
            Some(href) => nodes.extend(link(href, vec![Node::Text(address.into())])),
            None => nodes.push(Node::Text(address.into())),
        }
        rest = &rest[at + length..];
    }
    nodes.extend((!rest.is_empty()).then(|| Node::Text(rest.into())));
    nodes
}

/// Returns the place and length of the first address of a text.
fn first(text: &str) -> Option<(usize, usize)> {
    let begins = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
    let at =
        BARE.iter().filter_map(|scheme| text.match_indices(scheme).map(|(at, _)| at).find(begins)).min()?;
    let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`' | '|');
    let whole = text[at..].split(ends).next().unwrap_or_default();
    Some((at, ended(whole).len()))
}

/// Returns an address without the punctuation of the sentence that it ends.
fn ended(address: &str) -> &str {
    let short = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '”', '“', '’', '…']);
    let unopened = |closes: char, opens: char| {
        short.ends_with(closes) && short.matches(closes).count() > short.matches(opens).count()
    };
    if unopened(')', '(') || unopened(']', '[') { ended(&short[..short.len() - 1]) } else { short }
}

/// Returns the words of nodes.
pub(super) fn words_of(nodes: &[Node]) -> String {
    let words = |node: &Node| match node {
        Node::Text(text) => text.clone(),
        Node::Element(element) => words_of(&element.children),
    };
    nodes.iter().map(words).collect()
}
