//! Server: one port, a bounded number of connections, and a drain at the end.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use throughline_runtime::RuntimeError;
use throughline_store::StoreError;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::app::App;
use crate::codes;
use crate::config::{Config, ConnectionLimits};
use crate::connection::serve_connection;
use crate::connections::Connections;
use crate::instance::{Instance, open};
use crate::learned::versions;
use crate::mail;
use crate::open_files;
use crate::push;
use crate::router::router;
use crate::session::ended::EndedSessions;
use crate::start_error::StartError;
use crate::{users, webhooks};

/// Interval at which recorded times are folded into their histograms.
const UPKEEP: Duration = Duration::from_secs(5);
/// Interval at which the newest hashes of the record are signed.
const ANCHORS: Duration = Duration::from_secs(3_600);
/// Time that connections may take to finish after draining began. The loops then have 20 seconds more, so that the
/// process ends within 25.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Opens the instance and serves the HTTP API until `shutdown` completes; then drains: running answers finish, new
/// requests get 503, effects in flight end. `ready` is called with the bound address once requests are accepted.
///
/// # Errors
/// The store, the key or the address cannot be used, and nothing was started; or another process has taken the store over.
pub async fn serve(
    config: Config,
    ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    serve_instance(open(config).await?, ready, shutdown).await
}

/// Serves an instance that is already open.
///
/// # Errors
/// As [`serve`].
pub async fn serve_instance(
    instance: Instance,
    ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let address = instance.config.server.listen;
    let cannot = |error: std::io::Error| StartError::Listen { address, why: error.to_string() };
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let bound = listener.local_addr().map_err(cannot)?;
    if let Some(telegram) = &instance.telegram {
        telegram.check().await?;
    }
    let ended = EndedSessions::load(instance.store.as_ref()).await?;
    let host = instance.start().await?;
    let app = App::new(instance, ended);
    let (stop, stopping) = watch::channel(false);
    let mut senders_and_receivers = senders_and_receivers(&app, &stopping);
    let _ = app.address.set(bound);
    app.store().publish_address(&format!("http://{}", from_here(bound)));
    tracing::info!(address = %bound, store = app.store().describe(), "listening");
    ready(bound);
    let mut server = Server::new(app.clone(), listener);
    let taken_over = tokio::select! {
        () = shutdown => false,
        () = server.accept() => false,
        () = tidy(&app) => false,
        () = anchor_hourly(&app) => false,
        () = follow_others(&app) => false,
        () = app.store().taken_over() => true,
    };
    if taken_over {
        tracing::error!(
            code = codes::STORE_TAKEN_OVER.id(),
            "another process has taken the database over; stopping"
        );
    }
    tracing::info!("draining");
    app.drain();
    let _ = stop.send(true);
    let all = async { while senders_and_receivers.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_ANSWERS, all).await;
    senders_and_receivers.shutdown().await;
    server.finish().await;
    drop(server);
    host.drain().await;
    if !taken_over {
        anchor(&app).await;
    }
    if let Some(tools) = &app.instance.tools {
        tools.close().await;
    }
    tracing::info!("stopped");
    if taken_over {
        return Err(StartError::Store(StoreError::TakenOver { act: "go on" }));
    }
    Ok(())
}

/// Starts the loops that receive from channels and send to others, each until it is told to stop.
fn senders_and_receivers(app: &Arc<App>, stopping: &watch::Receiver<bool>) -> JoinSet<()> {
    let (mut loops, runtime) = (JoinSet::new(), || app.instance.runtime.clone());
    if let Some(telegram) = app.instance.telegram.clone() {
        loops.spawn(telegram.run(runtime(), stopping.clone()));
    }
    if let Some(slack) = app.instance.slack.clone() {
        loops.spawn(slack.run(runtime(), stopping.clone()));
    }
    for webhook in &app.instance.webhooks {
        loops.spawn(webhooks::run(app.clone(), webhook.clone(), stopping.clone()));
    }
    for tenant in mail::tenants(app.config()) {
        if let Some(mail) = app.instance.mail.clone() {
            loops.spawn(mail::run(app.clone(), mail, tenant.clone(), stopping.clone()));
        }
        if let Some(push) = app.instance.push.clone() {
            loops.spawn(push::run(app.clone(), push, tenant, stopping.clone()));
        }
    }
    loops
}

