//! Limits, lifetimes and the settings of an installation, each with its reason. Other modules take their
//! numbers from here.

mod approver_rule;
pub mod context;
pub mod destination;
pub mod drafts;
pub mod hosting;
pub mod selection;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::call::{Agent, Tool};
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::language::Language;
use crate::data::policy::context::{ContextPolicy, FactsPolicy, SummaryPolicy};
use crate::data::policy::destination::Destination;
use crate::data::policy::drafts::DraftPolicy;
use crate::data::policy::hosting::{BuiltIn, Fallback, HostedPlace, Replies};
use crate::data::policy::selection::SelectionPolicy;
use crate::data::purpose::Purpose;
use crate::data::ticket::Target;
use crate::data::time::{Millis, Timestamp};

pub use approver_rule::ApproverRule;

/// Limits that no installation can change, because a replay, another replica or a promise depends on them.
pub mod limits {
    use crate::data::time::{Millis, Timestamp};

    /// Characters of an open question that is named again.
    pub const QUESTION_SHOWN: usize = 120;
    /// Conversational questions that a lane keeps at once; the oldest of more is dropped.
    pub const QUESTIONS: usize = 8;
    /// Time in which a lane is told once that messages were refused, in milliseconds.
    pub const NOTICE_WINDOW: Millis = Timestamp::MINUTE;
    /// Attempts and milliseconds after which a message or card is given up.
    pub const GIVE_UP_MESSAGE: (u32, Millis) = (8, 15 * Timestamp::MINUTE);
    /// Attempts and milliseconds for a private notice: a late one answers nothing.
    pub const GIVE_UP_NOTICE: (u32, Millis) = (2, Timestamp::MINUTE);
    /// Attempts and milliseconds for a card's new state: it is worth sending for a day, however often.
    pub const GIVE_UP_CARD_UPDATE: (u32, Millis) = (u32::MAX, Timestamp::DAY);
    /// Attempts and milliseconds for a question to a model: one retry. The question's own time limit may end
    /// it sooner.
    pub const GIVE_UP_MODEL_ASK: (u32, Millis) = (2, 90 * Timestamp::SECOND);
    /// Attempts and milliseconds for a call to a tracker.
    pub const GIVE_UP_TRACKER: (u32, Millis) = (8, Timestamp::DAY);
    /// Delay before the first retry, and the shortest one.
    pub const RETRY_FIRST: Millis = Timestamp::SECOND;
    /// Longest delay that the retry schedule gives by itself.
    pub const RETRY_LONGEST: Millis = 300 * Timestamp::SECOND;
    /// Looks for a message that may be out, before it is given up.
    pub const LOOKS: u32 = 2;
    /// Tokens around the input in the last section of a prompt: its heading, its fences and their marks.
    pub const INPUT_FRAME: u32 = 64;
    /// Characters of a message shown in a hint about it.
    pub const SNIPPET: usize = 180;
    /// Characters of a person's name on cards and posts.
    pub const NAME: usize = 64;
    /// Characters of a field repeated in the question about it; its card shows all of it.
    pub const FIELD_SHOWN: usize = 200;
    /// Open questions how an issue is; the oldest is dropped for a newer one.
    pub const ISSUE_QUESTIONS: usize = 16;
    /// Queued, running and blocked tasks of a lane, together.
    pub const LIVE_TASKS: usize = 1_000;
    /// Attempts and milliseconds for a tool that only reads; then a retry is offered.
    pub const GIVE_UP_TOOL: (u32, Millis) = (3, 30 * Timestamp::SECOND);
    /// Attempts and milliseconds for a tool that may change something: somebody has approved it, so it keeps the schedule.
    pub const GIVE_UP_WRITING_TOOL: (u32, Millis) = GIVE_UP_TRACKER;
    /// Attempts and milliseconds for a sub-agent.
    pub const GIVE_UP_AGENT: (u32, Millis) = (8, Timestamp::DAY);
    /// Shortest wait before a sub-agent's work is looked at again; the wait is as long as the work has taken
    /// so far.
    pub const LOOK_FIRST: Millis = Timestamp::SECOND;
    /// Longest wait before a sub-agent's work is looked at again.
    pub const LOOK_LONGEST: Millis = 30 * Timestamp::SECOND;
    /// News items passed on for one piece of work, which may never stop reporting.
    pub const WORK_NEWS: u32 = 30;
    /// Attempts and milliseconds that a host has to run an option.
    pub const GIVE_UP_OPTION: (u32, Millis) = (1, HOST_REPORT);
    /// Attempts and milliseconds that a host has to say what a list holds: somebody waits for it.
    pub const GIVE_UP_EVIDENCE: (u32, Millis) = (1, 800);
    /// Messages of a thread that a ticket "for this" takes as its material.
    pub const THREAD_MESSAGES: usize = 10;
    /// Milliseconds between two messages that still belong together.
    pub const THREAD_PAUSE: Millis = 15 * Timestamp::MINUTE;
    /// Items of one batch, epics and stories together: nobody reads a longer preview.
    pub const BATCH_ITEMS: usize = 50;
    /// Characters kept of a tool's or a sub-agent's answer: as much as a chat shows.
    pub const WORK_ANSWER: usize = 4_000;
    /// Sentences read of the text under review: a long evening's talk.
    pub const REVIEW_SENTENCES: usize = 200;
    /// Sentences read until that many are found: some are greetings, requests or said before.
    pub const REVIEW_SENTENCES_READ: usize = 250;
    /// Messages of full length that a review reads together.
    pub const REVIEW_MESSAGES_READ: usize = 2;
    /// Words of the longest sentence that may be nothing but a greeting or thanks.
    pub const COURTESY_WORDS: usize = 12;
    /// Sentences of a review's summary when no model writes it.
    pub const REVIEW_SUMMARY: usize = 3;
    /// Points of a review or a patch that a model writes. Those of a patch beyond what is shown are under
    /// *Show full*.
    pub const REVIEW_POINTS: usize = 60;
    /// Characters of one such point: a sentence.
    pub const REVIEW_POINT: usize = 600;
    /// Characters of the summary a model writes.
    pub const REVIEW_SUMMARY_CHARS: usize = 4_000;
    /// Versions of one review: whoever has more to say begins another.
    pub const REVIEW_VERSIONS: u32 = 50;
    /// Characters of an answer in words that a model writes.
    pub const MODEL_ANSWER: usize = 16_000;
    /// Delays at which a tracker is searched for what an uncertain create may have made, counted from the
    /// question to a person; then it is searched daily.
    pub const SEEK: [Millis; 5] = [
        10 * Timestamp::SECOND,
        30 * Timestamp::SECOND,
        2 * Timestamp::MINUTE,
        10 * Timestamp::MINUTE,
        Timestamp::HOUR,
    ];
    /// Days of these daily searches.
    pub const SEEK_DAYS: i64 = 7;
    /// Options of one list.
    pub const SET_OPTIONS: usize = 50;
    /// Bytes of an option's id.
    pub const OPTION_ID: usize = 128;
    /// Graphemes of an option's label.
    pub const OPTION_LABEL: usize = 200;
    /// Bytes of an option's label, as each grapheme may be a stack of marks.
    pub const OPTION_LABEL_BYTES: usize = 8 * OPTION_LABEL;
    /// Aliases of one option.
    pub const OPTION_ALIASES: usize = 16;
    /// Fields of one option.
    pub const OPTION_FIELDS: usize = 32;
    /// Bytes of a field's name.
    pub const FIELD_NAME: usize = 64;
    /// Bytes of a quantity's unit.
    pub const FIELD_UNIT: usize = 32;
    /// Texts of a field that is a list.
    pub const FIELD_LIST: usize = 32;
    /// Comparisons that a list names.
    pub const LIST_COMPARISONS: usize = 32;
    /// Appearances of a list that are kept; a reply to an older one refers to the newest.
    pub const SHOWINGS: usize = 5;
    /// Issue keys that one decision names: as many as fit on a line.
    pub const DECISION_ISSUES: usize = 10;
    /// Graphemes of a fact.
    pub const FACT_TEXT: usize = 300;
    /// Bytes of a fact's subject.
    pub const FACT_SUBJECT: usize = 64;
    /// Words of a subject found in a message: a name, not a sentence.
    pub const SUBJECT_WORDS: usize = 5;
    /// Facts taken from one message: more is a list to read, not to remember.
    pub const STATED: usize = 5;
    /// Confidence, in percent, of a fact that a person asks to be remembered.
    pub const FACT_ASKED: u8 = 95;
    /// Confidence, in percent, of a fact that a member states in passing.
    pub const FACT_STATED: u8 = 90;
    /// Confidence, in percent, of a fact that a model proposes without giving one.
    pub const FACT_UNSAID: u8 = 80;
    /// Letters from which a word of a proposed fact is looked for in the message it cites: shorter words are
    /// everywhere.
    pub const FACT_WORD: usize = 4;
    /// Percent of those words that the message has to contain.
    pub const FACT_GROUNDED: usize = 60;
    /// Retries after a lost race for a lane, before the row is left for later.
    pub const RACES: u32 = 5;
    /// Milliseconds that one run of a lane may take while others wait.
    pub const RUN: Millis = 200;
    /// Idle milliseconds after which a lane is released.
    pub const IDLE_LANE: Millis = 5 * Timestamp::SECOND;
    /// Lanes that a process holds in memory. Beyond that those that were not used for longest are released.
    pub const HELD_LANES: usize = 2_048;
    /// Bytes of those lanes, about.
    pub const HELD_BYTES: usize = 64 * 1024 * 1024;
    /// Bytes of a record of such a lane beside its text, about.
    pub const HELD_RECORD: usize = 3 * 1024;
    /// Lanes released at once.
    pub const RELEASED_AT_ONCE: usize = 256;
    /// Milliseconds that a host has to answer a turn, unless policy says otherwise: an agent may think for a while, and a
    /// person waits.
    pub const HANDOVER: Millis = 2 * Timestamp::MINUTE;
    /// Turns that wait for the host's agent at once; the oldest of more is taken back.
    pub const HANDOVERS: usize = 8;
    /// Milliseconds that a host has to report an effect it performs.
    pub const HOST_REPORT: Millis = Timestamp::DAY;
    /// Turns between two copies of the full state, which is also kept at turn 1.
    pub const CHECKPOINT_EVERY: u64 = 100;
    /// Milliseconds between two looks at the kill switch while it holds an effect.
    pub const PAUSED_LOOK: Millis = 5 * Timestamp::SECOND;
    /// Milliseconds between two looks for a place among the calls of a server.
    pub const PLACE_LOOK: Millis = Timestamp::SECOND;
    /// Milliseconds after which a call that found no place is given up.
    pub const PLACE_LONGEST: Millis = 10 * Timestamp::MINUTE;
}

