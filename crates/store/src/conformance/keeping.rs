//! Everything beside turns.

use throughline_engine::Timestamp;

use super::Subject;
use super::fixture::{Hand, delivery, lane, loose};
use crate::{Counts, Document, PauseRow, TurnCommit};

/// Switched with a row of the audit chain; of one tenant.
pub async fn the_kill_switch_is_kept(s: &Subject) {
    assert_eq!(s.store.pause("acme").await.unwrap(), None);
    let (by, reason) = ("root".to_owned(), "incident".to_owned());
    let pause = PauseRow { by, since: s.store.now(), reason, everything: true };
    s.store.set_pause("acme", Some(pause.clone()), "paused").await.unwrap();
    assert_eq!(s.store.pause("acme").await.unwrap(), Some(pause));
    assert_eq!(s.store.pause("globex").await.unwrap(), None);
    s.store.set_pause("acme", None, "resumed").await.unwrap();
    assert_eq!(s.store.pause("acme").await.unwrap(), None);
    let rows = s.store.audit("acme", 0, 10).await.unwrap();
    assert_eq!(rows, [(1, "paused".into()), (2, "resumed".into())]);
}

fn document(key: &str, version: u64, body: &str) -> Document {
    Document { key: key.into(), version, body: body.into() }
}

fn write(key: &str, version: u64, body: &str) -> (String, Document) {
    ("issues".into(), document(key, version, body))
}

/// A document is written over the version that was read, or not at all.
pub async fn documents_are_swapped(s: &Subject) {
    let get = async || s.store.document("acme", "issues", "DEMO-1").await.unwrap();
    let put = async |version, body| {
        s.store.write_documents("acme", vec![write("DEMO-1", version, body)], None).await.unwrap()
    };
    assert_eq!(get().await, None);
    assert!(!put(1, "early").await);
    assert!(put(0, "one").await);
    assert!(!put(0, "again").await);
    assert_eq!(get().await, Some(document("DEMO-1", 1, "one")));
    assert!(put(1, "two").await);
    assert!(!put(1, "late").await);
    assert_eq!(get().await, Some(document("DEMO-1", 2, "two")));
    assert_eq!(s.store.document("globex", "issues", "DEMO-1").await.unwrap(), None);
    let on_record = async |version| {
        let writes = vec![write("DEMO-1", version, "three")];
        s.store.write_documents("acme", writes, Some("written")).await.unwrap()
    };
    assert!(!on_record(1).await && on_record(2).await);
    assert_eq!(
        s.store.audit("acme", 0, 10).await.unwrap(),
        [(1, "written".into())],
        "what was not, is not told"
    );
    assert_eq!(s.store.document("acme", "projects", "DEMO-1").await.unwrap(), None);
}

/// Several documents are written together, or none.
pub async fn documents_are_written_together(s: &Subject) {
    let both = |a, b| vec![write("a", a, "a"), ("keys".into(), document("b", b, "b"))];
    assert!(s.store.write_documents("acme", both(0, 0), None).await.unwrap());
    assert!(!s.store.write_documents("acme", both(1, 7), None).await.unwrap());
    assert_eq!(s.store.document("acme", "issues", "a").await.unwrap().unwrap().version, 1);
    assert!(s.store.write_documents("acme", both(1, 1), None).await.unwrap());
    assert_eq!(s.store.document("acme", "keys", "b").await.unwrap().unwrap().version, 2);
}

/// In key order, after a key.
pub async fn documents_are_paged(s: &Subject) {
    let writes = ["c", "a", "b", "d"].map(|key| write(key, 0, key)).to_vec();
    assert!(s.store.write_documents("acme", writes, None).await.unwrap());
    assert!(
        s.store.write_documents("acme", vec![("other".into(), document("b", 0, "x"))], None).await.unwrap()
    );
    let keys = async |after, limit| {
        let page = s.store.documents("acme", "issues", after, limit).await.unwrap();
        page.into_iter().map(|document| document.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(None, 10).await, ["a", "b", "c", "d"]);
    assert_eq!(keys(None, 2).await, ["a", "b"]);
    assert_eq!(keys(Some("b"), 10).await, ["c", "d"]);
    assert_eq!(keys(Some("d"), 10).await, [""; 0]);
}

/// Rows of turns and of operations in one chain for each tenant, which verifies.
pub async fn the_audit_chain_grows(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let audit = vec!["decided 1".into(), "decided 2".into()];
    hand.commit(TurnCommit { audit, ..hand.turn() }).await;
    s.store.set_pause("acme", None, "resumed").await.unwrap();
    s.store.set_pause("globex", None, "theirs").await.unwrap();
    let rows = s.store.audit("acme", 1, 10).await.unwrap();
    assert_eq!(rows, [(2, "decided 2".into()), (3, "resumed".into())]);
    assert_eq!(s.store.audit("acme", 0, 1).await.unwrap(), [(1, "decided 1".into())]);
    for tenant in ["acme", "globex", "nobody"] {
        assert_eq!(s.store.verify_audit(tenant).await.unwrap(), None);
    }
}

/// What metrics and `doctor` show.
pub async fn counts(s: &Subject) {
    assert_eq!(s.store.counts().await.unwrap(), Counts::default());
    s.store.writable().await.unwrap();
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1"), loose("fx_2")]).await;
    s.store.accept(delivery(&lane("C2"), "k")).await.unwrap();
    s.clock.advance(Timestamp::SECOND);
    let counts = s.store.counts().await.unwrap();
    let expected =
        Counts { waiting: 1, open_effects: 2, lanes: 2, oldest_due: Timestamp::SECOND, ..Counts::default() };
    assert_eq!(counts, expected);
}
