//! The oracle, by hand: one rule a test.

use super::*;

fn list(slot: Slot, labels: &[usize], version: usize) -> Show {
    Show { slot, labels: labels.to_vec(), version, reversed: false, posted: true }
}

fn execs(deeds: &[Deed]) -> Vec<&str> {
    let run = |deed: &'_ Deed| matches!(deed, Deed::Run { .. });
    let all = deeds.iter().filter(|deed| run(deed));
    all.map(|deed| if let Deed::Run { exec_ref, .. } = deed { exec_ref.as_str() } else { "" }).collect()
}

fn gate(of: Who) -> ThingKind {
    ThingKind::Gate { of, open: true }
}

const PLAIN: Target = Target::Nothing;

#[test]
fn a_position_is_one_of_the_newest_list_and_none_of_a_gate() {
    let mut oracle = Oracle::default();
    oracle.shown(&list(Slot::Chat, &[0, 1, 2], 0), None);
    oracle.saw(None, None, gate(Who::Ana));
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Nth(1), "2", PLAIN), []);
    assert_eq!(execs(&oracle.allowed(Who::Bob, Meaning::Nth(1), "2", PLAIN)), ["chat-3-v0:1"]);
    oracle.shown(&list(Slot::Chat, &[0, 1], 0), None);
    assert_eq!(execs(&oracle.allowed(Who::Ana, Meaning::Nth(1), "2", PLAIN)), ["chat-2-v0:1"]);
}

#[test]
fn a_gate_is_not_counted_in_when_somebody_else_sees_a_newer_list() {
    let mut oracle = Oracle::default();
    oracle.saw(None, None, gate(Who::Ana));
    oracle.shown(&list(Slot::Own(Who::Bob), &[0, 1], 0), None);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Nth(1), "2", PLAIN), []);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Gate(2), "not now", PLAIN), [Deed::Gate(2)]);
}

#[test]
fn a_reply_means_what_was_shown_as_far_as_it_is_still_there() {
    let mut oracle = Oracle::default();
    oracle.shown(&list(Slot::Chat, &[0, 1], 0), Some("m_1_0".into()));
    let reply = Target::Thing(0);
    assert_eq!(execs(&oracle.allowed(Who::Ana, Meaning::Nth(0), "1", reply)), ["chat-2-v0:0"]);
    oracle.shown(&list(Slot::Chat, &[0, 1], 1), None);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Nth(0), "1", reply), []);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Label(0), "berlin", Target::Unknown), []);
}

#[test]
fn what_was_refused_or_asked_about_does_nothing() {
    let mut oracle = Oracle::default();
    oracle.shown(&list(Slot::Chat, &[0, 1, 2], 0), None);
    for meaning in [
        Meaning::Negated(0),
        Meaning::Several,
        Meaning::If(0),
        Meaning::Command(0),
        Meaning::Idiom,
        Meaning::Question(0),
        Meaning::DoNothing,
    ] {
        assert_eq!(oracle.allowed(Who::Ana, meaning, "…", PLAIN), [], "{meaning:?}");
    }
    assert_eq!(execs(&oracle.allowed(Who::Ana, Meaning::Misspelt(0), "berln", PLAIN)), ["chat-3-v0:0"]);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Again, "again", PLAIN), []);
    oracle.ran(Who::Ana, "o0", "chat-3-v0:0");
    assert_eq!(execs(&oracle.allowed(Who::Ana, Meaning::Again, "again", PLAIN)), ["chat-3-v0:0"]);
    assert_eq!(oracle.allowed(Who::Bob, Meaning::Again, "again", PLAIN), []);
}

#[test]
fn a_text_that_is_a_label_is_that_label() {
    let mut oracle = Oracle::default();
    oracle.shown(&list(Slot::Chat, &[14, 1], 0), None);
    assert_eq!(execs(&oracle.allowed(Who::Ana, Meaning::DoNothing, "Do nothing.", PLAIN)), ["chat-2-v0:0"]);
}

#[test]
fn a_hosts_question_for_words_stands_behind_one_of_the_engine() {
    let asks = |id: &str, of, hosts| ThingKind::Question {
        id: id.into(),
        expects: Expects::Words,
        of,
        open: true,
        hosts,
    };
    let answer = |id: &str| [Deed::Answer { question: id.into(), value: "*".into() }];
    let mut oracle = Oracle::default();
    oracle.saw(None, None, asks("pd_1", None, true));
    oracle.saw(None, None, asks("pd_2", Some(Who::Ana), false));
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Smalltalk, "…", PLAIN), answer("pd_2"));
    assert_eq!(oracle.allowed(Who::Bob, Meaning::Smalltalk, "…", PLAIN), answer("pd_1"));
    oracle.waits_for(&[]);
    assert_eq!(oracle.allowed(Who::Ana, Meaning::Smalltalk, "…", PLAIN), answer("pd_1"));
    oracle.saw(None, None, asks("pd_3", None, true));
    assert_eq!(oracle.allowed(Who::Bob, Meaning::Smalltalk, "…", PLAIN), answer("pd_3"));
}
