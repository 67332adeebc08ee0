//! Taking words out of what is kept.

use std::sync::{Arc, Mutex};

use throughline_engine::approval::Approval;
use throughline_engine::effect::EffectClass;
use throughline_engine::workflow::Action;

use super::Subject;
use super::fixture::{Hand, approval, create, delivery, effect, lane, lease_ids, loose, perform, put};
use crate::{
    Accepted, ApprovalState, Document, EffectState, ErasureRow, Fate, Holds, InboxEnd, Judge, Kept,
    RecordWrite, RowState, Sifted, StoredResponse, TurnCommit, Write,
};

/// A word that is looked for, and must not be there afterwards.
const WORD: &str = "kestrelgate";

/// What holds the word is rewritten where it can be, and erased else.
fn judge() -> Judge {
    Arc::new(|kept| match &kept.what {
        _ if !kept.text.contains(WORD) => Fate::Keep,
        Holds::Approval | Holds::Decided | Holds::Record | Holds::Answer { .. } | Holds::Document { .. } => {
            Fate::Rewrite(kept.text.replace(WORD, "[erased]"))
        }
        _ => Fate::Erase,
    })
}

async fn texts(s: &Subject) -> Vec<String> {
    let mut texts = Vec::new();
    let mut look = |kept: &Kept<'_>| texts.push(format!("{:?} {}", kept.what, kept.text));
    s.store.look(&lane("C1"), &mut look).await.unwrap();
    texts
}

fn says(key: &str) -> String {
    format!("{key} {WORD}")
}

/// Two turns that hold the word wherever one can, and one that does not. Leaves one effect done, one planned, one
/// approved and planned.
async fn full<'a>(s: &'a Subject) -> Hand<'a> {
    let store = &*s.store;
    let mut full = delivery(&lane("C1"), "refused");
    full.event = says("event");
    full.limit = Some(crate::QueueLimit { max: 0, notice_key: "notice".into(), notice: "notice".into() });
    let Accepted::Full(_) = store.accept(full).await.unwrap() else { panic!("the queue is full") };
    let mut hand = Hand::on(store, &lane("C1")).await;
    let asked = Approval { payload: says("payload"), ..approval("ap_1", 1, None) };
    let (mut done, mut planned) = (loose("fx_1"), loose("fx_2"));
    (done.payload, planned.payload) = (says("done"), says("planned"));
    let mut turn = hand.planning(vec![done, planned, loose("fx_3")]);
    turn.approvals = vec![throughline_engine::approval::ApprovalChange::Open(asked)];
    turn.inbox = vec![InboxEnd { seq: 2, state: RowState::Done }];
    turn.log.content = says("content");
    turn.checkpoint = Some(says("state"));
    turn.records = vec![
        put("message", "m_1_0", &says("message")),
        put("task", "t_1_0", &says("task")),
        put("card", "c", "free"),
    ];
    turn.message_map = vec![("channel-77".into(), "m_1_0".into())];
    hand.commit(turn).await;
    let leased = store.lease("w", 1).await.unwrap();
    let fence = leased[0].fence;
    store.mark("acme", &"fx_1".into(), fence).await.unwrap();
    let mut settled = super::fixture::ends("fx_1", Some(fence), EffectState::Done);
    settled.to = crate::SettleTo::End(EffectState::Done, says("outcome"));
    assert!(store.settle(settled).await.unwrap());
    let retire = |kind, key: &str| RecordWrite { kind, key: key.into(), write: Write::Retire };
    let turn = TurnCommit { records: vec![retire("message", "m_1_0"), retire("card", "c")], ..hand.turn() };
    hand.commit(turn).await;
    hand
}

/// Everything that may hold words is shown, but the head and the loaded records.
pub async fn whatever_may_hold_words_is_shown(s: &Subject) {
    let _hand = full(s).await;
    let shown = texts(s).await;
    for held in ["content", "state", "message", "event", "done", "planned", "outcome", "payload"] {
        let holding = shown.iter().filter(|text| text.contains(&says(held))).count();
        assert_eq!(holding, 1, "{held}: {shown:#?}");
    }
    assert!(!shown.iter().any(|text| text.contains("task") || text.contains("head")), "{shown:#?}");
    assert!(!shown.iter().any(|text| text.contains("channel-77")), "the channel's ids are ids: {shown:#?}");
}

