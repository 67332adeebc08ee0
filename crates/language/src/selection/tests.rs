//! Messages that pick an option, messages that pick none, and properties of any list and any message.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::{Context, Expected, Match, NoMatch, Value, Words};

fn split(options: &str) -> Vec<String> {
    options.split('|').map(ToString::to_string).collect()
}

fn read(options: &[String], asked: &str, text: &str) -> Result<Match, NoMatch> {
    crate::read(&Expected::Selection(options.to_vec()), &Words::of(text), &Context::default().to(asked))
}

fn choice(options: &[String], asked: &str, text: &str) -> Option<String> {
    match read(options, asked, text) {
        Ok(Match { value: Value::Selection(label), .. }) => Some(label),
        _ => None,
    }
}

fn pick(options: &str, text: &str) -> Option<String> {
    choice(&split(options), "", text)
}

const TICKETS: &str = "Login bug|Payment timeout|Dark mode";
const PANELS: &str = "Links Panels|Links Panel D|Links Panel E";
const HOTELS: &str = "Hilton San Francisco Union Square|Marriott Marquis|Hotel Zetta";

#[test]
fn one_option() {
    for (options, text, expected) in [
        ("A|B", "A", "A"),
        ("A|B", "b.", "B"),
        ("A|B", "option B please", "B"),
        ("A|B", "I'd like a B", "B"),
        ("A|B", "the second", "B"),
        ("A|B|C", "second one", "B"),
        ("A|B|C", "the last one", "C"),
        ("A|B|C", "#2", "B"),
        ("A|B|C", "#2, please", "B"),
        ("A|B|C", "option 3", "C"),
        ("A|B|C", "number two, thanks", "B"),
        ("A|B|C", "1", "A"),
        ("A|B|C", "one", "A"),
        ("A|B|C", "\u{662}", "B"),
        ("A|B|C", "top", "A"),
        ("A|B|C", "2 works for me", "B"),
        (TICKETS, "b", "Payment timeout"),
        (TICKETS, "dark mode", "Dark mode"),
        (TICKETS, "the payment one", "Payment timeout"),
        (TICKETS, "Let's go with login", "Login bug"),
        (TICKETS, "what about the third one", "Dark mode"),
        (TICKETS, "can you pick the first", "Login bug"),
        (TICKETS, "darkmode", "Dark mode"),
        (TICKETS, "DARK-MODE!", "Dark mode"),
        ("10|20|30", "20", "20"),
        ("checking|savings", "From my savings, please", "savings"),
        ("checking|savings", "I need to look at my checking account.", "checking"),
        ("checking|savings", "Check my savings", "savings"),
        ("cheap|moderate|expensive", "moderately priced", "moderate"),
        ("cheap|moderate|expensive", "inexpensive", "cheap"),
        ("cheap|moderate|expensive", "something mid-range please", "moderate"),
        ("drive|walk|public transit", "I'll be driving.", "drive"),
        ("drive|walk|public transit", "by public transport", "public transit"),
        ("north|centre", "downtown please", "centre"),
        ("north|centre", "in the city center", "centre"),
        ("Colour|Monochrome", "color", "Colour"),
        ("continue|cancel", "2", "cancel"),
        ("Hellboy|Dumbo", "Hellboy sounds good. That's all I need for now.", "Hellboy"),
        ("Hellboy|Dumbo", "Hellboy is what I would like to watch", "Hellboy"),
        ("Hellboy|Dumbo", "Yes, Dumbo would be a great choice, thank you!", "Dumbo"),
        ("Mad Max: Fury Road|Dumbo", "Madmax sounds interesting!", "Mad Max: Fury Road"),
        ("After|Family|Little", "I will go with After.", "After"),
        ("Music|Sports", "I'd like to see a concert", "Music"),
        ("Music|Sports", "Is there anything available in music?", "Music"),
        (HOTELS, "the Hilton", "Hilton San Francisco Union Square"),
        (HOTELS, "Book me the Marriott please", "Marriott Marquis"),
        (HOTELS, "The Hilton in Union Square", "Hilton San Francisco Union Square"),
        (PANELS, "open links panels", "Links Panels"),
        (PANELS, "open links panel d", "Links Panel D"),
        (PANELS, "d", "Links Panel D"),
        ("Straße|Weg", "STRASSE", "Straße"),
        ("Ｃ＃|C", "c#", "Ｃ＃"),
        ("Ｃ＃|C", "c", "C"),
        ("ملخص 144|ملخص 155", "ملخص ١٤٤", "ملخص 144"),
        ("v1.0|v10", "v10", "v10"),
        ("🚀 Launch|🎉 Party", "launch", "🚀 Launch"),
        ("🔴 Light|🟢 Light", "🟢 light", "🟢 Light"),
        ("Open House|House", "open house", "Open House"),
        ("Open House|House", "open the house", "House"),
        ("Research & Development|Sales", "research and development", "Research & Development"),
        ("March 3rd|March 12th", "the 12th", "March 12th"),
        ("Travel plan|Budget draft", "I'd like to go with the travel plan, thanks", "Travel plan"),
        ("Search index|Login bug", "the search one", "Search index"),
        ("March 2nd|March 1st", "the 1st", "March 1st"),
    ] {
        assert_eq!(pick(options, text).as_deref(), Some(expected), "{options}: {text}");
    }
}

