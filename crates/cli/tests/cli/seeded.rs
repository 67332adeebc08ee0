//! A home folder with an installation in which something has happened, and shell lines run in it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::home::{BUG, Home, Ran};

/// Names that help and hints use for what is anybody's, and the examples' ids.
const LANE: &str = "ln_atpfhd2dnan4hnneg4slqvhi";
const TURN: &str = "tn_5xvq2m3zsd5ljwcnhsbqy7fd_12";
const APPROVAL: &str = "ap_4jd6ycw7wq3f5oax_12_4";
const EFFECT: &str = "fx_65emfyihdqmez2f6x5fvmpxn";
const CASES: &str = r#"{"id":"p1","task":"pending","source":"own","pending":{"kind":"confirm","expected_type":"boolean"},"system_text":"Shall I repair it?","user_text":"yes please","gold":"applies","gold_sub":null,"gold_value":{"boolean":true}}
{"id":"p2","task":"pending","source":"own","pending":{"kind":"slot","expected_type":"number"},"system_text":"How many?","user_text":"maybe some","gold":"applies","gold_sub":null,"gold_value":{"number":3}}
"#;

/// An installation of its own configuration: a conversation, an approval that waits, an effect that is done.
pub(crate) struct Seeded {
    pub(crate) home: Home,
    /// Words of help and hints, and what they are here.
    words: Vec<(String, String)>,
}

impl Seeded {
    pub(crate) fn new() -> Self {
        let home = Home::new();
        let home = Self { home, words: Vec::new() }.configured();
        let say = |words: &str| home.run_with(&["chat", "--no-input", "--session", "s1"], words, &[]).ends(0);
        say(&format!("{BUG}:1\n"));
        say("create a bug: the list is empty\\\nSteps: open it\\\nExpected: rows\\\nActual: nothing\n");
        let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
        let lane = lanes[0]["id"].as_str().unwrap().to_owned();
        let shown = home.run(&["lanes", "show", &lane, "--json"]).ends(0).json();
        let id = |list: &[&str], field: &str| {
            home.run(list).ends(0).json()[0][field].as_str().unwrap_or_else(|| panic!("{list:?}")).to_owned()
        };
        let words = [
            (LANE, lane),
            (TURN, shown["turns"][0]["turn"].as_str().unwrap().to_owned()),
            (APPROVAL, id(&["approvals", "list", "--json"], "id")),
            (EFFECT, id(&["effects", "list", "--state", "done", "--json"], "id")),
        ];
        let words = words.map(|(word, here)| (word.to_owned(), here));
        let seeded = Self { home, words: words.into() };
        seeded.files();
        seeded
    }

    /// Writes a configuration with people and a token.
    fn configured(self) -> Home {
        let home = self.home;
        home.run(&["init", "--no-input"]).ends(0);
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
        let mut create = vec!["token", "create", "admin", "--principal", user.trim(), "--json"];
        for scope in
            ["events:write", "lanes:read_all", "lanes:read", "effects:read", "approvals:read", "admin"]
        {
            create.extend(["--scope", scope]);
        }
        let token = home.run(&create).ends(0).json();
        home.file("admin.token", token["token"].as_str().unwrap());
        let scopes = token["scopes"].to_string();
        let (sha256, principal) = (&token["sha256"], &token["principal"]);
        let more = format!(
            "\n[[tokens]]\nid = \"admin\"\nsha256 = {sha256}\nprincipal = {principal}\nscopes = {scopes}\n\
             \n[[users]]\nid = \"ana\"\nname = \"Ana\"\n\n[[users]]\nid = \"mia\"\nname = \"Mia\"\n"
        );
        let own = std::fs::read_to_string(home.path().join("throughline.toml")).unwrap();
        home.file("throughline.toml", &format!("{own}{more}"));
        home.file("bot.toml", &format!("{own}{more}"));
        home
    }

    /// Writes the files that examples name.
    fn files(&self) {
        let home = &self.home;
        home.run(&["record", "@latest", "--out", "login.scenario.yaml"]).ends(0);
        let scenario = std::fs::read_to_string(home.path().join("login.scenario.yaml")).unwrap();
        for name in ["scenarios/login.scenario.yaml", "new.scenario.yaml"] {
            home.file(name, &scenario);
        }
        for name in ["cases.jsonl", "data/own.jsonl", "a/own.jsonl", "b/own.jsonl"] {
            home.file(name, CASES);
        }
        home.run(&["eval", "data/", "--record-baseline", "b.json"]).ends(0);
        home.run(&["eval", "--live", "--record-baseline", "then.json"]).ends(0);
        home.file("state.json", "{}");
        home.file("task.json", "{\"task_id\": \"t\", \"instructions\": \"look again\"}");
        let anchors = home.run(&["audit", "anchor"]).ends(0).out;
        home.file("anchors.json", &anchors);
        home.run(&["store", "backup", "backups/monday"]).ends(0);
        for folder in [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"] {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        // One that is there already, and one to copy to.
        std::fs::rename(home.path().join("backups"), home.path().join("made")).unwrap();
    }

    /// Returns a copy of the folder, for a line that changes something.
    pub(crate) fn copied(&self) -> Self {
        let home = Home::new();
        let from = format!("{}/.", self.home.path().display());
        let copied = Command::new("cp").args(["-a", &from]).arg(home.path()).status().unwrap();
        assert!(copied.success());
        Self { home, words: self.words.clone() }
    }

    /// Runs a line of a shell, with what stands for anything replaced by what is here.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let line = self.here(line);
        let program = Path::new(env!("CARGO_BIN_EXE_throughline")).parent().unwrap();
        self.home.shell(
            &line,
            &[
                ("PATH", &format!("{}:/usr/bin:/bin", program.display())),
                ("THROUGHLINE_TOKEN_FILE", "admin.token"),
            ],
        )
    }

    fn here(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (word, here) in &self.words {
            line = line.replace(word, here);
        }
        line
    }

    /// Starts the server of the installation.
    pub(crate) fn serve(mut self) -> Served {
        let mut command = self.home.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap().to_owned();
        self.words.push(("http://127.0.0.1:7070".into(), url));
        Served { child, seeded: self }
    }
}

/// The installation while its server runs. Dropping it kills the server.
pub(crate) struct Served {
    child: Child,
    pub(crate) seeded: Seeded,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
