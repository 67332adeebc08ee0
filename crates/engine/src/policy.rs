//! Every limit and lifetime, with its reason. Nowhere else in the engine is a number.

pub mod context;
pub mod selection;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use self::context::{ContextPolicy, FactsPolicy, SummaryPolicy};
use self::selection::Selection;
use crate::ask::Purpose;
use crate::canon::{hex, jcs, sha256};
use crate::given::Actor;
use crate::tickets::Target;
use crate::time::{Millis, Timestamp};
use crate::work::{Agent, Tool};

/// What is the same everywhere, because a replay, another replica or a promise depends on it.
pub mod limits {
    use crate::time::{Millis, Timestamp};

    /// Attempts and time after which a message or card is given up (`spec 06 §4.5`).
    pub const GIVE_UP_MESSAGE: (u32, Millis) = (8, 15 * Timestamp::MINUTE);
    /// The same for a private notice: late, it answers nothing.
    pub const GIVE_UP_NOTICE: (u32, Millis) = (2, Timestamp::MINUTE);
    /// The same for a card's new state: it is worth a day, however often.
    pub const GIVE_UP_CARD_UPDATE: (u32, Millis) = (u32::MAX, Timestamp::DAY);
    /// The same for a question to a model: one retry. Its own time ends it, and that may be shorter.
    pub const GIVE_UP_MODEL_ASK: (u32, Millis) = (2, 90 * Timestamp::SECOND);
    /// The same for a tracker.
    pub const GIVE_UP_TRACKER: (u32, Millis) = (8, Timestamp::DAY);
    /// The first retry's delay, and the least (`spec 06 §4.5`).
    pub const RETRY_FIRST: Millis = Timestamp::SECOND;
    /// The longest delay the schedule gives by itself.
    pub const RETRY_LONGEST: Millis = 300 * Timestamp::SECOND;
    /// Tokens of what stands around the words in the last section of a prompt: its heading, its fences and their marks.
    pub const INPUT_FRAME: u32 = 64;
    /// Characters of a message that a hint about it shows (`spec 02 §4`).
    pub const SNIPPET: usize = 180;
    /// Characters of a person's name, as cards and posts name them.
    pub const NAME: usize = 64;
    /// Characters of a field that the question about it repeats; its card has all of it.
    pub const FIELD_SHOWN: usize = 200;
    /// Queued, running and blocked tasks of a lane (`spec 05 §2.1`).
    pub const LIVE_TASKS: usize = 1_000;
    /// Attempts and time after which a tool that only reads is given up, and a retry offered (`spec 06 §4.5`).
    pub const GIVE_UP_TOOL: (u32, Millis) = (3, 30 * Timestamp::SECOND);
    /// The same for a sub-agent.
    pub const GIVE_UP_AGENT: (u32, Millis) = (8, Timestamp::DAY);
    /// What goes on at a sub-agent is looked at after as long as it has taken so far, but not sooner (`spec 07 §8`).
    pub const LOOK_FIRST: Millis = Timestamp::SECOND;
    /// The same, and not later.
    pub const LOOK_LONGEST: Millis = 30 * Timestamp::SECOND;
    /// News of one piece of work that are told: one that never stops talking is listened to for so long.
    pub const WORK_NEWS: u32 = 30;
    /// How long a host may take to run an option (`spec 06 §4.5`).
    pub const GIVE_UP_OPTION: (u32, Millis) = (1, HOST_REPORT);
    /// How long a host may take to say what a list holds: somebody waits for it.
    pub const GIVE_UP_EVIDENCE: (u32, Millis) = (1, 800);
    /// Items of one batch, epics and stories together: more is no preview anybody reads.
    pub const BATCH_ITEMS: usize = 50;
    /// Characters kept of what a tool or a sub-agent answers: what a chat shows of it.
    pub const WORK_ANSWER: usize = 4_000;
    /// Sentences that are read of what is reviewed: a long evening's talk.
    pub const REVIEW_SENTENCES: usize = 200;
    /// Sentences that sum up what is reviewed, without a model.
    pub const REVIEW_SUMMARY: usize = 3;
    /// Points of a review or a patch that a model writes; those of a patch beyond what is shown are under *Show full*.
    pub const REVIEW_POINTS: usize = 60;
    /// Characters of one of them: a sentence.
    pub const REVIEW_POINT: usize = 600;
    /// Characters of the summary a model writes.
    pub const REVIEW_SUMMARY_CHARS: usize = 4_000;
    /// Versions of one review: whoever has more to say begins another.
    pub const REVIEW_VERSIONS: u32 = 50;
    /// Characters of an answer in words that a model writes.
    pub const MODEL_ANSWER: usize = 16_000;
    /// When a tracker is searched for what an uncertain create may have made, after the question was asked
    /// (`spec 06 §4.4`); then daily.
    pub const SEEK: [Millis; 5] = [
        10 * Timestamp::SECOND,
        30 * Timestamp::SECOND,
        2 * Timestamp::MINUTE,
        10 * Timestamp::MINUTE,
        Timestamp::HOUR,
    ];
    /// Days of daily searches.
    pub const SEEK_DAYS: i64 = 7;
    /// Options of one list (`spec 04 §2.3`).
    pub const SET_OPTIONS: usize = 50;
    /// Bytes of an option's id.
    pub const OPTION_ID: usize = 128;
    /// Graphemes of an option's label.
    pub const OPTION_LABEL: usize = 200;
    /// Other names of one option.
    pub const OPTION_ALIASES: usize = 16;
    /// Appearances of a list that are kept: a reply to an older one means the newest.
    pub const SHOWINGS: usize = 5;
    /// Issue keys that one decision names: what a line holds.
    pub const DECISION_ISSUES: usize = 10;
    /// Graphemes of a fact (`spec 05 §8`).
    pub const FACT_TEXT: usize = 300;
    /// Bytes of what a fact is about.
    pub const FACT_SUBJECT: usize = 64;
    /// Words of it, where a message says it: a name, not a sentence.
    pub const SUBJECT_WORDS: usize = 5;
    /// Facts that one message states: more is a list to read, not to remember.
    pub const STATED: usize = 5;
    /// Percent of confidence of what a person asks to be remembered, of what a member states in passing, and of what a
    /// model proposes without saying how sure it is (`spec 05 §11`).
    pub const FACT_ASKED: u8 = 95;
    /// See above.
    pub const FACT_STATED: u8 = 90;
    /// See above.
    pub const FACT_UNSAID: u8 = 80;
    /// Letters from which on a word of a proposal is looked for in the message it cites: shorter ones are everywhere.
    pub const FACT_WORD: usize = 4;
    /// Percent of those words that have to be there.
    pub const FACT_GROUNDED: usize = 60;
    /// How often a lost race is run again before the row is left for later (`spec 06 §3.1`).
    pub const RACES: u32 = 5;
    /// How long one run of a lane may take when others wait (`spec 06 §3.3`).
    pub const RUN: Millis = 200;
    /// A lane that was idle for so long is let go.
    pub const IDLE_LANE: Millis = 5 * Timestamp::SECOND;
    /// How long a host may take to report an effect it performs (`spec 06 §4.4`).
    pub const HOST_REPORT: Millis = Timestamp::DAY;
    /// The full state is kept at turn 1 and at every multiple of this (`spec 06 §3.2`).
    pub const CHECKPOINT_EVERY: u64 = 100;
    /// How often the kill switch is looked at again while it holds an effect.
    pub const PAUSED_LOOK: Millis = 5 * Timestamp::SECOND;
}

