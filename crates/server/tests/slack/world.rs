//! World of a test: one workspace, its Slack, and a served installation.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use throughline_engine::LaneKey;
use throughline_fakes::slack::{Endpoints, FakeSlack, Message};
use throughline_fakes::system_clock;
use throughline_runtime::Runtime;
use throughline_runtime::turn_log::Turn;
use throughline_server::slack::Adapter;
use throughline_server::{Config, Instance, Sources, open_tracking, serve_instance};
use throughline_store::{MemoryStore, Store, SystemClock};
use throughline_trackers::local::Faults;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Ana requests, Mia approves, Bob has no role.
pub(crate) const ANA: &str = "U0ANA0001";
pub(crate) const MIA: &str = "U0MIA0001";
pub(crate) const BOB: &str = "U0BOB0001";
/// A channel.
pub(crate) const TEAM: &str = "C0TEAM001";
/// The mention of the app.
pub(crate) const TOOL: &str = "<@U0MAROBOT>";

pub(crate) struct World {
    pub(crate) slack: FakeSlack,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) address: SocketAddr,
    /// The adapter and the runtime that is being served, for deliveries beside the way that is configured.
    pub(crate) served: Option<(Arc<Adapter>, Arc<Runtime>)>,
    /// Faults of the tracker, which promises nothing about what is created twice.
    pub(crate) faults: Arc<Faults>,
    folder: TempDir,
    mode: &'static str,
    /// Settings of installations.
    install: String,
    /// Settings beside the file.
    flags: Vec<(&'static str, String)>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

const CONFIG: &str = r#"
tenant = "acme"
instance_key_file = "KEY"
[server]
listen = "127.0.0.1:0"
public_url = "https://bot.example.org"
rate_per_peer = 100000
[store]
url = "memory:"
[slack]
mode = "MODE"
bot_token_file = "BOT"
app_token_file = "APP"
signing_secret_file = "SECRET"
api_base = "BASE"
authorize_url = "AUTHORIZE"
INSTALL
allow_loopback = true
[[users]]
id = "ana"
slack = "U0ANA0001"
[[users]]
id = "mia"
name = "Mia"
slack = "U0MIA0001"
roles = ["pm", "approver"]
[[approvers]]
effects = ["tracker.*", "post.channel"]
targets = ["local:*", "slack:*"]
allow = ["role:pm", "slack-group:S0PMS0001"]
"#;

/// Requests a ticket that needs no further details.
pub(crate) fn ticket(about: &str) -> String {
    format!("{TOOL} create a ticket for {about}\nProblem: it is missing\nAcceptance criteria: it is there")
}

/// Returns a folder with the secrets of the fake's app.
pub(crate) fn secrets() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("bot", FakeSlack::BOT_TOKEN),
        ("app", FakeSlack::APP_TOKEN),
        ("secret", FakeSlack::SIGNING_SECRET),
        ("client", FakeSlack::CLIENT_SECRET),
    ] {
        std::fs::write(folder.path().join(name), format!("{text}\n")).expect("written");
    }
    folder
}

/// Reads a configuration whose secrets are in the folder, with these settings beside it.
pub(crate) fn configured(folder: &Path, text: &str, flags: &[(&str, String)]) -> Config {
    let path = |name: &str| folder.join(name).display().to_string();
    let text = text
        .replace("KEY", &path("key"))
        .replace("BOT", &path("bot"))
        .replace("APP", &path("app"))
        .replace("SECRET", &path("secret"));
    let file = folder.join("throughline.toml");
    std::fs::write(&file, text).expect("written");
    let sources = Sources { file: Some(file), ..Sources::default() };
    let sources = flags.iter().fold(sources, |all, (name, value)| all.flag(name, value, "--test"));
    Config::load(&sources).expect("the test's configuration is right")
}

/// Serves an instance until the sender is used or dropped.
pub(crate) async fn serve(instance: Instance) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let (ready, bound) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let told = |address| {
            let _ = ready.send(address);
        };
        let until = async { drop(stopped.await) };
        serve_instance(instance, told, until).await.expect("it ends well");
    });
    (bound.await.expect("it listens"), stop, task)
}

impl World {
    pub(crate) async fn over_sockets() -> Self {
        Self::new("socket", "", Vec::new()).await
    }

    /// Makes a world in which other workspaces may install the app: these, or all if there are none.
    pub(crate) async fn installable(workspaces: &str) -> Self {
        let install =
            format!("client_id = \"CLIENT\"\nclient_secret_file = \"FILE\"\nworkspaces = [{workspaces}]");
        Self::new("http", &install, Vec::new()).await
    }

    /// Makes a world in which progress is shown in messages, and a model is asked at that address.
    pub(crate) async fn streaming(model: &str) -> Self {
        let flags = [
            ("slack.stream", "on"),
            ("models.default.kind", "openai-chat"),
            ("models.default.base_url", model),
            ("models.default.model", "small-1"),
            ("models.default.allow_loopback", "true"),
        ];
        Self::new("socket", "", flags.map(|(name, value)| (name, value.to_owned())).to_vec()).await
    }

    /// Makes a world with a program beside Slack, whose token has that hash.
    pub(crate) async fn with_program(sha256: &str) -> Self {
        let token = format!(
            "[{{ id = \"program\", sha256 = \"{sha256}\", scopes = [\"events:write\", \"lanes:read\"], principal = \"ana\" }}]"
        );
        Self::new("socket", "", vec![("tokens", token)]).await
    }

    pub(crate) async fn over_http() -> Self {
        Self::new("http", "", Vec::new()).await
    }

