//! Runs of AG-UI: what a client hears, and the rules of interrupts. Rule by rule, one that holds and one that is broken.

use serde_json::{Value, json};

use crate::support::*;

/// A client's side of a thread.
pub(crate) struct Client<'s> {
    pub(crate) server: &'s Server,
    pub(crate) thread: String,
    actor: String,
    pub(crate) messages: Vec<Value>,
    runs: usize,
}

/// Events of one run.
pub(crate) struct Told(pub(crate) Vec<Value>);

impl<'s> Client<'s> {
    pub(crate) fn new(server: &'s Server, thread: &str, actor: &str) -> Self {
        Self { server, thread: thread.into(), actor: actor.into(), messages: Vec::new(), runs: 0 }
    }

    pub(crate) fn input(&mut self) -> Value {
        self.runs += 1;
        let run = format!("{}-{}-{}", self.thread, self.actor, self.runs);
        json!({"threadId": self.thread, "runId": run, "messages": self.messages, "tools": [], "context": [],
            "forwardedProps": {"throughline.actor": self.actor}})
    }

    pub(crate) fn write(&mut self, text: &str) -> String {
        let id = format!("u-{}-{}", self.actor, self.messages.len());
        self.messages.push(json!({"id": id, "role": "user", "content": text}));
        id
    }

    pub(crate) async fn say(&mut self, text: &str) -> Told {
        self.write(text);
        let input = self.input();
        self.run(&input).await
    }

    pub(crate) async fn resume(&mut self, entries: Value) -> Told {
        let mut input = self.input();
        input["resume"] = entries;
        self.run(&input).await
    }

    pub(crate) async fn run(&mut self, input: &Value) -> Told {
        let told = run(self.server, input).await;
        if let Some(snapshot) = told.last_of("MESSAGES_SNAPSHOT") {
            self.messages = snapshot["messages"].as_array().unwrap().clone();
        }
        told
    }
}

/// Runs an input, and checks that the events are in the order of the protocol.
pub(crate) async fn run(server: &Server, input: &Value) -> Told {
    let reply = server.post("/v1/agui").json(input).send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let text = reply.text();
    let events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let told = Told(events.map(|event| serde_json::from_str(event).unwrap()).collect());
    told.check(input);
    told
}

impl Told {
    pub(crate) fn check(&self, input: &Value) {
        let kinds: Vec<&str> = self.0.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let ends = |kind: &&&str| ["RUN_FINISHED", "RUN_ERROR"].contains(*kind);
        assert_eq!(kinds.iter().filter(ends).count(), 1, "{kinds:?}");
        assert!(kinds.last().is_some_and(|kind| ends(&kind)), "{kinds:?}");
        assert!(matches!(kinds[0], "RUN_STARTED" | "RUN_ERROR"), "{kinds:?}");
        if kinds[0] == "RUN_STARTED" {
            assert_eq!((&self.0[0]["threadId"], &self.0[0]["runId"]), (&input["threadId"], &input["runId"]));
        }
        let mut open = Vec::new();
        for event in &self.0 {
            let name =
                event["messageId"].as_str().or(event["toolCallId"].as_str()).or(event["stepName"].as_str());
            let (kind, name) = (event["type"].as_str().unwrap(), name.unwrap_or_default().to_owned());
            let thing = kind.rsplit_once('_').unwrap_or_default().0.to_owned();
            match kind.rsplit('_').next().unwrap() {
                "START" => open.push((thing, name)),
                "STARTED" if thing == "STEP" => open.push((thing, name)),
                "CONTENT" | "ARGS" => assert!(open.contains(&(thing, name)), "{event}"),
                "END" => open.retain(|other| *other != (thing.clone(), name.clone())),
                "FINISHED" if thing == "STEP" => open.retain(|other| *other != (thing.clone(), name.clone())),
                _ => {}
            }
        }
        assert!(open.is_empty(), "never ended: {open:?}");
    }

