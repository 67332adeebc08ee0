//! Grants against the fake's authorization server, which takes a refresh token once.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reqwest::header::HeaderValue;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_fakes::jira::{FakeJira, Fault, Project};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::*;
use crate::conformance::{TENANT, item};
use crate::jira::{Credentials, Edition, Jira, JiraConfig, JiraProject};
use crate::{Issue, Limits, Tracker};

const BACK: &str = "https://bot.example.org/jira/connect/main/done";

/// A place that several processes share, as the store is.
#[derive(Clone, Default)]
struct Place(Arc<Mutex<Content>>);

#[derive(Default)]
struct Content {
    version: u64,
    held: Option<Held>,
    /// Those who connected.
    by: Vec<String>,
    /// The number of writes that fail from now on.
    fails: u32,
    /// The state that another process writes once somebody looks.
    next: Option<Held>,
}

impl Place {
    fn content<T>(&self, of: impl FnOnce(&mut Content) -> T) -> T {
        of(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, held: Held) {
        self.content(|content| {
            content.version += 1;
            content.held = Some(held);
        });
    }

    fn held(&self) -> Held {
        self.content(|content| content.held.clone().unwrap_or(Held::Nothing))
    }

    fn grant(&self) -> Grant {
        let Held::Ready(grant) = self.held() else { panic!("there is no grant that is ready") };
        grant
    }
}

#[async_trait]
impl Grants for Place {
    async fn load(&self) -> Result<Kept, String> {
        Ok(self.content(|content| {
            let kept = Kept { version: content.version, held: content.held.clone().unwrap_or(Held::Nothing) };
            if let Some(next) = content.next.take() {
                (content.version, content.held) = (content.version + 1, Some(next));
            }
            kept
        }))
    }

    async fn swap(&self, version: u64, held: &Held, by: Option<&str>) -> Result<bool, String> {
        self.content(|content| {
            if content.fails > 0 {
                content.fails -= 1;
                return Err("the disk is full".into());
            }
            let same = content.version == version;
            if same {
                (content.version, content.held) = (version + 1, Some(held.clone()));
                content.by.extend(by.map(str::to_owned));
            }
            Ok(same)
        })
    }
}

/// A site, an app that it knows, and the place of its grant.
struct World {
    jira: FakeJira,
    place: Place,
}

impl World {
    async fn new() -> Self {
        let jira = FakeJira::start(system_clock()).await.unwrap();
        jira.project(Project::company("DEMO"));
        let _ = jira.oauth_app("app", "hush");
        Self { jira, place: Place::default() }
    }

    async fn connected() -> Self {
        let world = Self::new().await;
        world.connect(&world.process()).await.unwrap();
        world.age();
        world
    }

    /// Lets the grant be as old as most are.
    fn age(&self) {
        let grant = self.place.grant();
        self.place.put(Held::Ready(Grant { since: Timestamp(0), ..grant }));
    }

    /// Another process that uses the grant.
    fn process(&self) -> Arc<OAuth> {
        self.process_for(&self.jira.url())
    }

    fn process_for(&self, site: &str) -> Arc<OAuth> {
        let app = OAuthApp {
            client_id: "app".into(),
            client_secret: Key::parse("hush").unwrap(),
            auth_url: self.jira.url(),
            api_url: self.jira.url(),
            site: site.into(),
            allow_loopback: true,
        };
        Arc::new(OAuth::new(app, Box::new(self.place.clone())).unwrap())
    }

    /// A person agrees in their browser.
    async fn connect(&self, oauth: &OAuth) -> Result<(), NotConnected> {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let answer = client.get(oauth.authorize_url("s-1", BACK)).send().await.unwrap();
        let back = answer.headers()["location"].to_str().unwrap();
        let back = Url::parse(back).unwrap_or_else(|_| panic!("{back}"));
        let named = |name: &str| back.query_pairs().find(|(one, _)| one == name).unwrap().1.into_owned();
        assert!(back.as_str().starts_with(BACK) && named("state") == "s-1", "{back}");
        oauth.connect("ana", &named("code"), BACK).await
    }

