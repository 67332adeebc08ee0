//! A workflow in Slack killed at every passing of every fail point: request, form, approval, receipt. Nothing is lost, there
//! is one issue, and the card ends as the receipt. A card whose post nobody knows of is sent once more, and its first copy
//! decides nothing.

use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::step_input::Addressing;
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{Driver, Scenario, parse, report, run};

use crate::through::ThroughSlack;

const WORKFLOW: &str = "\
scenario: a workflow in Slack
given:
  users: { ana: {}, bob: { may: [approve] } }
  channel: slack
  tracker: { project: AUTH }
turns:
  - ana: |-
      Create a ticket for login bug
      Steps: open /login
      Expected: the form
      Actual: a blank page
    expect: { card: { version: 1 } }
  - ana: { submits: { title: The login page is blank }, card: latest }
    expect: { card: { version: 2 } }
  - bob: { press: approve, card: latest }
    expect: { reason: press.applied, card: { step: receipt, state: created }, effects: { tracker.create: 1 } }
always: [no_effect_without_approval, one_writer_per_lane, press_never_silent]
";

/// Passings of a point that are tried in one delivery.
const PASSINGS: u32 = 50;

/// Points behind which a message may be out that nobody knows of. A new card is sent once more then, and the first one
/// stays as it was (`docs/design/0031-effects-and-retries.md`).
const UNKNOWN: [&str; 3] = ["s11.vendor_applied", "s12.reply_read", "s15.card_sent"];

/// Outcome of a run.
struct Killed {
    /// False if the point was not passed.
    killed: bool,
    /// The copies of the card that are not its message any more.
    copies: usize,
}

/// Plays the workflow, killed at a point in one delivery.
fn survives(scenario: &Scenario, delivery: usize, at: &str) -> Killed {
    let here = format!("killed at {at} in delivery {}", delivery + 1);
    let mut world = ThroughSlack::new();
    world.between.kill = Some((delivery, at.to_owned()));
    let done = run(scenario, &mut world);
    assert!(done.passed(), "{here}:\n{}", report::human(&[done]));
    let killed = world.between.killed;
    let (channel, root) = world.between.desk.thread("main");
    let mut cards = world.between.desk.slack.thread(&channel, &root);
    cards.retain(|message| message.bot.is_some());
    let receipt = cards.pop().unwrap();
    assert!(receipt.block_text().contains("AUTH-1") && receipt.labels().is_empty(), "{here}: {receipt:#?}");
    let unknown = killed && delivery == 0 && UNKNOWN.iter().any(|point| at.starts_with(point));
    assert!(cards.len() <= usize::from(unknown), "{here}: {cards:#?}");
    for copy in &cards {
        // While its checks run it cannot be approved.
        let button = copy.button("Approve").or_else(|| copy.button("Reject")).expect("it can be pressed");
        let told = world.deliver(&[pressed(&button.value)]).unwrap();
        assert!(told.notices.iter().any(|told| told.to == "bob"), "{here}: {told:#?}");
        assert!(told.outward.is_empty(), "{here}: {told:#?}");
    }
    assert_eq!(world.sim.issues().unwrap().len(), 1, "{here}");
    Killed { killed, copies: cards.len() }
}

/// A press of Bob.
fn pressed(token: &str) -> Delivery {
    Delivery {
        key: "a press on a copy".into(),
        lane: "main".into(),
        actor: "bob".into(),
        addressing: Addressing::default(),
        kind: EventKind::CardPressed { press: Press::Token(token.into()), remember: false },
    }
}

#[test]
fn a_workflow_killed_at_every_step_ends_as_its_receipt() {
    let scenario = parse("workflow", WORKFLOW).unwrap_or_else(|e| panic!("{e}"));
    let points: Vec<&str> = SimDriver::new().fail_points().to_vec();
    let (mut kills, mut copies) = (0, 0);
    for delivery in 0..scenario.turns.len() {
        for point in &points {
            // The first passing that does not occur ends the series.
            for time in 1..=PASSINGS {
                let end = survives(&scenario, delivery, &format!("{point}#{time}"));
                if !end.killed {
                    break;
                }
                (kills, copies) = (kills + 1, copies + end.copies);
            }
        }
    }
    assert!(kills > 60, "a workflow passes its fail points often: {kills}");
    assert_eq!(copies, UNKNOWN.len(), "one for each point behind which nobody knows");
}