/// Settings that an installation may change, with their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The command's name, with its slash.
    pub command: CommandName,
    /// Language, as a BCP 47 code, in which people are answered whose own is not known; English without one. Omitted while
    /// there is none, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Handling of messages that arrive while a model is being asked.
    pub busy: BusyPolicy,
    /// Sizes of what a lane keeps loaded.
    pub window: WindowLimits,
    /// Lifetimes of pending questions.
    pub expiry: ExpiryLimits,
    /// Limits of questions to models.
    pub ask: AskLimits,
    /// Lifetime of the remembered intent.
    pub remember: RememberLimits,
    /// Limits of reviews.
    pub review: ReviewLimits,
    /// Limits of recorded decisions and of tracked issues.
    pub decision: DecisionLimits,
    /// Lifetime and reminder of approvals.
    pub approval: ApprovalLimits,
    /// Thresholds above which a batch has to be confirmed before it is approved.
    pub latch: LatchLimits,
    /// Gaps of drafts. Omitted while they are the default, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "DraftPolicy::is_default")]
    pub drafts: DraftPolicy,
    /// Rules about who may approve. Without a matching rule nobody may.
    pub approvers: Vec<ApproverRule>,
    /// Tracker and project of a ticket that names none, where no destination fits.
    pub project: Target,
    /// Trackers of projects, by key; those that are not named are in the usual project's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trackers: BTreeMap<String, String>,
    /// Projects of places. The first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destinations: Vec<Destination>,
    /// The tools that may be called, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Tool>,
    /// The sub-agents that may be handed a task, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Agent>,
    /// Settings of choosing an option by text. Omitted while they are the default, so that such a policy
    /// keeps its version.
    #[serde(skip_serializing_if = "SelectionPolicy::is_default")]
    pub selection: SelectionPolicy,
    /// Limits of the past that prompts show.
    #[serde(skip_serializing_if = "ContextPolicy::is_default")]
    pub context: ContextPolicy,
    /// Triggers and limits of summaries.
    #[serde(skip_serializing_if = "SummaryPolicy::is_default")]
    pub summary: SummaryPolicy,
    /// Limits of remembered facts.
    #[serde(skip_serializing_if = "FactsPolicy::is_default")]
    pub facts: FactsPolicy,
    /// Age at which what was said is erased. Omitted while there is none, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "RetentionLimits::is_default")]
    pub retention: RetentionLimits,
    /// Limits of intake, which the runtime enforces.
    pub intake: IntakeLimits,
    /// Names of places known here, beside those of the gazetteer. Omitted while empty, so that a policy
    /// without them keeps its version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Way on for a message that no rung decides. This and the next four are omitted while they are the default, so that
    /// such a policy keeps its version.
    #[serde(skip_serializing_if = "is_default")]
    pub fallback: Fallback,
    /// Capabilities that are on; all of them if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<BuiltIn>>,
    /// Speaker of what the engine has to say.
    #[serde(skip_serializing_if = "is_default")]
    pub replies: Replies,
    /// Milliseconds that a host has to answer a turn that was handed to it, if they are not the usual ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover_ms: Option<Millis>,
    /// Places where the work is divided otherwise. The first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosted: Vec<HostedPlace>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The slash command's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandName(pub String);

