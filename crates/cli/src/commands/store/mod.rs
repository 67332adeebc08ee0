//! `throughline store`: says what is stored and where, brings the schema up to date, copies a database and puts a copy back,
//! moves everything to a server, and erases what has grown old.

mod copy;
mod prune;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use throughline_server::{Config, StoreUrl};
use throughline_store::{
    ErasureRow, PostgresStore, SchemaVersion, SqliteStore, StoreError, SystemClock, database_file,
};

use crate::api::Local;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;
use crate::settings;

/// Look after the store: its state, its schema, copies of it
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline store status
  throughline store backup backups/monday
  throughline store restore backups/monday
  throughline store prune --older-than 30d
  throughline store copy sqlite:throughline.db postgres://throughline@db/throughline
A backup may be made while the server runs. To restore or copy one, stop the server.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show where the data is, the version of its schema, and how much there is
    Status,
    /// Bring the schema up to date; opening the store does it, too
    Migrate,
    /// Copy the SQLite database and the instance key into a folder
    Backup {
        /// Folder to make
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Put a copy in place of the database, and erase again what was erased since
    Restore {
        /// Folder that `store backup` made
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Copy a SQLite database to an empty PostgreSQL database, and verify both
    Copy(copy::Args),
    /// Erase what was said longer ago than an age, for good; chains, effects, approvals and facts stay
    Prune(prune::Args),
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    if app.flags.server.is_some() {
        return Err(Failure::usage("the store is looked after where it is")
            .hint("run this beside the store, without --server"));
    }
    let config = settings::installation(app)?;
    match &args.command {
        Command::Status => status(app, &config),
        Command::Migrate => migrate(app, &config),
        Command::Backup { folder } => backup(app, &config, folder),
        Command::Restore { folder } => restore(app, &config, folder),
        Command::Copy(args) => copy::run(app, &config, args),
        Command::Prune(args) => prune::run(app, &config, args),
    }
}

fn failed(error: &StoreError) -> Failure {
    let code = throughline_server::store_code(error);
    Failure::new("the store cannot be used")
        .because(error)
        .code(code.id())
        .hint(code.fix)
        .exit(Exit::Unreachable)
}

/// Returns the version of the schema, without changing anything.
fn schema(app: &App, config: &Config) -> Result<Option<SchemaVersion>, Failure> {
    let version = match &config.store {
        StoreUrl::Memory => return Ok(None),
        StoreUrl::Sqlite(path) => throughline_store::schema_version(path),
        StoreUrl::Postgres(server) => {
            let server = throughline_server::postgres_server(server)
                .map_err(|error| crate::api::not_started(&error))?;
            app.runtime()?.block_on(PostgresStore::schema_version(&server))
        }
    };
    version.map(Some).map_err(|error| failed(&error))
}

fn status(app: &App, config: &Config) -> Outcome {
    settings::require_store(config)?;
    let schema = schema(app, config)?;
    let (applied, newest) = schema.map_or((0, 0), |schema| (schema.applied, schema.newest));
    // Opening it would bring the schema up to date, which is for `migrate`.
    let counts = if applied == newest && applied > 0 {
        let local = Local::open_to_read(app)?;
        Some(local.block_on(local.instance().store.counts())?)
    } else {
        None
    };
    let (kind, place) = (config.store.kind(), config.store.to_string());
    let counted = counts.map(|counts| {
        json!({
            "lanes": counts.lanes, "waiting": counts.waiting, "dead": counts.dead,
            "open_effects": counts.open_effects, "uncertain": counts.uncertain, "approvals": counts.approvals,
        })
    });
    if app.out.is_json() {
        let schema = json!({ "applied": applied, "newest": newest });
        app.out.value(&json!({ "kind": kind, "place": place, "schema": schema, "counts": counted }))?;
        return Ok(Exit::Ok);
    }
    app.out.line(&format!("{kind} {place}"))?;
    let state = match newest.saturating_sub(applied) {
        0 => "up to date".to_owned(),
        missing => format!("{missing} behind: `throughline store migrate`"),
    };
    app.out.line(&format!("schema {applied} of {newest}, {state}"))?;
    if let Some(counts) = counts {
        app.out.line(&format!(
            "{}, {} waiting, {} dead, {} open, {} uncertain, {} pending",
            count(counts.lanes, "lane"),
            count(counts.waiting, "event"),
            counts.dead,
            count(counts.open_effects, "effect"),
            counts.uncertain,
            count(counts.approvals, "approval")
        ))?;
    }
    Ok(Exit::Ok)
}

fn migrate(app: &App, config: &Config) -> Outcome {
    settings::require_store(config)?;
    let before = schema(app, config)?;
    drop(Local::open(app, config.clone())?);
    let after = schema(app, config)?;
    let numbers = |schema: Option<SchemaVersion>| schema.map_or(0, |schema| schema.applied);
    let (before, after) = (numbers(before), numbers(after));
    if app.out.is_json() {
        app.out.value(&json!({ "before": before, "after": after }))?;
    } else if before == after {
        app.out.line(&format!("schema {after} was up to date"))?;
    } else {
        app.out.line(&format!("schema {before} is now {after}"))?;
    }
    Ok(Exit::Ok)
}

/// Returns the path of the SQLite file.
fn file(config: &Config) -> Result<PathBuf, Failure> {
    match &config.store {
        StoreUrl::Sqlite(path) => Ok(database_file(path)),
        StoreUrl::Memory => Err(Failure::usage("a store in memory is gone with its process")),
        StoreUrl::Postgres(_) => Err(Failure::usage("this copies SQLite files")
            .hint("a server has its own: pg_dump, or a base backup; keep the instance key with it")),
    }
}

/// Names of a copy's files: the database and the key.
const COPIES: (&str, &str) = ("throughline.db", "throughline.key");

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} {}", path.display())).because(error).exit(Exit::Unreachable)
}

