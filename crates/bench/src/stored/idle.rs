//! Stores with very many idle lanes, each made by one real turn of the production runtime.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::ensure;
use throughline_engine::LaneKey;
use throughline_store::{SqliteStore, Store as _, SystemClock};

use crate::frame::{block_on, note, number};
use crate::load::{Bench, Delivered, Kind};

/// Lanes that are made at once.
const AT_ONCE: usize = 256;

/// One database that grows: stores of more and more idle lanes are copies of it.
pub(crate) struct Idle {
    path: PathBuf,
    lanes: usize,
}

impl Idle {
    /// Returns an empty one, kept in that folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("idle-lanes.db"), lanes: 0 }
    }

    /// Returns the n-th idle lane.
    pub(crate) fn lane(n: usize) -> LaneKey {
        LaneKey::new("t0", "app", "api", &format!("c{n}"), "")
    }

    /// Makes a store of that many idle lanes, no fewer than the one before.
    pub(crate) fn store(&mut self, path: &Path, lanes: usize) -> anyhow::Result<()> {
        let began = Instant::now();
        let made = self.lanes;
        block_on(grow(&self.path, made, lanes))??;
        self.lanes = lanes;
        std::fs::copy(&self.path, path)?;
        let seconds = number(began.elapsed().as_secs_f64(), 0);
        note(&format!("a store of {} idle lanes took {seconds} s", number(lanes as f64, 0)));
        Ok(())
    }
}

async fn grow(path: &Path, from: usize, to: usize) -> anyhow::Result<()> {
    let bench = Bench::open(path, Delivered::ByCommit)?;
    let next = Arc::new(AtomicUsize::new(from));
    let tasks: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (next, talk) = (next.clone(), bench.talk(Idle::lane(from)));
            tokio::spawn(async move {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= to {
                        return anyhow::Ok(());
                    }
                    Kind::Reply.go(&talk.to(Idle::lane(n))).await?;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    bench.close().await;
    let store = SqliteStore::open(path, Arc::new(SystemClock::default()))?;
    let counted = store.counts().await?.lanes;
    ensure!(counted == to as u64, "{counted} lanes were made instead of {to}");
    Ok(())
}
