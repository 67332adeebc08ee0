//! Words about an open card, which its buttons and its text would answer: they are neither feedback on it nor the answer to
//! its question (`docs/design/0096-words-about-an-open-card.md`).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::review::Review;
use crate::data::shown_at::ShownAt;
use crate::review::lifecycle;
use crate::routing::gate::is_addressed;
use crate::routing::meta;
use crate::selection::newest::positions_since;
use crate::tickets::undo;
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{AboutCard, about_card};
use throughline_messages as say;

/// Answers what a message says of the open card that it means. `None` if it speaks of none.
pub(super) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let spoken_of =
        |card: &Card| card.is_approval() || matches!(card.about, CardSubject::ReviewActive { .. });
    if !turn.open_cards().any(spoken_of) {
        return None;
    }
    let about = about_card(&said.words).filter(|_| is_addressed(turn, said))?;
    if about == AboutCard::Undo {
        let undone = undo::heard(turn, said)?;
        turn.trace.rule = Some(Cow::Borrowed(about.code()));
        return Some(undone);
    }
    let card = meant(turn, said, about)?;
    turn.trace.rule = Some(Cow::Borrowed(about.code()));
    let task = turn.task_of(&card).or_else(|| Some(review_of(turn, &card)?.task));
    if let Some(task) = &task {
        turn.belongs_to(task);
    }
    let text = match about {
        AboutCard::Finish => return review_of(turn, &card).map(|review| lifecycle::completed(turn, review)),
        AboutCard::Discard => discard(turn, &card, &said.by),
        AboutCard::Sent => say::card_not_sent(turn.language(), meta::who_decides(turn, &card)?),
        AboutCard::Show | AboutCard::Findings | AboutCard::Undo => contents(turn, &card),
    };
    // The question of the card goes on.
    turn.kept = turn.conversational().filter(|asked| asked.takes_words()).map(|asked| asked.id.clone());
    turn.say(MessageKind::Answer, task.as_ref(), &text);
    Some(Decision::new(Verdict::Answered, Reason::IntentRule).with_intent(Intent::Meta))
}

/// The card that the message replies to, else the newest one that such words may be about, if nothing was shown since from which
/// somebody chooses.
fn meant(turn: &Turn<'_>, said: &RoutedMessage, about: AboutCard) -> Option<Card> {
    let fits = |card: &&Card| {
        let review = matches!(card.about, CardSubject::ReviewActive { .. });
        let offered = matches!(card.about, CardSubject::ScopeGate { .. });
        // Of what its host asked to approve, its agent speaks.
        let hosts = matches!(card.about, CardSubject::CallPreview { .. } | CardSubject::Custom { .. });
        let there = card.is_open() && !offered && !(hosts && turn.hosting.is_fallback());
        there
            && match about {
                AboutCard::Findings | AboutCard::Finish => review,
                AboutCard::Sent => card.is_approval(),
                AboutCard::Discard => card.is_approval() && card.uncertain_effect().is_none(),
                AboutCard::Show | AboutCard::Undo => review || card.is_approval(),
            }
    };
    if focus(turn).replies() {
        let anchor = focus(turn).anchor_id()?;
        return turn.card_shown_by(anchor).filter(fits).cloned();
    }
    let newest = turn.open_cards().rev().find(fits)?;
    let shown = ShownAt::by_message(&newest.message, newest.created_at);
    (!positions_since(turn, &said.by, &shown)).then(|| newest.clone())
}

/// Returns what a card shows, in words: its title, its fields with their gaps, its items.
fn contents(turn: &Turn<'_>, card: &Card) -> String {
    let mut model = turn.model(card);
    (model.hash, model.facts) = (None, Vec::new());
    model.as_text()
}

fn review_of(turn: &Turn<'_>, card: &Card) -> Option<Review> {
    lifecycle::subject(turn, card).filter(Review::is_active)
}

/// Closes a card for whoever asked for it. Of several that could be meant none is closed.
fn discard(turn: &mut Turn<'_>, card: &Card, by: &str) -> String {
    let own: Vec<String> = meta::closable(turn, by).map(|card| turn.called(card)).collect();
    if card.by != by {
        return say::card_not_yours(turn.language(), turn.called(card));
    }
    if own.len() > 1 && !focus(turn).replies() {
        return say::card_which(turn.language(), crate::messages::listed(turn.language(), &own));
    }
    meta::close_these(turn, alloc::vec![card.clone()])
}
