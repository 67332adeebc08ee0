//! Intent by rules: only what a message says explicitly.
//!
//! A rule is a section of `data/*/requests/intent.txt`, looked for at the beginning of each clause; `framed.rs` reads
//! those whose verb comes last. A rule never applies to quoted words, to words that the same sentence negates, or to a
//! question about tickets, which is meta.

use alloc::string::{String, ToString};
use core::ops::Range;

use super::several::Several;
use crate::lexicon::{Cover, Lexicon, Memo, REQUESTS, Section, SectionId, Skips, TICKETS, skip};
use crate::words::{Gap, Word};
use crate::{Words, is_greeting};

/// An intent that rules can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuledIntent {
    /// A ticket, bug, story, epic … is asked for.
    Ticket,
    /// A change to one that exists.
    TicketChange,
    /// A review is asked for.
    Review,
    /// A decision is to be recorded.
    Decision,
    /// About the assistant and what is open, or a greeting.
    Meta,
}

/// The intent that a rule found, with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The intent.
    pub intent: RuledIntent,
    /// The rule's name, for the trace.
    pub rule: &'static str,
    /// The subject of the item, in the user's own spelling; `None` for a mere "this".
    pub object: Option<String>,
    /// The canonical noun of the item asked for: `ticket`, `bug`, `story`, `epic`, `task`, `subtask`, `issue`,
    /// `incident` or `feature`.
    pub item: Option<&'static str>,
    /// The number of items and their parts, when there is more than one.
    pub several: Option<Several>,
    /// The offset of the request in the message, in bytes, with the word that joins it to the clause before.
    pub asking: usize,
    /// The bytes of the words that ask for the item, up to its name: "create a high priority bug". Empty if no words do.
    pub head: Range<usize>,
    /// The offset of what ends the request, in bytes: the verb that comes last, else the end of the sentence.
    pub until: usize,
}

impl Ruling {
    pub(super) fn of(intent: RuledIntent, rule: &'static str) -> Self {
        Self { intent, rule, object: None, item: None, several: None, asking: 0, head: 0..0, until: 0 }
    }

    /// The ruling, with the places of its head and of its end.
    pub(super) fn placed(self, head: Range<usize>, until: usize) -> Self {
        Self { head, until, ..self }
    }
}

/// A section whose name is shown: a rule's in the trace, an item's as its noun.
#[derive(Clone, Copy)]
struct Shown {
    name: &'static str,
    section: SectionId,
}

impl Shown {
    const fn rule(name: &'static str) -> Self {
        Self { name, section: section(name) }
    }

    const fn item(name: &'static str, section: &str) -> Self {
        Self { name, section: self::section(section) }
    }
}

/// Rules that read a clause from its beginning, in the order they win; ticket questions come before requests.
const META: [Shown; 11] = [
    Shown::rule("meta.ticket_question"),
    Shown::rule("meta.ticket_lookup"),
    Shown::rule("meta.status"),
    Shown::rule("meta.approvers"),
    Shown::rule("meta.why"),
    Shown::rule("meta.close_cards"),
    Shown::rule(KNOWS),
    Shown::rule("meta.forget"),
    Shown::rule("meta.capabilities"),
    Shown::rule("meta.help"),
    Shown::rule("meta.bot"),
];
/// The rule of a question about what is known; its object is what it is about.
const KNOWS: &str = "meta.knows";
const CREATE: [Shown; 2] = [Shown::rule("ticket.create"), Shown::rule("ticket.want")];

/// The items; of several phrases that are equally long, the later item's counts.
const ITEMS: [Shown; 9] = [
    Shown::item("feature", "item.feature"),
    Shown::item("bug", "item.bug"),
    Shown::item("story", "item.story"),
    Shown::item("epic", "item.epic"),
    Shown::item("subtask", "item.subtask"),
    Shown::item("task", "item.task"),
    Shown::item("issue", "item.issue"),
    Shown::item("incident", "item.incident"),
    Shown::item("ticket", "item.ticket"),
];

