//! Faults of a tracker.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::id::EffectId;
use crate::data::issue_change::IssueState;
use crate::data::ticket::{ItemType, Part};

/// Reason why a tracker did not take or do something, with the values that its sentence names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum TrackerFault {
    /// A project that does not exist for this person.
    NoProject {
        /// Project.
        project: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A project that is closed.
    Archived {
        /// Project.
        project: String,
    },
    /// An act that this person may not do.
    NotPermitted {
        /// Act.
        act: ProjectAct,
        /// Person, or principal.
        by: String,
        /// Project.
        project: String,
        /// People and principals who may.
        allowed: Vec<String>,
    },
    /// An act that only some may do, and nobody is named.
    NobodyNamed {
        /// Act.
        act: ProjectAct,
        /// Project.
        project: String,
        /// People and principals who may.
        allowed: Vec<String>,
    },
    /// An epic with a parent.
    EpicUnder,
    /// A parent that is no epic.
    WrongLevel {
        /// Type of the parent.
        above: ItemType,
        /// Type.
        kind: ItemType,
    },
    /// A project that puts no issue under another.
    NoHierarchy {
        /// Way that the project lacks.
        gap: HierarchyGap,
        /// Project.
        project: String,
    },
    /// A project that puts issues under another in another way than is set.
    OtherHierarchy {
        /// Way that the project lacks.
        gap: HierarchyGap,
        /// Project.
        project: String,
        /// Value that the setting should have.
        setting: String,
    },
    /// A type that the project has switched off.
    TypeOff {
        /// Type.
        kind: ItemType,
        /// Project.
        project: String,
        /// Types that there are.
        offered: Vec<ItemType>,
    },
    /// A type that the project does not have.
    NoType {
        /// Type.
        kind: ItemType,
        /// Project.
        project: String,
        /// Types that there are.
        offered: Vec<ItemType>,
    },
    /// An empty part that the project requires.
    Required {
        /// Part.
        part: Part,
    },
    /// A part that the project has no field for.
    NoField {
        /// Part.
        part: Part,
        /// Project.
        project: String,
    },
    /// A text where a number belongs.
    NotNumber {
        /// Part.
        part: Part,
        /// Text that was written.
        text: String,
    },
    /// A text where a day belongs.
    NotDay {
        /// Part.
        part: Part,
        /// Text that was written.
        text: String,
    },
    /// Several values where one belongs.
    NotOne {
        /// Number.
        count: usize,
        /// Part.
        part: Part,
    },
    /// A person whom nothing can be assigned to any more.
    NotAssignable {
        /// Part.
        part: Part,
        /// Value that was written.
        value: String,
    },
    /// A value that is not offered any more.
    NotOffered {
        /// Part.
        part: Part,
        /// Value that was written.
        value: String,
    },
    /// A person whom the tracker does not know.
    Nobody {
        /// Part.
        part: Part,
        /// Value that was written.
        value: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A value that there is not.
    NoValue {
        /// Part.
        part: Part,
        /// Value that was written.
        value: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A kind of link that the project does not have.
    NoLinkKind {
        /// Kind of link.
        kind: String,
        /// Project.
        project: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A batch without items.
    NothingToCreate,
    /// A batch with too many items.
    TooManyItems {
        /// Number.
        count: usize,
        /// Most that is taken.
        most: usize,
    },
    /// Two items of a batch with one id.
    SameId {
        /// Id.
        id: String,
    },
    /// An item that would be under itself.
    UnderItself {
        /// Title of the item.
        title: String,
    },
    /// An item of a batch before its epic.
    BeforeEpic {
        /// Title of its epic.
        epic: String,
        /// Title of the item.
        title: String,
    },
    /// A title of blanks.
    BlankTitle,
    /// A title with a control character.
    TitleLines,
    /// A title that is too long, in characters.
    TitleLong {
        /// Length.
        length: usize,
        /// Most that is taken.
        most: usize,
    },
    /// A label with a blank.
    LabelBlank {
        /// The label without blanks.
        joined: String,
        /// Label.
        label: String,
    },
    /// A label that is too long, in characters.
    LabelLong {
        /// Length.
        length: usize,
        /// Most that is taken.
        most: usize,
    },
    /// A text that is too long, in characters.
    TextLong {
        /// Length.
        length: usize,
        /// Most that is taken.
        most: usize,
    },
    /// A character that cannot be shown.
    ControlCharacter {
        /// Part.
        part: Part,
    },
    /// An item without a title.
    NoTitle,
    /// An issue that does not exist for this person.
    NoIssue {
        /// Issue key.
        key: String,
    },
    /// An issue that does not exist in its project.
    NoIssueIn {
        /// Issue key.
        key: String,
        /// Project.
        project: String,
    },
    /// An issue to link to that is this one or does not exist.
    NoOtherIssue {
        /// Issue key.
        key: String,
    },
    /// An epic that does not exist.
    NoEpic {
        /// Issue key.
        key: String,
    },
    /// A parent of another project.
    ParentElsewhere {
        /// Parent that was named.
        parent: String,
        /// Project.
        project: String,
    },
    /// A parent that is neither in the batch nor in the project.
    NoParent {
        /// Parent that was named.
        parent: String,
        /// Project.
        project: String,
    },
    /// A text that names no issue of the project.
    NoKey {
        /// Text that was written.
        named: String,
        /// Project.
        project: String,
    },
    /// A comment that is too long, in characters.
    CommentLong {
        /// Most that is taken.
        most: usize,
    },
    /// A create that made an issue of another text before.
    OtherText {
        /// Effect that made it.
        effect: EffectId,
        /// Issue key.
        key: String,
    },
    /// Too many creates at once.
    CreateCrowded {
        /// Project.
        project: String,
    },
    /// Too many changes of one issue at once.
    ChangeCrowded {
        /// Issue key.
        key: String,
    },
    /// Documents that could not be read or written.
    Storage {
        /// Reason in the store's words, for who operates it; nobody in a conversation is told.
        why: String,
    },
    /// Documents that may or may not be written.
    StorageUnknown {
        /// Reason in the store's words, as for [`Self::Storage`].
        why: String,
    },
    /// A connection that the tracker refused.
    Unreachable,
    /// A tracker that takes no more for now.
    SlowDown,
    /// A status that tells nothing.
    Failed {
        /// Status.
        status: u16,
    },
    /// No answer in time.
    Silent,
    /// Credentials that the tracker refuses.
    Credentials,
    /// A field that the tracker requires and nothing here fills.
    FieldMissing {
        /// Name of the field there.
        field: String,
        /// Project.
        project: String,
    },
    /// A value of the configuration that a field does not take.
    SetValue {
        /// Name of the field there.
        field: String,
        /// Project.
        project: String,
        /// Value that is set.
        value: String,
    },
    /// A field that the tracker does not take as it is, where it has a code and no sentence for it.
    FieldRefused {
        /// Name of the field there.
        field: String,
        /// Kind of mistake.
        why: FieldRefusal,
    },
    /// A project whose issues are switched off in the tracker.
    IssuesOff {
        /// Project.
        project: String,
    },
    /// A project or an issue that is at another address now.
    Elsewhere {
        /// Address that the tracker names.
        address: String,
    },
    /// A state that no step of the issue's workflow leads to.
    NoStep {
        /// Issue key.
        key: String,
        /// State.
        state: IssueState,
    },
    /// A tracker that is not configured.
    NotConfigured {
        /// Name of the tracker.
        tracker: String,
    },
    /// An effect that no tracker performs.
    NotOfTracker,
}

/// Act in a project that a permission is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectAct {
    /// See its issues.
    See,
    /// Create an issue.
    Create,
    /// Change an issue.
    Edit,
    /// Link issues.
    Link,
}

impl ProjectAct {
    /// Returns the stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Link => "link",
        }
    }
}

/// Way to put an issue under another that a project lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HierarchyGap {
    /// It has no field for a parent.
    NoParent,
    /// It has no field for an epic link.
    NoEpicLink,
    /// It has no sub-tasks.
    NoSubtasks,
}

impl HierarchyGap {
    /// Returns the stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoParent => "no_parent",
            Self::NoEpicLink => "no_epic_link",
            Self::NoSubtasks => "no_subtasks",
        }
    }
}

/// Kind of mistake that a tracker finds in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldRefusal {
    /// It names something that there is not.
    Absent,
    /// It has to be filled in.
    Required,
    /// Something else has this value, and only one may.
    Taken,
    /// Its value has another form, or cannot be set.
    Invalid,
}

impl FieldRefusal {
    /// Returns the stable name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Required => "required",
            Self::Taken => "taken",
            Self::Invalid => "invalid",
        }
    }
}
