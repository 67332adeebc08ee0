//! The `throughline` program: parses the command line, runs one command and exits with its code.
//!
//! Each command is a file in `commands/`, and all have one shape: the doc comment of `Args` is the help, `Args` holds
//! the arguments, `run` does the work. Only `output` prints, only `error` renders failures, only `exit` knows exit codes.
//! Commands read lanes, turns and effects through an [`api::Api`], which is the local store or a running instance.
//! `use` goes one way: commands, then `api`, then `app` and what it is made of.

mod api;
mod app;
mod args;
mod build;
mod commands;
mod complete;
mod error;
mod exit;
mod filters;
mod global;
mod log;
mod output;
mod pager;
mod private_file;
mod random;
mod recorded;
mod redis_key;
mod settings;
mod stop_signals;
mod turn_answer;

use std::process::ExitCode;

use app::App;

fn main() -> ExitCode {
    // A shell that completes a line asks by an environment variable; then this does not return.
    clap_complete::CompleteEnv::with_factory(args::tree).complete();
    let cli = args::Cli::read();
    if let Some(commit) = build::COMMIT {
        throughline_server::built_from(commit);
    }
    let app = App::new(cli.global);
    let code = match commands::run(&app, cli.command, args::tree) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let text =
                if app.out.is_json() { failure.json() } else { failure.render(app.out.paint_messages()) };
            app.out.message(&text);
            failure.exit_code().into()
        }
    };
    log::flush();
    code
}
