//! Store that can be made read-only or slow; it passes everything else to the store inside.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::data::fact::FactKey;
use throughline_engine::{CardId, EffectId, FactId, LaneId, LaneKey, TimerId, Timestamp, TurnId};
use throughline_store::*;

pub(crate) struct Rigged {
    inner: Arc<dyn Store>,
    read_only: AtomicBool,
    /// Delay of storing an answer, in milliseconds.
    slow: AtomicU64,
    /// Number of reads.
    reads: AtomicU64,
    /// A read that finds damage.
    damaged: Mutex<Option<&'static str>>,
    /// A write that fails, and the number of its call at which it does.
    failing: Mutex<Option<(&'static str, u32)>>,
    /// Counts to answer with.
    counted: Mutex<Option<Counts>>,
}

impl Rigged {
    #[allow(dead_code, reason = "the runtime's tests bring a clock")]
    pub(crate) fn new() -> Arc<Self> {
        Self::over(Arc::new(MemoryStore::new(Arc::new(SystemClock::default()))))
    }

    pub(crate) fn over(inner: Arc<dyn Store>) -> Arc<Self> {
        let (slow, reads) = (AtomicU64::new(0), AtomicU64::new(0));
        let (failing, counted, damaged) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { inner, read_only: AtomicBool::new(false), slow, reads, damaged, failing, counted })
    }

    /// Makes writes fail as on a full disk, or succeed again.
    pub(crate) fn read_only(&self, on: bool) {
        self.read_only.store(on, Ordering::SeqCst);
    }

    /// Makes one call of a write fail: the `nth` from now on.
    #[allow(dead_code, reason = "only the runtime's tests fail so")]
    pub(crate) fn fail_once(&self, write: &'static str, nth: u32) {
        *self.failing.lock().unwrap() = Some((write, nth));
    }

    #[allow(dead_code, reason = "only the server's tests are slow")]
    pub(crate) fn answers_take(&self, time: Duration) {
        self.slow.store(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Answers with these counts from now on.
    #[allow(dead_code, reason = "only the API's tests are stuck")]
    pub(crate) fn count_as(&self, counts: Counts) {
        *self.counted.lock().unwrap() = Some(counts);
    }

    /// Makes every call of a read find damage, or of none.
    #[allow(dead_code, reason = "only the API's tests damage")]
    pub(crate) fn damage(&self, read: Option<&'static str>) {
        *self.damaged.lock().unwrap() = read;
    }

    #[allow(dead_code, reason = "only the console's tests count")]
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::SeqCst)
    }

    fn read(&self, act: &'static str) -> Result<(), StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        match *self.damaged.lock().unwrap() == Some(act) {
            true => Err(StoreError::Damaged { act, why: "database disk image is malformed".into() }),
            false => Ok(()),
        }
    }

    fn write(&self, act: &'static str) -> Result<(), StoreError> {
        if self.read_only.load(Ordering::SeqCst) {
            return Err(StoreError::ReadOnly { act, why: "database or disk is full".into() });
        }
        let mut failing = self.failing.lock().unwrap();
        if let Some((_, left)) = failing.as_mut().filter(|(write, _)| *write == act) {
            *left -= 1;
            if *left == 0 {
                *failing = None;
                return Err(StoreError::Backend { act, why: "the disk did not answer".into() });
            }
        }
        Ok(())
    }
}

macro_rules! through {
    ($($part:ident { $(read $read:ident($($r:ident: $rt:ty),*) -> $ro:ty;)* $(write $write:ident($($w:ident: $wt:ty),*) -> $wo:ty;)* })*) => {$(
        #[async_trait]
        impl $part for Rigged {
            $(async fn $read(&self, $($r: $rt),*) -> Result<$ro, StoreError> {
                self.read(stringify!($read))?;
                self.inner.$read($($r),*).await
            })*
            $(async fn $write(&self, $($w: $wt),*) -> Result<$wo, StoreError> {
                self.write(stringify!($write))?;
                if stringify!($write) == "store_response" {
                    tokio::time::sleep(Duration::from_millis(self.slow.load(Ordering::SeqCst))).await;
                }
                self.inner.$write($($w),*).await
            })*
        }
    )*};
}

type Begun = Option<(String, Option<StoredResponse>)>;

