//! Sentences about lists of options. Each names where the list is; none claims what is not known.

use alloc::format;
use alloc::string::String;

use throughline_messages::{self as say, Language};

use crate::data::decision::Reason;
use crate::data::scope::Scope;

/// The short answers to a yes-or-no question.
pub(crate) fn yes_no(language: Language) -> [String; 2] {
    [say::offer_yes(language), say::offer_no(language)]
}

pub(crate) fn failed(language: Language, label: &str, why: &str) -> String {
    if why.is_empty() {
        say::option_failed(language, label)
    } else {
        say::option_failed_why(language, label, why)
    }
}

/// The place of a list: its own title, else the kind of place.
pub(crate) fn where_it_is(language: Language, title: Option<&str>, scope: Scope) -> String {
    match (title, scope) {
        (Some(title), Scope::Chat) => say::option_from_title(language, title),
        (None, Scope::Chat) => say::option_from_chat(language),
        (Some(title), _) => say::option_in_title(language, title),
        (None, scope) => say::option_in_scope(language, scope.as_str()),
    }
}

/// Asks which option is meant, in words that fit the reason for asking.
///
/// `done`: the option a model suggested for this text was executed.
pub(crate) fn which(
    language: Language,
    reason: Reason,
    title: Option<&str>,
    scope: Scope,
    first: Option<&str>,
    done: bool,
) -> String {
    let place = where_it_is(language, title, scope);
    match (reason, first) {
        (Reason::OptionsOnly, _) => say::option_which_only(language, place),
        (Reason::OptionConditional, _) => say::option_which_conditional(language, place),
        (Reason::ReplyUnknown, _) => say::option_which_reply(language, place),
        (Reason::OptionUnseen, _) => say::option_which_unseen(language, place),
        (Reason::OptionSeveral, _) => say::option_which_several(language, place),
        (Reason::OptionOutOfRange, _) => say::option_which_range(language, place),
        (Reason::OptionTie, _) => say::option_which_tie(language, place),
        (Reason::OptionCompared, _) => say::option_which_compared(language, place),
        (Reason::OptionCollision, _) => say::option_which_collision(language, place),
        (Reason::OptionCommand, _) => say::option_which_command(language, place),
        (Reason::OptionUnreferenced | Reason::LoopGuardSameCycle, _) => {
            say::option_which_unsure(language, place)
        }
        (Reason::OptionYesToWhat, _) => say::option_which_yes(language, place),
        (Reason::OptionNoise, _) => say::option_which_noise(language, place),
        (Reason::ListHesitation, _) => say::option_which_hesitation(language, place),
        (Reason::ListReshown | Reason::ListReturned | Reason::ScopeAlone, _) => {
            say::option_which_shown(language, place)
        }
        (Reason::RepairRemaining, _) => say::option_which_instead(language, place),
        (Reason::ContextReplaced | Reason::ListReplaced, _) => say::option_which_changed(language, place),
        (Reason::LoopGuardContinuity, Some(first)) if done => say::option_which_again(language, first, place),
        (Reason::OptionSuggested | Reason::LoopGuardContinuity, Some(first)) => {
            say::option_which_first(language, first, place)
        }
        _ => say::option_which(language, place),
    }
}

/// A question followed by the lines of its list.
pub(crate) fn listed(language: Language, question: &str, lines: &[String], more: bool) -> String {
    let mut text = String::from(question);
    let more = more.then(|| say::option_more(language));
    for line in lines.iter().chain(&more) {
        text.push('\n');
        text.push_str(line);
    }
    text
}

/// One line of a list.
pub(crate) fn line(n: usize, label: &str, besides: Option<&str>) -> String {
    match besides {
        Some(besides) => format!("{n}. {label} ({besides})"),
        None => format!("{n}. {label}"),
    }
}

/// Asks about a single option: the only one left, or the suggested one.
pub(crate) fn this_one(language: Language, reason: Reason, label: &str) -> String {
    match reason {
        Reason::RepairRemaining => say::option_instead(language, label),
        _ => say::option_this_one(language, label),
    }
}

/// Confirms that the list was put aside. `named`: an option with the name that was taken as a stop.
pub(crate) fn put_aside(language: Language, named: Option<&str>) -> String {
    match named {
        Some(label) => say::option_put_aside_named(language, label),
        None => say::option_put_aside(language),
    }
}

/// The name of a place in a question and on its button.
pub(crate) fn place(
    language: Language,
    scope: Scope,
    instance: Option<&str>,
    titles: &[(Scope, String, String)],
) -> String {
    let titled = titles.iter().find(|(known, at, _)| *known == scope && Some(at.as_str()) == instance);
    titled.map_or_else(|| say::option_scope(language, scope.as_str()), |(_, _, title)| title.clone())
}

/// Asks in which place the option is.
pub(crate) fn scopes(language: Language, reason: Reason, names: &[String], text: &str) -> String {
    let first = names.first().map_or("", String::as_str);
    match reason {
        Reason::ScopeMissing => say::option_scope_missing(language, first),
        Reason::OptionElsewhere => say::option_scope_elsewhere(language, first, text),
        Reason::ScopeTypo if names.len() == 1 => say::option_scope_typo(language, first),
        _ => {
            let names = names.iter().cloned();
            let names = names.reduce(|first, last| say::list_or(language, first, last));
            say::option_scope_which(language, names.unwrap_or_default())
        }
    }
}
