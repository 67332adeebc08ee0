//! Erasure in a running installation: no byte of the erased person is left in files, answers or exports, and the
//! words of everybody else stay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use throughline_server::{Config, open};
use throughline_store::{SqliteStore, Store, SystemClock};

use crate::support::*;

/// Words that only Ana writes; every file is searched for each.
const HERS: [&str; 10] = [
    "kestrelgate",
    "plumwater",
    "harrowmint",
    "quillstone",
    "foxtallow",
    "brindlesea",
    "ospreyloom",
    "tansymoor",
    "gorsewick",
    "larkspindle",
];
/// Words that only Bob writes.
const HIS: [&str; 3] = ["marmotworth", "elderpike", "cobblewren"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Returns the files that contain a word, ignoring case.
fn holding(folder: &Path, word: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    };
    files(folder).into_iter().filter(holds).collect()
}

/// Returns everything that can be read of a tenant over the API and on the pages, as one text.
async fn read_all(server: &Server) -> String {
    let (api, pages) = read_each(server).await;
    api + &pages
}

async fn read_each(server: &Server) -> (String, String) {
    let (mut all, mut pages) = (String::new(), String::new());
    let mut lanes = Vec::new();
    for path in [
        "/v1/lanes?limit=200",
        "/v1/approvals?state=all&limit=200",
        "/v1/effects?limit=200",
        "/v1/tracker/issues?limit=200",
        "/v1/pause",
    ] {
        let reply = server.get(path).send().await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        if path.starts_with("/v1/lanes") {
            lanes = reply.json()["items"].as_array().unwrap().clone();
        }
        all.push_str(&reply.text());
    }
    for lane in lanes {
        let id = lane["id"].as_str().unwrap();
        for part in ["", "/pending", "/turns?limit=200", "/messages?limit=200", "/events?cursor=0"] {
            let reply = server.get(&format!("/v1/lanes/{id}{part}")).send().await;
            all.push_str(&reply.text());
        }
        let turns = server.get(&format!("/v1/lanes/{id}/turns?limit=200")).send().await.json();
        for turn in turns["items"].as_array().unwrap() {
            let turn = turn["turn"].as_str().unwrap();
            for part in ["", "/why"] {
                all.push_str(&server.get(&format!("/v1/turns/{turn}{part}")).send().await.text());
            }
        }
        // All pages of the web chat and the console that show a lane.
        for page in [
            format!("/console/lanes/{id}"),
            format!("/console/lanes/{id}/context"),
            format!("/c/{}", lane["conversation"].as_str().unwrap()),
        ] {
            pages.push_str(&server.get(&page).send().await.text());
        }
    }
    (all.to_lowercase(), pages.to_lowercase())
}

fn form(conversation: &str, who: &str, token: &str, values: Value) -> Value {
    json!({"lane": {"conversation": conversation}, "actor": {"id": who}, "kind": "form.submitted",
           "form": {"token": token, "values": values}})
}