    pub(crate) fn last_of(&self, kind: &str) -> Option<&Value> {
        self.0.iter().rfind(|event| event["type"] == kind)
    }

    pub(crate) fn places(&self, kinds: &[&str]) -> Vec<usize> {
        let place = |kind: &&str| self.0.iter().rposition(|event| event["type"] == **kind);
        kinds.iter().map(|kind| place(kind).unwrap_or_else(|| panic!("no {kind} in {:#?}", self.0))).collect()
    }

    pub(crate) fn texts(&self) -> String {
        let texts = self.0.iter().filter(|event| event["type"] == "TEXT_MESSAGE_CONTENT");
        texts.map(|event| event["delta"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn custom(&self, name: &str) -> Vec<&Value> {
        self.0.iter().filter(|event| event["name"] == name).map(|event| &event["value"]).collect()
    }

    /// The code with which the run failed.
    pub(crate) fn error(&self) -> &str {
        let last = self.0.last().unwrap();
        let code = last["code"].as_str().unwrap_or_else(|| panic!("the run did not fail: {:#?}", self.0));
        let known = throughline_server::codes::explain(code).expect("a code of the table");
        let message = last["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{} {}: ", known.id(), known.title)), "{message}");
        code
    }

    pub(crate) fn outcome(&self) -> &str {
        let last = self.0.last().unwrap();
        last["outcome"]["type"].as_str().unwrap_or_else(|| panic!("the run failed: {last:#}"))
    }

    pub(crate) fn interrupts(&self) -> Vec<Value> {
        let _ = self.outcome();
        self.0.last().unwrap()["outcome"]["interrupts"].as_array().cloned().unwrap_or_default()
    }

    pub(crate) fn interrupt(&self) -> Value {
        let all = self.interrupts();
        assert_eq!(all.len(), 1, "{all:#?}");
        all[0].clone()
    }
}

pub(crate) fn answer(interrupt: &Value, payload: Value) -> Value {
    json!({"interruptId": interrupt["id"], "status": "resolved", "payload": payload})
}

pub(crate) fn cancelled(interrupt: &Value) -> Value {
    json!({"interruptId": interrupt["id"], "status": "cancelled"})
}

pub(crate) async fn issues(server: &Server) -> usize {
    server.get("/v1/tracker/issues?limit=200").send().await.json()["items"].as_array().unwrap().len()
}

/// Asks for a ticket in a thread; returns its interrupt.
pub(crate) async fn draft(client: &mut Client<'_>, title: &str) -> Told {
    client.say(&TASK.replace("Write the manual", title)).await
}

// row: AG5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_approved_once_however_often_it_is_answered() {
    for server in Server::on_each_store().await {
        let before = issues(&server).await;
        let mut you = Client::new(&server, "t1", "you");
        let told = draft(&mut you, "Write the manual").await;
        assert!(told.texts().contains("Write the manual"), "{}", told.texts());
        let interrupt = told.interrupt();
        assert_eq!(interrupt["reason"], "tool_call");
        let id = format!("{}.v1", interrupt["toolCallId"].as_str().unwrap());
        assert_eq!(interrupt["id"], id.as_str());
        assert_eq!(interrupt["responseSchema"]["required"], json!(["approved"]));
        assert_eq!(interrupt["metadata"]["version"], 1);
        let order = [
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "STATE_SNAPSHOT",
            "MESSAGES_SNAPSHOT",
            "RUN_FINISHED",
        ];
        assert!(told.places(&order).is_sorted(), "{:?}", told.places(&order));
        let args = told.last_of("TOOL_CALL_ARGS").unwrap()["delta"].as_str().unwrap();
        let hash = throughline_engine::data::canonical_json::sha256(&[args.as_bytes()]);
        let hash = throughline_engine::data::canonical_json::hex(&hash);
        assert_eq!(interrupt["metadata"]["hash"], hash.as_str(), "the arguments are what is approved");
        assert_eq!(told.last_of("STATE_SNAPSHOT").unwrap()["snapshot"]["step"], "draft_preview");

        let yes = json!([answer(&interrupt, json!({"approved": true}))]);
        let done = you.resume(yes.clone()).await;
        assert_eq!(done.outcome(), "success");
        let result = done.last_of("TOOL_CALL_RESULT").unwrap().clone();
        assert_eq!(result["toolCallId"], interrupt["toolCallId"]);
        assert!(result["content"].as_str().unwrap().contains("DEMO-"), "{result}");
        assert_eq!(issues(&server).await, before + 1);

        // A client that lost the answer asks again, and one that lost everything does too.
        let mut lost = Client::new(&server, "t1", "you");
        let again = lost.resume(yes).await;
        assert_eq!(again.last_of("TOOL_CALL_RESULT").unwrap()["content"], result["content"]);
        let other = you.resume(json!([answer(&interrupt, json!({"approved": false}))])).await;
        assert_eq!(other.error(), "press.consumed");
        assert!(other.0.last().unwrap()["message"].as_str().unwrap().contains("Already processed"));
        assert_eq!(issues(&server).await, before + 1, "nothing is created twice");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_with_a_gate() {
    let server = Server::demo().await;
    let mut you = Client::new(&server, "t1", "you");
    let told = you.say("What do you think about microservices?").await;
    let gate = told.interrupt();
    assert_eq!((&gate["reason"], gate.get("toolCallId")), (&json!("input_required"), None));
    let words = &gate["responseSchema"]["properties"]["action"]["enum"];
    assert_eq!(*words, json!(["select_review", "select_ticket", "dismiss"]));
    let bad = you.resume(json!([answer(&gate, json!({"action": "approve"}))])).await;
    assert_eq!(bad.error(), "agui.invalid_payload");
    let next = you.resume(json!([answer(&gate, json!({"action": "select_ticket"}))])).await;
    assert!(next.texts().contains("microservices"), "{}", next.texts());
    assert_eq!(next.interrupt()["reason"], "tool_call", "the draft of it");
    assert_eq!(you.resume(json!([cancelled(&next.interrupt())])).await.outcome(), "success");
    let asked = you.say("create a task").await;
    assert_eq!(asked.outcome(), "success", "what is missing is asked for in words");
    assert!(
        asked.custom("throughline.pending").iter().any(|pending| pending["class"] == "conversational"),
        "{:#?}",
        asked.0
    );
    assert!(!you.say("Write the manual").await.texts().is_empty(), "and answered by a text");
    server.stopped().await;
}

// row: AG1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_is_answered_in_its_own_thread() {
    let server = Server::demo().await;
    let mut here = Client::new(&server, "t1", "you");
    let mut there = Client::new(&server, "t2", "you");
    let (asked, other) =
        (draft(&mut here, "One").await.interrupt(), draft(&mut there, "Two").await.interrupt());
    for status in [answer(&asked, json!({"approved": true})), cancelled(&asked)] {
        assert_eq!(there.resume(json!([status])).await.error(), "agui.wrong_thread");
    }
    assert_eq!(there.resume(json!([answer(&other, json!({"approved": true}))])).await.outcome(), "success");
    assert_eq!(here.resume(json!([answer(&asked, json!({"approved": false}))])).await.outcome(), "success");
    server.stopped().await;
}

// row: AG2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_that_never_was_is_named() {
    let server = Server::demo().await;
    let mut you = Client::new(&server, "t1", "you");
    let asked = draft(&mut you, "One").await.interrupt();
    let card = asked["toolCallId"].as_str().unwrap();
    for made_up in
        ["x", "ap_1", "ap_1.v1", &format!("{card}.v2"), &format!("{card}.v0"), card, &format!("{card}9.v1")]
    {
        for entry in [
            json!({"interruptId": made_up, "status": "cancelled"}),
            json!({"interruptId": made_up, "status": "resolved", "payload": {"approved": true}}),
        ] {
            let told = you.resume(json!([entry])).await;
            assert_eq!(told.error(), "agui.unknown_interrupt", "{made_up}");
        }
    }
    assert_eq!(you.resume(json!([answer(&asked, json!({"approved": true}))])).await.outcome(), "success");
    server.stopped().await;
}