/// What an installation may tune. The values here are the defaults of the specification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The command's name, with its slash.
    pub command: CommandName,
    /// What to do with messages while a model ask is open.
    pub busy: Busy,
    /// Lane window and record limits.
    pub window: Window,
    /// Lifetimes of what waits.
    pub expiry: Expiry,
    /// Model asks.
    pub ask: AskLimits,
    /// The remembered intent.
    pub remember: Remember,
    /// Reviews.
    pub review: ReviewLimits,
    /// Decisions people record, and the issues a thread tracks.
    pub decision: DecisionLimits,
    /// Approvals.
    pub approval: ApprovalLimits,
    /// What has to be confirmed before a batch is approved.
    pub latch: LatchLimits,
    /// Who may approve. No matching rule: nobody.
    pub approvers: Vec<ApproverRule>,
    /// Where a ticket goes when nobody says.
    pub project: Target,
    /// The tools that may be called, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Tool>,
    /// The sub-agents that may be handed a task, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Agent>,
    /// Which of the options shown a text means. Not written while it is as it comes, so that such a policy keeps its
    /// version.
    #[serde(skip_serializing_if = "Selection::is_default")]
    pub selection: Selection,
    /// What prompts tell of the past.
    #[serde(skip_serializing_if = "ContextPolicy::is_default")]
    pub context: ContextPolicy,
    /// When and how a conversation is condensed.
    #[serde(skip_serializing_if = "SummaryPolicy::is_default")]
    pub summary: SummaryPolicy,
    /// What is remembered as fact.
    #[serde(skip_serializing_if = "FactsPolicy::is_default")]
    pub facts: FactsPolicy,
    /// Intake limits the engine words, the runtime enforces.
    pub intake: IntakeLimits,
    /// Names of places that are known here, beside those of the gazetteer (`spec 02 §6`). Not written while there are
    /// none, so that a policy without them keeps its version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

