//! The sending half alone: what a delivery sends and logs, without a server.

use std::io::Write;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use throughline_channels::slack::{App, Client, NoWorkspace, Slack, Workspace, Workspaces};
use throughline_channels::{Channel as _, Sending};
use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::{CardModel, Field};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{LaneKey, Language, Timestamp};
use throughline_fakes::slack::{FakeSlack, Fault};
use throughline_fakes::system_clock;
use throughline_net::Key;

use crate::world::{ANA, TEAM};

/// One workspace or none, in which everybody is known by their member id.
struct One(Result<Workspace, NoWorkspace>);

#[async_trait]
impl Workspaces for One {
    fn workspace(&self, _: &LaneKey) -> Result<Workspace, NoWorkspace> {
        self.0.clone()
    }

    async fn user(&self, _: &LaneKey, person: &str) -> Option<String> {
        Some(person.to_owned())
    }
}

/// Log output.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn card() -> EffectBody {
    let card = CardModel {
        id: "ap_1".into(),
        step: CardStep::DraftPreview,
        version: 1,
        hash: Some("86a606e5".into()),
        title: "Create 1 bug in DEMO?".into(),
        facts: Vec::new(),
        fields: vec![Field::new("description", "Description", "A long text. ".repeat(300))],
        items: Vec::new(),
        errors: Vec::new(),
        buttons: Vec::new(),
        link: None,
    };
    EffectBody::CardPost { message: "m_1".into(), card }
}

#[tokio::test]
async fn a_refused_card_is_posted_smaller_and_logged() {
    let slack = FakeSlack::start(system_clock()).await.unwrap();
    slack.person(ANA, "Ana");
    slack.channel(TEAM, "team", &[ANA]);
    let app = App { user: FakeSlack::BOT_USER.into(), team: FakeSlack::TEAM.into(), ..App::default() };
    let token = Key::parse(FakeSlack::BOT_TOKEN).unwrap();
    let workspace = Workspace { tenant: "acme".into(), app, token, url: "https://threads.slack.com/".into() };
    let client = Client::new(slack.api().trim_end_matches('/'), true).unwrap();
    let channel = Slack::new(client, Arc::new(One(Ok(workspace))), Language::En, None);
    let lane = LaneKey::new("acme", FakeSlack::BOT_USER, "slack", TEAM, "");
    let body = card();
    let sending = Sending {
        lane: &lane,
        effect: "fx_1",
        body: &body,
        sent: &[],
        answers: None,
        by: None,
        person: None,
        question: false,
        now: Timestamp(0),
    };
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let logging = tracing::subscriber::set_default(subscriber);
    slack.fail_next("chat.postMessage", None, Fault::Refuse("msg_blocks_too_long".into()));
    let Attempt::Applied(posted) = channel.deliver(sending.clone()).await else { panic!("not posted") };
    drop(logging);
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("TL-3303"), "{log}");
    let [message] = slack.bot_messages(TEAM).try_into().expect("one message");
    assert_eq!(posted.id, Some(format!("{TEAM}:{}", message.ts)));
    assert!(message.labels().contains(&"Show all".to_owned()), "{message:#?}");
    let link = format!("https://threads.slack.com/archives/{TEAM}/p{}", message.ts.replace('.', ""));
    assert_eq!(channel.link_to(&lane, &posted.id.unwrap()), Some(link));
}

/// Replies that wait when a process starts again are not given up because Slack has not been asked yet.
#[tokio::test]
async fn nothing_is_given_up_before_the_workspace_is_known() {
    let client = || Client::new("http://127.0.0.1:9/api", true).unwrap();
    let lane = LaneKey::new("acme", FakeSlack::BOT_USER, "slack", TEAM, "");
    let body = card();
    let sending = Sending {
        lane: &lane,
        effect: "fx_1",
        body: &body,
        sent: &[],
        answers: None,
        by: None,
        person: None,
        question: false,
        now: Timestamp(0),
    };
    let attempt = async |none| {
        Slack::new(client(), Arc::new(One(Err(none))), Language::En, None).deliver(sending.clone()).await
    };
    assert!(matches!(attempt(NoWorkspace::NotKnownYet).await, Attempt::NotApplied { .. }));
    assert!(matches!(attempt(NoWorkspace::NotInstalled).await, Attempt::Rejected { .. }));
}
