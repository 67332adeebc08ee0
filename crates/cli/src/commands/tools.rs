//! `throughline tools`: lists tools and sub-agents, pins the descriptions they give of themselves, and connects servers.

use serde::Serialize;
use throughline_server::tools;
use throughline_server::wire::{PinnedTools, Tool, UnreachableTool};

use super::connect_tool;
use crate::api::{self, Held, Remote};
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Show tools and sub-agents, and pin their descriptions
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline tools list                 asks every server and agent, and compares with the pins
  throughline tools pin                  you have looked: all that is configured may be used
  throughline tools pin tool:weather     this one alone
  throughline tools connect crm          grants this installation the tokens of mcp.crm, in a browser
  throughline tools list --server http://127.0.0.1:7070 --token-file admin.token")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List what is configured, and what servers offer beside it: pinned, new, changed, missing, unconnected, unreachable
    /// or unused
    List,
    /// Pin the current descriptions of what is configured, once you have looked at them
    Pin {
        /// One alone: tool:weather, agent:writer
        #[arg(value_name = "NAME", add = complete::tools())]
        name: Option<String>,
    },
    /// Connect a server with `oauth`: prints an address to open in a browser, and keeps what is granted there
    ///
    /// The browser comes back to this machine. From elsewhere, set --port and forward it: ssh -L 8765:127.0.0.1:8765 …
    Connect {
        /// The server's name in the configuration
        #[arg(value_name = "NAME")]
        name: String,
        /// Port on 127.0.0.1 to which the browser comes back, for an id that is registered with one; any, if not set
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        port: u16,
    },
}

/// The list as printed with `--json`.
#[derive(Serialize)]
struct List {
    items: Vec<Tool>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::List => list(app),
        Command::Pin { name } => pin(app, name.as_deref()),
        Command::Connect { name, port } => connect_tool::run(app, name, *port),
    }
}

fn list(app: &App) -> Outcome {
    let items = match &app.flags.server {
        Some(url) => Remote::new(app, url)?.tools()?,
        None => list_here(app)?,
    };
    if app.out.is_json() {
        app.out.value(&List { items })?;
        return Ok(Exit::Ok);
    }
    if items.is_empty() {
        app.out.note("None is configured; docs/tools.md shows how.");
    }
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    app.out.table(&["STATE", "NAME", "WHERE", "WHAT IT SAYS IT DOES"], &rows)?;
    let off = items.iter().filter(|tool| matches!(tool.state.as_str(), "new" | "changed")).count();
    if off > 0 {
        app.out.note(&format!(
            "{} off until you looked at it: `throughline tools pin` (TL-5301)",
            count_are(off)
        ));
    }
    let unconnected = items.iter().filter(|tool| tool.state == "unconnected").count();
    if unconnected > 0 {
        app.out.note(&format!(
            "{} waiting for somebody to connect the server: `throughline tools connect NAME` (TL-5303)",
            count_are(unconnected)
        ));
    }
    Ok(Exit::Ok)
}

fn count_are(n: usize) -> String {
    if n == 1 { "1 is".into() } else { format!("{n} are") }
}

fn row(tool: &Tool) -> Vec<String> {
    let Tool { name, at, state, why, description, unasked } = tool;
    let first = |text: &str| text.lines().next().unwrap_or_default().chars().take(80).collect::<String>();
    let says = first(why.as_deref().unwrap_or(description));
    let unasked = (!unasked.is_empty()).then(|| format!(" (nobody is asked for {})", unasked.join(", ")));
    vec![state.clone(), name.clone(), at.clone(), format!("{says}{}", unasked.unwrap_or_default())]
}

fn pin(app: &App, name: Option<&str>) -> Outcome {
    let connection = api::connect_or_create(app)?;
    let pinned = connection.remote.pin_tools(name);
    connection.close()?;
    let done = pinned?;
    let PinnedTools { pinned, unreachable } = &done;
    if app.out.is_json() {
        app.out.value(&done)?;
    } else {
        for name in pinned {
            app.out.line(&format!("pinned {name}"))?;
        }
        if pinned.is_empty() && unreachable.is_empty() {
            app.out.note("Nothing was new and nothing had changed.");
        }
    }
    for UnreachableTool { name, why } in unreachable {
        app.out.message(&format!("could not ask {name}: {why}"));
    }
    Ok(if unreachable.is_empty() { Exit::Ok } else { Exit::Failure })
}

/// Lists tools with the clients of this installation, over its store, which is created if there is none; or asks the
/// server that has it. Starts nothing else.
fn list_here(app: &App) -> Result<Vec<Tool>, Failure> {
    let config = settings::installation(app)?;
    let runtime = app.runtime()?;
    let open = || {
        let opened = runtime.block_on(throughline_server::open(config.clone()));
        opened.map_err(|error| api::not_started(&error))
    };
    let instance = match api::open_or_find(&config, open)? {
        Held::There(server) => return server.tools(),
        Held::Here(instance) => instance,
    };
    let Some(clients) = &instance.tools else { return Ok(Vec::new()) };
    runtime.block_on(async {
        let listed = tools::list(clients).await.map_err(|error| Failure::new(error.to_string()));
        clients.close().await;
        listed
    })
}
