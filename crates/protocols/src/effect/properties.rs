//! Properties of every state of the world of effects.

use stateright::{Model, Property};

use super::{Effect, EffectModel, EffectState, EffectWorld, Step, Worker};

/// No effect leads to two issues. Another create needs a person, and is another effect.
pub const NEVER_TWICE: &str = "never two creates without a person";

/// A request that could create goes out only if every one before it is known not to have done so.
pub const PROVED_FIRST: &str = "never a second request without proof about the first";

/// Each request has a durable mark of its own.
pub const MARKED_FIRST: &str = "never sent unmarked";

/// An effect that is said to have failed has no issue, and will have none.
pub const FAILED_IS_TRUE: &str = "what failed was not made";

/// An effect that is said to be done has an issue.
pub const DONE_IS_TRUE: &str = "what is done was made";

/// Once nothing happens any more without a person, every effect has ended or a person is asked about it.
pub const ENDS_OR_ASKS: &str = "every effect ends or is visibly uncertain";

/// Seen in some run: a search finds an issue that nobody knew of.
pub const ADOPTED: &str = "an unknown create is adopted";

/// Seen in some run: a request arrives after its effect was parked.
pub const LATE: &str = "a request arrives after the effect was parked";

/// Seen in some run: a worker sends although another one has parked its effect.
pub const SENT_BY_SLEEPER: &str = "a worker that slept sends after the effect was parked";

pub(super) fn all() -> Vec<Property<EffectModel>> {
    vec![
        Property::always(NEVER_TWICE, |_, world: &EffectWorld| {
            world.effects.iter().all(|one| one.issues <= 1)
        }),
        Property::always(PROVED_FIRST, |_, world: &EffectWorld| {
            world.effects.iter().all(|one| !one.sent_twice)
        }),
        Property::always(MARKED_FIRST, |_, world: &EffectWorld| {
            world.effects.iter().all(|one| one.sends <= one.attempts)
        }),
        Property::always(FAILED_IS_TRUE, failed_is_true),
        Property::always(DONE_IS_TRUE, |_, world: &EffectWorld| world.effects.iter().all(done_is_true)),
        Property::always(ENDS_OR_ASKS, |model, world| !rests(model, world) || ended(world)),
        Property::sometimes(ADOPTED, |_, world: &EffectWorld| {
            world.effects.iter().any(|one| one.state == EffectState::Done && one.asked)
        }),
        Property::sometimes(LATE, |_, world: &EffectWorld| {
            world.effects.iter().any(|one| one.is_question() && one.issues > 0 && one.late == 0)
        }),
        Property::sometimes(SENT_BY_SLEEPER, sent_by_sleeper),
    ]
}

fn failed_is_true(_: &EffectModel, world: &EffectWorld) -> bool {
    let may_exist = |effect: usize, row: &Effect| {
        let holds = |worker: &Worker| matches!(worker, Worker::Marked(holder) | Worker::Sent(holder, _) if usize::from(holder.effect) == effect);
        row.issues > 0 || row.late > 0 || world.workers.iter().any(holds)
    };
    let failed = |row: &Effect| row.state == EffectState::Failed;
    !world.effects.iter().enumerate().any(|(n, row)| failed(row) && may_exist(n, row))
}

fn done_is_true(effect: &Effect) -> bool {
    effect.state != EffectState::Done || effect.issues > 0
}

/// True if no step is left but those of a person.
fn rests(model: &EffectModel, world: &EffectWorld) -> bool {
    let mut steps = Vec::new();
    model.actions(world, &mut steps);
    let by_person = |step: &Step| matches!(step, Step::Adopt(_) | Step::CreateAgain(_) | Step::Cancel(_));
    steps.iter().all(by_person)
}

/// True if every effect ended, is asked about, or waits for one that is asked about.
fn ended(world: &EffectWorld) -> bool {
    let settled = |row: &Effect| match row.state {
        EffectState::Done | EffectState::Failed | EffectState::Cancelled => true,
        EffectState::Uncertain => row.asked,
        EffectState::Planned => row.after.is_some_and(|on| world.effects[usize::from(on)].is_question()),
        EffectState::Attempted => false,
    };
    world.effects.iter().all(settled)
}

fn sent_by_sleeper(_: &EffectModel, world: &EffectWorld) -> bool {
    let sends = |worker: &Worker| match worker {
        Worker::Sent(holder, _) => world.effects[usize::from(holder.effect)].is_question(),
        _ => false,
    };
    world.workers.iter().any(sends)
}