fn backup(app: &App, config: &Config, folder: &Path) -> Outcome {
    settings::require_store(config)?;
    let from = file(config)?;
    make_folder(folder).map_err(|error| cannot("make the folder", folder, &error))?;
    let to = folder.join(COPIES.0);
    throughline_store::backup(&from, &to).map_err(|error| failed(&error))?;
    let key = config.key_file().filter(|key| key.exists());
    if let Some(key) = &key {
        copy_private(key, &folder.join(COPIES.1)).map_err(|error| cannot("copy the key", key, &error))?;
    }
    let bytes = fs::metadata(&to).map_or(0, |found| found.len());
    if app.out.is_json() {
        app.out.value(&json!({ "database": to, "bytes": bytes, "key": key.is_some() }))?;
    } else {
        app.out
            .line(&format!("{} has the database, {bytes} bytes, and the instance key", folder.display()))?;
    }
    Ok(Exit::Ok)
}

/// Makes a folder for its owner alone. One that has a copy already is refused, so that none is replaced.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    if folder.join(COPIES.0).exists() {
        return Err(std::io::Error::other("there is a copy in it already"));
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Copies a file for its owner alone. It is in its place when all of it is there.
fn copy_private(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut new = to.as_os_str().to_owned();
    new.push(".new");
    let mut file = crate::private_file::create(Path::new(&new))?;
    std::io::copy(&mut fs::File::open(from)?, &mut file)?;
    file.sync_all()?;
    fs::rename(&new, to)
}

fn restore(app: &App, config: &Config, folder: &Path) -> Outcome {
    let (from, to) = (folder.join(COPIES.0), file(config)?);
    if let Err(error) = throughline_store::schema_version(&from) {
        return Err(failed(&error).hint("a folder that `throughline store backup FOLDER` made?"));
    }
    let erased = if to.exists() { erasures(app, config, &to)? } else { BTreeMap::new() };
    let aside = put_database_aside(&to).map_err(|error| cannot("put aside", &to, &error))?;
    copy_private(&from, &to).map_err(|error| cannot("put the copy in place of", &to, &error))?;
    if let (Some(key), true) = (config.key_file(), folder.join(COPIES.1).exists()) {
        put_aside(&key).map_err(|error| cannot("put aside", &key, &error))?;
        copy_private(&folder.join(COPIES.1), &key)
            .map_err(|error| cannot("restore the key", &key, &error))?;
    }
    let again = erase_again(app, config, erased)?;
    if app.out.is_json() {
        app.out.value(&json!({ "database": to, "before": aside, "erased_again": again }))?;
    } else {
        app.out.line(&format!("{} is the copy now; {again} erasures were made again", to.display()))?;
        if let Some(aside) = aside {
            app.out.line(&format!("what was there is in {}, with all that was in it", aside.display()))?;
        }
    }
    Ok(Exit::Ok)
}

/// Reads which erasures were asked for, by tenant. Fails while a process has the database; one that cannot be read tells of
/// none.
fn erasures(
    app: &App,
    config: &Config,
    database: &Path,
) -> Result<BTreeMap<String, Vec<ErasureRow>>, Failure> {
    match SqliteStore::open(database, Arc::new(SystemClock::default())) {
        Ok(store) => drop(store),
        Err(error @ StoreError::InUse { .. }) => return Err(failed(&error)),
        Err(error) => {
            app.out.message(&format!(
                "{error}; so nobody knows what was erased since the copy was made: erase it again yourself"
            ));
            return Ok(BTreeMap::new());
        }
    }
    let local = Local::open(app, config.clone())?;
    let read = |tenant: String| {
        let rows = local.block_on(local.instance().store.erasures(&tenant, false))?;
        Ok((tenant, rows))
    };
    local.tenants()?.into_iter().map(read).collect()
}

/// Moves a database aside, with the files that SQLite keeps beside it: its log would be taken for that of the copy. Returns
/// where it is now.
fn put_database_aside(database: &Path) -> std::io::Result<Option<PathBuf>> {
    for suffix in ["-wal", "-shm"] {
        let mut beside = database.as_os_str().to_owned();
        beside.push(suffix);
        put_aside(Path::new(&beside))?;
    }
    put_aside(database)
}

/// Moves a file aside, if it is there. Returns where it is now.
fn put_aside(file: &Path) -> std::io::Result<Option<PathBuf>> {
    if !file.exists() {
        return Ok(None);
    }
    let name = |n: u32| {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".before-restore-{n}"));
        PathBuf::from(name)
    };
    let aside = (1..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0));
    fs::rename(file, &aside)?;
    Ok(Some(aside))
}

/// Asks for the erasures that the copy does not know, and makes them. Returns their number.
fn erase_again(
    app: &App,
    config: &Config,
    erased: BTreeMap<String, Vec<ErasureRow>>,
) -> Result<usize, Failure> {
    let local = Local::open(app, config.clone())?;
    let (store, mut again) = (&local.instance().store, 0);
    for (tenant, rows) in erased {
        let known = local.block_on(store.erasures(&tenant, false))?;
        let unknown = rows
            .into_iter()
            .filter(|row| !known.iter().any(|known| (known.number, &known.what) == (row.number, &row.what)));
        for row in unknown {
            local.block_on(store.request_erasure(&tenant, &row.what))?;
            again += 1;
        }
        local.block_on(local.instance().runtime.resume_erasures(&tenant))?;
    }
    Ok(again)
}
