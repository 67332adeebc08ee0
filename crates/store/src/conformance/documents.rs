//! [`Documents`](crate::Documents): written over the version that was read, together or not at all.

use super::Subject;
use crate::Document;

fn document(key: &str, version: u64, body: &str) -> Document {
    Document::new(key, version, body)
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
        "a refused write leaves no row"
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

/// Documents come in order of their keys, beginning behind a key.
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
