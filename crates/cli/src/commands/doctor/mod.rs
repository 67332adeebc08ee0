//! `throughline doctor`: looks at everything an installation needs, and says how to mend what is not well.

mod checks;

use serde::Serialize;

use crate::api::{Local, Remote};
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Check the installation: one line each of what, what was found, how to fix it
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline doctor
  throughline doctor telegram                         only the bot: token, updates, privacy
  throughline doctor model                            asks every configured model one small question
  throughline doctor tools                            asks every tool's server and sub-agent what it is
  throughline doctor --server http://127.0.0.1:7070   what a running instance can be asked
Ends with 3 when a check fails.")]
pub(crate) struct Args {
    /// Look at this alone
    #[arg(value_name = "WHAT")]
    only: Option<Only>,
}

/// What can be looked at alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Only {
    /// The Telegram bot
    Telegram,
    /// The models: one small question to each
    Model,
    /// The tools and sub-agents: whether each is there, and as it was pinned
    Tools,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Check {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Failed,
}

impl Check {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, state: State::Ok, found: found.into(), fix: None }
    }

    fn warning(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Warning, found: found.into(), fix: Some(fix.into()) }
    }

    fn failed(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Failed, found: found.into(), fix: Some(fix.into()) }
    }
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let checks = match (&app.flags.server, args.only) {
        (_, Some(Only::Telegram)) => bot_alone(app)?,
        (_, Some(Only::Model)) => models_alone(app)?,
        (_, Some(Only::Tools)) => tools_alone(app)?,
        (Some(url), None) => checks::of_instance(&Remote::new(app, url)?),
        (None, None) => local(app)?,
    };
    if app.out.is_json() {
        app.out.value(&checks)?;
    } else {
        for check in &checks {
            app.out.line(&line(app, check))?;
        }
    }
    let failed = checks.iter().filter(|check| check.state == State::Failed).count();
    if failed == 0 {
        return Ok(Exit::Ok);
    }
    app.out.note(&format!("{failed} of {} checks failed", checks.len()));
    Ok(Exit::ChecksFailed)
}

/// The bot, whatever else is wrong.
fn bot_alone(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app, None)?;
    if config.telegram.is_none() {
        let fix = "name a telegram.token_file; docs/telegram.md tells every step from @BotFather on";
        return Ok(vec![Check::failed("telegram bot", "none is configured", fix)]);
    }
    let alone = settings::stored(&config) && Local::open(app).is_ok();
    checks::telegram(&config, alone)
}

/// The models, whatever else is wrong.
fn models_alone(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app, None)?;
    if config.models.by_purpose.is_empty() {
        let found = "none is configured: people are asked where rules do not tell what they want";
        return Ok(vec![Check::ok("model", found)]);
    }
    checks::models(&config)
}

/// The tools and sub-agents, whatever else is wrong.
fn tools_alone(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app, None)?;
    if config.tools.is_empty() {
        return Ok(vec![Check::ok("tools", "no tool and no sub-agent has a client here")]);
    }
    let opened = settings::stored(&config).then(|| Local::open(app)).transpose()?;
    checks::tools(&config, opened.as_ref())
}

/// Everything that can be seen from here. What depends on something broken is left out: its fix comes first.
fn local(app: &App) -> Result<Vec<Check>, Failure> {
    let config = match settings::installation(app, None) {
        Ok(config) => config,
        Err(failure) => return Ok(vec![broken("configuration", &failure)]),
    };
    let mut found = vec![checks::configuration(&config), checks::approvers(&config)];
    found.push(checks::instance_key(&config));
    found.push(checks::clock());
    found.extend(checks::disk(&config));
    found.push(checks::port(&config));
    if !settings::stored(&config) {
        found
            .push(Check::ok("store", format!("{} is not there yet; the first start makes it", config.store)));
        found.extend(checks::telegram(&config, true)?);
        found.extend(checks::models(&config)?);
        found.extend(checks::tools(&config, None)?);
        return Ok(found);
    }
    let opened = Local::open(app);
    let alone = opened.is_ok();
    match &opened {
        Ok(local) => found.extend(checks::store(local)),
        Err(failure) => found.push(broken("store", failure)),
    }
    found.extend(checks::telegram(&config, alone)?);
    found.extend(checks::models(&config)?);
    // Pins are in the store: without it there is nothing to compare with.
    if let Ok(local) = &opened {
        found.extend(checks::tools(&config, Some(local))?);
    }
    Ok(found)
}

/// A check that ended in an error: its own words are what was found, its hint is the fix.
fn broken(what: &'static str, failure: &Failure) -> Check {
    let (found, fix) = failure.told();
    Check::failed(what, found, fix)
}

fn line(app: &App, check: &Check) -> String {
    let paint = app.out.paint();
    let mark = match check.state {
        State::Ok => paint.good("ok     "),
        State::Warning => paint.warn("warning"),
        State::Failed => paint.bad("failed "),
    };
    let fix = check.fix.as_ref().map(|fix| format!("\n        fix: {fix}")).unwrap_or_default();
    format!("{mark} {:<18} {}{fix}", check.what, check.found.replace('\n', "\n                           "))
}
