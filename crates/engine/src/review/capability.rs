//! Reviews, as routing reaches them.

use alloc::vec::Vec;

use crate::data::ask::{Answer, Asked};
use crate::data::card::{About, Card, TimerAbout};
use crate::data::card_model::CardModel;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::EventKind;
use crate::data::id::ReviewId;
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::owner::REVIEWS;
use crate::data::record::RecordKey;
use crate::data::review::Review;
use crate::data::time::Timestamp;
use crate::review::{card as cards, flow};
use crate::say::review as words;
use crate::turn::Turn;
use crate::turn::capability::{Capability, Needing, Pressed, View};

pub(crate) struct Reviews;

impl Capability for Reviews {
    fn name(&self) -> &'static str {
        REVIEWS
    }

    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        match word {
            "review" => {
                let by = turn.event.actor.clone();
                let (verdict, _) = flow::start(turn, rest.trim(), &by, flow::Asks::Explicitly);
                Some(Decision::new(verdict, Reason::CommandReview).with_intent(Intent::Review))
            }
            "forget" if rest.trim().eq_ignore_ascii_case("review") => {
                let text = if flow::forget(turn) { words::FORGOTTEN } else { words::NOTHING_TO_FORGET };
                turn.say(MessageKind::Answer, None, text);
                Some(Decision::new(Verdict::Answered, Reason::CommandForget))
            }
            _ => None,
        }
    }

    fn show(&self, model: &mut CardModel, view: &View<'_>) {
        cards::show(model, view);
    }

    fn deadline(&self, turn: &Turn<'_>, card: &Card) -> Option<(Timestamp, TimerAbout)> {
        let about = TimerAbout::Cooldown { card: card.id.clone(), version: card.version };
        let due = turn.now().plus(turn.policy.review.cooldown_ms).plus(1);
        matches!(card.about, About::ReviewActive { .. }).then_some((due, about))
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &Pressed<'_>) -> Decision {
        flow::pressed(turn, &card, press.action)
    }

    fn due(&self, turn: &mut Turn<'_>, card: Card, about: &TimerAbout) -> Reason {
        match about {
            TimerAbout::Cooldown { version, .. } if card.open() && card.version == *version => {
                flow::cooled_down(turn, &card)
            }
            _ => Reason::TimerSuperseded,
        }
    }

    fn heard(&self, turn: &mut Turn<'_>, about: Asked, answer: Option<Answer>) -> Decision {
        match (about, answer) {
            (Asked::Review(id), Some(Answer::Review(written))) => flow::written(turn, &id, Some(written)),
            (Asked::Review(id), _) => flow::written(turn, &id, None),
            (Asked::Patch(id), Some(Answer::Patch(patch))) => flow::patch_written(turn, &id, Some(patch)),
            (Asked::Patch(id), _) => flow::patch_written(turn, &id, None),
            (Asked::Synthesis(id), Some(Answer::Text { text, .. })) => {
                flow::synthesised(turn, &id, Some(&text))
            }
            (Asked::Synthesis(id), _) => flow::synthesised(turn, &id, None),
            _ => Decision::new(Verdict::Recorded, Reason::LateAnswer),
        }
    }

    fn stopped(&self, turn: &mut Turn<'_>, about: &Asked) {
        if let Asked::Review(review) = about {
            flow::abandon(turn, review);
        }
    }

    /// Returns the card of the current review, which any event may change, and the review that a reply may be about: its
    /// message may have left the window.
    fn needs(&self, event: &Needing<'_>) -> Vec<RecordKey> {
        let reviews = event.lane.records.all::<Review>().filter(|review| review.current());
        let mut keys: Vec<RecordKey> = reviews.map(|review| RecordKey::of::<Card>(&review.card)).collect();
        if let EventKind::MessagePosted(_) = &event.event.kind {
            keys.extend(event.task.map(|task| RecordKey::of::<Review>(&ReviewId::of(task))));
        }
        keys
    }
}
