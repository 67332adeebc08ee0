//! Slack while the process is killed: mentions and presses come over signed HTTP, what was not taken comes again, and in the
//! end everything is delivered once more. One issue for each approved draft, every press answered, the card true.
//!
//! As with a batch, a first run without kills records the fail points that are passed, and each makes further runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use throughline_fakes::slack::{Button, Delivery, DeliveryId, Endpoints, FakeSlack, Message, Progress, Sort};
use throughline_fakes::system_clock;
use tokio::runtime::Runtime;

use crate::batch::{LAST, kill_at_each, read};
use crate::client::Client;
use crate::script::Transcript;
use crate::server::{FAILPOINT, Server, Variable};
use crate::{invariants, passes_per_point};

/// The one who asks, and the two who approve.
const CAT: &str = "U0CAT0001";
const APPROVERS: [(&str, &str); 2] = [("U0ANA0001", "ana"), ("U0BOB0001", "bob")];
const TEAM: &str = "C0TEAM001";
/// Threads of a run.
const THREADS: usize = 2;
/// The waits before an event is sent again, in milliseconds. Slack's are longer, and so is the life of a process there.
const RETRIES: [i64; 3] = [300, 3_000, 30_000];
/// The longest time until everything that was taken has its turn.
const PATIENCE: Duration = Duration::from_secs(60);

const CONFIG: &str = r#"
[slack]
mode = "http"
bot_token_file = "FOLDER/bot"
signing_secret_file = "FOLDER/secret"
api_base = "BASE"
allow_loopback = true
[[users]]
id = "ana"
slack = "U0ANA0001"
roles = ["approver"]
[[users]]
id = "bob"
slack = "U0BOB0001"
roles = ["approver"]
"#;

/// The fail points that a ticket in Slack must pass. Without one of them, the runs would not cover it.
const PASSED: [&str; 21] = [
    "s0.bytes_in/",
    "s1.verified/",
    "s2.inbox_committed/message.posted",
    "s2.inbox_committed/card.pressed",
    "s3.acked/",
    "s4.lane_claimed/",
    "s7.turn_committed/message.posted",
    "s7.turn_committed/card.pressed",
    "s7.turn_committed/effect.settled",
    "s9.attempt_marked/card.post",
    "s10.bytes_on_wire/card.post",
    "s11.vendor_applied/card.post",
    "s12.reply_read/card.post",
    "s13.result_committed/card.post",
    "s9.attempt_marked/card.update",
    "s11.vendor_applied/card.update",
    "s9.attempt_marked/notice",
    "s11.vendor_applied/notice",
    "s9.attempt_marked/tracker.create",
    "s11.vendor_applied/tracker.create",
    "s13.result_committed/tracker.create",
];

/// A workspace, and the settings of the server that is its app.
struct Workspace {
    slack: FakeSlack,
    /// Drives the fake.
    _executor: Runtime,
    folder: TempDir,
}

/// A thread with a ticket.
struct Thread {
    ts: String,
    title: String,
}

impl Workspace {
    fn new() -> Self {
        let executor =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let slack = executor.block_on(FakeSlack::start(system_clock())).unwrap();
        slack.person(CAT, "Cat");
        for (id, name) in APPROVERS {
            slack.person(id, name);
        }
        slack.channel(TEAM, "team", &[CAT, APPROVERS[0].0, APPROVERS[1].0]);
        slack.delivers_at_once(true);
        slack.retries_after(RETRIES);
        // Many servers start at once here.
        slack.waits(20_000);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bot"), FakeSlack::BOT_TOKEN).unwrap();
        std::fs::write(folder.path().join("secret"), FakeSlack::SIGNING_SECRET).unwrap();
        let text = CONFIG.replace("FOLDER", &folder.path().display().to_string());
        let text = text.replace("BASE", slack.api().trim_end_matches('/'));
        std::fs::write(folder.path().join("slack.toml"), text).unwrap();
        Self { slack, _executor: executor, folder }
    }

    fn settings(&self) -> Variable {
        ("THROUGHLINE_CONFIG", self.folder.path().join("slack.toml").display().to_string())
    }

