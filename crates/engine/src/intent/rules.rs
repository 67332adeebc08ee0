//! Intent by rules (`spec 03 §1`, stage 1): only what a message says explicitly.
//!
//! A rule is a section of `data/en.txt`, looked for at the beginning of each clause. It never fires on quoted words,
//! behind a negation of the same sentence, or on a question about tickets, which is meta.

use alloc::string::{String, ToString};

use super::several::Several;
use crate::recognize::lexicon::{self, INTENT, INTENT_NAMES, Lexicon, Section, SectionId, skip};
use crate::recognize::words::{Gap, Word};
use crate::recognize::{Words, greeting};

/// What a rule decides; the other intents are not for rules (`spec 03 §1`).
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

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The intent.
    pub intent: RuledIntent,
    /// The rule's name, for the trace.
    pub rule: &'static str,
    /// What the item is about, in the user's own spelling; `None` when only "this" is.
    pub object: Option<String>,
    /// The canonical noun of the item asked for: `ticket`, `bug`, `story`, `epic`, `task`, `subtask`, `issue`,
    /// `incident` or `feature`.
    pub item: Option<&'static str>,
    /// What else is asked for with it: how many, and which parts.
    pub several: Option<Several>,
}

impl Ruling {
    fn of(intent: RuledIntent, rule: &'static str) -> Self {
        Self { intent, rule, object: None, item: None, several: None }
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
        Self { name, section: named(name) }
    }

    const fn item(name: &'static str, section: &str) -> Self {
        Self { name, section: named(section) }
    }
}

/// Rules that read a clause from its beginning, in the order they win; ticket questions come before requests.
const META: [Shown; 7] = [
    Shown::rule("meta.ticket_question"),
    Shown::rule("meta.ticket_lookup"),
    Shown::rule("meta.capabilities"),
    Shown::rule("meta.help"),
    Shown::rule("meta.status"),
    Shown::rule("meta.forget"),
    Shown::rule("meta.bot"),
];
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

const ABOUT: SectionId = named("about");
const ASK: SectionId = named("ask");
pub(super) const BEFORE: SectionId = named("before");
const CHANGE: SectionId = named("change");
const COMPOUND: SectionId = named("item.compound");
const DECISION: SectionId = named("decision.record");
const DECISION_NOT: SectionId = named("decision.compound");
const JOINS: SectionId = named("joins");
const NEGATION: SectionId = named("negation");
const PASSIVE: SectionId = named("ticket.passive");
const PASSIVE_END: SectionId = named("ticket.passive.end");
const POINTING: SectionId = named("pointing");
const REVIEW: SectionId = named("review.this");
const REVIEW_BARE: SectionId = named("review.bare");
const REVIEW_NOT: SectionId = named("review.not");
const THE: SectionId = named("the");
const UPDATE: SectionId = named("ticket.update");

/// The section of that name in the lexicons of requests.
pub(crate) const fn named(name: &str) -> SectionId {
    lexicon::named(INTENT_NAMES, name)
}

/// How far back a negation reaches, and how long a sentence may be: bounds that keep the reader linear.
const REACH: usize = 24;
const SENTENCE: usize = 64;

/// The ruling on a message, when a rule decides it.
#[must_use]
pub fn rule(message: &Words) -> Option<Ruling> {
    if greeting(message) {
        return Some(Ruling::of(RuledIntent::Meta, "meta.greeting"));
    }
    readers(message).find_map(|reader| reader.rule())
}

/// A reader for each language.
pub(crate) fn readers(message: &Words) -> impl Iterator<Item = Reader<'_>> {
    INTENT.iter().map(|lexicon| Reader { lexicon, message, words: message.all() })
}

/// A message, read with the words of one language.
pub(crate) struct Reader<'m> {
    lexicon: &'static Lexicon,
    pub(super) message: &'m Words,
    pub(crate) words: &'m [Word],
}

