//! `throughline token`: bearer tokens of the HTTP API.

use serde_json::json;
use throughline_server::auth::{Scope, Token};

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::key;

/// Make bearer tokens for the HTTP API
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline token create ci --principal ana --scope events:write --scope lanes:read")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make a token: prints it this one time, and the lines to put into the configuration
    Create {
        /// Its name: lower-case letters, digits and dashes
        #[arg(value_name = "NAME")]
        id: String,
        /// The user it acts as, one of the configuration's `users`
        #[arg(long, value_name = "USER")]
        principal: String,
        /// What it may do; once for each [default: events:write, lanes:read, approvals:read, effects:read]
        #[arg(long = "scope", value_name = "SCOPE", value_parser = scope)]
        scopes: Vec<Scope>,
    },
}

const SCOPES: [Scope; 4] = [Scope::EventsWrite, Scope::LanesRead, Scope::ApprovalsRead, Scope::EffectsRead];

fn scope(word: &str) -> Result<Scope, String> {
    let known = || Scope::ALL.iter().map(|scope| scope.word()).collect::<Vec<_>>().join(", ");
    Scope::from_word(word).ok_or_else(|| format!("“{word}” is none of {}", known()))
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let Command::Create { id, principal, scopes } = &args.command;
    if !Token::valid_id(id) {
        let wrong = format!("“{id}” cannot be a token's name");
        return Err(Failure::usage(wrong).hint("1 to 32 lower-case letters, digits and dashes, like ci-1"));
    }
    let scopes = if scopes.is_empty() { SCOPES.to_vec() } else { scopes.clone() };
    let (token, sha256) = Token::mint(id, key::random()?);
    let words: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
    if app.out.is_json() {
        let value =
            json!({ "id": id, "token": token, "sha256": sha256, "principal": principal, "scopes": words });
        app.out.value(&value)?;
        return Ok(Exit::Ok);
    }
    app.out.note(
        "The token. It is shown this one time and stored nowhere; keep it in a file only you can read:",
    );
    app.out.line(&token)?;
    app.out.note("\nFor throughline.toml, which holds only its hash:");
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    app.out.message(&format!(
        "\n[[tokens]]\nid = {id:?}\nsha256 = {sha256:?}\nprincipal = {principal:?}\nscopes = [{}]",
        quoted.join(", ")
    ));
    Ok(Exit::Ok)
}
