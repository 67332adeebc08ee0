//! Claims, records and what is found by its name.

use throughline_engine::LaneKey;

use super::Subject;
use super::fixture::{Hand, delivery, done, lane, lane_of, put};
use crate::{Claim, CommitResult, LANE_LEASE, RecordWrite, Release, Store, TokenRow, TurnCommit, Write};

fn epoch(claim: Claim) -> i64 {
    match claim {
        Claim::Ours { epoch, .. } => epoch,
        Claim::Held { until } => panic!("held until {until:?}"),
    }
}

/// One writer per lane; other lanes are not touched.
pub async fn a_claim_keeps_others_out(s: &Subject) {
    let ours = s.store.claim(&lane("C1"), "a").await.unwrap();
    assert!(matches!(ours, Claim::Ours { epoch: 1.., revision: 0 }));
    let until = s.store.now().plus(LANE_LEASE);
    assert_eq!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { until });
    assert!(matches!(s.store.claim(&lane("C2"), "b").await.unwrap(), Claim::Ours { .. }));
    assert!(matches!(s.store.claim(&lane_of("globex", "C1"), "b").await.unwrap(), Claim::Ours { .. }));
}

/// When the lease is over anybody may claim, under a higher epoch.
pub async fn a_claim_ends_with_its_lease(s: &Subject) {
    let first = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
    s.clock.advance(1);
    let second = epoch(s.store.claim(&lane("C1"), "b").await.unwrap());
    assert!(second > first);
    s.clock.advance(LANE_LEASE);
    assert!(epoch(s.store.claim(&lane("C1"), "b").await.unwrap()) > second, "also for its last owner");
}

/// A heartbeat keeps epoch and claim.
pub async fn claiming_again_extends(s: &Subject) {
    let first = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    s.clock.advance(LANE_LEASE - 1);
    assert_eq!(epoch(s.store.claim(&lane("C1"), "a").await.unwrap()), first);
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
}

/// However long its owner slept, a commit under an old epoch is fenced.
pub async fn only_the_claim_commits(s: &Subject) {
    let mut sleeper = Hand::of("a", &*s.store, &lane("C1")).await;
    s.clock.advance(LANE_LEASE);
    let mut heir = Hand::of("b", &*s.store, &lane("C1")).await;
    assert_eq!(sleeper.try_commit(sleeper.turn()).await.unwrap(), CommitResult::Fenced);
    heir.commit(heir.turn()).await;
    assert_eq!(sleeper.try_commit(sleeper.turn()).await.unwrap(), CommitResult::Fenced);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);

    let unclaimed = Hand { lane: lane("C9"), epoch: 0, ..heir };
    let turn = TurnCommit { expected_revision: 0, ..unclaimed.turn() };
    assert_eq!(s.store.commit(turn).await.unwrap(), CommitResult::Fenced);
}

/// Who let go has nothing to commit any more, even when nobody came after.
pub async fn a_released_claim_commits_nothing(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    assert_eq!(s.store.release(&lane("C1"), hand.epoch).await.unwrap(), Release::Released);
    assert_eq!(hand.try_commit(hand.turn()).await.unwrap(), CommitResult::Fenced);
    let again = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    assert!(again > hand.epoch);
}

/// Working is its own heartbeat. A claim whose lease is over still commits while nobody else has claimed.
pub async fn a_commit_extends_the_claim(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    s.clock.advance(LANE_LEASE);
    hand.commit(hand.turn()).await;
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
}

/// A message between the last look and the release is seen by the release.
pub async fn release_looks_for_work(s: &Subject) {
    let lane = lane("C1");
    let mut hand = Hand::on(&*s.store, &lane).await;
    s.store.accept(delivery(&lane, "k")).await.unwrap();
    assert_eq!(s.store.release(&lane, hand.epoch).await.unwrap(), Release::HasWork);
    assert!(matches!(s.store.claim(&lane, "b").await.unwrap(), Claim::Held { .. }), "still ours");
    let seq = s.store.waiting(&lane, 1).await.unwrap()[0].seq;
    hand.commit(TurnCommit { inbox: vec![done(seq)], ..hand.turn() }).await;
    assert_eq!(s.store.release(&lane, hand.epoch - 1).await.unwrap(), Release::NotOurs);
    assert_eq!(s.store.release(&lane, hand.epoch).await.unwrap(), Release::Released);
    assert_eq!(s.store.release(&lane, hand.epoch).await.unwrap(), Release::NotOurs);
    assert!(matches!(s.store.claim(&lane, "b").await.unwrap(), Claim::Ours { .. }));
}

