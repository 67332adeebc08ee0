//! A Redmine of Debian's, in a temporary site of its own: copied, filled and started on a free loopback port, and the tests
//! that ask it. The installed one is left as it is.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{finish, write};
use crate::ci::cargo_with;
use crate::output;
use crate::repo::Repo;

/// The folder of the package.
const PROGRAM: &str = "/usr/share/redmine";
/// The packages: Redmine, what it keeps its tables in, and what serves it.
const PACKAGES: [&str; 4] = ["redmine", "redmine-sqlite", "ruby-sqlite3", "puma"];
/// The answers to the questions of the packages. The site that they make is not used.
const ANSWERS: &str = "redmine redmine/instances/default/dbconfig-install boolean true\n\
                       redmine redmine/instances/default/database-type select sqlite3\n";
/// The program that fills a new Redmine.
const FILL: &str = "crates/fakes/tests/peers/redmine.rb";
/// The tests that ask a Redmine.
const TESTS: [[&str; 3]; 3] = [
    ["-p", "throughline-trackers", "--lib"],
    ["-p", "throughline-sim", "--test=network_trackers"],
    ["-p", "throughline-server", "--test=trackers"],
];
/// The markups of texts, of which it has the first one from the beginning.
const TEXTS: [&str; 3] = ["textile", "markdown", "common_mark"];
/// The test of texts.
const SHOWN: &str = "redmine::tests::issues::a_text_is_shown_and_does_nothing";
/// The time in which it answers.
const START: Duration = Duration::from_secs(60);
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// A Redmine that runs. Its folder and its process end with it.
struct Redmine {
    folder: tempfile::TempDir,
    child: Option<Child>,
    /// The variables by which tests find it.
    variables: Vec<(&'static str, String)>,
}

/// Plays the tests against a Redmine, or says why not.
pub(super) fn run(repo: &Repo) -> Result<()> {
    if !Path::new(PROGRAM).is_dir() && !install(repo)? {
        output::step(
            "Redmine: skipped, it is not installed (Debian: `apt install redmine redmine-sqlite puma`)",
        );
        return Ok(());
    }
    let redmine = Redmine::start(repo)?;
    for test in TESTS {
        let arguments = [&["test"], &test[..], &["--locked", "--", "--ignored", "redmine"]].concat();
        redmine.test(repo, &arguments, TEXTS[0])?;
    }
    for text in &TEXTS[1..] {
        finish(redmine.command("rails").args(["runner", &format!("Setting.text_formatting = '{text}'")]))?;
        let arguments = ["test", "-p", "throughline-trackers", "--lib", "--locked", "--", "--ignored", SHOWN];
        redmine.test(repo, &arguments, text)?;
    }
    Ok(())
}

/// Installs the packages, where whoever runs this may do that. Returns false if not.
fn install(repo: &Repo) -> Result<bool> {
    let is_root = repo.output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    if !is_root || !repo.has("apt-get", &["--version"]) {
        return Ok(false);
    }
    output::step(&format!("installing {}", PACKAGES.join(", ")));
    let mut answer = Command::new("debconf-set-selections").stdin(Stdio::piped()).spawn()?;
    if let Some(stdin) = answer.stdin.take() {
        std::io::Write::write_all(&mut &stdin, ANSWERS.as_bytes())?;
    }
    if !answer.wait()?.success() {
        bail!("`debconf-set-selections` failed");
    }
    let apt = ["install", "-y", "-q", "--no-install-recommends"];
    finish(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(apt).args(PACKAGES))?;
    Ok(true)
}

impl Redmine {
    fn start(repo: &Repo) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        output::step(&format!("filling a Redmine in {}", folder.path().display()));
        // They are keys of this site alone.
        let keys =
            [("THROUGHLINE_REDMINE_KEY", "7e".repeat(20)), ("THROUGHLINE_REDMINE_ADMIN", "ad".repeat(20))];
        let mut redmine = Self { folder, child: None, variables: keys.into() };
        redmine.copy()?;
        finish(redmine.command("rake").args(["--quiet", "db:migrate"]).stdout(Stdio::null()))?;
        finish(redmine.command("rake").args(["--quiet", "redmine:load_default_data"]).stdout(Stdio::null()))?;
        finish(redmine.command("rails").arg("runner").arg(repo.path(FILL)))?;
        redmine.serve()?;
        Ok(redmine)
    }

    /// Runs tests, which find it by their variables.
    fn test(&self, repo: &Repo, arguments: &[&str], text: &str) -> Result<()> {
        let own = self.variables.iter().map(|(name, value)| (*name, value.as_str()));
        let variables: Vec<(&str, &str)> = own.chain([("THROUGHLINE_REDMINE_TEXT", text)]).collect();
        cargo_with(repo, arguments, &variables)
    }

    fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// Copies the program, with a site of its own in the place of those that are installed.
    fn copy(&self) -> Result<()> {
        let site = self.site();
        finish(Command::new("cp").args(["-r", "--no-preserve=mode", PROGRAM]).arg(&site))?;
        let own = site.join("instances/default");
        for link in ["instances", "config/database.yml", "Gemfile.lock"] {
            let link = site.join(link);
            std::fs::remove_file(&link).with_context(|| format!("cannot remove {}", link.display()))?;
        }
        for folder in ["config", "files", "log", "tmp/cache", "public/plugin_assets"] {
            let folder = own.join(folder);
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let lock = Path::new(PROGRAM).join("Gemfile.lock");
        std::fs::copy(&lock, site.join("Gemfile.lock"))
            .with_context(|| format!("cannot copy {}", lock.display()))?;
        let tables = site.join("redmine.sqlite3");
        let database = format!("production:\n  adapter: sqlite3\n  database: {}\n", tables.display());
        write(&site.join("config/database.yml"), &database)?;
        write(&own.join("config/database.yml"), &database)?;
        write(&own.join("config/secret_key.txt"), &"5e".repeat(32))
    }

    /// A command in the site, which knows of no other.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.site()).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("RAILS_ENV", "production").env("REDMINE_LANG", "en");
        command.env_remove("X_DEBIAN_SITEID").env_remove("REDMINE_INSTANCE").env_remove("DATABASE_URL");
        command
    }

    /// Starts the server, and waits until it listens. One thread serves, because SQLite refuses writes that meet.
    fn serve(&mut self) -> Result<()> {
        let address = free()?;
        let log = self.folder.path().join("puma.log");
        let file = std::fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut puma = self.command("puma");
        puma.args(["-e", "production", "-t", "1:1", "-b", &format!("tcp://{address}"), "config.ru"]);
        let child = puma.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn();
        let child = self.child.insert(child.context("cannot run `puma`")?);
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            if child.try_wait()?.is_some() || begun.elapsed() > START {
                bail!("Redmine does not start: {}", std::fs::read_to_string(&log).unwrap_or_default());
            }
            std::thread::sleep(LOOK);
        }
        self.variables.push(("THROUGHLINE_REDMINE", format!("http://{address}")));
        Ok(())
    }
}

impl Drop for Redmine {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An address on this machine where nobody listens.
fn free() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on this machine")?;
    Ok(listener.local_addr()?)
}
