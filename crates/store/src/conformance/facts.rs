//! [`Facts`](crate::Facts): written with a turn, compared by their own revision.

use throughline_engine::data::fact::{FactKey, FactScope};
use throughline_engine::{FactId, Timestamp};

use super::Subject;
use super::fixture::{LaneWriter, assert_refused, lane, lane_of};
use crate::{CommitResult, FactBody, FactsVersion, FactsWrite, Store, StoredFacts, TurnCommit};

fn key(id: &str) -> FactKey {
    FactKey { tenant: "acme".into(), scope: FactScope::Channel, scope_id: id.into() }
}

fn body(text: &str) -> Option<FactBody> {
    Some(FactBody { body: text.into(), used_at: None })
}

fn write(id: &str, expected: u64, entries: &[(&str, Option<FactBody>)]) -> FactsWrite {
    let entries = entries.iter().map(|(id, body)| ((*id).to_owned(), body.clone())).collect();
    FactsWrite { key: key(id), expected, entries, used: Vec::new(), used_at: Timestamp(0) }
}

fn turn(writer: &LaneWriter<'_>, facts: Vec<FactsWrite>) -> TurnCommit {
    TurnCommit { facts, ..writer.turn() }
}

async fn read(store: &dyn Store, id: &str) -> StoredFacts {
    store.facts(&key(id), None).await.unwrap().unwrap_or_default()
}

fn texts(set: &StoredFacts) -> Vec<(&str, &str)> {
    set.entries.iter().map(|(id, entry)| (id.as_str(), entry.body.as_str())).collect()
}

/// A turn's facts are written with it; each write raises the set's revision by one and leaves other sets alone.
pub async fn facts_are_written_with_a_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_eq!(read(&*s.store, "C1").await, StoredFacts::default());
    writer.commit(turn(&writer, vec![write("C1", 0, &[("f1-b", body("two")), ("f1-a", body("one"))])])).await;
    let first = read(&*s.store, "C1").await;
    assert_eq!((first.version.revision, texts(&first)), (1, vec![("f1-a", "one"), ("f1-b", "two")]));
    writer.commit(turn(&writer, vec![write("C1", 1, &[("f1-a", None), ("f1-b", body("2"))])])).await;
    let second = read(&*s.store, "C1").await;
    assert_eq!((second.version.revision, texts(&second)), (2, vec![("f1-b", "2")]));
    assert_eq!(read(&*s.store, "C2").await, StoredFacts::default());
}

/// A set that moved since it was read refuses the turn, and nothing of the turn is there.
pub async fn facts_that_moved_refuse_the_turn(s: &Subject) {
    let mut one = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    one.commit(turn(&one, vec![write("C", 0, &[("f1-a", body("one"))])])).await;
    let late =
        turn(&other, vec![write("C", 0, &[("f1-b", body("two"))]), write("D", 0, &[("f1-c", body("x"))])]);
    assert_eq!(other.try_commit(late).await.unwrap(), CommitResult::RevisionMoved);
    assert_eq!(texts(&read(&*s.store, "C").await), [("f1-a", "one")]);
    assert_eq!(read(&*s.store, "D").await, StoredFacts::default());
    assert_eq!(s.store.load(&lane("C2")).await.unwrap().map_or(0, |lane| lane.revision), 0);
    other.commit(turn(&other, vec![write("C", 1, &[("f1-b", body("two"))])])).await;
    assert_eq!(read(&*s.store, "C").await.entries.len(), 2);
}

/// A time of use only rises and needs no revision; a fact that is gone is passed over.
pub async fn using_facts_needs_no_revision(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(turn(&writer, vec![write("C", 0, &[("f1-a", body("one")), ("f1-b", body("two"))])])).await;
    let used = |ids: &[&str], at: i64| {
        let used: Vec<FactId> = ids.iter().map(|id| FactId::from(*id)).collect();
        vec![FactsWrite { used, used_at: Timestamp(at), ..write("C", 77, &[]) }]
    };
    let version = read(&*s.store, "C").await.version;
    assert_eq!(s.store.facts(&key("C"), Some(version)).await.unwrap(), None, "nothing is read twice");
    writer.commit(turn(&writer, used(&["f1-a", "f1-gone"], 50))).await;
    let after = s.store.facts(&key("C"), Some(version)).await.unwrap().expect("a use is seen");
    assert_eq!(after.version, FactsVersion { used: version.used + 1, ..version });
    let at = |set: &StoredFacts| set.entries.iter().map(|(_, one)| one.used_at).collect::<Vec<_>>();
    assert_eq!(at(&after), [Some(Timestamp(50)), None]);
    writer.commit(turn(&writer, used(&["f1-a"], 40))).await;
    assert_eq!(read(&*s.store, "C").await, after, "it never goes back");
    writer.commit(turn(&writer, vec![write("C", 1, &[("f1-a", body("uno"))])])).await;
    assert_eq!(
        at(&read(&*s.store, "C").await),
        [Some(Timestamp(50)), None],
        "writing a fact does not forget it"
    );
}

/// A tenant neither reads nor writes another tenant's facts.
pub async fn facts_belong_to_a_tenant(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(turn(&writer, vec![write("C", 0, &[("f1-a", body("one"))])])).await;
    let theirs = FactKey { tenant: "globex".into(), ..key("C") };
    assert_eq!(s.store.facts(&theirs, None).await.unwrap().unwrap_or_default(), StoredFacts::default());
    assert_eq!(s.store.fact_set_of("globex", &"f1-a".into()).await.unwrap(), None);
    let mut globex = LaneWriter::claim(&*s.store, &lane_of("globex", "C1")).await;
    let foreign = turn(&globex, vec![write("C", 1, &[("f1-a", body("mine"))])]);
    assert_refused(globex.try_commit(foreign).await);
    assert_eq!(texts(&read(&*s.store, "C").await), [("f1-a", "one")]);
}

/// Sets are listed in order, and a fact leads to its set.
pub async fn sets_of_facts_are_found(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for (n, id) in ["b", "a", "c"].iter().enumerate() {
        writer.commit(turn(&writer, vec![write(id, 0, &[(format!("f1-{n}").as_str(), body("x"))])])).await;
    }
    assert_eq!(s.store.fact_sets("acme", None, 2).await.unwrap(), [key("a"), key("b")]);
    assert_eq!(s.store.fact_sets("acme", Some(&key("b")), 9).await.unwrap(), [key("c")]);
    assert_eq!(s.store.fact_set_of("acme", &"f1-1".into()).await.unwrap(), Some(key("a")));
    assert_eq!(s.store.fact_set_of("acme", &"f1-9".into()).await.unwrap(), None);
}
