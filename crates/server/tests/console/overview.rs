//! The first page, the list of turns with its filters, the search, and one answer for several uncertain effects.

use std::sync::Arc;

use serde_json::json;
use throughline_server::Sources;
use throughline_server::auth::Token;
use throughline_store::{Counts, MemoryStore, SystemClock};

use crate::actions::uncertain;
use crate::page::{Operator, Page};
use crate::screens::story;
use crate::store::Rigged;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_overview_says_what_waits_and_how_it_was_decided() {
    for server in Server::on_each_store().await {
        let page = server.page("/console").await;
        page.says("0 lanes wait for a turn").says("Nothing waits for you").says("No turn in the last hour");
        page.says("nothing: no model is configured").says("GET /metrics");
        story(&server).await;
        let card = server.preview("c2").await;
        server.say("thanks", "c3", "eve", "thanks").await;

        let page = server.page("/console").await;
        page.says("1 approval waits").says("0 effects are uncertain");
        page.after("id=\"needs\"").says("Write the manual @ana just now");
        page.links_to(&format!("/console/approvals/{}", card["id"].as_str().unwrap()));
        page.after("id=\"minutes\"").says("in the last hour");
        page.after("id=\"rungs\"").says("9 · Intent");
        let rungs = page.links("/console/turns?rung=");
        for href in &rungs {
            let list = server.page(href).await;
            let rung = href.rsplit('=').next().unwrap();
            assert!(!list.links("/console/turns/").is_empty(), "{href}");
            assert!(list.html.contains(&format!("class=\"number\">{rung}</td>")), "{href}");
        }
        assert!(rungs.len() >= 3, "{rungs:?}");
        page.links_to("/console/turns?reason=press.applied");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_health_page_says_what_is_in_trouble_and_what_to_do() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    let page = server.page("/console/health").await;
    page.says("Nothing needs somebody.").says("Store and its disk memory takes writes");
    page.says("no event waits for its turn").says("Telegram not configured").says("no model is configured");
    server.page("/console").await.links_to("/console/health");
    let long = 11 * throughline_engine::Timestamp::MINUTE;
    store.count_as(Counts { waiting: 2, oldest_waiting: long, uncertain: 1, ..Counts::default() });
    let page = server.page("/console/health").await;
    page.says("need somebody").says("2 events wait, the oldest for 11 minutes").says("TL-6204");
    page.links_to("/console/effects?state=uncertain");
    store.read_only(true);
    server.page("/console/health").await.says("TL-6201");
    store.read_only(false);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_are_found_by_text_person_reason_rung_channel_and_time() {
    for server in Server::on_each_store().await {
        story(&server).await;
        server.say("h", "c7", "eve", "Where is the Ünicode cellar?").await;
        server.say("t", "c7", "bob", "thanks").await;
        let count = async |query: &str| {
            let page = server.page(&format!("/console/turns?{query}")).await;
            page.links("/console/turns/").len()
        };
        assert_eq!(count("text=%C3%BCNICODE+CELL").await, 1, "whatever the case");
        assert_eq!(count("text=manual&person=ana").await, 1);
        assert_eq!(count("text=manual&person=eve").await, 0);
        assert_eq!(count("person=%40EVE").await, 2);
        assert_eq!(count("reason=press.").await, 4);
        assert_eq!(count("reason=acknowledged&rung=9").await, 1);
        assert_eq!(count("reason=acknowledged&rung=11").await, 0);
        assert_eq!(count("channel=web").await, 0);
        let all = count("").await;
        assert_eq!((count("channel=api&since=hour").await, all > 8), (all, true));
        server.page("/console/turns?text=nowhere").await.says("No turn like that");
        // A filter stays in its fields, and whatever stands in it is text.
        let odd = server.page("/console/turns?text=%3Cb%3E&person=%22").await;
        assert!(odd.html.contains("value=\"&lt;b&gt;\""), "{}", odd.html);
        // The search goes on where no name is.
        let found = server.page("/console/find?q=cellar").await;
        found
            .says("among the newest")
            .says("Where is the Ünicode cellar?")
            .links_to("/console/turns?text=cellar");
        let found = server.page("/console/find?q=whole").await;
        found.after("id=\"issues\"").says("Write the whole manual").links_to("/console/issues/DEMO-1");
        server.page("/console/find?q=bo").await.after("id=\"people\"").links_to("/console/turns?person=bob");
        server.stopped().await;
    }
}

/// However many turns there are, a page reads as much, and goes on where it stopped without losing or repeating one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_overview_and_the_list_of_turns_cost_the_same_with_many_turns() {
    let store = Rigged::over(Arc::new(MemoryStore::new(Arc::new(SystemClock::default()))));
    let server = Server::over(demo(), store.clone()).await;
    for n in 0..620 {
        server.say(&format!("k{n}"), &format!("c{}", n % 9), "ana", &format!("/maro help {n}")).await;
    }
    let before = store.reads();
    server.page("/console").await.says("620 in the last hour");
    let reads = store.reads() - before;
    assert!(reads <= 40, "the overview read {reads} times");

    let (mut found, mut next) = (Vec::new(), Some("/console/turns".to_owned()));
    while let Some(path) = next {
        let before = store.reads();
        let page = server.page(&path).await;
        let reads = store.reads() - before;
        assert!(reads <= 25, "{path} read {reads} times");
        let here = page.links("/console/turns/");
        assert!(here.len() <= 50, "{}", here.len());
        found.extend(here);
        next = page.links("/console/turns?cursor=").pop();
    }
    let all = found.len();
    found.sort();
    found.dedup();
    assert_eq!((all, found.len()), (620, 620));
    // One that is far back is found by looking further.
    let page = server.page("/console/turns?text=help+3&person=ana").await;
    assert_eq!(page.links("/console/turns/").len(), 50, "3, 30 to 39, 300 to 399, the newest first");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_uncertain_effects_are_answered_at_once_each_by_itself() {
    let server = Server::start(demo().flag("api.delivery_host", "tracker.create", "--host")).await;
    let operator = Operator::at(&server).await;
    let mut ids = Vec::new();
    for conversation in ["c1", "c2", "c3"] {
        ids.push(uncertain(&server, conversation).await["id"].as_str().unwrap().to_owned());
    }
    server
        .page("/console")
        .await
        .says("3 effects are uncertain")
        .links_to("/console/effects?state=uncertain");
    let page = server.page("/console/effects?state=uncertain").await;
    for id in &ids {
        assert!(page.html.contains(&format!("name=\"effect:{id}\"")), "{}", page.html);
    }
    let key = page.field("key");
    let (one, two) = (format!("effect:{}", ids[0]), format!("effect:{}", ids[1]));
    let chosen = [(one.as_str(), "on"), (two.as_str(), "on"), ("effect:fx_none", "on"), ("key", &key)];
    let send =
        async |how: &str| operator.form("/console/effects", &[&chosen[..], &[("how", how)]].concat()).await;

    assert_eq!(Page::of(&send("adopt").await).status, 400, "each has a key of its own");
    let none = operator.form("/console/effects", &[("how", "cancel"), ("key", &key)]).await;
    assert_eq!(Page::of(&none).status, 400);

    let answered = Page::of(&send("cancel").await);
    answered.says("“cancel” was taken for 2 of 3").says("press.applied").says("TL-2404");
    let state =
        async |id: &str| server.get(&format!("/v1/effects/{id}")).send().await.json()["state"].clone();
    assert_eq!((state(&ids[0]).await, state(&ids[1]).await), (json!("cancelled"), json!("cancelled")));
    assert_eq!(state(&ids[2]).await, "uncertain", "it was not chosen");
    let turns = answered.links("/console/turns/");
    assert_eq!(turns.len(), 2, "a turn each: {turns:?}");
    for turn in &turns {
        server.page(turn).await.says("you");
    }
    // Sent again, it is the same answer and no further turn.
    assert_eq!(Page::of(&send("cancel").await).links("/console/turns/"), turns);
    server.stopped().await;
}

/// A person who may not decide is offered no button, and told which role it takes and who has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_decide_reads_who_can() {
    let folder = tempfile::tempdir().unwrap();
    let (vic, first) = Token::mint("vic", [1; 24]);
    let (pia, second) = Token::mint("pia", [2; 24]);
    let scopes =
        "[\"lanes:read\", \"lanes:read_all\", \"approvals:read\", \"approvals:decide\", \"events:write\"]";
    let text = format!(
        "tenant = \"acme\"\n[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"role:pm\"]\n\
         [[users]]\nid = \"vic\"\n[[users]]\nid = \"pia\"\nroles = [\"pm\"]\n[[users]]\nid = \"otto\"\nroles = [\"pm\"]\n\
         [[tokens]]\nid = \"vic\"\nsha256 = \"{first}\"\ntenant = \"acme\"\nscopes = {scopes}\nprincipal = \"vic\"\n\
         [[tokens]]\nid = \"pia\"\nsha256 = \"{second}\"\ntenant = \"acme\"\nscopes = {scopes}\nprincipal = \"pia\"\n"
    );
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let asked = server.event("k1", &said("c1", "vic", TASK)).token(&vic).header("Prefer", "wait=10");
    let card = card_of(&asked.send().await.json());
    let path = format!("/console/approvals/{}", card["id"].as_str().unwrap());

    let page = Page::of(&server.get(&path).token(&vic).send().await);
    page.says("No rule names you").says("It takes role:pm").says("They can: @otto, @pia");
    assert!(!page.html.contains("value=\"approve\""), "{}", page.html);
    let overview = Page::of(&server.get("/console").token(&vic).send().await);
    overview.says("Nothing waits for you").says("1 approval waits");

    let page = Page::of(&server.get(&path).token(&pia).send().await);
    assert!(page.html.contains("name=\"decision\" value=\"approve\""), "{}", page.html);
    let overview = Page::of(&server.get("/console").token(&pia).send().await);
    overview.says("Write the manual @vic").links_to(&path);
    server.stopped().await;
}
