//! The commands, one file each, all of one shape.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod decided;
pub(crate) mod doctor;
pub(crate) mod effects;
pub(crate) mod erase;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod lanes;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod telegram;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod version;
pub(crate) mod why;

use crate::app::{App, LogFormat};
use crate::args::Command;
use crate::error::Outcome;

/// Runs a command.
pub(crate) fn run(app: &App, command: Command) -> Outcome {
    if !matches!(command, Command::Serve(_)) {
        app.start_log(None, LogFormat::Text);
    }
    match command {
        Command::Serve(args) => serve::run(app, &args),
        Command::Chat(args) => chat::run(app, &args),
        Command::Why(args) => why::run(app, &args),
        Command::Replay(args) => replay::run(app, &args),
        Command::Test(args) => test::run(app, &args),
        Command::Record(args) => record::run(app, &args),
        Command::Eval(args) => eval::run(app, &args),
        Command::Lanes(args) => lanes::run(app, &args),
        Command::Context(args) => context::run(app, &args),
        Command::Approvals(args) => approvals::run(app, &args),
        Command::Effects(args) => effects::run(app, &args),
        Command::Audit(args) => audit::run(app, &args),
        Command::Erase(args) => erase::run(app, &args),
        Command::Doctor(args) => doctor::run(app, &args),
        Command::Config(args) => config::run(app, &args),
        Command::Telegram(args) => telegram::run(app, &args),
        Command::Tools(args) => tools::run(app, &args),
        Command::Token(args) => token::run(app, &args),
        Command::Explain(args) => explain::run(app, &args),
        Command::Completions(args) => completions::run(app, &args),
        Command::Version(args) => version::run(app, &args),
    }
}
