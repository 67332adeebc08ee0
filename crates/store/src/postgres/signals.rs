//! Signals between processes: news go out together, by NOTIFY and outside of any turn's transaction, and come in by LISTEN
//! on a connection of its own. They are hints. While there is no such connection, everybody looks in the store once a
//! second.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};
use tokio_postgres::{AsyncMessage, Client};

use super::error::{TxError, answered, words};
use super::session::{Address, dial};
use crate::contract::News;

/// Name of the channel of NOTIFY.
const CHANNEL: &str = "throughline";

/// Bytes of one notification; the server takes less than 8,000.
const LONGEST: usize = 7_900;

/// News that wait to be sent, or to be taken. Beyond that they are dropped: they are hints.
const WAITING: usize = 16_384;

/// Time that news wait for others, so that many go out as one.
const TOGETHER: Duration = Duration::from_millis(2);

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
    incoming: Mutex<mpsc::Receiver<News>>,
    replica: Arc<str>,
}

impl Signals {
    /// Creates the signals of a process, with the queue of what it announces.
    pub(super) fn new(replica: Arc<str>) -> (Self, mpsc::Receiver<News>) {
        let (out, outgoing) = mpsc::channel(WAITING);
        let (heard, incoming) = mpsc::channel(WAITING);
        (Self { out, heard, incoming: Mutex::new(incoming), replica }, outgoing)
    }

    /// Announces something to the other processes.
    pub(super) fn announce(&self, news: News) {
        // Whoever misses it finds the same in the store.
        let _ = self.out.try_send(news);
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
    fn encode(&self, news: Vec<News>) -> Vec<String> {
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

    fn hear(&self, payload: &str) {
        let Ok(Notification { from, news }) = serde_json::from_str(payload) else {
            let _ = self.heard.try_send(News::Missed);
            return;
        };
        if *from != *self.replica {
            for news in news {
                let _ = self.heard.try_send(news);
            }
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
    use throughline_engine::TurnId;

    use super::*;
    use crate::conformance::fixture::lane;
    use crate::contract::TurnNews;

    #[test]
    fn many_news_are_split_into_notifications_that_fit() {
        let (signals, _outgoing) = Signals::new("ours".into());
        let news = |n: u64| {
            let turn = TurnId(format!("tn_{n}"));
            News::Turn(TurnNews { lane: lane("C1"), revision: n, turn, names: vec!["k".repeat(200)] })
        };
        let texts = signals.encode((0..200).map(news).collect());
        assert!(texts.len() > 5 && texts.iter().all(|text| text.len() <= LONGEST));
        let (theirs, _outgoing) = Signals::new("theirs".into());
        texts.iter().for_each(|text| theirs.hear(text));
        let mut incoming = theirs.incoming.try_lock().unwrap();
        let heard: Vec<News> = std::iter::from_fn(|| incoming.try_recv().ok()).collect();
        assert_eq!(heard, (0..200).map(news).collect::<Vec<_>>());
    }

    #[test]
    fn what_fits_in_no_notification_is_a_hint_to_look() {
        let (signals, _outgoing) = Signals::new("ours".into());
        let (theirs, _outgoing) = Signals::new("theirs".into());
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
