//! Rendered messages stay within every limit, lose nothing and mention nobody that the engine did not name.

use proptest::prelude::*;
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card_model::{Button, CardModel, Field, ItemModel};
use throughline_engine::data::field_error::FieldError;

use super::*;
use crate::form::FormField;
use crate::slack::inbound::FormPlace;
use crate::slack::mrkdwn::mentioned;

const TOKEN: &str = "dUkK6gJL61egst2uZvqf2w";

fn button(action: Action) -> Button {
    let label = action.label(Language::En);
    let on = (action == Action::Remember).then_some(true);
    Button { action, name: label.clone(), label, on, blocked: None, token: Some(TOKEN.into()) }
}

fn model(text: &str) -> CardModel {
    CardModel {
        id: "ap_1".into(),
        step: CardStep::DraftPreview,
        version: 3,
        hash: Some("86a606e5".into()),
        title: "Create 1 bug in DEMO?".into(),
        facts: vec!["asked by @ana".into(), "checks passed 10:01".into()],
        fields: vec![
            Field::new("title", "Title", "Fix <b>login</b> & logout"),
            Field::new("description", "Description", text),
        ],
        items: Vec::new(),
        errors: Vec::new(),
        buttons: [Action::Approve, Action::Edit, Action::Reject].map(button).into(),
        link: None,
        request: None,
        outline: Default::default(),
    }
}

fn batch(count: usize, text: &str) -> CardModel {
    let item = |n: usize| ItemModel {
        id: format!("it_{n}"),
        label: format!("Story {n}"),
        title: format!("Log in, part {n}"),
        state: String::new(),
        fields: vec![Field::new("problem", "Problem", text)],
        errors: Vec::new(),
        buttons: [Action::EditStory, Action::RemoveStory].map(button).into(),
        link: None,
    };
    CardModel {
        step: CardStep::MultiTicketPreview,
        title: format!("Create {count} items in AUTH?"),
        fields: Vec::new(),
        items: (0..count).map(item).collect(),
        ..model("")
    }
}

fn look() -> Look {
    Look { people: [("ana".to_owned(), "U1".to_owned())].into(), ..Look::default() }
}

#[test]
fn a_card_is_one_message_with_its_buttons() {
    let message = card(&model("It fails since Monday.\nSee https://x.org/log?a=1."), &look(), false);
    insta::assert_json_snapshot!(json!({"text": message.text, "blocks": message.blocks}));
}

#[test]
fn a_batch_has_one_menu_for_its_items() {
    let message = card(&batch(2, "Nobody can log in."), &look(), false);
    insta::assert_json_snapshot!(json!({"text": message.text, "blocks": message.blocks}));
}

#[test]
fn a_blocked_button_is_a_reason() {
    let mut model = model("x");
    model.buttons[0].token = None;
    model.buttons[0].blocked = Some("the steps are missing".into());
    let shown = serde_json::to_string(&card(&model, &look(), false).blocks).unwrap();
    assert!(shown.contains("Approve: the steps are missing") && !shown.contains("tl.approve"), "{shown}");
}

/// 60 items of 40,000 characters: titles, a count, and a button that shows every byte.
#[test]
fn a_long_batch_is_shortened_and_says_so() {
    let whole = batch(60, &"word ".repeat(130));
    let message = card(&whole, &look(), false);
    assert!(message.fits(), "{} blocks, {} characters", message.blocks.len(), texts(&message.blocks));
    let shown = serde_json::to_string(&message.blocks).unwrap();
    assert!(shown.contains(SHOW_ALL) && shown.contains("Shown shortened"), "{shown}");
    assert!(shown.contains("Story 59") && shown.contains("86a606e5"));
    let view = full_view(&whole, &look()).unwrap();
    let all = serde_json::to_string(&view["blocks"]).unwrap();
    assert_eq!(all.matches("word").count(), 60 * 130);
    let smaller = card(&whole, &look(), true);
    assert!(texts(&smaller.blocks) < texts(&message.blocks));
}

#[test]
fn what_is_too_long_for_a_window_is_a_file() {
    let whole = batch(60, &"word ".repeat(1_200));
    assert_eq!(full_view(&whole, &look()), None);
    assert_eq!(full_text(&whole, &look()).matches("word").count(), 60 * 1_200);
    assert!(card(&whole, &look(), false).fits());
}

#[test]
fn people_are_mentioned_by_sentences_of_the_engine_only() {
    let mut model = model("ask @ana and <@U1> and <!channel> @everyone &lt;!here&gt;");
    model.items = batch(1, "<@U1> @ana").items;
    let message = card(&model, &look(), false);
    let shown = serde_json::to_string(&message.blocks).unwrap();
    assert!(shown.contains("asked by <@U1>"));
    let users = |value: &Value| serde_json::to_string(value).unwrap().matches("\"user_id\"").count();
    assert_eq!(message.blocks.iter().map(users).sum::<usize>(), 0);
    let marks = texts_in_mrkdwn(&message.blocks);
    assert_eq!(marks.iter().flat_map(|text| mentioned(text)).collect::<Vec<_>>(), ["U1"]);
    assert_eq!(mentioned(&message.text).count(), 0);
}

