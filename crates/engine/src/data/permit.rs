//! Permission to execute an option. Words, presses and models' picks all come to [`may_execute`]; nothing else makes a
//! [`ChosenOption`], and without one no option is executed (`docs/design/0041-may-execute.md`).

use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::data::erasure::ERASED;
use crate::data::id::SetId;
use crate::data::scope::Scope;
use crate::data::texts::texts;

/// An option as somebody meant it. Compared as a whole, so that an id that was used again never stands for what it
/// stood for before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionIdentity {
    /// Its list.
    pub set: SetId,
    /// The list's `exec_rev` at that time.
    pub exec_rev: u32,
    /// Its id within the list.
    pub option: String,
    /// Opaque reference that the host runs, as it was registered; empty for an option that runs nothing.
    pub exec_ref: String,
}

/// An option as its list holds it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OfferedOption {
    /// Identity.
    pub(crate) identity: OptionIdentity,
    /// The scope of its list.
    pub(crate) scope: Scope,
    /// The concrete panel, dashboard, workspace or chat.
    pub(crate) scope_instance: String,
    /// Its label.
    pub(crate) label: String,
    /// True if every option of the list can be executed.
    pub(crate) executable: bool,
}

/// The way by which an execution is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// A text that the rules read, a yes among them.
    Words,
    /// A button, here or where a host shows the list.
    Press,
    /// A model's pick for a text that the rules could not read.
    Model,
}

/// Facts of the text that speak against an execution. Each is named where the text is judged: there is no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextFacts {
    /// It denies something.
    pub(crate) negated: bool,
    /// It wants more than one option.
    pub(crate) several: bool,
    /// It is to be done if or when something else happens.
    pub(crate) conditional: bool,
    /// It changes something that it names: "delete sample2".
    pub(crate) command: bool,
    /// It asks.
    pub(crate) question: bool,
    /// It takes back or replaces an earlier choice.
    pub(crate) correction: bool,
    /// It replies to something else than the list, or to nothing that is known.
    pub(crate) replies_elsewhere: bool,
    /// Its writer had not seen the list as it is.
    pub(crate) unseen: bool,
    /// It was changed or deleted since it was read.
    pub(crate) edited: bool,
    /// It does not spell this option, or says more than a slip of the hand explains.
    pub(crate) unlike: bool,
}

impl TextFacts {
    /// A text with nothing against it, and a press, which has no text.
    pub(crate) const NONE: Self = Self {
        negated: false,
        several: false,
        conditional: false,
        command: false,
        question: false,
        correction: false,
        replies_elsewhere: false,
        unseen: false,
        edited: false,
        unlike: false,
    };
}

/// Everything that may speak against an execution beside the option itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExecutionFacts {
    /// The text.
    pub(crate) text: TextFacts,
    /// The option was chosen before, and its execution is on its way.
    pub(crate) in_flight: bool,
    /// The person rejected the option.
    pub(crate) rejected: bool,
}

/// The reason why an option is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Veto {
    /// The option is gone, or would run something else than what was meant.
    Changed,
    /// The list can only be used where its host shows it.
    NotExecutable,
    /// Its execution is on its way.
    InFlight,
    /// The text replies to something else.
    RepliesElsewhere,
    /// The person had not seen the list.
    Unseen,
    /// The text was changed or deleted.
    Edited,
    /// The text is to be done only if or when something happens.
    Conditional,
    /// The text wants several options.
    Several,
    /// The text denies, asks, corrects or changes something, or the person rejected the option.
    NotMeant,
}

impl Door {
    /// True if the rejection of an option, and words that the rules explain by themselves, stop this way. The rules
    /// read "not the first" and "no, the second" to the end; a model's pick has to stand without them.
    const fn is_guess(self) -> bool {
        matches!(self, Self::Model)
    }
}

impl ExecutionFacts {
    fn veto(&self, door: Door) -> Option<Veto> {
        let text = &self.text;
        let guess = door.is_guess();
        let all = [
            (self.in_flight, Veto::InFlight),
            (text.replies_elsewhere, Veto::RepliesElsewhere),
            (text.unseen, Veto::Unseen),
            (text.edited, Veto::Edited),
            (text.conditional, Veto::Conditional),
            (text.several, Veto::Several),
            (text.negated || text.question, Veto::NotMeant),
            (text.unlike || guess && (self.rejected || text.command || text.correction), Veto::NotMeant),
        ];
        all.into_iter().find(|(stops, _)| *stops).map(|(_, veto)| veto)
    }
}