/// Returns the address by which this machine reaches a listener: one that listens everywhere is called by loopback.
fn from_here(mut bound: SocketAddr) -> SocketAddr {
    if bound.ip().is_unspecified() {
        bound.set_ip(match bound.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    bound
}

/// Folds recorded times regularly, so that metrics stay small even if nobody reads them.
async fn tidy(app: &App) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        app.metrics.run_upkeep();
    }
}

/// Keeps this process's copies up to date with what others that share the store wrote.
async fn follow_others(app: &App) {
    loop {
        app.runtime().wakes().copies.notified().await;
        let read = async {
            app.ended.reload(app.store()).await?;
            if let Some(slack) = &app.instance.slack {
                slack.reload().await?;
            }
            for tenant in app.instance.tenants().await? {
                users::load(&app.config().users, app.store(), &tenant).await?;
                versions::take_over(&app.instance.runtime, &tenant).await?;
            }
            Ok::<(), RuntimeError>(())
        };
        if let Err(error) = read.await {
            tracing::warn!(%error, "cannot read what another process changed; it is tried again");
            tokio::time::sleep(UPKEEP).await;
            app.runtime().wakes().copies.notify_one();
        }
    }
}

/// Signs what was recorded regularly, so that what is cut off later is missed.
async fn anchor_hourly(app: &App) {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + ANCHORS, ANCHORS);
    loop {
        ticks.tick().await;
        anchor(app).await;
    }
}

/// Signs what every tenant recorded. A failure is logged: the next anchor covers as much.
async fn anchor(app: &App) {
    let tenants = app.instance.tenants().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot look up whose record is to be signed");
        app.config().tenants().into_iter().map(str::to_owned).collect()
    });
    for tenant in tenants {
        if let Err(error) = app.runtime().anchor(&tenant).await {
            tracing::warn!(tenant, %error, "cannot sign the newest hashes of the record");
        }
    }
}

/// Listener with its connections.
struct Server {
    app: Arc<App>,
    router: axum::Router,
    listener: TcpListener,
    connections: Arc<Connections>,
    tasks: JoinSet<()>,
}

impl Server {
    fn new(app: Arc<App>, listener: TcpListener) -> Self {
        let router = router(&app);
        let connections = Connections::new(limits(&app));
        Self { app, router, listener, connections, tasks: JoinSet::new() }
    }

    /// Accepts connections without end.
    async fn accept(&mut self) {
        loop {
            while self.tasks.try_join_next().is_some() {}
            let accepted = self.listener.accept().await;
            self.serve(accepted).await;
        }
    }

    /// Lets connections finish, and answers new ones with 503 meanwhile.
    async fn finish(&mut self) {
        let deadline = Instant::now() + LAST_ANSWERS;
        while !self.tasks.is_empty() && Instant::now() < deadline {
            let accepted = tokio::select! {
                biased;
                _ = self.tasks.join_next() => None,
                () = tokio::time::sleep_until(deadline) => None,
                accepted = self.listener.accept() => Some(accepted),
            };
            if let Some(accepted) = accepted {
                self.serve(accepted).await;
            }
        }
        self.tasks.shutdown().await;
    }

    /// Serves a connection that was accepted, if there is a place for it.
    async fn serve(&mut self, accepted: std::io::Result<(TcpStream, SocketAddr)>) {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Probably out of file descriptors: another connection has to close first.
                tracing::warn!(%error, "a connection was not accepted");
                self.connections.make_room(Instant::now());
                tokio::time::sleep(Duration::from_millis(50)).await;
                return;
            }
        };
        let Some(place) = self.connections.admit(peer.ip(), Instant::now()) else { return };
        // Answers are small, and a client waits for each: do not delay them.
        let _ = stream.set_nodelay(true);
        self.tasks.spawn(serve_connection(stream, peer, place, self.app.clone(), self.router.clone()));
    }
}

/// Returns the configured limits of connections, with fewer where the system allows fewer open files.
fn limits(app: &App) -> ConnectionLimits {
    let mut limits = app.config().server.connections.clone();
    let room = open_files::room_for(limits.all + limits.reserve);
    if room < limits.all + limits.reserve {
        limits.all = room.saturating_sub(limits.reserve).max(1);
        tracing::warn!(
            connections = limits.all,
            "the limit of open files allows fewer connections (ulimit -n)"
        );
    }
    limits
}
