//! Acts at the console: they use the API's code, count once, and come from our own pages only.

use serde_json::{Value, json};

use crate::browser::{Browser, Office, form};
use crate::page::{Operator, Page, sent_from_here, sent_to};
use crate::support::*;

async fn effects(server: &Server, class: &str) -> usize {
    let all = server.get("/v1/effects?limit=200").send().await.json();
    all["items"].as_array().unwrap().iter().filter(|effect| effect["class"] == class).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_is_decided_once_however_often_the_form_is_sent() {
    for server in Server::on_each_store().await {
        let operator = Operator::at(&server).await;
        let card = server.preview("c1").await;
        let id = card["id"].as_str().unwrap();
        let path = format!("/console/approvals/{id}");
        server.page("/console/approvals").await.says("Write the manual").links_to(&path);
        let page = server.page(&path).await;
        page.says("As @you, at version 1");
        page.says(&format!("throughline approvals decide {id} --version 1 --decision approve"));
        let fields = [("version", "1"), ("decision", "approve"), ("key", &page.field("key"))];
        let decided = operator.form(&path, &fields).await;
        let to = sent_to(&decided);
        let told = server.page(&to).await;
        told.says("The button did what it says. press.applied").says("Write the manual approved");
        assert_eq!(sent_to(&operator.form(&path, &fields).await), to, "sent again: the same answer");
        assert_eq!(effects(&server, "tracker.create").await, 1);
        // A second form of the page comes too late, and is told who decided.
        let late = operator.form(&path, &[("version", "1"), ("decision", "reject"), ("key", "other")]).await;
        let late = Page::of(&late);
        assert_eq!(late.status, 409);
        late.says("TL-4102").says("Already processed");
        let turn = late.links("/console/turns/").remove(0);
        server.page(&turn).await.says("press.consumed");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outdated_version_is_refused() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let page = server.page(&path).await;
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Another"}}});
    server.turn("edit", &form).await;
    let fields = [("version", "1"), ("decision", "approve"), ("key", &page.field("key"))];
    let refused = Page::of(&operator.form(&path, &fields).await);
    assert_eq!(refused.status, 409);
    refused.says("TL-4104").says("Version 2 is the current one");
    assert_eq!(effects(&server, "tracker.create").await, 0);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_are_taken_from_our_own_pages_only() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let plain = |headers: &[(&str, &str)]| {
        let fields =
            [("version", "1"), ("decision", "approve"), ("key", "k"), ("csrf", operator.csrf.as_str())];
        headers.iter().fold(form(&server, &path, &fields), |call, (name, value)| call.header(name, value))
    };
    for headers in [
        &[("Sec-Fetch-Site", "cross-site")] as &[(&str, &str)],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "none")],
        &[("Origin", "null")],
        &[("Origin", "https://evil.example")],
    ] {
        let reply = operator.browser.send(plain(headers)).await;
        assert_eq!(reply.status, 403, "{headers:?}: {}", reply.text());
    }
    let json = server.post(&path).json(&json!({"version": 1, "decision": "approve"}));
    assert_eq!(Page::of(&operator.browser.send(json).await).status, 415);
    for fields in [
        &[("decision", "approve"), ("key", "k")] as &[(&str, &str)],
        &[("version", "1"), ("key", "k")],
        &[("version", "1"), ("decision", "approve")],
        &[("version", "x"), ("decision", "approve"), ("key", "k")],
        &[("version", "1"), ("decision", "explode"), ("key", "k")],
        &[("version", "1"), ("decision", "approve"), ("key", "")],
    ] {
        let page = Page::of(&operator.form(&path, fields).await);
        assert_eq!(page.status, 400, "{fields:?}");
    }
    assert_eq!(effects(&server, "tracker.create").await, 0);
    // A program that is not a browser sends no headers about its origin.
    assert_eq!(operator.browser.send(plain(&[])).await.status, 303);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_kill_switch_is_switched_and_seen_everywhere() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let switch = async |fields: &[(&str, &str)]| {
        let key = server.page("/console/effects").await.field("key");
        operator.form("/console/pause", &[fields, &[("key", &key)]].concat()).await
    };
    assert_eq!(Page::of(&switch(&[("paused", "true")]).await).status, 422, "a reason is needed");
    sent_to(&switch(&[("paused", "true"), ("reason", "wrong project"), ("level", "outward")]).await);
    let pause = server.get("/v1/pause").send().await.json();
    assert_eq!((&pause["by"], &pause["reason"]), (&json!("you"), &json!("wrong project")));
    for path in ["/console", "/console/approvals", "/console/issues"] {
        server.page(path).await.says("Sending is paused. outward, by @you").says("wrong project");
    }
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let held = operator.form(&path, &[("version", "1"), ("decision", "approve"), ("key", "k")]).await;
    let held = Page::of(&held);
    assert_eq!(held.status, 423);
    held.says("TL-4109");
    sent_to(&switch(&[("paused", "false")]).await);
    assert_eq!(server.get("/v1/pause").send().await.json()["paused"], false);
    server.stopped().await;
}

