//! Shows the progress of a turn in a message of the thread, which becomes the turn's answer
//! (`docs/design/0060-progress-in-slack.md`).
//!
//! The message begins with the first work that people wait for, lists each work as a task, and is handed to the next message
//! or card of the thread. One that nothing follows is removed. Each is on record, so that the next process does the rest.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_engine::LaneKey;

use super::answer::Answer;
use super::channel::{Route, Slack};
use super::client::Client;
use super::outbound::{self, Call, Target};
use super::rate_limit::Bucket;
use super::read_back::PostedFor;
use super::render::Message;
use super::workspaces::Workspaces;

/// The time in which an answer follows the work for it. After that the message is removed, and an answer is posted.
pub const GRACE: Duration = Duration::from_secs(10);
/// The time in which the next process sends what the last one had planned.
const GRACE_AFTER_START: Duration = Duration::from_secs(60);

/// A message that shows progress, as it is on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// The lane.
    pub lane: LaneKey,
    /// The message's time stamp.
    pub ts: String,
    /// The effect that makes it its message. It may have done so, and then the message is an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

/// The records of messages that show progress. One that cannot be written is logged: what it is for goes on.
#[async_trait]
pub trait StreamRecords: Send + Sync {
    /// Writes the record of a lane.
    async fn keep(&self, record: &StreamRecord);

    /// Removes the record of a lane.
    async fn forget(&self, lane: &LaneKey);
}

/// The messages that show progress, of one process.
pub(super) struct Streams {
    client: Client,
    workspaces: Arc<dyn Workspaces>,
    records: Arc<dyn StreamRecords>,
    /// The time in which an answer follows the work for it.
    grace: Duration,
    open: Mutex<HashMap<LaneKey, Open>>,
}

/// The message of a lane.
enum Open {
    /// It shows progress.
    Shows(Arc<Stream>),
    /// An effect makes it its message, and nobody knows yet how far it got.
    Claimed(Claimed),
}

/// A message that an effect makes its own.
#[derive(Clone, Debug)]
pub(super) struct Claimed {
    pub(super) ts: String,
    /// The last news of its tasks.
    pub(super) chunks: Vec<Value>,
    effect: String,
}

/// A message that shows progress.
#[derive(Default)]
struct Stream {
    state: tokio::sync::Mutex<State>,
    /// The number of works that go on.
    running: AtomicUsize,
    /// The number of works so far.
    begun: AtomicUsize,
}

#[derive(Default)]
struct State {
    shown: Shown,
    tasks: Vec<Task>,
    /// True once it is no progress any more: what begins late is not shown.
    over: bool,
}

/// The form in which people see the work.
#[derive(Default)]
enum Shown {
    #[default]
    Nothing,
    /// A message with this time stamp.
    Message(String),
    /// The thread's status: a message was refused.
    Status,
}

/// One work, as the message lists it.
struct Task {
    id: String,
    title: String,
    done: bool,
    /// True once the message says that it is done.
    told: bool,
}

impl Task {
    fn chunk(&self) -> Value {
        let status = if self.done { "complete" } else { "in_progress" };
        json!({"type": "task_update", "id": self.id, "title": self.title, "status": status})
    }
}

impl State {
    /// The tasks of which there is news. A work that is not done yet is done when `all` are over.
    fn news(&mut self, all: bool) -> Vec<Value> {
        let mut news = Vec::new();
        for task in self.tasks.iter_mut().filter(|task| !task.told) {
            task.done |= all;
            if task.done {
                task.told = true;
                news.push(task.chunk());
            }
        }
        news
    }
}

/// A work to show.
pub(super) struct Work {
    pub(super) lane: LaneKey,
    /// The effect's id.
    pub(super) effect: String,
    pub(super) title: String,
    /// The status that is shown where no message is.
    pub(super) status: String,
    /// The member id of the person who waits.
    pub(super) person: Option<String>,
}

/// Shows one work for as long as it lives.
pub(super) struct ShownWork {
    streams: Arc<Streams>,
    stream: Arc<Stream>,
    lane: LaneKey,
    effect: String,
}

impl Drop for ShownWork {
    fn drop(&mut self) {
        let (streams, stream) = (self.streams.clone(), self.stream.clone());
        let (lane, effect) = (self.lane.clone(), std::mem::take(&mut self.effect));
        stream.running.fetch_sub(1, Ordering::SeqCst);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { streams.ended(&lane, &stream, &effect).await });
        }
    }
}

