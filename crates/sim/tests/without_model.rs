//! Every scenario's conversation with no model configured. Everybody who addresses the assistant is answered, nobody else
//! is asked anything, and drafts hold only what people wrote.

#[path = "shared/between.rs"]
mod between;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use between::{Between, Through};
use throughline_engine::Lane;
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::{Draft, Part};
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{
    Driver, DriverError, Scenario, TurnSeen, World, parse, report, run, scenario_files,
};

/// A world that records what people write, and who was not answered.
#[derive(Default)]
struct Watched {
    /// Everything people wrote, so far.
    written: String,
    answered: usize,
    unanswered: Vec<String>,
    /// The lanes in which small talk or a message nothing can be made of got its line.
    talked: BTreeSet<String>,
    asked: u32,
    /// A host has questions of its own in here.
    host: bool,
}

/// Folds a text for comparison: letters and digits, in lower case, one blank between words.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

impl Watched {
    fn hears(&mut self, text: &str) {
        self.written.push(' ');
        self.written.push_str(&folded(text));
    }

    fn takes_in(&mut self, kind: &EventKind) {
        match kind {
            EventKind::MessagePosted(posted) => {
                self.hears(&posted.text);
                posted.quote.iter().for_each(|quote| self.hears(quote));
            }
            EventKind::MessageEdited { text, .. } | EventKind::Command { text } => self.hears(text),
            EventKind::AssistantPosted(posted) => self.hears(&posted.text),
            EventKind::FormSubmitted { values, .. } => values.values().for_each(|text| self.hears(text)),
            _ => {}
        }
    }

    /// True if an event addresses the assistant. Talk among people, bots and edits need no answer.
    fn is_for_us(delivery: &Delivery) -> bool {
        let Addressing {
            mentioned,
            direct,
            reply_to_us,
            thread_ours,
            to_other,
            bot,
            own,
            vouched: _,
            not_to_us: _,
        } = delivery.addressing;
        match &delivery.kind {
            EventKind::MessagePosted(_) => {
                (mentioned || direct || reply_to_us || thread_ours) && !to_other && !bot && !own
            }
            EventKind::CardPressed { press: Press::Token(_), .. }
            | EventKind::FormSubmitted { .. }
            | EventKind::Command { .. } => true,
            _ => false,
        }
    }

    /// True if a text is a laugh, or puts off what nobody asked for.
    fn wants_nothing(delivery: &Delivery) -> bool {
        let EventKind::MessagePosted(said) = &delivery.kind else { return false };
        ["lol", "not now", "brb lunch"].contains(&folded(&said.text).as_str())
    }

    fn looks(&mut self, batch: &[Delivery], seen: &TurnSeen) {
        self.asked += seen.model_calls;
        for delivery in batch.iter().filter(|delivery| Self::is_for_us(delivery)) {
            let turns = || seen.turns.iter().filter(|turn| turn.lane == delivery.lane);
            if seen.duplicates.contains(&delivery.key) {
                continue;
            }
            let lanes = seen.messages.iter().map(|said| &said.lane);
            let lanes = lanes.chain(seen.cards.iter().map(|card| &card.lane));
            let heard =
                lanes.chain(seen.notices.iter().map(|told| &told.lane)).any(|lane| *lane == delivery.lane);
            let codes: BTreeSet<&str> = turns().map(|turn| turn.summary.decision.reason.code()).collect();
            let talk = codes.iter().any(|code| TALK.contains(code));
            let silent =
                codes.iter().any(|code| SILENT.contains(code) || (self.host && TAKEN.contains(code)))
                    || (talk && (self.talked.contains(&delivery.lane) || Self::wants_nothing(delivery)));
            if heard && talk {
                self.talked.insert(delivery.lane.clone());
            }
            if heard || silent {
                self.answered += usize::from(heard);
            } else {
                self.unanswered.push(format!("{:?}: {codes:?}", delivery.kind));
            }
        }
    }

