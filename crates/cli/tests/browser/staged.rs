//! A demo in this process, whose clock only moves when it is told to and whose tracker fails as it is told to: for what
//! takes hours, and for what goes wrong. Everything else is as in the binary: the same routes, pages and loops.

use std::sync::Arc;
use std::sync::mpsc;

use throughline_engine::{Millis, Timestamp};
use throughline_server::{Config, Sources, open_tracking, serve_instance};
use throughline_store::{ManualClock, MemoryStore};
use throughline_trackers::local::{Faults, LocalTracker};
use tokio::runtime::{Builder, Runtime};

/// 2026-01-15, 10:00 UTC.
const BEGINNING: Timestamp = Timestamp(1_768_471_200_000);

/// A running demo. Dropping it stops it where it is.
pub(crate) struct Staged {
    pub(crate) url: String,
    /// What its tracker meets, and the journal of what it was asked.
    pub(crate) faults: Arc<Faults>,
    clock: Arc<ManualClock>,
    runtime: Option<Runtime>,
}

impl Staged {
    /// Starts one; its tracker promises nothing about a create that is made twice.
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

    /// Lets so much time pass, all at once.
    pub(crate) fn advance(&self, span: Millis) {
        self.clock.advance(span);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
