//! A Slack of others: `emulate`, which signs and delivers events and answers the Web API, with our server as its app. What
//! it delivers has fewer fields than Slack's, and it knows nothing of our fake.
//!
//! It comes from npm: `cargo xtask peers` installs it outside of the repository and runs this test.

use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use throughline_fakes::slack::{FakeSlack, sign};
use throughline_server::open_with;
use throughline_store::{Clock as _, MemoryStore, Store, SystemClock};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};

use crate::world::{TOOL, configured, secrets, serve, until};

const CONFIG: &str = r#"
tenant = "acme"
instance_key_file = "KEY"
[server]
listen = "127.0.0.1:0"
[store]
url = "memory:"
[slack]
mode = "http"
bot_token_file = "BOT"
signing_secret_file = "SECRET"
api_base = "BASE"
allow_loopback = true
[[users]]
id = "mia"
name = "Mia"
slack = "MEMBER"
roles = ["pm"]
[[approvers]]
effects = ["tracker.*"]
targets = ["local:*"]
allow = ["role:pm"]
"#;

/// The emulator; it ends with its input.
struct Emulator {
    _process: Child,
    input: ChildStdin,
    url: String,
    /// Ids of a person who asks, of one who approves, and of a channel.
    ana: String,
    mia: String,
    channel: String,
    /// Deliveries and calls with what was answered.
    journal: Arc<Mutex<Vec<Value>>>,
    /// Presses so far: no two are the same interaction.
    presses: AtomicU32,
}

impl Emulator {
    async fn start() -> Self {
        let package =
            std::env::var("THROUGHLINE_EMULATE").expect("THROUGHLINE_EMULATE names a package.json of it");
        let script = format!("{}/tests/slack/emulator.mjs", env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new("node")
            .args([&script, &package, FakeSlack::BOT_TOKEN, FakeSlack::SIGNING_SECRET, FakeSlack::BOT_USER])
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node runs");
        let (input, output) = (process.stdin.take().expect("piped"), process.stdout.take().expect("piped"));
        let mut lines = BufReader::new(output).lines();
        let first = lines.next_line().await.expect("readable").expect("it says where it listens");
        let told: Value = serde_json::from_str(&first).expect("JSON");
        let text = |name: &str| told[name].as_str().expect(name).to_owned();
        let (url, ana, mia, channel) = (text("url"), text("ana"), text("mia"), text("channel"));
        let journal: Arc<Mutex<Vec<Value>>> = Arc::default();
        let seen = journal.clone();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                seen.lock().unwrap().push(serde_json::from_str(&line).expect("JSON"));
            }
        });
        Self { _process: process, input, url, ana, mia, channel, journal, presses: AtomicU32::new(1) }
    }

    async fn delivers_to(&mut self, url: &str) {
        self.input.write_all(format!("{url}\n").as_bytes()).await.expect("it reads");
    }

    /// Calls a method of the Web API with a token.
    async fn call(&self, token: &'static str, method: &str, body: Value) -> Value {
        let url = format!("{}/api/{method}", self.url);
        let headers = vec![("authorization", format!("Bearer {token}"))];
        let (status, text) = post(url, "application/json", headers, body.to_string()).await;
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert!(status == 200 && answer["ok"] == true, "{method}: {status} {text}");
        answer
    }

    /// Has Ana write, in a thread or at the channel's root. Returns the time stamp.
    async fn says(&self, thread: Option<&str>, text: &str) -> String {
        let mut body = json!({"channel": self.channel, "text": text});
        if let Some(thread) = thread {
            body["thread_ts"] = json!(thread);
        }
        let answer = self.call("xoxp-ana", "chat.postMessage", body).await;
        answer["ts"].as_str().expect("a time stamp").to_owned()
    }

    /// Returns the messages of a thread, its root first.
    async fn replies(&self, thread: &str) -> Vec<Value> {
        let body = json!({"channel": self.channel, "ts": thread});
        let answer = self.call("xoxp-ana", "conversations.replies", body).await;
        answer["messages"].as_array().expect("a list").clone()
    }

    /// Waits for a message of the app in a thread, for which this is true.
    async fn shows(&self, thread: &str, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..1_000 {
            let replies = self.replies(thread).await;
            let ours = replies.into_iter().filter(|one| one["user"] == FakeSlack::BOT_USER);
            if let Some(found) = ours.into_iter().find(&so) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let journal = self.journal.lock().unwrap().clone();
        panic!("no message with {what}: {:#?}\n{journal:#?}", self.replies(thread).await);
    }
}

/// Posts with a blocking client in a thread of its own; returns status and body.
async fn post(
    url: String,
    kind: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
) -> (u16, String) {
    let posting = tokio::task::spawn_blocking(move || {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let agent = ureq::Agent::new_with_config(config);
        let request = agent.post(&url).header("content-type", kind);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let mut answer = request.send(body).expect("an answer");
        (answer.status().as_u16(), answer.body_mut().read_to_string().expect("a text"))
    });
    posting.await.expect("it does not panic")
}

