//! Questions about the assistant and what is here, and small talk: answered by rule with what there is.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::close;
use crate::data::approval::CloseReason;
use crate::data::card::{Card, CardStatus};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::fact::FactStatus;
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::ticket::{Draft, Part};
use crate::messages::meta as words;
use crate::routing::command;
use crate::routing::gate::said_lately;
use crate::turn::routed_message::focus;
use crate::turn::tracked_issues;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::intent::rules::Ruling;
use throughline_messages as say;

/// Answers a message that a rule took to be about the assistant.
pub(crate) fn answer(turn: &mut Turn<'_>, said: &RoutedMessage, ruling: &Ruling) -> Decision {
    let text = match ruling.rule {
        "meta.why" => return command::why(turn).with_intent(Intent::Meta),
        "meta.status" => command::what_is_open(turn),
        "meta.ticket_lookup" => tickets(turn),
        "meta.knows" => known(turn, ruling.object.as_deref()),
        "meta.approvers" => approvers(turn),
        "meta.forget" => command::forgotten(turn),
        "meta.close_cards" => close_cards(turn, &said.by),
        "meta.greeting" if !turn.hosting.makes_tickets() => say::help_greeting_plain(turn.language()),
        "meta.greeting" if said_lately(turn, &say::help_greeting(turn.language())) => {
            say::help_greeting_again(turn.language())
        }
        "meta.greeting" => say::help_greeting(turn.language()),
        "meta.bot" => say::help_bot(turn.language()),
        _ => help(turn),
    };
    turn.say(MessageKind::Answer, None, &text);
    meta(Verdict::Answered, Reason::IntentRule)
}

fn meta(verdict: Verdict, reason: Reason) -> Decision {
    Decision::new(verdict, reason).with_intent(Intent::Meta)
}

/// The help, or a line that points at it when it stands among the last messages.
pub(crate) fn help(turn: &Turn<'_>) -> String {
    let help = command::help(turn);
    if turn.hosting.makes_tickets() && said_lately(turn, &help) {
        say::help_again(turn.language(), &turn.policy.command.0)
    } else {
        help
    }
}

/// The tickets of this thread: drafts that wait, and issues that were created or are tracked.
fn tickets(turn: &Turn<'_>) -> String {
    let issues = tracked_issues::all(turn).map(|issue| words::issue(&issue.key, &issue.title));
    let drafts = turn.loaded::<Draft>().filter(|draft| draft.created.is_none());
    let live = |draft: &&Draft| turn.live_tasks().any(|task| task.id == draft.task);
    let drafts = drafts.filter(live).map(|draft| words::draft(turn.language(), draft.part(Part::Title)));
    words::tickets(turn.language(), &drafts.chain(issues).collect::<Vec<_>>())
}

/// Says who may decide a card.
pub(super) fn who_decides(turn: &Turn<'_>, card: &Card) -> Option<String> {
    let model = turn.model(card);
    Some(say::help_approvers(turn.language(), model.title, model.outline.decision.first()?))
}

/// Says who may decide the card that is replied to, else each one that waits.
fn approvers(turn: &Turn<'_>) -> String {
    let replied = focus(turn).anchor_id().and_then(|anchor| turn.card_shown_by(anchor));
    let is_meant = |card: &&Card| replied.is_none_or(|replied| replied.id == card.id);
    let waits = turn.open_cards().filter(|card| card.is_approval()).filter(is_meant);
    let lines: Vec<String> = waits.filter_map(|card| who_decides(turn, card)).collect();
    if lines.is_empty() { say::help_approvers_none(turn.language()) } else { lines.join("\n") }
}

/// The most lines of what is known.
const KNOWN: usize = 12;

/// The facts in reach, and the tickets here, that have a word of `about`; all of them without one.
fn known(turn: &Turn<'_>, about: Option<&str>) -> String {
    let asked = about.map(Words::of);
    let fits = |text: &str| {
        asked.as_ref().is_none_or(|asked| {
            let words = Words::of(text);
            let says = |word: &str| words.all().iter().any(|other| same(words.folded(other), word));
            let mut own =
                asked.all().iter().map(|word| asked.folded(word)).filter(|word| word.chars().count() > SHORT);
            own.any(says)
        })
    };
    let facts = turn.facts_in_reach();
    let facts = facts
        .iter()
        .map(|(_, fact)| *fact)
        .filter(|fact| fact.status == FactStatus::Valid && fits(&fact.text));
    let facts = facts.map(|fact| words::fact(turn.language(), fact.kind.as_str(), &fact.text, &fact.author));
    let issues =
        tracked_issues::all(turn).filter(|issue| asked.is_some() && (fits(&issue.title) || fits(&issue.key)));
    let issues = issues.map(|issue| words::issue(&issue.key, &issue.title));
    let lines: Vec<String> = facts.chain(issues).take(KNOWN).collect();
    words::known(turn.language(), about.map(|about| about.trim_end_matches(['?', '.', '!', ' '])), &lines)
}

/// Words of so few letters say nothing of what is asked about.
const SHORT: usize = 2;

/// True if two words are the same up to an ending: "deploy" and "deploys".
fn same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    one == other
        || (short.chars().count() > SHORT + 1 && long.starts_with(short) && long.len() - short.len() <= 3)
}

/// Closes the open cards that this person asked for.
fn close_cards(turn: &mut Turn<'_>, by: &str) -> String {
    let own = closable(turn, by).cloned().collect();
    close_these(turn, own)
}

/// Closes cards and tells their titles.
pub(super) fn close_these(turn: &mut Turn<'_>, cards: Vec<Card>) -> String {
    let titles: Vec<String> = cards.iter().map(|card| turn.called(card)).collect();
    for card in cards {
        turn.capabilities.of(&card).lapsed(turn, &card);
        let card = turn.get::<Card>(&card.id).cloned().unwrap_or(card);
        if card.is_open() {
            close(turn, card, CardStatus::Withdrawn, CloseReason::Cancelled);
        }
    }
    words::closed(turn.language(), &titles)
}

/// The open cards that wait for a press and that this person asked for. A question about an effect nobody knows of stays.
pub(crate) fn closable<'t>(turn: &'t Turn<'_>, by: &'t str) -> impl Iterator<Item = &'t Card> {
    turn.open_cards().filter(move |card| {
        card.by == by && card.takes_press(turn.now()) && card.uncertain_effect().is_none()
    })
}
