//! Socket Mode: two sockets that we open to Slack. One that is about to be closed goes on receiving while another one is
//! opened in its place.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use throughline_channels::slack::envelope::{Frame, acknowledgement, read};
use throughline_channels::slack::{Answer, Delivery, outbound};
use throughline_net::{Key, Received, WebSocket};
use throughline_runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};

use super::Adapter;

/// Sockets that are open at a time. While one is replaced the other receives.
const SOCKETS: usize = 2;
/// Shortest and longest time between two attempts to open a socket.
const BACKOFF: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
/// Time between two pings.
const PING: Duration = Duration::from_secs(5);
/// Time without a frame after which a socket is dead.
const DEAD: Duration = Duration::from_secs(10);
/// Time that a socket which is being replaced still receives, if Slack does not close it.
const LAST_FRAMES: Duration = Duration::from_secs(30);

/// Receives over sockets, without end.
pub(super) async fn run(adapter: &Arc<Adapter>, runtime: &Arc<Runtime>, token: &Key) {
    let (wanted, mut wants) = unbounded_channel();
    for _ in 0..SOCKETS {
        let _ = wanted.send(());
    }
    let mut lines = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(()) = wants.recv() => {
                let line = Line { adapter, runtime, token, wanted: wanted.clone(), replaced: false };
                lines.push(line.run());
            }
            Some(()) = lines.next(), if !lines.is_empty() => {}
        }
    }
}

/// One socket, from its opening to its end. At its end, or when Slack announces it, it asks for another.
struct Line<'a> {
    adapter: &'a Arc<Adapter>,
    runtime: &'a Arc<Runtime>,
    token: &'a Key,
    wanted: UnboundedSender<()>,
    replaced: bool,
}

/// Reason why there is no socket.
struct Closed {
    why: String,
    /// Time that Slack asks to wait.
    hint: Option<Duration>,
}

impl Closed {
    fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), hint: None }
    }
}

impl Line<'_> {
    async fn run(mut self) {
        let mut socket = self.opened().await;
        let why = self.receive(&mut socket).await;
        tracing::debug!(why, "a socket to Slack ended");
        socket.close().await;
        self.replace();
    }

    /// Asks for another socket, once.
    fn replace(&mut self) {
        if !std::mem::replace(&mut self.replaced, true) {
            let _ = self.wanted.send(());
        }
    }

    /// Opens a socket, however often it has to be tried.
    async fn opened(&self) -> WebSocket {
        let [mut wait, longest] = BACKOFF;
        loop {
            let opened = self.open().await;
            // Slack may be out of reach: what is sent meanwhile comes when it is back.
            self.adapter.listens.store(true, Ordering::Relaxed);
            match opened {
                Ok(socket) => return socket,
                Err(Closed { why, hint }) => {
                    tracing::warn!(code = "TL-3305", why, "no socket to Slack; it is tried again");
                    sleep(wait.max(hint.unwrap_or_default()) + jitter(wait)).await;
                    wait = (wait * 2).min(longest);
                }
            }
        }
    }

    /// Opens a socket and waits until Slack says hello.
    async fn open(&self) -> Result<WebSocket, Closed> {
        let address = match self.adapter.client().call(self.token, &outbound::open_connection()).await {
            Answer::Applied(told) => told["url"].as_str().unwrap_or_default().to_owned(),
            Answer::TooMany { hint } => {
                let hint = hint.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis);
                return Err(Closed { hint, ..Closed::because("Slack asks us to slow down") });
            }
            answer => return Err(Closed::because(format!("apps.connections.open: {answer:?}"))),
        };
        let connecting = WebSocket::connect(&address, self.adapter.allow_loopback);
        let silent = |_| Closed::because("Slack does not answer");
        let mut socket = timeout(DEAD, connecting).await.map_err(silent)?.map_err(Closed::because)?;
        match timeout(DEAD, hello(&mut socket)).await {
            Ok(true) => Ok(socket),
            _ => Err(Closed::because("the socket said no hello")),
        }
    }

    /// Receives until the socket ends. Returns the reason.
    async fn receive(&mut self, socket: &mut WebSocket) -> String {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let mut leave = None;
        loop {
            let received = tokio::select! {
                received = socket.receive() => received,
                _ = pings.tick() => {
                    if heard.elapsed() > DEAD {
                        return "nothing was heard".into();
                    }
                    if let Err(why) = socket.ping().await {
                        return why;
                    }
                    continue;
                }
                () = until(leave) => return "it was replaced".into(),
            };
            heard = Instant::now();
            match received {
                None => return "it was closed".into(),
                Some(Err(why)) => return why,
                Some(Ok(Received::Alive)) => {}
                Some(Ok(Received::Text(text))) => match read(&text) {
                    Frame::Disconnect { reason } => {
                        tracing::debug!(reason, "Slack will close a socket");
                        self.replace();
                        leave = Some(Instant::now() + LAST_FRAMES);
                    }
                    Frame::Envelope { id, delivery, payload, answers } => {
                        if let Err(why) = self.take(socket, &id, delivery, &payload, answers).await {
                            return why;
                        }
                    }
                    Frame::Hello { .. } | Frame::Other => {}
                },
            }
        }
    }

    /// Stores what an envelope brings and acknowledges it. What cannot be stored is not acknowledged: it comes again.
    async fn take(
        &self,
        socket: &mut WebSocket,
        id: &str,
        delivery: Option<Delivery>,
        payload: &Value,
        answers: bool,
    ) -> Result<(), String> {
        let Some((delivery, workspace)) = delivery.zip(self.adapter.workspace(payload)) else {
            return socket.send(acknowledgement(id, None)).await;
        };
        let accepted = match self.adapter.accept(self.runtime, &workspace, delivery, payload).await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::error!(%error, "a delivery was not stored; Slack will deliver it again");
                return Ok(());
            }
        };
        let answer = accepted.answer.as_ref().filter(|_| answers);
        socket.send(acknowledgement(id, answer)).await?;
        let (adapter, runtime) = (self.adapter.clone(), self.runtime.clone());
        self.runtime.in_background(async move { adapter.follow_up(&runtime, accepted).await });
        Ok(())
    }
}

async fn hello(socket: &mut WebSocket) -> bool {
    while let Some(Ok(received)) = socket.receive().await {
        if matches!(received, Received::Text(text) if matches!(read(&text), Frame::Hello { .. })) {
            return true;
        }
    }
    false
}

/// Completes at that time; never without one.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Returns up to half of a time, so that many processes do not come back at once.
fn jitter(of: Duration) -> Duration {
    let mut byte = [128];
    // Without random bytes everybody waits alike.
    let _ = getrandom::fill(&mut byte);
    of.mul_f64(f64::from(byte[0]) / 512.0)
}
