//! Exact readings of single texts.

use alloc::format;
use alloc::vec::Vec;

use crate::data::call::Risk;
use crate::data::option_set::{OptionSet, OptionSetOrigin, OptionsShown};
use crate::data::scope::Scope;
use crate::data::set_option::{Metadata, OptionRole, SetOption};
use crate::selection::exact_match::*;
use crate::selection::similarity::{SimilarOptions, rank_similar};
use throughline_language::words::Words;

fn set(options: &[(&str, &str)]) -> OptionSet {
    let option = |(n, (label, badge)): (usize, &(&str, &str))| SetOption {
        id: format!("o{n}"),
        label: (*label).into(),
        sublabel: None,
        badge: (!badge.is_empty()).then(|| (*badge).into()),
        aliases: Vec::new(),
        metadata: Metadata::default(),
        fields: crate::data::field::Fields::new(),
        role: OptionRole::Normal,
        repeatable: true,
        exec_ref: Some("open".into()),
        risk: Risk::Read,
    };
    let shown = OptionsShown {
        scope: Scope::Chat,
        scope_instance: "lane-1".into(),
        title: None,
        user: None,
        options: options.iter().enumerate().map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    };
    OptionSet::from_shown(&shown, OptionSetOrigin::Host).unwrap()
}

fn f1() -> OptionSet {
    set(&[("Links Panel D", "D"), ("Links Panel E", "E"), ("sample2", "")])
}

fn f2() -> OptionSet {
    set(&[("Links Panels", ""), ("Links Panel D", ""), ("Links Panel E", "")])
}

fn f3() -> OptionSet {
    set(&[("summary144", ""), ("summary155", "")])
}

const BASE: [u8; 50] = {
    let mut base = [0; 50];
    let mut at = 0;
    while at < 50 {
        base[at] = at as u8;
        at += 1;
    }
    base
};

fn pool(set: &OptionSet, marked: OptionMask) -> CandidatePool<'_> {
    let displayed = set.options.len();
    CandidatePool {
        options: &set.options,
        order: &BASE[..displayed],
        displayed,
        places: Places::Counted,
        marked,
        facts: None,
    }
}

fn read(set: &OptionSet, marked: OptionMask, text: &str) -> Reading {
    let words = Words::of(text);
    pool(set, marked).read(&Parses::of(super::super::lexicon(&words), &words, true))
}

fn like(set: &OptionSet, text: &str) -> SimilarOptions {
    let words = Words::of(text);
    rank_similar(&Parses::of(super::super::lexicon(&words), &words, true), &pool(set, 0))
}

/// On a page whose numbers begin later, a number means what is shown with it, and a word that counts means nothing.
#[test]
fn a_page_is_read_by_the_numbers_that_it_shows() {
    let set = f1();
    let displayed = set.options.len();
    for from in [2, 4, 21, 51, 950] {
        let page = CandidatePool { places: Places::from(from), ..pool(&set, 0) };
        let read = |text: &str| {
            let words = Words::of(text);
            page.read(&Parses::of(super::super::lexicon(&words), &words, true))
        };
        for number in [1, from - 1, from, from + displayed - 1, from + displayed, 999] {
            let expected = match number.checked_sub(from).filter(|at| *at < displayed) {
                Some(at) => Reading::One(at, MatchedBy::Ordinal),
                None => Reading::OutOfRange,
            };
            for said in [
                "%",
                "#%",
                "number %",
                "option % please",
                "the %",
                "open %",
                "die %",
                "nimm Nummer %",
                "Punkt % bitte",
            ] {
                let text = said.replace('%', &alloc::format!("{number}"));
                assert_eq!(read(&text), expected, "{text} on a page from {from}");
            }
        }
        let nth = from + 1;
        assert_eq!(read(&format!("the {nth}th one")), Reading::One(1, MatchedBy::Ordinal), "{nth}th");
        for said in
            ["the first one", "second", "option two", "die zweite bitte", "the top one", "nimm den dritten"]
        {
            assert_eq!(read(said), Reading::OutOfRange, "{said} on a page from {from}");
        }
        assert_eq!(read("the last one"), Reading::One(displayed - 1, MatchedBy::Ordinal));
    }
}

