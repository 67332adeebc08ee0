//! Events that a run tells of a turn: messages, notices, waits and the results of approvals.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_channels::agui::RunEvent;
use throughline_channels::direction::steadied;
use throughline_engine::data::card::Card;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::{CardId, EffectId, MessageId, TurnId};
use throughline_runtime::turn_log::Turn;
use throughline_store::ApprovalState;
use tokio::time::Instant;

use super::run::Run;
use super::snapshot;
use crate::deliver::refusal_code;
use crate::problem::Problem;
use crate::routes::feed::{FeedEvent, events_of_turn};
use crate::turn_chain::{Awaited, Following};
use crate::wire;

impl Run {
    /// Tells a turn and those on the outcomes of its effects, as they are committed.
    pub(super) async fn follow(&mut self, turn: &TurnId) -> Result<(), Problem> {
        let app = self.app.clone();
        let awaited = Awaited::OursAndHandovers;
        let following = Following::begin(app.runtime(), &self.lane.tenant, turn, awaited).await?;
        let Some(mut following) = following else { return Err(Problem::not_found("turn")) };
        let mut told = 0;
        loop {
            let more = following.advance().await?;
            if told == 0 {
                let own = &following.chain.own;
                self.refused(own).await?;
                self.tell_turn(own).await?;
                told = 1;
            }
            while let Some((effect, turn)) = following.chain.settled.get(told - 1) {
                self.finish_step(effect);
                self.tell_turn(turn).await?;
                told += 1;
            }
            let open: BTreeMap<EffectId, EffectClass> =
                following.waits_for().map(|(id, class)| (id.clone(), class)).collect();
            self.show_steps(&open);
            if !more {
                return Ok(());
            }
            if Instant::now() >= self.deadline || app.draining() {
                return Err(self.too_long());
            }
            following.wait(self.deadline).await;
        }
    }

    /// Fails if the turn refused a press.
    async fn refused(&self, turn: &Turn) -> Result<(), Problem> {
        let Some(code) = refusal_code(turn.row.decision.reason.code()) else { return Ok(()) };
        let notices = self.notices(turn).await?;
        let text = if notices.is_empty() { code.title.to_owned() } else { notices.join(" ") };
        Err(Problem::new(code, text))
    }

    async fn notices(&self, turn: &Turn) -> Result<Vec<String>, Problem> {
        let told = self.feed(turn).await?;
        let texts = told.into_iter().filter_map(|event| match event {
            FeedEvent::Effect(effect) => self.notice_of(&effect),
            _ => None,
        });
        Ok(texts.collect())
    }

    /// Returns the text of a notice to the person who speaks.
    fn notice_of(&self, effect: &wire::Effect) -> Option<String> {
        let text = |name: &str| effect.body.get(name).and_then(Value::as_str);
        let ours = effect.class == EffectClass::Notice.as_str() && text("to") == Some(&self.by.actor);
        text("text").filter(|_| ours).map(str::to_owned)
    }

    async fn feed(&self, turn: &Turn) -> Result<Vec<FeedEvent>, Problem> {
        let lane = self.app.runtime().lane(&self.lane).await?;
        events_of_turn(&self.app, &lane, turn).await
    }

    async fn tell_turn(&mut self, turn: &Turn) -> Result<(), Problem> {
        let info = wire::TurnInfo::new(turn);
        self.turns.push(json!({"turn": info.turn, "decision": info.decision, "reason": info.reason}));
        for event in self.feed(turn).await? {
            match event {
                FeedEvent::Message(message) if message.role == "assistant" => {
                    self.tell_text(message.id, &message.text);
                }
                FeedEvent::Card { message, posted: true, .. } => {
                    let views =
                        self.app.runtime().messages(&self.lane, std::slice::from_ref(&message)).await?;
                    if let Some(view) = views.into_iter().next() {
                        self.tell_text(message.0, &steadied(view.text));
                    }
                }
                FeedEvent::Effect(effect) => {
                    if let Some(text) = self.notice_of(&effect) {
                        self.tell_text(effect.id, &text);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn tell_text(&mut self, message_id: String, text: &str) {
        if !self.shown.insert(message_id.clone()) {
            return;
        }
        self.tell(RunEvent::TextMessageStart { message_id: message_id.clone(), role: "assistant" });
        if !text.is_empty() {
            self.tell(RunEvent::TextMessageContent {
                message_id: message_id.clone(),
                delta: text.to_owned(),
            });
        }
        self.tell(RunEvent::TextMessageEnd { message_id });
    }

    /// Tells what became of an approval that was decided.
    pub(super) async fn tell_result(&mut self, card: &CardId) -> Result<(), Problem> {
        let row = self.app.store().approval(&self.lane.tenant, card).await?;
        let Some(row) = row.filter(|row| row.state != ApprovalState::Pending) else {
            return Ok(());
        };
        let message_id = snapshot::result_id(card);
        if !self.shown.insert(message_id.clone()) {
            return Ok(());
        }
        let lane = self.app.runtime().lane(&self.lane).await?;
        let shows = lane.records.get::<Card>(card).map(|card| card.message.clone());
        let shows: Vec<MessageId> = shows.into_iter().collect();
        let views = self.app.runtime().messages_of(&lane, &shows).await?;
        let text = views.into_iter().next().map(|view| steadied(view.text));
        let content = text.unwrap_or_else(|| crate::views::approvals::state(&row.state).to_owned());
        self.tell(RunEvent::ToolCallResult {
            message_id,
            tool_call_id: card.0.clone(),
            content,
            role: "tool",
        });
        Ok(())
    }

    /// Begins a step for every effect that is waited for, and ends those of the others.
    fn show_steps(&mut self, open: &BTreeMap<EffectId, EffectClass>) {
        let over: Vec<EffectId> = self.steps.keys().filter(|id| !open.contains_key(*id)).cloned().collect();
        for id in over {
            self.finish_step(&id);
        }
        for (id, class) in open {
            if self.steps.contains_key(id) {
                continue;
            }
            let word = class.as_str().to_owned();
            let taken = self.steps.values().any(|name| *name == word);
            let step_name = if taken { format!("{word} {id}") } else { word };
            self.tell(RunEvent::StepStarted { step_name: step_name.clone() });
            self.steps.insert(id.clone(), step_name);
        }
    }

    fn finish_step(&mut self, effect: &EffectId) {
        if let Some(step_name) = self.steps.remove(effect) {
            self.tell(RunEvent::StepFinished { step_name });
        }
    }
}
