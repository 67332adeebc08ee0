//! Other people's clients of Jira against the fake, and a proxy that compares the fake with what Jira publishes.

use std::time::Duration;

use throughline_fakes::jira::{Edition, FakeJira};
use throughline_fakes::system_clock;
use tokio::process::Command;

use super::prism::prism;
use super::slack::python;

const ANA: &str = "5b10ana";

async fn jira(edition: Edition) -> FakeJira {
    let jira = FakeJira::start_as(edition, system_clock()).await.unwrap();
    jira.project(edition.project("SHOP"));
    jira.person(ANA, "Ana", true);
    jira
}

/// Runs a client against an address of the fake, and checks what it left there.
async fn works(jira: &FakeJira, mut client: Command, url: &str) {
    match jira.edition() {
        Edition::Cloud => client.args([url, FakeJira::EMAIL, FakeJira::TOKEN, ANA]),
        Edition::DataCenter => client.args([url, FakeJira::TOKEN, "ana"]),
    };
    client.env("NO_PROXY", "127.0.0.1").kill_on_drop(true);
    let ended =
        tokio::time::timeout(Duration::from_secs(120), client.output()).await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
    let issues = jira.issues("SHOP");
    let children = issues.iter().filter(|issue| issue.parent() == Some(issues[0].key.as_str()));
    assert_eq!((issues.len(), children.count()), (3, 2), "{issues:#?}");
    let first = &issues[1];
    assert!(first.closed && first.comments[0].text == "Looks good", "{first:#?}");
    assert_eq!(first.links, [("Blocks".to_owned(), issues[2].key.clone())]);
    // The client for Python sends this null, which is not as published.
    let unexpected =
        |wrong: &String| !wrong.ends_with("/issueLink: /comment: null is not of type \"object\"");
    assert_eq!(jira.violations().into_iter().filter(unexpected).collect::<Vec<_>>(), [""; 0]);
}

fn node() -> Command {
    let description =
        std::env::var("THROUGHLINE_JIRA_JS").expect("THROUGHLINE_JIRA_JS names a package.json of it");
    let mut node = Command::new("node");
    node.args([format!("{}/tests/peers/jira_client.mjs", env!("CARGO_MANIFEST_DIR")), description]);
    node
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs jira.js, from npm: cargo xtask peers"]
async fn jira_for_javascript_runs_unchanged() {
    let jira = jira(Edition::Cloud).await;
    let url = jira.url();
    works(&jira, node(), &url).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs jira.js and Prism, from npm: cargo xtask peers"]
async fn jira_for_javascript_runs_unchanged_through_prism() {
    let jira = jira(Edition::Cloud).await;
    let program = std::env::var("THROUGHLINE_PRISM").expect("THROUGHLINE_PRISM names its program");
    let Some((_prism, url)) = prism(&program, &jira.url()).await else { return };
    works(&jira, node(), &url).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs jira, from PyPI: cargo xtask peers"]
async fn jira_for_python_runs_unchanged() {
    let jira = jira(Edition::Cloud).await;
    let url = jira.url();
    works(&jira, python("jira_client.py"), &url).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs jira, from PyPI: cargo xtask peers"]
async fn jira_for_python_runs_unchanged_with_data_center() {
    let jira = jira(Edition::DataCenter).await;
    let url = jira.url();
    works(&jira, python("jira_data_center.py"), &url).await;
}
