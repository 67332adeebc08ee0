//! Words that say where an option is (`spec 04 §8`): "from chat", "in this widget", "from Recent". They are read before
//! anything else, narrow what a text may mean, and authorise nothing.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::Scope;
use super::hint::distance;
use crate::recognize::lexicon::{Lexicon, SectionId};
use crate::recognize::named;
use crate::recognize::selection::normal;
use crate::recognize::words::Words;

const CUES: [(SectionId, Scope); 4] = [
    (named("list.cue.chat"), Scope::Chat),
    (named("list.cue.widget"), Scope::Widget),
    (named("list.cue.dashboard"), Scope::Dashboard),
    (named("list.cue.workspace"), Scope::Workspace),
];
const NAMED: SectionId = named("list.cue.named");
const LEAD: SectionId = named("list.cue.lead");
const WORD: SectionId = named("list.cue.word");
const PANEL: &str = "panel";
const IN: &str = "in";
/// Words that lead to a place's name, at most: a set of them is the bits of a word of the machine.
const LEADS: usize = 8;
const EVERYDAY: SectionId = named("common");
/// Shorter words are too easily another.
const TYPO: usize = 4;

/// A registered place that people can name.
#[derive(Clone, Debug)]
pub(crate) struct Place<'p> {
    scope: Scope,
    instance: &'p str,
    /// Folded.
    title: String,
}

impl<'p> Place<'p> {
    pub(crate) fn of(scope: Scope, instance: &'p str, title: &str) -> Self {
        Self { scope, instance, title: normal::compact(title, false) }
    }
}

/// How sure a cue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sure {
    /// It is written as it should be.
    High,
    /// One slip away.
    LowTypo,
    /// Two.
    ScopeUncertain,
}

/// Where a text says its option is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cue {
    pub(crate) scope: Scope,
    /// The concrete place, when it was named.
    pub(crate) instance: Option<String>,
    /// Which words say so.
    pub(crate) words: Range<usize>,
    pub(crate) sure: Sure,
}

/// The cues of a text, in their order. Slips are only looked for where nothing is written as it should be.
pub(crate) fn cues(lexicon: &'static Lexicon, message: &Words, places: &[Place<'_>]) -> Vec<Cue> {
    let words = message.all();
    let spelling = if places.is_empty() { Spelling::default() } else { Spelling::of(message) };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let cue = at_word(lexicon, message, (places, &spelling), at);
        at = cue.as_ref().map_or(at + 1, |cue| cue.words.end);
        found.extend(cue);
    }
    if found.is_empty() { slips(lexicon, message, places) } else { found }
}

/// The place a text answers with, when it was asked where: its word or title alone, or a cue alone.
pub(crate) fn answered(
    lexicon: &'static Lexicon,
    message: &Words,
    asked: &[(Scope, Option<String>)],
    titles: &[(Scope, String, String)],
) -> Option<(Scope, Option<String>)> {
    let places: Vec<Place<'_>> =
        titles.iter().map(|(scope, instance, title)| Place::of(*scope, instance, title)).collect();
    let offered = |scope: Scope, instance: Option<&String>| {
        let same = |place: &&(Scope, Option<String>)| {
            place.0 == scope && (instance.is_none() || place.1.is_none() || place.1.as_ref() == instance)
        };
        asked.iter().find(same).cloned()
    };
    let words = message.all();
    if let [cue] = cues(lexicon, message, &places).as_slice()
        && cue.sure == Sure::High
        && without(message, &cue.words).trim().is_empty()
    {
        return offered(cue.scope, cue.instance.as_ref());
    }
    if let [word] = words
        && let Some(value) = lexicon.section(WORD).value(word)
        && let Some((scope, _)) = Scope::ALL.into_iter().zip(1u64..).find(|(_, nth)| *nth == value)
    {
        return offered(scope, None);
    }
    let spelling = Spelling::of(message);
    let named = places.iter().find(|place| spelling.end(&place.title, 0) == Some(words.len()))?;
    offered(named.scope, Some(&named.instance.into()))
}

