//! Learning page: what the log could teach, a proposal of it, its approval by somebody else, and the way back.

use serde_json::{Value, json};
use throughline_server::Sources;

use crate::page::{Operator, Page, sent_to};
use crate::support::*;

/// A demo in which Bob may approve changes of the policy.
async fn server() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    let settings = "[[users]]\nid = \"cleo\"\n[[users]]\nid = \"bob\"\nroles = [\"lead\"]\n[[approvers]]\neffects = [\"host.act\"]\n\
        targets = [\"act:policy\"]\nallow = [\"role:lead\"]\n";
    std::fs::write(&file, settings).unwrap();
    Server::start(Sources { file: Some(file), ..demo() }).await
}

/// A conversation in which a phrase is not understood, and the answer to the same question explains it.
async fn misunderstood(server: &Server, conversation: &str) {
    let asked = json!({
        "lane": {"conversation": conversation}, "kind": "assistant.posted",
        "assistant": {"kind": "question", "text": "Shall I book it?", "expected": "boolean"},
    });
    let key = |step: &str| format!("{conversation}-{step}");
    server.turn(&key("1"), &asked).await;
    server.say(&key("2"), conversation, "ana", "Roger dodger!").await;
    server.turn(&key("3"), &asked).await;
    server.say(&key("4"), conversation, "ana", "yes").await;
}

async fn approve(server: &Server, key: &str, approval: &str) {
    let card = server.get(&format!("/v1/approvals/{approval}")).send().await.json();
    let press = json!({
        "lane": {"channel": "policy", "conversation": "lexicon"}, "actor": {"id": "bob"},
        "kind": "card.pressed", "press": {"token": token(&card["card"], "approve")},
    });
    assert_eq!(server.turn(key, &press).await["reason"], "press.applied");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_teaches_is_seen_proposed_approved_and_gone_back_from() {
    let server = server().await;
    let operator = Operator::at(&server).await;
    let page = server.page("/console/learning").await;
    page.says("Nothing was learned").says("Read the newest 50 conversations");
    server.page("/console/learning?read=1").await.says("Nothing new");

    for n in 0..3 {
        misunderstood(&server, &format!("c{n}")).await;
    }
    let page = server.page("/console/learning?read=1").await;
    page.says("Better 3").says("Worse 0").says("+ roger dodger = yes").says("pending.applied");
    assert_eq!(page.links("/console/turns/").len(), 3);
    let (key, learned) = (page.field("key"), page.field("learned"));
    let sent = [("key", key.as_str()), ("learned", learned.as_str())];
    let to = sent_to(&operator.form("/console/learning", &sent).await);
    assert_eq!(
        sent_to(&operator.form("/console/learning", &sent).await),
        to,
        "sent again, it is the same request"
    );
    server.page(&to).await.says("Read messages differently here");
    let approval = to.rsplit_once('/').unwrap().1;
    server.page("/console/learning").await.says("Nothing was learned");
    approve(&server, "a1", approval).await;
    eventually("version 1 is in force", || async {
        server.page("/console/learning").await.text().contains("in force")
    })
    .await;
    let page = server.page("/console/learning").await;
    page.says("“roger dodger” is read as “yes”").says("Go back to the configuration alone");
    let page = server.page("/console/learning?read=1").await;
    page.says("Nothing new");

    let back = [("key", "back"), ("version", "0")];
    let to = sent_to(&operator.form("/console/learning", &back).await);
    approve(&server, "a2", to.rsplit_once('/').unwrap().1).await;
    eventually("version 2 is in force", || async {
        server.page("/console/learning").await.text().contains("Go back to it (version 1)")
    })
    .await;
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_learned_is_refused_with_a_page() {
    let server = server().await;
    let operator = Operator::at(&server).await;
    let refused = [
        vec![("key", "k1"), ("learned", "{\"lexicon\": 7}")],
        vec![("key", "k2"), ("learned", "{\"min_confidence\": 0}")],
        vec![("key", "k3"), ("version", "9")],
        vec![("key", "k4"), ("version", "0")],
        vec![("key", "k5"), ("version", "x")],
        vec![("version", "0")],
    ];
    for fields in refused {
        let reply = operator.form("/console/learning", &fields).await;
        assert!([400, 422].contains(&reply.status), "{fields:?}: {} {}", reply.status, reply.text());
        let page = Page::of(&reply);
        assert!(page.text().contains("TL-"), "{fields:?}: {}", page.text());
    }
    let approvals: Value = server.get("/v1/approvals").send().await.json();
    assert_eq!(approvals["items"], json!([]), "nobody was asked");
    server.stopped().await;
}
