//! [`Erasure`](crate::Erasure): redaction of stored texts, and the list of erasures.

use std::sync::{Arc, Mutex};

use throughline_engine::data::action::Action;
use throughline_engine::data::approval::Approval;
use throughline_engine::data::effect::EffectClass;

use super::Subject;
use super::fixture::{LaneWriter, approval, create, delivery, effect, lane, lease_ids, loose, perform, put};
use crate::{
    Accepted, ApprovalState, Document, DocumentSubjects, EffectState, ErasureRow, InboxEnd, RecordOp,
    RecordWrite, Redaction, RedactionCounts, Redactor, RowState, StoredResponse, StoredText, TextSource,
    TurnCommit,
};

/// The word to erase.
const WORD: &str = "kestrelgate";

/// Rewrites texts that contain the word where they can be rewritten, and erases the others.
fn redactor() -> Redactor {
    Arc::new(|stored| match &stored.source {
        _ if !stored.text.contains(WORD) => Redaction::Keep,
        TextSource::Approval
        | TextSource::Decision
        | TextSource::Record
        | TextSource::Response { .. }
        | TextSource::Document { .. } => Redaction::Rewrite(stored.text.replace(WORD, "[erased]")),
        _ => Redaction::Erase,
    })
}

async fn texts(s: &Subject) -> Vec<String> {
    let mut texts = Vec::new();
    let mut note = |stored: &StoredText<'_>| texts.push(format!("{:?} {}", stored.source, stored.text));
    s.store.visit(&lane("C1"), &mut note).await.unwrap();
    texts
}

fn with_word(key: &str) -> String {
    format!("{key} {WORD}")
}

/// Commits turns that hold the word in every place that can, and beside them texts without it. Leaves one effect done
/// and two planned.
async fn full<'a>(s: &'a Subject) -> LaneWriter<'a> {
    let store = &*s.store;
    let mut full = delivery(&lane("C1"), "refused");
    full.event = with_word("event");
    full.limit = Some(crate::QueueLimit { max: 0, notice_key: "notice".into(), notice: "notice".into() });
    assert_eq!(store.accept(full).await.unwrap(), Accepted::Full);
    let mut writer = LaneWriter::claim(store, &lane("C1")).await;
    let asked = Approval { payload: with_word("payload"), ..approval("ap_1", 1, None) };
    let (mut done, mut planned) = (loose("fx_1"), loose("fx_2"));
    (done.payload, planned.payload) = (with_word("done"), with_word("planned"));
    let mut turn = writer.turn_with_effects(vec![done, planned, loose("fx_3")]);
    turn.approvals = vec![throughline_engine::data::approval::ApprovalChange::Open(asked)];
    let notice = store.waiting(&lane("C1"), 1).await.unwrap()[0].seq;
    turn.inbox = vec![InboxEnd { seq: notice, state: RowState::Done }];
    turn.log.content = with_word("content");
    turn.participant = Some(with_word("person"));
    turn.checkpoint = Some(with_word("state"));
    turn.records = vec![
        put("message", "m_1_0", &with_word("message")),
        put("task", "t_1_0", &with_word("task")),
        put("card", "c", "free"),
    ];
    turn.message_map = vec![("channel-77".into(), "m_1_0".into())];
    writer.commit(turn).await;
    let leased = store.lease("w", 1).await.unwrap();
    let fence = leased[0].fence;
    store.mark("acme", &"fx_1".into(), fence, &leased[0].effect.held()).await.unwrap();
    let mut settled = super::fixture::ends("fx_1", Some(fence), EffectState::Done);
    settled.to = crate::SettleTo::End(EffectState::Done, with_word("outcome"));
    assert!(store.settle(settled).await.unwrap());
    let retire = |kind, key: &str| RecordWrite { kind, key: key.into(), op: RecordOp::Retire };
    let turn = TurnCommit { records: vec![retire("message", "m_1_0"), retire("card", "c")], ..writer.turn() };
    writer.commit(turn).await;
    writer
}

/// Every text that may hold personal words is visited, except the head and the loaded records.
pub async fn visit_shows_every_text(s: &Subject) {
    let _hand = full(s).await;
    let shown = texts(s).await;
    for held in ["content", "state", "message", "event", "done", "planned", "outcome", "payload", "person"] {
        let holding = shown.iter().filter(|text| text.contains(&with_word(held))).count();
        assert_eq!(holding, 1, "{held}: {shown:#?}");
    }
    assert!(!shown.iter().any(|text| text.contains("task") || text.contains("head")), "{shown:#?}");
    assert!(!shown.iter().any(|text| text.contains("channel-77")), "the channel's ids are ids: {shown:#?}");
}