/// Two drafts of one thread: with `parallel`, the second is asked for while the first is open.
pub(crate) async fn two_drafts(you: &mut Client<'_>) -> [Value; 2] {
    draft(you, "One").await.interrupt();
    you.write(&TASK.replace("Write the manual", "Two"));
    let mut input = you.input();
    input["forwardedProps"]["throughline.parallel"] = json!(true);
    let told = you.run(&input).await;
    let both = told.interrupts();
    both.try_into().unwrap_or_else(|both| panic!("two are open: {both:#?} {}", told.texts()))
}

// row: AG3
// row: AG9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_open_interrupt_is_answered_or_none() {
    let server = Server::demo().await;
    let before = issues(&server).await;
    let mut you = Client::new(&server, "t1", "you");
    let [one, two] = two_drafts(&mut you).await;
    let yes = json!({"approved": true});
    assert_eq!(you.resume(json!([answer(&one, yes.clone())])).await.error(), "agui.partial_resume");
    let invalid = json!([answer(&one, yes.clone()), answer(&two, json!({"approved": "yes"}))]);
    assert_eq!(you.resume(invalid).await.error(), "agui.invalid_payload");
    assert_eq!(issues(&server).await, before, "neither was applied");
    let both = you.resume(json!([answer(&two, yes.clone()), answer(&one, yes)])).await;
    assert_eq!((both.outcome(), issues(&server).await), ("success", before + 2));
    server.stopped().await;
}

