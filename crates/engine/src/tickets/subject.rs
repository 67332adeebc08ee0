//! The subject of a ticket whose request names none ("create a ticket for this"): the rest of the message,
//! else the message it points at. Only text written by people is used; a missing subject is asked for.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::event::EventKind;
use crate::data::id::MessageId;
use crate::data::message::{Message, Role};
use crate::data::policy::limits;
use crate::data::task::Task;
use crate::data::ticket::ItemType;
use throughline_language::reference::Need;

use crate::tickets::qualifiers::Request;
use crate::tickets::{batch, vocabulary};
use crate::turn::Turn;
use crate::turn::routed_message::focus;
use throughline_language::intent::rules;
use throughline_language::words::Gap;
use throughline_language::{Context, Words, is_acknowledgement, is_greeting};

/// Returns the subject of a request that names none, empty if there is none, and the messages it was taken from: the rest of
/// the message itself, the message it points at, or the messages of the thread up to it.
pub(crate) fn subject(turn: &Turn<'_>, request: &str) -> (String, Vec<MessageId>) {
    let own = beside_the_request(&Words::of(request));
    if !own.is_empty() {
        return (titled(&own), Vec::new());
    }
    let (text, message) = pointed_at(turn).unwrap_or_default();
    let thread = message.as_ref().filter(|_| !focus(turn).replies()).map(|message| thread(turn, message));
    if let Some(thread) = thread.filter(|thread| thread.len() > 1) {
        let texts: Vec<&str> = thread.iter().map(|message| message.text.as_str()).collect();
        let from = thread.iter().map(|message| message.id.clone()).collect();
        let first = titled(texts[0]);
        let head = first.lines().next().unwrap_or_default();
        return (format!("{head}\n{}", texts.join("\n")), from);
    }
    (titled(&text), message.into_iter().collect())
}

/// Returns the people's messages that belong together with this one, oldest first: those right before it, each soon after
/// the one before, that ask for nothing and belong to no task.
fn thread<'t>(turn: &'t Turn<'_>, last: &MessageId) -> Vec<&'t Message> {
    let newest = thread_from(turn, last, |_| true);
    // What came behind the message pointed at belongs to it, unless something else began there.
    match newest.iter().any(|message| message.id == *last) {
        true => newest,
        false => thread_from(turn, last, |message| message.id == *last),
    }
}

/// Returns the messages that lead up to the newest one that may be the last, oldest first.
fn thread_from<'t>(
    turn: &'t Turn<'_>,
    last: &MessageId,
    may_be_last: impl Fn(&Message) -> bool,
) -> Vec<&'t Message> {
    let own = turn.said.as_ref().map(|said| &said.message);
    let ids = turn.head.window.texts().rev().filter_map(|id| turn.named::<Message>(id));
    let theirs = ids.filter(|message| message.role == Role::User && Some(&message.id) != own);
    let mut read: Vec<&Message> = Vec::new();
    for message in theirs.skip_while(|message| !may_be_last(message)) {
        let near = read.last().is_none_or(|next| next.at.since(message.at) <= limits::THREAD_PAUSE);
        let words = Words::of(&message.text);
        let began = message.task.as_ref().is_some_and(|task| turn.get::<Task>(task).is_some());
        let other = began && message.id != *last || rules::rule(&words).is_some();
        if !near || other || read.len() == limits::THREAD_MESSAGES {
            break;
        }
        if !is_acknowledgement(&words, &Context::default()) {
            read.push(message);
        }
    }
    read.reverse();
    read
}

/// Reads a request without its context: the item type of its noun, if it has one, and its subject.
pub(super) fn asked_in(text: &str) -> (Option<ItemType>, String) {
    let words = Words::of(text);
    let Some(ruling) = rules::rule(&words) else { return (None, text.into()) };
    let Request { ruling, text } = Request::of(&words, ruling);
    let subject = match ruling.object {
        Some(object) => with_body(&object, &text),
        None => titled(&beside_the_request(&Words::of(&text))),
    };
    (ruling.item.and_then(batch::item_type), subject)
}

/// A sentence of a text.
pub(super) struct Sentence {
    /// Bytes of the sentence, with the signs that close it.
    pub(super) at: Range<usize>,
    pub(super) words: Words,
    /// True if it begins within a quotation.
    pub(super) quoted: bool,
}

