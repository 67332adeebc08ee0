//! Schemas of the texts and numbers that the API reads, each made of the constant or table that its check uses. A member
//! of a request names one by `value_type`; none of them is ever made.

use throughline_channels::api::{
    HOST_KINDS, MAX_ACT_LINE, MAX_ACT_TITLE, MAX_ID, MAX_TASK, MAX_TEXT, MAX_URL,
};
use throughline_engine::data::fact::{FactScope, FactType};
use throughline_engine::data::policy::limits;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::task_status::TaskStatus;
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::idempotency::MAX_KEY;
use crate::request::{MAX_LIMIT, MAX_WAIT};
use crate::routes::pause::{LEVELS, MAX_REASON};
use crate::views;

/// Characters of an id: all that can be seen. The ranges are those that `Checker::id` refuses.
const ID_CHARACTER: &str =
    r"[^\u0000-\u0020\u007f-\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]";
/// Characters that are more than room, as [`str::trim`] knows it.
const SOLID: &str =
    r"[^\u0000\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// Makes a type of each name whose schema is the object.
macro_rules! schemas {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let schema: Object = $schema;
                schema.into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

schemas! {
    /// Id that a host gives: visible characters.
    HostId = text(1, MAX_ID, &format!("^{ID_CHARACTER}+$"));
    /// Id that a host gives, or an empty text for none.
    HostIdOrNone = text(0, MAX_ID, &format!("^{ID_CHARACTER}*$"));
    /// Id of a task of the host.
    TaskId = text(1, MAX_TASK, &format!("^{ID_CHARACTER}+$"));
    /// Id of something of ours in a path or a query.
    Given = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).build();
    /// Name of a person, on one line.
    Line = text(0, MAX_ID, r"^[^\u0000-\u001f\u007f-\u009f]*$");
    /// Text of a message.
    Text = text(0, MAX_TEXT, r"^[^\u0000]*$");
    /// Text that somebody is meant to read.
    Words = text(1, MAX_TEXT, &solid());
    /// Moment, RFC 3339 in UTC.
    Moment = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .pattern(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$"))
        .build();
    /// Content of a file.
    FileContent = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .build();
    /// Name of a file.
    FileName = text(1, MAX_ID, &visible());
    /// Address in the web.
    WebAddress = text(8, MAX_URL, &format!("^https?://{ID_CHARACTER}*$"));
    /// Kind of event that a host may send.
    HostKind = words(HOST_KINDS);
    /// Kind of message of a host's agent.
    AssistantKind = words(["answer", "question", "card", "notification"]);
    /// Type of an answer that is expected.
    ExpectedType = text(1, MAX_TEXT, &expected());
    /// Title of an act of the host's.
    ActTitle = text(1, MAX_ACT_TITLE, &visible());
    /// Line about an act.
    ActLine = text(1, MAX_ACT_LINE, &visible());
    /// Status of a task.
    TaskState = words(TaskStatus::ALL.map(TaskStatus::as_str));
    /// Kind of place of a list.
    ListScope = words(Scope::ALL.map(Scope::as_str));
    /// Audience of a list.
    Audience = words(["lane", "user"]);
    /// Role of an option.
    Role = words(["normal", "exit", "none_of_these"]);
    /// Risk of an option.
    OptionRisk = words(["read", "write", "destructive"]);
    /// Id of an option.
    OptionId = text(1, limits::OPTION_ID, r"^[\s\S]+$");
    /// Label of an option.
    OptionLabel = text(1, limits::OPTION_LABEL, &seen());
    /// Alias of an option.
    Alias = text(1, limits::OPTION_LABEL, &solid());
    /// Second line, sign or reference of an option.
    OptionText = text(0, limits::OPTION_LABEL, r"^[^\u0000]*$");
    /// Name of a field of an option.
    FieldName = text(1, limits::FIELD_NAME, r"^[^\u0000]+$");
    /// Unit of a quantity.
    FieldUnit = text(1, limits::FIELD_UNIT, &solid());
    /// Kind of fact.
    FactKind = words(FactType::ALL.iter().map(|kind| kind.as_str()));
    /// Kind of place of a fact.
    FactPlace = words(FactScope::ALL.iter().map(|scope| scope.as_str()));
    /// Sentence of a fact.
    FactText = text(1, super::fact::MAX_TEXT, &solid());
    /// State of an effect.
    EffectState = words(throughline_store::EffectState::ALL.map(views::effect_state_name));
    /// Choice of approvals to list.
    ApprovalFilter = words(["pending", "all"]);
    /// Level of the kill switch.
    PauseLevel = words(LEVELS);
    /// Reason for a pause.
    PauseReason = text(0, MAX_REASON, r"^[\s\S]*$");
    /// Length of a page.
    Limit = whole(1, u64::from(MAX_LIMIT));
    /// Seconds to wait.
    Wait = whole(0, MAX_WAIT);
    /// Number that fits into 32 bits.
    Whole = whole(0, u64::from(u32::MAX));
    /// Finished tasks to show.
    History = whole(3, 5);
    /// Maximum tokens of a prompt.
    MaxTokens = whole(6_000, u64::from(u32::MAX));
    /// Key of a request.
    Key = text(1, MAX_KEY, "^[!-~]+$");
    /// Place in a lane's events.
    LanePosition = pattern(r"^([0-9]{1,19}|[1-9][0-9]{0,18}\.[0-9]{1,9})$");
    /// Place in the events of all conversations.
    TenantPosition = pattern(r"^[0-9]{1,19}(-[0-9]{1,9})?$");
    /// Status of an answer to an interrupt.
    ResumeStatus = words(["resolved", "cancelled"]);
}

fn pattern(pattern: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).build()
}

fn text(least: usize, most: usize, pattern: &str) -> Object {
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    text.min_length((least > 0).then_some(least)).max_length(Some(most)).build()
}

fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build()
}

fn whole(least: u64, most: u64) -> Object {
    let number = ObjectBuilder::new().schema_type(Type::Integer);
    number.minimum(Some(least)).maximum(Some(most)).build()
}

/// Returns the pattern of texts that hold something to be seen.
fn seen() -> String {
    let character = ID_CHARACTER.replace(r"\u00ad", r"\u00ad\u034f\u061c\u180e");
    format!(r"^[^\u0000]*{character}[^\u0000]*$")
}

/// Returns the pattern of a line of visible characters that holds something, as `Checker::line` takes it.
fn visible() -> String {
    let character = r"[^\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]";
    format!("^{character}*{ID_CHARACTER}{character}*$")
}

/// Returns the pattern of texts that hold more than room.
fn solid() -> String {
    format!(r"^[^\u0000]*{SOLID}[^\u0000]*$")
}

/// Returns the pattern of the types that an answer can have: a word, or choices with bars between.
fn expected() -> String {
    let words: Vec<&str> = throughline_language::Expected::words().collect();
    let choice = r"[^\u0000|=,]*[^\u0000-\u0020|=,\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff][^\u0000|=,]*";
    let choices = format!(r"selection:{choice}(\|{choice})*");
    let synonyms = format!(r"one_of:{choice}(=[^\u0000|]*)?(\|{choice}(=[^\u0000|]*)?)*");
    format!("^({}|{choices}|{synonyms})$", words.join("|"))
}
