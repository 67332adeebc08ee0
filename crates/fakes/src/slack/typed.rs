//! Typed texts as clients send them: escapes, entities, rich text.

use serde_json::{Value, json};

/// A piece of a typed text.
enum Piece<'a> {
    Text(&'a str),
    /// The inside of `<` and `>`: a mention, a channel, a command or a link.
    Entity(&'a str),
}

fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    while let Some((at, end)) = next_entity(text) {
        if at > 0 {
            found.push(Piece::Text(&text[..at]));
        }
        found.push(Piece::Entity(&text[at + 1..end]));
        text = &text[end + 1..];
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

/// Returns the places of the next `<` and `>` that enclose an entity.
fn next_entity(text: &str) -> Option<(usize, usize)> {
    text.match_indices('<').find_map(|(at, _)| {
        let inside = &text[at + 1..];
        let end = inside.find('>')?;
        let starts = ["@U", "@W", "#C", "!", "http://", "https://", "mailto:"];
        let entity = starts.iter().any(|start| inside.starts_with(start));
        entity.then_some((at, at + 1 + end))
    })
}

/// Returns a typed text as messages carry it.
pub(super) fn escaped(text: &str) -> String {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Text(text) => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        Piece::Entity(entity) => format!("<{entity}>"),
    };
    pieces(text).into_iter().map(piece).collect()
}

/// Returns a typed text as a block.
pub(super) fn rich_text(text: &str) -> Value {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::Entity(entity) => element(entity),
    };
    let elements: Vec<Value> = pieces(text).into_iter().map(piece).collect();
    json!({"type": "rich_text", "block_id": "typed",
        "elements": [{"type": "rich_text_section", "elements": elements}]})
}

fn element(entity: &str) -> Value {
    let name = entity.split('|').next().unwrap_or_default();
    match name.split_at_checked(1) {
        Some(("@", user)) => json!({"type": "user", "user_id": user}),
        Some(("#", channel)) => json!({"type": "channel", "channel_id": channel}),
        Some(("!", range)) => json!({"type": "broadcast", "range": range}),
        _ => json!({"type": "link", "url": name}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_entities_and_escapes_the_rest() {
        assert_eq!(escaped("<@U1> 1 < 2 & <b> <!here>"), "<@U1> 1 &lt; 2 &amp; &lt;b&gt; <!here>");
        let section = &rich_text("<@U1> a < b")["elements"][0]["elements"];
        assert_eq!(section, &json!([{"type": "user", "user_id": "U1"}, {"type": "text", "text": " a < b"}]));
    }
}