impl CommandName {
    /// Returns the text behind the command's name, if a message begins with that as a whole word.
    #[must_use]
    pub fn rest<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.trim_start().strip_prefix(self.0.as_str())?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest)
    }
}

impl Default for CommandName {
    fn default() -> Self {
        Self("/maro".into())
    }
}

/// Handling of a message that arrives while a model is being asked in its lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusyPolicy {
    /// It waits in order.
    #[default]
    Queue,
    /// One of the same user, soon after, is joined to the question being asked.
    Collect,
}

/// Sizes of what a lane keeps loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindowLimits {
    /// Messages: about what "the last few" means to a person. A lane holds more of them where
    /// [`ContextPolicy::window`](context::ContextPolicy::window) shows more.
    pub messages: usize,
    /// Cards: enough that an old preview is still found by name. Older ones are read from the store.
    pub cards: usize,
    /// Characters of the message shown on the scope gate.
    pub gate_chars: usize,
    /// Characters of one message's text that routing reads; the rest is cut.
    pub text_chars: usize,
    /// Characters of an issue's title: Jira's limit for a summary, kept for every tracker.
    pub title_chars: usize,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self { messages: 15, cards: 24, gate_chars: 50, text_chars: 40_000, title_chars: 255 }
    }
}

/// Lifetimes of pending questions, in milliseconds. A question is still valid at exactly its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpiryLimits {
    /// A question for a value: an hour covers a meeting.
    pub slot_ms: Millis,
    /// A clarification: later nobody remembers the choices.
    pub clarification_ms: Millis,
    /// The offer to try a tool again: later nobody waits for it.
    pub retry_ms: Millis,
    /// The offer to hand a task to a sub-agent.
    pub delegation_ms: Millis,
    /// An edit in progress.
    pub edit_ms: Millis,
    /// The scope gate.
    pub gate_ms: Millis,
}

