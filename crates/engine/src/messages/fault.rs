//! The words of faults.

use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::effect::Outcome;
use crate::data::fault::{Fault, FieldFault, SendingFault, ToolFault, TrackerFault};
use crate::data::field_error::FieldError;
use crate::data::ticket::ItemType;

impl Fault {
    /// Returns its sentence; words of the far side are as they are.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::Tracker(fault) => fault.text(language),
            Self::Sending(fault) => fault.text(language),
            Self::Tool(fault) => fault.text(language),
            Self::Several { faults } => {
                faults.iter().map(|fault| fault.text(language)).collect::<Vec<_>>().join("; ")
            }
            Self::Said(words) => words.clone(),
        }
    }
}

impl Outcome {
    /// Returns it with sentences in the place of faults, as programs read it.
    #[must_use]
    pub fn in_words(self, language: Language) -> Self {
        let words = |fault: &Fault| Fault::Said(fault.text(language));
        match self {
            Self::Done { .. } => self,
            Self::Failed { reason, text, errors } => Self::Failed {
                reason,
                text: words(&text),
                errors: errors
                    .into_iter()
                    .map(|error| FieldFault { text: words(&error.text), ..error })
                    .collect(),
            },
            Self::Uncertain { text } => Self::Uncertain { text: words(&text) },
        }
    }
}

impl FieldFault {
    /// Returns it as a card shows it.
    #[must_use]
    pub fn shown(&self, language: Language) -> FieldError {
        let Self { item, code, field, text } = self;
        FieldError {
            item: item.clone(),
            code: code.clone(),
            field: field.clone(),
            text: text.text(language),
            whole: !matches!(text, Fault::Said(_)),
        }
    }
}

impl TrackerFault {
    fn text(&self, language: Language) -> String {
        match self {
            Self::NoProject { project, known } => say::fault_no_project(language, known.join(", "), project),
            Self::Archived { project } => say::fault_archived(language, project),
            Self::NotPermitted { act, by, project, allowed } => {
                say::fault_not_permitted(language, act.as_str(), allowed.join(", "), by, project)
            }
            Self::NobodyNamed { act, project, allowed } => {
                say::fault_nobody_named(language, act.as_str(), allowed.join(", "), project)
            }
            Self::EpicUnder => say::fault_epic_under(language),
            Self::WrongLevel { above, kind } => {
                say::fault_wrong_level(language, above.as_str(), kind.as_str())
            }
            Self::NoHierarchy { gap, project } => say::fault_no_hierarchy(language, gap.as_str(), project),
            Self::OtherHierarchy { gap, project, setting } => {
                say::fault_other_hierarchy(language, gap.as_str(), project, setting)
            }
            Self::TypeOff { kind, project, offered } => {
                say::fault_type_off(language, kind.as_str(), types(language, offered), project)
            }
            Self::NoType { kind, project, offered } => {
                say::fault_no_type(language, kind.as_str(), types(language, offered), project)
            }
            Self::Required { part } => say::fault_required(language, part.label(language)),
            Self::NoField { part, project } => say::fault_no_field(language, part.label(language), project),
            Self::NotNumber { part, text } => say::fault_not_number(language, part.label(language), text),
            Self::NotDay { part, text } => say::fault_not_day(language, part.label(language), text),
            Self::NotOne { count, part } => say::fault_not_one(language, count, part.label(language)),
            Self::NotAssignable { part, value } => {
                say::fault_not_assignable(language, part.label(language), value)
            }
            Self::NotOffered { part, value } => say::fault_not_offered(language, part.label(language), value),
            Self::Nobody { part, value, known } => {
                say::fault_nobody(language, known.join(", "), part.label(language), value)
            }
            Self::NoValue { part, value, known } => {
                say::fault_no_value(language, known.join(", "), part.label(language), value)
            }
            Self::NoLinkKind { kind, project, known } => {
                say::fault_no_link_kind(language, kind, known.join(", "), project)
            }
            Self::NothingToCreate => say::fault_nothing_to_create(language),
            Self::TooManyItems { count, most } => say::fault_too_many_items(language, count, most),
            Self::SameId { id } => say::fault_same_id(language, id),
            Self::UnderItself { title } => say::fault_under_itself(language, title),
            Self::BeforeEpic { epic, title } => say::fault_before_epic(language, epic, title),
            Self::BlankTitle => say::fault_blank_title(language),
            Self::TitleLines => say::fault_title_lines(language),
            Self::TitleLong { length, most } => say::fault_title_long(language, length, most),
            Self::LabelBlank { joined, label } => say::fault_label_blank(language, joined, label),
            Self::LabelLong { length, most } => say::fault_label_long(language, length, most),
            Self::TextLong { length, most } => say::fault_text_long(language, length, most),
            Self::ControlCharacter { part } => say::fault_control_character(language, part.label(language)),
            Self::NoTitle => say::fault_no_title(language),
            Self::NoIssue { key } => say::fault_no_issue(language, key),
            Self::NoIssueIn { key, project } => say::fault_no_issue_in(language, key, project),
            Self::NoOtherIssue { key } => say::fault_no_other_issue(language, key),
            Self::NoEpic { key } => say::fault_no_epic(language, key),
            Self::ParentElsewhere { parent, project } => {
                say::fault_parent_elsewhere(language, parent, project)
            }
            Self::NoParent { parent, project } => say::fault_no_parent(language, parent, project),
            Self::NoKey { named, project } => say::fault_no_key(language, named, project),
            Self::CommentLong { most } => say::fault_comment_long(language, most),
            Self::OtherText { effect, key } => say::fault_other_text(language, effect, key),
            Self::CreateCrowded { project } => say::fault_create_crowded(language, project),
            Self::ChangeCrowded { key } => say::fault_change_crowded(language, key),
            Self::Storage { .. } => say::fault_storage(language),
            Self::StorageUnknown { .. } => say::fault_storage_unknown(language),
            Self::Unreachable => say::fault_unreachable(language),
            Self::SlowDown => say::fault_slow_down(language),
            Self::Failed { status } => say::fault_failed(language, status),
            Self::Silent => say::fault_silent(language),
            Self::Credentials => say::fault_credentials(language),
            Self::FieldMissing { field, project } => say::fault_field_missing(language, field, project),
            Self::SetValue { field, project, value } => say::fault_set_value(language, field, project, value),
            Self::FieldRefused { field, why } => say::fault_field_refused(language, field, why.as_str()),
            Self::IssuesOff { project } => say::fault_issues_off(language, project),
            Self::Elsewhere { address } => say::fault_elsewhere(language, address),
            Self::NoStep { key, state } => say::fault_no_step(language, key, state.as_str()),
            Self::NotConfigured { tracker } => say::fault_not_configured(language, tracker),
            Self::NotOfTracker => say::fault_not_of_tracker(language),
        }
    }
}

