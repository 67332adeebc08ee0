//! Faults, tokens and deliveries.

use std::sync::atomic::Ordering;

use reqwest::Method;
use serde_json::{Value, json};
use throughline_fakes::jira::{FakeJira, Fault, sign};

use super::{Site, answer, story};

#[tokio::test]
async fn plays_faults() {
    let site = Site::start().await;
    let create = || site.post("issue", json!({"fields": story(json!({}))}));
    let made = || site.jira.issues("SHOP").len();
    for (fault, status, effects) in [
        (Fault::TooMany { retry_after: Some("7".into()) }, 429, 0),
        (Fault::Status(503, json!({})), 503, 0),
        (Fault::Html(502), 502, 0),
        (Fault::LostBefore, 0, 0),
        (Fault::LateApply, 0, 0),
        (Fault::AppliedThenLost, 0, 1),
        (Fault::AppliedThenHtml(504), 504, 1),
        (Fault::AppliedThenNoKey, 201, 1),
        (Fault::Slow(std::time::Duration::from_millis(1)), 201, 1),
    ] {
        let before = made();
        site.jira.fault("POST", "/issue", fault.clone());
        let (seen, body) = create().await;
        assert_eq!((seen, made() - before), (status, effects), "{fault:?} {body}");
    }
    let before = made();
    site.jira.land_late();
    assert_eq!(made(), before + 1);
    site.jira.ignore_parent_on_create(true);
    let epic = site.create(story(json!({"issuetype": {"name": "Epic"}}))).await;
    let child = site.create(story(json!({"parent": {"key": epic}}))).await;
    assert_eq!(site.jira.issue(&child).unwrap().parent(), None);
    let child = site.create(story(json!({"customfield_10014": epic}))).await;
    assert_eq!(site.jira.issue(&child).unwrap().parent(), Some(epic.as_str()));
    let statuses: Vec<_> = site.jira.calls().iter().map(|call| call.status).collect();
    assert_eq!(statuses[..6], [429, 503, 502, 0, 0, 0]);
}

#[tokio::test]
async fn rotates_refresh_tokens() {
    let site = Site::start().await;
    let grant = site.jira.oauth_app("app", "secret");
    let token = |kind: &str, name: &str, value: &Value| {
        let body = json!({"grant_type": kind, "client_id": "app", "client_secret": "secret", name: value,
            "redirect_uri": "https://app.example"});
        answer(site.request(Method::POST, "/oauth/token", &body))
    };
    let (_, first) = token("authorization_code", "code", &json!(grant.code)).await;
    assert_eq!(token("authorization_code", "code", &json!(grant.code)).await.0, 403);
    let path = format!("/ex/jira/{}/rest/api/3/myself", grant.cloud_id);
    let with = |path: &str, tokens: &Value| {
        answer(
            site.request(Method::GET, path, &Value::Null)
                .bearer_auth(tokens["access_token"].as_str().unwrap()),
        )
    };
    assert_eq!(with(&path, &first).await.0, 200);
    assert_eq!(with("/oauth/token/accessible-resources", &first).await.1[0]["id"], grant.cloud_id.as_str());
    site.time.fetch_add(3_600_000, Ordering::SeqCst);
    assert_eq!(with(&path, &first).await.0, 401);
    let (_, second) = token("refresh_token", "refresh_token", &first["refresh_token"]).await;
    assert_eq!(with(&path, &second).await.0, 200);
    let (status, body) = token("refresh_token", "refresh_token", &first["refresh_token"]).await;
    assert_eq!((status, &body["error"]), (403, &json!("invalid_grant")));
    assert_eq!(site.jira.refreshes(), 1);
    site.jira.expire_access_tokens();
    assert_eq!(with(&path, &second).await.0, 401);
    let client =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let to = "/authorize?audience=api.atlassian.com&response_type=code&client_id=app&state=s1\
              &redirect_uri=https://app.example/back";
    let sent = client.get(format!("{}{to}", site.jira.url())).send().await.unwrap();
    let to = sent.headers()["location"].to_str().unwrap();
    assert!(to.starts_with("https://app.example/back?code=") && to.ends_with("&state=s1"), "{to}");
}

/// Returns the address of a receiver, and what it receives: signature, identifier and body.
async fn receiver() -> (String, tokio::sync::mpsc::UnboundedReceiver<[String; 3]>) {
    let (sender, received) = tokio::sync::mpsc::unbounded_channel();
    let take = move |headers: axum::http::HeaderMap, body: String| {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        sender.send([header("X-Hub-Signature"), header("X-Atlassian-Webhook-Identifier"), body]).unwrap();
        async {}
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let router = axum::Router::new().route("/hook", axum::routing::post(take));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, received)
}

#[tokio::test]
async fn delivers_signed_changes() {
    let site = Site::start().await;
    let (url, mut received) = receiver().await;
    site.jira.webhook_to(&url, Some("It's a Secret")).await;
    let key = site.create(story(json!({}))).await;
    site.jira.edit(&key, |issue| drop(issue.fields.insert("summary".into(), json!("Renamed"))));
    site.jira.edit(&key, |issue| issue.closed = true);
    site.jira.delete(&key);
    site.jira.redeliver();
    let mut seen: Vec<(String, Value)> = Vec::new();
    for _ in 0..5 {
        let [signature, identifier, body] = received.recv().await.unwrap();
        assert_eq!(signature, sign("It's a Secret", &body));
        seen.push((identifier, serde_json::from_str(&body).unwrap()));
    }
    let events: Vec<_> = seen.iter().map(|(_, body)| body["webhookEvent"].as_str().unwrap()).collect();
    let [created, updated, deleted] = ["jira:issue_created", "jira:issue_updated", "jira:issue_deleted"];
    assert_eq!(events, [created, updated, updated, deleted, deleted]);
    assert_eq!(seen[0].1["user"]["accountId"], FakeJira::ACCOUNT);
    let item = &seen[1].1["changelog"]["items"][0];
    assert_eq!(
        (&item["field"], &item["fromString"], &item["toString"]),
        (&json!("summary"), &json!("A story"), &json!("Renamed"))
    );
    assert_eq!(seen[2].1["changelog"]["items"][0]["toString"], "Done");
    assert_eq!(seen[2].1["issue"]["fields"]["status"]["statusCategory"]["key"], "done");
    assert_eq!(seen[3].0, seen[4].0);
    // The example of the vendor's documentation.
    let signed = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9";
    assert_eq!(sign("It's a Secret to Everybody", "Hello World!"), signed);
    let hook = json!({"url": url, "webhooks": [{"events": [updated], "jqlFilter": "project = SHOP"}]});
    let (_, made) = site.post("webhook", hook).await;
    let id = &made["webhookRegistrationResult"][0]["createdWebhookId"];
    assert_eq!(site.get("webhook").await.1["values"][0]["id"], *id);
    assert_eq!(site.call(Method::DELETE, "webhook", json!({"webhookIds": [id]})).await.0, 202);
    site.conforms();
}
