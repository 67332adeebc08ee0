//! The container image: its last stage is without a shell, without root, and starts what an earlier stage built.

use anyhow::Result;

use super::{SETTINGS, setting, text};
use crate::repo::{Finding, Repo};

pub(super) const FILE: &str = "deploy/Dockerfile";

/// An instruction of the last stage with its arguments.
fn last_stage(text: &str) -> Vec<(&str, &str)> {
    let mut stage = Vec::new();
    for line in text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase())) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "FROM" {
            stage.clear();
        }
        stage.push((word, rest));
    }
    stage
}

fn one<'t>(stage: &[(&'t str, &'t str)], word: &str) -> &'t str {
    stage.iter().find(|(found, _)| *found == word).map_or("", |(_, rest)| rest)
}

/// Returns the words of an instruction that is written as a list.
fn list(rest: &str) -> Vec<String> {
    serde_json::from_str(rest).unwrap_or_default()
}

/// Returns the arguments that a container starts the program with.
pub(super) fn command(text: &str) -> Vec<String> {
    list(one(&last_stage(text), "CMD"))
}

pub(super) fn check(repo: &Repo) -> Result<Vec<Finding>> {
    let dockerfile = text(repo, FILE)?;
    let settings = text(repo, SETTINGS)?;
    let port = setting(&settings, "listen").and_then(|listen| listen.rsplit(':').next()).unwrap_or_default();
    Ok(wrong(&dockerfile, port).into_iter().map(|what| Finding::file(FILE, what)).collect())
}

fn wrong(dockerfile: &str, port: &str) -> Vec<String> {
    let stage = last_stage(dockerfile);
    let entry = list(one(&stage, "ENTRYPOINT"));
    let program = entry.first().map_or("", String::as_str);
    let copied =
        |to: &str| stage.iter().any(|(word, rest)| *word == "COPY" && rest.ends_with(&format!(" {to}")));
    let base = one(&stage, "FROM");
    let user = one(&stage, "USER");
    let listens = list(one(&stage, "CMD")).iter().any(|word| word.ends_with(&format!(":{port}")));
    [
        (
            base.contains("/distroless/") && base.ends_with(":nonroot"),
            format!("{base:?} is no image without a shell and root"),
        ),
        (user == "nonroot", format!("{user:?} is no user of that image without rights")),
        (copied(program), format!("nothing is copied to {program}")),
        (one(&stage, "EXPOSE") == port && listens, format!("the program listens on {port}")),
        (one(&stage, "WORKDIR") == one(&stage, "VOLUME"), "the database is kept where it is made".into()),
        (
            stage.iter().all(|(word, _)| *word != "RUN"),
            "nothing runs in the last stage: it has no shell".into(),
        ),
    ]
    .into_iter()
    .filter(|(right, _)| !right)
    .map(|(_, what)| what)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_with_a_shell_or_a_root_is_found() {
        let repo = Repo::find().unwrap();
        let text = repo.read(FILE).unwrap();
        assert!(wrong(&text, "7070").is_empty());
        for (from, to, found) in [
            ("gcr.io/distroless/cc-debian12:nonroot", "debian:bookworm-slim", "without a shell"),
            ("USER nonroot", "USER root", "without rights"),
            ("/usr/local/bin/throughline\nCOPY", "/bin/throughline\nCOPY", "nothing is copied"),
            ("EXPOSE 7070", "EXPOSE 80", "listens on 7070"),
            ("EXPOSE", "RUN id\nEXPOSE", "nothing runs"),
        ] {
            assert!(text.contains(from), "{from}");
            let seen = wrong(&text.replace(from, to), "7070");
            assert!(seen.iter().any(|what| what.contains(found)), "{from}: {seen:?}");
        }
    }
}
