//! Words about an open card: to see it, to ask whether it was sent, to take its last change back, to end it.

use super::lexicon::{ANSWERS, Cover, Lexicon, SectionId};
use super::section;
use super::words::{Word, Words};

/// A wish or a question about an open card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutCard {
    /// To see it as it is now, or what it lacks: "show it again", "what's still missing?".
    Show,
    /// To know whether it was sent: "did you create it?".
    Sent,
    /// To take its last change back: "undo that".
    Undo,
    /// To do away with it: "delete it".
    Discard,
    /// To end a review: "finish the review".
    Finish,
    /// To know what a review found: "what are the findings?".
    Findings,
}

impl AboutCard {
    /// Its stable name in a trace: `card.show`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Show => "card.show",
            Self::Sent => "card.sent",
            Self::Undo => "card.undo",
            Self::Discard => "card.discard",
            Self::Finish => "card.finish",
            Self::Findings => "card.findings",
        }
    }
}

/// The kinds in the order in which they win; the last section may be beside any of them.
const KINDS: [(SectionId, Option<AboutCard>); 7] = [
    (section("card.undo"), Some(AboutCard::Undo)),
    (section("card.finish"), Some(AboutCard::Finish)),
    (section("card.findings"), Some(AboutCard::Findings)),
    (section("card.show"), Some(AboutCard::Show)),
    (section("card.sent"), Some(AboutCard::Sent)),
    (section("card.discard"), Some(AboutCard::Discard)),
    (section("card.around"), None),
];

/// The most words of such a message; a longer one says more than that.
const MOST: usize = 16;

/// Returns what the whole message says of a card, when it says nothing else.
///
/// ```
/// use throughline_language::{AboutCard, Words, about_card};
/// assert_eq!(about_card(&Words::of("what does it look like now?")), Some(AboutCard::Show));
/// assert_eq!(about_card(&Words::of("show the error page again")), None);
/// ```
#[must_use]
pub fn about_card(message: &Words) -> Option<AboutCard> {
    let words = message.all();
    if words.len() > MOST {
        return None;
    }
    message.languages().lexicons(&ANSWERS).find_map(|lexicon| read(lexicon, words))
}

fn read(lexicon: &'static Lexicon, words: &[Word]) -> Option<AboutCard> {
    let cover = Cover::of(&KINDS.map(|(id, _)| lexicon.section(id)), None, words);
    cover.pieces(words.len()).find_map(|piece| KINDS[piece.section].1)
}

#[cfg(test)]
mod tests {
    use super::{AboutCard::*, Words, about_card};

    #[test]
    fn what_a_message_says_of_a_card() {
        for (text, expected) in [
            ("show it again", Some(Show)),
            ("Show me the draft.", Some(Show)),
            ("can you show me the ticket again?", Some(Show)),
            ("what does it look like now?", Some(Show)),
            ("what does the ticket look like", Some(Show)),
            ("what is it now?", Some(Show)),
            ("how does the draft read now", Some(Show)),
            ("what's the title?", Some(Show)),
            ("What is the priority of the bug now?", Some(Show)),
            ("what's still missing?", Some(Show)),
            ("what else do you need from me?", Some(Show)),
            ("is anything missing?", Some(Show)),
            ("what did you write?", Some(Show)),
            ("ok, read it back to me please", Some(Show)),
            ("is it created?", Some(Sent)),
            ("did you create it?", Some(Sent)),
            ("Did you file the ticket yet?", Some(Sent)),
            ("has it been sent to Jira yet?", Some(Sent)),
            ("is it in the tracker?", Some(Sent)),
            ("why isn't it created yet?", Some(Sent)),
            ("when will it be created?", Some(Sent)),
            ("what happens next?", Some(Sent)),
            ("undo that", Some(Undo)),
            ("Undo the last change, please", Some(Undo)),
            ("change it back", Some(Undo)),
            ("go back to the previous version", Some(Undo)),
            ("restore the old title", Some(Undo)),
            ("delete it", Some(Discard)),
            ("throw the draft away", Some(Discard)),
            ("we don't need the ticket anymore", Some(Discard)),
            ("finish the review", Some(Finish)),
            ("The review is done.", Some(Finish)),
            ("we're done here", Some(Finish)),
            ("what are the findings?", Some(Findings)),
            ("what did you find?", Some(Findings)),
            ("show me the review again", Some(Findings)),
            ("summarize the findings", Some(Findings)),
            ("is the review done?", Some(Findings)),
            ("what does the review say?", Some(Findings)),
            ("what are the risks?", Some(Findings)),
            // What says more is about that.
            ("show the error page again", None),
            ("what is it about?", None),
            ("what is the title of the page", None),
            ("delete the old exports", None),
            ("delete it from the settings page", None),
            ("undo the deployment of Friday", None),
            ("what are the risks of moving to Kubernetes?", None),
            ("the review is done by Bob on Monday", None),
            ("did you create the database", None),
            ("is it broken?", None),
            ("what happens when I press it?", None),
            ("what is it?", None),
            ("finish the export", None),
            ("please", None),
            ("", None),
        ] {
            assert_eq!(about_card(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn german() {
        for (text, expected) in [
            ("Zeig es mir nochmal", Some(Show)),
            ("zeig mir den Entwurf", Some(Show)),
            ("Wie sieht das Ticket jetzt aus?", Some(Show)),
            ("was fehlt noch?", Some(Show)),
            ("Was brauchst du noch von mir?", Some(Show)),
            ("wie lautet der Titel?", Some(Show)),
            ("ist es schon angelegt?", Some(Sent)),
            ("Hast du das Ticket schon in Jira angelegt?", Some(Sent)),
            ("wann wird es angelegt?", Some(Sent)),
            ("was passiert jetzt?", Some(Sent)),
            ("mach das rückgängig", Some(Undo)),
            ("Mach die letzte Änderung bitte wieder rückgängig.", Some(Undo)),
            ("nimm das zurück", Some(Undo)),
            ("zurück zur vorherigen Version", Some(Undo)),
            ("lösch es", Some(Discard)),
            ("wirf den Entwurf weg", Some(Discard)),
            ("das Ticket brauchen wir nicht mehr", Some(Discard)),
            ("beende das Review", Some(Finish)),
            ("Das Review ist fertig", Some(Finish)),
            ("was hast du gefunden?", Some(Findings)),
            ("Was sind die Ergebnisse?", Some(Findings)),
            ("zeig mir nochmal das Review", Some(Findings)),
            ("lösch die alten Dateien", None),
            ("Zeig die Fehlerseite", None),
            ("was fehlt auf der Seite?", None),
        ] {
            assert_eq!(about_card(&Words::of(text)), expected, "{text}");
        }
    }
}
