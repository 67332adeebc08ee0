//! The rows of whole workflows with Jira in the place of the embedded tracker: the tracker for Jira over sockets, and a fake site
//! that refuses what Jira refuses. The rows are the same ones; what Jira does where a row has a word for it is data. A batch is
//! killed at every step, too.

#[path = "shared/between.rs"]
mod between;
#[path = "shared/jira_client.rs"]
mod jira_client;
#[path = "shared/workflows.rs"]
mod workflows;

use std::collections::BTreeSet;

use between::{Between, Through};
use jira_client::{JiraClient, SeenIssue};
use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, CardSubject};
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::progress::Progress;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::Part;
use throughline_engine::{Lane, Timestamp};
use throughline_fakes::jira::Project;
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery};
use throughline_testkit::model::{Act, Turn};
use throughline_testkit::report::{self, Report};
use throughline_testkit::{Driver, DriverError, Scenario, TurnSeen, run};
use throughline_trackers::local::StoredIssue;
use workflows::{row_of, rows};

/// A way in which a run differs from the row as it is written.
#[derive(Clone, Debug, PartialEq)]
enum Differs {
    /// It does not.
    Not,
    /// The host is killed once in a delivery, at a passing of a fail point.
    Killed { delivery: usize, at: String, harmless: bool },
    /// A delivery never arrives.
    Lost { delivery: usize },
}

/// Jira beside a scenario: what is created and changed there is what the scenario counts.
struct BesideJira {
    jira: JiraClient,
    differs: Differs,
    delivered: usize,
    killed: bool,
    issues: usize,
    changes: usize,
}

impl BesideJira {
    fn through(scenario: &Scenario, differs: Differs) -> Through<Self> {
        let jira = JiraClient::start(&scenario.given.tracker);
        let sim = SimDriver::with_tracker(jira.tracker());
        let between = Self { jira, differs, delivered: 0, killed: false, issues: 0, changes: 0 };
        Through::new(sim, between)
    }
}

/// The number of what is new, if anything is.
fn new(now: usize, before: &mut usize) -> Option<u32> {
    let new = now.saturating_sub(std::mem::replace(before, now));
    u32::try_from(new).ok().filter(|new| *new > 0)
}

impl Between for BesideJira {
    fn before(&mut self, sim: &mut SimDriver) -> Result<TurnSeen, DriverError> {
        self.jira.set_time(sim.now());
        Ok(TurnSeen::default())
    }

    fn carries(&mut self, sim: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        let at = self.delivered;
        self.delivered += 1;
        match &self.differs {
            Differs::Lost { delivery } if *delivery == at => return Ok(Vec::new()),
            Differs::Killed { delivery, at: point, harmless: true } if *delivery == at => {
                sim.arm_harmless(point)?
            }
            Differs::Killed { delivery, at: point, .. } if *delivery == at => sim.arm(point)?,
            _ => {}
        }
        Ok(batch.to_vec())
    }

    fn sees(
        &mut self,
        _: &mut SimDriver,
        _: &[Delivery],
        mut seen: TurnSeen,
    ) -> Result<TurnSeen, DriverError> {
        self.killed |= seen.killed.is_some();
        let created = new(self.jira.issues().len(), &mut self.issues);
        let changed = new(self.jira.changes(), &mut self.changes);
        let counted = [("tracker.create", created), ("tracker.update", changed)];
        seen.outward.extend(counted.into_iter().filter_map(|(class, new)| Some((class.into(), new?))));
        Ok(seen)
    }
}

/// The issues of the embedded tracker, as people see them.
fn seen(issue: &StoredIssue) -> SeenIssue {
    SeenIssue {
        key: issue.key.clone(),
        title: issue.item.title().to_owned(),
        parent: issue.parent.clone(),
        comments: issue.comments.iter().map(|comment| comment.text.clone()).collect(),
        closed: issue.state == IssueState::Closed,
    }
}

fn judge(reports: &[Report]) {
    let failed: Vec<_> = reports.iter().filter(|report| !report.passed()).cloned().collect();
    assert!(failed.is_empty(), "{}", report::human(&failed));
}

#[test]
fn the_workflow_rows_hold_with_jira_and_leave_the_issues_that_the_embedded_tracker_has() {
    let (mut reports, mut issues) = (Vec::new(), 0);
    for row in rows() {
        let mut world = BesideJira::through(&row, Differs::Not);
        reports.push(run(&row, &mut world));
        world.between.jira.check_creates();
        let mut embedded = SimDriver::new();
        reports.push(run(&row, &mut embedded));
        let expected: Vec<SeenIssue> = embedded.issues().unwrap().iter().map(seen).collect();
        let there = world.between.jira.issues();
        assert_eq!(there, expected, "{:?}", row_of(&row));
        issues += there.len();
    }
    judge(&reports);
    assert!(issues > 30, "{issues} issues were created");
}

