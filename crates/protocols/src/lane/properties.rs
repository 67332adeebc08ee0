//! Properties of every state of the world of a lane.

use stateright::{Model, Property};

use super::{LaneModel, LaneWorld, Owner, Run};

/// Each turn writes the revision after the one before it.
pub const ONE_PER_REVISION: &str = "one commit per revision";

/// No event has two turns.
pub const ONCE: &str = "no event is handled twice";

/// Turns come in the order in which their events were accepted.
pub const IN_ORDER: &str = "order kept";

/// Once nothing happens any more, every event has its turn.
pub const ENDS: &str = "every event ends";

/// A row waits in a lane that nobody holds only while somebody is on the way to it.
pub const NOT_STRANDED: &str = "none stranded";

/// Seen in some run: a replica goes on under a claim that another one has taken over.
pub const OUTLIVED: &str = "a replica goes on although its claim was taken over";

/// Seen in some run: a claim is taken over because of a heartbeat, while its lease would have lasted.
pub const TAKEN_OVER: &str = "a claim is taken over from a process that is only asleep";

pub(super) fn all(model: &LaneModel) -> Vec<Property<LaneModel>> {
    let mut properties = vec![
        Property::always(ONE_PER_REVISION, |_, world: &LaneWorld| {
            (1..).zip(&world.turns).all(|(expected, (revision, _))| *revision == expected)
        }),
        Property::always(ONCE, |_, world: &LaneWorld| {
            world
                .turns
                .iter()
                .enumerate()
                .all(|(n, turn)| world.turns[..n].iter().all(|other| other.1 != turn.1))
        }),
        Property::always(IN_ORDER, |_, world: &LaneWorld| world.turns.is_sorted_by_key(|turn| turn.1)),
        Property::always(ENDS, |model, world| !rests(model, world) || ended(model, world)),
        Property::always(NOT_STRANDED, |model: &LaneModel, world| model.look || !stranded(world)),
    ];
    if model.expiries + model.pauses > 0 {
        properties.push(Property::sometimes(OUTLIVED, |_, world| outlived(world)));
    }
    if model.pauses > 0 {
        properties.push(Property::sometimes(TAKEN_OVER, |_, world| taken_over(world)));
    }
    properties
}

fn rests(model: &LaneModel, world: &LaneWorld) -> bool {
    model.next_states(world).is_empty()
}

fn ended(model: &LaneModel, world: &LaneWorld) -> bool {
    world.waiting.is_empty() && world.turns.len() == usize::from(model.events)
}

fn stranded(world: &LaneWorld) -> bool {
    let comes = world.replicas.iter().any(|replica| {
        replica.woken || matches!(replica.run, Run::Running(_) | Run::Stepped(..) | Run::Unanswered(..))
    });
    !world.waiting.is_empty() && world.lane.owner == Owner::Nobody && !comes
}

fn outlived(world: &LaneWorld) -> bool {
    world.replicas.iter().any(|replica| match replica.run {
        Run::Stepped(claimed, _) => claimed.epoch < world.lane.epoch,
        _ => false,
    })
}

fn taken_over(world: &LaneWorld) -> bool {
    let asleep = |(n, replica): (usize, &super::Replica)| {
        let holds = matches!(replica.run, Run::Stepped(claimed, _) if claimed.epoch < world.lane.epoch);
        replica.heartbeat_over && holds && world.lane.owner != Owner::Replica(n)
    };
    world.replicas.iter().enumerate().any(asleep)
}
