//! Snapshots of workflows on each channel: cards and messages of scenarios, rendered for a terminal, for Telegram and for
//! Slack, as the API returns them, and as the plain text of a channel without cards.

#[path = "shared/between.rs"]
mod between;
#[path = "shared/blocks.rs"]
mod blocks;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use between::{Between, Through};
use throughline_channels::api::MessageView;
use throughline_channels::slack::render::Look;
use throughline_channels::{slack, telegram, terminal};
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::message::{MessageKind, Role};
use throughline_engine::{Language, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{DriverError, TurnSeen, parse, report, run};

const WIDTH: usize = 80;

/// Observations, turn by turn.
#[derive(Default)]
struct Watched(Vec<TurnSeen>);

impl Between for Watched {
    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        self.0.push(seen.clone());
        Ok(seen)
    }
}

/// Returns the observations of each turn of a scenario.
fn played(name: &str, scenario: &str) -> Vec<TurnSeen> {
    let scenario = parse(name, scenario).unwrap_or_else(|e| panic!("{e}"));
    let mut world = Through::new(SimDriver::new(), Watched::default());
    let done = run(&scenario, &mut world);
    assert!(done.passed(), "{}", report::human(&[done]));
    world.between.0
}

/// Returns the observations of each turn of a scenario file of the engine.
fn seen(name: &str) -> Vec<TurnSeen> {
    let file = format!("../engine/tests/scenarios/{name}.scenario.yaml");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    played(name, &text)
}

fn view(role: Role, kind: Option<MessageKind>, text: &str, card: Option<&CardModel>) -> MessageView {
    let (text, card) = (text.into(), card.cloned());
    MessageView { id: "m_1".into(), role, by: None, kind, text, at: Timestamp(0), task: None, card }
}

/// Returns the cards of a turn in their last state, in the order they appeared.
fn cards(turn: &TurnSeen) -> Vec<&CardModel> {
    let mut last: Vec<&CardModel> = Vec::new();
    for seen in &turn.cards {
        match last.iter_mut().find(|card| card.id == seen.card.id) {
            Some(card) => *card = &seen.card,
            None => last.push(&seen.card),
        }
    }
    last
}

/// Renders everything of a turn, on each channel.
fn everywhere(turn: &TurnSeen) -> String {
    let mut out = String::new();
    let mut section = |title: &str, text: &str| {
        let _ = writeln!(out, "──── {title}\n{text}");
    };
    for said in &turn.messages {
        let view = view(Role::Assistant, said.kind, &said.text, None);
        section("terminal", &terminal::render(&view, WIDTH));
        section("Telegram", &on_telegram(&telegram::render::reply(&said.text, None)));
        section("Slack", &on_slack(&slack::render::reply(&said.text)));
    }
    for told in &turn.notices {
        section(&format!("to {} alone", told.to), &told.text);
    }
    for card in cards(turn) {
        let view = view(Role::Assistant, Some(MessageKind::Card), "", Some(card));
        section("terminal", &terminal::render_numbered(&view, Some(1), WIDTH));
        section("Telegram", &on_telegram(&telegram::render::card(card, &BTreeMap::new(), Language::En)));
        section("Slack", &on_slack(&[slack::render::card(card, &Look::default(), false)]));
        section("plain", &card.as_text());
    }
    out
}

/// Telegram's messages, the buttons in their rows.
fn on_telegram(parts: &[telegram::render::Part]) -> String {
    let rows = |part: &telegram::render::Part| {
        let row = |row: &Vec<telegram::render::InlineButton>| {
            row.iter().map(|key| format!("[{}]", key.label)).collect::<Vec<_>>().join(" ")
        };
        part.keys.iter().map(row).collect::<Vec<_>>()
    };
    let whole = |part: &telegram::render::Part| [vec![part.html.clone()], rows(part)].concat().join("\n");
    parts.iter().map(whole).collect::<Vec<_>>().join("\n~~~~\n")
}

