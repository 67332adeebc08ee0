//! A flame graph of the server under the load of B8: which functions the processor's time of a message goes to.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use pprof::flamegraph::Options;
use pprof::{Frames, ProfilerGuard, ProfilerGuardBuilder};

use crate::frame::note;
use crate::server::Server;
use crate::server::load::{Awaited, By, Load};

/// Samples a second of processor time. It is a prime, so that nothing periodic is met again and again.
const SAMPLES: i32 = 997;

/// Frames narrower than this part of the picture, in percent, are left out.
const NARROWEST: f64 = 0.2;

/// The load: that of a durable 202 in B8.
const LOAD: Load = Load { connections: 16, lanes: 256, awaited: Awaited::Durable };

/// Loads a server that samples itself, and writes its picture.
pub(crate) fn run(picture: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let picture = std::path::absolute(picture)?;
    let server = Server::start_sampled(&folder.path().join("data"), &picture)?;
    note("flame: 15 seconds of load");
    let answered = By::best().load(&server, LOAD, "flame", Duration::from_secs(15), folder.path())?;
    server.stop()?;
    ensure!(picture.is_file(), "the server wrote no picture to {}", picture.display());
    note(&format!("{} messages, {}", answered.count, picture.display()));
    Ok(())
}

/// Begins to sample this process.
pub(crate) fn begin() -> anyhow::Result<ProfilerGuard<'static>> {
    let profiler = ProfilerGuardBuilder::default().frequency(SAMPLES);
    // Nothing is unwound through these: they hold locks that the unwinder takes.
    let profiler = profiler.blocklist(&["libc", "libgcc", "pthread", "vdso"]);
    profiler.build().context("cannot sample this process")
}

/// Writes what was sampled as a flame graph.
pub(crate) fn write(sampled: &ProfilerGuard<'_>, picture: &Path) -> anyhow::Result<()> {
    let named = |frames: &mut Frames| {
        // Workers are told apart by a number, which says nothing here.
        let name = frames.thread_name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        frames.thread_name = name.to_owned();
    };
    let report = sampled.report().frames_post_processor(named).build().context("cannot read the samples")?;
    let mut options = Options::default();
    options.title = "Processor time of a message over HTTP, by function".into();
    options.count_name = "samples".into();
    options.min_width = NARROWEST;
    options.deterministic = true;
    let file = File::create(picture).with_context(|| format!("cannot create {}", picture.display()))?;
    report.flamegraph_with_options(file, &mut options).context("cannot draw the samples")
}
