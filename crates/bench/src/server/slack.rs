//! Slack beside the server under load: its Web API in this process, and what people write to the app there, signed.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::json;
use throughline_fakes::slack::{FakeSlack, sign};
use throughline_fakes::system_clock;
use tokio::runtime::Runtime;

use crate::frame::{executor, mixed};

/// A workspace whose people write to the app directly.
pub(crate) struct Slack {
    fake: FakeSlack,
    /// Each person, and the conversation with the app.
    people: Vec<(String, String)>,
    /// Events made so far: no two have the same id or time stamp.
    made: u64,
    /// Drives the Web API.
    _executor: Runtime,
}

/// An event, ready to be delivered.
pub(crate) struct Signed {
    /// The time of the signature, in seconds since 1970.
    pub(crate) seconds: String,
    pub(crate) signature: String,
    pub(crate) body: String,
}

impl Slack {
    pub(crate) fn start(people: usize) -> anyhow::Result<Self> {
        let executor = executor()?;
        let fake = executor.block_on(FakeSlack::start(system_clock())).context("cannot listen")?;
        let people = (0..people)
            .map(|n| {
                let person = format!("U0PERSON{n:04}");
                fake.person(&person, &format!("Person {n}"));
                let conversation = fake.dm(&person);
                (person, conversation)
            })
            .collect();
        Ok(Self { fake, people, made: 0, _executor: executor })
    }

    /// Returns the tables of a configuration with this workspace; the secrets are put into the folder.
    pub(crate) fn configured(&self, folder: &Path) -> anyhow::Result<String> {
        let (token, secret) = (folder.join("slack-bot"), folder.join("slack-secret"));
        std::fs::write(&token, FakeSlack::BOT_TOKEN)?;
        std::fs::write(&secret, FakeSlack::SIGNING_SECRET)?;
        Ok(format!(
            "\n[slack]\nmode = \"http\"\nbot_token_file = {token:?}\nsigning_secret_file = {secret:?}\n\
             api_base = \"{}/api\"\nallow_loopback = true\n",
            self.fake.url()
        ))
    }

    /// Returns messages of people with this text, turn and turn about, signed now: they can be delivered for five minutes.
    pub(crate) fn messages(&mut self, count: usize, text: &str) -> Vec<Signed> {
        let seconds = (system_clock()() / 1_000).to_string();
        let one = |n: u64| {
            let (person, conversation) = &self.people[n as usize % self.people.len()];
            let body = event(person, conversation, &seconds, n, text).to_string();
            let signature = sign(FakeSlack::SIGNING_SECRET, &seconds, &body);
            Signed { seconds: seconds.clone(), signature, body }
        };
        let signed = (self.made..self.made + count as u64).map(one).collect();
        self.made += count as u64;
        signed
    }

    /// Returns the number of replies that were posted. Fails if the server did anything that Slack forbids.
    pub(crate) fn posted(&self) -> anyhow::Result<usize> {
        let wrong = self.fake.violations();
        ensure!(wrong.is_empty(), "Slack would not take that: {:?}", &wrong[..wrong.len().min(5)]);
        Ok(self.fake.calls_of("chat.postMessage").len())
    }
}

/// A person's direct message as Slack delivers it. Like Slack's, the ids are in no order.
fn event(person: &str, conversation: &str, seconds: &str, n: u64, text: &str) -> serde_json::Value {
    let ts = format!("{}.{:06}", seconds.parse::<u64>().unwrap_or_default() + n / 1_000_000, n % 1_000_000);
    let id = format!("Ev{:016X}", mixed(n));
    let team = FakeSlack::TEAM;
    json!({
        "token": "verification-token", "team_id": team, "context_team_id": team, "context_enterprise_id": null,
        "api_app_id": FakeSlack::APP, "type": "event_callback", "event_id": id, "event_time": seconds.parse::<u64>().unwrap_or_default(), "is_ext_shared_channel": false,
        "authorizations": [{"enterprise_id": null, "team_id": team, "user_id": FakeSlack::BOT_USER, "is_bot": true,
            "is_enterprise_install": false}],
        "event_context": format!("4-{id}"),
        "event": {"type": "message", "user": person, "ts": ts, "client_msg_id": format!("{:032x}", mixed(n)), "text": text,
            "team": team, "channel": conversation, "event_ts": ts, "channel_type": "im"},
    })
}
