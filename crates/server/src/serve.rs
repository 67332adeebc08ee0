//! Server: one port, a bounded number of connections, and a drain at the end.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use throughline_store::StoreError;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::app::App;
use crate::codes;
use crate::config::Config;
use crate::connection::serve_connection;
use crate::ended_sessions::EndedSessions;
use crate::instance::{Instance, open};
use crate::router::router;
use crate::start_error::StartError;

/// Maximum number of open connections.
const CONNECTIONS: usize = 1_024;
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
    let receiving = app
        .instance
        .telegram
        .clone()
        .map(|telegram| tokio::spawn(telegram.run(app.instance.runtime.clone(), stopping)));
    let _ = app.address.set(bound);
    tracing::info!(address = %bound, store = app.store().describe(), "listening");
    ready(bound);
    let mut server = Server::new(app.clone(), listener);
    let taken_over = tokio::select! {
        () = shutdown => false,
        () = server.accept() => false,
        () = tidy(&app) => false,
        () = anchor_hourly(&app) => false,
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
    if let Some(receiving) = receiving {
        let _ = tokio::time::timeout(LAST_ANSWERS, receiving).await;
    }
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

/// Folds recorded times regularly, so that metrics stay small even if nobody reads them.
async fn tidy(app: &App) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        app.metrics.run_upkeep();
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
    for tenant in app.config().tenants() {
        if let Err(error) = app.runtime().anchor(tenant).await {
            tracing::warn!(tenant, %error, "cannot sign the newest hashes of the record");
        }
    }
}

/// Listener with its connections.
struct Server {
    app: Arc<App>,
    router: axum::Router,
    listener: TcpListener,
    permits: Arc<Semaphore>,
    connections: JoinSet<()>,
}

impl Server {
    fn new(app: Arc<App>, listener: TcpListener) -> Self {
        let router = router(&app);
        Self {
            app,
            router,
            listener,
            permits: Arc::new(Semaphore::new(CONNECTIONS)),
            connections: JoinSet::new(),
        }
    }

    /// Accepts connections without end.
    async fn accept(&mut self) {
        loop {
            while self.connections.try_join_next().is_some() {}
            if let Some(accepted) = next(&self.listener, &self.permits).await {
                self.serve(accepted);
            }
        }
    }

    /// Lets connections finish, and answers new ones with 503 meanwhile.
    async fn finish(&mut self) {
        let deadline = Instant::now() + LAST_ANSWERS;
        while !self.connections.is_empty() && Instant::now() < deadline {
            let accepted = tokio::select! {
                biased;
                _ = self.connections.join_next() => None,
                () = tokio::time::sleep_until(deadline) => None,
                accepted = next(&self.listener, &self.permits) => accepted,
            };
            if let Some(accepted) = accepted {
                self.serve(accepted);
            }
        }
        self.connections.shutdown().await;
    }

    fn serve(&mut self, Accepted { stream, peer, permit }: Accepted) {
        // Answers are small, and a client waits for each: do not delay them.
        let _ = stream.set_nodelay(true);
        let (app, router) = (self.app.clone(), self.router.clone());
        self.connections.spawn(async move {
            serve_connection(stream, peer, app, router).await;
            drop(permit);
        });
    }
}

/// Accepted connection with its permit.
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    permit: OwnedSemaphorePermit,
}

/// Accepts the next connection, once a permit is free.
async fn next(listener: &TcpListener, permits: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = permits.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some(Accepted { stream, peer, permit }),
        Err(error) => {
            // Probably out of file descriptors: other connections have to close first.
            tracing::warn!(%error, "a connection was not accepted");
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
