//! Lists of options in a run: those shown before the first turn, and the events of hosts and presses.

use throughline_engine::data::event::{EventKind, FocusChanged, Press};
use throughline_engine::data::id::SetId;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::option_set::{OptionSet, OptionSetOrigin, OptionsShown};
use throughline_engine::data::record::Record;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::view::{
    ActionKind, ActionOutcome, ListStatus, ParkReason, TargetRef, TraceEntry, View,
};

use super::Runner;
use crate::driver::{Delivery, DriverError, TurnSeen};
use crate::model::{Act, ChangeFocus, GivenSet, ListState, PressOption, instance};

impl Runner<'_, '_> {
    /// Brings about `given.sets` by events of hosts and presses, and writes the rest as records.
    pub(super) fn show_given(&mut self) -> Result<(), DriverError> {
        let mut n = 0;
        for set in &self.scenario.given.sets {
            let lanes = if set.lanes.is_empty() { self.every_lane() } else { set.lanes.clone() };
            for lane in lanes {
                self.lanes.insert(lane.clone());
                self.given_set(set, &lane, &mut n)?;
            }
        }
        Ok(())
    }

    /// Returns every lane in which something happens.
    fn every_lane(&self) -> Vec<String> {
        let acts = self.scenario.turns.iter().map(|turn| &turn.act);
        let placed = acts.filter(|act| {
            !matches!(act, Act::Effects(_) | Act::Advance(_) | Act::Restart(_) | Act::Erase(_))
        });
        let mut lanes: Vec<String> = self.scenario.given.lanes.keys().cloned().collect();
        for lane in placed.map(Act::lane) {
            if !lanes.iter().any(|known| known == lane) {
                lanes.push(lane.into());
            }
        }
        lanes
    }

    fn given_set(&mut self, given: &GivenSet, lane: &str, n: &mut usize) -> Result<(), DriverError> {
        let shown = OptionsShown { scope_instance: instance(&given.shown, lane), ..given.shown.clone() };
        let id = self.shown(lane, given.name.as_deref(), &shown)?;
        let set = OptionSet::from_shown(&shown, OptionSetOrigin::Host)
            .map_err(|why| DriverError(format!("given.sets: {id} cannot be shown: {why:?}")))?;
        let state = &given.state;
        let users = self.looking(given);
        let mut happens = vec![(String::new(), EventKind::OptionsShown(shown.clone()))];
        for user in &users {
            if state.focused {
                let focus = FocusChanged {
                    user: user.clone(),
                    scope: shown.scope,
                    scope_instance: shown.scope_instance.clone(),
                    option: None,
                };
                happens.push((String::new(), EventKind::FocusChanged(focus)));
            }
            if let Some(option) = &state.executed {
                let press = Press::Option { set: id.clone(), version: 1, option: option.clone() };
                happens.push((user.clone(), EventKind::CardPressed { press, remember: false }));
            }
        }
        for (actor, kind) in happens {
            *n += 1;
            let key = format!("given-{n}");
            let addressing = Addressing::default();
            let delivery = Delivery { key, lane: lane.into(), actor, addressing, kind };
            let seen = self.driver.deliver(&[delivery])?;
            self.note(&seen, None)?;
        }
        if !state.written() {
            return Ok(());
        }
        let now = self.driver.lane(lane)?;
        let views = users.iter().map(|user| state.write(&now, user, &set, self.driver.now()));
        let records = views.collect::<Result<Vec<_>, _>>()?;
        self.driver.amend(lane, records)?;
        self.note(&TurnSeen::default(), None)
    }

    /// Returns the people who see the list.
    fn looking(&self, given: &GivenSet) -> Vec<String> {
        if !given.state.users.is_empty() {
            return given.state.users.clone();
        }
        match &given.shown.user {
            Some(user) => vec![user.clone()],
            None => self.scenario.given.users.keys().cloned().collect(),
        }
    }

    /// Names a list; its id is derived from its content.
    pub(super) fn shown(
        &mut self,
        lane: &str,
        name: Option<&str>,
        shown: &OptionsShown,
    ) -> Result<SetId, DriverError> {
        let shown = OptionsShown { scope_instance: instance(shown, lane), ..shown.clone() };
        let set = OptionSet::from_shown(&shown, OptionSetOrigin::Host);
        let Ok(set) = set else { return Ok(SetId::from("")) };
        if let Some(name) = name {
            self.transcript.set_is(lane, name, &set.id);
        }
        Ok(set.id)
    }