/// Words between the item and what it is about.
pub const ABOUT: SectionId = section("about");
const ASK: SectionId = section("ask");
/// Words that may come before a request in its clause.
pub const BEFORE: SectionId = section("before");
const CHANGE: SectionId = section("change");
const CHAT: SectionId = section("meta.chat");
const REMEMBER: SectionId = section("meta.remember");
const COMPOUND: SectionId = section("item.compound");
const DECISION: SectionId = section("decision.record");
const DECISION_NOT: SectionId = section("decision.compound");
const JOINS: SectionId = section("joins");
const JOINS_AND: SectionId = section("joins.and");
const JOINS_NEW: SectionId = section("joins.new");
const NEGATION: SectionId = section("negation");
const NEGATION_OPEN: SectionId = section("negation.open");
const POINTING: SectionId = section("pointing");
const REVIEW: SectionId = section("review.this");
const REVIEW_BARE: SectionId = section("review.bare");
const REVIEW_NOT: SectionId = section("review.not");
const TELLS: SectionId = section("tells");
const THE: SectionId = section("the");
const UNNAMED: SectionId = section("ticket.unnamed");
const URGENCY: SectionId = section("urgency");
const UPDATE: SectionId = section("ticket.update");
const WITHDRAWN: SectionId = section("withdrawn");
const WITHDRAWN_LAST: SectionId = section("withdrawn.last");

/// The section of that name in the lexicons of requests.
pub const fn section(name: &str) -> SectionId {
    REQUESTS.section(name)
}

const STORY_AS: SectionId = TICKETS.section("story.as");
const STORY_WANT: SectionId = TICKETS.section("story.want");

/// The most words of an item's name before a colon, and of the role in a user story.
const LABEL: usize = 3;
const ROLE: usize = 6;

/// The reach of a negation and the longest sentence, in words: bounds that keep the reader linear.
const REACH: usize = 24;
const SENTENCE: usize = 64;

/// The ruling on a message, when a rule decides it.
#[must_use]
pub fn rule(message: &Words) -> Option<Ruling> {
    if is_greeting(message) {
        return Some(Ruling::of(RuledIntent::Meta, "meta.greeting"));
    }
    let read = || readers(message).find_map(|reader| reader.rule());
    readers(message).find_map(|reader| reader.labelled()).or_else(read).or_else(|| story(message))
}

/// "As a support agent I want to merge tickets": a user story is a request for one.
fn story(message: &Words) -> Option<Ruling> {
    let words = message.all();
    let wants = TICKETS.iter().any(|lexicon| {
        let role = lexicon.section(STORY_AS).longest(words, 0);
        let reach = words.len().min(role + ROLE);
        role > 0 && (role..reach).any(|at| lexicon.section(STORY_WANT).longest(words, at) > 0)
    });
    let own = wants && words.first().is_some_and(|word| !word.quoted);
    let line = message.text().trim_start().lines().next().unwrap_or_default();
    let object = Some(line.trim().to_string());
    own.then(|| Ruling { object, item: Some("story"), ..Ruling::of(RuledIntent::Ticket, "ticket.story") })
}

/// True if the whole message chats with the assistant and asks for nothing: "haha, nice one".
#[must_use]
pub fn is_small_talk(message: &Words) -> bool {
    is_made_of(CHAT, message)
}

/// True if the whole message asks to keep a choice for the thread: "remember that for this thread".
#[must_use]
pub fn remembers_choice(message: &Words) -> bool {
    is_made_of(REMEMBER, message)
}

/// True if the message is made of phrases of a section, and what may come before a request.
fn is_made_of(section: SectionId, message: &Words) -> bool {
    readers(message).any(|reader| {
        let (own, before) = (reader.list(section), reader.list(BEFORE));
        let words = reader.words;
        let whole = Cover::of(&[own, before], None, words);
        whole.reaches(words.len())
            && whole.sections(words.len()) & 1 != 0
            && words.iter().all(|word| !word.quoted)
    })
}

/// A reader for each language.
pub fn readers(message: &Words) -> impl Iterator<Item = Reader<'_>> {
    message.languages().lexicons(&REQUESTS).map(move |lexicon| Reader {
        lexicon,
        message,
        words: message.all(),
        before: Skips::of(lexicon.section(BEFORE), message.all()),
        ask: Skips::of(lexicon.section(ASK), message.all()),
        memo: Memo::new(),
    })
}

/// A message, read with the words of one language.
pub struct Reader<'m> {
    lexicon: &'static Lexicon,
    /// The message.
    pub message: &'m Words,
    /// Its words.
    pub words: &'m [Word],
    before: Skips<'m>,
    ask: Skips<'m>,
    /// The rules have parts in common, and in "(please (please" a clause begins everywhere.
    memo: Memo,
}

