//! `throughline version`: prints the version of the program, its commit, and the version of its stored snapshots.

use serde_json::json;

use crate::app::App;
use crate::build;
use crate::error::Outcome;
use crate::exit::Exit;

/// Print the version, and what this build is made of
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(app: &App, _: &Args) -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    let commit = build::COMMIT;
    let snapshot = throughline_engine::data::snapshot::VERSION;
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let fail_points = cfg!(feature = "failpoints");
    if app.out.is_json() {
        let value = json!({
            "version": version, "commit": commit, "snapshot": snapshot, "target": target,
            "fail_points": fail_points,
        });
        app.out.value(&value)?;
        return Ok(Exit::Ok);
    }
    let from = commit.map(|commit| format!("commit {commit}, ")).unwrap_or_default();
    app.out.line(&format!("throughline {version} ({from}{target}, snapshot version {snapshot})"))?;
    if fail_points {
        app.out.warn("built with fail points: for tests only");
    }
    Ok(Exit::Ok)
}
