//! Several issues in one request, against the fake: every row by itself, and all of them where the answer is lost.

use std::time::Duration;

use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::jira::{Call, FakeJira, Fault};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::tests::sites::of_fake;
use super::*;
use crate::conformance::{TENANT, applied, errors, item, sound};
use crate::{BulkRow, Limits, Tracker};

/// Expands to a module for each edition, with these tests.
macro_rules! in_both_editions {
    ($($test:ident),* $(,)?) => {
        in_both_editions!(@module cloud Cloud; $($test),*);
        in_both_editions!(@module data_center DataCenter; $($test),*);
    };
    (@module $module:ident $edition:ident; $($test:ident),*) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::Edition::$edition).await;
                }
            )*
        }
    };
}

in_both_editions!(
    one_request_makes_every_issue_with_the_mark_of_its_effect,
    a_refused_row_is_refused_alone,
    rows_that_are_all_wrong_make_nothing,
    a_lost_answer_leaves_every_row_unknown_and_each_is_found,
    a_wait_is_for_every_row,
    a_site_that_does_not_tell_what_it_takes_is_asked_once,
    only_who_asks_for_it_creates_together
);

/// A site, and the adapter in front of it.
struct World {
    site: FakeJira,
    tracker: Jira,
    effects: Vec<EffectId>,
}

impl World {
    async fn new(edition: Edition, bulk: bool) -> Self {
        let of_fake = of_fake(edition);
        let site = FakeJira::start_as(of_fake, system_clock()).await.unwrap();
        site.project(of_fake.project("DEMO"));
        site.person("a-ana", "ana", true);
        let token = Key::parse(FakeJira::TOKEN).unwrap();
        let config = JiraConfig {
            base_url: site.url(),
            allow_loopback: true,
            edition,
            credentials: match edition {
                Edition::Cloud => Credentials::ApiToken { email: FakeJira::EMAIL.into(), token },
                Edition::DataCenter => Credentials::Bearer(token),
            },
            marker: true,
            bulk,
            limits: Limits { between_writes: Duration::ZERO, ..Limits::default() },
            projects: [("DEMO".to_owned(), JiraProject::default())].into(),
        };
        let tracker = Jira::new([(TENANT.to_owned(), config)]).unwrap();
        let effects = (0..50).map(|n| EffectId(format!("fx_{n}"))).collect();
        Self { site, tracker, effects }
    }

    /// Creates these items together, each under its epic if there is one.
    async fn create(&self, items: &[(Item, Option<&str>)]) -> Vec<Attempt<Issue>> {
        let mut rows = Vec::new();
        for (effect, (item, parent)) in self.effects.iter().zip(items) {
            rows.push(BulkRow { effect, item, parent: *parent });
        }
        self.tracker.bulk(TENANT).unwrap().create_together("DEMO", &rows).await
    }

    fn calls(&self, method: &str, path: &str) -> Vec<Call> {
        let asked = |call: &Call| call.method == method && call.path.ends_with(path);
        self.site.calls().into_iter().filter(asked).collect()
    }

    /// The issue that is marked with the effect of a row.
    fn marked(&self, row: usize) -> Option<throughline_fakes::jira::Issue> {
        let label = format!("throughline-{}", self.effects[row]);
        let has = |issue: &throughline_fakes::jira::Issue| {
            issue.fields["labels"].to_string().contains(&format!("\"{label}\""))
        };
        self.site.issues("DEMO").into_iter().find(has)
    }
}

impl Drop for World {
    /// Whatever a test did, the published document allows it.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.site.violations(), [""; 0]);
        }
    }
}

fn stories(count: usize) -> Vec<(Item, Option<&'static str>)> {
    (0..count).map(|n| (sound(&format!("Part {n}")), None)).collect()
}

async fn one_request_makes_every_issue_with_the_mark_of_its_effect(edition: Edition) {
    let world = World::new(edition, true).await;
    let epic = item(ItemType::Epic, &[(Part::Title, "All"), (Part::Problem, "p"), (Part::Acceptance, "a")]);
    let epic = applied(world.tracker.create(TENANT, "DEMO", &"fx_epic".into(), &epic, None).await).key;
    let story = |n: usize| {
        let title = format!("Part {n}");
        (item(ItemType::Story, &[(Part::Title, &title), (Part::Assignee, "ana")]), Some(epic.as_str()))
    };
    let created: Vec<Issue> =
        world.create(&(0..50).map(story).collect::<Vec<_>>()).await.into_iter().map(applied).collect();
    assert_eq!((world.calls("POST", "/issue/bulk").len(), world.calls("POST", "/issue").len()), (1, 1));
    assert_eq!(world.calls("GET", "/user/assignable/search").len(), 1, "one person is looked up once");
    for (n, issue) in created.iter().enumerate() {
        let made = world.marked(n).expect("it carries its label");
        assert_eq!((&made.key, made.fields["summary"].as_str()), (&issue.key, Some(issue.title.as_str())));
        assert_eq!((issue.title.as_str(), issue.parent.as_deref()), (&*format!("Part {n}"), Some(&*epic)));
        assert_eq!(made.parent(), Some(epic.as_str()));
        assert_eq!(made.properties["throughline.effect"]["id"], world.effects[n].as_str());
    }
}