impl Default for ExpiryLimits {
    fn default() -> Self {
        Self {
            slot_ms: 60 * Timestamp::MINUTE,
            clarification_ms: 10 * Timestamp::MINUTE,
            retry_ms: 5 * Timestamp::MINUTE,
            delegation_ms: 10 * Timestamp::MINUTE,
            edit_ms: 30 * Timestamp::MINUTE,
            gate_ms: Timestamp::DAY,
        }
    }
}

/// Limits of questions to models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskLimits {
    /// Total milliseconds for a classification.
    pub classify_ms: Millis,
    /// Total milliseconds for the text of tickets.
    pub draft_ms: Millis,
    /// Total milliseconds for a review.
    pub review_ms: Millis,
    /// Total milliseconds for an answer or a summary.
    pub answer_ms: Millis,
    /// Total milliseconds for the choice of an option: somebody waits for it.
    pub select_ms: Millis,
    /// Percent of confidence below which a label counts as ambiguous.
    pub min_confidence: u8,
    /// Milliseconds after the start of a question in which a message is merged into it under
    /// [`BusyPolicy::Collect`].
    pub collect_ms: Millis,
}

impl Default for AskLimits {
    fn default() -> Self {
        Self {
            classify_ms: 10 * Timestamp::SECOND,
            draft_ms: 90 * Timestamp::SECOND,
            review_ms: 90 * Timestamp::SECOND,
            answer_ms: 30 * Timestamp::SECOND,
            select_ms: 800,
            min_confidence: 70,
            collect_ms: 2_500,
        }
    }
}

