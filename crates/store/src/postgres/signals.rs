//! Signals between processes: news go out together, by NOTIFY and outside of any turn's transaction, and come in by LISTEN
//! on a connection of its own. They are hints. While there is no such connection, everybody looks in the store once a
//! second.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use throughline_engine::TurnId;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client};

use super::accelerator::Accelerator;
use super::error::{TxError, answered, words};
use super::session::{Address, dial};
use crate::contract::{News, TurnNews};

/// Name of the channel of NOTIFY.
const CHANNEL: &str = "throughline";

/// Bytes of one notification; the server takes less than 8,000.
const LONGEST: usize = 7_900;

/// News that wait to be sent, or to be taken. Beyond that they are dropped: they are hints.
const WAITING: usize = 16_384;

/// Time that news wait for others, so that many go out as one.
const TOGETHER: Duration = Duration::from_millis(2);

/// Time that turns wait to be told by the database as well, after Redis told them.
const ONCE_MORE: Duration = Duration::from_millis(250);

/// Turns that are remembered as heard of.
const HEARD: usize = 8_192;

/// Pause before another connection is tried, and between two looks in the store while there is none.
const PAUSE: Duration = Duration::from_secs(1);

/// Time without anything to send after which the connection is tried.
const QUIET: Duration = Duration::from_secs(10);

/// A notification.
#[derive(Serialize, Deserialize)]
struct Notification {
    /// The process that sent it, which does not listen to itself.
    from: String,
    news: Vec<News>,
}

/// Both ends of the signals.
pub(super) struct Signals {
    out: mpsc::Sender<News>,
    heard: mpsc::Sender<News>,
    incoming: tokio::sync::Mutex<mpsc::Receiver<News>>,
    replica: Arc<str>,
    sooner: Option<Sooner>,
}

/// Another way to the other processes, which is quicker and promises nothing.
struct Sooner {
    redis: Arc<Accelerator>,
    /// Turns that Redis told, and that the database tells as well.
    again: mpsc::Sender<News>,
    /// Turns that were heard of already, on whichever way.
    turns: Mutex<Turns>,
}

/// The last news of turns.
#[derive(Default)]
struct Turns {
    in_order: VecDeque<TurnId>,
    known: BTreeMap<TurnId, TurnNews>,
}

