//! A run: what its input asks for is delivered, and its turns are told as they are committed. It goes on when its client has
//! left, so that an answer to several interrupts is never half applied for that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use throughline_channels::agui::{Outcome, PROTOCOL, RunEvent, RunIds, RunInput, UserMessage};
use throughline_channels::api::{ActorRequest, EventRequest, LaneRequest};
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::{EffectId, LaneKey, TurnId};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::interrupts::{Asks, Open, Waiting};
use super::resume::{self, Step};
use super::snapshot;
use super::thread::Thread;
use crate::access::{self, Act};
use crate::app::{App, CountGuard};
use crate::auth::Caller;
use crate::codes;
use crate::deliver::{AnswerKind, Delivery, turn_of};
use crate::idempotency::KeyedRequest;
use crate::problem::Problem;
use crate::routes::events;

/// Largest time of a run. It is longer than a handover waits by default, so that its own end is told.
const LONGEST: Duration = Duration::from_secs(150);

/// Person who speaks, and the caller who brings it.
pub(crate) struct Speaker {
    /// Caller.
    pub(super) caller: Caller,
    /// Id of the person who acts.
    pub(super) actor: String,
    /// Name of that person, if the input has one.
    name: Option<String>,
}

impl Speaker {
    /// Returns the person as an event names them.
    pub(super) fn named(&self) -> ActorRequest {
        ActorRequest { id: Some(self.actor.clone()), name: self.name.clone() }
    }
}

/// Events of a run on their way to the client.
pub(crate) struct Sent {
    /// Channel to the connection.
    pub(crate) to: UnboundedSender<RunEvent>,
    /// Count of open streams.
    pub(crate) _counted: CountGuard,
}

/// Run.
pub(crate) struct Run {
    pub(super) app: Arc<App>,
    pub(super) by: Speaker,
    pub(super) lane: LaneKey,
    ids: RunIds,
    input: RunInput,
    sent: Sent,
    pub(super) deadline: Instant,
    /// Ids of messages and calls that the client shows.
    pub(super) shown: BTreeSet<String>,
    /// Steps that were begun, by effect.
    pub(super) steps: BTreeMap<EffectId, String>,
    /// Turns of the run.
    pub(super) turns: Vec<Value>,
}

impl Run {
    /// Begins a run, if the caller may speak and read in its lane.
    ///
    /// # Errors
    /// They may not.
    pub(crate) async fn begin(
        app: &Arc<App>,
        caller: Caller,
        ids: RunIds,
        input: RunInput,
        sent: Sent,
        wait: Option<Duration>,
    ) -> Result<Self, Problem> {
        let named = input.actor.clone().unwrap_or_default();
        let actor = caller.actor(app, named.id.as_deref())?;
        let lane = LaneKey::new(&caller.tenant, &caller.app, "api", &ids.thread, "");
        access::check(app, &caller, Act::Write, &lane, "thread").await?;
        let shown = input.shown.clone();
        Ok(Self {
            app: app.clone(),
            by: Speaker { caller, actor, name: named.name },
            lane,
            ids,
            input,
            sent,
            deadline: Instant::now() + wait.unwrap_or(LONGEST),
            shown,
            steps: BTreeMap::new(),
            turns: Vec::new(),
        })
    }

    /// Runs to the end, which is always told.
    pub(crate) async fn go(mut self) {
        let RunIds { thread, run, parent } = self.ids.clone();
        self.tell(RunEvent::RunStarted {
            thread_id: thread.clone(),
            run_id: run.clone(),
            parent_run_id: parent,
            protocol_version: PROTOCOL,
        });
        let ended = self.work().await;
        for (_, step_name) in std::mem::take(&mut self.steps) {
            self.tell(RunEvent::StepFinished { step_name });
        }
        match ended {
            Ok(outcome) => {
                let result = json!({"turns": self.turns});
                self.tell(RunEvent::RunFinished { thread_id: thread, run_id: run, result, outcome });
            }
            Err(problem) => self.tell(error(&problem)),
        }
    }