impl Streams {
    pub(super) fn new(
        client: Client,
        workspaces: Arc<dyn Workspaces>,
        records: Arc<dyn StreamRecords>,
        grace: Duration,
    ) -> Arc<Self> {
        Arc::new(Self { client, workspaces, records, grace, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<LaneKey, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn call(&self, lane: &LaneKey, call: &Call) -> Answer {
        match self.workspaces.workspace(lane) {
            Ok(workspace) => self.client.call(&workspace.token, call).await,
            Err(_) => Answer::NotSent("the workspace is not known".into()),
        }
    }

    /// Goes on with what the last process has left.
    pub(super) fn resume(self: &Arc<Self>, records: Vec<StreamRecord>) {
        for StreamRecord { lane, ts, claimed_by } in records {
            let left = match claimed_by {
                Some(effect) => Open::Claimed(Claimed { ts, chunks: Vec::new(), effect }),
                None => {
                    let state = State { shown: Shown::Message(ts), ..State::default() };
                    let stream = Arc::new(Stream { state: state.into(), ..Stream::default() });
                    let (streams, idle, lane) = (self.clone(), stream.clone(), lane.clone());
                    tokio::spawn(async move {
                        tokio::time::sleep(GRACE_AFTER_START).await;
                        streams.remove_idle(&lane, &idle, 0).await;
                    });
                    Open::Shows(stream)
                }
            };
            self.open().entry(lane).or_insert(left);
        }
    }

    /// Begins to show a work; `None` while the lane's message is about to become an answer.
    pub(super) fn begin(self: &Arc<Self>, work: Work) -> Option<ShownWork> {
        let stream = match self.open().entry(work.lane.clone()) {
            Entry::Occupied(entry) => match entry.get() {
                Open::Shows(stream) => stream.clone(),
                Open::Claimed(_) => return None,
            },
            Entry::Vacant(entry) => {
                let stream = Arc::<Stream>::default();
                entry.insert(Open::Shows(stream.clone()));
                stream
            }
        };
        stream.running.fetch_add(1, Ordering::SeqCst);
        stream.begun.fetch_add(1, Ordering::SeqCst);
        let shown = ShownWork {
            streams: self.clone(),
            stream: stream.clone(),
            lane: work.lane.clone(),
            effect: work.effect.clone(),
        };
        let streams = self.clone();
        // Not within the work: a request that is dropped halfway would leave a message that nobody knows of.
        tokio::spawn(async move { streams.show(&stream, work).await });
        Some(shown)
    }

    async fn show(&self, stream: &Stream, work: Work) {
        let mut state = stream.state.lock().await;
        let ended = stream.running.load(Ordering::SeqCst) == 0;
        if state.over || ended {
            return;
        }
        let task = Task { id: work.effect, title: work.title, done: false, told: false };
        let mut chunks = state.news(false);
        chunks.push(task.chunk());
        state.tasks.push(task);
        let to = Target::of(&work.lane);
        match &state.shown {
            Shown::Message(ts) => {
                self.call(&work.lane, &outbound::append_stream(to, ts, &chunks)).await;
            }
            Shown::Status => {
                self.call(&work.lane, &outbound::status(to, &work.status)).await;
            }
            Shown::Nothing => state.shown = self.start(&work.lane, &work.status, work.person, &chunks).await,
        }
    }

    /// Begins a message. Where Slack does not take one, the thread has a status.
    async fn start(&self, lane: &LaneKey, status: &str, person: Option<String>, chunks: &[Value]) -> Shown {
        let to = Target::of(lane);
        let team = self.workspaces.workspace(lane).map(|workspace| workspace.app.team).unwrap_or_default();
        let call = outbound::start_stream(to, person.as_deref(), &team, chunks);
        if let Answer::Applied(started) = self.call(lane, &call).await
            && let Some(ts) = started["ts"].as_str()
        {
            let record = StreamRecord { lane: lane.clone(), ts: ts.into(), claimed_by: None };
            self.records.keep(&record).await;
            return Shown::Message(record.ts);
        }
        self.call(lane, &outbound::status(to, status)).await;
        Shown::Status
    }

    async fn ended(&self, lane: &LaneKey, stream: &Arc<Stream>, effect: &str) {
        let mut state = stream.state.lock().await;
        if let Some(task) = state.tasks.iter_mut().find(|task| task.id == effect) {
            task.done = true;
        }
        if stream.running.load(Ordering::SeqCst) > 0 {
            return;
        }
        if let Shown::Status = state.shown {
            state.shown = Shown::Nothing;
            self.call(lane, &outbound::status(Target::of(lane), "")).await;
        }
        drop(state);
        let begun = stream.begun.load(Ordering::SeqCst);
        tokio::time::sleep(self.grace).await;
        self.remove_idle(lane, stream, begun).await;
    }

    /// Removes a message that nothing followed: no other work, and no answer.
    async fn remove_idle(&self, lane: &LaneKey, stream: &Arc<Stream>, begun: usize) {
        let is_it = |open: &Open| matches!(open, Open::Shows(one) if Arc::ptr_eq(one, stream));
        if stream.begun.load(Ordering::SeqCst) != begun {
            return;
        }
        {
            let mut open = self.open();
            if !open.get(lane).is_some_and(is_it) {
                return;
            }
            open.remove(lane);
        }
        let mut state = stream.state.lock().await;
        state.over = true;
        if let Shown::Message(ts) = std::mem::take(&mut state.shown) {
            self.remove(lane, &ts).await;
        }
    }

    async fn remove(&self, lane: &LaneKey, ts: &str) {
        let channel = lane.conversation.as_str();
        self.call(lane, &outbound::end_stream(channel, ts)).await;
        self.call(lane, &outbound::delete(channel, ts)).await;
        self.records.forget(lane).await;
    }

    /// Takes the message of a lane for an effect, which is on record before anything is sent.
    pub(super) async fn claim(&self, lane: &LaneKey, effect: &str) -> Option<Claimed> {
        let taken = self.open().remove(lane)?;
        match taken {
            Open::Claimed(claimed) if claimed.effect == effect => Some(claimed),
            Open::Claimed(_) => {
                // Of an effect that has ended: its message is not to be changed.
                self.records.forget(lane).await;
                None
            }
            Open::Shows(stream) => {
                let mut state = stream.state.lock().await;
                state.over = true;
                let chunks = state.news(true);
                match std::mem::take(&mut state.shown) {
                    Shown::Message(ts) => {
                        let claimed_by = Some(effect.to_owned());
                        let record = StreamRecord { lane: lane.clone(), ts: ts.clone(), claimed_by };
                        self.records.keep(&record).await;
                        Some(Claimed { ts, chunks, effect: effect.into() })
                    }
                    Shown::Status => {
                        self.call(lane, &outbound::status(Target::of(lane), "")).await;
                        None
                    }
                    Shown::Nothing => None,
                }
            }
        }
    }

    /// Keeps a message for the effect's next attempt.
    pub(super) fn put_back(&self, lane: &LaneKey, claimed: Claimed) {
        self.open().entry(lane.clone()).or_insert(Open::Claimed(claimed));
    }

    /// Forgets the message of a lane that is the effect's now, or that is gone.
    pub(super) async fn settled(&self, lane: &LaneKey, effect: &str) {
        let is_its = |open: &Open| matches!(open, Open::Claimed(claimed) if claimed.effect == effect);
        {
            let mut open = self.open();
            if open.get(lane).is_some_and(is_its) {
                open.remove(lane);
            }
        }
        self.records.forget(lane).await;
    }

    /// Removes a message that an effect cannot make its own.
    pub(super) async fn give_up(&self, lane: &LaneKey, claimed: &Claimed) {
        self.remove(lane, &claimed.ts).await;
    }
}

impl Slack {
    /// Makes the message that shows the lane's progress the first part of an effect. Returns nothing where there is no such
    /// message, so that one has to be posted.
    pub(super) async fn fill_stream(
        &self,
        route: &Route<'_>,
        message: &Message,
        of: PostedFor<'_>,
    ) -> Option<Answer> {
        let streams = self.streams.as_ref().filter(|_| of.part == 0)?;
        let (lane, now) = (route.sending.lane, route.sending.now);
        let claimed = streams.claim(lane, of.effect).await?;
        let (channel, ts) = (lane.conversation.as_str(), claimed.ts.as_str());
        let stop = outbound::stop_stream(channel, ts, &claimed.chunks, message, of);
        let answer = match self.call(&route.workspace, &stop, Bucket::Method(stop.method), now).await {
            // It is over by itself, or somebody stopped it, or an earlier attempt did: what it shows can still be changed.
            Answer::NotStreaming => {
                let call = outbound::fill(channel, ts, message, of);
                self.call(&route.workspace, &call, Bucket::Method(call.method), now).await
            }
            answer => answer,
        };
        match answer {
            Answer::Applied(_) => {
                streams.settled(lane, of.effect).await;
                Some(Answer::Applied(json!({"channel": channel, "ts": ts})))
            }
            Answer::Gone => {
                streams.settled(lane, of.effect).await;
                None
            }
            Answer::Rejected(_) | Answer::Closed(_) | Answer::MissingScope { .. } => {
                streams.give_up(lane, &claimed).await;
                None
            }
            later => {
                streams.put_back(lane, claimed);
                Some(later)
            }
        }
    }
}
