//! A list of options that somebody was shown: its identity, its appearances, and the checks before it is
//! registered (`docs/design/0021-option-lists.md`).

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use serde::{Deserialize, Serialize};

use crate::data::call::Risk;
use crate::data::canonical_json::{hex, sha256, write_strings};
use crate::data::field::NamedComparison;
use crate::data::id::{MessageId, SetId};
use crate::data::indexed_options::IndexedOptions;
use crate::data::permit::{OfferedOption, OptionIdentity};
use crate::data::policy::limits;
use crate::data::scope::Scope;
use crate::data::set_option::{OptionMask, OptionRole, SetOption};
use crate::data::time::Timestamp;
use crate::text::clean::label;

/// The origin of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionSetOrigin {
    /// A host, by `options.shown`.
    Host,
    /// One of the engine's own questions.
    Engine,
}

/// One appearance of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    /// The message that shows it, if any: a reply to it refers to this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Indices into the base order, in the order displayed.
    pub order: Vec<u8>,
    /// Number of options displayed; ordinals count only these.
    pub displayed: u8,
    /// The number of the first one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub numbers_from: u16,
    /// The list's `exec_rev` at that time.
    pub exec_rev: u32,
    /// The lane's revision that showed it; 0 where it was not recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u64,
    /// Moment of the appearance.
    pub at: Timestamp,
    /// The only person who saw it; `None` means everybody the list belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl Showing {
    /// The numbers of the options displayed.
    #[must_use]
    pub fn numbers(&self) -> Range<usize> {
        let from = usize::from(self.numbers_from);
        from..from + usize::from(self.displayed)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

pub(super) const fn one() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(super) fn is_one(n: &u16) -> bool {
    *n == 1
}

/// A list as its host, or one of the engine's questions, shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionsShown {
    /// The kind of place.
    pub scope: Scope,
    /// The concrete panel, dashboard, workspace or chat.
    pub scope_instance: String,
    /// The place's name as people say it: "Recent".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The owner; `None` means everybody in the lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in base order.
    pub options: Vec<SetOption>,
    /// True if the host can be asked for a new snapshot.
    #[serde(default)]
    pub refreshable: bool,
    /// The channel's message that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Ids in the order displayed; `None` means all of them in base order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displayed: Option<Vec<String>>,
    /// The option that has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused_option: Option<String>,
    /// The number of the first option displayed: more than 1 on a later page of one list.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub numbers_from: u16,
    /// Comparisons of the list's own, by the words that ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<NamedComparison>,
    /// True if the list is a question: a text in reply answers it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub asked: bool,
}

/// A reason to refuse a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSetError {
    /// No options, or more than [`limits::SET_OPTIONS`].
    TooMany,
    /// An option without a valid id or label, a repeated id, or an order or focus with an unknown or repeated
    /// id.
    BadOption,
    /// An empty `scope_instance`.
    BadScope,
    /// Numbers that begin with 0 or behind [`limits::OPTION_NUMBERS`].
    BadNumbers,
}

/// A registered list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionSet {
    /// Id derived from the scope, the place, the option ids and the owner; never from when or in which
    /// message it was shown.
    pub id: SetId,
    /// The kind of place.
    pub scope: Scope,
    /// The concrete panel, dashboard, workspace or chat.
    pub scope_instance: String,
    /// The place's name as people say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Origin.
    pub origin: OptionSetOrigin,
    /// The owner; `None` means everybody in the lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in base order.
    pub options: IndexedOptions,
    /// Rises with every change of an option.
    pub content_rev: u32,
    /// Rises with every change of what would be executed; the version of the list's buttons.
    pub exec_rev: u32,
    /// Newest appearances, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub showings: Vec<Showing>,
    /// True if the host can be asked for a new snapshot.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub refreshable: bool,
    /// Comparisons of the list's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<NamedComparison>,
    /// True if it was shown as a question.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub asked: bool,
}

