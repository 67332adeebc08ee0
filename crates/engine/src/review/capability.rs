//! Reviews, as routing reaches them.

use alloc::vec::Vec;

use alloc::string::String;

use crate::data::ask::{Answer, AnswerRecipient};
use crate::data::card::{Card, CardSubject, TimerPurpose};
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
use crate::review::{card as cards, lifecycle};
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, NeedsInput, PressInput};
use throughline_messages as say;

pub(crate) struct Reviews;

impl Capability for Reviews {
    fn name(&self) -> &'static str {
        REVIEWS
    }

    fn commands(&self) -> &'static [&'static str] {
        &["review"]
    }

    fn topic(&self, turn: &Turn<'_>, card: &Card) -> String {
        lifecycle::subject(turn, card).map(|review| review.topic).unwrap_or_default()
    }

    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        match word {
            "review" => {
                let by = turn.event.actor.clone();
                let (verdict, _) =
                    lifecycle::start(turn, rest.trim(), &by, lifecycle::ReviewTrigger::Explicit);
                Some(Decision::new(verdict, Reason::CommandReview).with_intent(Intent::Review))
            }
            "forget" if rest.trim().eq_ignore_ascii_case("review") => {
                let text = if lifecycle::forget(turn) {
                    &say::review_forgotten(turn.language())
                } else {
                    &say::review_nothing_to_forget(turn.language())
                };
                turn.say(MessageKind::Answer, None, text);
                Some(Decision::new(Verdict::Answered, Reason::CommandForget))
            }
            _ => None,
        }
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        cards::show(model, view);
    }

    fn deadline(&self, turn: &Turn<'_>, card: &Card) -> Option<(Timestamp, TimerPurpose)> {
        let about = TimerPurpose::Cooldown { card: card.id.clone(), version: card.version };
        let due = turn.now().plus(turn.policy.review.cooldown_ms).plus(1);
        matches!(card.about, CardSubject::ReviewActive { .. }).then_some((due, about))
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
        lifecycle::pressed(turn, &card, press.action)
    }

    fn due(&self, turn: &mut Turn<'_>, card: Card, about: &TimerPurpose) -> Reason {
        match about {
            TimerPurpose::Cooldown { version, .. } if card.is_open() && card.version == *version => {
                lifecycle::cooled_down(turn, &card)
            }
            _ => Reason::TimerSuperseded,
        }
    }

    fn heard(&self, turn: &mut Turn<'_>, about: AnswerRecipient, answer: Option<Answer>) -> Decision {
        match (about, answer) {
            (AnswerRecipient::Review(id), Some(Answer::Review(written))) => {
                lifecycle::written(turn, &id, Some(written))
            }
            (AnswerRecipient::Review(id), _) => lifecycle::written(turn, &id, None),
            (AnswerRecipient::Patch(id), Some(Answer::Patch(patch))) => {
                lifecycle::patch_written(turn, &id, Some(patch))
            }
            (AnswerRecipient::Patch(id), _) => lifecycle::patch_written(turn, &id, None),
            (AnswerRecipient::Synthesis(id), Some(Answer::Text { text, .. })) => {
                lifecycle::synthesised(turn, &id, Some(&text))
            }
            (AnswerRecipient::Synthesis(id), _) => lifecycle::synthesised(turn, &id, None),
            _ => Decision::new(Verdict::Recorded, Reason::LateAnswer),
        }
    }

    fn stopped(&self, turn: &mut Turn<'_>, about: &AnswerRecipient) {
        if let AnswerRecipient::Review(review) = about {
            lifecycle::abandon(turn, review);
        }
    }

    /// Returns the card of the current review, which any event may change, and the review that a reply may be about: its
    /// message may have left the window.
    fn needs(&self, event: &NeedsInput<'_>) -> Vec<RecordKey> {
        let reviews = event.lane.records.all::<Review>().filter(|review| review.is_current());
        let mut keys: Vec<RecordKey> = reviews.map(|review| RecordKey::of::<Card>(&review.card)).collect();
        if let EventKind::MessagePosted(_) = &event.event.kind {
            keys.extend(event.task.map(|task| RecordKey::of::<Review>(&ReviewId::of(task))));
        }
        keys
    }
}
