//! The adapter against a Redmine that runs: the conformance suite, and the rules that are Redmine's own. They are left out
//! where there is none; `cargo xtask peers` starts one.

mod issues;
mod requests;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::Item;
use throughline_fakes::cutter::{Cutter, Fate};
use throughline_fakes::redmine::{Project, RealRedmine};
use throughline_net::Key;

use super::*;
use crate::Tracker;
use crate::conformance::{Subject, TENANT, applied};

/// The path of a create.
const CREATE: &str = "/issues.json";

/// Projects of two tenants in one Redmine, with a proxy before it that can cut.
struct Sites {
    redmine: RealRedmine,
    cutter: Cutter,
    /// Identifiers of the projects of the suite, by key; of the other tenant, the only one.
    ours: Vec<(&'static str, String)>,
    theirs: String,
    tracker: Arc<Redmine>,
}

fn config(url: String, key: &str, projects: Vec<(&'static str, RedmineProject)>) -> RedmineConfig {
    RedmineConfig {
        base_url: url,
        allow_loopback: true,
        key: Key::parse(key).unwrap(),
        markup: Markup::Any,
        marker: true,
        at_once: 4,
        projects: projects.into_iter().map(|(key, project)| (key.to_owned(), project)).collect(),
    }
}

fn named(identifier: &str) -> RedmineProject {
    RedmineProject { identifier: Some(identifier.to_owned()), ..RedmineProject::default() }
}

impl Sites {
    async fn new() -> Self {
        Self::with(&[], |_| {}).await
    }

    /// Sites with these projects beside those of the suite, and changed settings.
    async fn with(more: &[(&'static str, Project<'_>)], change: impl Fn(&mut RedmineConfig)) -> Self {
        let redmine = RealRedmine::named();
        let cutter = Cutter::start(&redmine.url).await.unwrap();
        let usual = ["DEMO", "GUARD", "PRIV"].map(|key| (key, Project::USUAL));
        let mut ours = Vec::new();
        for (key, project) in usual.iter().chain(more) {
            ours.push((*key, redmine.project(*project).await));
        }
        let theirs = redmine.project(Project::USUAL).await;
        let only = || vec!["user:ana".to_owned()];
        let settings = |(key, identifier): &(&'static str, String)| {
            let mut project = named(identifier);
            match *key {
                "GUARD" => project.create = only(),
                "PRIV" => project.browse = only(),
                _ => {}
            }
            (*key, project)
        };
        let mut of_ours = config(cutter.url(), &redmine.key, ours.iter().map(settings).collect());
        change(&mut of_ours);
        let of_theirs = config(redmine.url.clone(), &redmine.key, vec![("DEMO", named(&theirs))]);
        let sites = [(TENANT.to_owned(), of_ours), ("globex".to_owned(), of_theirs)];
        let tracker = Arc::new(Redmine::new(sites).unwrap());
        Self { redmine, cutter, ours, theirs, tracker }
    }

    fn identifier(&self, project: &str) -> &str {
        &self.ours.iter().find(|(key, _)| *key == project).unwrap().1
    }

    async fn issue(&self, key: &str) -> Value {
        self.redmine.issue(key.rsplit('-').next().unwrap().parse().unwrap()).await
    }

    async fn check(&self, items: &[Item]) -> Attempt<()> {
        self.tracker.check(TENANT, "DEMO", Some("user:ana"), items).await
    }

    async fn create(&self, effect: &str, item: &Item) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), item, None).await
    }

    async fn update(&self, effect: &str, key: &str, change: IssueChange) -> Attempt<()> {
        self.tracker.update(TENANT, "DEMO", None, &effect.into(), key, &change).await
    }

    async fn find(&self, key: &str) -> Attempt<Issue> {
        self.tracker.find(TENANT, "DEMO", None, key).await
    }

    async fn seek(&self, effect: &str) -> Vec<Issue> {
        applied(self.tracker.seek(TENANT, "DEMO", &effect.into()).await)
    }
}

#[async_trait]
impl Subject for Sites {
    fn tracker(&self) -> Arc<dyn Tracker> {
        self.tracker.clone()
    }

    fn project(&self) -> &str {
        "DEMO"
    }

    fn guarded(&self) -> (&str, &str) {
        ("GUARD", "user:ana")
    }

    fn private(&self) -> (&str, &str) {
        ("PRIV", "user:ana")
    }

    async fn count(&self, tenant: &str) -> usize {
        let identifier = if tenant == TENANT { self.identifier("DEMO") } else { &self.theirs };
        self.redmine.issues(identifier).await.len()
    }

    async fn comments(&self, _: &str, key: &str) -> Vec<String> {
        let issue = self.issue(key).await;
        let notes =
            issue["journals"].as_array().into_iter().flatten().filter_map(|one| one["notes"].as_str());
        let bare = |notes: &str| notes.split_once("\n\n<!-- throughline-fx_").unwrap().0.to_owned();
        notes.filter(|notes| !notes.is_empty()).map(bare).collect()
    }

    async fn links(&self, _: &str, key: &str) -> Vec<String> {
        let issue = self.issue(key).await;
        let relations = issue["relations"].as_array().into_iter().flatten();
        let far = |one: &Value| {
            let [from, to] = ["issue_id", "issue_to_id"].map(|end| one[end].clone());
            format!("DEMO-{}", if from == issue["id"] { to } else { from })
        };
        relations.map(far).collect()
    }

    fn lose_next_answer(&self) -> bool {
        self.cutter.fate("POST", CREATE, Fate::Lost);
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn the_suite_holds() {
    crate::tracker_conformance!(in_turn Sites::new().await).await;
}
