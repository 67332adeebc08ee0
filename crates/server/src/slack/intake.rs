//! Intake of deliveries: from what Slack sent to an inbox row in its lane, and what is answered with the acknowledgement.

use std::time::Duration;

use serde_json::{Value, json};
use throughline_channels::slack::inbound::lane;
use throughline_channels::slack::render::{self, FormModel, SHOW_ALL};
use throughline_channels::slack::{
    CHANNEL, Delivery, FollowUp, FormPlace, Incoming, Place, Pressed, Workspace, channel_and_ts, channel_id,
    channel_id_within, inbound, is_direct, teams,
};
use throughline_engine::data::event::Press;
use throughline_engine::data::message::Role;
use throughline_engine::data::record::Record;
use throughline_engine::{CardId, Event, EventKind, LaneKey};
use throughline_runtime::{Inbound, Runtime, RuntimeError};
use throughline_store::{self as store, DeliveryIdentity};

use super::{Adapter, ThreadFollow, earlier};
use crate::card_form::{self, CardForm};
use crate::lane_lookup;

/// Maximum time of a look ahead at a form; after it the form is taken. Slack expects an answer within three seconds.
const PREVIEW_TIME: Duration = Duration::from_millis(1_500);

/// Delivery that has been stored.
#[derive(Debug)]
pub struct Accepted {
    /// Body of the acknowledgement, if it has one.
    pub(crate) answer: Option<Value>,
    /// Work that it asks for beside its turn.
    pub(super) then: Then,
}

/// Work that a delivery asks for beside its turn.
#[derive(Debug)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// Opening a form.
    Form { workspace: Workspace, form: FormModel, pressed: Pressed, member: String },
    /// Showing a card in full.
    Whole { workspace: Workspace, lane: LaneKey, card: CardId, pressed: Pressed, member: String },
    /// Renewing a person's Home.
    Home { workspace: Workspace, member: String, cleared: Option<String> },
    /// Showing what can be asked.
    Welcome { workspace: Workspace, place: Place, member: String },
}

impl Accepted {
    fn nothing() -> Self {
        Self { answer: None, then: Then::Nothing }
    }

    fn then(then: Then) -> Self {
        Self { answer: None, then }
    }
}