#[test]
fn none_or_two() {
    for (options, text) in [
        ("A|B", "A or B"),
        ("A|B", "a and b"),
        ("A|B", "C"),
        ("A|B", "not A"),
        ("A|B", "A?"),
        ("A|B", "thanks"),
        ("A|B", "a table for two"),
        ("A|B", "for two"),
        ("A|B", "2 people"),
        ("A|B", "a good one"),
        ("A|B", "second to last"),
        ("A|B", "first and second"),
        ("A|B", "both"),
        ("A|B", "either"),
        ("A|B", "the other one"),
        ("A|B", "the left one"),
        ("A|B|C|D", "upper right"),
        ("A|B", "that one"),
        ("A|B", "any"),
        ("A|B", "none of them"),
        ("continue|cancel", "cancel"),
        ("Login bug|Login page", "login"),
        ("Login bug|Login page", "not the login bug"),
        (TICKETS, "how long has the payment timeout been broken?"),
        (TICKETS, "login bug or dark mode"),
        (TICKETS, "write an email about the login bug"),
        (TICKETS, "delete the login bug"),
        (TICKETS, "the login bug is not what I want"),
        (TICKETS, "login bug if it is still open"),
        (TICKETS, "ogin bug"),
        (TICKETS, "sedond"),
        (PANELS, "open that panel"),
        (PANELS, "links panel"),
        ("Rob Roy|Dog Boy", "not the one about the boy"),
        ("Mobile|Home", "neither"),
        ("Hellboy|Dumbo", "anything but Dumbo"),
        ("Hellboy|Dumbo", "I've seen Dumbo"),
        ("Hellboy|Dumbo", "Dumbo is good. But not today."),
        ("Hellboy|Dumbo", "What time does Dumbo start?"),
        ("Hellboy|Dumbo", "Dumbo, no, Hellboy"),
        (HOTELS, "what is the phone number of the Hilton?"),
        ("checking|savings", "checking savings"),
        ("checking|savings", "check"),
        ("cheap|moderate|expensive", "nothing expensive"),
        ("cheap|moderate|expensive", "the less expensive the better"),
        ("United Airlines|British Airways", "Delta Airlines"),
        ("résumé|letter", "resume"),
        ("v1.0|v10", "v1 0"),
        ("🔴 Light|🟢 Light", "light"),
        ("|", "nothing at all"),
    ] {
        assert_eq!(pick(options, text), None, "{options}: {text}");
    }
}

#[test]
fn why_nothing_was_picked() {
    for (options, text, reason) in [
        ("2|1", "2", "ambiguous"),
        ("Login bug|Login page", "login", "ambiguous"),
        ("Report|Report", "report", "ambiguous"),
        ("last|next|first", "last", "ambiguous"),
        ("A|B", "the fifth", "out of range"),
        ("A|B", "3", "out of range"),
        ("A|B", "0", "out of range"),
        ("A|B", "stop", "interrupt"),
        ("A|B", "write to Bob", "unexplained word"),
    ] {
        assert_eq!(read(&split(options), "", text), Err(NoMatch { reason }), "{options}: {text}");
    }
}

