//! Erasing anybody touches only what is theirs: people are called like what is stored, and the names of everything that is
//! stored are erased too. Every row of every table is compared before and after.
//!
//! `PROPTEST_CASES` is the number of installations that are filled (1).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;
use crate::erasure::holds;
use crate::number;
use crate::server::Server;

/// Names and ids of people: words of the format, keys, parts of each other, and hostile strings.
const NAMES: [&str; 24] = [
    "DEMO",
    "bug",
    "ana.smith",
    "local",
    "smith",
    "counters",
    "links",
    "pending",
    "yes",
    "done",
    "en",
    "the",
    "DEMO-1",
    "message",
    "kind",
    "open",
    "{}",
    "[\"bug\"]",
    ".*",
    "a\"b",
    "ana",
    "tracker.issues.DEMO",
    "local:DEMO",
    "user:ana",
];
/// People per installation.
const PEOPLE: usize = 6;
/// Columns that change while nothing happens: who holds a lane, and when a store was opened.
const LEASES: [&str; 4] = ["owner", "lease_until", "epoch", "session"];

struct Person {
    id: &'static str,
    /// A word that nobody else says first.
    marker: String,
    /// Their own conversation. Its name is an id, which an erasure keeps.
    own: String,
}

/// The rows of a store: each with its table, the conversation of its lane if it has one, and its columns.
type Rows = BTreeSet<(String, Option<String>, String)>;

#[test]
fn erasing_anybody_touches_only_what_is_theirs() {
    for seed in 0..number("PROPTEST_CASES", 1).min(50) {
        installation(usize::try_from(seed).unwrap());
    }
}

