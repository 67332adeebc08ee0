//! Sign-in outside of a demo: by a one-time link, or with a token.

use std::sync::Arc;

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_store::{ManualClock, MemoryStore};

use crate::browser::*;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_not_signed_in_is_sent_to_the_sign_in_and_back() {
    let office = Office::new();
    let server = office.serve().await;
    let browser = Browser::new(&server);
    let sent = browser.get("/?c=ana:1").await;
    assert_eq!((sent.status, sent.header("location")), (303, Some("/sign-in?to=%2F%3Fc%3Dana%3A1")));
    let page = browser.visit("/?c=ana:1").await;
    assert_eq!(page.field("to"), "/?c=ana:1");
    let wrong = browser.submit(&page, "/sign-in", &[("token", "tlk_root_00")]).await;
    assert_eq!((wrong.reply.status, browser.cookie()), (401, None));
    assert!(wrong.reply.text().contains("role=\"alert\"") && !wrong.reply.text().contains("tlk_root_00"));
    let there = browser.submit(&page, "/sign-in", &[("token", &office.narrow)]).await;
    assert_eq!((there.address.as_str(), there.data("data-user").as_str()), ("/?c=ana:1", "ana"));
    let out = browser.submit(&there, "/sign-out", &[]).await;
    assert_eq!((out.address.as_str(), browser.cookie()), ("/sign-in", None));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_goes_nowhere_else_and_comes_from_nowhere_else() {
    let office = Office::new();
    let server = office.serve().await;
    for to in ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x()"] {
        let fields = [("token", office.narrow.as_str()), ("to", to)];
        let reply = Browser::new(&server).post("/sign-in", &fields).await;
        assert_eq!((reply.status, reply.header("location")), (303, Some("/")), "{to}");
    }
    let foreign =
        form(&server, "/sign-in", &[("token", &office.narrow)]).header("Sec-Fetch-Site", "cross-site");
    let reply = foreign.send().await;
    assert_eq!((reply.status, reply.header("set-cookie")), (403, None));
    assert!(reply.text().contains("TL-2106"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_signs_one_person_in_once() {
    let office = Office::new();
    let server = office.serve().await;
    let link = office.link(&server, "bob").await;
    let looking = Browser::new(&server);
    for _ in 0..3 {
        let page = looking.visit(&link).await;
        assert!(page.html().contains("Sign in as bob"), "looking uses nothing up");
        assert_eq!(looking.cookie(), None);
    }
    let page = looking.visit(&link).await;
    let text = page.field("link");
    // Of two concurrent attempts, one succeeds.
    let fields = [("link", text.as_str())];
    let (one, other) = (Browser::new(&server), Browser::new(&server));
    let (one, other) = tokio::join!(one.post("/sign-in", &fields), other.post("/sign-in", &fields));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 410]);
    let late = looking.post("/sign-in", &fields).await;
    assert_eq!((late.status, late.header("set-cookie")), (410, None));
    assert!(late.text().contains("TL-2109"));
    for wrong in ["", "x", "x.y", &text[1..], &format!("{text}A")] {
        let reply = looking.get(&format!("/sign-in?link={wrong}")).await;
        assert_eq!(reply.status, 410, "{wrong}");
    }
    server.stopped().await;
}

/// A link made from the instance key beside a running server is as valid as one the server made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_needs_no_server_to_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let office = Office::new();
    let sources = office.sources().flag(
        "store.url",
        format!("sqlite:{}", folder.path().join("a.db").display()),
        "--store",
    );
    let server = Server::start(sources.clone()).await;
    let config = throughline_server::Config::load(&sources).unwrap();
    let made = throughline_server::sign_in_link(&config, "bob").unwrap();
    let (_, link) = made.url.split_once("link=").unwrap();
    let browser = Browser::new(&server);
    assert_eq!(browser.post("/sign-in", &[("link", link)]).await.status, 303);
    assert_eq!(browser.visit("/").await.data("data-user"), "bob");
    assert_eq!(browser.post("/sign-in", &[("link", link)]).await.status, 410);
    // The use of a link survives a restart.
    server.stopped().await;
    let server = Server::start(sources).await;
    let again = Browser::new(&server);
    assert_eq!(again.post("/sign-in", &[("link", link)]).await.status, 410);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_works_for_ten_minutes() {
    let office = Office::new();
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-01-15T10:00:00Z").unwrap()));
    let server = Server::over(office.sources(), Arc::new(MemoryStore::new(clock.clone()))).await;
    let made = server
        .post("/v1/sign-in-links")
        .token(&office.root)
        .json(&json!({"user": "bob"}))
        .send()
        .await
        .json();
    assert_eq!(
        (made["user"].as_str(), made["expires_at"].as_str()),
        (Some("bob"), Some("2026-01-15T10:10:00.000Z"))
    );
    let link = office.link(&server, "bob").await;
    let browser = Browser::new(&server);
    let page = browser.visit(&link).await;
    clock.advance(10 * Timestamp::MINUTE);
    assert_eq!(browser.visit(&link).await.reply.status, 200, "the last millisecond counts");
    clock.advance(1);
    assert_eq!(browser.post("/sign-in", &[("link", &page.field("link"))]).await.status, 410);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_are_made_by_administrators_for_people_there_are() {
    let office = Office::new();
    let server = office.serve().await;
    let ask = |token: &str, user: &str| {
        server.post("/v1/sign-in-links").token(token).json(&json!({ "user": user }))
    };
    assert_eq!(ask(&office.narrow, "bob").send().await.problem(), "TL-2103");
    for nobody in ["mallory", "", "<script>"] {
        assert_eq!(ask(&office.root, nobody).send().await.problem(), "TL-2006", "{nobody}");
    }
    let bare = server.post("/v1/sign-in-links").json(&json!({"user": "bob"})).send().await;
    assert_eq!(bare.problem(), "TL-2101");
    // Links for Telegram need a bot.
    let join = |token: &str| server.post("/v1/telegram-links").token(token).json(&json!({"user": "bob"}));
    assert_eq!(join(&office.narrow).send().await.problem(), "TL-2103");
    assert_eq!(join(&office.root).send().await.problem(), "TL-2404");
    server.stopped().await;
}

/// Off loopback the cookie is sent over TLS only, under a name that only this host can set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_public_address_makes_the_cookie_secure() {
    let office = Office::new();
    let server =
        Server::start(office.sources().flag("server.public_url", "https://bot.example.org/", "--url")).await;
    let made = server
        .post("/v1/sign-in-links")
        .token(&office.root)
        .json(&json!({"user": "bob"}))
        .send()
        .await
        .json();
    let url = made["url"].as_str().unwrap();
    assert!(url.starts_with("https://bot.example.org/sign-in?link="), "{url}");
    let (_, link) = url.split_once("link=").unwrap();
    let reply = Browser::new(&server).post("/sign-in", &[("link", link)]).await;
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-throughline=") && cookie.contains("; Secure"), "{cookie}");
    server.stopped().await;
}

/// Forms and pages count for the person's rate like the API.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_at_a_browser_has_a_rate() {
    let office = Office::with("[server]\nrate_per_person = 2\n");
    let server = office.serve().await;
    let browser = office.signed_in(&server, "bob").await;
    let mut refused = None;
    for _ in 0..60 {
        let reply = browser.get("/workspace?c=bob:1").await;
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let reply = refused.expect("the rate is exceeded");
    assert!(reply.text().contains("TL-2207") && reply.header("retry-after").is_some(), "{}", reply.text());
    let other = office.signed_in(&server, "ana").await;
    assert_eq!(other.get("/workspace?c=ana:1").await.status, 200);
    server.stopped().await;
}
