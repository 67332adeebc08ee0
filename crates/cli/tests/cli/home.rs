//! A home folder for a test, and running the program in it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A message with all details that a bug needs, in lines that are continued with backslashes.
pub(crate) const BUG: &str =
    "create a bug: the page is empty\\\nSteps: open it\\\nExpected: a list\\\nActual: nothing\n";

/// A working directory that is also the user's home, so that no configuration of the machine is read.
pub(crate) struct Home {
    dir: TempDir,
}

/// The output and exit code of a run.
pub(crate) struct Ran {
    line: String,
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file into the folder.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns the program with arguments and a clean environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        command.args(arguments).current_dir(self.path()).env_clear();
        command
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .env("COLUMNS", "100");
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "", &[])
    }

    /// Runs the program with standard input and environment variables.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str, environment: &[(&str, &str)]) -> Ran {
        let line = format!("throughline {}", arguments.join(" "));
        self.ran(self.command(arguments), line, input, environment)
    }

    /// Runs a line of a shell in the folder.
    pub(crate) fn shell(&self, line: &str, environment: &[(&str, &str)]) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.path()).env_clear();
        command.env("HOME", self.path()).env("COLUMNS", "100");
        self.ran(command, line.to_owned(), "", environment)
    }

    fn ran(&self, mut command: Command, line: String, input: &str, environment: &[(&str, &str)]) -> Ran {
        command.envs(environment.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Writing fails if the program ends without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(&self.path().display().to_string(), "~")
        };
        let set = environment.iter().fold(String::new(), |mut all, (name, value)| {
            let _ = write!(all, "{name}={value} ");
            all
        });
        Ran {
            line: format!("{set}{line}"),
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Ran {
    /// Returns the run as it looks in a terminal: the command, its output, and the exit code if it is not 0.
    pub(crate) fn session(&self) -> String {
        let mut all = format!("$ {}\n", self.line);
        all.push_str(&self.out);
        for line in self.err.lines() {
            let _ = writeln!(all, "2> {line}");
        }
        if self.code != 0 {
            let _ = writeln!(all, "[exit {}]", self.code);
        }
        all
    }

    /// Parses standard output as one JSON value.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.session()))
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.session());
        self
    }
}
