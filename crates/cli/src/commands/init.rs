//! `throughline init`: writes a configuration that `serve` accepts, of five answers.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::json;
use throughline_server::{Config, Sources};

use crate::api::user_here;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Name of the file, where none is named.
const FILE: &str = "throughline.toml";

/// Write a configuration of your own: asks five questions, each with a default
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline init                         asks, and writes throughline.toml here
  throughline init --no-input              writes the defaults
  throughline init --config bot.toml       writes another file
A file that is there is never replaced.")]
pub(crate) struct Args {}

/// The five answers.
struct Answers {
    listen: String,
    data: String,
    user: String,
    project: String,
    approvers: Vec<String>,
}

/// A question.
struct Question {
    text: &'static str,
    default: String,
    /// Returns the answer as it is written, or what is wrong with it.
    read: fn(&str) -> Result<String, String>,
}

pub(crate) fn run(app: &App, _: &Args) -> Outcome {
    let file = app.flags.config.clone().unwrap_or_else(|| PathBuf::from(FILE));
    refuse_replacing(&file)?;
    let asks = !app.flags.no_input && !app.out.is_json() && io::stdin().is_terminal();
    let answers =
        Answers::of(&mut |question| if asks { ask(app, question) } else { Ok(question.default.clone()) })?;
    write(&file, &answers.toml())?;
    let sources = Sources { file: Some(file.clone()), ..Sources::default() };
    Config::load(&sources).map_err(settings::invalid)?;
    if app.out.is_json() {
        app.out.value(&json!({ "file": file, "user": answers.user }))?;
        return Ok(Exit::Ok);
    }
    app.out.line(&format!("wrote {}", file.display()))?;
    // Commands on this machine speak as its user, unless another is named.
    let own = answers.user == user_here();
    let chat = if own { "chat".to_owned() } else { format!("chat --as {}", answers.user) };
    app.out.note(&format!(
        "\nNext:\n  {}\n  {}\n\nand, in another terminal:\n  {}\n  {}",
        app.command("config check"),
        app.command("serve"),
        app.command(&format!("open --as {}", answers.user)),
        app.command(&chat)
    ));
    Ok(Exit::Ok)
}

fn refuse_replacing(file: &Path) -> Result<(), Failure> {
    if !file.exists() {
        return Ok(());
    }
    Err(Failure::new(format!("{} is there already, and nothing replaces it", file.display()))
        .hint("look at it with `throughline config check`; --config FILE writes another one")
        .exit(Exit::Refused))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error: io::Error| Failure::new(format!("cannot write {}", file.display())).because(&error);
    let mut created = std::fs::File::options().write(true).create_new(true).open(file).map_err(cannot)?;
    created.write_all(text.as_bytes()).map_err(cannot)
}

/// Asks until the answer can be used. An empty answer is the default.
fn ask(app: &App, question: &Question) -> Result<String, Failure> {
    loop {
        let default = if question.default.is_empty() { "nobody" } else { &question.default };
        let paint = app.out.paint_messages();
        app.out.message(&format!("{} {}", paint.name(question.text), paint.dim(&format!("[{default}]"))));
        let mut typed = String::new();
        if io::stdin().lock().read_line(&mut typed)? == 0 {
            return Err(Failure::new("nothing was written")
                .why("the questions were not answered")
                .exit(Exit::Refused));
        }
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(question.default.clone());
        }
        match (question.read)(typed) {
            Ok(answer) => return Ok(answer),
            Err(why) => app.out.message(&why),
        }
    }
}

impl Answers {
    fn of(ask: &mut dyn FnMut(&Question) -> Result<String, Failure>) -> Result<Self, Failure> {
        let user = ask(&Question {
            text: "1/5  Your name here: letters and digits, as others will mention you",
            default: name(&user_here().to_lowercase()).unwrap_or_else(|_| "me".into()),
            read: name,
        })?;
        let approvers = ask(&Question {
            text: "2/5  Who else may approve what is created? Names with commas between",
            default: String::new(),
            read: names,
        })?;
        let project = ask(&Question {
            text: "3/5  Key of the project that tickets go to: 2 to 10 capital letters",
            default: "TEAM".into(),
            read: project,
        })?;
        let listen = ask(&Question {
            text: "4/5  Address to listen on: loopback is for this machine alone",
            default: "127.0.0.1:7070".into(),
            read: |text| match text.parse::<SocketAddr>() {
                Ok(address) => Ok(address.to_string()),
                Err(_) => Err("Write an address and a port, like 127.0.0.1:7070 or 0.0.0.0:8080".into()),
            },
        })?;
        let data = ask(&Question {
            text: "5/5  Folder for the database and the instance key",
            default: ".".into(),
            read: |text| Ok(text.to_owned()),
        })?;
        let approvers = approvers.split(", ").filter(|name| !name.is_empty() && *name != user);
        let approvers = approvers.map(str::to_owned).collect();
        Ok(Self { listen, data, user, project, approvers })
    }

