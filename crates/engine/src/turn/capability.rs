//! The interface of a capability to the rest of the engine: its cards, its questions, its requests to a model, the
//! effects it sent, the records it needs.
//!
//! Routing, cards, `needs` and erasure know capabilities only by this trait and by the table of them in
//! `routing/capabilities.rs`; `data/owner.rs` says what belongs to which. `docs/recipes/workflow.md` adds one.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::ask::{Answer, AnswerRecipient};
use crate::data::authors::Authored;
use crate::data::canonical_json::{hex, sha256};
use crate::data::card::{Card, TimerPurpose};
use crate::data::card_model::CardModel;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::effect::outcome::Outcome;
use crate::data::event::Event;
use crate::data::id::{CardId, EffectId, MessageId, TaskId};
use crate::data::lane::Lane;
use crate::data::language::Language;
use crate::data::pending::{PendingKind, PendingState};
use crate::data::policy::Policy;
use crate::data::record::{Record, RecordKey};
use crate::data::record_lookup::RecordLookup;
use crate::data::time::Timestamp;
use crate::turn::Turn;
use throughline_language::Value;
use throughline_messages as say;

/// A capability of the engine. Each method is called only for what [`Capability::name`] owns, and its default fits a
/// capability that has nothing of the kind.
pub(crate) trait Capability: Sync {
    /// Returns the name that its cards, questions and requests carry.
    fn name(&self) -> &'static str;

    /// Returns the words of its commands, so that a mistyped one can be suggested.
    fn commands(&self) -> &'static [&'static str] {
        &[]
    }

    /// Runs a command, the word behind the slash command and what follows it. `None` if the word is not its own.
    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        let _ = (turn, word, rest);
        None
    }

    /// Fills in what a person sees of its card. The model has the card's id, step and version already.
    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        model.title = say::card_gone(view.language());
    }

    /// Returns the keys of the records that its card shows, as far as `known` has what leads to them.
    fn shown(&self, card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
        let _ = known;
        card.subject().into_iter().collect()
    }

    /// Returns the keys of the records that something that happens to its card may change: those it shows, and more.
    fn reached(&self, card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
        self.shown(card, known)
    }

    /// Returns the question that its card keeps open until somebody presses: whether an uncertain effect was applied, or
    /// the approval, for a card that has either.
    fn waits_for(&self, card: &Card) -> Option<PendingKind> {
        let id = card.id.clone();
        match card.uncertain_effect() {
            Some(effect) => Some(PendingKind::WaitingUncertainEffect { card: id, effect: effect.clone() }),
            None => card.is_approval().then_some(PendingKind::WaitingApproval { card: id }),
        }
    }

    /// Returns a deadline of its card beside the expiry and the reminder.
    fn deadline(&self, turn: &Turn<'_>, card: &Card) -> Option<(Timestamp, TimerPurpose)> {
        let _ = (turn, card);
        None
    }

    /// Brings the questions around its card up to date, after the card was shown or changed.
    fn follow(&self, turn: &mut Turn<'_>, card: &Card) {
        let _ = (turn, card);
    }

    /// Returns what an approver's press on its card would release: usually one request, several if the press has to
    /// choose among them, none if the card releases nothing or its records are gone.
    fn requests(&self, turn: &Turn<'_>, card: &Card) -> Vec<ReleaseRequest> {
        let _ = (turn, card);
        Vec::new()
    }

    /// Returns the task that its card serves.
    fn task(&self, turn: &Turn<'_>, card: &Card) -> Option<TaskId> {
        let _ = (turn, card);
        None
    }

    /// Returns the few words by which a reminder names its card.
    fn topic(&self, turn: &Turn<'_>, card: &Card) -> String {
        let _ = (turn, card);
        String::new()
    }

    /// Carries out a press on its card. Everything about the press has been checked.
    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
        let _ = (card, press);
        turn.tell(&say::press_stale(turn.language()));
        Decision::new(Verdict::Refused, Reason::StaleStep)
    }

    /// Takes in a form of its card. Everything about the press has been checked, nothing about the values.
    fn submitted(
        &self,
        turn: &mut Turn<'_>,
        card: Card,
        press: &PressInput<'_>,
        values: &BTreeMap<String, String>,
    ) -> Decision {
        let _ = (card, values);
        turn.tell(&say::press_no_form(turn.language(), press.action.label(turn.language())));
        Decision::new(Verdict::Refused, Reason::FormInvalid)
    }

    /// Cleans up after its card, which expired or was cancelled undecided.
    fn lapsed(&self, turn: &mut Turn<'_>, card: &Card) {
        let _ = (turn, card);
    }

    /// Takes in a deadline that it set for its card.
    fn due(&self, turn: &mut Turn<'_>, card: Card, about: &TimerPurpose) -> Reason {
        let _ = (turn, card, about);
        Reason::TimerSuperseded
    }

    /// Takes in the answer to its question. `corrects` is true if it replaces an earlier answer.
    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, corrects: bool) {
        let _ = (turn, pending, value, corrects);
    }

    /// Handles a question of its that a message about something else came between.
    fn left(&self, turn: &mut Turn<'_>, pending: &PendingState) {
        let _ = (turn, pending);
    }

    /// Returns true if an answer to its question can still be replaced by another.
    fn correctable(&self, turn: &Turn<'_>, pending: &PendingState) -> bool {
        let _ = (turn, pending);
        false
    }

    /// Returns the task that cannot go on without an answer to its question; "stop" ends it.
    fn blocked(&self, turn: &Turn<'_>, pending: &PendingState) -> Option<TaskId> {
        let _ = (turn, pending);
        None
    }

    /// Goes on with a model's answer, or without one.
    fn heard(&self, turn: &mut Turn<'_>, about: AnswerRecipient, answer: Option<Answer>) -> Decision {
        let _ = (turn, about, answer);
        Decision::new(Verdict::Recorded, Reason::LateAnswer)
    }

    /// Gives up what it asked a model about, because somebody said "stop".
    fn stopped(&self, turn: &mut Turn<'_>, about: &AnswerRecipient) {
        let _ = (turn, about);
    }

    /// Takes in the outcome of an effect. `None` if the effect is not its own; the capabilities are tried in the order of
    /// the table.
    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        let _ = (turn, settled);
        None
    }

    /// Returns further records that an event needs, beside the cards it names and what these reach.
    fn needs(&self, event: &NeedsInput<'_>) -> Vec<RecordKey> {
        let _ = event;
        Vec::new()
    }

    /// Calls off what a record has under way elsewhere, because the record is about to be erased.
    fn call_off(&self, turn: &mut Turn<'_>, record: &Record) {
        let _ = (turn, record);
    }
}

