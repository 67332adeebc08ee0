//! The state that every handler shares.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use throughline_runtime::Runtime;
use throughline_store::Store;
use tokio::sync::Notify;

use crate::config::Config;
use crate::instance::Instance;
use crate::metrics;
use crate::rates::Rates;
use crate::session::ended::EndedSessions;
use crate::session::seen::SeenSessions;

/// Event streams that one person, or one program's principal, may hold open at a time.
pub(crate) const STREAMS: usize = 100;

/// Time that running answers may still wait after draining began.
const GRACE: Duration = Duration::from_secs(3);

/// State shared by every handler.
pub(crate) struct App {
    pub(crate) instance: Instance,
    pub(crate) metrics: PrometheusHandle,
    /// Address that was bound; the `Host` header is compared with it.
    pub(crate) address: OnceLock<SocketAddr>,
    draining: AtomicBool,
    /// Notified when draining begins: streams end, and connections close after their current answer.
    pub(crate) drained: Notify,
    /// Sessions of browsers that somebody signed out of.
    pub(crate) ended: EndedSessions,
    /// Sessions of browsers that this process saw.
    pub(crate) seen: SeenSessions,
    /// Rates of peers and people.
    pub(crate) rates: Rates,
    /// Requests being handled and streams being held, by name.
    counted: Mutex<HashMap<String, usize>>,
}

impl App {
    pub(crate) fn new(instance: Instance, ended: EndedSessions) -> Arc<Self> {
        let server = &instance.config.server;
        let rates = Rates::new(server.rate_per_peer, server.rate_per_person);
        Arc::new(Self {
            instance,
            metrics: metrics::recorder(),
            address: OnceLock::new(),
            draining: AtomicBool::new(false),
            drained: Notify::new(),
            ended,
            seen: SeenSessions::default(),
            rates,
            counted: Mutex::default(),
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.instance.config
    }

    /// Returns the address under which people see the pages, without a slash at its end.
    pub(crate) fn base(&self) -> String {
        let server = &self.config().server;
        let address = self.address.get().copied().unwrap_or(server.listen);
        let base = server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        base.trim_end_matches('/').to_owned()
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.instance.runtime
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.instance.store.as_ref()
    }

    /// Begins the drain: new requests are refused from now on.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.drained.notify_waiters();
    }

    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    /// Completes [`GRACE`] after draining began. Answers that still wait for a turn then stop waiting.
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

    /// Counts one more use of a name, until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>, name: String) -> CountGuard {
        *self.counts().entry(name.clone()).or_default() += 1;
        CountGuard { app: self.clone(), name }
    }

    /// Returns the number of current uses of a name.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.counts().get(name).copied().unwrap_or(0)
    }
}

/// Guard that counts one use of a name.
pub(crate) struct CountGuard {
    app: Arc<App>,
    name: String,
}

impl Drop for CountGuard {
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
