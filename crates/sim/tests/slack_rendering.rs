//! Any card, form, Home and reply that is rendered for Slack is one that Slack takes, by the rules of the fake, and nothing
//! that is approved is cut without a button that shows all of it. `PROPTEST_CASES` is the number of cases.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use throughline_channels::direction::{steady, turns_text};
use throughline_channels::form::FormField;
use throughline_channels::slack::FormPlace;
use throughline_channels::slack::block_kit::{self, Block};
use throughline_channels::slack::render::{self, FormModel, Home, HomeEntry, Look, Message, SHOW_ALL};
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card_model::{Button, CardModel, Field, ItemModel};
use throughline_engine::data::field_error::FieldError;
use throughline_fakes::slack::{check_message, check_view, too_long};

/// The longest text of an update beside its blocks, in characters: Slack refuses a longer one.
const UPDATED_TEXT: usize = 4_000;
/// The largest view, in bytes of JSON.
const VIEW: usize = 250_000;

/// Pieces of texts: words, marks of Slack, characters that are more than one, that turn the direction or that are not seen.
const PIECES: [&str; 24] = [
    "a ",
    "word ",
    "&",
    "<",
    ">",
    "<!channel> ",
    "<@U1> ",
    "@ana ",
    "@everyone",
    "\n",
    "\n\n\n",
    "👩‍👩‍👧‍👦",
    "e\u{301}",
    "*x* _y_ ~z~ `c` ",
    "```",
    "https://x.org/a?b=1&c=2 ",
    "http://",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\t",
    ":smile: ",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "&amp;lt;!here&gt; ",
];

/// A text of at most that many characters.
fn text(most: usize) -> impl Strategy<Value = String> {
    let times = prop_oneof![6 => 0..3_usize, 2 => 3..40_usize, 1 => 40..4_000_usize];
    (vec(select(&PIECES[..]), 1..6), times).prop_map(move |(pieces, times)| {
        let unit = pieces.concat();
        let times = times.min(most / unit.chars().count() + 1);
        unit.repeat(times).chars().take(most).collect()
    })
}

/// A text that says something.
fn said(most: usize) -> impl Strategy<Value = String> {
    text(most).prop_map(|text| if text.trim().is_empty() { "x".into() } else { text })
}

fn button() -> impl Strategy<Value = Button> {
    (select(&Action::ALL[..]), said(90), option::of(said(300)), option::of(any::<bool>())).prop_map(
        |(action, label, blocked, on)| Button {
            action,
            name: format!("{label} of this card"),
            label,
            on,
            token: blocked.is_none().then(|| "dUkK6gJL61egst2uZvqf2w".into()),
            blocked,
        },
    )
}

fn field() -> impl Strategy<Value = Field> {
    let note = option::weighted(0.2, said(100));
    ("[a-z]{3,12}", said(60), text(20_000), note).prop_map(|(name, label, text, note)| Field {
        name,
        label,
        text,
        note,
    })
}

fn error() -> impl Strategy<Value = FieldError> {
    said(400).prop_map(|text| FieldError::new("check.required", "title", text))
}

fn link() -> impl Strategy<Value = Option<String>> {
    option::weighted(
        0.2,
        select(&["https://tracker.org/browse/A-1", "/lanes/1", "#"][..]).prop_map(String::from),
    )
}

prop_compose! {
    fn item()(
        number in 1..60_u32, title in text(255), state in prop_oneof![Just(String::new()), text(600)],
        fields in vec(field(), 0..3), errors in vec(error(), 0..2), buttons in vec(button(), 0..3), link in link(),
    ) -> ItemModel {
        ItemModel { id: format!("it_{number}"), label: format!("Story {number}"), title, state, fields, errors, buttons, link }
    }
}

