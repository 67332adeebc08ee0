//! [`Store`](crate::Store): counts and a tried write.

use throughline_engine::Timestamp;

use super::Subject;
use super::fixture::{LaneWriter, delivery, lane, loose};
use crate::Counts;

/// Counts are over all tenants.
pub async fn counts(s: &Subject) {
    assert_eq!(s.store.counts().await.unwrap(), Counts::default());
    s.store.writable().await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1"), loose("fx_2")]).await;
    s.store.accept(delivery(&lane("C2"), "k")).await.unwrap();
    s.clock.advance(Timestamp::SECOND);
    let counts = s.store.counts().await.unwrap();
    let expected =
        Counts { waiting: 1, open_effects: 2, lanes: 2, oldest_due: Timestamp::SECOND, ..Counts::default() };
    assert_eq!(counts, expected);
}
