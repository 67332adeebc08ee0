//! The fields and limits of Block Kit, as data (https://docs.slack.dev/reference/block-kit).

/// A rule: what a field may hold. Lengths are in characters.
#[derive(Debug)]
pub(super) enum Rule {
    /// A string of at least and at most this length.
    Text(usize, usize),
    /// A text object of type `plain_text`.
    Plain(usize),
    /// A text object of any type.
    Words(usize),
    /// The id of a block or an action.
    Id,
    Bool,
    Number,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A list of at least and at most so many items.
    List(usize, usize, &'static Rule),
    /// An object whose `type` is one of these.
    Typed(&'static [&'static str]),
    /// An object of this shape, without a type.
    Object(&'static [Field]),
    /// A date, `YYYY-MM-DD`.
    Date,
    /// Any value.
    Any,
}

/// A field: its name, whether it is required, what it may hold.
pub(super) type Field = (&'static str, bool, Rule);

/// An object with a type.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) fields: &'static [Field],
    /// Groups of fields of which at least one is required.
    pub(super) one_of: &'static [&'static str],
}

use Rule::{Any, Bool, Id, List, Object, OneOf, Plain, Text, Typed, Words};

const MESSAGE_BLOCKS: &[&str] = &[
    "actions",
    "context",
    "context_actions",
    "divider",
    "file",
    "header",
    "image",
    "input",
    "markdown",
    "rich_text",
    "section",
    "table",
    "video",
];
const VIEW_BLOCKS: &[&str] =
    &["actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video"];

/// The blocks of a message.
pub(super) const MESSAGE: Rule = List(0, 50, &Typed(MESSAGE_BLOCKS));