/// Creates an issue whose existence is uncertain.
pub(crate) async fn uncertain(server: &Server, conversation: &str) -> Value {
    let card = server.preview(conversation).await;
    let key = format!("press-{conversation}");
    let turn = server.press(&key, conversation, "ana", &token(&card, "approve")).await;
    let effects = turn["effects"].as_array().unwrap();
    let offer = effects.iter().find(|effect| effect["class"] == "tracker.create").unwrap();
    let id = offer["id"].as_str().unwrap();
    let report = json!({"outcome": "unknown", "error": "no answer within 30 s"});
    let call = server.post(&format!("/v1/effects/{id}/result")).header("Idempotency-Key", id).json(&report);
    assert_eq!(call.send().await.status, 200);
    let lane = turn["lane"].as_str().unwrap();
    eventually("somebody is asked", || async {
        let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
        lane["pending"].as_array().unwrap().iter().any(|one| one["kind"] == "waiting_uncertain_effect")
    })
    .await;
    offer.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_effect_comes_first_and_is_answered_for() {
    let server = Server::start(demo().flag("api.delivery_host", "tracker.create", "--host")).await;
    let operator = Operator::at(&server).await;
    let effect = uncertain(&server, "c1").await;
    let path = format!("/console/effects/{}", effect["id"].as_str().unwrap());
    let list = server.page("/console/effects").await;
    assert_eq!(list.links("/console/effects/fx_")[0], path, "it comes first");
    list.says("None is sent again by itself").says("no answer within 30 s");
    server.page("/console/lanes?state=uncertain").await.says("c1").says("waiting uncertain effect");
    let page = server.page(&path).await;
    page.says("Next look none: it is never sent again by itself").says("Attempts 1");
    page.links_to(&format!("/console/lanes/{}", effect["lane"].as_str().unwrap()));
    let key = page.field("key");
    // Adopting needs the key of an issue.
    let which =
        operator.form(&path, &[("how", "adopt"), ("remote_key", " "), ("key", &format!("{key}1"))]).await;
    assert_eq!(Page::of(&which).status, 422);
    let again = operator.form(&path, &[("how", "create_again"), ("key", &format!("{key}2"))]).await;
    server.page(&sent_to(&again)).await.says("press.applied");
    eventually("a new effect is offered", || async { effects(&server, "tracker.create").await == 2 }).await;
    let late = operator.form(&path, &[("how", "cancel"), ("key", &format!("{key}3"))]).await;
    assert_eq!(Page::of(&late).status, 409, "it was answered for");

    let other = uncertain(&server, "c2").await;
    let path = format!("/console/effects/{}", other["id"].as_str().unwrap());
    let dropped = operator.form(&path, &[("how", "cancel"), ("key", "drop")]).await;
    server.page(&sent_to(&dropped)).await.says("cancelled");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_sent_as_oneself_and_explained() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    let lane = turn["lane"].as_str().unwrap();
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    page.says("Say something here as @you");
    let path = format!("/console/lanes/{lane}/messages");
    let text = "Create a task for the manual\r\nTitle: Write the manual";
    let fields = [("text", text), ("key", &page.field("key"))];
    let to = sent_to(&operator.form(&path, &fields).await);
    assert!(to.starts_with(&format!("/console/lanes/{lane}?turn=tn_")) && to.ends_with("#turn"), "{to}");
    let shown = server.page(to.trim_end_matches("#turn")).await;
    shown.says("@you").says("Title: Write the manual").says("intent.rule");
    assert_eq!(sent_to(&operator.form(&path, &fields).await), to, "sent again: said once");
    let lanes = server.get("/v1/lanes").send().await.json();
    assert_eq!(lanes["items"].as_array().unwrap().len(), 1, "in this lane: {lanes}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_is_handed_out_as_a_scenario() {
    let server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", TASK).await;
    let lane = turn["lane"].as_str().unwrap();
    let reply = server.get(&format!("/console/lanes/{lane}/scenario")).send().await;
    assert_eq!(reply.status, 200);
    let disposition = format!("attachment; filename=\"{lane}.scenario.yaml\"");
    assert_eq!(reply.header("content-disposition"), Some(disposition.as_str()));
    assert!(reply.text().starts_with(&format!("scenario: {lane}\n")), "{}", reply.text());
    assert!(reply.text().contains("reason: intent.rule"), "{}", reply.text());
    server.stopped().await;
}

/// A form needs its session's cookie and its CSRF token.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_needs_the_session_it_was_shown_in() {
    let server = Server::demo().await;
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let fields = [("version", "1"), ("decision", "approve"), ("key", "k")];
    let (operator, other) = (Operator::at(&server).await, Operator::at(&server).await);
    for csrf in ["", "x", &other.csrf] {
        let fields = [&fields[..], &[("csrf", csrf)]].concat();
        let refused = operator.browser.send(sent_from_here(form(&server, &path, &fields))).await;
        assert_eq!(Page::of(&refused).status, 403, "{csrf}");
    }
    let nobody = sent_from_here(form(&server, &path, &fields)).send().await;
    assert_eq!(nobody.status, 401);
    assert_eq!(effects(&server, "tracker.create").await, 0);
    sent_to(&operator.form(&path, &fields).await);
    server.stopped().await;
}

/// Without a demo the console asks for a sign-in, and everybody sees and does what their roles allow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_see_and_do_what_their_roles_allow() {
    let office = Office::new();
    let server = office.serve().await;
    assert_eq!(sent_to(&server.get("/console/approvals").send().await), "/sign-in?to=%2Fconsole%2Fapprovals");
    let say = |key: &str, conversation: &str| {
        let owner = conversation.split_once(':').unwrap().0;
        let body = json!({"lane": {"channel": "web", "conversation": conversation}, "actor": {"id": owner},
            "kind": "message.posted", "text": TASK});
        server.event(key, &body).token(&office.root).header("Prefer", "wait=10")
    };
    let bobs = say("k1", "bob:1").send().await.json();
    let anas = say("k2", "ana:1").send().await.json();
    let id = |turn: &Value, member: &str| turn[member].as_str().unwrap().to_owned();
    let card = card_of(&bobs);
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());

    // A member sees only their own conversations.
    let bob = office.signed_in(&server, "bob").await;
    let lanes = Page::of(&bob.get("/console/lanes").await);
    assert_eq!(lanes.links("/console/lanes/"), [format!("/console/lanes/{}", id(&bobs, "lane"))]);
    for path in [
        format!("/console/lanes/{}", id(&anas, "lane")),
        format!("/console/lanes/{}/scenario", id(&anas, "lane")),
        format!("/console/turns/{}", id(&anas, "turn")),
    ] {
        assert_eq!(Page::of(&bob.get(&path).await).status, 404, "{path}");
    }
    assert_eq!(
        Page::of(&bob.get("/console/find?q=ana%3A1").await).text().matches("Nothing found for").count(),
        1
    );
    for path in [path.as_str(), "/console/effects", "/console/issues"] {
        assert_eq!(Page::of(&bob.get(path).await).status, 403, "{path}");
    }

    // An approver decides an approval of a lane that they cannot see.
    let ana = office.signed_in(&server, "ana").await;
    Page::of(&ana.get("/console/approvals").await).says("Write the manual").links_to(&path);
    let shown = Page::of(&ana.get(&path).await);
    assert_eq!(shown.links("/console/lanes/"), Vec::<String>::new());
    let fields = [
        ("version", "1"),
        ("decision", "approve"),
        ("key", &shown.field("key")),
        ("csrf", &shown.field("csrf")),
    ];
    let to = sent_to(&ana.send(sent_from_here(form(&server, &path, &fields))).await);
    Page::of(&ana.get(&to).await).says("The button did what it says").says("approved");

    // An operator sees everything; a viewer is offered no act.
    let olga = office.signed_in(&server, "olga").await;
    let all = Page::of(&olga.get("/console/lanes").await).links("/console/lanes/");
    assert_eq!(all.len(), 2);
    Page::of(&olga.get("/console/effects").await)
        .says("create task “Write the manual”")
        .says("Pause sending");
    let vic: Browser<'_> = office.signed_in(&server, "vic").await;
    let offered = Page::of(&vic.get("/console").await);
    assert!(!offered.html.contains("method=\"post\" action=\"/console"), "{}", offered.html);
    assert_eq!(offered.links("/console/lanes/"), Vec::<String>::new());
    server.stopped().await;
}