/// The slash command's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandName(pub String);

impl CommandName {
    /// What follows the command's name, when a message begins with it as a word.
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

/// What happens to a message while a model ask of its lane is open (`spec 06 §3.4`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Busy {
    /// It waits in order.
    #[default]
    Queue,
    /// One of the same user, soon after, is joined to the question being asked.
    Collect,
}

/// What a lane keeps loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Window {
    /// Messages: what "the last few" of a conversation are to a person (`spec 02 §4`, 10 to 20). A lane holds more of
    /// them where [`ContextPolicy::window`](context::ContextPolicy::window) shows more.
    pub messages: usize,
    /// Cards: enough that an old preview is still found by name; older ones answer from the store.
    pub cards: usize,
    /// Characters of the message shown on the scope gate (`spec 03 §2`).
    pub gate_chars: usize,
    /// Characters of one message's text; more is cut for routing (`spec 06 §7.2`).
    pub text_chars: usize,
    /// Characters of an issue's title: Jira's summary limit, kept everywhere (`spec 06 §6.1`).
    pub title_chars: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self { messages: 15, cards: 24, gate_chars: 50, text_chars: 40_000, title_chars: 255 }
    }
}

/// How long what waits is good for (`spec 02 §5.2`). A moment is still valid at exactly its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expiry {
    /// A slot: an hour covers a meeting.
    pub slot_ms: Millis,
    /// A clarification: after that nobody remembers the choices.
    pub clarification_ms: Millis,
    /// The offer to try a tool again: later nobody waits for it any more.
    pub retry_ms: Millis,
    /// The offer to hand a task to a sub-agent.
    pub delegation_ms: Millis,
    /// An edit somebody began.
    pub edit_ms: Millis,
    /// The scope gate.
    pub gate_ms: Millis,
}

impl Default for Expiry {
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

/// Bounds of model asks (`spec 03 §1`, `spec 07 §7`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskLimits {
    /// All the time a classification has.
    pub classify_ms: Millis,
    /// All the time the text of tickets has.
    pub draft_ms: Millis,
    /// All the time a review has.
    pub review_ms: Millis,
    /// All the time an answer or a summary has.
    pub answer_ms: Millis,
    /// All the time the choice of an option has (`spec 04`): somebody waits for it.
    pub select_ms: Millis,
    /// Percent below which a label counts as ambiguous.
    pub min_confidence: u8,
    /// How soon after the first a message is merged under [`Busy::Collect`].
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
    /// All the time a question has.
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

/// The remembered intent (`spec 03 §2`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Remember {
    /// Ends after so long without a message in the lane; alive at exactly that.
    pub idle_ms: Millis,
}

impl Default for Remember {
    fn default() -> Self {
        Self { idle_ms: 2 * Timestamp::HOUR }
    }
}

/// Reviews (`spec 03 §4`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewLimits {
    /// A review that nobody answers for so long freezes; at exactly that it does not yet.
    pub cooldown_ms: Millis,
    /// Bullets of a patch that are shown: what a person reads at once.
    pub bullets: usize,
    /// Characters of a bullet that quotes the thread.
    pub bullet_chars: usize,
    /// Characters of a topic: a card's title.
    pub topic_chars: usize,
    /// Percent of the words of the shorter topic that two share when they are the same: most of them, so that a word
    /// more or less makes no new topic, and one word of two does.
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

/// Decisions people record (`spec 03 §5`), and the issues a thread tracks (`spec 03 §7`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionLimits {
    /// Sentences of a message that are the decision; what follows them is why.
    pub sentences: usize,
    /// Characters of a topic: a card's title.
    pub topic_chars: usize,
    /// Characters of a decision: one or two sentences, long ones.
    pub chars: usize,
    /// Characters of its reason.
    pub why_chars: usize,
    /// Issues that a thread tracks; the oldest gives way. They are in the part that every turn rewrites.
    pub tracked: usize,
}

impl Default for DecisionLimits {
    fn default() -> Self {
        Self { sentences: 2, topic_chars: 80, chars: 600, why_chars: 1_000, tracked: 20 }
    }
}

