//! Session cookies: their content, their rights, and the CSRF token that every change needs.

use std::sync::Arc;

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_store::{ManualClock, MemoryStore};

use crate::browser::*;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demo_introduces_whoever_comes_and_lets_them_be_somebody_else() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let first = browser.get("/").await;
    let cookie = first.header("set-cookie").expect("a cookie").to_owned();
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=604800"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "loopback has no TLS: {cookie}");
    assert!(cookie.starts_with(&format!("throughline-{}=", server.address.port())), "{cookie}");
    let page = browser.visit("/").await;
    assert_eq!(page.reply.header("set-cookie"), None, "once");
    assert_eq!(page.data("data-user"), "you");
    let page = browser.submit(&page, "/you", &[("user", "ana")]).await;
    assert_eq!(page.data("data-user"), "ana");
    let refused = browser.submit(&page, "/you", &[("user", "mallory")]).await;
    assert_eq!(refused.reply.status, 404);
    // A request without a cookie is still "you" to the API of a demo.
    assert_eq!(Browser::new(&server).visit("/").await.data("data-user"), "you");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_with_a_cookie_proves_whose_page_it_is_from() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let (conversation, csrf) = (page.data("data-conversation"), page.field("csrf"));
    let other = Browser::new(&server).visit("/").await.field("csrf");
    let event = || server.event("k1", &said_in(&conversation, "/maro help"));
    for wrong in [None, Some(""), Some("x"), Some(other.as_str()), Some(&csrf[1..])] {
        let call = wrong.map_or(event(), |wrong| event().header("X-CSRF-Token", wrong));
        let reply = browser.send(call).await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, "TL-2108"), "{wrong:?}");
    }
    for path in ["/say", "/press", "/edit", "/you", "/sign-out"] {
        let fields =
            [("csrf", other.as_str()), ("c", &conversation), ("key", "k"), ("text", "hi"), ("user", "ana")];
        let reply = browser.post(path, &fields).await;
        assert_eq!(reply.status, 403, "{path}");
        assert!(reply.text().contains("TL-2108"), "{path} says why, as a page");
    }
    let lane = server.get(&format!("/v1/lanes/{}", page.data("data-lane"))).send().await;
    assert_eq!(lane.problem(), "TL-2404", "nothing was recorded");
    assert_eq!(browser.send(event().header("X-CSRF-Token", &csrf)).await.status, 202);
    assert_eq!(event().send().await.status, 202, "a program without a cookie needs none");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_that_was_touched_or_is_over_counts_no_more() {
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-01-15T10:00:00Z").unwrap()));
    let server = Server::over(demo(), Arc::new(MemoryStore::new(clock.clone()))).await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let cookie = browser.cookie().unwrap();
    let lanes = |cookie: &str| server.get("/v1/lanes").header("Cookie", cookie);
    assert_eq!(lanes(&cookie).send().await.status, 200);
    let (name, value) = cookie.split_once('=').unwrap();
    let (said, signature) = value.split_once('.').unwrap();
    let flipped = |text: &str| format!("{}{}", if text.starts_with('A') { 'B' } else { 'A' }, &text[1..]);
    for wrong in [
        format!("{name}={}.{signature}", flipped(said)),
        format!("{name}={said}.{}", flipped(signature)),
        format!("{name}={said}"),
        format!("{name}=x"),
    ] {
        let reply = lanes(&wrong).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (401, "TL-2107"), "{wrong}");
    }
    assert_eq!(lanes("other=1; throughline-1=x").send().await.status, 200, "not ours to judge");
    let form = browser.submit(&page, "/you", &[("user", "ana")]).await;
    assert_eq!(form.data("data-user"), "ana");
    clock.advance(7 * Timestamp::DAY + 1);
    let reply = browser.send(server.get("/v1/lanes")).await;
    assert_eq!(reply.problem(), "TL-2107", "seven days are over");
    let late = browser.post("/say", &[("csrf", &form.field("csrf")), ("text", "hi"), ("key", "k")]).await;
    assert_eq!(late.status, 401);
    assert!(late.text().contains("TL-2107"));
    assert_eq!(browser.visit("/").await.data("data-user"), "you", "a page begins anew");
    server.stopped().await;
}

/// A form of a page without a referrer has the origin `null`; the browser states in another header that it is our own
/// page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_of_our_own_page_is_told_from_one_of_another_site() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let (csrf, c) = (page.field("csrf"), page.field("c"));
    let fields = [("csrf", csrf.as_str()), ("c", &c), ("key", "k"), ("text", "hi")];
    let from = |origin: &str, site: Option<&str>| {
        let call = form(&server, "/say", &fields).header("Origin", origin);
        site.map_or(call.clone(), |site| call.header("Sec-Fetch-Site", site))
    };
    for (origin, site) in [
        ("null", None),
        ("null", Some("cross-site")),
        ("null", Some("same-site")),
        ("http://evil.example", Some("same-origin")),
    ] {
        let reply = browser.send(from(origin, site)).await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, "TL-2106"), "{origin} {site:?}");
    }
    assert_eq!(browser.send(from("null", Some("same-origin"))).await.status, 303);
    server.stopped().await;
}

/// `SameSite=Strict` leaves the cookie out of a request that follows another site's link.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_click_elsewhere_is_sent_once_more_from_here() {
    let server = Server::demo().await;
    let clicked = |mode: &str| {
        server.get("/?c=you:1").header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", mode)
    };
    let reply = clicked("navigate").send().await;
    assert_eq!((reply.status, reply.header("set-cookie")), (200, None), "nobody else's name is given");
    assert!(reply.text().contains("http-equiv=\"refresh\" content=\"0\""));
    let browser = Browser::new(&server);
    browser.visit("/").await;
    let reply = browser.send(clicked("navigate")).await;
    assert!(reply.text().contains("data-user=\"you\""), "with the cookie there is nothing to repeat");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_person_of_a_demo_acts_as_themselves() {
    let server = Server::demo().await;
    let (you, ana) = (Browser::new(&server), Browser::new(&server));
    let mine = you.visit("/").await;
    let mine = you.say(&mine, TASK).await;
    let hers = ana.visit("/").await;
    let hers = ana.submit(&hers, "/you", &[("user", "ana")]).await;
    assert!(hers.html().contains("of you"), "in a demo everybody's conversations are listed");
    let seen = ana.visit(mine.address.split('#').next().unwrap()).await;
    let receipt = ana.press(&seen, "approve").await;
    assert!(receipt.html().contains("approved by @ana"), "{}", receipt.html());
    let lane = mine.data("data-lane");
    let turns = server.get(&format!("/v1/lanes/{lane}/turns")).send().await.json();
    let actors: Vec<_> =
        turns["items"].as_array().unwrap().iter().map(|turn| turn["actor"].clone()).collect();
    assert!(actors.contains(&json!("you")) && actors.contains(&json!("ana")), "{actors:?}");
    server.stopped().await;
}
