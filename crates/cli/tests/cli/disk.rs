//! A full disk: a small file system that fills up with messages and is freed again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use ureq::Agent;

use crate::home::Home;

/// Mounts 6 MiB with 2 MiB of ballast, runs a server there, and deletes the ballast after a line on standard input. The
/// server alone holds standard output, so that it ends with it.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=6m tmpfs "$1" || exit 99
dd if=/dev/zero of="$1/ballast" bs=1k count=2048 2>/dev/null
"$2" serve --demo --json --quiet --listen 127.0.0.1:0 --data "$1" 2>"$3" &
exec >&-
read -r _
rm "$1/ballast"
read -r _
kill $!
wait $!
"#;

struct SmallDisk {
    child: Child,
    url: String,
    agent: Agent,
}

impl SmallDisk {
    /// Starts the server. Returns `None` without the right to mount.
    fn start(home: &Home) -> Option<Self> {
        let (disk, log) = (home.path().join("disk"), home.path().join("disk.log"));
        std::fs::create_dir(&disk).unwrap();
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", SCRIPT, "sh"]).arg(&disk).arg(env!("CARGO_BIN_EXE_throughline"));
        // Its settings are those of nobody else; the shell finds its commands.
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.arg(&log).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Ok(told) = serde_json::from_str::<Value>(&line) else {
            let _ = child.kill();
            let _ = child.wait();
            // There is no log where nothing was mounted.
            let told = std::fs::read_to_string(&log).ok()?;
            panic!("the server did not start: {line:?}\n{told}");
        };
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Some(Self { child, url: told["url"].as_str().unwrap().to_owned(), agent })
    }

    fn tell(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    fn says(&self, n: usize) -> (u16, Value) {
        let text = format!("message {n}: {}", "long ".repeat(2_000));
        let event = json!({
            "lane": { "conversation": format!("c{}", n % 4) }, "kind": "message.posted", "text": text,
        });
        let mut answer = self
            .agent
            .post(format!("{}/v1/events", self.url))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", format!("key-{n}"))
            .header("Prefer", "wait=10")
            .send(event.to_string())
            .unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap())
    }

    /// Waits for the turn of a message. Events acknowledged while the disk was full are handled after it is freed.
    fn has(&self, n: usize) -> bool {
        let looked = || self.agent.get(format!("{}/v1/turns/key:key-{n}", self.url)).call().unwrap().status();
        (0..400).any(|_| {
            let found = looked().as_u16() == 200;
            if !found {
                std::thread::sleep(std::time::Duration::from_millis(25));
            }
            found
        })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.tell();
        self.tell();
        let _ = self.child.wait();
    }
}

#[test]
fn a_full_disk_is_said_so_and_nothing_acknowledged_is_lost() {
    let home = Home::new();
    // Without the right to mount there is no small file system to fill.
    let Some(mut server) = SmallDisk::start(&home) else { return };
    let (mut acknowledged, mut refused) = (Vec::new(), None);
    for n in 0..2_000 {
        match server.says(n) {
            (200 | 202, _) => acknowledged.push(n),
            (status, problem) => {
                refused = Some((n, status, problem));
                break;
            }
        }
    }
    let (at, status, problem) = refused.expect("six mebibytes are enough for two thousand messages");
    assert_eq!((status, problem["code"].as_str()), (503, Some("TL-6201")), "{problem}");
    assert!(!acknowledged.is_empty());
    server.tell();
    // The server recovers by itself. The sender repeats its request until it is accepted.
    let taken = (0..600).find(|_| {
        let (status, _) = server.says(at);
        if status != 200 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        status == 200
    });
    assert!(taken.is_some(), "it did not go on after space was freed");
    acknowledged.push(at);
    let lost: Vec<usize> = acknowledged.into_iter().filter(|n| !server.has(*n)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}
