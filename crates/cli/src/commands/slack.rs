//! `throughline slack`: describes the app that a workspace installs.

use throughline_server::slack::{OPTIONAL_SCOPES, Ways, manifest};

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Set up the Slack app
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline slack manifest                                  for sockets: no public address is needed
  throughline slack manifest --url https://bot.example.org    for deliveries over HTTP
Paste it at api.slack.com/apps, Create New App, From a manifest. docs/slack.md shows every click.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the app's manifest: its events, command, shortcuts and scopes, as JSON
    Manifest {
        /// The address at which Slack reaches this installation
        #[arg(long, value_name = "URL", conflicts_with = "socket")]
        url: Option<String>,
        /// Over sockets that this installation opens (the default)
        #[arg(long)]
        socket: bool,
        /// Name of the app
        #[arg(long, value_name = "NAME", default_value = "Throughline")]
        name: String,
    },
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let Command::Manifest { url, socket: _, name } = &args.command;
    if let Some(url) = url.as_deref().filter(|url| !url.starts_with("https://")) {
        return Err(Failure::new(format!("Slack delivers to https only, not to {url}"))
            .hint("without a public address leave --url out: then sockets are used")
            .exit(Exit::Usage));
    }
    if !(1..=35).contains(&name.chars().count()) {
        return Err(Failure::new("the name of an app has 1 to 35 characters").exit(Exit::Usage));
    }
    let config = settings::load(app)?;
    let command = config.policy.command.0.trim_start_matches('/').to_owned();
    let ways = url.as_deref().map_or(Ways::Socket, Ways::Http);
    app.out.value(&manifest(name, &command, &ways))?;
    if !app.out.is_json() {
        app.out.note("These scopes are optional; take out what you do not want:");
        for (scope, reason) in OPTIONAL_SCOPES {
            app.out.note(&format!("  {scope:<20} {reason}"));
        }
        app.out.note("Next: docs/slack.md, then `throughline doctor slack`");
    }
    Ok(Exit::Ok)
}
