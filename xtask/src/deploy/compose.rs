//! compose.yaml and what its services read: each name, port, file and password that one of them uses is another's.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{FOLDER, SETTINGS, setting, text, words, yaml};
use crate::repo::{Finding, Repo};

pub(super) const FILE: &str = "deploy/compose.yaml";
const PROXY: &str = "deploy/Caddyfile";
const ROLE: &str = "deploy/role.sql";
const PROMETHEUS: &str = "deploy/prometheus/prometheus.yml";
const SOURCE: &str = "deploy/grafana/provisioning/datasources/prometheus.yaml";
const BOARDS: &str = "deploy/grafana/provisioning/dashboards/throughline.yaml";

/// Findings so far.
struct Found<'r> {
    repo: &'r Repo,
    list: Vec<Finding>,
}

impl Found<'_> {
    fn unless(&mut self, right: bool, file: &str, what: impl FnOnce() -> String) {
        if !right {
            self.list.push(Finding::file(file, what()));
        }
    }
}

pub(super) fn check(repo: &Repo) -> Result<Vec<Finding>> {
    let compose = yaml(repo, FILE)?;
    let services = compose["services"].as_object().context("compose.yaml has no services")?;
    let names: Vec<&str> = services.keys().map(String::as_str).collect();
    let settings = text(repo, SETTINGS)?;
    let port = port(setting(&settings, "listen").unwrap_or_default()).to_owned();
    let mut found = Found { repo, list: Vec::new() };
    for (name, service) in services {
        mounts(&mut found, name, service, &compose["volumes"]);
        for published in words(&service["ports"]) {
            let local = published.starts_with("127.0.0.1:");
            found.unless(local, FILE, || format!("{name}: {published} is open to other machines"));
        }
    }
    for address in ["url", "redis_url"] {
        let url = setting(&settings, address).unwrap_or_default();
        let host = host(url);
        found.unless(names.contains(&host), SETTINGS, || {
            format!("{address} names {host:?}, which is no service")
        });
    }
    let public = setting(&settings, "public_url").unwrap_or_default();
    let proxy = services.get("proxy").map_or(Vec::new(), |proxy| words(&proxy["ports"]));
    let outside = proxy.first().and_then(|ports| ports.split(':').nth(1)).unwrap_or_default();
    found.unless(public.ends_with(&format!(":{outside}")), SETTINGS, || format!("people use port {outside}"));
    let inside = proxy.first().and_then(|ports| ports.rsplit(':').next()).unwrap_or_default();
    caddy(&mut found, &names, &port, inside)?;
    database(&mut found, setting(&settings, "url").unwrap_or_default())?;
    metrics(&mut found, &names, &port, &settings)?;
    boards(&mut found, services)?;
    Ok(found.list)
}

/// Every file that is mounted is there, and every volume is declared.
fn mounts(found: &mut Found<'_>, name: &str, service: &Value, volumes: &Value) {
    for mount in words(&service["volumes"]) {
        let from = mount.split(':').next().unwrap_or_default();
        let there = match from.strip_prefix("./") {
            Some(path) => found.repo.path(FOLDER).join(path).exists(),
            None => volumes.get(from).is_some(),
        };
        found.unless(there, FILE, || format!("{name}: there is no {from}"));
    }
}

fn caddy(found: &mut Found<'_>, names: &[&str], port: &str, inside: &str) -> Result<()> {
    let caddy = text(found.repo, PROXY)?;
    let word = |key: &str| {
        caddy
            .lines()
            .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(' '))
            .unwrap_or_default()
            .to_owned()
    };
    let (name, to) = (word("name"), word("port"));
    found.unless(names.contains(&&*name), PROXY, || format!("{name:?} is no service"));
    found.unless(to == port, PROXY, || format!("the program listens on {port}, not on {to}"));
    let listens = caddy.starts_with(&format!(":{inside} "));
    found.unless(listens, PROXY, || format!("compose.yaml publishes port {inside}"));
    Ok(())
}

/// The role that the database is made with is the one of the address.
fn database(found: &mut Found<'_>, url: &str) -> Result<()> {
    let role = text(found.repo, ROLE)?;
    let (user, password) = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('@')?.0.split_once(':'))
        .context("store.url has a user and a password")?;
    let path = url.rsplit('/').next().unwrap_or_default();
    let database = path.split('?').next().unwrap_or_default();
    for wanted in [
        format!("CREATE ROLE {user} LOGIN PASSWORD '{password}';"),
        format!("CREATE DATABASE {database} OWNER {user};"),
    ] {
        found.unless(role.contains(&wanted), ROLE, || format!("store.url needs: {wanted}"));
    }
    Ok(())
}

