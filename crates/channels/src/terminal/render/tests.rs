//! Snapshots of rendered cards, and properties of any text.

use proptest::prelude::*;
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::field_error::FieldError;
use throughline_engine::{Language, Timestamp};

use super::*;

fn message(role: Role, kind: Option<MessageKind>, text: &str) -> MessageView {
    MessageView {
        id: "m_1".into(),
        role,
        by: None,
        kind,
        text: text.into(),
        at: Timestamp(0),
        task: None,
        card: None,
    }
}

fn button(action: Action, on: Option<bool>) -> Button {
    let label = action.label(Language::En);
    Button {
        action,
        name: label.clone(),
        label,
        on,
        blocked: None,
        token: Some("dUkK6gJL61egst2uZvqf2w".into()),
    }
}

fn field(label: &str, text: &str) -> Field {
    Field::new(&label.to_lowercase(), label, text)
}

fn shown(card: CardModel) -> MessageView {
    MessageView { card: Some(card), ..message(Role::Assistant, Some(MessageKind::Card), "the card as text") }
}

fn card(step: CardStep, title: &str) -> CardModel {
    CardModel {
        id: "ap_1".into(),
        step,
        version: 1,
        hash: None,
        title: title.into(),
        facts: Vec::new(),
        fields: Vec::new(),
        items: Vec::new(),
        errors: Vec::new(),
        buttons: Vec::new(),
        link: None,
        request: None,
        outline: Default::default(),
    }
}

fn preview() -> CardModel {
    CardModel {
        hash: Some("86a606e5".into()),
        facts: [
            "asked by @ana",
            "checks passed 10:01",
            "may approve: @pm-team",
            "until 29 Jan 10:01",
            "1 item, 171 characters",
        ]
        .map(String::from)
        .into(),
        fields: vec![
            field("Title", "Log-in fails with SSO"),
            field(
                "Steps to reproduce",
                "1. Open the log-in page\n2. Choose SSO and sign in with a company account\n3. Wait",
            ),
            field("Expected", "The dashboard opens"),
            field(
                "Actual",
                "A blank page, and the address bar still says /callback?code=… after a minute of waiting",
            ),
        ],
        buttons: vec![
            button(Action::Approve, None),
            button(Action::Edit, None),
            button(Action::Reject, None),
        ],
        ..card(CardStep::DraftPreview, "Create 1 bug in DEMO?")
    }
}

#[test]
fn a_preview() {
    insta::assert_snapshot!(render(&shown(preview()), 80));
}

#[test]
fn a_preview_with_its_number_on_a_narrow_terminal() {
    insta::assert_snapshot!(render_numbered(&shown(preview()), Some(2), 38));
}

#[test]
fn a_preview_whose_checks_failed() {
    let error = FieldError::new("check.required", "acceptance", "Acceptance criteria is required");
    let mut card = preview();
    card.facts = vec!["asked by @ana".into(), "checks failed: nothing has been created".into()];
    card.errors = vec![error];
    card.buttons.remove(0);
    insta::assert_snapshot!(render(&shown(card), 80));
}

#[test]
fn a_scope_gate() {
    let mut gate = card(CardStep::ScopeGate, "What should I do with this?");
    gate.facts = vec!["“the log-in thing again”".into()];
    gate.buttons = vec![
        button(Action::SelectReview, None),
        button(Action::SelectTicket, None),
        button(Action::Dismiss, None),
        button(Action::Remember, Some(true)),
    ];
    insta::assert_snapshot!(render(&shown(gate), 60));
}

#[test]
fn a_list_of_options() {
    let item = |(n, label, state): (usize, &str, &str)| ItemModel {
        id: format!("opt-{n}"),
        label: format!("{n}"),
        title: label.into(),
        state: state.into(),
        fields: Vec::new(),
        errors: Vec::new(),
        buttons: [Button { label: label.into(), ..button(Action::Option, None) }].into(),
        link: None,
    };
    let mut list = card(CardStep::Options, "Which of these in Recent?");
    list.items =
        [(1, "Budget", ""), (2, "sample2", "a draft of ana's"), (3, "Road\nmap", "")].map(item).into();
    list.buttons = vec![button(Action::NoneOfThese, None), button(Action::Leave, None)];
    let rendered = render(&shown(list.clone()), 60);
    insta::assert_snapshot!(rendered);
    // The button shown as 2 is the one that `:2` presses.
    let pressed = |n| crate::terminal::pick(std::slice::from_ref(&list), None, n).unwrap().label.clone();
    assert_eq!((pressed(2), pressed(4)), ("sample2".into(), "None of these".into()));
}

#[test]
fn a_review() {
    let mut review = card(CardStep::ReviewActive, "Architecture review: orders in Postgres");
    review.version = 2;
    review.facts =
        ["v2", "asked by @ana", "checklist, no model: only what this thread states"].map(String::from).into();
    review.fields = vec![
        field("Decisions", "• We will use Postgres for orders."),
        field(
            "Open questions",
            "• What about backups?\n• Who owns the schema, and who may change it while reports are being made?",
        ),
        field(
            "Checklist",
            "Data and where it lives: “We will use Postgres for orders.”\nAlternatives considered: not stated",
        ),
    ];
    let actions = [Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish];
    review.buttons = actions.map(|action| button(action, None)).into();
    insta::assert_snapshot!(render(&shown(review), 80));
}