    fn tracker(&self, oauth: Arc<OAuth>) -> Jira {
        let config = JiraConfig {
            base_url: self.jira.url(),
            allow_loopback: true,
            edition: Edition::Cloud,
            credentials: Credentials::OAuth(oauth),
            marker: true,
            bulk: false,
            limits: Limits::default(),
            projects: [("DEMO".to_owned(), JiraProject::default())].into(),
        };
        Jira::new([(TENANT.to_owned(), config)]).unwrap()
    }

    fn statuses(&self, path: &str) -> Vec<u16> {
        let calls = self.jira.calls().into_iter();
        calls.filter(|call| call.path.ends_with(path)).map(|call| call.status).collect()
    }
}

async fn create(tracker: &Jira, effect: &str, title: &str) -> Attempt<Issue> {
    let task = item(ItemType::Task, &[(Part::Title, title)]);
    tracker.create(TENANT, "DEMO", &effect.into(), &task, None).await
}

fn not_applied(fault: TrackerFault) -> Attempt<Issue> {
    Attempt::NotApplied { why: fault.into(), hint: None }
}

/// The header that was refused, if it is the token of this grant.
fn header(grant: &Grant) -> HeaderValue {
    grant.access.header("Bearer ").unwrap()
}

#[tokio::test]
async fn what_a_person_granted_creates_issues_through_the_gateway() {
    let world = World::connected().await;
    let tracker = world.tracker(world.process());
    let Attempt::Applied(issue) = create(&tracker, "ef_1", "One").await else { panic!() };
    let browse = format!("{}/browse/{}", world.jira.url(), issue.key);
    assert_eq!(issue.url, Some(browse), "people go to the site");
    let through = format!("/ex/jira/{}/rest/api/3/", world.place.grant().cloud);
    let calls = world.jira.calls();
    let of_api = || calls.iter().filter(|call| call.path.contains("/rest/api/"));
    assert!(of_api().count() > 0 && of_api().all(|call| call.path.starts_with(&through)));
    assert_eq!(world.jira.violations(), [""; 0]);
}

#[tokio::test]
async fn a_token_that_ended_unexpectedly_is_renewed_and_the_request_is_sent_once_more() {
    let world = World::connected().await;
    let tracker = world.tracker(world.process());
    assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)));
    world.jira.expire_access_tokens();
    assert!(matches!(create(&tracker, "ef_2", "Two").await, Attempt::Applied(_)));
    let two: Vec<u16> = world.statuses("/rest/api/3/issue");
    assert_eq!((two, world.jira.issues("DEMO").len(), world.jira.refreshes()), (vec![201, 401, 201], 2, 1));
}

#[tokio::test]
async fn a_token_that_ends_soon_is_renewed_before_it_is_used() {
    let world = World::connected().await;
    let grant = world.place.grant();
    world.place.put(Held::Ready(Grant { ends_at: moment().plus(50 * Timestamp::SECOND), ..grant }));
    let tracker = world.tracker(world.process());
    assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)));
    let refused = world.jira.calls().into_iter().filter(|call| call.status == 401).count();
    assert_eq!((world.jira.refreshes(), refused), (1, 0));
}

/// A token that is refused a second time is told, and not tried a third time.
#[tokio::test]
async fn a_new_token_that_is_refused_too_is_told() {
    let world = World::connected().await;
    let tracker = world.tracker(world.process());
    let refused = || Fault::Status(401, serde_json::json!({"code": 401, "message": "Unauthorized"}));
    for _ in 0..2 {
        world.jira.fault("POST", "/issue", refused());
    }
    assert_eq!(create(&tracker, "ef_1", "One").await, not_applied(TrackerFault::Credentials));
    assert_eq!((world.jira.refreshes(), world.jira.issues("DEMO").len()), (1, 0));
}

/// Jira refuses a token that lacks a scope like one that ended. Renewing it again and again would cost, and help nobody.
#[tokio::test]
async fn a_token_that_is_new_and_refused_is_not_renewed() {
    let world = World::new().await;
    world.connect(&world.process()).await.unwrap();
    let tracker = world.tracker(world.process());
    world.jira.expire_access_tokens();
    for effect in ["ef_1", "ef_2", "ef_3"] {
        assert_eq!(create(&tracker, effect, "One").await, not_applied(TrackerFault::Credentials));
    }
    assert_eq!((world.jira.refreshes(), world.jira.issues("DEMO").len()), (0, 0));
    world.age();
    assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)));
    assert_eq!(world.jira.refreshes(), 1);
}

