//! Yes and no, in tables: what each message says, alone and as the answer to a question.

use crate::tests::matches;
use crate::{Context, Expected, Match, NoMatch, Strength, Value, Words, read};

/// Reads a message as the answer to a question.
fn asked(question: &str, text: &str) -> Result<Match, NoMatch> {
    read(&Expected::Boolean, &Words::of(text), &Context::default().to(question))
}

#[test]
fn whole_answers() {
    for (text, expected) in [
        ("yes", true),
        ("Yeah, go for it", true),
        ("sure, do it", true),
        ("yep thanks", true),
        ("Sounds good!", true),
        ("that sounds really good to me", true),
        ("please do", true),
        ("Absolutely.", true),
        ("why not?", true),
        ("👍🏽", true),
        ("ok", true),
        ("Sure", true),
        ("um, I guess so", true),
        ("ＹＥＳ", true),
        ("no", false),
        ("nope", false),
        ("not now", false),
        ("don't", false),
        ("don’t!", false),
        ("rather not", false),
        ("no thanks", false),
        ("No, that's fine, thank you.", false),
        ("I'd prefer not to", false),
        ("maybe later", false),
        ("👎", false),
        ("No, that's all. Thanks!", false),
        ("Yes, but not now", false),
        ("No.Thanks", false),
        ("Yest please", true),
        ("That;s fine with me", true),
        ("he did", true),
        ("we can't", false),
        ("do nothing", false),
        ("please do nothing", false),
        ("do nothing please", false),
        ("Just do nothing for now", false),
        ("Bitte mach nichts", false),
        ("that's too late", false),
    ] {
        let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!((found.value, found.remainder), (Value::Boolean(expected), None), "{text}");
    }
}

#[test]
fn answers_and_more() {
    for (text, expected, remainder) in [
        ("no, book the train instead", false, "book the train instead"),
        ("Yes, and mail Bob the plan.", true, "mail Bob the plan."),
        ("yes please. What time does it start?", true, "What time does it start?"),
        ("That sounds great. I need two tickets", true, "I need two tickets"),
        ("No but show me trains", false, "show me trains"),
        ("Two tickets, yes please", true, "Two tickets"),
        ("No, thanks, I don't want it now?", false, "I don't want it now?"),
        ("please and tell Bob", true, "tell Bob"),
    ] {
        let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!(found.value, Value::Boolean(expected), "{text}");
        assert_eq!(found.remainder.as_deref(), Some(remainder), "{text}");
    }
}

#[test]
fn no_answers() {
    for text in [
        "ok but what about the database?",
        "ok, what about the database?",
        "Sounds great. What is their phone number?",
        "no one",
        "no matter",
        "great, find me a hotel",
        "thanks",
        "Thank you!",
        "is it?",
        "ok?",
        "not great",
        "not sure",
        "maybe",
        "do that via sub-agent",
        "yes but only if it is free",
        "yes, make it 4 people instead",
        "sure, one moment",
        "yes, just a sec",
        "ok, hang on",
        "ja, einen kleinen Moment",
        "klar, Sekunde noch",
        "sounds good, but show me something else",
        "yes or no",
        "yesterday",
        "nobody answered",
        "no idea",
        "sure footed goats",
        "Sue",
        "yes, once I have read it",
        "the yes men",
        "I think that we should",
        "\u{200d}",
    ] {
        assert!(matches(&Expected::Boolean, text).is_err(), "{text}");
    }
}

#[test]
fn what_repeats_the_question_answers_it() {
    const RIDE: &str = "There are two. Would you like a shared ride?";
    for (question, text, expected) in [
        (RIDE, "A shared ride is fine with me.", Some(true)),
        (RIDE, "I don't mind sharing a ride", Some(true)),
        (RIDE, "I'd like the shared ride, please", Some(true)),
        (RIDE, "No, I don't want to share a ride.", Some(false)),
        (RIDE, "A shared ride isn't good for me", Some(false)),
        (RIDE, "A luxury ride is fine", None),
        (RIDE, "A shared ride?", None),
        ("Would you like a shared ride or a taxi?", "A shared ride is fine", None),
        ("How about True Grit?", "I love True Grit!", Some(true)),
        ("Shall I book a table for 2 at 7?", "Book a table for 7", None),
        ("Please confirm: you want to play it without subtitles.", "Play it with subtitles.", None),
        ("Please confirm: a table at 5 pm.", "I would like the table at 6 in the evening.", None),
        ("Do you mind sharing?", "No, not at all", Some(true)),
        ("Do you mind sharing?", "No", Some(false)),
        ("Soll ich den Flug buchen?", "Ja, bitte buche den Flug", Some(true)),
    ] {
        let found = asked(question, text).ok().map(|found| found.value);
        assert_eq!(found, expected.map(Value::Boolean), "{question} – {text}");
    }
}

