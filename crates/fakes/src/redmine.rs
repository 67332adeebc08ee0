//! A Redmine that runs, of which tests ask what is really there. It is the vendor's own server, so there is no fake of it.
//!
//! `cargo xtask peers` starts one and names it in the environment. It is filled by `tests/peers/redmine.rb`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Method;
use serde_json::{Value, json};

/// The variable that names its address.
const URL: &str = "THROUGHLINE_REDMINE";
/// The variable with the key of the account that tickets are written with.
const KEY: &str = "THROUGHLINE_REDMINE_KEY";
/// The variable with the markup that it shows texts in: `textile`, `markdown` or `common_mark`.
const TEXT: &str = "THROUGHLINE_REDMINE_TEXT";
/// The variable with the key of an administrator.
const ADMIN: &str = "THROUGHLINE_REDMINE_ADMIN";

/// The Redmine, as its administrator sees it.
#[derive(Clone)]
pub struct RealRedmine {
    /// Its address.
    pub url: String,
    /// The key of the account that tickets are written with.
    pub key: String,
    /// The markup that it shows texts in.
    pub text: String,
    admin: String,
    http: reqwest::Client,
    /// Lists that do not change, by name.
    lists: Arc<Mutex<BTreeMap<String, Value>>>,
}

/// A project to make.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// Names of trackers.
    pub trackers: &'a [&'a str],
    /// Names of custom fields.
    pub fields: &'a [&'a str],
    /// Role of the account; it is no member if `None`.
    pub role: Option<&'a str>,
}

impl Project<'static> {
    /// A project as the set-up page asks for, that every type of ticket goes to.
    pub const USUAL: Self =
        Self { trackers: &["Bug", "Feature", "Task", "Epic"], fields: &[], role: Some("Tickets") };
}

impl RealRedmine {
    /// The Redmine that the environment names.
    ///
    /// # Panics
    ///
    /// None is named, so these tests cannot be run by themselves.
    #[must_use]
    #[expect(clippy::expect_used, reason = "it is used by tests alone")]
    pub fn named() -> Self {
        let named = |name: &str| std::env::var(name).ok();
        let client = reqwest::Client::builder().no_proxy().build();
        Self {
            url: named(URL).expect("THROUGHLINE_REDMINE names a Redmine: cargo xtask peers"),
            key: named(KEY).expect("THROUGHLINE_REDMINE_KEY is the key of its account"),
            text: named(TEXT).expect("THROUGHLINE_REDMINE_TEXT is the markup of its texts"),
            admin: named(ADMIN).expect("THROUGHLINE_REDMINE_ADMIN is the key of its administrator"),
            http: client.expect("there is a client"),
            lists: Arc::default(),
        }
    }

    /// Asks as administrator, and returns the body, which is null if there is none.
    ///
    /// # Panics
    ///
    /// It refuses, or does not answer.
    #[expect(clippy::panic, reason = "it is used by tests alone")]
    async fn ask(&self, method: Method, path: &str, body: &Value) -> Value {
        let request = self.http.request(method, format!("{}/{path}", self.url));
        let request =
            request.header("x-redmine-api-key", &self.admin).header("content-type", "application/json");
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let answer = request.send().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn read(&self, path: &str) -> Value {
        self.ask(Method::GET, path, &Value::Null).await
    }

    /// The id of something in a list, by its name or login.
    async fn id(&self, list: &str, name: &str) -> u64 {
        let kept = self.lists.lock().unwrap_or_else(PoisonError::into_inner).get(list).cloned();
        let listed = match kept {
            Some(listed) => listed,
            None => self.read(&format!("{list}.json?limit=100")).await[list].take(),
        };
        let is_it = |one: &&Value| one["name"] == name || one["login"] == name;
        let found = listed.as_array().and_then(|all| all.iter().find(is_it)?["id"].as_u64());
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).insert(list.to_owned(), listed);
        found.unwrap_or_else(|| panic!("{list} lack {name}"))
    }

    /// Makes a project with an identifier of its own, which it returns. Bob and Eve are developers in it, and Robot is
    /// somebody who takes no issues.
    pub async fn project(&self, project: Project<'_>) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let identifier = format!("p{}-{number}", std::process::id());
        let (mut trackers, mut fields) = (Vec::new(), Vec::new());
        for name in project.trackers {
            trackers.push(self.id("trackers", name).await);
        }
        for name in project.fields {
            fields.push(self.id("custom_fields", name).await);
        }
        let body = json!({"project": {
            "name": identifier, "identifier": identifier, "is_public": false, "tracker_ids": trackers,
            "enabled_module_names": ["issue_tracking"], "issue_custom_field_ids": fields,
        }});
        self.ask(Method::POST, "projects.json", &body).await;
        let people = [("bob", "Developer"), ("eve", "Developer"), ("robot", "Only reads")];
        for (login, role) in people.into_iter().chain(project.role.map(|role| ("throughline", role))) {
            let (user, role) = (self.id("users", login).await, self.id("roles", role).await);
            let body = json!({"membership": {"user_id": user, "role_ids": [role]}});
            self.ask(Method::POST, &format!("projects/{identifier}/memberships.json"), &body).await;
        }
        identifier
    }

    /// The issues of a project, the oldest first.
    pub async fn issues(&self, identifier: &str) -> Vec<Value> {
        let path = format!("issues.json?project_id={identifier}&status_id=*&sort=id&limit=100");
        self.read(&path).await["issues"].as_array().cloned().unwrap_or_default()
    }

    /// The texts of a project's issues as people see them, in HTML.
    ///
    /// # Panics
    ///
    /// It does not show them.
    #[expect(clippy::expect_used, reason = "it is used by tests alone")]
    pub async fn shown(&self, identifier: &str) -> String {
        // The key of feeds is the administrator's backwards.
        let key: String = self.admin.chars().rev().collect();
        let address = format!("{}/projects/{identifier}/issues.atom?key={key}", self.url);
        let answer = self.http.get(address).send().await.expect("the feed is shown");
        assert!(answer.status().is_success(), "{}", answer.status());
        let feed = answer.text().await.expect("the feed is text");
        let contents = feed.split("<content type=\"html\">").skip(1);
        let html: String = contents.filter_map(|text| Some(text.split_once("</content>")?.0)).collect();
        html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    }

    /// The id of a project.
    pub async fn project_id(&self, identifier: &str) -> Value {
        self.read(&format!("projects/{identifier}.json")).await["project"]["id"].take()
    }

    /// An issue with its comments and links.
    pub async fn issue(&self, number: u64) -> Value {
        self.read(&format!("issues/{number}.json?include=journals,relations")).await["issue"].take()
    }

    /// Puts a project under another.
    pub async fn put_under(&self, identifier: &str, parent: &str) {
        let body = json!({"project": {"parent_id": self.project_id(parent).await}});
        self.ask(Method::PUT, &format!("projects/{identifier}.json"), &body).await;
    }

    /// Closes a project.
    pub async fn close(&self, identifier: &str) {
        self.ask(Method::PUT, &format!("projects/{identifier}/close.json"), &Value::Null).await;
    }

    /// Deletes an issue.
    pub async fn delete(&self, number: u64) {
        self.ask(Method::DELETE, &format!("issues/{number}.json"), &Value::Null).await;
    }

    /// Changes an issue.
    pub async fn change(&self, number: u64, change: &Value) {
        self.ask(Method::PUT, &format!("issues/{number}.json"), &json!({"issue": change})).await;
    }
}
