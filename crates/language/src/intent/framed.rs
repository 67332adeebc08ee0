//! Requests whose verb comes last: "a ticket about X needs to be opened", "Kannst du ein Ticket für X anlegen?", "Leg
//! ein Ticket für X an". One section has the beginnings of such clauses, another one their ends; the object is between
//! them.

use super::rules::{Reader, RuledIntent, Ruling, section};
use crate::lexicon::SectionId;
use crate::words::Gap;

/// A rule of two sections.
struct Frame {
    /// Its name, for the trace.
    rule: &'static str,
    intent: RuledIntent,
    head: SectionId,
    end: SectionId,
    /// It has no word of asking, and is one only where a sentence begins.
    bare: bool,
}

impl Frame {
    const fn of(rule: &'static str, intent: RuledIntent, [head, end]: [&'static str; 2], bare: bool) -> Self {
        Self { rule, intent, head: section(head), end: section(end), bare }
    }
}

use RuledIntent::{Review, Ticket, TicketChange};

/// In the order they win.
static FRAMES: [Frame; 7] = [
    Frame::of("ticket.create", Ticket, ["ticket.framed", "ticket.framed.end"], false),
    Frame::of("ticket.create", Ticket, ["ticket.split", "ticket.split.end"], false),
    Frame::of("ticket.create", Ticket, ["ticket.bare", "ticket.bare.end"], true),
    Frame::of("ticket.passive", Ticket, ["ticket.passive", "ticket.passive.end"], false),
    Frame::of("ticket.update", TicketChange, ["update.framed", "update.framed.end"], false),
    Frame::of("review.this", Review, ["review.framed", "review.framed.end"], false),
    Frame::of("review.this", Review, ["review.split", "review.split.end"], false),
];

const NEGATION: SectionId = section("negation");

impl Reader<'_> {
    /// The ruling on a clause that begins at `from`, and whose request may begin at `at`.
    pub(super) fn framed(&self, from: usize, at: usize) -> Option<Ruling> {
        FRAMES.iter().find_map(|frame| {
            let n = self.longest(frame.head, at);
            let begins = || from == 0 || self.words[from - 1].after >= Gap::Hard;
            (n > 0 && (!frame.bare || begins())).then(|| self.filled(frame, at, n))?
        })
    }

    fn filled(&self, frame: &Frame, at: usize, n: usize) -> Option<Ruling> {
        let ruling = Ruling::of(frame.intent, frame.rule);
        let quoted = |to: usize| self.words[at..to].iter().any(|word| word.quoted);
        if frame.intent == Review {
            let (verb, _) = self.last_verb(frame, at + n - 1, at + n)?;
            return (!quoted(at + n) && !self.denied(verb)).then_some(ruling);
        }
        let (item, noun) = self.noun(at, at + n)?;
        let (verb, end) = self.last_verb(frame, (at + n - 1).max(noun), noun)?;
        if quoted(noun) || self.compound(noun) || self.taken_back(noun) || self.denied(verb) {
            return None;
        }
        if frame.intent == TicketChange {
            return Some(Ruling { item: Some(item), ..ruling });
        }
        let (mut several, after) = self.several(at, noun)?;
        let between = self.object_or_list(after, verb, &mut several);
        if several.list.is_some() && between.is_none() {
            return Some(Ruling { item: Some(item), several: Some(several), ..ruling });
        }
        // "Kannst du ein Ticket anlegen für X": what it is about stands behind the verb.
        let last = if between.is_some() || end == self.words.len() { verb } else { self.sentence_end(end) };
        let object = between.or_else(|| self.object(end, self.sentence_end(end), &mut several));
        let ruling = ruling.placed(self.bytes(at, noun), self.words[last - 1].end);
        Some(Ruling { object, item: Some(item), several: Some(several), ..ruling })
    }

    /// Finds the last words of the clause, from `from` on: they end a sentence or come before a comma or colon.
    fn last_verb(&self, frame: &Frame, from: usize, noun: usize) -> Option<(usize, usize)> {
        let stop = self.sentence_end(noun - 1);
        let list = self.list(frame.end);
        (from..stop).find_map(|at| {
            let end = at + list.longest(&self.words[..stop], at);
            (end > at && (end == stop || self.words[end - 1].after > Gap::Space)).then_some((at, end))
        })
    }

    /// "ein Ticket für den Login noch nicht anlegen"
    fn denied(&self, verb: usize) -> bool {
        verb > 0 && self.list(NEGATION).at(self.words, verb - 1)
    }
}
