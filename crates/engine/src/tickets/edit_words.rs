//! Reads edits of an open preview: "change the title to X", "drop story 3", "make it high priority", "add an acceptance
//! criterion: …". Only words that name a field or an item are an edit; anything else is none.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::Part;
use crate::tickets::edit::{Edit, IN, IT, PLEASE, Place, Reader, THE};
use crate::tickets::{field_value, vocabulary};
use throughline_language::Words;
use throughline_language::lexicon::{SectionId, TICKETS};
use throughline_language::words::Gap;

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const SET: SectionId = id("edit.set");
const TO: SectionId = id("edit.to");
const SHOULD: SectionId = id("edit.should");
const CALL: SectionId = id("edit.call");
const ASSIGN: SectionId = id("edit.assign");
const ADD: SectionId = id("edit.add");
const ADD_TAIL: SectionId = id("edit.add.tail");
const DROP: SectionId = id("edit.drop");
const REWORD: SectionId = id("edit.reword");
const MOVE: SectionId = id("edit.move");
const FIRST: SectionId = id("edit.place.first");
const LAST_PLACE: SectionId = id("edit.place.last");
const BEFORE: SectionId = id("edit.place.before");
const AFTER: SectionId = id("edit.place.after");
const ABOUT: SectionId = id("edit.about");

/// Reads a message as an edit.
pub(super) fn read(text: &str) -> Option<Edit> {
    let words = Words::of(text);
    let reader = Reader::of(&words);
    let first = reader.all.first()?;
    if first.quoted {
        return None;
    }
    let from = reader.skip(PLEASE, 0);
    [from, 0].into_iter().find_map(|at| reader.edit(at))
}

/// The longest text, in bytes, that is looked at for several settings.
const SETTINGS: usize = 500;

/// Reads a message as edits: one, or several settings of a field that follow one another ("assign it to bob and make it
/// urgent").
pub(super) fn read_all(text: &str) -> Vec<Edit> {
    let words = Words::of(text);
    let all = words.all();
    let sets = |text: &str| {
        read(text)
            .filter(|edit| matches!(edit, Edit::Set(_, part, _) if part.is_value() || *part == Part::Title))
    };
    let short = if text.len() > SETTINGS { 0 } else { all.len() };
    let split = (1..short).find_map(|at| {
        let joint = vocabulary::joint(all, at);
        let parts = joint > 0 || all[at - 1].after > Gap::Space;
        let next = all.get(at + joint).filter(|next| parts && !next.quoted)?;
        let first = sets(text[..all[at - 1].end].trim())?;
        let others = read_all(text[next.at..].trim());
        let fits = others.iter().all(|edit| matches!(edit, Edit::Set(..))) && !others.is_empty();
        fits.then(|| [first].into_iter().chain(others).collect())
    });
    split.unwrap_or_else(|| read(text).into_iter().collect())
}

/// Returns true if a text begins as one that sets a field: "change the title …", of whatever.
pub(super) fn begins_with_a_field(text: &str) -> bool {
    let words = Words::of(text);
    let reader = Reader::of(&words);
    let from = reader.skip(PLEASE, 0);
    let verb = reader.at(SET, from).max(reader.at(REWORD, from));
    verb > 0 && vocabulary::label_at(reader.all, reader.skip(THE, from + verb)).is_some()
}

