//! Webhooks at the console: how each stands, and what an operator does about events that were given up.

use throughline_engine::Timestamp;

use crate::endpoint::{Endpoint, Received, World, ok};
use crate::page::{Operator, Page};
use crate::support::*;

/// Gives an event up: the endpoint refuses it ten times.
async fn given_up(endpoint: &Endpoint, world: &World) {
    world.server.say("k0", "c1", "ana", "/maro status").await;
    for attempt in 1..=10 {
        endpoint.has(attempt).await;
        eventually("the failure is noted", || async {
            attempt == 10 || world.standing().await["next_attempt"].is_string()
        })
        .await;
        world.clock.advance(27 * Timestamp::HOUR);
    }
    eventually("it is given up", || async { world.dead().await.len() == 1 }).await;
}

fn refused(_: &Received) -> Option<String> {
    Some("500 Internal Server Error".into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_was_given_up_is_delivered_from_the_page() {
    let endpoint = Endpoint::start(refused).await;
    let world = World::start(&endpoint, ", kinds = [\"turn\"]").await;
    given_up(&endpoint, &world).await;
    let operator = Operator::at(&world.server).await;
    world.server.page("/console/webhooks").await.says("running").links_to("/console/webhooks/agent");
    let path = "/console/webhooks/agent";
    let page = world.server.page(path).await;
    let id = endpoint.all()[0].id().to_owned();
    page.says("it answered 500").says("number 10").says(&endpoint.url);
    page.says("POST /v1/webhooks/agent/dead/EVENT/redeliver");
    assert!(page.html.contains(&format!("value=\"{id}\"")), "the form names the event");
    let form = |key: &'static str, act: &'static str| {
        let (operator, id) = (&operator, &id);
        async move { Page::of(&operator.form(path, &[("key", key), ("act", act), ("event", id)]).await) }
    };
    form("k1", "redeliver").await.says("The endpoint did not take it: it answered 500");
    endpoint.answers(ok);
    form("k1", "redeliver").await.says("it answered 500");
    form("k2", "redeliver").await.says("The event was delivered").says("Nothing was given up.");
    let sent = endpoint.all().len();
    form("k2", "redeliver").await.says("The event was delivered");
    assert_eq!(endpoint.all().len(), sent, "the same form again sends nothing");
    assert_eq!(form("k3", "discard").await.status, 404);
    assert_eq!(form("k4", "explode").await.status, 400);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_discarded_and_an_endpoint_is_tried_and_enabled() {
    let endpoint = Endpoint::start(refused).await;
    let world = World::start(&endpoint, ", kinds = [\"turn\"]").await;
    given_up(&endpoint, &world).await;
    let operator = Operator::at(&world.server).await;
    let path = "/console/webhooks/agent";
    let id = endpoint.all()[0].id().to_owned();
    let discarded = operator.form(path, &[("key", "d"), ("act", "discard"), ("event", &id)]).await;
    Page::of(&discarded).says("The event was discarded.").says("Nothing was given up.");
    endpoint.answers(|_| Some("410 Gone".into()));
    world.server.say("k1", "c2", "ana", "/maro status").await;
    eventually("it is disabled", || async { world.standing().await["state"] == "disabled" }).await;
    world.server.page("/console/webhooks").await.says("disabled");
    world.server.page(path).await.says("Send again");
    endpoint.answers(ok);
    let tried = operator.form(path, &[("key", "t"), ("act", "test")]).await;
    Page::of(&tried).says("The endpoint took the test event.");
    let enabled = operator.form(path, &[("key", "e"), ("act", "enable")]).await;
    Page::of(&enabled).says("Events are sent again, from where they stopped.").says("running");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_that_nobody_configured_has_no_page() {
    let server = Server::demo().await;
    server.page("/console/webhooks").await.says("No event is sent anywhere.");
    assert_eq!(Page::of(&server.get("/console/webhooks/agent").send().await).status, 404);
    server.stopped().await;
}
