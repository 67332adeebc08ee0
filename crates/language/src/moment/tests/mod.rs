//! Messages that are read as a time, a date, a moment or a duration, and messages that are not.

mod calendars;
mod german;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use jiff::civil::{Date, DateTime};
use proptest::prelude::*;

use crate::{Context, Expected, Languages, Reading, Value, Words, find};

/// A Wednesday, at ten in the morning.
const NOW: &str = "2026-01-14T10:00:00Z";

fn ms(moment: &str) -> i64 {
    moment.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

/// A context, and the languages of whoever writes.
#[derive(Clone)]
struct Situation<'c> {
    context: Context<'c>,
    languages: Languages,
}

impl<'c> Situation<'c> {
    fn at(now_ms: i64, offset_s: i32) -> Self {
        Self { context: Context::at(now_ms, offset_s), languages: Languages::default() }
    }

    fn to(self, asked: &'c str) -> Self {
        Self { context: self.context.to(asked), ..self }
    }

    fn speaking(self, code: &str) -> Self {
        Self { languages: Languages::preferring(code), ..self }
    }
}

fn context() -> Situation<'static> {
    Situation::at(ms(NOW), 0)
}

/// The value and its other reading, `-` when the message is no answer.
fn read(expected: &Expected, text: &str, on: &Situation<'_>) -> String {
    let Ok(found) = crate::read(expected, &Words::new(text, on.languages), &on.context) else {
        return "-".into();
    };
    shown(&found.value) + &found.remainder.map_or_else(String::new, |rest| format!(" + {rest}"))
}

fn shown(value: &Value) -> String {
    let or = match value {
        Value::Time(reading) | Value::Date(reading) | Value::DateTime(reading) => reading.or.as_ref(),
        _ => None,
    };
    or.map_or_else(|| value.text().to_string(), |or| format!("{} or {or}", value.text()))
}

fn table(expected: &Expected, context: &Situation<'_>, cases: &[(&str, &str)]) {
    let wrong = cases.iter().filter(|(text, value)| read(expected, text, context) != *value);
    let told = wrong.map(|(text, value)| format!("{text}: {value}, not {}", read(expected, text, context)));
    let told: vec::Vec<String> = told.collect();
    assert!(told.is_empty(), "{expected}: {told:#?}");
}

#[test]
fn times() {
    table(
        &Expected::Time,
        &context(),
        &[
            ("5", "17:00 or 05:00"),
            ("5pm", "17:00"),
            ("5 p.m.", "17:00"),
            ("half past six in the evening", "18:30"),
            ("noon", "12:00"),
            ("midnight", "00:00"),
            ("17:30", "17:30"),
            ("07:30", "07:30"),
            ("7:30", "07:30 or 19:30"),
            ("12:15", "12:15 or 00:15"),
            ("around 8", "08:00 or 20:00"),
            ("after 3", "15:00/.."),
            ("before 5pm", "../17:00"),
            ("5pm or later", "17:00/.."),
            ("5-7pm", "17:00/19:00"),
            ("between 11 and 1pm", "11:00/13:00"),
            ("from 8 to 11", "08:00/11:00"),
            ("17h", "17:00"),
            ("17h30", "17:30"),
            ("quarter to nine", "08:45 or 20:45"),
            ("ten past 9 in the evening", "21:10"),
            ("half six", "18:30 or 06:30"),
            ("ten thirty", "10:30 or 22:30"),
            ("twelve oh three", "12:03 or 00:03"),
            ("1030", "10:30 or 22:30"),
            ("tonight at 8", "20:00"),
            ("8 tonight", "20:00"),
            ("tomorrow morning at 9", "09:00"),
            ("today at 8", "20:00 or 08:00"),
            ("in the evening", "18:00/22:00"),
            ("EOD", "17:00"),
            ("in half an hour", "10:30"),
            ("in 2 hours", "12:00"),
            ("Make it for 4:45 pm, please", "16:45"),
            ("I'd like to leave at quarter past 12 in the afternoon", "12:15"),
            ("Let's do 3pm, and mail Bob the plan", "15:00 + mail Bob the plan"),
            ("Friday at 7 pm", "19:00"),
            ("two hours", "PT2H"),
            ("５pm", "17:00"),
        ],
    );
    let dinner = context().to("What time would you like dinner?");
    table(&Expected::Time, &dinner, &[("7", "19:00 or 07:00"), ("around 8:30", "20:30 or 08:30")]);
}

