//! Calls of methods.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use throughline_fakes::slack::{FakeSlack, Fault};
use throughline_fakes::system_clock;

use crate::app::{self, api, call};
use crate::{ANA, GENERAL, card, hands, modal, slack};

#[tokio::test]
async fn calls_are_refused_with_slacks_codes() {
    let slack = slack(system_clock()).await;
    slack.channel("C0OUTSIDE", "outside", &[ANA]);
    slack.bot_in_channel("C0OUTSIDE", false);
    let post = |text: &str| json!({"channel": GENERAL, "text": text});
    for (method, body, error) in [
        ("chat.postMessage", json!({"channel": "C0NOWHERE", "text": "x"}), "channel_not_found"),
        ("chat.postMessage", json!({"channel": GENERAL}), "no_text"),
        ("chat.postMessage", post(&"x".repeat(40_001)), "msg_too_long"),
        (
            "chat.postMessage",
            json!({"channel": GENERAL, "text": "x", "thread_ts": "1.2"}),
            "thread_not_found",
        ),
        (
            "chat.postMessage",
            json!({"channel": GENERAL, "text": "x", "blocks": [{"type": "banner"}]}),
            "invalid_blocks",
        ),
        ("chat.postEphemeral", json!({"channel": GENERAL, "text": "x", "user": "U1"}), "user_not_in_channel"),
        ("chat.update", json!({"channel": GENERAL, "ts": "1.2", "text": "x"}), "message_not_found"),
        ("conversations.history", json!({"channel": "C0OUTSIDE"}), "not_in_channel"),
        ("conversations.replies", json!({"channel": GENERAL, "ts": "1.2"}), "thread_not_found"),
        (
            "reactions.add",
            json!({"channel": GENERAL, "timestamp": "1.2", "name": "eyes"}),
            "message_not_found",
        ),
        ("views.open", json!({"trigger_id": "1.2", "view": modal()}), "invalid_trigger_id"),
        ("users.info", json!({"user": "U1"}), "user_not_found"),
        ("chat.shout", json!({}), "unknown_method"),
    ] {
        assert_eq!(api(&slack, method, body).await["error"], error, "{method}");
    }
    let ts = slack.says(GENERAL, ANA, "hello");
    let update = json!({"channel": GENERAL, "ts": ts, "text": "x"});
    assert_eq!(api(&slack, "chat.update", update).await["error"], "cant_update_message");
    let eyes = json!({"channel": GENERAL, "timestamp": ts, "name": "eyes"});
    call(&slack, "reactions.add", eyes.clone()).await;
    assert_eq!(api(&slack, "reactions.add", eyes).await["error"], "already_reacted");
    assert_eq!(slack.message(GENERAL, &ts).unwrap().reactions["eyes"], [FakeSlack::BOT_USER]);

    slack.grant(FakeSlack::BOT_TOKEN, &["users:read"]);
    let refused = api(&slack, "chat.postMessage", post("x")).await;
    let wanted =
        json!({"ok": false, "error": "missing_scope", "needed": "chat:write", "provided": "users:read"});
    assert_eq!(refused, wanted);
    let with = |token: &'static str| app::with_token(&slack, "auth.test", token, json!({}));
    assert_eq!(with("").await.1["error"], "not_authed");
    assert_eq!(with("xoxb-other").await.1["error"], "invalid_auth");
    slack.revokes(FakeSlack::BOT_TOKEN);
    assert_eq!(with(FakeSlack::BOT_TOKEN).await.1["error"], "token_revoked");
}

