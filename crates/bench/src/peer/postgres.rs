//! A private PostgreSQL: in a temporary folder, on a Unix socket, never as root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

/// A running server; stopped, and its folder removed, when dropped.
pub(crate) struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    root: bool,
}

impl Postgres {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let root = told(Command::new("id").arg("-u"))?.trim() == "0";
        let programs = programs()
            .context("no PostgreSQL server is installed; on Debian: `apt-get install postgresql`")?;
        let template = std::env::temp_dir().join("throughline-postgres-XXXXXX");
        let mut made = as_user(root, Path::new("mktemp"));
        let folder = PathBuf::from(told(made.arg("-d").arg(template))?.trim());
        let server = Self { programs, folder, root };
        let data = server.folder.join("data");
        told(
            server.command("initdb").args(["--auth=trust", "--username=bench", "--no-sync", "-D"]).arg(&data),
        )?;
        // Room for the peer: its write-ahead log is not copied back every few seconds.
        let settings = format!(
            "-k {} -c listen_addresses='' -c shared_buffers=512MB -c max_wal_size=4GB",
            server.folder.display()
        );
        let mut start = server.command("pg_ctl");
        start
            .args(["-w", "-o", &settings, "-l"])
            .arg(server.folder.join("log"))
            .arg("-D")
            .arg(&data)
            .arg("start");
        // The server inherits these: a pipe would stay open for as long as it runs.
        let started = start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(started.success(), "PostgreSQL did not start; its log is {}/log", server.folder.display());
        Ok(server)
    }

    /// Returns the connection string.
    pub(crate) fn dsn(&self) -> String {
        format!("host={} user=bench dbname=postgres", self.folder.display())
    }

    /// Creates an empty database whose owner is bound by row-level security, in place of the one of that name before, and
    /// returns the string that connects the owner.
    pub(crate) fn fresh(&self, database: &str) -> anyhow::Result<String> {
        let owner = "DO $$ BEGIN CREATE ROLE engine LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$";
        self.sql("postgres", owner)?;
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)"))?;
        self.sql("postgres", &format!("CREATE DATABASE {database} OWNER engine"))?;
        self.sql("postgres", "CHECKPOINT")?;
        Ok(format!("host={} user=engine dbname={database}", self.folder.display()))
    }

    /// Runs SQL and returns what it printed.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> anyhow::Result<String> {
        let mut psql = self.command("psql");
        psql.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            "bench",
            "-d",
            database,
            "-c",
            sql,
            "-h",
        ]);
        Ok(told(psql.arg(&self.folder))?.trim().to_owned())
    }

    /// Runs a script of the server's own benchmark in a database, and returns its report.
    pub(crate) fn pgbench(
        &self,
        database: &str,
        script: &str,
        clients: usize,
        seconds: usize,
    ) -> anyhow::Result<String> {
        let file = std::env::temp_dir().join(format!("throughline-pgbench-{}.sql", std::process::id()));
        std::fs::write(&file, script)?;
        let (clients, seconds) = (clients.to_string(), seconds.to_string());
        let mut pgbench = self.command("pgbench");
        pgbench
            .args(["-n", "-M", "prepared", "-j", "2", "-c", &clients, "-T", &seconds, "-U", "bench", "-f"]);
        let report = told(pgbench.arg(&file).arg("-h").arg(&self.folder).arg(database));
        std::fs::remove_file(&file)?;
        report
    }

    /// Returns the bytes of the write-ahead log so far.
    pub(crate) fn written(&self) -> anyhow::Result<f64> {
        Ok(self.sql("postgres", "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")?.parse()?)
    }

    /// Returns its version in words.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        let told = told(Command::new(self.programs.join("postgres")).arg("--version"))?;
        Ok(told.trim().replace("postgres (PostgreSQL)", "PostgreSQL"))
    }

    fn command(&self, program: &str) -> Command {
        as_user(self.root, &self.programs.join(program))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut stop = self.command("pg_ctl");
        stop.args(["-w", "-m", "fast", "-D"]).arg(self.folder.join("data")).arg("stop");
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the folder of the newest installed server's programs.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<_> = versions
        .filter_map(|version| {
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            let programs = version.path().join("bin");
            programs.join("initdb").is_file().then_some((number, programs))
        })
        .collect();
    found.sort();
    if let Some((_, programs)) = found.pop() {
        return Some(programs);
    }
    let folder = told(Command::new("pg_config").arg("--bindir")).ok()?;
    let folder = PathBuf::from(folder.trim());
    folder.join("initdb").is_file().then_some(folder)
}

/// Returns a command that runs as a user other than root, as the server demands.
fn as_user(root: bool, program: &Path) -> Command {
    if !root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program).current_dir(std::env::temp_dir());
    command
}

/// Returns the output of a command; an error if it fails.
pub(crate) fn told(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