/// Handles a lane until the store lets go of it; somebody else holding it is reason enough to leave.
fn drive(store: &dyn Store, lane: &throughline_engine::LaneKey, owner: &str) {
    super::block_on(async {
        while let Claim::Ours { .. } = store.claim(lane, owner).await.unwrap() {
            let mut hand = Hand::of(owner, store, lane).await;
            let rows = store.waiting(lane, 100).await.unwrap();
            let inbox = rows.iter().map(|row| done(row.seq)).collect();
            hand.commit(TurnCommit { inbox, ..hand.turn() }).await;
            if store.release(lane, hand.epoch).await.unwrap() == Release::Released {
                return;
            }
        }
    });
}

/// Three owners, each driven only by its own messages: whoever is kept out may leave, and still nothing stays.
pub async fn a_message_is_never_stranded(s: &Subject) {
    let lane = lane("C1");
    std::thread::scope(|scope| {
        for owner in ["a", "b", "c"] {
            let (store, lane) = (s.store.clone(), lane.clone());
            scope.spawn(move || {
                for n in 0..40 {
                    super::block_on(store.accept(delivery(&lane, &format!("{owner}{n}")))).unwrap();
                    drive(&*store, &lane, owner);
                }
            });
        }
    });
    assert_eq!(s.store.waiting(&lane, 200).await.unwrap(), []);
    assert_eq!(s.store.counts().await.unwrap().waiting, 0);
}

/// A lane that nothing has happened in has nothing to load.
pub async fn nothing_is_loaded_before_a_turn(s: &Subject) {
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    s.store.accept(delivery(&lane("C1"), "k")).await.unwrap();
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    hand.commit(hand.turn()).await;
    let stored = s.store.load(&lane("C1")).await.unwrap().unwrap();
    assert_eq!((stored.revision, stored.head.as_str(), stored.records.len()), (1, "head 1", 0));
    assert_eq!(stored.log_hash, hand.hash);
}

/// Put is loaded, retired is only found, dropped is gone.
pub async fn records_are_put_retired_and_dropped(s: &Subject) {
    let lane = lane("C1");
    let mut hand = Hand::on(&*s.store, &lane).await;
    let records =
        vec![put("task", "t_1", "task"), put("message", "m_1", "one"), put("message", "m_2", "two")];
    hand.commit(TurnCommit { records, ..hand.turn() }).await;
    assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, ["one", "two", "task"]);

    let records = vec![
        put("message", "m_2", "two, edited"),
        RecordWrite { kind: "message", key: "m_1".into(), write: Write::Retire },
        RecordWrite { kind: "task", key: "t_1".into(), write: Write::Drop },
        RecordWrite { kind: "task", key: "t_9".into(), write: Write::Retire },
        RecordWrite { kind: "task", key: "t_9".into(), write: Write::Drop },
    ];
    hand.commit(TurnCommit { records, ..hand.turn() }).await;
    assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, ["two, edited"]);
    assert_eq!(s.store.record(&lane, "message", "m_1").await.unwrap().as_deref(), Some("one"));
    assert_eq!(s.store.record(&lane, "message", "m_2").await.unwrap().as_deref(), Some("two, edited"));
    assert_eq!(s.store.record(&lane, "task", "t_1").await.unwrap(), None);
    assert_eq!(s.store.record(&super::fixture::lane("C2"), "message", "m_1").await.unwrap(), None);
}

/// A retired record that is written again is loaded again; retired again it holds the newer bytes.
pub async fn a_record_put_again_is_loaded_again(s: &Subject) {
    let lane = lane("C1");
    let mut hand = Hand::on(&*s.store, &lane).await;
    let retire = || vec![RecordWrite { kind: "message", key: "m_1".into(), write: Write::Retire }];
    for body in ["one", "two"] {
        hand.commit(TurnCommit { records: vec![put("message", "m_1", body)], ..hand.turn() }).await;
        assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, [body]);
        hand.commit(TurnCommit { records: retire(), ..hand.turn() }).await;
        assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, [""; 0]);
        assert_eq!(s.store.record(&lane, "message", "m_1").await.unwrap().as_deref(), Some(body));
    }
}

