//! The fake as a client sees it.

use reqwest::Method;
use serde_json::{Value, json};

use super::*;

/// A site with two repositories, and a client of it.
struct Site {
    github: FakeGithub,
    client: reqwest::Client,
}

/// An answer: its status, its headers and its body.
struct Answered {
    status: u16,
    headers: reqwest::header::HeaderMap,
    body: Value,
}

impl Site {
    async fn new() -> Self {
        let github = FakeGithub::start(crate::system_clock()).await.unwrap();
        github.repository(Repository::new("acme/web"));
        github.repository(Repository::new("acme/ops"));
        github.person("ana");
        let redirect = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().user_agent("test").redirect(redirect).build().unwrap();
        Self { github, client }
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> Answered {
        let url =
            if path.starts_with("http") { path.to_owned() } else { format!("{}/{path}", self.github.url()) };
        let request = self.client.request(method, url).bearer_auth(FakeGithub::TOKEN);
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default();
        Answered { status, headers, body }
    }

    async fn get(&self, path: &str) -> Answered {
        self.ask(Method::GET, path, Value::Null).await
    }

    async fn post(&self, path: &str, body: Value) -> Answered {
        self.ask(Method::POST, path, body).await
    }

    async fn issue(&self, title: &str) -> Value {
        let made = self.post("repos/acme/web/issues", json!({"title": title})).await;
        assert_eq!(made.status, 201);
        made.body
    }
}

#[tokio::test]
async fn only_the_account_gets_in() {
    let site = Site::new().await;
    let url = format!("{}/user", site.github.url());
    for (token, status, message) in [
        (None, 401, "Requires authentication"),
        (Some("Bearer wrong"), 401, "Bad credentials"),
        (Some(&*format!("Bearer {}", FakeGithub::TOKEN)), 200, ""),
        (Some(&*format!("token {}", FakeGithub::TOKEN)), 200, ""),
    ] {
        let request = site.client.get(&url);
        let request = if let Some(token) = token { request.header("authorization", token) } else { request };
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{token:?}");
        let body: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!(body["message"].as_str().unwrap_or_default(), message, "{token:?}");
    }
    let nobody = reqwest::Client::new().get(&url).bearer_auth(FakeGithub::TOKEN).send().await.unwrap();
    assert_eq!(nobody.status(), 403, "a client has to name itself");
    let old =
        site.client.get(&url).bearer_auth(FakeGithub::TOKEN).header("x-github-api-version", "2020-01-01");
    assert_eq!(old.send().await.unwrap().status(), 400);
}

/// Refusals of an issue, with GitHub's words.
#[tokio::test]
async fn an_issue_has_to_be_of_the_documented_form() {
    let site = Site::new().await;
    for (body, status, message, field) in [
        (json!({}), 422, "Invalid request.\n\n\"title\" wasn't supplied.", Value::Null),
        (json!([]), 400, "Body should be a JSON object", Value::Null),
        (
            json!({"title": 1}),
            422,
            "Invalid request.\n\nFor 'properties/title', 1 is not a string.",
            Value::Null,
        ),
        (
            json!({"title": "x", "colour": 1}),
            422,
            "Invalid request.\n\n\"colour\" is not a permitted key.",
            Value::Null,
        ),
        (json!({"title": " "}), 422, "Validation Failed", json!("title")),
        (json!({"title": "x".repeat(257)}), 422, "Validation Failed", json!("title")),
        (json!({"title": "x", "body": "x".repeat(65_537)}), 422, "Validation Failed", json!("body")),
        (json!({"title": "x", "labels": ["x".repeat(51)]}), 422, "Validation Failed", json!("name")),
        (json!({"title": "x", "assignees": ["zoe"]}), 422, "Validation Failed", json!("assignees")),
    ] {
        let refused = site.post("repos/acme/web/issues", body.clone()).await;
        let said = (refused.status, refused.body["message"].as_str().unwrap_or_default());
        assert_eq!(said, (status, message), "{body}");
        assert_eq!(refused.body["status"], status.to_string(), "{body}");
        assert_eq!(refused.body["errors"][0]["field"], field, "{body}");
    }
    assert_eq!(site.github.issues("acme/web"), []);
    for (path, status) in [("repos/acme/no/issues", 404), ("repos/acme/web/nothing", 404)] {
        assert_eq!(site.post(path, json!({"title": "x"})).await.status, status, "{path}");
    }
}

/// An account that only reads sets no labels and people, and is not told.
#[tokio::test]
async fn labels_and_people_are_for_those_who_sort() {
    let site = Site::new().await;
    let body = json!({"title": "x", "labels": ["Bug", "new"], "assignees": ["ANA"]});
    let made = site.post("repos/acme/web/issues", body.clone()).await.body;
    assert_eq!(made["labels"].as_array().map(Vec::len), Some(2));
    assert_eq!((&made["labels"][0]["name"], &made["assignees"][0]["login"]), (&json!("bug"), &json!("ana")));
    site.github.change_repository("acme/web", |repository| repository.role = Some(Role::Read));
    let made = site.post("repos/acme/web/issues", body).await.body;
    assert_eq!((&made["labels"], &made["assignees"]), (&json!([]), &json!([])));
    let under = json!({"sub_issue_id": made["id"]});
    assert_eq!(site.post("repos/acme/web/issues/1/sub_issues", under).await.status, 403);
    site.github.change_repository("acme/web", |repository| repository.archived = true);
    assert_eq!(site.post("repos/acme/web/issues", json!({"title": "x"})).await.status, 403);
}

#[tokio::test]
async fn lists_have_pages() {
    let site = Site::new().await;
    for n in 0..5 {
        site.issue(&format!("Issue {n}")).await;
    }
    site.github.pull_request("acme/web", "A change", "");
    let page = site.get("repos/acme/web/issues?state=all&per_page=4").await;
    let numbers = |page: &Answered| -> Vec<u64> {
        let items = page.body.as_array().unwrap().iter();
        items.map(|item| item["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&page), [6, 5, 4, 3]);
    assert!(page.body[0]["pull_request"].is_object() && page.body[1]["pull_request"].is_null());
    let link = page.headers["link"].to_str().unwrap();
    let next = link.split(['<', '>']).nth(1).unwrap();
    let last = site.get(next).await;
    assert_eq!(numbers(&last), [2, 1]);
    assert!(last.headers.get("link").is_none());
    assert_eq!(site.get("repos/acme/web/issues?state=shut").await.status, 422);
}

/// An issue has one parent, which is of its owner and not under it.
#[tokio::test]
async fn sub_issues_are_a_tree() {
    let site = Site::new().await;
    let (one, two, three) = (site.issue("One").await, site.issue("Two").await, site.issue("Three").await);
    let put = async |above: u64, body: Value| {
        let answer = site.post(&format!("repos/acme/web/issues/{above}/sub_issues"), body).await;
        (answer.status, answer.body["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(put(1, json!({"sub_issue_id": two["id"]})).await.0, 201);
    for (above, body, why) in [
        (1, json!({"sub_issue_id": two["id"]}), "duplicate"),
        (3, json!({"sub_issue_id": two["id"]}), "only have one parent"),
        (2, json!({"sub_issue_id": one["id"]}), "ancestor"),
        (2, json!({"sub_issue_id": two["id"], "replace_parent": true}), "ancestor"),
        (1, json!({"sub_issue_id": "3"}), "is not an integer"),
        (1, json!({}), "wasn't supplied"),
    ] {
        let (status, said) = put(above, body.clone()).await;
        assert!(status == 422 && said.contains(why), "{above} {body}: {status} {said}");
    }
    assert_eq!(put(1, json!({"sub_issue_id": three["number"]})).await.0, 404, "the number is not the id");
    assert_eq!(put(3, json!({"sub_issue_id": two["id"], "replace_parent": true})).await.0, 201);
    assert_eq!(site.get("repos/acme/web/issues/2/parent").await.body["number"], 3);
    assert_eq!(site.get("repos/acme/web/issues/3/parent").await.status, 404);
    assert_eq!(site.get("repos/acme/web/issues/3/sub_issues").await.body[0]["number"], 2);
}

/// Moved things are found by whoever follows.
#[tokio::test]
async fn what_has_moved_says_where() {
    let site = Site::new().await;
    site.issue("Moved").await;
    site.issue("Deleted").await;
    site.github.transfer("acme/web", 1, "acme/ops");
    site.github.delete("acme/web", 2);
    let moved = site.get("repos/acme/web/issues/1").await;
    assert_eq!((moved.status, &moved.body["message"]), (301, &json!("Moved Permanently")));
    let to = moved.headers["location"].to_str().unwrap();
    assert_eq!(site.get(to).await.body["repository_url"], format!("{}/repos/acme/ops", site.github.url()));
    assert_eq!(site.get("repos/acme/web/issues/2").await.status, 410);
    site.github.rename_repository("acme/ops", "acme/sre");
    let renamed = site.post("repos/acme/ops/issues", json!({"title": "x"})).await;
    assert_eq!(renamed.status, 307);
    let to = renamed.headers["location"].to_str().unwrap();
    assert_eq!(site.post(to, json!({"title": "x"})).await.body["number"], 2);
    site.github.change_repository("acme/web", |repository| repository.has_issues = false);
    assert_eq!(site.get("repos/acme/web/issues").await.status, 410);
}

/// A comment needs a text, and a state one of two words.
#[tokio::test]
async fn issues_are_changed_and_talked_about() {
    let site = Site::new().await;
    site.issue("Changed").await;
    let edit = async |body: Value| site.ask(Method::PATCH, "repos/acme/web/issues/1", body).await;
    assert_eq!(edit(json!({"state": "shut"})).await.status, 422);
    let closed = edit(json!({"state": "closed", "state_reason": "not_planned"})).await.body;
    assert_eq!((&closed["state"], &closed["state_reason"]), (&json!("closed"), &json!("not_planned")));
    assert_eq!(edit(json!({"state": "open"})).await.body["state_reason"], "reopened");
    assert_eq!(site.post("repos/acme/web/issues/1/comments", json!({"body": " "})).await.status, 422);
    assert_eq!(site.post("repos/acme/web/issues/1/comments", json!({"body": "Hello"})).await.status, 201);
    assert_eq!(site.get("repos/acme/web/issues/1/comments").await.body[0]["body"], "Hello");
    assert_eq!(site.get("repos/acme/web/assignees/Ana").await.status, 204);
    assert_eq!(site.get("repos/acme/web/assignees/zoe").await.status, 404);
    assert_eq!(site.github.calls().len(), 9);
}