#[test]
fn words_of_the_question_explain_words_of_the_answer() {
    let accounts = split("checking|savings");
    for (asked, text, picked) in [
        (
            "Which account do you want to use for the kitchen?",
            "The savings one for the kitchen",
            Some("savings"),
        ),
        ("", "The savings one for the kitchen", None),
        ("Do you want to pay from checking or savings?", "I'll pay from checking", Some("checking")),
        // A word the question had takes nothing back and names no option.
        ("Savings or another account?", "another account", None),
        ("Checking, savings, or neither?", "neither savings", None),
    ] {
        assert_eq!(choice(&accounts, asked, text).as_deref(), picked, "{asked} {text}");
    }
}

#[test]
fn an_option_inside_an_answer_that_says_more() {
    let genres = split("Music|Sports");
    let asked = "Which kind of event do you like?";
    for (text, picked) in [
        ("I want to go to a concert in Leeds on Friday", Some("Music")),
        ("I like jazz concerts and sports", None),
        ("I'm into football sports, mostly at the weekend", Some("Sports")),
        ("What sports are there in Leeds on Friday?", None),
        ("Find me a restaurant with live music", None),
    ] {
        assert_eq!(choice(&genres, asked, text).as_deref(), picked, "{text}");
    }
}

#[test]
fn an_answer_and_more() {
    for (text, picked, rest) in [
        ("Dumbo, and mail Bob the plan", "Dumbo", "mail Bob the plan"),
        ("Dumbo sounds great. Now find me a song.", "Dumbo", "Now find me a song."),
        ("The second one please. But first book a table for two.", "Dumbo", "first book a table for two."),
        ("I need tickets too. Dumbo please.", "Dumbo", "I need tickets too."),
    ] {
        let found = read(&split("Hellboy|Dumbo"), "", text).unwrap();
        assert_eq!(found.value, Value::Selection(picked.into()), "{text}");
        assert_eq!(found.remainder.as_deref(), Some(rest), "{text}");
    }
}

#[test]
fn what_was_said_is_told() {
    for (options, text, said) in [
        (TICKETS, "the dark mode please", "dark mode"),
        (TICKETS, "I'd take the second one", "second"),
        (HOTELS, "The Hilton in Union Square, please", "Hilton in Union Square"),
    ] {
        let found = read(&split(options), "", text).unwrap();
        assert_eq!(&text[found.span], said);
    }
}

/// Labels that are no position, no letter and no word of a frame.
fn labels() -> impl Strategy<Value = Vec<String>> {
    let word = "[bcdfgklmnprtvz][aeiou][bcdfgklmnprtvz]{2}[aeiou]q";
    prop::collection::btree_set(prop::collection::vec(word, 1..4).prop_map(|words| words.join(" ")), 1..12)
        .prop_map(|labels| labels.into_iter().collect())
}

/// Lists in which nothing is anything else's word.
fn apart(labels: &[String]) -> bool {
    let words: Vec<&str> = labels.iter().flat_map(|label| label.split(' ')).collect();
    (1..words.len()).all(|at| !words[..at].contains(&words[at]))
}

const FRAMES: [(&str, &str); 8] = [
    ("", ""),
    ("I'd like ", ""),
    ("the ", " one please"),
    ("let's go with ", ", thanks"),
    ("um, ", " I guess"),
    ("can you open ", ""),
    ("", " sounds good to me"),
    ("option ", "!"),
];

