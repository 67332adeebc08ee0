//! The conversation as a model is shown it: the newest messages of the lane, and the replied-to message
//! with its neighbours. One JSON object per line; no text can end its line
//! (`docs/design/0025-prompt-context.md`).

use crate::data::card::Card;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use crate::context::prompt::Anchor;
use crate::data::focus::AnchorHint;
use crate::data::focus::FocusSource;
use crate::data::id::{CardId, MessageId};
use crate::data::ids::Ids;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::policy::limits;
use crate::data::prompt::ANCHOR;
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::data::time::Timestamp;
use crate::focus;
use crate::text::clean::clean;
use crate::text::json_object::{object, quoted};
use crate::turn::Turn;
use crate::turn::routed_message::focus;

/// Sections 6 and 7 of a prompt.
#[derive(Debug, Default)]
pub(crate) struct ConversationSections {
    /// The newest raw messages, oldest first, without the replied-to one. Its neighbours are here as well;
    /// those that the anchor section shows are left out when the prompt is built.
    pub(crate) window: Vec<String>,
    /// The replied-to message between its neighbours, with what the text refers to and what was quoted.
    pub(crate) anchor: Anchor,
}

/// The messages around the one being routed, as shown to a model that answers `user`: messages to another
/// person alone are left out.
pub(crate) fn around(turn: &Turn<'_>, hint: Option<&AnchorHint>, user: &str) -> ConversationSections {
    let aside = replied_to(turn);
    let routed = turn.said.as_ref().map(|said| &said.message);
    let shown =
        |message: &&Message| Some(&message.id) != routed && message.to.as_deref().is_none_or(|to| to == user);
    let mut window: Vec<&Message> = Vec::new();
    let newest = turn.head.window.texts().rev().filter_map(|id| turn.named::<Message>(id));
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
    ConversationSections { window: window.filter_map(|message| lines(Some(message))).collect(), anchor }
}

/// The replied-to message between its neighbours, in their present wording; three times `None` if the
/// message replies to none that is known.
fn replied_to<'t>(turn: &'t Turn<'_>) -> [Option<&'t Message>; 3] {
    let anchor = turn.given.anchor.as_ref().filter(|_| focus(turn).source == FocusSource::Reply);
    let Some(anchor) = anchor else { return [None; 3] };
    let now = |message: &'t Message| turn.named::<Message>(message.id.as_str()).unwrap_or(message);
    focus::around(anchor, turn.lane, turn.given).map(|message| message.map(now))
}

/// One message on one line; `None` if its text is empty or gone.
pub(crate) fn line(turn: &Turn<'_>, message: &Message, most: usize) -> Option<String> {
    let text = match &message.card {
        Some(card) => contents(turn, card),
        None => message.text.clone(),
    };
    (!text.trim().is_empty()).then(|| written(message, &text, most))
}

/// The line of a message with this text.
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

/// The quoted time in whole seconds; a model needs no more precision.
fn at(moment: Timestamp) -> String {
    quoted(&format!("{}Z", &moment.rfc3339()[..19]))
}

/// The speaker's role in a prompt. A message of a sub-agent or a tool has its target (`agent:…`, `tool:…`)
/// as its author.
fn role(message: &Message) -> &'static str {
    match (message.role, message.kind) {
        (Role::User, _) => "user",
        (Role::Assistant, _) if message.by.starts_with("agent:") => "agent",
        (Role::Assistant, _) if message.by.starts_with("tool:") => "tool",
        (Role::Assistant, Some(MessageKind::Notification)) => "notification",
        (Role::Assistant, _) => "assistant",
    }
}

/// The texts on a card that people wrote; the engine's own words are not attributed to them.
pub(crate) fn contents(turn: &Turn<'_>, card: &CardId) -> String {
    let card = turn.get::<Card>(card).cloned();
    card.map(|card| turn.model(&card).contents()).unwrap_or_default()
}

/// The message or task the text refers to, under the name by which an answer may cite it.
fn pointed(hint: &AnchorHint) -> String {
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

/// The message's quote, which never counts as the writer's own words. For a message that is not known, the
/// quote is all there is.
fn quote(turn: &Turn<'_>) -> Option<String> {
    let posted = turn.posted()?;
    let text = |text: &Option<String>| match text {
        Some(text) => quoted(&clean(text, turn.policy.context.quote_graphemes)),
        None => "null".into(),
    };
    let unknown = || String::from("null");
    let id = |id: Option<&str>| id.map_or_else(unknown, quoted);
    let members = match focus(turn).source {
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

/// The ids of the messages in a prompt and of the routed one: an answer may attribute facts only to these.
pub(crate) fn named(prompt: &BuiltPrompt, routed: &MessageId) -> Ids<MessageId> {
    let lines = prompt.sections.iter().filter(|(section, _)| *section > PromptSection::ReadOnlyContext);
    let ids = lines
        .flat_map(|(_, text)| text.lines())
        .filter_map(|line| line.strip_prefix("{ \"id\": \"")?.split('"').next());
    ids.map(MessageId::from).chain([routed.clone()]).collect()
}
