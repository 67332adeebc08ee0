//! Plans the items of a batch from a request: as many as asked for, filled from the text, and empty where the
//! text has nothing.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::{ItemType, Part};
use crate::tickets::batch::list_parser;
use crate::tickets::batch::list_parser::{ListEntry, Outline};
use crate::tickets::extract::fill;
use crate::tickets::extract::title_line;
use crate::tickets::{extract, vocabulary};
use throughline_language::intent::several::{Group, Several};

/// The size and kinds of a batch, and the text to fill it from.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchSpec<'t> {
    /// Number of epics; 0 for items without one.
    pub(crate) epics: usize,
    /// Number of items below the epics, or of all items without epics. `None`: as many as the text lists.
    pub(crate) items: Option<usize>,
    /// True if `items` counts for each epic, not for all together.
    pub(crate) each: bool,
    /// Type of the items. `None`: guessed from the text of each.
    pub(crate) kind: Option<ItemType>,
    /// Further items by type, with their numbers.
    pub(crate) more: Vec<(Option<ItemType>, usize)>,
    /// Subject of the request: "auth".
    pub(crate) topic: &'t str,
    /// Source text: the lines below the request, a review, the thread.
    pub(crate) text: &'t str,
    /// True if the lists in the text are items; else the whole text describes the epic.
    pub(crate) lists: bool,
}

/// One item of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedItem {
    pub(super) kind: ItemType,
    pub(super) parts: BTreeMap<Part, String>,
    /// Index of its epic in the plan.
    pub(super) under: Option<usize>,
}

impl PlannedItem {
    /// Writes what the request says of all its items; what is said of this one counts more.
    pub(super) fn qualify(&mut self, fields: &BTreeMap<Part, String>) {
        for (part, value) in fields {
            self.parts.entry(*part).or_insert_with(|| value.clone());
        }
    }
}

impl<'t> BatchSpec<'t> {
    /// Reads the size and kinds from a request.
    pub(crate) fn of(several: &Several, topic: &'t str, text: &'t str) -> Self {
        let first = several.parts.first();
        let add = |all: usize, group: &Group| Some(all.saturating_add(group.count?));
        let all = several.parts.iter().try_fold(0, add);
        let mut wanted = Self { each: several.each, topic, text, ..Self::default() };
        if several.whole.item == "epic" {
            wanted.epics = several.whole.count.unwrap_or(1).max(1);
            wanted.items = first.and(all);
            wanted.kind = first.map_or(Some(ItemType::Story), |group| item_type(group.item));
        } else {
            wanted.items = several.whole.count;
            wanted.kind = item_type(several.whole.item);
            let count = |group: &Group| (item_type(group.item), group.count.unwrap_or(1));
            wanted.more = several.parts.iter().map(count).collect();
        }
        wanted
    }

    /// Returns the number of items asked for in all, saturating: a person can write any number.
    pub(super) fn asked(&self) -> usize {
        let more = self.more.iter().fold(0, |all: usize, (_, n)| all.saturating_add(*n));
        let stories = self.items.unwrap_or_default().saturating_add(more);
        let times = if self.each { self.epics.max(1) } else { 1 };
        self.epics.saturating_add(stories.saturating_mul(times))
    }
}

/// Returns the item type of a noun; `None` for "ticket" and others that may be any type.
pub(crate) fn item_type(noun: &str) -> Option<ItemType> {
    match noun {
        "bug" => Some(ItemType::Bug),
        "story" => Some(ItemType::Story),
        "epic" => Some(ItemType::Epic),
        "task" => Some(ItemType::Task),
        _ => None,
    }
}

/// Returns the items in order, each epic before its stories.
pub(super) fn plan(wanted: &BatchSpec<'_>, title_chars: usize) -> Vec<PlannedItem> {
    let said = || Outline { head: wanted.text.into(), entries: Vec::new() };
    let outline = if wanted.lists { list_parser::outline(wanted.text) } else { said() };
    if wanted.epics == 0 { flat(wanted, outline, title_chars) } else { epics(wanted, outline, title_chars) }
}

fn flat(wanted: &BatchSpec<'_>, outline: Outline, title_chars: usize) -> Vec<PlannedItem> {
    let listed = entries_of(&outline);
    let named = list_parser::pieces(wanted.topic);
    let texts = if listed.is_empty() && (named.len() > 1 || wanted.items.is_none()) { named } else { listed };
    let mut items: Vec<PlannedItem> =
        texts.iter().map(|text| planned(text, wanted.kind, None, title_chars)).collect();
    for item in &mut items {
        said_of_all(&mut item.parts, &outline.head);
    }
    pad(&mut items, wanted.items.unwrap_or_default(), wanted.kind, None);
    for (kind, n) in &wanted.more {
        let asked = items.len() + n;
        pad(&mut items, asked, *kind, None);
    }
    items
}

