//! `throughline completions`: prints the completion script of a shell.

use crate::app::App;
use crate::error::Outcome;
use crate::exit::Exit;

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline completions bash > ~/.local/share/bash-completion/completions/throughline
  throughline completions zsh > ~/.zfunc/_throughline")]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(app: &App, args: &Args, tree: &mut clap::Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, tree, "throughline", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if app.out.is_json() {
        app.out.value(&serde_json::json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        app.out.line(&script)?;
    }
    Ok(Exit::Ok)
}
