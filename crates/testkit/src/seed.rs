//! Builds the world a driver begins with from `given`: people, policy, lanes as engine values.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::authors::Authors;
use throughline_engine::data::call::{Agent, Job, Tool, Work};
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::pending::{PendingKind, PendingState, Slot};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Paused;
use throughline_engine::data::task::Task;
use throughline_engine::data::task_status::{TaskSource, TaskStatus};
use throughline_engine::data::ticket::Target;
use throughline_engine::{Language, MessageId, PendingId, Policy, TaskId, Timestamp};
use throughline_language::Expected;

use crate::driver::{DriverError, SeedLane, World};
use crate::model::{Given, GivenMessage, GivenPending, GivenTask, GivenWorker, MAIN, Scenario, User, When};

/// Messages by lane and name.
pub(crate) type SeedNames = BTreeMap<(String, String), MessageId>;

/// Returns the world of a scenario and the messages it names.
pub(crate) fn world(scenario: &Scenario) -> Result<(World, SeedNames), DriverError> {
    let given = &scenario.given;
    let policy = policy(given)?;
    let mut names = SeedNames::new();
    let mut lanes = Vec::new();
    let mut all: Vec<&str> = given.lanes.keys().map(String::as_str).collect();
    all.extend((!given.lanes.contains_key(MAIN)).then_some(MAIN));
    let pendings = given.pending.iter().map(|pending| pending.lane.as_str());
    for lane in pendings.chain(given.tasks.iter().map(|task| task.lane.as_str())) {
        if !all.contains(&lane) {
            all.push(lane);
        }
    }
    for name in all {
        lanes.push(lane(name, given, &policy, &mut names)?);
    }
    let world = World {
        channel: given.channel.clone(),
        clock: given.clock,
        policy,
        people: people(scenario),
        zones: zones(scenario),
        lanes,
        facts: given.facts.clone(),
        tracker: given.tracker.clone(),
        posts: given.posts.clone(),
        workers: workers(given),
        host: given.host.clone(),
        script: given.model.then(|| scenario.script.clone()),
        paused: given.paused.as_ref().map(|pause| Paused {
            by: pause.by.clone(),
            since: given.clock,
            everything: pause.everything,
        }),
    };
    Ok((world, names))
}

/// Tools and sub-agents by target.
fn workers(given: &Given) -> BTreeMap<String, GivenWorker> {
    let tools = given.tools.iter().map(|(name, one)| (format!("tool:{name}"), one.clone()));
    tools.chain(given.agents.iter().map(|(name, one)| (format!("agent:{name}"), one.clone()))).collect()
}

/// Returns everybody in `users`, and everybody who acts without being introduced.
fn people(scenario: &Scenario) -> BTreeMap<String, Actor> {
    let nobody = User::default();
    let users = &scenario.given.users;
    let acting = scenario.turns.iter().filter_map(|turn| turn.act.user());
    let names = users.keys().map(String::as_str).chain(acting);
    let person = |name: &str| {
        let user = users.get(name).unwrap_or(&nobody);
        let roles = user.roles.iter().map(|role| format!("role:{role}"));
        Actor {
            id: name.into(),
            name: name.into(),
            principals: std::iter::once(format!("user:{name}")).chain(roles).collect(),
            barred: user.barred.clone(),
            language: user.language.clone(),
        }
    };
    names.map(|name| (name.to_string(), person(name))).collect()
}

fn zones(scenario: &Scenario) -> BTreeMap<String, String> {
    let users = scenario.given.users.iter();
    users.filter_map(|(name, user)| Some((name.clone(), user.zone.clone()?))).collect()
}

/// Serialises a policy with all values, also those that are skipped while they have their defaults.
pub(crate) fn tree(policy: &Policy) -> serde_json::Result<Json> {
    let mut tree = serde_json::to_value(policy)?;
    let skipped = [
        ("language", serde_json::to_value(&policy.language)?),
        ("drafts", serde_json::to_value(&policy.drafts)?),
        ("trackers", serde_json::to_value(&policy.trackers)?),
        ("destinations", serde_json::to_value(&policy.destinations)?),
        ("tools", serde_json::to_value(&policy.tools)?),
        ("agents", serde_json::to_value(&policy.agents)?),
        ("selection", serde_json::to_value(&policy.selection)?),
        ("judge", serde_json::to_value(&policy.judge)?),
        ("context", serde_json::to_value(&policy.context)?),
        ("summary", serde_json::to_value(&policy.summary)?),
        ("facts", serde_json::to_value(&policy.facts)?),
        ("retention", serde_json::to_value(&policy.retention)?),
        ("places", serde_json::to_value(&policy.places)?),
        ("lexicon", serde_json::to_value(&policy.lexicon)?),
        ("fallback", serde_json::to_value(policy.fallback)?),
        ("capabilities", serde_json::to_value(&policy.capabilities)?),
        ("replies", serde_json::to_value(policy.replies)?),
        ("handover_ms", serde_json::to_value(policy.handover_ms)?),
        ("hosted", serde_json::to_value(&policy.hosted)?),
    ];
    for (name, value) in skipped {
        tree[name] = value;
    }
    tree["judge"]["confirm"] = serde_json::to_value(policy.judge.confirm)?;
    tree["selection"]["commands"] = serde_json::to_value(&policy.selection.commands)?;
    Ok(tree)
}