/// Returns the sentences of a text, in order; each line is at least one.
pub(super) fn sentences(text: &Words) -> impl Iterator<Item = Sentence> {
    let (all, written) = (text.all(), text.text());
    let last = all.len().saturating_sub(1);
    let ends = (0..all.len()).filter(move |at| *at == last || ends_sentence(text, *at));
    let (mut begin, mut from) = (0, 0);
    ends.map(move |at| {
        let end = if at < last { sentence_end(written, all[at].end) } else { written.len() };
        let words = Words::of(text.clause(begin, at + 1));
        let sentence = Sentence { at: from..end, words, quoted: all[begin].quoted };
        (begin, from) = (at + 1, end);
        sentence
    })
}

/// Returns how many bytes of a sentence come before its request, if it asks for a ticket.
pub(super) fn asks_at(sentence: &Words) -> Option<usize> {
    let ruling = rules::rule(sentence).filter(|ruling| ruling.intent == rules::RuledIntent::Ticket)?;
    Some(ruling.asking)
}

/// Returns the message without the sentence that asks for the ticket, greetings and thanks.
fn beside_the_request(message: &Words) -> String {
    let mut asked = false;
    let mut rest = String::new();
    for Sentence { at, words, .. } in sentences(message) {
        let asking = asks_at(&words).filter(|_| !asked);
        asked |= asking.is_some();
        // In "The login is broken, please create a ticket", the words before the request are the subject.
        let before = words.text().get(..asking.unwrap_or(0)).unwrap_or_default();
        if !before.is_empty() {
            rest.push_str(before.trim_end().trim_end_matches([',', ':']));
        }
        let written = &message.text()[at];
        if asking.is_none() && !only_polite(written, &words) {
            rest.push_str(written);
        }
    }
    rest.trim().to_string()
}

/// Returns the text the message points at and its message id: the message it replies to, else the person's
/// message that the anchor answers, else the newest of a thread in which nothing was answered yet. A quote has no id.
fn pointed_at(turn: &Turn<'_>) -> Option<(String, Option<MessageId>)> {
    let focus = focus(turn);
    if !(focus.replies() || turn.reference.need == Need::NeedsAnchor) {
        return None;
    }
    let theirs = |message: &&Message| message.role == Role::User;
    let own = turn.said.as_ref().map(|said| &said.message);
    let newest = |belongs: &dyn Fn(&Message) -> bool| {
        let loaded = turn.head.window.texts().rev().filter_map(|id| turn.named::<Message>(id));
        let mut others = loaded.filter(|message| Some(&message.id) != own).filter(theirs);
        others.find(|message| belongs(message))
    };
    let message = match focus.anchor_id() {
        Some(anchor) => {
            let replied = turn.given.anchor.as_ref().filter(|message| message.id == *anchor);
            let anchored = turn.get::<Message>(anchor).or(replied).filter(theirs);
            anchored.or_else(|| newest(&|message| message.task.is_some() && message.task == focus.task))
        }
        None => {
            let EventKind::MessagePosted(posted) = &turn.event.kind else { return None };
            if let Some(quote) = &posted.quote {
                return Some((quote.clone(), None));
            }
            newest(&|_| true)
        }
    };
    message.map(|message| (message.text.clone(), Some(message.id.clone())))
}

/// Puts a title in front of `text` when its first line is longer than one: the wish of a user story, else the
/// first sentence. The text itself follows unchanged.
fn titled(text: &str) -> String {
    let head = text.lines().next().unwrap_or_default();
    if let Some(wanted) = vocabulary::story(head) {
        return format!("{wanted}\n{text}");
    }
    let words = Words::of(head);
    let first = (0..words.all().len()).find(|at| ends_sentence(&words, *at));
    let first = whole_words(head, first.map_or(head.len(), |at| words.all()[at].end));
    if words.all().iter().any(|word| word.at > first) {
        format!("{}\n{text}", &head[..first])
    } else {
        text.into()
    }
}

