//! Progress in a message: it lists what is done, becomes the answer, and is never a second message.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use throughline_channels::slack::{STREAM_GRACE, Slack, StreamRecord, StreamRecords};
use throughline_channels::{Channel as _, Delivered, Does, Sending, Unsure, Working};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{LaneKey, Timestamp};
use throughline_fakes::slack::{FakeSlack, Fault, Message};
use tokio::task::JoinHandle;

use crate::channel::{sender, sending, sending_half};
use crate::read_back::WITHOUT_HISTORY;
use crate::world::{ANA, TEAM, TOOL, World, until};

/// Records in memory.
#[derive(Default)]
struct Records(Mutex<HashMap<LaneKey, StreamRecord>>);

impl Records {
    fn all(&self) -> Vec<StreamRecord> {
        self.0.lock().unwrap().values().cloned().collect()
    }
}

#[async_trait]
impl StreamRecords for Records {
    async fn keep(&self, record: &StreamRecord) {
        self.0.lock().unwrap().insert(record.lane.clone(), record.clone());
    }

    async fn forget(&self, lane: &LaneKey) {
        self.0.lock().unwrap().remove(lane);
    }
}

/// A thread at Slack and a sending half that shows progress in it.
struct Thread {
    slack: FakeSlack,
    channel: Arc<Slack>,
    records: Arc<Records>,
    time: Arc<AtomicI64>,
    lane: LaneKey,
}

impl Thread {
    async fn new() -> Self {
        Self::with(STREAM_GRACE).await
    }

    /// Makes a thread in which an answer has this time to follow.
    async fn with(grace: Duration) -> Self {
        let time = Arc::new(AtomicI64::new(1_700_000_000_000));
        let clock = time.clone();
        let (slack, channel) = sending_half(Arc::new(move || clock.load(Ordering::SeqCst))).await;
        let records = Arc::new(Records::default());
        let root = slack.says(TEAM, ANA, "what is this about?");
        let lane = LaneKey::new("acme", FakeSlack::BOT_USER, "slack", TEAM, &root);
        Self { slack, channel: Arc::new(channel.streaming(records.clone(), grace)), records, time, lane }
    }

    /// Begins a work that goes on until its handle is aborted.
    fn works(&self, effect: &'static str, does: Does<'static>) -> JoinHandle<()> {
        let (channel, lane) = (self.channel.clone(), self.lane.clone());
        tokio::spawn(async move {
            let now = Timestamp(1_700_000_000_000);
            channel.working(Working { lane: &lane, effect, does, by: Some(ANA), now }).await;
        })
    }

    /// Ends a work.
    async fn ends(&self, work: JoinHandle<()>) {
        work.abort();
        let _ = work.await;
    }

    /// The app's messages in the thread.
    fn ours(&self) -> Vec<Message> {
        let all = self.slack.thread(TEAM, &self.lane.thread);
        all.into_iter().filter(|one| one.bot.is_some()).collect()
    }

    /// Waits for a message that shows so many tasks.
    async fn shows(&self, tasks: usize) -> Message {
        until("progress", || self.ours().into_iter().find(|one| one.tasks.len() == tasks)).await
    }

    async fn says(&self, text: &str, unsure: Option<Unsure>) -> Attempt<Delivered> {
        let body = EffectBody::Reply { message: "m_1".into(), text: text.into(), offers: Vec::new() };
        self.channel.deliver(Sending { unsure, ..sending(&self.lane, &body) }).await
    }

    /// Starts another process over the same records.
    fn restarts(&mut self) {
        self.channel = Arc::new(sender(&self.slack).streaming(self.records.clone(), STREAM_GRACE));
        self.channel.resume_streams(self.records.all());
    }

    /// Checks that the thread has one message of ours: that one, with this text.
    fn has_only(&self, progress: &Message, text: &str) {
        let [answer] = self.ours().try_into().expect("one message");
        assert_eq!((&answer.ts, answer.streaming), (&progress.ts, false));
        assert!(answer.block_text().contains(text), "{answer:#?}");
        assert_eq!(answer.metadata.unwrap()["event_payload"]["effect_id"], "fx_1");
        assert_eq!(self.records.all(), []);
        assert_eq!(self.slack.violations(), [""; 0]);
    }
}

const AGAIN: Option<Unsure> = Some(Unsure { since: Timestamp(1_700_000_000_000), resend: true });

#[tokio::test]
async fn progress_becomes_the_answer() {
    let t = Thread::new().await;
    let asks = t.works("fx_ask", Does::Asks);
    let progress = t.shows(1).await;
    assert_eq!(progress.tasks[0]["title"], "Asking the model");
    t.ends(asks).await;
    let calls = t.works("fx_call", Does::Calls("weather"));
    let progress_of_two = t.shows(2).await;
    let states: Vec<_> = progress_of_two.tasks.iter().map(|task| task["status"].as_str().unwrap()).collect();
    assert_eq!((states, &progress_of_two.ts), (vec!["complete", "in_progress"], &progress.ts));
    t.ends(calls).await;
    let said = t.says("It is about orders.", None).await;
    let id = Some(format!("{TEAM}:{}", progress.ts));
    assert_eq!(said, Attempt::Applied(Delivered { id, more: false }));
    t.has_only(&progress, "It is about orders.");
    assert!(t.ours()[0].tasks.iter().all(|task| task["status"] == "complete"), "{:#?}", t.ours());
    assert_eq!(t.slack.statuses().len(), 0);
    // The next answer is a message of its own.
    t.says("Anything else?", None).await;
    assert_eq!(t.ours().len(), 2);
}