// row: JI5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_meet_an_ended_token_at_once_renew_it_once() {
    let world = World::connected().await;
    let processes = [world.process(), world.process(), world.process()];
    for round in 1..=5 {
        world.age();
        let ended = header(&world.place.grant());
        world.jira.expire_access_tokens();
        let mut asks = tokio::task::JoinSet::new();
        for n in 0..999 {
            let (process, ended) = (processes[n % 3].clone(), ended.clone());
            asks.spawn(async move { process.access(Some(&ended)).await.map(|access| access.header) });
        }
        let got = asks.join_all().await;
        let new = header(&world.place.grant());
        assert!(got.iter().all(|one| *one == Ok(new.clone())) && new != ended, "round {round}");
        assert_eq!(world.jira.refreshes(), round);
    }
    assert_eq!(world.statuses("/oauth/token").into_iter().filter(|status| *status != 200).count(), 0);
}

#[tokio::test]
async fn a_process_waits_for_the_one_that_renews_and_takes_over_from_one_that_is_gone() {
    let world = World::connected().await;
    let old = world.place.grant();
    let ended = header(&old);
    let renewing = |until| Held::Renewing { grant: old.clone(), until };
    // Another process is at it, and is done when this one looks again.
    let next = Grant { access: Key::parse("access-of-another").unwrap(), ..old.clone() };
    world.place.put(renewing(moment().plus(TURN_OF_ANOTHER)));
    world.place.content(|content| content.next = Some(Held::Ready(next.clone())));
    let got = world.process().access(Some(&ended)).await.map(|access| access.header);
    assert_eq!((got, world.jira.refreshes()), (Ok(header(&next)), 0));
    // The other one ended in between.
    world.place.put(renewing(moment().plus(-1)));
    let got = world.process().access(Some(&ended)).await.map(|access| access.header);
    assert_eq!((got, world.jira.refreshes()), (Ok(header(&world.place.grant())), 1));
    // A token that still lasts is used while it is renewed.
    let lasts = world.place.grant();
    world.place.put(Held::Renewing { grant: lasts.clone(), until: moment().plus(TURN_OF_ANOTHER) });
    let got = world.process().access(None).await.map(|access| access.header);
    assert_eq!((got, world.jira.refreshes()), (Ok(header(&lasts)), 1));
}

const TURN_OF_ANOTHER: i64 = 20 * Timestamp::SECOND;

#[tokio::test]
async fn a_grant_that_is_taken_no_more_is_given_up_once_and_connecting_again_helps() {
    let world = World::connected().await;
    let grant = world.place.grant();
    world.place.put(Held::Ready(Grant {
        refresh: Key::parse("refresh-used-before").unwrap(),
        ends_at: moment(),
        ..grant
    }));
    let oauth = world.process();
    let tracker = world.tracker(oauth.clone());
    for effect in ["ef_1", "ef_1", "ef_1"] {
        assert_eq!(create(&tracker, effect, "One").await, not_applied(TrackerFault::Credentials));
    }
    assert_eq!(world.statuses("/oauth/token"), [200, 403], "nobody asks again and again");
    assert!(matches!(world.place.held(), Held::Nothing));
    world.connect(&oauth).await.unwrap();
    assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)));
}

