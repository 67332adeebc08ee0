//! `throughline open`: opens a page of the running server in a browser.

use std::process::{Command, Stdio};

use serde_json::json;
use throughline_server::wire::Version;

use crate::api::{self, Ids as _, Kind, Remote, segment};
use crate::app::App;
use crate::commands::token::sign_in_link;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// The pages that have a name, and their paths.
const PAGES: [(&str, &str); 4] = [
    ("chat", "/"),
    ("console", "/console"),
    ("approvals", "/console/approvals"),
    ("effects", "/console/effects"),
];
/// Their names alone.
const NAMES: &[&str] = &["chat", "console", "approvals", "effects"];

/// Open the chat, the console, or the page of a turn, a lane, an approval or an effect in a browser
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline open                     the chat
  throughline open console             what happened and why
  throughline open @latest             the newest turn
  throughline open ap_4jd6ycw7wq3f5oax_12_4
  throughline open --as ana            the chat, with Ana signed in
The address is printed too; without a browser, only that.")]
pub(crate) struct Args {
    /// chat, console, approvals, effects, or an id or its beginning; @latest is the newest turn
    #[arg(value_name = "WHAT", default_value = "chat", hide_default_value = true, add = complete::pages(NAMES))]
    what: String,
    /// Sign this user in, one of the configuration's `users`, and open the chat
    #[arg(long = "as", value_name = "USER", conflicts_with = "what", add = complete::users())]
    user: Option<String>,
    /// Print the address, and open nothing
    #[arg(long)]
    print: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let server = running(app)?;
    let url = match &args.user {
        Some(user) => sign_in_link(app, user)?.url,
        None => format!("{}{}", server.url(), path(server.clone(), &args.what)?),
    };
    let opened = !args.print && !app.flags.no_input && browse(&url);
    if app.out.is_json() {
        app.out.value(&json!({ "url": url, "opened": opened }))?;
    } else {
        app.out.line(&url)?;
    }
    if !opened && !args.print {
        app.out.note("no browser was found here: open this address in one");
    }
    Ok(Exit::Ok)
}

/// Returns a client of the server that runs: the one of `--server`, or the one of this installation.
fn running(app: &App) -> Result<Remote, Failure> {
    let server = match &app.flags.server {
        Some(url) => Some(Remote::new(app, url)?),
        None => api::owner(&settings::installation(app)?)?,
    };
    let none = || {
        Failure::new("no server of this installation runs, so there is no page to open")
            .hint(format!("start one: {}", app.command("serve")))
            .exit(Exit::Unreachable)
    };
    let server = server.ok_or_else(none)?;
    match server.get::<Version>("/version") {
        Ok(_) => Ok(server),
        Err(failure) if app.flags.server.is_some() => Err(failure),
        Err(_) => Err(none()),
    }
}

/// Returns the path of a page.
fn path(server: Remote, what: &str) -> Result<String, Failure> {
    if let Some((_, path)) = PAGES.iter().find(|(name, _)| *name == what) {
        return Ok((*path).to_owned());
    }
    let (kind, folder) = match what.get(..3) {
        Some("ln_") => (Kind::Lane, "lanes"),
        Some("ap_") => (Kind::Approval, "approvals"),
        Some("fx_") => (Kind::Effect, "effects"),
        _ if what == "@latest" || what.starts_with("tn_") => (Kind::Turn, "turns"),
        _ => {
            return Err(Failure::usage(format!("there is no page {what}"))
                .hint("chat, console, approvals, effects, or an id: ln_…, tn_…, ap_…, fx_…"));
        }
    };
    let id = server.id_of(kind, what)?;
    server.get::<serde_json::Value>(&format!("/v1/{folder}/{}", segment(&id)))?;
    Ok(format!("/console/{folder}/{}", segment(&id)))
}

/// Opens an address in a browser. Returns false if there is none.
fn browse(url: &str) -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let screen = set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).is_some();
    let candidates = match set("BROWSER") {
        Some(browser) => vec![browser],
        None if cfg!(target_os = "macos") => vec!["open".to_owned()],
        None if screen => vec!["xdg-open".to_owned(), "wslview".to_owned()],
        None => Vec::new(),
    };
    let start = |browser: &String| {
        let mut command = Command::new(browser);
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    };
    candidates.iter().any(start)
}
