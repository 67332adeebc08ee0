//! The text of a tool's result.

use rmcp::model::{CallToolResult, ContentBlock};

use crate::outcome::MAX_RESULT;

/// The text of a result; a part that is not text is named. `None` if it is longer than the limit.
pub(super) fn text(result: &CallToolResult) -> Option<String> {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    if let (true, Some(structured)) = (parts.is_empty(), &result.structured_content) {
        parts.push(structured.to_string());
    }
    let size: usize = parts.iter().map(String::len).sum();
    (size <= MAX_RESULT).then(|| parts.join("\n"))
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::Resource(_) => "[resource]".into(),
        ContentBlock::ResourceLink(link) => format!("[link to {}]", link.name),
        _ => "[something that is no text]".into(),
    }
}