impl Reader<'_> {
    fn edit(&self, at: usize) -> Option<Edit> {
        self.set(at)
            .or_else(|| self.called(at))
            .or_else(|| self.add(at))
            .or_else(|| self.moved(at))
            .or_else(|| self.drop(at))
            .or_else(|| self.reword(at))
    }

    /// "change the title to X", "set the priority of story 2 to high", "make it high priority", "the title should be X".
    fn set(&self, at: usize) -> Option<Edit> {
        let verb = self.at(SET, at).max(self.at(REWORD, at));
        let from = self.skip(THE, at + verb);
        if let Some((part, n)) = vocabulary::label_at(self.all, from) {
            let (item, end) = self.of_item(from + n);
            let to = self.at(if verb > 0 { TO } else { SHOULD }, end);
            let text = self.rest(end + to)?;
            let soft = end > 0 && self.all[end - 1].after == Gap::Soft;
            let given = to > 0 || verb > 0 && (soft || part.is_value());
            // "The owner should be notified" says no owner.
            let fits = || !part.is_value() || field_value::read(self.words.text(), &|_| false).is_some();
            return (given && (verb > 0 || from > at && fits())).then_some(Edit::Set(item, part, text));
        }
        let (item, from) = match self.item(from) {
            Some((item, end)) => (Some(item), end),
            None => (None, at + verb + self.at(IT, at + verb)),
        };
        let named = verb > 0 && from > at + verb;
        let value = self.skip(TO, from);
        if named && let Some(text) = self.priority(value) {
            return Some(Edit::Set(item, Part::Priority, text));
        }
        let to = self.at(TO, from);
        let titled = named && to > 0 && item.is_some();
        titled.then(|| Some(Edit::Set(item, Part::Title, self.rest(from + to)?)))?
    }

    /// "high priority", "urgent", "Priorität hoch", to the end of the text.
    fn priority(&self, at: usize) -> Option<String> {
        let level = vocabulary::level_at(self.words, at)?;
        (self.skip(PLEASE, level.end) == self.all.len()).then_some(level.name)
    }

    /// "call it X", "assign it to bob".
    fn called(&self, at: usize) -> Option<Edit> {
        let (title, person) = (self.at(CALL, at), self.at(ASSIGN, at));
        if title > 0 {
            return Some(Edit::Set(None, Part::Title, self.rest(at + title)?));
        }
        let name = |text: String| text.trim_start_matches('@').trim_end_matches(" zu").to_string();
        (person > 0).then(|| Some(Edit::Set(None, Part::Assignee, name(self.rest(at + person)?))))?
    }

    /// "add an acceptance criterion: X", "add X to the risks", "add a story: X".
    fn add(&self, at: usize) -> Option<Edit> {
        let verb = self.at(ADD, at);
        if verb == 0 {
            return None;
        }
        let from = self.skip(THE, at + verb);
        if let Some((part, n)) = vocabulary::label_at(self.all, from) {
            let tail = from + n + self.at(ADD_TAIL, from + n);
            let (item, end) = self.of_item(tail);
            let end = end + self.at(ADD_TAIL, end);
            return Some(Edit::Add(item, part, self.rest(end)?));
        }
        if let Some((kind, n)) = vocabulary::kind_at(self.all, from) {
            let tail = from + n + self.at(ADD_TAIL, from + n);
            let end = tail + self.at(ABOUT, tail);
            let divided = end > from + n || self.all[end - 1].after == Gap::Soft;
            return divided.then(|| Some(Edit::AddItem(kind, self.rest(end)?)))?;
        }
        // "add X to the risks": the part is named last.
        let last = (from + 1..self.all.len()).find_map(|at| {
            let begin = self.at(IN, at).max(self.at(TO, at));
            let named = self.skip(THE, at + begin);
            let (part, n) = vocabulary::label_at(self.all, named).filter(|_| begin > 0)?;
            (named + n == self.all.len()).then_some((at, part))
        });
        last.map(|(end, part)| Edit::Add(None, part, self.words.slice(&self.all[from..end]).to_string()))
    }

    /// "move story 3 to the top", "move the last one before story 1".
    fn moved(&self, at: usize) -> Option<Edit> {
        let verb = self.at(MOVE, at);
        let (item, end) = self.item(self.skip(THE, at + verb)).filter(|_| verb > 0)?;
        let simple = [(FIRST, Place::First), (LAST_PLACE, Place::Last)];
        let whole = |section: SectionId| {
            let n = self.at(section, end);
            n > 0 && end + n == self.all.len()
        };
        if let Some((_, place)) = simple.into_iter().find(|(section, _)| whole(*section)) {
            return Some(Edit::Move(item, place));
        }
        let (before, after) = (self.at(BEFORE, end), self.at(AFTER, end));
        let (other, stop) =
            self.item(self.skip(THE, end + before.max(after))).filter(|_| before + after > 0)?;
        let place = if before > 0 { Place::Before(other) } else { Place::After(other) };
        (stop == self.all.len()).then_some(Edit::Move(item, place))
    }

    /// "drop story 3", "remove the risks".
    fn drop(&self, at: usize) -> Option<Edit> {
        let verb = self.at(DROP, at);
        let from = self.skip(THE, at + verb);
        if verb == 0 {
            return None;
        }
        if let Some((item, end)) = self.item(from) {
            return (self.skip(PLEASE, end) == self.all.len()).then_some(Edit::Drop(item));
        }
        let (part, n) = vocabulary::label_at(self.all, from)?;
        let (item, end) = self.of_item(from + n);
        (self.skip(PLEASE, end) == self.all.len()).then_some(Edit::Clear(item, part))
    }

    /// "reword the second"
    fn reword(&self, at: usize) -> Option<Edit> {
        let verb = self.at(REWORD, at);
        let (item, end) = self.item(self.skip(THE, at + verb)).filter(|_| verb > 0)?;
        let end = if self.words.folded(self.all.get(end).unwrap_or(&self.all[end - 1])) == "um" {
            end + 1
        } else {
            end
        };
        (self.skip(PLEASE, end) == self.all.len()).then_some(Edit::Reword(item))
    }

    /// The text from a word on, without quotes around it.
    fn rest(&self, at: usize) -> Option<String> {
        let from = self.all.get(at)?.at;
        let begin = self.all.get(at.checked_sub(1)?)?.end;
        let lead = self.words.text()[begin..from].trim_start_matches([':', ',', '-', '–', ' ', '\n', '\t']);
        let text = &self.words.text()[from - lead.len()..];
        let quotes = ['"', '“', '”', '„', '«', '»'];
        let bare = text.trim().trim_matches(quotes);
        let inside = bare.contains(quotes);
        let text = if inside { text.trim() } else { bare };
        Some(text.trim().to_string()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ticket::ItemType::{self, Epic, Story};
    use crate::tickets::edit::ItemRef;

    fn nth(kind: Option<ItemType>, n: usize) -> ItemRef {
        ItemRef { kind, n: Some(n) }
    }

    #[test]
    fn several_settings_are_read() {
        let set = |part, text: &str| Edit::Set(None, part, text.into());
        for (text, expected) in [
            (
                "assign it to me and make it urgent",
                &[set(Part::Assignee, "me"), set(Part::Priority, "urgent")][..],
            ),
            (
                "rename it to Login fails, set the priority to high and assign it to bob",
                &[set(Part::Title, "Login fails"), set(Part::Priority, "high"), set(Part::Assignee, "bob")],
            ),
            ("call it Search and replace", &[set(Part::Title, "Search and replace")]),
            ("assign it to Bob and Anna", &[set(Part::Assignee, "Bob and Anna")]),
            (
                "weise es Bob zu und mach die Priorität hoch",
                &[set(Part::Assignee, "Bob"), set(Part::Priority, "hoch")],
            ),
            ("hello and goodbye", &[]),
        ] {
            assert_eq!(read_all(text), expected, "{text}");
        }
    }

    #[test]
    fn edits_are_read() {
        let set = |part, text: &str| Edit::Set(None, part, text.into());
        let story = |n| nth(Some(Story), n);
        for (text, expected) in [
            ("change the title to Login fails on Safari", set(Part::Title, "Login fails on Safari")),
            ("Please change the title to \"Login: fails\"", set(Part::Title, "Login: fails")),
            ("the title should be X y", set(Part::Title, "X y")),
            ("the priority should be high", set(Part::Priority, "high")),
            ("call it Safari login", set(Part::Title, "Safari login")),
            ("make it high priority", set(Part::Priority, "high")),
            ("make it urgent, please", set(Part::Priority, "urgent")),
            ("set the priority to low", set(Part::Priority, "low")),
            ("assign it to @bob", set(Part::Assignee, "bob")),
            ("drop story 3", Edit::Drop(story(3))),
            ("remove the second", Edit::Drop(nth(None, 2))),
            ("delete the last story", Edit::Drop(ItemRef { kind: Some(Story), n: None })),
            ("remove the risks", Edit::Clear(None, Part::Risks)),
            ("add an acceptance criterion: it works", Edit::Add(None, Part::Acceptance, "it works".into())),
            ("add it works to the acceptance criteria", Edit::Add(None, Part::Acceptance, "it works".into())),
            ("add a story: Log out", Edit::AddItem(Story, "Log out".into())),
            ("add another story for dark mode", Edit::AddItem(Story, "dark mode".into())),
            ("reword the second", Edit::Reword(nth(None, 2))),
            ("reword story 2 to Log out", Edit::Set(Some(story(2)), Part::Title, "Log out".into())),
            (
                "change the title of story 2 to Log out",
                Edit::Set(Some(story(2)), Part::Title, "Log out".into()),
            ),
            (
                "set the title of the epic to Auth",
                Edit::Set(Some(nth(Some(Epic), 1)), Part::Title, "Auth".into()),
            ),
            ("move story 3 to the top", Edit::Move(story(3), Place::First)),
            ("move story 3 before story 1", Edit::Move(story(3), Place::Before(story(1)))),
            ("ändere den Titel in Login geht nicht", set(Part::Title, "Login geht nicht")),
            ("Setze die Priorität auf hoch", set(Part::Priority, "hoch")),
            ("streich Story 3", Edit::Drop(story(3))),
            ("entferne die zweite", Edit::Drop(nth(None, 2))),
            (
                "füge ein Akzeptanzkriterium hinzu: es geht",
                Edit::Add(None, Part::Acceptance, "es geht".into()),
            ),
            ("formuliere die zweite um", Edit::Reword(nth(None, 2))),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_messages_are_none() {
        for text in [
            "change the login page",
            "the title is wrong",
            "the owner should be notified",
            "the priority should be shown in red",
            "die Priorität soll sichtbar sein",
            "add a button",
            "add the export to the roadmap",
            "drop the table",
            "remove the button from the page",
            "make it work",
            "make it so",
            "move to Berlin",
            "create a ticket for the title",
            "story 3",
            "what is the title?",
            "\"change the title to X\"",
            "call me",
            "assign",
            "the first",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
