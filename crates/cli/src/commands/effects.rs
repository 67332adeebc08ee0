//! `throughline effects`: lists effects, resolves uncertain ones, and sets the kill switch.

use std::fmt::Write as _;

use throughline_server::wire::{Effect, Pause, PauseChange, Resolution, Resolve};

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::filters::{Filters, Row};
use crate::random;
use crate::turn_answer;

/// List effects, show one, answer for an uncertain one, pause and resume sending
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline effects list --state uncertain   what nobody knows the outcome of
  throughline effects resolve fx_65emfyihdqmez2f6x5fvmpxn --as adopt --key DEMO-7
  throughline effects pause --reason \"wrong project\"
  throughline effects resume")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List effects, newest first
    List {
        #[command(flatten)]
        filters: Filters,
        /// Only in this state: planned, attempted, done, failed, uncertain, cancelled
        #[arg(long, value_name = "STATE", hide_possible_values = true, value_parser = STATES)]
        state: Option<String>,
    },
    /// Show one effect and how it ended
    Show {
        /// The effect: its id, the beginning of it, or @latest
        #[arg(add = complete::effects())]
        id: String,
    },
    /// Say what became of an uncertain effect, as yourself: you have to be in the approver rules
    Resolve {
        /// The effect: its id, the beginning of it, or @latest
        #[arg(add = complete::effects())]
        id: String,
        /// It happened: adopt. It did not, make it: create-again. Drop it: cancel
        #[arg(long = "as", value_name = "WORD", hide_possible_values = true)]
        how: Answer,
        /// With adopt: the key of the issue that exists; a call of a tool or a sub-agent has none
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
        /// The reason, for the log
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Stop everything that leaves conversations, until resumed
    Pause {
        /// The reason, which people are shown
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Stop asking models too
        #[arg(long)]
        everything: bool,
    },
    /// Resume sending
    Resume,
}

/// The values of `--state`.
const STATES: [&str; 6] = ["planned", "attempted", "done", "failed", "uncertain", "cancelled"];

impl Row for Effect {
    fn lane(&self) -> &str {
        &self.lane
    }

    fn at(&self) -> &str {
        &self.created_at
    }
}

/// The values of `--as`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Answer {
    /// It happened
    Adopt,
    /// It did not: make it again
    CreateAgain,
    /// Drop it
    Cancel,
}

impl From<Answer> for Resolution {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Adopt => Self::Adopt,
            Answer::CreateAgain => Self::CreateAgain,
            Answer::Cancel => Self::Cancel,
        }
    }
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::List { filters, state } => {
            let api = api::open(app)?;
            let effects = api.effects(state.as_deref(), filters.depth(false))?;
            list(app, &filters.keep(&api, effects, |_| true)?, &api.pause()?)
        }
        Command::Show { id } => {
            let api = api::open(app)?;
            show(app, &api.effect(&api.id_of(Kind::Effect, id)?)?)
        }
        Command::Resolve { id, how, key, reason } => {
            let (how, remote_key, reason) = ((*how).into(), key.clone(), reason.clone());
            resolve(app, id, &Resolve { how, remote_key, reason, actor: None })
        }
        Command::Pause { reason, everything } => {
            let level = if *everything { "everything" } else { "outward" };
            switch(app, PauseChange { paused: true, level: Some(level.into()), reason: Some(reason.clone()) })
        }
        Command::Resume => switch(app, PauseChange { paused: false, level: None, reason: None }),
    }
}

fn list(app: &App, effects: &[Effect], pause: &Pause) -> Outcome {
    if app.out.is_json() {
        app.out.value(&effects)?;
        return Ok(Exit::Ok);
    }
    if pause.paused {
        app.out.warn(&describe(pause));
    }
    if effects.is_empty() {
        app.out.note("no effects");
        return Ok(Exit::Ok);
    }
    let row = |effect: &Effect| {
        let (id, class, state) = (effect.id.clone(), effect.class.clone(), effect.state.clone());
        vec![id, class, state, effect.attempts.to_string(), effect.created_at.clone(), effect.lane.clone()]
    };
    let rows: Vec<Vec<String>> = effects.iter().map(row).collect();
    app.out.table(&["EFFECT", "CLASS", "STATE", "ATTEMPTS", "PLANNED", "LANE"], &rows)?;
    Ok(Exit::Ok)
}

fn show(app: &App, effect: &Effect) -> Outcome {
    if app.out.is_json() {
        app.out.value(effect)?;
        return Ok(Exit::Ok);
    }
    let mut out = format!("{}  {}, {}\n", app.out.paint().name(&effect.id), effect.class, effect.state);
    let _ = writeln!(out, "performed by {}, attempts {}", effect.delivery, effect.attempts);
    let _ = writeln!(out, "planned      {} by {}", effect.created_at, effect.turn);
    let _ = writeln!(out, "in lane      {}", effect.lane);
    if let Some(approval) = &effect.approval {
        let _ = writeln!(out, "released by  {approval}");
    }
    if let Some(outcome) = &effect.outcome {
        let _ = writeln!(out, "outcome      {outcome}");
    }
    let body = serde_json::Value::Object(effect.body.clone());
    let _ = write!(out, "\n{body:#}");
    app.out.line(&out)?;
    Ok(Exit::Ok)
}

fn resolve(app: &App, id: &str, answer: &Resolve) -> Outcome {
    let connection = api::connect(app)?;
    let id = &connection.remote.id_of(Kind::Effect, id)?;
    let resolved = connection.remote.resolve(id, answer, &random::key("cli")?);
    connection.close()?;
    turn_answer::print(app, id, &resolved?)
}

fn switch(app: &App, change: PauseChange) -> Outcome {
    let connection = api::connect(app)?;
    let switched = connection.remote.set_pause(&change, &random::key("cli")?);
    connection.close()?;
    let pause = switched?;
    if app.out.is_json() {
        app.out.value(&pause)?;
    } else {
        app.out.line(&describe(&pause))?;
    }
    Ok(Exit::Ok)
}

fn describe(pause: &Pause) -> String {
    if !pause.paused {
        return "sending goes on".into();
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let (level, by, since) = (text(&pause.level), text(&pause.by), text(&pause.since));
    format!("sending is paused ({level}) by {by} since {since}: {}", text(&pause.reason))
}
