//! A list of options somebody was shown (`spec 04 §2`): what it is, what it is called, and what may be registered.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use super::Listed;
use super::read::Options;
use crate::canon::{hex, sha256, write_strings};
use crate::id::{MessageId, SetId};
use crate::policy::limits;
use crate::time::Timestamp;
use crate::work::Risk;

/// Where a list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In the conversation.
    Chat,
    /// In a panel beside it.
    Widget,
    /// On a dashboard.
    Dashboard,
    /// In the whole workspace.
    Workspace,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Widget, Self::Dashboard, Self::Workspace];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Widget => "widget",
            Self::Dashboard => "dashboard",
            Self::Workspace => "workspace",
        }
    }
}

/// Who put the list there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A host, by `options.shown`.
    Host,
    /// One of our own questions.
    Engine,
}

/// What an option is beside one of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One of several.
    #[default]
    Normal,
    /// Leaves the list.
    Exit,
    /// Rejects all of them.
    NoneOfThese,
}

impl Role {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

/// What else is known of an option: it tells two alike ones apart, and never selects by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metadata {
    /// Where it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What kind of thing it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its place by how recently it was used, 0 the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency_rank: Option<u32>,
}

impl Metadata {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes over what is missing.
    pub(crate) fn fill(&mut self, newer: &Self) {
        self.path = self.path.take().or_else(|| newer.path.clone());
        self.kind = self.kind.take().or_else(|| newer.kind.clone());
        self.owner = self.owner.take().or_else(|| newer.owner.clone());
        self.recency_rank = self.recency_rank.or(newer.recency_rank);
    }
}

/// One of the options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetOption {
    /// Its id in the list, 1 to 128 bytes.
    pub id: String,
    /// What it is called, 1 to 200 graphemes.
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// A short sign shown beside it: "D".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// What else it is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What it is beside one of several.
    #[serde(default, skip_serializing_if = "Role::is_normal")]
    pub role: Role,
    /// Whether executing it twice is nothing to ask about.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeatable: bool,
    /// What the host runs when it is chosen: opaque, fixed at registration. Without one a text cannot choose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_ref: Option<String>,
    /// What running it may do, as the host declares it. Choosing is never approving: what changes something waits for
    /// an approval (`spec 06 §4.2`).
    #[serde(default = "reads", skip_serializing_if = "is_read")]
    pub risk: Risk,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_yes(repeatable: &bool) -> bool {
    *repeatable
}

fn reads() -> Risk {
    Risk::Read
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_read(risk: &Risk) -> bool {
    *risk == Risk::Read
}

/// One appearance of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    /// The message that shows it, when one does: a reply to it means this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Places in the base order, as they were displayed.
    pub order: Vec<u8>,
    /// How many of them were displayed: ordinals reach no further.
    pub displayed: u8,
    /// What would have been executed then.
    pub exec_rev: u32,
    /// When.
    pub at: Timestamp,
    /// To whom alone; nobody named: to everybody whose list it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What is shown: a list as its host, or one of our questions, gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Where.
    pub scope: Scope,
    /// The concrete panel, dashboard, workspace or chat.
    pub scope_instance: String,
    /// What people call that place: "Recent".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whose list it is; nobody named: everybody's in the lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in base order.
    pub options: Vec<SetOption>,
    /// Whether the host can be asked for a new snapshot of it.
    #[serde(default)]
    pub refreshable: bool,
    /// The channel's message that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Ids in the order they are displayed; all in base order, if nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displayed: Option<Vec<String>>,
    /// The option that has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused_option: Option<String>,
}

/// Why a list is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// None, or too many options.
    TooMany,
    /// An option without a proper id or label, or two of one id, or an order that names others.
    BadOption,
    /// No instance.
    BadScope,
}