#[test]
fn labels_places_and_badges() {
    use MatchedBy::{Badge, Label, Ordinal};
    use Reading::{Collision, Nothing, One, OutOfRange, Reference, Several};
    for (text, expected) in [
        ("open the sample2 pls", One(2, Label)),
        ("Open Links Panel D", One(0, Label)),
        ("links panel d?", One(0, Label)),
        ("can you open links panel d?", One(0, Label)),
        ("d", One(0, Badge)),
        ("letter e please", One(1, Badge)),
        ("2", One(1, Ordinal)),
        ("second", One(1, Ordinal)),
        ("the second one", One(1, Ordinal)),
        ("option 2", One(1, Ordinal)),
        ("#2", One(1, Ordinal)),
        ("٢", One(1, Ordinal)),
        ("last", One(2, Ordinal)),
        ("open second one", One(1, Ordinal)),
        ("can you pick the first", One(0, Ordinal)),
        ("open that second option", One(1, Ordinal)),
        ("let's go with the second", One(1, Ordinal)),
        ("sample2 works for me", One(2, Label)),
        ("top", One(0, Ordinal)),
        ("bottom", One(2, Ordinal)),
        ("one", One(0, Ordinal)),
        ("the one", Reference { again: false }),
        ("open that", Reference { again: false }),
        ("open it again", Reference { again: true }),
        ("the same one", Reference { again: true }),
        ("fifth", OutOfRange),
        ("0", OutOfRange),
        ("second to last", Nothing),
        ("first and third", Several),
        ("both", Several),
        ("I want that", Reference { again: false }),
        ("ope panel d", Nothing),
        ("sedond", Nothing),
        ("secondoption", Nothing),
        ("delete sample2", Nothing),
        ("open that panel", Nothing),
        ("links panel", Nothing),
    ] {
        assert_eq!(read(&f1(), 0, text), expected, "{text}");
    }
    assert_eq!(read(&set(&[("last", ""), ("b", ""), ("c", "")]), 0, "last"), Collision(0b101));
    assert_eq!(read(&set(&[("a", ""), ("b", ""), ("last", "")]), 0, "last"), One(2, Label));
    assert_eq!(read(&set(&[("2", ""), ("1", "")]), 0, "2"), Collision(0b11));
}

#[test]
fn labels_are_compared_by_what_they_say() {
    use MatchedBy::Label;
    let mixed = set(&[("Straße", ""), ("ｓａｍｐｌｅ２", ""), ("Ｃ＃", ""), ("C", ""), ("ملخص 144", "")]);
    for (text, option) in
        [("STRASSE", 0), ("sample2", 1), ("c#", 2), ("c", 3), ("\u{200f}ملخص ١٤٤\u{200f}", 4)]
    {
        assert_eq!(read(&mixed, 0, text), Reading::One(option, Label), "{text}");
    }
    let versions = set(&[("v1.0", ""), ("v10", "")]);
    assert_eq!(read(&versions, 0, "v10"), Reading::One(1, Label));
    assert_eq!(read(&versions, 0, "v1.0"), Reading::One(0, Label));
    assert_eq!(read(&versions, 0, "v1 0"), Reading::Nothing);
    assert_eq!(read(&f3(), 0, "show summary 155 please"), Reading::One(1, Label));
    let pictures = set(&[("🚀 Launch", ""), ("🎉", "")]);
    assert_eq!(read(&pictures, 0, "launch"), Reading::One(0, Label));
    assert_eq!(read(&pictures, 0, "open 🎉"), Reading::One(1, Label));
    assert_eq!(read(&pictures, 0, "🚀"), Reading::Nothing);
    assert_eq!(read(&set(&[("🔴 Light", ""), ("🟢 Light", "")]), 0, "light"), Reading::Tie(0b11));
    assert_eq!(read(&set(&[("🔴 Light", ""), ("🟢 Light", "")]), 0, "🟢 light"), Reading::One(1, Label));
}

#[test]
fn a_label_may_begin_like_a_verb() {
    let houses = set(&[("Open House", ""), ("House", "")]);
    assert_eq!(read(&houses, 0, "open house"), Reading::One(0, MatchedBy::Label));
    assert_eq!(read(&houses, 0, "please open house"), Reading::Tie(0b11));
    assert_eq!(read(&houses, 0, "open the house"), Reading::One(1, MatchedBy::Label));
}

#[test]
fn the_other_one_is_the_unmarked_of_two() {
    let two = set(&[("Alpha", ""), ("Beta", "")]);
    assert_eq!(read(&two, 0, "the other one"), Reading::Reference { again: false });
    assert_eq!(read(&two, 0b01, "the other one"), Reading::One(1, MatchedBy::Other));
    assert_eq!(read(&f1(), 0b01, "the other one"), Reading::Reference { again: false });
}

#[test]
fn what_is_only_alike_orders_a_question() {
    for (set, text, first) in [
        (f2(), "links panel", Some(0)),
        (f2(), "panel d", Some(1)),
        (f2(), "d", Some(1)),
        (f2(), "can you ope panel d pls", Some(1)),
        (f2(), "open links", None),
        (f3(), "open summary 14", Some(0)),
        (f1(), "sedond", Some(1)),
        (f1(), "ffirst", Some(0)),
        (f1(), "secondoption", Some(1)),
        (f1(), "ope panel d", Some(0)),
        (f1(), "asdf", None),
    ] {
        assert_eq!(like(&set, text).unique(), first, "{text}: {:?}", like(&set, text));
    }
    assert_eq!(like(&f2(), "open links").best(), 0b111);
    assert!(like(&f1(), "what time is it").ranked.is_empty());
}
