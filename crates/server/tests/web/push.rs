//! Notifications on devices: who gets one about an approval and what it says, and what becomes of those that a push service does
//! not take.

use std::sync::Arc;

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_server::Sources;
use throughline_store::{Documents as _, ManualClock, MemoryStore};

use crate::browser::{Browser, Page};
use crate::push_service::*;
use crate::support::*;

/// Ana asks; Mia and Bob may decide; Dora has no rule, Eve no role that opens approvals.
const PEOPLE: &str = r#"[
    { id = "ana", name = "Ana", roles = ["approver"] },
    { id = "mia", name = "Mia Müller", roles = ["approver"], groups = ["deciders"], language = "de" },
    { id = "bob", roles = ["operator"], groups = ["deciders"] },
    { id = "dora", roles = ["approver"] },
    { id = "eve", groups = ["deciders"] },
]"#;

const RULES: &str = r#"[{ effects = ["tracker.*"], targets = ["local:*"], allow = ["group:deciders"], self_approve = false }]"#;

fn settings() -> Sources {
    [
        ("users", PEOPLE),
        ("approvers", RULES),
        ("push.contact", "mailto:ops@example.org"),
        ("push.allow_loopback", "true"),
    ]
    .into_iter()
    .fold(demo(), |sources, (path, value)| sources.flag(path, value, "--set"))
}

/// Server that sends to a push service, with a clock that only the test moves.
struct World {
    server: Server,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    key_file: tempfile::TempDir,
}

impl World {
    async fn start() -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let key_file = tempfile::tempdir().unwrap();
        let server = Server::over(with_key(&key_file), store.clone()).await;
        let world = Self { server, clock, store, key_file };
        // They begin with what happens once it follows.
        eventually("it follows", || async {
            world.store.document("demo", "push", "progress").await.unwrap().is_some()
        })
        .await;
        world
    }

    /// Starts the server again over the same store.
    async fn again(self) -> Self {
        let Self { server, clock, store, key_file } = self;
        server.stopped().await;
        let server = Server::over(with_key(&key_file), store.clone()).await;
        Self { server, clock, store, key_file }
    }

    /// Asks for something in a conversation; returns the id of its approval.
    async fn asks(&self, conversation: &str) -> String {
        self.clock.advance(1);
        self.server.preview(conversation).await["id"].as_str().expect("an id").to_owned()
    }

    async fn decides(&self, approval: &str, who: &str) {
        self.clock.advance(1);
        let decide = json!({"version": 1, "decision": "reject", "actor": {"id": who}});
        let call = self.server.post(&format!("/v1/approvals/{approval}/decide"));
        let reply = call.header("Idempotency-Key", approval).json(&decide).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    /// Waits until the metrics say this.
    async fn counts(&self, line: &str) {
        eventually(&format!("the metrics say {line}"), || async {
            self.server.get("/metrics").send().await.text().lines().any(|one| one == line)
        })
        .await;
    }

    /// Opens the chat as somebody.
    async fn person(&self, who: &str) -> (Browser<'_>, Page) {
        let browser = Browser::new(&self.server);
        let page = browser.visit("/").await;
        let page = browser.submit(&page, "/you", &[("user", who)]).await;
        (browser, page)
    }

    /// Switches notifications on in somebody's browser.
    async fn switches_on(&self, who: &str, device: &Subscribed) {
        let (browser, page) = self.person(who).await;
        let fields = [("csrf", &*page.field("csrf")), ("subscription", &*device.told())];
        let reply = browser.post("/push/on", &fields).await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }
}

fn with_key(folder: &tempfile::TempDir) -> Sources {
    let file = folder.path().join("instance.key");
    settings().flag("instance_key_file", file.to_str().unwrap(), "--set")
}

