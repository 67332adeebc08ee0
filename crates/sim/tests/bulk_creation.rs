//! An epic with many stories in Jira, which creates them in one request, in virtual time: the answer is lost before or after the
//! issues were made, they are made late, the search lags. There is never a second issue for an item; those that exist end on the
//! receipt, and what nobody knows is a question that stays.
//!
//! `THROUGHLINE_SEED` begins elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, CardSubject};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::progress::{EpicLink, Progress};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Millis, Timestamp};
use throughline_fakes::Clock;
use throughline_fakes::jira::{FakeJira, Fault, Project};
use throughline_net::Key;
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{Driver, parse, report, run};
use throughline_trackers::Limits;
use throughline_trackers::jira::{Credentials, Edition, Jira, JiraConfig, JiraProject};

const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

/// Stories of the epic: as few as are sent together.
const STORIES: usize = 10;

/// Times by which a search may lag.
const LAGS: [Millis; 4] = [0, 20 * SECOND, 5 * MINUTE, 3 * HOUR];

/// Fate of the request for the stories: what happens to it, and when it is performed if that is late.
fn fates() -> [(Fault, Option<Millis>); 10] {
    [
        (Fault::AppliedThenLost, None),
        (Fault::AppliedThenHtml(502), None),
        (Fault::AppliedThenNoKey, None),
        (Fault::LostBefore, None),
        (Fault::Html(503), None),
        (Fault::LateApply, Some(5 * SECOND)),
        (Fault::LateApply, Some(MINUTE)),
        (Fault::LateApply, Some(20 * MINUTE)),
        (Fault::LateApply, Some(3 * HOUR)),
        (Fault::LateApply, Some(50 * HOUR)),
    ]
}

/// A site, its clock, and a conversation whose batch is there to be approved.
struct World {
    site: FakeJira,
    now: Arc<AtomicI64>,
    driver: SimDriver,
    preview: Card,
}

impl World {
    fn new(vendor: &tokio::runtime::Runtime, stories: usize) -> Self {
        let now = Arc::new(AtomicI64::new(Timestamp::parse("2026-01-15T10:00:00Z").unwrap().0));
        let told = now.clone();
        let clock: Clock = Arc::new(move || told.load(Ordering::Relaxed));
        let site = vendor.block_on(FakeJira::start(clock)).unwrap();
        site.project(Project::company("AUTH"));
        let token = Key::parse(FakeJira::TOKEN).unwrap();
        let config = JiraConfig {
            base_url: site.url(),
            allow_loopback: true,
            edition: Edition::Cloud,
            credentials: Credentials::ApiToken { email: FakeJira::EMAIL.into(), token },
            marker: true,
            bulk: true,
            limits: Limits { between_writes: Duration::ZERO, ..Limits::default() },
            projects: [("AUTH".to_owned(), JiraProject::default())].into(),
        };
        let tracker = Jira::new([("sim".to_owned(), config)]).unwrap();
        let mut driver = SimDriver::with_tracker(Arc::new(tracker));
        let story = |n: usize| {
            format!(
                "      - Way {n}\n        Problem: there is none\n        Acceptance criteria: it works\n"
            )
        };
        let scenario = format!(
            "scenario: any\ngiven:\n  users: {{ ana: {{ may: [approve] }} }}\n  tracker: {{ project: AUTH }}\nturns:\n  \
             - ana: |-\n      Create an epic with {stories} stories for Auth\n      Problem: nobody gets in\n      Acceptance \
             criteria: all are done\n{}  - ana: {{ press: confirm_quantity }}\n",
            (1..=stories).map(story).collect::<String>(),
        );
        let begun = run(&parse("any", &scenario).unwrap(), &mut driver);
        assert!(begun.passed(), "{}", report::human(&[begun]));
        let preview =
            cards(&mut driver).into_iter().find(|card| card.actions().contains(&Action::Approve)).unwrap();
        Self { site, now, driver, preview }
    }

    fn approve(&mut self) {
        let (card, version) = (self.preview.id.clone(), self.preview.version);
        let press = Press::Decision { card, version, item: String::new(), action: Action::Approve };
        let approve = Delivery {
            key: "approve".into(),
            lane: "main".into(),
            actor: "ana".into(),
            addressing: Addressing::default(),
            kind: EventKind::CardPressed { press, remember: false },
        };
        self.now.store(self.driver.now().0, Ordering::Relaxed);
        self.driver.deliver(&[approve]).unwrap();
    }

    fn wait(&mut self, time: Millis) {
        self.driver.advance(time).unwrap();
        self.now.store(self.driver.now().0, Ordering::Relaxed);
    }

