//! Vetoes over generated sentences: whatever a yes is said with, a negation, a condition, a stop, or a value that was not asked
//! about leaves no yes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Context, Expected, Value, Words, read};

/// The words of one language that sentences are made of.
struct Grammar {
    /// Questions that offer to act on a thing, with the thing and the verb of a wish for it.
    offers: &'static [(&'static str, &'static str, &'static str)],
    confirms: &'static [&'static str],
    yes: &'static [&'static str],
    openers: &'static [&'static str],
    closers: &'static [&'static str],
    /// Wishes that are denied, with `{it}` for the thing and `{do}` for the verb.
    denied: &'static [&'static str],
    conditions: &'static [&'static str],
    stops: &'static [&'static str],
    /// Values that no question here names, told in place of a confirmation or behind one.
    told: &'static [&'static str],
}

const ENGLISH: Grammar = Grammar {
    offers: &[
        ("Do you require insurance?", "insurance", "require"),
        ("Would you like to book tickets?", "tickets", "book"),
        ("Shall I order the blue chairs?", "the blue chairs", "order"),
        ("Should I send the report to Mia?", "the report", "send"),
    ],
    confirms: &[
        "Please confirm: a desk for Ana on Monday at 9.",
        "I will move 40 euros to Ana. Is that right?",
        "The painter comes to Ana on May 5, correct?",
    ],
    yes: &["yes", "sure", "sounds good", "please do", "that works for me", "ok", "go ahead"],
    openers: &["", "um, ", "well, ", "thanks, "],
    closers: &["", ", thanks", " please", " at the moment", " right now", "!"],
    denied: &[
        "I do not want {it}",
        "I don't {do} {it}",
        "I do not {do} {it}",
        "no need to {do} {it}",
        "I no longer want {it}",
        "we won't {do} {it}",
        "I'd rather not {do} {it}",
        "don't {do} {it}",
        "please do nothing",
        "I need nothing",
        "I never want to {do} {it}",
        "I can do without {it}",
        "don't want to {do} {it}",
        "we are not going to {do} {it}",
        "nobody wants {it}",
        "I want none of it",
        "that hardly works for me",
        "that barely works for us",
        "{it} would seldom be good",
        "that is anything but good",
        "that is far from good",
        "that would have been great",
    ],
    conditions: &[
        "if it is free",
        "only if Bob agrees",
        "unless it rains",
        "as long as it is cheap",
        "provided that it fits",
        "once I have checked it",
        "as soon as we are back",
        "until the boss says so",
        "assuming it is warm",
        "in case it is needed",
    ],
    stops: &[
        "cancel it",
        "stop that",
        "forget it",
        "abort",
        "please cancel everything",
        "stop the whole thing",
    ],
    told: &[
        "the name is Yumi",
        "to Yumi",
        "for 7 people",
        "at half past six",
        "make it 77 instead",
        "on Thursday",
        "make the place Rome",
    ],
};

const GERMAN: Grammar = Grammar {
    offers: &[
        ("Brauchen Sie eine Versicherung?", "Versicherung", "abschließen"),
        ("Möchtest du Karten buchen?", "Karten", "buchen"),
        ("Soll ich blaue Stühle bestellen?", "Stühle", "bestellen"),
        ("Soll ich Berichte senden?", "Berichte", "senden"),
    ],
    confirms: &[
        "Bitte bestätigen: ein Tisch für Ana am Montag um 9.",
        "Ich überweise 40 Euro an Ana. Ist das richtig?",
        "Der Maler kommt am 5. Mai zu Ana, richtig?",
    ],
    yes: &["ja", "gerne", "klingt gut", "mach das", "passt mir", "ok", "einverstanden"],
    openers: &["", "äh, ", "also, ", "danke, "],
    closers: &["", ", danke", " bitte", "!"],
    denied: &[
        "ich brauche keine {it}",
        "ich will keine {it}",
        "möchte gerade keine {it} {do}",
        "ich möchte {it} nicht {do}",
        "bitte nichts machen",
        "bitte nicht {do}",
        "wir wollen keine {it} mehr",
        "ich möchte lieber nichts {do}",
        "ich brauche gar nichts",
        "es geht auch ohne {it}",
        "niemand will {it}",
        "auf keinen Fall {it} {do}",
        "ich habe nie {it} gewollt",
        "das passt kaum",
        "das ist alles andere als gut",
        "das wäre schön gewesen",
    ],
    conditions: &[
        "wenn es gratis ist",
        "nur wenn Bob zustimmt",
        "falls es regnet",
        "solange es billig ist",
        "sofern es passt",
        "sobald ich es geprüft habe",
        "es sei denn, es regnet",
        "vorausgesetzt, es ist warm",
        "bis der Chef zustimmt",
    ],
    stops: &[
        "brich das ab",
        "stopp das",
        "vergiss es",
        "abbrechen",
        "bitte alles stornieren",
        "storniere das Ganze",
    ],
    told: &[
        "die Person heißt Yumi",
        "an Yumi",
        "für 7 Leute",
        "um halb sieben",
        "mach lieber 77 daraus",
        "am Donnerstag",
        "ändere den Ort auf Rom",
    ],
};

