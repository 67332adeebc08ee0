//! Updates of the real Telegram, recorded by others. They are read from their place and are not part of the project.

use serde_json::{Map, Value};
use throughline_channels::telegram::{Bot, inbound};
use throughline_engine::EventKind;
use throughline_fakes::telegram::{published_or_skipped, specs, violations};

const RECORDED: &str = "vercel-chat/packages/integration-tests/fixtures/replay/telegram.json";

#[test]
fn recorded_updates_are_read_as_what_they_are() {
    if !published_or_skipped() {
        return;
    }
    let recorded = std::fs::read_to_string(specs().join(RECORDED)).expect("it is beside the schema");
    let recorded: Map<String, Value> = serde_json::from_str(&recorded).unwrap();
    let text = |name: &str| recorded[name].as_str().unwrap();
    let bot = Bot {
        id: text("botUserId").parse().unwrap(),
        username: text("botName").into(),
        command: "maro".into(),
    };
    let mut said = Vec::new();
    for update in recorded.values().filter(|value| value.get("update_id").is_some()) {
        assert_eq!(violations("Update", update), [""; 0]);
        let read = inbound(update, &bot);
        assert_eq!(read.event.id, format!("tg:upd:{}:{}", bot.id, update["update_id"]));
        assert!(read.addressing.direct && !read.addressing.bot);
        let EventKind::MessagePosted(posted) = read.event.kind else { panic!("{read:?}") };
        said.push((posted.text, read.addressing.mentioned));
    }
    said.sort();
    assert_eq!(said, [("hi".to_owned(), true), ("how are you".to_owned(), false)]);
}
