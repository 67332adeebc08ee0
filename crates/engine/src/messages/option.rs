//! Sentences about lists of options. Each names where the list is; none claims what is not known.

use alloc::format;
use alloc::string::String;

use crate::data::decision::Reason;
use crate::data::scope::Scope;
use crate::data::time::Timestamp;

pub(crate) const GONE: &str = "This list is no longer there";
pub(crate) const ALL_SET: &str = "All set: nothing is open here.";
pub(crate) const CLOSED: &str = "The list is closed. Say “back to options” to see it again.";
pub(crate) const NOT_YOURS: &str = "This list was shown to somebody else.";
pub(crate) const ON_ITS_WAY: &str = "That is on its way already.";
pub(crate) const YES_NO: [&str; 2] = ["yes", "no"];

/// Confirms an option that was chosen.
pub(crate) fn chosen(label: &str) -> String {
    format!("“{label}”: on it.")
}

pub(crate) fn run(label: &str) -> String {
    format!("Run “{label}”")
}

pub(crate) fn again_run(label: &str) -> String {
    format!("Nobody ran “{label}”. Shall I try it again?")
}

pub(crate) fn not_run(label: &str) -> String {
    format!("Nobody ran “{label}”. Nothing was changed.")
}

pub(crate) fn failed(label: &str, why: &str) -> String {
    if why.is_empty() {
        format!("“{label}” did not work.")
    } else {
        format!("“{label}” did not work: {why}")
    }
}

/// The place of a list: its own title, else the kind of place.
fn where_it_is(title: Option<&str>, scope: Scope) -> String {
    match (title, scope) {
        (Some(title), Scope::Chat) => format!("from {title}"),
        (None, Scope::Chat) => "from the list in this chat".into(),
        (Some(title), _) => format!("in {title}"),
        (None, scope) => format!("in the {}", scope.as_str()),
    }
}

/// Asks which option is meant, in words that fit the reason for asking.
///
/// `done`: the option a model suggested for this text was executed.
pub(crate) fn which(
    reason: Reason,
    title: Option<&str>,
    scope: Scope,
    first: Option<&str>,
    done: bool,
) -> String {
    let place = where_it_is(title, scope);
    match (reason, first) {
        (Reason::OptionsOnly, _) => {
            format!("That one can only be opened where it is shown. Please tap it {place}.")
        }
        (Reason::OptionInFlight, _) => ON_ITS_WAY.into(),
        (Reason::OptionConditional, _) => {
            format!("I do only what is wanted now. Tell me when it is time, or choose one {place}.")
        }
        (Reason::ReplyUnknown, _) => {
            format!("The message you reply to does not show these. Which one {place} do you mean?")
        }
        (Reason::OptionUnseen, _) => format!("This came after you wrote. Which one {place} do you mean?"),
        (Reason::OptionSeveral, _) => format!("One at a time, please. Which one {place} first?"),
        (Reason::OptionOutOfRange, _) => format!("There is no such place {place}. Which one do you mean?"),
        (Reason::OptionTie, _) => format!("Several {place} have that name. Which one do you mean?"),
        (Reason::OptionCollision, _) => {
            format!("That could be two different ones {place}. Which one do you mean?")
        }
        (Reason::OptionCommand, _) => {
            format!(
                "Is that one of the options {place}, or something else you want done? Choose one, or say it in other words."
            )
        }
        (Reason::OptionUnreferenced | Reason::LoopGuardSameCycle, _) => {
            format!("I am not sure which one {place} you mean. Which one?")
        }
        (Reason::OptionYesToWhat, _) => format!("Yes to which one {place}?"),
        (Reason::OptionNoise, _) => format!("I did not understand that. Which one {place}?"),
        (Reason::ListHesitation, _) => format!("No hurry. These are the options {place}:"),
        (Reason::ListReshown | Reason::ListReturned | Reason::ScopeAlone, _) => {
            format!("These are the options {place}:")
        }
        (Reason::RepairRemaining, _) => format!("Which one {place} instead?"),
        (Reason::ContextReplaced | Reason::ListReplaced, _) => {
            format!("The list has changed. Which one {place} do you mean?")
        }
        (Reason::LoopGuardContinuity, Some(first)) if done => {
            format!("Shall I open “{first}” again? These are the options {place}:")
        }
        (Reason::OptionSuggested | Reason::LoopGuardContinuity, Some(first)) => {
            format!("Do you mean “{first}” {place}?")
        }
        _ => format!("Which one {place} do you mean?"),
    }
}

/// The question which option is meant, in other words.
pub(crate) fn again(title: Option<&str>, scope: Scope) -> String {
    format!("I still cannot tell. Please choose one {} by its number or its name.", where_it_is(title, scope))
}

/// The last question about a list.
pub(crate) fn stays(_question: &str) -> String {
    "The list stays here: tap one, or say “back to options”.".into()
}

/// A question followed by the lines of its list.
pub(crate) fn listed(question: &str, lines: &[String], more: bool) -> String {
    let mut text = String::from(question);
    for line in lines {
        text.push('\n');
        text.push_str(line);
    }
    if more {
        text.push_str("\n… more");
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
pub(crate) fn this_one(reason: Reason, label: &str) -> String {
    match reason {
        Reason::RepairRemaining => format!("“{label}” instead?"),
        _ => format!("Do you mean “{label}”?"),
    }
}

/// Answers that none of the options is wanted.
pub(crate) fn refine(title: Option<&str>, scope: Scope) -> String {
    format!("OK, none of those {}. What are you looking for?", where_it_is(title, scope))
}

/// Confirms that the list was put aside. `named`: an option with the name that was taken as a stop.
pub(crate) fn put_aside(named: Option<&str>) -> String {
    match named {
        Some(label) => format!(
            "I put the list aside. Say “back to options” to return; to choose “{label}”, press it or say its number."
        ),
        None => "I put the list aside. Say “back to options” to return.".into(),
    }
}

/// The name of a place in a question and on its button.
pub(crate) fn place(scope: Scope, instance: Option<&str>, titles: &[(Scope, String, String)]) -> String {
    let titled = titles.iter().find(|(known, at, _)| *known == scope && Some(at.as_str()) == instance);
    titled.map_or_else(|| scope.as_str().into(), |(_, _, title)| title.clone())
}

/// Asks in which place the option is.
pub(crate) fn scopes(reason: Reason, names: &[String], text: &str) -> String {
    let first = names.first().map_or("", String::as_str);
    match reason {
        Reason::ScopeMissing => format!("There is no list in “{first}” to choose from."),
        Reason::OptionElsewhere => format!("Do you mean “{text}” in {first}?"),
        Reason::ScopeTypo if names.len() == 1 => format!("Do you mean from {first}?"),
        _ => format!("Where do you mean: {}?", names.join(" or ")),
    }
}

pub(crate) const WAS_NOT: &str = "No, not lately in this conversation.";

/// Confirms that an option was chosen, and when.
pub(crate) fn was_done(label: &str, at: Timestamp, now: Timestamp) -> String {
    format!("Yes: “{label}”, at {}.", at.display_at(now))
}

/// A question repeated in other words.
pub(crate) fn once_more(question: &str) -> String {
    format!("I am still not sure. {question}")
}