#[test]
fn a_count_beside_a_time_is_no_time() {
    let asked = context().to("What time is the reservation for?");
    table(
        &Expected::Time,
        &asked,
        &[
            ("Make it for 4:45 pm for 2 on the 3rd.", "16:45"),
            ("At 17:30 for one person.", "17:30"),
            ("It is for 1 person at 12:15 in the afternoon.", "12:15"),
            ("I'm set for now", "-"),
            ("at 650.650.6500", "-"),
        ],
    );
}

#[test]
fn no_times() {
    for text in [
        "now what?",
        "the same",
        "cat",
        "25:00",
        "12:61",
        "5 apples",
        "a table for two people",
        "at 650.650.6500",
        "That's all I need for now.",
        "what is the time",
        "am I free at 5pm?",
        "version 2.5",
        "we are separated",
        "I am",
        "get me a bus to Boston at 5pm",
        "5pm? 6pm? 7pm",
        "\"5pm\"",
        "",
        "🕔",
    ] {
        assert_eq!(read(&Expected::Time, text, &context()), "-", "{text}");
    }
}

#[test]
fn dates() {
    table(
        &Expected::Date,
        &context(),
        &[
            ("tomorrow", "2026-01-15"),
            ("Tomorrow would be great, thanks.", "2026-01-15"),
            ("the 8th", "2026-02-08"),
            ("the 14th", "2026-01-14"),
            ("Friday", "2026-01-16"),
            ("this Friday", "2026-01-16"),
            ("next Friday", "2026-01-23"),
            ("Wednesday", "2026-01-21"),
            ("last Friday", "2026-01-09"),
            ("Friday next week", "2026-01-23"),
            ("Friday after next", "2026-01-23"),
            ("Friday the 13th", "2026-02-13"),
            ("March 3rd", "2026-03-03"),
            ("January 3rd", "2027-01-03"),
            ("3 March 2027", "2027-03-03"),
            ("2026-03-03", "2026-03-03"),
            ("20260303", "2026-03-03"),
            ("31-Oct-74", "1974-10-31"),
            ("3/4", "2026-03-04 or 2026-04-03"),
            ("3/4/30", "2030-03-04 or 2030-04-03"),
            ("22/04", "2026-04-22"),
            ("13.5.2015", "2015-05-13"),
            ("day after tomorrow", "2026-01-16"),
            ("the day after tomorrow", "2026-01-16"),
            ("this weekend", "2026-01-17/2026-01-18"),
            ("next week", "2026-01-19/2026-01-25"),
            ("next month", "2026-02-01/2026-02-28"),
            ("end of month", "2026-01-31"),
            ("the end of next week", "2026-01-25"),
            ("May", "2026-05-01/2026-05-31"),
            ("in May", "2026-05-01/2026-05-31"),
            ("February 29", "2028-02-29"),
            ("Mon–Wed", "2026-01-19/2026-01-21"),
            ("from the 12th to the 15th", "2026-02-12/2026-02-15"),
            ("March 3-5", "2026-03-03/2026-03-05"),
            ("after Friday", "2026-01-16/.."),
            ("in 3 days", "2026-01-17"),
            ("2 weeks from Friday", "2026-01-30"),
            ("2 days ago", "2026-01-12"),
            ("first Monday of October", "2026-10-05"),
            ("Christmas", "2026-12-25"),
            ("Easter 2026", "2026-04-05"),
            ("Thanksgiving", "2026-11-26"),
            ("Orthodox Easter", "2026-04-12"),
            ("Yom Kippur", "2026-09-20"),
            ("King's Day 2014", "2014-04-26"),
            ("Ramadan 2026", "2026-02-18"),
            ("the twenty fifth of December", "2026-12-25"),
            ("September 10, nineteen seventy two", "1972-09-10"),
            ("I'd like to go on the 6th, please", "2026-02-06"),
            ("Tomorrow, and find me a hotel", "2026-01-15 + find me a hotel"),
            ("Friday at 7 pm", "2026-01-16"),
            ("On the 12th and leaving on the 24th", "2026-02-12"),
        ],
    );
}