impl SendingFault {
    fn text(&self, language: Language) -> String {
        match self {
            Self::Unreadable => say::sending_unreadable(language),
            Self::Dependency => say::sending_dependency(language),
            Self::WorkerGone => say::sending_worker_gone(language),
            Self::Altered => say::sending_altered(language),
            Self::NoApproval => say::sending_no_approval(language),
            Self::NoDecision => say::sending_no_decision(language),
            Self::NoEpicKey => say::sending_no_epic_key(language),
            Self::NoLinkedKeys => say::sending_no_linked_keys(language),
            Self::HostOnly => say::sending_host_only(language),
            Self::HostSilent => say::sending_host_silent(language),
            Self::HostSilentWhy => say::sending_host_silent_why(language),
            Self::NoClient { target } => say::sending_no_client(language, target),
            Self::BeingSent => say::sending_being_sent(language),
            Self::NoEnd => say::sending_no_end(language),
            Self::NoChannel { channel } => say::sending_no_channel(language, channel),
            Self::NoPlace { channel, to } => say::sending_no_place(language, channel, to),
            Self::ChannelBusy => say::sending_channel_busy(language),
            Self::Slower { channel } => say::sending_slower(language, channel),
            Self::Rationed { channel } => say::sending_rationed(language, channel),
            Self::NotLet { channel, why } => say::sending_not_let(language, channel, why),
            Self::NotInstalled => say::sending_not_installed(language),
            Self::Gone => say::sending_gone(language),
            Self::TooLong { channel } => say::sending_too_long(language, channel),
            Self::Unnamed { channel } => say::sending_unnamed(language, channel),
            Self::Unfindable => say::sending_unfindable(language),
            Self::NotThere { channel } => say::sending_not_there(language, channel),
            Self::NotReadable { channel, why } => say::sending_not_readable(language, channel, why),
            Self::PlaceUnknown { channel } => say::sending_place_unknown(language, channel),
            Self::RightMissing { channel, right } => say::sending_right_missing(language, channel, right),
            Self::Complete => say::sending_complete(language),
            Self::TooLate => say::sending_too_late(language),
            Self::MarksUnread { channel } => say::sending_marks_unread(language, channel),
            Self::Moved => say::sending_moved(language),
            Self::NotDelivered => say::sending_not_delivered(language),
        }
    }
}

