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
    let link = |page: &Answered, to: &str| {
        let links = page.headers["link"].to_str().unwrap().to_owned();
        let mut links = links.split(", ").filter(|link| link.ends_with(&format!("rel=\"{to}\"")));
        links.next().map(|link| link.split(['<', '>']).nth(1).unwrap().to_owned())
    };
    assert_eq!((link(&page, "prev"), link(&page, "last")), (None, link(&page, "next")));
    let last = site.get(&link(&page, "next").unwrap()).await;
    assert_eq!(numbers(&last), [2, 1]);
    assert_eq!((link(&last, "next"), link(&last, "first")), (None, link(&last, "prev")));
    assert_eq!(numbers(&site.get(&link(&last, "prev").unwrap()).await), [6, 5, 4, 3]);
    assert!(site.get("repos/acme/web/issues?state=all").await.headers.get("link").is_none());
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

#[tokio::test]
async fn labels_and_people_are_added_and_taken_away() {
    let site = Site::new().await;
    site.issue("One").await;
    let names = |answer: &Answered| -> Vec<String> {
        let labels = answer.body.as_array().unwrap().iter();
        labels.map(|label| label["name"].as_str().unwrap().to_owned()).collect()
    };
    let (labels, people) = ("repos/acme/web/issues/1/labels", "repos/acme/web/issues/1/assignees");
    assert_eq!(names(&site.post(labels, json!({"labels": ["BUG", "web"]})).await), ["bug", "web"]);
    assert_eq!(names(&site.post(labels, json!(["web", "slow"])).await), ["bug", "web", "slow"]);
    let gone = site.ask(Method::DELETE, &format!("{labels}/web"), Value::Null).await;
    assert_eq!(names(&gone), ["bug", "slow"]);
    assert_eq!(site.ask(Method::DELETE, &format!("{labels}/web"), Value::Null).await.status, 404);
    assert_eq!(names(&site.ask(Method::PUT, labels, json!({"labels": ["web"]})).await), ["web"]);
    assert_eq!(site.ask(Method::DELETE, labels, Value::Null).await.status, 204);
    assert_eq!(names(&site.get(labels).await), [""; 0]);
    let taken = site.post("repos/acme/web/labels", json!({"name": "Web", "color": "aabbcc"})).await;
    assert_eq!((taken.status, &taken.body["errors"][0]["code"]), (422, &json!("already_exists")));
    let logins = |answer: &Answered| answer.body["assignees"].as_array().unwrap().len();
    let given = site.post(people, json!({"assignees": ["ANA"]})).await;
    assert_eq!((given.status, logins(&given)), (201, 1));
    assert_eq!(site.post(people, json!({"assignees": ["zoe"]})).await.status, 422);
    assert_eq!(logins(&site.ask(Method::DELETE, people, json!({"assignees": ["ana"]})).await), 0);
    site.github.change_repository("acme/web", |repository| repository.role = Some(Role::Read));
    assert_eq!(site.post(labels, json!(["web"])).await.status, 403);
    assert_eq!(logins(&site.post(people, json!({"assignees": ["ana"]})).await), 0, "and is not told");
}

/// Sub-issues have an order, and the issue above them tells how much of them is done.
#[tokio::test]
async fn sub_issues_are_ordered_and_counted() {
    let site = Site::new().await;
    let above = site.issue("Above").await;
    let mut ids = Vec::new();
    for title in ["One", "Two", "Three"] {
        let made = site.issue(title).await;
        site.post("repos/acme/web/issues/1/sub_issues", json!({"sub_issue_id": made["id"]})).await;
        ids.push(made["id"].clone());
    }
    let titles = async || -> Vec<String> {
        let listed = site.get("repos/acme/web/issues/1/sub_issues").await.body;
        listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    };
    let place = async |body: Value| {
        site.ask(Method::PATCH, "repos/acme/web/issues/1/sub_issues/priority", body).await.status
    };
    assert_eq!(titles().await, ["One", "Two", "Three"]);
    assert_eq!(place(json!({"sub_issue_id": ids[0], "after_id": ids[2]})).await, 200);
    assert_eq!(titles().await, ["Two", "Three", "One"]);
    assert_eq!(place(json!({"sub_issue_id": ids[2], "before_id": ids[1]})).await, 200);
    assert_eq!(titles().await, ["Three", "Two", "One"]);
    assert_eq!(place(json!({"sub_issue_id": ids[2]})).await, 422);
    assert_eq!(place(json!({"sub_issue_id": ids[2], "after_id": above["id"]})).await, 404);
    site.ask(Method::PATCH, "repos/acme/web/issues/2", json!({"state": "closed"})).await;
    let counted = site.get("repos/acme/web/issues/1").await.body["sub_issues_summary"].clone();
    assert_eq!(counted, json!({"total": 3, "completed": 1, "percent_completed": 33}));
    let under = site.get("repos/acme/web/issues/2").await.body;
    assert_eq!(under["parent_issue_url"], format!("{}/repos/acme/web/issues/1", site.github.url()));
    assert!(under["closed_at"].is_string());
    let remove = async || {
        let body = json!({"sub_issue_id": ids[1]});
        site.ask(Method::DELETE, "repos/acme/web/issues/1/sub_issue", body).await.status
    };
    assert_eq!((remove().await, remove().await), (200, 404));
    assert_eq!(titles().await, ["Three", "One"]);
}