/// The change that a newer snapshot of a list brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSetChange {
    /// Nothing.
    Nothing,
    /// Labels or details, but nothing that would be executed.
    Content,
    /// An `exec_ref` or a risk: the list is a different question under the same id.
    Exec,
}

impl OptionSet {
    /// Creates a list at its first appearance.
    ///
    /// # Errors
    ///
    /// Returns the reason if it cannot be registered; nothing of it is kept then.
    pub fn from_shown(shown: &OptionsShown, origin: OptionSetOrigin) -> Result<Self, OptionSetError> {
        let shown = shown.in_lines();
        shown.check()?;
        let ids: Vec<&str> = shown.options.iter().map(|option| option.id.as_str()).collect();
        Ok(Self {
            id: identity(shown.scope, &shown.scope_instance, &ids, shown.user.as_deref()),
            scope: shown.scope,
            scope_instance: shown.scope_instance,
            title: shown.title,
            origin,
            user: shown.user,
            options: shown.options.into(),
            content_rev: 1,
            exec_rev: 1,
            showings: Vec::new(),
            refreshable: shown.refreshable,
            comparisons: shown.comparisons,
            asked: shown.asked,
        })
    }

    /// Takes over a newer snapshot of the same list, and returns the change it brought.
    pub fn refresh(&mut self, newer: Self) -> OptionSetChange {
        let acts = |set: &Self| -> Vec<(Option<String>, Risk)> {
            set.options.iter().map(|option| (option.exec_ref.clone(), option.risk)).collect()
        };
        let changed = if acts(self) != acts(&newer) {
            OptionSetChange::Exec
        } else if self.options != newer.options || self.comparisons != newer.comparisons {
            OptionSetChange::Content
        } else {
            OptionSetChange::Nothing
        };
        self.content_rev += u32::from(changed != OptionSetChange::Nothing);
        self.exec_rev += u32::from(changed == OptionSetChange::Exec);
        (self.title, self.options, self.refreshable) = (newer.title, newer.options, newer.refreshable);
        (self.comparisons, self.asked) = (newer.comparisons, newer.asked);
        changed
    }

    /// Records one more appearance; only the newest [`limits::SHOWINGS`] are kept.
    pub fn show(
        &mut self,
        to: Option<&str>,
        message: Option<MessageId>,
        order: Vec<u8>,
        numbers: &Range<u16>,
        (revision, at): (u64, Timestamp),
    ) {
        let (to, exec_rev) = (to.map(String::from), self.exec_rev);
        let (numbers_from, displayed) = (numbers.start, u8::try_from(numbers.len()).unwrap_or(u8::MAX));
        self.showings.push(Showing { message, order, displayed, numbers_from, exec_rev, revision, at, to });
        while self.showings.len() > limits::SHOWINGS {
            // The newest appearance for each person and for everybody stays as long as it can: one person's questions must not take
            // away what the others see.
            let later = |(at, showing): (usize, &Showing)| {
                self.showings[at + 1..].iter().any(|later| later.to == showing.to)
            };
            let replaced = (0..self.showings.len()).find(|at| later((*at, &self.showings[*at])));
            let private = self.showings.iter().position(|showing| showing.to.is_some());
            self.showings.remove(replaced.or(private).unwrap_or_default());
        }
    }