impl Reader<'_> {
    pub(crate) fn list(&self, section: SectionId) -> Section {
        self.lexicon.section(section)
    }

    fn rule(&self) -> Option<Ruling> {
        (0..self.words.len()).filter(|&at| self.begins_clause(at)).find_map(|at| self.at(at))
    }

    /// Whether a clause begins here: at the start, behind punctuation, or behind a joining word.
    pub(super) fn begins_clause(&self, at: usize) -> bool {
        at == 0 || self.words[at - 1].after > Gap::Space || self.list(JOINS).at(self.words, at - 1)
    }

    /// The ruling on the clause that begins at `from`.
    fn at(&self, from: usize) -> Option<Ruling> {
        let start = skip(&[self.list(BEFORE)], self.words, from).max(from);
        // "could you create": a phrase of [before] may be the beginning of the request itself.
        let starts = if start == from { &[from][..] } else { &[start, from] };
        let fresh = || starts.iter().copied().filter(|&at| at < self.words.len() && !self.words[at].quoted);
        fresh()
            .find_map(|at| self.meta(from, at))
            .or_else(|| (!self.negated(from)).then(|| fresh().find_map(|at| self.request(at)))?)
    }

    /// Questions and whole messages about the assistant.
    fn meta(&self, from: usize, at: usize) -> Option<Ruling> {
        META.into_iter().find_map(|rule| {
            let n = self.list(rule.section).longest(self.words, at);
            let whole = at + n == self.words.len();
            let fits = match rule.name {
                "meta.ticket_question" | "meta.ticket_lookup" => n > 0 && !self.negated(from),
                _ => n > 0 && whole,
            };
            fits.then(|| Ruling::of(RuledIntent::Meta, rule.name))
        })
    }

    fn request(&self, at: usize) -> Option<Ruling> {
        CREATE
            .into_iter()
            .find_map(|rule| self.create(at, rule))
            .or_else(|| self.passive(at))
            .or_else(|| self.update(at))
            .or_else(|| self.review(at))
            .or_else(|| self.decision(at))
    }

    fn create(&self, at: usize, rule: Shown) -> Option<Ruling> {
        let n = self.list(rule.section).longest(self.words, at);
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
        let object = self.object(after, &mut several);
        Some(Ruling {
            object,
            item: Some(item),
            several: Some(several),
            ..Ruling::of(RuledIntent::Ticket, rule.name)
        })
    }

    /// "a ticket about X needs to be opened": the verb ends the sentence.
    fn passive(&self, at: usize) -> Option<Ruling> {
        let n = self.list(PASSIVE).longest(self.words, at);
        let item = self.item(at, at + n)?;
        let end = self.sentence_end(at);
        let ends = |i: usize| {
            let m = self.list(PASSIVE_END).longest(self.words, i);
            m > 0 && i + m == end
        };
        (at + n - 1..end)
            .any(ends)
            .then(|| Ruling { item: Some(item), ..Ruling::of(RuledIntent::Ticket, "ticket.passive") })
    }

    fn update(&self, at: usize) -> Option<Ruling> {
        let list = self.list(UPDATE);
        let n = list.longest(self.words, at);
        let change = skip(&[self.list(ASK)], self.words, at);
        let verb = self.list(CHANGE).longest(self.words, change);
        let keyed = change + verb + self.list(THE).longest(self.words, change + verb);
        let rule = Ruling::of(RuledIntent::TicketChange, "ticket.update");
        if n > 0 && !self.compound(at + n) {
            return Some(Ruling { item: self.item(at, at + n), ..rule });
        }
        (verb > 0 && self.words.get(keyed).is_some_and(|w| is_key(self.message, w))).then_some(rule)
    }

    fn review(&self, at: usize) -> Option<Ruling> {
        let n = self.list(REVIEW).longest(self.words, at);
        let bare = self.list(REVIEW_BARE).longest(self.words, at);
        let found = n > 0 && !self.list(REVIEW_NOT).at(self.words, at + n);
        let whole = bare > 0 && at + bare == self.words.len();
        (found || whole).then(|| Ruling::of(RuledIntent::Review, "review.this"))
    }

    /// "record the decision: …": what is recorded is the rest of the message.
    fn decision(&self, at: usize) -> Option<Ruling> {
        let n = self.list(DECISION).longest(self.words, at);
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
        (from..to).rev().find_map(|at| {
            let lengths =
                ITEMS.map(|item| (self.list(item.section).longest(&self.words[..to], at), item.name));
            let (length, name) = lengths.into_iter().max_by_key(|(length, _)| *length)?;
            (length > 0).then_some(name)
        })
    }

    /// Whether the words before belong to a longer name: "create a ticket button".
    fn compound(&self, at: usize) -> bool {
        at > 0 && self.words[at - 1].after == Gap::Space && self.list(COMPOUND).at(self.words, at)
    }

    /// "Create a ticket? No, …".
    fn taken_back(&self, at: usize) -> bool {
        self.words[at - 1].after == Gap::Question && self.list(NEGATION).at(self.words, at)
    }

    /// Whether the clause stands under a negation: one earlier in its sentence.
    pub(super) fn negated(&self, at: usize) -> bool {
        let reach = at.saturating_sub(REACH);
        let begin =
            self.words[reach..at].iter().rposition(|w| w.after >= Gap::Hard).map_or(reach, |i| reach + i + 1);
        let negation = self.list(NEGATION);
        (begin..at).any(|i| negation.at(self.words, i))
            || (at..skip(&[self.list(BEFORE)], self.words, at)).any(|i| {
                // "no, create a ticket" answers something; "no need to …" does not get here.
                negation.at(self.words, i) && self.words[i].after == Gap::Space
            })
    }

    fn sentence_end(&self, at: usize) -> usize {
        let most = self.words.len().min(at + SENTENCE);
        (at..most).find(|&i| self.words[i].after >= Gap::Hard).map_or(most, |i| i + 1)
    }

    /// What the item is about: the rest of the sentence, or the sentence a colon or dash introduces.
    fn object(&self, end: usize, several: &mut Several) -> Option<String> {
        if end >= self.words.len() || self.words[end - 1].after >= Gap::Hard {
            return None;
        }
        let from = end + self.list(ABOUT).longest(self.words, end);
        let to = self.tail(several, from, self.sentence_end(from));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets() {
        for (text, item, object) in [
            ("Create a ticket for login bug", "ticket", Some("login bug")),
            ("create a bug: Login fails\nSteps: open the page", "bug", Some("Login fails")),
            ("Now create a ticket for something unrelated", "ticket", Some("something unrelated")),
            ("please open a ticket for the broken printer", "ticket", Some("the broken printer")),
            ("can you create a bug for the Safari crash?", "bug", Some("the Safari crash")),
            ("I need a ticket for VPN access", "ticket", Some("VPN access")),
            ("file a bug about slow search", "bug", Some("slow search")),
            ("log an issue: disk full", "issue", Some("disk full")),
            ("Create epic with 5 stories for auth", "epic", Some("auth")),
            ("now create the epic for that", "epic", None),
            ("create a ticket for this", "ticket", None),
            ("make a jira ticket for this", "ticket", None),
            ("create 3 stories from this review", "story", None),
            ("create a ticket for that bug, please", "ticket", None),
            ("create a ticket for the bug in the export", "ticket", Some("the bug in the export")),
            ("Let's create a ticket", "ticket", None),
            ("The login is broken. Please create a bug for it", "bug", None),
            ("turn this into a user story", "story", None),
            ("Could you please file a feature request for dark mode?", "feature", Some("dark mode")),
            ("open an urgency high ticket about printer not working", "ticket", Some("printer not working")),
            ("create subtasks for SCRUM-1111", "subtask", Some("SCRUM-1111")),
            ("open incident", "incident", None),
            ("would you mind opening a ticket for the VPN?", "ticket", Some("the VPN")),
            ("This should be a ticket", "ticket", None),
            ("ok, thanks. File a bug: \"Save\" does nothing", "bug", Some("\"Save\" does nothing")),
        ] {
            let ruling = rule(&Words::of(text)).unwrap_or_else(|| panic!("no rule: {text}"));
            assert_eq!(ruling.intent, RuledIntent::Ticket, "{text}: {}", ruling.rule);
            assert_eq!((ruling.item, ruling.object.as_deref()), (Some(item), object), "{text}");
        }
    }

    #[test]
    fn rules_by_name() {
        for (text, expected) in [
            ("Create a ticket for login bug", "ticket.create"),
            ("I need a ticket for X", "ticket.want"),
            ("update SCRUM-1111", "ticket.update"),
            ("Update issue's title to printer not working", "ticket.update"),
            ("please change the priority of the ticket", "ticket.update"),
            ("set aside, change the ticket's description", "ticket.update"),
            ("Review this architecture", "review.this"),
            ("please review this", "review.this"),
            ("can you review the design?", "review.this"),
            ("do a security review of the login flow", "review.this"),
            ("security review please", "review.this"),
            ("Record the decision: we use Postgres", "decision.record"),
            ("please log this decision", "decision.record"),
            ("can you note down our decision on caching: Redis", "decision.record"),
            ("Halte die Entscheidung fest: wir nehmen Postgres", "decision.record"),
            ("Bitte protokolliere diesen Beschluss", "decision.record"),
            ("what can you do", "meta.capabilities"),
            ("What can you do?", "meta.capabilities"),
            ("help", "meta.help"),
            ("hello there", "meta.greeting"),
            ("how do I create a ticket?", "meta.ticket_question"),
            ("what is an epic?", "meta.ticket_question"),
            ("show my tickets", "meta.ticket_lookup"),
            ("what is open?", "meta.status"),
        ] {
            assert_eq!(rule(&Words::of(text)).map(|r| r.rule), Some(expected), "{text}");
        }
    }

    #[test]
    fn silence() {
        for text in [
            "What do you think about microservices?",
            "don't create a ticket yet",
            "don’t create a ticket",
            "no need to open a ticket",
            "let's not file a bug",
            "we should not create a ticket and file a bug",
            "should we create a ticket?",
            "He said \"create a ticket for the login bug\"",
            "> create a ticket for the login bug",
            "the log says `create a ticket`",
            "Create a ticket button is broken",
            "when I create a ticket it crashes",
            "users create a ticket every day",
            "no ticket needed",
            "change the ticket status page",
            "without a ticket",
            "the ticket is closed",
            "I have this issue as well",
            "thanks, looks good",
            "don't record the decision yet",
            "He said \"record the decision\"",
            "should we record the decision?",
            "we record the decision log every week",
            "record the decision tree",
            "Halte die Entscheidung nicht fest",
            "I like the approach",
            "open issues are listed in the document",
            "Creating an issue on GitHub fails",
            "you can open a new issue",
            "we should create a ticket",
            "this could be a bug",
            "I'm trying to create an issue",
            "what issues do you see in this design?",
            "are there any issues with this plan?",
            "is the issue in the cache layer?",
            "which issue should we tackle first?",
            "",
        ] {
            assert_eq!(rule(&Words::of(text)), None, "{text}");
        }
    }
}