/// A registered list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionSet {
    /// What it is called: an address of what it is about, never of when or where in the text it was shown.
    pub id: SetId,
    /// Where.
    pub scope: Scope,
    /// The concrete place.
    pub scope_instance: String,
    /// What people call that place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who put it there.
    pub origin: Origin,
    /// Whose it is; `None` is everybody in the lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in base order.
    pub options: Listed,
    /// Goes up when any word of an option changes.
    pub content_rev: u32,
    /// Goes up when anything changes that would be executed: the version of its buttons.
    pub exec_rev: u32,
    /// Its newest appearances, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub showings: Vec<Showing>,
    /// Whether the host can be asked for a new snapshot.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub refreshable: bool,
}

/// What showing a list again changed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing.
    Nothing,
    /// Words: what was said about it is no longer all there is to say.
    Content,
    /// What would be executed: it is another question under the same name.
    Exec,
}

impl OptionSet {
    /// The list that is shown, for the first time.
    ///
    /// # Errors
    ///
    /// Why it cannot be taken; then nothing of it is.
    pub fn of(shown: &Shown, origin: Origin) -> Result<Self, Unfit> {
        shown.check()?;
        let ids: Vec<&str> = shown.options.iter().map(|option| option.id.as_str()).collect();
        Ok(Self {
            id: identity(shown.scope, &shown.scope_instance, &ids, shown.user.as_deref()),
            scope: shown.scope,
            scope_instance: shown.scope_instance.clone(),
            title: shown.title.clone(),
            origin,
            user: shown.user.clone(),
            options: shown.options.clone().into(),
            content_rev: 1,
            exec_rev: 1,
            showings: Vec::new(),
            refreshable: shown.refreshable,
        })
    }

    /// Takes in what the same list says of itself now.
    pub fn refresh(&mut self, newer: Self) -> Changed {
        let acts = |set: &Self| -> Vec<(Option<String>, Risk)> {
            set.options.iter().map(|option| (option.exec_ref.clone(), option.risk)).collect()
        };
        let changed = if acts(self) != acts(&newer) {
            Changed::Exec
        } else if self.options != newer.options {
            Changed::Content
        } else {
            Changed::Nothing
        };
        self.content_rev += u32::from(changed != Changed::Nothing);
        self.exec_rev += u32::from(changed == Changed::Exec);
        (self.title, self.options, self.refreshable) = (newer.title, newer.options, newer.refreshable);
        changed
    }

    /// Notes one more appearance.
    pub fn show(
        &mut self,
        to: Option<&str>,
        message: Option<MessageId>,
        order: Vec<u8>,
        displayed: u8,
        at: Timestamp,
    ) {
        let (to, exec_rev) = (to.map(String::from), self.exec_rev);
        self.showings.push(Showing { message, order, displayed, exec_rev, at, to });
        let over = self.showings.len().saturating_sub(limits::SHOWINGS);
        self.showings.drain(..over);
    }

    /// Whether a text may execute one of them: only when each can be executed. Of some alone it would be a matter of
    /// luck which names work.
    #[must_use]
    pub fn executable(&self) -> bool {
        let normal = |option: &&SetOption| option.role == Role::Normal;
        self.options.iter().filter(normal).all(|option| option.exec_ref.is_some())
    }

    /// The option of that id, and its place in the base order.
    #[must_use]
    pub fn option(&self, id: &str) -> Option<(usize, &SetOption)> {
        self.options.iter().enumerate().find(|(_, option)| option.id == id)
    }

    /// The options for which it is so: bit `i` is option `i` of the base order.
    pub(crate) fn those(&self, fits: impl Fn(&SetOption) -> bool) -> Options {
        let those = (0..).zip(&self.options).filter(|(_, option)| fits(option));
        those.fold(0, |all, (at, _): (u32, _)| all | 1 << at)
    }

    /// The newest appearance to that person.
    #[must_use]
    pub fn newest(&self, user: &str) -> Option<&Showing> {
        self.showings.iter().rev().find(|showing| showing.to.as_deref().is_none_or(|to| to == user))
    }

    /// The messages that show it.
    pub(crate) fn shown_in(&self) -> Vec<MessageId> {
        self.showings.iter().filter_map(|showing| showing.message.clone()).collect()
    }

