//! Option lists: shown, chosen from by words and presses, executed by the host, closed.

use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_engine::data::ask::{Answer, Ask, SELECT_CONTRACT, SelectVerdict};
use throughline_engine::data::effect::Attempt;
use throughline_models::{Caller, Model};
use throughline_server::Sources;
use throughline_server::auth::{Scope, Token};

use crate::support::*;

/// Returns a list of three options, as a host's panel shows it.
fn recent() -> Value {
    let option = |id: &str, label: &str| json!({"id": id, "label": label, "exec_ref": format!("open:{id}")});
    json!({
        "scope": "widget", "scope_instance": "recent", "title": "Recent", "refreshable": true,
        "options": [option("doc-1", "Budget"), option("doc-2", "sample2"), option("doc-3", "Roadmap")],
    })
}

impl Server {
    async fn show(&self, key: &str, lane: &str, list: &Value) -> Reply {
        let path = format!("/v1/lanes/{lane}/option-sets");
        self.post(&path).header("Idempotency-Key", key).json(list).send().await
    }

    /// Shows a list in a conversation; returns its lane, and the answer.
    async fn with_recent(&self) -> (String, Value) {
        let turn = self.say("hello", "c1", "ana", "/maro help").await;
        let lane = turn["lane"].as_str().unwrap().to_owned();
        let shown = self.show("show-1", &lane, &recent()).await;
        assert_eq!(shown.status, 200, "{}", shown.text());
        (lane, shown.json())
    }
}

fn press(option: &str, set: &Value) -> Value {
    json!({
        "lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "card.pressed",
        "press": {"set": set["id"], "version": set["exec_rev"], "option": option},
    })
}

#[track_caller]
fn offer(turn: &Value, class: &str) -> Value {
    let effects = turn["effects"].as_array().unwrap();
    let found = effects.iter().find(|effect| effect["class"] == class);
    found.unwrap_or_else(|| panic!("no {class} in {turn:#}")).clone()
}

