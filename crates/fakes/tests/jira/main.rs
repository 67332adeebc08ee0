//! The fake of Jira, called as a client calls it.

mod data_center;
mod issues;
mod search;
mod site;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use throughline_fakes::jira::{Edition, FakeJira, Project};

/// A site with the projects SHOP and TEAM, and its clock.
struct Site {
    jira: FakeJira,
    time: Arc<AtomicI64>,
    client: reqwest::Client,
    edition: Edition,
}

impl Site {
    async fn start() -> Self {
        let site = Self::start_as(Edition::Cloud).await;
        site.jira.project(Project::team("TEAM"));
        site
    }

    async fn start_as(edition: Edition) -> Self {
        let time = Arc::new(AtomicI64::new(1_700_000_000_000));
        let clock = time.clone();
        let clock = Arc::new(move || clock.load(Ordering::SeqCst));
        let jira = FakeJira::start_as(edition, clock).await.unwrap();
        jira.project(edition.project("SHOP"));
        jira.person("5b10ana", "Ana", true);
        jira.person("5b10gone", "Gone", false);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { jira, time, client, edition }
    }

    fn request(&self, method: Method, path: &str, body: &Value) -> reqwest::RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.jira.url()));
        if body.is_null() {
            return request;
        }
        request.header("Content-Type", "application/json").body(body.to_string())
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let request = self.request(method, &format!("{}/{path}", self.edition.root()), &body);
        answer(match self.edition {
            Edition::Cloud => request.basic_auth(FakeJira::EMAIL, Some(FakeJira::TOKEN)),
            Edition::DataCenter => request.bearer_auth(FakeJira::TOKEN),
        })
        .await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.call(Method::GET, path, Value::Null).await
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call(Method::POST, path, body).await
    }

    /// Creates an issue and returns its key.
    async fn create(&self, fields: Value) -> String {
        let (status, body) = self.post("issue", json!({"fields": fields})).await;
        assert_eq!(status, 201, "{body}");
        body["key"].as_str().unwrap().to_owned()
    }

    fn conforms(&self) {
        assert_eq!(self.jira.violations(), [""; 0]);
    }
}

/// Returns the status and the JSON of an answer; 0 if the connection was closed.
async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let Ok(answer) = request.send().await else { return (0, Value::Null) };
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
}

fn doc(text: &str) -> Value {
    let paragraph = json!({"type": "paragraph", "content": [{"type": "text", "text": text}]});
    json!({"type": "doc", "version": 1, "content": [paragraph]})
}

fn story(more: Value) -> Value {
    let mut fields =
        json!({"project": {"key": "SHOP"}, "issuetype": {"name": "Story"}, "summary": "A story"});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    fields
}