    /// Requests a ticket in each thread, has both approve it at the same moment, and delivers everything once more.
    fn play(&self, server: &Server, client: &Client) -> Vec<Thread> {
        self.slack.delivers_to(Endpoints::at(server.url()));
        let threads: Vec<Thread> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || self.ticket(client, n))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        client.wait_until_settled();
        for delivery in self.slack.deliveries() {
            self.slack.repeats(delivery.id);
        }
        client.until("an end of all deliveries", || {
            let under_way = |one: &Delivery| matches!(one.progress, Progress::Waiting | Progress::Sent);
            (!self.slack.deliveries().iter().any(under_way)).then_some(())
        });
        threads
    }

    fn ticket(&self, client: &Client, n: usize) -> Thread {
        let title = format!("Page {n} is empty");
        let text = format!(
            "{} create a bug: {title}\nSteps: open it\nExpected: a list\nActual: nothing",
            FakeSlack::MENTION
        );
        let ts = self.slack.says(TEAM, CAT, &text);
        let thread = Thread { ts, title };
        let card = client.until("a card", || {
            self.messages(&thread).into_iter().rev().find(|message| message.button("Approve").is_some())
        });
        let approve = card.button("Approve").unwrap();
        self.press(client, &APPROVERS.map(|(user, _)| user), &card, &approve);
        client.until("a receipt", || self.messages(&thread).into_iter().find(is_receipt));
        thread
    }

    /// Has people press a button at the same moment, until each press is taken. Slack does not send a press again: who
    /// is told that it failed makes another, once the server is there.
    fn press(&self, client: &Client, users: &[&str], card: &Message, button: &Button) {
        let press = |user: &str| self.slack.presses_button(TEAM, user, &card.ts, button);
        let mut presses: Vec<(&str, DeliveryId)> = users.iter().map(|user| (*user, press(user))).collect();
        let progress = |id: &DeliveryId| self.slack.delivery(*id).progress;
        client.until("presses that are taken", || {
            for (user, last) in &mut presses {
                if progress(last) == Progress::Failed {
                    client.wait_until_ready();
                    *last = press(user);
                }
            }
            presses.iter().all(|(_, last)| progress(last) == Progress::Acked).then_some(())
        });
    }

    /// Returns how many messages only this person sees in a thread.
    fn told(&self, thread: &Thread, user: &str) -> usize {
        let of = |message: &&Message| message.thread.as_deref() == Some(thread.ts.as_str());
        self.slack.ephemerals(user).iter().filter(of).count()
    }

    /// Returns the app's messages in a thread.
    fn messages(&self, thread: &Thread) -> Vec<Message> {
        let mut shown = self.slack.thread(TEAM, &thread.ts);
        shown.retain(|message| message.bot.is_some());
        shown
    }

    /// Checks that everything Slack delivered was taken, and that nothing was done that Slack forbids.
    fn taken(&self) -> Vec<String> {
        let failed = |one: &Delivery| one.sort == Sort::Event && one.progress == Progress::Failed;
        let failed = self.slack.deliveries().into_iter().filter(failed);
        let mut wrong: Vec<String> = failed.map(|one| format!("never taken: {one:?}")).collect();
        wrong.extend(self.slack.violations());
        wrong
    }

    /// Checks that a thread shows what came of it, and that both who pressed were answered.
    fn shows(&self, thread: &Thread) -> Vec<String> {
        let messages = self.messages(thread);
        let said: Vec<String> = messages.iter().map(Message::block_text).collect();
        let mut wrong = Vec::new();
        if messages.iter().filter(|message| is_receipt(message)).count() != 1 {
            wrong.push(format!("not one receipt of {}: {said:#?}", thread.title));
        }
        // A card whose post nobody knows of is looked for, not posted once more.
        let open = messages.iter().filter(|message| !message.labels().is_empty()).count();
        if open > 0 {
            wrong.push(format!("{open} cards are open in {}: {said:#?}", thread.title));
        }
        let named = |user: &str| {
            let mention = format!("@{user}");
            messages.iter().filter(|message| is_receipt(message)).any(|one| one.mentions().contains(&mention))
        };
        let silent = APPROVERS.iter().filter(|(user, _)| self.told(thread, user) == 0 && !named(user));
        wrong.extend(silent.map(|(_, name)| format!("{name} got no answer in {}: {said:#?}", thread.title)));
        wrong
    }

    /// Checks that no delivery is lost or handled twice: in the end there is a turn for each message, and for each press that
    /// was taken.
    fn turns(&self, client: &Client) -> Vec<String> {
        let started = Instant::now();
        loop {
            let wrong = self.turns_now(client);
            if wrong.is_empty() || started.elapsed() > PATIENCE {
                return wrong;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn turns_now(&self, client: &Client) -> Vec<String> {
        let lanes = client.list("/v1/lanes?limit=200");
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for lane in &lanes {
            let turns = client
                .list(&format!("/v1/lanes/{}/turns?limit=200", lane["id"].as_str().unwrap_or_default()));
            for turn in &turns {
                *counts.entry(turn["event"].as_str().unwrap_or_default().into()).or_default() += 1;
                if turn["reason"] == "press.applied" {
                    *counts.entry("applied".into()).or_default() += 1;
                }
            }
        }
        let count = |kind: &str| counts.get(kind).copied().unwrap_or_default();
        let of = |progress: Option<Progress>| {
            let presses = self.slack.deliveries().into_iter().filter(|one| one.sort == Sort::Interaction);
            let presses = presses.filter(|one| progress.is_none_or(|progress| one.progress == progress));
            let ids: BTreeSet<String> = presses.map(|one| one.payload["trigger_id"].to_string()).collect();
            ids.len()
        };
        let (least, most) = (of(Some(Progress::Acked)), of(None));
        let mut wrong = Vec::new();
        if count("message.posted") != THREADS || count("applied") != THREADS {
            wrong.push(format!("{THREADS} requests and approvals made {counts:?}"));
        }
        if !(least..=most).contains(&count("card.pressed")) {
            wrong.push(format!("{least} presses were taken, of {most}, and made {counts:?}"));
        }
        wrong
    }
}

fn is_receipt(message: &Message) -> bool {
    message.block_text().contains("DEMO-")
}

#[test]
fn a_ticket_in_slack_killed_at_every_step_is_one_issue_and_every_press_is_answered() {
    let passed = trail();
    let gone: Vec<&str> = PASSED.into_iter().filter(|point| !passed.contains_key(*point)).collect();
    assert!(gone.is_empty(), "a ticket in Slack does not pass {gone:?}; it passes {passed:#?}");
    let alive = kill_at_each(&passed, passes_per_point(1), |at| run(&[(FAILPOINT, at.to_owned())]));
    // The order of two presses, and how often a message is changed, differ from run to run; the first time does not.
    let never: Vec<&String> =
        alive.iter().filter(|at| at.ends_with(":1") && !at.starts_with("s5.")).collect();
    assert!(never.is_empty(), "never died at {never:?}, which the first run passed");
}

/// Runs without kills. Returns the fail points that are passed, with their counts.
fn trail() -> BTreeMap<String, u32> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trail");
    let (wrong, _) = run(&[("THROUGHLINE_FAILPOINT_TRAIL", file.display().to_string())]);
    assert_eq!(wrong, [""; 0]);
    let mut passed = read(&file);
    passed.remove(LAST);
    passed
}

/// Runs with these variables of the first process. Returns the violations, and true if that process died.
fn run(first: &[Variable]) -> (Vec<String>, bool) {
    let workspace = Workspace::new();
    let server = Server::start(first, &[workspace.settings()]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let threads = workspace.play(&server, &client);
    let mut wrong = workspace.taken();
    wrong.extend(threads.iter().flat_map(|thread| workspace.shows(thread)));
    wrong.extend(workspace.turns(&client));
    client.wait_until_settled();
    let lanes = client.list("/v1/lanes?limit=200");
    wrong.extend(invariants::effects(&client, &[]));
    let sent: Vec<Transcript> = lanes
        .iter()
        .map(|lane| Transcript {
            lane: lane["id"].as_str().unwrap_or_default().into(),
            ..Transcript::default()
        })
        .collect();
    let approved = threads.into_iter().map(|thread| thread.title).collect();
    wrong.extend(invariants::issues(&client, &[Transcript { approved, ..Transcript::default() }]));
    let died = server.died();
    let data = server.stop();
    wrong.extend(invariants::store(data.path(), &sent));
    (wrong, died)
}
