//! Tests of the documentation: every block of every page, in order, against the program that was just built.
//!
//! `page` reads a page's blocks, `run` does with them what a reader would do, `compare` compares the output. `links` finds
//! dead links, `figures` numbers that differ from their source, `settings` and `lists` names that the code has not, and
//! `generated` renews the parts of pages that are made from code: `api`, `reasons`, `rungs` and `scopes`. `site` makes a
//! book of the pages.

mod api;
mod compare;
mod figures;
mod generated;
mod links;
mod lists;
mod page;
mod reasons;
mod run;
mod rungs;
mod scopes;
mod server;
mod settings;
pub(crate) mod site;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::repo::{File, Finding, Repo};
use crate::{HELP, ci, output};
use page::Kind;
use run::{World, Wrong, count};

/// Pages outside of docs/.
const OTHERS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The command's arguments.
#[derive(Default)]
struct Options {
    only: Option<String>,
    write: bool,
}

/// The result of a page, or of all of them.
#[derive(Default)]
struct Tried {
    ran: usize,
    skipped: usize,
    failed: usize,
    /// One line for each block.
    lines: Vec<String>,
    /// The line where the page differs, with the output that was seen.
    seen: Option<(usize, String)>,
}

/// `cargo xtask docs`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if rest == ["api"] {
        generated::write(repo)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(("site", rest)) = rest.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return site::run(repo, rest);
    }
    let options = options(rest)?;
    ci::build(repo)?;
    try_all(repo, &options)?;
    Ok(ExitCode::SUCCESS)
}

/// Tries all pages with a program that is built already.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    try_all(repo, &Options::default())
}

fn try_all(repo: &Repo, options: &Options) -> Result<()> {
    if options.write {
        generated::write(repo)?;
    }
    let pages = pages(repo, options)?;
    let mut wrong = of_the_text(repo, &pages)?;
    let programs: PathBuf = repo.target()?.join("debug");
    wrong.extend(settings::strangers(&programs, &pages)?);
    for finding in &wrong {
        output::error(&finding.to_string());
    }
    if !wrong.is_empty() {
        bail!("the documentation: {} to mend", wrong.len());
    }
    if !repo.has("curl", &["--version"]) {
        output::step("documentation: skipped, curl is not installed: `apt-get install curl`");
        return Ok(());
    }
    let started = Instant::now();
    let mut all = Tried::default();
    for page in &pages {
        let tried = if options.write { renewed(repo, page, &programs)? } else { try_page(page, &programs)? };
        for line in &tried.lines {
            output::note(line);
        }
        all.ran += tried.ran;
        all.skipped += tried.skipped;
        all.failed += tried.failed;
    }
    output::note(&format!(
        "documentation: {} ran, {} skipped, {} failed; {} in {:.1} s",
        count(all.ran, "block"),
        all.skipped,
        all.failed,
        count(pages.len(), "page"),
        started.elapsed().as_secs_f64()
    ));
    if all.failed > 0 {
        bail!("the pages do not say what is; `cargo xtask docs --write` puts in what was seen");
    }
    Ok(())
}

/// Findings in the pages that no program is needed for.
pub(crate) fn findings(repo: &Repo) -> Result<Vec<Finding>> {
    of_the_text(repo, &pages(repo, &Options::default())?)
}

fn of_the_text(repo: &Repo, pages: &[File]) -> Result<Vec<Finding>> {
    let mut wrong = generated::old(repo)?;
    wrong.extend(links::dead(repo, pages));
    wrong.extend(figures::stale(repo, pages));
    wrong.extend(site::missing(repo)?);
    wrong.extend(lists::strangers(repo, pages)?);
    Ok(wrong)
}

