//! One text with one list, over random lists, and the fingerprint of a model's evidence.

use proptest::prelude::*;
use throughline_engine::data::event::EventKind;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;

use crate::lists::{self, Lists, option};

/// Words that collide with one another, with positions, and with verbs and phrases.
const WORDS: [&str; 18] = [
    "Links", "Panel", "Panels", "D", "E", "sample", "2", "Open", "House", "last", "first", "Report", "Q1",
    "one", "for", "chat", "the", "C#",
];

fn label() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 1..4).prop_map(|words| words.join(" "))
}

fn list() -> impl Strategy<Value = Vec<SetOption>> {
    let one = (label(), prop::option::of(label()), prop::option::of("[A-F]"), prop::option::of(label()));
    prop::collection::vec(one, 1..7).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(n, (label, sublabel, badge, alias))| SetOption {
            sublabel,
            badge,
            aliases: alias.into_iter().collect(),
            ..option(&format!("o-{n}"), &label)
        });
        made.collect()
    })
}

/// A lane with that list in the chat, of which `rejected` marks the rejected options.
fn lane(options: &[SetOption], displayed: Option<Vec<String>>) -> Lists {
    let mut w = Lists::new(false);
    w.policy.selection.model.enabled = false;
    let mut list = lists::of(Scope::Chat, "main", options.to_vec());
    list.displayed = displayed;
    let _ = w.event("", EventKind::OptionsShown(list));
    w
}

fn executes(w: &mut Lists, text: &str) -> Option<String> {
    let step = w.says("ana", text);
    crate::executed(&step).pop().map(|(_, option, _)| option)
}

/// Returns true if the text may mean a position.
fn placed(text: &str) -> bool {
    text.split(' ').any(|word| ["last", "first", "one", "2"].contains(&word.to_lowercase().as_str()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Politeness, verbs and articles around an exact label select no other option, unless the longer text is a label
    /// too.
    #[test]
    fn politeness_verbs_and_articles_select_no_other_option(
        options in list(),
        at in 0..7usize,
        before in prop::sample::select(&["", "please ", "open ", "can you open ", "show me the ", "the ", "i want "][..]),
        after in prop::sample::select(&["", " please", " pls thank you", " now", " ok"][..]),
    ) {
        let named = &options[at % options.len()];
        let plain = executes(&mut lane(&options, None), &named.label);
        let longer = format!("{before}{}{after}", named.label);
        let is_name = |option: &SetOption| {
            let names = [Some(&option.label), option.sublabel.as_ref(), option.badge.as_ref()];
            names.into_iter().flatten().chain(&option.aliases).any(|name| longer.to_lowercase().contains(&name.to_lowercase()) && name.len() > named.label.len())
        };
        let polite = executes(&mut lane(&options, None), &longer);
        if let (Some(plain), Some(polite)) = (&plain, &polite)
            && !options.iter().any(is_name)
        {
            prop_assert_eq!(plain, polite, "{} and {}", named.label, longer);
        }
    }

    /// A rejection never makes a text execute an option that the text would not match without it.
    #[test]
    fn a_rejection_selects_no_other_option(options in list(), text in label(), rejected in 0..64usize) {
        let mut w = lane(&options, None);
        for (at, option) in options.iter().enumerate().filter(|(at, _)| rejected & 1 << at != 0) {
            // By its position: a label may belong to several.
            let _ = (w.says("ana", &format!("not number {}", at + 1)), option);
        }
        let without = executes(&mut lane(&options, None), &text);
        let with = executes(&mut w, &text);
        // A position counts displayed options, and a rejected one is no longer displayed.
        if let Some(option) = with.filter(|_| !placed(&text)) {
            prop_assert_eq!(Some(option), without, "{}", text);
        }
    }

    /// The displayed order changes the meaning of positions only.
    #[test]
    fn the_displayed_order_changes_positions_only(options in list(), text in label(), turn in 0..6usize) {
        let mut order: Vec<String> = options.iter().map(|option| option.id.clone()).collect();
        let n = order.len();
        order.rotate_left(turn % n);
        let plain = executes(&mut lane(&options, None), &text);
        let turned = executes(&mut lane(&options, Some(order.clone())), &text);
        if !placed(&text) {
            prop_assert_eq!(plain, turned, "{}", text);
        }
        // A position names the option displayed there.
        let second = executes(&mut lane(&options, Some(order.clone())), "number 2");
        if let Some(second) = second {
            prop_assert_eq!(Some(&second), order.get(1));
        }
    }

    /// Fingerprints are equal exactly where the evidence is.
    #[test]
    fn fingerprints_differ_exactly_with_the_evidence(at in 0..3usize, what in 0..9usize) {
        let fingerprint = |list: throughline_engine::data::option_set::OptionsShown| {
            let mut w = Lists::new(false);
            let _ = w.event("", EventKind::OptionsShown(list));
            let step = w.says("ana", "open sampl");
            step.trace.selection.and_then(|account| account.fingerprint_before)
        };
        let mut other = lists::shown(0, 0);
        let option = &mut other.options[at];
        let new = match what {
            0 => { option.sublabel = Some("S".into()); true }
            1 => { option.badge = Some("Z".into()); true }
            2 => { option.metadata.path = Some("/p".into()); true }
            3 => { option.metadata.owner = Some("ana".into()); true }
            4 => { option.metadata.recency_rank = Some(7); true }
            5 => { option.label = format!("{} panel", option.label); true }
            // These are no part of the evidence: the spelling, the action, the displayed order.
            6 => { option.label = option.label.to_uppercase(); false }
            7 => { option.exec_ref = Some("else".into()); false }
            _ => { other.displayed = Some(vec!["opt-2".into(), "opt-0".into(), "opt-1".into()]); false }
        };
        let (one, two) = (fingerprint(lists::shown(0, 0)), fingerprint(other));
        prop_assert!(one.is_some() && two.is_some());
        prop_assert_eq!(one != two, new);
    }
}