/// The fields of a view, by type.
pub(super) const VIEWS: &[Shape] = &[
    Shape {
        kind: "modal",
        fields: &[
            ("title", true, Plain(24)),
            ("blocks", true, List(0, 100, &Typed(VIEW_BLOCKS))),
            ("close", false, Plain(24)),
            ("submit", false, Plain(24)),
            ("private_metadata", false, Text(0, 3_000)),
            ("callback_id", false, Text(0, 255)),
            ("clear_on_close", false, Bool),
            ("notify_on_close", false, Bool),
            ("external_id", false, Text(0, 255)),
            ("submit_disabled", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "home",
        fields: &[
            ("blocks", true, List(0, 100, &Typed(VIEW_BLOCKS))),
            ("private_metadata", false, Text(0, 3_000)),
            ("callback_id", false, Text(0, 255)),
            ("external_id", false, Text(0, 255)),
        ],
        one_of: &[],
    },
];

pub(super) const SLACK_FILE: Rule = Object(&[("id", false, Text(1, 255)), ("url", false, Text(1, 3_000))]);

/// The blocks.
pub(super) const BLOCKS: &[Shape] = &[
    Shape {
        kind: "section",
        fields: &[
            ("block_id", false, Id),
            ("text", false, Words(3_000)),
            ("fields", false, List(1, 10, &Words(2_000))),
            (
                "accessory",
                false,
                Typed(&[
                    "button",
                    "channels_select",
                    "checkboxes",
                    "conversations_select",
                    "datepicker",
                    "external_select",
                    "image",
                    "multi_channels_select",
                    "multi_conversations_select",
                    "multi_external_select",
                    "multi_static_select",
                    "multi_users_select",
                    "overflow",
                    "radio_buttons",
                    "static_select",
                    "timepicker",
                    "users_select",
                    "workflow_button",
                ]),
            ),
            ("expand", false, Bool),
        ],
        one_of: &["text", "fields"],
    },
    Shape { kind: "divider", fields: &[("block_id", false, Id)], one_of: &[] },
    Shape { kind: "header", fields: &[("block_id", false, Id), ("text", true, Plain(150))], one_of: &[] },
    Shape {
        kind: "context",
        fields: &[
            ("block_id", false, Id),
            ("elements", true, List(1, 10, &Typed(&["image", "mrkdwn", "plain_text"]))),
        ],
        one_of: &[],
    },
    Shape {
        kind: "actions",
        fields: &[
            ("block_id", false, Id),
            (
                "elements",
                true,
                List(
                    1,
                    25,
                    &Typed(&[
                        "button",
                        "channels_select",
                        "checkboxes",
                        "conversations_select",
                        "datepicker",
                        "datetimepicker",
                        "external_select",
                        "multi_channels_select",
                        "multi_conversations_select",
                        "multi_external_select",
                        "multi_static_select",
                        "multi_users_select",
                        "overflow",
                        "radio_buttons",
                        "rich_text_input",
                        "static_select",
                        "timepicker",
                        "users_select",
                        "workflow_button",
                    ]),
                ),
            ),
        ],
        one_of: &[],
    },
    Shape {
        kind: "context_actions",
        fields: &[
            ("block_id", false, Id),
            ("elements", true, List(1, 5, &Typed(&["feedback_buttons", "icon_button"]))),
        ],
        one_of: &[],
    },
    Shape {
        kind: "input",
        fields: &[
            ("block_id", false, Id),
            ("label", true, Plain(2_000)),
            (
                "element",
                true,
                Typed(&[
                    "channels_select",
                    "checkboxes",
                    "conversations_select",
                    "datepicker",
                    "datetimepicker",
                    "email_text_input",
                    "external_select",
                    "file_input",
                    "multi_channels_select",
                    "multi_conversations_select",
                    "multi_external_select",
                    "multi_static_select",
                    "multi_users_select",
                    "number_input",
                    "plain_text_input",
                    "radio_buttons",
                    "rich_text_input",
                    "static_select",
                    "timepicker",
                    "url_text_input",
                    "users_select",
                ]),
            ),
            ("dispatch_action", false, Bool),
            ("hint", false, Plain(2_000)),
            ("optional", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "image",
        fields: &[
            ("block_id", false, Id),
            ("alt_text", true, Text(1, 2_000)),
            ("image_url", false, Text(1, 3_000)),
            ("slack_file", false, SLACK_FILE),
            ("title", false, Plain(2_000)),
        ],
        one_of: &["image_url", "slack_file"],
    },
    Shape {
        kind: "markdown",
        fields: &[("block_id", false, Id), ("text", true, Text(1, 12_000))],
        one_of: &[],
    },
    Shape {
        kind: "rich_text",
        fields: &[
            ("block_id", false, Id),
            (
                "elements",
                true,
                List(
                    0,
                    1_000,
                    &Typed(&[
                        "rich_text_list",
                        "rich_text_preformatted",
                        "rich_text_quote",
                        "rich_text_section",
                    ]),
                ),
            ),
        ],
        one_of: &[],
    },
    Shape {
        kind: "table",
        fields: &[
            ("block_id", false, Id),
            ("rows", true, List(1, 100, &List(1, 20, &Typed(&["raw_text", "rich_text"])))),
            ("column_settings", false, List(0, 20, &Any)),
        ],
        one_of: &[],
    },
    Shape {
        kind: "file",
        fields: &[
            ("block_id", false, Id),
            ("external_id", true, Text(1, 255)),
            ("source", true, OneOf(&["remote"])),
        ],
        one_of: &[],
    },
    Shape {
        kind: "video",
        fields: &[
            ("block_id", false, Id),
            ("alt_text", true, Text(1, 2_000)),
            ("title", true, Plain(200)),
            ("thumbnail_url", true, Text(1, 3_000)),
            ("video_url", true, Text(1, 3_000)),
            ("author_name", false, Text(1, 50)),
            ("description", false, Plain(200)),
            ("provider_icon_url", false, Text(1, 3_000)),
            ("provider_name", false, Text(1, 255)),
            ("title_url", false, Text(1, 3_000)),
        ],
        one_of: &[],
    },
];