    /// Returns the event of an act about a list.
    pub(super) fn option_event(&self, act: &Act, before: &Lane) -> Result<Option<EventKind>, DriverError> {
        Ok(Some(match act {
            Act::ShowList(shows) => {
                let scope_instance = instance(&shows.shown, &shows.lane);
                EventKind::OptionsShown(OptionsShown { scope_instance, ..shows.shown.clone() })
            }
            Act::CloseList(closes) => EventKind::OptionsClosed {
                set: closes.set.as_deref().map(|set| self.transcript.set(&closes.lane, set)).transpose()?,
                scope_instance: closes.instance.clone(),
            },
            Act::ChangeFocus(focus) => EventKind::FocusChanged(FocusChanged {
                user: focus.user.clone(),
                scope: focus.scope,
                scope_instance: place(focus),
                option: focus.option.clone(),
            }),
            Act::PressOption(press) => {
                EventKind::CardPressed { press: self.chosen(press, before)?, remember: false }
            }
            _ => return Ok(None),
        }))
    }

    fn chosen(&self, press: &PressOption, before: &Lane) -> Result<Press, DriverError> {
        let set = self.transcript.set(&press.lane, &press.set)?;
        let now = before.records.iter().find_map(|record| match record {
            Record::OptionSet(known) if known.id == set => Some(known.exec_rev),
            _ => None,
        });
        let version = press.version.or(now).unwrap_or(1);
        Ok(Press::Option { set, version, option: press.option.clone() })
    }
}

/// Returns the place of a focus.
fn place(focus: &ChangeFocus) -> String {
    match (focus.instance.is_empty(), focus.scope) {
        (false, _) => focus.instance.clone(),
        (true, Scope::Chat) => focus.lane.clone(),
        (true, scope) => scope.as_str().into(),
    }
}

impl ListState {
    /// Returns true if part of the state cannot be played without side effects, and has to be written.
    fn written(&self) -> bool {
        self.acted.is_some() || !self.rejected.is_empty() || self.parked.is_some() || self.clarifier.is_some()
    }

    /// Merges the given state of this list into a person's record.
    fn write(
        &self,
        lane: &Lane,
        user: &str,
        set: &OptionSet,
        now: throughline_engine::Timestamp,
    ) -> Result<Record, DriverError> {
        let of = |wanted: &str| {
            lane.records.iter().find_map(|record| match record {
                Record::View(view) if view.user == wanted => Some(view.as_ref().clone()),
                _ => None,
            })
        };
        let mut view = of(user).or_else(|| of("")).unwrap_or_default();
        view.user = user.into();
        let broken = |what: &str| DriverError(format!("given.sets: {what} {} for {user}", set.id));
        if view.standing(&set.id).is_none() {
            return Err(broken("nothing is known of"));
        }
        if let Some(id) = &self.acted {
            let target_ref = TargetRef { kind: "entity".into(), id: id.clone(), label: id.clone() };
            let entry = TraceEntry {
                kind: ActionKind::Command,
                target_ref,
                source_scope: set.scope,
                option_set_id: None,
                timestamp: now,
                outcome: ActionOutcome::Success,
                turn: view.turn,
                executed: None,
            };
            view.recent_action_trace.insert(0, entry.clone());
            view.last_resolved_action = Some(entry);
        }
        for option in &self.rejected {
            set.option(option).ok_or_else(|| broken(&format!("no option `{option}` is in")))?;
            view.recent_rejected_choice_ids.insert(0, option.clone());
        }
        if let Some(asks) = self.clarifier {
            view.pending_clarifier_type = asks;
            let clarifier = serde_json::json!({
                "message": "m_given_clarifier", "set": set.id, "print": "given", "turn": view.turn,
            });
            view.clarifier = serde_json::from_value(clarifier).ok();
        }
        if let Some(why) = self.parked {
            park(&mut view, set, why, now);
        }
        Ok(Record::View(Box::new(view)))
    }
}

/// Parks a list: ordinary text is not matched against it.
fn park(view: &mut View, set: &OptionSet, why: ParkReason, now: throughline_engine::Timestamp) {
    let turn = view.turn;
    for standing in view.standings.iter_mut().filter(|standing| standing.set == set.id) {
        (standing.status, standing.turn, standing.at) = (ListStatus::Parked(why), turn, now);
    }
    if view.active_option_set_id.as_ref() == Some(&set.id) {
        (view.active_option_set_id, view.active_scope) = (None, None);
    }
}