    /// True if a text may choose an option: every normal option can be executed. If only some could, it would
    /// be a matter of luck which names work.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        let normal = |option: &&SetOption| option.role == OptionRole::Normal;
        self.options.iter().filter(normal).all(|option| option.exec_ref.is_some())
    }

    /// Returns what an option of the base order is, everything included that tells it from another.
    pub(crate) fn identity(&self, at: usize) -> Option<OptionIdentity> {
        let option = self.options.get(at)?;
        Some(OptionIdentity {
            set: self.id.clone(),
            exec_rev: self.exec_rev,
            option: option.id.clone(),
            exec_ref: option.exec_ref.clone().unwrap_or_default(),
        })
    }

    /// Returns an option of the base order as the list offers it now.
    pub(crate) fn offered(&self, at: usize) -> Option<OfferedOption> {
        Some(OfferedOption {
            identity: self.identity(at)?,
            scope: self.scope,
            scope_instance: self.scope_instance.clone(),
            label: self.options.get(at)?.label.clone(),
            executable: self.is_executable() || !self.options.get(at)?.is_normal(),
        })
    }

    /// Returns the option with that id, and its index in the base order.
    #[must_use]
    pub fn option(&self, id: &str) -> Option<(usize, &SetOption)> {
        self.options.iter().enumerate().find(|(_, option)| option.id == id)
    }

    /// Returns the options that fit: bit `i` is option `i` of the base order.
    pub(crate) fn those(&self, fits: impl Fn(&SetOption) -> bool) -> OptionMask {
        let those = (0..).zip(&self.options).filter(|(_, option)| fits(option));
        those.fold(0, |all, (at, _): (u32, _)| all | 1 << at)
    }

    /// Returns the numbers that a host last showed its options with.
    #[must_use]
    pub(crate) fn numbers(&self) -> Range<usize> {
        let of_host = self.showings.iter().rev().find(|showing| showing.to == self.user);
        of_host.map_or(1..1 + self.options.len(), Showing::numbers)
    }

    /// True if no number of the list is one of these: it is another page.
    #[must_use]
    pub(crate) fn is_apart(&self, numbers: &Range<usize>) -> bool {
        let own = self.numbers();
        own.end <= numbers.start || numbers.end <= own.start
    }

    /// Returns the newest appearance that `user` saw.
    #[must_use]
    pub fn newest(&self, user: &str) -> Option<&Showing> {
        self.showings.iter().rev().find(|showing| showing.to.as_deref().is_none_or(|to| to == user))
    }

    /// Returns the messages that show it.
    pub(crate) fn shown_in(&self) -> Vec<MessageId> {
        self.showings.iter().filter_map(|showing| showing.message.clone()).collect()
    }

    /// Returns the appearance in `message`, if `user` saw it.
    #[must_use]
    pub fn shown_by(&self, message: &MessageId, user: &str) -> Option<&Showing> {
        let own = |showing: &&Showing| showing.to.as_deref().is_none_or(|to| to == user);
        self.showings.iter().rev().filter(own).find(|showing| showing.message.as_ref() == Some(message))
    }
}

impl OptionsShown {
    /// Returns the list with every text that people see as one line of what can be seen.
    fn in_lines(&self) -> Self {
        let title = self.title.as_deref().map(label);
        let comparisons = self.comparisons.iter().map(NamedComparison::in_lines).collect();
        Self {
            title,
            comparisons,
            options: self.options.iter().map(SetOption::in_lines).collect(),
            ..self.clone()
        }
    }

    fn check(&self) -> Result<(), OptionSetError> {
        if self.scope_instance.trim().is_empty() {
            return Err(OptionSetError::BadScope);
        }
        if self.options.is_empty() || self.options.len() > limits::SET_OPTIONS {
            return Err(OptionSetError::TooMany);
        }
        if !(1..=limits::OPTION_NUMBERS).contains(&self.numbers_from) {
            return Err(OptionSetError::BadNumbers);
        }
        let ids: BTreeSet<&str> = self.options.iter().map(|option| option.id.as_str()).collect();
        let known = |id: &String| ids.contains(id.as_str());
        let order = self.displayed.as_deref().unwrap_or_default();
        let distinct = order.iter().collect::<BTreeSet<_>>().len() == order.len();
        let focused = self.focused_option.as_ref().is_none_or(known);
        let fit = ids.len() == self.options.len()
            && self.options.iter().all(SetOption::is_valid)
            && order.iter().all(known)
            && distinct
            && focused
            && self.comparisons.len() <= limits::LIST_COMPARISONS
            && self.comparisons.iter().all(|own| own.problem().is_none());
        if fit { Ok(()) } else { Err(OptionSetError::BadOption) }
    }