fn texts_in_mrkdwn(blocks: &[Value]) -> Vec<&str> {
    fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| collect(one, found)),
            Value::Object(fields) => {
                if value["type"] == "mrkdwn" {
                    found.extend(value["text"].as_str());
                }
                fields.values().for_each(|one| collect(one, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    blocks.iter().for_each(|block| collect(block, &mut found));
    found
}

#[test]
fn a_long_reply_is_several_messages_and_loses_nothing() {
    let text = "All of it matters. ".repeat(1_500);
    let messages = reply(&text);
    assert!(messages.len() >= 3 && messages.iter().all(Message::fits));
    let words: usize = messages
        .iter()
        .map(|message| serde_json::to_string(&message.blocks).unwrap().matches("matters").count())
        .sum();
    assert_eq!(words, 1_500);
    assert_eq!(reply("").len(), 1, "an empty reply is still one");
}

#[test]
fn links_show_where_they_lead() {
    let message = &reply("see http://w.org, https://x.org/a, (http://y.org/b) and https:// alone")[0];
    insta::assert_json_snapshot!(message.blocks);
}

#[test]
fn a_form_has_a_field_for_each_value() {
    let field = |name: &str, text: &str, long| FormField {
        name: name.into(),
        label: name.to_uppercase(),
        text: text.into(),
        long,
        faults: Vec::new(),
    };
    let place = FormPlace { token: TOKEN.into(), channel: "C1".into(), thread: "17.004".into() };
    let long = "x".repeat(3_001);
    let fields =
        vec![field("title", "Fix <login>", false), field("steps", "", true), field("text", &long, true)];
    let view = form(&FormModel { title: "Edit the ticket that is long".into(), place, fields }, Language::En);
    insta::assert_json_snapshot!(view);
}

#[test]
fn home_lists_what_waits() {
    let entry = |text: &str| HomeEntry {
        text: text.into(),
        link: Some("https://team.slack.com/archives/C1/p17004".into()),
        ..HomeEntry::default()
    };
    let waits = Some("asked by @ana · since 10:00 UTC · until 29 Jan 10:00 UTC".into());
    let mode = HomeEntry { clear: Some(TOKEN.into()), ..entry("#general: tickets") };
    let model = Home {
        waiting: vec![HomeEntry { note: waits, ..entry("Create 1 bug in DEMO?") }],
        modes: vec![mode],
        command: "/maro".into(),
        ..Home::default()
    };
    insta::assert_json_snapshot!(home(&model, Language::En));
    let many = Home { waiting: vec![entry("x"); 90], threads: vec![entry("y"); 90], ..model };
    let view = home(&many, Language::De);
    assert!(view["blocks"].as_array().unwrap().len() <= VIEW_BLOCKS);
}

fn words() -> impl Strategy<Value = String> {
    let unit = prop::sample::select(vec![
        "a ",
        "word ",
        "&",
        "<!channel>",
        "@ana ",
        "\n",
        "👩‍👩‍👧‍👦",
        "e\u{301}",
        "*x* ",
        "https://x.org/a ",
        "\u{202e}",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]);
    (prop::collection::vec(unit, 0..6), 0..80_usize).prop_map(|(units, times)| units.concat().repeat(times))
}

prop_compose! {
    fn any_card()(
        title in words(), text in words(), state in words(), items in prop_oneof![0..6_usize, Just(50_usize)], options: bool, errors in 0..6_usize,
        blocked in proptest::option::of(words()), facts in prop::collection::vec(words(), 0..4),
    ) -> CardModel {
        let mut card = batch(items, &text);
        card.fields = model(&text).fields;
        card.title = title.chars().take(400).collect();
        card.facts = facts.into_iter().map(|fact| fact.chars().take(300).collect()).collect();
        card.step = if options { CardStep::Options } else { CardStep::MultiTicketPreview };
        for item in &mut card.items {
            item.title = title.chars().take(255).collect();
            item.state = state.chars().take(400).collect();
        }
        card.errors = (0..errors).map(|n| FieldError { item: n.to_string(), ..FieldError::new("check.required", "x", state.chars().take(200).collect::<String>()) }).collect();
        card.buttons[0].blocked = blocked.map(|reason| reason.chars().take(200).collect());
        card
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_card_is_within_the_limits(model in any_card(), smaller: bool) {
        let message = card(&model, &look(), smaller);
        prop_assert!(message.blocks.len() <= MESSAGE_BLOCKS);
        prop_assert!(texts(&message.blocks) <= MESSAGE_TEXT, "{}", texts(&message.blocks));
        let shown = serde_json::to_string(&message.blocks).unwrap();
        prop_assert!(shown.contains("86a606e5"));
        let whole = full_text(&model, &look());
        prop_assert!(whole.chars().count() < 2_000 || shown.contains(SHOW_ALL) || texts(&message.blocks) >= whole.chars().count() / 2);
        for text in texts_in_mrkdwn(&message.blocks) {
            prop_assert!(mentioned(text).all(|user| user == "U1"), "{}", text);
            prop_assert!(!text.contains("<!"), "{}", text);
        }
    }
}
