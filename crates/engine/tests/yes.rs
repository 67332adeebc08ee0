//! While an approval is open and in focus no yes of any kind releases anything, and each is answered with a pointer
//! to the button.

mod harness;

use std::collections::BTreeSet;

use harness::{TICKET, TestLane};
use throughline_engine::Reason;
use throughline_engine::data::effect::EffectBody;

const OPENERS: [&str; 12] = [
    "",
    "oh ",
    "ok, ",
    "well, ",
    "great, ",
    "thanks, ",
    "perfect, ",
    "um, ",
    "hey, ",
    "alright, ",
    "so, ",
    "yes. ",
];
const YESSES: [&str; 37] = [
    "yes",
    "yeah",
    "yep",
    "yup",
    "sure",
    "ok",
    "okay",
    "absolutely",
    "definitely",
    "of course",
    "go for it",
    "go ahead",
    "do it",
    "please do",
    "sounds good",
    "lgtm",
    "approve it",
    "approved",
    "ship it",
    "I approve",
    "confirm",
    "confirmed",
    "let's do it",
    "make it so",
    "why not",
    "by all means",
    "👍",
    "certainly",
    "agreed",
    "accept it",
    "press approve",
    "create it",
    "you have my approval",
    "fine by me",
    "ja",
    "genehmigt",
    "freigeben",
];
const TAILS: [&str; 9] =
    ["", " please", ", thanks", ", go ahead", ", do it", ", approve it", ", ship it", " now", ", yes"];
const ENDS: [&str; 4] = ["", "!", "…", " 🎉"];

/// Every sentence once, in three spellings.
fn sentences() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for opener in OPENERS {
        for yes in YESSES {
            // A sentence has words of one language.
            let german = ["ja", "genehmigt", "freigeben"].contains(&yes);
            for tail in TAILS.into_iter().filter(|tail| !german || tail.is_empty()) {
                for end in ENDS {
                    let text = format!("{}{yes}{tail}{end}", if german { "" } else { opener });
                    all.extend([text.to_uppercase(), text.to_lowercase(), text]);
                }
            }
        }
    }
    all
}

// row: T15
#[test]
fn ten_thousand_ways_of_yes_release_nothing_and_each_is_answered() {
    let mut waiting = TestLane::new();
    let _ = waiting.says("ana", TICKET);
    waiting.settle();
    let said = sentences();
    let spread = said.len() / 10_000;
    assert!(spread >= 1, "{}", said.len());
    for text in said.into_iter().step_by(spread).take(10_000) {
        let step = waiting.preview_message("ana", &text);
        assert_eq!(step.decision.reason, Reason::ApprovalNotByText, "{text:?}");
        assert!(step.effects.iter().all(|effect| !effect.body.is_outward()), "{text:?}");
        let told =
            |effect: &_| matches!(effect, EffectBody::Reply { text, .. } if text.contains("press Approve"));
        assert!(step.effects.iter().any(|effect| told(&effect.body)), "{text:?} is told about the button");
        assert!(step.approvals.is_empty(), "{text:?}");
        assert_eq!(step.next.pendings, waiting.lane.head.pendings, "{text:?}: the approval waits on");
    }
}
