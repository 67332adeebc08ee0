//! The sending half alone: what a delivery sends and logs, without a server.

use std::io::Write;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use throughline_channels::slack::{App, Client, NoWorkspace, Slack, Workspace, Workspaces};
use throughline_channels::{Channel as _, Delivered, Sending, Unsure};
use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::{CardModel, Field};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{LaneKey, Language, Timestamp};
use throughline_fakes::slack::{FakeSlack, Fault};
use throughline_fakes::{Clock, system_clock};
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
        request: None,
        outline: Default::default(),
    };
    EffectBody::CardPost { message: "m_1".into(), card }
}

/// A workspace with a channel, and the sending half that writes to it.
pub(crate) async fn sending_half(clock: Clock) -> (FakeSlack, Slack) {
    let slack = FakeSlack::start(clock).await.unwrap();
    slack.person(ANA, "Ana");
    slack.channel(TEAM, "team", &[ANA]);
    let channel = sender(&slack);
    (slack, channel)
}

/// Another process's sending half.
pub(crate) fn sender(slack: &FakeSlack) -> Slack {
    let app = App { user: FakeSlack::BOT_USER.into(), team: FakeSlack::TEAM.into(), ..App::default() };
    let token = Key::parse(FakeSlack::BOT_TOKEN).unwrap();
    let workspace = Workspace { tenant: "acme".into(), app, token, url: "https://threads.slack.com/".into() };
    let client = Client::new(slack.api().trim_end_matches('/'), true).unwrap();
    Slack::new(client, Arc::new(One(Ok(workspace))), Language::En, None)
}

pub(crate) fn sending<'a>(lane: &'a LaneKey, body: &'a EffectBody) -> Sending<'a> {
    Sending {
        lane,
        effect: "fx_1",
        body,
        sent: &[],
        answers: None,
        by: None,
        person: None,
        question: false,
        unsure: None,
        now: Timestamp(0),
    }
}

/// The root lane of the channel.
fn root() -> LaneKey {
    LaneKey::new("acme", FakeSlack::BOT_USER, "slack", TEAM, "")
}

#[tokio::test]
async fn a_refused_card_is_posted_smaller_and_logged() {
    let (slack, channel) = sending_half(system_clock()).await;
    let (lane, body) = (root(), card());
    let sending = sending(&lane, &body);
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
    let (lane, body) = (root(), card());
    let sending = sending(&lane, &body);
    let attempt = async |none| {
        Slack::new(client(), Arc::new(One(Err(none))), Language::En, None).deliver(sending.clone()).await
    };
    assert!(matches!(attempt(NoWorkspace::NotKnownYet).await, Attempt::NotApplied { .. }));
    assert!(matches!(attempt(NoWorkspace::NotInstalled).await, Attempt::Rejected { .. }));
}

/// Parts have one effect, and each is found by its number.
#[tokio::test]
async fn a_part_that_is_out_already_is_found_and_no_other_is() {
    let (slack, channel) = sending_half(system_clock()).await;
    let lane = root();
    let text = "A line of a long answer. ".repeat(700);
    let body = EffectBody::Reply { message: "m_1".into(), text, offers: Vec::new() };
    let unsure = Some(Unsure { since: Timestamp(0), resend: true });
    let part = async |sent: &[String], unsure| match channel
        .deliver(Sending { sent, unsure, ..sending(&lane, &body) })
        .await
    {
        Attempt::Applied(Delivered { id: Some(id), .. }) => id,
        other => panic!("{other:?}"),
    };
    let first = part(&[], None).await;
    assert_eq!(part(&[], unsure).await, first, "it is there");
    let sent = [first.clone()];
    let second = part(&sent, unsure).await;
    assert_ne!(second, first, "another part is not it");
    assert_eq!(part(&sent, unsure).await, second);
    assert_eq!(slack.bot_messages(TEAM).len(), 2);
    let looks = slack.calls_of("conversations.history");
    assert_eq!(looks.len(), 3);
    assert!(looks.iter().all(|call| call.body["include_all_metadata"] == "true"), "{looks:#?}");
    assert_eq!(slack.violations(), [""; 0]);
}

/// A busy channel is read page by page, and not forever.
#[tokio::test]
async fn pages_are_read_as_far_as_they_are_worth_it() {
    let (slack, channel) = sending_half(system_clock()).await;
    let (lane, body) = (root(), card());
    let posted = channel.deliver(sending(&lane, &body)).await;
    let looked = async |resend| {
        let unsure = Some(Unsure { since: Timestamp(0), resend });
        channel.deliver(Sending { unsure, ..sending(&lane, &body) }).await
    };
    for _ in 0..250 {
        slack.says(TEAM, ANA, "meanwhile");
    }
    assert_eq!(looked(false).await, posted, "on the second page");
    assert_eq!(slack.calls_of("conversations.history").len(), 2);
    for _ in 0..800 {
        slack.says(TEAM, ANA, "meanwhile");
    }
    assert!(matches!(looked(false).await, Attempt::Unknown { .. }), "nobody can say");
    assert_eq!(slack.calls_of("conversations.history").len(), 2 + 5);
    assert_eq!(slack.bot_messages(TEAM).len(), 1);
    slack.fail_next("conversations.history", None, Fault::TooMany(0));
    assert!(matches!(looked(true).await, Attempt::NotApplied { .. }), "the first page can be waited for");
    assert_eq!(slack.bot_messages(TEAM).len(), 1);
}