/// A message is found by its own id and by the channel's, in its lane only.
pub async fn messages_are_found_by_the_channels_id(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "one"), put("task", "t_1", "task")];
    let message_map = vec![("1700.1".into(), "m_1".into()), ("1700.2".into(), "m_gone".into())];
    hand.commit(TurnCommit { records, message_map, ..hand.turn() }).await;
    for key in ["m_1", "1700.1"] {
        assert_eq!(s.store.record(&lane("C1"), "message", key).await.unwrap().as_deref(), Some("one"));
    }
    assert_eq!(s.store.record(&lane("C1"), "message", "1700.2").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C1"), "task", "1700.1").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C2"), "message", "1700.1").await.unwrap(), None);
    let records = vec![RecordWrite { kind: "message", key: "m_1".into(), write: Write::Retire }];
    hand.commit(TurnCommit { records, ..hand.turn() }).await;
    assert_eq!(s.store.record(&lane("C1"), "message", "1700.1").await.unwrap().as_deref(), Some("one"));
}

/// Lanes in id order, page by page, of one tenant; also one that only has waiting rows.
pub async fn lanes_are_listed_by_tenant(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.commit(hand.turn()).await;
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

/// Each lane once, by its newest turn, newest first, in its tenant only. A page may be short while there is more.
pub async fn the_latest_turns_come_first(s: &Subject) {
    let acme = [lane("C1"), lane("C2"), lane("C3")];
    let mut hands = Vec::new();
    for lane in &acme {
        hands.push(Hand::on(&*s.store, lane).await);
    }
    for n in [0, 1, 2, 1, 0] {
        let turn = hands[n].turn();
        hands[n].commit(turn).await;
    }
    let elsewhere = lane_of("globex", "C4");
    let mut other = Hand::on(&*s.store, &elsewhere).await;
    other.commit(other.turn()).await;
    s.store.accept(delivery(&lane("C5"), "waits")).await.unwrap();

    let expected = [(lane("C1"), 2), (lane("C2"), 2), (lane("C3"), 1)];
    assert_eq!(walk(s, "acme", 10).await, expected);
    assert_eq!(walk(s, "acme", 1).await, expected);
    assert_eq!(walk(s, "globex", 1).await, [(elsewhere, 1)]);
    assert_eq!(walk(s, "nobody", 1).await, []);

    // What comes meanwhile moves its lane to the front; it is not met again further down.
    let first = s.store.latest("acme", None, 1).await.unwrap();
    let turn = hands[0].turn();
    hands[0].commit(turn).await;
    let second = s.store.latest("acme", first.next, 1).await.unwrap();
    assert_eq!((&second.turns[0].1.lane, second.turns[0].1.revision), (&lane("C2"), 2));
}

/// Every page of the latest turns.
async fn walk(s: &Subject, tenant: &str, limit: u32) -> Vec<(LaneKey, u64)> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = s.store.latest(tenant, before, limit).await.unwrap();
        assert!(page.turns.len() <= limit as usize);
        all.extend(page.turns.into_iter().map(|(_, turn)| (turn.lane, turn.revision)));
        match page.next {
            Some(next) => before = Some(next),
            None => return all,
        }
    }
}

/// A button is found by its token's hash, in its lane only.
pub async fn buttons_are_found_by_hash(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let token = TokenRow {
        hash: "ab".repeat(32),
        card: "ap_1".into(),
        version: 3,
        item: String::new(),
        action: "approve".into(),
    };
    hand.commit(TurnCommit { tokens: vec![token.clone()], ..hand.turn() }).await;
    hand.commit(TurnCommit { tokens: vec![token.clone()], ..hand.turn() }).await;
    let other = TokenRow { hash: "ef".repeat(32), action: "reject".into(), ..token.clone() };
    let next = TokenRow { hash: "01".repeat(32), version: 4, ..token.clone() };
    hand.commit(TurnCommit { tokens: vec![other.clone(), token.clone(), next.clone()], ..hand.turn() }).await;
    for shown in [token.clone(), other, next] {
        assert_eq!(s.store.token(&lane("C1"), &shown.hash).await.unwrap(), Some(shown));
    }
    assert_eq!(s.store.token(&lane("C1"), &"cd".repeat(32)).await.unwrap(), None);
    assert_eq!(s.store.token(&lane("C2"), &token.hash).await.unwrap(), None);
    assert_eq!(s.store.token(&lane_of("globex", "C1"), &token.hash).await.unwrap(), None);
}

/// A policy stays what it was under its version.
pub async fn policies_are_kept_by_version(s: &Subject) {
    s.store.keep_policy("acme", "v1", "one").await.unwrap();
    s.store.keep_policy("acme", "v1", "other").await.unwrap();
    s.store.keep_policy("globex", "v1", "theirs").await.unwrap();
    assert_eq!(s.store.policy("acme", "v1").await.unwrap().as_deref(), Some("one"));
    assert_eq!(s.store.policy("acme", "v2").await.unwrap(), None);
}
