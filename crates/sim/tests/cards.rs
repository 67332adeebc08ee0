//! What people see of workflows on each channel: cards and words of the acceptance scenarios, rendered for a terminal and
//! for Telegram, as the API gives them, and as the plain text that a channel without cards shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use throughline_channels::api::MessageView;
use throughline_channels::{telegram, terminal};
use throughline_engine::given::Paused;
use throughline_engine::lane::{MessageKind, Role};
use throughline_engine::workflow::CardModel;
use throughline_engine::{Lane, Millis, Record, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery, Settling};
use throughline_testkit::model::Restart;
use throughline_testkit::{Driver, DriverError, TurnSeen, World, parse, report, run};

const WIDTH: usize = 80;

/// A world that is looked at: what was seen, turn by turn.
struct Watched {
    inner: SimDriver,
    seen: Vec<TurnSeen>,
}

impl Watched {
    fn keep(&mut self, seen: TurnSeen) -> TurnSeen {
        self.seen.push(seen.clone());
        seen
    }
}

impl Driver for Watched {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.inner.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        let seen = self.inner.deliver(batch)?;
        Ok(self.keep(seen))
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        let seen = self.inner.advance(by)?;
        Ok(self.keep(seen))
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        let seen = self.inner.restart(how)?;
        Ok(self.keep(seen))
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        let seen = self.inner.settle_effect(settling)?;
        Ok(self.keep(seen))
    }

    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError> {
        let seen = self.inner.pause(switch)?;
        Ok(self.keep(seen))
    }

    fn amend(&mut self, lane: &str, records: Vec<Record>) -> Result<(), DriverError> {
        self.inner.amend(lane, records)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.inner.lane(name)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.inner.check(checker)
    }
}

/// What was seen of each turn of a scenario.
fn played(name: &str, scenario: &str) -> Vec<TurnSeen> {
    let scenario = parse(name, scenario).unwrap_or_else(|e| panic!("{e}"));
    let mut world = Watched { inner: SimDriver::new(), seen: Vec::new() };
    let done = run(&scenario, &mut world);
    assert!(done.passed(), "{}", report::human(&[done]));
    world.seen
}

/// The same of a scenario of the engine's.
fn seen(name: &str) -> Vec<TurnSeen> {
    let file = format!("../engine/tests/scenarios/{name}.scenario.yaml");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    played(name, &text)
}

fn view(role: Role, kind: Option<MessageKind>, text: &str, card: Option<&CardModel>) -> MessageView {
    let (text, card) = (text.into(), card.cloned());
    MessageView { id: "m_1".into(), role, by: None, kind, text, at: Timestamp(0), task: None, card }
}

/// The cards of a turn as they stood in the end, in the order they appeared.
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

/// Everything of a turn, on each channel.
fn everywhere(turn: &TurnSeen) -> String {
    let mut out = String::new();
    let mut section = |title: &str, text: &str| {
        let _ = writeln!(out, "──── {title}\n{text}");
    };
    for said in &turn.said {
        let view = view(Role::Assistant, said.kind, &said.text, None);
        section("terminal", &terminal::render(&view, WIDTH));
        section("Telegram", &on_telegram(&telegram::render::reply(&said.text, None)));
    }
    for told in &turn.told {
        section(&format!("to {} alone", told.to), &told.text);
    }
    for card in cards(turn) {
        let view = view(Role::Assistant, Some(MessageKind::Card), "", Some(card));
        section("terminal", &terminal::render_numbered(&view, Some(1), WIDTH));
        section("Telegram", &on_telegram(&telegram::render::card(card, &BTreeMap::new())));
        section("plain", &card.as_text());
    }
    out
}

