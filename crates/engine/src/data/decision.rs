//! Outcome of a turn, with its stable reason code.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::data::id::PendingId;
use crate::data::intent::Intent;
use crate::data::rung::Rung;
use throughline_language::Value;

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
}

macro_rules! reasons {
    ($($name:ident = $code:literal, $says:literal;)*) => {
        /// Reason a turn ended as it did. The codes are stable; [`Self::says`] describes each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = $says] $name,)*
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
            pub fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
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
    DuplicateDelivery = "duplicate.delivery", "This delivery had already been handled; its stored outcome is the answer.";

    IgnoredBot = "ignored.bot", "A bot, or we ourselves, wrote it.";
    IgnoredNotAddressed = "ignored.not_addressed", "It was not addressed to us.";
    IgnoredMetadataOnly = "ignored.metadata_only", "The edit changed no text.";
    IgnoredKind = "ignored.kind", "This kind of event is not handled by this version.";
    ObservedOtherAddressee = "observed.other_addressee", "It begins by addressing somebody else in a thread we are in.";

    PressApplied = "press.applied", "The button did what it says.";
    PressUnknown = "press.unknown", "The button is not known in this conversation.";
    PressConsumed = "press.consumed", "The card had already been decided.";
    StaleVersion = "stale.version", "The button belongs to another version of the card than the current one.";
    StaleStep = "stale.step", "The card is at a step that does not allow the action, or a latch is open.";
    PressExpired = "press.expired", "The request had expired.";
    PressForbidden = "press.forbidden", "The presser may not approve this.";
    PressSelf = "press.self", "Who asked for this, or wrote any of it, may not approve it.";
    PressNoPolicy = "press.no_policy", "No approver rule covers this, so nobody may approve it.";
    EffectsPaused = "effects.paused", "Sending is paused; nothing was approved.";
    PressTampered = "press.tampered", "The stored request is not what was shown; nothing was done.";
    FormInvalid = "form.invalid", "The form could not be taken: something was missing, unknown or too long, or nothing was changed.";

    CommandHelp = "command.help", "The help was asked for.";
    CommandStatus = "command.status", "The status was asked for.";
    CommandPending = "command.pending", "What is waiting was asked for.";
    CommandWhy = "command.why", "An explanation of the last turn was asked for.";
    CommandForget = "command.forget", "What was asked to be forgotten was cleared, or there was nothing to clear.";
    CommandForgetMe = "command.forget_me", "A person confirmed that everything kept of them is to be erased.";
    CommandStop = "command.stop", "Everything that can be stopped was stopped.";
    CommandTicket = "command.ticket", "A ticket was asked for by command.";
    CommandReview = "command.review", "A review was asked for by command.";
    CommandTrack = "command.track", "An issue is tracked in this thread, is looked up for that, or is tracked no longer.";
    CommandTracked = "command.tracked", "The issues this thread tracks were listed.";
    CommandUnknown = "command.unknown", "The command is not known; the nearest one was named.";

    DraftRevised = "draft.revised", "Words about a preview that no rule reads went to a model, or what it proposed for the preview's fields was taken in.";
    EffectSettled = "effect.settled", "The outcome of an effect was taken in.";
    CardUnshown = "card.unshown", "The channel does not take a card; a text says in its place what waits and where to decide it.";
    CardUnreachable = "card.unreachable", "Neither a card nor the text in its place could be shown, so nobody could decide it: it expired.";
    EffectSuperseded = "effect.superseded", "The outcome belongs to something that was superseded or is over.";
    DuplicateSeen = "effect.duplicate_seen", "Two issues carry what was meant to be one; both were named.";
    LateAnswer = "late_answer", "A model's answer came after its question was superseded; it is recorded and ignored.";
    TimerDue = "timer.due", "A deadline came.";
    TimerSuperseded = "timer.superseded", "The deadline belongs to something that is over.";
    AssistantPosted = "assistant.posted", "The host's agent spoke; its message is kept.";
    TaskReported = "task.reported", "A host reported where a task stands; its record was moved.";
    TaskDuplicateReport = "task.duplicate_report", "The task stood there already; at most its reason got newer or a missing result came.";
    TaskStaleReport = "task.stale_report", "The report is older than what is known of the task, so nothing was changed.";
    TaskTransitionRefused = "task.transition_refused", "A task does not go from where it stands to what was reported, so nothing was changed.";
    ContextTooLarge = "context.too_large", "What a prompt may not leave out is more than it may hold, so no model was asked.";
    ContextEntrySkipped = "context.entry_skipped", "An entry of a supervisor's document has no usable task id; it was left out.";
    ContextDuplicateTask = "context.duplicate_task", "A task is twice in a list of a supervisor's document; the newest entry counts.";
    ContextInBothLists = "context.in_both_lists", "A task is completed and blocked in a supervisor's document; what is newer counts.";
    TaskTooManyLive = "task.too_many_live", "The conversation has as many live tasks as it may have, so the report was not taken.";
    Erasure = "erasure", "What the conversation held of somebody, or all of it, was erased.";
    IntakeNotice = "intake.notice", "The user was told what intake did not take.";
    MessageUnread = "message.unread", "The message holds nothing but files, which are not read; its person was told so.";
    MessageTooMuch = "message.too_much", "The message has more words than one message may cost to read, so nothing of it was taken up; its person was told so.";
    MessageEdited = "message.edited", "The stored message was updated.";
    MessageDeleted = "message.deleted", "The message's text was removed from what is kept for later.";
    MessageNotTheirs = "message.not_theirs", "Somebody edited or deleted a message that another person wrote, so nothing was changed.";
    DraftEdited = "draft.edited", "The message changed the open preview in words, or filled a gap that it named.";
    DraftRemade = "draft.remade", "The message that started a draft was edited, so the draft was made again.";

    InterruptStop = "interrupt.stop", "The whole message is a stop, so what was waiting was cleared.";
    InterruptNothing = "interrupt.nothing", "The whole message is a stop, and nothing was waiting.";

    PendingApplied = "pending.applied", "The message answered what was asked.";
    PendingAppliedWithRemainder = "pending.applied_with_remainder", "The message answered what was asked and went on; the rest was routed.";
    PendingCorrected = "pending.corrected", "The message corrected an answer that was given before; its task still runs.";
    PendingMismatch = "pending.mismatch", "The message did not answer what was asked, so the question was cleared.";
    PendingKept = "pending.kept", "The message means something else than an answer in words, so the question was left open.";
    PendingStands = "pending.stands", "The message only speaks of the question, so the question was named again and left open.";
    PendingExpired = "pending.expired", "What was asked had expired, so it was cleared.";
    PendingRevived = "pending.revived", "An explicit reply to the question brought it back for this message.";
    PendingOtherAnchor = "pending.other_anchor", "The message replies to something else, so the question was left alone.";
    PendingNewer = "pending.newer_shown", "The message fits the question, but also a list or card that was shown later.";
    PendingUnseen = "pending.not_seen", "The message was written before the question was asked.";
    PendingOtherPerson = "pending.other_person", "Somebody else was asked, so the question was left alone.";
    ApprovalNotByText = "approval.not_by_text", "Text never approves; the answer points at the button.";

    IntentRule = "intent.rule", "A rule recognised what is wanted.";
    IntentModel = "intent.model", "A model, asked within bounds, recognised what is wanted.";
    SummaryReplaced = "summary.replaced", "A model condensed the older messages; its summary is the lane's.";
    SummaryExtracted = "summary.extracted", "Older messages were folded without a model: single lines of them are kept.";
    SummaryFailed = "summary.failed", "No summary came, or none that can be used; everything stays as it was.";
    SummaryUngrounded = "summary.ungrounded", "The summary names what its sources do not; everything stays as it was.";
    SummarySuperseded = "summary.superseded", "A summary came for messages that are folded already; it is ignored.";
    SummaryWithheld = "summary.withheld", "The words of a folded message were taken back: what was made of them is shown no more, and made anew.";
    AnswerClamped = "answer.clamped", "The model named a message it had not been offered; that was removed from its answer.";
    AnswerMended = "answer.mended", "A model's answer could not be used as it was; the model was asked once more, with what was wrong.";
    Drafted = "draft.written", "A model was asked for the text of a ticket; what it wrote, or what the message says itself, goes on.";
    IntentAsked = "intent.asked", "No rule spoke, so a model was asked.";
    IntentRemembered = "intent.remembered", "What is wanted was unclear, so the remembered choice of this thread was used.";
    IntentChosen = "intent.chosen", "The user chose what to do with the message.";
    Reviewed = "review.written", "The model that was asked for a review answered, or will not; the review is shown.";
    ReviewKnown = "review.known", "The topic was reviewed and froze; nobody asked for another review in so many words.";
    ReviewFeedback = "review.feedback", "The message says something to the active review, so a model was asked what that changes.";
    ReviewPatched = "review.patched", "The message says something to the active review, so there is a new version of it.";
    ReviewFull = "review.full", "The active review has as many versions as one may have, so the message changes nothing.";
    ReviewUnchanged = "review.unchanged", "The message says nothing that the active review does not have.";
    ReviewComplete = "review.complete", "The whole message acknowledges the active review, so it froze.";
    ReviewIdle = "review.idle", "Nobody answered the review for its time, so it froze.";
    ReviewShown = "review.shown", "A review was shown in full.";
    ReviewHandedOver = "review.handed_over", "The message points at a review, so its artifact was given to the drafter of tickets.";
    DecisionProposed = "decision.proposed", "A decision is to be recorded: it is shown before it is posted, or asked for.";
    OptionLabel = "selection.exact_label", "The text is the label of one of the options shown.";
    OptionSublabel = "selection.exact_sublabel", "The text is the second line of one of the options shown.";
    OptionAlias = "selection.exact_alias", "The text is another name of one of the options shown.";
    OptionOrdinal = "selection.ordinal", "The text is a place in the list shown.";
    OptionBadge = "selection.badge", "The text is the sign of one of the options shown.";
    OptionOther = "selection.other_one", "Of two options one was done or rejected, and the text says the other.";
    OptionReference = "selection.continuity_reference", "The text points at one option, by what was done or is left.";
    OptionConfirmed = "selection.confirmed", "The person said yes to the option that was suggested.";
    OptionCorrected = "selection.corrected_pick", "Another option than the one before is meant.";
    OptionsOnly = "selection.ui_only", "The text names an option that only its own place can execute.";
    OptionInFlight = "selection.in_flight", "The option is being executed already.";
    OptionTie = "selection.label_tie", "Several options have this name.";
    OptionCollision = "selection.reading_collision", "The text is the name of one option and the place of another.";
    OptionOutOfRange = "selection.ordinal_out_of_range", "The list has no such place.";
    OptionSeveral = "selection.multiple_requested", "The text asks for more than one option.";
    OptionUnreferenced = "selection.reference_unresolved", "The text points at an option, and it is not certain at which.";
    OptionNoMatch = "selection.no_deterministic_match", "The text is no option's name; what it resembles is shown first.";
    OptionManyMatch = "selection.multi_match_no_exact_winner", "The text resembles several options alike.";
    OptionCommand = "selection.command_selection_collision", "The text may be a command or an option, and is neither before the person says.";
    OptionElsewhere = "selection.cross_source_tie", "The text names an option of another list on the screen.";
    OptionNoise = "selection.noise", "The text means nothing that could be an option.";
    OptionYesToWhat = "selection.affirmation_without_target", "The text says yes, and nothing was suggested.";
    ScopeMissing = "selection.scope_not_available", "There is no list where the text says.";
    ScopeConflict = "selection.scope_conflict", "The text names two places.";
    ScopeTypo = "selection.typo_ambiguous", "A word looks like the name of a place, misspelt.";
    ScopeAlone = "selection.cue_only", "The text only says where: that list is shown again.";
    ListClosed = "selection.list_closed", "The list the text may mean was put aside.";
    OptionConditional = "selection.conditional", "The option is wanted only if or when something else happens.";
    OptionUnseen = "selection.not_seen", "The list was shown after the text was written.";
    ReplyUnknown = "selection.reply_unknown", "The text replies to a message that shows no list.";
    ListReplaced = "selection.set_replaced", "The list that was replied to is no longer there.";
    ListRejected = "selection.list_rejected", "None of the options is wanted.";
    ListReturned = "selection.returned", "A list that was put aside is shown again.";
    ListReshown = "selection.reshow_requested", "The list is shown again, as it was.";
    ListHesitation = "selection.hesitation", "The person has not decided yet.";
    RepairRemaining = "selection.repair_remaining", "What was taken back is left out of what is asked.";
    SelectionVerify = "selection.verify_open", "The text asks what was done, and does nothing.";
    SelectionQuestion = "selection.question_intent", "The text is a question, not a choice.";
    SelectionCommand = "selection.known_command", "The text is a command of the host.";
    SelectionUnlike = "selection.not_selection_like", "The text is no choice of an option.";
    SelectionOff = "selection.disabled", "Texts are not read against lists here.";
    SelectionNothing = "selection.no_context", "No list is there that the text could mean.";
    LoopGuard = "selection.loop_guard", "The same text was put to a model before, which is not asked again.";
    LoopGuardContinuity = "selection.loop_guard_continuity", "The same text was put to a model before; what it suggested then is shown.";
    LoopGuardSameCycle = "selection.loop_guard_same_cycle", "The text points at what was just done, and does not say to do it again.";
    OptionSuggested = "selection.llm_suggested", "A model suggests an option, and the person is asked.";
    ModelUnsure = "selection.low_confidence", "A model was not sure enough to change anything.";
    ModelAbstains = "selection.abstain", "A model says that none of the options is meant, and the text is about them all the same.";
    ModelVetoed = "selection.need_more_info_veto", "A model could not tell, and the list as it is now can.";
    ModelPickExecuted = "selection.phase_c", "A model picked an option, and every gate let it be executed.";
    SelectionReleased = "selection.released_by_model", "A model says that the text is about something else than the options.";
    ContextReplaced = "selection.context_replaced", "Another list took the place of the one the text was about.";
    NoNewEvidence = "selection.no_new_evidence", "A model asked to see more, and there is nothing new to see.";
    BudgetExhausted = "selection.budget_exhausted", "A model asked to see more than it may.";
    EnrichmentUnavailable = "selection.enrichment_unavailable", "A model asked to see more, and nobody could say.";
    CandidatesChanged = "selection.candidates_changed", "The options changed while a model was asked about them.";
    ModelTimeout = "selection.timeout", "No model answered in time.";
    ModelLimited = "selection.rate_limited", "A model's vendor refused to answer now.";
    ModelUnreached = "selection.transport_error", "No model could be reached.";
    ModelMalformed = "selection.malformed_answer", "A model's answer could not be read.";
    ModelContract = "selection.contract_version_mismatch", "A model answered to another contract.";
    ModelNeeds = "selection.invalid_needed_context", "A model asked to see what it may not ask for.";
    ModelOutOfPool = "selection.out_of_pool", "A model named an option that was not offered.";
    OptionPressed = "selection.option_pressed", "An option was pressed.";
    OptionsRegistered = "selection.registered", "A list of options was registered.";
    OptionsRefreshed = "selection.refreshed", "A list that was there is shown again.";
    OptionsUiOnly = "selection.registered_ui_only", "A list was registered that only its own place can execute.";
    OptionsClosed = "selection.closed", "A list was closed.";
    FocusChanged = "selection.focus_changed", "Somebody looks at another place.";
    RegistrationTooMany = "selection.registration_too_many", "A list of no options, or of too many, was not taken.";
    RegistrationBadOption = "selection.registration_bad_option", "A list with an option that cannot be one was not taken.";
    RegistrationBadScope = "selection.registration_bad_scope", "A list without a place, or for nobody known, was not taken.";
    IssueSought = "issue.sought", "An issue was looked up, before a change of it is shown or to say how it is now.";
    IssueTracked = "tracked.looked_up", "The tracker answered whether there is an issue that this thread is to track.";
    EffectProgress = "effect.progress", "What a sub-agent was handed goes on, and it said how.";
    DelegationStarted = "delegation.started", "A task was handed to a sub-agent, as the message said.";
    DelegationUnclear = "delegation.unclear", "A task is to be handed over, and there are several sub-agents; the user was asked which.";
    DelegationNothing = "delegation.nothing", "Something is to be handed over, and nothing is there to refer to, or nobody by that name.";
    ToolStarted = "tool.started", "A tool was called, or what it needs was asked for, as the message said.";
    ApprovalNeeded = "approval.needed", "What was asked for may change something outside, so a card waits for its approval.";
    Acknowledged = "acknowledged", "A bare acknowledgement with nothing open needs no answer.";
    SmallTalk = "intent.small_talk", "The message chats or puts something off that nobody asked for, so there is nothing to do.";
    FactAdded = "fact.added", "Something was remembered that was not known here.";
    FactMerged = "fact.merged", "What was stated is known here, and this is one more to say so.";
    FactUnchanged = "fact.unchanged", "This very statement is known: nothing changed.";
    FactDisputed = "fact.disputed", "What was stated contradicts what counts here, and does not take its place.";
    FactSuperseded = "fact.superseded", "What was stated took the place of what counted here.";
    FactResolved = "fact.resolved", "The user said which of two contradicting facts holds.";
    FactShadowed = "fact.shadowed", "A fact of another reach says otherwise, so one of the two is not shown.";
    FactEvicted = "fact.evicted", "There were more facts than a place holds, and the least one left.";
    FactRekeyed = "fact.rekeyed", "The facts of a draft moved to the issue that was made of it.";
    FactWithdrawn = "fact.withdrawn", "A fact lost a statement it rested on, and is gone if that was the last.";
    FactErased = "fact.erased", "That fact was erased, and the message it came from does not yield it again.";
    FactForbidden = "fact.forbidden", "The person may not state a fact that reaches so far, or take that one away.";
    FactNoPlace = "fact.no_place", "A fact is to be kept for an epic or a draft, and there is none, or more than one.";
    FactUnknown = "fact.unknown", "There is no such fact within reach of this conversation.";
    FactBadValue = "fact.bad_value", "A model proposed a fact of no known kind or reach, too long, or with a confidence that is no number.";
    FactSourceUnknown = "fact.source_unknown", "A model proposed a fact from a message that was not in its prompt.";
    FactUngrounded = "fact.ungrounded", "A model proposed a fact in words that the message it cites does not have.";
    FactInstructionLike = "fact.instruction_like", "A model proposed a fact that is addressed to a machine.";
    FactSecret = "fact.secret", "A model proposed a fact with a secret in it.";
    FactScopeRefused = "fact.scope_refused", "A model proposed a fact for a whole channel, which only people and approved decisions may.";
    FactTooMany = "fact.too_many", "A model proposed more facts than are looked at; the first ones were.";
    GateOpened = "gate.opened", "What is wanted was unclear, so the user was asked.";
    GateStands = "gate.stands", "The message says yes to the gate and chooses none of its buttons.";
    GateWithheld = "gate.withheld", "Several people write here and the message was not put to the assistant, so it was kept and nothing was asked.";
    GateSpared = "gate.spared", "What is wanted was unclear, and nothing in the message could become a ticket or a review, so no card was shown.";
    ApprovalNothing = "approval.nothing", "The message approves in words, and nothing here waits for an approval.";
    GateDismissed = "gate.dismissed", "The user chose Not now.";
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
