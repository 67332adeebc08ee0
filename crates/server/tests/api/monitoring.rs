//! The page of metrics, and what `deploy` says about it: Grafana's board and Prometheus' alert rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use throughline_server::metrics::FAMILIES;

use crate::support::*;

/// Set in the hosted jobs: there a missing tool is an error.
const SKIP_NOTHING: &str = "THROUGHLINE_SKIP_NOTHING";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn deployed(file: &str) -> String {
    std::fs::read_to_string(root().join("deploy").join(file)).unwrap()
}

fn board() -> Value {
    serde_json::from_str(&deployed("grafana/throughline.json")).unwrap()
}

/// Returns the names of our families in an expression or a page. A histogram's series count as its family.
fn families(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("throughline_") {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        let of_histogram = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let known = |name: &str| FAMILIES.iter().any(|(family, ..)| *family == name);
        found.insert(of_histogram.filter(|family| known(family)).unwrap_or(name));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_shows_every_family_also_one_that_is_quiet() {
    let server = Server::demo().await;
    server.say("k1", "c1", "ana", "/maro help").await;
    let page = server.get("/metrics").send().await.text();
    for (name, kind, help) in FAMILIES {
        let kind = kind.as_str();
        assert_eq!(page.matches(&format!("# TYPE {name} {kind}\n")).count(), 1, "{name} in {page}");
        assert_eq!(page.matches(&format!("# HELP {name} {help}\n")).count(), 1, "{name} in {page}");
    }
    let known: BTreeSet<&str> = FAMILIES.iter().map(|(name, ..)| *name).collect();
    assert_eq!(families(&page).difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(page.contains("throughline_turns_total{"), "{page}");
    server.stopped().await;
}

/// A family that code counts without being in the table would not be on the page of a process that is quiet.
#[test]
fn the_table_has_what_is_counted_and_nothing_else() {
    let mut counted = BTreeSet::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let skip = ["tests", "target", "families.rs"];
            if path.file_name().is_some_and(|name| skip.iter().any(|skipped| name == *skipped)) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let names = text.split('"').skip(1).step_by(2).filter(|name| {
                    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                    name.starts_with("throughline_") && name.chars().all(word)
                });
                counted.extend(names.map(str::to_owned));
            }
        }
    }
    // Names of crates, in filters of the log and in tests, and of markers and cookies.
    let others = ["throughline_effect", "throughline_slack_install", "throughline_tracker"];
    let crates = |name: &str| root().join("crates").join(name.trim_start_matches("throughline_")).is_dir();
    counted.retain(|name| !crates(name) && !others.contains(&name.as_str()));
    let table: BTreeSet<String> = FAMILIES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(counted, table);
    assert!(FAMILIES.windows(2).all(|two| two[0].0 < two[1].0), "in the order of their names");
}

#[test]
fn the_board_and_the_rules_name_families_of_the_page() {
    let known: BTreeSet<&str> = FAMILIES.iter().map(|(name, ..)| *name).collect();
    let (board, rules) = (deployed("grafana/throughline.json"), deployed("prometheus/rules.yaml"));
    for text in [&board, &rules] {
        let named = families(text);
        assert!(named.len() > 8, "{named:?}");
        assert_eq!(named.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}

/// Structure that Grafana imports: <https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/>.
#[test]
fn the_board_is_one_that_grafana_imports() {
    let board = board();
    assert!(board["schemaVersion"].as_u64().is_some_and(|version| version >= 36));
    assert_eq!((board["uid"].as_str(), board["title"].as_str()), (Some("throughline"), Some("Throughline")));
    assert!(board.get("id").is_none(), "an id is of one Grafana");
    let variables: Vec<&str> = board["templating"]["list"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(variables, ["source", "instance"]);
    let (mut ids, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for panel in board["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().expect("a title");
        assert!(ids.insert(panel["id"].as_u64().expect("an id")), "{title}");
        let at = |name: &str| panel["gridPos"][name].as_u64().expect("a place");
        assert!(at("x") + at("w") <= 24 && at("w") > 0 && at("h") > 0, "{title}");
        for x in at("x")..at("x") + at("w") {
            for y in at("y")..at("y") + at("h") {
                assert!(taken.insert((x, y)), "{title} lies over another");
            }
        }
        let kind = panel["type"].as_str().expect("a type");
        if kind == "row" {
            continue;
        }
        assert!(["stat", "timeseries"].contains(&kind), "{kind}");
        assert_eq!(panel["datasource"]["uid"], "${source}");
        let targets = panel["targets"].as_array().expect("queries");
        let refs: BTreeSet<&str> = targets.iter().filter_map(|one| one["refId"].as_str()).collect();
        assert_eq!(refs.len(), targets.len(), "{title}");
        for target in targets {
            let query = target["expr"].as_str().expect("a query");
            assert!(query.contains("$instance"), "{title}: {query}");
            for ours in families(query) {
                let (_, kind, _) = FAMILIES.iter().find(|(name, ..)| *name == ours).expect("a family");
                let rated = query.contains("rate(");
                // A counter means nothing but by its rate, and a gauge has none.
                assert_eq!(rated, kind.as_str() != "gauge", "{title}: {query}");
            }
        }
    }
    assert!(ids.len() > 20);
}

/// Prometheus' own tool reads the rules, tries them on made-up numbers, and reads the board's queries as rules.
#[test]
fn promtool_takes_the_rules_and_the_boards_queries() {
    let promtool = |arguments: &[&str], folder: &Path| {
        let run = Command::new("promtool").args(arguments).current_dir(folder).output().unwrap();
        let said = [run.stdout, run.stderr].concat();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&said));
    };
    if Command::new("promtool").arg("--version").output().is_err() {
        assert!(std::env::var_os(SKIP_NOTHING).is_none(), "no promtool: apt-get install prometheus");
        return;
    }
    let folder = root().join("deploy/prometheus");
    promtool(&["check", "rules", "rules.yaml"], &folder);
    promtool(&["test", "rules", "rules.test.yaml"], &folder);
    let mut rules = Vec::new();
    for panel in board()["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            // Grafana puts these in before it asks.
            let query = target["expr"].as_str().unwrap().replace("$__rate_interval", "5m");
            let query = query.replace("$instance", ".*");
            rules.push(serde_json::json!({ "record": format!("query:{}", rules.len()), "expr": query }));
        }
    }
    let all = serde_json::json!({ "groups": [{ "name": "board", "rules": rules }] });
    let written = tempfile::tempdir().unwrap();
    // YAML reads JSON.
    std::fs::write(written.path().join("board.yaml"), all.to_string()).unwrap();
    promtool(&["check", "rules", "board.yaml"], written.path());
}
