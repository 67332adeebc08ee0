//! Messages that are nothing but an acknowledgement, or nothing but a greeting.

use core::ops::Range;

use super::boolean::{self, Asked};
use super::clause::{self, First, Says};
use super::echo::Echo;
use super::lexicon::{ANSWERS, Cover, Lexicon, SectionId, WordId};
use super::words::{Gap, MOST, Word, Words};
use super::{Context, request, section, typos};

const GREETING: SectionId = section("greeting");
const SIR: SectionId = section("sir");
const PLEASE: SectionId = section("please");
const THANKS: SectionId = section("thanks");
const TURN: SectionId = section("turn.close");
const BYE: SectionId = section("bye");

/// True if the whole message acknowledges something or closes the conversation: "thanks", "ok", "got it", "thanks,
/// looks good".
///
/// "ok, but what about X?", "not great" and "looks good except …" do not. If the context has what was said before,
/// what repeats it acknowledges too ("True Grit sounds great, thanks"), and so does a refusal of what was offered ("No,
/// maybe later"): nothing is left to be done.
#[must_use]
pub fn is_acknowledgement(message: &Words, context: &Context<'_>) -> bool {
    // So many words say more than that, and need not be looked at for typing errors.
    if message.all().len() > MOST {
        return false;
    }
    message.languages().lexicons(&ANSWERS).any(|lexicon| {
        let mended = typos::mended(lexicon, message);
        let message = mended.as_ref().unwrap_or(message);
        let known = !context.question().all().is_empty();
        closes(lexicon, message.all(), known)
            || thanks_and_remarks(lexicon, message.all())
            || goodbye(lexicon, message.all())
            || known && closes_what_was_said(lexicon, message, context)
    })
}

/// True if the message closes what was said before it: repeats it with thanks, refuses it, or takes leave.
fn closes_what_was_said(lexicon: &'static Lexicon, message: &Words, context: &Context<'_>) -> bool {
    let asked = Asked::of(lexicon, context.question());
    let merged = || Echo::of(lexicon, message, context.question()).merged();
    boolean::leaves_off(lexicon, message, asked) && leave(lexicon, message.all()).is_some()
        || merged().is_some_and(|merged| closes(lexicon, &merged, true))
        || boolean::declines(lexicon, message, context, asked)
}

/// True if the whole message is a greeting: "hi", "hello there", "good morning, how are you?".
#[must_use]
pub fn is_greeting(message: &Words) -> bool {
    let words = message.all();
    message.languages().lexicons(&ANSWERS).any(|lexicon| {
        let around = [GREETING, SIR, PLEASE].map(|id| lexicon.section(id));
        around[0].at(words, 0) && Cover::of(&around, None, words).reaches(words.len())
    })
}

/// The number of [`CLOSES`] that close a conversation by themselves; the others may be beside them.
const SAYS: usize = 8;
/// The number of those that close it whatever else is told.
const LEAVES: usize = 4;
const CLOSES: [SectionId; 16] = [
    THANKS,
    section("closing"),
    section("bye"),
    section("compliment"),
    section("yes.weak"),
    section("yes.proposal"),
    section("praise"),
    section("thats_it"),
    section("filler"),
    section("no.word"),
    section("no.phrase"),
    section("yes.word"),
    section("now"),
    section("name"),
    section("please"),
    section("aside"),
];

/// The place in [`CLOSES`] of what a clause says, if it closes.
fn closing(says: Says) -> Option<usize> {
    match says {
        Says::Thanks => Some(0),
        Says::Ends => Some(1),
        Says::Approves => Some(5),
        Says::Refuses | Says::Defers => Some(10),
        Says::Wants | Says::Does | Says::Rejects => None,
    }
}

/// True if phrases that close cover the words. But for thanks, clauses close only what is `known`: with nothing before it, "all work and no play"
/// tells something.
fn closes(lexicon: &'static Lexicon, words: &[Word], known: bool) -> bool {
    let says = |says| closing(says).filter(|_| known || says == Says::Thanks);
    let cover = clause::cover(lexicon, &CLOSES, words, says, First::Lists);
    cover.reaches(words.len())
        && (cover.sections(words.len()) & ((1 << SAYS) - 1) != 0 || lexicon.section(THANKS).within(words))
        && words.last().is_some_and(|w| w.after != Gap::Question)
        && !lexicon.section(TURN).within(words)
}

/// True if each clause closes, or remarks on something: "I'll check it out. Thanks".
fn thanks_and_remarks(lexicon: &'static Lexicon, words: &[Word]) -> bool {
    if !words.iter().any(|word| word.after > Gap::Space) {
        return false;
    }
    let mut says = false;
    let all = words.chunk_by(|word, _| word.after == Gap::Space).all(|part| {
        let cover = clause::cover(lexicon, &CLOSES, part, closing, First::Lists);
        let covered = cover.reaches(part.len());
        says |= covered && cover.sections(part.len()) & ((1 << LEAVES) - 1) != 0;
        covered || clause::remarks(lexicon, part)
    });
    all && says
        && words.last().is_some_and(|word| word.after != Gap::Question)
        && !lexicon.section(TURN).within(words)
}

