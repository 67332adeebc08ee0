//! Selection inspector: a list with what a message made of each option, as it was read and as other words would be.

use serde_json::json;

use crate::page::{Operator, Page};
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inspector_shows_what_words_make_of_each_option() {
    for server in Server::on_each_store().await {
        let operator = Operator::at(&server).await;
        let option = |id: &str, label: &str, price: u32| {
            json!({
                "id": id, "label": label, "exec_ref": format!("open:{id}"), "aliases": [format!("the {label} one")],
                "fields": {"price": {"value": price, "unit": "EUR"}, "breakfast": true, "near": ["beach", "park"]},
            })
        };
        let shown = json!({"lane": {"conversation": "c1"}, "kind": "options.shown", "shown": {
            "scope": "widget", "scope_instance": "hotels", "title": "Hotels",
            "options": [option("a", "<b>Ritz</b>", 300), option("b", "Seaview", 120), option("c", "Seaside", 90)],
        }});
        server.turn("k1", &shown).await;
        let chosen = server.say("k2", "c1", "you", "the second one").await;
        let id = chosen["turn"].as_str().unwrap();
        server
            .page(&format!("/console/turns/{id}"))
            .await
            .says("Among options")
            .says("See how each option was read");

        let replay = format!("/console/turns/{id}/replay");
        let with = async |text: &str| {
            let reply = operator.form(&replay, &[("text", text)]).await;
            Page::of(&reply).after("class=\"result").after("The list it is read against")
        };
        let second = with("the second one").await;
        second.says("Hotels").says(
            "1 <b>Ritz</b> a the <b>Ritz</b> one breakfast: yes, near: beach and park, price: 300 EUR –",
        );
        second
            .says("2 Seaview b the Seaview one breakfast: yes, near: beach and park, price: 120 EUR executed")
            .says("3 Seaside c the Seaside one breakfast: yes, near: beach and park, price: 90 EUR –");
        with("the cheapest")
            .await
            .says("3 Seaside c the Seaside one breakfast: yes, near: beach and park, price: 90 EUR executed");
        let alike = with("open the sea thing").await;
        alike.says("price: 120 EUR asked about").says("price: 90 EUR asked about");
        let nothing = with("what is the weather like in Berlin today?").await;
        nothing.says("2 Seaview b the Seaview one breakfast: yes, near: beach and park, price: 120 EUR –");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_beside_no_list_has_no_inspector() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let turn = server.say("k1", "c1", "you", "Create a ticket for the login page").await;
    let id = turn["turn"].as_str().unwrap();
    let reply = operator.form(&format!("/console/turns/{id}/replay"), &[("text", "the second one")]).await;
    let page = Page::of(&reply);
    page.after("class=\"result").says("Sent: 0");
    assert!(!page.text().contains("The list it is read against"), "{}", page.text());
    server.stopped().await;
}