    /// The appearance that a message replied to.
    #[must_use]
    pub fn shown_by(&self, message: &MessageId, user: &str) -> Option<&Showing> {
        let own = |showing: &&Showing| showing.to.as_deref().is_none_or(|to| to == user);
        self.showings.iter().rev().filter(own).find(|showing| showing.message.as_ref() == Some(message))
    }
}

impl Shown {
    fn check(&self) -> Result<(), Unfit> {
        if self.scope_instance.trim().is_empty() {
            return Err(Unfit::BadScope);
        }
        if self.options.is_empty() || self.options.len() > limits::SET_OPTIONS {
            return Err(Unfit::TooMany);
        }
        let ids: BTreeSet<&str> = self.options.iter().map(|option| option.id.as_str()).collect();
        let known = |id: &String| ids.contains(id.as_str());
        let order = self.displayed.as_deref().unwrap_or_default();
        let distinct = order.iter().collect::<BTreeSet<_>>().len() == order.len();
        let focused = self.focused_option.as_ref().is_none_or(known);
        let fit = ids.len() == self.options.len()
            && self.options.iter().all(SetOption::fit)
            && order.iter().all(known)
            && distinct
            && focused;
        if fit { Ok(()) } else { Err(Unfit::BadOption) }
    }

    /// Places in the base order, in the order they are displayed.
    #[must_use]
    pub fn order(&self) -> Vec<u8> {
        let place = |id: &String| self.options.iter().position(|option| option.id == *id);
        let places = |ids: &Vec<String>| ids.iter().filter_map(place).collect::<Vec<usize>>();
        let order = self.displayed.as_ref().map_or_else(|| (0..self.options.len()).collect(), places);
        order.into_iter().filter_map(|place| u8::try_from(place).ok()).collect()
    }
}

impl SetOption {
    /// Whether it is one of several, and no way out.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        self.role == Role::Normal
    }

    fn fit(&self) -> bool {
        let id = (1..=limits::OPTION_ID).contains(&self.id.len());
        let short = |text: &String| text.graphemes(true).nth(limits::OPTION_LABEL).is_none();
        let names = self.aliases.iter().chain(&self.sublabel).chain(&self.badge).chain(&self.exec_ref);
        let label = !self.label.trim().is_empty() && short(&self.label);
        id && label && self.aliases.len() <= limits::OPTION_ALIASES && names.into_iter().all(short)
    }
}

