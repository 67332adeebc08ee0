//! A demo server in the test's process, with a manual clock and a tracker with scripted faults. Routes, pages and
//! background loops are those of the binary.

use std::sync::Arc;
use std::sync::mpsc;

use throughline_engine::{Millis, Timestamp};
use throughline_server::{Config, Sources, open_tracking, serve_instance};
use throughline_store::{ManualClock, MemoryStore};
use throughline_trackers::local::{Faults, LocalTracker};
use tokio::runtime::{Builder, Runtime};

/// 2026-01-15, 10:00 UTC.
const BEGINNING: Timestamp = Timestamp(1_768_471_200_000);

/// A running demo. Dropping it stops it at once.
pub(crate) struct InProcessServer {
    pub(crate) url: String,
    /// The faults of the tracker, and the journal of its requests.
    pub(crate) faults: Arc<Faults>,
    clock: Arc<ManualClock>,
    runtime: Option<Runtime>,
}

impl InProcessServer {
    /// Starts a demo. Its tracker makes no promise about repeated create requests.
    pub(crate) fn start() -> Self {
        let clock = Arc::new(ManualClock::at(BEGINNING));
        let faults = Arc::new(Faults::new());
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let sources = Sources { demo: true, ..Sources::default() };
        let sources = sources.flag("server.listen", "127.0.0.1:0", "--listen");
        let config = Config::load(&sources.flag("store.url", "memory:", "--store")).unwrap();
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let failing = |tracker: LocalTracker| tracker.with_faults(faults.clone()).promising_nothing();
        let instance = runtime.block_on(open_tracking(config, store, failing)).unwrap();
        let (ready, bound) = mpsc::channel();
        let told = move |address| ready.send(address).unwrap();
        runtime.spawn(async move { serve_instance(instance, told, std::future::pending()).await.unwrap() });
        let url = format!("http://{}", bound.recv().unwrap());
        Self { url, faults, clock, runtime: Some(runtime) }
    }

    /// Advances the clock.
    pub(crate) fn advance(&self, span: Millis) {
        self.clock.advance(span);
    }
}

impl Drop for InProcessServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
