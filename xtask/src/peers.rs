//! `cargo xtask peers`: other people's clients against the fakes of vendors' servers and against ours, and other people's servers (of
//! models, of tools, a sub-agent, a Slack, and a Redmine) against our clients. They are installed from their registries into
//! the system's temporary folder; Redmine is one of Debian's packages.

mod redmine;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::ci::{self, cargo_with};
use crate::output;
use crate::repo::Repo;

/// The clients, with every package pinned.
const REQUIREMENTS: &str = "crates/fakes/tests/peers/requirements.txt";
/// The variable that names the Python with the packages.
const PYTHON: &str = "THROUGHLINE_PYTHON";
/// The framework of Slack's apps for JavaScript.
const BOLT: &str = "@slack/bolt@5.1.0";
/// The variable that names its description, beside which its packages are found.
const BOLT_AT: &str = "THROUGHLINE_BOLT";
/// A client of Jira for JavaScript.
const JIRA_JS: &str = "jira.js@5.4.0";
/// The variable that names its description.
const JIRA_JS_AT: &str = "THROUGHLINE_JIRA_JS";
/// Linear's own client for JavaScript, and what checks requests against its schema.
const LINEAR: [&str; 2] = ["@linear/sdk@98.0.0", "graphql@16.15.0"];
/// The variable that names its description.
const LINEAR_AT: &str = "THROUGHLINE_LINEAR_SDK";
/// The proxy that compares calls and answers with a published description.
const PRISM: &str = "@stoplight/prism-cli@5.16.0";
/// The variable that names its program.
const PRISM_AT: &str = "THROUGHLINE_PRISM";
/// The description of its API that GitHub publishes.
const OCTOKIT: &str = "@octokit/openapi@23.0.2";
/// The variable that names the document in it.
const OCTOKIT_AT: &str = "THROUGHLINE_GITHUB_OPENAPI";
/// The kits of the protocols of tools and sub-agents, with every package pinned.
const KITS: &str = "crates/server/tests/tools/peers/requirements.txt";
/// Readers of event streams, and a verifier of webhooks, with every package pinned.
const FOLLOWERS: &str = "crates/server/tests/api/peers/requirements.txt";
/// A server of tools that uses all of its protocol.
const EVERYTHING: &str = "@modelcontextprotocol/server-everything@2026.8.31";
/// The variable that names its program.
const EVERYTHING_AT: &str = "THROUGHLINE_EVERYTHING";
/// The protocol's official kit for TypeScript, whose client is tried with our server.
const MCP_SDK: &str = "@modelcontextprotocol/sdk@1.32.2";
/// The variable that names its description.
const MCP_SDK_AT: &str = "THROUGHLINE_MCP_SDK";
/// The protocol's official inspector.
const MCP_INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
/// The variable that names its program.
const MCP_INSPECTOR_AT: &str = "THROUGHLINE_MCP_INSPECTOR";
/// The protocol's official suite.
const MCP_SUITE: &str = "@modelcontextprotocol/conformance@0.1.16";
/// The version of a Node that is new enough for it; Debian's is not.
const MCP_SUITE_NODE: &str = "22.23.3";
/// The variables that name its program and its Node.
const MCP_SUITE_AT: [&str; 2] = ["THROUGHLINE_MCP_CONFORMANCE", "THROUGHLINE_MCP_CONFORMANCE_NODE"];
/// The scenarios of the suite that fail, with reasons.
const MCP_SUITE_FAILS: &str = "crates/server/tests/tools/peers/conformance.yaml";
/// Parts of the suite that are run against our client, which are all of it. A suite runs its scenarios at once; those that
/// are not of authorization run alone, because one of them measures times.
const MCP_SUITE_CLIENTS: [(&str, &str); 8] = [
    ("--scenario", "initialize"),
    ("--scenario", "tools_call"),
    ("--scenario", "elicitation-sep1034-client-defaults"),
    ("--scenario", "sse-retry"),
    ("--suite", "auth"),
    ("--suite", "draft"),
    ("--suite", "extensions"),
    ("--suite", "backcompat"),
];
/// The server of models; it has no dependencies.
const AIMOCK: &str = "@copilotkit/aimock@1.43.0";
/// The variable that names its program.
const LLMOCK: &str = "THROUGHLINE_AIMOCK";