/// The words of a message that only chat, when some clause thanks or closes and every other one does too or chats: "No, I
/// had lunch already. Thank you for your help."
pub(crate) fn leave(lexicon: &'static Lexicon, words: &[Word]) -> Option<Range<usize>> {
    let (mut from, mut leaves, mut chat) = (0, false, words.len()..0);
    for part in words.chunk_by(|word, _| word.after == Gap::Space) {
        let to = from + part.len();
        let cover = clause::cover(lexicon, &CLOSES, part, closing, First::Lists);
        if cover.reaches(part.len()) {
            leaves |= cover.sections(part.len()) & ((1 << LEAVES) - 1) != 0;
        } else if request::chats(lexicon, part) {
            chat = chat.start.min(from)..to;
        } else {
            return None;
        }
        from = to;
    }
    let asks = words.iter().any(|word| word.after == Gap::Question);
    (leaves && !asks && !lexicon.section(TURN).within(words)).then_some(chat)
}

/// A goodbye and nothing else, however it is punctuated, or one to somebody: a name is a word that no lexicon has.
fn goodbye(lexicon: &'static Lexicon, words: &[Word]) -> bool {
    let n = lexicon.section(BYE).longest(words, 0);
    n > 0 && !words[0].quoted && matches!(&words[n..], [] | [Word { id: WordId::UNKNOWN, digit: false, .. }])
}

#[cfg(test)]
mod tests {
    use super::{Context, Words, is_acknowledgement, is_greeting};

    #[test]
    fn acknowledgements() {
        for text in [
            "thanks",
            "Thanks!",
            "ok",
            "got it",
            "Thanks, looks good",
            "perfect 👍",
            "great, thank you so much",
            "Ok, that's all I need. Bye!",
            "No thanks, that's it for now.",
            "sounds good",
            "Thank you for your help today.",
            "Cool. Thanks",
            "I appreciate it",
            "bye udo",
            "adios?",
            "I'll check it out. Thanks",
            "That song sounds great. Thank you!",
            "Thanks for booking the room.",
            "Your help is greatly appreciated",
            "Goodbye, Karlheinz!",
        ] {
            assert!(is_acknowledgement(&Words::of(text), &Context::default()), "{text}");
        }
        for text in [
            "ok, but what about caching?",
            "ok, but what about X?",
            "not great",
            "looks good except the schema",
            "thanks, now find me a hotel",
            "ok?",
            "thanks but",
            "Thanks. I need a taxi",
            "That song sounds great. What is it called?",
            "The title is wrong. Thanks",
            "bye 12",
            "take care of the deployment",
            "bye, what about the release?",
            "",
            "no",
            "yes",
            "what about the database",
            "great work on the parser is needed",
            "All work and no play.",
            "nothing works",
            "create a ticket",
            "stop",
        ] {
            assert!(!is_acknowledgement(&Words::of(text), &Context::default()), "{text}");
        }
    }

    #[test]
    fn greetings() {
        for text in ["hi", "Hey!", "hello there", "good morning, how are you?", "Hi all 👋", "what's up"] {
            assert!(is_greeting(&Words::of(text)), "{text}");
        }
        for text in ["hi, create a ticket", "there", "high", "", "how are the builds?", "good"] {
            assert!(!is_greeting(&Words::of(text)), "{text}");
        }
    }

    #[test]
    fn what_was_said_before_closes_more() {
        for (before, text, closed) in [
            ("How about True Grit?", "True Grit sounds great, thanks", true),
            ("Would you like to book a room?", "No, I don't want to book a room.", true),
            ("Would you like to book a room?", "No, maybe later", true),
            ("Would you like to book a room?", "No, I had enough of it. Thank you for everything", true),
            ("Would you like to book a room?", "No, I need a train. Thanks", false),
            ("Here is the draft.", "The title is wrong. Thanks", false),
            ("Anything else?", "What a day. Bye!", true),
            ("Is that right?", "No", false),
            ("It is booked.", "No", false),
            ("Would you like to book a room?", "No, find me a train", false),
            ("How about True Grit?", "True Grit sounds great, when is it on?", false),
        ] {
            let context = Context::default().to(before);
            assert_eq!(is_acknowledgement(&Words::of(text), &context), closed, "{before} – {text}");
        }
    }

    #[test]
    fn german() {
        for text in [
            "danke",
            "Vielen Dank!",
            "Danke für die Hilfe",
            "alles klar",
            "verstanden",
            "super, danke dir",
            "passt",
            "passt so, danke",
            "sieht gut aus",
            "Danke, sieht gut aus!",
            "perfekt 👍",
            "gut gemacht, danke",
            "Nein danke, das war's. Tschüss!",
            "Das wars schon, schönen Abend noch",
        ] {
            assert!(is_acknowledgement(&Words::of(text), &Context::default()), "{text}");
        }
        for text in [
            "danke, buche mir noch ein Auto",
            "ok, aber was ist mit der Datenbank?",
            "passt, außer dem Schema",
            "passt nicht",
            "sieht gut aus, aber was ist mit dem Cache?",
            "danke, und jetzt erstelle ein Ticket",
            "sieht nicht gut aus",
            "ja",
            "nicht gut",
            "alles",
            "alles klar?",
        ] {
            assert!(!is_acknowledgement(&Words::of(text), &Context::default()), "{text}");
        }
        for text in ["Hallo", "Guten Morgen!", "Moin, wie geht's?", "Hallo zusammen"] {
            assert!(is_greeting(&Words::of(text)), "{text}");
        }
        assert!(!is_greeting(&Words::of("Hallo, leg ein Ticket an")));
    }
}