/// Slack's messages, their blocks one below the other.
fn on_slack(messages: &[slack::render::Message]) -> String {
    messages.iter().map(|message| blocks::written(&message.blocks)).collect::<Vec<_>>().join("\n~~~~\n")
}

/// A snapshot of these turns, counted from 1.
macro_rules! shows {
    ($name:ident, $scenario:expr, $($turn:expr),+) => {
        #[test]
        fn $name() {
            let seen = seen($scenario);
            let shown: Vec<String> =
                [$($turn),+].iter().map(|turn: &usize| everywhere(&seen[turn - 1])).collect();
            insta::assert_snapshot!(shown.join("════\n"));
        }
    };
}

shows!(a_scope_gate_with_remember_ticked, "gate/remember-is-ticked-before-choosing", 1, 2);
shows!(a_remembered_mode_and_its_button, "gate/remember-is-ticked-before-choosing", 10, 11);
shows!(one_conversation, "channels/one-conversation-on-each-channel", 1, 2, 3, 4, 5);
shows!(a_preview_that_fails_its_checks, "tickets/missing-required-field-is-shown-before-creating", 1);
shows!(a_preview_of_six_to_be_confirmed, "batches/epic-with-stories-is-created-and-linked", 1);
shows!(a_preview_of_six_confirmed, "batches/epic-with-stories-is-created-and-linked", 3);
shows!(six_skeletons_that_need_detail, "batches/stories-without-content-are-asked-for", 1);
shows!(a_long_batch, "batches/long-batch-confirmed-as-one", 1);
shows!(editing_a_story, "batches/one-story-edited-by-form-and-words", 3, 4);
shows!(a_receipt_of_six, "batches/epic-with-stories-is-created-and-linked", 4);
shows!(a_receipt_with_one_that_failed_and_its_second_card, "batches/refused-item-can-be-retried", 3, 4);
shows!(a_batch_with_one_nobody_knows_of, "batches/tracker-outage-during-a-batch", 2);
shows!(a_review, "reviews/long-feedback-is-cut-to-twelve-points", 1);
shows!(a_patch_of_twenty_points, "reviews/long-feedback-is-cut-to-twelve-points", 2);
shows!(a_review_in_full, "reviews/long-feedback-is-cut-to-twelve-points", 3);
shows!(a_review_that_is_complete, "reviews/thanks-completes-the-review", 2);
shows!(a_decision_to_be_posted, "decisions/posted-once-with-receipt", 3);
shows!(a_decision_posted_and_commented, "decisions/posted-once-with-receipt", 9, 13);
shows!(which_issue_is_commented_on, "tracker/tracked-issues-and-comments", 14, 15);
shows!(the_issues_a_thread_tracks, "tracker/tracked-issues-and-comments", 1, 8);

/// A client of the API gets the card model itself, with a token on every button.
#[test]
fn the_api_gives_the_model() {
    let seen = seen("batches/refused-item-can-be-retried");
    let mut receipt = cards(&seen[2])[0].clone();
    let of_items = receipt.items.iter_mut().flat_map(|item| &mut item.buttons);
    for button in receipt.buttons.iter_mut().chain(of_items) {
        assert_eq!(button.token.replace("(a token)".into()).map(|token| token.len()), Some(22));
    }
    insta::assert_json_snapshot!(receipt);
}

/// The hash on a receipt is that of the approved content: docs/design/0032-approvals.md.
#[test]
fn a_receipt_has_the_hash_that_was_approved() {
    const SHOWN: [(&str, usize, usize); 3] = [
        ("batches/epic-with-stories-is-created-and-linked", 3, 4),
        ("batches/refused-item-can-be-retried", 2, 3),
        ("batches/tracker-outage-during-a-batch", 1, 2),
    ];
    for (scenario, preview, receipt) in SHOWN {
        let seen = seen(scenario);
        let hash = |turn: usize| cards(&seen[turn - 1]).first().and_then(|card| card.hash.clone()).unwrap();
        assert_eq!(hash(preview), hash(receipt), "{scenario}");
    }
}