    async fn new(mode: &'static str, install: &str, flags: Vec<(&'static str, String)>) -> Self {
        let slack = FakeSlack::start(system_clock()).await.expect("a port");
        for (id, name) in [(ANA, "Ana"), (MIA, "Mia P."), (BOB, "Bob")] {
            slack.person(id, name);
        }
        slack.channel(TEAM, "team", &[ANA, MIA, BOB]);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(SystemClock::default())));
        let folder = secrets();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let install = install.into();
        let mut world = Self {
            slack,
            store,
            address,
            served: None,
            faults: Arc::default(),
            folder,
            mode,
            install,
            flags,
            stop: None,
            task: None,
        };
        world.start().await;
        world
    }

    /// Serves the installation, over the store as it is.
    async fn start(&mut self) {
        let instance = open_tracking(self.config(), self.store.clone(), |tracker| {
            tracker.with_faults(self.faults.clone()).promising_nothing()
        })
        .await
        .expect("the instance opens");
        self.served = instance.slack.clone().map(|adapter| (adapter, instance.runtime.clone()));
        let (address, stop, task) = serve(instance).await;
        (self.address, self.stop, self.task) = (address, Some(stop), Some(task));
        if self.mode == "http" {
            self.slack.delivers_to(Endpoints::at(&self.url("")));
        } else {
            let slack = self.slack.clone();
            until("two sockets", || (slack.sockets().len() == 2).then_some(())).await;
        }
    }

    /// Stops the installation and starts another over the same store.
    pub(crate) async fn restart(&mut self) {
        drop(self.stop.take());
        if let Some(task) = self.task.take() {
            task.await.expect("it ends");
        }
        self.start().await;
    }

    pub(crate) fn config(&self) -> Config {
        let install = self.install.replace("CLIENT", FakeSlack::CLIENT);
        let text = CONFIG
            .replace("MODE", self.mode)
            .replace("AUTHORIZE", &format!("{}/oauth/v2/authorize", self.slack.url()))
            .replace(
                "INSTALL",
                &install.replace("FILE", &self.folder.path().join("client").display().to_string()),
            )
            .replace("BASE", self.slack.api().trim_end_matches('/'));
        configured(self.folder.path(), &text, &self.flags)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The lane of a thread.
    pub(crate) fn lane(&self, channel: &str, thread: &str) -> LaneKey {
        LaneKey::new("acme", FakeSlack::BOT_USER, "slack", channel, thread)
    }

    /// Returns the turns of a lane, oldest first.
    pub(crate) async fn turns(&self, lane: &LaneKey) -> Vec<Turn> {
        let turns = self.store.turns(lane, 0, 500).await.expect("the store answers");
        turns.iter().map(|turn| Turn::read(turn).expect("a turn of ours")).collect()
    }

    /// Returns the reasons of a lane's turns, without those on effects and timers.
    pub(crate) async fn reasons(&self, lane: &LaneKey) -> Vec<String> {
        let turns = self.turns(lane).await;
        let by_people =
            turns.iter().filter(|turn| !matches!(turn.row.event.as_str(), "effect.settled" | "timer.due"));
        by_people.map(|turn| turn.row.decision.reason.code().to_owned()).collect()
    }

    /// Waits until a lane has decided about so many events of people; returns the reasons.
    pub(crate) async fn decided(&self, lane: &LaneKey, count: usize) -> Vec<String> {
        for _ in 0..POLLS {
            let reasons = self.reasons(lane).await;
            if reasons.len() >= count {
                return reasons;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("{lane:?} decided only {:?}\n{:#?}", self.reasons(lane).await, self.slack.deliveries().last());
    }

    /// Returns the number of created issues.
    pub(crate) async fn issues(&self) -> usize {
        let documents =
            self.store.documents("acme", "tracker.issues.DEMO", None, 100).await.expect("the store answers");
        documents.len()
    }

    /// Waits for the card of a thread which has this button.
    pub(crate) async fn card(&self, channel: &str, thread: &str, label: &str) -> Message {
        until(&format!("a card with {label}"), || {
            let shown = self.slack.thread(channel, thread);
            shown.into_iter().rev().find(|message| message.labels().iter().any(|one| one == label))
        })
        .await
    }

    /// Waits until a message says this.
    pub(crate) async fn says(&self, channel: &str, ts: &str, what: &str) -> Message {
        until(what, || self.slack.message(channel, ts).filter(|message| message.block_text().contains(what)))
            .await
    }

    /// Waits for an ephemeral message that says this.
    pub(crate) async fn whispered(&self, user: &str, what: &str) -> Message {
        until(what, || self.slack.ephemerals(user).into_iter().find(|one| one.block_text().contains(what)))
            .await
    }

    /// Has Ana request a ticket at the channel's root; returns the thread and its card.
    pub(crate) async fn drafted(&self) -> (String, Message) {
        let ts = self.slack.says(TEAM, ANA, &ticket("a CSV export"));
        let card = self.card(TEAM, &ts, "Approve").await;
        (ts, card)
    }

    /// Checks that Slack has refused nothing so far.
    pub(crate) fn well(&self) {
        assert_eq!(self.slack.violations(), [""; 0]);
    }
}

const POLLS: usize = 2_000;
const POLL: Duration = Duration::from_millis(10);

/// Polls until there is a value.
pub(crate) async fn until<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    for _ in 0..POLLS {
        if let Some(found) = so() {
            return found;
        }
        tokio::time::sleep(POLL).await;
    }
    panic!("timed out waiting for {what}");
}