/// Erased texts are gone, the others are as they were, and a second redaction finds nothing to do.
pub async fn texts_are_kept_rewritten_or_erased(s: &Subject) {
    let mut writer = full(s).await;
    let before = texts(s).await;
    let counts = s.store.redact(&lane("C1"), redactor()).await.unwrap();
    let expected = RedactionCounts {
        contents: 1,
        checkpoints: 1,
        records: 1,
        participants: 1,
        events: 1,
        effects: 3,
        approvals: 1,
        ..RedactionCounts::default()
    };
    assert_eq!(counts, expected);
    let after = texts(s).await;
    assert!(!after.iter().any(|text| text.contains(WORD)), "{after:#?}");
    let free: Vec<&String> = before.iter().filter(|text| !text.contains(WORD)).collect();
    assert!(free.iter().all(|text| after.contains(text)), "{before:#?} {after:#?}");
    assert_eq!(s.store.redact(&lane("C1"), redactor()).await.unwrap(), RedactionCounts::default());

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
        Some(with_word("task")),
        "it is loaded"
    );
    assert!(!s.store.took_part(&lane("C1"), &with_word("person")).await.unwrap());
    let row = s.store.delivery("acme", "refused").await.unwrap().unwrap();
    assert_eq!((row.state, row.event), (RowState::Refused, None), "still known as a duplicate");
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.row.payload.as_str(), effect.outcome), (EffectState::Done, "", None));
    assert_eq!(writer.effect_state("fx_2").await, EffectState::Cancelled);
    assert_eq!(lease_ids(&*s.store).await, ["fx_3"]);
    let approval = s.store.approval("acme", &"ap_1".into()).await.unwrap().unwrap();
    assert_eq!(
        (approval.approval.payload.as_str(), approval.state),
        ("payload [erased]", ApprovalState::Cancelled)
    );
    writer.commit(writer.turn()).await;
}

/// An outward effect that is attempted keeps its lease, so that its end is still recorded; others are cancelled.
pub async fn an_attempted_outward_effect_keeps_its_lease(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(Approval { releases: Vec::new(), ..approval("ap_1", 1, None) }).await;
    let mut out = create("fx_1", "ap_1", 1);
    out.payload = with_word("issue");
    writer.release("ap_1", 1, vec![out]).await;
    let fence = super::fixture::attempt(&*s.store, "fx_1").await;
    let mut said = effect("fx_2", EffectClass::Reply, "lane");
    said.payload = with_word("reply");
    writer.commit_effects(vec![said]).await;
    let late = super::fixture::attempt(&*s.store, "fx_2").await;
    let counts = s.store.redact(&lane("C1"), redactor()).await.unwrap();
    assert_eq!(counts, RedactionCounts { effects: 2, ..RedactionCounts::default() });
    assert_eq!(
        (writer.effect_state("fx_1").await, writer.effect_state("fx_2").await),
        (EffectState::Attempted, EffectState::Cancelled)
    );
    assert!(s.store.settle(super::fixture::settled("fx_1", Some(fence))).await.unwrap());
    assert!(!s.store.settle(super::fixture::settled("fx_2", Some(late))).await.unwrap(), "its lease is lost");
}

/// A rewritten payload is the one that goes out.
pub async fn a_rewritten_payload_goes_out(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let mut row = loose("fx_1");
    row.payload = with_word("ask");
    writer.commit_effects(vec![row]).await;
    let rewrite: Redactor = Arc::new(|stored| match stored.source {
        TextSource::Payload { .. } => Redaction::Rewrite(stored.text.replace(WORD, "[erased]")),
        _ => Redaction::Keep,
    });
    assert_eq!(s.store.redact(&lane("C1"), rewrite).await.unwrap().effects, 1);
    perform(&*s.store, "fx_1", EffectState::Done).await;
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!(effect.row.payload, "ask [erased]");
}

/// Erasing an approval or its decision is refused; rewriting keeps it decided.
pub async fn an_approval_is_never_erased(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1)]).await;
    let erase: Redactor = Arc::new(|stored| match stored.source {
        TextSource::Approval => Redaction::Erase,
        _ => Redaction::Keep,
    });
    super::fixture::assert_refused(s.store.redact(&lane("C1"), erase).await);
    let rewrite: Redactor = Arc::new(|stored| match stored.source {
        TextSource::Decision => Redaction::Rewrite(stored.text.replace("ana", "[erased]")),
        _ => Redaction::Keep,
    });
    assert_eq!(s.store.redact(&lane("C1"), rewrite).await.unwrap().approvals, 1);
    let row = s.store.approval("acme", &"ap_1".into()).await.unwrap().unwrap();
    let ApprovalState::Decided { change } = row.state else { panic!("it stays decided") };
    let throughline_engine::data::approval::ApprovalChange::Decide { action, by, .. } = change else {
        panic!()
    };
    assert_eq!((action, by.name.as_str()), (Action::Approve, "[erased]"));
}

