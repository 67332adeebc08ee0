//! Records that are right, records that are wrong, and the agreement of both judges.

use super::follow::follow;
use super::order::Order;
use super::search::{has_order, needed};
use super::{Act, Answer, Call, Entry, History, Turn};

fn turn(revision: u64) -> Turn {
    Turn { revision, id: format!("tn_{revision}") }
}

fn new(revision: u64) -> Answer {
    Answer::Turn(turn(revision))
}

fn known(revision: u64) -> Answer {
    Answer::Duplicate(turn(revision))
}

fn list(turns: &[(&str, u64)]) -> Answer {
    Answer::Turns(turns.iter().map(|(event, revision)| ((*event).to_owned(), turn(*revision))).collect())
}

impl History {
    fn delivered(&self, event: &str, answer: Answer) {
        let call = self.deliver(event);
        self.returned(call, answer);
    }

    fn was_read(&self, turns: &[(&str, u64)]) {
        let call = self.read();
        self.returned(call, list(turns));
    }

    #[track_caller]
    fn is_wrong(&self, why: &str) {
        let error = self.check().expect_err("the record should be refused");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn calls_one_after_the_other_are_right() {
    let history = History::new();
    history.was_read(&[]);
    history.delivered("a", new(1));
    history.delivered("b", new(4));
    history.delivered("a", known(1));
    history.was_read(&[("a", 1), ("b", 4)]);
    assert_eq!(history.check(), Ok(()));
}

#[test]
fn calls_that_overlap_may_take_effect_in_any_order() {
    let history = History::new();
    let (a, b, reads) = (history.deliver("a"), history.deliver("b"), history.read());
    history.returned(b, new(1));
    history.returned(a, new(2));
    history.returned(reads, list(&[("b", 1)]));
    history.was_read(&[("b", 1), ("a", 2)]);
    assert_eq!(history.check(), Ok(()));
}

#[test]
fn a_call_without_an_answer_may_have_taken_effect_or_not() {
    for seen in [&[("b", 1)][..], &[("a", 1), ("b", 2)]] {
        let history = History::new();
        let _lost = history.deliver("a");
        history.delivered("b", new(seen.last().unwrap().1));
        history.was_read(seen);
        assert_eq!(history.check(), Ok(()), "{seen:?}");
    }
}

#[test]
fn a_client_that_got_no_answer_sends_again_and_is_told_a_duplicate() {
    let history = History::new();
    let _lost = history.deliver("a");
    history.delivered("a", known(1));
    assert_eq!(history.check(), Ok(()));
}

#[test]
fn a_lost_event_is_wrong() {
    let history = History::new();
    history.delivered("a", new(1));
    history.delivered("b", new(2));
    history.was_read(&[("a", 1)]);
    history.is_wrong("b had its turn, and is not in a list that was read later");

    let history = History::new();
    history.delivered("a", new(1));
    history.delivered("b", new(2));
    history.was_read(&[("b", 2)]);
    history.is_wrong("a list has b and not a");
}

#[test]
fn a_doubled_event_is_wrong() {
    let history = History::new();
    history.delivered("a", new(1));
    history.delivered("a", new(2));
    history.is_wrong("a has two turns");

    let history = History::new();
    history.delivered("a", new(1));
    history.delivered("a", new(1));
    history.is_wrong("a was told to be new twice");

    let history = History::new();
    history.delivered("a", new(1));
    history.was_read(&[("a", 1), ("a", 1)]);
    history.is_wrong("a list has a");
}

#[test]
fn a_revision_with_two_turns_is_wrong() {
    let history = History::new();
    let (a, b) = (history.deliver("a"), history.deliver("b"));
    history.returned(a, new(1));
    history.returned(b, new(1));
    history.is_wrong("revision 1 is the turn of a and of b");
}

#[test]
fn events_in_another_order_are_wrong() {
    let history = History::new();
    history.delivered("a", new(2));
    history.delivered("b", new(1));
    history.is_wrong("b is before a, and was not delivered by then");

    let history = History::new();
    let (a, b) = (history.deliver("a"), history.deliver("b"));
    history.returned(b, new(2));
    history.returned(a, new(1));
    history.was_read(&[("b", 2), ("a", 1)]);
    history.is_wrong("a list has a");
}

#[test]
fn a_list_that_forgets_what_an_earlier_one_had_is_wrong() {
    let history = History::new();
    let _unanswered = history.deliver("a");
    history.was_read(&[("a", 1)]);
    history.was_read(&[]);
    history.is_wrong("a had its turn, and is not in a list that was read later");
}

#[test]
fn a_duplicate_of_nothing_is_wrong() {
    let history = History::new();
    history.delivered("a", known(1));
    history.is_wrong("a has a turn before it was delivered");
    let history = History::new();
    history.was_read(&[("a", 1)]);
    history.is_wrong("a has a turn, and nobody delivered it");
}

/// A lane, behind a lock.
#[derive(Default)]
struct Lane(std::sync::Mutex<Vec<String>>);

impl Lane {
    fn deliver(&self, event: &str) -> Answer {
        let mut log = self.0.lock().unwrap();
        if let Some(at) = log.iter().position(|other| other == event) {
            return known(at as u64 + 1);
        }
        log.push(event.to_owned());
        new(log.len() as u64)
    }

    fn read(&self) -> Answer {
        let log = self.0.lock().unwrap();
        Answer::Turns((1..).zip(log.iter()).map(|(n, event)| (event.clone(), turn(n))).collect())
    }
}

#[test]
fn many_threads_append_to_one_record() {
    let (history, lane) = (History::new(), Lane::default());
    std::thread::scope(|scope| {
        for client in 0..6 {
            let (history, lane) = (&history, &lane);
            scope.spawn(move || {
                for n in 0..40 {
                    // Each event is sent by two clients.
                    let event = format!("e{}", (client / 2) * 40 + n);
                    let call = history.deliver(&event);
                    history.returned(call, lane.deliver(&event));
                    let call = history.read();
                    history.returned(call, lane.read());
                }
            });
        }
    });
    assert_eq!(history.check(), Ok(()));
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Makes a record of up to seven calls about three events, answered at random.
fn any_record(dice: &mut Dice) -> Vec<Entry> {
    let (mut entries, mut open, mut calls) = (Vec::new(), Vec::new(), 0);
    let events = [("a", 1), ("b", 2), ("c", 3)];
    for _ in 0..14 {
        if calls < 7 && (open.is_empty() || dice.roll(2) == 0) {
            let event = events[dice.roll(3)];
            let reads = dice.roll(3) == 0;
            let act = if reads { Act::Read } else { Act::Deliver(event.0.to_owned()) };
            entries.push(Entry::Invoked(calls, act));
            open.push((calls, event, reads));
            calls += 1;
        } else if !open.is_empty() {
            let (call, (_, revision), reads) = open.swap_remove(dice.roll(open.len()));
            let answer = match (reads, dice.roll(6)) {
                (_, 0) => continue,
                (true, _) => list(&events[..dice.roll(4)]),
                (false, 1 | 2) => known(revision),
                (false, _) => new(revision),
            };
            entries.push(Entry::Returned(call, answer));
        }
    }
    entries
}

#[test]
fn both_judges_say_the_same_of_any_record() {
    let mut dice = Dice(1);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..50_000 {
        let entries = any_record(&mut dice);
        let Ok(order) = Order::of(&entries) else { continue };
        let first = follow(&entries, &order);
        let less = needed(entries.clone());
        for searched in [&entries, &less] {
            assert_eq!(first.is_ok(), has_order(searched, &order).unwrap(), "{first:?} of {searched:#?}");
        }
        if first.is_ok() { right += 1 } else { wrong += 1 }
    }
    assert!(right > 1_000 && wrong > 1_000, "{right} right and {wrong} wrong records");
}

#[test]
fn a_call_is_answered_once_and_only_by_its_kind() {
    let history = History::new();
    let call: Call = history.read();
    history.returned(call, new(1));
    history.is_wrong("call 0 has an answer of another kind of call");
}
