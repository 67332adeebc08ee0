//! The conversation as a model is shown it: the newest messages of the lane, and around a message that is replied to
//! that one with its neighbours (`spec 05 §6`). One object a line; nothing in one can end its line.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use super::prompt::{Anchor, Built, Section};
use super::text::clean;
use crate::ask::wording::{ANCHOR, object, quoted};
use crate::focus::{self, FocusSource, Hint};
use crate::id::{CardId, MessageId};
use crate::lane::{Ids, Message, MessageKind, Role};
use crate::policy::limits;
use crate::rungs;
use crate::time::Timestamp;
use crate::turn::Turn;
use crate::workflow::project;

/// Sections 6 and 7 of a prompt.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// The newest raw messages, oldest first, without the replied-to one: its neighbours stand here when they do not
    /// there.
    pub(crate) window: Vec<String>,
    /// The replied-to message between its neighbours, what the text refers to, and what was quoted.
    pub(crate) anchor: Anchor,
}

/// What stands around the message being routed. Shown to a model that answers `user`: what another was told alone is
/// left out.
pub(crate) fn around(turn: &Turn<'_>, hint: Option<&Hint>, user: &str) -> Around {
    let aside = replied_to(turn);
    let routed = turn.said.as_ref().map(|said| &said.message);
    let shown =
        |message: &&Message| Some(&message.id) != routed && message.to.as_deref().is_none_or(|to| to == user);
    let mut window: Vec<&Message> = Vec::new();
    let newest = turn.head.window.texts().rev().filter_map(|id| turn.message_ref(id));
    for message in newest.filter(shown).filter(|message| turn.head.is_raw(&message.id)) {
        if window.len() == turn.policy.context.window {
            break;
        }
        if aside[1].is_none_or(|anchor| anchor.id != message.id) {
            window.push(message);
        }
    }
    let context = &turn.policy.context;
    let lines = |message: Option<&Message>| {
        message.filter(|it| shown(it)).and_then(|it| line(turn, it, context.message_graphemes))
    };
    let [before, own, after] = aside;
    let hint = hint.filter(|_| own.is_none_or(|anchor| shown(&anchor)));
    let own = own.filter(shown).and_then(|anchor| line(turn, anchor, context.anchor_graphemes));
    let own = own.into_iter().chain(hint.map(pointed)).chain(quote(turn)).collect();
    let anchor = Anchor { before: lines(before), own, after: lines(after) };
    let window = window.into_iter().rev();
    Around { window: window.filter_map(|message| lines(Some(message))).collect(), anchor }
}

/// The replied-to message between its neighbours, as they read now; nothing when the message replies to none we know.
fn replied_to<'t>(turn: &'t Turn<'_>) -> [Option<&'t Message>; 3] {
    let anchor = turn.given.anchor.as_ref().filter(|_| rungs::focus(turn).source == FocusSource::Reply);
    let Some(anchor) = anchor else { return [None; 3] };
    let now = |message: &'t Message| turn.message_ref(message.id.as_str()).unwrap_or(message);
    focus::around(anchor, turn.lane, turn.given).map(|message| message.map(now))
}

/// One message on one line. Nothing of one that says nothing, or whose text is gone.
pub(crate) fn line(turn: &Turn<'_>, message: &Message, most: usize) -> Option<String> {
    let text = match &message.card {
        Some(card) => contents(turn, card),
        None => message.text.clone(),
    };
    (!text.trim().is_empty()).then(|| written(message, &text, most))
}

/// The line of a message that is nobody's card.
pub(crate) fn written(message: &Message, text: &str, most: usize) -> String {
    object(&[
        ("id", quoted(message.id.as_str())),
        ("at", at(message.at)),
        ("role", quoted(role(message))),
        (
            "from",
            if message.by.is_empty() { "null".into() } else { quoted(&clean(&message.by, limits::NAME)) },
        ),
        ("text", quoted(&clean(text, most))),
    ])
}

/// Whole seconds: nothing in a prompt is more exact than its reader.
fn at(moment: Timestamp) -> String {
    quoted(&format!("{}Z", &moment.rfc3339()[..19]))
}

/// Who spoke, as a prompt names it. What a sub-agent or a tool said carries its target as its author.
fn role(message: &Message) -> &'static str {
    match (message.role, message.kind) {
        (Role::User, _) => "user",
        (Role::Assistant, _) if message.by.starts_with("agent:") => "agent",
        (Role::Assistant, _) if message.by.starts_with("tool:") => "tool",
        (Role::Assistant, Some(MessageKind::Notification)) => "notification",
        (Role::Assistant, _) => "assistant",
    }
}

/// What people wrote on a card: of ours, nothing is said to be theirs.
pub(crate) fn contents(turn: &Turn<'_>, card: &CardId) -> String {
    let card = turn.card(card);
    card.map(|card| project(&card, turn, turn.now(), turn.policy).contents()).unwrap_or_default()
}

/// What the text refers to, under the name an answer may call it by.
fn pointed(hint: &Hint) -> String {
    let text = |id: Option<&str>| id.map_or_else(|| "null".into(), quoted);
    let mut members = Vec::new();
    if let Some(id) = &hint.focus_anchor_internal_id {
        members.extend([("id", quoted(ANCHOR)), ("focusAnchorInternalId", quoted(id.as_str()))]);
    }
    members
        .extend(hint.focus_anchor_channel_id.as_deref().map(|id| ("focusAnchorChannelId", text(Some(id)))));
    members.push(("focusAnchorTextSnippet", quoted(&hint.focus_anchor_text_snippet)));
    members.extend(hint.task_id.as_ref().map(|task| ("taskId", quoted(task.as_str()))));
    object(&[("focus", object(&members))])
}

/// What the message quotes: never the writer's own words. Of a message we do not know it is all there is.
fn quote(turn: &Turn<'_>) -> Option<String> {
    let posted = turn.posted()?;
    let text = |text: &Option<String>| match text {
        Some(text) => quoted(&clean(text, turn.policy.context.quote_graphemes)),
        None => "null".into(),
    };
    let unknown = || String::from("null");
    let id = |id: Option<&str>| id.map_or_else(unknown, quoted);
    let members = match rungs::focus(turn).source {
        FocusSource::Reply => {
            let (anchor, words) = (turn.given.anchor.as_ref()?, posted.quote.as_ref()?);
            let from = Some(anchor.by.as_str()).filter(|by| !by.is_empty());
            vec![
                ("id", quoted(anchor.id.as_str())),
                ("from", id(from)),
                ("role", quoted(role(anchor))),
                ("text", text(&Some(words.clone()))),
            ]
        }
        FocusSource::ReplyPayload => vec![
            ("id", id(posted.reply_to.as_deref())),
            ("from", unknown()),
            ("role", unknown()),
            ("text", text(&posted.quote)),
            ("source", quoted("payload")),
        ],
        FocusSource::LaneRecency | FocusSource::None => return None,
    };
    Some(object(&[("quote", object(&members))]))
}

/// The messages that stand in a prompt, the routed one with them: what an answer states was said in one of these.
pub(crate) fn named(prompt: &Built, routed: &MessageId) -> Ids<MessageId> {
    let lines = prompt.sections.iter().filter(|(section, _)| *section > Section::ReadOnlyContext);
    let ids = lines
        .flat_map(|(_, text)| text.lines())
        .filter_map(|line| line.strip_prefix("{ \"id\": \"")?.split('"').next());
    ids.map(MessageId::from).chain([routed.clone()]).collect()
}