fn paths(pushed: &[Pushed]) -> Vec<&str> {
    let mut paths: Vec<_> = pushed.iter().map(|one| one.path.as_str()).collect();
    paths.sort_unstable();
    paths
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_may_decide_is_told_on_each_device_in_their_language() {
    let service = PushService::start().await;
    let world = World::start().await;
    let at = |path| Subscribed::at(&service, path);
    let [mia, phone, bob, dora, eve, ana] =
        ["/mia?x=1", "/mia/phone", "/bob", "/dora", "/eve", "/ana"].map(at);
    for (who, device) in
        [("mia", &mia), ("mia", &phone), ("bob", &bob), ("dora", &dora), ("eve", &eve), ("ana", &ana)]
    {
        world.switches_on(who, device).await;
    }
    let approval = world.asks("c1").await;
    let pushed = service.has(3).await;
    assert_eq!(paths(&pushed), ["/bob", "/mia/phone", "/mia?x=1"]);
    let (_, page) = world.person("bob").await;
    for one in &pushed {
        let (claims, key) = one.signed();
        let expected =
            json!({"aud": service.origin(), "exp": 1_768_514_400, "sub": "mailto:ops@example.org"});
        assert_eq!((claims, key), (expected, page.data("data-key")), "as the page says");
        assert_eq!(one.header("content-encoding"), "aes128gcm");
        assert_eq!((one.header("urgency"), one.header("ttl")), ("normal", "1209600"), "as long as it waits");
        assert_eq!((one.header("topic").len(), one.header("topic")), (32, pushed[0].header("topic")));
    }
    let of = |path: &str| pushed.iter().find(|one| one.path == path).unwrap();
    let said = json!({"title": "Waiting for you: Write the manual", "language": "en", "approval": approval,
        "body": "Ana asks for something that you may decide."});
    assert_eq!(bob.reads(of("/bob")), said);
    let said = json!({"title": "Wartet auf dich: Write the manual", "language": "de", "approval": approval,
        "body": "Ana bittet um etwas, das du entscheiden darfst."});
    assert_eq!([mia.reads(of("/mia?x=1")), phone.reads(of("/mia/phone"))], [said.clone(), said]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_device_is_told_twice() {
    let service = PushService::start().await;
    let world = World::start().await;
    world.switches_on("bob", &Subscribed::at(&service, "/bob")).await;
    let card = world.server.preview("c1").await;
    service.has(1).await;
    world.clock.advance(1_000);
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Write the whole manual"}}});
    let revised = world.server.turn("edit", &form).await;
    assert_eq!(revised["decision"], "done", "{revised:#}");
    let world = world.again().await;
    world.clock.advance(25 * Timestamp::HOUR);
    world.asks("c2").await;
    let pushed = service.has(2).await;
    assert_ne!(pushed[0].header("topic"), pushed[1].header("topic"), "one of each approval");
    assert_eq!(pushed[0].signed().1, pushed[1].signed().1, "the key stays");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_down_loses_nothing() {
    let mut service = PushService::down().await;
    let world = World::start().await;
    world.switches_on("bob", &Subscribed::at(&service, "/bob")).await;
    let first = world.asks("c1").await;
    world.counts("throughline_push_attempts_total{outcome=\"put_off\"} 1").await;
    // Restarted while it waits, and the first is decided before anything could be sent.
    let world = world.again().await;
    world.asks("c2").await;
    world.counts("throughline_push_waiting{tenant=\"demo\"} 2").await;
    world.decides(&first, "bob").await;
    service.comes_up().await;
    world.clock.advance(10 * Timestamp::MINUTE);
    service.has(1).await;
    world.counts("throughline_push_waiting{tenant=\"demo\"} 0").await;
    service.has(1).await;
    world.server.stopped().await;
}

/// The service has it and this process ended before that was noted: it comes again, under the same topic, and then no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_whose_answer_nobody_heard_comes_again_under_its_topic() {
    let service = PushService::start().await;
    let world = World::start().await;
    let bob = Subscribed::at(&service, "/bob");
    world.switches_on("bob", &bob).await;
    service.answers(|_| (0, ""));
    world.asks("c1").await;
    let unheard = service.has(1).await[0].clone();
    service.answers(takes);
    let world = world.again().await;
    let again = service.has(2).await[1].clone();
    assert_eq!(again.header("topic"), unheard.header("topic"));
    assert_eq!(bob.reads(&again), bob.reads(&unheard), "with the tag by which a browser shows one");
    let world = world.again().await;
    world.asks("c2").await;
    assert_ne!(service.has(3).await[2].header("topic"), again.header("topic"));
    world.server.stopped().await;
}

/// The codes are in the log: TL-3403 for what waits, TL-3404 for what is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_says_how_long_to_wait_and_what_it_refuses() {
    let service = PushService::start().await;
    let world = World::start().await;
    for (who, path) in [("bob", "/bob"), ("mia", "/mia")] {
        world.switches_on(who, &Subscribed::at(&service, path)).await;
    }
    service.answers(|pushed| if pushed.path == "/mia" { (403, "") } else { (429, "600") });
    world.asks("c1").await;
    world.counts("throughline_push_attempts_total{outcome=\"put_off\"} 1").await;
    world.counts("throughline_push_attempts_total{outcome=\"refused\"} 1").await;
    service.answers(takes);
    world.clock.advance(9 * Timestamp::MINUTE);
    // Something else goes out meanwhile, to both.
    world.asks("c2").await;
    assert_eq!(paths(&service.has(4).await), ["/bob", "/bob", "/mia", "/mia"]);
    world.clock.advance(Timestamp::MINUTE);
    assert_eq!(paths(&service.has(5).await), ["/bob", "/bob", "/bob", "/mia", "/mia"]);
    world.counts("throughline_push_waiting{tenant=\"demo\"} 0").await;
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_is_gone_is_forgotten() {
    let service = PushService::start().await;
    let world = World::start().await;
    for path in ["/gone", "/lost", "/here"] {
        world.switches_on("bob", &Subscribed::at(&service, path)).await;
    }
    service.answers(|pushed| match pushed.path.as_str() {
        "/gone" => (410, ""),
        "/lost" => (404, ""),
        _ => (201, ""),
    });
    world.asks("c1").await;
    service.has(3).await;
    world.counts("throughline_push_attempts_total{outcome=\"gone\"} 2").await;
    world.asks("c2").await;
    assert_eq!(paths(&service.has(4).await), ["/gone", "/here", "/here", "/lost"]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_is_its_persons_until_they_switch_it_off_or_sign_out() {
    let service = PushService::start().await;
    let world = World::start().await;
    let [own, shared, left] = ["/own", "/shared", "/left"].map(|path| Subscribed::at(&service, path));
    for device in [&own, &shared, &left] {
        world.switches_on("bob", device).await;
    }
    let (mia, page) = world.person("mia").await;
    let csrf = page.field("csrf");
    let ask = async |path: &str, device: &Subscribed| {
        mia.post(path, &[("csrf", &csrf), ("endpoint", &device.endpoint)]).await.status
    };
    assert_eq!(ask("/push/seen", &own).await, 404, "it is Bob's");
    assert_eq!(ask("/push/off", &own).await, 204, "which says nothing of it");
    // Whoever switched it on last has it.
    world.switches_on("mia", &shared).await;
    assert_eq!(ask("/push/seen", &shared).await, 204);
    let (bob, page) = world.person("bob").await;
    let fields = [("csrf", &*page.field("csrf")), ("endpoint", &*left.endpoint)];
    assert_eq!(bob.post("/push/seen", &fields).await.status, 204);
    // That is where it was seen last, so signing out there ends it.
    bob.submit(&page, "/sign-out", &[]).await;
    world.asks("c1").await;
    let pushed = service.has(2).await;
    assert_eq!(paths(&pushed), ["/own", "/shared"]);
    let shown = shared.reads(pushed.iter().find(|one| one.path == "/shared").unwrap());
    assert_eq!(shown["language"], "de", "it is Mia's now");
    assert_eq!(ask("/push/off", &shared).await, 204);
    world.asks("c2").await;
    assert_eq!(paths(&service.has(3).await), ["/own", "/own", "/shared"]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_suspended_or_erased_loses_theirs() {
    let service = PushService::start().await;
    let world = World::start().await;
    for (who, path) in [("bob", "/bob"), ("mia", "/mia")] {
        world.switches_on(who, &Subscribed::at(&service, path)).await;
    }
    let suspends = async |suspended: bool| {
        let put = world.server.put("/v1/users/bob").json(&json!({"suspended": suspended})).send().await;
        assert_eq!(put.status, 200, "{}", put.text());
    };
    suspends(true).await;
    suspends(false).await;
    world.asks("c1").await;
    assert_eq!(paths(&service.has(1).await), ["/mia"]);
    let erased = world.server.delete("/v1/subjects/mia").header("Idempotency-Key", "e1").send().await;
    assert_eq!(erased.status, 200, "{}", erased.text());
    world.asks("c2").await;
    world.switches_on("bob", &Subscribed::at(&service, "/bob")).await;
    world.asks("c3").await;
    assert_eq!(paths(&service.has(2).await), ["/bob", "/mia"]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_subscription_at_an_address_that_may_be_asked_is_kept() {
    let service = PushService::start().await;
    let world = World::start().await;
    let good = Subscribed::at(&service, "/x").told();
    let (browser, page) = world.person("bob").await;
    let csrf = page.field("csrf");
    let at = |url: &str| good.replace(&service.origin(), url);
    for bad in [
        String::new(),
        "{}".into(),
        at("http://push.example.com"),
        at("https://10.0.0.1"),
        at("https://169.254.169.254"),
        at("https://user:word@push.example.com"),
        at(&format!("https://push.example.com/{}", "x".repeat(2_048))),
        good.replace("\"auth\":\"", "\"auth\":\"AA"),
        good.replace("\"p256dh\":\"B", "\"p256dh\":\"C"),
    ] {
        let reply = browser.post("/push/on", &[("csrf", &csrf), ("subscription", &bad)]).await;
        assert_eq!(reply.status, 400, "{bad}");
        assert!(reply.text().contains("TL-2007"), "{}", reply.text());
    }
    let other = Browser::new(&world.server).visit("/").await.field("csrf");
    let reply = browser.post("/push/on", &[("csrf", &other), ("subscription", &good)]).await;
    assert_eq!(reply.status, 403, "a page of this session says it");
    assert!(world.store.documents("demo", "push.devices", None, 9).await.unwrap().is_empty());
    world.switches_on("bob", &Subscribed::at(&service, "/x")).await;
    let kept = world.store.documents("demo", "push.devices", None, 9).await.unwrap();
    assert!(!kept[0].body.contains("127.0.0.1") && !kept[0].body.contains("p256dh"), "{}", kept[0].body);
    world.server.stopped().await;
}

/// TL-1107 says what is wrong with the contact.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_contact_there_are_none() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    assert!(!page.html().contains("id=\"notify\"") && !page.html().contains("data-key=\"B"));
    let csrf = page.field("csrf");
    for path in ["/push/on", "/push/seen", "/push/off"] {
        assert_eq!(browser.post(path, &[("csrf", &csrf)]).await.status, 404, "{path}");
    }
    server.stopped().await;
    let wrong = demo().flag("push.contact", "ops@example.org", "--set");
    let errors = throughline_server::Config::load(&wrong).unwrap_err().to_string();
    assert!(errors.contains("TL-1107") && errors.contains("push.contact"), "{errors}");
}
