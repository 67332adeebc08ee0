//! The command line as a whole: the global flags and the commands by their purpose, and the layout of the help.

use std::fmt::Write as _;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::build;
use crate::commands::Command;
use crate::exit::Exit;
use crate::global::Global;

/// The commands in the help of the program, by what they are for. Each is in one group.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Begin", &["init", "serve", "chat", "open"]),
    ("Look at what happened", &["why", "lanes", "context", "replay"]),
    ("Decide and look after effects", &["approvals", "effects"]),
    ("Test and learn", &["test", "record", "eval", "learn"]),
    (
        "Run an installation",
        &["doctor", "config", "token", "store", "audit", "erase", "slack", "telegram", "tools"],
    ),
    ("Help", &["explain", "completions", "man", "version", "help"]),
];

/// A turn engine for chat agents: decides, durably, what each message refers to and what may run, and says why.
#[derive(Debug, Parser)]
#[command(name = "throughline", version = build::VERSION, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  throughline serve --demo        web chat, HTTP API and local tracker on http://127.0.0.1:7070
  throughline chat                talk to it here: to the server that runs, or without one
  throughline why @latest         why the newest turn ended as it did
  throughline init                write a configuration of your own")]
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
        let matches = with_groups(tree()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Returns the command tree. The help of each command is laid out as: purpose, examples, arguments.
pub(crate) fn tree() -> clap::Command {
    laid_out(Cli::command()).after_help(Exit::list())
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

/// Lists the commands by group in the help of the program, where the parser would list them in one.
fn with_groups(mut command: clap::Command) -> clap::Command {
    command.build();
    let about = |name: &str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let mut groups = String::new();
    for (purpose, names) in GROUPS {
        let _ = writeln!(groups, "{purpose}:");
        for name in names {
            let _ = writeln!(groups, "  {name:<12} {}", about(name));
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about}}\n\n{{before-help}}{{usage-heading}} {{usage}}\n\n{groups}{{all-args}}{{after-help}}"
    );
    let usage = format!("{} [OPTIONS] <COMMAND>", command.get_name());
    command.mut_subcommands(|sub| sub.hide(true)).override_usage(usage).help_template(template)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_tree_holds_together() {
        super::tree().debug_assert();
        super::with_groups(super::tree()).debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> =
            super::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let tree = super::tree();
        let mut commands: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
        commands.push("help");
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }
}
