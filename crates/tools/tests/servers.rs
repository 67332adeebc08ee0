//! Servers that misbehave, as child processes: a shell script each. The outcome of calls, and what is left of the
//! processes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::Attempt;
use throughline_engine::{LaneKey, Language};
use throughline_tools::{
    ChildSetting, Clients, MemoryGrants, MemoryPins, PinStatus, ServerAddress, ServerSetting, Settings,
    Timeouts, ToolSetting,
};

/// A server of the older protocol generation with a tool `look`; `does` is the script of a call.
fn script(does: &str) -> String {
    const LOOK: &str = r#"{"name":"look","inputSchema":{"type":"object"}}"#;
    listing(&format!(r#"printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{LOOK}]}}}}\n' "$id""#), does)
}

/// A server with its own script for listing tools.
fn listing(lists: &str, does: &str) -> String {
    format!(
        r#"
echo $$ >> pids
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}\n' "$id" ;;
    *'"tools/list"'*) echo list >> lists; {lists} ;;
    *'"tools/call"'*) echo call >> calls; {does} ;;
    *'"id"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"no such method"}}}}\n' "$id" ;;
  esac
done
"#
    )
}

struct World {
    folder: tempfile::TempDir,
    clients: Clients,
}

impl World {
    async fn new(does: &str) -> Self {
        let timeouts = Timeouts { call: Duration::from_millis(700), ..Timeouts::default() };
        let world = Self::running(&script(does), timeouts);
        assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
        world
    }

    fn running(script: &str, timeouts: Timeouts) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.sh");
        std::fs::write(&file, format!("cd {:?}\n{script}", folder.path())).unwrap();
        let child = ChildSetting {
            command: "/bin/sh".into(),
            args: vec![file.to_string_lossy().into_owned()],
            env: vec!["PATH".into()],
        };
        let server = ServerSetting { at: ServerAddress::Child(child), calls: 4 };
        let tool =
            ToolSetting { server: "s".into(), tool: "look".into(), args: Vec::new(), idempotent: false };
        let settings = Settings {
            servers: BTreeMap::from([("s".into(), server)]),
            tools: BTreeMap::from([("look".into(), tool)]),
            agents: BTreeMap::new(),
            timeouts,
        };
        let clients =
            Clients::new(settings, Arc::new(MemoryPins::default()), Arc::new(MemoryGrants::default()))
                .unwrap();
        Self { folder, clients }
    }

    async fn call(&self, risk: Risk) -> Attempt<CallOutcome> {
        self.call_as("fx_1", risk, CallPhase::Begin).await
    }

    async fn call_as(&self, effect: &str, risk: Risk, phase: CallPhase) -> Attempt<CallOutcome> {
        let lane = LaneKey::new("t", "a", "web", "c", "");
        let call = Call {
            job: Job::Tool { name: "look".into(), args: BTreeMap::new() },
            phase,
            task: "t_1".into(),
            text: "look".into(),
            risk,
            prompt: None,
        };
        let effect = effect.into();
        self.clients.work(&CallRequest { lane: &lane, effect: &effect, call: &call, underway: None }).await
    }

    fn lines(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// True if a process runs and is not a zombie.
fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

async fn until(what: &str, is: impl Fn() -> bool) {
    for _ in 0..400 {
        if is() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came to pass that {what}");
}

const SAYS: &str =
    r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "#;

/// A server that answers each call in a process of its own, so that calls run beside one another: `does` is done with the
/// line of the call.
fn beside(does: &str) -> String {
    script(&format!("( {does} ) & "))
}

/// Calls of one server run beside one another: the first ends after the second has.
#[tokio::test]
async fn calls_of_one_server_run_beside_one_another() {
    let first_waits = format!(
        "n=$(wc -l < calls); if [ \"$n\" = 1 ]; then until [ -e second ]; do sleep 0.02; done; fi; {SAYS} done; touch second"
    );
    let world = World::running(&beside(&first_waits), Timeouts::default());
    assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
    let first = world.call_as("fx_1", Risk::Write, CallPhase::Begin);
    let second = async {
        until("the first was sent", || world.lines("calls").len() == 1).await;
        world.call_as("fx_2", Risk::Write, CallPhase::Begin).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first, Attempt::Applied(CallOutcome::Said("done".into())));
    assert_eq!(second, first);
    assert_eq!(world.lines("pids").len(), 1, "one process");
    world.clients.close().await;
}

/// A server is told that a call is given up: when its time is over, and when nobody wants it any more.
#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let server = |does: &str| {
        script(does).replace(
            "    *'\"id\"'*)",
            "    *notifications/cancelled*) printf '%s\\n' \"$line\" | sed -n 's/.*\"requestId\":\\([0-9]*\\).*/\\1/p' >> cancelled ;;\n    *'\"id\"'*)",
        )
    };
    let silent = "printf '%s\n' \"$id\" >> asked";
    let short = Timeouts { call: Duration::from_millis(300), ..Timeouts::default() };
    let world = World::running(&server(silent), short);
    assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
    assert!(matches!(world.call(Risk::Read).await, Attempt::Unknown { .. }));
    assert_eq!(world.lines("asked").len(), 1);
    until("the server was told", || world.lines("cancelled") == world.lines("asked")).await;
    world.clients.close().await;

    let world = World::running(&server(silent), Timeouts::default());
    assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
    tokio::select! {
        _ = world.call(Risk::Read) => panic!("it is not answered"),
        () = until("the call was sent", || world.lines("asked").len() == 1) => {}
    }
    until("the server was told", || world.lines("cancelled") == world.lines("asked")).await;
    world.clients.close().await;
}

