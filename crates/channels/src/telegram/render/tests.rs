//! Rendered messages stay within every limit, lose nothing and format nothing that the engine did not format.

use proptest::prelude::*;
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card_model::{Button, Field, ItemModel};
use throughline_engine::data::field_error::FieldError;

use super::*;

fn model(text: &str) -> CardModel {
    CardModel {
        id: "ap_1".into(),
        step: CardStep::DraftPreview,
        version: 3,
        hash: Some("86a606e5".into()),
        title: "Create 1 bug in DEMO?".into(),
        facts: vec!["asked by @4711".into(), "checks passed 10:01".into()],
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

fn button(action: Action) -> Button {
    let label = action.label(Language::En);
    let on = (action == Action::Remember).then_some(true);
    Button {
        action,
        name: label.clone(),
        label,
        on,
        blocked: None,
        token: Some("dUkK6gJL61egst2uZvqf2w".into()),
    }
}

fn ana() -> BTreeMap<String, String> {
    [("4711".to_owned(), "Ana".to_owned())].into()
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_card_is_one_message_with_its_buttons() {
    let parts = card(&model("It fails since Monday."), &ana(), Language::En);
    insta::assert_debug_snapshot!(parts);
}

fn options(count: usize) -> CardModel {
    let item = |n: usize| ItemModel {
        id: format!("opt-{n}"),
        label: format!("{}", n + 1),
        title: format!("Report <{n}>"),
        state: if n == 1 { "Q2".into() } else { String::new() },
        fields: Vec::new(),
        errors: Vec::new(),
        buttons: [Button { label: format!("Report <{n}>"), ..button(Action::Option) }].into(),
        link: None,
    };
    CardModel {
        step: CardStep::Options,
        hash: None,
        title: "Which of these in Recent?".into(),
        facts: Vec::new(),
        fields: Vec::new(),
        items: (0..count).map(item).collect(),
        buttons: [Action::NoneOfThese, Action::Leave, Action::More].map(button).into(),
        ..model("")
    }
}

#[test]
fn a_list_of_options_has_a_row_for_each() {
    let parts = card(&options(3), &ana(), Language::En);
    insta::assert_debug_snapshot!(parts);
}

#[test]
fn a_long_list_of_options_has_numbers_that_its_text_explains() {
    let mut all = options(50);
    // All of them are displayed.
    all.buttons.truncate(2);
    let [part] = card(&all, &ana(), Language::En).try_into().unwrap();
    assert!(part.keys.len() <= 8 && part.keys.iter().all(|row| row.len() <= 8), "{:#?}", part.keys);
    assert_eq!(part.keys.iter().flatten().count(), 52);
    assert_eq!(part.keys[1][0].label, "9");
    assert!(part.plain.contains("\n9. Report <8>\n"), "{}", part.plain);
}

/// A review may be longer than one message: its text goes above, its buttons stay together below.
#[test]
fn a_long_review_keeps_its_buttons_in_one_place() {
    let mut model = model("");
    model.step = CardStep::ReviewActive;
    model.hash = None;
    model.title = "Architecture review: orders in Postgres".into();
    let points: Vec<String> =
        (1..=90).map(|n| format!("• Point {n}: what about the reports of the year before?")).collect();
    model.fields = vec![Field::new("risks", "Risks", points.join("\n"))];
    let actions = [Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish];
    model.buttons = actions.map(button).into();
    let parts = card(&model, &ana(), Language::En);
    assert!(parts.len() > 1);
    let (last, above) = parts.split_last().unwrap();
    assert!(above.iter().all(|part| part.keys.is_empty()));
    assert_eq!(last.keys.iter().flatten().count(), 4);
    let said: String = above.iter().map(|part| without_space(&part.html)).collect();
    assert!(points.iter().all(|point| said.contains(&without_space(point))), "nothing is cut");
}

#[test]
fn a_receipt_has_a_link_and_no_buttons() {
    let mut model = model("It fails since Monday.");
    model.title = "Created DEMO-1".into();
    model.facts.clear();
    model.buttons.clear();
    model.link = Some("http://127.0.0.1:7070/tracker/DEMO-1".into());
    model.errors = vec![FieldError::new("check.required", "Team", "Team is required")];
    insta::assert_snapshot!(card(&model, &ana(), Language::En)[0].html);
    assert!(card(&model, &ana(), Language::En)[0].keys.is_empty());
}

/// The text being approved is never cut: it is above, whole, and the card says how long it is.
#[test]
fn a_long_card_shows_all_of_it() {
    let long = "All work and no play. ".repeat(500);
    let parts = card(&model(&long), &ana(), Language::En);
    assert_eq!(parts.len(), 4);
    let above: String = parts[..3].iter().map(|part| part.plain.as_str()).collect();
    assert!(without_space(&above).contains(&without_space(&long)));
    assert!(parts[..3].iter().all(|part| part.keys.is_empty()));
    let last = &parts[3];
    assert!(last.html.contains("<code>86a606e5</code>"));
    assert!(last.plain.contains("the 3 messages above"), "{}", last.plain);
    assert_eq!(last.keys.concat().len(), 3);
}

/// Telegram limits the data of a button to 64 bytes, whatever the script of its label.
#[test]
fn what_a_press_sends_is_at_most_64_bytes() {
    for label in ["Approve", "Подтвердить создание задачи в проекте немедленно", "✅👨‍👩‍👧‍👦".repeat(30).as_str()]
    {
        let mut model = model("");
        model.buttons = Action::ALL.map(|action| Button { label: label.into(), ..button(action) }).into();
        let keys = card(&model, &ana(), Language::En).remove(0).keys;
        assert_eq!(keys.concat().len(), Action::ALL.len());
        for key in keys.concat() {
            assert_eq!(key.data.len(), 22, "the token and nothing else");
            assert!(key.label.graphemes(true).count() <= 40 && !key.label.is_empty());
        }
        assert!(keys.iter().all(|row| row.len() <= 8));
    }
}

#[test]
fn only_a_known_person_is_mentioned() {
    let mut model = model("ask @4711 and @everyone");
    model.facts = vec!["asked by @4711".into(), "may approve: @role:pm, @99".into()];
    let html = &card(&model, &ana(), Language::En)[0].html;
    assert!(html.contains("asked by <a href=\"tg://user?id=4711\">Ana</a>"), "{html}");
    assert!(html.contains("@\u{2060}role:pm, @\u{2060}99"), "{html}");
    assert!(html.contains("ask @\u{2060}4711 and @\u{2060}everyone"), "{html}");
    assert_eq!(people(&model), ["4711", "99"]);
}

#[test]
fn a_question_asks_and_names_whom() {
    let person = Person { id: 7, name: "Bo <3".into() };
    let parts = question("Which city?\nAny will do.", Some(&person), &[], Language::En);
    assert_eq!(parts[0].html, "<a href=\"tg://user?id=7\">Bo &lt;3</a>: Which city?\nAny will do.");
    assert_eq!(parts[0].prompt, Some(AnswerPrompt { hint: "Which city?".into(), words: Vec::new() }));
    let skip = question("Title?", None, &["Skip".into()], Language::En);
    assert_eq!(skip[0].prompt.as_ref().unwrap().words, ["Skip"]);
    let hint = question(&"long ".repeat(40), None, &[], Language::En)[0].prompt.clone().unwrap().hint;
    assert!(hint.ends_with('…') && hint.encode_utf16().count() <= 64, "{hint}");
}

#[test]
fn an_alert_is_cut_between_graphemes() {
    let text = alert(&"👩‍🚀".repeat(60));
    assert_eq!(text, format!("{}…", "👩‍🚀".repeat(39)));
    assert_eq!(alert("short"), "short");
    let right_to_left = "שלום ".repeat(60);
    assert!(alert(&right_to_left).encode_utf16().count() <= 200);
}

/// Three parts, nothing cut inside a grapheme, no link torn.
#[test]
fn nine_thousand_characters_are_three_parts() {
    let sentence = "It 👩‍🚀 fails at https://example.org/a/rather/long/path?with=a&query=string since Monday. ";
    let text = sentence.repeat(9_000 / sentence.chars().count()).trim_end().to_owned();
    let parts = reply(&text, None);
    assert_eq!(parts.len(), 3);
    for part in &parts {
        assert!(part.plain.encode_utf16().count() <= 4_096);
        assert!(part.plain.ends_with("Monday."), "{}", part.plain);
    }
    assert_eq!(
        without_space(&parts.iter().map(|part| part.plain.as_str()).collect::<String>()),
        without_space(&text)
    );
}

#[test]
fn nothing_is_still_something() {
    for text in ["", "  \n ", "🎉"] {
        let parts = reply(text, None);
        assert_eq!(parts.len(), 1);
        assert!(!parts[0].plain.trim().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Tags open and close in every part whatever the text holds, and without formatting the text is there unescaped.
    #[test]
    fn marks_are_ours(text in "(\\PC|[<>&@/]|b>|</code>|&amp;|\\n){0,300}", times in 1usize..40) {
        let text = text.repeat(times);
        for part in card(&model(&text), &ana(), Language::En).into_iter().chain(reply(&text, None)) {
            prop_assert!(part.plain.encode_utf16().count() <= 4_096);
            let tags = |tag: &str| part.html.matches(tag).count();
            prop_assert_eq!(tags("<b>"), tags("</b>"));
            prop_assert_eq!(tags("<code>"), tags("</code>"));
            let unmarked = ["<b>", "</b>", "<code>", "</code>", "<a href=\"tg://user?id=4711\">", "</a>"]
                .iter().fold(part.html.clone(), |html, tag| html.replace(tag, ""));
            prop_assert!(!unmarked.contains('<') && !unmarked.contains('>'));
            let read = unmarked.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            prop_assert_eq!(read, part.plain);
        }
    }
}
