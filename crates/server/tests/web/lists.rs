//! The list of conversations without a script: titles, days, what is new, organising it, and searching.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::browser::*;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_greeting_is_no_title_and_the_next_message_that_says_more_is() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let page = browser.say(&page, "Good morning!").await;
    assert!(page.html().contains("<span class=\"title\">Good morning!</span>"), "{}", page.html());
    let page = browser.say(&page, "Create a bug: the export is empty.\nSteps: open it").await;
    assert!(page.html().contains("<span class=\"title\">Create a bug: the export is empty</span>"));
    let page = browser.say(&page, "What do you think about microservices?").await;
    assert!(page.html().contains("<span class=\"title\">Create a bug: the export is empty</span>"));
    assert!(page.html().contains("<section data-group=\"today\" aria-label=\"Today\"><h2>Today</h2>"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_is_renamed_pinned_and_taken_off_the_list() {
    for server in Server::on_each_store().await {
        let browser = Browser::new(&server);
        let page = browser.visit("/").await;
        let first = browser.say(&page, TASK).await;
        let which = first.data("data-conversation");
        let organise = browser.visit(&format!("/conversation?c={}", encoded(&which))).await;
        assert!(organise.html().contains("One question or card waits in it."), "{}", organise.html());
        let renamed = browser.submit(&organise, "/conversations/rename", &[("title", "<b>Exports\nx")]).await;
        assert!(
            renamed.html().contains("<span class=\"title\">&lt;b&gt;Exports</span>"),
            "{}",
            renamed.html()
        );
        let renamed = browser.say(&renamed, "What do you think about microservices?").await;
        assert!(renamed.html().contains("<h1>&lt;b&gt;Exports</h1>"), "what a person named keeps its name");
        let unnamed = browser.submit(&organise, "/conversations/rename", &[("title", " ")]).await;
        assert!(unnamed.html().contains("<h1>&lt;b&gt;Exports</h1>"));
        let other = browser.visit("/new").await;
        let other = browser.say(&other, "What do you think about databases?").await;
        let pinned = browser.submit(&other, "/conversations/pin", &[("which", &which)]).await;
        assert_eq!(pinned.data("data-conversation"), other.data("data-conversation"), "the page stays");
        assert_eq!(groups(&pinned.html()), ["pinned", "today"]);
        let loose = browser.submit(&pinned, "/conversations/unpin", &[("which", &which)]).await;
        assert_eq!(groups(&loose.html()), ["today"]);
        let gone = browser.submit(&loose, "/conversations/remove", &[("which", &which)]).await;
        assert_eq!(gone.data("data-conversation"), other.data("data-conversation"));
        assert!(!gone.html().contains("Exports"), "{}", gone.html());
        // The conversation is as it was: its card can be decided, and writing in it brings it back.
        let there = browser.visit(&format!("/?c={}", encoded(&which))).await;
        let decided = browser.press(&there, "approve").await;
        assert!(decided.html().contains("Created DEMO-1"));
        assert!(!decided.html().contains("<span class=\"title\">&lt;b&gt;Exports"));
        let back = browser.say(&decided, "thanks").await;
        assert!(back.html().contains("<span class=\"title\">&lt;b&gt;Exports</span>"));
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_new_and_what_waits_is_marked_until_it_is_seen_or_answered() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let asked = browser.visit("/").await;
    let asked = browser.say(&asked, "Create a ticket for login bug").await;
    let which = asked.data("data-conversation");
    let other = browser.visit("/new").await;
    let other = browser.say(&other, "/maro help").await;
    let html = other.html();
    assert_eq!(html.matches("class=\"needs\"").count(), 1, "{html}");
    assert!(!html.contains("class=\"fresh\""), "everything was seen: {html}");
    let mut hers = said_in(&which, "/maro status");
    hers["actor"] = json!({"id": "ana"});
    server.turn("ana", &hers).await;
    let html = browser.visit(&other.address).await.html();
    assert_eq!(html.matches("class=\"fresh\"").count(), 1, "{html}");
    let seen = browser.submit(&other, "/conversations/seen", &[("which", &which)]).await;
    assert_eq!(seen.reply.status, 204);
    let list = browser.get("/conversations/list").await.json();
    let items = list["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["id"] == json!(which)).unwrap();
    assert_eq!((&found["unread"], &found["needs"]), (&json!(0), &json!(true)), "{found}");
    let there = browser.visit(&format!("/?c={}", encoded(&which))).await;
    let card = browser.say(&there, "Steps: open /login\nExpected: a form\nActual: a blank page").await;
    assert_eq!(card.html().matches("class=\"needs\"").count(), 1, "the card waits: {}", card.html());
    let rejected = browser.press(&card, "reject").await;
    assert!(!rejected.html().contains("class=\"needs\""), "{}", rejected.html());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_and_its_forms_are_the_owners_alone() {
    let office = Office::new();
    let server = office.serve().await;
    let bob = office.signed_in(&server, "bob").await;
    let page = bob.visit("/").await;
    let page = bob.say(&page, "What do you think about databases?").await;
    let which = page.data("data-conversation");
    let ana = office.signed_in(&server, "ana").await;
    let own = ana.visit("/").await;
    assert!(!own.html().contains("databases?"), "{}", own.html());
    for path in ["rename", "pin", "unpin", "remove", "seen"] {
        let fields = [("which", which.as_str()), ("title", "mine")];
        let refused = ana.submit(&own, &format!("/conversations/{path}"), &fields).await;
        assert_eq!(refused.reply.status, 404, "{path}");
        let forged = bob.post(&format!("/conversations/{path}"), &fields).await;
        assert_eq!(forged.status, 403, "without the page's token: {path}");
    }
    for path in ["conversation?c=", "history?before=9&c="] {
        assert_eq!(ana.get(&format!("/{path}{}", encoded(&which))).await.status, 404, "{path}");
    }
    let found = ana.visit("/conversations?q=databases").await;
    assert!(found.html().contains("Nothing of this was said"), "{}", found.html());
    let found = bob.visit("/conversations?q=DATAbases").await;
    assert!(found.html().contains("about <mark>databases</mark>?"), "{}", found.html());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_reads_a_bounded_part_and_goes_on_from_there() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let page = browser.say(&page, "a needle in the beginning").await;
    let which = page.data("data-conversation");
    for n in 0..45 {
        server.turn(&format!("k{n}"), &said_in(&which, &format!("/maro status needle {n}"))).await;
    }
    let next = |page: &Page| {
        let html = page.html();
        let next = html.split("href=\"").find(|part| part.contains("from="))?;
        Some(unescape(next.split('"').next().unwrap()))
    };
    let mut page = browser.visit("/conversations?q=Needle").await;
    let (mut found, mut pages) = (Vec::new(), 1);
    loop {
        let html = page.html();
        let hits = html.matches("<li><a href=").count();
        assert!((1..=22).contains(&hits), "{hits} on a page");
        let said = html.split("&#x2f;maro status <mark>needle</mark> ").skip(1);
        found.extend(said.map(|rest| rest.split('<').next().unwrap().parse::<u32>().unwrap()));
        let Some(address) = next(&page) else { break };
        page = browser.visit(&address).await;
        pages += 1;
    }
    assert!(pages > 2, "{pages}");
    assert_eq!(found, (0..45).rev().collect::<Vec<_>>(), "each once, the newest first");
    assert!(page.html().contains("in the beginning"));
    let html = page.html();
    let place = html.split("<ol class=\"hits\">").nth(1).unwrap().split("href=\"").nth(1).unwrap();
    let there = browser.visit(&unescape(place.split('"').next().unwrap())).await;
    let texts = there.texts();
    assert!(
        texts.iter().rev().take(2).any(|text| text.contains("needle")),
        "its turn is the last: {texts:?}"
    );
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_conversations_are_reached_page_by_page() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    for n in 0..105 {
        let text = format!("What do you think about plan {n}?");
        server.turn(&format!("k{n}"), &said_in(&format!("you:{n:03}"), &text)).await;
    }
    let page = browser.visit("/").await;
    assert_eq!(page.html().matches("<li data-id=").count(), 60);
    let first = browser.visit("/conversations").await;
    assert_eq!(first.html().matches("<li data-id=").count(), 100);
    let next = first.html();
    let next = next.split("href=\"").find(|part| part.contains("after=")).unwrap().split('"').next().unwrap();
    let second = browser.visit(&unescape(next)).await;
    assert_eq!(second.html().matches("<li data-id=").count(), 5);
    assert!(!second.html().contains("after="));
    server.stopped().await;
}

/// Several lanes come in one stream, each with its own ids, and what cannot be followed is said at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_follows_the_lanes_of_all_tabs() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let one = browser.visit("/new").await;
    let one = browser.say(&one, "What do you think about microservices?").await;
    let two = browser.visit("/new").await;
    let two = browser.say(&two, "What do you think about databases?").await;
    let (first, second) = (one.data("data-lane"), two.data("data-lane"));
    let call = browser.call(server.get(&format!("/follow?lanes={first}:0,{second}:0,ln_none:0")));
    let mut socket = call.connect().await;
    socket.write_all(&call.wire()).await.unwrap();
    let told = until(&mut socket, "databases").await;
    let refused = r#"{"lane":"ln_none","event":"refused"}"#;
    assert!(told.contains("microservices") && told.contains(refused), "{told}");
    browser.say(&two, "/maro status").await;
    let told = until(&mut socket, r#"{"event":"conversations"}"#).await;
    assert!(!told.contains(&format!("{{\"lane\":\"{first}\"")), "nothing happened there: {told}");
    for wrong in ["ln_a:b", "ln_a:1.x", "ln_a:0,ln_b:-1"] {
        let refused = browser.get(&format!("/follow?lanes={wrong}")).await;
        assert_eq!(refused.status, 400, "{wrong}");
    }
    server.stopped().await;
}

/// Reads a stream up to a text, and returns what was read.
async fn until(socket: &mut TcpStream, words: &str) -> String {
    let mut told = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&told).contains(words) {
            assert!(socket.read_buf(&mut told).await.unwrap() > 0, "{}", String::from_utf8_lossy(&told));
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reading).await.expect("news in time");
    String::from_utf8_lossy(&told).into_owned()
}

fn groups(html: &str) -> Vec<&str> {
    html.split("<section data-group=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect()
}

fn encoded(conversation: &str) -> String {
    form_urlencoded::byte_serialize(conversation.as_bytes()).collect()
}