async fn a_refused_row_is_refused_alone(edition: Edition) {
    let world = World::new(edition, true).await;
    let mut rows = stories(12);
    // Jira refuses the epic of the third, and nobody is called as the sixth says, which is found before.
    rows[2].1 = Some("DEMO-999");
    rows[5].0 = item(ItemType::Task, &[(Part::Title, "t"), (Part::Assignee, "zoe")]);
    let outcomes = world.create(&rows).await;
    let [call] = &world.calls("POST", "/issue/bulk")[..] else { panic!("one request") };
    assert_eq!((call.status, call.body["issueUpdates"].as_array().unwrap().len()), (201, 11));
    for (n, outcome) in outcomes.into_iter().enumerate() {
        match n {
            2 => assert_eq!(errors(outcome)[0].code, "check.parent"),
            5 => assert_eq!(errors(outcome)[0].field, "assignee"),
            _ => assert_eq!(Some(applied(outcome).key), world.marked(n).map(|made| made.key), "row {n}"),
        }
    }
    assert_eq!(world.site.issues("DEMO").len(), 10);
}

async fn rows_that_are_all_wrong_make_nothing(edition: Edition) {
    let world = World::new(edition, true).await;
    let rows: Vec<_> = stories(10).into_iter().map(|(item, _)| (item, Some("DEMO-999"))).collect();
    let outcomes = world.create(&rows).await;
    assert_eq!(world.calls("POST", "/issue/bulk")[0].status, 400);
    assert!(outcomes.into_iter().all(|outcome| errors(outcome)[0].code == "check.parent"));

    let nobody = |_| (item(ItemType::Task, &[(Part::Title, "t"), (Part::Assignee, "zoe")]), None);
    let outcomes = world.create(&(0..10).map(nobody).collect::<Vec<_>>()).await;
    assert!(outcomes.into_iter().all(|outcome| errors(outcome)[0].field == "assignee"));
    assert_eq!(world.calls("POST", "/issue/bulk").len(), 1, "what is wrong before is not sent");
}

async fn a_lost_answer_leaves_every_row_unknown_and_each_is_found(edition: Edition) {
    let status = |status: u16| Fault::Status(status, serde_json::json!({}));
    for (fault, made) in [
        (Fault::AppliedThenLost, 10),
        (Fault::AppliedThenHtml(200), 10),
        (Fault::AppliedThenHtml(502), 10),
        (Fault::AppliedThenNoKey, 10),
        (Fault::LostBefore, 0),
        (Fault::LateApply, 0),
        (Fault::Html(400), 0),
        (status(503), 0),
    ] {
        let world = World::new(edition, true).await;
        world.site.fault("POST", "/issue/bulk", fault.clone());
        let outcomes = world.create(&stories(10)).await;
        assert_eq!(outcomes.len(), 10);
        assert!(
            outcomes.iter().all(|outcome| matches!(outcome, Attempt::Unknown { .. })),
            "{fault:?}: {outcomes:?}"
        );
        assert_eq!(
            (world.site.issues("DEMO").len(), world.calls("POST", "/issue/bulk").len()),
            (made, 1),
            "{fault:?}"
        );
        world.site.land_late();
        let landed = if fault == Fault::LateApply { 10 } else { made };
        for n in 0..10 {
            let found = applied(world.tracker.seek(TENANT, "DEMO", &world.effects[n]).await);
            let expected = world.marked(n).map(|made| made.key);
            assert_eq!(found.first().map(|issue| issue.key.clone()), expected, "{fault:?}");
            assert_eq!(expected.is_some(), landed > 0, "{fault:?}");
        }
    }
}

async fn a_wait_is_for_every_row(edition: Edition) {
    let world = World::new(edition, true).await;
    world.site.fault("POST", "/issue/bulk", Fault::TooMany { retry_after: Some("30".into()) });
    for _ in 0..2 {
        for outcome in world.create(&stories(10)).await {
            let Attempt::NotApplied { why, hint } = outcome else { panic!("{outcome:?}") };
            assert_eq!(why, TrackerFault::SlowDown.into());
            assert!(hint.is_some_and(|hint| (29_000..=30_000).contains(&hint)), "{hint:?}");
        }
    }
    assert_eq!(world.calls("POST", "/issue/bulk").len(), 1, "what would be refused is not sent");
}

async fn a_site_that_does_not_tell_what_it_takes_is_asked_once(edition: Edition) {
    let world = World::new(edition, true).await;
    world.site.fault("GET", "/createmeta", Fault::Html(502));
    let outcomes = world.create(&stories(10)).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Attempt::NotApplied { .. })), "{outcomes:?}");
    assert_eq!((world.site.calls().len(), world.site.issues("DEMO").len()), (1, 0));
}

async fn only_who_asks_for_it_creates_together(edition: Edition) {
    assert!(World::new(edition, false).await.tracker.bulk(TENANT).is_none());
    let world = World::new(edition, true).await;
    assert!(world.tracker.bulk("globex").is_none(), "a tenant without a site");
    assert_eq!(world.tracker.bulk(TENANT).unwrap().size(), 10..=50);
}