/// Decides whether an option is executed for `user`: it is what was meant, it can be executed, and nothing speaks
/// against it. The only way to a [`ChosenOption`].
///
/// # Errors
///
/// Returns the first veto.
pub(crate) fn may_execute(
    door: Door,
    user: &str,
    meant: &OptionIdentity,
    now: Option<&OfferedOption>,
    facts: &ExecutionFacts,
) -> Result<ChosenOption, Veto> {
    let now = now.filter(|now| now.identity == *meant).ok_or(Veto::Changed)?;
    if !now.executable {
        return Err(Veto::NotExecutable);
    }
    match facts.veto(door) {
        Some(veto) => Err(veto),
        None => Ok(ChosenOption {
            user: user.into(),
            set: meant.set.clone(),
            scope: now.scope,
            scope_instance: now.scope_instance.clone(),
            option: meant.option.clone(),
            label: now.label.clone(),
            exec_ref: meant.exec_ref.clone(),
            exec_rev: meant.exec_rev,
        }),
    }
}

/// An option that was chosen and may be executed, as its host runs it.
///
/// There is no other way to make one than the engine's own decision:
///
/// ```compile_fail,E0451
/// use throughline_engine::data::permit::ChosenOption;
///
/// fn forged(chosen: ChosenOption) -> ChosenOption {
///     ChosenOption { user: "bob".into(), ..chosen }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenOption {
    user: String,
    set: SetId,
    scope: Scope,
    scope_instance: String,
    option: String,
    label: String,
    exec_ref: String,
    exec_rev: u32,
}

impl ChosenOption {
    /// Returns the person who chose.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the scope of its list.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns its label at that time.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the opaque reference that the host runs.
    #[must_use]
    pub fn exec_ref(&self) -> &str {
        &self.exec_ref
    }

    /// Returns what was chosen.
    #[must_use]
    pub fn identity(&self) -> OptionIdentity {
        OptionIdentity {
            set: self.set.clone(),
            exec_rev: self.exec_rev,
            option: self.option.clone(),
            exec_ref: self.exec_ref.clone(),
        }
    }

    /// Returns it with the words of its person erased.
    pub(crate) fn without_words(self) -> Self {
        Self { label: ERASED.into(), user: ERASED.into(), ..self }
    }
}

texts! {
    struct ChosenOption {
        user: person, set, scope: key, scope_instance: key, option: key, label: words, exec_ref: key, exec_rev: key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant() -> OptionIdentity {
        OptionIdentity {
            set: SetId::from("os1-a"),
            exec_rev: 1,
            option: "a".into(),
            exec_ref: "open:a".into(),
        }
    }

    fn offered(identity: OptionIdentity) -> OfferedOption {
        OfferedOption {
            identity,
            scope: Scope::Chat,
            scope_instance: "lane".into(),
            label: "A".into(),
            executable: true,
        }
    }

    const NOTHING: ExecutionFacts =
        ExecutionFacts { text: TextFacts::NONE, in_flight: false, rejected: false };

    #[test]
    fn what_was_meant_is_compared_as_a_whole() {
        let chosen = may_execute(Door::Words, "ana", &meant(), Some(&offered(meant())), &NOTHING);
        assert_eq!(chosen.map(|chosen| chosen.identity()), Ok(meant()));
        for other in [
            OptionIdentity { set: SetId::from("os1-b"), ..meant() },
            OptionIdentity { exec_rev: 2, ..meant() },
            OptionIdentity { option: "b".into(), ..meant() },
            OptionIdentity { exec_ref: "open:b".into(), ..meant() },
        ] {
            for door in [Door::Words, Door::Press, Door::Model] {
                let now = Some(offered(other.clone()));
                assert_eq!(may_execute(door, "ana", &meant(), now.as_ref(), &NOTHING), Err(Veto::Changed));
            }
        }
        assert_eq!(may_execute(Door::Press, "ana", &meant(), None, &NOTHING), Err(Veto::Changed));
    }

    #[test]
    fn every_fact_stops_a_model_and_most_stop_words() {
        let now = offered(meant());
        let judged = |door, text, in_flight, rejected| {
            may_execute(door, "ana", &meant(), Some(&now), &ExecutionFacts { text, in_flight, rejected })
                .is_ok()
        };
        let none = TextFacts::NONE;
        let texts = [
            TextFacts { negated: true, ..none },
            TextFacts { several: true, ..none },
            TextFacts { conditional: true, ..none },
            TextFacts { question: true, ..none },
            TextFacts { replies_elsewhere: true, ..none },
            TextFacts { unseen: true, ..none },
            TextFacts { edited: true, ..none },
            TextFacts { unlike: true, ..none },
        ];
        for text in texts {
            assert!(
                !judged(Door::Words, text, false, false) && !judged(Door::Model, text, false, false),
                "{text:?}"
            );
        }
        for text in [TextFacts { command: true, ..none }, TextFacts { correction: true, ..none }] {
            assert!(
                judged(Door::Words, text, false, false) && !judged(Door::Model, text, false, false),
                "{text:?}"
            );
        }
        assert!(judged(Door::Words, none, false, true) && !judged(Door::Model, none, false, true));
        assert!(!judged(Door::Press, none, true, false));
        let shown = OfferedOption { executable: false, ..offered(meant()) };
        assert_eq!(
            may_execute(Door::Press, "ana", &meant(), Some(&shown), &NOTHING),
            Err(Veto::NotExecutable)
        );
    }
}
