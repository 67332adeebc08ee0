//! The benchmarks behind `cargo xtask bench`: each figure beside its limit or peer in the same run. Ratios count, absolute
//! figures are for orientation. The report is Markdown on standard output; progress goes to standard error.

mod count;
mod figures;
mod flame;
mod frame;
mod load;
mod peer;
mod server;
mod stored;

use anyhow::{Context, bail};

use figures::{ALL, Figure};
use frame::{Scale, note};

const HELP: &str = "\
throughline-bench [--quick] [B1 B4 …]   the named figures, or all but those that install something
throughline-bench count [N]             steps for an instruction counter; without a number, which there are
throughline-bench flame FILE            a flame graph of the server under load
";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("count", [])) => count::list(),
        Some(("count", [which, ..])) => count::run(which.parse().context("a number")?)?,
        Some(("flame", [picture])) => flame::run(picture.as_ref())?,
        Some(("serve", rest)) => server::own::serve(rest)?,
        Some(("limit", rest)) => server::limit::serve(rest)?,
        Some(("help" | "--help" | "-h", _)) => print(HELP),
        _ => measure(&arguments)?,
    }
    Ok(())
}

fn measure(arguments: &[String]) -> anyhow::Result<()> {
    let mut scale = Scale::Full;
    let mut named = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--quick" => scale = Scale::Quick,
            "--smoke" => scale = Scale::Smoke,
            name => match ALL.iter().find(|figure| figure.name.eq_ignore_ascii_case(name)) {
                Some(figure) => named.push(figure),
                None => bail!("no figure is called {name}: there are {}\n\n{HELP}", names().join(", ")),
            },
        }
    }
    let chosen: Vec<&Figure> =
        if named.is_empty() { ALL.iter().filter(|figure| figure.always).collect() } else { named };
    for figure in chosen {
        note(figure.name);
        let section = (figure.run)(scale).with_context(|| format!("{} failed", figure.name))?;
        print(&section.to_string());
    }
    Ok(())
}

fn names() -> Vec<&'static str> {
    ALL.iter().map(|figure| figure.name).collect()
}

/// A line of the result.
#[expect(clippy::print_stdout, reason = "a benchmark's result is its output")]
fn print(text: &str) {
    println!("{text}");
}