#[tokio::test]
async fn an_answer_whose_end_is_lost_is_the_same_message() {
    for scope in [true, false] {
        let t = Thread::new().await;
        if !scope {
            t.slack.grant(FakeSlack::BOT_TOKEN, &WITHOUT_HISTORY);
        }
        let asks = t.works("fx_ask", Does::Asks);
        let progress = t.shows(1).await;
        t.ends(asks).await;
        t.slack.fail_next("chat.stopStream", None, Fault::AppliedThenLost);
        assert!(matches!(t.says("Orders.", None).await, Attempt::Unknown { .. }));
        assert!(matches!(t.says("Orders.", AGAIN).await, Attempt::Applied(_)), "with the scope: {scope}");
        t.has_only(&progress, "Orders.");
    }
}

/// Progress that a process left is what its answer becomes in the next, also when Slack has ended it or nobody knows how
/// far the last process got.
#[tokio::test]
async fn the_next_process_ends_what_the_last_one_began() {
    for (expired, lost) in [(false, false), (true, false), (false, true)] {
        let mut t = Thread::new().await;
        let asks = t.works("fx_ask", Does::Asks);
        let progress = t.shows(1).await;
        until("a record", || (!t.records.all().is_empty()).then_some(())).await;
        if expired {
            t.time.fetch_add(400_000, Ordering::SeqCst);
        }
        if lost {
            t.slack.grant(FakeSlack::BOT_TOKEN, &WITHOUT_HISTORY);
            t.slack.fail_next("chat.stopStream", None, Fault::AppliedThenLost);
            assert!(matches!(t.says("Orders.", None).await, Attempt::Unknown { .. }));
        }
        t.restarts();
        let unsure = AGAIN.filter(|_| lost);
        assert!(matches!(t.says("Orders.", unsure).await, Attempt::Applied(_)), "{expired} {lost}");
        t.has_only(&progress, "Orders.");
        t.ends(asks).await;
    }
}

/// An answer that a killed process had finished is not changed by the next one.
#[tokio::test]
async fn a_finished_answer_is_left_alone() {
    let mut t = Thread::new().await;
    let asks = t.works("fx_ask", Does::Asks);
    t.shows(1).await;
    t.slack.fail_next("chat.stopStream", None, Fault::AppliedThenLost);
    t.says("Orders.", None).await;
    t.ends(asks).await;
    t.restarts();
    let body = EffectBody::Reply { message: "m_2".into(), text: "Next.".into(), offers: Vec::new() };
    let next = Sending { effect: "fx_2", ..sending(&t.lane, &body) };
    assert!(matches!(t.channel.deliver(next).await, Attempt::Applied(_)));
    let texts: Vec<String> = t.ours().iter().map(Message::block_text).collect();
    assert!(texts.len() == 2 && texts[0].contains("Orders.") && texts[1].contains("Next."), "{texts:?}");
    assert_eq!(t.records.all(), []);
}

#[tokio::test]
async fn a_person_who_stops_it_gets_the_answer_too() {
    let t = Thread::new().await;
    let asks = t.works("fx_ask", Does::Asks);
    let progress = t.shows(1).await;
    t.slack.stops_stream(TEAM, &progress.ts);
    t.ends(asks).await;
    t.says("Orders.", None).await;
    t.has_only(&progress, "Orders.");
}

#[tokio::test]
async fn where_slack_takes_no_stream_the_thread_has_a_status() {
    let t = Thread::new().await;
    t.slack.fail_next("chat.startStream", None, Fault::Refuse("channel_type_not_supported".into()));
    let asks = t.works("fx_ask", Does::Asks);
    let root = t.lane.thread.clone();
    until("a status", || t.slack.status(TEAM, &root)).await;
    t.ends(asks).await;
    until("no status", || t.slack.status(TEAM, &root).is_none().then_some(())).await;
    t.says("Orders.", None).await;
    assert_eq!(t.ours().len(), 1);
}

/// The message is removed when nothing follows.
#[tokio::test]
async fn progress_that_no_answer_follows_is_removed() {
    let t = Thread::with(Duration::ZERO).await;
    let asks = t.works("fx_ask", Does::Asks);
    t.shows(1).await;
    t.ends(asks).await;
    until("nothing", || t.ours().is_empty().then_some(())).await;
    assert_eq!(t.records.all(), []);
    t.says("Orders.", None).await;
    assert_eq!(t.ours().len(), 1);
}

/// Through the server: a model that is asked and does not answer.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_shows_that_the_model_is_asked() {
    let model = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", model.local_addr().unwrap());
    let w = World::streaming(&base).await;
    let root = w.slack.says(TEAM, ANA, &format!("{TOOL} the login page shows an empty box since Tuesday"));
    let (asked, _) = model.accept().await.unwrap();
    let ours = || w.slack.thread(TEAM, &root).into_iter().filter(|one| one.bot.is_some());
    let progress = until("progress", || ours().find(|one| one.streaming)).await;
    assert_eq!(progress.tasks[0]["title"], "Asking the model");
    drop((asked, model));
    let answer = until("the answer", || ours().find(|one| !one.blocks.is_empty())).await;
    assert_eq!((answer.ts, answer.streaming, ours().count()), (progress.ts, false, 1));
    w.well();
}