/// A server that answers a question it does not know with an empty result is an older one.
#[tokio::test]
async fn an_empty_answer_to_discover_is_of_an_older_server() {
    let empty = script(&format!("{SAYS} said")).replace(
        "    *'\"initialize\"'*)",
        "    *'\"server/discover\"'*) printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\\n' \"$id\" ;;\n    *'\"initialize\"'*)",
    );
    let world = World::running(&empty, Timeouts::default());
    assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
    assert_eq!(world.call(Risk::Read).await, Attempt::Applied(CallOutcome::Said("said".into())));
    world.clients.close().await;
}

#[tokio::test]
async fn a_call_that_is_not_answered_is_unknown_and_one_that_dies_too() {
    let slow = World::new("sleep 30").await;
    assert!(
        matches!(slow.call(Risk::Write).await, Attempt::Unknown { why } if why.text(Language::En).contains("in time"))
    );
    slow.clients.close().await;

    let dies = World::new("exit 1").await;
    assert!(matches!(dies.call(Risk::Write).await, Attempt::Unknown { .. }), "a byte went out");
    let moment = dies.call(Risk::Write).await;
    assert!(
        matches!(moment, Attempt::NotApplied { hint: Some(1..=1_001), .. }),
        "it is given a moment: {moment:?}"
    );
    assert_eq!(dies.lines("calls").len(), 1);
    let mut again = dies.call(Risk::Write).await;
    while matches!(again, Attempt::NotApplied { .. }) {
        tokio::time::sleep(Duration::from_millis(25)).await;
        again = dies.call(Risk::Write).await;
    }
    assert!(matches!(again, Attempt::Unknown { .. }), "{again:?}");
    assert_eq!(dies.lines("pids").len(), 2, "another process was started");
    dies.clients.close().await;
}

/// Nothing of a call that timed out is left when the next one begins: not even its process, whose answer was on the
/// way.
#[tokio::test]
async fn a_call_that_timed_out_leaves_nothing_to_the_next() {
    let once = format!("[ -e slow ] || {{ touch slow; sleep 30; }}; {SAYS} said");
    let world = World::new(&once).await;
    assert!(
        matches!(world.call(Risk::Write).await, Attempt::Unknown { why } if why.text(Language::En).contains("in time"))
    );
    assert_eq!(world.call(Risk::Write).await, Attempt::Applied(CallOutcome::Said("said".into())));
    let pids = world.lines("pids");
    assert_eq!(pids.len(), 2, "another process was started");
    until("the first one ended", || !alive(&pids[0])).await;
    world.clients.close().await;
}

/// A server that starts and dies at every call gets a longer pause each time.
#[tokio::test]
async fn the_wait_doubles_until_a_call_is_answered() {
    let dies = World::new("exit 1").await;
    let again = async || {
        let mut again = dies.call(Risk::Write).await;
        while matches!(again, Attempt::NotApplied { .. }) {
            tokio::time::sleep(Duration::from_millis(25)).await;
            again = dies.call(Risk::Write).await;
        }
        assert!(matches!(again, Attempt::Unknown { .. }), "{again:?}");
        Instant::now()
    };
    let first = again().await;
    let second = again().await;
    let third = again().await;
    assert!(second - first >= Duration::from_millis(900), "{:?}", second - first);
    assert!(third - second >= Duration::from_millis(1_900), "{:?}", third - second);
    dies.clients.close().await;
}