impl ToolFault {
    fn text(&self, language: Language) -> String {
        match self {
            Self::NoTool { name } => say::tool_no_tool(language, name),
            Self::NoAgent { name } => say::tool_no_agent(language, name),
            Self::NotAgent => say::tool_not_agent(language),
            Self::HostRuns => say::tool_host_runs(language),
            Self::TrackerChanges => say::tool_tracker_changes(language),
            Self::Withdrawn { name } => say::tool_withdrawn(language, name),
            Self::Unpinned => say::tool_unpinned(language),
            Self::Changed => say::tool_changed(language),
            Self::Unseen => say::tool_unseen(language),
            Self::ServerLacks { name } => say::tool_server_lacks(language, name),
            Self::Busy => say::tool_busy(language),
            Self::OutOfReach => say::tool_unreachable(language),
            Self::Resting => say::tool_resting(language),
            Self::BrokenOff => say::tool_broken_off(language),
            Self::Failing { status } => say::tool_failing(language, status),
            Self::Unlisted => say::tool_unlisted(language),
            Self::CardUnusable => say::tool_card_unusable(language),
            Self::PinsUnread => say::tool_pins_unread(language),
            Self::AskedTogether => say::tool_asked_together(language),
            Self::AnswerLong => say::tool_answer_long(language),
            Self::WantsModel => say::tool_wants_model(language),
            Self::WantsFolders => say::tool_wants_folders(language),
            Self::WantsSeveral => say::tool_wants_several(language),
            Self::AsksAgain => say::tool_asks_again(language),
            Self::RefusesToken => say::tool_refuses_token(language),
            Self::Unconnected => say::tool_unconnected(language),
            Self::LacksRights => say::tool_lacks_rights(language),
            Self::NoToken => say::tool_no_token(language),
            Self::NotInTime => say::tool_not_in_time(language),
            Self::Closed => say::tool_closed(language),
            Self::TooOften => say::tool_too_often(language),
            Self::Forgot => say::tool_forgot(language),
            Self::NoResult => say::tool_no_result(language),
            Self::NoTaskOrMessage => say::tool_no_task_or_message(language),
            Self::TaskUnnamed => say::tool_task_unnamed(language),
            Self::TaskUnclear => say::tool_task_unclear(language),
            Self::NotOf { name, known, text } => say::tool_not_of(language, known.join(", "), name, text),
            Self::NotWhole { name, text } => say::tool_not_whole(language, name, text),
            Self::NotNumeric { name, text } => say::tool_not_numeric(language, name, text),
            Self::NotYesNo { name, text } => say::tool_not_yes_no(language, name, text),
            Self::NotWords { name } => say::tool_not_words(language, name),
            Self::RefusedArgument { name, why } => say::tool_refused_argument(language, name, why),
            Self::RefusedArguments { why } => say::tool_refused_arguments(language, why),
            Self::SchemaUnusable { why } => say::tool_schema_unusable(language, why),
            Self::AsksNothing => say::tool_asks_nothing(language),
            Self::AsksMany { count, most } => say::tool_asks_many(language, *count, *most),
            Self::AsksStructure { name } => say::tool_asks_structure(language, name),
            Self::WantsPage => say::tool_wants_page(language),
            Self::Unknown { why } => say::tool_unknown(language, why),
            Self::Ended { how } => say::tool_ended(language, how.as_str()),
            Self::EndedWith { how, why } => say::tool_ended_with(language, how.as_str(), why),
        }
    }
}

/// Item types in a row.
fn types(language: Language, types: &[ItemType]) -> String {
    types.iter().map(|kind| say::fault_type(language, kind.as_str())).collect::<Vec<_>>().join(", ")
}