impl Adapter {
    /// Stores a delivery. Only after this succeeds may it be acknowledged.
    ///
    /// # Errors
    /// Nothing was stored; Slack will deliver it again.
    pub async fn accept(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        delivery: Delivery,
        payload: &Value,
    ) -> Result<Accepted, RuntimeError> {
        let app = &workspace.app;
        let incoming = inbound(delivery, payload, app, &|member| self.people.known(workspace, member));
        let Incoming { more_keys, place, mut event, mut addressing, follow_up } = incoming;
        if addressing.own {
            // What we wrote is known already, and says nothing about its lane.
            return Ok(Accepted::nothing());
        }
        event.received_at = self.now();
        let member = std::mem::take(&mut event.actor);
        if !member.is_empty() && !matches!(event.kind, EventKind::Unknown { .. }) {
            event.actor = self.people.account(&workspace.tenant, &member);
        }
        let lane = self.lane_of(workspace, &place, &event.kind).await?;
        if place.joined && self.follow == ThreadFollow::Auto && !addressing.thread_ours {
            addressing.thread_ours = writes_in(runtime, &lane).await?;
        }
        if lane.thread.is_empty() && !place.thread.is_empty() {
            name_thread(&mut event.kind, &place);
        }
        let teams = teams(payload);
        let ours = teams.teams.contains(&workspace.app.team);
        if teams.shared && !self.installed.owns(workspace, &place.channel).await? {
            event.kind = EventKind::Unknown { name: "not_owner".into() };
        }
        match &follow_up {
            FollowUp::Press(pressed) => {
                let opened = self.opened(runtime, workspace, &lane, &place, pressed, &member).await?;
                if let Some(then) = opened {
                    return Ok(Accepted::then(then));
                }
            }
            FollowUp::Submitted(_) => {
                if let Some(answer) = self.refused(runtime, workspace, &member, &lane, &event).await {
                    return Ok(Accepted { answer: Some(answer), then: Then::Nothing });
                }
            }
            FollowUp::Profile
            | FollowUp::Removed
            | FollowUp::Home { .. }
            | FollowUp::Welcome
            | FollowUp::Nothing => {}
        }
        if let Some(ts) = earlier::called_in_by(&event.kind, &place, &addressing) {
            self.accept_earlier(runtime, workspace, &lane, &place, ts).await?;
        }
        let identity = DeliveryIdentity { more_keys, ..DeliveryIdentity::new(lane, event.id.as_str()) };
        let accepted = runtime.accept(Inbound { identity, event, addressing }).await?;
        if matches!(accepted, store::Accepted::Duplicate(_)) {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => CHANNEL).increment(1);
            return Ok(Accepted::nothing());
        }
        Ok(Accepted::then(self.after(workspace, ours, follow_up, place, member).await?))
    }

    /// Acts on what was accepted beside its turn, and returns what is left to do. `ours` is false where the delivery names
    /// another workspace than the one that it was taken for.
    async fn after(
        &self,
        workspace: &Workspace,
        ours: bool,
        follow_up: FollowUp,
        place: Place,
        member: String,
    ) -> Result<Then, RuntimeError> {
        Ok(match follow_up {
            FollowUp::Home { cleared } => Then::Home { workspace: workspace.clone(), member, cleared },
            FollowUp::Welcome => Then::Welcome { workspace: workspace.clone(), place, member },
            FollowUp::Profile => {
                self.people.forget(&member);
                Then::Nothing
            }
            FollowUp::Removed if !ours => Then::Nothing,
            FollowUp::Removed => {
                tracing::warn!(
                    code = "TL-3301",
                    team = workspace.app.team,
                    "the app was removed from its workspace"
                );
                self.installed.remove(&workspace.app.team).await?;
                Then::Nothing
            }
            FollowUp::Press(_) | FollowUp::Submitted(_) | FollowUp::Nothing => Then::Nothing,
        })
    }

    /// Returns the lane of a place: its thread, unless that was begun by a message of the channel's root lane, where commands
    /// are answered; then it is part of the root lane.
    async fn lane_of(
        &self,
        workspace: &Workspace,
        place: &Place,
        kind: &EventKind,
    ) -> Result<LaneKey, RuntimeError> {
        let of = |thread: &str| lane(&workspace.tenant, &workspace.app, &place.channel, thread);
        let thread = of(&place.thread);
        if place.thread.is_empty() || is_direct(&place.channel) {
            return Ok(thread);
        }
        let candidates = [thread, of("")];
        let token = match kind {
            EventKind::CardPressed { press: Press::Token(token), .. } => Some(token.as_str()),
            _ => None,
        };
        let about = place.about.as_ref().unwrap_or(&place.thread);
        let message = channel_id(&place.channel, about);
        let found = lane_lookup::lane_of(self.store.as_ref(), &candidates, &message, token).await?;
        let [thread, _] = &candidates;
        Ok(found.map_or(thread, |found| found.lane).clone())
    }

    /// Returns what a press opens: a form, or a card in full. `None` if the press is the lane's to decide, which also tells
    /// why a form that was there is there no more.
    async fn opened(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        lane: &LaneKey,
        place: &Place,
        pressed: &Pressed,
        member: &str,
    ) -> Result<Option<Then>, RuntimeError> {
        let (workspace, pressed, member) = (workspace.clone(), pressed.clone(), member.to_owned());
        if pressed.action == SHOW_ALL {
            let card = CardId::from(pressed.value.as_str());
            return Ok(Some(Then::Whole { workspace, lane: lane.clone(), card, pressed, member }));
        }
        if pressed.value.is_empty() {
            return Ok(None);
        }
        let language = self.language_of(&workspace, &member);
        let form = card_form::form(runtime, self.store.as_ref(), lane, &pressed.value, language).await?;
        let Some(CardForm { title, token: Some(token), fields }) = form else { return Ok(None) };
        let place = FormPlace { token, channel: place.channel.clone(), thread: lane.thread.clone() };
        let form = FormModel { title, place, fields };
        Ok(Some(Then::Form { workspace, form, pressed, member }))
    }

    /// Returns the answer to a form that would be refused: its faults by field, or, if its card was changed or decided
    /// meanwhile, a window with what was typed. It is stored in neither case.
    async fn refused(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        member: &str,
        lane: &LaneKey,
        event: &Event,
    ) -> Option<Value> {
        let EventKind::FormSubmitted { values, .. } = &event.kind else { return None };
        let language = self.language_of(workspace, member);
        let long = render::too_long(values, language);
        if !long.is_empty() {
            return Some(json!({"response_action": "errors", "errors": long}));
        }
        let looked = tokio::time::timeout(PREVIEW_TIME, runtime.preview_press(lane, event)).await;
        let Ok(Ok(preview)) = looked else { return None };
        if !preview.refused {
            return None;
        }
        let view = render::outdated(values, preview.notice.as_deref(), language);
        Some(json!({"response_action": "update", "view": view}))
    }
}

/// Names the thread in the ids of a message of the root lane, so that it is answered there, and lets a posted one reply to
/// what began the thread.
fn name_thread(kind: &mut EventKind, place: &Place) {
    let root = channel_id(&place.channel, &place.thread);
    let within = |id: &str| {
        let (channel, ts) = channel_and_ts(id)?;
        (ts != place.thread).then(|| channel_id_within(channel, ts, &place.thread))
    };
    match kind {
        EventKind::MessagePosted(posted) => {
            posted.message_id = posted.message_id.as_deref().and_then(within);
            posted.reply_to.get_or_insert(root);
        }
        EventKind::MessageEdited { message, .. } | EventKind::MessageDeleted { message } => {
            if let Some(id) = within(message) {
                *message = id;
            }
        }
        _ => {}
    }
}

/// Returns true if the assistant wrote in a thread lately.
async fn writes_in(runtime: &Runtime, lane: &LaneKey) -> Result<bool, RuntimeError> {
    let lane = runtime.lane(lane).await?;
    let ours =
        |record: &Record| matches!(record, Record::Message(message) if message.role == Role::Assistant);
    Ok(lane.records.iter().any(ours))
}