    /// Returns the configuration.
    fn toml(&self) -> String {
        let Self { listen, data, user, project, approvers } = self;
        let file = Path::new(data).join("throughline.db");
        let store = format!("sqlite:{}", file.strip_prefix(".").unwrap_or(&file).display());
        let people: String = std::iter::once(user)
            .chain(approvers)
            .map(|id| {
                format!("\n[[users]]\nid = {}\nname = {}\nroles = [\"admin\"]\n", quoted(id), quoted(id))
            })
            .collect();
        // With nobody else to ask, a rule against one's own requests would let nothing through.
        let alone = approvers.is_empty();
        format!(
            "\
# Configuration of Throughline. Every setting: `throughline config schema`; what is in force, and from where:
# `throughline config show --origin`. Check it with `throughline config check`, start with `throughline serve`.

[server]
# The address to listen on. Others reach it through a proxy that ends TLS; then set public_url to its address.
listen = {listen}
# public_url = \"https://bot.example.org\"

[store]
# One file, and the instance key beside it. Back both up: `throughline store backup FOLDER`.
url = {store}

# The project that tickets go to, in the embedded tracker. Jira, GitHub, Linear and Redmine: docs/tracker.md.
[projects.{project}]
name = {project_name}

[policy]
project = {{ tracker = \"local\", project = {project_name} }}

# People. `throughline token link NAME` makes a link that signs one of them in, once.
{people}
# Who may approve what leaves a conversation. Without a rule that fits, nobody may.
[[approvers]]
effects = [\"tracker.*\", \"post.channel\"]
targets = [\"local:*\", \"web:*\", \"api:*\", \"terminal:*\"]
allow = [\"role:admin\"]
# {self_why}
self_approve = {alone}

# A model may be asked what no rule recognises; without one, people are asked. docs/models.md.
# Channels: docs/slack.md, docs/telegram.md. Your own agent behind the HTTP API: docs/hosts.md.
",
            listen = quoted(listen),
            store = quoted(&store),
            project_name = quoted(project),
            people = people.trim_start(),
            self_why = if alone {
                "You are alone so far, so you may approve what you asked for. Set it to false when others are here."
            } else {
                "What somebody asked for is approved by somebody else."
            },
        )
    }
}

/// Returns a text as a TOML string.
fn quoted(text: &str) -> String {
    // JSON's strings are TOML's basic strings, but for DEL.
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let begins = text.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    if begins && text.len() <= 64 && text.chars().all(fits) {
        return Ok(text.to_owned());
    }
    Err(format!("“{text}” cannot be a name: small letters, digits, dashes, dots, beginning with a letter"))
}

fn names(text: &str) -> Result<String, String> {
    let names = text.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty()).map(name);
    Ok(names.collect::<Result<Vec<_>, _>>()?.join(", "))
}

fn project(text: &str) -> Result<String, String> {
    let fits = (2..=10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase());
    if fits {
        Ok(text.to_owned())
    } else {
        Err(format!("“{text}” is no key: 2 to 10 capital letters, like TEAM"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the configuration of some answers, and loads it as `serve` does.
    fn loaded(answers: &[&str]) -> Config {
        let mut given = answers.iter();
        let answers = Answers::of(&mut |question| match given.next() {
            Some(answer) if !answer.is_empty() => (question.read)(answer).map_err(Failure::usage),
            _ => Ok(question.default.clone()),
        })
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        write(&file, &answers.toml()).unwrap();
        assert!(refuse_replacing(&file).is_err() && write(&file, "").is_err());
        Config::load(&Sources { file: Some(file), ..Sources::default() }).unwrap()
    }

    #[test]
    fn whatever_is_answered_can_be_served() {
        let defaults = loaded(&[]);
        assert_eq!(defaults.users.configured().len(), 1);
        assert!(defaults.policy.approvers[0].self_approve);
        let own = loaded(&["ana", "bob, mia ana", "AUTH", "0.0.0.0:8080", "/srv/a \"folder\""]);
        let ids: Vec<&str> = own.users.configured().iter().map(|user| user.id.as_str()).collect();
        assert_eq!(ids, ["ana", "bob", "mia"]);
        assert!(!own.policy.approvers[0].self_approve);
        assert_eq!(own.server.listen.to_string(), "0.0.0.0:8080");
        assert_eq!(own.store.to_string(), "sqlite:/srv/a \"folder\"/throughline.db");
    }

    #[test]
    fn an_answer_that_could_not_be_served_is_asked_again() {
        for wrong in ["Ana", "a b", "1a", "ä", "\"", ""] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        for wrong in ["team", "T", "TOOLONGAKEY", "T-1", "[x]"] {
            assert!(project(wrong).is_err(), "{wrong}");
        }
    }
}
