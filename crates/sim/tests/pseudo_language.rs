//! The scenarios in the pseudo-language, in which every sentence of a catalogue is in brackets: words of ours without them come
//! from no catalogue.

#[path = "shared/between.rs"]
mod between;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use between::{Between, Through};
use throughline_engine::data::action::Action;
use throughline_engine::data::card_model::{Button, CardModel, Field};
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{DriverError, TurnSeen, World, parse, run, scenario_files};

const PSEUDO: &str = "qps-ploc";
/// Words of the simulated tracker, with the field that it names.
const REFUSED: &str = "The tracker does not take this value (labels)";

/// A world in which everybody reads the pseudo-language.
struct PseudoWorld {
    /// Text of the scenario's file: words of people, of models and of tools are among it.
    source: String,
    /// Texts with words outside the brackets.
    loose: BTreeSet<String>,
    shown: usize,
}

impl PseudoWorld {
    fn note(&mut self, seen: &TurnSeen) {
        for text in
            seen.messages.iter().map(|said| &said.text).chain(seen.notices.iter().map(|said| &said.text))
        {
            self.read("said", text);
        }
        for card in &seen.cards {
            self.read_card(&card.card);
        }
    }

    fn read_card(&mut self, card: &CardModel) {
        self.read("title", &card.title);
        card.facts.iter().for_each(|fact| self.read("fact", fact));
        card.fields.iter().for_each(|field| self.read_field(field));
        card.errors.iter().for_each(|error| self.read("fault", &error.display_text()));
        card.buttons.iter().for_each(|button| self.read_button(button));
        for item in &card.items {
            self.read("item", &item.label);
            self.read("state", &item.state);
            item.fields.iter().for_each(|field| self.read_field(field));
            item.errors.iter().for_each(|error| self.read("fault", &error.display_text()));
            item.buttons.iter().for_each(|button| self.read_button(button));
        }
    }

    fn read_field(&mut self, field: &Field) {
        self.read("field", &field.label);
        self.read("note", field.note.as_deref().unwrap_or_default());
    }

    fn read_button(&mut self, button: &Button) {
        // An option is named by its list.
        if button.action != Action::Option {
            self.read("button", &button.label);
        }
        self.read("button's name", &button.name);
        self.read("reason", button.blocked.as_deref().unwrap_or_default());
    }

    fn read(&mut self, what: &str, text: &str) {
        self.shown += 1;
        let outside = outside(text);
        let ours = outside
            .split([' ', '\n', ',', ';', '(', ')', '·', ':'])
            .map(|word| word.trim_matches(['.', '?', '…']));
        let of_others = |word: &&str| {
            !word.chars().any(char::is_alphabetic)
                || self.source.contains(&word.to_lowercase())
                || is_name(word)
        };
        if ours.filter(|word| !of_others(word)).count() > 0 {
            self.loose.insert(format!("{what}: {text}"));
        }
    }
}

/// True for a person, a key, an address, or a version.
fn is_name(word: &str) -> bool {
    let version = word.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let key = word.split_once('-').is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    version || key || word == "https" || word.starts_with('@') || word.contains('/')
}

/// Returns what is outside of all brackets, without quoted lines and the points that people made.
fn outside(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '⟦' => depth += 1,
            '⟧' => depth = depth.saturating_sub(1),
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept.lines().filter(|line| !line.starts_with(['>', '•'])).collect::<Vec<_>>().join("\n")
}

impl Between for PseudoWorld {
    fn begins(&mut self, mut world: World) -> World {
        world.policy.language = Some(PSEUDO.into());
        for person in world.people.values_mut() {
            person.language = Some(PSEUDO.into());
        }
        world
    }

    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        self.note(&seen);
        Ok(seen)
    }
}

#[test]
fn every_sentence_of_the_engine_is_of_a_catalogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    // The checklists of reviews have a file for each language beside the catalogues.
    let checklists = fs::read_to_string(folder.join("../../src/review/texts/en.txt")).unwrap();
    let (mut loose, mut shown) = (BTreeSet::new(), 0);
    for path in scenario_files(&folder).unwrap() {
        let mut source = fs::read_to_string(&path).unwrap();
        let mut scenario = parse(&path.display().to_string(), &source).unwrap();
        // Only what is shown counts: the expectations are of other languages.
        scenario.turns.iter_mut().for_each(|turn| turn.expect = None);
        // What the scenario expects of us is no word of others.
        source =
            source.lines().filter_map(|line| line.split("expect:").next()).collect::<Vec<_>>().join("\n");
        source = (source + &checklists + REFUSED).to_lowercase();
        let pseudo = PseudoWorld { source, loose: BTreeSet::new(), shown: 0 };
        let mut world = Through::new(SimDriver::new(), pseudo);
        let _ = run(&scenario, &mut world);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        loose.extend(world.between.loose.into_iter().map(|text| format!("{name}: {text}")));
        shown += world.between.shown;
    }
    assert!(shown > 5_000, "only {shown} texts were shown");
    assert!(loose.is_empty(), "{}", loose.into_iter().collect::<Vec<_>>().join("\n"));
}
