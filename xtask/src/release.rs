//! `cargo xtask release-notes VERSION`: the section of a release in CHANGELOG.md, made from the fragments of `changelog/`.

use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use crate::repo::Repo;
use crate::{api, output, provenance};

const FRAGMENTS: &str = "changelog";
const CHANGELOG: &str = "CHANGELOG.md";
/// The categories of a fragment's first line, in the order of a section. What somebody has to do comes first.
pub(crate) const CATEGORIES: [&str; 7] =
    ["upgrade", "added", "changed", "deprecated", "removed", "fixed", "security"];

pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let given = |flag: &str| rest.iter().any(|argument| argument == flag);
    let (check, show) = (given("--check"), given("--show"));
    let named: Vec<&String> = rest.iter().filter(|argument| !argument.starts_with("--")).collect();
    let [version] = named[..] else { bail!("name one version: cargo xtask release-notes 0.2.0") };
    ensure!(rest.len() <= 2 && (rest.len() == 1 || check || show), "the only flags are --check and --show");
    ensure!(is_version(version), "{version} is no version: it has three numbers, as 0.2.0");
    if show {
        output::out(&shown(repo, version)?);
        return Ok(ExitCode::SUCCESS);
    }
    let fragments = repo.files(FRAGMENTS, &[".md"])?;
    let fragments: Vec<_> = fragments.into_iter().filter(|file| !file.path.ends_with("README.md")).collect();
    let texts: Vec<(&str, &str)> =
        fragments.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let section = section(version, &provenance::today(repo), &texts)?;
    output::out(&section);
    if check {
        return Ok(ExitCode::SUCCESS);
    }
    api::keep(repo, version)?;
    let changelog = repo.read(CHANGELOG).with_context(|| format!("cannot read {CHANGELOG}"))?;
    repo.write(CHANGELOG, &inserted(&changelog, version, &section)?)?;
    for fragment in &fragments {
        let path = repo.path(&fragment.path);
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", fragment.path))?;
    }
    output::note(&format!(
        "written to {CHANGELOG}; {} fragments removed; the description of the API is kept",
        fragments.len()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Returns the section of a version that is released: the one of these sources.
fn shown(repo: &Repo, version: &str) -> Result<String> {
    let manifest = repo.read("Cargo.toml").context("cannot read Cargo.toml")?;
    let of_sources = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    ensure!(of_sources == Some(version), "Cargo.toml has the version {}", of_sources.unwrap_or("of nothing"));
    let changelog = repo.read(CHANGELOG).with_context(|| format!("cannot read {CHANGELOG}"))?;
    written(&changelog, version).with_context(|| format!("{CHANGELOG} has no section {version}"))
}

/// Returns the text of a version's section, without its heading.
fn written(changelog: &str, version: &str) -> Option<String> {
    let (_, rest) = changelog.split_once(&format!("\n## {version} "))?;
    let (_, section) = rest.split_once('\n')?;
    Some(section.split("\n## ").next()?.trim().to_owned())
}

fn is_version(text: &str) -> bool {
    let numbers: Vec<&str> = text.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.len() == 3 && numbers.iter().all(number)
}

/// The section of a version: a heading for each category that has fragments, each fragment an item.
fn section(version: &str, day: &str, fragments: &[(&str, &str)]) -> Result<String> {
    ensure!(
        !fragments.is_empty(),
        "{FRAGMENTS}/ has no fragments: nothing has changed since the last release"
    );
    let mut out = format!("## {version} ({day})\n");
    let category = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
    if let Some((path, _)) = fragments.iter().find(|(_, text)| !CATEGORIES.contains(&category(text).as_str()))
    {
        bail!("{path} does not begin with one of {}", CATEGORIES.join(", "));
    }
    for name in CATEGORIES {
        let items = fragments.iter().filter(|(_, text)| category(text) == name);
        let items: String = items.map(|(_, text)| item(text)).collect();
        if !items.is_empty() {
            let heading = match name {
                "upgrade" => "Before you upgrade".to_owned(),
                name => format!("{}{}", name[..1].to_uppercase(), &name[1..]),
            };
            out.push_str(&format!("\n### {heading}\n\n{items}"));
        }
    }
    Ok(out)
}

/// A fragment without its category as one list item; its paragraphs stay apart.
fn item(fragment: &str) -> String {
    let text = fragment.split_once('\n').map_or("", |(_, text)| text).trim();
    let indented: Vec<String> = text
        .lines()
        .map(|line| if line.trim().is_empty() { String::new() } else { format!("  {line}") })
        .collect();
    format!("- {}\n", indented.join("\n").trim_start())
}

/// The changelog with a section before the newest one.
fn inserted(changelog: &str, version: &str, section: &str) -> Result<String> {
    let taken = format!("\n## {version} ");
    ensure!(!changelog.contains(&taken), "{CHANGELOG} has a section {version} already");
    let at = changelog.find("\n## ").map_or(changelog.len(), |at| at + 1);
    let (before, after) = changelog.split_at(at);
    let after = if after.is_empty() { String::new() } else { format!("\n{after}") };
    Ok(format!("{}\n\n{section}{after}", before.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAGMENTS: [(&str, &str); 4] = [
        ("changelog/4.md", "upgrade\nStop it first.\n"),
        ("changelog/2.md", "fixed\nA crash.\n"),
        ("changelog/1.md", "added\nA thing\nof two lines.\n\nWith a second paragraph.\n"),
        ("changelog/3.md", "added\nAnother.\n"),
    ];

    #[test]
    fn fragments_are_grouped_by_category() {
        let expected = "## 0.2.0 (today)\n\n### Before you upgrade\n\n- Stop it first.\n\n### Added\n\n- A thing\n  of two lines.\n\n  With a second paragraph.\n- Another.\n\n\
                        ### Fixed\n\n- A crash.\n";
        assert_eq!(section("0.2.0", "today", &FRAGMENTS).unwrap(), expected);
        assert!(section("0.2.0", "today", &[]).is_err());
        let wrong = section("0.2.0", "today", &[("changelog/x.md", "new\nX.\n")]).unwrap_err();
        assert!(wrong.to_string().starts_with("changelog/x.md does not begin"));
    }

    #[test]
    fn the_newest_section_comes_first() {
        let first = inserted("# Changelog\n\nHead.\n", "0.1.0", "## 0.1.0 (a)\n\nx\n").unwrap();
        assert_eq!(first, "# Changelog\n\nHead.\n\n## 0.1.0 (a)\n\nx\n");
        let second = inserted(&first, "0.2.0", "## 0.2.0 (b)\n\ny\n").unwrap();
        assert_eq!(second, "# Changelog\n\nHead.\n\n## 0.2.0 (b)\n\ny\n\n## 0.1.0 (a)\n\nx\n");
        assert!(inserted(&second, "0.1.0", "").is_err());
        assert_eq!(written(&second, "0.2.0").as_deref(), Some("y"));
        assert_eq!(written(&second, "0.1.0").as_deref(), Some("x"));
        assert_eq!(written(&second, "0.3.0"), None);
    }

    #[test]
    fn every_crate_of_ours_is_asked_for_at_the_one_version() {
        let manifest = Repo::find().unwrap().read("Cargo.toml").unwrap();
        let version =
            manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap().trim_matches('"');
        let ours: Vec<&str> = manifest.lines().filter(|line| line.contains("{ path = \"crates/")).collect();
        let private = ["throughline-fakes ", "throughline-protocols "];
        for line in ours.iter().filter(|line| !private.iter().any(|name| line.starts_with(name))) {
            assert!(line.ends_with(&format!(", version = \"={version}\" }}")), "{line}");
        }
        assert!(ours.len() > 10, "{ours:?}");
    }

    #[test]
    fn a_version_has_three_numbers() {
        assert!(is_version("0.2.0") && is_version("10.0.12"));
        assert!(!is_version("0.2") && !is_version("v0.2.0") && !is_version("0.2.x") && !is_version("1..2"));
    }
}
