//! [`Audit`](crate::Audit): one chain for each tenant.

use super::Subject;
use super::fixture::{LaneWriter, lane};
use crate::TurnCommit;

/// Rows of turns and of operations are in one chain for each tenant, and it verifies.
pub async fn the_audit_chain_grows(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let audit = vec!["decided 1".into(), "decided 2".into()];
    writer.commit(TurnCommit { audit, ..writer.turn() }).await;
    s.store.set_pause("acme", None, "resumed").await.unwrap();
    s.store.set_pause("globex", None, "theirs").await.unwrap();
    let rows = s.store.audit("acme", 1, 10).await.unwrap();
    assert_eq!(rows, [(2, "decided 2".into()), (3, "resumed".into())]);
    assert_eq!(s.store.audit("acme", 0, 1).await.unwrap(), [(1, "decided 1".into())]);
    for tenant in ["acme", "globex", "nobody"] {
        assert_eq!(s.store.verify_audit(tenant).await.unwrap(), None);
    }
}