impl AskLimits {
    /// Returns the total milliseconds for a question of that purpose.
    #[must_use]
    pub fn budget(&self, purpose: Purpose) -> Millis {
        match purpose {
            Purpose::Classify => self.classify_ms,
            Purpose::Select => self.select_ms,
            Purpose::Draft => self.draft_ms,
            Purpose::Review => self.review_ms,
            Purpose::Summary | Purpose::Answer => self.answer_ms,
        }
    }
}

/// Lifetime of the remembered intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RememberLimits {
    /// Milliseconds without a message in the lane after which it ends; still valid at exactly that.
    pub idle_ms: Millis,
}

impl Default for RememberLimits {
    fn default() -> Self {
        Self { idle_ms: 2 * Timestamp::HOUR }
    }
}

/// Limits of reviews.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewLimits {
    /// Milliseconds without an answer after which a review freezes; still active at exactly that.
    pub cooldown_ms: Millis,
    /// Bullets of a patch that are shown: as many as a person reads at once.
    pub bullets: usize,
    /// Characters of a bullet that quotes the thread.
    pub bullet_chars: usize,
    /// Characters of a topic, the title of a card.
    pub topic_chars: usize,
    /// Percent of the shorter topic's words that two topics have to share to count as one: most of them, so
    /// that a word more or less makes no new topic, but one word of two does.
    pub same_topic_percent: u8,
}

impl Default for ReviewLimits {
    fn default() -> Self {
        Self {
            cooldown_ms: Timestamp::DAY,
            bullets: 12,
            bullet_chars: 240,
            topic_chars: 80,
            same_topic_percent: 75,
        }
    }
}

