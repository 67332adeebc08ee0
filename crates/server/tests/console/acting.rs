//! What is done at the console goes the API's own way, once, and by pages of ours only.

use serde_json::{Value, json};

use crate::page::{Page, sent_to};
use crate::support::*;

async fn effects(server: &Server, class: &str) -> usize {
    let all = server.get("/v1/effects?limit=200").send().await.json();
    all["items"].as_array().unwrap().iter().filter(|effect| effect["class"] == class).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_is_decided_once_however_often_the_form_is_sent() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let id = card["id"].as_str().unwrap();
        let path = format!("/console/approvals/{id}");
        server.page("/console/approvals").await.says("Write the manual").links_to(&path);
        let page = server.page(&path).await;
        page.says("As @you, at version 1");
        page.says(&format!("throughline approvals decide {id} --version 1 --decision approve"));
        let fields = [("version", "1"), ("decision", "approve"), ("key", &page.field("key"))];
        let decided = server.form(&path, &fields).send().await;
        let to = sent_to(&decided);
        let told = server.page(&to).await;
        told.says("The button did what it says. press.applied").says("Write the manual approved");
        assert_eq!(sent_to(&server.form(&path, &fields).send().await), to, "sent again: the same answer");
        assert_eq!(effects(&server, "tracker.create").await, 1);
        // Another form of the same page comes too late, and is told by whom.
        let late =
            server.form(&path, &[("version", "1"), ("decision", "reject"), ("key", "other")]).send().await;
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
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let page = server.page(&path).await;
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Another"}}});
    server.turn("edit", &form).await;
    let fields = [("version", "1"), ("decision", "approve"), ("key", &page.field("key"))];
    let refused = Page::of(&server.form(&path, &fields).send().await);
    assert_eq!(refused.status, 409);
    refused.says("TL-4104").says("Version 2 is the current one");
    assert_eq!(effects(&server, "tracker.create").await, 0);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_are_taken_from_our_own_pages_only() {
    let server = Server::demo().await;
    let card = server.preview("c1").await;
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());
    let body = b"version=1&decision=approve&key=k".to_vec();
    let plain = |headers: &[(&str, &str)]| {
        let call = server
            .post(&path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .bytes(body.clone());
        headers.iter().fold(call, |call, (name, value)| call.header(name, value))
    };
    for headers in [
        &[("Sec-Fetch-Site", "cross-site")] as &[(&str, &str)],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "none")],
        &[("Origin", "null")],
        &[("Origin", "https://evil.example")],
    ] {
        let reply = plain(headers).send().await;
        assert_eq!(reply.status, 403, "{headers:?}: {}", reply.text());
    }
    let json = server.post(&path).json(&json!({"version": 1, "decision": "approve"})).send().await;
    assert_eq!(Page::of(&json).status, 415);
    for fields in [
        &[("decision", "approve"), ("key", "k")] as &[(&str, &str)],
        &[("version", "1"), ("key", "k")],
        &[("version", "1"), ("decision", "approve")],
        &[("version", "x"), ("decision", "approve"), ("key", "k")],
        &[("version", "1"), ("decision", "explode"), ("key", "k")],
        &[("version", "1"), ("decision", "approve"), ("key", "")],
    ] {
        let page = Page::of(&server.form(&path, fields).send().await);
        assert_eq!(page.status, 400, "{fields:?}");
    }
    assert_eq!(effects(&server, "tracker.create").await, 0);
    // What is no browser says nothing of where it is.
    assert_eq!(plain(&[]).send().await.status, 303);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_kill_switch_is_switched_and_seen_everywhere() {
    let server = Server::demo().await;
    let switch = async |fields: &[(&str, &str)]| {
        let key = server.page("/console/effects").await.field("key");
        server.form("/console/pause", &[fields, &[("key", &key)]].concat()).send().await
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
    let held = server.form(&path, &[("version", "1"), ("decision", "approve"), ("key", "k")]).send().await;
    let held = Page::of(&held);
    assert_eq!(held.status, 423);
    held.says("TL-4109");
    sent_to(&switch(&[("paused", "false")]).await);
    assert_eq!(server.get("/v1/pause").send().await.json()["paused"], false);
    server.stopped().await;
}

/// An issue of which nobody knows whether it exists.
async fn uncertain(server: &Server, conversation: &str) -> Value {
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
    let effect = uncertain(&server, "c1").await;
    let path = format!("/console/effects/{}", effect["id"].as_str().unwrap());
    let list = server.page("/console/effects").await;
    assert_eq!(list.links("/console/effects/fx_")[0], path, "it comes first");
    list.says("None is sent again by itself").says("no answer within 30 s");
    server.page("/console?state=uncertain").await.says("c1").says("waiting uncertain effect");
    let page = server.page(&path).await;
    page.says("Next look none: it is never sent again by itself").says("Attempts 1");
    page.links_to(&format!("/console/lanes/{}", effect["lane"].as_str().unwrap()));
    let key = page.field("key");
    // Adopting needs to know which.
    let which = server.form(&path, &[("how", "adopt"), ("remote_key", " "), ("key", &format!("{key}1"))]);
    assert_eq!(Page::of(&which.send().await).status, 422);
    let again = server.form(&path, &[("how", "create_again"), ("key", &format!("{key}2"))]).send().await;
    server.page(&sent_to(&again)).await.says("press.applied");
    eventually("a new effect is offered", || async { effects(&server, "tracker.create").await == 2 }).await;
    let late = server.form(&path, &[("how", "cancel"), ("key", &format!("{key}3"))]).send().await;
    assert_eq!(Page::of(&late).status, 409, "it was answered for");

    let other = uncertain(&server, "c2").await;
    let path = format!("/console/effects/{}", other["id"].as_str().unwrap());
    let dropped = server.form(&path, &[("how", "cancel"), ("key", "drop")]).send().await;
    server.page(&sent_to(&dropped)).await.says("cancelled");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_sent_as_oneself_and_explained() {
    let server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    let lane = turn["lane"].as_str().unwrap();
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    page.says("Say something here as @you");
    let path = format!("/console/lanes/{lane}/messages");
    let text = "Create a task for the manual\r\nTitle: Write the manual";
    let fields = [("text", text), ("key", &page.field("key"))];
    let to = sent_to(&server.form(&path, &fields).send().await);
    assert!(to.starts_with(&format!("/console/lanes/{lane}?turn=tn_")) && to.ends_with("#turn"), "{to}");
    let shown = server.page(to.trim_end_matches("#turn")).await;
    shown.says("@you").says("Title: Write the manual").says("intent.rule");
    assert_eq!(sent_to(&server.form(&path, &fields).send().await), to, "sent again: said once");
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