    /// The numbers of requests for one issue, and of rows in each request for several.
    fn requests(&self) -> (usize, Vec<usize>) {
        let posts: Vec<_> = self.site.calls().into_iter().filter(|call| call.method == "POST").collect();
        let several = posts.iter().filter(|call| call.path.ends_with("/issue/bulk"));
        let rows = several.map(|call| call.body["issueUpdates"].as_array().map_or(0, Vec::len)).collect();
        (posts.iter().filter(|call| call.path.ends_with("/issue")).count(), rows)
    }

    /// The progress of epic and stories on the receipt.
    fn receipt(&mut self) -> Vec<Progress> {
        let id = self.preview.id.clone();
        let card = cards(&mut self.driver).into_iter().find(|card| card.id == id).unwrap();
        card.released().map(|(_, progress)| progress.clone()).collect()
    }

    fn questions(&mut self) -> usize {
        let asks = |card: &&Card| matches!(card.about, CardSubject::UncertainEffect { .. }) && card.is_open();
        cards(&mut self.driver).iter().filter(asks).count()
    }
}

fn cards(driver: &mut SimDriver) -> Vec<Card> {
    let lane = driver.lane("main").unwrap();
    let card = |record: &Record| if let Record::Card(card) = record { Some(card.clone()) } else { None };
    lane.records.iter().filter_map(card).collect()
}

/// The keys of what was created; the stories are under the epic.
fn keys(receipt: &[Progress]) -> Vec<&str> {
    let mut keys = Vec::new();
    for (n, progress) in receipt.iter().enumerate() {
        let Progress::Created { key, link, .. } = progress else { panic!("{progress:?}") };
        let under = matches!(link, Some(EpicLink::There { epic }) if epic == "AUTH-1");
        assert_eq!(under, n > 0, "{key}");
        keys.push(key.as_str());
    }
    keys
}

fn expected_keys() -> Vec<String> {
    (1..=STORIES + 1).map(|n| format!("AUTH-{n}")).collect()
}

fn vendor() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn an_epic_and_its_stories_are_two_requests() {
    let vendor = vendor();
    let mut world = World::new(&vendor, STORIES);
    world.approve();
    assert_eq!(world.requests(), (1, vec![STORIES]));
    assert_eq!(keys(&world.receipt()), expected_keys());
    let issues = world.site.issues("AUTH");
    let titles = issues[1..].iter().map(|issue| issue.fields["summary"].as_str().unwrap().to_owned());
    assert!(titles.eq((1..=STORIES).map(|n| format!("Way {n}"))), "in the order of the batch");
    assert_eq!(world.site.violations(), [""; 0]);
}

#[test]
fn a_few_stories_are_a_request_each() {
    let vendor = vendor();
    let mut world = World::new(&vendor, 9);
    world.approve();
    assert_eq!(world.requests(), (10, vec![]));
    assert_eq!(world.receipt().len(), 10);
}

#[test]
fn stories_that_have_to_wait_are_sent_together_again() {
    let vendor = vendor();
    let mut world = World::new(&vendor, STORIES);
    world.site.fault("POST", "/issue/bulk", Fault::TooMany { retry_after: None });
    world.approve();
    assert_eq!(world.requests(), (1, vec![STORIES; 2]));
    assert_eq!(keys(&world.receipt()), expected_keys());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "where it begins is the test's own setting")]
fn a_lost_answer_is_one_issue_or_a_question_for_each_story() {
    let vendor = vendor();
    let first = std::env::var("THROUGHLINE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0_usize);
    for seed in first..first + 20 {
        let (fates, lag) = (fates(), LAGS[(seed / 10) % LAGS.len()]);
        let (fault, late) = fates[seed % fates.len()].clone();
        let told = format!("seed {seed}: {fault:?} {late:?}, the search lags by {lag} ms");
        let mut world = World::new(&vendor, STORIES);
        world.site.fault("POST", "/issue/bulk", fault);
        world.site.index_lag(lag);
        world.approve();
        assert_eq!(world.questions(), STORIES, "{told}");
        let (mut waited, mut landed) = (0, false);
        for step in steps() {
            waited += step;
            if late.is_some_and(|after| waited >= after) && !landed {
                world.site.land_late();
                landed = true;
            }
            world.wait(step);
            assert_eq!(world.requests(), (1, vec![STORIES]), "{told}");
        }
        let made = world.site.issues("AUTH").len() - 1;
        assert!(made == 0 || made == STORIES, "{told}: {made}");
        assert_eq!(world.questions(), STORIES - made, "{told}");
        if made > 0 {
            assert_eq!(keys(&world.receipt()), expected_keys(), "{told}");
        }
    }
}

/// The pauses of nine days: short at first, as the search is frequent then.
fn steps() -> impl Iterator<Item = Millis> {
    let short = std::iter::repeat_n(15 * SECOND, 10);
    short.chain(std::iter::repeat_n(20 * MINUTE, 10)).chain(std::iter::repeat_n(12 * HOUR, 18))
}
