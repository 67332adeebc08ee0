//! The message being routed: its words with what several rungs read in them, its anchor, and the context they are read in.

use alloc::string::String;
use core::cell::OnceCell;

use crate::data::decision::Decision;
use crate::data::focus::FocusContext;
use crate::data::id::{MessageId, message_position};
use crate::data::message::{Message, Role};
use crate::data::option_set::OptionSet;
use crate::data::purpose::Purpose;
use crate::data::time::Timestamp;
use crate::data::trace::Predicate;
use crate::turn::Turn;
use throughline_language::intent::rules::{self, Ruling};
use throughline_language::{Beside, Context, Words};

/// The message being routed.
#[derive(Clone, Debug)]
pub(crate) struct RoutedMessage {
    pub(crate) message: MessageId,
    pub(crate) by: String,
    /// Its text, cut into words once for every rung.
    pub(crate) words: Words,
    /// The time it was received; for a burst of joined messages, that of the first.
    pub(crate) since: Timestamp,
    /// The ruling on the words, once somebody asked for it: several rungs do.
    ruling: OnceCell<Option<Ruling>>,
    approves: OnceCell<bool>,
    beside: OnceCell<Option<Beside>>,
}

impl RoutedMessage {
    pub(crate) fn new(message: MessageId, by: String, words: Words, since: Timestamp) -> Self {
        let (ruling, approves, beside) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { message, by, words, since, ruling, approves, beside }
    }

    /// Returns the message with other words.
    pub(crate) fn saying(&self, words: Words) -> Self {
        Self::new(self.message.clone(), self.by.clone(), words, self.since)
    }

    /// Returns the ruling on the message, when a rule decides it.
    pub(crate) fn rule(&self) -> Option<&Ruling> {
        self.ruling.get_or_init(|| rules::rule(&self.words)).as_ref()
    }

    /// Returns true if the words approve of something, as [`throughline_language::approves`] reads them.
    pub(crate) fn approves(&self) -> bool {
        *self.approves.get_or_init(|| throughline_language::approves(&self.words))
    }

    /// Returns what the words say beside an answer, as [`throughline_language::beside`] reads them.
    pub(crate) fn beside(&self) -> Option<Beside> {
        *self.beside.get_or_init(|| throughline_language::beside(&self.words))
    }

    pub(crate) fn text(&self) -> &str {
        self.words.text()
    }
}

/// The result of trying a rung.
pub(crate) enum RungResult {
    /// The rung decided.
    Decided(Decision),
    /// The rung does not apply: the predicate that failed.
    Passed(Predicate),
}

pub(crate) fn focus<'t>(turn: &'t Turn<'_>) -> &'t FocusContext {
    const NOTHING: &FocusContext = &FocusContext::NOTHING;
    turn.focus.as_ref().unwrap_or(NOTHING)
}

/// The context in which the actor's words are read: the time, the actor's offset from UTC, and the known
/// places.
pub(crate) fn context<'t>(turn: &Turn<'t>) -> Context<'t> {
    Context::at(turn.event.received_at.0, turn.given.offset_s).knowing(&turn.policy.places)
}

/// The text of a message that is loaded or replied to, else an empty one.
pub(crate) fn text_of<'t>(turn: &Turn<'t>, id: &MessageId) -> &'t str {
    let replied_to = turn.given.anchor.as_ref().filter(|anchor| anchor.id == *id);
    let known = replied_to.or_else(|| turn.lane.records.get::<Message>(id));
    known.map_or("", |message| &message.text)
}

/// Returns the moment at which the actor's message counts as written: when it was received, or, where something was shown since
/// the revision that its writer saw, right before the first of that.
pub(crate) fn written_at(turn: &Turn<'_>, seen: Option<u64>) -> Timestamp {
    let (received, records) = (turn.event.received_at, &turn.lane.records);
    let Some(seen) = seen else { return received };
    let ours = records.all::<Message>().filter(|message| message.role == Role::Assistant);
    let said = ours.filter_map(|message| Some((message_position(message.id.as_str())?.0, message.at)));
    let lists = records.all::<OptionSet>().filter_map(|list| list.newest(&turn.event.actor));
    let shown = lists.map(|list| (list.revision, list.at));
    let later = said.chain(shown).filter(|(revision, _)| *revision > seen).map(|(_, at)| at);
    later.min().map_or(received, |first| received.min(first.plus(-1)))
}

/// True if the acting person is trusted as a member: no bot, not barred, and named by policy if policy
/// names anybody.
pub(crate) fn actor_is_trusted(turn: &Turn<'_>) -> bool {
    let trusted = &turn.policy.facts.trusted_authors;
    let named = |actor: &crate::data::actor::Actor| actor.principals.iter().any(|one| trusted.contains(one));
    let member =
        |actor: &crate::data::actor::Actor| actor.barred.is_none() && (trusted.is_empty() || named(actor));
    !turn.given.addressing.bot && turn.given.actor.as_ref().is_some_and(member)
}

/// True if a model is set up for this purpose and nobody has paused everything.
pub(crate) fn model_is_available(turn: &Turn<'_>, purpose: Purpose) -> bool {
    turn.given.model.has(purpose) && !turn.given.paused.as_ref().is_some_and(|paused| paused.everything)
}