    /// Returns indices into the base order, in the order displayed.
    #[must_use]
    pub fn order(&self) -> Vec<u8> {
        let place = |id: &String| self.options.iter().position(|option| option.id == *id);
        let places = |ids: &Vec<String>| ids.iter().filter_map(place).collect::<Vec<usize>>();
        let order = self.displayed.as_ref().map_or_else(|| (0..self.options.len()).collect(), places);
        order.into_iter().filter_map(|place| u8::try_from(place).ok()).collect()
    }
}

/// Returns the id of a list, a hash of its content.
///
/// A person's own list differs from everybody's list of the same content, and from another person's.
fn identity(scope: Scope, instance: &str, ids: &[&str], user: Option<&str>) -> SetId {
    let mut name = String::new();
    // `write_strings` writes flat arrays only, so the nested one is opened and closed by hand.
    write_strings(&["os1", scope.as_str(), instance], &mut name);
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
        SetOption::named(id, label).running(format!("open:{id}"))
    }

    fn shown(options: Vec<SetOption>) -> OptionsShown {
        OptionsShown {
            scope: Scope::Chat,
            scope_instance: "lane-1".into(),
            title: None,
            user: None,
            options,
            refreshable: false,
            message_id: None,
            displayed: None,
            focused_option: None,
            numbers_from: 1,
            comparisons: Vec::new(),
            asked: false,
        }
    }

    fn three() -> Vec<SetOption> {
        ["opt-0", "opt-1", "opt-2"].map(|id| option(id, id)).into()
    }

    #[test]
    fn the_id_is_a_known_hash_of_place_and_options() {
        let set = OptionSet::from_shown(&shown(three()), OptionSetOrigin::Host).unwrap();
        assert_eq!(set.id.as_str(), "os1-d5b915833bcc4cc03a700709ecd43be7");
        let guard = OptionsShown {
            scope_instance: "lane-1".into(),
            ..shown(["p-0", "p-1", "p-2"].map(|id| option(id, id)).into())
        };
        assert_eq!(
            OptionSet::from_shown(&guard, OptionSetOrigin::Host).unwrap().id.as_str(),
            "os1-e4dd6b38435081cf53c08e4db21e9040"
        );
    }

    #[test]
    fn what_people_see_is_one_line_without_what_nobody_sees() {
        let tricky = SetOption {
            sublabel: Some("two\nlines".into()),
            badge: Some("\u{200f}D".into()),
            aliases: vec!["the\u{ad} first\tone".into()],
            ..option("a", "Pay\n2. Delete\u{202e}everything\u{200b}")
        };
        let titled = OptionsShown { title: Some("Re\u{2066}cent\r\n".into()), ..shown(vec![tricky]) };
        let set = OptionSet::from_shown(&titled, OptionSetOrigin::Host).unwrap();
        let SetOption { label, sublabel, badge, aliases, .. } = &set.options[0];
        assert_eq!((&**label, sublabel.as_deref()), ("Pay 2. Deleteeverything", Some("two lines")));
        assert_eq!((badge.as_deref(), &*aliases[0]), (Some("D"), "the first one"));
        assert_eq!(set.title.as_deref(), Some("Recent"));
        // Joiners stay: a family is one picture.
        let family = shown(vec![option("a", "👨\u{200d}👩\u{200d}👧")]);
        let set = OptionSet::from_shown(&family, OptionSetOrigin::Host).unwrap();
        assert_eq!(set.options[0].label, "👨\u{200d}👩\u{200d}👧");
        let unseen = shown(vec![option("a", "\u{2060}\u{200b}")]);
        assert_eq!(OptionSet::from_shown(&unseen, OptionSetOrigin::Host), Err(OptionSetError::BadOption));
    }

    #[test]
    fn words_and_orders_are_not_the_identity() {
        let mut set = OptionSet::from_shown(&shown(three()), OptionSetOrigin::Host).unwrap();
        let mut again = shown(three());
        again.options[1].label = "Other words".into();
        again.displayed = Some(vec!["opt-2".into(), "opt-0".into()]);
        assert_eq!(again.order(), [2, 0]);
        let newer = OptionSet::from_shown(&again, OptionSetOrigin::Host).unwrap();
        assert_eq!(newer.id, set.id);
        assert_eq!(set.refresh(newer.clone()), OptionSetChange::Content);
        assert_eq!((set.content_rev, set.exec_rev), (2, 1));
        assert_eq!(set.refresh(newer), OptionSetChange::Nothing);
        again.options[0].exec_ref = Some("delete".into());
        assert_eq!(
            set.refresh(OptionSet::from_shown(&again, OptionSetOrigin::Host).unwrap()),
            OptionSetChange::Exec
        );
        assert_eq!((set.content_rev, set.exec_rev), (3, 2));
    }

    #[test]
    fn what_cannot_be_shown_is_refused_whole() {
        let many = (0..=limits::SET_OPTIONS).map(|n| option(&format!("o{n}"), "x")).collect();
        let long = "é".repeat(limits::OPTION_LABEL + 1);
        for (unfit, why) in [
            (shown(Vec::new()), OptionSetError::TooMany),
            (shown(many), OptionSetError::TooMany),
            (shown(vec![option("a", " ")]), OptionSetError::BadOption),
            (shown(vec![option("a", &long)]), OptionSetError::BadOption),
            (shown(vec![option("", "x")]), OptionSetError::BadOption),
            (shown(vec![option("a", "x"), option("a", "y")]), OptionSetError::BadOption),
            (OptionsShown { displayed: Some(vec!["b".into()]), ..shown(three()) }, OptionSetError::BadOption),
            (
                OptionsShown { displayed: Some(vec!["opt-0".into(), "opt-0".into()]), ..shown(three()) },
                OptionSetError::BadOption,
            ),
            (OptionsShown { focused_option: Some("b".into()), ..shown(three()) }, OptionSetError::BadOption),
            (OptionsShown { scope_instance: String::new(), ..shown(three()) }, OptionSetError::BadScope),
        ] {
            assert_eq!(OptionSet::from_shown(&unfit, OptionSetOrigin::Host), Err(why), "{unfit:?}");
        }
        assert!(
            OptionSet::from_shown(
                &shown(vec![option("a", &"é".repeat(limits::OPTION_LABEL))]),
                OptionSetOrigin::Host
            )
            .is_ok()
        );
    }

    #[test]
    fn one_that_cannot_be_executed_makes_all_of_them_for_looking_at() {
        let mut options = three();
        options[2].exec_ref = None;
        assert!(
            !OptionSet::from_shown(&shown(options.clone()), OptionSetOrigin::Host).unwrap().is_executable()
        );
        options[2].role = OptionRole::Exit;
        assert!(OptionSet::from_shown(&shown(options), OptionSetOrigin::Host).unwrap().is_executable());
    }

    #[test]
    fn the_newest_showings_are_kept() {
        let mut set = OptionSet::from_shown(&shown(three()), OptionSetOrigin::Host).unwrap();
        for n in 0i64..7 {
            set.show(
                None,
                Some(MessageId(format!("m{n}"))),
                vec![0, 1, 2],
                &(1..4),
                (n.unsigned_abs(), Timestamp(n)),
            );
        }
        assert_eq!(set.showings.len(), limits::SHOWINGS);
        assert_eq!(set.newest("").unwrap().at, Timestamp(6));
        assert!(set.shown_by(&"m1".into(), "").is_none() && set.shown_by(&"m2".into(), "").is_some());
    }
}