/// What goes is gone, what stays is as it was, and a second time there is nothing left to do.
pub async fn what_is_judged_is_done(s: &Subject) {
    let mut hand = full(s).await;
    let before = texts(s).await;
    let sifted = s.store.sift(&lane("C1"), judge()).await.unwrap();
    let expected = Sifted {
        contents: 1,
        checkpoints: 1,
        records: 1,
        events: 1,
        effects: 3,
        approvals: 1,
        ..Sifted::default()
    };
    assert_eq!(sifted, expected);
    let after = texts(s).await;
    assert!(!after.iter().any(|text| text.contains(WORD)), "{after:#?}");
    let free: Vec<&String> = before.iter().filter(|text| !text.contains(WORD)).collect();
    assert!(free.iter().all(|text| after.contains(text)), "{before:#?} {after:#?}");
    assert_eq!(s.store.sift(&lane("C1"), judge()).await.unwrap(), Sifted::default());

    let turns = s.store.turns(&lane("C1"), 0, 10).await.unwrap();
    assert_eq!((turns[0].log.content.as_str(), turns[0].log.salt.as_str()), ("", ""));
    assert_eq!(turns[1].log.content, "content 2");
    assert_eq!(s.store.checkpoint(&lane("C1"), 1).await.unwrap(), None);
    assert_eq!(
        s.store.record(&lane("C1"), "message", "channel-77").await.unwrap().as_deref(),
        Some("message [erased]")
    );
    assert_eq!(
        s.store.record(&lane("C1"), "task", "t_1_0").await.unwrap(),
        Some(says("task")),
        "it is loaded"
    );
    let row = s.store.delivery("acme", "refused").await.unwrap().unwrap();
    assert_eq!((row.state, row.event.as_str()), (RowState::Refused, ""), "still known as a duplicate");
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.row.payload.as_str(), effect.outcome), (EffectState::Done, "", None));
    assert_eq!(hand.state("fx_2").await, EffectState::Cancelled);
    assert_eq!(lease_ids(&*s.store).await, ["fx_3"]);
    let approval = s.store.approval("acme", &"ap_1".into()).await.unwrap().unwrap();
    assert_eq!(
        (approval.approval.payload.as_str(), approval.state),
        ("payload [erased]", ApprovalState::Cancelled)
    );
    hand.commit(hand.turn()).await;
}

/// What leaves the thread and is on its way keeps its lease: how it ends is still taken in.
pub async fn what_is_on_its_way_may_arrive(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.open(approval("ap_1", 1, None)).await;
    let mut out = create("fx_1", "ap_1", 1);
    out.payload = says("issue");
    hand.approve("ap_1", 1, vec![out]).await;
    let fence = super::fixture::attempt(&*s.store, "fx_1").await;
    let mut said = effect("fx_2", EffectClass::Reply, "lane");
    said.payload = says("reply");
    hand.plan(vec![said]).await;
    let late = super::fixture::attempt(&*s.store, "fx_2").await;
    let sifted = s.store.sift(&lane("C1"), judge()).await.unwrap();
    assert_eq!(sifted, Sifted { effects: 2, ..Sifted::default() });
    assert_eq!(
        (hand.state("fx_1").await, hand.state("fx_2").await),
        (EffectState::Attempted, EffectState::Cancelled)
    );
    assert!(s.store.settle(super::fixture::settled("fx_1", Some(fence))).await.unwrap());
    assert!(!s.store.settle(super::fixture::settled("fx_2", Some(late))).await.unwrap(), "its lease is lost");
}

/// What would go out may be rewritten, and is then what goes out.
pub async fn a_rewritten_payload_goes_out(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let mut row = loose("fx_1");
    row.payload = says("ask");
    hand.plan(vec![row]).await;
    let rewrite: Judge = Arc::new(|kept| match kept.what {
        Holds::Payload { .. } => Fate::Rewrite(kept.text.replace(WORD, "[erased]")),
        _ => Fate::Keep,
    });
    assert_eq!(s.store.sift(&lane("C1"), rewrite).await.unwrap().effects, 1);
    perform(&*s.store, "fx_1", EffectState::Done).await;
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!(effect.row.payload, "ask [erased]");
}

/// Approvals keep what was decided; nobody takes one away.
pub async fn an_approval_is_never_erased(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.open(approval("ap_1", 1, None)).await;
    hand.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1)]).await;
    let erase: Judge = Arc::new(|kept| match kept.what {
        Holds::Approval => Fate::Erase,
        _ => Fate::Keep,
    });
    super::fixture::assert_refused(s.store.sift(&lane("C1"), erase).await);
    let rewrite: Judge = Arc::new(|kept| match kept.what {
        Holds::Decided => Fate::Rewrite(kept.text.replace("ana", "[erased]")),
        _ => Fate::Keep,
    });
    assert_eq!(s.store.sift(&lane("C1"), rewrite).await.unwrap().approvals, 1);
    let row = s.store.approval("acme", &"ap_1".into()).await.unwrap().unwrap();
    let ApprovalState::Decided { change } = row.state else { panic!("it stays decided") };
    let throughline_engine::approval::ApprovalChange::Decide { action, by, .. } = change else { panic!() };
    assert_eq!((action, by.name.as_str()), (Action::Approve, "[erased]"));
}

