//! Linear's own client against the fake.

use std::time::Duration;

use throughline_fakes::linear::{FakeLinear, Fault, Label, Person, Team};
use throughline_fakes::system_clock;
use tokio::process::Command;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs @linear/sdk, from npm: cargo xtask peers"]
async fn linear_for_javascript_runs_unchanged() {
    let linear = FakeLinear::start(system_clock()).await.unwrap();
    linear.team(Team::new("ENG"));
    linear.team(Team::new("OPS"));
    linear.person(Person::new("ana", "Ana Sousa"));
    linear.label(Label { group: true, ..Label::new("Kind") });
    for name in ["Bug", "Story"] {
        linear.label(Label { parent: Some("Kind".into()), ..Label::new(name) });
    }
    linear.fault("organization", Fault::Limited { retry_after: Some("7".into()), reset: None });
    let description =
        std::env::var("THROUGHLINE_LINEAR_SDK").expect("THROUGHLINE_LINEAR_SDK names a package.json of it");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/linear_client.mjs");
    let mut client = Command::new("node");
    client.args([script, &description, &format!("{}/graphql", linear.url()), FakeLinear::TOKEN, "ana"]);
    client.env("NO_PROXY", "127.0.0.1").kill_on_drop(true);
    let ended =
        tokio::time::timeout(Duration::from_secs(120), client.output()).await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
    let issues = linear.issues("ENG");
    let children = issues.iter().filter(|issue| issue.parent.as_deref() == Some("ENG-1"));
    assert_eq!((issues.len(), children.count()), (3, 2), "{issues:#?}");
    let card = &issues[1];
    assert_eq!((card.title.as_str(), card.state.as_str()), ("By any card", "completed"));
    assert_eq!(card.comments, ["Looks good"]);
    assert_eq!(card.relations, [("blocks".to_owned(), "ENG-3".to_owned())]);
    assert_eq!((card.assignee.as_deref(), issues[0].priority), (Some("ana"), 2));
}
