//! `throughline telegram`: sets up the bot, and connects people's Telegram accounts to users.

use serde::Serialize;
use throughline_server::finding::{Finding, State};
use throughline_server::telegram::set_up;

use crate::api::connect_or_create;
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Set up the Telegram bot, and say who is who there
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline telegram setup       set or remove the webhook, set the menu of commands
  throughline telegram link mia    hand the link to Mia: she is mia on Telegram from then on
  throughline telegram link mia --server http://127.0.0.1:7070 --token-file admin.token")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Have updates come as `telegram.mode` says, and set the menu of commands
    Setup,
    /// Make a link that joins whoever follows it first to an account, once, within ten minutes
    Link {
        /// One of the configuration's `users`
        #[arg(value_name = "USER", add = complete::users())]
        user: String,
    },
}

/// One step of the setup, as printed with `--json`.
#[derive(Serialize)]
struct Step<'a> {
    what: &'a str,
    ok: bool,
    found: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'a str>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::Setup => setup(app),
        Command::Link { user } => link(app, user),
    }
}

/// Creates a link through an instance, which stores it. The store is created if there is none.
fn link(app: &App, user: &str) -> Outcome {
    let link = connect_or_create(app)?.remote.telegram_link(user)?;
    if app.out.is_json() {
        app.out.value(&link)?;
        return Ok(Exit::Ok);
    }
    app.out
        .note(&format!("Whoever follows it first, until {}, is {} on Telegram:", link.expires_at, link.user));
    app.out.line(&link.url)?;
    Ok(Exit::Ok)
}

fn setup(app: &App) -> Outcome {
    let config = settings::load(app)?;
    let done = app.block_on(set_up(&config))?.map_err(|error| {
        Failure::new(error.to_string())
            .code(error.code().id())
            .hint("docs/telegram.md tells every step from @BotFather on")
            .exit(Exit::Configuration)
    })?;
    let steps: Vec<Step<'_>> = done.iter().map(step).collect();
    if app.out.is_json() {
        app.out.value(&steps)?;
    } else {
        for Step { what, ok, found, fix } in &steps {
            let mark = if *ok { app.out.paint().good("ok    ") } else { app.out.paint().bad("failed") };
            let fix = fix.map(|fix| format!("\n        fix: {fix}")).unwrap_or_default();
            app.out.line(&format!("{mark} {what:<10} {found}{fix}"))?;
        }
    }
    if steps.iter().any(|step| !step.ok) {
        return Ok(Exit::Failure);
    }
    app.out.note("Next: `throughline doctor telegram`, then `throughline serve`");
    Ok(Exit::Ok)
}

fn step(finding: &Finding) -> Step<'_> {
    let Finding { what, state, found, fix } = finding;
    Step { what, ok: *state != State::Broken, found, fix: fix.as_deref() }
}
