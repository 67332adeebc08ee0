//! Blocks of Slack in a form that people can read: a line or more for each block.

use serde_json::Value;

/// Writes blocks: rich text with its styles, small print behind a dash, buttons in brackets.
pub(crate) fn written(blocks: &[Value]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn all(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn block(block: &Value) -> String {
    let elements = all(&block["elements"]);
    match text(&block["type"]) {
        "rich_text" => elements.iter().flat_map(|section| all(&section["elements"])).map(run).collect(),
        "context" => {
            elements.iter().map(|print| format!("– {}", text(&print["text"]))).collect::<Vec<_>>().join("\n")
        }
        "actions" => elements.iter().map(action).collect::<Vec<_>>().join(" "),
        other => format!("({other}) {}", text(&block["text"]["text"])),
    }
}

fn run(run: &Value) -> String {
    let words = text(&run["text"]);
    match text(&run["type"]) {
        "link" => format!("<{}|{words}>", text(&run["url"])),
        "user" => format!("<@{}>", text(&run["user_id"])),
        _ if run["style"]["bold"] == true => format!("*{words}*"),
        _ if run["style"]["code"] == true => format!("`{words}`"),
        _ => words.to_owned(),
    }
}

fn action(action: &Value) -> String {
    if action["type"] != "static_select" {
        let style = action["style"].as_str().map(|style| format!(" ({style})")).unwrap_or_default();
        return format!("[{}{style}]", text(&action["text"]["text"]));
    }
    let group = |group: &Value| {
        let options: Vec<&str> =
            all(&group["options"]).iter().map(|one| text(&one["text"]["text"])).collect();
        format!("\n  {}: {}", text(&group["label"]["text"]), options.join(" | "))
    };
    let groups: String = all(&action["option_groups"]).iter().map(group).collect();
    format!("[{} ▾{groups}]", text(&action["placeholder"]["text"]))
}
