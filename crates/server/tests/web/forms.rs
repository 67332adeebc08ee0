//! Pages without a script: the history can be read, and everything can be written, pressed and filled in.

use serde_json::json;

use crate::browser::*;
use crate::support::*;

// row: WB5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_from_the_first_word_to_the_receipt_by_forms_alone() {
    for server in Server::on_each_store().await {
        let browser = Browser::new(&server);
        let page = browser.visit("/").await;
        assert!(page.address.starts_with("/?c=you%3A") && page.address.ends_with("#end"), "{}", page.address);
        let page = browser.say(&page, "What do you think about microservices?").await;
        assert_eq!(page.texts(), ["What do you think about microservices?"]);
        assert!(page.html().contains("role=\"radiogroup\""));
        let page = browser.press(&page, "remember").await;
        assert!(page.html().contains("aria-checked=\"true\">Remember for this thread"), "{}", page.html());
        let page = browser.press(&page, "dismiss").await;
        assert!(page.html().contains("OK, leaving it"));
        let page = browser.say(&page, "Create a ticket for login bug").await;
        assert!(page.html().contains("Waiting for your answer: <q>Steps to reproduce?"), "{}", page.html());
        let page = browser.say(&page, "Steps: open /login\nExpected: a form\nActual: a blank page").await;
        let form = browser.press(&page, "edit").await;
        assert!(form.address.starts_with("/edit?"), "{}", form.address);
        let empty = browser.submit(&form, "/edit", &[("field.title", ""), ("field.steps", "typed")]).await;
        assert!(empty.html().contains("Title must not be empty. Nothing was changed."));
        assert!(empty.html().contains(">\ntyped</textarea>"), "what was typed stays");
        let page = browser.submit(&empty, "/edit", &[("field.title", "Blank page")]).await;
        assert!(page.html().contains("data-version=\"3\""));
        let page = browser.press(&page, "approve").await;
        assert!(page.html().contains("<h3 tabindex=\"-1\">Created DEMO-1</h3>"), "{}", page.html());
        assert!(page.html().contains("<a href=\"&#x2f;tracker&#x2f;DEMO-1\">Open DEMO-1</a>"));
        let issue = browser.visit("/tracker/DEMO-1").await;
        assert!(issue.html().contains("<h1>Blank page</h1>") && issue.html().contains("open &#x2f;login"));
        let why = browser.visit(&format!("/turns/{}", page.data("data-turn"))).await;
        assert!(
            why.html().contains("Scope gate") && why.html().contains("did not apply: "),
            "{}",
            why.html()
        );
        let again = browser.visit("/").await;
        assert_eq!(again.address, page.address, "the newest conversation opens");
        let fresh = browser.visit("/new").await;
        assert_ne!(fresh.address, page.address);
        assert!(
            fresh.html().contains("<span class=\"title\">What do you think about microservices?</span>"),
            "it is listed"
        );
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_sent_twice_is_one_act() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let once = browser.say(&page, TASK).await;
    let twice = browser.say(&page, TASK).await;
    assert_eq!(once.texts(), twice.texts());
    assert_eq!(twice.texts().len(), 1);
    let approved = browser.press(&twice, "approve").await;
    let again = browser.submit(&twice, "/press", &[("token", &twice.token("approve"))]).await;
    assert_eq!(approved.html().matches("data-notice").count(), 0);
    assert_eq!(again.html().matches("data-notice").count(), 0, "the same form again is the same act");
    let later = browser.submit(&again, "/press", &[("token", &twice.token("approve"))]).await;
    assert!(
        later.html().contains("Already processed → DEMO-1"),
        "another press is answered, for the presser alone"
    );
    assert_eq!(later.html().matches("data-notice").count(), 1);
    let issues = server.get("/v1/tracker/issues").send().await.json();
    assert_eq!(issues["items"].as_array().unwrap().len(), 1);
    for key in ["", "a b", "ä"] {
        let refused = browser.submit(&later, "/say", &[("text", "hi"), ("key", key)]).await;
        assert_eq!(refused.reply.status, 400, "{key:?}");
    }
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_typed_survives_a_card_that_changed_meanwhile() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let page = browser.say(&page, TASK).await;
    let (form, other) = (browser.press(&page, "edit").await, browser.press(&page, "edit").await);
    browser.submit(&other, "/edit", &[("field.title", "Quicker")]).await.html();
    let outdated = browser.submit(&form, "/edit", &[("field.title", "Typed with care")]).await;
    assert!(outdated.html().contains("This preview is outdated. Version 2 is the current one."));
    assert!(outdated.html().contains("value=\"Typed with care\""), "{}", outdated.html());
    let page = browser.submit(&outdated, "/edit", &[("field.title", "Typed with care")]).await;
    assert!(page.html().contains("data-version=\"3\"") && page.html().contains("Typed with care"));
    let form = browser.press(&page, "edit").await;
    browser.press(&page, "reject").await.html();
    let over = browser.submit(&form, "/edit", &[("field.title", "Too late")]).await;
    assert!(over.html().contains("Nothing can be changed here any more."));
    assert!(over.html().contains("value=\"Too late\"") && !over.html().contains(">Save<"));
    server.stopped().await;
}

