//! What can be typed: the global flags and the list of commands. Each command's own arguments are in its file.

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::commands;

/// A turn engine for chat agents: decides, durably, what each message refers to and what may run, and says why.
#[derive(Debug, Parser)]
#[command(name = "throughline", version, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  throughline serve --demo        HTTP API and local tracker on http://127.0.0.1:7070
  throughline chat                talk to it here, without a server
  throughline why TURN            why a turn ended as it did")]
pub(crate) struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The configuration file, in place of ./throughline.toml and the user's
    #[arg(long, global = true, value_name = "FILE", env = "THROUGHLINE_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Talk to a running instance, in place of the local store: http://127.0.0.1:7070
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The file that holds the token for --server
    #[arg(long, global = true, value_name = "FILE", env = "THROUGHLINE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print the result as JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print lists with tabs between columns; no colour, no bars
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// Say nothing beside the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Never ask anything; read lines from standard input as they are
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// When to use colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: Color,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(commands::serve::Args),
    Chat(commands::chat::Args),
    Why(commands::why::Args),
    Replay(commands::replay::Args),
    Test(commands::test::Args),
    Record(commands::record::Args),
    Eval(commands::eval::Args),
    Lanes(commands::lanes::Args),
    Context(commands::context::Args),
    Approvals(commands::approvals::Args),
    Effects(commands::effects::Args),
    Audit(commands::audit::Args),
    Erase(commands::erase::Args),
    Doctor(commands::doctor::Args),
    Config(commands::config::Args),
    Telegram(commands::telegram::Args),
    Tools(commands::tools::Args),
    Token(commands::token::Args),
    Explain(commands::explain::Args),
    Completions(commands::completions::Args),
    Version(commands::version::Args),
}

impl Cli {
    /// What was typed. Ends the program with help, the version or a usage error (2) when that is what it was.
    pub(crate) fn read() -> Self {
        let matches = command().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The whole command tree, with one layout of help: what it does, examples, then the arguments.
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
