//! `throughline doctor`: checks everything an installation needs, and says how to fix what is wrong.

mod checks;
mod report;

use throughline_server::config::JiraAccount;

use crate::api::{self, Api, Local, Remote};
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;
use report::{Check, State};

/// Check the installation: one line each of what, what was found, how to fix it
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline doctor
  throughline doctor telegram                         only the bot: token, updates, privacy
  throughline doctor slack                            only the app: token, scopes, events
  throughline doctor model                            asks every configured model one small question
  throughline doctor tracker                          looks every tracker over, creates nothing
  throughline doctor mail                             only the mail server: TLS, password; sends nothing
  throughline doctor tools                            asks every tool's server and sub-agent what it is
  throughline doctor --server http://127.0.0.1:7070   what a server elsewhere can be asked
Ends with 3 when a check fails.")]
pub(crate) struct Args {
    /// Check only this
    #[arg(value_name = "WHAT")]
    only: Option<Subject>,
}

/// The parts that can be checked alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Subject {
    /// The Telegram bot
    Telegram,
    /// The Slack app
    Slack,
    /// The models: one small question to each
    Model,
    /// The trackers: account, permissions, types and required fields of each project
    Tracker,
    /// The mail server: whether it answers, and lets us in
    Mail,
    /// The tools and sub-agents: whether each is there, and as it was pinned
    Tools,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let checks = match (&app.flags.server, args.only) {
        (_, Some(Subject::Telegram)) => telegram_only(app)?,
        (_, Some(Subject::Slack)) => slack_only(app)?,
        (_, Some(Subject::Model)) => models_only(app)?,
        (_, Some(Subject::Tracker)) => trackers_only(app)?,
        (_, Some(Subject::Mail)) => mail_only(app)?,
        (_, Some(Subject::Tools)) => tools_only(app)?,
        (Some(url), None) => checks::instance(&Remote::new(app, url)?),
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

/// Checks the Telegram bot, also if other things are broken.
fn telegram_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    if config.telegram.is_none() {
        let fix = "name a telegram.token_file; docs/telegram.md tells every step from @BotFather on";
        return Ok(vec![Check::failed("telegram bot", "none is configured", fix)]);
    }
    let alone = settings::store_exists(&config) && Local::open(app, config.clone()).is_ok();
    checks::telegram(app, &config, alone)
}

/// Checks the Slack app, also if other things are broken.
fn slack_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    if config.slack.is_none() {
        let fix = "name a slack.bot_token_file; docs/slack.md shows every click";
        return Ok(vec![Check::failed("slack app", "none is configured", fix)]);
    }
    checks::slack(app, &config)
}

/// Checks the models, also if other things are broken.
fn models_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    if config.models.by_purpose.is_empty() {
        let found = "none is configured: people are asked where rules do not tell what they want";
        return Ok(vec![Check::ok("model", found)]);
    }
    checks::models(app, &config)
}

/// Checks the trackers, also if other things are broken.
fn trackers_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    let none_hosted = config.jira.is_empty() && config.github.is_empty() && config.linear.is_empty();
    if none_hosted && config.redmine.is_empty() {
        return Ok(vec![Check::ok(
            "tracker",
            "tickets go to the embedded tracker; docs/jira.md, docs/github.md, docs/linear.md and docs/redmine.md show others",
        )]);
    }
    let granted = config.jira.values().any(|site| matches!(site.account, JiraAccount::App { .. }));
    let opened =
        (granted && settings::store_exists(&config)).then(|| Local::open(app, config.clone()).ok()).flatten();
    checks::trackers(app, &config, opened.as_ref())
}

/// Checks the mail server, also if other things are broken.
fn mail_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    if config.mail.is_none() {
        return Ok(vec![Check::ok("mail", "none is sent; docs/mail.md shows how people are told by it")]);
    }
    checks::mail(app, &config)
}

/// Checks the tools and sub-agents, also if other things are broken.
fn tools_only(app: &App) -> Result<Vec<Check>, Failure> {
    let config = settings::installation(app)?;
    if config.tools.is_empty() {
        return Ok(vec![Check::ok("tools", "no tool and no sub-agent has a client here")]);
    }
    if !settings::store_exists(&config) {
        return checks::tools(app, &config, None);
    }
    match api::open(app)? {
        Api::Local(local) => checks::tools(app, &config, Some(&local)),
        Api::Remote(remote) => checks::tools_of(&remote),
    }
}

/// Runs all checks of a local installation. Leaves out those that depend on something broken, whose fix comes first.
fn local(app: &App) -> Result<Vec<Check>, Failure> {
    let config = match settings::installation(app) {
        Ok(config) => config,
        Err(failure) => return Ok(vec![Check::error("configuration", &failure)]),
    };
    let mut found = vec![checks::configuration(&config), checks::approvers(&config)];
    found.push(checks::instance_key(&config));
    found.push(checks::clock());
    found.extend(checks::disk(&config));
    found.extend(checks::port(&config));
    found.extend(checks::webhooks(&config));
    found.extend(checks::sign_in(app, &config)?);
    if !settings::store_exists(&config) {
        found
            .push(Check::ok("store", format!("{} is not there yet; the first start makes it", config.store)));
        found.extend(checks::telegram(app, &config, true)?);
        found.extend(checks::slack(app, &config)?);
        found.extend(checks::mail(app, &config)?);
        found.extend(checks::models(app, &config)?);
        found.extend(checks::trackers(app, &config, None)?);
        found.extend(checks::tools(app, &config, None)?);
        return Ok(found);
    }
    let opened = api::open(app);
    let alone = matches!(opened, Ok(Api::Local(_)));
    match &opened {
        Ok(Api::Local(local)) => found.extend(checks::store(local)),
        Ok(Api::Remote(remote)) => found.extend(checks::instance(remote)),
        Err(failure) => found.push(Check::error("store", failure)),
    }
    found.extend(checks::redis(app, &config)?);
    found.extend(checks::telegram(app, &config, alone)?);
    found.extend(checks::slack(app, &config)?);
    found.extend(checks::mail(app, &config)?);
    found.extend(checks::models(app, &config)?);
    // What was granted to an app, and the pins of tools, are in the store.
    let here = match &opened {
        Ok(Api::Local(local)) => Some(local.as_ref()),
        _ => None,
    };
    found.extend(checks::trackers(app, &config, here)?);
    match &opened {
        Ok(Api::Local(local)) => found.extend(checks::tools(app, &config, Some(local))?),
        Ok(Api::Remote(remote)) if !config.tools.is_empty() => found.extend(checks::tools_of(remote)?),
        _ => {}
    }
    Ok(found)
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