// row: HT5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_one_of_a_list_that_was_shown() {
    let server = Server::demo().await;
    let (lane, shown) = server.with_recent().await;
    assert!(shown["id"].as_str().unwrap().starts_with("os1-"), "{shown}");
    assert_eq!((&shown["content_rev"], &shown["exec_rev"]), (&json!(1), &json!(1)));
    assert_eq!((&shown["status"], &shown["reason"]), (&json!("active"), &json!("selection.registered")));

    let turn = server.say("k1", "c1", "ana", "the second one").await;
    assert_eq!(
        (&turn["selected"], &turn["reason"]),
        (&json!("doc-2"), &json!("selection.ordinal")),
        "{turn:#}"
    );
    assert_eq!(turn["rung"], 7);
    assert_eq!(turn["selection"]["provenance"], "deterministic");
    assert_eq!((&turn["options"]["id"], &turn["model_calls"]), (&shown["id"], &json!(0)));
    let run = offer(&turn, "option.execute");
    assert_eq!((&run["delivery"], &run["state"]), (&json!("host"), &json!("attempted")));
    assert_eq!((&run["exec_ref"], &run["user"]), (&json!("open:doc-2"), &json!("ana")), "{run:#}");
    let done = json!({"outcome": "applied", "remote": {"text": "opened"}});
    assert_eq!(server.report("r1", run["id"].as_str().unwrap(), &done).await.json()["settled"], true);

    eventually("it is what was done last", || async {
        let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
        let views = lane["views"].as_array().unwrap();
        let ana = views.iter().find(|view| view["user"] == "ana");
        ana.is_some_and(|view| view["lastAcceptedChoiceId"] == "doc-2")
    })
    .await;
    let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
    assert_eq!(lane["option_sets"][0]["displayed"], json!(["doc-1", "doc-2", "doc-3"]));
    let ana = lane["views"].as_array().unwrap().iter().find(|view| view["user"] == "ana").unwrap();
    assert_eq!(ana["lastResolvedAction"]["targetRef"]["label"], "sample2");
    assert_eq!((&ana["activeScope"], &ana["pendingClarifierType"]), (&json!("widget"), &json!("none")));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_list_is_the_same_id_and_a_request_is_done_once() {
    let server = Server::demo().await;
    let (lane, first) = server.with_recent().await;
    let again = server.show("show-1", &lane, &recent()).await;
    assert_eq!((again.json(), again.header("idempotency-replayed")), (first.clone(), Some("true")));
    let mut sorted = recent();
    sorted["displayed"] = json!(["doc-3", "doc-1"]);
    let sorted = server.show("show-2", &lane, &sorted).await.json();
    assert_eq!((&sorted["id"], &sorted["content_rev"]), (&first["id"], &json!(1)));
    assert_eq!(sorted["reason"], "selection.refreshed");
    let turn = server.say("k1", "c1", "ana", "the first one").await;
    assert_eq!(turn["selected"], "doc-3", "the order it is displayed in: {turn:#}");

    let mut renamed = recent();
    renamed["options"][0]["label"] = json!("Budget 2027");
    let renamed = server.show("show-3", &lane, &renamed).await.json();
    assert_eq!(
        (&renamed["id"], &renamed["content_rev"], &renamed["exec_rev"]),
        (&first["id"], &json!(2), &json!(1))
    );
    let reused = server.show("show-3", &lane, &recent()).await;
    assert_eq!((reused.status, reused.problem().as_str()), (422, "TL-2203"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_cannot_be_taken_is_refused_with_its_places() {
    let server = Server::demo().await;
    let (lane, _) = server.with_recent().await;
    let turns = || async {
        server.get(&format!("/v1/lanes/{lane}/turns")).send().await.json()["items"].as_array().unwrap().len()
    };
    let before = turns().await;
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut list = recent();
        change(&mut list);
        list
    };
    let many: Vec<Value> = (0..51).map(|n| json!({"id": n.to_string(), "label": "x"})).collect();
    for (n, (list, at)) in [
        (wrong(&|list| list["options"] = json!(many)), "/options"),
        (wrong(&|list| list["options"][1]["id"] = json!("doc-1")), "/options/1/id"),
        (wrong(&|list| list["options"][2]["label"] = json!(" ")), "/options/2/label"),
        (wrong(&|list| list["options"][2]["lable"] = json!("x")), "/options/2/lable"),
        (wrong(&|list| list["scope"] = json!("none")), "/scope"),
        (wrong(&|list| list["scope_instance"] = json!("")), "/scope_instance"),
        (wrong(&|list| list["displayed"] = json!(["doc-9"])), "/displayed/0"),
    ]
    .into_iter()
    .enumerate()
    {
        let refused = server.show(&format!("wrong-{n}"), &lane, &list).await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, "TL-2006"), "{at}");
        assert_eq!(refused.json()["errors"][0]["pointer"], at);
        let event = json!({"lane": {"conversation": "c1"}, "kind": "options.shown", "shown": list});
        let refused = server.event(&format!("wrong-event-{n}"), &event).send().await.json();
        assert_eq!(refused["errors"][0]["pointer"], format!("/shown{at}"));
    }
    assert_eq!(turns().await, before, "nothing of it was taken in");
    let foreign = server.show("k9", "ln_aaaaaaaaaaaaaaaaaaaaaaaa", &recent()).await;
    assert_eq!((foreign.status, foreign.problem().as_str()), (404, "TL-2404"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_option_is_pressed_where_the_host_shows_it() {
    let server = Server::demo().await;
    let (lane, shown) = server.with_recent().await;
    let turn = server.turn("k1", &press("doc-3", &shown)).await;
    assert_eq!(
        (&turn["selected"], &turn["reason"]),
        (&json!("doc-3"), &json!("selection.option_pressed")),
        "{turn:#}"
    );
    let run = offer(&turn, "option.execute")["id"].as_str().unwrap().to_owned();
    let twice = server.turn("k2", &press("doc-3", &shown)).await;
    assert_eq!((&twice["reason"], &twice["selected"]), (&json!("selection.in_flight"), &Value::Null));
    server.report("r1", &run, &json!({"outcome": "rejected", "error": "it is locked"})).await;

    // The option now runs something else, so the button on the screen is outdated.
    let mut other = recent();
    other["options"][0]["exec_ref"] = json!("delete:doc-1");
    let newer = server.show("show-2", &lane, &other).await.json();
    assert_eq!(newer["exec_rev"], 2);
    let stale = server.turn("k3", &press("doc-1", &shown)).await;
    assert_eq!((&stale["decision"], &stale["reason"]), (&json!("refused"), &json!("stale.version")));
    assert!(!notice(&stale).is_empty());
    let event =
        json!({"lane": {"conversation": "c1"}, "kind": "card.pressed", "press": {"set": shown["id"]}});
    assert_eq!(server.event("k4", &event).send().await.problem(), "TL-2006");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_closed_and_a_look_is_told() {
    let server = Server::demo().await;
    let (lane, shown) = server.with_recent().await;
    let look = |key: &str, body: Value| {
        let call = server.put(&format!("/v1/lanes/{lane}/focus")).header("Idempotency-Key", key).json(&body);
        async move { call.send().await }
    };
    let looked =
        look("f1", json!({"user": "ana", "scope": "widget", "scope_instance": "recent", "option": "doc-1"}))
            .await;
    assert_eq!((looked.status, &looked.json()["decision"]), (200, &json!("recorded")), "{}", looked.text());
    assert_eq!(looked.json()["options"]["id"], shown["id"]);
    assert_eq!(looked.json()["reason"], "selection.focus_changed");
    assert_eq!(
        look("f2", json!({"scope": "widget"})).await.json()["errors"][0]["pointer"],
        "/scope_instance"
    );
    let path = format!("/v1/lanes/{lane}/option-sets/{}", shown["id"].as_str().unwrap());
    for _ in 0..2 {
        let closed = server.delete(&path).send().await;
        assert_eq!((closed.status, &closed.json()["status"]), (200, &json!("gone")), "{}", closed.text());
        assert_eq!(
            (&closed.json()["id"], &closed.json()["reason"]),
            (&shown["id"], &json!("selection.closed"))
        );
    }
    let turn = server.turn("k1", &press("doc-1", &shown)).await;
    assert_eq!(turn["reason"], "stale.version", "{turn:#}");
    assert_eq!(server.get(&format!("/v1/lanes/{lane}")).send().await.json()["option_sets"], json!([]));
    server.stopped().await;
}

/// An option can be called by its aliases too. A list with an option that has no `exec_ref` needs a press.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_option_is_called_by_each_of_its_names() {
    let server = Server::demo().await;
    let (lane, _) = server.with_recent().await;
    let mut named = recent();
    named["options"][0]["aliases"] = json!(["the money"]);
    named["options"][1]["sublabel"] = json!("a draft");
    named["options"][2]["badge"] = json!("R");
    server.show("show-2", &lane, &named).await;
    for (n, (text, option, reason)) in [
        ("open the money", "doc-1", "selection.exact_alias"),
        ("a draft", "doc-2", "selection.exact_sublabel"),
        ("option r", "doc-3", "selection.badge"),
    ]
    .into_iter()
    .enumerate()
    {
        let turn = server.say(&format!("k{n}"), "c1", "ana", text).await;
        assert_eq!((&turn["selected"], &turn["reason"]), (&json!(option), &json!(reason)), "{turn:#}");
        let run = offer(&turn, "option.execute")["id"].as_str().unwrap().to_owned();
        server.report(&format!("r{n}"), &run, &json!({"outcome": "applied"})).await;
    }
    let mut tapped = recent();
    tapped["scope_instance"] = json!("tapped");
    tapped["options"][0].as_object_mut().unwrap().remove("exec_ref");
    let tapped = server.show("show-3", &lane, &tapped).await.json();
    assert_eq!(
        (&tapped["reason"], &tapped["status"]),
        (&json!("selection.registered_ui_only"), &json!("active"))
    );
    server.stopped().await;
}

/// An option declares its risk: choosing it does not approve it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_something_waits_for_an_approval() {
    let rule = "[{ effects = [\"option.*\"], targets = [\"option:*\"], allow = [\"user:ana\"], self_approve = true }]";
    let server = Server::start(demo().flag("approvers", rule, "--set")).await;
    let turn = server.say("hello", "c1", "ana", "/maro help").await;
    let mut list = recent();
    list["options"][1]["risk"] = json!("destructive");
    list["options"][1]["exec_ref"] = json!("delete:doc-2");
    server.show("show-1", turn["lane"].as_str().unwrap(), &list).await;
    let turn = server.say("k1", "c1", "ana", "sample2").await;
    assert!(turn["effects"].as_array().unwrap().iter().all(|effect| effect["class"] != "option.execute"));
    let card = card_of(&turn);
    assert_eq!(card["step"], "call_preview", "{turn:#}");
    let turn = server.press("k2", "c1", "ana", &token(&card, "approve")).await;
    assert_eq!(offer(&turn, "option.execute")["exec_ref"], "delete:doc-2");
    server.stopped().await;
}

/// A client that reconnects finds unreported effects again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_begins_with_what_is_offered() {
    let server = Server::demo().await;
    let (lane, shown) = server.with_recent().await;
    let turn = server.turn("k1", &press("doc-1", &shown)).await;
    let run = offer(&turn, "option.execute");
    let revision = server.get(&format!("/v1/lanes/{lane}")).send().await.json()["revision"].clone();
    let poll = format!("/v1/lanes/{lane}/events?after={revision}");
    let offered = || async {
        let events = server.get(&poll).send().await.json()["items"].as_array().unwrap().clone();
        events
            .into_iter()
            .filter(|event| event["event"] == "effect")
            .map(|event| event["data"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(offered().await, std::slice::from_ref(&run), "with the same id and payload");
    server.report("r1", run["id"].as_str().unwrap(), &json!({"outcome": "applied"})).await;
    assert!(offered().await.iter().all(|effect| effect["state"] != "attempted"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_need_a_scope_of_their_own() {
    let (text, sha256) = Token::mint("agent", [3; 24]);
    let entry = |scopes: &[Scope]| {
        let scopes: Vec<String> = scopes.iter().map(|scope| format!("{:?}", scope.as_str())).collect();
        format!(
            "[{{ id = \"agent\", sha256 = \"{sha256}\", tenant = \"demo\", app = \"throughline\", scopes = [{}], principal = \"ana\" }}]",
            scopes.join(", ")
        )
    };
    let start = |scopes: &[Scope]| {
        let sources = [
            ("server.listen", "127.0.0.1:0".into()),
            ("store.url", "memory:".into()),
            ("tenant", "demo".into()),
            ("policy.selection.enabled", "true".into()),
            ("tokens", entry(scopes)),
        ];
        let sources = sources
            .into_iter()
            .fold(Sources::default(), |all, (path, value): (_, String)| all.flag(path, value, "--set"));
        Server::start(sources)
    };
    let server = start(&[Scope::EventsWrite]).await;
    let event = json!({"lane": {"conversation": "c1"}, "kind": "options.shown", "shown": recent()});
    let refused = server.event("k1", &event).token(&text).send().await;
    assert_eq!((refused.status, refused.problem().as_str()), (403, "TL-2103"));
    server.stopped().await;
    let server = start(&[Scope::EventsWrite, Scope::OptionsWrite]).await;
    let taken = server.event("k1", &event).token(&text).header("Prefer", "wait=10").send().await;
    assert_eq!(taken.status, 200, "{}", taken.text());
    let turn = taken.json();
    assert!(turn["options"]["id"].as_str().unwrap().starts_with("os1-"), "{turn:#}");
    assert_eq!((&turn["options"]["exec_rev"], &turn["options"]["executable"]), (&json!(1), &json!(true)));
    server.stopped().await;
}

/// With option lists disabled, no list is stored and no text is read against one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switched_off_nothing_is_kept() {
    let sources =
        Sources { environment: vec![("THROUGHLINE_SELECTION_ENABLED".into(), "false".into())], ..demo() };
    let server = Server::start(sources).await;
    let (lane, shown) = server.with_recent().await;
    assert_eq!((&shown["reason"], &shown["status"]), (&json!("selection.disabled"), &json!("gone")));
    assert!(shown.get("exec_rev").is_none());
    let turn = server.say("k1", "c1", "ana", "the second one").await;
    assert_eq!((&turn["selected"], &turn["options"]), (&Value::Null, &Value::Null));
    assert_eq!(server.get(&format!("/v1/lanes/{lane}")).send().await.json()["views"], json!([]));
    server.stopped().await;
}

/// Model that always asks for the current content of the panel.
struct Curious;

#[async_trait]
impl Model for Curious {
    async fn ask(&self, _: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        Attempt::Applied(Answer::Select {
            contract: SELECT_CONTRACT.into(),
            says: SelectVerdict::RequestContext,
            choice: None,
            confidence: 50,
            needs: vec!["active_widget_items".into()],
        })
    }

    fn name(&self) -> &str {
        "curious"
    }
}

/// Log output, as JSON lines.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The host returns the same content as before, so the model is not asked again.
// row: TE1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evidence_that_says_nothing_new_is_told_with_all_fields() {
    tracing_subscriber::fmt().json().with_writer(|| Log).init();
    let sources = demo().flag("policy.selection.model.enabled", "true", "--set");
    let server = crate::model::asking(Curious, sources).await;
    let (lane, shown) = server.with_recent().await;
    let text = said("c1", "ana", "open sampl from recent");
    let asked = server.event("k1", &text).header("Prefer", "wait=10");
    let host = async {
        let open = format!("/v1/effects?state=attempted&lane={lane}");
        loop {
            let effects = server.get(&open).send().await.json();
            let effects = effects["items"].as_array().unwrap();
            if let Some(fetch) = effects.iter().find(|effect| effect["class"] == "evidence.fetch") {
                assert_eq!(
                    (&fetch["set"], &fetch["wanted"]),
                    (&shown["id"], &json!(["active_widget_items"]))
                );
                let id = fetch["id"].as_str().unwrap();
                let bad = json!({"outcome": "applied", "snapshot": {"options": [{"id": "", "label": "x"}]}});
                let refused = server.report("r0", id, &bad).await.json();
                assert_eq!(refused["errors"][0]["pointer"], "/snapshot/options/0/id");
                let now = json!({"outcome": "applied", "snapshot": {"options": recent()["options"]}});
                return server.report("r1", id, &now).await;
            }
        }
    };
    let (turn, reported) = tokio::join!(asked.send(), host);
    assert_eq!(reported.json()["settled"], true, "{}", reported.text());
    let turn = turn.json();
    assert_eq!((&turn["decision"], &turn["model_calls"]), (&json!("asked"), &json!(1)), "{turn:#}");
    assert_eq!(turn["selection"]["provenance"], "safe_clarifier");
    let wanted = "selection_enrichment_fingerprint_unchanged";
    assert!(turn["selection"]["signals"].as_array().unwrap().contains(&json!(wanted)), "{turn:#}");

    let log = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let told: Vec<Value> = lines.filter(|line| line["fields"]["message"] == wanted).collect();
    let [told] = told.as_slice() else { panic!("told {} times: {log}", told.len()) };
    assert_eq!(told["target"], "throughline::selection");
    let fields = &told["fields"];
    assert_eq!((&fields["activeOptionSetId"], &fields["activeScope"]), (&shown["id"], &json!("widget")));
    assert_eq!((&fields["candidate_count"], &fields["collision_flags"]), (&json!(3), &json!("")));
    let print = fields["fingerprint_before"].as_str().unwrap();
    assert!(print.len() == 64 && fields["fingerprint_after"] == print, "{fields:#}");
    assert!(fields["loop_cycle_id"].as_str().unwrap().starts_with("fx_"), "{fields:#}");
    for field in ["retry_attempt_index", "retry_budget_remaining", "reason", "provenance"] {
        assert!(!fields[field].is_null(), "{field} in {fields:#}");
    }
    assert!(!log.contains("sampl") && !log.contains("Budget"), "what somebody wrote, or a label: {log}");
    let metrics = server.get("/metrics").send().await.text();
    assert!(
        metrics.contains(&format!("throughline_selection_signals_total{{signal=\"{wanted}\"")),
        "{metrics}"
    );
    assert!(metrics.contains("throughline_clarifiers_total{why=\"selection."), "{metrics}");
    server.stopped().await;
}
