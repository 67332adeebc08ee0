//! The texts of everything a lane stores and plans: its head, its records, its effects and their outcomes, its events and
//! what was looked up for a turn. Types with private members say it beside them.

use crate::data::actor::{Actor, Presser};
use crate::data::approval::{Approval, ApprovalChange};
use crate::data::ask::{
    Answer, Ask, Candidate, DraftAnswer, DraftText, FieldChange, PatchAnswer, Question, ReviewAnswer,
    SelectInput,
};
use crate::data::attachment::Attachment;
use crate::data::authors::Authored;
use crate::data::batch::Batch;
use crate::data::call::{
    Call, CallPhase, Job, OpenQuestion, PlannedChange, QuestionField, RemoteQuestion, RemoteTask, Work,
};
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::card::{AdoptionLookup, Card, CardStatus, CardSubject, Checks};
use crate::data::card_model::{Button, CardModel, Field, ItemModel};
use crate::data::decision::{Applied, Decision};
use crate::data::effect::{EffectBody, EffectResult, IssueChange, IssueView, Outcome};
use crate::data::erasure::ErasureScope;
use crate::data::event::{
    AssistantPosted, Event, EventKind, FactStated, FocusChanged, MessagePosted, Press, Unshown,
};
use crate::data::fact::{Fact, FactSet, FactSource, FactTombstone};
use crate::data::fact_proposal::FactProposal;
use crate::data::fault::{Fault, FieldFault, SendingFault, ToolFault, TrackerFault};
use crate::data::field::{FieldValue, NamedComparison};
use crate::data::field_error::FieldError;
use crate::data::focus::AnchorHint;
use crate::data::handover::{Handover, HostAnswer, ListInSight, OpenHandover, WaitingQuestion};
use crate::data::host_act::HostAct;
use crate::data::id::{
    BatchId, CardId, DraftId, EffectId, FactId, LaneId, MessageId, PendingId, ProposalId, ReviewId, SetId,
    TaskId, TimerId, TurnId,
};
use crate::data::issue_report::{IssueNow, IssueReport, Reported};
use crate::data::lane_state::{LaneState, OpenAsk};
use crate::data::message::{Message, Role};
use crate::data::notice::Notice;
use crate::data::option_set::{OptionSet, OptionsShown, Showing};
use crate::data::pending::{AnsweredPending, PendingKind, PendingState, Slot};
use crate::data::progress::{EpicLink, Progress, ReleasedItem};
use crate::data::prompt::BuiltPrompt;
use crate::data::proposal::{CommentOffer, Proposal, PublishedPost};
use crate::data::record::Record;
use crate::data::review::{
    ChecklistItem, Points, Review, ReviewArtifact, ReviewEnding, ReviewPatch, ReviewStatus,
};
use crate::data::set_option::{Metadata, SetOption};
use crate::data::step_input::{Neighbours, Paused, PressTarget, StepInput};
use crate::data::summary::{ConversationSummary, SummaryRequest};
use crate::data::task::{Task, TaskReported};
use crate::data::texts::{Members, Strings, Text, Texts, Visit, texts};
use crate::data::ticket::{Created, Filled, Item};
use crate::data::trace::TurnSummary;
use crate::data::tracked::{IssueQuestion, Tracked};
use crate::data::view::{Clarifier, ModelPick, ScopeQuestion, TargetRef, TraceEntry, View};
use throughline_language::{Choice, Expected, Value};

/// Members of an approval's payload that hold words, whatever its kind.
const PAYLOAD_WORDS: &[&str] = &["fields", "text", "args", "label", "title", "payload", "lines"];