/// A card, and what it is shown with.
pub(crate) struct CardContext<'a> {
    pub(crate) card: &'a Card,
    pub(crate) known: &'a dyn RecordLookup,
    pub(crate) now: Timestamp,
    pub(crate) policy: &'a Policy,
}

impl CardContext<'_> {
    /// Returns the language the card is written in.
    pub(crate) fn language(&self) -> Language {
        self.card.language
    }
}

/// A press that passed all checks.
pub(crate) struct PressInput<'a> {
    pub(crate) action: Action,
    /// Id of the item that was pressed; empty for a button of the card itself.
    pub(crate) item: &'a str,
    /// True if *Remember for this thread* was ticked.
    pub(crate) remember: bool,
}

/// The outcome of an effect, with the card that released it and the task it works for.
pub(crate) struct Settled<'a> {
    pub(crate) effect: &'a EffectId,
    pub(crate) outcome: &'a Outcome,
    pub(crate) card: Option<&'a CardId>,
    pub(crate) task: Option<&'a TaskId>,
}

/// An event that needs records.
pub(crate) struct NeedsInput<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) event: &'a Event,
    pub(crate) known: &'a dyn RecordLookup,
    /// Task that the event is about.
    pub(crate) task: Option<&'a TaskId>,
}

/// A request that a card would release: its payload, the class and target that approver rules match, and
/// who asked and who wrote what would run.
pub(crate) struct ReleaseRequest {
    pub(crate) kind: &'static str,
    pub(crate) class: &'static str,
    pub(crate) target: String,
    pub(crate) payload: String,
    /// Effects that it releases, with all that is known when the card is shown.
    pub(crate) effects: Vec<EffectBody>,
    pub(crate) quantity: usize,
    pub(crate) chars: usize,
    pub(crate) by: String,
    pub(crate) authors: Vec<Authored>,
    pub(crate) source: MessageId,
}

impl ReleaseRequest {
    /// Returns the hash of the payload, in hexadecimal.
    pub(crate) fn payload_sha256(&self) -> String {
        hex(&sha256(&[self.payload.as_bytes()]))
    }

    /// Returns the hashes of the effects' bytes, in hexadecimal, sorted and each once.
    pub(crate) fn releases(&self) -> Vec<String> {
        let mut hashes: Vec<String> = self.effects.iter().map(EffectBody::sha256).collect();
        hashes.sort();
        hashes.dedup();
        hashes
    }

    /// True if this person asked for it, or wrote any of what would run.
    pub(crate) fn is_by(&self, who: &str) -> bool {
        self.by == who || self.authors.iter().any(|field| field.by.has(who))
    }
}

/// Every capability. Their order counts only for outcomes of effects.
#[derive(Clone, Copy)]
pub(crate) struct Capabilities(pub(crate) &'static [&'static dyn Capability]);

/// The owner of what belongs to no capability of this program: one that was taken out of it.
struct Nobody;

impl Capability for Nobody {
    fn name(&self) -> &'static str {
        ""
    }
}

impl Capabilities {
    /// Returns the capability with this name.
    pub(crate) fn named(self, name: &str) -> &'static dyn Capability {
        self.0.iter().find(|one| one.name() == name).copied().unwrap_or(&Nobody)
    }

    /// Returns the capability that a card belongs to.
    pub(crate) fn of(self, card: &Card) -> &'static dyn Capability {
        self.named(card.about.owner())
    }

    /// Returns the capability that a question belongs to.
    pub(crate) fn asking(self, pending: &PendingState) -> &'static dyn Capability {
        self.named(pending.kind.owner().unwrap_or_default())
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static dyn Capability> {
        self.0.iter().copied()
    }
}