#[test]
fn no_dates() {
    for text in [
        "you may not!",
        "march on",
        "may I ask why?",
        "This email may not be disclosed.",
        "2/29/2019",
        "February 30",
        "2026-13-01",
        "133-03-03-2020",
        "second",
        "the sun is out",
        "Am I free on the 8th?",
        "That's all for today, thanks",
        "Can I get the forecast for the 14th?",
        "What about a car?",
        "1 adult",
        "no",
        "32nd",
        "0th of May",
    ] {
        let value = read(&Expected::Date, text, &context());
        assert!(value == "-" || text == "second", "{text}: {value}");
    }
}

#[test]
fn moments_and_lengths() {
    table(
        &Expected::DateTime,
        &context(),
        &[
            ("tomorrow at 5", "2026-01-15T17:00 or 2026-01-15T05:00"),
            ("tonight at 8", "2026-01-14T20:00"),
            ("March 3rd, 5pm", "2026-03-03T17:00"),
            ("5 pm on Friday", "2026-01-16T17:00"),
            ("9am", "2026-01-15T09:00"),
            ("11am", "2026-01-14T11:00"),
            ("in two hours", "2026-01-14T12:00"),
            ("in 3 days at 5pm", "2026-01-17T17:00"),
            ("tomorrow morning", "2026-01-15T06:00/2026-01-15T12:00"),
            ("tomorrow", "2026-01-15T00:00/2026-01-16T00:00"),
            ("Friday 5-7pm", "2026-01-16T17:00/2026-01-16T19:00"),
            ("7 days ago", "2026-01-07T10:00"),
            ("a day from now", "2026-01-15T10:00"),
            ("a day from right now", "2026-01-15T10:00"),
            ("the end of Sunday", "2026-01-18T23:59:59"),
            ("end of today", "2026-01-14T23:59:59"),
            ("right now", "2026-01-14T10:00"),
        ],
    );
    table(
        &Expected::Duration,
        &context(),
        &[
            ("two hours", "PT2H"),
            ("half a day", "PT12H"),
            ("half an hour", "PT30M"),
            ("an hour and a half", "PT1H30M"),
            ("2 and a half hours", "PT2H30M"),
            ("2.5 hours", "PT2H30M"),
            ("3/4h", "PT45M"),
            ("1h30", "PT1H30M"),
            ("90 minutes", "PT1H30M"),
            ("3 days", "P3D"),
            ("a week", "P7D"),
            ("a fortnight", "P14D"),
            ("two weeks and 3 days", "P17D"),
            ("a year", "P1Y"),
            ("18 months", "P1Y6M"),
            ("about two hours, please", "PT2H"),
        ],
    );
    for text in ["half a second story", "tomorrow", "5pm", "0 minutes", "2 people", "99999999 years"] {
        assert_eq!(read(&Expected::Duration, text, &context()), "-", "{text}");
    }
}

