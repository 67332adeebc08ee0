//! The fenced blocks of a page, in order.
//!
//! | Block | What is done with it |
//! | --- | --- |
//! | `console` | lines that begin with `$ ` are run, what follows is what they print; `^C` stops the page's server |
//! | `sh`, `bash` | run as one script |
//! | `toml` | a configuration: written and checked |
//! | `yaml` | a whole scenario: written and run |
//! | `json` | parsed |
//! | `ts` | written, when its first line is `// its-name.mjs`, for a later command; else for reading |
//! | `json answer` | found again in what the command before it printed |
//!
//! A `toml` or `yaml` block whose first line is `# its-name.toml` is written under that name, for later commands. Any
//! of them is left out by `norun: why` behind its language. Other languages are for reading only.

use crate::repo::{File, Finding};

/// A fenced block that can be tried.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    /// The line where it opens, counted from 1.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Session(Vec<Step>),
    Script(String),
    Config(Written),
    Scenario(Written),
    Json(String),
    Answer(String),
    /// A program for a later command.
    Program(Written),
    /// Left out, with the reason.
    Skipped(String),
}

/// One act of a session, with the output that the page shows.
#[derive(Debug, PartialEq)]
pub(super) struct Step {
    /// Its line, counted from 1.
    pub(super) line: usize,
    pub(super) act: Act,
    /// The lines after it, without the block's own indentation.
    pub(super) shown: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Act {
    Command(String),
    /// Ctrl-C, to the page's server.
    Interrupt,
}

/// A file that the page shows.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) text: String,
}

/// Returns every block that can be tried, or a finding for the first that is written wrongly.
pub(super) fn blocks(page: &File) -> Result<Vec<Block>, Finding> {
    let mut blocks = Vec::new();
    for fence in fences(page)? {
        let line = fence.line;
        let wrong = |(at, what): (usize, &str)| Finding::line(&page.path, at, what);
        if let Some(kind) = fence.kind().map_err(wrong)? {
            blocks.push(Block { line, kind });
        }
    }
    Ok(blocks)
}

/// A fenced block as it is written.
struct Fence<'p> {
    line: usize,
    info: &'p str,
    body: Vec<&'p str>,
}

fn fences(page: &File) -> Result<Vec<Fence<'_>>, Finding> {
    let mut fences = Vec::new();
    let mut lines = page.text.lines().enumerate();
    while let Some((n, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let mut body = Vec::new();
        loop {
            let Some((_, line)) = lines.next() else {
                return Err(Finding::line(&page.path, n + 1, "this block never ends"));
            };
            if line.trim() == "```" {
                break;
            }
            // A block in a list is indented as a whole.
            let blank = line.len() - line.trim_start().len();
            body.push(&line[indent.min(blank)..]);
        }
        fences.push(Fence { line: n + 1, info: info.trim(), body });
    }
    Ok(fences)
}

impl Fence<'_> {
    /// Returns the block's kind, nothing if there is nothing to try, or an error with its line.
    fn kind(&self) -> Result<Option<Kind>, (usize, &'static str)> {
        let (language, rest) = self.info.split_once(' ').unwrap_or((self.info, ""));
        let programs = [("ts", "// ", ".mjs"), ("python", "# ", ".py")];
        if let Some((_, comment, ending)) = programs.into_iter().find(|(of, ..)| *of == language)
            && rest.is_empty()
        {
            return Ok(self.program(comment, ending).map(Kind::Program));
        }
        if !["console", "sh", "bash", "toml", "yaml", "json"].contains(&language) {
            return Ok(None);
        }
        if let Some(why) = rest.strip_prefix("norun") {
            let why = why.trim_start_matches(':').trim();
            if why.is_empty() {
                return Err((self.line, "say why it cannot run: `norun: why`"));
            }
            return Ok(Some(Kind::Skipped(why.into())));
        }
        let text = || self.body.join("\n") + "\n";
        match (language, rest) {
            ("console", "") => self.session().map(Kind::Session).map(Some),
            ("sh" | "bash", "") => Ok(Some(Kind::Script(text()))),
            ("toml", "") => Ok(Some(Kind::Config(self.written("toml")))),
            ("yaml", "") if self.body.iter().any(|line| line.starts_with("scenario:")) => {
                Ok(Some(Kind::Scenario(self.written("scenario.yaml"))))
            }
            ("yaml", "") => Err((self.line, "not a whole scenario: mark it `norun: why`")),
            ("json", "") => Ok(Some(Kind::Json(text()))),
            ("json", "answer") => Ok(Some(Kind::Answer(text()))),
            _ => Err((self.line, "unknown words behind the language: see xtask/src/docs/page.rs")),
        }
    }

    fn session(&self) -> Result<Vec<Step>, (usize, &'static str)> {
        let mut steps: Vec<Step> = Vec::new();
        let mut open = false;
        for (n, text) in self.body.iter().enumerate() {
            let line = self.line + 1 + n;
            match (text.strip_prefix("$ "), steps.last_mut()) {
                (_, Some(Step { act: Act::Command(command), .. })) if open => {
                    command.push('\n');
                    command.push_str(text);
                    open = goes_on(command);
                }
                (Some(command), _) => {
                    open = goes_on(command);
                    steps.push(Step { line, act: Act::Command(command.into()), shown: Vec::new() });
                }
                (None, _) if *text == "^C" => {
                    steps.push(Step { line, act: Act::Interrupt, shown: Vec::new() });
                }
                (None, Some(step)) => step.shown.push(text.trim_end().into()),
                (None, None) => return Err((line, "begin with a command: `$ ` and what is typed")),
            }
        }
        if steps.is_empty() {
            return Err((self.line, "there is no command in it"));
        }
        Ok(steps)
    }

    /// Returns a program whose first line names its file.
    fn program(&self, comment: &str, ending: &str) -> Option<Written> {
        let name = self.body.first()?.strip_prefix(comment)?;
        let name = Some(name).filter(|name| plain(name) && name.ends_with(ending))?;
        Some(Written { name: name.into(), text: self.body.join("\n") + "\n" })
    }

    fn written(&self, ending: &str) -> Written {
        let named = self
            .body
            .first()
            .and_then(|line| line.strip_prefix("# "))
            .filter(|name| name.ends_with(ending) && plain(name));
        let name = named.map_or_else(|| format!("line-{}.{ending}", self.line), str::to_owned);
        Written { name, text: self.body.join("\n") + "\n" }
    }
}

