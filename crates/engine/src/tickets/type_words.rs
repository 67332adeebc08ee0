//! Reads a change of an item's type: "make it a story", "type: bug", "it's actually a bug".

use crate::data::ticket::ItemType;
use crate::tickets::edit::{IT, ItemRef, PLEASE, Reader, THE};
use crate::tickets::vocabulary::kind_at;
use throughline_language::Words;
use throughline_language::lexicon::{SectionId, TICKETS};

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const TYPE: SectionId = id("edit.type");
const MAKE: SectionId = id("edit.type.make");
const FROM: SectionId = id("edit.type.from");
const OUT_OF: SectionId = id("edit.type.out_of");
const TO: SectionId = id("edit.type.to");
const REALLY: SectionId = id("edit.type.really");
const IS: SectionId = id("edit.type.is");
const TAIL: SectionId = id("edit.type.tail");

/// Reads a message that says of which type an item is to be, and nothing else. The item is `None` if none is named.
pub(super) fn read(text: &str) -> Option<(Option<ItemRef>, ItemType)> {
    let words = Words::of(text);
    let reader = Reader::of(&words);
    if words.all().iter().any(|word| word.quoted) {
        return None;
    }
    let from = reader.skip(PLEASE, 0);
    [from, 0].into_iter().find_map(|at| {
        if let Some((item, kind, end)) = reader.made_of(at) {
            return (reader.skip(TAIL, end) == words.all().len()).then_some((item, kind));
        }
        let (item, at) = reader.made(at).or_else(|| reader.typed(at)).or_else(|| reader.is_of_type(at))?;
        let at = reader.skip(THE, at);
        let (kind, n) = kind_at(words.all(), at)?;
        (reader.skip(TAIL, at + n) == words.all().len()).then_some((item, kind))
    })
}

impl Reader<'_> {
    /// The item, and the word behind "make it", "turn story 2 into", "change the type to".
    fn made(&self, at: usize) -> Option<(Option<ItemRef>, usize)> {
        let verb = self.at(MAKE, at);
        let from = at + verb + self.at(OUT_OF, at + verb);
        let (item, end) = match self.item(self.skip(THE, from)) {
            Some((item, end)) => (Some(item), end),
            None => (None, from + self.at(IT, from).max(self.at(FROM, from))),
        };
        let typed = self.skip(THE, from);
        let named = self.at(TYPE, typed);
        let (item, end) = if named > 0 { self.of_item(typed + named) } else { (item, end) };
        (verb > 0 && end > from).then(|| (item, self.skip(TO, end)))
    }

    /// "make a task of story 2", "mach einen Bug daraus": the item, its new type, and the word behind.
    fn made_of(&self, at: usize) -> Option<(Option<ItemRef>, ItemType, usize)> {
        let verb = self.at(MAKE, at);
        let named = self.skip(THE, self.skip(REALLY, at + verb));
        let (kind, n) = kind_at(self.all, named).filter(|_| verb > 0)?;
        let out = named + n;
        let from = out + self.at(OUT_OF, out);
        let (item, end) = match self.item(self.skip(THE, from)) {
            Some((item, end)) => (Some(item), end),
            None => (None, from + self.at(IT, from)),
        };
        let whole = out + self.at(FROM, out);
        let (item, end) = if from > out && end > from { (item, end) } else { (None, whole) };
        (end > out).then_some((item, kind, end))
    }

    /// "type: bug", "the type is bug", "the type should be bug".
    fn typed(&self, at: usize) -> Option<(Option<ItemRef>, usize)> {
        let at = self.skip(THE, at);
        let named = self.at(TYPE, at);
        (named > 0).then(|| (None, self.skip(TO, at + named)))
    }

    /// "it's actually", "that should be".
    fn is_of_type(&self, at: usize) -> Option<(Option<ItemRef>, usize)> {
        let n = self.at(IS, at);
        (n > 0).then_some((None, at + n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ItemType::{Bug, Epic, Story, Task};

    #[test]
    fn types() {
        for (text, expected) in [
            ("make it a story", Some(Story)),
            ("Please make this a bug instead.", Some(Bug)),
            ("turn it into a user story", Some(Story)),
            ("turn the ticket into a bug", Some(Bug)),
            ("change the type to task", Some(Task)),
            ("set the issue type to bug", Some(Bug)),
            ("type: story", Some(Story)),
            ("the type should be bug", Some(Bug)),
            ("it's a bug", Some(Bug)),
            ("no, it's actually a bug", Some(Bug)),
            ("that's a bug, not a task", Some(Bug)),
            ("this should be a task", Some(Task)),
            ("rather a story", Some(Story)),
            ("make it an epic", Some(Epic)),
            ("mach es zu einer Story", Some(Story)),
            ("Mach daraus bitte einen Bug", Some(Bug)),
            ("das ist ein Bug", Some(Bug)),
            ("Das ist eher eine Story, keine Aufgabe", Some(Story)),
            ("ändere den Typ auf Bug", Some(Bug)),
            ("Typ: Aufgabe", Some(Task)),
            ("doch lieber eine Story", Some(Story)),
            // What says more is about something else.
            ("make it a story about logging in", None),
            ("it's a bug in the login", None),
            ("make it urgent", None),
            ("it's a shame", None),
            ("this is the bug that Bob saw", None),
            ("type your name", None),
            ("das ist ein Bug im Login", None),
            ("mach es dringend", None),
        ] {
            assert_eq!(read(text).map(|(_, kind)| kind), expected, "{text}");
        }
        let second = ItemRef { kind: Some(Story), n: Some(2) };
        assert_eq!(read("make story 2 a bug"), Some((Some(second), Bug)));
        for text in [
            "turn story 2 into a task",
            "make a task of story 2",
            "make a task out of story 2",
            "mach aus Story 2 eine Aufgabe",
        ] {
            assert_eq!(read(text), Some((Some(second), Task)), "{text}");
        }
        for text in [
            "make a task of it",
            "make a task out of this please",
            "mach eine Aufgabe daraus",
            "mach eine Aufgabe draus",
            "mach doch lieber eine Aufgabe daraus",
        ] {
            assert_eq!(read(text), Some((None, Task)), "{text}");
        }
        assert_eq!(read("make a task of the login page"), None);
    }
}