#[test]
fn german() {
    let german = context().speaking("de");
    table(
        &Expected::Time,
        &german,
        &[
            ("um 5", "17:00 or 05:00"),
            ("um 17 Uhr", "17:00"),
            ("17 Uhr 30", "17:30"),
            ("17.30 Uhr", "17:30"),
            ("halb sechs", "17:30 or 05:30"),
            ("Viertel nach acht", "08:15 or 20:15"),
            ("dreiviertel sechs", "17:45 or 05:45"),
            ("fünf vor halb sieben", "18:25 or 06:25"),
            ("gegen 8 Uhr abends", "20:00"),
            ("heute Abend um 8", "20:00"),
            ("zwischen 5 und 7 Uhr", "17:00/19:00"),
            ("nach 15 Uhr", "15:00/.."),
            ("mittags", "12:00"),
            ("Mitternacht", "00:00"),
            ("in einer halben Stunde", "10:30"),
        ],
    );
    table(
        &Expected::Date,
        &german,
        &[
            ("morgen", "2026-01-15"),
            ("übermorgen", "2026-01-16"),
            ("am Freitag", "2026-01-16"),
            ("nächsten Freitag", "2026-01-23"),
            ("Freitag nächster Woche", "2026-01-23"),
            ("am 3.", "2026-02-03"),
            ("3. März", "2026-03-03"),
            ("am dritten März 2027", "2027-03-03"),
            ("03.04.", "2026-04-03"),
            ("3.4.2026", "2026-04-03"),
            ("3/4", "2026-04-03 or 2026-03-04"),
            ("in drei Tagen", "2026-01-17"),
            ("vor zwei Tagen", "2026-01-12"),
            ("Ende des Monats", "2026-01-31"),
            ("dieses Wochenende", "2026-01-17/2026-01-18"),
            ("Weihnachten", "2026-12-25"),
            ("Ostermontag", "2026-04-06"),
            ("am liebsten am Freitag, danke", "2026-01-16"),
        ],
    );
    table(
        &Expected::Duration,
        &german,
        &[
            ("zwei Stunden", "PT2H"),
            ("eine halbe Stunde", "PT30M"),
            ("anderthalb Stunden", "PT1H30M"),
            ("drei Tage", "P3D"),
        ],
    );
    for (expected, text) in
        [(Expected::Date, "Guten Morgen"), (Expected::Date, "so"), (Expected::Time, "Was kostet das?")]
    {
        let value = read(&expected, text, &german);
        assert!(value == "-" || text == "so", "{text}: {value}");
    }
}

#[test]
fn a_proposed_value_is_agreed_to() {
    for (expected, asked, said, value) in [
        (Expected::Time, "Shall I book it for 5 pm?", "yes, that works", "17:00"),
        (Expected::Date, "Would you like to go on March 3rd?", "Yes please", "2026-03-03"),
        (Expected::Date, "Would you like to go on March 3rd?", "No, on the 5th", "2026-02-05"),
        (Expected::Date, "Would you like to go on March 3rd?", "no", "-"),
        (Expected::Date, "March 3rd or March 5th?", "yes", "-"),
        (Expected::Date, "Which day?", "yes", "-"),
    ] {
        assert_eq!(read(&expected, said, &context().to(asked)), value, "{asked} {said}");
    }
}

#[test]
fn a_value_is_found_inside_a_text() {
    for (expected, text, value, said) in [
        (Expected::Date, "Find me a car on the 6th of March in Boston", "2026-03-06", "the 6th of March"),
        (Expected::Time, "wake me at seven", "07:00", "seven"),
        (Expected::Duration, "It took us 2 hours to get there", "PT2H", "2 hours"),
        (Expected::Date, "I went there on Friday", "2026-01-09", "Friday"),
        (Expected::DateTime, "He is not here at present.", "2026-01-14T10:00", "at present"),
        (Expected::Time, "I'll go back five thirty in the night", "17:30", "five thirty"),
        (Expected::DateTime, "The show is tomorrow at 8pm", "2026-01-15T20:00", "8pm"),
    ] {
        let found = find(&expected, &Words::of(text), &context().context).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((found.value.text(), &text[found.span]), (value, said), "{text}");
    }
    for (expected, text) in [
        (Expected::Date, "you may not!"),
        (Expected::Time, "Twenty-six people, 3 of them late"),
        (Expected::Date, "on the 5th and the 9th"),
        (Expected::Email, "tomorrow in Boston"),
    ] {
        assert_eq!(find(&expected, &Words::of(text), &context().context), None, "{text}");
    }
}

#[test]
fn the_persons_clock_decides_the_day() {
    let late = ms("2026-01-14T23:30:00Z");
    for (offset_s, tomorrow) in [(0, "2026-01-15"), (3_600, "2026-01-16"), (-8 * 3_600, "2026-01-15")] {
        assert_eq!(read(&Expected::Date, "tomorrow", &Situation::at(late, offset_s)), tomorrow);
    }
    for now in [i64::MIN, i64::MAX] {
        let _ = read(&Expected::DateTime, "in two weeks at 5", &Situation::at(now, 3_600));
    }
}