// row: AG4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_interrupts_block_a_text_unless_it_is_parallel() {
    let server = Server::demo().await;
    let mut you = Client::new(&server, "t1", "you");
    let asked = draft(&mut you, "One").await.interrupt();
    let blocked = you.say("help").await;
    assert_eq!(blocked.error(), "agui.interrupts_open");
    assert_eq!(blocked.custom("throughline.interrupts")[0]["interrupts"][0]["id"], asked["id"]);
    assert!(blocked.0.last().unwrap()["message"].as_str().unwrap().contains(asked["id"].as_str().unwrap()));
    let mut input = you.input();
    input["forwardedProps"]["throughline.parallel"] = json!(true);
    let through = you.run(&input).await;
    assert!(!through.texts().is_empty());
    assert_eq!(through.interrupt(), asked, "it is sent again");
    // "yes" approves nothing, with parallel or without.
    you.write("yes");
    let mut input = you.input();
    input["forwardedProps"]["throughline.parallel"] = json!(true);
    assert_eq!(you.run(&input).await.interrupt(), asked);
    server.stopped().await;
}

// row: AG6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payload_has_the_form_that_was_asked_for() {
    let server = Server::demo().await;
    let mut you = Client::new(&server, "t1", "you");
    let asked = draft(&mut you, "One").await.interrupt();
    for payload in [
        json!(null),
        json!({}),
        json!(true),
        json!("yes"),
        json!([true]),
        json!({"approved": 1}),
        json!({"approved": null}),
        json!({"approved": true, "editedArgs": {}}),
        json!({"action": "approve"}),
    ] {
        let told = you.resume(json!([answer(&asked, payload.clone())])).await;
        assert_eq!(told.error(), "agui.invalid_payload", "{payload}");
    }
    assert_eq!(you.resume(json!([answer(&asked, json!({"approved": false}))])).await.outcome(), "success");
    server.stopped().await;
}

