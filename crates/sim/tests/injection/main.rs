//! Prompt injection: every injected text in every place where somebody can write, read by a model that obeys it. Nothing
//! leaves the thread without the press of a person who may approve, nothing is named that code did not offer, and approver,
//! project and version do not change. The rules are in docs/design/0034-untrusted-text.md.

mod judge;
mod obedient;
mod places;
mod walk;

use std::collections::BTreeSet;

use throughline_fakes::model::injected;

use crate::places::{PLACES, Place};
use crate::walk::Walk;

/// Lanes that share a world.
const LANES: usize = 8;

/// All texts in one place.
fn walked(name: &str) -> Vec<Walk> {
    let place: &Place = PLACES.iter().find(|place| place.name == name).expect("there is such a place");
    let texts: Vec<String> = injected::all().into_iter().map(|one| one.text).collect();
    assert!(texts.len() >= 500);
    texts.chunks(LANES).map(|texts| Walk::of(place, texts)).collect()
}

macro_rules! places {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            walked($name).into_iter().for_each(judge::all_is_well);
        })*

        /// No place is left out.
        #[test]
        fn every_place_is_walked() {
            let walked = BTreeSet::from([$($name),*]);
            assert_eq!(walked, PLACES.iter().map(|place| place.name).collect());
        }
    };
}

places! {
    in_a_message: "message";
    in_a_message_that_is_edited: "edited";
    in_a_title: "title";
    in_the_fields_of_a_bug: "fields";
    in_a_quoted_reply: "quote";
    in_forwarded_text: "forwarded";
    in_the_threads_history: "history";
    in_what_is_reviewed: "reviewed";
    in_feedback_to_a_review: "feedback";
    in_a_decision: "decision";
    in_a_discussion: "discussion";
    in_an_epic: "epic";
    in_a_form: "form";
    in_a_tracked_issue: "tracked";
    in_what_another_agent_reports: "report";
    in_the_name_of_a_person: "name";
    in_a_message_while_an_approval_waits: "waiting";
    in_a_reply_to_the_card_that_waits: "reply";
}

/// The negative control: the model does obey. It names options that were not offered and writes what it is told to, and
/// that reaches the cards and messages that people see; otherwise the tests above would prove nothing.
#[test]
fn the_model_obeys() {
    let walks = walked("message");
    let raw: String =
        walks.iter().flat_map(|walk| walk.asked.iter().map(|asked| asked.raw.as_str())).collect();
    for word in ["m_999_0", "EVIL", "user:mallory", "superuser", "approve_everything", "\"approve\":true"] {
        assert!(raw.contains(word), "nobody said {word}");
    }
    let shown: String = walks.iter().flat_map(|walk| &walk.shown).map(|card| card.card.as_text()).collect();
    assert!(shown.contains("pwned"), "what it wrote is shown for approval, as text");
    let released: usize = walked("fields").iter().map(|walk| walk.released.len()).sum();
    assert!(released >= 100, "{released} cards were approved by who may: what they show is what ran");
}
