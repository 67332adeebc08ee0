//! Scope cues: words that say where an option is, such as "from chat", "in this widget", "from Recent". They
//! are read first and narrow what a text may mean; they execute nothing
//! (docs/design/0022-choosing-an-option.md).

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::scope::Scope;
use crate::selection::similarity::distance;
use throughline_language::lexicon::{Lexicon, SectionId};
use throughline_language::normal;
use throughline_language::section;
use throughline_language::words::Words;

const CUES: [(SectionId, Scope); 4] = [
    (section("list.cue.chat"), Scope::Chat),
    (section("list.cue.widget"), Scope::Widget),
    (section("list.cue.dashboard"), Scope::Dashboard),
    (section("list.cue.workspace"), Scope::Workspace),
];
const NAMED: SectionId = section("list.cue.named");
const LEAD: SectionId = section("list.cue.lead");
const WORD: SectionId = section("list.cue.word");
const PANEL: &str = "panel";
const IN: &str = "in";
/// The most words that may lead to a place's name: their ends are the bits of one integer.
const LEADS: usize = 8;
const EVERYDAY: SectionId = section("common");
/// The fewest letters of a word that may be misspelled: shorter words are too easily another word.
const TYPO: usize = 4;

/// A place with a title that people can name.
#[derive(Clone, Debug)]
pub(crate) struct TitledPlace<'p> {
    scope: Scope,
    instance: &'p str,
    /// Folded.
    title: String,
}

impl<'p> TitledPlace<'p> {
    pub(crate) fn of(scope: Scope, instance: &'p str, title: &str) -> Self {
        Self { scope, instance, title: normal::compact(title, false) }
    }
}

/// The certainty of a cue, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Written correctly.
    Exact,
    /// One edit away from a known word.
    OneEdit,
    /// Two edits away.
    TwoEdits,
}

/// A part of a text that says where its option is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScopePhrase {
    pub(crate) scope: Scope,
    /// The panel, if it was named.
    pub(crate) instance: Option<String>,
    /// The range of its words.
    pub(crate) words: Range<usize>,
    pub(crate) sure: Certainty,
}

/// Returns the cues of a text, in their order. Misspelled ones are looked for only if none is spelled
/// correctly.
pub(crate) fn scope_phrases(
    lexicon: &'static Lexicon,
    message: &Words,
    places: &[TitledPlace<'_>],
) -> Vec<ScopePhrase> {
    let words = message.all();
    let spelling = if places.is_empty() { FoldedWords::default() } else { FoldedWords::of(message) };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let cue = at_word(lexicon, message, (places, &spelling), at);
        at = cue.as_ref().map_or(at + 1, |cue| cue.words.end);
        found.extend(cue);
    }
    if found.is_empty() { slips(lexicon, message, places) } else { found }
}

/// Returns the place a text answers with after the question where an option is: a scope's word, a title or a
/// cue, and nothing else in the text.
pub(crate) fn place_answered(
    lexicon: &'static Lexicon,
    message: &Words,
    asked: &[(Scope, Option<String>)],
    titles: &[(Scope, String, String)],
) -> Option<(Scope, Option<String>)> {
    let places: Vec<TitledPlace<'_>> =
        titles.iter().map(|(scope, instance, title)| TitledPlace::of(*scope, instance, title)).collect();
    let offered = |scope: Scope, instance: Option<&String>| {
        let same = |place: &&(Scope, Option<String>)| {
            place.0 == scope && (instance.is_none() || place.1.is_none() || place.1.as_ref() == instance)
        };
        asked.iter().find(same).cloned()
    };
    let words = message.all();
    if let [cue] = scope_phrases(lexicon, message, &places).as_slice()
        && cue.sure == Certainty::Exact
        && without_phrase(message, &cue.words).trim().is_empty()
    {
        return offered(cue.scope, cue.instance.as_ref());
    }
    if let [word] = words
        && let Some(value) = lexicon.section(WORD).value(word)
        && let Some((scope, _)) = Scope::ALL.into_iter().zip(1u64..).find(|(_, nth)| *nth == value)
    {
        return offered(scope, None);
    }
    let spelling = FoldedWords::of(message);
    let named = places.iter().find(|place| spelling.end(&place.title, 0) == Some(words.len()))?;
    offered(named.scope, Some(&named.instance.into()))
}

