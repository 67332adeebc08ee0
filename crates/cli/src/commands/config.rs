//! `throughline config`: prints the settings and their origins, checks them, prints their schema.

use serde_json::{Value, json};
use throughline_server::config::{Config, Setting};

use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Show, check and describe the configuration
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline config show --origin   every setting, and where it was set
  throughline config show server     those that begin so
  throughline config check           is it valid, and is it meant
  throughline config schema          JSON Schema, for an editor")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the settings in force
    Show {
        /// Only this setting, or those of this section
        #[arg(value_name = "SETTING", add = complete::settings())]
        setting: Option<String>,
        /// With the file and line, variable or flag that set it
        #[arg(long)]
        origin: bool,
    },
    /// Read the configuration and say what is wrong with it; starts nothing
    Check,
    /// Print the JSON Schema of the configuration file
    Schema,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::Show { setting, origin } => show(app, setting.as_deref(), *origin),
        Command::Check => check(app),
        Command::Schema => {
            let schema = Config::schema();
            if app.out.is_json() {
                app.out.value(&schema)?;
            } else {
                app.out.line(&format!("{schema:#}"))?;
            }
            Ok(Exit::Ok)
        }
    }
}

fn show(app: &App, wanted: Option<&str>, origin: bool) -> Outcome {
    let config = settings::load(app)?;
    let wanted = wanted.unwrap_or_default();
    let of_section = |setting: &&Setting| {
        let rest = setting.path.strip_prefix(wanted);
        rest.is_some_and(|rest| wanted.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let found: Vec<&Setting> = config.settings().iter().filter(of_section).collect();
    if found.is_empty() {
        return Err(Failure::usage(format!("there is no setting {wanted}"))
            .hint("`throughline config show` prints every setting"));
    }
    if app.out.is_json() {
        let setting = |setting: &&Setting| json!({ "setting": setting.path, "value": setting.value, "origin": setting.origin.to_string() });
        let settings: Vec<Value> = found.iter().map(setting).collect();
        app.out.value(&settings)?;
        return Ok(Exit::Ok);
    }
    for setting in found {
        let line = format!("{} = {}", setting.path, setting.value);
        if origin {
            let from = format!("# {}", setting.origin);
            app.out.line(&format!("{line:<60} {}", app.out.paint().dim(&from)))?;
        } else {
            app.out.line(&line)?;
        }
    }
    Ok(Exit::Ok)
}

fn check(app: &App) -> Outcome {
    let config = settings::load(app)?;
    let warnings = config.warnings();
    if app.out.is_json() {
        app.out.value(&json!({ "valid": true, "warnings": warnings }))?;
        return Ok(Exit::Ok);
    }
    for warning in &warnings {
        app.out.warn(warning);
    }
    app.out.line("the configuration is valid")?;
    Ok(Exit::Ok)
}
