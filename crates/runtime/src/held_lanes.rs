//! The lanes this process has claimed, with their state in memory (`docs/design/0003-idle-lanes-stay-claimed.md`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::data::lane::Lane;
use throughline_engine::data::policy::limits;
use throughline_engine::{LaneKey, Timestamp};
use throughline_store::LANE_LEASE;
use tokio::sync::{Notify, OwnedMutexGuard};

use crate::away::text_kept;

/// A claimed lane, loaded.
pub(crate) struct LaneActor {
    pub(crate) epoch: i64,
    pub(crate) leased_until: Timestamp,
    pub(crate) used_at: Timestamp,
    pub(crate) lane: Lane,
    pub(crate) state_hash: String,
    pub(crate) log_hash: String,
}

impl LaneActor {
    /// True while at least a third of the lease is left. A lease that begins in the future is over: the clock was set
    /// back.
    pub(crate) fn fresh(&self, now: Timestamp) -> bool {
        let begun = self.leased_until.plus(-LANE_LEASE);
        (begun..self.leased_until.plus(-LANE_LEASE / 3)).contains(&now)
    }

    /// True if it was not used for a while, or lately by a clock that was set back since.
    fn idle(&self, now: Timestamp) -> bool {
        self.used_at > now || now.since(self.used_at) >= limits::IDLE_LANE
    }

    /// Bytes it takes in memory, about.
    fn size(&self) -> usize {
        // A card or a draft repeats the text of the messages that led to it.
        limits::HELD_RECORD * (1 + self.lane.records.iter().count()) + 2 * text_kept(&self.lane)
    }
}

/// The lanes of this process by key. A slot is empty while its lane is not loaded.
#[derive(Default)]
pub(crate) struct HeldLanes {
    slots: Mutex<HashMap<LaneKey, Slot>>,
    /// Notified when there are more slots than may be held.
    pub(crate) crowded: Notify,
}

pub(crate) type Slot = Arc<tokio::sync::Mutex<Option<LaneActor>>>;

/// A held lane that nobody uses until this is dropped.
pub(crate) type Spare = (LaneKey, OwnedMutexGuard<Option<LaneActor>>);

