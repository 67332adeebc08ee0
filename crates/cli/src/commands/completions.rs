//! `throughline completions`: prints the completion script of a shell, which asks the program at each tab.

use clap_complete::env::Shells;
use serde_json::json;

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;

/// Print the completions for a shell: commands, flags, and ids, users and settings of this installation
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline completions bash > ~/.local/share/bash-completion/completions/throughline
  throughline completions zsh > ~/.zfunc/_throughline
  throughline completions fish > ~/.config/fish/completions/throughline.fish")]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let (name, shell) = ("throughline", args.shell.to_string());
    let shells = Shells::builtins();
    let completer =
        shells.completer(&shell).ok_or_else(|| Failure::usage(format!("nothing completes for {shell}")))?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", name, name, name, &mut script)?;
    let script = String::from_utf8_lossy(&script).into_owned();
    if app.out.is_json() {
        app.out.value(&json!({ "shell": shell, "script": script }))?;
    } else {
        app.out.line(&script)?;
    }
    Ok(Exit::Ok)
}