/// Returns the button of a message with this label.
fn button(message: &Value, label: &str) -> Option<Value> {
    let blocks = message["blocks"].as_array().into_iter().flatten();
    let elements = blocks.filter_map(|block| {
        let mut elements = block["elements"].as_array()?.iter();
        let found = elements.find(|one| one["text"]["text"] == label)?.clone();
        let mut action = json!({"block_id": block["block_id"], "action_ts": "1700000000.000100"});
        for name in ["action_id", "type", "text", "value", "style"] {
            action[name] = found[name].clone();
        }
        Some(action)
    });
    elements.into_iter().next()
}

impl Emulator {
    /// Presses a button as Slack would deliver it: the emulator has no interactions.
    async fn presses(&self, server: &str, member: &str, message: &Value, label: &str) {
        let action = button(message, label).expect("the button");
        let trigger = format!("{}.1.2", self.presses.fetch_add(1, Ordering::Relaxed));
        let (ts, channel) = (&message["ts"], &self.channel);
        let payload = json!({
            "type": "block_actions", "team": {"id": "T000000001", "domain": "emulate"},
            "user": {"id": member, "team_id": "T000000001"}, "api_app_id": "A0MARO001", "trigger_id": trigger,
            "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": false,
                "thread_ts": message["thread_ts"]},
            "channel": {"id": channel, "name": "team"}, "message": message, "state": {"values": {}},
            "response_url": format!("{}/none", self.url), "actions": [action],
        });
        let mut form = form_urlencoded::Serializer::new(String::new());
        let body = form.append_pair("payload", &payload.to_string()).finish();
        let seconds = (SystemClock::default().now().0 / 1_000).to_string();
        let signature = sign(FakeSlack::SIGNING_SECRET, &seconds, &body);
        let headers = vec![("x-slack-request-timestamp", seconds), ("x-slack-signature", signature)];
        let url = format!("{server}/slack/interactions");
        let (status, text) = post(url, "application/x-www-form-urlencoded", headers, body).await;
        assert_eq!(status, 200, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs emulate, from npm: cargo xtask peers"]
async fn a_ticket_is_requested_filled_and_approved_in_a_slack_of_others() {
    let mut slack = Emulator::start().await;
    let folder = secrets();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(SystemClock::default())));
    let text = CONFIG.replace("BASE", &format!("{}/api", slack.url)).replace("MEMBER", &slack.mia);
    let instance =
        open_with(configured(folder.path(), &text, &[]), store.clone()).await.expect("the instance opens");
    let (address, stop, task) = serve(instance).await;
    let server = format!("http://{address}");
    slack.delivers_to(&format!("{server}/slack/events")).await;

    slack.says(None, "nobody is asked here").await;
    let thread = slack.says(None, &format!("{TOOL} create a ticket for a CSV export")).await;
    let card = slack.shows(&thread, "gaps", |one| one.to_string().contains("roblem")).await;
    assert_eq!(card["thread_ts"], thread.as_str(), "it is in the thread");
    slack.says(Some(&thread), "Problem: it is missing\nAcceptance criteria: it is there").await;
    let said = |one: &Value| one["ts"] == card["ts"] && one.to_string().contains("it is missing");
    let filled = slack.shows(&thread, "Approve", |one| said(one) && button(one, "Approve").is_some()).await;
    slack.presses(&server, &slack.ana, &filled, "Approve").await;
    slack.presses(&server, &slack.mia, &filled, "Approve").await;
    let receipt = slack.shows(&thread, "DEMO-1", |one| one.to_string().contains("DEMO-1")).await;
    assert_eq!((&receipt["ts"], button(&receipt, "Approve")), (&card["ts"], None), "the card became it");
    slack.presses(&server, &slack.mia, &filled, "Approve").await;
    let calls = |name: &str| {
        let journal = slack.journal.lock().unwrap();
        journal.iter().filter(|one| one["call"] == format!("/api/{name}")).count()
    };
    until("an answer to who may not, and to who pressed again", || {
        (calls("chat.postEphemeral") == 2).then_some(())
    })
    .await;

    drop(stop);
    task.await.expect("it ends");
    let documents =
        store.documents("acme", "tracker.issues.DEMO", None, 100).await.expect("the store answers");
    assert_eq!(documents.len(), 1, "one issue");
    let replies = slack.replies(&thread).await;
    assert_eq!(replies.len(), 4, "the request, the card, a question, the answer: {replies:#?}");
    let journal = slack.journal.lock().unwrap().clone();
    let refused: Vec<&Value> =
        journal.iter().filter(|one| one["status"] != 200 || one["error"].is_string()).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(calls("chat.update") > 0 && calls("users.info") > 0, "{journal:#?}");
}