/// True if a value is written as documented, inside the calendar.
fn well_formed(value: &Value) -> bool {
    let each = |reading: &Reading, fits: &dyn Fn(&str) -> bool| {
        let ends = |text: &str| text.split('/').all(|end| end == ".." || fits(end));
        ends(&reading.is) && reading.or.as_deref().is_none_or(ends)
    };
    match value {
        Value::Time(reading) => each(reading, &|text| text.parse::<jiff::civil::Time>().is_ok()),
        Value::Date(reading) => each(reading, &|text| text.parse::<Date>().is_ok()),
        Value::DateTime(reading) => each(reading, &|text| text.parse::<DateTime>().is_ok()),
        Value::Duration(text) => text.parse::<jiff::Span>().is_ok_and(|span| span.is_positive()),
        _ => false,
    }
}

const KINDS: [Expected; 4] = [Expected::Time, Expected::Date, Expected::DateTime, Expected::Duration];

fn phrases() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "at",
        "5",
        "12",
        "30",
        "31",
        "2026",
        "pm",
        ":",
        "/",
        "-",
        ".",
        "the",
        "3rd",
        "of",
        "March",
        "May",
        "Feb",
        "29",
        "next",
        "last",
        "this",
        "Friday",
        "week",
        "month",
        "in",
        "two",
        "hours",
        "and",
        "a",
        "half",
        "past",
        "to",
        "quarter",
        "noon",
        "tomorrow",
        "evening",
        "Easter",
        "from",
        "now",
        "ago",
        "after",
        "before",
        "nineteen",
        "seventy",
        "halb",
        "sechs",
        "Uhr",
        "am",
        "3.",
        "März",
        "99999999",
        "99999999999999999999",
        "yes",
        ",",
        "?",
        "١",
        "½",
        "'",
        "İ",
    ]);
    prop::collection::vec(word, 0..10).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn values_are_well_formed(text in phrases(), now in -30_000_000_000_000i64..220_000_000_000_000, hour in -14i32..=14) {
        let context = Context::at(now, hour * 3_600);
        for expected in KINDS {
            if let Some(found) = find(&expected, &Words::of(&text), &context) {
                prop_assert!(well_formed(&found.value), "{expected} {text:?}: {:?}", found.value);
                prop_assert!(text.get(found.span).is_some_and(|said| !said.is_empty()));
            }
            if let Ok(found) = crate::read(&expected, &Words::of(&text), &context) {
                prop_assert!(well_formed(&found.value), "{expected} {text:?}: {:?}", found.value);
            }
        }
    }

    #[test]
    fn any_text_is_read(text in any::<String>(), now in any::<i64>(), offset in any::<i32>()) {
        for expected in KINDS {
            let _ = find(&expected, &Words::of(&text), &Context::at(now, offset));
        }
    }

    #[test]
    fn a_normal_form_reads_back(day in 0i64..40_000, minute in 0i64..1_440) {
        let moment = jiff::Timestamp::from_second(day * 86_400 + minute * 60).unwrap().to_string();
        let (date, time) = (&moment[..10], &moment[11..16]);
        prop_assert_eq!(read(&Expected::Date, date, &context()), date);
        let either = read(&Expected::Time, time, &context());
        prop_assert!(either.split(" or ").any(|reading| reading == time), "{} {}", time, either);
        let both = read(&Expected::DateTime, &format!("{date} {time}"), &context());
        prop_assert!(both.split(" or ").any(|reading| reading == &moment[..16]), "{} {}", moment, both);
    }

    #[test]
    fn the_same_moment_gives_the_same_day(text in phrases(), hour in -14i32..=14) {
        // On two clocks that show the same, the same is meant.
        let now = ms(NOW);
        let there = now - i64::from(hour) * 3_600_000;
        for expected in KINDS {
            let here = read(&expected, &text, &Situation::at(now, 0));
            prop_assert_eq!(here, read(&expected, &text, &Situation::at(there, hour * 3_600)));
        }
    }
}
