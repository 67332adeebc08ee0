//! Cost of a page, which does not depend on the amount of data.

use std::sync::Arc;

use throughline_store::{MemoryStore, SqliteStore, Store, SystemClock};

use crate::store::Rigged;
use crate::support::*;

const LANES: usize = 205;

/// Over all pages, every lane appears once, newest first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_lanes_are_paged_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let clock = || Arc::new(SystemClock::default());
    let in_a_file = SqliteStore::open(folder.path().join("console.db"), clock()).unwrap();
    let inner: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new(clock())), Arc::new(in_a_file)];
    for inner in inner {
        let store = Rigged::over(inner);
        let server = Server::over(demo(), store.clone()).await;
        let mut said = Vec::new();
        for n in 0..LANES {
            let turn = server.say(&format!("k{n}"), &format!("c{n}"), "ana", "/maro help").await;
            said.push(turn["lane"].as_str().unwrap().to_owned());
        }
        // An old lane with a new message becomes the newest.
        server.say("again", "c7", "ana", "/maro status").await;
        let first = said.remove(7);
        said.push(first);
        said.reverse();

        let mut found = Vec::new();
        let mut next = Some("/console/lanes".to_owned());
        while let Some(path) = next {
            let before = store.reads();
            let page = server.page(&path).await;
            let reads = store.reads() - before;
            // One walk, 25 lane heads, the kill switch, and reads of the loops meanwhile.
            assert!(reads <= 80, "{path} read {reads} times");
            let lanes = page.links("/console/lanes/");
            assert!(lanes.len() <= 25, "{}", lanes.len());
            found.extend(lanes.iter().map(|href| href.rsplit('/').next().unwrap().to_owned()));
            next = page.links("/console/lanes?channel=&cursor=").pop();
        }
        assert_eq!(found.len(), LANES);
        assert_eq!(found, said);

        // The search for an unused channel ends after a bounded number of steps.
        let before = store.reads();
        server.page("/console/lanes?channel=web").await.says("No lane like that");
        assert!(store.reads() - before <= 20);
        server.stopped().await;
    }
}

/// A long lane opens with as many reads as a short one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_lane_is_paged() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    let mut lane = String::new();
    for n in 0..70 {
        let turn = server.say(&format!("k{n}"), "c1", "ana", &format!("/maro status {n}")).await;
        lane = turn["lane"].as_str().unwrap().to_owned();
    }
    let mut turns = Vec::new();
    let mut next = Some(format!("/console/lanes/{lane}"));
    while let Some(path) = next {
        let before = store.reads();
        let page = server.page(&path).await;
        let reads = store.reads() - before;
        assert!(reads <= 120, "{path} read {reads} times");
        let here = page.after("id=\"turns\"").links("/console/turns/");
        assert!(here.len() <= 30);
        turns.extend(here);
        next = page.links(&format!("/console/lanes/{lane}?before=")).pop();
    }
    assert_eq!(turns.len(), 70);
    server.stopped().await;
}