/// Telegram's messages, the buttons in their rows.
fn on_telegram(parts: &[telegram::render::Part]) -> String {
    let rows = |part: &telegram::render::Part| {
        let row = |row: &Vec<telegram::render::Key>| {
            row.iter().map(|key| format!("[{}]", key.label)).collect::<Vec<_>>().join(" ")
        };
        part.keys.iter().map(row).collect::<Vec<_>>()
    };
    let whole = |part: &telegram::render::Part| [vec![part.html.clone()], rows(part)].concat().join("\n");
    parts.iter().map(whole).collect::<Vec<_>>().join("\n~~~~\n")
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

shows!(a_scope_gate_with_remember_ticked, "gate-remember", 1, 2);
shows!(a_remembered_mode_and_its_button, "gate-remember", 10, 11);
shows!(a_preview_that_fails_its_checks, "W14", 1);
shows!(a_preview_of_six_to_be_confirmed, "W6", 1);
shows!(a_preview_of_six_confirmed, "W6", 3);
shows!(six_skeletons_that_need_detail, "W26", 1);
shows!(a_long_batch, "batch-size-confirmed", 1);
shows!(editing_a_story, "W17", 3, 4);
shows!(a_receipt_of_six, "W6", 4);
shows!(a_receipt_with_one_that_failed_and_its_second_card, "W19", 3, 4);
shows!(a_batch_with_one_nobody_knows_of, "W24", 2);
shows!(a_review, "W16", 1);
shows!(a_patch_of_twenty_points, "W16", 2);
shows!(a_review_in_full, "W16", 3);
shows!(a_review_that_is_complete, "W4", 2);
shows!(a_decision_to_be_posted, "W23", 3);
shows!(a_decision_posted_and_commented, "W23", 9, 13);
shows!(which_issue_is_commented_on, "tracked", 14, 15);
shows!(the_issues_a_thread_tracks, "tracked", 1, 8);

/// What a client of the API is given is the model itself, a token on every button.
#[test]
fn the_api_gives_the_model() {
    let seen = seen("W19");
    let mut receipt = cards(&seen[2])[0].clone();
    let of_items = receipt.items.iter_mut().flat_map(|item| &mut item.buttons);
    for button in receipt.buttons.iter_mut().chain(of_items) {
        assert_eq!(button.token.replace("(a token)".into()).map(|token| token.len()), Some(22));
    }
    insta::assert_json_snapshot!(receipt);
}

/// `spec 06 §1`, P5: what a receipt is the hash of is what was approved.
#[test]
fn a_receipt_has_the_hash_that_was_approved() {
    for (scenario, preview, receipt) in [("W6", 3, 4), ("W19", 2, 3), ("W24", 1, 2)] {
        let seen = seen(scenario);
        let hash = |turn: usize| cards(&seen[turn - 1]).first().and_then(|card| card.hash.clone()).unwrap();
        assert_eq!(hash(preview), hash(receipt), "{scenario}");
    }
}

/// A batch of so many long stories, confirmed, approved, all of them created but one.
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

/// Whatever a batch holds, every message of it is one Telegram takes, and says all of it; in a terminal each line has room.
#[test]
fn a_batch_of_ten_and_of_fifty_stays_inside_the_limits() {
    for stories in [5, 9, 27, 49] {
        let seen = played("many", &batch(stories));
        for (n, turn) in seen.iter().enumerate() {
            for card in cards(turn).into_iter().filter(|card| !card.items.is_empty()) {
                let parts = telegram::render::card(card, &BTreeMap::new());
                telegram_takes(&parts);
                let keys = parts.last().unwrap().keys.concat();
                let asked = |card: &CardModel| card.items.iter().all(|item| !item.buttons.is_empty());
                if asked(card) {
                    assert!(keys.len() >= card.buttons.len() + card.items.len(), "each can be edited");
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
                let last = format!(
                    ":{} ",
                    card.buttons.len() + card.items.iter().map(|i| i.buttons.len()).sum::<usize>()
                );
                assert!(last == ":0 " || shown.contains(&last), "{last}");
            }
        }
        let (first, last) = (cards(&seen[0])[0], cards(&seen[3])[0]);
        assert_eq!((first.items.len(), last.items.len()), (stories + 1, stories + 1));
        assert!(last.title.starts_with(&format!("Created {stories} of {}", stories + 1)), "{}", last.title);
    }
}

/// The limits of `spec 07 §3.3` and our own of `§1`.
fn telegram_takes(parts: &[telegram::render::Part]) {
    for part in parts {
        assert!((1..=4_096).contains(&part.plain.encode_utf16().count()));
        assert!(part.keys.concat().len() <= 100);
        assert!(part.keys.iter().all(|row| (1..=8).contains(&row.len())));
        // Fifty items beside two latches are two rows more than is comfortable (`spec 07 §1`: 8).
        assert!(part.keys.len() <= 10, "{:#?}", part.keys);
        assert!(part.keys.concat().iter().all(|key| key.data.len() <= 64 && !key.label.is_empty()));
    }
    let (last, above) = parts.split_last().unwrap();
    assert!(above.iter().all(|part| part.keys.is_empty()), "the buttons stay together");
    assert!(parts.len() == 1 || last.plain.contains("above"), "{}", last.plain);
}