through! {
    Inbox {
        read delivery(tenant: &str, key: &str) -> Option<InboxRow>;
        read waiting(lane: &LaneKey, limit: u32) -> Vec<WaitingRow>;
        read lanes_with_work(limit: u32) -> Vec<LaneKey>;
        write accept(delivery: Delivery) -> Accepted;
        write count_failure(lane: &LaneKey, seq: Seq) -> u32;
        write forget_ended(tenant: &str, before: Timestamp, after: Option<&str>, limit: u32) -> Forgotten;
    }
    Requests {
        write begin_request(tenant: &str, key: &str, body_hash: &str) -> Begun;
        write store_response(tenant: &str, key: &str, response: StoredResponse) -> ();
        write forget_answers(tenant: &str, after: Option<&str>, limit: u32) -> Forgotten;
    }
    Lanes {
        read load(lane: &LaneKey) -> Option<StoredLane>;
        read record(lane: &LaneKey, kind: &str, key: &str) -> Option<String>;
        read records(lane: &LaneKey, kind: &str, keys: &[&str]) -> Vec<String>;
        read committed(lane: &LaneKey, row: &str) -> bool;
        write claim(lane: &LaneKey, owner: &str) -> Claim;
        write commit(turn: TurnCommit) -> CommitResult;
        write release(lane: &LaneKey, epoch: i64) -> Release;
    }
    LaneIndex {
        read lane(tenant: &str, id: &LaneId) -> Option<LaneInfo>;
        read lanes(tenant: &str, after: Option<&LaneId>, limit: u32) -> Vec<LaneInfo>;
        read lanes_of(tenant: &str, person: &str, after: Option<&LaneId>, limit: u32) -> Vec<LaneInfo>;
        read took_part(lane: &LaneKey, person: &str) -> bool;
        read channel_ids(lane: &LaneKey, message: &str) -> Vec<String>;
        read token(lane: &LaneKey, hash: &str) -> Option<TokenRow>;
    }
    TurnLog {
        read turn(tenant: &str, turn: &TurnId) -> Option<StoredTurn>;
        read turns(lane: &LaneKey, after: u64, limit: u32) -> Vec<StoredTurn>;
        read turns_before(lane: &LaneKey, before: u64, limit: u32) -> Vec<StoredTurn>;
        read turns_of_tenant(tenant: &str, after: TurnSeq, limit: u32) -> TurnPage;
        read turns_end(tenant: &str) -> TurnSeq;
        read latest_turns(tenant: &str, before: Option<TurnSeq>, limit: u32) -> LatestTurns;
        read checkpoint(lane: &LaneKey, at: u64) -> Option<(u64, String)>;
    }
    Approvals {
        read approval(tenant: &str, card: &CardId) -> Option<ApprovalRow>;
        read approvals(tenant: &str, pending: bool, limit: u32) -> Vec<ApprovalRow>;
        read awaited(lane: &LaneKey) -> Vec<ApprovalRow>;
        read released(tenant: &str, approval: &throughline_engine::data::effect::ApprovalRef) -> Option<Vec<String>>;
    }
    Outbox {
        read overdue(limit: u32) -> Vec<StoredEffect>;
        write lease(owner: &str, limit: u32) -> Vec<Leased>;
        write lease_behind(first: &Leased, count: std::ops::RangeInclusive<u32>) -> Vec<Leased>;
        write mark(tenant: &str, id: &EffectId, fence: i64, held: &[u8; 32]) -> Mark;
        write mark_together(tenant: &str, attempts: &[ToMark]) -> Vec<Mark>;
        write settle(settlement: Settlement) -> bool;
    }
    Effects {
        read effect(tenant: &str, id: &EffectId) -> Option<StoredEffect>;
        read effects(tenant: &str, lane: Option<&LaneKey>, state: Option<EffectState>, limit: u32) -> Vec<StoredEffect>;
        read unfinished(lane: &LaneKey) -> Vec<StoredEffect>;
    }
    Timers {
        read due_timers(limit: u32) -> Vec<TimerRow>;
        read next_due() -> Option<Timestamp>;
        write clear_timer(tenant: &str, id: &TimerId) -> ();
    }
    Audit {
        read audit(tenant: &str, after: i64, limit: u32) -> Vec<(i64, String)>;
        read verify_audit(tenant: &str) -> Option<i64>;
    }
    Documents {
        read document(tenant: &str, collection: &str, key: &str) -> Option<Document>;
        read documents(tenant: &str, collection: &str, after: Option<&str>, limit: u32) -> Vec<Document>;
        write write_documents(tenant: &str, writes: Vec<(String, Document)>, audit: Option<&str>) -> bool;
    }
    Facts {
        read facts(key: &FactKey, known: Option<FactsVersion>) -> Option<StoredFacts>;
        read fact_sets(tenant: &str, after: Option<&FactKey>, limit: u32) -> Vec<FactKey>;
        read fact_set_of(tenant: &str, fact: &FactId) -> Option<FactKey>;
    }
    Policies {
        read policy(tenant: &str, version: &str) -> Option<String>;
        write keep_policy(tenant: &str, version: &str, policy: &str) -> ();
    }
    KillSwitch {
        read pause(tenant: &str) -> Option<PauseRow>;
        write set_pause(tenant: &str, pause: Option<PauseRow>, audit: &str) -> ();
    }
    Erasure {
        read lanes_containing(tenant: &str, text: &str) -> Vec<LaneKey>;
        read visit(lane: &LaneKey, visitor: &mut TextVisitor<'_>) -> ();
        read erasures(tenant: &str, open: bool) -> Vec<ErasureRow>;
        write redact(lane: &LaneKey, redactor: Redactor) -> RedactionCounts;
        write redact_tenant(tenant: &str, redactor: Redactor) -> RedactionCounts;
        write vacuum() -> ();
        write request_erasure(tenant: &str, what: &str) -> i64;
        write finish_erasure(tenant: &str, number: i64, audit: &str) -> bool;
    }
}

#[async_trait]
impl Store for Rigged {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn describe(&self) -> String {
        format!("rigged {}", self.inner.describe())
    }

    async fn writable(&self) -> Result<(), StoreError> {
        self.write("write")?;
        self.inner.writable().await
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let counted = *self.counted.lock().unwrap();
        match counted {
            Some(counts) => Ok(counts),
            None => self.inner.counts().await,
        }
    }
}
