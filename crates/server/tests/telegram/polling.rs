//! Polling: no update is confirmed before its commit, and one process leads.

use std::sync::Arc;

use throughline_channels::telegram::{BotToken, Client, menu, outbound};
use throughline_fakes::telegram::{FakeTelegram, Fault};
use throughline_server::finding::State;
use throughline_server::telegram::{Polled, examine};
use throughline_store::{MemoryStore, SqliteStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::{ANA, TEAM, World, ticket, work};

/// The process is killed between receipt and commit, and once more between commit and the next poll; there is one
/// turn.
#[tokio::test]
async fn tg2_an_update_is_fetched_again_until_it_is_committed() {
    let mut w = World::new().await;
    w.telegram.says(ANA, ANA, "/status");
    // Received and not handled, as a killed process leaves it.
    let client = Client::new(&w.telegram.url(), true, BotToken::read(FakeTelegram::TOKEN).unwrap()).unwrap();
    let received = client.call(&outbound::get_updates(None, 0)).await.attempt();
    assert!(format!("{received:?}").contains("/status"));
    assert_eq!(w.telegram.waiting(), 1);
    w.poller.once(0).await.unwrap();
    assert_eq!(w.telegram.waiting(), 1, "committed, not yet confirmed");
    w.restart().await;
    w.calm().await;
    assert_eq!(w.telegram.waiting(), 0);
    assert_eq!(w.reasons(&w.lane(ANA, "")).await, ["command.status"]);
    assert_eq!(w.telegram.bot_messages(ANA).len(), 1);
    w.well();
}

#[tokio::test]
async fn tg15_one_of_two_instances_polls() {
    let mut w = World::new().await;
    let (instance, mut beside) = w.beside().await;
    w.telegram.says(ANA, ANA, "/status");
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Updates(1));
    let Polled::Standby(until) = beside.once(0).await.unwrap() else { panic!() };
    assert!(until > throughline_store::Clock::now(&*w.clock));
    w.telegram.says(ANA, ANA, "/why");
    // The leader has ended, and its lease has expired.
    w.clock.set(until);
    assert_eq!(
        beside.once(0).await.unwrap(),
        Polled::Updates(2),
        "what was taken but not confirmed comes again"
    );
    assert!(matches!(w.poller.once(0).await.unwrap(), Polled::Standby(_)));
    while work(&instance).await {}
    assert_eq!(w.reasons(&w.lane(ANA, "")).await, ["command.status", "command.why"], "none lost, none twice");
    // A poller that stops gives up its lease at once.
    beside.resign().await;
    assert!(matches!(w.poller.once(0).await.unwrap(), Polled::Updates(_)));
}

/// A killed process gave nothing up; the next one polls at once, because only one process has the store open.
#[tokio::test]
async fn the_lead_of_a_killed_process_is_taken_at_once() {
    let mut w = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    w.over(Arc::new(SqliteStore::open(&path, w.clock.clone()).unwrap())).await;
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Updates(0));
    let (_instance, mut beside) = w.beside().await;
    assert!(matches!(beside.once(0).await.unwrap(), Polled::Standby(_)), "in the same process it stands by");
    drop((_instance, beside));
    w.over(Arc::new(MemoryStore::new(w.clock.clone()))).await;
    w.over(Arc::new(SqliteStore::open(&path, w.clock.clone()).unwrap())).await;
    w.telegram.says(ANA, ANA, "/status");
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Updates(1), "without waiting for the lease to end");
}