/// Fills several lanes, most with both people: cards open, decided and created, drafts, questions, reviews,
/// decisions, lists, stored answers.
async fn talk(server: &Server) {
    let ticket = |word: &str| {
        format!(
            "Create a ticket for the {word} bug\nSteps: open {word}\nExpected: {word} shows\nActual: nothing of {word}"
        )
    };
    // A ticket of hers that is created, and one that stays open.
    let turn = server.say("a1", "alone", "ana", &ticket("kestrelgate")).await;
    server.press("a2", "alone", "you", &token(&card_of(&turn), "approve")).await;
    server.say("a3", "alone", "ana", &ticket("plumwater")).await;
    // Both people in one lane: his card with her words, her question to him, a reply to her.
    let turn = server.say("b1", "both", "bob", &ticket("marmotworth")).await;
    let edit = token(&card_of(&turn), "edit");
    server
        .turn("b2", &form("both", "ana", &edit, json!({"actual": "a harrowmint page, says harrowmint"})))
        .await;
    let mut asked = said_of("both", "ana", "What do you all think about quillstone?");
    asked["addressed"] = json!(true);
    let hers = server.turn("b3", &asked).await;
    let said = hers["messages"][0]["id"].as_str().unwrap_or_default().to_owned();
    let mut reply = said_of("both", "bob", "I like elderpike better");
    reply["reply_to"] = json!(said);
    server.turn("b4", &reply).await;
    server
        .say("b5", "both", "ana", "review this: we must keep foxtallow, the risk is that foxtallow leaks")
        .await;
    server.say("b6", "both", "bob", "record the decision: we keep cobblewren").await;
    // A decision of hers that is posted.
    let turn = server
        .say("c1", "deciding", "ana", "record the decision: we will use brindlesea for the orders")
        .await;
    let card =
        turn["messages"].as_array().unwrap().iter().rev().find_map(|message| message.get("card")).cloned();
    if let Some(card) = card {
        server.press("c2", "deciding", "you", &token(&card, "approve")).await;
    }
    // An epic of hers, and a batch.
    let epic = "Create an epic with 3 stories for ospreyloom\nProblem: no ospreyloom\nAcceptance criteria: ospreyloom works\n\
                - See ospreyloom\n- Change ospreyloom\n- Drop ospreyloom";
    server.say("d1", "epic", "ana", epic).await;
    // A list, and her choices from it.
    let shown = json!({"lane": {"conversation": "list"}, "actor": {"id": "bob"}, "kind": "options.shown", "shown": {
        "scope": "chat", "scope_instance": "list", "user": "ana",
        "options": [{"id": "1", "label": "The tansymoor file", "exec_ref": "open:1"}, {"id": "2", "label": "Another", "exec_ref": "open:2"}]}});
    server.event("e1", &shown).header("Prefer", "wait=10").send().await;
    server.say("e2", "list", "ana", "the tansymoor one").await;
    server.say("e3", "list", "ana", "/maro ticket gorsewick needs a button").await;
    // Her file, and a ticket of his that has it as evidence.
    let file = server
        .post("/v1/files?conversation=seen&actor=ana&name=larkspindle.png")
        .bytes(b"larkspindle".to_vec());
    let file = file.send().await.json()["id"].clone();
    let mut shows = said_of("seen", "ana", "");
    shows["files"] = json!([{"id": file}]);
    shows["message_id"] = json!("her-picture");
    server.turn("g1", &shows).await;
    let mut reply = said_of("seen", "bob", &ticket("marmotworth"));
    reply["reply_to"] = json!("her-picture");
    let turn = server.turn("g2", &reply).await;
    assert!(card_of(&turn).to_string().contains("larkspindle.png"), "{turn:#}");
    // A lane of Bob's alone.
    server.say("f1", "his", "bob", &ticket("marmotworth")).await;
}

fn said_of(conversation: &str, who: &str, text: &str) -> Value {
    said(conversation, who, text)
}

/// Waits for every effect but those that a host performs, of which there is none here.
async fn settled(server: &Server) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let planned = server.get("/v1/effects?state=planned&limit=200").send().await.json();
        let attempted = server.get("/v1/effects?state=attempted&limit=200").send().await.json();
        let all = [&planned, &attempted].into_iter().flat_map(|page| page["items"].as_array().unwrap());
        let open: Vec<&Value> = all.filter(|effect| effect["delivery"] != "host").collect();
        if open.is_empty() {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "never done: {open:#?}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

// row: E33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_erased_and_no_byte_of_theirs_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    talk(&server).await;
    settled(&server).await;
    let before = read_all(&server).await;
    for word in HERS.iter().chain(&HIS) {
        assert!(!holding(folder.path(), word).is_empty(), "{word} was said and kept");
        assert!(before.contains(word), "{word} can be read");
    }

    let reply = server.delete("/v1/subjects/ana").send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let erased = reply.json();
    for counted in ["lanes", "turns", "approvals", "deliveries", "documents"] {
        assert!(erased[counted].as_u64().unwrap() > 0, "{counted}: {erased:#}");
    }
    for word in HERS {
        assert_eq!(holding(folder.path(), word), Vec::<PathBuf>::new(), "{word} is in no byte");
    }
    let after = read_all(&server).await;
    for word in HERS {
        assert!(!after.contains(word), "{word} can still be read: {}", around(&after, word));
    }
    for word in HIS {
        assert!(after.contains(word), "{word} is Bob's, and stays");
    }
    assert!(after.contains("demo-1"), "the issue's key stays");

    // A second erasure finds nothing of hers and changes nothing.
    let again = server.delete("/v1/subjects/ana").send().await.json();
    let counts = again.as_object().unwrap().values().filter_map(Value::as_u64);
    assert_eq!(counts.sum::<u64>(), 0, "{again:#}");
    let (api, _) = read_each(&server).await;
    assert!(after.starts_with(&api), "a page may hold a token of its own, the rest is as it was");

    // Her delivery keys are kept, so a repeated request is not handled again; new messages start afresh.
    let repeated = server.event("a1", &said("alone", "ana", "Create a ticket for the kestrelgate bug\nSteps: open kestrelgate\nExpected: kestrelgate shows\nActual: nothing of kestrelgate")).header("Prefer", "wait=10").send().await;
    assert_eq!(repeated.status, 200, "{}", repeated.text());
    assert!(!repeated.text().contains("kestrelgate"), "{}", repeated.text());
    let turn = server.say("a9", "alone", "ana", TASK).await;
    let done = server.press("a10", "alone", "you", &token(&card_of(&turn), "approve")).await;
    assert_eq!(done["reason"], "press.applied", "{done:#}");
    settled(&server).await;
    server.stopped().await;

    for word in HERS {
        assert_eq!(
            holding(folder.path(), word),
            Vec::<PathBuf>::new(),
            "{word} is in no byte of a closed store"
        );
    }
    chains_hold(folder.path()).await;
}

