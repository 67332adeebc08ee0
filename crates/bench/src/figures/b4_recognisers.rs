//! B4, continued: the cost of reading a message for each type that a question may expect.

use std::hint::black_box;

use anyhow::Context as _;
use throughline_language::{self as language, Context, Expected, Words};

use crate::frame::{Fit, Goal, Scale, Section, Spread, Table, Timing, interleaved, number, time};
use crate::load::messages::LONG;

/// The types that name their members; the others are a word.
const CHOICES: [&str; 2] =
    ["selection:Friday|Monday|next week", "one_of:red=crimson,scarlet|green=emerald,olive|blue=navy,azure"];
const ASKED: &str = "What day, and where, shall I book the table for you and your guests?";

/// Messages of 200 characters that keep a recogniser looking: prose, one value after the other, a list of names, and
/// words of answers that make no answer.
const MESSAGES: [&str; 4] = [
    LONG,
    "We met on March 3rd at 5 pm, on the 8th at half past six, next Friday at noon and on 12/04 at 17:30 for two hours \
     each, three people paid $1,250 and four paid 80 euros, and 25 of us came on Mon.",
    "Swansea, Cardiff, San Francisco, New York City, Stratford upon Avon, Los Angeles, St. Louis, Bad Homburg vor der \
     H\u{f6}he, Newcastle upon Tyne, Santa Fe, Rio de Janeiro, Ho Chi Minh City and Sao Paulo",
    "yes no well ok please maybe then sure I would like it to be the one that you said before so make it that and go on \
     for the first or second of them if you do not mind thanks, or no, not that one, ok ok",
];

/// Characters of the messages that show how the cost grows.
const LENGTHS: [usize; 4] = [800, 3_200, 12_800, 40_000];

/// A way to read a message, with its name.
type Reader = (String, Box<dyn Fn(&Words)>);

fn readers() -> anyhow::Result<Vec<Reader>> {
    let mut readers: Vec<Reader> = Vec::new();
    for wire in Expected::words().chain(CHOICES) {
        let expected: Expected = wire.parse().with_context(|| format!("the type {wire}"))?;
        let name = wire.split(':').next().unwrap_or(wire).to_owned();
        readers.push((
            name,
            Box::new(move |words| {
                let context = Context::at(1_767_225_600_000, 3_600).to(ASKED);
                let _ = black_box(language::read(&expected, words, &context));
            }),
        ));
    }
    readers.push(("interrupt".into(), Box::new(|words| _ = black_box(language::interrupt(words)))));
    readers.push((
        "acknowledgement".into(),
        Box::new(|words| _ = black_box(language::is_acknowledgement(words, &language::Context::default()))),
    ));
    Ok(readers)
}

/// Adds the table: per recogniser the slowest of the messages.
pub(crate) fn add(scale: Scale, section: &mut Section) -> anyhow::Result<()> {
    let times = scale.pick(4, 1_000, 10_000);
    let messages = MESSAGES.map(Words::of);
    let mut readers = readers()?;
    let results = interleaved("B4, recognisers", scale.rounds(), &mut readers, |(_, read)| {
        Ok(messages.each_ref().map(|words| time(times, &|| read(black_box(words)))))
    })?;
    section.say(format!(
        "Each recogniser alone, the message cut into words already: {} messages of 200 characters, none of them an \
         answer, {} times each; the slowest message counts. Microseconds. The power is that of the length with which the cost of {} to {} \
         characters grows: 1 is in proportion.",
        MESSAGES.len(),
        number(times as f64, 0),
        number(LENGTHS[0] as f64, 0),
        number(LENGTHS[LENGTHS.len() - 1] as f64, 0),
    ));
    let long = LENGTHS.map(|length| MESSAGES.map(|message| Words::of(&stretched(message, length))));
    let mut table = Table::new(&["recogniser", "p50", "p99", "goal", "power"]);
    let cut = time(times, &|| drop(black_box(Words::of(black_box(LONG)))));
    table.row([
        "cutting into words".into(),
        format!("{:.1}", cut.p50),
        format!("{:.1}", cut.p99),
        String::new(),
        String::new(),
    ]);
    for ((name, read), rounds) in readers.iter().zip(results) {
        let slowest = |of: fn(&Timing) -> f64| -> Spread {
            rounds.iter().map(|messages| messages.iter().map(of).fold(0.0, f64::max)).collect()
        };
        let (p50, p99) = (slowest(|timing| timing.p50), slowest(|timing| timing.p99));
        let goal = Goal::AtMost(50.0).judge(p99.median(), 1, " µs");
        table.row([
            name.clone(),
            format!("{p50:.1}"),
            format!("{p99:.1}"),
            format!("p99 {goal}"),
            format!("{:.2}", power(&long, read)),
        ]);
    }
    section.table(&table);
    Ok(())
}

/// Returns a message repeated up to `length` characters.
fn stretched(message: &str, length: usize) -> String {
    message.chars().chain(" ".chars()).cycle().take(length).collect()
}

/// Returns the power of a message's length with which the cost grows, for the message where it grows most.
fn power(long: &[[Words; MESSAGES.len()]], read: &dyn Fn(&Words)) -> f64 {
    let line = |message: usize| {
        let points = LENGTHS.iter().zip(long).map(|(length, messages)| {
            (*length as f64, time(40, &|| read(black_box(&messages[message]))).p50.max(0.01))
        });
        Fit::power(&points.collect::<Vec<_>>())
    };
    (0..MESSAGES.len()).map(line).fold(f64::MIN, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_have_about_200_characters() {
        for message in MESSAGES {
            assert!((180..=220).contains(&message.chars().count()), "{}: {message}", message.chars().count());
        }
    }
}
