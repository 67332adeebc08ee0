//! Outcome of a turn, with its stable reason code.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::data::id::PendingId;
use crate::data::intent::Intent;
use crate::data::rung::Rung;
use throughline_language::Value;
use throughline_messages::{self as say, Language};

/// Decision of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Decision {
    /// Kind of outcome.
    pub outcome: Verdict,
    /// Reason for it.
    pub reason: Reason,
    /// Rung that decided.
    pub rung: Rung,
    /// Intent of the message, if it was determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Answer that a pending accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
}

/// Answer that a pending accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// Pending that was answered.
    pub pending: PendingId,
    /// Value of the answer.
    pub value: Value,
}

/// Kind of outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Ignored; nothing is kept.
    Ignored,
    /// Kept in the lane without an answer.
    Observed,
    /// Recorded: state changed and no answer was needed.
    Recorded,
    /// Answered in words.
    Answered,
    /// Answered with a question.
    Asked,
    /// Answered with a card.
    Shown,
    /// Press, form or command carried out.
    Done,
    /// Press, form or command refused, with a message to the person.
    Refused,
    /// Waiting for a model or a tracker. The turn of its answer decides.
    Deferred,
    /// Handed to the host's agent, which answers.
    HandedOver,
}

macro_rules! reasons {
    ($($name:ident = $code:literal, $says:path;)*) => {
        /// Reason a turn ended as it did. The codes are stable; [`Self::says`] describes each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = concat!("`", $code, "`")] $name,)*
        }

        impl Reason {
            /// Every reason, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the stable code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns the description, one sentence.
            #[must_use]
            pub fn says(self, language: Language) -> String {
                match self { $(Self::$name => $says(language),)* }
            }

            /// Returns the reason with this code.
            #[must_use]
            pub fn from_code(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }
        }
    };
}

