//! The subject of a ticket whose request names none ("create a ticket for this"): the rest of the message,
//! else the message it points at. Only text written by people is used; a missing subject is asked for.

use alloc::format;
use alloc::string::{String, ToString};

use crate::data::event::EventKind;
use crate::data::id::MessageId;
use crate::data::message::{Message, Role};
use crate::data::ticket::ItemType;
use throughline_language::reference::Need;

use crate::tickets::{batch, vocabulary};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::rules::{self, Ruling};
use throughline_language::words::Gap;
use throughline_language::{Context, Words, is_acknowledgement, is_greeting};

/// Returns the subject of a request that names none, empty if there is none, and the message it was taken
/// from if that is another message.
pub(crate) fn subject(turn: &Turn<'_>, said: &RoutedMessage) -> (String, Option<MessageId>) {
    let own = beside_the_request(&said.words);
    let (text, message) = if own.is_empty() { pointed_at(turn).unwrap_or_default() } else { (own, None) };
    (titled(&text), message)
}

/// Reads a request without its context: the item type of its noun, if it has one, and its subject.
pub(super) fn asked_in(text: &str) -> (Option<ItemType>, String) {
    let words = Words::of(text);
    match rules::rule(&words) {
        Some(Ruling { object: Some(object), item, .. }) => {
            (item.and_then(batch::item_type), with_body(&object, text))
        }
        Some(Ruling { item, .. }) => (item.and_then(batch::item_type), titled(&beside_the_request(&words))),
        None => (None, text.into()),
    }
}

/// Returns the message without the sentence that asks for the ticket, greetings and thanks.
fn beside_the_request(message: &Words) -> String {
    let (all, text) = (message.all(), message.text());
    let (mut begin, mut from, mut asked) = (0, 0, false);
    let mut rest = String::new();
    for at in 0..all.len() {
        if all[at].after < Gap::Hard && at + 1 < all.len() {
            continue;
        }
        let closing = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !"-*•–#>\"“`(".contains(c);
        let behind = &text[all[at].end..];
        let end = text.len() - behind.trim_start_matches(closing).len();
        let sentence = Words::of(message.clause(begin, at + 1));
        let ticket = |ruling: &rules::Ruling| ruling.intent == rules::RuledIntent::Ticket;
        let asking = rules::rule(&sentence).filter(|_| !asked).filter(ticket);
        let asks = asking.is_some();
        asked |= asks;
        // In "The login is broken, please create a ticket", the words before the request are the subject.
        let before = asking.map_or(0, |ruling| ruling.asking);
        let before = sentence.text().get(..before).unwrap_or_default();
        if !before.is_empty() {
            rest.push_str(before.trim_end().trim_end_matches([',', ':']));
        }
        if !(asks || is_greeting(&sentence) || is_acknowledgement(&sentence, &Context::default())) {
            rest.push_str(&text[from..end]);
        }
        (begin, from) = (at + 1, end);
    }
    rest.trim().to_string()
}

/// Returns the text the message points at and its message id: the message it replies to, else the person's
/// message that the anchor answers. A quote has no id.
fn pointed_at(turn: &Turn<'_>) -> Option<(String, Option<MessageId>)> {
    let focus = focus(turn);
    if !(focus.replies() || turn.reference.need == Need::NeedsAnchor) {
        return None;
    }
    let theirs = |message: &&Message| message.role == Role::User;
    let Some(anchor) = focus.anchor_id() else {
        let EventKind::MessagePosted(posted) = &turn.event.kind else { return None };
        return posted.quote.clone().map(|quote| (quote, None));
    };
    let replied = turn.given.anchor.as_ref().filter(|message| message.id == *anchor);
    let anchored = turn.get::<Message>(anchor).or(replied).filter(theirs);
    let own = turn.said.as_ref().map(|said| &said.message);
    let answered = || {
        let loaded = turn.head.window.texts().rev().filter_map(|id| turn.named::<Message>(id));
        let mut others = loaded.filter(|message| Some(&message.id) != own);
        others.find(|message| theirs(message) && message.task.is_some() && message.task == focus.task)
    };
    anchored.or_else(answered).map(|message| (message.text.clone(), Some(message.id.clone())))
}

/// Puts a title in front of `text` when its first line is longer than one: the wish of a user story, else the
/// first sentence. The text itself follows unchanged.
fn titled(text: &str) -> String {
    let head = text.lines().next().unwrap_or_default();
    if let Some(wanted) = vocabulary::story(head) {
        return format!("{wanted}\n{text}");
    }
    let words = Words::of(head);
    let first = words.all().iter().find(|word| word.after >= Gap::Hard).map_or(head.len(), |word| word.end);
    if words.all().iter().any(|word| word.at > first) {
        format!("{}\n{text}", &head[..first])
    } else {
        text.into()
    }
}

/// Returns `object` followed by the lines of `text` below it: steps, acceptance criteria and the like.
pub(crate) fn with_body(object: &str, text: &str) -> String {
    let after = text.split_once(object).map_or(text, |(_, after)| after);
    match after.split_once('\n') {
        Some((_, body)) => format!("{object}\n{body}"),
        None => object.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_beside_a_request() {
        for (text, expected) in [
            ("create a ticket for this", ""),
            ("The login is broken. Please create a bug for it", "The login is broken."),
            ("Hello! Create a ticket for this, please. Thanks!", ""),
            (
                "Create a ticket:\n- the export is slow\n- steps: create a ticket",
                "- the export is slow\n- steps: create a ticket",
            ),
            ("Let's create a ticket", ""),
            ("The login is broken, please create a ticket for it", "The login is broken"),
            ("I can't log in so create a ticket", "I can't log in"),
            ("Der Login geht nicht, kannst du dafür ein Ticket anlegen?", "Der Login geht nicht"),
            (
                "\"Save\" does nothing! File a bug. Nobody can work.",
                "\"Save\" does nothing! Nobody can work.",
            ),
        ] {
            assert_eq!(beside_the_request(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_title_is_the_first_sentence() {
        for (text, expected) in [
            ("The export fails", "The export fails"),
            ("The export fails. Nobody can work.", "The export fails\nThe export fails. Nobody can work."),
            ("It is v1.2 that fails", "It is v1.2 that fails"),
            (
                "As a user I want to log in so that I see my orders",
                "log in\nAs a user I want to log in so that I see my orders",
            ),
            ("The export fails.\nSteps: press it", "The export fails.\nSteps: press it"),
            ("", ""),
        ] {
            assert_eq!(titled(text), expected, "{text}");
        }
    }
}
