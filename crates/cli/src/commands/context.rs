//! `throughline context`: prints the context that prompts are given, of a lane or of a supervisor's state document.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use throughline_engine::context::import::{self, MAX_BYTES};
use throughline_engine::context::supervised::Assignment;
use throughline_server::views::context::of_state;
use throughline_server::wire::Context;

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::redis_key::{ReadError, RedisServer};

/// Print what prompts tell of the past: tasks done, tasks blocked
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    before_help = "\
Examples:
  throughline context @latest
  throughline context ln_atpfhd2dnan4hnneg4slqvhi --format json > session-state.json
  throughline context render --state state.json --task task.json
  throughline context render --redis redis://127.0.0.1 --key supervisor:state"
)]
pub(crate) struct Args {
    /// The lane: its id, the beginning of it, or @latest
    #[arg(required = true, add = complete::lanes())]
    lane: Option<String>,
    #[command(flatten)]
    shape: Shape,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Args)]
struct Shape {
    /// Tokens of the prompt, at least 6000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(6_000..))]
    max_tokens: Option<u32>,
    /// The prompt alone, or an object with it
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Markdown,
    Json,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Render a supervisor's state document: nothing is written, and no configuration is read
    Render(Render),
}

#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline context render --state state.json
  throughline context render --state state.json --task task.json --format json
  throughline context render --redis redis://127.0.0.1/2 --key supervisor:state
Ends with 1 when the document cannot be used or its key is missing, with 5 when Redis cannot be reached.")]
struct Render {
    /// The file of the state document; - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "redis", conflicts_with = "redis")]
    state: Option<PathBuf>,
    /// The Redis that holds it: redis://HOST:PORT/DB
    #[arg(long, value_name = "URL", requires = "key")]
    redis: Option<String>,
    /// The key it is under
    #[arg(long, value_name = "KEY", requires = "redis")]
    key: Option<String>,
    /// The file of the password for Redis
    #[arg(long, value_name = "FILE", requires = "redis")]
    redis_password_file: Option<PathBuf>,
    /// The task the prompt is for; without it, only what every prompt contains is printed
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// Finished tasks that are shown, 3 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    history: Option<u8>,
    #[command(flatten)]
    shape: Shape,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Some(Command::Render(args)) => {
            let context = render(args)?;
            for repair in &context.warnings {
                app.out.warn(&format!("{} at {}", repair.code, repair.pointer));
            }
            print(app, &context, &args.shape)
        }
        None => {
            let lane = args.lane.as_deref().unwrap_or_default();
            let api = api::open(app)?;
            let context = api.context(&api.id_of(Kind::Lane, lane)?, args.shape.max_tokens)?;
            print(app, &context, &args.shape)
        }
    }
}

fn print(app: &App, context: &Context, shape: &Shape) -> Outcome {
    match shape.format {
        Format::Markdown if !app.out.is_json() => app.out.line(&context.prompt)?,
        _ => app.out.line(&context.json())?,
    }
    Ok(Exit::Ok)
}

fn render(args: &Render) -> Result<Context, Failure> {
    let state = match (&args.state, &args.redis, &args.key) {
        (Some(file), ..) => read_file("the state", file)?,
        (None, Some(url), Some(key)) => read_redis(url, key, args.redis_password_file.as_deref())?,
        _ => return Err(Failure::usage("no state is named").hint("name one with --state or --redis")),
    };
    let task = args.task.as_deref().map(|file| read_file("the task", file)).transpose()?;
    let task = task.map(|bytes| Assignment::read(&bytes)).transpose();
    let task = task.map_err(|error| unusable("the task", &error))?;
    let state = import::import(&state).map_err(|error| unusable("the state", &error))?;
    Ok(of_state(state, task.as_ref(), args.history.map(usize::from), args.shape.max_tokens)?)
}

/// Reads a file, up to one byte more than the parser accepts, which then reports it as too large.
fn read_file(what: &str, file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let input: io::Result<Box<dyn Read>> = match file.to_str() {
        Some("-") => Ok(Box::new(io::stdin())),
        _ => File::open(file).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let most = MAX_BYTES as u64 + 1;
    let read = input.and_then(|input| input.take(most).read_to_end(&mut bytes));
    read.map_err(|error| {
        Failure::new(format!("cannot read {what} from {}", file.display())).because(&error)
    })?;
    Ok(bytes)
}

fn read_redis(url: &str, key: &str, password: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let redis = url.parse::<RedisServer>().map_err(|error| {
        Failure::usage("cannot use the address of --redis").because(&error).hint("write redis://HOST:PORT/DB")
    })?;
    let password = password.map(|file| {
        let failed = |error| {
            Failure::usage(format!("cannot read the password file {}", file.display())).because(&error)
        };
        std::fs::read_to_string(file)
            .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
            .map_err(failed)
    });
    redis.get(key, password.transpose()?.as_deref()).map_err(|error| {
        let what = Failure::new(format!("cannot read {key:?} from Redis at {}", redis.address()));
        match &error {
            ReadError::Unreachable(_) => what.because(&error).code("TL-1303").exit(Exit::Unreachable),
            ReadError::Refused(_) | ReadError::TooLong(_) | ReadError::Missing => {
                what.because(&error).code("TL-1304")
            }
        }
    })
}

fn unusable(what: &str, error: &import::ImportError) -> Failure {
    Failure::new(format!("cannot use {what}")).because(error).code("TL-1301")
}