// row: AG8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_ends_with_a_code() {
    let server = Server::demo().await;
    for (input, place) in [
        (json!({}), "/threadId"),
        (json!({"threadId": "t", "runId": "r"}), "/messages"),
        (json!({"threadId": "t", "runId": "r", "messages": [], "resume": "yes"}), "/resume"),
        (
            json!({"threadId": "t", "runId": "r", "messages": [], "resume": [{"interruptId": "x"}]}),
            "/resume/0/status",
        ),
        (
            json!({"threadId": "t", "runId": "r", "messages": [{"role": "user", "id": "1", "content": " "}]}),
            "/messages/0/content",
        ),
    ] {
        let told = run(&server, &input).await;
        assert_eq!(told.error(), "request.schema");
        assert!(told.0.last().unwrap()["message"].as_str().unwrap().contains(place), "{:?}", told.0);
    }
    for nothing in [json!([]), json!([{"role": "assistant", "id": "a", "content": "hi"}])] {
        let told = run(&server, &json!({"threadId": "t", "runId": "r", "messages": nothing})).await;
        assert_eq!(told.error(), "agui.no_message");
    }
    let broken =
        server.post("/v1/agui").header("Content-Type", "application/json").bytes(b"{".to_vec()).send().await;
    assert_eq!(broken.problem(), "TL-2001");
    server.stopped().await;
}

// row: AG10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_did_not_ask_leaves_an_interrupt_and_it_stays_open_elsewhere() {
    let server = Server::demo().await;
    let mut eve = Client::new(&server, "t1", "eve");
    let told = draft(&mut eve, "One").await;
    assert_eq!(told.outcome(), "success", "no rule names eve");
    assert!(told.custom("throughline.pending").iter().any(|pending| pending["kind"] == "waiting_approval"));
    let mut bob = Client::new(&server, "t1", "bob");
    bob.write("hello");
    let mut input = bob.input();
    input["forwardedProps"]["throughline.parallel"] = json!(true);
    let asked = bob.run(&input).await.interrupt();
    let left = bob.resume(json!([cancelled(&asked)])).await;
    assert_eq!(left.outcome(), "success");
    assert_eq!(bob.resume(json!([cancelled(&asked)])).await.outcome(), "success", "leaving twice is leaving");
    assert!(!bob.say("help").await.texts().is_empty(), "the thread can be used");
    let id = asked["toolCallId"].as_str().unwrap();
    let approval = server.get(&format!("/v1/approvals/{id}")).send().await.json();
    assert_eq!((&approval["state"], approval["decided"].is_null()), (&json!("pending"), true));
    let body = json!({"version": 1, "decision": "approve", "actor": {"id": "bob"}});
    let decided =
        server.post(&format!("/v1/approvals/{id}/decide")).header("Idempotency-Key", "d1").json(&body);
    assert_eq!(decided.send().await.json()["reason"], "press.applied");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asked_gives_up_and_what_is_over_can_be_left() {
    let server = Server::demo().await;
    let mut you = Client::new(&server, "t1", "you");
    let asked = draft(&mut you, "One").await.interrupt();
    let gave_up = you.resume(json!([cancelled(&asked)])).await;
    assert_eq!(gave_up.outcome(), "success");
    assert!(gave_up.last_of("TOOL_CALL_RESULT").is_some());
    let state =
        server.get(&format!("/v1/approvals/{}", asked["toolCallId"].as_str().unwrap())).send().await.json();
    assert_ne!(state["state"], "pending");

    // Edited elsewhere: the old version is refused with a way on, leaving it answers nothing of the new one.
    let old = draft(&mut you, "Two").await.interrupt();
    let card =
        server.get(&format!("/v1/approvals/{}", old["toolCallId"].as_str().unwrap())).send().await.json();
    server.press("e1", "t1", "you", &token(&card["card"], "edit")).await;
    server.say("e2", "t1", "you", "Title: Three").await;
    let stale = you.resume(json!([answer(&old, json!({"approved": true}))])).await;
    assert_eq!(stale.error(), "stale.version");
    let told = you.resume(json!([cancelled(&old)])).await;
    let new = told.interrupt();
    assert_ne!(new["id"], old["id"]);
    assert_eq!(you.resume(json!([answer(&new, json!({"approved": true}))])).await.outcome(), "success");
    server.stopped().await;
}
