//! Days and times that another calendar, another clock or another day of the message decides.

use super::{Expected, NOW, Situation, context, ms, read, table};

#[test]
fn feasts() {
    table(
        &Expected::Date,
        &context(),
        &[
            ("Diwali", "2026-11-08"),
            ("Choti Diwali 2019", "2019-10-26"),
            ("Dhanteras 2017", "2017-10-17"),
            ("Holi 2019", "2019-03-21"),
            ("Makar Sankranti in 2019", "2019-01-15"),
            ("Raksha Bandhan 2018", "2018-08-26"),
            ("Guru Gobind Singh Jayanti 2014", "2014-01-07"),
            ("Chinese New Year", "2026-02-17"),
            ("Parsi New Year 2018", "2018-08-17"),
            ("Eid Al-Adha 1980", "1980-10-19"),
            ("Jamat Ul-Vida 2018", "2018-06-08"),
            ("Super Tuesday 2012", "2012-03-06"),
            ("the 2nd Super Tuesday after 2014", "2020-03-03"),
            ("Mini-Tuesday", "2004-02-03"),
            ("the first Monday after Easter", "2026-04-06"),
            ("the Friday before Christmas", "2026-12-18"),
            ("the day after Thanksgiving", "2026-11-27"),
            ("the closest xmas to today", "2025-12-25"),
            ("the second closest Christmas to today", "2026-12-25"),
        ],
    );
    let german = context().speaking("de");
    table(
        &Expected::Date,
        &german,
        &[
            ("Chinesisches Neujahr", "2026-02-17"),
            ("am zweiten Freitag nach Ostern", "2026-04-17"),
            ("Zuckerfest 2018", "2018-06-15"),
        ],
    );
}

#[test]
fn zones() {
    // On a clock two hours ahead of UTC, as Berlin's is in summer and Athens' in winter.
    let east = || Situation::at(ms(NOW), 7_200);
    table(
        &Expected::Time,
        &east(),
        &[
            ("5 pm PST", "03:00"),
            ("5pm EST", "00:00"),
            ("5 pm eastern", "00:00"),
            ("8:30 am GMT", "10:30"),
            ("5-7 pm UTC", "19:00/21:00"),
            ("9 am UK time", "11:00"),
            ("July 3rd, 9 am UK time", "10:00"),
        ],
    );
    table(
        &Expected::DateTime,
        &east(),
        &[
            ("Thursday at 5 pm PST", "2026-01-16T03:00"),
            ("July 3rd at 5 pm eastern", "2026-07-03T23:00"),
            ("8 am GMT", "2026-01-15T10:00"),
        ],
    );
    table(
        &Expected::Time,
        &east().speaking("de"),
        &[("17 Uhr MEZ", "18:00"), ("um 17.30 Uhr MESZ", "17:30"), ("9 Uhr Londoner Zeit", "11:00 or 23:00")],
    );
}

#[test]
fn the_end_that_was_asked_for() {
    let said = "from the 20th until the 24th";
    for (asked, value) in [
        ("Until when do you need it?", "2026-01-24"),
        ("When will you return it?", "2026-01-24"),
        ("How long do you need it?", "2026-01-24"),
        ("From when do you need it?", "2026-01-20"),
        ("When do you check in?", "2026-01-20"),
        ("Which days?", "2026-01-20/2026-01-24"),
        ("When do you arrive and when do you return?", "2026-01-20/2026-01-24"),
    ] {
        assert_eq!(read(&Expected::Date, said, &context().to(asked)), value, "{asked}");
    }
    let returned = context().to("When will you return it?");
    table(
        &Expected::Date,
        &returned,
        &[
            ("next week", "2026-01-19/2026-01-25"),
            ("I pick it up on the 20th and return it on the 24th", "2026-01-24"),
        ],
    );
    let german = || context().speaking("de");
    let said = "vom 20. bis zum 24. Januar";
    for (asked, value) in [("Bis wann?", "2026-01-24"), ("Wann ist die Anreise?", "2026-01-20")] {
        assert_eq!(read(&Expected::Date, said, &german().to(asked)), value, "{asked}");
    }
}

#[test]
fn what_disagrees_has_two_readings() {
    table(
        &Expected::Date,
        &context(),
        &[
            ("today, Wednesday", "2026-01-14"),
            ("today, Tuesday", "2026-01-14 or 2026-01-13"),
            ("this Friday, January 20", "2026-01-20 or 2026-01-16"),
            ("this Friday-Jan-16", "2026-01-16"),
            // Just over, and the one of 2032.
            ("Friday, January 9", "2026-01-09"),
            ("Friday, June 4", "2027-06-04"),
        ],
    );
}

#[test]
fn what_goes_on_is_no_other_answer() {
    let asked = context().to("What date do you want to know about?");
    table(
        &Expected::Date,
        &asked,
        &[
            ("Please tell me about the 20th", "2026-01-20"),
            ("Show me what is on my calendar on the 20th", "-"),
            ("the 20th. The sooner the better", "2026-01-20"),
            ("the 20th, but the flight has to be cheap", "2026-01-20 + the flight has to be cheap"),
            ("the 20th, but the 21st is fine", "-"),
            ("No thanks, that's all for today", "-"),
            ("I don't work this month so I need it on the 20th", "2026-01-20"),
        ],
    );
    table(
        &Expected::Time,
        &context().to("What time?"),
        &[("I need to see a dentist. Do I have any time around 2:15 today?", "-")],
    );
}