/// The card of a batch, of a draft, of options, of a receipt.
fn any_card() -> impl Strategy<Value = CardModel> {
    let step = select(
        &[CardStep::DraftPreview, CardStep::MultiTicketPreview, CardStep::Options, CardStep::Receipt][..],
    );
    let items = prop_oneof![Just(0_usize), 1..4_usize, Just(50_usize)];
    let items = (items, vec(item(), 1..4))
        .prop_map(|(count, some)| some.iter().cycle().take(count).cloned().collect::<Vec<ItemModel>>());
    let parts = (said(400), vec(text(300), 0..6), vec(field(), 0..6), items);
    let rest = (vec(error(), 0..20), vec(button(), 0..8), link());
    (step, parts, rest).prop_map(|(step, (title, facts, fields, items), (errors, buttons, link))| CardModel {
        id: "ap_1".into(),
        step,
        version: 3,
        hash: Some("86a606e5".into()),
        title,
        facts,
        fields,
        items,
        errors,
        buttons,
        link,
        request: None,
        outline: Default::default(),
    })
}

/// Looks of a card: shown to people who are known, or not.
fn any_look() -> impl Strategy<Value = Look> {
    any::<bool>().prop_map(|known| Look {
        people: if known { BTreeMap::from([("ana".into(), "U1".into())]) } else { BTreeMap::new() },
        pages: known.then(|| "https://bot.example.org".into()),
        ..Look::default()
    })
}

/// Characters of a text without spaces, and without signs that only keep a client quiet.
fn bare(text: &str) -> String {
    let skipped = |c: &char| !c.is_whitespace() && *c != '\u{2060}';
    steady(text).chars().filter(skipped).collect()
}

/// Everything that a card asks to be approved, in pieces.
fn contents(card: &CardModel) -> Vec<String> {
    let mut all = vec![card.title.clone()];
    all.extend(card.hash.clone());
    all.extend(
        card.fields.iter().filter(|field| field.is_shown()).map(|field| field.shown_text().into_owned()),
    );
    for item in &card.items {
        all.extend([item.title.clone(), item.state.clone()]);
        all.extend(item.shown(card).map(|field| field.text.clone()));
        all.extend(item.listed_errors().map(FieldError::display_text));
    }
    all.extend(card.errors.iter().map(FieldError::display_text));
    all.extend(card.facts.clone());
    all
}

/// All text of blocks, as people read it.
fn read(value: &Value) -> String {
    match value {
        Value::Array(all) => all.iter().map(read).collect(),
        Value::Object(fields) if value["type"] == "user" => {
            assert_eq!(fields["user_id"], "U1");
            "@ana".into()
        }
        Value::Object(fields) if value["type"] == "mrkdwn" => {
            let text = fields["text"].as_str().unwrap_or_default();
            let text = text.replace("<@U1>", "@ana");
            assert!(!text.contains(['<', '>']), "{text}");
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        }
        Value::Object(fields) => match fields.get("text") {
            Some(Value::String(text)) => text.clone(),
            _ => fields.values().map(read).collect(),
        },
        _ => String::new(),
    }
}

fn lacking(shown: &str, contents: &[String]) -> Option<String> {
    let shown = bare(shown);
    contents.iter().find(|piece| !shown.contains(&bare(piece))).cloned()
}

fn takes(message: &Message) -> Result<(), TestCaseError> {
    let wrong = check_message(&json!(message.blocks));
    prop_assert!(wrong.is_empty(), "{:?}", wrong);
    prop_assert!(!too_long(&message.blocks));
    prop_assert!((1..=UPDATED_TEXT).contains(&message.text.chars().count()), "{}", message.text);
    all_known(&message.blocks)
}

/// A preview knows each block, and shows none as JSON.
fn all_known(blocks: &[Value]) -> Result<(), TestCaseError> {
    for block in block_kit::read(blocks) {
        prop_assert!(!matches!(block, Block::Unknown { .. }), "{:?}", block);
    }
    Ok(())
}

