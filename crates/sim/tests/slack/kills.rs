//! A workflow in Slack killed at every passing of every fail point: request, form, approval, receipt. Nothing is lost, there
//! is one issue and one card, which ends as the receipt. A card whose post nobody knows of is found and not sent again.

use throughline_sim::SimDriver;
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

/// Plays the workflow, killed at a point in one delivery. Returns false if the point was not passed.
fn survives(scenario: &Scenario, delivery: usize, at: &str) -> bool {
    let here = format!("killed at {at} in delivery {}", delivery + 1);
    let mut world = ThroughSlack::new();
    world.between.kill = Some((delivery, at.to_owned()));
    let done = run(scenario, &mut world);
    assert!(done.passed(), "{here}:\n{}", report::human(&[done]));
    let (channel, root) = world.between.desk.thread("main");
    let mut cards = world.between.desk.slack.thread(&channel, &root);
    cards.retain(|message| message.bot.is_some());
    assert_eq!(cards.len(), 1, "{here}: {cards:#?}");
    let receipt = &cards[0];
    assert!(receipt.block_text().contains("AUTH-1") && receipt.labels().is_empty(), "{here}: {receipt:#?}");
    assert_eq!(world.sim.issues().unwrap().len(), 1, "{here}");
    world.between.killed
}

#[test]
fn a_workflow_killed_at_every_step_ends_as_its_receipt() {
    let scenario = parse("workflow", WORKFLOW).unwrap_or_else(|e| panic!("{e}"));
    let points: Vec<&str> = SimDriver::new().fail_points().to_vec();
    let mut kills = 0;
    for delivery in 0..scenario.turns.len() {
        for point in &points {
            // The first passing that does not occur ends the series.
            for time in 1..=PASSINGS {
                if !survives(&scenario, delivery, &format!("{point}#{time}")) {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills > 60, "a workflow passes its fail points often: {kills}");
}
