//! Polls: a question with answers, and a vote of each person. They exist only under test, as the workflow that
//! `docs/recipes/workflow.md` adds; its code is quoted from here.

mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use throughline_language::{Expected, Value};

use crate::cards::button;
use crate::cards::decide::{decide, refuse_step};
use crate::data::action::Action;
use crate::data::card::{Card, CardSubject};
use crate::data::card_model::{CardModel, ItemModel};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::language::Language;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::progress::Progress;
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, PressInput};

pub(crate) struct Polls;

/// The state of a poll, kept on its card.
#[derive(Default, Serialize, Deserialize)]
struct Poll {
    question: String,
    answers: Vec<String>,
    votes: Vec<Vote>,
}

/// The answer that a person chose. Erasing finds people in fields called `by`.
#[derive(Serialize, Deserialize)]
struct Vote {
    by: String,
    answer: String,
}

impl Capability for Polls {
    fn name(&self) -> &'static str {
        "polls"
    }

    fn commands(&self) -> &'static [&'static str] {
        &["poll"]
    }

    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        if word != "poll" {
            return None;
        }
        let by = turn.event.actor.clone();
        let poll = Poll::read(rest);
        let asks = poll.answers.is_empty();
        let card = turn.show(poll.about(), &by, None);
        if asks && let Some(anchor) = turn.get::<Card>(&card).map(|card| card.message.clone()) {
            let slot = Slot::Custom { capability: self.name().into(), card, name: "question".into() };
            let kind = PendingKind::SlotRequest(slot);
            turn.open_pending(kind, Some(Expected::Text), &anchor, None, Some(&by), None);
        }
        Some(Decision::new(Verdict::Shown, Reason::PressApplied))
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        let poll = Poll::of(view.card);
        model.title = if poll.answers.is_empty() {
            "What is the question? Write it as \"Lunch: pizza, soup\".".into()
        } else {
            poll.question.clone()
        };
        let (language, open) = (view.language(), view.card.is_open());
        model.items = poll.answers.iter().map(|answer| poll.item(language, answer, open)).collect();
        let own = view.card.actions().into_iter().filter(|action| *action != Action::Option);
        let name = |action: Action| format!("{}: {}", action.label(language), model.title);
        model.buttons = own.map(|action| button(language, action, name(action))).collect();
    }

    fn pressed(&self, turn: &mut Turn<'_>, mut card: Card, press: &PressInput<'_>) -> Decision {
        let mut poll = Poll::of(&card);
        match press.action {
            Action::Option if poll.answers.iter().any(|answer| answer == press.item) => {
                poll.votes.retain(|vote| vote.by != turn.event.actor);
                poll.votes.push(Vote { by: turn.event.actor.clone(), answer: press.item.into() });
                card.about = poll.about();
                turn.update(card);
            }
            Action::Finish => decide(turn, card, Action::Finish, Progress::None),
            _ => return refuse_step(turn),
        }
        Decision::new(Verdict::Done, Reason::PressApplied)
    }

    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, _corrects: bool) {
        let card = pending.kind.card().and_then(|card| turn.get::<Card>(card)).cloned();
        let (Some(mut card), Value::Text(text)) = (card, value) else { return };
        card.about = Poll::read(text).about();
        turn.update(card);
    }
}

impl Poll {
    /// Reads "Lunch: pizza, soup". Without answers there is no poll yet.
    fn read(text: &str) -> Self {
        let Some((question, answers)) = text.split_once(':') else { return Self::default() };
        let answers = answers.split(',').map(str::trim).filter(|answer| !answer.is_empty());
        Self {
            question: question.trim().into(),
            answers: answers.map(Into::into).collect(),
            ..Self::default()
        }
    }

    fn of(card: &Card) -> Self {
        let CardSubject::Custom { state, .. } = &card.about else { return Self::default() };
        serde_json::from_value(state.clone()).unwrap_or_default()
    }

    fn about(&self) -> CardSubject {
        let offers = if self.answers.is_empty() { vec![] } else { vec![Action::Option, Action::Finish] };
        let state = serde_json::to_value(self).unwrap_or_default();
        CardSubject::Custom { capability: Polls.name().into(), state, offers }
    }

    fn item(&self, language: Language, answer: &str, open: bool) -> ItemModel {
        let votes = self.votes.iter().filter(|vote| vote.answer == answer).count();
        let choose = open.then(|| button(language, Action::Option, format!("Vote for {answer}")));
        ItemModel {
            id: answer.into(),
            label: format!("{votes}"),
            title: answer.into(),
            state: String::new(),
            fields: vec![],
            errors: vec![],
            buttons: choose.into_iter().collect(),
            link: None,
        }
    }
}