/// Whatever the authorization server does, nothing is sent to the site, and the grant is not given up.
#[tokio::test]
async fn a_failed_renewal_is_told_as_it_is_and_tried_again() {
    let too_many = || Fault::TooMany { retry_after: Some("7".into()) };
    let secret = || Fault::Status(401, serde_json::json!({"error": "access_denied"}));
    let slow_down = Attempt::NotApplied { why: TrackerFault::SlowDown.into(), hint: Some(7_000) };
    for (fault, expected) in [
        (Fault::LostBefore, not_applied(TrackerFault::Unreachable)),
        (Fault::Html(502), not_applied(TrackerFault::Unreachable)),
        (Fault::Html(200), not_applied(TrackerFault::Unreachable)),
        (too_many(), slow_down),
        (secret(), not_applied(TrackerFault::Credentials)),
    ] {
        let world = World::connected().await;
        let grant = world.place.grant();
        world.place.put(Held::Ready(Grant { ends_at: moment(), ..grant }));
        let tracker = world.tracker(world.process());
        world.jira.fault("POST", "/oauth/token", fault.clone());
        assert_eq!(create(&tracker, "ef_1", "One").await, expected, "{fault:?}");
        assert_eq!(world.jira.issues("DEMO").len(), 0);
        assert!(matches!(world.place.held(), Held::Ready(_)), "{fault:?}");
        assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)), "{fault:?}");
    }
}

#[tokio::test]
async fn a_place_that_cannot_be_written_sends_nothing_and_costs_no_grant() {
    let world = World::connected().await;
    let grant = world.place.grant();
    world.place.put(Held::Ready(Grant { ends_at: moment(), ..grant }));
    let tracker = world.tracker(world.process());
    world.place.content(|content| content.fails = 1);
    assert_eq!(create(&tracker, "ef_1", "One").await, not_applied(TrackerFault::Unreachable));
    assert_eq!((world.jira.refreshes(), world.jira.issues("DEMO").len()), (0, 0));
    assert!(matches!(create(&tracker, "ef_1", "One").await, Attempt::Applied(_)));
}

#[tokio::test(start_paused = true)]
async fn what_was_renewed_is_kept_as_soon_as_that_is_possible() {
    let place = Place::default();
    place.content(|content| content.fails = 19);
    let app = OAuthApp {
        client_id: "app".into(),
        client_secret: Key::parse("hush").unwrap(),
        auth_url: "https://auth.example.org".into(),
        api_url: "https://api.example.org".into(),
        site: "https://acme.example.org".into(),
        allow_loopback: false,
    };
    let oauth = OAuth::new(app.clone(), Box::new(place.clone())).unwrap();
    let key = |text: &str| Key::parse(text).unwrap();
    let grant = Grant {
        cloud: "c".into(),
        access: key("a"),
        refresh: key("r"),
        since: Timestamp(0),
        ends_at: Timestamp(1),
    };
    oauth.keep(0, &Held::Ready(grant)).await;
    assert_eq!(place.grant().refresh.as_str(), "r");
    for wrong in ["http://auth.example.org", "auth.example.org", "https://10.0.0.1", "http://127.0.0.1:1"] {
        let app = OAuthApp { auth_url: wrong.into(), ..app.clone() };
        assert!(OAuth::new(app, Box::new(place.clone())).is_err(), "{wrong}");
    }
    let here = OAuthApp { auth_url: "http://127.0.0.1:1".into(), allow_loopback: true, ..app };
    assert!(OAuth::new(here, Box::new(place)).is_err_and(|why| why.contains("on this machine")));
}

#[tokio::test]
async fn a_grant_for_another_site_or_a_code_that_was_used_is_refused_and_the_earlier_one_stays() {
    let world = World::connected().await;
    let before = header(&world.place.grant());
    let other = world.process_for("http://localhost:1/");
    let refused = world.connect(&other).await.unwrap_err();
    let (site, granted) = ("http://localhost:1/".to_owned(), vec![world.jira.url()]);
    assert_eq!(refused, NotConnected::OtherSite { site, granted });
    let oauth = world.process();
    let refused = oauth.connect("eve", "code-of-nobody", BACK).await.unwrap_err();
    assert_eq!(refused, NotConnected::Refused("invalid_grant: Invalid authorization code".into()));
    world.place.content(|content| content.fails = 1);
    let refused = world.connect(&oauth).await.unwrap_err();
    assert_eq!(refused, NotConnected::NotKept("the disk is full".into()));
    assert_eq!(header(&world.place.grant()), before);
    assert_eq!(world.place.content(|content| content.by.clone()), ["ana"], "nobody else connected");
    // A site is written as people write it.
    let slash = world.process_for(&format!("{}/", world.jira.url().to_uppercase().replace("HTTP", "http")));
    world.connect(&slash).await.unwrap();
}
