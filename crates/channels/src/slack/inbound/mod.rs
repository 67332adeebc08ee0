//! Turns what Slack delivers into events of a lane, the same for HTTP and Socket Mode. Pure and total: what is not
//! understood is kept under a key and ignored.
//!
//! Only the store knows whether a thread is one that the assistant writes in and what a button is for, so that is left
//! open ([`Place`], [`FollowUp`]).

mod command;
mod event;
mod interaction;

use serde_json::Value;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Timestamp};

use super::mrkdwn::Names;
use super::names::{App, CHANNEL};

pub use interaction::{CLEARS, FIELD, FormPlace, Shortcut};

/// A delivery, by the way it came: the endpoint, or the kind of its envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// `event_callback`: a message, a mention, a change of the workspace.
    Event,
    /// A press, a form, a shortcut.
    Interaction,
    /// A slash command.
    Command,
}

/// A delivery, as far as it can be understood without a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// The identities of the delivery beside its delivery key, which is the event's id.
    pub more_keys: Vec<String>,
    /// The place it belongs to.
    pub place: Place,
    /// The event. The caller sets `received_at`; its actor is a user id of Slack.
    pub event: Event,
    /// The facts of how a message was addressed.
    pub addressing: Addressing,
    /// The action to take beside delivering the event.
    pub follow_up: FollowUp,
}

/// The place in a workspace that a delivery belongs to (`docs/design/0058-slack.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The conversation, `C…`, `G…` or `D…`. Empty where there is none, as in a change of a person's profile.
    pub channel: String,
    /// The thread, by the time stamp of its first message. Empty in a direct message outside of any thread.
    pub thread: String,
    /// The time stamp of the message whose button was pressed or that a shortcut is about.
    pub about: Option<String>,
    /// True if nothing but the store can say whether the assistant takes part in the thread.
    pub joined: bool,
}

/// An action that a delivery asks for beside its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Nothing.
    Nothing,
    /// A press, which may have to open a form or to show a card in full.
    Press(Pressed),
    /// A submitted form.
    Submitted(FormPlace),
    /// Renew the person's Home. A choice of this thread, `C1:17.004`, is being cleared and not shown any more.
    Home {
        /// The thread.
        cleared: Option<String>,
    },
    /// Show what can be asked, in a thread of the agent's view that was opened.
    Welcome,
    /// Read the person's profile anew.
    Profile,
    /// The app was removed from the workspace.
    Removed,
}

/// A press, as far as more than its token counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressed {
    /// The id of the button, `tl.approve.1`.
    pub action: String,
    /// The token, or what else the button carries.
    pub value: String,
    /// The id that opens one view within three seconds.
    pub trigger: String,
    /// The time of the press in milliseconds, by Slack's clock.
    pub at: Option<i64>,
}

/// The key of the lane for a place.
#[must_use]
pub fn lane(tenant: &str, app: &App, channel: &str, thread: &str) -> LaneKey {
    LaneKey::new(tenant, &app.user, CHANNEL, channel, thread)
}

/// The workspaces that a delivery may be for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Teams {
    /// Teams, the likeliest first. In a channel that several workspaces share, the one that the app hears it for is named
    /// by the authorisation.
    pub teams: Vec<String>,
    /// The organisation.
    pub enterprise: Option<String>,
    /// True if the channel is shared with another workspace.
    pub shared: bool,
}

/// Reads which workspaces a delivery may be for.
#[must_use]
pub fn teams(payload: &Value) -> Teams {
    let authorised = &payload["authorizations"][0];
    let named = [
        &authorised["team_id"],
        &payload["context_team_id"],
        &payload["team"]["id"],
        &payload["team_id"],
        &payload["view"]["app_installed_team_id"],
        &payload["user"]["team_id"],
    ];
    let mut teams: Vec<String> =
        named.into_iter().map(text).filter(|id| !id.is_empty()).map(Into::into).collect();
    teams.dedup();
    let enterprise =
        first(&[&authorised["enterprise_id"], &payload["enterprise"]["id"], &payload["enterprise_id"]]);
    Teams {
        teams,
        enterprise: Some(enterprise.to_owned()).filter(|id| !id.is_empty()),
        shared: payload["is_ext_shared_channel"] == true,
    }
}

/// Reads a delivery.
#[must_use]
pub fn inbound(delivery: Delivery, payload: &Value, app: &App, names: Names<'_>) -> Incoming {
    let context = Context { app, id: api_app(payload, app), names };
    match delivery {
        Delivery::Event => event::read(payload, &context),
        Delivery::Interaction => interaction::read(payload, &context),
        Delivery::Command => command::read(payload, &context),
    }
}

/// The knowledge that a delivery is read with.
struct Context<'a> {
    app: &'a App,
    /// The app's id for keys: several apps of a workspace see the same events.
    id: String,
    names: Names<'a>,
}

fn api_app(payload: &Value, app: &App) -> String {
    let told = text(&payload["api_app_id"]);
    if told.is_empty() { app.id.clone() } else { told.to_owned() }
}

/// The text of a value that should be one; empty otherwise.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The first of these texts that is not empty.
fn first<'a>(values: &[&'a Value]) -> &'a str {
    values.iter().map(|value| text(value)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The milliseconds of a time stamp such as `1596530385.194939`.
fn millis(ts: &str) -> Option<i64> {
    let (seconds, parts) = ts.split_once('.').unwrap_or((ts, ""));
    let seconds: i64 = seconds.parse().ok().filter(|seconds| (0..100_000_000_000).contains(seconds))?;
    let parts: String = parts.chars().chain("000".chars()).take(3).collect();
    Some(seconds * 1_000 + parts.parse::<i64>().ok()?)
}

/// A key from everything that was delivered, where nothing else identifies it.
fn raw_key(payload: &Value) -> String {
    format!("slack:raw:{}", hex(&sha256(&[payload.to_string().as_bytes()])))
}

/// A delivery by a member that is accepted, kept and ignored.
fn ignored_by(member: &str, key: String, name: &str) -> Incoming {
    let ignored = ignored(key, name);
    Incoming { event: Event { actor: member.into(), ..ignored.event }, ..ignored }
}

/// A delivery that is accepted, kept and ignored.
fn ignored(key: String, name: &str) -> Incoming {
    Incoming {
        more_keys: Vec::new(),
        place: Place::default(),
        event: event_of(key, "", EventKind::Unknown { name: name.into() }),
        addressing: Addressing::default(),
        follow_up: FollowUp::Nothing,
    }
}

fn event_of(id: String, actor: &str, kind: EventKind) -> Event {
    Event { id, received_at: Timestamp(0), actor: actor.into(), kind }
}

#[cfg(test)]
mod tests;