/// A tenant's own: answers to requests, with the turn each led to, and documents.
pub async fn what_is_a_tenants_is_shown_and_judged(s: &Subject) {
    let mut first = delivery(&lane("C1"), "http:1");
    first.body_hash = Some("00".repeat(32));
    let Accepted::New(seq) = s.store.accept(first).await.unwrap() else { panic!("it is new") };
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.commit(TurnCommit { inbox: vec![super::fixture::done(seq)], ..hand.turn() }).await;
    let answer = |body: String| StoredResponse { status: 200, body };
    s.store.respond("acme", "http:1", answer(says("turn"))).await.unwrap();
    s.store.begin("acme", "http:2", &"11".repeat(32)).await.unwrap();
    s.store.respond("acme", "http:2", answer("free".into())).await.unwrap();
    let document = |key: &str, body: &str| {
        ("notes".to_owned(), Document { key: key.into(), version: 0, body: body.into() })
    };
    let writes = vec![document("a", &says("note")), document("b", "free"), document("gone", "free")];
    assert!(s.store.write_documents("acme", writes, None).await.unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let judge: Judge = Arc::new(move |kept| {
        noted.lock().unwrap().push(format!("{:?}", kept.what));
        match kept.what {
            Holds::Document { key: "gone", .. } => Fate::Erase,
            _ if kept.text.contains(WORD) => Fate::Rewrite(kept.text.replace(WORD, "[erased]")),
            _ => Fate::Keep,
        }
    });
    let sifted = s.store.sift_tenant("acme", judge).await.unwrap();
    assert_eq!(sifted, Sifted { answers: 1, documents: 2, ..Sifted::default() });
    let turn = format!("{:?}", Holds::Answer { turn: Some((lane("C1").id(), 1)) });
    assert!(seen.lock().unwrap().contains(&turn), "{seen:?}");
    let row = s.store.delivery("acme", "http:1").await.unwrap().unwrap();
    assert_eq!(row.response, Some(answer("turn [erased]".into())));
    let note = s.store.document("acme", "notes", "a").await.unwrap().unwrap();
    assert_eq!((note.version, note.body.as_str()), (2, "note [erased]"));
    assert_eq!(s.store.document("acme", "notes", "gone").await.unwrap(), None);
    assert_eq!(s.store.document("acme", "notes", "b").await.unwrap().unwrap().version, 1);
}

/// A lane is found by a text wherever it is kept.
pub async fn lanes_are_found_by_what_they_hold(s: &Subject) {
    let held = async |text: &str| {
        let lanes = s.store.lanes_with("acme", text).await.unwrap();
        lanes.into_iter().map(|lane| lane.conversation).collect::<Vec<_>>()
    };
    assert_eq!(held(WORD).await, [""; 0]);
    let mut head = Hand::on(&*s.store, &lane("HEAD")).await;
    head.commit(TurnCommit { head: says("head"), ..head.turn() }).await;
    let mut record = Hand::on(&*s.store, &lane("RECORD")).await;
    record.commit(TurnCommit { records: vec![put("task", "t", WORD)], ..record.turn() }).await;
    let mut payload = Hand::on(&*s.store, &lane("PAYLOAD")).await;
    payload.plan(vec![crate::OutboxRow { payload: says("x"), ..loose("fx_1") }]).await;
    let mut waits = delivery(&lane("WAITS"), "k");
    waits.event = says("event");
    s.store.accept(waits).await.unwrap();
    let mut free = Hand::on(&*s.store, &lane("FREE")).await;
    free.commit(free.turn()).await;
    let mut found = held(WORD).await;
    found.sort();
    assert_eq!(found, ["HEAD", "PAYLOAD", "RECORD", "WAITS"]);
    assert_eq!(s.store.lanes_with("globex", WORD).await.unwrap(), []);
}

/// The list of erasures: asked for once, done once, each with one row of the audit chain.
pub async fn erasures_are_listed_and_done_once(s: &Subject) {
    assert_eq!(s.store.erasures("acme", false).await.unwrap(), []);
    assert_eq!(s.store.ask_erasure("acme", "ana").await.unwrap(), 1);
    assert_eq!(s.store.ask_erasure("acme", "bob").await.unwrap(), 2);
    assert_eq!(s.store.ask_erasure("acme", "ana").await.unwrap(), 1, "it is asked for already");
    assert_eq!(s.store.ask_erasure("globex", "ana").await.unwrap(), 1);
    let asked_at = s.store.now();
    s.clock.advance(1_000);
    assert!(s.store.erasure_done("acme", 1, "ana is erased").await.unwrap());
    assert!(!s.store.erasure_done("acme", 1, "twice").await.unwrap());
    assert_eq!(s.store.audit("acme", 0, 10).await.unwrap(), [(1, "ana is erased".into())]);
    let row = |number, what: &str, done| ErasureRow {
        number,
        what: what.into(),
        asked_at,
        done_at: Some(s.store.now()).filter(|_| done),
    };
    assert_eq!(s.store.erasures("acme", false).await.unwrap(), [row(1, "ana", true), row(2, "bob", false)]);
    assert_eq!(s.store.erasures("acme", true).await.unwrap(), [row(2, "bob", false)]);
    assert_eq!(s.store.ask_erasure("acme", "ana").await.unwrap(), 3, "they came back and ask again");
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.commit(TurnCommit { erasures: vec!["cleo".into(), "bob".into()], ..hand.turn() }).await;
    let open = s.store.erasures("acme", true).await.unwrap();
    let open: Vec<&str> = open.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(open, ["bob", "ana", "cleo"], "a turn asks too");
    s.store.scour().await.unwrap();
}