texts! {
    ids MessageId, TaskId, CardId, DraftId, ReviewId, BatchId, ProposalId, PendingId, TimerId, EffectId, TurnId;
    none LaneId, SetId, FactId;

    struct Batch { id, task, source, by: person, target: key, items, part: key, before }
    struct Task {
        id, intent: words, status: key, attempt: key, requested_by: person, authors, source: key, work, created_at: key,
        started_at: key, completed_at: key, blocked_at: key, unblocked_at: key, reason: words, result: words, last_at: key,
        language: key, seq: key,
    }
    struct TaskReported { task, status: key, at: key, intent: words, reason: words, result: words }
    struct Work { job, effect, card, waits, asked_in }
    struct OpenQuestion { effect, asked, given: words }
    struct RemoteQuestion { remote: key, text: words, fields }
    struct QuestionField { name: key, expected }
    struct RemoteTask { remote: key, told: words, news: key }
    struct Call { job, phase, task, text: said, risk: key, prompt }
    enum Job { Tool { name: key, args: words }, Agent { name: key }, Option(chosen), Change(planned), Act(act) }
    struct HostAct { request_id: key, title: words, target: key, payload: words, lines: words, expires: key }
    struct PlannedChange { target: key, key: key, change, by: person, issue, other: words }
    struct IssueView { title: words, state: key, assignee: words }
    enum CallPhase { Begin, Answer { remote: key, given: words }, Stop { effect } }

    struct Card { id, version: key, message, by: person, created_at: key, expires_at: key, about, status, timers: key, language: key, told: key }
    enum CardSubject {
        DraftPreview { draft, checks }, BatchPreview { batch, checks, latches: key },
        ScopeGate { source, excerpt: words, remember: key },
        UncertainEffect { effect, draft, parent, looking, next_look: key },
        CallPreview { call, source }, UncertainCall { effect, call, source, parent }, Remembered,
        ReviewActive { review }, ReviewFrozen { review }, DecisionPreview { decision, comment },
        Options { set, exec_rev: key, order: key, displayed: key, asks: words },
        Custom { capability: key, state, offers: key },
        DecisionUncertain { decision, what: key, effect, parent, target: key },
    }
    enum Checks { Due, Running { effect }, Passed { at: key }, Failed { errors } }
    enum CardStatus {
        Open, Decided { action: key, by, at: key, result }, Superseded { by }, Expired, Withdrawn,
    }
    struct AdoptionLookup { effect, by }
    enum CommentOffer {
        None, Offered { issues: key, failed: words, hash: key },
        Pressed { issue: key, by, at: key, result, target: key },
    }
    enum Progress {
        None, Working { check, effect }, Done, Stopped, Sending { effect }, Posted { url: key },
        Created { key: key, url: key, link }, Failed { text: words, errors, again }, NotTried { why: words, again },
        Uncertain { card }, Cancelled, Several { items },
    }
    struct ReleasedItem { draft, progress }
    enum EpicLink {
        Reading { effect, epic: key, mended: key }, Mending { effect, epic: key }, There { epic: key },
        Failed { why: words },
    }
    struct FieldError { item: id, code: key, field: key, text: words, whole: key }
    struct FieldFault { item: id, code: key, field: key, text }
    enum Fault { Tracker(fault), Sending(fault), Tool(fault), Several { faults }, Said(text: words) }
    enum TrackerFault {
        NoProject { project: words, known: words }, Archived { project: words },
        NotPermitted { act: key, by: words, project: words, allowed: words },
        NobodyNamed { act: key, project: words, allowed: words }, EpicUnder, WrongLevel { above: key, kind: key },
        NoHierarchy { gap: key, project: words }, OtherHierarchy { gap: key, project: words, setting: words },
        TypeOff { kind: key, project: words, offered: key }, NoType { kind: key, project: words, offered: key },
        Required { part: key }, NoField { part: key, project: words }, NotNumber { part: key, text: words },
        NotDay { part: key, text: words }, NotOne { count: key, part: key },
        NotAssignable { part: key, value: words }, NotOffered { part: key, value: words },
        Nobody { part: key, value: words, known: words }, NoValue { part: key, value: words, known: words },
        NoLinkKind { kind: words, project: words, known: words }, NothingToCreate,
        TooManyItems { count: key, most: key }, SameId { id: words }, UnderItself { title: words },
        BeforeEpic { epic: words, title: words }, BlankTitle, TitleLines, TitleLong { length: key, most: key },
        LabelBlank { joined: words, label: words }, LabelLong { length: key, most: key },
        TextLong { length: key, most: key }, ControlCharacter { part: key }, NoTitle, NoIssue { key: words },
        NoIssueIn { key: words, project: words }, NoOtherIssue { key: words }, NoEpic { key: words },
        ParentElsewhere { parent: words, project: words }, NoParent { parent: words, project: words },
        NoKey { named: words, project: words }, CommentLong { most: key }, OtherText { effect, key: words },
        CreateCrowded { project: words }, ChangeCrowded { key: words }, Storage { why: words },
        StorageUnknown { why: words }, Unreachable, SlowDown, Failed { status: key }, Silent,
        Credentials, FieldMissing { field: words, project: words },
        SetValue { field: words, project: words, value: words }, FieldRefused { field: words, why: key },
        IssuesOff { project: words }, Elsewhere { address: key }, NoStep { key: words, state: key },
        NotConfigured { tracker: key }, NotOfTracker,
    }
    enum SendingFault {
        Unreadable, Dependency, WorkerGone, Altered, NoApproval, NoDecision, NoEpicKey, NoLinkedKeys, HostOnly,
        HostSilent, HostSilentWhy, NoClient { target: key }, BeingSent, NoEnd, NoChannel { channel: key },
        NoPlace { channel: key, to: words }, ChannelBusy, Slower { channel: key }, Rationed { channel: key },
        NotLet { channel: key, why: words }, NotInstalled, Gone, TooLong { channel: key },
        Unnamed { channel: key }, Unfindable, NotThere { channel: key }, NotReadable { channel: key, why: words },
        PlaceUnknown { channel: key }, RightMissing { channel: key, right: key }, Complete, TooLate,
        MarksUnread { channel: key }, Moved, NotDelivered,
    }
    enum ToolFault {
        NoTool { name: key }, NoAgent { name: key }, NotAgent, HostRuns, TrackerChanges, Withdrawn { name: key },
        Unpinned, Changed, Unseen, ServerLacks { name: key }, Busy, OutOfReach, Resting, BrokenOff,
        Failing { status: key }, Unlisted, CardUnusable, PinsUnread, AskedTogether, AnswerLong, WantsModel,
        WantsFolders, WantsSeveral, AsksAgain, RefusesToken, Unconnected, LacksRights, NoToken, NotInTime, Closed,
        TooOften, Forgot, NoResult, NoTaskOrMessage,
        TaskUnnamed, TaskUnclear, NotOf { name: key, known: key, text: words }, NotWhole { name: key, text: words },
        NotNumeric { name: key, text: words }, NotYesNo { name: key, text: words }, NotWords { name: key },
        RefusedArgument { name: key, why: words }, RefusedArguments { why: words }, SchemaUnusable { why: words },
        AsksNothing, AsksMany { count: key, most: key }, AsksStructure { name: key }, WantsPage,
        Unknown { why: words }, Ended { how: key }, EndedWith { how: key, why: words },
    }
    struct CardModel {
        id, step: key, version: key, hash: key, title: words, facts: words, fields, items, errors, buttons, link: key, request: key, outline: key,
    }
    struct ItemModel { id: id, label: words, title: words, state: words, fields, errors, buttons, link: key }
    struct Field { name: key, label: key, text: words, note: words }
    struct Button { action: key, label: words, name: words, on: key, blocked: words, token: key }

    struct Review {
        id, kind: key, version: key, topic: words, summary: words, points, checks, patches, status, card, task, by: person,
        material, source, last_at: key, handed, language: key,
    }
    struct Points { decisions: words, risks: words, questions: words, changes: words }
    struct ChecklistItem { item: key, stated: words }
    struct ReviewPatch { version: key, by: person, points }
    enum ReviewStatus {
        Drafting, Active, Frozen { artifact, ended }, Superseded { artifact, by }, Forgotten,
    }
    enum ReviewEnding { Completed { by: name }, Idle, HandedOver, Decided }
    struct ReviewArtifact {
        kind: key, version: key, topic: words, summary: words, updated_summary: words, frozen_at: key, content_hash: key,
    }

    struct Proposal {
        id, task, source, by: person, topic: words, decision: words, why: words, issues: key, written, review, to: key,
        thread: words, posted, language: key,
    }
    struct PublishedPost { text: words, url: key }

    struct OptionSet {
        id, scope: key, scope_instance: key, title: words, origin: key, user: person, options, content_rev: key,
        exec_rev: key, showings, refreshable: key, comparisons, asked: key,
    }
    struct Showing { message, order: key, displayed: key, numbers_from: key, exec_rev: key, revision: key, at: key, to: person }
    struct OptionsShown {
        scope: key, scope_instance: key, title: words, user: person, options, refreshable: key, message_id: key,
        displayed: key, focused_option: key, numbers_from: key, comparisons, asked: key,
    }
    struct SetOption {
        id: key, label: words, sublabel: words, badge: words, aliases: words, metadata, fields, role: key, repeatable: key,
        exec_ref: key, risk: key,
    }
    enum FieldValue {
        Number(number: key), Quantity { value: key, unit: key }, Text(text: words), Flag(flag: key), List(texts: words),
        At(text: key),
    }
    struct NamedComparison { name: words, field: key, least: key }
    struct Metadata { path: words, kind: key, owner: person, recency_rank: key }
    struct View {
        user: person, active_option_set_id, active_scope: key, last_resolved_action, recent_action_trace,
        last_accepted_choice_id: key, recent_accepted_choice_ids: key, recent_rejected_choice_ids: key,
        pending_clarifier_type: key, all_rejected: key, turn: key, standings: key, latch: key, guard: key, attempts: key,
        in_flight: key, last_choice: key, rejected_of, clarifier, scope_question, cycle, focus, denied: key, past,
        stopped: key, refined: key,
    }
    struct TraceEntry {
        kind: key, target_ref, source_scope: key, option_set_id, timestamp: key, outcome: key, turn: key, executed: key,
    }
    struct TargetRef { kind: key, id: key, label: words }
    struct Clarifier { message, set, suggests: key, by_model: key, print: key, turn: key, at: key }
    struct ScopeQuestion { text: said, places: key, sets: key, turn: key }
    struct ModelPick {
        id, set, text: said, cued: key, reason: key, exec_rev: key, candidates: key, runs: key, hints: key, resembles: key,
        key: key, before: key, calls: key, looks: key, fetching,
    }
    struct FocusChanged { user: person, scope: key, scope_instance: key, option: key }

    struct Fact {
        kind: key, scope: key, source_ts: key, text: words, confidence: key, canonical_id, author: person, trust: key,
        origin: key, subject: words, status: key, superseded_by, supersedes, sources, created_at: key, updated_at: key,
        last_used_at: key,
    }
    struct FactSource {
        at: key, author: person, text: words, confidence: key, trust: key, origin: key, subject: words, lane: key, message,
    }
    struct FactSet { key: key, revision: key, facts, gone }
    struct FactTombstone { fact, scope: key, lane: key, message, until: key }
    struct FactProposal { kind: key, scope: key, text: words, confidence: key, message_id: id, subject: words }
    struct FactStated { kind: key, scope: key, epic: key, text: said, subject: said }

    struct LaneState {
        pendings, lapsed, left_at: key, answered, remembered: key, last_message_at: key, ask, handovers, tracked, issue_questions, gone, window: key,
        earlier: key, covered, language: key, last_seen_ts: key, cards: key,
    }
    struct OpenAsk {
        effect, about, question, round: key, message, shown: key, by: person, since: key, anchor, language: key,
        pressed: key,
    }
    struct PendingState {
        id, kind, expected, anchor, task, asked_of: person, ui_version: key, created_at: key, expires_at: key,
    }
    struct AnsweredPending { pending, value, by: person }
    enum PendingKind {
        SlotRequest(slot), ClarificationNeeded(slot), ToolRetryOffer { tool: key }, DelegationOffer { agent: key },
        WaitingStoryEdit { draft, card, part: key }, WaitingDecisionEdit { card }, WaitingApproval { card },
        WaitingScopeChoice { card, message }, WaitingQuantityConfirm { card }, WaitingSizeConfirm { card },
        WaitingUncertainEffect { card, effect },
    }
    enum Slot {
        Draft { draft, part: key }, Host, Argument { name: key }, Asked { name: key }, Agent, Proposal { proposal },
        Facts { key: key, earlier, now }, Custom { capability: key, card, name: key }, Issue { card },
    }
    struct Tracked { key: key, target: key, title: words, url: key, sought, language: key }
    struct IssueQuestion { effect, key: key, task, language: key }
    struct ConversationSummary {
        summary: words, version: key, tail: words, owed: key, cursor: key, through, asked, tries: key, next: key,
    }
    struct SummaryRequest { effect, base_cursor: key, folds: key, to }
    struct Filled { message, part: key }
    struct Created { effect, key: key, url: key, reported }
    struct Reported { at: key, now }
    enum IssueNow { There { issue }, Moved { to: key }, Gone }
    struct IssueReport { effect, card, key: key, at: key, now }
    struct Item { id: id, parent: id, item_type: key, fields: words }

    enum EffectBody {
        Reply { message, text: words, offers: words }, CardPost { message, card }, CardUpdate { message, card },
        Notice { to: person, text: words }, ModelAsk(ask), TrackerCheck { target: key, items, by: person, card },
        TrackerFind { target: key, key: key, by: person, card, task }, TrackerSeek { target: key, marker, card },
        TrackerCreate { target: key, item, under: key, card }, TrackerUpdate { target: key, key: id, change, by: person, card },
        PostChannel { to: key, text: words, signed: key, language: key, card }, ToolCall(call), AgentDelegate(call),
        OptionExecute(call), HostAct(call), EvidenceFetch { set, scope: key, scope_instance: key, wanted: key }, TurnHandover(handover),
    }
    struct Handover {
        message, by: person, text: said, files, task, hint, prompt, questions, lists, handoff: key, unsaid: words, budget_ms: key,
    }
    struct WaitingQuestion { id, text: words, expected, asked_of: person }
    struct ListInSight { id, options: key, numbers_from: key, candidates: key }
    struct HostAnswer { posted, options }
    struct OpenHandover { effect, by: person, task, language: key }
    enum IssueChange {
        Parent(key: id), Comment(text: words), State(state: key), Assignee(name: words), Link(key: key),
    }
    struct Ask { question, text: said, message, prompt, hint, complaints: words, budget_ms: key }
    enum Question {
        Classify { labels: key }, Draft { item_type: key, stories: key, from: lines }, Review { kind: key },
        Revise { items },
        Patch { review, version: key }, Synthesis { review }, Select(input), Answer,
        Summary { base_cursor: key, to, messages: lines },
    }
    struct SelectInput { scope: key, candidates, hints: key, rejected: key, evidence: words, may_ask: key }
    struct Candidate { alias: key, label: words, sublabel: words, badge: words, names: words, metadata, fields }
    struct AnchorHint {
        focus_anchor_internal_id, focus_anchor_channel_id: key, focus_anchor_text_snippet: words, task_id,
    }
    enum Outcome {
        Done { result }, Failed { reason: key, text, errors }, Uncertain { text },
    }
    enum EffectResult {
        Delivered { channel_id: key }, Checked, Found { key: key, title: words, url: key, parent: key, state: key, assignee: words },
        Sought { issues: key }, Updated, Posted { url: key }, Issue { key: key, url: key }, Answered(answer),
        Snapshot { options, focused: key }, Said { text: words }, Handled(answer), Asked(question), Stopped { text: words },
    }
    enum Answer {
        Classify { label: key, confidence: key, anchor }, Draft { items }, Revision { changes }, Review(review), Patch(patch),
        Select { contract: key, says: key, choice: key, confidence: key, needs: key }, Text { text: words, facts },
        Summary { text: words, facts }, None { why: key },
    }
    struct DraftAnswer { item_type: key, fields: words }
    struct DraftText { item: key, item_type: key, fields: words }
    struct FieldChange { item: key, field: key, text: words }
    struct ReviewAnswer {
        kind: key, topic: words, summary: words, decisions: words, risks: words, questions: words,
    }
    struct PatchAnswer { decisions: words, risks: words, questions: words, changes: words }

    enum ApprovalChange {
        Open(approval), Decide { card, version: key, action: key, by, at: key, payload_sha256: key, releases: key },
        Close { card, version: key, how: key },
    }
    struct Authored { item: id, field: key, by }

    struct Event { id: key, received_at: key, actor: person, kind }
    enum EventKind {
        MessagePosted(posted), MessageEdited { message: id, text: said, metadata_only: key },
        MessageDeleted { message: id }, CardPressed { press, remember: key }, Command { text: said },
        FormSubmitted { press, values: said }, AssistantPosted(posted), ApprovalRequested(act), TaskReported(reported), OptionsShown(shown),
        OptionsClosed { set, scope_instance: key }, FactStated(stated), FactTakenBack { key: key, fact },
        FocusChanged(focus), IntakeNotice(notice), EffectSettled { effect, outcome, card, task, unshown },
        EffectProgressed { effect, task, text: words }, IssueReported(report), TimerDue { timer, about: key }, Erasure(scope),
        Unknown { name: key },
    }
    enum Notice {
        QueueFull { beginning: said, most: key }, Dead { turn }, StillOpen { after: key, aloud: key }, Joined { user: principal },
        LinkOver, Told { why: key, message: words },
    }
    struct MessagePosted { text: said, message_id: key, reply_to: id, quote: words, task, files, seen: key }
    struct Attachment { kind: key, name: said, mime: key, bytes: key, id: key, url: key }
    struct AssistantPosted {
        kind: key, task, text: words, expected, asked_of: person, expires: key, message_id: key,
    }
    struct Unshown { message, seen: key }
    enum Press {
        Token(token: key), Decision { card, version: key, item: id, action: key },
        Option { set, version: key, option: key },
    }
    enum ErasureScope { Person { id: person }, Lane }

    struct StepInput {
        now: key, actor, multilingual: key, offset_s: key, addressing: key, anchor, beside, covered, press, revived, paused, effects: key, waiting: key,
        model: key, lines: key, here: key, link: key, facts, person: key, last_turn,
    }
    struct Neighbours { before, after }
    struct PressTarget {
        lane: key, card, version: key, item: id, action: key, intact: key, approved: key,
    }
    struct Paused { by: person, since: key, everything: key }
    struct TurnSummary { turn, at: key, event: key, decision, trace: key, effects: key }
    struct Decision { outcome: key, reason: key, rung: key, intent: key, applied }
    struct Applied { pending, value }

    enum Expected {
        Boolean, Time, Date, DateTime, Duration, Number, Integer, Money, Email, Phone, Url, Person, Location,
        Selection(options: words), OneOf(choices), Text,
    }
    struct Choice { value: words, synonyms: words }
    enum Value {
        Boolean(yes: key), Time(time: key), Date(date: key), DateTime(time: key), Duration(text: key), Number(text: key),
        Money(money: key), Email(text: words), Phone(text: words), Url(text: words), Person(text: words),
        Location(text: words), Selection(text: words), OneOf(text: words), Text(text: said),
    }

    enum Record {
        Message(one), Task(one), Draft(one), Card(one), Held(one), Review(one), Batch(one), Proposal(one), OptionSet(one),
        View(one), Fact(one),
    }
}