impl Turns {
    /// Returns true the first time that news are heard. What was said wrongly of a turn takes no true news away.
    fn is_new(&mut self, news: &TurnNews) -> bool {
        match self.known.insert(news.turn.clone(), news.clone()) {
            Some(known) => return known != *news,
            None => self.in_order.push_back(news.turn.clone()),
        }
        if self.in_order.len() > HEARD
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

impl Signals {
    /// Creates the signals of a process, with the queue of what it announces.
    pub(super) fn new(
        replica: Arc<str>,
        redis: Option<Arc<Accelerator>>,
        runtime: &Handle,
    ) -> (Self, mpsc::Receiver<News>) {
        let (out, outgoing) = mpsc::channel(WAITING);
        let (heard, incoming) = mpsc::channel(WAITING);
        let sooner = redis.map(|redis| {
            let (again, told) = mpsc::channel(WAITING);
            runtime.spawn(once_more(told, out.clone()));
            Sooner { redis, again, turns: Mutex::default() }
        });
        (Self { out, heard, incoming: tokio::sync::Mutex::new(incoming), replica, sooner }, outgoing)
    }

    /// Announces something to the other processes. Whoever misses it finds the same in the store.
    pub(super) fn announce(&self, news: News) {
        let told = self.sooner.as_ref().filter(|sooner| sooner.redis.announce(&news));
        let queue = match (told, &news) {
            // Everybody looks for work once a second.
            (Some(_), News::Work(_)) => return,
            (Some(sooner), News::Turn(_)) => &sooner.again,
            _ => &self.out,
        };
        let _ = queue.try_send(news);
    }

    /// Tells this process and the others.
    pub(super) fn tell_all(&self, news: News) {
        let _ = self.heard.try_send(news.clone());
        self.announce(news);
    }

    /// Waits for news of other processes.
    pub(super) async fn next(&self) -> Vec<News> {
        let mut incoming = self.incoming.lock().await;
        let Some(first) = incoming.recv().await else { return std::future::pending().await };
        let mut all = vec![first];
        while let Ok(next) = incoming.try_recv() {
            all.push(next);
        }
        all
    }

    /// Sends one piece of news at once.
    pub(super) async fn send_now(&self, runtime: &Handle, client: &Client, news: News) {
        if let Err(error) = self.notify(runtime, client, vec![news]).await {
            tracing::debug!(why = error.why(), "news for other processes were not sent");
        }
    }

    async fn notify(&self, runtime: &Handle, client: &Client, news: Vec<News>) -> Result<(), TxError> {
        for text in self.encode(news) {
            answered(runtime, client.execute("SELECT pg_notify($1, $2)", &[&CHANNEL, &text])).await?;
        }
        Ok(())
    }

    /// Encodes news in as few notifications as they fit in.
    pub(super) fn encode(&self, news: Vec<News>) -> Vec<String> {
        let all = Notification { from: self.replica.to_string(), news };
        let Ok(text) = serde_json::to_string(&all) else { return Vec::new() };
        let mut first = all.news;
        match first.len() {
            _ if text.len() <= LONGEST => vec![text],
            // What does not fit alone is found in the store.
            0 | 1 => self.encode(vec![News::Missed]),
            n => {
                let second = first.split_off(n / 2);
                let mut texts = self.encode(first);
                texts.extend(self.encode(second));
                texts
            }
        }
    }

    /// Hears a notification of the database.
    fn hear(&self, payload: &str) {
        match serde_json::from_str(payload) {
            Ok(told) => self.take(told),
            Err(_) => drop(self.heard.try_send(News::Missed)),
        }
    }

    /// Hears what Redis passes on. Only hints come this way.
    pub(super) fn hear_sooner(&self, payload: &str) {
        let Ok(Notification { from, mut news }) = serde_json::from_str(payload) else { return };
        news.retain(|news| matches!(news, News::Work(_) | News::Turn(_)));
        self.take(Notification { from, news });
    }

    fn take(&self, told: Notification) {
        if *told.from == *self.replica {
            return;
        }
        for news in told.news.into_iter().filter(|news| self.is_new(news)) {
            let _ = self.heard.try_send(news);
        }
    }

    fn is_new(&self, news: &News) -> bool {
        let (Some(sooner), News::Turn(turn)) = (&self.sooner, news) else { return true };
        sooner.turns.lock().unwrap_or_else(PoisonError::into_inner).is_new(turn)
    }
}

/// Passes turns on to the database, many at once.
async fn once_more(mut told: mpsc::Receiver<News>, out: mpsc::Sender<News>) {
    while let Some(first) = told.recv().await {
        tokio::time::sleep(ONCE_MORE).await;
        let _ = out.try_send(first);
        while let Ok(next) = told.try_recv() {
            let _ = out.try_send(next);
        }
    }
}

/// Sends and receives until the store is closed.
pub(super) async fn run(signals: Arc<Signals>, address: Address, mut outgoing: mpsc::Receiver<News>) {
    loop {
        if let Err(why) = connected(&signals, &address, &mut outgoing).await {
            tracing::debug!(why, "no signals of other processes; the store is looked at instead");
        }
        tokio::time::sleep(PAUSE).await;
        let _ = signals.heard.try_send(News::Missed);
        while outgoing.try_recv().is_ok() {}
    }
}

/// Listens and sends until the connection ends.
async fn connected(
    signals: &Arc<Signals>,
    address: &Address,
    outgoing: &mut mpsc::Receiver<News>,
) -> Result<(), String> {
    let (told, runtime) = (|error: TxError| error.why(), &Handle::current());
    let (client, mut messages) = answered(runtime, dial(address)).await.map_err(told)?;
    let listener = signals.clone();
    let mut listening = tokio::spawn(async move {
        while let Some(message) = messages.next().await {
            match message {
                Ok(AsyncMessage::Notification(told)) if told.channel() == CHANNEL => {
                    listener.hear(told.payload());
                }
                Ok(_) => {}
                Err(error) => return words(&error),
            }
        }
        "the connection ended".to_owned()
    });
    answered(runtime, client.batch_execute(&format!("LISTEN {CHANNEL}"))).await.map_err(told)?;
    // What was announced before this connection listened was not heard.
    let _ = signals.heard.try_send(News::Missed);
    loop {
        tokio::select! {
            ended = &mut listening => return Err(ended.unwrap_or_else(|error| error.to_string())),
            news = outgoing.recv() => {
                let Some(news) = news else { return Ok(()) };
                tokio::time::sleep(TOGETHER).await;
                let mut all = vec![news];
                while let Ok(next) = outgoing.try_recv() {
                    all.push(next);
                }
                signals.notify(runtime, &client, all).await.map_err(told)?;
            }
            // A connection that hears nothing may be dead.
            () = tokio::time::sleep(QUIET) => answered(runtime, client.batch_execute("")).await.map_err(told)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::accelerator::{self, RedisServer};
    use super::*;
    use crate::conformance::fixture::lane;

    fn alone(name: &str) -> (Signals, mpsc::Receiver<News>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Signals::new(name.into(), None, runtime.handle())
    }

    #[test]
    fn many_news_are_split_into_notifications_that_fit() {
        let (signals, _outgoing) = alone("ours");
        let news = |n: u64| {
            let turn = TurnId(format!("tn_{n}"));
            News::Turn(TurnNews { lane: lane("C1"), revision: n, turn, names: vec!["k".repeat(200)] })
        };
        let texts = signals.encode((0..200).map(news).collect());
        assert!(texts.len() > 5 && texts.iter().all(|text| text.len() <= LONGEST));
        let (theirs, _outgoing) = alone("theirs");
        texts.iter().for_each(|text| theirs.hear(text));
        let mut incoming = theirs.incoming.try_lock().unwrap();
        let heard: Vec<News> = std::iter::from_fn(|| incoming.try_recv().ok()).collect();
        assert_eq!(heard, (0..200).map(news).collect::<Vec<_>>());
    }

    #[test]
    fn a_turn_that_is_told_twice_is_heard_once() {
        let (first, _outgoing) = alone("ours");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let nowhere = RedisServer { url: "redis://127.0.0.1:1".into(), password: None };
        let (redis, _connector) = accelerator::create(&nowhere, runtime.handle().clone()).unwrap();
        let (second, _outgoing) = Signals::new("theirs".into(), Some(redis), runtime.handle());
        let news = |n: u64| {
            let turn = TurnId(format!("tn_{n}"));
            News::Turn(TurnNews { lane: lane("C1"), revision: n, turn, names: Vec::new() })
        };
        for n in [1, 2, 1] {
            let texts = first.encode(vec![news(n), News::Work(lane("C1"))]);
            texts.iter().for_each(|text| second.hear_sooner(text));
            texts.iter().for_each(|text| second.hear(text));
        }
        let mut incoming = second.incoming.try_lock().unwrap();
        let heard: Vec<News> = std::iter::from_fn(|| incoming.try_recv().ok()).collect();
        let turns: Vec<&News> = heard.iter().filter(|news| matches!(news, News::Turn(_))).collect();
        assert_eq!(turns, [&news(1), &news(2)]);
        assert_eq!(heard.len() - turns.len(), 6, "a lane may be woken as often as one likes");
    }

    #[test]
    fn turns_are_remembered_up_to_a_bound() {
        let mut turns = Turns::default();
        let news = |n: usize, names: &[&str]| TurnNews {
            lane: lane("C1"),
            revision: 1,
            turn: TurnId(format!("tn_{n}")),
            names: names.iter().map(|name| (*name).into()).collect(),
        };
        assert!((0..HEARD + 2).all(|n| turns.is_new(&news(n, &[]))));
        assert_eq!((turns.in_order.len(), turns.known.len()), (HEARD, HEARD));
        assert!(turns.is_new(&news(0, &[])) && !turns.is_new(&news(9, &[])));
        assert!(turns.is_new(&news(9, &["what it handled"])), "other news of the same turn");
        assert_eq!((turns.in_order.len(), turns.known.len()), (HEARD, HEARD));
    }

    #[test]
    fn what_fits_in_no_notification_is_a_hint_to_look() {
        let (signals, _outgoing) = alone("ours");
        let (theirs, _outgoing) = alone("theirs");
        for text in signals.encode(vec![News::Work(lane(&"C".repeat(9_000)))]) {
            theirs.hear(&text);
        }
        theirs.hear("of a newer version");
        signals.encode(vec![News::Missed]).iter().for_each(|text| signals.hear(text));
        let heard = |signals: &Signals| {
            let mut incoming = signals.incoming.try_lock().unwrap();
            std::iter::from_fn(|| incoming.try_recv().ok()).collect::<Vec<_>>()
        };
        assert_eq!(heard(&theirs), [News::Missed, News::Missed]);
        assert_eq!(heard(&signals), [], "nobody listens to itself");
    }
}
