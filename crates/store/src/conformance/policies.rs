//! [`Policies`](crate::Policies): kept by version.

use super::Subject;

/// A policy that is stored under a version is not replaced.
pub async fn policies_are_kept_by_version(s: &Subject) {
    s.store.keep_policy("acme", "v1", "one").await.unwrap();
    s.store.keep_policy("acme", "v1", "other").await.unwrap();
    s.store.keep_policy("globex", "v1", "theirs").await.unwrap();
    assert_eq!(s.store.policy("acme", "v1").await.unwrap().as_deref(), Some("one"));
    assert_eq!(s.store.policy("acme", "v2").await.unwrap(), None);
}