/// Returns the defaults, changed by the scenario's values by dotted name, with a rule for those who may approve.
fn policy(given: &Given) -> Result<Policy, DriverError> {
    let broken = |error: serde_json::Error| DriverError(format!("policy: {error}"));
    let mut tree = tree(&Policy::default()).map_err(broken)?;
    for (name, value) in &given.policy {
        set(&mut tree, name, value.clone())?;
    }
    let mut policy: Policy = serde_json::from_value(tree).map_err(broken)?;
    let approvers: Vec<String> = given
        .users
        .iter()
        .filter(|(_, user)| user.approves)
        .map(|(name, _)| format!("user:{name}"))
        .collect();
    if !approvers.is_empty() {
        let names: Vec<&str> = approvers.iter().map(String::as_str).collect();
        let mut rule = Policy::demo_rule(&names);
        if !(given.tools.is_empty() && given.agents.is_empty()) {
            rule.effects.extend(["tool.*".into(), "agent.*".into()]);
            rule.targets.extend(["tool:*".into(), "agent:*".into()]);
        }
        policy.approvers.push(rule);
    }
    for (name, one) in &given.tools {
        policy.tools.insert(name.clone(), Tool { risk: one.risk, args: one.args.clone() });
    }
    for (name, one) in &given.agents {
        policy.agents.insert(name.clone(), Agent { risk: one.risk, stops: one.goes_on() });
    }
    policy.project = Target { project: given.tracker.project.clone(), ..policy.project };
    Ok(policy)
}

/// Sets one policy value. An unknown name belongs to a later version, or is misspelt.
fn set(tree: &mut Json, name: &str, value: Json) -> Result<(), DriverError> {
    let mut at = tree;
    for part in name.split('.') {
        let known: Vec<String> = at.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
        at = at.get_mut(part).ok_or_else(|| {
            DriverError(format!(
                "not supported by this version: policy `{name}`; at `{part}` there are {}",
                known.join(", ")
            ))
        })?;
    }
    *at = value;
    Ok(())
}

fn lane(name: &str, given: &Given, policy: &Policy, names: &mut SeedNames) -> Result<SeedLane, DriverError> {
    let mut seed = SeedLane { name: name.into(), head: LaneState::default(), records: Vec::new() };
    for task in given.tasks.iter().filter(|task| task.lane == name) {
        seed.records.push(Record::Task(self::task(task, given)));
    }
    let messages = given.lanes.get(name).map(Vec::as_slice).unwrap_or_default();
    for (n, message) in messages.iter().enumerate() {
        let id = MessageId(format!("{}0_{n}", MessageId::PREFIX));
        if let Some(alias) = &message.name {
            names.insert((name.into(), alias.clone()), id.clone());
        }
        // Messages are one second apart, the last one second before the clock.
        let ago = i64::try_from(messages.len() - n).unwrap_or(1) * Timestamp::SECOND;
        let at = given.clock.plus(-ago);
        if message.by.is_some() {
            seed.head.last_message_at = Some(at);
        }
        seed.head.window.push(&id);
        seed.records.push(Record::Message(seeded_message(message, id, at)));
    }
    for (n, pending) in given.pending.iter().filter(|pending| pending.lane == name).enumerate() {
        let pending = self::pending(pending, n, given, policy, &seed, names)?;
        if seed.head.pendings.iter().any(|open| open.kind.class() == pending.kind.class()) {
            return Err(DriverError("given.pending: a lane has at most one conversational pending".into()));
        }
        seed.head.pendings.push(pending);
    }
    Ok(seed)
}

fn task(task: &GivenTask, given: &Given) -> Task {
    let at = given.clock;
    let job = task.work.clone().map(|(kind, name)| match kind.as_str() {
        "tool" => Job::Tool { name, args: BTreeMap::new() },
        _ => Job::Agent { name },
    });
    let at_if = |status| (task.status == status).then_some(at);
    Task {
        id: TaskId(task.id.clone()),
        intent: task.intent.clone(),
        status: task.status,
        attempt: 1,
        requested_by: task.by.clone().unwrap_or_default(),
        authors: Authors::default(),
        source: TaskSource::Engine,
        work: job.map(Work::of),
        language: Language::En,
        created_at: at,
        started_at: (task.status != TaskStatus::Queued).then_some(at),
        completed_at: at_if(TaskStatus::Completed),
        blocked_at: at_if(TaskStatus::Blocked),
        unblocked_at: None,
        reason: None,
        result: None,
        last_at: at,
        seq: 1,
    }
}

