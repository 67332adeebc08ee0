//! The terminal as a person sees it: the chat as it is typed into and followed, pages of long results, colours.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::home::Home;
use crate::seeded::Seeded;
use crate::server::Server;

/// The longest time that anything is waited for on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// Sequence that the line editor begins to read with. What is typed before may be lost.
const READS: &str = "\u{1b}[?2004h";

/// A program in a terminal of 60 columns and 20 rows.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    seen: String,
    /// The end of what was waited for already.
    read: usize,
}

/// Ends a program that does not end by itself.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    /// Starts the program with variables of the environment before it: `PAGER=cat lanes list`.
    fn start(home: &Home, variables: &str, arguments: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_throughline");
        let line = format!("stty cols 60 rows 20; {variables} {program} {arguments}");
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(home.path()).env_clear();
        command
            .env("HOME", home.path())
            .env("TERM", "xterm")
            .env("PATH", "/usr/bin:/bin")
            .env("SHELL", "/bin/sh");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut chunk) {
                let _ = send.send(chunk[..read].to_vec());
            }
        });
        Self { child, keys, output, seen: String::new(), read: 0 }
    }

    /// Waits until the terminal shows a text, behind what was waited for before.
    fn wait(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            match self.output.recv_timeout(LONGEST) {
                Ok(chunk) => self.seen.push_str(&String::from_utf8_lossy(&chunk)),
                Err(_) => panic!("{text:?} does not come: {}", self.seen),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end of the program. Returns all it showed.
    fn ended(mut self) -> String {
        while let Ok(chunk) = self.output.recv_timeout(LONGEST) {
            self.seen.push_str(&String::from_utf8_lossy(&chunk));
        }
        assert!(self.child.wait().unwrap().success(), "{}", self.seen);
        std::mem::take(&mut self.seen)
    }
}

/// Returns what is shown of an output, without what a terminal obeys.
fn plain(shown: &str) -> String {
    let mut text = String::new();
    let mut chars = shown.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                let _ = chars.by_ref().skip_while(|c| *c == '[').find(char::is_ascii_alphabetic);
            }
            '\r' => {}
            c => text.push(c),
        }
    }
    text
}

#[test]
fn a_chat_shows_what_others_say_while_a_line_is_typed() {
    let home = Home::new();
    let _server = Server::start(&home);
    let mut chat = Terminal::start(&home, "", "chat --session s1");
    chat.wait("> ");
    chat.press("create a bug: the page of the orders is empty whenever it is opened by somebody new\r");
    chat.wait(":1 Approve");
    chat.wait("> ");
    chat.press("half a line");
    chat.wait("half a line");
    home.run_with(
        &["chat", "--no-input", "--session", "s1", "--as", "ana"],
        "and the footer is wrong\n",
        &[],
    )
    .ends(0);
    chat.wait("ana:");
    chat.wait("and the footer is wrong");
    chat.wait("half a line");
    // Ctrl-U drops the line.
    chat.press("\u{15}:quit\r");
    let shown = chat.ended();
    assert!(shown.contains("\u{1b}[1m[1] Create 1 bug in DEMO?"), "titles stand out: {shown}");
    assert!(shown.contains("\u{1b}[32m:1 Approve"), "{shown}");
    let text = plain(&shown);
    assert!(!text.contains("you: create a bug"), "what is typed here is not said again: {text}");
    let typed = |line: &&str| line.starts_with("> ");
    let long = text.lines().filter(|line| !typed(line)).find(|line| line.chars().count() > 60);
    assert_eq!(long, None, "{text}");
    // Who joins sees all of it.
    let joined = home.run_with(&["chat", "--no-input", "--session", "s1"], "", &[]).ends(0).out;
    assert!(joined.starts_with("you: create a bug") && joined.contains("\nana: and the footer"), "{joined}");
}

#[test]
fn what_was_typed_comes_back_in_the_next_chat_with_the_same_server() {
    let home = Home::new();
    let chat = |data: &str, lines: &[&str]| {
        let mut chat = Terminal::start(&home, "", &format!("chat --session s1 --data {data}"));
        for line in lines {
            chat.wait(READS);
            chat.press(&format!("{line}\r"));
        }
        chat
    };
    chat("a", &["/maro status", ":quit"]).ended();
    chat("b", &["/maro pending", ":quit"]).ended();
    let mut again = chat("a", &[]);
    again.wait(READS);
    again.press("\u{1b}[A");
    again.wait(":quit");
    again.press("\u{1b}[A");
    again.wait("/maro status");
    again.press("\u{15}:quit\r");
    assert!(!again.ended().contains("/maro pending"));
    let kept = fs::read_dir(home.path().join(".local/state/throughline")).unwrap().count();
    assert_eq!(kept, 2, "one for each");
}

#[test]
fn a_long_result_is_paged_and_a_short_one_is_not() {
    let seeded = Seeded::new();
    let home = &seeded.home;
    let show = |variables: &str, arguments: &str| Terminal::start(home, variables, arguments).ended();
    let paged = show("PAGER='sed s/^/page:/'", "lanes show @latest");
    assert!(paged.contains("page:") && paged.contains("why one of them"), "{paged}");
    for arguments in ["lanes list", "lanes show @latest --no-pager", "lanes show @latest --plain"] {
        let whole = show("PAGER='sed s/^/page:/'", arguments);
        assert!(!whole.contains("page:") && whole.contains("terminal s1"), "{arguments}: {whole}");
    }
    for off in ["PAGER=cat", "PAGER=", "PAGER=/nowhere"] {
        assert!(show(off, "lanes show @latest").contains("Newest turns"), "{off}");
    }
    assert!(show("", "lanes list").contains("\u{1b}["), "coloured");
    assert!(!show("NO_COLOR=1", "lanes list").contains("\u{1b}["));
}

#[test]
fn five_questions_are_asked_and_a_wrong_answer_again() {
    let home = Home::new();
    let mut init = Terminal::start(&home, "", "init");
    for (question, answer) in [
        ("1/5", "Sam Smith"),
        ("cannot be a name", "sam"),
        ("2/5", ""),
        ("3/5", "AUTH"),
        ("4/5", "here"),
        ("Write an address", "127.0.0.1:0"),
        ("5/5", "data"),
    ] {
        init.wait(question);
        init.press(&format!("{answer}\r"));
    }
    init.wait("wrote throughline.toml");
    init.wait("throughline open --as sam");
    init.ended();
    let text = fs::read_to_string(home.path().join("throughline.toml")).unwrap();
    for set in ["id = \"sam\"", "[projects.AUTH]", "listen = \"127.0.0.1:0\"", "sqlite:data/throughline.db"] {
        assert!(text.contains(set), "{set}: {text}");
    }
}