#[tokio::test]
async fn search_finds_what_every_part_of_a_query_holds_for() {
    let site = Site::new().await;
    let login = site.post("repos/acme/web/issues", json!({"title": "Log in", "labels": ["bug"]})).await.body;
    let body =
        json!({"title": "Log out", "body": "It is slow", "assignees": ["ana"], "labels": ["needs detail"]});
    let logout = site.post("repos/acme/web/issues", body).await.body;
    site.post("repos/acme/web/issues/1/sub_issues", json!({"sub_issue_id": logout["id"]})).await;
    site.post("repos/acme/ops/issues", json!({"title": "Log rotation"})).await;
    site.github.pull_request("acme/web", "Log in again", "");
    site.github.edit("acme/web", 1, |issue| issue.closed = true);
    assert_eq!(login["number"], 1);
    let search = async |query: &str| {
        let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        site.get(&format!("search/issues?q={query}&sort=created&order=asc")).await
    };
    for (query, titles) in [
        ("log is:issue", &["Log in", "Log out", "Log rotation"][..]),
        ("log repo:acme/web is:issue", &["Log in", "Log out"]),
        ("repo:acme/web repo:acme/ops log is:issue", &["Log in", "Log out", "Log rotation"]),
        ("org:ACME is:pr", &["Log in again"]),
        ("repo:acme/web is:open is:issue", &["Log out"]),
        ("repo:acme/web state:closed", &["Log in"]),
        ("\"log in\" is:issue", &["Log in"]),
        ("slow", &["Log out"]),
        ("slow in:title", &[]),
        ("log -is:pr -repo:acme/ops -slow", &["Log in"]),
        ("label:bug", &["Log in"]),
        ("label:\"needs detail\"", &["Log out"]),
        ("label:bug,\"needs detail\"", &["Log in", "Log out"]),
        ("assignee:ana", &["Log out"]),
        ("author:maro-bot no:assignee no:label", &["Log rotation"]),
        ("parent-issue:acme/web#1", &["Log out"]),
        ("rotation no:parent-issue", &["Log rotation"]),
    ] {
        let found = search(query).await.body;
        let items = found["items"].as_array().unwrap_or_else(|| panic!("{query}: {found}")).iter();
        assert_eq!(items.map(|item| item["title"].as_str().unwrap()).collect::<Vec<_>>(), titles, "{query}");
        assert_eq!(found["total_count"], titles.len(), "{query}");
    }
    site.github.change_repository("acme/ops", |repository| repository.role = None);
    assert_eq!(search("rotation").await.body["total_count"], 0, "nobody may know");
    let long = "x".repeat(257);
    for query in ["", "repo:acme/ops log", "repo:acme/no log", "milestone:1 log", "is:odd", &long] {
        assert_eq!(search(query).await.status, 422, "{query}");
    }
    let newest = site.get("search/issues?q=log&per_page=1").await;
    assert_eq!(newest.body["items"][0]["title"], "Log in again");
    assert!(newest.headers["link"].to_str().unwrap().contains("q=log&per_page=1&page=3>; rel=\"last\""));
}

/// A list of issues is narrowed down by labels, people and author.
#[tokio::test]
async fn lists_are_narrowed_down() {
    let site = Site::new().await;
    let made = [json!(["bug", "web"]), json!(["bug"]), json!([])];
    for labels in made {
        site.post("repos/acme/web/issues", json!({"title": "x", "labels": labels})).await;
    }
    site.post("repos/acme/web/issues/3/assignees", json!({"assignees": ["ana"]})).await;
    for (query, numbers) in [
        ("labels=bug", &[2, 1][..]),
        ("labels=bug,Web", &[1]),
        ("assignee=ana", &[3]),
        ("assignee=none", &[2, 1]),
        ("assignee=*", &[3]),
        ("creator=maro-bot", &[3, 2, 1]),
        ("creator=ana", &[]),
    ] {
        let found = site.get(&format!("repos/acme/web/issues?{query}")).await.body;
        let found: Vec<u64> =
            found.as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect();
        assert_eq!(found, numbers, "{query}");
    }
}
