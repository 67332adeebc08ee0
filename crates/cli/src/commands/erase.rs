//! `throughline erase`: erases a person, a conversation, a fact or everything from the store.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};

use throughline_server::wire::{Erasure, TurnAnswer};

use crate::api::{self, Connection, Ids as _, Kind, segment};
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Erase a person, a lane or everything, for good
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline erase ana               what Ana said and what was made of it, in every lane
  throughline erase --lane LANE       one conversation
  throughline erase ana --yes --json  without being asked, for programs
Only words go: ids, hashes and the keys of created issues stay, so `audit verify` still holds.")]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["subject", "lane", "fact", "tenant"])))]
pub(crate) struct Args {
    /// A person, by the user id of their channel
    #[arg(value_name = "SUBJECT", add = complete::users())]
    subject: Option<String>,
    /// A lane, by its id, the beginning of it, or @latest; with --fact, the one whose fact it is
    #[arg(long, value_name = "LANE", add = complete::lanes(), conflicts_with_all = ["subject", "tenant"])]
    lane: Option<String>,
    /// One fact of an epic, a channel or a thread
    #[arg(long, value_name = "ID", conflicts_with_all = ["subject", "tenant"])]
    fact: Option<String>,
    /// Everything
    #[arg(long, conflicts_with = "subject")]
    tenant: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let tenant = settings::installation(app)?.tenant;
    let connection = api::connect(app)?;
    let lane = args.lane.as_deref().map(|lane| connection.remote.id_of(Kind::Lane, lane)).transpose()?;
    let what = match (&args.subject, &lane) {
        _ if let Some(fact) = &args.fact => format!("the fact {fact}"),
        (Some(subject), _) => format!("everything of {subject}, in every lane"),
        (_, Some(lane)) => format!("everything of the lane {lane}"),
        _ => format!("everything of the tenant {tenant}"),
    };
    if !args.yes {
        confirm(app, &what)?;
    }
    if let Some(fact) = &args.fact {
        return erase_fact(app, connection, fact, lane.as_deref());
    }
    let path = match (&args.subject, &lane) {
        (Some(subject), _) => format!("/v1/subjects/{}", segment(subject)),
        (_, Some(lane)) => format!("/v1/lanes/{}", segment(lane)),
        _ => format!("/v1/tenant?confirm={}", segment(&tenant)),
    };
    let erased: Result<Erasure, Failure> = connection.remote.delete(&path);
    // Closing waits for the erasure, also if the request failed after it was begun.
    connection.close()?;
    let erased = erased?;
    if app.out.is_json() {
        app.out.value(&erased)?;
    } else {
        app.out.line(&summary(&erased))?;
    }
    Ok(Exit::Ok)
}

/// Erases a fact, by a turn of its conversation.
fn erase_fact(app: &App, connection: Connection, fact: &str, lane: Option<&str>) -> Outcome {
    let lane = lane.map(|lane| format!("?lane={}", segment(lane))).unwrap_or_default();
    let turn: Result<TurnAnswer, Failure> =
        connection.remote.delete(&format!("/v1/facts/{}{lane}", segment(fact)));
    connection.close()?;
    let turn = turn?;
    if app.out.is_json() {
        app.out.value(&turn)?;
    } else {
        app.out.line(&format!("{}: {} ({})", fact, turn.reason, turn.turn))?;
    }
    Ok(if turn.reason == "fact.erased" { Exit::Ok } else { Exit::Refused })
}

/// Asks for confirmation. Fails without a terminal, where nobody can be asked.
pub(crate) fn confirm(app: &App, what: &str) -> Result<(), Failure> {
    if app.flags.no_input || !io::stdin().is_terminal() {
        let hint = "say --yes to erase without being asked";
        return Err(Failure::usage(format!("nobody can be asked whether to erase {what}")).hint(hint));
    }
    app.out.message(&format!("This erases {what}. It cannot be undone. Write \"erase\" to do it:"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if answer.trim() == "erase" {
        return Ok(());
    }
    Err(Failure::new("nothing was erased").why("it was not confirmed").exit(Exit::Refused))
}

fn summary(erased: &Erasure) -> String {
    let counts = [
        (erased.lanes, "lanes written"),
        (erased.turns, "turns' contents"),
        (erased.records, "records"),
        (erased.checkpoints, "checkpoints"),
        (erased.effects, "payloads and outcomes of effects"),
        (erased.approvals, "approvals"),
        (erased.deliveries, "answers and events"),
        (erased.facts, "facts"),
        (erased.documents, "documents"),
    ];
    let mut out = format!("erased {} {}\n", erased.of, erased.id);
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(out, "{count:>8}  {what}");
    }
    if counts.iter().all(|(count, _)| *count == 0) {
        let _ = writeln!(out, "there was nothing of it");
    }
    out
}