impl Texts for crate::data::ask::AnswerRecipient {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::Draft(id) => id.texts(visit),
            Self::Batch(id) => id.texts(visit),
            Self::Revision { card, version: _ } => card.texts(visit),
            Self::Review(id) | Self::Patch(id) | Self::Synthesis(id) => id.texts(visit),
            Self::Selection(user) => visit(Text::Person(user)),
            Self::Intent | Self::Discussion => {}
        }
    }
}

impl Texts for Message {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let Self {
            id,
            role,
            by,
            kind: _,
            to,
            task,
            card,
            text,
            at: _,
            channel_id: _,
            link: _,
            untrusted: _,
            files,
        } = self;
        visit(Text::Person(by));
        match role {
            Role::User => visit(Text::Said(text)),
            Role::Assistant => visit(Text::Words(text)),
        }
        to.strings(&mut |to| visit(Text::Person(to)));
        id.texts(visit);
        task.texts(visit);
        card.texts(visit);
        files.texts(visit);
    }
}

impl Texts for Actor {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let Self { id, name, principals, barred: _, language: _ } = self;
        visit(Text::Identity { id, name });
        principals.strings(&mut |rule| visit(Text::Principal(rule)));
    }
}

impl Texts for Presser {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let Self { id, name } = self;
        visit(Text::Identity { id, name });
    }
}

impl Texts for BuiltPrompt {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let Self { sections, context_fingerprint: _, prefix_fingerprint: _, omitted: _ } = self;
        sections.iter_mut().for_each(|(_, text)| visit(Text::Lines(text)));
    }
}

impl Texts for Approval {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let Self {
            card,
            version: _,
            kind: _,
            payload,
            payload_sha256,
            releases: _,
            classes: _,
            targets: _,
            quantity: _,
            total_chars: _,
            requested_by,
            authors,
            source,
            created_at: _,
            expires_at: _,
        } = self;
        card.texts(visit);
        visit(Text::Person(requested_by));
        authors.texts(visit);
        source.texts(visit);
        if let Ok(stored) = serde_json::from_str::<serde_json::Value>(payload) {
            let mut changed = stored.clone();
            Members { value: &mut changed, words: PAYLOAD_WORDS, people: &[] }.texts(visit);
            if changed != stored {
                *payload = jcs(&changed);
                *payload_sha256 = hex(&sha256(&[payload.as_bytes()]));
            }
        }
    }
}
