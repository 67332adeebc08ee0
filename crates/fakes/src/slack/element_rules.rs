//! The fields and limits of the elements of blocks, as data.

use super::rules::Rule::{Any, Bool, Date, Id, List, Number, Object, OneOf, Plain, Text, Typed, Words};
use super::rules::{Field, Rule, SLACK_FILE, Shape};

const CONFIRM: Rule = Object(&[
    ("title", true, Plain(100)),
    ("text", true, Words(300)),
    ("confirm", true, Plain(30)),
    ("deny", true, Plain(30)),
    ("style", false, OneOf(&["primary", "danger"])),
]);
const OPTION: Rule = Object(&[
    ("text", true, Plain(75)),
    ("value", true, Text(1, 150)),
    ("description", false, Plain(75)),
    ("url", false, Text(1, 3_000)),
]);
const RICH_OPTION: Rule =
    Object(&[("text", true, Words(75)), ("value", true, Text(1, 150)), ("description", false, Words(75))]);
const GROUP: Rule = Object(&[("label", true, Plain(75)), ("options", true, List(1, 100, &OPTION))]);
const DISPATCH: Rule = Object(&[(
    "trigger_actions_on",
    true,
    List(1, 2, &OneOf(&["on_enter_pressed", "on_character_entered"])),
)]);
const FILTER: Rule = Object(&[
    ("include", false, List(1, 4, &OneOf(&["im", "mpim", "private", "public"]))),
    ("exclude_external_shared_channels", false, Bool),
    ("exclude_bot_users", false, Bool),
]);
const FEEDBACK: Rule = Object(&[
    ("text", true, Plain(75)),
    ("value", true, Text(1, 2_000)),
    ("accessibility_label", false, Text(1, 75)),
]);

const SELECTS: &[&str] = &[
    "channels_select",
    "conversations_select",
    "external_select",
    "multi_channels_select",
    "multi_conversations_select",
    "multi_external_select",
    "multi_static_select",
    "multi_users_select",
    "static_select",
    "users_select",
];

/// The fields that every select has.
pub(super) const SELECT_FIELDS: &[Field] = &[
    ("action_id", false, Id),
    ("placeholder", false, Plain(150)),
    ("confirm", false, CONFIRM),
    ("focus_on_load", false, Bool),
    ("max_selected_items", false, Number),
];

/// Returns true for a select menu.
pub(super) fn is_select(kind: &str) -> bool {
    SELECTS.contains(&kind)
}

