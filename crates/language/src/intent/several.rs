//! Requests for several items: "an epic with five stories", "two epics with 2 stories each", "three tickets". The words
//! are data (`data/*/requests/intent.txt`); numbers are read as everywhere else.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::rules::{Reader, section};
use crate::lexicon::SectionId;

/// Items of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The canonical noun: `epic`, `story`, `ticket`, …
    pub item: &'static str,
    /// The number of items, when one is given.
    pub count: Option<usize>,
    /// More than one is meant.
    pub plural: bool,
}

/// A request for several items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// The items that are asked for first.
    pub whole: Group,
    /// The items that belong to those, or come beside them.
    pub parts: Vec<Group>,
    /// The parts are counted for each of the whole.
    pub each: bool,
    /// The list on the same line, behind a colon or a dash.
    pub list: Option<String>,
}

const EACH: SectionId = section("several.each");
const FOR_EACH: SectionId = section("several.for_each");
const PARTS: SectionId = section("parts");
const PLURAL: SectionId = section("several.plural");
const TAIL: SectionId = section("several.tail");

impl Several {
    /// An epic with as many stories as there are: what a review is turned into.
    #[must_use]
    pub fn epic() -> Self {
        let whole = Group { item: "epic", count: None, plural: false };
        Self { whole, parts: Vec::new(), each: false, list: None }
    }

    /// An epic, or more than one item: several tickets whatever the text lists.
    #[must_use]
    pub fn certain(&self) -> bool {
        let many = |group: &Group| group.count.is_some_and(|n| n > 1);
        self.whole.item == "epic" || many(&self.whole) || self.parts.iter().any(many)
    }

    /// More than one is meant, and the text has to say which.
    #[must_use]
    pub fn possible(&self) -> bool {
        self.certain() || self.whole.plural
    }
}

impl Reader<'_> {
    /// The items asked for by the words from `at` to `end`, which name the first of them, and by what follows. Also where
    /// that ends.
    pub(super) fn several(&self, at: usize, end: usize) -> Option<(Several, usize)> {
        let mut whole = self.group(at, end)?;
        let for_each = self.list(FOR_EACH).longest(self.words, end);
        whole.plural |= for_each > 0 || self.each(at, end);
        let mut several = Several { whole, parts: Vec::new(), each: false, list: None };
        let end = self.more(&mut several, PARTS, end + for_each);
        Some((several, end))
    }

    /// Takes in the parts that are named from `at` on; says where they end.
    fn more(&self, several: &mut Several, section: SectionId, mut at: usize) -> usize {
        loop {
            let n = self.list(section).longest(self.words, at);
            if n == 0 {
                return at;
            }
            several.parts.extend(self.group(at, at + n));
            several.each |= self.each(at, at + n);
            at += n;
            let each = self.list(EACH).longest(self.words, at);
            several.each |= each > 0;
            at += each;
        }
    }

    /// Reads the items behind the object ("an epic for auth with 5 stories: log in, log out"), and returns where the
    /// object ends.
    pub(super) fn tail(&self, several: &mut Several, from: usize, to: usize) -> usize {
        let starts = |at: &usize| self.list(TAIL).longest(&self.words[..to], *at) > 0;
        let Some(at) = (from..to).find(starts).filter(|_| several.parts.is_empty()) else { return to };
        let end = self.more(several, TAIL, at);
        let text = self.message.text();
        let rest = text.get(self.words[end - 1].end..self.words.get(to).map_or(text.len(), |word| word.at));
        let rest = rest.and_then(|rest| rest.lines().next()).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || ":,;-–—.?!".contains(c));
        several.list = Some(rest.to_string()).filter(|rest| !rest.is_empty());
        at
    }

    /// "je ein Ticket", "mit je zwei Storys": said before what is counted.
    fn each(&self, at: usize, end: usize) -> bool {
        (at..end).any(|i| [EACH, FOR_EACH].into_iter().any(|id| self.list(id).at(&self.words[..end], i)))
    }

    fn group(&self, at: usize, end: usize) -> Option<Group> {
        let item = self.item(at, end)?;
        let counted = (at..end).find_map(|from| crate::count(self.message, from).filter(|(_, to)| *to < end));
        let plural = (at..end).any(|from| {
            let n = self.list(PLURAL).longest(&self.words[..end], from);
            n > 0 && from + n == end
        });
        let count = counted.and_then(|(n, _)| usize::try_from(n).ok());
        Some(Group { item, count, plural })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use crate::Words;
    use crate::intent::rules::rule;

    fn read(text: &str) -> String {
        let ruling = rule(&Words::of(text)).unwrap_or_else(|| panic!("no rule: {text}"));
        let Some(several) = ruling.several.filter(super::Several::possible) else { return "one".into() };
        let group = |group: &super::Group| match group.count {
            Some(n) => alloc::format!("{n} {}", group.item),
            None => alloc::format!("{} {}", if group.plural { "some" } else { "a" }, group.item),
        };
        let mut said = group(&several.whole);
        for part in &several.parts {
            said += &alloc::format!(" + {}", group(part));
        }
        if several.each {
            said += " each";
        }
        if let Some(object) = ruling.object {
            said += &alloc::format!(" | {object}");
        }
        if let Some(list) = several.list {
            said += &alloc::format!(" | {list}");
        }
        said
    }

    #[test]
    fn counts_and_parts() {
        for (text, expected) in [
            ("Create epic with 5 stories for auth", "a epic + 5 story | auth"),
            ("create an epic with five user stories for auth", "a epic + 5 story | auth"),
            ("Please create an epic and 3 stories about billing", "a epic + 3 story | billing"),
            (
                "create two epics with 2 stories each for auth and billing",
                "2 epic + 2 story each | auth and billing",
            ),
            (
                "create 3 tickets: login fails, slow search, dark mode",
                "3 ticket | login fails, slow search, dark mode",
            ),
            ("create twelve tickets for the audit", "12 ticket | the audit"),
            ("create an epic for auth with 5 stories", "a epic + 5 story | auth"),
            (
                "create an epic for auth with stories: log in, log out",
                "a epic + some story | auth | log in, log out",
            ),
            ("create tickets for: login, search", "some ticket | login, search"),
            ("create 2 bugs and 3 tasks for the export", "2 bug + 3 task | the export"),
            ("now create the epic for that", "a epic"),
            ("create an epic for auth", "a epic | auth"),
            ("create a couple of tasks for the release", "2 task | the release"),
            ("Create a ticket for login bug", "one"),
            ("create a ticket for 5 broken stories", "one"),
            ("file a bug about slow search", "one"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