/// Returns the text without the words of a cue.
pub(crate) fn without_phrase(message: &Words, cue: &Range<usize>) -> String {
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
    (places, spelling): (&[TitledPlace<'_>], &FoldedWords),
    at: usize,
) -> Option<ScopePhrase> {
    let words = message.all();
    let known = CUES.into_iter().map(|(section, scope)| (lexicon.section(section).longest(words, at), scope));
    let (length, scope) = known.max_by_key(|(length, _)| *length)?;
    let cue =
        |scope, instance, end| Some(ScopePhrase { scope, instance, words: at..end, sure: Certainty::Exact });
    // A title wins over a general word: "from the current sprint".
    let leads = lexicon.section(NAMED).ends(words, at) & !1;
    let named = |lead: usize| {
        places.iter().filter_map(move |place| Some((place, spelling.end(&place.title, at + lead)?)))
    };
    let is_panel = |word: &throughline_language::words::Word| message.folded(word) == PANEL;
    let inside = words.get(at).is_some_and(|word| message.folded(word) == IN);
    let longest = (1..(words.len() - at + 1).min(LEADS))
        .filter(|lead| leads & 1 << lead != 0)
        .flat_map(named)
        // "In review" is a status; "in the review panel" and "from review" are places.
        .filter(|(_, end)| !inside || words[at..words.len().min(end + 1)].iter().any(is_panel))
        .max_by_key(|(_, end)| *end);
    if let Some((place, end)) = longest.filter(|(_, end)| *end > at + length) {
        let panel = words.get(end).is_some_and(is_panel);
        return cue(place.scope, Some(place.instance.into()), end + usize::from(panel));
    }
    if length > 0 { cue(scope, None, at + length) } else { None }
}

/// The words of a message folded as names are, without gaps, so that many names can be looked up in it.
#[derive(Default)]
pub(super) struct FoldedWords {
    text: String,
    /// The end of each word in `text`.
    ends: Vec<usize>,
    /// A filter: bit `b` is set if a word begins with a byte whose low six bits are `b`. Most names fail here
    /// at once.
    begin: u64,
}

impl FoldedWords {
    pub(super) fn of(message: &Words) -> Self {
        let words = message.all().iter().map(|word| message.raw(word));
        let (text, ends) = normal::compact_each(words, message.text().len());
        let starts = core::iter::once(0).chain(ends.iter().copied());
        let begin = starts.filter_map(|at| text.as_bytes().get(at)).fold(0, |all, byte| all | bit(*byte));
        Self { text, ends, begin }
    }

    /// True if a folded name occurs in the message as whole words.
    pub(super) fn holds(&self, name: &str) -> bool {
        let may = name.as_bytes().first().is_some_and(|byte| self.begin & bit(*byte) != 0);
        may && (0..self.ends.len()).any(|at| self.end(name, at).is_some())
    }

    /// Returns the index behind the last word of a folded name that begins at word `at`.
    fn end(&self, name: &str, at: usize) -> Option<usize> {
        let from = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        if name.is_empty() || !self.text.get(from..)?.starts_with(name) {
            return None;
        }
        // Pictures and signs make words of no letters, so ends repeat: the first of the equal ones counts.
        let rest = self.ends.get(at..)?;
        let behind = rest.partition_point(|end| *end < from + name.len());
        (rest.get(behind) == Some(&(from + name.len()))).then_some(at + behind + 1)
    }
}

fn bit(byte: u8) -> u64 {
    1 << (byte & 63)
}

/// Finds misspelled cues, such as "from chta". They are asked about and never followed.
fn slips(lexicon: &'static Lexicon, message: &Words, places: &[TitledPlace<'_>]) -> Vec<ScopePhrase> {
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
                let sure = if far == 1 { Certainty::OneEdit } else { Certainty::TwoEdits };
                found.push(ScopePhrase {
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

    fn places() -> [TitledPlace<'static>; 2] {
        [
            TitledPlace::of(Scope::Widget, "w-1", "Recent"),
            TitledPlace::of(Scope::Widget, "w-2", "Links Panels"),
        ]
    }

    fn read(text: &str) -> Vec<(Scope, Option<String>, Certainty, String)> {
        let words = Words::of(text);
        let cues = scope_phrases(super::super::lexicon(&words), &words, &places());
        cues.into_iter()
            .map(|cue| (cue.scope, cue.instance, cue.sure, without_phrase(&words, &cue.words)))
            .collect()
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
            let expected = (scope, instance.map(String::from), Certainty::Exact, rest.into());
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
            [(Scope::Chat, None, Certainty::OneEdit, "open sample2".into())]
        );
        assert_eq!(read("budget from recnet")[0].1.as_deref(), Some("w-1"));
        assert_eq!(read("budget in this dahsbaord")[0].2, Certainty::TwoEdits);
        for text in
            ["chatbot from chatter in chatroom", "open sample2 from that", "from what", "sample2 in what way"]
        {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
