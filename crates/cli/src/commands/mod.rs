//! The commands, one file each, and the list of them.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
mod connect_tool;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod effects;
pub(crate) mod erase;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod lanes;
pub(crate) mod learn;
pub(crate) mod man;
pub(crate) mod open;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod slack;
pub(crate) mod store;
pub(crate) mod telegram;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod version;
pub(crate) mod why;

use clap::Subcommand;

use crate::app::{App, LogFormat};
use crate::error::Outcome;

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Args),
    Serve(serve::Args),
    Chat(chat::Args),
    Open(open::Args),
    Why(why::Args),
    Replay(replay::Args),
    Test(test::Args),
    Record(record::Args),
    Eval(eval::Args),
    Learn(learn::Args),
    Lanes(lanes::Args),
    Context(context::Args),
    Approvals(approvals::Args),
    Effects(effects::Args),
    Audit(audit::Args),
    Erase(erase::Args),
    Store(store::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Slack(slack::Args),
    Telegram(telegram::Args),
    Tools(tools::Args),
    Token(token::Args),
    Explain(explain::Args),
    Completions(completions::Args),
    Man(man::Args),
    Version(version::Args),
}

impl Command {
    /// Returns true if the result is one text that is read, and not a conversation, a file or progress.
    fn is_read(&self) -> bool {
        matches!(
            self,
            Self::Why(_)
                | Self::Lanes(_)
                | Self::Context(_)
                | Self::Approvals(_)
                | Self::Effects(_)
                | Self::Config(_)
                | Self::Explain(_)
        )
    }
}

/// Runs a command, and shows a long result page by page. `tree` builds the whole command tree, which manuals are made of.
pub(crate) fn run(app: &App, command: Command, tree: fn() -> clap::Command) -> Outcome {
    if !matches!(command, Command::Serve(_)) {
        app.start_log(None, LogFormat::Text, None);
    }
    if command.is_read() {
        app.out.hold();
    }
    let done = dispatch(app, command, tree);
    app.out.release();
    done
}

fn dispatch(app: &App, command: Command, tree: fn() -> clap::Command) -> Outcome {
    match command {
        Command::Init(args) => init::run(app, &args),
        Command::Serve(args) => serve::run(app, &args),
        Command::Chat(args) => chat::run(app, &args),
        Command::Open(args) => open::run(app, &args),
        Command::Why(args) => why::run(app, &args),
        Command::Replay(args) => replay::run(app, &args),
        Command::Test(args) => test::run(app, &args),
        Command::Record(args) => record::run(app, &args),
        Command::Eval(args) => eval::run(app, &args),
        Command::Learn(args) => learn::run(app, &args),
        Command::Lanes(args) => lanes::run(app, &args),
        Command::Context(args) => context::run(app, &args),
        Command::Approvals(args) => approvals::run(app, &args),
        Command::Effects(args) => effects::run(app, &args),
        Command::Audit(args) => audit::run(app, &args),
        Command::Erase(args) => erase::run(app, &args),
        Command::Store(args) => store::run(app, &args),
        Command::Doctor(args) => doctor::run(app, &args),
        Command::Config(args) => config::run(app, &args),
        Command::Slack(args) => slack::run(app, &args),
        Command::Telegram(args) => telegram::run(app, &args),
        Command::Tools(args) => tools::run(app, &args),
        Command::Token(args) => token::run(app, &args),
        Command::Explain(args) => explain::run(app, &args),
        Command::Completions(args) => completions::run(app, &args),
        Command::Man(args) => man::run(app, &args, tree()),
        Command::Version(args) => version::run(app, &args),
    }
}