/// A text without a cue.
pub(crate) fn without(message: &Words, cue: &Range<usize>) -> String {
    let (words, text) = (message.all(), message.text());
    let from = words.get(cue.start).map_or(text.len(), |word| word.at);
    let to = words.get(cue.end - 1).map_or(text.len(), |word| word.end);
    let mut rest = String::from(text.get(..from).unwrap_or("").trim_end());
    let behind = text.get(to..).unwrap_or("");
    if !rest.is_empty() && !behind.trim().is_empty() {
        rest.push(' ');
    }
    rest.push_str(behind.trim_start());
    rest
}

fn at_word(
    lexicon: &'static Lexicon,
    message: &Words,
    (places, spelling): (&[Place<'_>], &Spelling),
    at: usize,
) -> Option<Cue> {
    let words = message.all();
    let known = CUES.into_iter().map(|(section, scope)| (lexicon.section(section).longest(words, at), scope));
    let (length, scope) = known.max_by_key(|(length, _)| *length)?;
    let cue = |scope, instance, end| Some(Cue { scope, instance, words: at..end, sure: Sure::High });
    // A place's own name wins over a general word: "from the current sprint".
    let leads = lexicon.section(NAMED).ends(words, at) & !1;
    let named = |lead: usize| {
        places.iter().filter_map(move |place| Some((place, spelling.end(&place.title, at + lead)?)))
    };
    let is_panel = |word: &crate::recognize::words::Word| message.folded(word) == PANEL;
    let inside = words.get(at).is_some_and(|word| message.folded(word) == IN);
    let longest = (1..(words.len() - at + 1).min(LEADS))
        .filter(|lead| leads & 1 << lead != 0)
        .flat_map(named)
        // "In review" says how something stands; "in the review panel", and "from review", where it is.
        .filter(|(_, end)| !inside || words[at..words.len().min(end + 1)].iter().any(is_panel))
        .max_by_key(|(_, end)| *end);
    if let Some((place, end)) = longest.filter(|(_, end)| *end > at + length) {
        let panel = words.get(end).is_some_and(is_panel);
        return cue(place.scope, Some(place.instance.into()), end + usize::from(panel));
    }
    if length > 0 { cue(scope, None, at + length) } else { None }
}

/// The words of a message folded as names are, one right behind the other: any number of names is looked for in them.
#[derive(Default)]
pub(super) struct Spelling {
    text: String,
    /// Where each word ends.
    ends: Vec<usize>,
    /// Bit `b`: a word begins with a byte whose last six bits are `b`. Most names begin otherwise.
    begin: u64,
}

impl Spelling {
    pub(super) fn of(message: &Words) -> Self {
        let words = message.all().iter().map(|word| message.raw(word));
        let (text, ends) = normal::compact_each(words, message.text().len());
        let starts = core::iter::once(0).chain(ends.iter().copied());
        let begin = starts.filter_map(|at| text.as_bytes().get(at)).fold(0, |all, byte| all | bit(*byte));
        Self { text, ends, begin }
    }

    /// Whether these are whole words of it: a folded name.
    pub(super) fn holds(&self, name: &str) -> bool {
        let may = name.as_bytes().first().is_some_and(|byte| self.begin & bit(*byte) != 0);
        may && (0..self.ends.len()).any(|at| self.end(name, at).is_some())
    }

    /// Behind which word a folded name ends that begins at a word.
    fn end(&self, name: &str, at: usize) -> Option<usize> {
        let from = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        if name.is_empty() || !self.text.get(from..)?.starts_with(name) {
            return None;
        }
        let behind = self.ends.get(at..)?.iter().position(|end| *end == from + name.len())?;
        Some(at + behind + 1)
    }
}

fn bit(byte: u8) -> u64 {
    1 << (byte & 63)
}

/// "from chta": asked about, never followed.
fn slips(lexicon: &'static Lexicon, message: &Words, places: &[Place<'_>]) -> Vec<Cue> {
    let words = message.all();
    let vocabulary = lexicon.section(WORD);
    let scope = |value: Option<u64>| {
        Scope::ALL.into_iter().zip(1u64..).find(|(_, nth)| Some(*nth) == value).map(|(scope, _)| scope)
    };
    let blocked = words.iter().any(|word| vocabulary.value(word).is_some());
    let mut found = Vec::new();
    for at in 1..words.len() {
        if blocked || !lexicon.section(LEAD).is(&words[at - 1..at]) {
            continue;
        }
        for next in at..words.len().min(at + 2) {
            let said = message.folded(&words[next]);
            let letters = said.chars().filter(|c| c.is_alphabetic()).count();
            if letters < TYPO || lexicon.section(EVERYDAY).is(&words[next..=next]) {
                continue;
            }
            let titles = places
                .iter()
                .map(|place| (Some(place.scope), Some(place.instance), place.title.as_str()))
                .filter(|(.., title)| title.chars().count() >= TYPO);
            let known = vocabulary.words().map(|(_, word)| (scope(vocabulary.spelled(word)), None, word));
            let near = known.chain(titles).filter_map(|(scope, instance, word)| {
                let far = distance(said, word, 2).filter(|far| *far > 0)?;
                Some((far, scope?, instance))
            });
            if let Some((far, scope, instance)) = near.min_by_key(|(far, ..)| *far) {
                let sure = if far == 1 { Sure::LowTypo } else { Sure::ScopeUncertain };
                found.push(Cue {
                    scope,
                    instance: instance.map(String::from),
                    words: at - 1..next + 1,
                    sure,
                });
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognize::lexicon::RECOGNIZE;

    fn places() -> [Place<'static>; 2] {
        [Place::of(Scope::Widget, "w-1", "Recent"), Place::of(Scope::Widget, "w-2", "Links Panels")]
    }

    fn read(text: &str) -> Vec<(Scope, Option<String>, Sure, String)> {
        let words = Words::of(text);
        let cues = cues(&RECOGNIZE[0], &words, &places());
        cues.into_iter().map(|cue| (cue.scope, cue.instance, cue.sure, without(&words, &cue.words))).collect()
    }

    #[test]
    fn a_cue_names_a_scope_and_is_cut_out() {
        use Scope::{Chat, Dashboard, Widget, Workspace};
        for (text, scope, instance, rest) in [
            ("open sample2 from chat", Chat, None, "open sample2"),
            ("open the panel d from chat pls thank you", Chat, None, "open the panel d pls thank you"),
            ("in the chat, the second", Chat, None, ", the second"),
            ("back to options", Chat, None, ""),
            ("from chat options the first", Chat, None, "the first"),
            ("the second one from recent", Widget, Some("w-1"), "the second one"),
            ("the second one from panel Recent", Widget, Some("w-1"), "the second one"),
            ("sample2 from the links panels", Widget, Some("w-2"), "sample2"),
            ("sample2 from the recent panel", Widget, Some("w-1"), "sample2"),
            ("the first from the active widget", Widget, None, "the first"),
            ("budget in this panel", Widget, None, "budget"),
            ("budget from current", Widget, None, "budget"),
            ("roadmap in the dashboard", Dashboard, None, "roadmap"),
            ("roadmap from workspace", Workspace, None, "roadmap"),
        ] {
            let expected = (scope, instance.map(String::from), Sure::High, rest.into());
            assert_eq!(read(text), [expected], "{text}");
        }
    }

    #[test]
    fn two_scopes_are_two_cues() {
        let scopes: Vec<Scope> =
            read("sample2 from chat in this widget").into_iter().map(|cue| cue.0).collect();
        assert_eq!(scopes, [Scope::Chat, Scope::Widget]);
    }

    #[test]
    fn slips_are_doubted_and_other_words_are_none() {
        assert_eq!(
            read("open sample2 from chta"),
            [(Scope::Chat, None, Sure::LowTypo, "open sample2".into())]
        );
        assert_eq!(read("budget from recnet")[0].1.as_deref(), Some("w-1"));
        assert_eq!(read("budget in this dahsbaord")[0].2, Sure::ScopeUncertain);
        for text in
            ["chatbot from chatter in chatroom", "open sample2 from that", "from what", "sample2 in what way"]
        {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
