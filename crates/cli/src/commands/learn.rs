//! `throughline learn`: what the log could teach, proposals of it, and what was learned.

use throughline_server::wire::{
    ChangedDecision, DecisionBrief, LearnProposal, LearnSuggestion, LearnedVersion, Lesson, Phrase,
};

use crate::api::{self, Connection};
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;
use crate::random;
use crate::turn_answer;

/// Suggest phrases and thresholds from the log, and ask a person to approve them
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline learn suggest                 what could be learned, and which decisions would have been others
  throughline learn propose                 asks for the approval of all of it
  throughline learn propose --without jo    … but this phrase
  throughline learn propose --version 2     goes back to an earlier version
  throughline learn list                    what was approved")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Read the newest lanes and say what could be learned; changes nothing
    Suggest {
        /// The largest number of lanes to read
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=200))]
        lanes: u32,
        /// List every decision that would be another one
        #[arg(long)]
        all: bool,
    },
    /// Ask for the approval of what could be learned, or of an earlier version
    Propose {
        /// Leave a phrase out; may be repeated
        #[arg(long, value_name = "PHRASE")]
        without: Vec<String>,
        /// Go back to this version; 0 is the configuration alone
        #[arg(long, value_name = "N", conflicts_with = "without")]
        version: Option<u64>,
    },
    /// List the versions that were approved, the one in force first
    List,
}

/// Changed decisions that are listed unless all are asked for.
const SHOWN: usize = 20;

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let connection = api::connect(app)?;
    let done = match &args.command {
        Command::Suggest { lanes, all } => suggest(app, &connection, *lanes, *all),
        Command::Propose { without, version } => propose(app, &connection, without, *version),
        Command::List => list(app, &connection),
    };
    connection.close()?;
    done
}

fn suggest(app: &App, connection: &Connection, lanes: u32, all: bool) -> Outcome {
    let found = connection.remote.suggest_learning(lanes)?;
    if app.out.is_json() {
        app.out.value(&found)?;
        return Ok(Exit::Ok);
    }
    let LearnSuggestion { lessons, differences, replay, .. } = &found;
    if differences.is_empty() {
        app.out.note(&format!(
            "{} decided again, and nothing to learn: a phrase counts when three messages show the same meaning.",
            count(replay.decided, "turn")
        ));
        return Ok(Exit::Ok);
    }
    for line in differences {
        let seen =
            lessons.iter().find(|lesson| line.strip_prefix("+ ").is_some_and(|rest| rest == entry(lesson)));
        let seen = seen.map(|lesson| {
            format!("   {} of {}", count(lesson.turns.len(), "message"), count_people(lesson.people))
        });
        app.out.line(&format!("{line}{}", seen.unwrap_or_default()))?;
    }
    app.out.line(&format!(
        "\n{} decided again: {} better, {} worse, {} of which nothing says it",
        count(replay.decided, "turn"),
        replay.better,
        replay.worse,
        replay.unknown
    ))?;
    let shown = if all { replay.changed.len() } else { SHOWN };
    let rows: Vec<Vec<String>> = replay.changed.iter().take(shown).map(row).collect();
    app.out.table(&["TURN", "", "SAID", "DECIDED", "WOULD BE"], &rows)?;
    if replay.changed.len() > shown {
        app.out.note(&format!("… and {} more: --all", replay.changed.len() - shown));
    }
    app.out.note("\nto ask for the approval of it: throughline learn propose");
    Ok(Exit::Ok)
}

fn entry(lesson: &Lesson) -> String {
    format!("{} = {}", lesson.said, lesson.means)
}

fn count_people(people: usize) -> String {
    if people == 1 { "one person".into() } else { format!("{people} people") }
}

fn row(changed: &ChangedDecision) -> Vec<String> {
    let ChangedDecision { turn, said, before, after, shift } = changed;
    let first: String = said.lines().next().unwrap_or_default().chars().take(40).collect();
    vec![turn.clone(), shift.clone(), first, brief(before), brief(after)]
}

fn brief(decision: &DecisionBrief) -> String {
    let DecisionBrief { reason, intent, value } = decision;
    let more = value.as_ref().or(intent.as_ref()).map(|more| format!(" ({more})"));
    format!("{reason}{}", more.unwrap_or_default())
}

fn propose(app: &App, connection: &Connection, without: &[String], version: Option<u64>) -> Outcome {
    let proposal = match version {
        Some(version) => LearnProposal { learned: None, version: Some(version) },
        None => {
            let LearnSuggestion { mut learned, lessons, differences, .. } =
                connection.remote.suggest_learning(200)?;
            if differences.is_empty() && without.is_empty() {
                app.out.note("There is nothing to learn, so nobody is asked.");
                return Ok(Exit::Ok);
            }
            if let Some(unknown) =
                without.iter().find(|said| !lessons.iter().any(|lesson| lesson.said == **said))
            {
                return Err(Failure::usage(format!(
                    "“{unknown}” is none of the phrases that could be learned"
                ))
                .hint("throughline learn suggest"));
            }
            learned.lexicon.retain(|phrase| !without.contains(&phrase.said));
            LearnProposal { learned: Some(learned), version: None }
        }
    };
    let answer = connection.remote.propose_learning(&proposal, &random::key("cli")?)?;
    let card = answer.messages.iter().find_map(|message| message.card.as_ref()).map(|card| card.id.clone());
    let printed = turn_answer::print(app, card.as_deref().unwrap_or("the proposal"), &answer)?;
    if let Some(card) = card {
        app.out.note(&format!("to look at it: throughline approvals show {card}"));
    }
    Ok(printed)
}

fn list(app: &App, connection: &Connection) -> Outcome {
    let versions = connection.remote.learned()?;
    let row = |version: &LearnedVersion| {
        let phrases =
            version.learned.lexicon.iter().map(|Phrase { said, means }| format!("{said} = {means}"));
        let judge = version
            .learned
            .judge
            .as_ref()
            .map(|judge| format!("judge {} {} {}", judge.yes, judge.no, judge.end));
        let confidence = version.learned.min_confidence.map(|percent| format!("min_confidence {percent}"));
        let holds: Vec<String> = phrases.chain(judge).chain(confidence).collect();
        vec![version.version.to_string(), version.effect.clone().unwrap_or_default(), holds.join(", ")]
    };
    app.out.list(&versions, "nothing was learned", &["VERSION", "EFFECT", "HOLDS"], row)?;
    Ok(Exit::Ok)
}
