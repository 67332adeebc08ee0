//! The command line as a whole: the global flags and the command, and the layout of the help.

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::build;
use crate::commands::Command;
use crate::global::Global;

/// A turn engine for chat agents: decides, durably, what each message refers to and what may run, and says why.
#[derive(Debug, Parser)]
#[command(name = "throughline", version = build::VERSION, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  throughline serve --demo        HTTP API and local tracker on http://127.0.0.1:7070
  throughline chat                talk to it here, without a server
  throughline why TURN            why a turn ended as it did")]
pub(crate) struct Cli {
    /// The flags of every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses the command line of this process. Prints and exits on `--help`, `--version` and usage errors (exit code 2).
    pub(crate) fn read() -> Self {
        let matches = command().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Returns the command tree. The help of each command is laid out as: purpose, examples, arguments.
pub(crate) fn command() -> clap::Command {
    laid_out(Cli::command())
}

fn laid_out(command: clap::Command) -> clap::Command {
    const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command.help_template(TEMPLATE);
    for name in names {
        command = command.mut_subcommand(name, laid_out);
    }
    command
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_tree_holds_together() {
        super::command().debug_assert();
    }
}