const BOTH: [&Grammar; 2] = [&ENGLISH, &GERMAN];

fn says_yes(question: &str, text: &str) -> bool {
    let found = read(&Expected::Boolean, &Words::of(text), &Context::default().to(question));
    found.is_ok_and(|found| found.value == Value::Boolean(true))
}

/// Holds every sentence to be no yes to its question, and reports those that are.
fn none_is_yes(sentences: impl Iterator<Item = (&'static str, String)>) {
    let mut tried = 0;
    let wrong: Vec<_> =
        sentences.inspect(|_| tried += 1).filter(|(asked, text)| says_yes(asked, text)).collect();
    assert!(
        wrong.is_empty(),
        "{} of {tried} are read as yes: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(12)]
    );
    assert!(tried > 100, "{tried} sentences");
}

/// Sentences with something against a yes, alone and around one, for every question.
fn around(
    language: &'static Grammar,
    questions: impl Iterator<Item = &'static str> + Clone,
    against: impl Iterator<Item = String> + Clone,
) -> impl Iterator<Item = (&'static str, String)> {
    questions.flat_map(move |asked| {
        let against = against.clone();
        language.openers.iter().flat_map(move |opener| {
            against.clone().flat_map(move |clause| {
                let behind = language.yes.iter().flat_map(move |yes| {
                    let clause = clause.clone();
                    [", ", " ", ". ", " - "].map(move |gap| format!("{opener}{yes}{gap}{clause}"))
                });
                behind.map(move |text| (asked, text))
            })
        })
    })
}

fn questions(language: &'static Grammar) -> impl Iterator<Item = &'static str> + Clone {
    language.offers.iter().map(|(asked, ..)| *asked).chain(language.confirms.iter().copied())
}

/// The words of a language are in its questions, or it is read as no language at all.
#[test]
fn the_generator_says_yes_too() {
    for language in BOTH {
        for asked in questions(language) {
            for yes in language.yes.iter().filter(|yes| **yes != "ok") {
                for opener in language.openers {
                    let text = format!("{opener}{yes}");
                    assert!(says_yes(asked, &text), "{asked} – {text}");
                }
            }
        }
    }
}

#[test]
fn what_is_denied_is_no_yes() {
    none_is_yes(BOTH.into_iter().flat_map(|language| {
        language.offers.iter().flat_map(move |(asked, it, act)| {
            language.denied.iter().flat_map(move |denied| {
                let clause = denied.replace("{it}", it).replace("{do}", act);
                let leads = ["", "no, ", "nein, ", "sorry, ", "yes. "];
                leads.into_iter().flat_map(move |lead| {
                    let clause = clause.clone();
                    language.openers.iter().flat_map(move |opener| {
                        let clause = clause.clone();
                        language
                            .closers
                            .iter()
                            .map(move |closer| (*asked, format!("{opener}{lead}{clause}{closer}")))
                    })
                })
            })
        })
    }));
}

#[test]
fn what_depends_is_no_yes() {
    none_is_yes(BOTH.into_iter().flat_map(|language| {
        around(language, questions(language), language.conditions.iter().map(|&clause| clause.into()))
    }));
}

#[test]
fn what_stops_is_no_yes() {
    none_is_yes(BOTH.into_iter().flat_map(|language| {
        around(language, questions(language), language.stops.iter().map(|&clause| clause.into()))
    }));
}

#[test]
fn what_is_told_otherwise_is_no_confirmation() {
    const SORRY: [&str; 6] =
        ["I am sorry. ", "sorry, ", "actually, ", "tut mir leid, ", "Entschuldigung. ", "eigentlich, "];
    none_is_yes(BOTH.into_iter().flat_map(|language| {
        let alone = language.confirms.iter().flat_map(move |asked| {
            language.told.iter().flat_map(move |told| {
                let led = SORRY.iter().chain(language.openers);
                led.map(move |lead| (*asked, format!("{lead}{told}")))
            })
        });
        let joined = language.confirms.iter().flat_map(move |asked| {
            language.told.iter().flat_map(move |told| {
                language
                    .yes
                    .iter()
                    .flat_map(move |yes| [", ", " ", " - "].map(|gap| (*asked, format!("{yes}{gap}{told}"))))
            })
        });
        alone.chain(joined)
    }));
}

/// A text alone, and with what says nothing around it.
fn said_variously(asked: &'static str, text: String) -> impl Iterator<Item = (&'static str, String)> {
    const AROUND: [(&str, &str); 10] = [
        ("", ""),
        ("", "!"),
        ("", "."),
        ("", ", thanks"),
        ("", " please"),
        ("well, ", ""),
        ("um, ", "."),
        ("hello, ", ""),
        ("thanks, ", ""),
        ("oh, ", "!"),
    ];
    AROUND.into_iter().map(move |(before, behind)| (asked, format!("{before}{text}{behind}")))
}

/// Whoever wants the thing, or asks to leave it, does not agree to its end.
#[test]
fn what_is_kept_is_no_yes_to_its_end() {
    const ENDS: [(&str, &str); 4] = [
        ("Please confirm: I cancel your order 4711. Yes?", "order"),
        ("Please confirm: I delete your account and all photos. Is that okay?", "account"),
        ("Shall I close your account?", "account"),
        ("Ich storniere Ihre Bestellung 4711. In Ordnung?", "Bestellung"),
    ];
    const KEEPS: [&str; 10] = [
        "keep it",
        "yes, keep it",
        "ok keep the {it}",
        "please keep my {it}",
        "I want my {it}",
        "I need the {it}",
        "I want to keep my {it}",
        "ja, behalten",
        "ich will die {it} behalten",
        "ich brauche die {it}",
    ];
    none_is_yes(ENDS.into_iter().flat_map(|(asked, it)| {
        KEEPS.into_iter().flat_map(move |keeps| said_variously(asked, keeps.replace("{it}", it)))
    }));
    assert!(says_yes("Shall I close your account?", "yes, close my account"));
    assert!(says_yes("Please confirm: I cancel your order 4711. Yes?", "that is right"));
}

/// A part of what was to be confirmed, named or agreed to, leaves the rest open.
#[test]
fn a_part_confirms_nothing() {
    const CONFIRM: &str = "Please confirm: a table for two at 6 pm at the Ritz. Is that right?";
    const TISCH: &str = "Bitte bestätigen: ein Tisch für zwei um 18 Uhr im Ritz. Stimmt das?";
    let english = [
        "6 pm",
        "a table",
        "a table for two",
        "the Ritz",
        "only the time is right",
        "probably right",
        "I hope that is right",
    ];
    let german = ["18 Uhr", "ein Tisch", "im Ritz", "nur die Zeit stimmt", "wahrscheinlich richtig"];
    let english = english.into_iter().flat_map(|text| said_variously(CONFIRM, text.into()));
    none_is_yes(english.chain(german.into_iter().flat_map(|text| said_variously(TISCH, text.into()))));
    for (asked, text) in
        [(CONFIRM, "that is right"), (CONFIRM, "yes, a table for two"), (TISCH, "ja, stimmt")]
    {
        assert!(says_yes(asked, text), "{text}");
    }
}

/// Negations and conditions that only sound like one leave a yes a yes.
#[test]
fn what_is_harmless_stays_a_yes() {
    for (asked, text) in [
        ("Shall I order the chairs?", "Why not?"),
        ("Shall I order the chairs?", "Sure, no problem"),
        ("Shall I order the chairs?", "yes please, if you can"),
        ("Shall I order the chairs?", "Yes, if you don't mind"),
        ("Do you mind a shared desk?", "No, not at all"),
        ("Shall I cancel the painter?", "Yes, cancel the painter"),
        ("Please confirm: a film without subtitles.", "Yes, without subtitles please"),
        ("Soll ich die Stühle bestellen?", "Warum nicht?"),
        ("Soll ich die Stühle bestellen?", "Ja, kein Problem"),
        ("Soll ich die Stühle bestellen?", "Ja bitte, wenn möglich"),
    ] {
        assert!(says_yes(asked, text), "{asked} – {text}");
    }
}