/// An instance that cannot poll yet is not ready.
// On one thread the question is answered before the menu of commands is, which comes before the first poll.
#[tokio::test]
async fn it_is_not_ready_before_it_listens() {
    let mut w = World::new().await;
    w.poller.once(0).await.unwrap();
    let (instance, _) = w.beside().await;
    let (ready, bound) = tokio::sync::oneshot::channel();
    let serving = tokio::spawn(async move {
        let told = |address: std::net::SocketAddr| {
            let _ = ready.send(address);
        };
        throughline_server::serve_instance(instance, told, std::future::pending()).await
    });
    let bound = bound.await.unwrap();
    let mut stream = tokio::net::TcpStream::connect(bound).await.unwrap();
    let ask = format!("GET /readyz HTTP/1.1\r\nHost: {bound}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("TL-2011"), "{answer}");
    serving.abort();
}

/// A lead that was taken while the clock was a year ahead keeps nobody out once it is right.
#[tokio::test]
async fn a_lead_from_the_future_is_over() {
    let mut w = World::new().await;
    let (_instance, mut beside) = w.beside().await;
    let year = 365 * throughline_engine::Timestamp::DAY;
    w.clock.advance(year);
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Updates(0));
    assert!(matches!(beside.once(0).await.unwrap(), Polled::Standby(_)));
    w.clock.advance(-year);
    assert_eq!(beside.once(0).await.unwrap(), Polled::Updates(0));
    assert!(matches!(w.poller.once(0).await.unwrap(), Polled::Standby(_)));
}

/// Another program polls with our token.
#[tokio::test]
async fn a_conflict_is_said_and_explained() {
    let mut w = World::new().await;
    let conflict = || {
        let why = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
        Fault::Refuse(409, why.into())
    };
    w.telegram.fail_next("getUpdates", None, conflict());
    assert!(
        matches!(w.poller.once(0).await.unwrap(), Polled::Conflict(why) if why.contains("other getUpdates"))
    );
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Updates(0), "and it goes on");
    w.telegram.fail_next("getUpdates", None, conflict());
    let found = examine(&w.instance.config, true).await;
    let updates = found.iter().find(|finding| finding.what == "telegram updates").unwrap();
    assert!(updates.state == State::Broken && updates.found.contains("another program"), "{updates:?}");
    assert!(updates.fix.as_ref().unwrap().contains("TL-3204"));
    // Telegram refuses the token.
    w.telegram.fail_next("getUpdates", None, Fault::Refuse(401, "Unauthorized".into()));
    assert_eq!(w.poller.once(0).await.unwrap(), Polled::Unauthorized);
}

/// With a webhook set polling fails with `TL-3203`, which names the remedy.
#[tokio::test]
async fn polling_beside_a_webhook_does_not_start() {
    let w = World::new().await;
    w.telegram.set_webhook("https://elsewhere.example.org/hook", None);
    let (instance, _) = w.beside().await;
    let refused =
        throughline_server::serve_instance(instance, |_| {}, std::future::pending()).await.unwrap_err();
    assert_eq!(refused.code().id(), "TL-3203");
    assert!(refused.to_string().contains("throughline telegram setup"), "{refused}");
    let found = examine(&w.instance.config, true).await;
    assert!(
        found.iter().any(|finding| finding.state == State::Broken && finding.found.contains("elsewhere"))
    );
    let done = throughline_server::telegram::set_up(&w.instance.config).await.unwrap();
    assert!(done.iter().all(|finding| finding.state == State::Ok), "{done:?}");
    assert_eq!(w.telegram.webhook(), None);
    assert_eq!(w.telegram.commands(""), menu::menu(""));
    assert_eq!(w.telegram.commands("de"), menu::menu("de"));
    // A menu that is already set is not set again.
    let set = w.telegram.calls_of("setMyCommands").len();
    w.adapter().menu().await;
    assert_eq!(w.telegram.calls_of("setMyCommands").len(), set);
    w.well();
    w.well();
}

/// An edit that leaves the text unchanged is ignored; another makes a new draft.
#[tokio::test]
async fn an_edit_counts_when_the_words_changed() {
    let mut w = World::new().await;
    let asked = w.telegram.says(TEAM, ANA, &ticket("a CSV export"));
    w.calm().await;
    w.telegram.edits(TEAM, ANA, asked, &ticket("a CSV export"));
    w.telegram.edits(TEAM, ANA, 4_711, "@maro_bot nobody has seen this");
    w.telegram.edits(TEAM, ANA, asked, &ticket("a PDF export"));
    w.calm().await;
    let reasons = w.reasons(&w.lane(TEAM, "")).await;
    assert_eq!(reasons[1..], ["ignored.metadata_only", "ignored.kind", "draft.remade"]);
    w.well();
}
