//! `throughline`: the one binary. It reads the command line, runs one command, and says how it went.
//!
//! One file per command in `commands/`, each of the same shape: the doc comment is its help, `Args` is what can be
//! typed, `run` is what it does. Only `output` writes, only `error` turns an error into help, only `exit` knows the
//! exit codes. What a command says about lanes, turns or effects it asks an [`api::Api`], which answers the same
//! from the local store and from a running instance.

mod api;
mod app;
mod args;
mod chains;
mod commands;
mod error;
mod exit;
mod key;
mod output;
mod recorded;
mod redis;
mod settings;

use std::process::ExitCode;

use app::App;

fn main() -> ExitCode {
    let cli = args::Cli::read();
    let app = App::new(cli.global);
    match commands::run(&app, cli.command) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let text =
                if app.out.is_json() { failure.json() } else { failure.render(app.out.paint_messages()) };
            if !text.is_empty() {
                app.out.message(&text);
            }
            failure.ends().into()
        }
    }
}
