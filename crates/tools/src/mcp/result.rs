//! What came of a call of a tool: its text, or why there is none.

use rmcp::model::{CallToolResult, ContentBlock};

use crate::MAX_RESULT;

/// The text of a result; what is no text is named. `None`: it is more than is taken.
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
