//! Stores with very many idle lanes: some made by real turns, the rest copies of those under other tenants.
//!
//! A million real turns take longer than everything else here. So the lanes of one tenant each go through one turn of the
//! production runtime, and every further tenant is a copy of all rows of the first, made inside the database: the tenant
//! and the file's internal numbers differ, everything else is byte for byte. What a wrong copy would break is checked:
//! how many lanes there are, and that a copied lane loads as its original does.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rusqlite::{Connection, params};
use throughline_engine::LaneKey;
use throughline_store::{Keeping as _, Lanes as _, SqliteStore, SystemClock};

use crate::frame::{block_on, note};
use crate::load::{Bench, Delivered, Kind, all};

/// Columns that hold a number of the file: each row's own, and those that point to another row.
const NUMBERS: [&str; 7] = ["n", "lane", "seq", "prev", "last_effect", "effect", "on_effect"];

/// One tenant's lanes, to be copied.
#[derive(Clone)]
pub(crate) struct Idle {
    first: PathBuf,
    /// Lanes of a tenant, and so lanes made by real turns.
    pub(crate) real: usize,
}

impl Idle {
    /// Makes the first tenant, by real turns.
    pub(crate) fn new(folder: &Path, real: usize) -> anyhow::Result<Self> {
        let idle = Self { first: folder.join("first-tenant.db"), real };
        note(&format!("{real} lanes with one turn each"));
        block_on(async {
            let bench = Bench::open(&idle.first, Delivered::ByCommit)?;
            for chunk in (0..real).collect::<Vec<_>>().chunks(64) {
                let people = chunk.iter().map(|n| bench.talk(idle.lane(*n))).collect();
                all(people, Kind::Reply, 1).await?;
            }
            bench.close().await;
            anyhow::Ok(())
        })??;
        Ok(idle)
    }

    /// The n-th idle lane of every store that has so many.
    pub(crate) fn lane(&self, n: usize) -> LaneKey {
        lane(n / self.real, &format!("c{}", n % self.real))
    }

    /// Makes a store of so many idle lanes, each with one finished turn.
    pub(crate) fn store(&self, path: &Path, lanes: usize) -> anyhow::Result<()> {
        ensure!(lanes.is_multiple_of(self.real), "{lanes} lanes are not whole tenants of {}", self.real);
        note(&format!("a store of {lanes} idle lanes"));
        std::fs::copy(&self.first, path)?;
        copy(path, lanes / self.real).context("cannot copy the lanes of the first tenant")?;
        block_on(self.check(path, lanes))?
    }

    /// What a wrong copy would break.
    async fn check(&self, path: &Path, lanes: usize) -> anyhow::Result<()> {
        let store = SqliteStore::open(path, std::sync::Arc::new(SystemClock::default()))?;
        let counted = store.counts().await?.lanes;
        ensure!(counted == lanes as u64, "{counted} lanes were made instead of {lanes}");
        let (first, last) = (self.lane(0), self.lane(lanes - self.real));
        let original = store.load(&first).await?.context("the first tenant has its lanes")?;
        let copied = store.load(&last).await?.context("the last tenant has its lanes")?;
        ensure!(original == copied && original.revision == 1, "a copied lane differs from its original");
        ensure!(!original.records.is_empty(), "an idle lane has the records of its turn");
        ensure!(store.turns(&last, 0, 2).await?.len() == 1, "a copied lane has its turn");
        Ok(())
    }
}

fn lane(tenant: usize, conversation: &str) -> LaneKey {
    LaneKey::new(&format!("t{tenant}"), "app", "api", conversation, "")
}

/// A table that has rows of lanes.
struct Rows {
    name: String,
    columns: Vec<String>,
}

impl Rows {
    fn all(db: &Connection) -> anyhow::Result<Vec<Self>> {
        let mut tables =
            db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?;
        let names: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut all = Vec::new();
        for name in names {
            let mut columns = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let columns = columns.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let rows = Self { name, columns };
            if rows.has("tenant") || rows.number().is_some() {
                all.push(rows);
            }
        }
        Ok(all)
    }

    fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }

    /// Its first column that holds a number of the file.
    fn number(&self) -> Option<&str> {
        self.columns.iter().map(String::as_str).find(|column| NUMBERS.contains(column))
    }

    /// The highest number in any of its columns.
    fn highest(&self, db: &Connection) -> anyhow::Result<i64> {
        let mut highest = 0;
        for column in self.columns.iter().filter(|column| NUMBERS.contains(&column.as_str())) {
            let max = format!("SELECT coalesce(max({column}), 0) FROM {}", self.name);
            highest = highest.max(db.query_row(&max, [], |row| row.get(0))?);
        }
        Ok(highest)
    }

    /// Copies the first tenant's rows. ?1: the tenant, ?2: what is added to numbers, ?3: the first tenant's highest.
    fn copy(&self) -> String {
        let value = |column: &String| match column.as_str() {
            "tenant" => "?1".to_owned(),
            "id" if self.name == "lanes" => "(SELECT id FROM temp.ids WHERE ids.n = lanes.n)".into(),
            number if NUMBERS.contains(&number) => format!("{number} + ?2"),
            other => other.into(),
        };
        let values: Vec<String> = self.columns.iter().map(value).collect();
        let own = match self.number() {
            Some(number) => format!("{number} <= ?3"),
            None => "tenant = 't0' AND ?2 > 0 AND ?3 > 0".into(),
        };
        format!(
            "INSERT INTO {0} ({1}) SELECT {2} FROM {0} WHERE {own}",
            self.name,
            self.columns.join(", "),
            values.join(", ")
        )
    }
}

/// Copies the first tenant until there are so many.
fn copy(path: &Path, tenants: usize) -> anyhow::Result<()> {
    let mut db = Connection::open(path)?;
    db.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -262144;
         CREATE TEMP TABLE ids (n INTEGER PRIMARY KEY, id TEXT NOT NULL);",
    )?;
    let tables = Rows::all(&db)?;
    let highest =
        tables.iter().map(|table| table.highest(&db)).try_fold(0, |max, n| n.map(|n| max.max(n)))?;
    for tenant in 1..tenants {
        let transaction = db.transaction()?;
        rename(&transaction, tenant)?;
        for table in &tables {
            let shift = highest * tenant as i64;
            transaction
                .prepare_cached(&table.copy())?
                .execute(params![format!("t{tenant}"), shift, highest])
                .with_context(|| format!("table {}", table.name))?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// The public names that a tenant's lanes have: they are derived from the tenant's.
fn rename(db: &Connection, tenant: usize) -> anyhow::Result<()> {
    db.execute("DELETE FROM temp.ids", [])?;
    let mut lanes = db.prepare_cached("SELECT n, conversation FROM lanes WHERE tenant = 't0'")?;
    let mut insert = db.prepare_cached("INSERT INTO temp.ids VALUES (?1, ?2)")?;
    let mut rows = lanes.query([])?;
    while let Some(row) = rows.next()? {
        let conversation: String = row.get(1)?;
        insert.execute(params![row.get::<_, i64>(0)?, lane(tenant, &conversation).id().as_str()])?;
    }
    Ok(())
}
