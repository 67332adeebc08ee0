//! Markdown of agents: marked up on the page and in the events, and nothing else is.

use serde_json::json;

use crate::browser::*;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agents_markdown_is_marked_up_and_a_persons_words_are_text() {
    for server in Server::on_each_store().await {
        let browser = Browser::new(&server);
        let page = browser.visit("/").await;
        let page = browser.say(&page, "# Mine\n- **one**").await;
        let lane = json!({"channel": "web", "conversation": page.data("data-conversation")});
        let posted = json!({"lane": lane, "kind": "assistant.posted",
            "assistant": {"kind": "answer", "text": "# Theirs\n- **one**\n- [two](https://x.example)"}});
        let turn = server.turn("posted", &posted).await;
        let html = browser.visit(&page.address).await.html();
        assert!(html.contains("<div class=\"text\"># Mine\n- **one**</div>"), "{html}");
        let marked = "<div class=\"text markup\"><h3>Theirs</h3><ul><li><strong>one</strong></li><li>\
            <a href=\"https://x.example\" target=\"_blank\" rel=\"noopener noreferrer\">two</a>\
            <small> (x.example)</small></li></ul></div>";
        assert!(html.contains(marked), "{html}");
        let lane = turn["lane"].as_str().unwrap();
        let events = server.get(&format!("/v1/lanes/{lane}/events")).send().await.json();
        let messages: Vec<_> =
            events["items"].as_array().unwrap().iter().filter(|it| it["event"] == "message").collect();
        let markup = messages
            .iter()
            .map(|it| it["data"]["markup"].clone())
            .filter(|it| !it.is_null())
            .collect::<Vec<_>>();
        assert_eq!(markup.len(), 1, "{events}");
        assert_eq!(markup[0][0], json!({"tag": "h3", "children": ["Theirs"]}));
        server.stopped().await;
    }
}