fn seeded_message(message: &GivenMessage, id: MessageId, at: Timestamp) -> Message {
    let role = if message.by.is_some() { Role::User } else { Role::Assistant };
    Message {
        channel_id: Some(format!("given.{}", id.0)),
        link: None,
        untrusted: false,
        files: Vec::new(),
        id,
        role,
        by: message.by.clone().unwrap_or_default(),
        kind: message.by.is_none().then_some(message.kind),
        to: None,
        task: message.task.clone().map(TaskId),
        card: None,
        text: message.text.clone(),
        at,
    }
}

fn pending(
    pending: &GivenPending,
    n: usize,
    given: &Given,
    policy: &Policy,
    seed: &SeedLane,
    names: &SeedNames,
) -> Result<PendingState, DriverError> {
    let kind = match pending.kind.as_str() {
        "slot_request" => PendingKind::SlotRequest(Slot::Host),
        "clarification_needed" => PendingKind::ClarificationNeeded(Slot::Host),
        "tool_retry_offer" => PendingKind::ToolRetryOffer { tool: offered(pending, &given.tools)? },
        "delegation_offer" => PendingKind::DelegationOffer { agent: offered(pending, &given.agents)? },
        other => return Err(DriverError::unsupported(&format!("given.pending of kind {other}"))),
    };
    let asks = if kind.slot().is_some() { Expected::Text } else { Expected::Boolean };
    let anchor = match &pending.anchor {
        Some(name) => names
            .get(&(seed.name.clone(), name.clone()))
            .cloned()
            .ok_or_else(|| DriverError(format!("given.pending: no message is called `{name}`")))?,
        None => newest_of_ours(seed).unwrap_or_else(|| MessageId(format!("m_given_{}_asked_{n}", seed.name))),
    };
    let expires_at = match pending.expires {
        Some(When::At(at)) => Some(at),
        Some(When::In(span)) => Some(given.clock.plus(span)),
        None => kind.lifetime(policy).map(|age| given.clock.plus(age)),
    };
    Ok(PendingState {
        id: PendingId(format!("pd_given_{}_{n}", seed.name)),
        kind,
        expected: Some(pending.expected.clone().unwrap_or(asks)),
        anchor,
        task: pending.task.clone().map(TaskId),
        asked_of: pending.asked_of.clone(),
        ui_version: 1,
        created_at: given.clock,
        expires_at,
    })
}

/// Returns the worker an offer names, or the only one there is.
fn offered(pending: &GivenPending, there: &BTreeMap<String, GivenWorker>) -> Result<String, DriverError> {
    let only = || (there.len() == 1).then(|| there.keys().next().cloned()).flatten();
    pending.with.clone().filter(|name| there.contains_key(name)).or_else(only).ok_or_else(|| {
        DriverError(format!("given.pending: a {} says `with` what, of `tools` and `agents`", pending.kind))
    })
}

fn newest_of_ours(seed: &SeedLane) -> Option<MessageId> {
    let messages = seed.records.iter().rev().filter_map(|record| match record {
        Record::Message(message) => Some(message),
        _ => None,
    });
    let ours = |message: &&Message| {
        message.role == Role::Assistant && message.kind != Some(MessageKind::Notification)
    };
    messages.into_iter().find(ours).map(|message| message.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn made(text: &str) -> Result<World, DriverError> {
        world(&parse("t", text).unwrap()).map(|(world, _)| world)
    }

    #[test]
    fn builds_policy_people_and_lanes() {
        let world = made(
            "scenario: s\ngiven:\n  users: { ana: { may: approve, roles: pm }, bob: {} }\n  tracker: { project: AUTH }\n  \
             policy: { expiry.slot_ms: 5, busy: collect }\n  lanes: { t1: { messages: [ { ana: Hi }, { assistant: Where?, \
             kind: question, as: q } ] } }\n  pending: [ { kind: slot_request, expected: location, lane: t1, anchor: q } ]\nturns:\n  \
             - ana: Swansea\n",
        )
        .unwrap();
        assert_eq!(world.policy.project.to_string(), "local:AUTH");
        assert_eq!(world.policy.expiry.slot_ms, 5);
        assert_eq!(world.policy.approvers[0].allow, ["user:ana"]);
        assert_eq!(world.people["ana"].principals, ["user:ana", "role:pm"]);
        let names: Vec<&str> = world.lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["t1", "main"]);
        let head = &world.lanes[0].head;
        assert_eq!(Some(&head.pendings[0].anchor), head.window.iter().nth(1).as_ref());
        assert_eq!(head.pendings[0].expires_at, Some(world.clock.plus(5)));
    }

    #[test]
    fn reports_what_this_version_does_not_have() {
        let error =
            made("scenario: s\ngiven: { policy: { selection.wishes: true } }\nturns: []\n").unwrap_err();
        assert!(error.0.starts_with("not supported by this version: policy `selection.wishes`"), "{error}");
        let error =
            made("scenario: s\ngiven: { pending: [ { kind: waiting_approval } ] }\nturns: []\n").unwrap_err();
        assert_eq!(error.0, "not supported by this version: given.pending of kind waiting_approval");
    }
}