    async fn work(&mut self) -> Result<Outcome, Problem> {
        self.tell_what_is_not_read().await?;
        let waiting = self.waiting().await?;
        if self.input.resume.is_empty() {
            let Some(message) = self.input.message.clone() else {
                let text = "send a message with the role user, or answers in resume";
                return Err(Problem::new(&codes::AGUI_NOTHING, text));
            };
            let key = self.message_key(&message);
            let fresh = !self.seen(&message, &key).await?;
            if fresh && !self.input.parallel {
                self.must_be_free(&waiting)?;
            }
            self.post(&message, key).await?;
        } else {
            self.answer(&waiting).await?;
        }
        self.end().await
    }

    /// Applies the answers to interrupts, and then takes a new message that came with them.
    async fn answer(&mut self, waiting: &Waiting) -> Result<(), Problem> {
        let app = self.app.clone();
        let lane = app.runtime().lane(&self.lane).await?;
        let steps = resume::plan(&app, &self.by, &lane, waiting, &self.input.resume).await?;
        for step in steps {
            match step {
                Step::Nothing => {}
                Step::Leave { interrupt } => {
                    let open: BTreeSet<String> = waiting.open.iter().map(Open::id).collect();
                    Thread::change(app.store(), &self.lane, |thread| {
                        thread.left.retain(|left| open.contains(left));
                        thread.left.insert(interrupt.clone());
                    })
                    .await?;
                }
                Step::Again { card, turn } => {
                    self.follow(&turn).await?;
                    self.tell_result(&card).await?;
                }
                Step::Deliver { card, delivery } => {
                    let turn = self.deliver(*delivery).await?;
                    self.follow(&turn).await?;
                    self.tell_result(&card).await?;
                }
            }
        }
        let Some(message) = self.input.message.clone() else { return Ok(()) };
        let key = self.message_key(&message);
        if self.seen(&message, &key).await? {
            return Ok(());
        }
        if !self.input.parallel && self.waiting().await?.blocking().next().is_some() {
            self.notice(
                "agui.message_waits",
                "your message was not taken yet: answer what is open, then send it again",
            );
            return Ok(());
        }
        self.post(&message, key).await
    }

    /// Ends the run: state and history, what waits, and the interrupts.
    async fn end(&mut self) -> Result<Outcome, Problem> {
        let app = self.app.clone();
        let lane = app.runtime().lane(&self.lane).await?;
        let waiting = self.waiting().await?;
        for pending in &waiting.others {
            let value = serde_json::to_value(pending).unwrap_or_default();
            self.tell(RunEvent::Custom { name: "throughline.pending", value });
        }
        for open in waiting.blocking() {
            if let Asks::Approval(row) = &open.asks
                && self.shown.insert(open.card.id.0.clone())
            {
                let tool_call_id = open.card.id.0.clone();
                self.tell(RunEvent::ToolCallStart {
                    tool_call_id: tool_call_id.clone(),
                    tool_call_name: row.approval.kind.clone(),
                    parent_message_id: open.card.message.0.clone(),
                });
                let delta = row.approval.payload.clone();
                self.tell(RunEvent::ToolCallArgs { tool_call_id: tool_call_id.clone(), delta });
                self.tell(RunEvent::ToolCallEnd { tool_call_id });
            }
        }
        // Whoever only writes takes part by that; a turn that was ignored makes nobody a reader.
        if access::allows(&app, &self.by.caller, Act::ReadLane, &self.lane).await? {
            self.tell(RunEvent::StateSnapshot { snapshot: snapshot::state(&lane) });
            let messages = snapshot::messages(&app, &self.by, &lane).await?;
            self.tell(RunEvent::MessagesSnapshot { messages });
        }
        let interrupts = waiting.interrupts();
        Ok(if interrupts.is_empty() { Outcome::Success } else { Outcome::Interrupt { interrupts } })
    }

    async fn waiting(&self) -> Result<Waiting, Problem> {
        let lane = self.app.runtime().lane(&self.lane).await?;
        let thread = Thread::read(self.app.store(), &self.lane).await?;
        Waiting::of(&self.app, &self.by.caller, &self.by.actor, &lane, &thread).await
    }

    /// Checks that nothing blocks the thread; else the client is told what does.
    fn must_be_free(&self, waiting: &Waiting) -> Result<(), Problem> {
        let open: Vec<String> = waiting.interrupts().into_iter().map(|interrupt| interrupt.id).collect();
        if open.is_empty() {
            return Ok(());
        }
        self.tell(RunEvent::Custom { name: "throughline.interrupts", value: resume::listed(waiting) });
        let text = format!("answer or cancel {} in resume first", open.join(", "));
        Err(Problem::new(&codes::AGUI_OPEN, text))
    }