fn takes_view(view: &Value) -> Result<(), TestCaseError> {
    let wrong = check_view(view);
    prop_assert!(wrong.is_empty(), "{:?}", wrong);
    all_known(view["blocks"].as_array().map(Vec::as_slice).unwrap_or_default())?;
    prop_assert!(view.to_string().len() <= VIEW);
    Ok(())
}

/// Nothing that is shown turns the direction of a text, in no place of it.
fn nothing_turns(shown: &Value) -> Result<(), TestCaseError> {
    prop_assert!(!shown.to_string().contains(turns_text));
    Ok(())
}

/// The number of cases: few in a test run, or as many as the environment says.
#[expect(clippy::disallowed_methods, reason = "how much is tried is the test's own setting")]
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(24);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn slack_takes_any_card_and_nothing_of_it_is_cut_silently(card in any_card(), look in any_look(), smaller: bool) {
        let message = render::card(&card, &look, smaller);
        takes(&message)?;
        let blocks = json!(message.blocks);
        nothing_turns(&blocks)?;
        let contents = contents(&card);
        let all = blocks.to_string().contains(SHOW_ALL);
        if !all {
            prop_assert_eq!(lacking(&read(&blocks), &contents), None);
        }
        if let Some(view) = render::full_view(&card, &look) {
            takes_view(&view)?;
            nothing_turns(&view)?;
            prop_assert_eq!(lacking(&read(&view["blocks"]), &contents), None);
        }
        let whole = render::full_text(&card, &look);
        prop_assert!(!whole.contains(turns_text));
        prop_assert_eq!(lacking(&whole, &contents), None);
    }

    #[test]
    fn slack_takes_any_reply_and_all_of_it_is_there(text in text(60_000)) {
        let parts = render::reply(&text);
        for part in &parts {
            takes(part)?;
            nothing_turns(&json!(part.blocks))?;
        }
        let shown: String = parts.iter().map(|part| read(&json!(part.blocks))).collect();
        if !text.trim().is_empty() {
            prop_assert_eq!(bare(&shown), bare(&text));
        }
    }

    #[test]
    fn slack_takes_any_form(
        title in text(60), fields in vec((said(2_500), text(4_000), any::<bool>(), vec(text(500), 0..3)), 0..12),
    ) {
        let field = |(n, (label, text, long, faults)): (usize, (String, String, bool, Vec<String>))| {
            FormField { name: format!("field_{n}"), label, text, long, faults }
        };
        let place = FormPlace { token: "dUkK6gJL61egst2uZvqf2w".into(), channel: "C1".into(), thread: "17.004".into() };
        let values = fields.iter().enumerate().map(|(n, field)| (format!("field_{n}"), field.1.clone())).collect();
        let fields: Vec<FormField> = fields.into_iter().enumerate().map(field).collect();
        let view = render::form(&FormModel { title, place, fields }, Look::default().language);
        takes_view(&view)?;
        let outdated = render::outdated(&values, Some("It was approved meanwhile."), Look::default().language);
        takes_view(&outdated)?;
        let typed: Vec<String> = values.into_values().collect();
        prop_assert_eq!(lacking(&read(&outdated["blocks"]), &typed), None);
    }

    #[test]
    fn slack_takes_any_home(waiting in vec((text(4_000), link()), 0..40), modes in vec(text(300), 0..30), command in "[a-z/]{1,20}") {
        let entry = |(text, link): (String, Option<String>)| HomeEntry { text, link, ..HomeEntry::default() };
        let mode = |text: String| HomeEntry { text, clear: Some("C1:17.004".into()), ..HomeEntry::default() };
        let threads: Vec<HomeEntry> = waiting.iter().cloned().map(entry).collect();
        let model = Home {
            waiting: waiting.into_iter().map(entry).collect(),
            modes: modes.into_iter().map(mode).collect(),
            threads,
            command,
        };
        let view = render::home(&model, Look::default().language);
        takes_view(&view)?;
        nothing_turns(&view)?;
    }
}