/// Prometheus asks every process, with a token of the settings.
fn metrics(found: &mut Found<'_>, names: &[&str], port: &str, settings: &str) -> Result<()> {
    let prometheus = yaml(found.repo, PROMETHEUS)?;
    let job = &prometheus["scrape_configs"][0];
    let group = &job["dns_sd_configs"][0];
    let asked = words(&group["names"]);
    let known = !asked.is_empty() && asked.iter().all(|name| names.contains(&&**name));
    found.unless(known, PROMETHEUS, || format!("{asked:?} are no services"));
    let given = group["port"].to_string();
    found.unless(given == port, PROMETHEUS, || format!("the program listens on {port}, not on {given}"));
    let token = job["authorization"]["credentials"].as_str().unwrap_or_default();
    let hash = sha256(found.repo, token)?;
    let kept = setting(settings, "sha256").unwrap_or_default();
    found.unless(hash == kept, SETTINGS, || format!("the token of {PROMETHEUS} has the hash {hash}"));
    let source = yaml(found.repo, SOURCE)?;
    let url = source["datasources"][0]["url"].as_str().unwrap_or_default().to_owned();
    found.unless(names.contains(&host(&url)), SOURCE, || format!("{url} names no service"));
    Ok(())
}

/// Grafana looks for boards where compose.yaml mounts them.
fn boards(found: &mut Found<'_>, services: &serde_json::Map<String, Value>) -> Result<()> {
    let boards = yaml(found.repo, BOARDS)?;
    let path = boards["providers"][0]["options"]["path"].as_str().unwrap_or_default().to_owned();
    let mounted = services.get("grafana").map_or(Vec::new(), |grafana| words(&grafana["volumes"]));
    let there = mounted.iter().any(|mount| mount.split(':').nth(1) == Some(&path));
    found.unless(there, BOARDS, || format!("compose.yaml mounts nothing at {path}"));
    Ok(())
}

fn sha256(repo: &Repo, text: &str) -> Result<String> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), text)?;
    let printed = repo.output("sha256sum", &[&file.path().to_string_lossy()])?;
    Ok(printed.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Returns the host of an address.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('/').next().unwrap_or_default();
    let rest = rest.rsplit('@').next().unwrap_or_default();
    rest.split(':').next().unwrap_or_default()
}

fn port(address: &str) -> &str {
    address.rsplit(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of the files in which one text is another.
    fn with(file: &str, from: &str, to: &str) -> Vec<String> {
        let repo = Repo::find().unwrap();
        let root = tempfile::tempdir().unwrap();
        let copy = Repo::at(root.path());
        for path in [FILE, PROXY, ROLE, PROMETHEUS, SOURCE, BOARDS, SETTINGS] {
            let text = repo.read(path).unwrap();
            let text = if path == file {
                assert!(text.contains(from), "{file} has no {from}");
                text.replace(from, to)
            } else {
                text
            };
            copy.write(path, &text).unwrap();
        }
        check(&copy).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_does_not_fit_is_found() {
        assert!(with(FILE, "services", "services").is_empty());
        for (file, from, to, found) in [
            (FILE, "127.0.0.1:8080:8080", "8080:8080", "open to other machines"),
            (FILE, "./role.sql", "./roles.sql", "there is no ./roles.sql"),
            (FILE, "- key:/data", "- keys:/data", "there is no keys"),
            (PROXY, "port 7070", "port 7071", "listens on 7070, not on 7071"),
            (PROXY, ":8080 {", ":80 {", "publishes port 8080"),
            (SETTINGS, "@database/", "@db/", "no service"),
            (SETTINGS, "redis://redis", "redis://cache", "no service"),
            (ROLE, "for-this-machine-only", "another", "store.url needs"),
            (PROMETHEUS, "f0a75e0f", "00000000", "has the hash"),
            (PROMETHEUS, "names: [throughline]", "names: [server]", "no services"),
            (SOURCE, "prometheus:9090", "metrics:9090", "names no service"),
            (BOARDS, "/etc/throughline-boards", "/elsewhere", "mounts nothing"),
        ] {
            let seen = with(file, from, to);
            assert!(seen.iter().any(|line| line.contains(found)), "{file}: {from} to {to}: {seen:?}");
        }
    }
}
