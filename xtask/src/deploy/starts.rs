//! Every way in which a file of deploy/ starts the program: its arguments, its variables and its settings.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{SETTINGS, compose, image, text, unit, words, yaml};
use crate::repo::Repo;

#[derive(Debug)]
pub(super) struct Start {
    /// The file.
    pub(super) place: String,
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
    /// The text of its throughline.toml, where it brings one.
    pub(super) settings: Option<String>,
}

pub(super) fn of_files(repo: &Repo) -> Result<Vec<Start>> {
    let compose = yaml(repo, compose::FILE)?;
    let unit = text(repo, unit::FILE)?;
    let variables = unit::values(&unit, "Environment").into_iter().filter_map(|one| one.split_once('='));
    Ok(vec![
        Start {
            place: compose::FILE.into(),
            arguments: words(&compose["services"]["throughline"]["command"]),
            variables: Vec::new(),
            settings: Some(text(repo, SETTINGS)?),
        },
        Start {
            place: image::FILE.into(),
            arguments: image::command(&text(repo, image::FILE)?),
            variables: Vec::new(),
            settings: None,
        },
        Start {
            place: unit::FILE.into(),
            arguments: unit::command(&unit)?,
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            settings: None,
        },
    ])
}

/// Reads the objects that Helm rendered.
pub(super) fn of_chart(objects: &[Value]) -> Result<Start> {
    let of = |kinds: &[&str]| {
        objects
            .iter()
            .find(|one| kinds.iter().any(|kind| one["kind"] == *kind))
            .with_context(|| format!("the chart has no {kinds:?}"))
    };
    let workload = of(&["Deployment", "StatefulSet"])?;
    let container = &workload["spec"]["template"]["spec"]["containers"][0];
    let variable = |one: &Value| Some((one["name"].as_str()?.to_owned(), one["value"].as_str()?.to_owned()));
    let settings =
        of(&["ConfigMap"])?["data"]["throughline.toml"].as_str().context("the chart has no settings")?;
    Ok(Start {
        place: format!("{} as a {}", super::chart::FOLDER, workload["kind"].as_str().unwrap_or_default()),
        arguments: words(&container["args"]),
        variables: container["env"].as_array().into_iter().flatten().filter_map(variable).collect(),
        settings: Some(settings.to_owned()),
    })
}
