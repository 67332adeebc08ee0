//! Lists of options in a run: what was shown before the first turn, and the events hosts and presses make.

use throughline_engine::event::{EventKind, FocusChanged, Press};
use throughline_engine::given::Addressing;
use throughline_engine::id::SetId;
use throughline_engine::lane::{Lane, Record};
use throughline_engine::selection::{
    ActionKind, ActionOutcome, OptionSet, Origin, Parked, Scope, Shown, Status, TargetRef, TraceEntry, View,
};

use super::Runner;
use crate::driver::{Delivery, DriverError, TurnSeen};
use crate::model::{Act, Chooses, Focuses, GivenSet, Stands, instance};

impl Runner<'_, '_> {
    /// Brings about `given.sets`: by the events a host sends and the presses people make, as far as those go.
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

    /// Every lane that something happens in.
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
        let shown = Shown { scope_instance: instance(&given.shown, lane), ..given.shown.clone() };
        let id = self.shown(lane, given.name.as_deref(), &shown)?;
        let set = OptionSet::of(&shown, Origin::Host)
            .map_err(|why| DriverError(format!("given.sets: {id} cannot be shown: {why:?}")))?;
        let stands = &given.stands;
        let users = self.looking(given);
        let mut happens = vec![(String::new(), EventKind::OptionsShown(shown.clone()))];
        for user in &users {
            if stands.focused {
                let focus = FocusChanged {
                    user: user.clone(),
                    scope: shown.scope,
                    scope_instance: shown.scope_instance.clone(),
                    option: None,
                };
                happens.push((String::new(), EventKind::FocusChanged(focus)));
            }
            if let Some(option) = &stands.executed {
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
        if !stands.written() {
            return Ok(());
        }
        let now = self.driver.lane(lane)?;
        let views = users.iter().map(|user| stands.write(&now, user, &set, self.driver.now()));
        let records = views.collect::<Result<Vec<_>, _>>()?;
        self.driver.amend(lane, records)?;
        self.note(&TurnSeen::default(), None)
    }

    /// Who has it in front of them.
    fn looking(&self, given: &GivenSet) -> Vec<String> {
        if !given.stands.users.is_empty() {
            return given.stands.users.clone();
        }
        match &given.shown.user {
            Some(user) => vec![user.clone()],
            None => self.scenario.given.users.keys().cloned().collect(),
        }
    }

    /// A list gets its name; its id, which is the address of what it holds.
    pub(super) fn shown(
        &mut self,
        lane: &str,
        name: Option<&str>,
        shown: &Shown,
    ) -> Result<SetId, DriverError> {
        let shown = Shown { scope_instance: instance(shown, lane), ..shown.clone() };
        let set = OptionSet::of(&shown, Origin::Host);
        let Ok(set) = set else { return Ok(SetId::from("")) };
        if let Some(name) = name {
            self.book.set_is(lane, name, &set.id);
        }
        Ok(set.id)
    }

    /// The event of an act that is about a list.
    pub(super) fn option_event(&self, act: &Act, before: &Lane) -> Result<Option<EventKind>, DriverError> {
        Ok(Some(match act {
            Act::Shows(shows) => {
                let scope_instance = instance(&shows.shown, &shows.lane);
                EventKind::OptionsShown(Shown { scope_instance, ..shows.shown.clone() })
            }
            Act::Closes(closes) => EventKind::OptionsClosed {
                set: closes.set.as_deref().map(|set| self.book.set(&closes.lane, set)).transpose()?,
                scope_instance: closes.instance.clone(),
            },
            Act::Focuses(focus) => EventKind::FocusChanged(FocusChanged {
                user: focus.user.clone(),
                scope: focus.scope,
                scope_instance: place(focus),
                option: focus.option.clone(),
            }),
            Act::Chooses(press) => {
                EventKind::CardPressed { press: self.chosen(press, before)?, remember: false }
            }
            _ => return Ok(None),
        }))
    }

    fn chosen(&self, press: &Chooses, before: &Lane) -> Result<Press, DriverError> {
        let set = self.book.set(&press.lane, &press.set)?;
        let now = before.records.iter().find_map(|record| match record {
            Record::OptionSet(known) if known.id == set => Some(known.exec_rev),
            _ => None,
        });
        let version = press.version.or(now).unwrap_or(1);
        Ok(Press::Option { set, version, option: press.option.clone() })
    }
}

/// The place somebody looks at.
fn place(focus: &Focuses) -> String {
    match (focus.instance.is_empty(), focus.scope) {
        (false, _) => focus.instance.clone(),
        (true, Scope::Chat) => focus.lane.clone(),
        (true, scope) => scope.word().into(),
    }
}

impl Stands {
    /// Something of it cannot be played: it would bring about more than is given.
    fn written(&self) -> bool {
        self.acted.is_some() || !self.rejected.is_empty() || self.parked.is_some() || self.clarifier.is_some()
    }

    /// What this person's lists have come to, with what is given of this one.
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

/// A list is put aside: no ordinary text is read against it.
fn park(view: &mut View, set: &OptionSet, why: Parked, now: throughline_engine::Timestamp) {
    let turn = view.turn;
    for standing in view.standings.iter_mut().filter(|standing| standing.set == set.id) {
        (standing.status, standing.turn, standing.at) = (Status::Parked(why), turn, now);
    }
    if view.active_option_set_id.as_ref() == Some(&set.id) {
        (view.active_option_set_id, view.active_scope) = (None, None);
    }
}