/// Returns the pages in the order a newcomer reads them.
fn pages(repo: &Repo, options: &Options) -> Result<Vec<File>> {
    let read = |path: &&str| Some(File { path: (*path).into(), text: repo.read(path)? });
    let mut pages: Vec<File> = OTHERS.iter().filter_map(read).collect();
    pages.extend(repo.files("docs", &[".md"])?);
    if let Some(only) = &options.only {
        pages.retain(|page| page.path.contains(only.as_str()));
    }
    if pages.is_empty() {
        bail!("there is no such page");
    }
    Ok(pages)
}

/// Tries a page up to its first failure, because later blocks build on earlier ones.
fn try_page(page: &File, programs: &Path) -> Result<Tried> {
    let mut tried = Tried::default();
    let blocks = match page::blocks(page) {
        Ok(blocks) => blocks,
        Err(finding) => {
            tried.lines.push(format!("error: {finding}"));
            tried.failed = 1;
            return Ok(tried);
        }
    };
    let mut world = World::new(programs, HELP)?;
    for block in &blocks {
        let place = format!("{}:{}", page.path, block.line);
        match world.try_block(block) {
            Ok(why) if matches!(block.kind, Kind::Skipped(_)) => {
                tried.lines.push(format!("  skip  {place}: {why}"));
                tried.skipped += 1;
            }
            Ok(done) => {
                tried.lines.push(format!("  ok    {place}: {done}"));
                tried.ran += 1;
            }
            Err(Wrong { line, what, seen }) => {
                tried.lines.push(format!("error: {}", Finding::line(&page.path, line, what)));
                tried.failed = 1;
                tried.seen = seen.map(|seen| (line, seen));
                break;
            }
        }
    }
    Ok(tried)
}

/// Tries a page and puts the seen output into it, block by block. A line that stays wrong is left alone.
fn renewed(repo: &Repo, page: &File, programs: &Path) -> Result<Tried> {
    let mut page = File { path: page.path.clone(), text: page.text.clone() };
    let mut last = 0;
    loop {
        let tried = try_page(&page, programs)?;
        match &tried.seen {
            Some((line, seen)) if *line > last => {
                last = *line;
                page.text = shown(&page.text, *line, seen);
                repo.write(&page.path, &page.text)?;
            }
            _ => return Ok(tried),
        }
    }
}

/// Returns the page with new output for the command that begins in `line`.
fn shown(page: &str, line: usize, seen: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let indent = lines[line - 1].len() - lines[line - 1].trim_start().len();
    let mut command = lines[line - 1].trim_start().to_owned();
    let mut begin = line;
    while page::goes_on(&command) && begin < lines.len() {
        command.push_str(lines[begin]);
        begin += 1;
    }
    let over = |text: &&str| ["$ ", "^C", "```"].iter().any(|mark| text.trim_start().starts_with(mark));
    let end = lines[begin..].iter().position(over).map_or(lines.len(), |at| begin + at);
    let mut new: Vec<String> = lines[..begin].iter().map(|line| (*line).to_owned()).collect();
    new.extend(
        seen.trim_end()
            .lines()
            .map(|line| format!("{}{}", " ".repeat(indent), line.trim_end()).trim_end().to_owned()),
    );
    new.extend(lines[end..].iter().map(|line| (*line).to_owned()));
    new.join("\n") + "\n"
}

/// Returns a heading's anchor as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    format!("#{}", heading.chars().filter_map(kept).collect::<String>())
}

fn options(rest: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = rest.iter();
    while let Some(flag) = rest.next() {
        match (flag.as_str(), rest.as_slice().first()) {
            ("--write", _) => options.write = true,
            ("--only", Some(page)) => {
                options.only = Some(page.clone());
                rest.next();
            }
            (other, _) => bail!("unexpected argument {other}: see `cargo xtask help`"),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_takes_the_place_of_what_was_shown() {
        let page = "a\n  ```console\n  $ one '\n  b'\n  old\n  $ two\n  ```\n";
        let new = shown(page, 3, "new\n\nlines\n");
        assert_eq!(new, "a\n  ```console\n  $ one '\n  b'\n  new\n\n  lines\n  $ two\n  ```\n");
    }
}