// ---- rows that fail ----

/// A row that is not held to what each of its acts does would hold without a tracker, too.
#[test]
fn each_row_notices_each_act_that_never_arrives() {
    let mut unnoticed = Vec::new();
    for row in rows() {
        let mut whole = BesideJira::through(&row, Differs::Not);
        judge(&[run(&row, &mut whole)]);
        for delivery in 0..whole.between.delivered {
            let mut world = BesideJira::through(&row, Differs::Lost { delivery });
            if run(&row, &mut world).passed() {
                unnoticed.push((row_of(&row).unwrap_or_default().to_owned(), delivery));
            }
        }
    }
    assert_eq!(unnoticed, [], "a row that holds without one of its acts");
}

/// A thing that is broken on Jira's side.
#[derive(Clone, Copy, Debug)]
enum Broken {
    /// The project has no such type of issue.
    NoType(&'static str),
    /// Our account may not do this in it.
    Forbidden(&'static str),
    /// Its type requires nothing of what it should.
    NothingRequired,
    /// No create has another outcome than usual.
    NoFates,
}

/// The rows that a tracker takes part in, and what is broken there.
const BROKEN: [(&str, Broken); 15] = [
    ("W2", Broken::NoType("Bug")),
    ("W6", Broken::NoType("Story")),
    ("W7", Broken::NoType("Bug")),
    ("W9", Broken::Forbidden("CREATE_ISSUES")),
    ("W10", Broken::NoType("Bug")),
    ("W13", Broken::NoType("Bug")),
    ("W14", Broken::NothingRequired),
    ("W17", Broken::NoType("Story")),
    ("W18", Broken::Forbidden("EDIT_ISSUES")),
    ("W19", Broken::NoFates),
    ("W22", Broken::NoType("Epic")),
    ("W23", Broken::Forbidden("ADD_COMMENTS")),
    ("W24", Broken::NoFates),
    ("W25", Broken::NoType("Story")),
    ("W26", Broken::NoType("Story")),
];

fn break_it(jira: &JiraClient, project: &str, broken: Broken) {
    jira.fake.change_project(project, |project: &mut Project| match broken {
        Broken::NoType(name) => project.types.retain(|kind| kind.name != name),
        Broken::Forbidden(permission) => drop(project.permissions.remove(permission)),
        Broken::NothingRequired => {
            let fields = project.types.iter_mut().flat_map(|kind| &mut kind.fields);
            fields.filter(|field| field.id == "labels").for_each(|field| field.required = false);
        }
        Broken::NoFates => {}
    });
    if matches!(broken, Broken::NoFates) {
        jira.forget_fates();
    }
}

#[test]
fn each_row_with_a_tracker_notices_what_is_broken_in_jira() {
    let rows = rows();
    for (name, broken) in BROKEN {
        let row = rows.iter().find(|row| row_of(row) == Some(name)).unwrap();
        let mut world = BesideJira::through(row, Differs::Not);
        break_it(&world.between.jira, &row.given.tracker.project, broken);
        assert!(!run(row, &mut world).passed(), "{name} holds with {broken:?}");
    }
}

// ---- kills ----

/// Passings of a point that are tried in one delivery.
const PASSINGS: u32 = 200;

/// The points between marking an attempt and recording its outcome.
const ON_THE_WAY: [&str; 4] =
    ["s9.attempt_marked", "s10.bytes_on_wire", "s11.vendor_applied", "s12.reply_read"];

fn row(name: &str) -> Scenario {
    rows().into_iter().find(|row| row_of(row) == Some(name)).unwrap()
}

/// Runs something once for every passing of these points in each delivery, until a point is not passed. `survives` returns
/// false then. Returns the number of kills.
fn killed_everywhere(
    points: &[&str],
    deliveries: std::ops::Range<usize>,
    mut survives: impl FnMut(usize, &str) -> bool,
) -> usize {
    let mut kills = 0;
    for delivery in deliveries {
        for point in points {
            for time in 1..=PASSINGS {
                if !survives(delivery, &format!("{point}#{time}")) {
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
fn a_batch_for_jira_killed_where_jira_is_not_asked_goes_on_as_if_nothing_was() {
    let scenario = row("W18");
    let points = SimDriver::new().fail_points().to_vec();
    let kills = killed_everywhere(&points, 0..4, |delivery, at| {
        let killed = Differs::Killed { delivery, at: at.to_owned(), harmless: true };
        let mut world = BesideJira::through(&scenario, killed);
        let done = run(&scenario, &mut world);
        assert!(done.passed(), "killed at {at} in delivery {delivery}:\n{}", report::human(&[done]));
        world.between.jira.check_creates();
        world.between.killed
    });
    assert!(kills > 100, "a batch passes its fail points often: {kills}");
}

/// The lane's cards.
fn cards(lane: &Lane) -> Vec<Card> {
    let card = |record: &Record| if let Record::Card(card) = record { Some(card.clone()) } else { None };
    lane.records.iter().filter_map(card).collect()
}

/// Presses what leads further, as a person does who looks into Jira first, until there is nothing to press. Returns the number
/// of creates that were asked for again.
fn bring_to_its_end(world: &mut Through<BesideJira>) -> usize {
    const FURTHER: [Action; 4] =
        [Action::ConfirmQuantity, Action::Approve, Action::RetryMissing, Action::CreateAgain];
    let mut again = 0;
    for number in 0..40 {
        // The search for what an interrupted create made is over by then.
        world.advance(2 * Timestamp::HOUR).unwrap();
        let lane = world.lane("main").unwrap();
        let offered = cards(&lane).into_iter().find_map(|card| {
            let actions = card.actions();
            FURTHER.into_iter().find(|action| actions.contains(action)).map(|action| (card, action))
        });
        let Some((card, action)) = offered else { return again };
        if action == Action::CreateAgain {
            let CardSubject::UncertainEffect { draft, .. } = &card.about else { panic!("{card:?}") };
            let title = lane.records.iter().find_map(|record| match record {
                Record::Draft(of) if of.id == *draft => Some(of.part(Part::Title).to_owned()),
                _ => None,
            });
            let title = title.unwrap();
            let there = world.between.jira.issues().into_iter().any(|issue| issue.title == title);
            assert!(!there, "{title} is there, and the card asks for it");
            again += 1;
        }
        let press =
            Press::Decision { card: card.id.clone(), version: card.version, item: String::new(), action };
        let delivery = Delivery {
            key: format!("further:{number}"),
            lane: "main".into(),
            actor: "ana".into(),
            addressing: Addressing::default(),
            kind: EventKind::CardPressed { press, remember: false },
        };
        world.deliver(&[delivery]).unwrap();
    }
    panic!("it comes to no end: {:?}", cards(&world.lane("main").unwrap()))
}

/// The batch up to its approval, without what it expects: what follows a kill depends on where it struck.
fn up_to_the_approval() -> Scenario {
    let mut scenario = row("W18");
    let presses = |turn: &Turn| matches!(&turn.act, Act::Press(press) if press.action == "approve");
    let approval = scenario.turns.iter().position(presses).unwrap();
    scenario.turns.truncate(approval + 1);
    scenario.turns[approval].expect = None;
    scenario
}

/// A create or a change that was on its way when the host died may have been done, and Jira repeats nothing: it is looked for, and
/// what is not there is made again when somebody says so. There is one epic with five stories in the end, and each is on a receipt.
#[test]
fn a_batch_for_jira_killed_while_jira_is_asked_ends_as_one_epic_with_five_stories() {
    let scenario = up_to_the_approval();
    let (mut asked_for, mut found) = (0, 0);
    let last =
        scenario.turns.iter().filter(|turn| matches!(turn.act, Act::Press(_) | Act::Message(_))).count() - 1;
    let kills = killed_everywhere(&ON_THE_WAY, last..last + 1, |delivery, at| {
        let killed = Differs::Killed { delivery, at: at.to_owned(), harmless: false };
        let mut world = BesideJira::through(&scenario, killed);
        judge(&[run(&scenario, &mut world)]);
        let before = world.between.jira.issues().len();
        let again = bring_to_its_end(&mut world);
        let issues = world.between.jira.issues();
        let (epic, stories) = issues.split_first().unwrap();
        let titles: BTreeSet<&str> = stories.iter().map(|story| story.title.as_str()).collect();
        let under = stories.iter().all(|story| story.parent.as_deref() == Some(epic.key.as_str()));
        assert!(titles.len() == 5 && stories.len() == 5 && under, "killed at {at}: {issues:#?}");
        let told = on_receipts(&world.lane("main").unwrap());
        assert!(
            issues.iter().all(|issue| told.contains(&issue.key)),
            "killed at {at}: {told:?} of {issues:#?}"
        );
        world.between.jira.check_creates();
        for checker in [Checker::NoEffectWithoutApproval, Checker::OneWriterPerLane] {
            assert_eq!(world.check(checker), Ok(()), "killed at {at}");
        }
        asked_for += again;
        found += usize::from(again == 0 && before < issues.len());
        world.between.killed
    });
    assert!(kills > 30 && asked_for > 0 && found > 0, "{kills} kills, {asked_for} asked for, {found} found");
}

/// The keys that receipts name.
fn on_receipts(lane: &Lane) -> BTreeSet<String> {
    let released =
        cards(lane).into_iter().filter(|card| !matches!(card.about, CardSubject::UncertainEffect { .. }));
    let keys = released.flat_map(|card| {
        card.released()
            .filter_map(|(_, progress)| match progress {
                Progress::Created { key, .. } => Some(key.clone()),
                _ => None,
            })
            .collect::<Vec<_>>()
    });
    keys.collect()
}