#[test]
fn the_question_says_what_a_yes_is_worth() {
    const MORE: &str = "Is there anything else I can do?";
    const RIGHT: &str = "A table for two at 5 pm. Is that right?";
    const OFFER: &str = "I found 3. How about the Ritz?";
    for (question, text, expected) in [
        (MORE, "Yes I need a table for two", Some((true, "I need a table for two"))),
        (MORE, "Please check my balance", Some((true, "check my balance"))),
        (MORE, "Book a table", None),
        (MORE, "Sounds good", None),
        (MORE, "No, that's it", Some((false, ""))),
        (RIGHT, "That's correct. What's the address?", Some((true, "What's the address?"))),
        (RIGHT, "Perfect, what does it cost?", Some((true, "what does it cost?"))),
        (RIGHT, "Yes, make it 4 people", None),
        (RIGHT, "Actually, make it 7 pm", None),
        (RIGHT, "That's fine. I want 4 seats", None),
        (RIGHT, "No, make it 4 people", Some((false, "make it 4 people"))),
        (OFFER, "Sounds good. What does it cost?", None),
        (OFFER, "Sounds good. Can you book it?", Some((true, "Can you book it?"))),
        (OFFER, "Great, reserve it", Some((true, "reserve it"))),
        (OFFER, "Great, get me a cheaper one", None),
        ("How about the Ritz, a hotel?", "Great, find me a bus", Some((true, "find me a bus"))),
        ("How about the Ritz, a hotel?", "Great, is there a bus to it?", None),
        ("It is booked for two.", "Great. What does it cost?", Some((true, "What does it cost?"))),
        (
            "Would you like a ride?",
            "A ride is fine, but it's for two people",
            Some((true, "it's for two people")),
        ),
        ("Shall I book a ride for 4?", "Fine with me, for two people", None),
        ("Shall I book a ride?", "No, for two people", Some((false, "for two people"))),
        (MORE, "Just a nap. Thanks", Some((false, "Just a nap."))),
        (MORE, "Thanks", None),
        (MORE, "I need a hotel. Thanks", None),
        (OFFER, "Sounds good. Can you book two rooms?", Some((true, "Can you book two rooms?"))),
        (OFFER, "Sounds good, but what else do you have?", None),
        (OFFER, "great, find me a hotel", None),
        ("Would you like a ride?", "Yes, I'd like to find a hotel", None),
        ("Shall I?", "yes add two coffees", None),
        (
            "You want a table for two at 6?",
            "That is correct. What's the address?",
            Some((true, "What's the address?")),
        ),
        ("Would you like to book a table?", "I'd like a table for two at 6", Some((true, "for two at 6"))),
        ("Would you like to book a table?", "Yes, but let's do that later", Some((false, ""))),
        ("Would you like to book a table?", "Not now but find me a train", Some((false, "find me a train"))),
        ("Would you like to book right now?", "Let's do that later", Some((false, ""))),
        ("I found True Grit. Would you like to see it?", "True Grit is great", Some((true, ""))),
    ] {
        let found = asked(question, text).ok();
        let found =
            found.as_ref().map(|f| (f.value == Value::Boolean(true), f.remainder.as_deref().unwrap_or("")));
        assert_eq!(found, expected, "{question} – {text}");
    }
}

#[test]
fn a_weak_yes_answers_only_what_it_is_about() {
    for (text, strength) in [
        ("ok", Strength::Weak),
        ("great", Strength::Weak),
        ("sure", Strength::Firm),
        ("alles klar", Strength::Weak),
    ] {
        let mut context = Context::default();
        assert_eq!(
            read(&Expected::Boolean, &Words::of(text), &context).unwrap().strength,
            strength,
            "{text}"
        );
        context.focused = false;
        let elsewhere = read(&Expected::Boolean, &Words::of(text), &context);
        assert_eq!(elsewhere.is_ok(), strength == Strength::Firm, "{text}");
    }
}

#[test]
fn german_answers() {
    for (text, expected) in [
        ("ja", true),
        ("Ja, gerne!", true),
        ("ja bitte", true),
        ("Passt", true),
        ("das klingt gut", true),
        ("Klingt super, danke", true),
        ("mach das", true),
        ("Machen Sie das bitte", true),
        ("auf jeden Fall", true),
        ("na klar", true),
        ("genau", true),
        ("Das stimmt.", true),
        ("stimmt so", true),
        ("einverstanden", true),
        ("warum nicht?", true),
        ("von mir aus", true),
        ("natürlich", true),
        ("gute Idee", true),
        ("nein", false),
        ("Nein danke", false),
        ("nö", false),
        ("lieber nicht", false),
        ("jetzt nicht", false),
        ("noch nicht", false),
        ("auf keinen Fall", false),
        ("kein Interesse", false),
        ("Nein, das passt mir nicht", false),
        ("vielleicht später", false),
        ("das stimmt nicht", false),
        ("nicht nötig", false),
        ("Nein danke, das war alles.", false),
    ] {
        let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!((found.value, found.remainder), (Value::Boolean(expected), None), "{text}");
    }
    for (text, expected, remainder) in [
        ("Nein, buche lieber den Zug", false, "buche lieber den Zug"),
        ("Ja, und schick Anna den Plan.", true, "schick Anna den Plan."),
        ("Ja bitte. Wann fängt es an?", true, "Wann fängt es an?"),
    ] {
        let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!(found.value, Value::Boolean(expected), "{text}");
        assert_eq!(found.remainder.as_deref(), Some(remainder), "{text}");
    }
    for text in [
        "ja, aber was ist mit der Datenbank?",
        "ok, aber was ist mit der Datenbank?",
        "nicht schlecht wäre auch der Zug",
        "keine Ahnung",
        "weiß nicht",
        "vielleicht",
        "danke",
        "ok?",
        "ja oder nein",
        "niemand hat geantwortet",
        "Ja, aber nur wenn es kostenlos ist",
        "egal",
        "jahrelang",
        "Schick es an Bob",
    ] {
        assert!(matches(&Expected::Boolean, text).is_err(), "{text}");
    }
}