fn epics(wanted: &BatchSpec<'_>, outline: Outline, title_chars: usize) -> Vec<PlannedItem> {
    let nested = wanted.epics > 1 && outline.entries.iter().any(|entry| entry.inner);
    let named = list_parser::pieces(wanted.topic);
    let mut titles: Vec<String> = match wanted.epics {
        1 => alloc::vec![wanted.topic.to_string()],
        n if named.len() == n => named,
        _ => Vec::new(),
    };
    let mut groups: Vec<Vec<String>> = Vec::new();
    if nested {
        titles.clear();
        for ListEntry { inner, text } in &outline.entries {
            match (inner, groups.last_mut()) {
                (true, Some(group)) => group.push(text.clone()),
                _ => {
                    titles.push(text.clone());
                    groups.push(Vec::new());
                }
            }
        }
    } else {
        groups = shared(entries_of(&outline), wanted.epics, wanted.items.filter(|_| wanted.each));
    }
    if let [title] = titles.as_mut_slice()
        && title.is_empty()
        && let Some(group) = groups.first()
    {
        // An epic that is called by nothing but its stories.
        let heads: Vec<&str> = group.iter().filter_map(|entry| entry.lines().next()).collect();
        *title = heads.join(", ");
    }
    let count = wanted.epics.max(titles.len());
    let mut items = Vec::new();
    for n in 0..count {
        let mut epic =
            planned(titles.get(n).map_or("", String::as_str), Some(ItemType::Epic), None, title_chars);
        said_of_all(&mut epic.parts, &outline.head);
        let at = items.len();
        items.push(epic);
        let stories = groups.get(n).map(Vec::as_slice).unwrap_or_default();
        let kind = wanted.kind.or(Some(ItemType::Story));
        let stories = stories.iter().map(|text| planned(text, kind, Some(at), title_chars));
        let mut stories: Vec<PlannedItem> = stories.collect();
        pad(&mut stories, asked_of(wanted, n), kind, Some(at));
        items.append(&mut stories);
    }
    items
}

/// Returns the number of stories asked for the `n`th epic. A total is shared evenly; the first epics get the
/// remainder.
fn asked_of(wanted: &BatchSpec<'_>, n: usize) -> usize {
    let items = wanted.items.unwrap_or_default();
    if wanted.each { items } else { items / wanted.epics + usize::from(n < items % wanted.epics) }
}

/// Distributes a flat list of stories among the epics, in order.
fn shared(entries: Vec<String>, epics: usize, each: Option<usize>) -> Vec<Vec<String>> {
    let per = each.unwrap_or_else(|| entries.len().div_ceil(epics)).max(1);
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (at, entry) in entries.into_iter().enumerate() {
        let group = (at / per).min(epics - 1);
        groups.resize_with(groups.len().max(group + 1), Vec::new);
        groups[group].push(entry);
    }
    groups
}

fn entries_of(outline: &Outline) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for ListEntry { inner, text } in &outline.entries {
        match texts.last_mut().filter(|_| *inner) {
            Some(above) => {
                above.push('\n');
                above.push_str(text);
            }
            None => texts.push(text.clone()),
        }
    }
    texts
}

/// Writes text outside the list into the parts of the epic.
fn said_of_all(parts: &mut BTreeMap<Part, String>, head: &str) {
    let free = fill(parts, head);
    if !free.is_empty() {
        let own = parts.remove(&Part::Problem).map(|own| alloc::format!("{own}\n{free}"));
        parts.insert(Part::Problem, own.unwrap_or(free));
    }
}

fn planned(text: &str, kind: Option<ItemType>, under: Option<usize>, title_chars: usize) -> PlannedItem {
    let (named, text) = vocabulary::kind(text).map_or((None, text), |(kind, rest)| (Some(kind), rest));
    let kind = kind.or(named).unwrap_or_else(|| extract(text, None, title_chars).0);
    let mut parts = list_parser::parts(text, kind, title_chars);
    if let Some(title) = parts.get_mut(&Part::Title) {
        *title = title_line(title, title_chars);
    }
    PlannedItem { kind, parts, under }
}

/// Adds empty items up to the number asked for.
fn pad(items: &mut Vec<PlannedItem>, asked: usize, kind: Option<ItemType>, under: Option<usize>) {
    let blank = PlannedItem { kind: kind.unwrap_or(ItemType::Task), parts: BTreeMap::new(), under };
    while items.len() < asked {
        items.push(blank.clone());
    }
}