/// The elements of blocks.
pub(super) const ELEMENTS: &[Shape] = &[
    Shape {
        kind: "plain_text",
        fields: &[("text", true, Text(1, 3_000)), ("emoji", false, Bool)],
        one_of: &[],
    },
    Shape {
        kind: "mrkdwn",
        fields: &[("text", true, Text(1, 3_000)), ("verbatim", false, Bool)],
        one_of: &[],
    },
    Shape { kind: "raw_text", fields: &[("text", true, Text(1, 10_000))], one_of: &[] },
    Shape {
        kind: "image",
        fields: &[
            ("alt_text", true, Text(1, 2_000)),
            ("image_url", false, Text(1, 3_000)),
            ("slack_file", false, SLACK_FILE),
        ],
        one_of: &["image_url", "slack_file"],
    },
    Shape {
        kind: "button",
        fields: &[
            ("text", true, Plain(75)),
            ("action_id", false, Id),
            ("url", false, Text(1, 3_000)),
            ("value", false, Text(0, 2_000)),
            ("style", false, OneOf(&["primary", "danger"])),
            ("confirm", false, CONFIRM),
            ("accessibility_label", false, Text(1, 75)),
        ],
        one_of: &[],
    },
    Shape {
        kind: "workflow_button",
        fields: &[
            ("text", true, Plain(75)),
            ("action_id", false, Id),
            ("workflow", true, Any),
            ("style", false, OneOf(&["primary", "danger"])),
            ("accessibility_label", false, Text(1, 75)),
        ],
        one_of: &[],
    },
    Shape {
        kind: "icon_button",
        fields: &[
            ("icon", true, OneOf(&["trash"])),
            ("text", true, Plain(75)),
            ("action_id", false, Id),
            ("value", false, Text(0, 2_000)),
            ("confirm", false, CONFIRM),
            ("accessibility_label", false, Text(1, 75)),
            ("visible_to_user_ids", false, List(1, 100, &Text(1, 255))),
        ],
        one_of: &[],
    },
    Shape {
        kind: "feedback_buttons",
        fields: &[
            ("action_id", false, Id),
            ("positive_button", true, FEEDBACK),
            ("negative_button", true, FEEDBACK),
        ],
        one_of: &[],
    },
    Shape {
        kind: "overflow",
        fields: &[
            ("action_id", false, Id),
            ("options", true, List(1, 5, &OPTION)),
            ("confirm", false, CONFIRM),
        ],
        one_of: &[],
    },
    Shape {
        kind: "checkboxes",
        fields: &[
            ("action_id", false, Id),
            ("options", true, List(1, 10, &RICH_OPTION)),
            ("initial_options", false, List(1, 10, &RICH_OPTION)),
            ("confirm", false, CONFIRM),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "radio_buttons",
        fields: &[
            ("action_id", false, Id),
            ("options", true, List(1, 10, &RICH_OPTION)),
            ("initial_option", false, RICH_OPTION),
            ("confirm", false, CONFIRM),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "static_select",
        fields: &[
            ("options", false, List(1, 100, &OPTION)),
            ("option_groups", false, List(1, 100, &GROUP)),
            ("initial_option", false, OPTION),
        ],
        one_of: &["options", "option_groups"],
    },
    Shape {
        kind: "multi_static_select",
        fields: &[
            ("options", false, List(1, 100, &OPTION)),
            ("option_groups", false, List(1, 100, &GROUP)),
            ("initial_options", false, List(1, 100, &OPTION)),
        ],
        one_of: &["options", "option_groups"],
    },
    Shape {
        kind: "external_select",
        fields: &[("initial_option", false, OPTION), ("min_query_length", false, Number)],
        one_of: &[],
    },
    Shape {
        kind: "multi_external_select",
        fields: &[("initial_options", false, List(1, 100, &OPTION)), ("min_query_length", false, Number)],
        one_of: &[],
    },
    Shape { kind: "users_select", fields: &[("initial_user", false, Text(1, 255))], one_of: &[] },
    Shape {
        kind: "multi_users_select",
        fields: &[("initial_users", false, List(1, 100, &Text(1, 255)))],
        one_of: &[],
    },
    Shape {
        kind: "conversations_select",
        fields: &[
            ("initial_conversation", false, Text(1, 255)),
            ("default_to_current_conversation", false, Bool),
            ("response_url_enabled", false, Bool),
            ("filter", false, FILTER),
        ],
        one_of: &[],
    },
    Shape {
        kind: "multi_conversations_select",
        fields: &[
            ("initial_conversations", false, List(1, 100, &Text(1, 255))),
            ("default_to_current_conversation", false, Bool),
            ("filter", false, FILTER),
        ],
        one_of: &[],
    },
    Shape {
        kind: "channels_select",
        fields: &[("initial_channel", false, Text(1, 255)), ("response_url_enabled", false, Bool)],
        one_of: &[],
    },
    Shape {
        kind: "multi_channels_select",
        fields: &[("initial_channels", false, List(1, 100, &Text(1, 255)))],
        one_of: &[],
    },
    Shape {
        kind: "datepicker",
        fields: &[
            ("action_id", false, Id),
            ("initial_date", false, Date),
            ("placeholder", false, Plain(150)),
            ("confirm", false, CONFIRM),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "datetimepicker",
        fields: &[
            ("action_id", false, Id),
            ("initial_date_time", false, Number),
            ("confirm", false, CONFIRM),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "timepicker",
        fields: &[
            ("action_id", false, Id),
            ("initial_time", false, Text(5, 5)),
            ("placeholder", false, Plain(150)),
            ("timezone", false, Text(1, 255)),
            ("confirm", false, CONFIRM),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "plain_text_input",
        fields: &[
            ("action_id", false, Id),
            ("initial_value", false, Text(0, 3_000)),
            ("multiline", false, Bool),
            ("min_length", false, Number),
            ("max_length", false, Number),
            ("placeholder", false, Plain(150)),
            ("dispatch_action_config", false, DISPATCH),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "number_input",
        fields: &[
            ("is_decimal_allowed", true, Bool),
            ("action_id", false, Id),
            ("initial_value", false, Text(0, 3_000)),
            ("min_value", false, Text(1, 255)),
            ("max_value", false, Text(1, 255)),
            ("placeholder", false, Plain(150)),
            ("dispatch_action_config", false, DISPATCH),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape { kind: "email_text_input", fields: TEXT_INPUT, one_of: &[] },
    Shape { kind: "url_text_input", fields: TEXT_INPUT, one_of: &[] },
    Shape {
        kind: "rich_text_input",
        fields: &[
            ("action_id", false, Id),
            ("initial_value", false, Typed(&["rich_text"])),
            ("placeholder", false, Plain(150)),
            ("dispatch_action_config", false, DISPATCH),
            ("focus_on_load", false, Bool),
        ],
        one_of: &[],
    },
    Shape {
        kind: "file_input",
        fields: &[
            ("action_id", false, Id),
            ("filetypes", false, List(1, 100, &Text(1, 30))),
            ("max_files", false, Number),
        ],
        one_of: &[],
    },
    Shape { kind: "rich_text", fields: RICH_TEXT, one_of: &[] },
    Shape { kind: "rich_text_section", fields: RICH_TEXT, one_of: &[] },
    Shape {
        kind: "rich_text_list",
        fields: &[
            ("elements", true, List(0, 1_000, &Any)),
            ("style", true, OneOf(&["bullet", "ordered"])),
            ("indent", false, Number),
            ("offset", false, Number),
            ("border", false, Number),
        ],
        one_of: &[],
    },
    Shape { kind: "rich_text_preformatted", fields: BORDERED, one_of: &[] },
    Shape { kind: "rich_text_quote", fields: BORDERED, one_of: &[] },
];

const TEXT_INPUT: &[Field] = &[
    ("action_id", false, Id),
    ("initial_value", false, Text(0, 3_000)),
    ("placeholder", false, Plain(150)),
    ("dispatch_action_config", false, DISPATCH),
    ("focus_on_load", false, Bool),
];
const RICH_TEXT: &[Field] = &[("block_id", false, Id), ("elements", true, List(0, 1_000, &Any))];
const BORDERED: &[Field] =
    &[("elements", true, List(0, 1_000, &Any)), ("border", false, Number), ("language", false, Text(1, 50))];

/// Numbers that have bounds of their own: element, field, least, most.
pub(super) const BOUNDS: &[(&str, &str, i64, i64)] = &[
    ("plain_text_input", "min_length", 0, 3_000),
    ("plain_text_input", "max_length", 1, 3_000),
    ("file_input", "max_files", 1, 10),
    ("rich_text_list", "indent", 0, 8),
];
