//! The origin of a measurement: the day, the commit, the machine, the data.

use std::path::Path;

use crate::repo::Repo;

/// Returns the day in UTC.
pub(crate) fn today(repo: &Repo) -> String {
    repo.output("date", &["-u", "+%Y-%m-%d"]).map_or_else(|_| "undated".into(), |date| date.trim().to_owned())
}

/// Returns the commit, and `with changes` if the tree differs from it.
pub(crate) fn commit(repo: &Repo) -> String {
    let Ok(commit) = repo.output("git", &["rev-parse", "--short", "HEAD"]) else { return "none yet".into() };
    let clean = repo.output("git", &["status", "--porcelain"]).is_ok_and(|changes| changes.trim().is_empty());
    format!("{}{}", commit.trim(), if clean { "" } else { " with changes" })
}

/// Returns the last two names of a folder, so that no path of this machine is written down.
pub(crate) fn data_name(data: &Path) -> String {
    let names: Vec<_> =
        data.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// Describes the machine: cores, memory, processor.
pub(crate) fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = value(&read("/proc/meminfo"), "MemTotal")
        .and_then(|kib| kib.trim_end_matches(" kB").parse::<u64>().ok())
        .map_or_else(|| "unknown memory".into(), |kib| format!("{} GiB", kib.div_ceil(1_048_576)));
    let processor = value(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown processor".into());
    format!("{cores} cores, {memory}, {processor}")
}