/// True if the text lists possible items: more than one entry, or a user story.
pub(super) fn lists_items(text: &str) -> bool {
    let entries = list_parser::outline(text).entries;
    entries.len() > 1 || entries.iter().any(|entry| vocabulary::story(&entry.text).is_some())
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use proptest::prelude::*;

    use super::super::drafting;
    use super::*;
    use throughline_language::Words;
    use throughline_language::intent::rules::rule;

    fn titles(items: &[PlannedItem]) -> Vec<(ItemType, &str, Option<usize>)> {
        items
            .iter()
            .map(|i| (i.kind, i.parts.get(&Part::Title).map_or("", String::as_str), i.under))
            .collect()
    }

    #[test]
    fn the_count_asked_for_is_honoured_and_nothing_is_invented() {
        let wanted = BatchSpec {
            epics: 1,
            items: Some(3),
            kind: Some(ItemType::Story),
            topic: "auth",
            text: "- As a user I want to log in so that I see my orders",
            lists: true,
            ..BatchSpec::default()
        };
        let items = plan(&wanted, 255);
        let story = ItemType::Story;
        assert_eq!(
            titles(&items),
            [
                (ItemType::Epic, "auth", None),
                (story, "log in", Some(0)),
                (story, "", Some(0)),
                (story, "", Some(0))
            ]
        );
        assert_eq!(items[1].parts[&Part::Problem], "As a user I want to log in so that I see my orders");
        assert_eq!(items[0].parts.len(), 1, "{items:?}");
    }

    #[test]
    fn several_epics_are_several_epics() {
        let wanted = BatchSpec {
            epics: 2,
            items: Some(2),
            each: true,
            kind: Some(ItemType::Story),
            topic: "auth and billing",
            ..BatchSpec::default()
        };
        let read = plan(&wanted, 255);
        let under: Vec<Option<usize>> = read.iter().map(|item| item.under).collect();
        assert_eq!(under, [None, Some(0), Some(0), None, Some(3), Some(3)]);
        assert_eq!(titles(&read)[3].1, "billing");
        let nested =
            BatchSpec { lists: true, text: "- Auth\n  - Log in\n- Billing\n  - Pay", topic: "", ..wanted };
        let read = plan(&nested, 255);
        let names: Vec<&str> = titles(&read).into_iter().map(|(_, title, _)| title).collect();
        assert_eq!(names, ["Auth", "Log in", "", "Billing", "Pay", ""]);
    }

    #[test]
    fn a_line_may_name_them_all() {
        let wanted = BatchSpec {
            items: Some(3),
            topic: "login fails with an error; export to CSV; dark mode",
            ..BatchSpec::default()
        };
        assert_eq!(
            titles(&plan(&wanted, 255)),
            [
                (ItemType::Bug, "login fails with an error", None),
                (ItemType::Task, "export to CSV", None),
                (ItemType::Task, "dark mode", None),
            ]
        );
        let topic = BatchSpec { items: Some(2), topic: "auth", ..BatchSpec::default() };
        assert_eq!(titles(&plan(&topic, 255)), [(ItemType::Task, "", None), (ItemType::Task, "", None)]);
    }

    /// Plans a request as `batch::read` does, without a lane.
    fn asked(text: &str) -> Option<Vec<PlannedItem>> {
        let ruling = rule(&Words::of(text))?;
        let several = ruling.several.filter(Several::possible)?;
        let below = drafting::rest(several.list.as_deref().or(ruling.object.as_deref()), text);
        let topic = ruling.object.unwrap_or_default();
        let listed = several.list.as_ref().map(|list| list_parser::listed(list)).unwrap_or_default();
        let text = [&*below, &*listed].join("\n");
        Some(plan(&BatchSpec { lists: true, ..BatchSpec::of(&several, &topic, &text) }, 255))
    }

    #[test]
    fn requests_in_words() {
        use ItemType::{Bug, Epic, Story, Task};
        for (text, expected) in [
            (
                "Create epic with 5 stories for auth",
                &[(Epic, "auth"), (Story, ""), (Story, ""), (Story, ""), (Story, ""), (Story, "")][..],
            ),
            ("Erstelle ein Epic mit zwei Stories für Auth", &[(Epic, "Auth"), (Story, ""), (Story, "")]),
            (
                "Kannst du ein Epic mit 2 Storys für Auth anlegen?",
                &[(Epic, "Auth"), (Story, ""), (Story, "")],
            ),
            ("Leg zwei Bugs an: Suche hängt, Export leer", &[(Bug, "Suche hängt"), (Bug, "Export leer")]),
            (
                "Erstelle zwei Epics mit je 1 Story für Auth und Bezahlung",
                &[(Epic, "Auth"), (Story, ""), (Epic, "Bezahlung"), (Story, "")],
            ),
            (
                "create a ticket for each of these: login, search and export",
                &[(Task, "login"), (Task, "search"), (Task, "export")],
            ),
            ("create a ticket for each of these:\n1. Login\n2. Search", &[(Task, "Login"), (Task, "Search")]),
            (
                "Erstelle je ein Ticket für Login, Suche und Export",
                &[(Task, "Login"), (Task, "Suche"), (Task, "Export")],
            ),
            (
                "Erstelle für jeden dieser Punkte ein Ticket:\n- Login\n- Suche",
                &[(Task, "Login"), (Task, "Suche")],
            ),
            ("create a couple of bugs for the export", &[(Bug, ""), (Bug, "")]),
            (
                "create tickets:\n- Story: As a user I want to log in\n- Bug: search hangs",
                &[(Story, "log in"), (Bug, "search hangs")],
            ),
            (
                "Create stories:\nAs a user I want to log in.\nAs an admin, I want audit logs so that I see who did it.",
                &[(Story, "log in"), (Story, "audit logs")],
            ),
            (
                "Erstelle Stories:\nAls Nutzer möchte ich mich anmelden, damit ich bestellen kann.\nAls Kunde will ich bestellen.",
                &[(Story, "mich anmelden"), (Story, "bestellen")],
            ),
        ] {
            let items = asked(text).unwrap_or_else(|| panic!("not several: {text}"));
            let found: Vec<_> = titles(&items).into_iter().map(|(kind, title, _)| (kind, title)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    /// A count as a digit or a word, in English and German.
    const COUNTS: [[&str; 3]; 6] = [
        ["2", "two", "zwei"],
        ["3", "three", "drei"],
        ["5", "five", "fünf"],
        ["7", "seven", "sieben"],
        ["10", "ten", "zehn"],
        ["12", "twelve", "zwölf"],
    ];
    const NUMBERS: [usize; 6] = [2, 3, 5, 7, 10, 12];
    const BULLETS: [&str; 4] = ["- ", "* ", "• ", "1. "];

    proptest! {
        /// A plan has as many items as asked for or listed, whichever is more. Each entry is the title of one
        /// item, in order; an epic comes first; and every word comes from the request.
        #[test]
        fn the_count_is_honoured(
            (german, digits, each) in any::<(bool, bool, bool)>(),
            (epics, stories) in (0_usize..3, 0_usize..6),
            listed in prop::collection::vec("[A-Z][a-z]{4,9} (page|list|form)", 0..9),
            bullet in 0_usize..4,
        ) {
            let count = |at: usize| COUNTS[at][if digits { 0 } else { 1 + usize::from(german) }];
            let n = NUMBERS[stories];
            let (create, with, each_of) =
                if german { ("Erstelle bitte", "mit", " je") } else { ("Please create", "with", "") };
            let each = each && epics == 2;
            let whole = match epics {
                0 => format!("{} Stories", count(stories)),
                1 => format!("{} Epic {with} {} Stories", if german { "ein" } else { "an" }, count(stories)),
                _ => format!(
                    "{} Epics {with}{} {} Stories{}",
                    if german { "zwei" } else { "two" },
                    if each { each_of } else { "" },
                    count(stories),
                    if each && !german { " each" } else { "" },
                ),
            };
            let list: String = listed.iter().map(|entry| format!("\n{}{entry}", BULLETS[bullet])).collect();
            let text = format!("{create} {whole} {} Zebra{list}", if german { "für" } else { "for" });
            let items = asked(&text).unwrap_or_else(|| panic!("not several: {text}"));
            let found = titles(&items);
            let least = if each { n * epics } else { n };
            let parts: Vec<_> = found.iter().filter(|(kind, ..)| *kind != ItemType::Epic).collect();
            prop_assert_eq!(found.len() - parts.len(), epics, "{}", text);
            prop_assert!(parts.len() >= least.max(listed.len()), "{}: {:?}", text, found);
            prop_assert!(epics > 1 || parts.len() == least.max(listed.len()), "{}: {:?}", text, found);
            prop_assert!(epics == 0 || (found[0].0 == ItemType::Epic && parts.iter().all(|(.., under)| under.is_some())));
            let named: Vec<&str> = parts.iter().map(|(_, title, _)| *title).filter(|title| !title.is_empty()).collect();
            prop_assert_eq!(named, listed.iter().map(String::as_str).collect::<Vec<_>>(), "{}", text);
            let said = items.iter().flat_map(|item| item.parts.values());
            prop_assert!(said.flat_map(|part| part.split_whitespace()).all(|word| text.contains(word)), "{}", text);
        }
    }
}
