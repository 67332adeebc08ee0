//! Reads Block Kit back, for previews: exactly the blocks and elements that [`super::render`] makes. Pure.
//!
//! Reading is strict. A block with an element or a property that is not known here is kept as its JSON, so that a
//! preview never leaves out what Slack would show.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mrkdwn;
use crate::drawn::Run;

/// A block as Slack draws it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text {
        /// Its runs.
        runs: Vec<Run>,
    },
    /// Small print.
    SmallPrint {
        /// Its pieces, each in runs.
        prints: Vec<Vec<Run>>,
    },
    /// A row of controls.
    Actions {
        /// The controls.
        controls: Vec<Control>,
    },
    /// A heading.
    Header {
        /// The text.
        text: String,
    },
    /// A line across.
    Divider,
    /// A text with a control beside it.
    Section {
        /// The text.
        text: String,
        /// The control.
        control: Option<Control>,
    },
    /// A field of a form.
    Input {
        /// The label.
        label: String,
        /// The text in it.
        value: String,
        /// True if it has several lines.
        multiline: bool,
        /// The remark below it.
        hint: Option<String>,
    },
    /// A block that is not known.
    Unknown {
        /// The block.
        json: String,
    },
}

/// A control as Slack draws it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Control {
    /// A button.
    Button {
        /// The label.
        label: String,
        /// The colour, if it is not a plain one.
        style: Option<ButtonStyle>,
    },
    /// A menu of one choice.
    Menu {
        /// The text before a choice is made.
        placeholder: String,
        /// The choices.
        groups: Vec<Group>,
    },
}

/// The colour of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonStyle {
    /// Green: meant to be pressed.
    Primary,
    /// Red: takes something away.
    Danger,
}

/// A group of choices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The label.
    pub label: String,
    /// The choices.
    pub options: Vec<String>,
}

/// Reads blocks.
#[must_use]
pub fn read(blocks: &[Value]) -> Vec<Block> {
    blocks.iter().map(block).collect()
}

