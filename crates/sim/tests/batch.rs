//! Batches and other outward effects under kills: a batch of six is killed at every passing of every fail point and still
//! ends as exactly one epic and five linked stories, and any order of failures, presses and kills makes at most one issue
//! for an item.

#[path = "shared/between.rs"]
mod between;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use between::{Between, Through};
use proptest::collection::vec;
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, CardSubject};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::progress::{EpicLink, Progress};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::Part;
use throughline_engine::{DraftId, Lane, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery};
use throughline_testkit::{Driver, DriverError, Scenario, TurnSeen, parse, report, run};

/// Kills the host once: in one delivery, at one point, at its n-th passing.
struct Killing {
    delivery: usize,
    at: String,
    delivered: usize,
    killed: bool,
}

impl Between for Killing {
    fn carries(&mut self, sim: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        if self.delivered == self.delivery {
            sim.arm(&self.at)?;
        }
        self.delivered += 1;
        Ok(batch.to_vec())
    }

    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        self.killed |= seen.killed.is_some();
        Ok(seen)
    }
}

fn scenario(name: &str) -> Scenario {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let text = std::fs::read_to_string(folder.join(format!("{name}.scenario.yaml"))).unwrap();
    parse(name, &text).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scenario once for every passing of every point in each delivery, up to a limit, killed there. Returns the number
/// of runs.
fn killed_everywhere(name: &str, times: u32) -> usize {
    let scenario = scenario(name);
    let points: Vec<&str> = SimDriver::new().fail_points().to_vec();
    let mut kills = 0;
    for delivery in 0..scenario.turns.len() {
        for point in &points {
            // The first passing that does not occur ends the series.
            for time in 1..=times {
                let at = format!("{point}#{time}");
                let killing = Killing { delivery, at: at.clone(), delivered: 0, killed: false };
                let mut world = Through::new(SimDriver::new(), killing);
                let done = run(&scenario, &mut world);
                assert!(
                    done.passed(),
                    "{name} killed at {at} in delivery {}:\n{}",
                    delivery + 1,
                    report::human(&[done])
                );
                if !world.between.killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    kills
}

// row: W18
#[test]
fn a_batch_killed_at_every_step_makes_one_epic_with_five_stories() {
    let kills = killed_everywhere("batches/kills-create-each-issue-once", 200);
    assert!(kills > 140, "a batch passes its fail points often: {kills}");
}

/// A decision's post, several epics, tracked issues and their comments, edits of a batch. Each point once in each delivery of
/// the first of them; `THROUGHLINE_CRASH_PASSINGS=all` tries all of them, every time a point is passed.
#[test]
#[expect(clippy::disallowed_methods, reason = "how much is tried is the test's own setting")]
fn other_effects_killed_at_every_step_happen_once() {
    let all = std::env::var("THROUGHLINE_CRASH_PASSINGS").is_ok_and(|passings| passings == "all");
    let (times, first) = if all { (200, usize::MAX) } else { (1, 3) };
    const NAMES: [&str; 6] = [
        "decisions/posted-once-with-receipt",
        "batches/several-epics-from-a-nested-list",
        "tracker/tracked-issues-and-comments",
        "decisions/asked-for-edited-and-cancelled",
        "batches/one-story-edited-by-form-and-words",
        "effects/link-that-cannot-be-made",
    ];
    for name in NAMES.into_iter().take(first) {
        let kills = killed_everywhere(name, times);
        assert!(kills > 20, "{name} passes its fail points often: {kills}");
    }
}

// ---- any order of failures, presses and restarts ----

/// The fate of one call of the tracker.
const FAULTS: [&str; 11] = [
    "ok",
    "refused",
    "429",
    "5xx",
    "lost_request",
    "5xx_after_apply",
    "lost_reply",
    "late_apply",
    "slow",
    "parent_ignored",
    "rejected",
];

#[derive(Clone, Debug)]
struct Fate {
    stories: usize,
    /// True if the tracker makes a repeated create of one effect once.
    idempotent: bool,
    /// The fates of creates, by item.
    creates: Vec<(usize, usize)>,
    /// The fates of dry runs, reads, changes and searches, by call.
    others: Vec<(usize, usize)>,
    /// The choices of presses, each with the point at which the host is killed meanwhile.
    moves: Vec<(usize, Option<(usize, usize)>)>,
}

fn fates() -> impl Strategy<Value = Fate> {
    let kill = proptest::option::of((0..14_usize, 1..9_usize));
    (
        2..5_usize,
        any::<bool>(),
        vec((1..6_usize, 0..FAULTS.len()), 0..10),
        // No dry run is refused for good, and no search ignores a parent.
        vec((0..4_usize, 0..FAULTS.len() - 2), 0..4),
        vec((0..12_usize, kill), 0..10),
    )
        .prop_map(|(stories, idempotent, creates, others, moves)| Fate {
            stories,
            idempotent,
            creates,
            others,
            moves,
        })
}

impl Fate {
    fn scenario(&self) -> Scenario {
        let mut fail: Vec<String> = Vec::new();
        for (item, how) in &self.creates {
            fail.push(format!("{{ create: {}, item: {item}, after: 5s }}", FAULTS[*how]));
        }
        for (call, how) in &self.others {
            let on = ["check", "find", "update", "seek"][*call];
            fail.push(format!("{{ {on}: {}, after: 5s }}", FAULTS[*how]));
        }
        let story = |n: usize| {
            format!(
                "      - Way {n}\n        Problem: there is none\n        Acceptance criteria: it works\n"
            )
        };
        let text = format!(
            "scenario: any\ngiven:\n  users: {{ ana: {{ may: [approve] }} }}\n  tracker: {{ project: AUTH, idempotent: {}, \
             fail: [{}] }}\nturns:\n  - ana: |-\n      Create an epic with {} stories for Auth\n      Problem: nobody \
             gets in\n      Acceptance criteria: all are done\n{}",
            self.idempotent,
            fail.join(", "),
            self.stories,
            (1..=self.stories).map(story).collect::<String>(),
        );
        parse("any", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }
}

/// A conversation with one batch, and its observed state.
struct Any {
    driver: SimDriver,
    pressed: u32,
    /// The number of times a person had an uncertain item created again, by item.
    again: BTreeMap<String, usize>,
}

impl Any {
    fn lane(&mut self) -> Lane {
        self.driver.lane("main").unwrap()
    }

    /// Returns the buttons that lead further.
    fn offers(&mut self) -> Vec<(Card, Action)> {
        const FURTHER: [Action; 6] = [
            Action::ConfirmQuantity,
            Action::ConfirmSize,
            Action::Approve,
            Action::RetryMissing,
            Action::CreateAgain,
            Action::Adopt,
        ];
        let lane = self.lane();
        let cards = lane.records.iter().filter_map(|record| match record {
            Record::Card(card) => Some(card.clone()),
            _ => None,
        });
        let further = |card: Card| {
            let actions: Vec<Action> = card.actions().into_iter().filter(|a| FURTHER.contains(a)).collect();
            actions.into_iter().map(move |action| (card.clone(), action))
        };
        cards.flat_map(further).collect()
    }

    fn title(&mut self, draft: &DraftId) -> String {
        let lane = self.lane();
        let mut titles = lane.records.iter().filter_map(|record| match record {
            Record::Draft(of) if of.id == *draft => Some(of.part(Part::Title).to_owned()),
            _ => None,
        });
        titles.next().unwrap()
    }

    fn press(&mut self, card: &Card, action: Action) {
        let draft = match &card.about {
            CardSubject::UncertainEffect { draft, .. } => Some(draft.clone()),
            _ => None,
        };
        let title = draft.map(|draft| self.title(&draft)).unwrap_or_default();
        let press =
            Press::Decision { card: card.id.clone(), version: card.version, item: String::new(), action };
        let kind = if action == Action::Adopt {
            let issues = self.driver.issues().unwrap();
            let issue = issues.iter().find(|issue| issue.item.title() == title).or(issues.first());
            let key = issue.map_or_else(|| "AUTH-1".to_owned(), |issue| issue.key.clone());
            EventKind::FormSubmitted { press, values: [("key".to_owned(), key)].into() }
        } else {
            EventKind::CardPressed { press, remember: false }
        };
        if action == Action::CreateAgain {
            *self.again.entry(title).or_default() += 1;
        }
        self.pressed += 1;
        let delivery = Delivery {
            key: format!("any:{}", self.pressed),
            lane: "main".into(),
            actor: "ana".into(),
            addressing: Addressing::default(),
            kind,
        };
        self.driver.deliver(std::slice::from_ref(&delivery)).unwrap();
        // A repeated delivery changes nothing.
        self.driver.deliver(&[delivery]).unwrap();
    }

    /// Checks that no item has more issues than a person asked for.
    fn never_two(&mut self) -> Result<(), TestCaseError> {
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        for issue in self.driver.issues().unwrap() {
            *made.entry(issue.item.title().to_owned()).or_default() += 1;
        }
        for (title, count) in made {
            let willing = 1 + self.again.get(&title).copied().unwrap_or_default();
            prop_assert!(count <= willing, "{count} issues for {title}, {willing} at most");
        }
        Ok(())
    }

    /// Presses as a person who creates again only items that were searched for and not found.
    fn bring_to_its_end(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..60 {
            self.driver.advance(2 * Timestamp::HOUR).unwrap();
            self.never_two()?;
            let offers = self.offers();
            let further = |(_, action): &&(Card, Action)| *action != Action::Adopt;
            let Some((card, action)) = offers.iter().find(further).cloned() else { return Ok(()) };
            self.press(&card, action);
        }
        prop_assert!(false, "it comes to no end: {:?}", self.offers());
        Ok(())
    }

    /// Checks that every issue is on a receipt, under the receipt's epic, and that no effect is open.
    fn all_told(&mut self, stories: usize) -> Result<(), TestCaseError> {
        let lane = self.lane();
        let issues = self.driver.issues().unwrap();
        let mut told: BTreeMap<String, Option<EpicLink>> = BTreeMap::new();
        for record in lane.records.iter() {
            // The card that asked about an uncertain create stays as it was answered; the receipt has the result.
            let Record::Card(card) = record else { continue };
            if matches!(card.about, CardSubject::UncertainEffect { .. }) {
                continue;
            }
            for (draft, progress) in card.released() {
                prop_assert!(
                    !matches!(progress, Progress::Working { .. } | Progress::Uncertain { .. }),
                    "{draft} is {progress:?} on {}",
                    card.id
                );
                if let Progress::Created { key, link, .. } = progress {
                    told.entry(key.clone()).or_default().clone_from(link);
                }
            }
        }
        let titles: BTreeSet<&str> = issues.iter().map(|issue| issue.item.title()).collect();
        prop_assert_eq!(titles.len(), stories + 1, "every item exists: {:?}", titles);
        for issue in &issues {
            if !self.again.contains_key(issue.item.title()) {
                prop_assert!(told.contains_key(&issue.key), "{} is on no receipt", issue.key);
            }
            if let Some(Some(EpicLink::There { epic })) = told.get(&issue.key) {
                prop_assert_eq!(
                    issue.parent.as_ref(),
                    Some(epic),
                    "{} is not where it is said to be",
                    issue.key
                );
            }
        }
        for checker in
            [Checker::NoEffectWithoutApproval, Checker::OneWriterPerLane, Checker::PressNeverSilent]
        {
            prop_assert_eq!(self.driver.check(checker), Ok(()));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fails in whatever order, whoever presses what, wherever the host is killed: there is at most one issue
    /// for an item, and every issue is on a receipt.
    #[test]
    fn any_order_of_failures_presses_and_restarts_makes_one_issue_for_an_item(fate in fates()) {
        let mut any = Any { driver: SimDriver::new(), pressed: 0, again: BTreeMap::new() };
        let begun = run(&fate.scenario(), &mut any.driver);
        prop_assert!(begun.passed(), "{}", report::human(&[begun]));
        let points = any.driver.fail_points().to_vec();
        for (choice, kill) in &fate.moves {
            if let Some((point, time)) = kill {
                any.driver.arm(&format!("{}#{time}", points[*point])).unwrap();
            }
            let offers = any.offers();
            match offers.get(choice % (offers.len() + 1)).cloned() {
                Some((card, action)) => any.press(&card, action),
                None => drop(any.driver.advance(15 * Timestamp::SECOND).unwrap()),
            }
            any.never_two()?;
        }
        any.bring_to_its_end()?;
        any.all_told(fate.stories)?;
    }
}