#[tokio::test]
async fn what_is_too_long_is_refused_when_it_only_reads() {
    let long = format!("{SAYS} \"$(head -c 300000 /dev/zero | tr '\\0' x)\"");
    let world = World::new(&long).await;
    assert!(
        matches!(world.call(Risk::Read).await, Attempt::Rejected { text, .. } if text.text(Language::En).contains("256 KiB"))
    );
    assert!(
        matches!(world.call(Risk::Write).await, Attempt::Applied(CallOutcome::Said(text)) if text.contains("not shown"))
    );
    let huge = format!("{SAYS} \"$(head -c 5000000 /dev/zero | tr '\\0' x)\"");
    let world = World::new(&huge).await;
    assert!(matches!(world.call(Risk::Read).await, Attempt::Unknown { .. }), "more than is read at all");
    world.clients.close().await;
}

/// A server with an endless list of tools is cut off, and so is one with too many tools on one page.
#[tokio::test]
async fn a_list_of_tools_has_an_end() {
    let page = |tools: &str, more: &str| {
        let result = format!(r#"{{"tools":[{tools}]{more}}}"#);
        listing(&format!(r#"printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" '{result}'"#), "true")
    };
    let tool = |n: u32| format!(r#"{{"name":"t{n}","inputSchema":{{"type":"object"}}}}"#);
    let crowd = (0..1_001).map(tool).collect::<Vec<_>>().join(",");
    for (server, why, lists) in [
        (page(&tool(0), r#","nextCursor":"more""#), "on more than 50 pages", 50),
        (page(&crowd, ""), "more than 1000 tools", 1),
    ] {
        let world = World::running(&server, Timeouts::default());
        let listed = world.clients.list().await.unwrap();
        assert!(
            matches!(&listed[0].status, PinStatus::Unreachable(said) if said.contains(why) && said.contains("“s”")),
            "{listed:?}"
        );
        assert_eq!(world.lines("lists").len(), lists);
        world.clients.close().await;
    }
}

/// However long the parts may take, the whole call ends before the effect's lease does.
#[tokio::test]
async fn a_call_ends_when_all_of_its_time_is_up() {
    let (whole, call) = (Duration::from_millis(700), Duration::from_secs(300));
    let timeouts = Timeouts { whole, call, ..Timeouts::default() };
    let world = World::running(&script("sleep 300"), timeouts);
    assert_eq!(world.clients.pin(None, "ana").await.unwrap().pinned, ["tool:look"]);
    let called = tokio::time::timeout(Duration::from_secs(100), world.call(Risk::Write)).await;
    assert!(
        matches!(called.expect("it ended"), Attempt::Unknown { why } if why.text(Language::En).contains("in time"))
    );
    world.clients.close().await;
}

/// Everything a server started ends with it, also processes that left their parent.
#[tokio::test]
async fn the_whole_group_ends() {
    let spawns = format!("sleep 300 & echo $! >> pids; {SAYS} started");
    let world = World::new(&spawns).await;
    assert_eq!(world.call(Risk::Read).await, Attempt::Applied(CallOutcome::Said("started".into())));
    let pids = world.lines("pids");
    assert_eq!(pids.len(), 2);
    assert!(pids.iter().all(|pid| alive(pid)), "{pids:?}");
    world.clients.close().await;
    until("all of them ended", || !pids.iter().any(|pid| alive(pid))).await;
}

#[tokio::test]
async fn what_cannot_be_started_was_not_called() {
    let child = ChildSetting { command: "/nowhere/at/all".into(), args: Vec::new(), env: Vec::new() };
    let server = ServerSetting { at: ServerAddress::Child(child), calls: 4 };
    let tool = ToolSetting { server: "s".into(), tool: "look".into(), args: Vec::new(), idempotent: false };
    let settings = Settings {
        servers: BTreeMap::from([("s".into(), server)]),
        tools: BTreeMap::from([("look".into(), tool)]),
        ..Settings::default()
    };
    let clients =
        Clients::new(settings, Arc::new(MemoryPins::default()), Arc::new(MemoryGrants::default())).unwrap();
    let listed = clients.list().await.unwrap();
    assert!(
        matches!(&listed[0].status, PinStatus::Unreachable(why) if why.contains("cannot be started")),
        "{listed:?}"
    );
    let done = clients.pin(None, "ana").await.unwrap();
    assert_eq!(done.pinned, [""; 0]);
    let [(name, why)] = done.unreachable.as_slice() else { panic!("{done:?}") };
    assert!(name == "tool:look" && why.contains("failed just now"), "{done:?}");
}