    fn message_key(&self, message: &UserMessage) -> KeyedRequest {
        let lane = self.lane.id();
        let parts =
            ["agui/message", &self.by.actor, &message.text].map(|part| hex(&sha256(&[part.as_bytes()])));
        KeyedRequest {
            tenant: self.lane.tenant.clone(),
            client: message.id.clone(),
            key: format!("agui:{lane}:m:{}", message.id),
            hash: hex(&sha256(&[parts.concat().as_bytes()])),
            event_hash: None,
        }
    }

    /// Returns true if a message was taken before, here or as an event of its host.
    ///
    /// # Errors
    /// Its id was taken with other words, or by somebody else.
    async fn seen(&self, message: &UserMessage, key: &KeyedRequest) -> Result<bool, Problem> {
        if let Some(row) = self.app.store().delivery(&key.tenant, &key.key).await? {
            if !key.is_repeated_by(row.body_hash.as_deref()) {
                let text = format!("the id {:?} was used for another message of this thread", message.id);
                return Err(Problem::new(&codes::EVENT_REUSED, text));
            }
            return Ok(true);
        }
        Ok(self.app.store().record(&self.lane, "message", &message.id).await?.is_some())
    }

    async fn post(&mut self, message: &UserMessage, keyed: KeyedRequest) -> Result<(), Problem> {
        let app = self.app.clone();
        let by_host = app.store().delivery(&keyed.tenant, &keyed.key).await?.is_none();
        if by_host && app.store().record(&self.lane, "message", &message.id).await?.is_some() {
            return Ok(());
        }
        if message.media > 0 {
            self.notice("agui.media", "parts of the message that are no text were not read");
        }
        let request = EventRequest {
            lane: LaneRequest {
                channel: Some(self.lane.channel.clone()),
                conversation: Some(self.lane.conversation.clone()),
                thread: None,
            },
            actor: Some(self.by.named()),
            kind: "message.posted".into(),
            text: Some(message.text.clone()),
            message_id: Some(message.id.clone()),
            ..EventRequest::default()
        };
        let inbound = events::permitted(&app, &self.by.caller, &keyed, request)?;
        let kind = AnswerKind::Turn;
        let mut delivery = events::admitted(&app, &self.by.caller, keyed, inbound, None, kind).await?;
        delivery.more_keys.push(format!("agui:{}:r:{}", self.lane.id(), self.ids.run));
        let turn = self.deliver(delivery).await?;
        self.follow(&turn).await
    }

    async fn deliver(&self, delivery: Delivery) -> Result<TurnId, Problem> {
        let turn = turn_of(&self.app, delivery, self.deadline).await?;
        turn.ok_or_else(|| self.too_long())
    }

    pub(super) fn too_long(&self) -> Problem {
        if self.app.draining() {
            let text = "what was sent is durable; run again, with the same input, for the rest";
            return Problem::new(&codes::DRAINING, text);
        }
        let text = "what was sent is durable and goes on; run again, with the same input, for the rest";
        Problem::new(&codes::AGUI_TIMEOUT, text)
    }

    async fn tell_what_is_not_read(&self) -> Result<(), Problem> {
        if self.input.unread.is_empty() || Thread::read(self.app.store(), &self.lane).await?.told {
            return Ok(());
        }
        Thread::change(self.app.store(), &self.lane, |thread| thread.told = true).await?;
        let unread = self.input.unread.join(", ");
        self.notice(
            "agui.not_read",
            &format!(
                "{unread}: not read. The conversation is kept here, and the tools are the installation's own"
            ),
        );
        Ok(())
    }

    fn notice(&self, code: &str, text: &str) {
        self.tell(RunEvent::Custom {
            name: "throughline.notice",
            value: json!({"code": code, "text": text}),
        });
    }

    /// Sends an event. A client that has left hears nothing, and the run goes on.
    pub(super) fn tell(&self, event: RunEvent) {
        let _ = self.sent.to.send(event);
    }
}

/// Returns a problem as the end of a run.
pub(crate) fn error(problem: &Problem) -> RunEvent {
    let code = problem.code();
    RunEvent::RunError {
        message: format!("{} {}: {}", code.id(), problem.title(), problem.detail()),
        code: code.name.into(),
    }
}