#[tokio::test]
async fn faults_hit_the_next_call_of_their_method() {
    let slack = slack(system_clock()).await;
    let post = || json!({"channel": GENERAL, "text": "x"});
    let send = || app::with_token(&slack, "chat.postMessage", FakeSlack::BOT_TOKEN, post());
    slack.fail_next("chat.postMessage", None, Fault::TooMany(7));
    let (status, refused) = send().await;
    assert_eq!(
        (status, &refused["error"], &refused["retry-after"]),
        (429, &json!("ratelimited"), &json!("7"))
    );
    slack.fail_next("chat.postMessage", Some(GENERAL), Fault::Refuse("fatal_error".into()));
    assert_eq!(send().await.1["error"], "fatal_error");
    assert_eq!(slack.bot_messages(GENERAL).len(), 0);
    slack.fail_next("chat.postMessage", None, Fault::AppliedThenLost);
    assert_eq!(send().await.0, 504);
    assert_eq!(slack.bot_messages(GENERAL).len(), 1);
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn an_installation_issues_tokens_that_are_refreshed() {
    let (at, clock) = hands();
    let slack = slack(clock).await;
    slack.workspace("T0OTHERS1", "Others", "U0OTHERBOT", "B0OTHERBOT");
    slack.rotates_tokens();
    let code = slack.installs("T0OTHERS1", Some("https://maro.example/slack/oauth"));
    let client = json!({"client_id": FakeSlack::CLIENT, "client_secret": FakeSlack::CLIENT_SECRET});
    let exchange = |more: Value| {
        let mut body = client.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        app::with_token(&slack, "oauth.v2.access", "", body)
    };
    let redirect = "https://maro.example/slack/oauth";
    let first = exchange(json!({"code": code, "redirect_uri": redirect})).await.1;
    assert_eq!((&first["ok"], &first["team"]["id"]), (&json!(true), &json!("T0OTHERS1")));
    assert_eq!(exchange(json!({"code": code, "redirect_uri": redirect})).await.1["error"], "invalid_code");
    let token = first["access_token"].as_str().unwrap().to_owned();
    let me = app::with_token(&slack, "auth.test", &token, json!({})).await.1;
    assert_eq!((&me["team_id"], &me["user_id"]), (&json!("T0OTHERS1"), &json!("U0OTHERBOT")));
    let elsewhere = json!({"channel": GENERAL, "text": "x"});
    let refused = app::with_token(&slack, "chat.postMessage", &token, elsewhere).await.1;
    assert_eq!(refused["error"], "channel_not_found", "a token sees its own workspace only");
    at.fetch_add(first["expires_in"].as_i64().unwrap() * 1_000 + 1, Ordering::SeqCst);
    assert_eq!(app::with_token(&slack, "auth.test", &token, json!({})).await.1["error"], "token_expired");
    let refresh = json!({"grant_type": "refresh_token", "refresh_token": first["refresh_token"]});
    let second = exchange(refresh.clone()).await.1;
    let token = second["access_token"].as_str().unwrap();
    assert_eq!(app::with_token(&slack, "auth.test", token, json!({})).await.1["ok"], true);
    assert_eq!(exchange(refresh).await.1["error"], "invalid_refresh_token");
}

#[tokio::test]
async fn a_message_is_found_again_by_its_metadata() {
    let slack = slack(system_clock()).await;
    let root = slack.says(GENERAL, ANA, "hello");
    let metadata = json!({"event_type": "effect", "event_payload": {"effect_id": "e1"}});
    let post = json!({"channel": GENERAL, "thread_ts": root, "text": "card", "blocks": card(), "metadata": metadata});
    let ts = call(&slack, "chat.postMessage", post).await["ts"].clone();
    let read = |whole: bool| json!({"channel": GENERAL, "ts": root, "include_all_metadata": whole});
    let whole = call(&slack, "conversations.replies", read(true)).await;
    assert_eq!((&whole["messages"][1]["ts"], &whole["messages"][1]["metadata"]), (&ts, &metadata));
    assert_eq!(whole["messages"][0]["reply_count"], 1);
    let part = call(&slack, "conversations.replies", read(false)).await;
    assert_eq!(part["messages"][1]["metadata"], json!({"event_type": "effect"}));
    let history = call(&slack, "conversations.history", json!({"channel": GENERAL})).await;
    assert_eq!(history["messages"].as_array().unwrap().len(), 1, "replies are not in the channel");
    call(&slack, "chat.update", json!({"channel": GENERAL, "ts": ts, "text": "other"})).await;
    assert!(slack.card(GENERAL).is_none(), "a text without blocks replaces them");
    let whole = call(&slack, "conversations.replies", read(true)).await;
    assert_eq!(whole["messages"][1]["metadata"], metadata, "metadata stays");
    assert_eq!(slack.violations(), [""; 0]);
}

#[tokio::test]
async fn what_slack_forbids_is_a_violation() {
    let slack = slack(system_clock()).await;
    let loud = json!({"channel": GENERAL, "text": "x", "loud": true});
    call(&slack, "chat.postMessage", loud).await;
    let blocks_only = json!({"channel": GENERAL, "blocks": card()});
    call(&slack, "chat.postMessage", blocks_only).await;
    let wrong = json!({"channel": GENERAL, "text": "x", "blocks": [{"type": "banner"}]});
    api(&slack, "chat.postMessage", wrong).await;
    let found = slack.violations();
    for wanted in ["unknown argument loud", "blocks without a text", "unsupported type: banner"] {
        assert!(found.iter().any(|found| found.contains(wanted)), "{wanted}: {found:?}");
    }
}

#[tokio::test]
async fn a_stream_ends_by_itself_and_a_status_with_the_answer() {
    let (at, clock) = hands();
    let slack = slack(clock).await;
    let (channel, thread) = slack.starts_assistant(ANA);
    let status = json!({"channel_id": channel, "thread_ts": thread, "status": "is thinking"});
    call(&slack, "assistant.threads.setStatus", status.clone()).await;
    assert_eq!(slack.status(&channel, &thread).as_deref(), Some("is thinking"));
    let start = json!({"channel": channel, "thread_ts": thread, "markdown_text": "one "});
    let ts = call(&slack, "chat.startStream", start.clone()).await["ts"].clone();
    assert_eq!(slack.status(&channel, &thread), None);
    let append = json!({"channel": channel, "ts": ts, "markdown_text": "two"});
    call(&slack, "chat.appendStream", append.clone()).await;
    assert_eq!(slack.message(&channel, ts.as_str().unwrap()).unwrap().text, "one two");
    at.fetch_add(307_000, Ordering::SeqCst);
    assert_eq!(api(&slack, "chat.appendStream", append).await["error"], "message_not_in_streaming_state");
    let ts = call(&slack, "chat.startStream", start).await["ts"].clone();
    slack.stops_stream(&channel, ts.as_str().unwrap());
    let stop = json!({"channel": channel, "ts": ts});
    assert_eq!(api(&slack, "chat.stopStream", stop).await["error"], "stopped_by_user");
    call(&slack, "assistant.threads.setStatus", status).await;
    at.fetch_add(121_000, Ordering::SeqCst);
    assert_eq!(slack.status(&channel, &thread), None, "a status ends after two minutes");
}

#[tokio::test]
async fn a_person_installs_the_app_with_the_scopes_it_asks_for() {
    let slack = slack(system_clock()).await;
    slack.workspace("T0OTHERS1", "Others", "U0OTHERBOT", "B0OTHERBOT");
    let page = |scope: &str| {
        let base = format!("{}/oauth/v2/authorize?client_id={}", slack.url(), FakeSlack::CLIENT);
        format!(
            "{base}&team=T0OTHERS1&scope={scope}&state=s1&redirect_uri=http%3A%2F%2F127.0.0.1%2Foauth%3Fa%3D1"
        )
    };
    assert_eq!(app::get(&page("chat:shout")).await, (400, "invalid_scope: chat:shout".into()));
    let (status, back) = app::get(&page("chat:write,users:read")).await;
    let code =
        back.strip_prefix("http://127.0.0.1/oauth?a=1&code=").and_then(|rest| rest.strip_suffix("&state=s1"));
    assert_eq!((status, code.is_some()), (302, true), "{back}");
    let body = json!({"client_id": FakeSlack::CLIENT, "client_secret": FakeSlack::CLIENT_SECRET, "code": code,
        "redirect_uri": "http://127.0.0.1/oauth?a=1"});
    let issued = app::with_token(&slack, "oauth.v2.access", "", body).await.1;
    assert_eq!(issued["scope"], "chat:write,users:read");
    let token = issued["access_token"].as_str().unwrap();
    let refused = app::with_token(&slack, "team.info", token, json!({})).await.1;
    assert_eq!((&refused["error"], &refused["needed"]), (&json!("missing_scope"), &json!("team:read")));
}
