//! A PostgreSQL server for one test: started in a folder of its own, reached by a socket there, stopped at the end.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A server with the database `throughline` and a role of that name, which is bound by row-level security.
pub struct Server {
    folder: TempDir,
    bin: PathBuf,
    as_other: bool,
    /// Environment of the server.
    variables: Vec<(&'static str, String)>,
}

/// Returns the folder of the server's programs.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").map(|found| found.flatten().collect::<Vec<_>>());
    let mut folders: Vec<PathBuf> =
        versions.unwrap_or_default().iter().map(|v| v.path().join("bin")).collect();
    folders.sort();
    let found = folders.into_iter().rev().find(|bin| bin.join("initdb").exists());
    found.expect("PostgreSQL is not installed: install Debian's package postgresql")
}

fn checked(output: std::io::Result<Output>, what: &str) -> Output {
    let output = output.unwrap_or_else(|error| panic!("cannot run {what}: {error}"));
    assert!(output.status.success(), "{what} failed: {}", String::from_utf8_lossy(&output.stderr));
    output
}

impl Server {
    /// Starts a server of its own.
    ///
    /// # Panics
    /// PostgreSQL is not installed, or does not start.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with environment variables.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with(variables: &[(&'static str, String)]) -> Self {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let root = checked(Command::new("id").arg("-u").output(), "id").stdout == b"0\n";
        let server = Self { folder, bin: programs(), as_other: root, variables: variables.to_vec() };
        server.give();
        let template = server.template();
        if template.exists() {
            checked(Command::new("cp").arg("-a").arg(&template).arg(server.data()).output(), "cp");
            server.resume();
        } else {
            server.create(&template);
        }
        server
    }

    fn another(&self, folder: TempDir) -> Self {
        Self { folder, bin: self.bin.clone(), as_other: self.as_other, variables: Vec::new() }
    }

    /// Gives the folder to the user that the server runs as.
    fn give(&self) {
        if self.as_other {
            checked(Command::new("chown").arg("postgres").arg(self.folder.path()).output(), "chown");
        }
    }

    /// Returns the place of an empty server's data, beside the test's program: copying is quicker than creating.
    fn template(&self) -> PathBuf {
        let program = std::env::current_exe().unwrap();
        let version = self.bin.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        program.with_file_name(format!("postgres-{version}-template"))
    }

    /// Creates a server, and leaves a copy of its data as the template. Of several that do at once, the first one's stays.
    fn create(&self, template: &Path) {
        let init = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D"];
        checked(self.program("initdb").args(init).arg(self.data()).output(), "initdb");
        self.resume();
        self.admin("postgres", "CREATE ROLE throughline LOGIN");
        self.admin("postgres", "CREATE DATABASE throughline OWNER throughline");
        let stop = ["stop", "-m", "fast", "-D"];
        checked(self.program("pg_ctl").args(stop).arg(self.data()).output(), "pg_ctl");
        let copy = template.with_extension(std::process::id().to_string());
        checked(Command::new("cp").arg("-a").arg(self.data()).arg(&copy).output(), "cp");
        if std::fs::rename(&copy, template).is_err() {
            std::fs::remove_dir_all(&copy).unwrap();
        }
        self.resume();
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a command of a program, as a user that the server accepts.
    fn program(&self, name: &str) -> Command {
        self.as_user(&self.bin.join(name))
    }

    fn as_user(&self, program: &Path) -> Command {
        let mut command = if self.as_other { Command::new("runuser") } else { Command::new(program) };
        if self.as_other {
            command.args(["-u", "postgres", "--"]).arg(program);
        }
        command.current_dir(self.folder.path());
        command
    }

    /// Starts the server, or starts it again.
    pub fn resume(&self) {
        self.resume_with("-c listen_addresses=''");
    }

    /// Starts the server again with a certificate for `localhost`, so that it takes encrypted connections over TCP and no
    /// others there. Returns the port and the certificate.
    #[cfg(test)]
    pub(crate) fn encrypt(&self) -> (u16, PathBuf) {
        self.stop();
        let (key, certificate) = (self.data().join("server.key"), self.data().join("server.crt"));
        let mut openssl = self.as_user(Path::new("openssl"));
        openssl.args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ]);
        openssl.args([
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ]);
        openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        checked(openssl.output(), "openssl");
        let rules = "local all all trust\nhostssl all all all trust\n";
        std::fs::write(self.data().join("pg_hba.conf"), rules).unwrap();
        let port = std::net::TcpListener::bind("localhost:0").unwrap().local_addr().unwrap().port();
        self.resume_with(&format!("-c listen_addresses=localhost -c port={port} -c ssl=on"));
        (port, certificate)
    }

    fn resume_with(&self, more: &str) {
        let options =
            format!("{more} -k {} -c fsync=off -c max_connections=100", self.folder.path().display());
        let log = self.folder.path().join("log");
        let start = ["-w", "-o", &options, "-l"];
        let mut command = self.program("pg_ctl");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.arg("start").args(start).arg(log).arg("-D").arg(self.data());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let status = command.status().expect("pg_ctl can be run");
        assert!(status.success(), "the server does not start");
    }

    /// Starts the server again if it has stopped, and waits until it takes connections.
    pub fn ensure_running(&self) {
        let says = |mut command: Command| command.output().is_ok_and(|output| output.status.success());
        let asked = |name: &str, arguments: [&str; 2], place: &Path| {
            let mut command = self.program(name);
            command.args(arguments).arg(place);
            says(command)
        };
        while !asked("pg_isready", ["-q", "-h"], self.folder.path()) {
            if !asked("pg_ctl", ["status", "-D"], &self.data()) {
                self.resume();
            }
        }
    }

    /// Stops the server as a crash would.
    pub fn stop(&self) {
        let mut command = self.program("pg_ctl");
        let _ = command.args(["stop", "-m", "immediate", "-D"]).arg(self.data()).output();
    }

    /// Starts a server that follows this one. A write is answered when both have it.
    pub fn standby(&self) -> Self {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let standby = self.another(folder);
        standby.give();
        let mut copy = standby.program("pg_basebackup");
        copy.args(["-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h"]);
        checked(copy.arg(self.folder.path()).arg("-D").arg(standby.data()).output(), "pg_basebackup");
        standby.resume();
        self.admin("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.admin("postgres", "SELECT pg_reload_conf()");
        let follows = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        while self.admin("postgres", follows) == "0" {
            std::thread::yield_now();
        }
        standby
    }

    /// Makes a server that follows another one take writes.
    pub fn promote(&self) {
        checked(self.program("pg_ctl").args(["promote", "-w", "-D"]).arg(self.data()).output(), "pg_ctl");
    }

    /// Lets the database take so many connections at most, and ends all that there are.
    pub fn limit_connections(&self, most: Option<u32>) {
        let most = most.map_or(-1, i64::from);
        self.admin("postgres", &format!("ALTER DATABASE throughline CONNECTION LIMIT {most}"));
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'throughline'";
        self.admin("postgres", end);
    }

    /// Returns the folder of its socket.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Makes the database one that takes no writes, as a replica is.
    pub fn make_read_only(&self) {
        self.admin("postgres", "ALTER DATABASE throughline SET default_transaction_read_only = on");
    }

    /// Runs SQL as the superuser.
    pub(crate) fn admin(&self, database: &str, sql: &str) -> String {
        self.psql("postgres", database, sql)
    }

    /// Runs SQL as a role, and returns what it printed.
    pub(crate) fn psql(&self, role: &str, database: &str, sql: &str) -> String {
        let mut command = self.program("psql");
        command.args([
            "-X",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            role,
            "-d",
            database,
            "-c",
            sql,
            "-h",
        ]);
        let output = checked(command.arg(self.folder.path()).output(), sql);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Returns the address of the database as a URL.
    pub fn address(&self) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://throughline@{folder}/throughline")
    }

    /// Returns the settings of a connection to a database.
    #[cfg(test)]
    pub(crate) fn url(&self, database: &str) -> String {
        format!("host={} user=throughline dbname={database}", self.folder.path().display())
    }

    /// Copies the data as a crash at this moment would leave it, and starts a server on the copy.
    #[cfg(test)]
    pub(crate) fn crash_copy(&self) -> Self {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let copy = self.another(folder);
        let (from, to): (&Path, &Path) = (&self.data(), &copy.data());
        self.admin("postgres", "CHECKPOINT");
        checked(Command::new("cp").arg("-a").arg(from).arg(to).output(), "cp");
        copy.give();
        let _ = std::fs::remove_file(copy.data().join("postmaster.pid"));
        copy.resume();
        copy
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