/// True for a file name without a folder.
fn plain(name: &str) -> bool {
    !name.contains(|c: char| c.is_whitespace() || c == '/' || c == '\\')
}

/// True if a command continues on the next line: after a backslash, or within quotes.
pub(super) fn goes_on(command: &str) -> bool {
    command.ends_with('\\') || command.matches('\'').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Result<Vec<Block>, String> {
        let file = File { path: "docs/x.md".into(), text: text.into() };
        blocks(&file).map_err(|finding| finding.to_string())
    }

    fn command(line: usize, command: &str, shown: &[&str]) -> Step {
        let shown = shown.iter().map(|line| (*line).to_owned()).collect();
        Step { line, act: Act::Command(command.into()), shown }
    }

    #[test]
    fn a_session_is_commands_and_what_they_print() {
        let text =
            "# X\n\n```console\n$ one --flag   # why\nsays this\n\n  and this\n$ two\n^C\nstopping\n```\n";
        let steps = vec![
            command(4, "one --flag   # why", &["says this", "", "  and this"]),
            command(8, "two", &[]),
            Step { line: 9, act: Act::Interrupt, shown: vec!["stopping".into()] },
        ];
        assert_eq!(page(text).unwrap(), [Block { line: 3, kind: Kind::Session(steps) }]);
    }

    #[test]
    fn a_command_goes_on_after_a_backslash_and_within_quotes() {
        let text = "```console\n$ curl \\\n    -d '{\"a\":1,\n  \"b\":2}'\n{}\n```\n";
        let steps = vec![command(2, "curl \\\n    -d '{\"a\":1,\n  \"b\":2}'", &["{}"])];
        assert_eq!(page(text).unwrap(), [Block { line: 1, kind: Kind::Session(steps) }]);
    }

    #[test]
    fn an_indented_block_loses_its_own_indentation() {
        let text = "1. Do:\n\n   ```console\n   $ one\n     says\n   ```\n";
        let steps = vec![command(4, "one", &["  says"])];
        assert_eq!(page(text).unwrap(), [Block { line: 3, kind: Kind::Session(steps) }]);
    }

    #[test]
    fn files_have_the_name_they_say() {
        let named = "```toml\n# throughline.toml\na = 1\n```\n";
        let written = Written { name: "throughline.toml".into(), text: "# throughline.toml\na = 1\n".into() };
        assert_eq!(page(named).unwrap()[0].kind, Kind::Config(written));
        let unnamed = "\n```toml\n# a comment\na = 1\n```\n";
        let written = Written { name: "line-2.toml".into(), text: "# a comment\na = 1\n".into() };
        assert_eq!(page(unnamed).unwrap()[0].kind, Kind::Config(written));
        let scenario = "```yaml\n# a.scenario.yaml\nscenario: a\n```\n";
        let written =
            Written { name: "a.scenario.yaml".into(), text: "# a.scenario.yaml\nscenario: a\n".into() };
        assert_eq!(page(scenario).unwrap()[0].kind, Kind::Scenario(written));
    }

    #[test]
    fn a_program_that_has_a_name_is_written() {
        let written = Written { name: "a.mjs".into(), text: "// a.mjs\nlet n = 0;\n".into() };
        assert_eq!(page("```ts\n// a.mjs\nlet n = 0;\n```\n").unwrap()[0].kind, Kind::Program(written));
        assert_eq!(page("```ts\nlet n: number = 0;\n```\n").unwrap(), []);
    }

    #[test]
    fn the_other_kinds() {
        let text = "```json\n{}\n```\n```json answer\n[]\n```\n```sh\nls\n```\n```rust\nfn f() {}\n```\n```\nx\n```\n\
                    ```console norun: needs a workspace\n$ x\n```\n";
        let kinds: Vec<Kind> = page(text).unwrap().into_iter().map(|block| block.kind).collect();
        let expected = [
            Kind::Json("{}\n".into()),
            Kind::Answer("[]\n".into()),
            Kind::Script("ls\n".into()),
            Kind::Skipped("needs a workspace".into()),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn what_cannot_be_tried_says_so() {
        for (text, said) in [
            ("```console\nsays\n```\n", "docs/x.md:2: begin with a command"),
            ("```console\n```\n", "docs/x.md:1: there is no command"),
            ("```console norun\n$ x\n```\n", "docs/x.md:1: say why"),
            ("```console\n$ x\n", "docs/x.md:1: this block never ends"),
            ("```yaml\na: 1\n```\n", "docs/x.md:1: not a whole scenario"),
            ("```json pretty\n1\n```\n", "docs/x.md:1: unknown words"),
        ] {
            let wrong = page(text).unwrap_err();
            assert!(wrong.starts_with(said), "{wrong}");
        }
    }
}
