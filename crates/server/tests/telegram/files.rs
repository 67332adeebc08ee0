//! Photographs, files and voice messages: they are not read, and the person is told.

use throughline_engine::EventKind;

use crate::world::{ANA, BOB, TEAM, World, ticket};

#[tokio::test]
async fn what_cannot_be_read_is_said() {
    let mut w = World::new().await;
    for (kind, called) in [
        ("photo", "photo"),
        ("document", "file plan.pdf"),
        ("voice", "voice message"),
        ("sticker", "sticker"),
        ("location", "place"),
    ] {
        w.telegram.sends_file(ANA, ANA, kind, "");
        w.calm().await;
        let said = w.telegram.bot_messages(ANA).pop().unwrap_or_else(|| panic!("silence on a {kind}"));
        assert!(said.text.contains(&format!("did not look at this: {called}.")), "{kind}: {}", said.text);
    }
    assert_eq!(w.telegram.bot_messages(ANA).len(), 5, "one answer each, and no gate");
    assert_eq!(w.reasons(&w.lane(ANA, "")).await, ["message.unread"; 5]);
    w.well();
}

/// The caption of a picture is the message; metadata of the picture is stored with it.
#[tokio::test]
async fn a_caption_is_the_message() {
    let mut w = World::new().await;
    w.telegram.sends_file(TEAM, ANA, "document", &ticket("a CSV export"));
    w.telegram.sends_file(TEAM, ANA, "photo", "/status");
    w.calm().await;
    assert!(w.telegram.card(TEAM).unwrap().text.contains("a CSV export"));
    let said = w.telegram.bot_messages(TEAM);
    let told = |text: &str| said.iter().filter(|shown| shown.text.contains(text)).count();
    assert_eq!((told("did not look at this: file plan.pdf."), told("did not look at this: photo.")), (1, 1));
    let turns = w.turns(&w.lane(TEAM, "")).await;
    let first = turns[0].content.as_ref().unwrap();
    let EventKind::MessagePosted(posted) = &first.event.kind else { panic!("{first:?}") };
    assert_eq!(posted.files[0].mime.as_deref(), Some("application/pdf"));
    assert_eq!((posted.files[0].name.as_deref(), posted.files[0].bytes), (Some("plan.pdf"), Some(4_711)));
    w.well();
}

#[tokio::test]
async fn a_picture_for_others_is_left_alone() {
    let mut w = World::new().await;
    w.telegram.sends_file(TEAM, BOB, "photo", "");
    w.telegram.sends_file(TEAM, BOB, "photo", "look at this");
    w.calm().await;
    assert_eq!(w.telegram.calls_of("sendMessage"), []);
    w.well();
}