/// A Slack, and what its services are served with.
const EMULATE: [&str; 2] = ["emulate@0.12.2", "@emulators/core@0.6.1"];
/// The variable that names its description.
const EMULATE_AT: &str = "THROUGHLINE_EMULATE";
/// A provider of sign-ins, which is certified for OpenID Connect.
const OIDC_PROVIDER: &str = "oidc-provider@9.13.3";
/// The variable that names its description.
const OIDC_PROVIDER_AT: &str = "THROUGHLINE_OIDC_PROVIDER";
/// AG-UI's own client, and the schemas of its events.
const AGUI: [&str; 2] = ["@ag-ui/client@1.0.0", "@ag-ui/core@1.0.0"];
/// The variable that names its description.
const AGUI_AT: &str = "THROUGHLINE_AGUI";

/// Runs all of them.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    match rest {
        [] => {}
        [only] if only == "redmine" => {
            redmine::run(repo)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("`cargo xtask peers` takes `redmine`, which is that part alone, or nothing"),
    }
    let npm = repo.has("npm", &["--version"]);
    clients(repo, npm)?;
    if npm {
        let llmock = package(&[AIMOCK], "aimock", ".bin/llmock")?;
        test(repo, &["-p", "throughline-models"], "peers", &[(LLMOCK, &llmock)])?;
        let emulate = package(&EMULATE, "emulate", "emulate/package.json")?;
        test(repo, &["-p", "throughline-server"], "slack", &[(EMULATE_AT, &emulate)])?;
        let agui = package(&AGUI, "agui", "@ag-ui/client/package.json")?;
        test(repo, &["-p", "throughline-server"], "api", &[(AGUI_AT, &agui)])?;
        let provider = package(&[OIDC_PROVIDER], "oidc-provider", "oidc-provider/package.json")?;
        let provider = provider.to_string_lossy();
        let at_a_provider =
            ["test", "-p", "throughline-cli", "--test", "browser", "--locked", "--", "--ignored", "openid"];
        cargo_with(repo, &at_a_provider, &[(OIDC_PROVIDER_AT, &provider)])?;
    } else {
        output::step(
            "aimock, emulate and AG-UI's client: skipped, there is no npm (Debian: `apt install npm`)",
        );
    }
    tools(repo)?;
    let followers = python(repo, FOLLOWERS, "followers")?;
    test(repo, &["-p", "throughline-server"], "api", &[(PYTHON, &followers)])?;
    redmine::run(repo)?;
    Ok(ExitCode::SUCCESS)
}

/// Tests the fakes with other people's clients, in Python and, if there is npm, in JavaScript.
fn clients(repo: &Repo, npm: bool) -> Result<()> {
    if !repo.has("python3", &["-m", "venv", "--help"]) {
        output::step("clients: skipped, there is no Python with venv (Debian: `apt install python3-venv`)");
        return Ok(());
    }
    let python = python(repo, REQUIREMENTS, "python")?;
    if npm {
        let bolt = package(&[BOLT], "bolt", "@slack/bolt/package.json")?;
        let jira = package(&[JIRA_JS], "jira", "jira.js/package.json")?;
        let linear = package(&LINEAR, "linear", "@linear/sdk/package.json")?;
        let prism = package(&[PRISM], "prism", ".bin/prism")?;
        let published = package(&[OCTOKIT], "octokit", "@octokit/openapi/generated/api.github.com.json")?;
        let scripts = [
            (BOLT_AT, &*bolt),
            (JIRA_JS_AT, &*jira),
            (LINEAR_AT, &*linear),
            (PRISM_AT, &*prism),
            (OCTOKIT_AT, &*published),
        ];
        let programs = [&[(PYTHON, &*python)][..], &scripts].concat();
        test(repo, &["-p", "throughline-fakes"], "peers", &programs)?;
        let ours = ["test", "-p", "throughline-trackers", "--lib", "--locked", "--", "--ignored"];
        let ours = [&ours[..], &["--skip", "redmine"]].concat();
        let programs = [(PRISM_AT, &*prism.to_string_lossy()), (LINEAR_AT, &*linear.to_string_lossy())];
        cargo_with(repo, &ours, &programs)?;
        // Every call of these tests, with the fake's answer, is compared with what GitHub publishes. One of them is about
        // times, which the comparison stretches.
        let ours = ["test", "-p", "throughline-trackers", "--lib", "--locked", "--"];
        let ours = [&ours[..], &["github", "--skip", "writes_keep_their_distance"]].concat();
        return cargo_with(repo, &ours, &[(OCTOKIT_AT, &published.to_string_lossy())]);
    }
    output::step("clients in JavaScript: skipped, there is no npm (Debian: `apt install npm`)");
    let python_only = ["test", "-p", "throughline-fakes", "--test", "peers", "--locked", "--", "--ignored"];
    let tests = [&python_only[..], &["--skip", "javascript"]].concat();
    cargo_with(repo, &tests, &[(PYTHON, &python.to_string_lossy())])
}