/// Returns the turns of a batch of long stories that is confirmed and approved; all are created but one.
fn batch(stories: usize) -> String {
    let mut text =
        String::from("      Problem: nobody can sign in\n      Acceptance criteria: everybody can");
    for n in 1..=stories {
        let why = "so that nothing is lost on the way home ".repeat(18);
        let _ = write!(
            text,
            "\n      - As a customer I want to see list {n}, {why}\n        Acceptance criteria: 👩‍🚀 list {n} is there"
        );
    }
    format!(
        "scenario: many\ngiven:\n  users: {{ ana: {{ may: [approve] }} }}\n  tracker: {{ project: AUTH, fail: [ok, rejected] }}\nturns:\n  \
         - ana: |-\n      Create an epic with {stories} stories for auth\n{text}\n  \
         - ana: {{ press: confirm_quantity }}\n  - ana: {{ press: confirm_size }}\n  - ana: {{ press: approve }}\n"
    )
}

/// Telegram accepts every message of any batch, and the messages show all of it; in a terminal no line is too long.
#[test]
fn a_batch_of_ten_and_of_fifty_stays_inside_the_limits() {
    for stories in [5, 9, 27, 49] {
        let seen = played("many", &batch(stories));
        for (n, turn) in seen.iter().enumerate() {
            for card in cards(turn).into_iter().filter(|card| !card.items.is_empty()) {
                let parts = telegram::render::card(card, &BTreeMap::new(), Language::En);
                telegram_takes(&parts);
                let keys = parts.last().unwrap().keys.concat();
                let pressable = card.buttons.iter().filter(|button| button.blocked.is_none()).count();
                let asked = |card: &CardModel| card.items.iter().all(|item| !item.buttons.is_empty());
                if asked(card) {
                    assert!(keys.len() >= pressable + card.items.len(), "each can be edited");
                }
                let words = |text: &str| text.split_whitespace().collect::<String>();
                let said: String = parts.iter().map(|part| words(&part.plain)).collect();
                for item in &card.items {
                    let shown = item.shown(card).map(|field| words(&field.text)).chain([words(&item.title)]);
                    for text in shown {
                        assert!(said.contains(&text), "turn {n} of {stories}: {text} in {said}");
                    }
                }
                let view = view(Role::Assistant, Some(MessageKind::Card), "", Some(card));
                let shown = terminal::render(&view, WIDTH);
                let last =
                    format!(":{} ", pressable + card.items.iter().map(|i| i.buttons.len()).sum::<usize>());
                assert!(last == ":0 " || shown.contains(&last), "{last}");
            }
        }
        let (first, last) = (cards(&seen[0])[0], cards(&seen[3])[0]);
        assert_eq!((first.items.len(), last.items.len()), (stories + 1, stories + 1));
        assert!(last.title.starts_with(&format!("Created {stories} of {}", stories + 1)), "{}", last.title);
    }
}

/// Telegram's limits, and our own on rows of buttons: docs/design/0035-channels.md.
fn telegram_takes(parts: &[telegram::render::Part]) {
    for part in parts {
        assert!((1..=4_096).contains(&part.plain.encode_utf16().count()));
        assert!(part.keys.concat().len() <= 100);
        assert!(part.keys.iter().all(|row| (1..=8).contains(&row.len())));
        // Fifty items beside two latches are two rows more than the eight that a card should have.
        assert!(part.keys.len() <= 10, "{:#?}", part.keys);
        assert!(part.keys.concat().iter().all(|key| key.data.len() <= 64 && !key.label.is_empty()));
    }
    let (last, above) = parts.split_last().unwrap();
    assert!(above.iter().all(|part| part.keys.is_empty()), "the buttons stay together");
    assert!(parts.len() == 1 || last.plain.contains("above"), "{}", last.plain);
}
