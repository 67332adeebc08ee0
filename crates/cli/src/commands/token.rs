//! `throughline token`: creates bearer tokens for the HTTP API, and links that sign a person in to the web chat.

use serde_json::json;
use throughline_server::auth::{Scope, Token};
use throughline_server::wire::SignInLink;

use crate::api::{self, Remote};
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::{random, settings};

/// Make bearer tokens for the HTTP API, and sign-in links for the web chat
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline token create ci --principal ana --scope events:write --scope lanes:read
  throughline token link ana                   hand the link to Ana: it signs her in, once
  throughline token link ana --server http://127.0.0.1:7070 --token-file admin.token")]
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
        #[arg(long, value_name = "USER", add = complete::users())]
        principal: String,
        /// Scope of the token; once for each [default: events:write, lanes:read]
        #[arg(long = "scope", value_name = "SCOPE", value_parser = scope, add = complete::scopes())]
        scopes: Vec<Scope>,
    },
    /// Make a link that signs one person in to the web chat, once, within ten minutes
    Link {
        /// One of the configuration's `users`
        #[arg(value_name = "USER", add = complete::users())]
        user: String,
    },
}

const SCOPES: [Scope; 2] = [Scope::EventsWrite, Scope::LanesRead];

fn scope(word: &str) -> Result<Scope, String> {
    let known = || Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ");
    word.parse().map_err(|_| format!("“{word}” is none of {}", known()))
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::Create { id, principal, scopes } => create(app, id, principal, scopes),
        Command::Link { user } => link(app, user),
    }
}

fn create(app: &App, id: &str, principal: &str, scopes: &[Scope]) -> Outcome {
    if !Token::valid_id(id) {
        let wrong = format!("“{id}” cannot be a token's name");
        return Err(Failure::usage(wrong).hint("1 to 32 lower-case letters, digits and dashes, like ci-1"));
    }
    let scopes = if scopes.is_empty() { &SCOPES } else { scopes };
    let (token, sha256) = Token::mint(id, random::bytes()?);
    let words: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
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

/// Creates a link through a running server, which knows its address, or else with the instance key of this folder.
/// Neither writes anything.
fn link(app: &App, user: &str) -> Outcome {
    let link = sign_in_link(app, user)?;
    if app.out.is_json() {
        app.out.value(&link)?;
        return Ok(Exit::Ok);
    }
    app.out.note(&format!("Signs {} in, once, until {}. Whoever has it is {0}:", link.user, link.expires_at));
    app.out.line(&link.url)?;
    Ok(Exit::Ok)
}

/// Creates a link that signs a user in.
pub(crate) fn sign_in_link(app: &App, user: &str) -> Result<SignInLink, Failure> {
    if let Some(url) = &app.flags.server {
        return Remote::new(app, url)?.sign_in_link(user);
    }
    let running = api::owner(&settings::load(app)?)?;
    // The address may be that of a server that was killed.
    match running.and_then(|server| server.sign_in_link(user).ok()) {
        Some(link) => Ok(link),
        None => make_link_locally(app, user),
    }
}

fn make_link_locally(app: &App, user: &str) -> Result<SignInLink, Failure> {
    let config = settings::load(app)?;
    if config.active_user(&config.tenant, user).is_none() {
        let hint = "the configuration's `users` names them; another folder or --config FILE?";
        return Err(Failure::new(format!("there is no user “{user}”")).hint(hint));
    }
    throughline_server::sign_in_link(&config, user).map_err(|error| {
        Failure::new("the link was not made")
            .because(&error)
            .code(error.code().id())
            .hint("`throughline serve` makes the key at its first start; run this where it keeps its data")
    })
}