    /// Checks that people wrote every line of every draft and every item of every batch.
    fn invented(&self, lane: &Lane) -> Vec<String> {
        let drafts = lane.records.iter().filter_map(|record| match record {
            Record::Draft(draft) => Some(draft),
            _ => None,
        });
        // A title to go by, marked as proposed: what the batch is about, and the item's place in it.
        let proposed = |draft: &Draft, part: Part, text: &str| {
            let placed = |label: &str| {
                let label = label.to_lowercase();
                let (kind, number) = label.split_once(' ').unwrap_or_default();
                ["epic", "story", "task", "bug", "aufgabe"].contains(&kind) && number.parse::<u32>().is_ok()
            };
            let topic = text.rsplit_once(": ").filter(|(_, label)| placed(label)).map(|(topic, _)| topic);
            draft.is_proposed(part)
                && topic.is_some_and(|topic| self.written.contains(folded(topic).as_str()))
        };
        let drafts = drafts.map(|draft| {
            draft.parts().iter().filter(|(part, text)| !proposed(draft, **part, text)).collect::<Vec<_>>()
        });
        // The origin of a statement is written by code: a link or nothing.
        let address = |(part, text): &(&Part, &String)| {
            **part == Part::Evidence && text.lines().all(|line| line.starts_with("https://"))
        };
        let fields: Vec<(&Part, &String)> =
            drafts.flatten().filter(|field| !address(field) && !is_value(*field.0)).collect();
        let lines =
            fields.iter().flat_map(|(part, text)| text.lines().map(move |line| (*part, folded(line))));
        let invented = lines
            .filter(|(_, line)| !self.written.contains(line.as_str()) && !HEADINGS.contains(&line.as_str()));
        invented.map(|(part, line)| format!("{part:?}: {line}")).collect()
    }
}

/// True for parts that are values and no text: "high priority" is `high`, and "me" is who says it.
fn is_value(part: Part) -> bool {
    matches!(part, Part::Priority | Part::Assignee)
}

/// A bare acknowledgement gets a reaction and no words. What people say to each other is not put to the assistant.
const SILENT: [&str; 2] = ["acknowledged", "gate.withheld"];
/// Talk gets a line once in a while, so it may be silent only after one.
const TALK: [&str; 2] = ["intent.small_talk", "gate.spared"];
/// A host answers what it is handed, and its own question once the answer was taken.
const TAKEN: [&str; 3] = ["pending.applied", "pending.corrected", "handover.begun"];
/// Headings of a review's lists, which a ticket made from a review has too.
const HEADINGS: [&str; 4] = ["decisions", "risks", "open questions", "changes"];

impl Between for Watched {
    fn begins(&mut self, world: World) -> World {
        for record in world.lanes.iter().flat_map(|lane| &lane.records) {
            match record {
                Record::Message(message) => self.hears(&message.text),
                Record::Task(task) => self.hears(&task.intent),
                _ => {}
            }
        }
        world
    }

    fn carries(&mut self, _: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        batch.iter().for_each(|delivery| self.takes_in(&delivery.kind));
        Ok(batch.to_vec())
    }

    fn sees(
        &mut self,
        _: &mut SimDriver,
        batch: &[Delivery],
        seen: TurnSeen,
    ) -> Result<TurnSeen, DriverError> {
        self.looks(batch, &seen);
        Ok(seen)
    }
}

/// Returns the scenario's conversation without its model, script and expectations.
fn without_a_model(path: &Path) -> Scenario {
    let name = path.file_name().unwrap().to_string_lossy();
    let mut scenario = parse(&name, &fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    scenario.given.model = false;
    scenario.script.clear();
    scenario.turns.iter_mut().for_each(|turn| turn.expect = None);
    scenario
}

/// Every scenario file of the engine.
#[test]
fn every_scenario_has_a_useful_outcome_without_a_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let (mut rows, mut answered, mut wrong) = (0, 0, Vec::new());
    for path in scenario_files(&folder).unwrap() {
        let scenario = without_a_model(&path);
        let number = |row: &String| row.strip_prefix('W').is_some_and(|rest| rest.parse::<u8>().is_ok());
        let row = scenario.rows.iter().any(number);
        rows += usize::from(row);
        let watched = Watched { host: !row, ..Watched::default() };
        let mut world = Through::new(SimDriver::new(), watched);
        let done = run(&scenario, &mut world);
        // A press on a card that only a model would have made finds nothing to press; none of these scenarios has one.
        if row && !done.passed() {
            wrong.push(report::human(&[done]));
        }
        let named = |what: &str| format!("{}: {what}", scenario.file);
        // The answer to an erased person is erased too, and nobody wrote the mark in its place.
        if ["forget me needs exact words", "person is erased everywhere"].contains(&scenario.name.as_str()) {
            continue;
        }
        wrong.extend(world.between.unanswered.iter().map(|what| named(&format!("not answered: {what}"))));
        let lanes: BTreeSet<&str> = scenario
            .given
            .lanes
            .keys()
            .map(String::as_str)
            .chain(scenario.turns.iter().map(|t| t.act.lane()))
            .collect();
        for lane in lanes {
            let lane = world.lane(lane).unwrap();
            wrong
                .extend(world.between.invented(&lane).iter().map(|what| named(&format!("invented: {what}"))));
        }
        assert_eq!(world.between.asked, 0, "{}", scenario.file);
        answered += world.between.answered;
    }
    assert_eq!(rows, 27, "every row is a scenario");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answered > 250, "{answered} messages, presses and forms were answered");
}
