//! `throughline store copy`: moves a SQLite database to a PostgreSQL server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use throughline_server::{Config, PostgresUrl, StoreUrl};
use throughline_store::{Copied, PostgresStore, SqliteStore, SystemClock};

use super::failed;
use crate::api::{Local, not_started};
use crate::app::App;
use crate::commands::audit::{Verified, verify_store};
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;
use crate::settings;

/// Source and target of a copy.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address of the database that is copied: sqlite:PATH
    #[arg(value_name = "FROM")]
    from: String,
    /// Address of an empty database: postgres://USER@HOST/DATABASE
    #[arg(value_name = "TO")]
    to: String,
    /// File of the server's password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// Reads the two addresses.
fn places(args: &Args) -> Result<(PathBuf, PostgresUrl), Failure> {
    let read = |url: &str| StoreUrl::parse(url).map_err(Failure::usage);
    match [read(&args.from)?, read(&args.to)?] {
        [StoreUrl::Sqlite(file), StoreUrl::Postgres(server)] => {
            Ok((file, PostgresUrl { password_file: args.password_file.clone(), ..server }))
        }
        [from, to] => {
            Err(Failure::usage(format!("a copy goes from sqlite: to postgres:, not from {from} to {to}"))
                .hint("throughline store copy sqlite:throughline.db postgres://USER@HOST/DATABASE"))
        }
    }
}

pub(super) fn run(app: &App, config: &Config, args: &Args) -> Outcome {
    let (file, server) = places(args)?;
    let with = |store, key| {
        let mut config = config.clone();
        (config.store, config.instance_key_file) = (store, key);
        config
    };
    let from = with(StoreUrl::Sqlite(file.clone()), config.instance_key_file.clone());
    // Buttons are signed with the key, so the copy goes on with it.
    let to = with(StoreUrl::Postgres(server.clone()), from.key_file());
    settings::require_store(&from)?;
    let (source, before) = verified_source(app, from, &file)?;
    let copied = transfer(app, &server, source)?;
    let after = verify(app, to.clone(), &copied.tenants.iter().cloned().collect())?;
    if !after.broken.is_empty() || (before.lanes, before.turns) != (after.lanes, after.turns) {
        let failure = Failure::new(format!("the copy in {} is not what it was copied from", to.store))
            .why(format!(
                "{} lanes and {} turns of {} and {}",
                after.lanes, after.turns, before.lanes, before.turns
            ))
            .hint("do not use it; the source is unchanged");
        return Err(after.broken.into_iter().fold(failure, Failure::why).exit(Exit::ChecksFailed));
    }
    tell(app, &to, &copied, &after)
}

fn verify(app: &App, config: Config, tenants: &BTreeSet<String>) -> Result<Verified, Failure> {
    verify_store(app, &Local::open(app, config)?, tenants)
}

/// Verifies the source, and opens it, which keeps others out.
fn verified_source(app: &App, config: Config, file: &Path) -> Result<(Arc<SqliteStore>, Verified), Failure> {
    let open = || SqliteStore::open(file, Arc::new(SystemClock::default())).map_err(|error| failed(&error));
    let tenants = open()?.tenants().map_err(|error| failed(&error))?;
    let verified = verify(app, config, &tenants.into_iter().collect())?;
    if verified.broken.is_empty() {
        return Ok((Arc::new(open()?), verified));
    }
    let failure = Failure::new(format!("{} is not as it was written, so nothing was copied", file.display()))
        .hint("find out who writes to the database; a backup from before has the record as it was");
    Err(verified.broken.into_iter().fold(failure, Failure::why).exit(Exit::ChecksFailed))
}

/// Copies everything, with the number of rows shown meanwhile.
fn transfer(app: &App, to: &PostgresUrl, source: Arc<SqliteStore>) -> Result<Copied, Failure> {
    let server = throughline_server::postgres_server(to).map_err(|error| not_started(&error))?;
    let rows = app.out.counter("rows copied");
    let copied = app.runtime()?.block_on(async {
        let target = PostgresStore::connect(&server).await?;
        throughline_store::copy(source, &target, |n| rows.set_position(n)).await
    });
    rows.finish_and_clear();
    copied.map_err(|error| failed(&error))
}

fn tell(app: &App, to: &Config, copied: &Copied, verified: &Verified) -> Outcome {
    let key = to.instance_key_file.as_ref().filter(|key| key.exists());
    let rows = copied.rows.values().sum::<u64>();
    if app.out.is_json() {
        let Copied { tenants, rows } = copied;
        app.out.value(&json!({
            "tenants": tenants, "rows": rows, "lanes": verified.lanes, "turns": verified.turns, "key": key,
        }))?;
        return Ok(Exit::Ok);
    }
    app.out.line(&format!(
        "{} has all of it: {rows} rows, {} in {}, which fit their chains as they did before",
        to.store,
        count(verified.turns, "turn"),
        count(verified.lanes, "lane")
    ))?;
    app.out.line(&format!("go on with it: store.url = \"{}\"", to.store))?;
    if let Some(key) = key {
        let key = key.display();
        app.out
            .line(&format!("every process needs {key}, or a copy of it: instance_key_file = \"{key}\""))?;
    }
    Ok(Exit::Ok)
}
