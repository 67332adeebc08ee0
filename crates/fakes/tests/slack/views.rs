//! Modals, Home tabs, messages that only one person sees, response URLs.

use serde_json::{Value, json};
use throughline_fakes::slack::{FakeSlack, Fault, Progress};
use throughline_fakes::system_clock;

use crate::app::{self, Socket, api, call};
use crate::{ANA, GENERAL, card, modal, slack};

/// Opens a modal for Ana.
async fn opened(slack: &FakeSlack, socket: &mut Socket) -> Value {
    slack.shortcut(ANA, "edit");
    let trigger = socket.ack().await["payload"]["trigger_id"].clone();
    call(slack, "views.open", json!({"trigger_id": trigger, "view": modal()})).await["view"].clone()
}

#[tokio::test]
async fn a_submission_is_answered_with_the_next_view() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    opened(&slack, &mut socket).await;
    slack.submits(ANA);
    let mut other = modal();
    other["callback_id"] = json!("outdated");
    let form = socket.ack_with(json!({"response_action": "update", "view": other})).await["payload"].clone();
    assert_eq!(form["view"]["state"]["values"]["title"]["text"]["value"], "Login", "the initial value");
    slack.idle().await;
    assert_eq!(slack.modal(ANA).unwrap().callback_id(), "outdated");
    slack.submits(ANA);
    socket.ack_with(json!({"response_action": "push", "view": modal()})).await;
    slack.idle().await;
    let stack = slack.modals(ANA);
    assert_eq!((stack.len(), stack[1].previous.as_ref()), (2, Some(&stack[0].id)));
    slack.submits(ANA);
    socket.ack_with(json!({"response_action": "clear"})).await;
    slack.idle().await;
    assert_eq!(slack.modals(ANA).len(), 0);
    assert_eq!(slack.violations(), [""; 0]);
    opened(&slack, &mut socket).await;
    slack.submits(ANA);
    socket.ack_with(json!({"response_action": "errors", "errors": {"nowhere": "no"}})).await;
    slack.idle().await;
    assert!(slack.violations()[0].contains("no input block"), "{:?}", slack.violations());
}

#[tokio::test]
async fn a_view_is_updated_only_with_its_newest_hash() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    let view = opened(&slack, &mut socket).await;
    slack.types(ANA, "text", "typed");
    let update = json!({"view_id": view["id"], "hash": view["hash"], "view": modal()});
    call(&slack, "views.update", update.clone()).await;
    assert_eq!(slack.modal(ANA).unwrap().values["title"]["text"]["value"], "typed", "what was typed stays");
    assert_eq!(api(&slack, "views.update", update).await["error"], "hash_conflict");
    let mut watched = modal();
    watched["notify_on_close"] = json!(true);
    call(&slack, "views.update", json!({"view_id": view["id"], "view": watched})).await;
    let closed = slack.dismisses(ANA, false).unwrap();
    let payload = socket.ack().await["payload"].clone();
    assert_eq!((&payload["type"], &payload["is_cleared"]), (&json!("view_closed"), &json!(false)));
    assert_eq!(slack.settled(closed).await.progress, Progress::Acked);
    slack.opens_home(ANA, "home");
    socket.ack().await;
    let home = json!({"type": "home", "blocks": card()});
    call(&slack, "views.publish", json!({"user_id": ANA, "view": home})).await;
    slack.presses_in_home(ANA, "Approve");
    let press = socket.ack().await["payload"].clone();
    assert_eq!((&press["container"]["type"], &press["view"]["type"]), (&json!("view"), &json!("home")));
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn what_only_one_person_sees_is_pressed_replaced_and_deleted() {
    let slack = slack(system_clock()).await;
    let mut socket = Socket::open(&slack).await;
    let body = json!({"channel": GENERAL, "user": ANA, "text": "yours", "blocks": card()});
    call(&slack, "chat.postEphemeral", body).await;
    assert_eq!(slack.messages(GENERAL).len(), 0);
    let ts = slack.ephemerals(ANA)[0].ts.clone();
    slack.presses(GENERAL, ANA, &ts, "Approve");
    let press = socket.ack().await["payload"].clone();
    assert_eq!((&press["container"]["is_ephemeral"], &press["message"]), (&json!(true), &Value::Null));
    let url = press["response_url"].as_str().unwrap();
    let replaced = json!({"replace_original": true, "text": "done"});
    assert_eq!(app::post(url, replaced).await, (200, "ok".into()));
    let shown = slack.ephemerals(ANA);
    assert_eq!((shown.len(), shown[0].text.as_str(), shown[0].labels().len()), (1, "done", 0));
    assert_eq!(app::post(url, json!({"delete_original": true})).await, (200, "ok".into()));
    assert_eq!(slack.ephemerals(ANA).len(), 0);

    let posted =
        call(&slack, "chat.postMessage", json!({"channel": GENERAL, "text": "card", "blocks": card()})).await;
    socket.ack().await;
    let ts = posted["ts"].as_str().unwrap();
    slack.presses(GENERAL, ANA, ts, "Approve");
    let press = socket.ack().await["payload"].clone();
    let url = press["response_url"].as_str().unwrap();
    slack.fail_next("response_url", None, Fault::AppliedThenLost);
    let replaced = json!({"replace_original": true, "text": "approved", "blocks": []});
    assert_eq!(app::post(url, replaced).await.0, 504);
    assert_eq!(socket.ack().await["payload"]["event"]["subtype"], "message_changed");
    assert_eq!(slack.message(GENERAL, ts).unwrap().text, "approved");
    assert_eq!(app::post(url, json!({"replace_original": true, "colour": "red", "text": "x"})).await.0, 400);
    assert_eq!(slack.violations().len(), 1);
}
