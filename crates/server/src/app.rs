//! What every handler shares, and the router.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use metrics_exporter_prometheus::PrometheusHandle;
use throughline_runtime::Runtime;
use throughline_store::Store;
use tokio::sync::Notify;

use crate::{Config, Instance, guard, metrics, routes};

/// Streams that one tenant may hold open (`spec 06 §7.2`).
pub(crate) const STREAMS: usize = 100;

/// How long running answers may still wait once draining began.
const GRACE: Duration = Duration::from_secs(3);

/// What every handler shares.
pub(crate) struct App {
    pub(crate) instance: Instance,
    pub(crate) metrics: PrometheusHandle,
    /// The address that was bound: what `Host` is compared with.
    pub(crate) address: OnceLock<SocketAddr>,
    draining: AtomicBool,
    /// Rung when draining begins: streams end, connections close after what they are doing.
    pub(crate) drained: Notify,
    /// Requests being handled and streams being held, by name.
    counted: Mutex<HashMap<String, usize>>,
}

impl App {
    pub(crate) fn new(instance: Instance) -> Arc<Self> {
        Arc::new(Self {
            instance,
            metrics: metrics::recorder(),
            address: OnceLock::new(),
            draining: AtomicBool::new(false),
            drained: Notify::new(),
            counted: Mutex::default(),
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.instance.config
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.instance.runtime
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.instance.store.as_ref()
    }

    /// Takes no new requests from now on.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.drained.notify_waiters();
    }

    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    /// Ends when draining began a while ago: answers that still wait for something then have waited enough.
    pub(crate) async fn grace(&self) {
        let drained = self.drained.notified();
        if !self.draining() {
            drained.await;
        }
        tokio::time::sleep(GRACE).await;
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more of that name until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>, name: String) -> Counted {
        *self.counts().entry(name.clone()).or_default() += 1;
        Counted { app: self.clone(), name }
    }

    /// How many of that name there are.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.counts().get(name).copied().unwrap_or(0)
    }
}

/// One that is counted.
pub(crate) struct Counted {
    app: Arc<App>,
    name: String,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.app.counts();
        if let Some(count) = counts.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.name);
            }
        }
    }
}

/// Every route, behind the guards.
pub(crate) fn router(app: &Arc<App>) -> Router {
    routes::all(app)
        .layer(from_fn_with_state(app.clone(), guard::admit))
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(guard::panicked))
        .layer(axum::middleware::from_fn(guard::identify))
        .with_state(app.clone())
}