/// Limits of recorded decisions, and of the issues a thread tracks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionLimits {
    /// Sentences of a message that make up the decision; the rest is its reason.
    pub sentences: usize,
    /// Characters of a topic, the title of a card.
    pub topic_chars: usize,
    /// Characters of a decision: one or two long sentences.
    pub chars: usize,
    /// Characters of its reason.
    pub why_chars: usize,
    /// Issues that a thread tracks; the oldest is dropped. Few, because they are in the head, which every
    /// turn rewrites.
    pub tracked: usize,
}

impl Default for DecisionLimits {
    fn default() -> Self {
        Self { sentences: 2, topic_chars: 80, chars: 600, why_chars: 1_000, tracked: 20 }
    }
}

/// Lifetime and reminder of approvals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalLimits {
    /// Milliseconds that an approval is valid; 0 means for ever.
    pub max_age_ms: Millis,
    /// Milliseconds after which the thread is reminded.
    pub remind_ms: Millis,
}

impl Default for ApprovalLimits {
    fn default() -> Self {
        Self { max_age_ms: 14 * Timestamp::DAY, remind_ms: Timestamp::DAY }
    }
}

/// Thresholds above which a batch has to be confirmed before it can be approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatchLimits {
    /// Items, epics counted, above which it is confirmed: a slip of the tongue must not make 40 issues.
    pub items: usize,
    /// Milliseconds during which items approved in the lane count with those of a batch.
    pub recent_ms: Millis,
    /// Characters of all titles and texts above which it is confirmed: nobody has read that much on one card.
    pub chars: usize,
}

impl Default for LatchLimits {
    fn default() -> Self {
        Self { items: 3, recent_ms: 10 * Timestamp::MINUTE, chars: 10_000 }
    }
}

/// Age at which what was said is erased, which the runtime does (`docs/erasure.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionLimits {
    /// Days that contents of turns, old messages and keys of deliveries are kept; 0 keeps them for good.
    pub days: u32,
}

impl RetentionLimits {
    /// Returns the age in milliseconds; `None` if everything is kept.
    #[must_use]
    pub fn keep(&self) -> Option<Millis> {
        (self.days > 0).then(|| i64::from(self.days) * Timestamp::DAY)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits of intake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeLimits {
    /// Events that may wait in one lane. The next is refused, and its user is informed.
    pub queue: u32,
    /// Failures of the same kind after which an event is dead.
    pub failures: u32,
    /// Turns that one claim runs while other lanes wait.
    pub turns_per_claim: u32,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self { queue: 50, failures: 5, turns_per_claim: 20 }
    }
}

impl Policy {
    /// Returns the language of people whose own is not known: the configured one, if it has a catalogue, else English.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.as_deref().and_then(Language::of).unwrap_or_default()
    }

    /// Returns the first key with an invalid value, and the reason.
    #[must_use]
    pub fn first_invalid(&self) -> Option<(&'static str, String)> {
        let selection = || self.selection.first_invalid().map(|(key, why)| (key, why.into()));
        let hosting = || self.first_invalid_hosting().map(|(key, why)| (key, why.into()));
        selection()
            .or_else(hosting)
            .or_else(|| self.context.first_invalid())
            .or_else(|| self.summary.first_invalid())
            .or_else(|| self.facts.first_invalid())
    }

    /// Returns the policy's version: the first 12 hex digits of the hash over all of it.
    #[must_use]
    pub fn version(&self) -> String {
        let mut digest = hex(&sha256(&[jcs(self).as_bytes()]));
        digest.truncate(12);
        digest
    }

    /// Returns a rule that lets `principals` change issues and post decisions anywhere, and approve their own
    /// requests. For demonstrations and scenarios.
    #[must_use]
    pub fn demo_rule(principals: &[&str]) -> ApproverRule {
        ApproverRule {
            effects: vec!["tracker.*".into(), "post.channel".into()],
            targets: ["local:*", "web:*", "api:*", "terminal:*", "telegram:*", "slack:*"]
                .map(Into::into)
                .into(),
            allow: principals.iter().map(|&p| p.into()).collect(),
            self_approve: true,
        }
    }
}
