//! Events of hosts, as a conversation has them.

use throughline_engine::EventKind;
use throughline_engine::data::event::AssistantPosted;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::option_set::{OptionSet, OptionsShown};
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_language::Expected;

use super::generate::{Expects, Show, Slot, Who};
use super::oracle::{ListId, choice};
use super::texts::LABELS;

/// Returns a list as its host registers it, shown by that message.
pub(super) fn shown(show: &Show, message: Option<String>) -> OptionsShown {
    let options: Vec<SetOption> = (0..show.labels.len()).map(|at| option(show, at)).collect();
    let panel = show.slot == Slot::Panel;
    let ids = options.iter().rev().map(|option| option.id.clone());
    OptionsShown {
        scope: if panel { Scope::Widget } else { Scope::Chat },
        scope_instance: if panel { "recent".into() } else { "main".into() },
        title: panel.then(|| "Recent".into()),
        user: if let Slot::Own(who) = show.slot { Some(who.name().into()) } else { None },
        displayed: show.reversed.then(|| ids.collect()),
        options,
        refreshable: false,
        message_id: message,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    }
}

fn option(show: &Show, at: usize) -> SetOption {
    let choice = choice(show, at);
    SetOption::named(choice.option, LABELS[choice.label]).running(choice.exec_ref)
}

/// Returns the identity of a registered list.
pub(super) fn list_of(set: &OptionSet) -> ListId {
    let own = set.user.as_deref().and_then(Who::named);
    let slot = match own {
        Some(who) => Slot::Own(who),
        None if set.scope == Scope::Widget => Slot::Panel,
        None if set.options.first().is_some_and(|option| option.id.starts_with('x')) => Slot::Other,
        None => Slot::Chat,
    };
    (slot, set.options.len())
}

/// Returns the text of the message that shows a list.
pub(super) fn shows(show: &Show) -> String {
    let mut labels: Vec<&str> = show.labels.iter().map(|label| LABELS[*label]).collect();
    if show.reversed {
        labels.reverse();
    }
    let lines = labels.iter().enumerate().map(|(n, label)| format!("\n{}. {label}", n + 1));
    std::iter::once("These are there:".to_owned()).chain(lines).collect()
}

/// Returns the text of a host's question.
pub(super) fn question(expects: &Expects) -> String {
    match expects {
        Expects::YesOrNo => "Shall I send the minutes?".into(),
        Expects::OneOf(labels) => {
            let labels: Vec<&str> = labels.iter().map(|label| LABELS[*label]).collect();
            format!("Which one is it: {}?", labels.join(" or "))
        }
        Expects::Words => "What is it about?".into(),
    }
}

/// Returns a message of the host's agent.
pub(super) fn posted(text: String, expects: Option<&Expects>, of: Option<Who>) -> EventKind {
    let expected = expects.map(|expects| match expects {
        Expects::YesOrNo => Expected::Boolean,
        Expects::OneOf(labels) => {
            Expected::Selection(labels.iter().map(|label| LABELS[*label].to_owned()).collect())
        }
        Expects::Words => Expected::Text,
    });
    EventKind::AssistantPosted(AssistantPosted {
        kind: if expects.is_some() { MessageKind::Question } else { MessageKind::Answer },
        task: None,
        text,
        expected,
        asked_of: of.map(|who| who.name().into()),
        expires: None,
        message_id: None,
    })
}
