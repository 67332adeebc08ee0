//! The virtual tracker of a scenario: the embedded one, configured by `given.tracker`.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::fault::{Fault as Told, FieldFault};
use throughline_engine::data::ticket::Part;
use throughline_engine::{Millis, Timestamp};
use throughline_store::{Clock, ManualClock};
use throughline_testkit::driver::{DriverError, TrackerWorld};
use throughline_testkit::model::Fault;
use throughline_trackers::local::{
    Call, ChildLink, Fault as TrackerFault, FaultClock, Faults, FieldKind, FieldRule, ItemMatch, Lag,
    LocalConfig, LocalTracker, MemoryDocuments, ProjectConfig, ScriptedFault,
};

/// Duration of `slow` if none is given: longer than anybody waits, and less than a request may take.
const SLOW: Millis = 20 * Timestamp::SECOND;

pub(crate) fn of(world: &TrackerWorld, clock: &Arc<ManualClock>) -> Result<LocalTracker, DriverError> {
    let config = LocalConfig { projects: BTreeMap::from([(world.project.clone(), project(world)?)]) };
    let lag = if world.lag > 0 { Lag::For(world.lag) } else { Lag::None };
    let faults = Faults::new().with_clock(Arc::new(Virtual(clock.clone()))).with_lag(lag);
    for one in &world.fail {
        faults.script(scripted(one)?);
    }
    let tracker = LocalTracker::new(config, Arc::new(MemoryDocuments::new())).with_faults(Arc::new(faults));
    Ok(if world.idempotent { tracker } else { tracker.promising_nothing() })
}

fn project(world: &TrackerWorld) -> Result<ProjectConfig, DriverError> {
    // The issue's own summary is its title and its description the body: every draft has both.
    let named = world.required.iter().filter(|word| word.as_str() != "description");
    let mut project = ProjectConfig {
        name: world.project.clone(),
        required: named.map(|word| part("required", word)).collect::<Result<_, _>>()?,
        ..ProjectConfig::default()
    };
    if !world.types.is_empty() {
        project.types = world.types.iter().map(|word| read("types", word)).collect::<Result<_, _>>()?;
    }
    for (word, values) in &world.values {
        let part = part("values", word)?;
        let kind = if part == Part::Labels { FieldKind::Options } else { FieldKind::Option };
        project.schema.insert(part, FieldRule::of(kind, values));
    }
    for (what, who) in &world.may {
        *match what.as_str() {
            "browse" => &mut project.browse,
            "create" => &mut project.create,
            "edit" => &mut project.edit,
            "link" => &mut project.link,
            _ => return Err(DriverError(format!("tracker.may: nobody may {what:?} in a tracker"))),
        } = who.clone();
    }
    match world.child_link.as_deref() {
        Some("none") => project.hierarchy = Vec::new(),
        Some(word) => project.child_link = read::<ChildLink>("child_link", word)?,
        None => {}
    }
    Ok(project)
}

fn part(key: &str, word: &str) -> Result<Part, DriverError> {
    match word {
        "summary" => Ok(Part::Title),
        "description" => Ok(Part::Problem),
        other => Part::parse(other).ok_or_else(|| {
            DriverError(format!("tracker.{key}: there is no part named {other:?} on a ticket"))
        }),
    }
}

fn read<T: serde::de::DeserializeOwned>(key: &str, word: &str) -> Result<T, DriverError> {
    serde_json::from_value(word.into()).map_err(|error| DriverError(format!("tracker.{key}: {error}")))
}

fn scripted(fault: &Fault) -> Result<ScriptedFault, DriverError> {
    let on = match fault.on.as_str() {
        "check" => Call::Check,
        "find" => Call::Find,
        "update" => Call::Update,
        "seek" => Call::Seek,
        _ => Call::Create,
    };
    let item = fault.item.as_ref().map(|item| match item.parse() {
        Ok(n) => ItemMatch::Nth(n),
        Err(_) => ItemMatch::Titled(item.clone()),
    });
    Ok(ScriptedFault { on: Some(on), item, fault: how(fault)? })
}

fn how(fault: &Fault) -> Result<TrackerFault, DriverError> {
    let field = fault.field.as_deref().unwrap_or("labels");
    Ok(match fault.how.as_str() {
        "ok" => TrackerFault::Pass,
        "refused" => TrackerFault::Refused,
        "429" => TrackerFault::RateLimited { retry_after: fault.after },
        "5xx" | "lost_request" => TrackerFault::ErrorBeforeApply,
        "5xx_after_apply" => TrackerFault::ErrorAfterApply,
        "lost_reply" => TrackerFault::LostReply,
        "late_apply" => TrackerFault::LateApply { after: fault.after.unwrap_or(0) },
        "slow" => TrackerFault::Slow { span: fault.after.unwrap_or(SLOW) },
        "parent_ignored" => TrackerFault::ParentIgnored,
        "requires" => TrackerFault::Requires(part("fail", field)?),
        "rejected" => TrackerFault::Reject(FieldFault::new(
            "check.value",
            field,
            Told::Said("The tracker does not take this value".into()),
        )),
        other => return Err(DriverError::unsupported(&format!("tracker fault {other:?}"))),
    })
}

/// The scenario's clock, for the tracker's faults.
struct Virtual(Arc<ManualClock>);

#[async_trait]
impl FaultClock for Virtual {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn pass(&self, span: Millis) {
        self.0.advance(span);
    }
}
