//! Languages of the engine: what it says comes from the catalogues, and each of its messages is said somewhere.

use std::fs;
use std::path::Path;

use throughline_engine::Language;
use throughline_engine::data::action::Action;
use throughline_engine::data::ticket::Part;

/// Returns the sources below a folder, joined.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| if path.is_dir() { sources(&path) } else { fs::read_to_string(&path).unwrap() })
        .collect()
}

/// Messages that neither the server nor a channel says, the engine does.
#[test]
fn every_message_of_the_engine_is_said() {
    let sources = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    let of_others = |id: &str| {
        ["page-", "script-", "problem-", "slack-", "telegram-", "learned-", "mail-"]
            .iter()
            .any(|other| id.starts_with(other))
    };
    for id in throughline_messages::IDS.iter().filter(|id| !of_others(id)) {
        let name = id.replace('-', "_");
        let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let mut called = ["say::", "throughline_messages::"]
            .into_iter()
            .flat_map(|from| sources.split(&format!("{from}{name}")).skip(1).collect::<Vec<_>>());
        assert!(called.any(ends), "{id} is said nowhere");
    }
}

#[test]
fn every_button_and_every_part_has_its_own_name() {
    for language in Language::ALL {
        let mut labels: Vec<String> = Action::ALL.iter().map(|action| action.label(language)).collect();
        labels.extend(Part::ALL.iter().map(|part| part.label(language)));
        let all = labels.len();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), all, "{}: {labels:?}", language.code());
    }
}