fn block(block: &Value) -> Block {
    match WireBlock::deserialize(block) {
        Ok(known) => known.into(),
        Err(_) => Block::Unknown { json: serde_json::to_string_pretty(block).unwrap_or_default() },
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WireBlock {
    RichText {
        elements: Vec<WireText>,
    },
    Context {
        elements: Vec<WirePrint>,
    },
    Actions {
        elements: Vec<WireControl>,
    },
    Header {
        text: Plain,
    },
    Divider {},
    Section {
        text: Plain,
        accessory: Option<WireControl>,
    },
    Input {
        #[serde(rename = "block_id")]
        _block_id: IgnoredAny,
        #[serde(rename = "optional")]
        _optional: IgnoredAny,
        label: Plain,
        element: WireField,
        hint: Option<Plain>,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WireText {
    RichTextSection { elements: Vec<WireRun> },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WireRun {
    Text {
        text: String,
        #[serde(default)]
        style: WireStyle,
    },
    User {
        user_id: String,
    },
    Link {
        url: String,
        text: String,
    },
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WireStyle {
    bold: bool,
    code: bool,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WirePrint {
    Mrkdwn {
        text: String,
        #[serde(rename = "verbatim")]
        _verbatim: IgnoredAny,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Plain {
    PlainText {
        text: String,
        #[serde(rename = "emoji")]
        _emoji: IgnoredAny,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WireControl {
    Button {
        text: Plain,
        style: Option<ButtonStyle>,
        #[serde(rename = "action_id")]
        _action_id: IgnoredAny,
        #[serde(rename = "value", default)]
        _value: IgnoredAny,
        #[serde(rename = "url", default)]
        _url: IgnoredAny,
        #[serde(rename = "accessibility_label", default)]
        _name: IgnoredAny,
    },
    StaticSelect {
        placeholder: Plain,
        option_groups: Vec<WireGroup>,
        #[serde(rename = "action_id")]
        _action_id: IgnoredAny,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireGroup {
    label: Plain,
    options: Vec<WireOption>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireOption {
    text: Plain,
    #[serde(rename = "value")]
    _value: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WireField {
    PlainTextInput {
        multiline: bool,
        #[serde(default)]
        initial_value: String,
        #[serde(rename = "action_id")]
        _action_id: IgnoredAny,
        #[serde(rename = "max_length")]
        _max_length: IgnoredAny,
    },
}

impl From<WireBlock> for Block {
    fn from(block: WireBlock) -> Self {
        match block {
            WireBlock::RichText { elements } => {
                let runs = |WireText::RichTextSection { elements }| elements;
                Self::Text { runs: elements.into_iter().flat_map(runs).map(Run::from).collect() }
            }
            WireBlock::Context { elements } => {
                let runs = |WirePrint::Mrkdwn { text, .. }| mrkdwn::runs(&text);
                Self::SmallPrint { prints: elements.into_iter().map(runs).collect() }
            }
            WireBlock::Actions { elements } => {
                Self::Actions { controls: elements.into_iter().map(Control::from).collect() }
            }
            WireBlock::Header { text } => Self::Header { text: text.into() },
            WireBlock::Divider {} => Self::Divider,
            WireBlock::Section { text, accessory } => {
                Self::Section { text: text.into(), control: accessory.map(Control::from) }
            }
            WireBlock::Input { label, element, hint, .. } => {
                let WireField::PlainTextInput { multiline, initial_value: value, .. } = element;
                Self::Input { label: label.into(), value, multiline, hint: hint.map(String::from) }
            }
        }
    }
}

impl From<WireRun> for Run {
    fn from(run: WireRun) -> Self {
        match run {
            WireRun::Text { text, style: WireStyle { code: true, .. } } => Self::Code { text },
            WireRun::Text { text, style: WireStyle { bold: true, .. } } => Self::Bold { text },
            WireRun::Text { text, .. } => Self::Text { text },
            WireRun::User { user_id } => Self::Person { id: user_id, name: None },
            WireRun::Link { url, text } => Self::Link { text, url },
        }
    }
}

impl From<WireControl> for Control {
    fn from(control: WireControl) -> Self {
        match control {
            WireControl::Button { text, style, .. } => Self::Button { label: text.into(), style },
            WireControl::StaticSelect { placeholder, option_groups, .. } => {
                let option = |WireOption { text, .. }: WireOption| text.into();
                let group = |WireGroup { label, options }: WireGroup| Group {
                    label: label.into(),
                    options: options.into_iter().map(option).collect(),
                };
                let groups = option_groups.into_iter().map(group).collect();
                Self::Menu { placeholder: placeholder.into(), groups }
            }
        }
    }
}

impl From<Plain> for String {
    fn from(Plain::PlainText { text, .. }: Plain) -> Self {
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> Value {
        json!({"type": "plain_text", "text": text, "emoji": true})
    }

    #[test]
    fn reads_each_kind() {
        let section = json!({"type": "rich_text_section", "elements": [
            {"type": "text", "text": "Create?", "style": {"bold": true}}, {"type": "text", "text": " v1 · "},
            {"type": "text", "text": "a1", "style": {"code": true}}, {"type": "user", "user_id": "U1"},
            {"type": "link", "url": "https://x.org", "text": "x"}]});
        let press = json!({"type": "button", "action_id": "a", "value": "t", "text": text("Approve"), "style": "primary"});
        let menu = json!({"type": "static_select", "action_id": "b", "placeholder": text("Change"),
            "option_groups": [{"label": text("Story 1"), "options": [{"text": text("Edit"), "value": "t"}]}]});
        let opens = json!({"type": "button", "action_id": "c", "url": "https://x.org", "text": text("Open")});
        let run = |text: &str| Run::Text { text: text.into() };
        let button = |label: &str, style| Control::Button { label: label.into(), style };
        let read = read(&[
            json!({"type": "rich_text", "elements": [section]}),
            json!({"type": "context", "elements": [{"type": "mrkdwn", "text": "a &lt; b, <@U1>", "verbatim": true}]}),
            json!({"type": "actions", "elements": [press, menu]}),
            json!({"type": "header", "text": text("Home")}),
            json!({"type": "divider"}),
            json!({"type": "section", "text": text("waits"), "accessory": opens}),
            json!({"type": "section", "text": text("alone")}),
            json!({"type": "input", "block_id": "f", "optional": true, "label": text("Title"), "hint": text("is missing"),
                "element": {"type": "plain_text_input", "action_id": "f", "multiline": false, "max_length": 9, "initial_value": "x"}}),
        ]);
        let groups = vec![Group { label: "Story 1".into(), options: vec!["Edit".into()] }];
        let mention = Run::Person { id: "U1".into(), name: None };
        let expected = [
            Block::Text {
                runs: vec![
                    Run::Bold { text: "Create?".into() },
                    run(" v1 · "),
                    Run::Code { text: "a1".into() },
                    mention.clone(),
                    Run::Link { text: "x".into(), url: "https://x.org".into() },
                ],
            },
            Block::SmallPrint { prints: vec![vec![run("a < b, "), mention]] },
            Block::Actions {
                controls: vec![
                    button("Approve", Some(ButtonStyle::Primary)),
                    Control::Menu { placeholder: "Change".into(), groups },
                ],
            },
            Block::Header { text: "Home".into() },
            Block::Divider,
            Block::Section { text: "waits".into(), control: Some(button("Open", None)) },
            Block::Section { text: "alone".into(), control: None },
            Block::Input {
                label: "Title".into(),
                value: "x".into(),
                multiline: false,
                hint: Some("is missing".into()),
            },
        ];
        assert_eq!(read, expected);
    }

    /// A kind, an element or a property that nobody taught this file is shown, not dropped.
    #[test]
    fn what_is_not_known_is_kept_whole() {
        let confirm = json!({"type": "button", "action_id": "a", "text": text("Go"), "confirm": {"title": text("Sure?")}});
        for unknown in [
            json!({"type": "image", "image_url": "https://x.org/a.png", "alt_text": "a"}),
            json!({"type": "actions", "elements": [{"type": "datepicker", "action_id": "d"}]}),
            json!({"type": "actions", "elements": [confirm]}),
            json!({"type": "rich_text", "elements": [{"type": "rich_text_quote", "elements": []}]}),
            json!({"type": "context", "elements": [{"type": "plain_text", "text": "x"}]}),
            json!({"type": "header"}),
            json!("no block"),
        ] {
            let [Block::Unknown { json }] = &read(std::slice::from_ref(&unknown))[..] else {
                panic!("{unknown} is taken for something else")
            };
            assert_eq!(serde_json::from_str::<Value>(json).unwrap(), unknown);
        }
    }
}