impl Reader<'_> {
    /// A section of the language.
    pub fn list(&self, section: SectionId) -> Section {
        self.lexicon.section(section)
    }

    /// The number of words that the longest phrase of a section covers from `at` on.
    pub(super) fn longest(&self, section: SectionId, at: usize) -> usize {
        self.list(section).longest_known(self.words, at, &self.memo)
    }

    /// The word behind the phrases that may come before a request, from `at` on.
    pub fn behind_before(&self, at: usize) -> usize {
        self.before.skip(at)
    }

    fn rule(&self) -> Option<Ruling> {
        (0..self.words.len()).filter(|&at| self.begins_clause(at)).find_map(|at| self.at(at))
    }

    /// True if a clause begins here: at the start, behind punctuation, or behind a joining word.
    pub fn begins_clause(&self, at: usize) -> bool {
        at == 0 || self.words[at - 1].after > Gap::Space || self.list(JOINS).at(self.words, at - 1)
    }

    /// "bug: login fails", "Ticket: export to CSV": the item, a colon, and what it is about.
    fn labelled(&self) -> Option<Ruling> {
        // "urgent bug: login fails"
        let from = skip(&[self.list(URGENCY)], self.words, 0);
        let (item, n) = (from + 1..=self.words.len().min(from + LABEL)).rev().find_map(|n| {
            let (item, end) = self.noun(from, n)?;
            (end == n && self.item_phrase(from, n)).then_some((item, n))
        })?;
        let behind = self.message.text()[self.words[n - 1].end..].strip_prefix(':')?;
        let (mut several, after) = self.several(0, n)?;
        let plain = !several.whole.plural && !self.words[0].quoted && behind.starts_with(char::is_whitespace);
        let begins = self.message.text()[..self.words[0].at].trim().is_empty();
        if !plain || !begins || self.words.get(n).is_none_or(|word| is_key(self.message, word)) {
            return None;
        }
        let stop = self.sentence_end(after);
        let object = self.object(after, stop, &mut several)?;
        let (object, item, several) = (Some(object), Some(item), Some(several));
        let ruling = Ruling { object, item, several, ..Ruling::of(RuledIntent::Ticket, "ticket.labelled") };
        Some(ruling.placed(self.bytes(0, n), self.words[stop - 1].end))
    }

    /// True if these words are nothing but an item's name.
    fn item_phrase(&self, from: usize, to: usize) -> bool {
        ITEMS.into_iter().any(|item| self.list(item.section).is(&self.words[from..to]))
    }

    /// The ruling on the clause that begins at `from`.
    fn at(&self, from: usize) -> Option<Ruling> {
        let start = self.behind_before(from);
        // "could you create": a phrase of [before] may be the beginning of the request itself.
        let starts = if start == from { &[from][..] } else { &[start, from] };
        let fresh = || starts.iter().copied().filter(|&at| at < self.words.len() && !self.words[at].quoted);
        fresh().find_map(|at| self.meta(from, at)).or_else(|| {
            let ruling = fresh().find_map(|at| self.request(from, at))?;
            let asks = !self.negated(from) && (start > from || !self.told(from));
            asks.then(|| Ruling { asking: self.asking(from), ..ruling })
        })
    }

    /// The offset of the clause, with the word that joins it to the one before.
    fn asking(&self, from: usize) -> usize {
        let joined = from > 0 && self.list(JOINS).at(self.words, from - 1);
        self.words[from - usize::from(joined)].at
    }

    /// Questions and whole messages about the assistant.
    fn meta(&self, from: usize, at: usize) -> Option<Ruling> {
        META.into_iter().find_map(|rule| {
            let n = self.longest(rule.section, at);
            let whole = at + n == self.words.len();
            let fits = match rule.name {
                "meta.ticket_question" | "meta.ticket_lookup" => n > 0 && !self.negated(from),
                KNOWS => n > 0 && from == 0,
                _ => n > 0 && whole,
            };
            let about =
                || Some(self.message.clause(at + n, self.words.len()).to_string()).filter(|s| !s.is_empty());
            let object = (fits && rule.name == KNOWS).then(about).flatten();
            fits.then(|| Ruling { object, ..Ruling::of(RuledIntent::Meta, rule.name) })
        })
    }

    fn request(&self, from: usize, at: usize) -> Option<Ruling> {
        self.framed(from, at)
            .or_else(|| CREATE.into_iter().find_map(|rule| self.create(at, rule)))
            .or_else(|| self.unnamed(at))
            .or_else(|| self.update(at))
            .or_else(|| self.review(at))
            .or_else(|| self.decision(at))
    }

    fn create(&self, at: usize, rule: Shown) -> Option<Ruling> {
        let n = self.longest(rule.section, at);
        let end = at + n;
        if n == 0
            || self.words[at..end].iter().any(|w| w.quoted)
            || self.compound(end)
            || self.taken_back(end)
        {
            return None;
        }
        let item = self.item(at, end)?;
        let (mut several, after) = self.several(at, end)?;
        let stop = self.sentence_end(after - 1);
        let object = self.object_or_list(after, self.sentence_end(after), &mut several);
        let ruling = Ruling {
            object,
            item: Some(item),
            several: Some(several),
            ..Ruling::of(RuledIntent::Ticket, rule.name)
        };
        Some(ruling.placed(self.bytes(at, end), self.words[stop - 1].end))
    }

    /// The bytes of these words.
    pub(super) fn bytes(&self, from: usize, to: usize) -> Range<usize> {
        self.words[from].at..self.words[to - 1].end
    }

    /// "please log this", "put it in the backlog": a ticket that is not called one, if the message ends there.
    fn unnamed(&self, at: usize) -> Option<Ruling> {
        let n = self.longest(UNNAMED, at);
        let whole = n > 0 && at + n == self.words.len() && !self.words[at..].iter().any(|w| w.quoted);
        whole.then(|| {
            Ruling::of(RuledIntent::Ticket, "ticket.unnamed")
                .placed(self.bytes(at, at + n), self.words[at + n - 1].end)
        })
    }

    fn update(&self, at: usize) -> Option<Ruling> {
        let n = self.longest(UPDATE, at);
        let change = self.ask.skip(at);
        let verb = self.longest(CHANGE, change);
        let keyed = change + verb + self.longest(THE, change + verb);
        let rule = Ruling::of(RuledIntent::TicketChange, "ticket.update");
        if n > 0 && !self.compound(at + n) {
            return Some(Ruling { item: self.item(at, at + n), ..rule });
        }
        (verb > 0 && self.words.get(keyed).is_some_and(|w| is_key(self.message, w))).then_some(rule)
    }

    fn review(&self, at: usize) -> Option<Ruling> {
        let n = self.longest(REVIEW, at);
        let bare = self.longest(REVIEW_BARE, at);
        let found = n > 0 && !self.list(REVIEW_NOT).at(self.words, at + n);
        let whole = bare > 0 && at + bare == self.words.len();
        (found || whole).then(|| Ruling::of(RuledIntent::Review, "review.this"))
    }

    /// "record the decision: …": what is recorded is the rest of the message.
    fn decision(&self, at: usize) -> Option<Ruling> {
        let n = self.longest(DECISION, at);
        let end = at + n;
        let other = |end: usize| {
            let joined = self.words[end - 1].after == Gap::Space;
            joined && (self.list(DECISION_NOT).at(self.words, end) || self.list(NEGATION).at(self.words, end))
        };
        if n == 0 || self.words[at..end].iter().any(|w| w.quoted) || other(end) || self.taken_back(end) {
            return None;
        }
        let rest = self.message.text()[self.words[end - 1].end..].to_string();
        Some(Ruling { object: Some(rest), ..Ruling::of(RuledIntent::Decision, "decision.record") })
    }

    /// The item noun that ends last within these words.
    pub(super) fn item(&self, from: usize, to: usize) -> Option<&'static str> {
        self.noun(from, to).map(|(name, _)| name)
    }

    /// The item noun that ends last within these words, and where it ends.
    pub(super) fn noun(&self, from: usize, to: usize) -> Option<(&'static str, usize)> {
        (from..to).rev().find_map(|at| {
            let lengths =
                ITEMS.map(|item| (self.list(item.section).longest(&self.words[..to], at), item.name));
            let (length, name) = lengths.into_iter().max_by_key(|(length, _)| *length)?;
            (length > 0).then_some((name, at + length))
        })
    }

    /// True if the words before belong to a longer name: "create a ticket button".
    pub(super) fn compound(&self, at: usize) -> bool {
        at > 0 && self.words[at - 1].after == Gap::Space && self.list(COMPOUND).at(self.words, at)
    }

    /// "Create a ticket? No, …", "create the ticket not yet", "create a ticket for it not yet".
    pub(super) fn taken_back(&self, at: usize) -> bool {
        let last = &self.words[at - 1];
        let asked = last.after == Gap::Question && self.list(NEGATION).at(self.words, at);
        let stop = self.sentence_end(at - 1);
        let breath = (at - 1..stop).find(|&i| self.words[i].after > Gap::Space);
        let behind = at..breath.map_or(stop, |end| end + 1);
        let withdrawn = last.after == Gap::Space && self.list(WITHDRAWN).at(self.words, at);
        let last = self.list(WITHDRAWN_LAST);
        asked
            || withdrawn
            || last.is(&self.words[behind.end..stop])
            || behind.clone().any(|i| last.is(&self.words[i..behind.end]))
    }

    /// True if the clause is negated: by a word before it, as far as nothing divides them, or by one of the same
    /// sentence that is about items or left open by a comma ("don't, please, create a ticket").
    pub fn negated(&self, at: usize) -> bool {
        let reach = at.saturating_sub(REACH);
        let behind = |gap: Gap| {
            let last = self.words[reach..at].iter().rposition(|w| w.after >= gap);
            last.map_or(reach, |i| reach + i + 1)
        };
        let negation = self.list(NEGATION);
        // "It does not start so create a ticket": what is joined like this is another clause.
        let clause = behind(Gap::Soft);
        let joined = (clause..at).rev().find(|&i| self.list(JOINS_NEW).at(self.words, i));
        let clause = joined.map_or(clause, |i| i + 1);
        let far = |i: usize| {
            let end = (i..clause).find(|&i| self.words[i].after > Gap::Space).map_or(clause, |i| i + 1);
            let open = self.list(NEGATION_OPEN).longest(self.words, i);
            i + open == end || (i..end).any(|i| self.item_at(i))
        };
        (clause..at).any(|i| negation.at(self.words, i))
            || (behind(Gap::Hard)..clause).any(|i| negation.at(self.words, i) && far(i))
            || (at..self.behind_before(at)).any(|i| {
                // "no, create a ticket" answers something; "no need to …" does not get here.
                negation.at(self.words, i) && self.words[i].after == Gap::Space
            })
    }

    fn item_at(&self, at: usize) -> bool {
        ITEMS.into_iter().any(|item| self.list(item.section).at(self.words, at))
    }

    /// True if the clause is the second half of a sentence that tells what happens: "users can log in and create
    /// tickets".
    fn told(&self, from: usize) -> bool {
        if from == 0
            || self.words[from - 1].after > Gap::Space
            || !self.list(JOINS_AND).at(self.words, from - 1)
        {
            return false;
        }
        let reach = from.saturating_sub(REACH);
        let begin = self.words[reach..from].iter().rposition(|w| w.after > Gap::Space);
        let begin = begin.map_or(reach, |i| reach + i + 1);
        let asks = self.behind_before(begin);
        self.list(TELLS).at(self.words, begin)
            && ![begin, asks].into_iter().any(|at| self.list(ASK).at(self.words, at))
    }

    pub(super) fn sentence_end(&self, at: usize) -> usize {
        let most = self.words.len().min(at + SENTENCE);
        (at..most).find(|&i| self.words[i].after >= Gap::Hard).map_or(most, |i| i + 1)
    }

    /// Cuts out the subject as [`Self::object`] does. What stands behind a colon after the parts is their list: "an epic
    /// with stories: log in, log out".
    pub(super) fn object_or_list(&self, end: usize, stop: usize, several: &mut Several) -> Option<String> {
        let colon = self.message.text()[self.words[end - 1].end..].trim_start().starts_with(':');
        let object = self.object(end, stop, several);
        if colon && !several.parts.is_empty() && several.list.is_none() {
            several.list = object;
            return None;
        }
        object
    }

    /// Cuts out the subject of the item: the words from `end` to `stop`, without what introduces them.
    pub(super) fn object(&self, end: usize, stop: usize, several: &mut Several) -> Option<String> {
        if end >= stop || self.words[end - 1].after >= Gap::Hard {
            return None;
        }
        let from = end + self.list(ABOUT).longest(&self.words[..stop], end);
        let to = self.tail(several, from, stop);
        let words = self.words.get(from..to).filter(|w| !w.is_empty())?;
        if skip(&[self.list(POINTING)], words, 0) == words.len() {
            return None;
        }
        // From the last word before to the first word after, so that quotes and brackets of its own stay.
        let text = self.message.text();
        let begin = self.words[from - 1].end;
        let stop = self.words.get(to).map_or(text.len(), |w| w.at);
        let object = text[begin..stop]
            .trim_start_matches(|c: char| c.is_whitespace() || ":,;-–—.".contains(c))
            .lines()
            .next()
            .unwrap_or_default()
            .trim_end_matches(|c: char| c.is_whitespace() || ".,;:?!>".contains(c));
        Some(object.to_string()).filter(|object| !object.is_empty())
    }
}

/// `PROJ-12`: letters, a hyphen, digits.
fn is_key(message: &Words, word: &Word) -> bool {
    let (raw, rest) = (message.raw(word), &message.text()[word.end..]);
    let upper = raw.len() > 1 && raw.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    upper && rest.strip_prefix('-').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
}
