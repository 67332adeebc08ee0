//! The preview of a lane on Slack, Telegram and the web.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::page::Page;
use crate::screens::story;
use crate::support::*;

fn path(turn: &Value) -> String {
    format!("/console/preview/{}", turn["lane"].as_str().unwrap())
}

/// Returns the parts of a page that show one channel.
fn cells(page: &Page, channel: &str) -> Vec<Page> {
    let mark = format!("<div class=\"cell {channel}\">");
    let end = |rest: &str| rest.find("<div class=\"cell").unwrap_or(rest.len());
    let parts = page.html.split(&mark).skip(1);
    parts.map(|rest| Page { status: page.status, html: rest[..end(rest)].to_owned() }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_is_shown_as_each_channel_shows_it() {
    for server in Server::on_each_store().await {
        let told = story(&server).await;
        let page = server.page(&path(&told)).await;
        page.says("As @ana sees it").says("they do nothing").says("throughline lanes show ln_");
        page.says("@bob pressed Approve on version 1 refused");
        for channel in ["slack", "telegram", "web"] {
            let cells = cells(&page, channel);
            let says = |words: &str| cells.iter().any(|cell| cell.text().contains(words));
            for words in ["Create a task for the manual", "Created DEMO-1", "Write the whole manual"] {
                assert!(says(words), "no {words:?} on {channel}");
            }
            // To @bob, whose press came too late, and to @eve, who may not decide.
            assert!(says("This preview is outdated"), "{channel}");
            assert!(!says("Not drawn here"), "{channel}");
        }
        let slack = cells(&page, "slack");
        assert!(slack.iter().any(|cell| cell.text().contains("Only visible to @bob")));
        assert!(slack.iter().any(|cell| cell.text().contains("\"type\": \"rich_text\"")));
        // The lane leads to its preview, and back.
        let lane = format!("/console/lanes/{}", told["lane"].as_str().unwrap());
        server.page(&lane).await.links_to(&path(&told));
        page.links_to(&lane);
        server.stopped().await;
    }
}

/// A card that waits has its buttons on each channel, and no press can come from them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_buttons_are_pictures() {
    let server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", TASK).await;
    let card = card_of(&turn);
    let page = server.page(&path(&turn)).await;
    for channel in ["slack", "telegram", "web"] {
        let cells = cells(&page, channel);
        for label in ["Approve", "Edit", "Reject"] {
            assert!(cells.iter().any(|cell| cell.text().contains(label)), "no {label} on {channel}");
        }
    }
    for action in ["approve", "edit", "reject"] {
        assert!(!page.html.contains(&token(&card, action)), "the token of {action}");
    }
    let main = page.after("<main");
    assert!(!main.html.contains("<form") && !main.html.contains("method=\"post\""));
    let groups = ["<div class=\"actions\"", "<div class=\"options"];
    for rest in groups.iter().flat_map(|group| main.html.split(group).skip(1)) {
        assert!(rest.split('>').next().unwrap().ends_with(" inert"), "{rest}");
    }
    server.stopped().await;
}

/// Markup, marks of the channels and characters that turn the direction are text on each channel.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_text_is_text_on_each_channel() {
    const BAD: &str = "\"'></template><script>alert(1)</script><img src=x onerror=alert(2)> <!channel> <@U1> \
        @everyone *b* {{7*7}} \u{202e}txt.exe\u{2066}";
    const BAD_ID: &str = "\"'><svg/onload=alert(3)></template>";
    let server = Server::demo().await;
    let lane = json!({"conversation": BAD_ID, "thread": BAD_ID});
    let ask = format!("Create a task for {BAD}\nTitle: {BAD}\nProblem: {BAD}\nAcceptance criteria: {BAD}");
    let said = json!({"lane": lane, "actor": {"id": BAD_ID}, "kind": "message.posted", "text": ask});
    let turn = server.turn("k1", &said).await;
    let strange = json!({"lane": lane, "actor": {"id": BAD_ID}, "kind": "card.pressed",
        "press": {"token": token(&card_of(&turn), "approve")}});
    server.turn("k2", &strange).await;
    for (n, kind) in ["answer", "question", "notification"].into_iter().enumerate() {
        let host =
            json!({"lane": lane, "kind": "assistant.posted", "assistant": {"kind": kind, "text": BAD}});
        server.turn(&format!("k{}", 3 + n), &host).await;
    }
    let page = server.page(&path(&turn)).await;
    for live in
        ["<script>", "<img", "<svg", "'><", "<@U1>", "<!channel>", "{{7*7}}49", "\u{202e}", "\u{2066}"]
    {
        assert!(!page.html.contains(live), "{live} in {}", page.html);
    }
    assert_eq!(page.html.matches("<template").count(), page.html.matches("</template>").count());
    for channel in ["slack", "telegram", "web"] {
        let cells = cells(&page, channel);
        let times = |words: &str| cells.iter().filter(|cell| cell.text().contains(words)).count();
        // The message, its card, the notice, and three messages of the host.
        assert!(times("<script>alert(1)</script>") >= 5, "{channel}: {}", times("<script>alert(1)</script>"));
        assert!(times("\u{fffd}txt.exe\u{fffd}") >= 5, "{channel}");
    }
    // What we send mentions nobody: a client makes no mention of a name behind a word joiner.
    for channel in ["slack", "telegram"] {
        let ours = cells(&page, channel).into_iter().skip(1);
        for cell in ours.filter(|cell| cell.text().contains("everyone")) {
            assert!(cell.html.contains("@\u{2060}everyone"), "{channel}: {}", cell.html);
            assert!(!cell.html.contains("class=\"mention\""), "{channel}");
        }
    }
    server.stopped().await;
}