fn around(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap_or_default();
    text.chars().skip(text[..at].chars().count().saturating_sub(200)).take(400).collect()
}

/// Verifies the audit chain and the chain of every lane, and replays the lanes after the erasure.
async fn chains_hold(folder: &Path) {
    let config = Config::load(&demo_in(folder)).unwrap();
    let tenant = config.tenant.clone();
    let instance = open(config).await.unwrap();
    let store: &Arc<dyn Store> = &instance.store;
    assert_eq!(store.verify_audit(&tenant).await.unwrap(), None);
    let rows = store.audit(&tenant, 0, 1_000).await.unwrap();
    let recorded = rows.iter().filter(|(_, row)| row.contains("\"what\":\"erased\""));
    let recorded: Vec<&str> = recorded.map(|(_, row)| row.as_str()).collect();
    assert_eq!(recorded.len(), 2, "each erasure is on record: {rows:#?}");
    assert!(recorded[0].contains("\"id\":\"ana\"") && recorded[0].contains("\"by\":\"you\""), "{recorded:?}");
    assert_eq!(store.erasures(&tenant, true).await.unwrap(), []);
    let mut erased = 0;
    for lane in store.lanes(&tenant, None, 100).await.unwrap() {
        let mut differing = Vec::new();
        instance
            .runtime
            .replay(&lane.key, 1, |turn| match turn.verdict {
                throughline_runtime::replay::Comparison::Same => {}
                throughline_runtime::replay::Comparison::ContentErased => erased += 1,
                _ => differing.push(turn.clone()),
            })
            .await
            .unwrap();
        assert_eq!(differing, [], "{}", lane.key);
    }
    assert!(erased > 10, "{erased}");
}

/// No other process has the file open, so the writer alone rewrites it.
// row: C63
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_is_erased_and_the_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    talk(&server).await;
    settled(&server).await;
    let lanes = server.get("/v1/lanes?limit=200").send().await.json();
    let lane = |name: &str| {
        let lanes = lanes["items"].as_array().unwrap().iter();
        lanes.clone().find(|lane| lane["conversation"] == name).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let reply = server.delete(&format!("/v1/lanes/{}", lane("list"))).send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    for word in ["tansymoor", "gorsewick"] {
        assert_eq!(holding(folder.path(), word), Vec::<PathBuf>::new(), "{word}");
    }
    for word in ["kestrelgate", "foxtallow", "marmotworth"] {
        assert!(!holding(folder.path(), word).is_empty(), "{word} is another lane's");
    }
    assert_eq!(server.delete("/v1/lanes/ln_aaaaaaaaaaaaaaaaaaaaaaaa").send().await.status, 404);
    let refused = server.delete("/v1/tenant").send().await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    let everything = server.delete("/v1/tenant?confirm=demo").send().await;
    assert_eq!(everything.status, 200, "{}", everything.text());
    for word in HERS.iter().chain(&HIS) {
        assert_eq!(holding(folder.path(), word), Vec::<PathBuf>::new(), "{word}");
    }
    let turn = server.say("new", "both", "bob", TASK).await;
    assert_eq!(turn["decision"], "shown", "{turn:#}");
    server.stopped().await;
    chains_hold_of(folder.path()).await;
}

async fn chains_hold_of(folder: &Path) {
    let store = SqliteStore::open(folder.join("throughline.db"), Arc::new(SystemClock::default()));
    if let Ok(store) = store {
        let store: Arc<dyn Store> = Arc::new(store);
        assert_eq!(store.verify_audit("demo").await.unwrap(), None);
    }
}