proptest! {
    #[test]
    fn an_own_label_picks_it_and_so_does_its_place(
        labels in labels(), at in any::<prop::sample::Index>(), frame in prop::sample::select(&FRAMES[..]),
    ) {
        prop_assume!(apart(&labels));
        let at = at.index(labels.len());
        let own = Some(labels[at].clone());
        let choice = |text: &str| choice(&labels, "", text);
        let (before, after) = frame;
        prop_assert_eq!(choice(&format!("{before}{}{after}", labels[at])), own.clone());
        prop_assert_eq!(choice(&labels[at].to_uppercase().replace(' ', "-")), own.clone());
        prop_assert_eq!(choice(&(at + 1).to_string()), own.clone());
        prop_assert_eq!(choice(&format!("option {} please", at + 1)), own.clone());
        let letter = char::from(b'a' + u8::try_from(at).unwrap());
        prop_assert_eq!(choice(&format!("option {letter}")), own.clone());
        let word = labels[at].split(' ').next().unwrap();
        prop_assert_eq!(choice(&format!("{before}{word}{after}")), own.clone());
    }

    #[test]
    fn two_labels_or_a_denied_one_pick_nothing(labels in labels(), frame in prop::sample::select(&FRAMES[..])) {
        prop_assume!(apart(&labels) && labels.len() > 1);
        let (before, after) = frame;
        for joined in [" or ", " and ", ", ", " "] {
            let text = format!("{before}{}{joined}{}{after}", labels[0], labels[1]);
            prop_assert_eq!(choice(&labels, "", &text), None, "{}", text);
        }
        for denied in ["not ", "anything but ", "don't open ", "no "] {
            let text = format!("{denied}{}{after}", labels[0]);
            prop_assert_eq!(choice(&labels, "", &text), None, "{}", text);
        }
    }

    #[test]
    fn the_order_of_the_others_is_of_no_account(
        labels in labels(), turned in any::<prop::sample::Index>(), frame in prop::sample::select(&FRAMES[..]),
        words in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let all: Vec<&str> = labels.iter().flat_map(|label| label.split(' ')).collect();
        let said: Vec<&str> = words.iter().map(|at| all[at.index(all.len())]).collect();
        let text = format!("{}{}{}", frame.0, said.join(" "), frame.1);
        let mut other = labels.clone();
        other.rotate_left(turned.index(labels.len()));
        prop_assert_eq!(choice(&labels, "", &text), choice(&other, "", &text), "{}", text);
    }

    #[test]
    fn any_options_and_any_message_are_read(
        options in prop::collection::vec(any::<String>(), 0..70), text in any::<String>(), asked in any::<String>(),
    ) {
        for text in [text.as_str(), options.first().map_or("", |option| option.as_str())] {
            if let Ok(Match { value: Value::Selection(label), span, .. }) = read(&options, &asked, text) {
                prop_assert!(options.contains(&label));
                prop_assert!(text.get(span).is_some());
            }
        }
    }

    #[test]
    fn any_words_around_options_are_read(
        options in prop::collection::vec("[a-c1-3🎉ß\u{301}#. -]{0,6}", 1..9),
        parts in prop::collection::vec(prop::sample::select(vec![
            "a", "b", "1", "2", "#", "first", "last", "option", "the", "I want", "please", ".", ",", "?", "-", "c",
            "ab", "not", "🎉", "ß", "ss", "two", "one", "or", "🔴", "٣",
        ]), 0..12),
    ) {
        let text = parts.join(" ");
        if let Ok(Match { value: Value::Selection(label), .. }) = read(&options, "one or two?", &text) {
            prop_assert!(options.contains(&label));
        }
    }
}

#[test]
fn many_long_options_and_a_long_message_are_read_in_one_pass() {
    let long: Vec<String> =
        (0..200).map(|at| format!("{at} {}", "the long name of an option ".repeat(8))).collect();
    for text in ["the ", "long name ", "option 7 ", "1 2 3 ", "I want ", "ﬁ ﬂ ٣ "] {
        let _ = read(&long, "Which of the long names?", &text.repeat(2_000));
    }
    assert_eq!(choice(&long, "", &long[150]), Some(long[150].clone()));
}

#[test]
fn german() {
    let expected = Expected::Selection(["A", "B", "C"].map(Into::into).to_vec());
    for (text, option) in [
        ("der erste", "A"),
        ("die zweite Option", "B"),
        ("Nummer zwei", "B"),
        ("die letzte bitte", "C"),
        ("B bitte", "B"),
        ("ich nehme den dritten", "C"),
        ("Ich hätte gern die erste", "A"),
        ("die 2", "B"),
    ] {
        let found = crate::read(&expected, &Words::of(text), &Context::default())
            .unwrap_or_else(|e| panic!("{text}: {}", e.reason));
        assert_eq!(found.value, Value::Selection(option.into()), "{text}");
    }
    for text in ["die vierte", "keine davon", "was ist mit B?", "A oder B", "B nicht"] {
        assert!(crate::read(&expected, &Words::of(text), &Context::default()).is_err(), "{text}");
    }
}