/// Texts that belong to a tenant are redacted: answers of requests, each with the turn it led to, and documents.
pub async fn texts_of_a_tenant_are_redacted(s: &Subject) {
    let mut first = delivery(&lane("C1"), "http:1");
    first.identity.body_hash = Some("00".repeat(32));
    assert_eq!(s.store.accept(first).await.unwrap(), Accepted::New);
    let seq = s.store.waiting(&lane("C1"), 1).await.unwrap()[0].seq;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(TurnCommit { inbox: vec![super::fixture::done(seq)], ..writer.turn() }).await;
    let answer = |body: String| StoredResponse { status: 200, body };
    s.store.store_response("acme", "http:1", answer(with_word("turn"))).await.unwrap();
    s.store.begin_request("acme", "http:2", &"11".repeat(32)).await.unwrap();
    s.store.store_response("acme", "http:2", answer("free".into())).await.unwrap();
    let document = |key: &str, body: &str| ("notes".to_owned(), Document::new(key, 0, body));
    let mut of_people = document("of", "free");
    of_people.1.about = DocumentSubjects {
        people: vec!["ana".into(), "\"bob\"".into()],
        lane: Some(lane("C1").id()),
        words: true,
    };
    let writes = vec![
        document("a", &with_word("note")),
        document("b", "free"),
        document("gone", "free"),
        of_people.clone(),
    ];
    assert!(s.store.write_documents("acme", writes, None).await.unwrap());
    let of = s.store.document("acme", "notes", "of").await.unwrap().unwrap();
    assert_eq!(of, Document { version: 1, ..of_people.1.clone() }, "its subjects are kept");
    let nobodys = ("notes".to_owned(), Document::new("of", 1, "free"));
    assert!(s.store.write_documents("acme", vec![nobodys], None).await.unwrap());
    let of = s.store.document("acme", "notes", "of").await.unwrap().unwrap();
    assert_eq!(of.about, DocumentSubjects::default(), "and written with the rest");
    let again = ("notes".to_owned(), Document { version: 2, ..of_people.1.clone() });
    assert!(s.store.write_documents("acme", vec![again], None).await.unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let redactor: Redactor = Arc::new(move |stored| {
        noted.lock().unwrap().push(format!("{:?}", stored.source));
        match stored.source {
            TextSource::Document { key: "gone", .. } => Redaction::Erase,
            _ if stored.text.contains(WORD) => Redaction::Rewrite(stored.text.replace(WORD, "[erased]")),
            _ => Redaction::Keep,
        }
    });
    let counts = s.store.redact_tenant("acme", redactor).await.unwrap();
    assert_eq!(counts, RedactionCounts { responses: 1, documents: 2, ..RedactionCounts::default() });
    let about = &of_people.1.about;
    let of = format!("{:?}", TextSource::Document { collection: "notes", key: "of", about });
    assert!(seen.lock().unwrap().contains(&of), "{seen:?}");
    let turn = format!("{:?}", TextSource::Response { turn: Some((lane("C1").id(), 1)) });
    assert!(seen.lock().unwrap().contains(&turn), "{seen:?}");
    let row = s.store.delivery("acme", "http:1").await.unwrap().unwrap();
    assert_eq!(row.response, Some(answer("turn [erased]".into())));
    let note = s.store.document("acme", "notes", "a").await.unwrap().unwrap();
    assert_eq!((note.version, note.body.as_str()), (2, "note [erased]"));
    assert_eq!(s.store.document("acme", "notes", "gone").await.unwrap(), None);
    assert_eq!(s.store.document("acme", "notes", "b").await.unwrap().unwrap().version, 1);
}

/// Names that people, keys and collections have: parts of each other, names of tables, and hostile strings.
const NAMES: [&str; 16] = [
    "ana",
    "ana.smith",
    "smith",
    "AUTH",
    "AUTH-1",
    "bug",
    "local",
    "counters",
    "links",
    "documents",
    "%",
    "_",
    "'",
    "\"",
    "[\"ana\"]",
    "{}",
];

/// Erasing the documents about a person touches nothing beside them, whatever people, keys and collections are called, in
/// this tenant and in others.
pub async fn a_redaction_touches_nothing_beside(s: &Subject) {
    let collection = |n: usize| format!("notes.{}", NAMES[n]);
    for tenant in ["acme", "globex"] {
        for n in 0..NAMES.len() {
            // Keys and bodies name everybody; the person it is about is another than the one it is called after.
            let note = |key: &&str| {
                let about = NAMES[(n + 1) % NAMES.len()];
                (collection(n), Document::new(*key, 0, format!("{{\"text\":\"{key}\"}}")).about([about]))
            };
            let writes = NAMES.iter().map(note).collect();
            assert!(s.store.write_documents(tenant, writes, None).await.unwrap());
        }
    }
    let all = async || {
        let mut all = Vec::new();
        for tenant in ["acme", "globex"] {
            for n in 0..NAMES.len() {
                let found = s.store.documents(tenant, &collection(n), None, 100).await.unwrap();
                all.extend(found.into_iter().map(|document| (tenant, n, document)));
            }
        }
        all
    };
    let _hand = full(s).await;
    let lanes = texts(s).await;
    let mut expected = all().await;
    for person in NAMES {
        let redactor: Redactor = Arc::new(move |stored| match &stored.source {
            TextSource::Document { about, .. } if about.people.iter().any(|one| one == person) => {
                Redaction::Erase
            }
            _ => Redaction::Keep,
        });
        let counts = s.store.redact_tenant("acme", redactor.clone()).await.unwrap();
        let documents = NAMES.len() as u64;
        assert_eq!(counts, RedactionCounts { documents, ..RedactionCounts::default() }, "{person}");
        assert_eq!(s.store.redact(&lane("C1"), redactor).await.unwrap(), RedactionCounts::default());
        expected.retain(|(tenant, _, document)| *tenant != "acme" || document.about.people != [person]);
        assert_eq!(all().await, expected, "{person}");
    }
    assert_eq!(texts(s).await, lanes);
}

/// A lane is found by a text in any of its places.
pub async fn lanes_are_found_by_text(s: &Subject) {
    let held = async |text: &str| {
        let lanes = s.store.lanes_containing("acme", text).await.unwrap();
        lanes.into_iter().map(|lane| lane.conversation).collect::<Vec<_>>()
    };
    assert_eq!(held(WORD).await, [""; 0]);
    let mut head = LaneWriter::claim(&*s.store, &lane("HEAD")).await;
    head.commit(TurnCommit { head: with_word("head"), ..head.turn() }).await;
    let mut record = LaneWriter::claim(&*s.store, &lane("RECORD")).await;
    record.commit(TurnCommit { records: vec![put("task", "t", WORD)], ..record.turn() }).await;
    let mut payload = LaneWriter::claim(&*s.store, &lane("PAYLOAD")).await;
    payload.commit_effects(vec![crate::OutboxRow { payload: with_word("x"), ..loose("fx_1") }]).await;
    let mut person = LaneWriter::claim(&*s.store, &lane("PERSON")).await;
    person.commit(TurnCommit { participant: Some(WORD.into()), ..person.turn() }).await;
    let mut waits = delivery(&lane("WAITS"), "k");
    waits.event = with_word("event");
    s.store.accept(waits).await.unwrap();
    let mut free = LaneWriter::claim(&*s.store, &lane("FREE")).await;
    free.commit(free.turn()).await;
    let mut found = held(WORD).await;
    found.sort();
    assert_eq!(found, ["HEAD", "PAYLOAD", "PERSON", "RECORD", "WAITS"]);
    assert_eq!(s.store.lanes_containing("globex", WORD).await.unwrap(), []);
}

/// An erasure is listed once while it is open, and finishing it appends one row to the audit chain.
pub async fn erasures_are_listed_and_done_once(s: &Subject) {
    assert_eq!(s.store.erasures("acme", false).await.unwrap(), []);
    assert_eq!(s.store.request_erasure("acme", "ana").await.unwrap(), 1);
    assert_eq!(s.store.request_erasure("acme", "bob").await.unwrap(), 2);
    assert_eq!(s.store.request_erasure("acme", "ana").await.unwrap(), 1, "it is asked for already");
    assert_eq!(s.store.request_erasure("globex", "ana").await.unwrap(), 1);
    let asked_at = s.store.now();
    s.clock.advance(1_000);
    assert!(s.store.finish_erasure("acme", 1, "ana is erased").await.unwrap());
    assert!(!s.store.finish_erasure("acme", 1, "twice").await.unwrap());
    assert_eq!(s.store.audit("acme", 0, 10).await.unwrap(), [(1, "ana is erased".into())]);
    let row = |number, what: &str, done| ErasureRow {
        number,
        what: what.into(),
        asked_at,
        done_at: Some(s.store.now()).filter(|_| done),
    };
    assert_eq!(s.store.erasures("acme", false).await.unwrap(), [row(1, "ana", true), row(2, "bob", false)]);
    assert_eq!(s.store.erasures("acme", true).await.unwrap(), [row(2, "bob", false)]);
    assert_eq!(s.store.request_erasure("acme", "ana").await.unwrap(), 3, "they came back and ask again");
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(TurnCommit { erasures: vec!["cleo".into(), "bob".into()], ..writer.turn() }).await;
    let open = s.store.erasures("acme", true).await.unwrap();
    let open: Vec<&str> = open.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(open, ["bob", "ana", "cleo"], "a turn asks too");
    s.store.vacuum().await.unwrap();
}
