//! Webhook through the real server: its authentication and its queues.

use std::net::SocketAddr;
use std::time::Duration;

use throughline_fakes::telegram::Delivery;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::world::{ANA, SECRET, TEAM, World, ticket};

struct Served {
    address: SocketAddr,
    path: String,
    _stop: oneshot::Sender<()>,
    _task: JoinHandle<()>,
}

/// Serves a world, with its loops.
async fn serve(w: &World) -> Served {
    let (instance, _) = w.beside().await;
    let path = instance.telegram.as_ref().unwrap().hook_path().expect("a webhook");
    let (ready, bound) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let told = |address| {
            let _ = ready.send(address);
        };
        let until = async { drop(stopped.await) };
        throughline_server::serve_instance(instance, told, until).await.expect("it ends well");
    });
    Served { address: bound.await.unwrap(), path, _stop: stop, _task: task }
}

impl Served {
    fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }
}

/// Polls until it is true.
async fn until(mut so: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came to that");
}

/// Announces a body of that length without sending it; returns the first line of the answer.
async fn announced(served: &Served, length: usize) -> String {
    let mut stream = tokio::net::TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: bot.example.org\r\nContent-Type: application/json\r\n\
         X-Telegram-Bot-Api-Secret-Token: {SECRET}\r\nContent-Length: {length}\r\n\r\n",
        served.path
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).await.unwrap();
    line
}

fn statuses(round: &[Delivery]) -> Vec<u16> {
    round.iter().map(|delivery| delivery.status).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tg1_a_webhook_takes_what_proves_itself() {
    let w = World::in_mode("webhook").await;
    let served = serve(&w).await;
    w.telegram.says(ANA, ANA, "/status");
    w.telegram.set_webhook(&served.url(), None);
    let refused = w.telegram.deliver(false).await;
    assert_eq!(statuses(&refused), [401]);
    assert!(refused[0].body.contains("TL-3205"), "{}", refused[0].body);
    w.telegram.set_webhook(&served.url(), Some("another-secret-of-somebody"));
    assert_eq!(statuses(&w.telegram.deliver(false).await), [401]);
    w.telegram.set_webhook(&format!("{}x", served.url()), Some(SECRET));
    assert_eq!(statuses(&w.telegram.deliver(false).await), [404]);
    assert_eq!(w.lanes().await, [], "nothing was recorded");
    w.telegram.set_webhook(&served.url(), Some(SECRET));
    let taken = w.telegram.deliver(false).await;
    assert_eq!(statuses(&taken), [200]);
    assert_eq!(taken[0].body, "", "a body could be executed");
    assert_eq!(w.lanes().await, [w.lane(ANA, "")], "committed before 200");
    assert_eq!(w.telegram.deliver(false).await, []);
    until(async || w.telegram.bot_messages(ANA).len() == 1).await;
    w.well();
}

/// A press is answered while its chat's queue is held up, and overtakes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn presses_and_messages_come_in_queues_of_their_own() {
    let mut w = World::in_mode("webhook").await;
    let card = {
        // Polled for, since virtual time must not advance before it arrives.
        w.telegram.says(TEAM, ANA, &ticket("a CSV export"));
        w.calm().await;
        w.telegram.card(TEAM).unwrap()
    };
    w.instance.runtime.release_idle(true).await.unwrap();
    let served = serve(&w).await;
    w.telegram.set_webhook(&served.url(), Some(SECRET));
    w.telegram.says(TEAM, ANA, "/pending");
    w.telegram.says(TEAM, ANA, "/status");
    w.telegram.presses(TEAM, crate::world::MIA, card.id, "Reject");
    let first = w.telegram.deliver(true).await;
    assert_eq!(statuses(&first), [200, 200], "one of each queue");
    assert!(first[0].update > first[1].update, "the press came first");
    assert_eq!(w.telegram.deliver(false).await.len(), 1);
    until(async || !w.telegram.answers().is_empty()).await;
    until(async || w.reasons(&w.lane(TEAM, "")).await.len() == 4).await;
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_or_no_json_is_refused() {
    let w = World::in_mode("webhook").await;
    let served = serve(&w).await;
    let post = async |body: String| {
        let url = served.url();
        tokio::task::spawn_blocking(move || {
            let config = ureq::Agent::config_builder().http_status_as_error(false).build();
            let request = ureq::Agent::new_with_config(config).post(&url);
            let request =
                request.header("X-Telegram-Bot-Api-Secret-Token", SECRET).content_type("application/json");
            request.send(body).map_or(0, |answer| answer.status().as_u16())
        })
        .await
        .unwrap()
    };
    assert_eq!(post("{".into()).await, 400);
    assert_eq!(post("[".repeat(65) + &"]".repeat(65)).await, 400);
    assert!(
        announced(&served, 1024 * 1024 + 1).await.starts_with("HTTP/1.1 413"),
        "before a byte of it is read"
    );
    // JSON that is not an update is stored under the hash of its bytes, so that Telegram stops sending it.
    assert_eq!(post("{\"hello\": 1}".into()).await, 200);
}