/// Returns `object` as the first line, and below it everything else the message says: what stands before the request, the
/// rest of its line, and the lines below. Nothing a person wrote is left out but the request itself, greetings and thanks.
pub(crate) fn with_body(object: &str, text: &str) -> String {
    let Some(at) = text.find(object) else { return titled(object) };
    let words = Words::of(text);
    let (at, end) = (vocabulary::story_from(&words, at), at + object.len());
    let end = whole_words(text, end);
    let object = &text[at..end];
    let asking = rules::rule(&words).map_or(0, |ruling| ruling.asking);
    let before = kept(text.get(..asking.min(at)).unwrap_or_default());
    let after = kept(&text[sentence_rest(&words, end)..]);
    let rest: Vec<&str> =
        [before.as_str(), after.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    let head = titled(object);
    if rest.is_empty() { head } else { format!("{head}\n{}", rest.join("\n")) }
}

/// True if a sentence ends behind this word. The stop of an ordinal ends none: "the printer on the 2. floor".
pub(super) fn ends_sentence(words: &Words, at: usize) -> bool {
    let word = &words.all()[at];
    word.after >= Gap::Hard && !is_ordinal(words.text(), word.end)
}

/// True if a number with a stop ends here that counts what follows: a small letter follows, or it stands behind an article
/// or a preposition, as in German.
fn is_ordinal(text: &str, end: usize) -> bool {
    let Some(next) = text.get(end..).and_then(|behind| behind.strip_prefix(". ")) else { return false };
    let before = &text[..end];
    let word = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let short = (1..=2).contains(&(before.len() - word.len())) && word.ends_with(' ');
    let counts = || vocabulary::stands_before_ordinal(word.trim_end());
    short && (next.starts_with(char::is_lowercase) || next.starts_with(char::is_uppercase) && counts())
}

/// Returns the end of what ends at `end`, or of the sentence if that is within a word or behind an ordinal: a `?` in an
/// address ends nothing.
fn whole_words(text: &str, mut end: usize) -> usize {
    let line = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
    let inside = |at: usize| {
        let behind = text[at..].trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
        behind.len() < text[at..].len() && behind.starts_with(char::is_alphanumeric)
    };
    while is_ordinal(text, end) {
        let next = end + 1;
        end = text[next..line(next)].find(['.', '?', '!']).map_or(line(next), |at| next + at);
    }
    while inside(end) {
        let space = text[end..].find(char::is_whitespace).map_or(text.len(), |at| end + at);
        let stop = text[space..line(space)].find([',', ';']).map_or(line(space), |at| space + at);
        let hard = text[space..stop].find(['.', '?', '!']).map_or(stop, |at| space + at);
        let closed = text[end..space].trim_end_matches(['.', '?', '!', ',', ';', ':']).len();
        // The address itself may end the sentence.
        end = if end + closed < space { return end + closed } else { hard };
    }
    end
}

/// The most words between an object and the end of its sentence that are still the request: "… anlegen, bitte".
const TAIL: usize = 4;

/// Returns where the rest of a message begins, behind the sentence of a request whose object ends at `end`. Words that
/// belong to the request itself are skipped, and a longer text is not.
fn sentence_rest(words: &Words, end: usize) -> usize {
    let (all, text) = (words.all(), words.text());
    let last = all.iter().rposition(|word| word.end <= end).unwrap_or(0);
    let stop =
        (last..all.len()).find(|&at| all[at].after >= Gap::Hard).unwrap_or(all.len().saturating_sub(1));
    let from = all.get(stop).map_or(end, |word| word.end.max(end));
    if stop > last + TAIL || text[end..from].contains('\n') {
        return end;
    }
    let closing = |c: char| ".!?…,;:".contains(c);
    from + (text[from..].len() - text[from..].trim_start_matches(closing).len())
}

/// Returns the sentences of a text without those that only greet or thank.
fn kept(text: &str) -> String {
    let said = Words::of(text);
    let worth = sentences(&said).filter(|one| !only_polite(&text[one.at.clone()], &one.words));
    let rest: String = worth.map(|one| &text[one.at]).collect();
    rest.trim().trim_end_matches([',', ':']).to_string()
}

/// True if a sentence only greets or thanks. An entry of a list says what it says: "- it works".
fn only_polite(written: &str, sentence: &Words) -> bool {
    let entry = written.trim_start().starts_with(['-', '*', '•', '–', '+', '>', '#']);
    !entry && (is_greeting(sentence) || is_acknowledgement(sentence, &Context::default()))
}

/// Returns the end of a sentence whose last word ends at `end`: behind the signs that close it.
fn sentence_end(text: &str, end: usize) -> usize {
    let closing = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !"-*•–#>\"“`(".contains(c);
    text.len() - text[end..].trim_start_matches(closing).len()
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
            ("Drucker im 2. OG druckt nicht", "Drucker im 2. OG druckt nicht"),
            (
                "Am 3. Mai stand er. Seitdem steht er.",
                "Am 3. Mai stand er\nAm 3. Mai stand er. Seitdem steht er.",
            ),
            (
                "It fails in step 2. Nobody can work.",
                "It fails in step 2\nIt fails in step 2. Nobody can work.",
            ),
            ("The 2. floor is dark", "The 2. floor is dark"),
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
