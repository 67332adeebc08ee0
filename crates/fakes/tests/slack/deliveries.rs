//! Deliveries over sockets and over HTTP.

use std::sync::atomic::Ordering;

use serde_json::json;
use throughline_fakes::slack::{Endpoints, FakeSlack, Progress};
use throughline_fakes::system_clock;

use crate::app::{self, Receiver, Socket, api, call};
use crate::{ANA, GENERAL, card, hands, modal, slack};

#[tokio::test]
async fn a_mention_goes_over_a_socket_and_is_answered_in_its_thread() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    let ts = slack.says(GENERAL, ANA, &format!("{} create a ticket", FakeSlack::MENTION));
    let (first, second) = (socket.ack().await, socket.ack().await);
    let (mention, message) = (&first["payload"], &second["payload"]);
    assert_eq!((&first["type"], &first["accepts_response_payload"]), (&json!("events_api"), &json!(false)));
    assert_eq!(
        (&mention["event"]["type"], &message["event"]["type"]),
        (&json!("app_mention"), &json!("message"))
    );
    assert_ne!(mention["event_id"], message["event_id"]);
    assert_eq!(mention["event"]["ts"], ts.as_str());
    assert_eq!(message["event"]["channel_type"], "channel");
    assert_eq!(message["authorizations"][0]["user_id"], FakeSlack::BOT_USER);
    slack.idle().await;
    assert!(slack.deliveries_of(GENERAL, &ts).iter().all(|one| one.progress == Progress::Acked));

    let body = json!({"channel": GENERAL, "thread_ts": ts, "text": "Login fails", "blocks": card()});
    let posted = call(&slack, "chat.postMessage", body).await;
    assert_eq!(posted["message"]["bot_id"], FakeSlack::BOT);
    let own = socket.ack().await;
    assert_eq!(own["payload"]["event"]["bot_id"], FakeSlack::BOT);
    assert_eq!(own["payload"]["event"]["parent_user_id"], ANA);
    let shown = slack.card(GENERAL).unwrap();
    assert_eq!((shown.thread.as_ref(), shown.labels()), (Some(&ts), vec!["Approve".to_owned()]));

    let press = slack.presses(GENERAL, ANA, &shown.ts, "Approve");
    let pressed = socket.ack().await["payload"].clone();
    assert_eq!(
        (&pressed["type"], &pressed["actions"][0]["value"]),
        (&json!("block_actions"), &json!("token-1"))
    );
    assert_eq!(pressed["container"]["thread_ts"], ts.as_str());
    assert_eq!(slack.settled(press).await.status(), 200);
    let opened = json!({"trigger_id": pressed["trigger_id"], "view": modal()});
    assert_eq!(call(&slack, "views.open", opened.clone()).await["view"]["callback_id"], "edit");
    assert_eq!(api(&slack, "views.open", opened).await["error"], "exchanged_trigger_id");
    slack.types(ANA, "text", "no");
    slack.submits(ANA);
    let errors = json!({"response_action": "errors", "errors": {"title": "too short"}});
    let form = socket.ack_with(errors).await["payload"].clone();
    assert_eq!(form["view"]["state"]["values"]["title"]["text"]["value"], "no");
    slack.idle().await;
    assert_eq!(slack.modal(ANA).unwrap().errors["title"], "too short");
    slack.submits(ANA);
    socket.ack().await;
    slack.idle().await;
    assert!(slack.modal(ANA).is_none());
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn http_deliveries_are_signed_and_events_are_sent_again() {
    let slack = slack(system_clock()).await;
    slack.retries_after([0, 0, 0]);
    let mut app = Receiver::start().await;
    slack.delivers_to(Endpoints::at(&app.url));
    app.answer(500, "");
    let ts = slack.says(GENERAL, ANA, "hello");
    let (first, again) = (app.next().await, app.next().await);
    assert_eq!((first.path.as_str(), first.header("x-slack-retry-num")), ("/slack/events", None));
    assert_eq!(again.header("x-slack-retry-num"), Some("1"));
    assert_eq!(again.header("x-slack-retry-reason"), Some("http_error"));
    assert_eq!(first.json()["event_id"], again.json()["event_id"]);
    assert_eq!(first.json()["event"]["ts"], ts.as_str());
    for one in [&first, &again] {
        let seconds = one.header("x-slack-request-timestamp").unwrap();
        let signed = throughline_fakes::slack::sign(FakeSlack::SIGNING_SECRET, seconds, &one.body);
        assert_eq!(one.header("x-slack-signature"), Some(signed.as_str()));
    }
    slack.idle().await;

    app.answer(200, r#"{"response_type": "ephemeral", "text": "Say help"}"#);
    let command = slack.commands(GENERAL, ANA, "/maro", "halp");
    let sent = app.next().await;
    assert_eq!(sent.path, "/slack/commands");
    assert_eq!((sent.field("command").as_str(), sent.field("text").as_str()), ("/maro", "halp"));
    assert_eq!(slack.settled(command).await.answer()["text"], "Say help");
    assert_eq!(slack.ephemerals(ANA).pop().unwrap().text, "Say help");
    app.answer(500, "");
    let press = slack.shortcut(ANA, "new_ticket");
    assert_eq!(app.next().await.payload()["callback_id"], "new_ticket");
    assert_eq!(slack.settled(press).await.progress, Progress::Failed, "only events are sent again");
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn what_a_lost_socket_had_not_acknowledged_goes_to_another() {
    let slack = slack(system_clock()).await;
    let mut one = Socket::open(&slack).await;
    let mut two = Socket::open(&slack).await;
    assert_eq!(two.hello["num_connections"], 2);
    let [first, second] = slack.sockets()[..] else { panic!("two sockets") };
    slack.disconnects(first, "warning");
    assert_eq!(one.frame().await["reason"], "warning");
    slack.says(GENERAL, ANA, "hello");
    let lost = two.frame().await;
    assert_eq!((&lost["retry_attempt"], &lost["retry_reason"]), (&json!(0), &json!("")));
    slack.drops(second);
    let again = one.ack().await;
    assert_eq!((&again["retry_attempt"], &again["retry_reason"]), (&json!(1), &json!("connection_closed")));
    assert_eq!(again["payload"]["event_id"], lost["payload"]["event_id"]);
    slack.idle().await;
    assert!(Socket::connect(&two.url).await.is_none(), "a ticket is used once");
    slack.disconnects(first, "link_disabled");
    assert_eq!(one.frame().await["reason"], "link_disabled");
    let body = json!({});
    let refused = app::with_token(&slack, "apps.connections.open", FakeSlack::APP_TOKEN, body).await;
    assert_eq!(refused.1["error"], "link_disabled");
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn triggers_and_response_urls_expire_by_the_clock() {
    let (at, clock) = hands();
    let slack = slack(clock).await;
    let mut socket = Socket::open(&slack).await;
    slack.commands(GENERAL, ANA, "/maro", "edit");
    let command = socket.ack().await["payload"].clone();
    at.fetch_add(3_500, Ordering::SeqCst);
    let open = json!({"trigger_id": command["trigger_id"], "view": modal()});
    assert_eq!(api(&slack, "views.open", open).await["error"], "expired_trigger_id");
    let url = command["response_url"].as_str().unwrap();
    for _ in 0..5 {
        assert_eq!(app::post(url, json!({"text": "later"})).await, (200, "ok".into()));
    }
    assert_eq!(app::post(url, json!({"text": "later"})).await, (404, "used_url".into()));
    assert_eq!(slack.ephemerals(ANA).len(), 5);
    slack.commands(GENERAL, ANA, "/maro", "edit");
    let command = socket.ack().await["payload"].clone();
    at.fetch_add(31 * 60_000, Ordering::SeqCst);
    let url = command["response_url"].as_str().unwrap();
    assert_eq!(app::post(url, json!({"text": "later"})).await, (404, "expired_url".into()));
    let slow = slack.shortcut(ANA, "slow");
    socket.frame().await;
    at.fetch_add(3_001, Ordering::SeqCst);
    assert_eq!(slack.settled(slow).await.progress, Progress::Failed);
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn events_without_scope_or_subscription_are_withheld() {
    let slack = slack(system_clock()).await;
    let mention = format!("{} hello", FakeSlack::MENTION);
    let progress = |ts: &str| -> Vec<_> {
        slack
            .deliveries_of(GENERAL, ts)
            .into_iter()
            .map(|one| (one.kind().to_owned(), one.progress))
            .collect()
    };
    slack.grant(FakeSlack::BOT_TOKEN, &["app_mentions:read", "chat:write"]);
    let ts = slack.says(GENERAL, ANA, &mention);
    let wanted = [("app_mention".into(), Progress::Waiting), ("message".into(), Progress::Withheld)];
    assert_eq!(progress(&ts), wanted);
    slack.grant(FakeSlack::BOT_TOKEN, &["app_mentions:read", "channels:history"]);
    slack.subscribes(&["message.channels"]);
    let ts = slack.says(GENERAL, ANA, &mention);
    let wanted = [("app_mention".into(), Progress::Withheld), ("message".into(), Progress::Waiting)];
    assert_eq!(progress(&ts), wanted);
}

#[tokio::test]
async fn what_was_held_back_comes_in_reverse() {
    let slack = slack(system_clock()).await;
    let mut app = Receiver::start().await;
    slack.delivers_to(Endpoints::at(&app.url));
    slack.holds();
    let (first, second) = (slack.says(GENERAL, ANA, "one"), slack.says(GENERAL, ANA, "two"));
    slack.releases(true);
    assert_eq!(app.next().await.json()["event"]["ts"], second.as_str());
    assert_eq!(app.next().await.json()["event"]["ts"], first.as_str());
    slack.idle().await;
    app.answer(200, r#"{"challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"}"#);
    assert!(slack.verifies(&format!("{}/slack/events", app.url)).await);
    assert!(!slack.verifies(&format!("{}/slack/events", app.url)).await);
}

#[tokio::test]
async fn edits_and_deletions_are_events_of_their_own() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    slack.person("U0GUEST01", "Gil");
    slack.stranger("U0GUEST01", "T0ELSE001");
    slack.shares(GENERAL);
    let root = slack.says(GENERAL, "U0GUEST01", "hello");
    let said = socket.ack().await["payload"].clone();
    assert_eq!(
        (&said["is_ext_shared_channel"], &said["event"]["user_team"]),
        (&json!(true), &json!("T0ELSE001"))
    );
    let reply = slack.says_in(GENERAL, &root, ANA, "reply");
    assert_eq!(socket.ack().await["payload"]["event"]["thread_ts"], root.as_str());
    slack.edits(GENERAL, &root, "hello");
    let unfurled = socket.ack().await["payload"]["event"].clone();
    assert_eq!(unfurled["message"]["text"], unfurled["previous_message"]["text"]);
    assert!(unfurled["message"].get("edited").is_none());
    slack.edits(GENERAL, &root, "other");
    let edited = socket.ack().await["payload"]["event"].clone();
    assert_eq!(
        (&edited["subtype"], &edited["message"]["text"]),
        (&json!("message_changed"), &json!("other"))
    );
    assert_eq!(edited["message"]["edited"]["user"], "U0GUEST01");
    slack.deletes(GENERAL, &root);
    let tombstone = socket.ack().await["payload"]["event"].clone();
    assert_eq!(tombstone["message"]["subtype"], "tombstone", "its thread stays");
    slack.deletes(GENERAL, &reply);
    let deleted = socket.ack().await["payload"]["event"].clone();
    assert_eq!(deleted["deleted_ts"], reply.as_str());
    let again = slack.repeats(slack.deliveries().last().unwrap().id);
    let repeated = socket.ack().await;
    assert_eq!(repeated["payload"]["event"], deleted);
    assert_eq!(slack.settled(again).await.progress, Progress::Acked);
}

#[tokio::test]
async fn pings_are_answered_and_false_acknowledgements_noted() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    assert_eq!(socket.ping("still there").await.into_data(), "still there");
    slack.pings(slack.sockets()[0]);
    assert!(socket.ping("and you").await.is_ping(), "the fake asks too");
    socket.send("not JSON").await;
    socket.send(r#"{"envelope_id": "unknown"}"#).await;
    let press = slack.shortcut(ANA, "new_ticket");
    let envelope = socket.ack_with(json!({"text": "hello"})).await["envelope_id"].clone();
    assert_eq!(slack.settled(press).await.progress, Progress::Acked);
    socket.send(&json!({"envelope_id": envelope}).to_string()).await;
    socket.ping("all was read").await;
    let found = slack.violations();
    assert_eq!(found.iter().filter(|found| found.contains("an unknown envelope")).count(), 2, "{found:?}");
    for wanted in ["a payload in an acknowledgement", "takes none", "a second acknowledgement"] {
        assert!(found.iter().any(|found| found.contains(wanted)), "{wanted}: {found:?}");
    }
}