impl HeldLanes {
    fn slots(&self) -> MutexGuard<'_, HashMap<LaneKey, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn slot(&self, lane: &LaneKey) -> Slot {
        let mut slots = self.slots();
        if slots.len() >= limits::HELD_LANES && !slots.contains_key(lane) {
            self.crowded.notify_one();
        }
        slots.entry(lane.clone()).or_default().clone()
    }

    /// The slot of a lane that was held lately; it may be empty by now.
    pub(crate) fn find(&self, lane: &LaneKey) -> Option<Slot> {
        self.slots().get(lane).cloned()
    }

    /// True if this process holds the lane, or is at work in it.
    pub(crate) fn holds(&self, lane: &LaneKey) -> bool {
        self.find(lane).is_some_and(|slot| slot.try_lock().map_or(true, |held| held.is_some()))
    }

    /// Returns the lanes to release: those that are idle, and of the others those that were not used for longest, if
    /// they are too many or too large for memory. All of them if `all`. Lanes that are running are left out.
    pub(crate) fn spare(&self, all: bool, now: Timestamp) -> Vec<Spare> {
        let (mut spare, mut kept) = (Vec::new(), Vec::new());
        for (key, held) in self.unused() {
            match held.as_ref() {
                Some(actor) if all || actor.idle(now) => spare.push((key, held)),
                Some(actor) => kept.push((actor.used_at, actor.size(), key, held)),
                None => {
                    drop(held);
                    self.forget(&key);
                }
            }
        }
        // Those that are running count too, or there would be too many and none to release.
        let mut lanes = self.slots().len().saturating_sub(spare.len());
        let mut left: usize = kept.iter().map(|(_, size, ..)| size).sum();
        if lanes < limits::HELD_LANES && left <= limits::HELD_BYTES {
            return spare;
        }
        // Down to three quarters, so that the next lane does not make it necessary again.
        kept.sort_by_key(|(used_at, ..)| *used_at);
        for (_, size, key, held) in kept {
            if lanes * 4 <= limits::HELD_LANES * 3 && left * 4 <= limits::HELD_BYTES * 3 {
                break;
            }
            (lanes, left) = (lanes.saturating_sub(1), left - size);
            spare.push((key, held));
        }
        spare
    }

    /// Locks every slot that is not in use.
    fn unused(&self) -> Vec<Spare> {
        let slots = self.slots();
        slots
            .iter()
            .filter_map(|(key, slot)| Some((key.clone(), slot.clone().try_lock_owned().ok()?)))
            .collect()
    }

    /// Drops the slot of a lane that is not held, unless somebody is about to use it.
    pub(crate) fn forget(&self, lane: &LaneKey) {
        let mut slots = self.slots();
        if slots.get(lane).is_some_and(|slot| Arc::strong_count(slot) == 1) {
            slots.remove(lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::MessageId;
    use throughline_engine::data::message::{Message, Role};
    use throughline_engine::data::record::Record;

    use super::*;

    fn key(n: usize) -> LaneKey {
        LaneKey::new("acme", "app", "api", &format!("c{n:05}"), "")
    }

    /// Holds a lane that was used at that time, with a message of so many bytes.
    async fn hold(lanes: &HeldLanes, n: usize, used_at: Timestamp, bytes: usize) {
        let mut lane = Lane::new(key(n));
        lane.records.insert(Record::Message(Message {
            id: MessageId::from("m_1"),
            role: Role::User,
            by: "ana".into(),
            kind: None,
            to: None,
            task: None,
            card: None,
            text: "x".repeat(bytes),
            at: used_at,
            channel_id: None,
            link: None,
            untrusted: false,
            files: Vec::new(),
        }));
        let (state_hash, log_hash) = (String::new(), String::new());
        let actor = LaneActor { epoch: 1, leased_until: used_at, used_at, lane, state_hash, log_hash };
        *lanes.slot(&key(n)).lock().await = Some(actor);
    }

    fn now() -> Timestamp {
        Timestamp(1_000_000_000)
    }

    fn spare(lanes: &HeldLanes, all: bool) -> Vec<LaneKey> {
        let mut keys: Vec<_> = lanes.spare(all, now()).into_iter().map(|(key, _)| key).collect();
        keys.sort_by(|a, b| a.conversation.cmp(&b.conversation));
        keys
    }

    #[tokio::test]
    async fn lanes_that_are_idle_are_spare_and_those_in_use_are_not() {
        let lanes = HeldLanes::default();
        hold(&lanes, 1, now().plus(-limits::IDLE_LANE), 1).await;
        hold(&lanes, 2, now().plus(-limits::IDLE_LANE + 1), 1).await;
        hold(&lanes, 3, now().plus(-limits::IDLE_LANE), 1).await;
        let slot = lanes.slot(&key(3));
        let _running = slot.lock().await;
        assert_eq!(spare(&lanes, false), [key(1)]);
        assert_eq!(spare(&lanes, true), [key(1), key(2)]);
    }

    #[tokio::test]
    async fn of_too_many_lanes_those_used_longest_ago_are_spare() {
        let lanes = HeldLanes::default();
        for n in 0..limits::HELD_LANES {
            let ago = i64::try_from(limits::HELD_LANES - n).unwrap();
            hold(&lanes, n, now().plus(-ago), 1).await;
        }
        lanes.slot(&key(0));
        let told = || tokio::time::timeout(std::time::Duration::ZERO, lanes.crowded.notified());
        assert!(told().await.is_err(), "one that is held already makes it no worse");
        lanes.slot(&key(limits::HELD_LANES));
        assert!(told().await.is_ok());
        // The slot of the newcomer counts, although its lane is not loaded.
        let oldest: Vec<_> = (0..limits::HELD_LANES / 4).map(key).collect();
        assert_eq!(spare(&lanes, false), oldest);
    }

    #[tokio::test]
    async fn lanes_that_are_running_are_among_those_that_are_too_many() {
        let lanes = HeldLanes::default();
        for n in 0..limits::HELD_LANES {
            let ago = i64::try_from(limits::HELD_LANES - n).unwrap();
            hold(&lanes, n, now().plus(-ago), 1).await;
        }
        let slot = lanes.slot(&key(0));
        let _running = slot.lock().await;
        let oldest: Vec<_> = (1..=limits::HELD_LANES / 4).map(key).collect();
        assert_eq!(spare(&lanes, false), oldest);
    }

    #[tokio::test]
    async fn of_lanes_that_are_too_large_those_used_longest_ago_are_spare() {
        let lanes = HeldLanes::default();
        let bytes = limits::HELD_BYTES / 16;
        for n in 0..9 {
            hold(&lanes, n, now().plus(i64::try_from(n).unwrap() - 10), bytes).await;
        }
        assert_eq!(spare(&lanes, false), [key(0), key(1), key(2), key(3)]);
    }

    #[tokio::test]
    async fn a_slot_is_forgotten_unless_somebody_is_about_to_use_it() {
        let lanes = HeldLanes::default();
        let slot = lanes.slot(&key(1));
        lanes.forget(&key(1));
        assert!(lanes.find(&key(1)).is_some());
        drop(slot);
        assert_eq!(spare(&lanes, false), []);
        assert!(lanes.find(&key(1)).is_none(), "an empty slot that nobody uses is dropped");
    }
}
