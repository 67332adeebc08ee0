//! Other people's client of GitHub against the fake.

use std::time::Duration;

use throughline_fakes::github::{FakeGithub, Repository};
use throughline_fakes::system_clock;

use super::slack::python;

const REPOSITORY: &str = "acme/web";
const ANA: &str = "ana";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PyGithub, from PyPI: cargo xtask peers"]
async fn pygithub_runs_unchanged() {
    let github = FakeGithub::start(system_clock()).await.unwrap();
    github.repository(Repository::new(REPOSITORY));
    github.person(ANA);
    let mut client = python("github_client.py");
    client.args([&github.url(), FakeGithub::TOKEN, REPOSITORY, ANA]).env("NO_PROXY", "127.0.0.1");
    let ended = tokio::time::timeout(Duration::from_secs(120), client.kill_on_drop(true).output());
    let ended = ended.await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
    let issues = github.issues(REPOSITORY);
    let [epic, train, plane, boat] = &issues[..] else { panic!("{issues:#?}") };
    assert_eq!([train.parent, plane.parent, boat.parent], [Some(epic.id), Some(epic.id), None]);
    assert!(train.closed && train.comments.len() == 5, "{train:#?}");
    assert_eq!(
        (&*train.labels, &*plane.labels, &*boat.labels),
        (&["ship", "slow"].map(str::to_owned)[..], &["ship", "loud"].map(str::to_owned)[..], &[][..],)
    );
    assert_eq!(boat.assignees, [ANA]);
    // It sends labels as a list by itself, which the published text has and its schema has not.
    let unexpected = |wrong: &String| !wrong.contains("/labels: : [\"");
    assert_eq!(github.violations().into_iter().filter(unexpected).collect::<Vec<_>>(), [""; 0]);
}