fn installation(seed: usize) {
    let people: Vec<Person> = (0..PEOPLE)
        .map(|n| {
            let at = (seed * PEOPLE + n + seed / 4) % NAMES.len();
            Person {
                id: NAMES[at],
                marker: format!("quokkamark{}", ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"][n]),
                own: format!("own-{n}"),
            }
        })
        .collect();
    let server = Server::start(&[], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let mut created = 0;
    for person in &people {
        fill(&client, person);
        created += 1;
    }
    talk(&client, &people);
    client.wait_until_settled();

    let mut before = rows(server.data());
    for name in names_of(&before, &people) {
        client.erased(&name);
        let after = rows(server.data());
        let changed: Vec<_> = before.difference(&after).filter(|row| !is_record(row)).collect();
        assert!(changed.is_empty(), "seed {seed}: erasing {name}, who is nobody, changed {changed:#?}");
        before = after;
    }
    for (n, victim) in people.iter().enumerate() {
        assert!(holds(server.data(), &victim.marker), "{}", victim.id);
        client.erased(victim.id);
        let after = rows(server.data());
        check(victim, &before, &after);
        assert!(!holds(server.data(), &victim.marker), "seed {seed}: words of {} are left", victim.id);
        for other in &people[n + 1..] {
            assert!(
                holds(server.data(), &other.marker),
                "seed {seed}: {} took words of {}",
                victim.id,
                other.id
            );
        }
        // Somebody else's next ticket is created, with the next number.
        let key = ticket(&client, "witness", "witness", &format!("After {n} it is still fine"));
        created += 1;
        assert_eq!(key, format!("DEMO-{created}"), "seed {seed}: after erasing {}", victim.id);
        before = rows(server.data());
    }
}

/// Acts for a person in a conversation of their own: a ticket is created, another is left open, a fact is stated.
fn fill(client: &Client, person: &Person) {
    let Person { id, marker, own } = person;
    ticket(client, own, id, &format!("The {marker} page is empty"));
    say(client, own, id, &format!("remember that the {marker} opens in May"));
    say(client, own, id, &format!("Create a bug: The {marker} form is slow\nSteps: open it"));
    say(client, own, id, "yes");
}

/// Lets all talk in one room, where each quotes the one before, and somebody repeat it where the other never was.
fn talk(client: &Client, people: &[Person]) {
    let mut earlier: Option<&Person> = None;
    for person in people {
        let quote =
            earlier.map(|one| format!("> no, it was the {} all along\n", one.marker)).unwrap_or_default();
        say(client, "room", person.id, &format!("no, it was the {} all along", person.marker));
        say(client, "room", person.id, &format!("{quote}and the weather is fine"));
        say(client, "corner", "witness", &format!("they say it was the {} all along", person.marker));
        earlier = Some(person);
    }
    say(client, "corner", "witness", "the weather is fine here");
}

fn say(client: &Client, lane: &str, by: &str, text: &str) -> Value {
    let body = json!({
        "lane": { "channel": "api", "conversation": lane }, "kind": "message.posted", "actor": { "id": by }, "text": text,
    });
    client.event(&next_key(), &body)
}

fn next_key() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    format!("k{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// Asks for a ticket, approves it, and returns the key of the issue.
fn ticket(client: &Client, lane: &str, by: &str, title: &str) -> String {
    let asked = say(
        client,
        lane,
        by,
        &format!("Create a bug: {title}\nSteps: open it\nExpected: a list\nActual: nothing"),
    );
    let press = json!({
        "lane": { "channel": "api", "conversation": lane }, "kind": "card.pressed", "actor": { "id": "you" },
        "press": { "token": crate::script::button(&asked, "approve") },
    });
    let pressed = client.event(&next_key(), &press);
    assert_eq!(pressed["reason"], "press.applied", "{pressed}");
    client.wait_until_settled();
    let issues = client.list("/v1/tracker/issues?limit=200");
    let found = issues.iter().find(|issue| issue["title"] == title);
    found.unwrap_or_else(|| panic!("{title} is not created: {issues:?}"))["key"].as_str().unwrap().to_owned()
}

/// Every short text that is stored anywhere: keys, ids, codes, collections.
fn names_of(rows: &Rows, people: &[Person]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (table, _, row) in rows {
        names.insert(table.clone());
        let texts: Vec<Value> = serde_json::from_str(row).unwrap();
        names
            .extend(texts.iter().filter_map(Value::as_str).filter(|text| text.len() < 40).map(str::to_owned));
    }
    let somebody = |name: &String| {
        people.iter().any(|person| person.id == name) || ["witness", "you", ""].contains(&name.as_str())
    };
    // One in so many, and never the dots that an address swallows.
    let few = names.into_iter().filter(|name| !somebody(name) && !name.trim_matches('.').is_empty());
    few.enumerate().filter(|(n, _)| n % 37 == 0).map(|(_, name)| name).take(8).collect()
}

/// True of what records erasures, and of hashes by which a delivery is known again: they are written some time after it.
fn is_record((table, _, _): &(String, Option<String>, String)) -> bool {
    ["erasures", "audit", "tenants", "instance", "delivery_keys"].contains(&table.as_str())
}

/// Every row without the victim's words, outside of the conversations in which they took part, is as it was; in those, every
/// message of somebody else is.
fn check(victim: &Person, before: &Rows, after: &Rows) {
    let (mine, theirs) = (victim.own.as_str(), |row: &str| row.to_lowercase().contains(&victim.marker));
    let shared = ["room", "corner"];
    for row in before.difference(after) {
        let (table, lane, text) = row;
        let lane = lane.as_deref();
        if is_record(row) || lane == Some(mine) || theirs(text) {
            continue;
        }
        let message = || {
            let columns: Vec<Value> = serde_json::from_str(text).unwrap();
            let body =
                columns.iter().filter_map(Value::as_str).find(|column| column.contains("\"role\":\"user\""));
            body.and_then(|body| serde_json::from_str::<Value>(body).ok()).map(|body| body.to_string())
        };
        let others = || message().is_some_and(|body| !body.contains(&format!("\"by\":{}", json!(victim.id))));
        let shared = lane.is_some_and(|lane| shared.contains(&lane));
        assert!(shared && !(table == "records" && others()), "erasing {} changed {row:#?}", victim.id);
    }
    for row in after.difference(before) {
        let (table, lane, _) = row;
        let lane = lane.as_deref();
        let known = lane == Some(mine) || lane.is_some_and(|lane| shared.contains(&lane));
        let rewritten = ["documents", "requests"].contains(&table.as_str());
        assert!(is_record(row) || known || rewritten, "erasing {} wrote {row:#?}", victim.id);
    }
}

/// Reads every row of every table from a copy of the files.
fn rows(data: &Path) -> Rows {
    let copy = tempfile::tempdir().unwrap();
    let entries = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.file_name().unwrap().to_string_lossy().contains(".db"));
    let mut main = None;
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with("lock") {
            continue;
        }
        std::fs::copy(&file, copy.path().join(&name)).unwrap();
        if name.ends_with(".db") {
            main = Some(name);
        }
    }
    let stored = throughline_store::raw_rows(&copy.path().join(main.expect("a database"))).unwrap();
    let pairs = |table: &str, key: &str, value: &str| -> BTreeMap<String, String> {
        let rows = stored.iter().filter(|(of, _)| of == table);
        rows.map(|(_, cells)| (text(named(cells, key)), text(named(cells, value)))).collect()
    };
    let lanes = pairs("lanes", "n", "conversation");
    let conversations = pairs("lanes", "id", "conversation");
    let effects = pairs("outbox", "n", "lane");
    let mut rows = Rows::new();
    for (table, cells) in &stored {
        let lane = match table.as_str() {
            "requests" => answered(cells).and_then(|lane| conversations.get(&lane)),
            "outcomes" => effects.get(&text(named(cells, "n"))).and_then(|lane| lanes.get(lane)),
            "lanes" => lanes.get(&text(named(cells, "n"))),
            _ => lanes.get(&text(named(cells, "lane"))),
        };
        let kept = cells.iter().filter(|(name, _)| !LEASES.contains(&name.as_str()));
        let kept: Vec<&Value> = kept.map(|(_, cell)| cell).collect();
        rows.insert((table.clone(), lane.cloned(), json!(kept).to_string()));
    }
    rows
}

fn named<'c>(cells: &'c [(String, Value)], name: &str) -> Option<&'c Value> {
    cells.iter().find(|(column, _)| column == name).map(|(_, cell)| cell)
}

fn text(cell: Option<&Value>) -> String {
    cell.map_or_else(String::new, |cell| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned))
}

/// Returns the lane that a stored answer names.
fn answered(cells: &[(String, Value)]) -> Option<String> {
    let body: Value = serde_json::from_str(named(cells, "body")?.as_str()?).ok()?;
    body["lane"].as_str().map(str::to_owned)
}