/// A preview can be read by whoever can read the lane, and nobody else finds it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_readers_of_the_lane_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let (reads_all, first) = Token::mint("viewer", [1; 24]);
    let (writes, second) = Token::mint("maker", [2; 24]);
    let (reads_own, third) = Token::mint("narrow", [3; 24]);
    let row = |id: &str, sha256: &str, scopes: &str, who: &str| {
        format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{sha256}\"\ntenant = \"acme\"\nscopes = [{scopes}]\nprincipal = \"{who}\"\n"
        )
    };
    let text = [
        "tenant = \"acme\"\n".to_owned(),
        row("viewer", &first.to_string(), "\"lanes:read\", \"lanes:read_all\"", "vic"),
        row("maker", &second.to_string(), "\"events:write\", \"act_as\"", "ana"),
        row("narrow", &third.to_string(), "\"lanes:read\"", "ned"),
    ];
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text.concat()).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let event = server.event("k1", &said("c1", "ana", TASK)).token(&writes).header("Prefer", "wait=10");
    let path = path(&event.send().await.json());
    for (token, status, code) in
        [(&reads_all, 200, ""), (&writes, 403, "TL-2103"), (&reads_own, 404, "TL-2404")]
    {
        let page = Page::of(&server.get(&path).token(token).send().await);
        assert_eq!(page.status, status);
        page.says(code);
        assert_eq!(page.html.contains("Write the manual"), status == 200);
    }
    let missing = Page::of(&server.get("/console/preview/ln_x").token(&reads_all).send().await);
    assert_eq!(missing.status, 404);
    let signed_out = server.get(&path).send().await;
    assert_eq!(signed_out.status, 303, "{}", signed_out.text());
    server.stopped().await;
}

/// A page shows 30 turns, and leads to the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_lane_is_shown_in_pages() {
    let server = Server::demo().await;
    let mut turn = json!(null);
    for n in 0..33 {
        turn = server.say(&format!("k{n}"), "c1", "ana", &format!("/maro help {n}")).await;
    }
    let newest = server.page(&path(&turn)).await;
    let older = newest.links(&format!("{}?before=", path(&turn)));
    assert_eq!(older.len(), 1);
    let rest = server.page(&older[0]).await;
    rest.says("/maro help 0").links_to(&path(&turn));
    assert_eq!(rest.links(&format!("{}?before=", path(&turn))), Vec::<String>::new());
    server.stopped().await;
}