/// The address of a list's content (`spec 04 §2.2`).
///
/// One person's own list is another than one of the same name that is everybody's, or somebody else's.
fn identity(scope: Scope, instance: &str, ids: &[&str], user: Option<&str>) -> SetId {
    let mut name = String::new();
    // A list inside a list: the writer knows lists of texts.
    write_strings(&["os1", scope.word(), instance], &mut name);
    name.truncate(name.len() - 1);
    name.push(',');
    write_strings(ids, &mut name);
    if let Some(user) = user {
        name.push(',');
        write_strings(&[user], &mut name);
    }
    name.push(']');
    let digest = hex(&sha256(&[name.as_bytes()]));
    SetId(format!("{}{}", SetId::PREFIX, &digest[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn option(id: &str, label: &str) -> SetOption {
        let exec_ref = Some(format!("open:{id}"));
        SetOption {
            id: id.into(),
            label: label.into(),
            sublabel: None,
            badge: None,
            aliases: Vec::new(),
            metadata: Metadata::default(),
            role: Role::Normal,
            repeatable: true,
            exec_ref,
            risk: Risk::Read,
        }
    }

    fn shown(options: Vec<SetOption>) -> Shown {
        Shown {
            scope: Scope::Chat,
            scope_instance: "lane-1".into(),
            title: None,
            user: None,
            options,
            refreshable: false,
            message_id: None,
            displayed: None,
            focused_option: None,
        }
    }

    fn three() -> Vec<SetOption> {
        ["opt-0", "opt-1", "opt-2"].map(|id| option(id, id)).into()
    }

    #[test]
    fn the_identity_is_that_of_the_spec() {
        let set = OptionSet::of(&shown(three()), Origin::Host).unwrap();
        assert_eq!(set.id.as_str(), "os1-d5b915833bcc4cc03a700709ecd43be7");
        let guard = Shown {
            scope_instance: "lane-1".into(),
            ..shown(["p-0", "p-1", "p-2"].map(|id| option(id, id)).into())
        };
        assert_eq!(
            OptionSet::of(&guard, Origin::Host).unwrap().id.as_str(),
            "os1-e4dd6b38435081cf53c08e4db21e9040"
        );
    }

    #[test]
    fn words_and_orders_are_not_the_identity() {
        let mut set = OptionSet::of(&shown(three()), Origin::Host).unwrap();
        let mut again = shown(three());
        again.options[1].label = "Other words".into();
        again.displayed = Some(vec!["opt-2".into(), "opt-0".into()]);
        assert_eq!(again.order(), [2, 0]);
        let newer = OptionSet::of(&again, Origin::Host).unwrap();
        assert_eq!(newer.id, set.id);
        assert_eq!(set.refresh(newer.clone()), Changed::Content);
        assert_eq!((set.content_rev, set.exec_rev), (2, 1));
        assert_eq!(set.refresh(newer), Changed::Nothing);
        again.options[0].exec_ref = Some("delete".into());
        assert_eq!(set.refresh(OptionSet::of(&again, Origin::Host).unwrap()), Changed::Exec);
        assert_eq!((set.content_rev, set.exec_rev), (3, 2));
    }

    #[test]
    fn what_cannot_be_shown_is_refused_whole() {
        let many = (0..=limits::SET_OPTIONS).map(|n| option(&format!("o{n}"), "x")).collect();
        let long = "é".repeat(limits::OPTION_LABEL + 1);
        for (unfit, why) in [
            (shown(Vec::new()), Unfit::TooMany),
            (shown(many), Unfit::TooMany),
            (shown(vec![option("a", " ")]), Unfit::BadOption),
            (shown(vec![option("a", &long)]), Unfit::BadOption),
            (shown(vec![option("", "x")]), Unfit::BadOption),
            (shown(vec![option("a", "x"), option("a", "y")]), Unfit::BadOption),
            (Shown { displayed: Some(vec!["b".into()]), ..shown(three()) }, Unfit::BadOption),
            (
                Shown { displayed: Some(vec!["opt-0".into(), "opt-0".into()]), ..shown(three()) },
                Unfit::BadOption,
            ),
            (Shown { focused_option: Some("b".into()), ..shown(three()) }, Unfit::BadOption),
            (Shown { scope_instance: String::new(), ..shown(three()) }, Unfit::BadScope),
        ] {
            assert_eq!(OptionSet::of(&unfit, Origin::Host), Err(why), "{unfit:?}");
        }
        assert!(
            OptionSet::of(&shown(vec![option("a", &"é".repeat(limits::OPTION_LABEL))]), Origin::Host).is_ok()
        );
    }

    #[test]
    fn one_that_cannot_be_executed_makes_all_of_them_for_looking_at() {
        let mut options = three();
        options[2].exec_ref = None;
        assert!(!OptionSet::of(&shown(options.clone()), Origin::Host).unwrap().executable());
        options[2].role = Role::Exit;
        assert!(OptionSet::of(&shown(options), Origin::Host).unwrap().executable());
    }

    #[test]
    fn the_newest_showings_are_kept() {
        let mut set = OptionSet::of(&shown(three()), Origin::Host).unwrap();
        for n in 0..7 {
            set.show(None, Some(MessageId(format!("m{n}"))), vec![0, 1, 2], 3, Timestamp(n));
        }
        assert_eq!(set.showings.len(), limits::SHOWINGS);
        assert_eq!(set.newest("").unwrap().at, Timestamp(6));
        assert!(set.shown_by(&"m1".into(), "").is_none() && set.shown_by(&"m2".into(), "").is_some());
    }
}
