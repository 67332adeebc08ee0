//! `throughline context`: of lanes, and of state documents from a file, from Redis and over HTTP.

use serde_json::{Value, json};
use throughline_store::conformance::RedisTestServer as Redis;

use crate::home::{Home, Ran};
use crate::server::Server;

const KEY: &str = "supervisor:state";
const PASSWORD: &str = "correct-horse-1";

/// Returns a supervisor's state document.
fn document() -> Value {
    json!({
        "supervisor": { "status": "RUNNING" },
        "goal": { "project_id": "demo", "description": "Ship login" },
        "completed_tasks": [
            { "task_id": "task-6", "completed_at": "2026-01-15T10:05:00Z", "intent": "Create Schema" },
            { "task_id": "task-7", "completed_at": "2026-01-15T10:09:30Z" },
        ],
        "blocked_tasks": [
            { "task_id": "task-4", "blocked_at": "2026-01-15T09:40:00Z", "reason": "Waiting for the staging password" },
        ],
    })
}

fn render(home: &Home, state: &Value, arguments: &[&str]) -> Ran {
    home.file("state.json", &state.to_string());
    home.run(&[&["context", "render", "--state", "state.json"], arguments].concat())
}

// row: C26
#[test]
fn the_newer_of_two_lists_counts_and_that_is_said_beside_the_result() {
    let home = Home::new();
    for (blocked_at, blocked) in [("2026-01-15T09:00:00Z", false), ("2026-01-15T11:00:00Z", true)] {
        let state = json!({
            "completed_tasks": [{ "task_id": "t1", "completed_at": "2026-01-15T10:00:00Z" }],
            "blocked_tasks": [{ "task_id": "t1", "blocked_at": blocked_at, "reason": "It waits" }],
        });
        let ran = render(&home, &state, &[]).ends(0);
        assert_eq!(ran.out.contains("\"reason\": \"It waits\""), blocked, "{}", ran.session());
        assert_eq!(ran.out.contains("\"status\": \"completed\""), !blocked, "{}", ran.session());
        assert!(ran.err.starts_with("warning: context.in_both_lists at /"), "{}", ran.session());
    }
}

// row: C27
#[test]
fn what_cannot_be_used_ends_with_1_and_prints_nothing() {
    let home = Home::new();
    assert!(render(&home, &json!({}), &[]).ends(0).out.contains("\"recent_history\": []"));
    let refused = render(&home, &json!({ "completed_tasks": {} }), &[]).ends(1);
    assert!(refused.out.is_empty() && refused.err.contains("/completed_tasks is not a list"));
    home.file("broken.json", "no json");
    let refused = home.run(&["context", "render", "--state", "broken.json"]).ends(1);
    assert!(refused.err.contains("TL-1301"), "{}", refused.session());
    home.run(&["context", "render", "--state", "missing.json"]).ends(1);
    let running = json!({
        "current_task": { "task_id": "t1" },
        "blocked_tasks": [{ "task_id": "t1", "reason": "It waited" }],
    });
    assert!(render(&home, &running, &[]).ends(0).out.contains("\"active_blockers\": []"));
}

// row: C28
#[test]
fn a_file_redis_and_http_come_to_the_same_bytes() {
    let home = Home::new();
    let state = document();
    let task = json!({ "task_id": "task-8", "intent": "Seed data", "instructions": "Do it.\n" });
    home.file("task.json", &task.to_string());
    let server = Server::start(&home);
    let redis = Redis::start();
    redis.say(&[&["SELECT", "2"], &["SET", KEY, &state.to_string()], &["LPUSH", "list", "x"]]);
    let from_redis = |arguments: &[&str]| {
        let url = redis.url() + "/2";
        home.run(&[&["context", "render", "--redis", &url], arguments].concat())
    };
    for (arguments, format) in [(&["--format", "markdown"][..], "markdown"), (&["--format", "json"], "json")]
    {
        for task in [None, Some(&task)] {
            let with_task: &[&str] = if task.is_some() { &["--task", "task.json"] } else { &[] };
            let ran = render(&home, &state, &[arguments, with_task].concat()).ends(0);
            let again = from_redis(&[&["--key", KEY], arguments, with_task].concat()).ends(0);
            assert_eq!(again.out, ran.out);
            let body = json!({ "state": state, "task": task });
            let path = format!("/v1/context/render?format={format}");
            assert_eq!(server.post_text(&path, &body.to_string()), ran.out);
            assert_eq!(
                ran.out.len(),
                if task.is_none() && format == "markdown" { 643 } else { ran.out.len() }
            );
        }
    }
    assert!(from_redis(&["--key", "nothing"]).ends(1).err.contains("there is no such key\n  code: TL-1304"));
    assert!(from_redis(&["--key", "list"]).ends(1).err.contains("WRONGTYPE"));
    let url = redis.url();
    drop(redis);
    let down = home.run(&["context", "render", "--redis", &url, "--key", KEY]).ends(5);
    assert!(down.out.is_empty() && down.err.contains("TL-1303"), "{}", down.session());
}

