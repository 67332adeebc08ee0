//! `throughline explain`: explains an error code.

use serde_json::json;
use throughline_server::codes::{self, Code};

use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;

/// Explain an error code: what happened, why, and what to do
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline explain TL-6102     what the code means
  throughline explain --all       every code there is")]
pub(crate) struct Args {
    /// The code, as TL-6102 or 6102, or its name, as store.in_use
    #[arg(required_unless_present = "all", conflicts_with = "all", add = complete::codes())]
    code: Option<String>,
    /// Every code
    #[arg(long)]
    all: bool,
    /// As Markdown: what docs/errors.md is made of
    #[arg(long, hide = true, requires = "all")]
    markdown: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let Some(named) = &args.code else { return all(app, args.markdown) };
    let Some(code) = codes::explain(named) else {
        return Err(Failure::usage(format!("there is no code {named}"))
            .hint("`throughline explain --all` lists every code"));
    };
    if app.out.is_json() {
        app.out.value(&value(code))?;
    } else {
        app.out.line(&code.text())?;
    }
    Ok(Exit::Ok)
}

fn all(app: &App, markdown: bool) -> Outcome {
    if markdown {
        app.out.line(&codes::markdown())?;
    } else if app.out.is_json() {
        app.out.value(&codes::ALL.iter().copied().map(value).collect::<Vec<_>>())?;
    } else {
        let row = |code: &Code| vec![code.id(), code.name.into(), code.title.into()];
        let rows: Vec<Vec<String>> = codes::ALL.iter().copied().map(row).collect();
        app.out.table(&["CODE", "NAME", "WHAT"], &rows)?;
    }
    Ok(Exit::Ok)
}

fn value(code: &Code) -> serde_json::Value {
    json!({
        "code": code.id(), "name": code.name, "status": code.status, "title": code.title,
        "what": code.what, "why": code.why, "fix": code.fix, "settings": code.settings,
    })
}