/// Approvals (`spec 06 §5.1`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalLimits {
    /// How long one is good for; 0 is for ever.
    pub max_age_ms: Millis,
    /// When the thread is reminded.
    pub remind_ms: Millis,
}

impl Default for ApprovalLimits {
    fn default() -> Self {
        Self { max_age_ms: 14 * Timestamp::DAY, remind_ms: Timestamp::DAY }
    }
}

/// When a batch has to be confirmed before it can be approved (`spec 06 §6.3`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatchLimits {
    /// More items than so many, the epic counted: a slip of the tongue is not 40 issues.
    pub items: usize,
    /// Items that were approved in the lane so recently count with those of a batch.
    pub recent_ms: Millis,
    /// More characters of all titles and texts than so many: nobody has read them on one card.
    pub chars: usize,
}

impl Default for LatchLimits {
    fn default() -> Self {
        Self { items: 3, recent_ms: 10 * Timestamp::MINUTE, chars: 10_000 }
    }
}

/// Limits of intake (`spec 06 §2.3`, `§3.3`, `§3.4`, `§7.2`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeLimits {
    /// Events that may wait in one lane; the next is refused and the user told.
    pub queue: u32,
    /// Failures in the same way after which an event is dead.
    pub failures: u32,
    /// Turns of one claim when other lanes wait.
    pub turns_per_claim: u32,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self { queue: 50, failures: 5, turns_per_claim: 20 }
    }
}

/// Who may release what (`spec 06 §5.2`). "Anyone who can see the card" cannot be expressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApproverRule {
    /// Effect classes, `tracker.*` or `tracker.create`.
    pub effects: Vec<String>,
    /// Targets, `local:DEMO` or `local:*`.
    pub targets: Vec<String>,
    /// Principals: `user:ana`, `role:approver`, `group:pm`.
    pub allow: Vec<String>,
    /// May the requester approve?
    #[serde(default)]
    pub self_approve: bool,
}

impl ApproverRule {
    /// The rule covers this act.
    #[must_use]
    pub fn covers(&self, class: &str, target: &str) -> bool {
        self.effects.iter().any(|pattern| matches(pattern, class))
            && self.targets.iter().any(|pattern| matches(pattern, target))
    }

    /// The rule names this person. A guest or somebody of another workspace counts only when listed one by one; who is
    /// deactivated, or a bot, never does.
    #[must_use]
    pub fn names(&self, actor: &Actor) -> bool {
        let usable = match actor.barred.as_deref() {
            None => actor.principals.len(),
            Some("guest" | "foreign") => 1,
            Some(_) => 0,
        };
        actor.principals.iter().take(usable).any(|principal| self.allow.contains(principal))
    }
}

/// `prefix*` or the whole word. A bare `*` matches nothing.
fn matches(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some("") => false,
        Some(prefix) => word.starts_with(prefix),
        None => pattern == word,
    }
}

impl Policy {
    /// The first key whose value cannot be meant, and why.
    #[must_use]
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        let selection = || self.selection.wrong().map(|(key, why)| (key, why.into()));
        selection()
            .or_else(|| self.context.wrong())
            .or_else(|| self.summary.wrong())
            .or_else(|| self.facts.wrong())
    }

    /// The policy's version: the first 12 hex digits of the hash over all of it.
    #[must_use]
    pub fn version(&self) -> String {
        let mut digest = hex(&sha256(&[jcs(self).as_bytes()]));
        digest.truncate(12);
        digest
    }

    /// The rule that lets `principals` create and change issues anywhere, for demonstrations and scenarios.
    /// It is explicit, and it allows approving one's own request.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_star_allows_nothing() {
        assert!(matches("tracker.*", "tracker.create"));
        assert!(matches("local:DEMO", "local:DEMO"));
        assert!(!matches("*", "tracker.create"));
        assert!(!matches("local:DEMO", "local:DEMO2"));
    }

    #[test]
    fn a_guest_must_be_listed_one_by_one() {
        let mut guest = Actor { id: "g".into(), name: "g".into(), ..Actor::default() };
        guest.principals = vec!["user:g".into(), "role:approver".into()];
        guest.barred = Some("guest".into());
        assert!(!Policy::demo_rule(&["role:approver"]).names(&guest));
        assert!(Policy::demo_rule(&["user:g"]).names(&guest));
        guest.barred = Some("deactivated".into());
        assert!(!Policy::demo_rule(&["user:g"]).names(&guest));
    }
}
