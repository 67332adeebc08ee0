//! Properties of every state of the world of an approval.

use stateright::{Model, Property};

use super::{Answer, Approval, ApprovalModel, ApprovalWorld, Button, Effect};

/// One press releases something, whatever the number of versions and people.
pub const ONE_CONSUMPTION: &str = "at most one consumption";

/// An effect is what its consumed version showed, and what was on the button that the person pressed.
pub const RUNS_WHAT_WAS_SHOWN: &str = "executed hash is the consumed version, and the one pressed";

/// No press is answered twice.
pub const ONE_ANSWER: &str = "each press gets exactly one answer";

/// Answers are true.
pub const RIGHT_ANSWER: &str = "each answer is the one of the table";

/// Nothing is consumed after its end.
pub const NOT_LATE: &str = "never consumed after its end";

/// Nothing is marked while the kill switch is on.
pub const NOT_PAUSED: &str = "never marked during a pause";

/// Once nothing happens any more, every press is answered and every effect has begun.
pub const ENDS: &str = "every press is answered, every effect begins";

/// Seen in some run: the loser of a race is told who won.
pub const OTHER_TOLD: &str = "somebody is told that another person decided";

/// Seen in some run: the second version runs, and the press on the first was refused.
pub const LATER_VERSION_RUNS: &str = "an edited version runs, and a press on the older one is outdated";

pub(super) fn all() -> Vec<Property<ApprovalModel>> {
    vec![
        Property::always(ONE_CONSUMPTION, |_, world: &ApprovalWorld| {
            let consumed = |approval: &&Approval| matches!(approval, Approval::Approved(_));
            world.approvals.iter().filter(consumed).count() <= 1 && world.effects.len() <= 1
        }),
        Property::always(RUNS_WHAT_WAS_SHOWN, |model, world: &ApprovalWorld| {
            world.effects.iter().all(|effect| was_shown(model, world, effect))
        }),
        Property::always(ONE_ANSWER, |_, world: &ApprovalWorld| {
            world.presses.iter().all(|press| press.answers <= 1)
        }),
        Property::always(RIGHT_ANSWER, |model, world: &ApprovalWorld| {
            (0..world.presses.len()).all(|press| is_right(model, world, press))
        }),
        Property::always(NOT_LATE, |_, world: &ApprovalWorld| !world.consumed_late),
        Property::always(NOT_PAUSED, |_, world: &ApprovalWorld| !world.marked_in_pause),
        Property::always(ENDS, |model: &ApprovalModel, world: &ApprovalWorld| {
            !model.next_states(world).is_empty() || ended(world)
        }),
        Property::sometimes(OTHER_TOLD, |_, world: &ApprovalWorld| {
            world.presses.iter().any(|press| matches!(press.answer, Some(Answer::AlreadyBy(_))))
        }),
        Property::sometimes(LATER_VERSION_RUNS, |_, world: &ApprovalWorld| {
            let outdated = world.presses.iter().any(|press| press.answer == Some(Answer::Outdated));
            outdated && world.effects.iter().any(|effect| effect.attempted && effect.hash == 2)
        }),
    ]
}

fn was_shown(model: &ApprovalModel, world: &ApprovalWorld, effect: &Effect) -> bool {
    let consumed = matches!(world.approvals[usize::from(effect.approval) - 1], Approval::Approved(_));
    let pressed = model.presses.iter().zip(&world.presses).any(|((_, button), press)| {
        *button == Button::Approve && press.answer == Some(Answer::Applied) && press.version == effect.hash
    });
    consumed && effect.hash == effect.approval && pressed
}

/// True if a press was not answered yet, or if its answer fits to what came of the card.
fn is_right(model: &ApprovalModel, world: &ApprovalWorld, press: usize) -> bool {
    let ((person, button), state) = (model.presses[press], &world.presses[press]);
    let decided = |by| {
        let decided = |one: &Approval| *one == Approval::Approved(by) || *one == Approval::Rejected(by);
        world.approvals.iter().any(decided)
    };
    let of_version = || world.approvals[usize::from(state.version) - 1];
    match state.answer {
        None => true,
        Some(Answer::Applied) => match button {
            Button::Approve => of_version() == Approval::Approved(person),
            Button::Reject => of_version() == Approval::Rejected(person),
            Button::Edit => of_version() == Approval::Superseded,
        },
        Some(Answer::AlreadyByYou) => decided(person),
        Some(Answer::AlreadyBy(by)) => by != person && decided(by),
        Some(Answer::Outdated) => state.version < world.version(),
        Some(Answer::Expired) => world.late,
        Some(Answer::Forbidden) => button == Button::Approve && person == super::Person::Eve,
        Some(Answer::Paused) => button == Button::Approve && world.switches < model.switches,
        // Only the delivery of a press that was answered already is a duplicate.
        Some(Answer::Duplicate) => false,
    }
}

fn ended(world: &ApprovalWorld) -> bool {
    let answered =
        world.presses.iter().all(|press| press.version > 0 && press.rows == 0 && press.answers == 1);
    // What was released in time and is paused for good waits.
    answered && (world.paused || world.effects.iter().all(|effect| effect.attempted))
}