/// A page shows the last 50 messages and links to the earlier ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_fifty_messages_and_the_way_to_the_rest() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let conversation = page.data("data-conversation");
    for n in 0..60 {
        let text = format!("/maro status {n}");
        server.turn(&format!("k{n}"), &said_in(&conversation, &text)).await;
    }
    let mut address = page.address.clone();
    let mut seen: Vec<String> = Vec::new();
    let mut pages = 0;
    loop {
        let page = browser.visit(&address).await;
        let texts = page.texts();
        assert!((1..=50).contains(&texts.len()), "{}", texts.len());
        seen.splice(0..0, texts.into_iter().filter(|text| text.starts_with("/maro status")));
        pages += 1;
        let html = page.html();
        assert_eq!(html.contains("<textarea"), pages == 1, "only the newest part goes on");
        let Some(earlier) =
            html.split("<p class=\"earlier\"><a href=\"").nth(1).filter(|_| html.contains("Earlier"))
        else {
            break;
        };
        address = unescape(earlier.split('"').next().unwrap());
    }
    let all: Vec<String> = (0..60).map(|n| format!("/maro status {n}")).collect();
    assert_eq!((pages, seen), (3, all), "nothing is missing and nothing is there twice");
    server.stopped().await;
}

/// A notice is shown to its recipient alone, also after a reload.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_is_read_by_the_one_it_is_for() {
    let server = Server::demo().await;
    let (you, ana) = (Browser::new(&server), Browser::new(&server));
    let mine = you.visit("/").await;
    let mine = you.say(&mine, TASK).await;
    let stale = mine.token("approve");
    you.press(&mine, "reject").await.html();
    let mine = you.visit(&mine.address).await;
    let mine = you.submit(&mine, "/press", &[("token", &stale)]).await;
    assert!(mine.html().contains(">Only you see this<") && mine.html().contains("Already processed"));
    let hers = ana.visit("/").await;
    ana.submit(&hers, "/you", &[("user", "ana")]).await.html();
    let seen = ana.visit(&mine.address).await;
    assert!(!seen.html().contains(">Only you see this<") && !seen.html().contains("Already processed"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_takes_no_other_body_than_a_form() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    browser.visit("/").await;
    let reply = browser.send(server.post("/say").json(&json!({"text": "hi"}))).await;
    assert_eq!(reply.status, 415);
    assert_eq!(browser.send(server.put("/say")).await.status, 405);
    let long = "x".repeat(300_000);
    assert_eq!(browser.post("/say", &[("text", &long)]).await.status, 413);
    server.stopped().await;
}
