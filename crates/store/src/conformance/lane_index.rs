//! [`LaneIndex`](crate::LaneIndex): lists of lanes, buttons, the channel's ids.

use super::Subject;
use super::fixture::{LaneWriter, attempt, delivery, lane, lane_of, put, reply, settled};
use crate::{CommitResult, SettleTo, Settlement, TokenRow, TurnCommit};

/// A tenant's lanes are listed in order of their ids, page by page, even those in which rows only wait.
pub async fn lanes_are_listed_by_tenant(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(writer.turn()).await;
    for (conversation, key) in [("C1", "a"), ("C2", "b"), ("C3", "c")] {
        s.store.accept(delivery(&lane(conversation), key)).await.unwrap();
    }
    s.store.accept(delivery(&lane_of("globex", "C4"), "d")).await.unwrap();

    let all = s.store.lanes("acme", None, 10).await.unwrap();
    let mut ids: Vec<_> = ["C1", "C2", "C3"].map(|c| lane(c).id()).into();
    ids.sort();
    assert_eq!(all.iter().map(|info| info.id.clone()).collect::<Vec<_>>(), ids);
    let page = s.store.lanes("acme", Some(&ids[0]), 1).await.unwrap();
    assert_eq!(page, all[1..2]);

    let info = s.store.lane("acme", &lane("C1").id()).await.unwrap().unwrap();
    assert_eq!((&info.key, info.revision, info.waiting, info.updated_at), (&lane("C1"), 1, 1, s.store.now()));
    let waiting = s.store.lane("acme", &lane("C2").id()).await.unwrap().unwrap();
    assert_eq!((waiting.revision, waiting.waiting), (0, 1));
    assert_eq!(s.store.lane("globex", &lane("C1").id()).await.unwrap(), None);
}

/// A person's lanes are those in which a turn names them, page by page; a turn that is not written names nobody.
pub async fn lanes_are_listed_by_participant(s: &Subject) {
    let by = |person: &str| Some(person.to_owned());
    let mut ids = Vec::new();
    for conversation in ["C1", "C2", "C3"] {
        let mut writer = LaneWriter::claim(&*s.store, &lane(conversation)).await;
        writer.commit(TurnCommit { participant: by("ana"), ..writer.turn() }).await;
        writer.commit(TurnCommit { participant: by("ana"), ..writer.turn() }).await;
        writer.commit(writer.turn()).await;
        let behind = TurnCommit { participant: by("eve"), expected_revision: 0, ..writer.turn() };
        assert_ne!(writer.try_commit(behind).await.ok(), Some(CommitResult::Committed));
        ids.push(lane(conversation).id());
    }
    ids.sort();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C4")).await;
    writer.commit(TurnCommit { participant: by("bob"), ..writer.turn() }).await;
    let mut elsewhere = LaneWriter::claim(&*s.store, &lane_of("globex", "C1")).await;
    elsewhere.commit(TurnCommit { participant: by("bob"), ..elsewhere.turn() }).await;

    let of = async |person, after, limit| {
        let lanes = s.store.lanes_of("acme", person, after, limit).await.unwrap();
        lanes.into_iter().map(|info| info.id).collect::<Vec<_>>()
    };
    assert_eq!(of("ana", None, 10).await, ids);
    assert_eq!(of("ana", Some(&ids[0]), 1).await, ids[1..2]);
    assert_eq!(of("bob", None, 10).await, [lane("C4").id()]);
    assert_eq!((of("eve", None, 10).await, of("an", None, 10).await), (vec![], vec![]));
    for (person, conversation, there) in
        [("ana", "C1", true), ("bob", "C4", true), ("bob", "C1", false), ("eve", "C1", false)]
    {
        assert_eq!(
            s.store.took_part(&lane(conversation), person).await.unwrap(),
            there,
            "{person} {conversation}"
        );
    }
    assert!(!s.store.took_part(&lane_of("globex", "C1"), "ana").await.unwrap());
    assert!(!s.store.took_part(&lane("C9"), "ana").await.unwrap());
}

/// A button is found by the hash of its token, in its own lane only.
pub async fn buttons_are_found_by_hash(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let token = TokenRow {
        hash: "ab".repeat(32),
        card: "ap_1".into(),
        version: 3,
        item: String::new(),
        action: "approve".into(),
    };
    writer.commit(TurnCommit { tokens: vec![token.clone()], ..writer.turn() }).await;
    writer.commit(TurnCommit { tokens: vec![token.clone()], ..writer.turn() }).await;
    let other = TokenRow { hash: "ef".repeat(32), action: "reject".into(), ..token.clone() };
    let next = TokenRow { hash: "01".repeat(32), version: 4, ..token.clone() };
    writer
        .commit(TurnCommit { tokens: vec![other.clone(), token.clone(), next.clone()], ..writer.turn() })
        .await;
    for shown in [token.clone(), other, next] {
        assert_eq!(s.store.token(&lane("C1"), &shown.hash).await.unwrap(), Some(shown));
    }
    assert_eq!(s.store.token(&lane("C1"), &"cd".repeat(32)).await.unwrap(), None);
    assert_eq!(s.store.token(&lane("C2"), &token.hash).await.unwrap(), None);
    assert_eq!(s.store.token(&lane_of("globex", "C1"), &token.hash).await.unwrap(), None);
}

/// The ids of a message's parts are kept in the order they were recorded; recording one twice changes nothing.
pub async fn ids_of_parts_are_kept_in_order(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "hello")];
    writer
        .commit(TurnCommit { records, ..writer.turn_with_effects(vec![reply("fx_1"), reply("fx_2")]) })
        .await;
    assert_eq!(s.store.channel_ids(&lane("C1"), "m_1").await.unwrap(), [""; 0]);
    for part in ["9.2", "9.1", "9.1"] {
        let fence = attempt(&*s.store, "fx_1").await;
        let message = Some((part.into(), "m_1".into()));
        let to = SettleTo::Retry(s.store.now());
        assert!(s.store.settle(Settlement { message, to, ..settled("fx_1", Some(fence)) }).await.unwrap());
        assert_eq!(s.store.record(&lane("C1"), "message", part).await.unwrap().as_deref(), Some("hello"));
    }
    assert_eq!(s.store.channel_ids(&lane("C1"), "m_1").await.unwrap(), ["9.2", "9.1"]);
    assert_eq!(s.store.channel_ids(&lane("C2"), "m_1").await.unwrap(), [""; 0]);
    let next = s.store.lease("w", 9).await.unwrap();
    assert_eq!(next[0].effect.row.id, "fx_1".into(), "what follows in its stream still waits");
}