/// Tests tools and sub-agents through the server, against the kits of their protocols.
pub(crate) fn tools(repo: &Repo) -> Result<()> {
    if !(repo.has("python3", &["-m", "venv", "--help"]) && repo.has("npm", &["--version"])) {
        bail!(
            "tools and sub-agents cannot be tried: there is no Python with venv or no npm (Debian: `apt install \
             python3-venv npm`; without them THROUGHLINE_NO_PEERS=1 leaves that out)"
        );
    }
    let kits = python(repo, KITS, "kits")?;
    let everything =
        package(&[EVERYTHING], "everything", "@modelcontextprotocol/server-everything/dist/index.js")?;
    let sdk = package(&[MCP_SDK], "mcp-sdk", "@modelcontextprotocol/sdk/package.json")?;
    let inspector = package(&[MCP_INSPECTOR], "mcp-inspector", ".bin/mcp-inspector")?;
    let suite = package(&[MCP_SUITE], "mcp-suite", "@modelcontextprotocol/conformance/dist/index.js")?;
    let node = node()?;
    let programs: [(&str, &Path); 6] = [
        (PYTHON, &kits),
        (EVERYTHING_AT, &everything),
        (MCP_SDK_AT, &sdk),
        (MCP_INSPECTOR_AT, &inspector),
        (MCP_SUITE_AT[0], &suite),
        (MCP_SUITE_AT[1], &node),
    ];
    test(repo, &["--workspace", "--features", ci::FEATURES], "tools", &programs)?;
    suite_for_clients(repo, &suite, &node)
}

/// Returns a Node that the official suite runs on. Its package for each machine has the program itself, and needs no script.
fn node() -> Result<PathBuf> {
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let name = format!("node-{system}-{machine}");
    package(&[&format!("{name}@{MCP_SUITE_NODE}")], "mcp-suite-node", &format!("{name}/bin/node"))
}

/// Runs the official suite's scenarios for clients against ours.
fn suite_for_clients(repo: &Repo, suite: &Path, node: &Path) -> Result<()> {
    let client = "mcp_conformance";
    let client = ci::build(repo)?.join("examples").join(client);
    for (kind, name) in MCP_SUITE_CLIENTS {
        let mut run = Command::new(node);
        run.arg(suite).args(["client", kind, name, "--command"]).arg(&client);
        run.arg("--expected-failures").arg(repo.path(MCP_SUITE_FAILS));
        finish(&mut run)?;
    }
    Ok(())
}

fn test(repo: &Repo, built: &[&str], target: &str, programs: &[(&str, &Path)]) -> Result<()> {
    let tests = [&["test"], built, &["--test", target, "--locked", "--", "--ignored"]].concat();
    let programs: Vec<(&str, String)> =
        programs.iter().map(|(name, path)| (*name, path.to_string_lossy().into_owned())).collect();
    let variables: Vec<(&str, &str)> = programs.iter().map(|(name, path)| (*name, path.as_str())).collect();
    cargo_with(repo, &tests, &variables)
}

/// Returns a file of these packages, which are installed unless an earlier run did that.
pub(crate) fn package(names: &[&str], folder: &str, file: &str) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("throughline-peers-{folder}"));
    let (file, made) = (folder.join("node_modules").join(file), folder.join("made"));
    let wanted = names.join(" ");
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == wanted) {
        return Ok(file);
    }
    output::step(&format!("installing {wanted} into {}", folder.display()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    finish(Command::new("npm").args(npm).arg(&folder).args(names))?;
    write(&made, &wanted)?;
    Ok(file)
}

/// Returns the Python of a virtual environment with the pinned packages, made unless an earlier run did that.
pub(crate) fn python(repo: &Repo, requirements: &str, folder: &str) -> Result<PathBuf> {
    let wanted = repo.read(requirements).with_context(|| format!("there is no {requirements}"))?;
    let folder = std::env::temp_dir().join(format!("throughline-peers-{folder}"));
    let (python, made) = (folder.join("bin/python"), folder.join("made"));
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    output::step(&format!("installing {requirements} into {}", folder.display()));
    finish(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    finish(Command::new(&python).args(pip).arg(repo.path(requirements)))?;
    write(&made, &wanted)?;
    Ok(python)
}

pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
