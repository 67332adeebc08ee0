//! Injected faults: a kill changes no result, also where the far side repeats nothing and cannot be asked.

use throughline_sim::SimDriver;
use throughline_testkit::{Scenario, parse, report, run_with_faults};

/// A scenario about effects that nobody repeats, in one world each.
fn scenario(given: &str, turns: &str) -> Scenario {
    let text =
        format!("scenario: s\ngiven:\n  users: {{ ana: {{ may: [approve] }} }}\n{given}turns:\n{turns}");
    parse("s", &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_kill_on_the_way_of_what_is_never_repeated_is_not_drawn() {
    let ticket = "  - ana: |-\n      Create a ticket for login bug\n      Steps: open /login\n      Expected: the form\n      Actual: a blank page\n  \
                  - ana: { press: approve, card: latest }\n    expect: { card: { state: created }, effects: { tracker.create: 1 } }\n";
    let post = "  - ana: \"Record the decision about sign-in: we use passkeys, because support asked for it.\"\n  \
                - ana: { press: approve, card: latest }\n    expect: { card: { state: posted }, effects: { post.channel: 1 } }\n";
    let call = "  - ana: \"@publisher publish the release notes\"\n  - ana: { press: approve, card: latest }\n    \
                expect: { task: { status: completed } }\n";
    for (given, turns) in [
        ("  agents: { publisher: { risk: write, idempotent: false } }\n", call),
        ("  tracker: { project: AUTH, idempotent: false }\n", ticket),
        ("  channel: slack\n", post),
        ("  channel: telegram\n", post),
        ("  channel: slack\n  posts: [ok]\n", post),
    ] {
        let seeds: Vec<u64> = (1..=64).collect();
        let failed: Vec<_> = run_with_faults(&scenario(given, turns), &mut SimDriver::new(), &seeds)
            .into_iter()
            .filter(|report| !report.passed())
            .collect();
        assert!(failed.is_empty(), "{given}{}", report::human(&failed));
    }
}
