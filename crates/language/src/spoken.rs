//! The language that a text is clearly written in.

use crate::lexicon::{ANSWERS, SectionId};
use crate::words::Word;
use crate::{Language, Words, section};

/// Small words that a text of a language has and one of another has not.
const SPOKEN: SectionId = section("spoken");
/// The fewest words of a text that is long enough to tell.
const WORDS: usize = 4;
/// The fewest small words of the language.
const OWN: usize = 2;
/// The number of them for each one of another language.
const TIMES: usize = 3;

/// Returns the language that a text is clearly written in. `None` if it is short, in several languages, or in none of those
/// that are compiled in. Quoted words do not count.
///
/// ```
/// use throughline_language::{Words, spoken};
///
/// let language = |text: &str| spoken(&Words::of(text)).map(|language| language.code());
/// assert_eq!(language("Leg bitte ein Ticket für den Login an"), Some("de"));
/// assert_eq!(language("Please create a ticket for the login"), Some("en"));
/// assert_eq!(language("Login Ticket"), None);
/// ```
#[must_use]
pub fn spoken(text: &Words) -> Option<Language> {
    let words = text.all();
    if words.len() < WORDS {
        return None;
    }
    clear(words).filter(|(_, own)| *own >= OWN).map(|(language, _)| language)
}

/// Returns the language of the first message of a conversation. Half of its words have to be small words of one language, and
/// none of another: nothing else is known yet, so a greeting counts.
///
/// ```
/// use throughline_language::{Words, spoken_first};
///
/// let language = |text: &str| spoken_first(&Words::of(text)).map(|language| language.code());
/// assert_eq!(language("Hallo!"), Some("de"));
/// assert_eq!(language("Was kannst du?"), Some("de"));
/// assert_eq!(language("Hilfe!"), Some("de"));
/// assert_eq!(language("Login Ticket"), None);
/// ```
#[must_use]
pub fn spoken_first(text: &Words) -> Option<Language> {
    let words = text.all();
    let short = || clear(words).filter(|(_, own)| *own > 0 && own * 2 >= words.len());
    spoken(text).or_else(|| short().map(|(language, _)| language))
}

/// Returns the language with the most small words, and their number, if it has clearly more than any other.
fn clear(words: &[Word]) -> Option<(Language, usize)> {
    let count = |language: Language| small_words(language, words);
    let own = Language::all().max_by_key(|language| count(*language))?;
    let others = Language::all().filter(|language| *language != own).map(count).max().unwrap_or_default();
    (count(own) >= TIMES * others).then(|| (own, count(own)))
}

fn small_words(language: Language, words: &[Word]) -> usize {
    let small = ANSWERS.lexicon(language).section(SPOKEN);
    let is_small = |at: &usize| !words[*at].quoted && small.at(&words[*at..=*at], 0);
    (0..words.len()).filter(is_small).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_in_a_language_if_its_small_words_say_so() {
        for (text, code) in [
            ("Leg bitte ein Ticket an: Login schlägt fehl", Some("de")),
            ("Erstelle ein Ticket für den Login-Fehler", Some("de")),
            ("Was meinst du zu Microservices?", Some("de")),
            ("Die Anmeldung bleibt leer, wenn ich auf Weiter drücke", Some("de")),
            ("ich brauche das bis morgen", Some("de")),
            ("Mach aus diesem Review ein Epic mit Stories", Some("de")),
            ("Create a ticket for the login bug", Some("en")),
            ("What do you think about microservices?", Some("en")),
            ("The login page stays blank when I press next", Some("en")),
            ("I don't want this to be released", Some("en")),
            // Too short, or without small words.
            ("ja bitte", None),
            ("ok danke dir", None),
            ("yes please do", None),
            ("Login schlägt fehl", None),
            ("Login page blank after update", None),
            ("", None),
            ("👍", None),
            // Mixed, quoted, or of a third language.
            ("Ich glaube das nicht, but the page is not the problem", None),
            ("Wir haben das mit the new API and it is broken", None),
            ("> der Login ist nicht das Problem und auch nicht die API", None),
            ("créer un ticket pour la page de connexion", None),
            ("crea un ticket para el error de inicio de sesión", None),
        ] {
            assert_eq!(spoken(&Words::of(text)).map(Language::code), code, "{text}");
        }
    }

    /// A word of two languages would speak for neither.
    #[test]
    fn no_small_word_is_of_two_languages() {
        for (own, other) in [("en", "de"), ("de", "en")] {
            let path = std::format!("{}/data/{own}/answers/spoken.txt", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with(['#', '[']));
            let other: Language = other.parse().unwrap();
            for word in lines.flat_map(|line| line.split(',')).map(str::trim).filter(|word| !word.is_empty())
            {
                let words = Words::of(word);
                assert_eq!(small_words(own.parse().unwrap(), words.all()), 1, "{word}");
                assert_eq!(small_words(other, words.all()), 0, "{word}");
            }
        }
    }
}