#[test]
fn a_password_for_redis_is_read_from_its_file() {
    let home = Home::new();
    let redis = Redis::start_with(Some(PASSWORD));
    redis.say(&[&["AUTH", PASSWORD], &["SET", KEY, &document().to_string()]]);
    let url = redis.url();
    let asked = ["context", "render", "--redis", &url, "--key", KEY];
    assert!(home.run(&asked).ends(1).err.contains("NOAUTH"));
    home.file("password", &format!("{PASSWORD}\n"));
    let ran = home.run(&[&asked[..], &["--redis-password-file", "password"]].concat()).ends(0);
    assert_eq!(ran.out.len(), 643, "{}", ran.session());
    home.file("password", "another");
    let refused = home.run(&[&asked[..], &["--redis-password-file", "password"]].concat()).ends(1);
    assert!(refused.err.contains("WRONGPASS") && !refused.err.contains("another"), "{}", refused.session());
}

// row: C29
#[test]
fn a_password_in_the_address_is_refused_and_not_repeated() {
    let home = Home::new();
    for arguments in [
        &["context", "render", "--redis", "redis://u:hunter2x@h", "--key", KEY][..],
        &["context", "render", "--redis", "redis://u:hunter2x@h"],
        &["context", "render", "--redis", "redis://:hunter2x@h", "--key", KEY, "--json"],
    ] {
        let refused = home.run(arguments).ends(2);
        let said = refused.out + &refused.err;
        assert!(!said.contains("hunter2x") && !said.is_empty(), "{said}");
    }
}

#[test]
fn the_numbers_have_bounds_and_a_task_that_does_not_fit_is_said_so() {
    let home = Home::new();
    for arguments in [&["--history", "2"][..], &["--history", "6"], &["--max-tokens", "5999"]] {
        render(&home, &document(), arguments).ends(2);
    }
    home.run(&["context", "render", "--state", "state.json", "--redis", "redis://h", "--key", KEY]).ends(2);
    let task = json!({ "task_id": "t", "instructions": "a".repeat(40_000) });
    home.file("task.json", &task.to_string());
    let refused = render(&home, &document(), &["--task", "task.json", "--max-tokens", "8000"]).ends(1);
    assert!(refused.err.contains("TL-1302"), "{}", refused.session());
    render(&home, &document(), &["--task", "task.json"]).ends(0);
}

#[test]
fn a_lane_tells_the_same_from_its_store_and_from_its_server() {
    let home = Home::new();
    let server = Server::start(&home);
    let event = json!({ "kind": "task.reported", "lane": { "conversation": "s1" }, "report": {
        "task_id": "login", "status": "blocked", "reason": "password: hunter2x\nfor staging", "at": "2026-01-15T09:40:00Z",
    }});
    let answer = server.post("/v1/events", "k1", &event.to_string());
    let lane = answer["lane"].as_str().unwrap();
    let told = |arguments: &[&str]| home.run(&[&["context", lane], arguments].concat()).ends(0).out;
    let running = told(&["--server", &server.url]);
    let blocker = "{ \"task_id\": \"login\", \"reason\": \"[redacted:assignment] for staging\", \
        \"blocked_at\": \"2026-01-15T09:40:00Z\" }";
    assert!(running.contains(blocker), "{running}");
    let as_json = told(&["--server", &server.url, "--format", "json"]);
    home.run(&["context", "ln_none", "--server", &server.url]).ends(1);
    assert_eq!(server.terminate(), 0);
    assert_eq!(told(&[]), running, "also after a restart");
    assert_eq!(told(&["--json"]), as_json);
    let value: Value = serde_json::from_str(&as_json).unwrap();
    assert_eq!(value["prompt"], running);
}
