//! Connections to the port: how many there are, of which peers, and which one is closed for a newcomer
//! (`docs/design/0048-connections.md`).

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::activity::Activity;
use crate::config::ConnectionLimits;

/// Open connections. A newcomer never waits: it gets a place, that of the connection which has been spare for longest, or
/// one of the reserve.
pub(crate) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

/// Places in the order in which they were taken.
#[derive(Default)]
struct Open {
    places: BTreeMap<u64, Taken>,
    next: u64,
}

/// Place that is taken.
struct Taken {
    peer: IpAddr,
    reserved: bool,
    activity: Arc<Activity>,
}

/// Place of an open connection, until it is dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    id: u64,
    /// True for a place of the reserve.
    pub(crate) reserved: bool,
    pub(crate) activity: Arc<Activity>,
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place for a new connection, or `None` if even the reserve is busy. A peer that has as many connections as
    /// it may have gives up one of its own.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr, now: Instant) -> Option<Place> {
        let (limits, peer) = (&self.limits, network(peer));
        let mut open = self.open();
        let reserved = if open.count(|taken| !taken.reserved && taken.peer == peer) >= limits.per_peer {
            !open.evict(limits, now, |taken| !taken.reserved && taken.peer == peer)
        } else if open.count(|taken| !taken.reserved) >= limits.all {
            !open.evict(limits, now, |taken| !taken.reserved)
        } else {
            false
        };
        if reserved
            && open.count(|taken| taken.reserved) >= limits.reserve
            && !open.evict(limits, now, |taken| taken.reserved)
        {
            return None;
        }
        let activity = Arc::new(Activity::new(now));
        let id = open.next;
        open.next += 1;
        open.places.insert(id, Taken { peer, reserved, activity: activity.clone() });
        Some(Place { connections: self.clone(), id, reserved, activity })
    }

    /// Closes the connection that has been spare for longest, because something else than places ran out.
    pub(crate) fn make_room(&self, now: Instant) {
        self.open().evict(&self.limits, now, |_| true);
    }
}

impl Open {
    fn count(&self, of: impl Fn(&Taken) -> bool) -> usize {
        self.places.values().filter(|taken| of(taken)).count()
    }

    /// Closes the connection that has been spare for longest, among those. Returns false if none is spare.
    fn evict(&mut self, limits: &ConnectionLimits, now: Instant, of: impl Fn(&Taken) -> bool) -> bool {
        let among = self.places.iter().filter(|(_, taken)| of(taken));
        let spare = among.filter_map(|(id, taken)| Some((taken.activity.spare_since(limits, now)?, *id)));
        let Some(taken) = spare.min().and_then(|(_, id)| self.places.remove(&id)) else { return false };
        taken.activity.evict();
        metrics::counter!("throughline_connections_evicted_total").increment(1);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().places.remove(&self.id);
    }
}

/// Returns what counts as one peer: an IPv4 address, or the 64 bits that one customer gets of IPv6.
pub(crate) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::activity::Answering;

    /// Connections of three peers, with a clock.
    struct World {
        connections: Arc<Connections>,
        now: Instant,
    }

    impl World {
        fn new(all: usize, per_peer: usize, reserve: usize) -> Self {
            let limits = ConnectionLimits { reserve, ..ConnectionLimits::new(all, per_peer) };
            Self { connections: Connections::new(limits), now: Instant::now() }
        }

        /// Opens a connection of the peer of that number, a moment after the last one.
        fn admit(&mut self, peer: u8) -> Option<Place> {
            self.now += Duration::from_millis(1);
            self.connections.admit(IpAddr::from([10, 0, 0, peer]), self.now)
        }

        fn busy(&mut self, peer: u8) -> (Place, Answering) {
            let place = self.admit(peer).expect("a place");
            let answering = Answering::new(&place.activity);
            (place, answering)
        }

        fn is_open(&self, place: &Place) -> bool {
            self.connections.open().places.contains_key(&place.id)
        }
    }

    #[test]
    fn the_connection_that_was_spare_for_longest_is_closed_for_a_newcomer() {
        let mut world = World::new(3, 3, 1);
        let busy = world.busy(1);
        let (second, third) = (world.admit(1).unwrap(), world.admit(2).unwrap());
        let fourth = world.admit(3).unwrap();
        assert!(!fourth.reserved);
        assert_eq!([&busy.0, &second, &third].map(|place| world.is_open(place)), [true, false, true]);
        // Its task ends later, which takes no second place away.
        drop(second);
        let fifth = world.admit(3).unwrap();
        assert_eq!([&third, &fourth, &fifth].map(|place| world.is_open(place)), [false, true, true]);
    }

    #[test]
    fn a_peer_with_its_share_gives_up_its_own() {
        let mut world = World::new(10, 2, 1);
        let other = world.admit(2).unwrap();
        let (first, second) = (world.admit(1).unwrap(), world.admit(1).unwrap());
        let third = world.admit(1).unwrap();
        assert_eq!(
            [&other, &first, &second, &third].map(|place| world.is_open(place)),
            [true, false, true, true]
        );
        // With nothing to give up it gets the reserve, although there is room for others.
        let _answering = [&second, &third].map(|place| Answering::new(&place.activity));
        assert!(world.admit(1).unwrap().reserved);
        assert!(!world.admit(3).unwrap().reserved);
    }

    #[test]
    fn the_reserve_is_for_when_every_place_is_busy_and_renews_itself() {
        let mut world = World::new(2, 2, 1);
        let _busy = [world.busy(1), world.busy(2)];
        let probe = world.admit(3).unwrap();
        let next = world.admit(3).unwrap();
        assert_eq!((probe.reserved, next.reserved), (true, true));
        assert_eq!((world.is_open(&probe), world.is_open(&next)), (false, true));
        let answering = Answering::new(&next.activity);
        assert!(world.admit(3).is_none(), "each is being answered");
        drop(answering);
        assert!(world.admit(3).is_some());
    }

    #[test]
    fn a_client_that_takes_nothing_is_closed_for_a_newcomer() {
        let mut world = World::new(2, 2, 1);
        let (first, second) = (world.busy(1), world.busy(2));
        second.0.activity.wrote(world.now, true);
        assert!(world.admit(3).unwrap().reserved);
        world.now += world.connections.limits.stalled;
        let third = world.admit(3).unwrap();
        assert!(!third.reserved);
        assert_eq!([&first.0, &second.0].map(|place| world.is_open(place)), [true, false]);
    }

    #[test]
    fn places_are_given_back() {
        let mut world = World::new(1, 1, 0);
        for _ in 0..3 {
            let (place, answering) = world.busy(1);
            assert!(world.admit(2).is_none());
            drop((answering, place));
        }
        assert_eq!(world.connections.open().places.len(), 0);
    }

    #[test]
    fn a_peer_is_an_address_or_a_network_of_ipv6() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