reasons! {
    DuplicateDelivery = "duplicate.delivery", say::reason_duplicate_delivery;

    IgnoredBot = "ignored.bot", say::reason_ignored_bot;
    IgnoredNotAddressed = "ignored.not_addressed", say::reason_ignored_not_addressed;
    IgnoredMetadataOnly = "ignored.metadata_only", say::reason_ignored_metadata_only;
    IgnoredKind = "ignored.kind", say::reason_ignored_kind;
    ObservedOtherAddressee = "observed.other_addressee", say::reason_observed_other_addressee;

    PressApplied = "press.applied", say::reason_press_applied;
    PressUnknown = "press.unknown", say::reason_press_unknown;
    PressConsumed = "press.consumed", say::reason_press_consumed;
    StaleVersion = "stale.version", say::reason_stale_version;
    StaleStep = "stale.step", say::reason_stale_step;
    PressExpired = "press.expired", say::reason_press_expired;
    PressForbidden = "press.forbidden", say::reason_press_forbidden;
    PressSelf = "press.self", say::reason_press_self;
    PressNoPolicy = "press.no_policy", say::reason_press_no_policy;
    EffectsPaused = "effects.paused", say::reason_effects_paused;
    PressTampered = "press.tampered", say::reason_press_tampered;
    FormInvalid = "form.invalid", say::reason_form_invalid;

    CommandHelp = "command.help", say::reason_command_help;
    CommandStatus = "command.status", say::reason_command_status;
    CommandPending = "command.pending", say::reason_command_pending;
    CommandWhy = "command.why", say::reason_command_why;
    CommandForget = "command.forget", say::reason_command_forget;
    CommandForgetMe = "command.forget_me", say::reason_command_forget_me;
    CommandStop = "command.stop", say::reason_command_stop;
    CommandTicket = "command.ticket", say::reason_command_ticket;
    CommandReview = "command.review", say::reason_command_review;
    CommandTrack = "command.track", say::reason_command_track;
    CommandTracked = "command.tracked", say::reason_command_tracked;
    CommandUnknown = "command.unknown", say::reason_command_unknown;

    DraftRevised = "draft.revised", say::reason_draft_revised;
    EffectSettled = "effect.settled", say::reason_effect_settled;
    CardUnshown = "card.unshown", say::reason_card_unshown;
    CardUnreachable = "card.unreachable", say::reason_card_unreachable;
    EffectSuperseded = "effect.superseded", say::reason_effect_superseded;
    DuplicateSeen = "effect.duplicate_seen", say::reason_effect_duplicate_seen;
    LateAnswer = "late_answer", say::reason_late_answer;
    TimerDue = "timer.due", say::reason_timer_due;
    TimerSuperseded = "timer.superseded", say::reason_timer_superseded;
    AssistantPosted = "assistant.posted", say::reason_assistant_posted;
    TaskReported = "task.reported", say::reason_task_reported;
    TaskDuplicateReport = "task.duplicate_report", say::reason_task_duplicate_report;
    TaskStaleReport = "task.stale_report", say::reason_task_stale_report;
    IssueReported = "issue.reported", say::reason_issue_reported;
    IssueUnchanged = "issue.unchanged", say::reason_issue_unchanged;
    TaskTransitionRefused = "task.transition_refused", say::reason_task_transition_refused;
    ContextTooLarge = "context.too_large", say::reason_context_too_large;
    ContextEntrySkipped = "context.entry_skipped", say::reason_context_entry_skipped;
    ContextDuplicateTask = "context.duplicate_task", say::reason_context_duplicate_task;
    ContextInBothLists = "context.in_both_lists", say::reason_context_in_both_lists;
    TaskTooManyLive = "task.too_many_live", say::reason_task_too_many_live;
    Erasure = "erasure", say::reason_erasure;
    IntakeNotice = "intake.notice", say::reason_intake_notice;
    MessageUnread = "message.unread", say::reason_message_unread;
    EvidenceAdded = "message.evidence", say::reason_message_evidence;
    MessageTooMuch = "message.too_much", say::reason_message_too_much;
    MessageEdited = "message.edited", say::reason_message_edited;
    MessageDeleted = "message.deleted", say::reason_message_deleted;
    MessageNotTheirs = "message.not_theirs", say::reason_message_not_theirs;
    DraftEdited = "draft.edited", say::reason_draft_edited;
    DraftRemade = "draft.remade", say::reason_draft_remade;

    InterruptStop = "interrupt.stop", say::reason_interrupt_stop;
    InterruptNothing = "interrupt.nothing", say::reason_interrupt_nothing;

    PendingApplied = "pending.applied", say::reason_pending_applied;
    PendingAppliedWithRemainder = "pending.applied_with_remainder", say::reason_pending_applied_with_remainder;
    PendingCorrected = "pending.corrected", say::reason_pending_corrected;
    PendingMismatch = "pending.mismatch", say::reason_pending_mismatch;
    PendingKept = "pending.kept", say::reason_pending_kept;
    PendingStands = "pending.stands", say::reason_pending_stands;
    PendingExpired = "pending.expired", say::reason_pending_expired;
    PendingRevived = "pending.revived", say::reason_pending_revived;
    PendingOtherAnchor = "pending.other_anchor", say::reason_pending_other_anchor;
    PendingNewer = "pending.newer_shown", say::reason_pending_newer_shown;
    PendingUnseen = "pending.not_seen", say::reason_pending_not_seen;
    PendingOtherPerson = "pending.other_person", say::reason_pending_other_person;
    PendingUnfit = "pending.unfit", say::reason_pending_unfit;
    Judged = "judged", say::reason_judged;
    LexiconRead = "lexicon.read", say::reason_lexicon_read;
    ApprovalNotByText = "approval.not_by_text", say::reason_approval_not_by_text;

    IntentRule = "intent.rule", say::reason_intent_rule;
    IntentModel = "intent.model", say::reason_intent_model;
    SummaryReplaced = "summary.replaced", say::reason_summary_replaced;
    SummaryExtracted = "summary.extracted", say::reason_summary_extracted;
    SummaryFailed = "summary.failed", say::reason_summary_failed;
    SummaryUngrounded = "summary.ungrounded", say::reason_summary_ungrounded;
    SummarySuperseded = "summary.superseded", say::reason_summary_superseded;
    SummaryWithheld = "summary.withheld", say::reason_summary_withheld;
    AnswerClamped = "answer.clamped", say::reason_answer_clamped;
    AnswerMended = "answer.mended", say::reason_answer_mended;
    Drafted = "draft.written", say::reason_draft_written;
    IntentAsked = "intent.asked", say::reason_intent_asked;
    IntentRemembered = "intent.remembered", say::reason_intent_remembered;
    IntentChosen = "intent.chosen", say::reason_intent_chosen;
    Reviewed = "review.written", say::reason_review_written;
    ReviewKnown = "review.known", say::reason_review_known;
    ReviewFeedback = "review.feedback", say::reason_review_feedback;
    ReviewPatched = "review.patched", say::reason_review_patched;
    ReviewFull = "review.full", say::reason_review_full;
    ReviewUnchanged = "review.unchanged", say::reason_review_unchanged;
    ReviewComplete = "review.complete", say::reason_review_complete;
    ReviewIdle = "review.idle", say::reason_review_idle;
    ReviewShown = "review.shown", say::reason_review_shown;
    ReviewHandedOver = "review.handed_over", say::reason_review_handed_over;
    DecisionProposed = "decision.proposed", say::reason_decision_proposed;
    OptionLabel = "selection.exact_label", say::reason_selection_exact_label;
    OptionSublabel = "selection.exact_sublabel", say::reason_selection_exact_sublabel;
    OptionAlias = "selection.exact_alias", say::reason_selection_exact_alias;
    OptionOrdinal = "selection.ordinal", say::reason_selection_ordinal;
    OptionBadge = "selection.badge", say::reason_selection_badge;
    OptionOther = "selection.other_one", say::reason_selection_other_one;
    OptionWords = "selection.distinctive_words", say::reason_selection_distinctive_words;
    OptionDescribed = "selection.described", say::reason_selection_described;
    OptionCompared = "selection.description_open", say::reason_selection_description_open;
    OptionReference = "selection.continuity_reference", say::reason_selection_continuity_reference;
    OptionConfirmed = "selection.confirmed", say::reason_selection_confirmed;
    OptionCorrected = "selection.corrected_pick", say::reason_selection_corrected_pick;
    OptionsOnly = "selection.ui_only", say::reason_selection_ui_only;
    OptionInFlight = "selection.in_flight", say::reason_selection_in_flight;
    OptionTie = "selection.label_tie", say::reason_selection_label_tie;
    OptionCollision = "selection.reading_collision", say::reason_selection_reading_collision;
    OptionOutOfRange = "selection.ordinal_out_of_range", say::reason_selection_ordinal_out_of_range;
    OptionSeveral = "selection.multiple_requested", say::reason_selection_multiple_requested;
    OptionUnreferenced = "selection.reference_unresolved", say::reason_selection_reference_unresolved;
    OptionNoMatch = "selection.no_deterministic_match", say::reason_selection_no_deterministic_match;
    OptionManyMatch = "selection.multi_match_no_exact_winner", say::reason_selection_multi_match_no_exact_winner;
    OptionCommand = "selection.command_selection_collision", say::reason_selection_command_selection_collision;
    OptionElsewhere = "selection.cross_source_tie", say::reason_selection_cross_source_tie;
    OptionNoise = "selection.noise", say::reason_selection_noise;
    OptionYesToWhat = "selection.affirmation_without_target", say::reason_selection_affirmation_without_target;
    ScopeMissing = "selection.scope_not_available", say::reason_selection_scope_not_available;
    ScopeConflict = "selection.scope_conflict", say::reason_selection_scope_conflict;
    ScopeTypo = "selection.typo_ambiguous", say::reason_selection_typo_ambiguous;
    ScopeAlone = "selection.cue_only", say::reason_selection_cue_only;
    ListClosed = "selection.list_closed", say::reason_selection_list_closed;
    OptionConditional = "selection.conditional", say::reason_selection_conditional;
    OptionUnseen = "selection.not_seen", say::reason_selection_not_seen;
    ReplyUnknown = "selection.reply_unknown", say::reason_selection_reply_unknown;
    ListReplaced = "selection.set_replaced", say::reason_selection_set_replaced;
    ListRejected = "selection.list_rejected", say::reason_selection_list_rejected;
    ListReturned = "selection.returned", say::reason_selection_returned;
    ListReshown = "selection.reshow_requested", say::reason_selection_reshow_requested;
    ListHesitation = "selection.hesitation", say::reason_selection_hesitation;
    RepairRemaining = "selection.repair_remaining", say::reason_selection_repair_remaining;
    SelectionVerify = "selection.verify_open", say::reason_selection_verify_open;
    SelectionQuestion = "selection.question_intent", say::reason_selection_question_intent;
    SelectionCommand = "selection.known_command", say::reason_selection_known_command;
    SelectionUnlike = "selection.not_selection_like", say::reason_selection_not_selection_like;
    SelectionOff = "selection.disabled", say::reason_selection_disabled;
    SelectionNothing = "selection.no_context", say::reason_selection_no_context;
    LoopGuard = "selection.loop_guard", say::reason_selection_loop_guard;
    LoopGuardContinuity = "selection.loop_guard_continuity", say::reason_selection_loop_guard_continuity;
    LoopGuardSameCycle = "selection.loop_guard_same_cycle", say::reason_selection_loop_guard_same_cycle;
    OptionSuggested = "selection.llm_suggested", say::reason_selection_llm_suggested;
    ModelUnsure = "selection.low_confidence", say::reason_selection_low_confidence;
    ModelAbstains = "selection.abstain", say::reason_selection_abstain;
    ModelVetoed = "selection.need_more_info_veto", say::reason_selection_need_more_info_veto;
    ModelPickExecuted = "selection.phase_c", say::reason_selection_phase_c;
    SelectionReleased = "selection.released_by_model", say::reason_selection_released_by_model;
    ContextReplaced = "selection.context_replaced", say::reason_selection_context_replaced;
    NoNewEvidence = "selection.no_new_evidence", say::reason_selection_no_new_evidence;
    BudgetExhausted = "selection.budget_exhausted", say::reason_selection_budget_exhausted;
    EnrichmentUnavailable = "selection.enrichment_unavailable", say::reason_selection_enrichment_unavailable;
    CandidatesChanged = "selection.candidates_changed", say::reason_selection_candidates_changed;
    ModelTimeout = "selection.timeout", say::reason_selection_timeout;
    ModelLimited = "selection.rate_limited", say::reason_selection_rate_limited;
    ModelUnreached = "selection.transport_error", say::reason_selection_transport_error;
    ModelMalformed = "selection.malformed_answer", say::reason_selection_malformed_answer;
    ModelContract = "selection.contract_version_mismatch", say::reason_selection_contract_version_mismatch;
    ModelNeeds = "selection.invalid_needed_context", say::reason_selection_invalid_needed_context;
    ModelOutOfPool = "selection.out_of_pool", say::reason_selection_out_of_pool;
    OptionPressed = "selection.option_pressed", say::reason_selection_option_pressed;
    OptionsRegistered = "selection.registered", say::reason_selection_registered;
    OptionsRefreshed = "selection.refreshed", say::reason_selection_refreshed;
    OptionsUiOnly = "selection.registered_ui_only", say::reason_selection_registered_ui_only;
    OptionsClosed = "selection.closed", say::reason_selection_closed;
    FocusChanged = "selection.focus_changed", say::reason_selection_focus_changed;
    RegistrationTooMany = "selection.registration_too_many", say::reason_selection_registration_too_many;
    RegistrationBadOption = "selection.registration_bad_option", say::reason_selection_registration_bad_option;
    RegistrationBadScope = "selection.registration_bad_scope", say::reason_selection_registration_bad_scope;
    RegistrationBadNumbers = "selection.registration_bad_numbers", say::reason_selection_registration_bad_numbers;
    IssueSought = "issue.sought", say::reason_issue_sought;
    IssueTracked = "tracked.looked_up", say::reason_tracked_looked_up;
    EffectProgress = "effect.progress", say::reason_effect_progress;
    DelegationStarted = "delegation.started", say::reason_delegation_started;
    DelegationUnclear = "delegation.unclear", say::reason_delegation_unclear;
    DelegationNothing = "delegation.nothing", say::reason_delegation_nothing;
    ToolStarted = "tool.started", say::reason_tool_started;
    ApprovalNeeded = "approval.needed", say::reason_approval_needed;
    RequestKnown = "request.known", say::reason_request_known;
    RequestRevised = "request.revised", say::reason_request_revised;
    RequestOver = "request.over", say::reason_request_over;
    RequestLate = "request.late", say::reason_request_late;
    RequestTooMany = "request.too_many", say::reason_request_too_many;
    Acknowledged = "acknowledged", say::reason_acknowledged;
    SmallTalk = "intent.small_talk", say::reason_intent_small_talk;
    FactAdded = "fact.added", say::reason_fact_added;
    FactMerged = "fact.merged", say::reason_fact_merged;
    FactUnchanged = "fact.unchanged", say::reason_fact_unchanged;
    FactDisputed = "fact.disputed", say::reason_fact_disputed;
    FactSuperseded = "fact.superseded", say::reason_fact_superseded;
    FactResolved = "fact.resolved", say::reason_fact_resolved;
    FactShadowed = "fact.shadowed", say::reason_fact_shadowed;
    FactEvicted = "fact.evicted", say::reason_fact_evicted;
    FactRekeyed = "fact.rekeyed", say::reason_fact_rekeyed;
    FactWithdrawn = "fact.withdrawn", say::reason_fact_withdrawn;
    FactErased = "fact.erased", say::reason_fact_erased;
    FactForbidden = "fact.forbidden", say::reason_fact_forbidden;
    FactNoPlace = "fact.no_place", say::reason_fact_no_place;
    FactUnknown = "fact.unknown", say::reason_fact_unknown;
    FactBadValue = "fact.bad_value", say::reason_fact_bad_value;
    FactSourceUnknown = "fact.source_unknown", say::reason_fact_source_unknown;
    FactUngrounded = "fact.ungrounded", say::reason_fact_ungrounded;
    FactInstructionLike = "fact.instruction_like", say::reason_fact_instruction_like;
    FactSecret = "fact.secret", say::reason_fact_secret;
    FactScopeRefused = "fact.scope_refused", say::reason_fact_scope_refused;
    FactTooMany = "fact.too_many", say::reason_fact_too_many;
    GateOpened = "gate.opened", say::reason_gate_opened;
    GateStands = "gate.stands", say::reason_gate_stands;
    GateWithheld = "gate.withheld", say::reason_gate_withheld;
    GateSpared = "gate.spared", say::reason_gate_spared;
    ApprovalNothing = "approval.nothing", say::reason_approval_nothing;
    GateDismissed = "gate.dismissed", say::reason_gate_dismissed;
    HandedOver = "handover.begun", say::reason_handover_begun;
    HandoverAnswered = "handover.answered", say::reason_handover_answered;
    HandoverUnanswered = "handover.unanswered", say::reason_handover_unanswered;
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Reason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        Self::from_code(&code)
            .ok_or_else(|| serde::de::Error::custom(alloc::format!("`{code}` is not a reason code")))
    }
}

impl Decision {
    /// Makes a decision without an intent or an accepted answer.
    pub fn new(outcome: Verdict, reason: Reason) -> Self {
        Self { outcome, reason, rung: Rung::Addressing, intent: None, applied: None }
    }

    /// Sets the intent.
    pub fn with_intent(mut self, intent: Intent) -> Self {
        self.intent = Some(intent);
        self
    }
}