#[test]
fn a_receipt() {
    let mut receipt = card(CardStep::Receipt, "Created in DEMO · asked by @ana · approved by @mia 10:02");
    receipt.hash = Some("86a606e5".into());
    receipt.fields = vec![field("Title", "Log-in fails with SSO")];
    receipt.link = Some("/tracker/DEMO-1".into());
    insta::assert_snapshot!(render(&shown(receipt), 80));
}

#[test]
fn words_of_each_role() {
    let table = [
        (message(Role::User, None, "please file that"), "> please file that"),
        (message(Role::Assistant, Some(MessageKind::Answer), "Done.\n\nNext?"), "Done.\n\nNext?"),
        (message(Role::Assistant, Some(MessageKind::Notification), "Still at it"), "· Still at it"),
    ];
    for (view, expected) in table {
        assert_eq!(render(&view, 80), expected);
    }
    assert_eq!(
        render(&message(Role::User, None, "one two three four five"), 20),
        "> one two three four\n  five"
    );
}

#[test]
fn a_hostile_text_is_shown_and_not_obeyed() {
    let mut card = preview();
    card.title = "Create\u{1b}[2K 1 bug".into();
    card.fields = vec![field("Title", "ok\r\u{1b}[1A:1 Approve\u{202e}")];
    let text = render(&shown(card), 80);
    assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']), "{text:?}");
    assert!(text.contains("␛[1A"));
}

fn any_card() -> impl Strategy<Value = CardModel> {
    let text = || prop_oneof!["\\PC{0,60}", any::<String>(), "([a-z]{1,9} ){0,30}"];
    (
        text(),
        prop::collection::vec(text(), 0..4),
        prop::collection::vec((text(), text()), 0..4),
        prop::collection::vec(text(), 0..5),
        prop::option::of(text()),
        any::<bool>(),
    )
        .prop_map(|(title, facts, fields, buttons, link, hashed)| CardModel {
            hash: hashed.then(|| "86a606e5".into()),
            facts,
            fields: fields.iter().map(|(label, text)| field(label, text)).collect(),
            buttons: buttons
                .into_iter()
                .map(|label| Button { label, ..button(Action::Approve, None) })
                .collect(),
            link,
            ..card(CardStep::DraftPreview, &title)
        })
}

proptest! {
    #[test]
    fn any_card_is_safe_lines(card in any_card(), number in prop::option::of(0usize..99), width in 0usize..120) {
        for line in render_numbered(&shown(card), number, width).split('\n') {
            prop_assert!(line.chars().all(|c| !c.is_control()), "{line:?}");
        }
    }

    #[test]
    fn only_its_buttons_look_like_buttons(card in any_card(), width in 20usize..120) {
        let buttons = card.buttons.len();
        let text = render(&shown(CardModel { title: "Create?".into(), facts: Vec::new(), ..card }), width);
        let like = text.split('\n').filter(|line| line.starts_with(":1 ")).count();
        prop_assert!(like <= buttons.min(1), "{text}");
    }

    #[test]
    fn a_card_of_short_words_is_inside_the_width(
        words in "([a-z]{1,12} ){1,40}",
        parts in prop::collection::vec(("[a-z]{1,12}( [a-z]{1,12})?", "([a-z]{1,12}[ \n]){0,40}"), 0..5),
        number in prop::option::of(1usize..99),
        width in 20usize..120,
    ) {
        let model = CardModel {
            title: words.clone(),
            hash: Some("86a606e5".into()),
            facts: parts.iter().map(|(label, _)| label.clone()).collect(),
            fields: parts.iter().map(|(label, text)| field(label, text)).collect(),
            errors: vec![FieldError::new("check.value", "title", words)],
            buttons: parts.iter().map(|(label, _)| Button { label: label.clone(), ..button(Action::Edit, Some(true)) }).collect(),
            ..card(CardStep::DraftPreview, "")
        };
        for line in render_numbered(&shown(model), number, width).split('\n') {
            prop_assert!(cells(line) <= width, "{line:?}");
        }
    }

    #[test]
    fn any_words_wrap_inside_the_width(text in "([a-z]{1,12}[ \n]){0,60}", width in 20usize..100) {
        let view = message(Role::Assistant, Some(MessageKind::Answer), &text);
        for line in render(&view, width).split('\n') {
            prop_assert!(cells(line) <= width, "{line:?}");
        }
    }

    #[test]
    fn no_letter_of_a_text_is_lost(text in "[a-z é日\n]{0,200}", width in 0usize..60) {
        let view = message(Role::Assistant, Some(MessageKind::Answer), &text);
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(letters(&render(&view, width)), letters(&text));
    }
}
