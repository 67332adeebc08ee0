//! `throughline config`: prints the settings and their origins, checks them, prints their schema.

use serde_json::{Value, json};
use throughline_server::config::Config;

use crate::app::App;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::settings;

/// Show, check and describe the configuration
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline config show --origin   every setting, and where it was set
  throughline config check           is it valid, and is it meant
  throughline config schema          JSON Schema, for an editor")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print every setting in force
    Show {
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
    match args.command {
        Command::Show { origin } => show(app, origin),
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

fn show(app: &App, origin: bool) -> Outcome {
    let config = settings::load(app, None)?;
    if app.out.is_json() {
        let setting = |setting: &throughline_server::config::Setting| json!({ "setting": setting.path, "value": setting.value, "origin": setting.origin.to_string() });
        let settings: Vec<Value> = config.settings().iter().map(setting).collect();
        app.out.value(&settings)?;
        return Ok(Exit::Ok);
    }
    for setting in config.settings() {
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
    let config = settings::load(app, None)?;
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
