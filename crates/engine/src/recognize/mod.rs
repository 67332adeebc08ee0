//! Recognisers: does this text answer that question, and with which value?
//!
//! Everything here is total and linear in the text: any Unicode in, a [`Match`] or a [`NoMatch`] out. Matching is
//! strict (`spec 02 §6`): the *whole* message is the value and words from closed lists, or it begins or ends with a
//! clause that is (`spec 02 §5.4`). The lists are data: see [`lexicon`].

mod approval;
mod boolean;
mod clause;
mod closing;
mod contact;
mod context;
mod correction;
mod echo;
mod gazetteer;
mod interrupt;
pub(crate) mod lexicon;
mod location;
mod moment;
mod money;
mod more;
mod number;
mod numeral;
mod one_of;
mod person;
mod request;
pub(crate) mod selection;
mod slips;
mod suggestion;
pub(crate) mod words;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(crate) use approval::{affirms, approves};
pub use closing::{acknowledgement, greeting};
pub use context::Context;
pub(crate) use correction::correction;
pub use interrupt::{Interrupt, interrupt};
pub(crate) use numeral::count;
pub use words::Words;

use lexicon::{Lexicon, RECOGNIZE_NAMES, SectionId};
use more::Inside;
use words::Word;

/// What a waiting question accepts (`spec 02 §6`).
///
/// The wire form is a word, `selection:A|B` for a choice, or `one_of:red=crimson,scarlet|blue` for a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Yes or no.
    Boolean,
    /// A time of day, or a range of them.
    Time,
    /// A date, or a range of them.
    Date,
    /// A date and a time of day.
    DateTime,
    /// A length of time.
    Duration,
    /// An integer or a decimal.
    Number,
    /// An amount of a currency.
    Money,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// Somebody's name, or a mention of them.
    Person,
    /// A place: known to the gazetteer, or by shape.
    Location,
    /// One of the named options, by id, ordinal, label or distinctive word.
    Selection(Vec<String>),
    /// A value of a closed set, or a synonym of one.
    OneOf(Vec<Choice>),
    /// Any message that is not an interrupt, a command or an explicit new request.
    Text,
}

/// One value of a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// What else people call it.
    pub synonyms: Vec<String>,
}

/// The value an answer carried, in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Value {
    /// `true` for yes.
    Boolean(bool),
    /// `17:00`, `17:00/18:30`, `15:00/..` on the person's clock.
    Time(Reading),
    /// `2026-03-03`, `2026-03-07/2026-03-08`.
    Date(Reading),
    /// `2026-03-03T17:00`.
    #[serde(rename = "datetime")]
    DateTime(Reading),
    /// `PT2H`, `P3D`, after ISO 8601.
    Duration(String),
    /// Decimal digits as written by us: `3`, `-2`, `0.5`.
    Number(String),
    /// An amount.
    Money(Money),
    /// The address, its domain in lower case.
    Email(String),
    /// Digits, with a leading `+` when a country code was given.
    Phone(String),
    /// The address as written, with its scheme.
    Url(String),
    /// The name, the mention, or `me` for the one who wrote.
    Person(String),
    /// The place's name.
    Location(String),
    /// The chosen option, spelled as in the question.
    Selection(String),
    /// The value of the closed set.
    OneOf(String),
    /// The message.
    Text(String),
}

/// A value, and what else the words may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// What they mean most likely.
    pub is: String,
    /// The other reading, when the words leave two open: `17:00` of "5" next to `05:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<String>,
}

/// An amount of a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// Decimal digits: `1250`, `3.5`.
    pub amount: String,
    /// The currency's ISO 4217 code, when it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl Value {
    /// The normal form as text, `yes` and `no` for a boolean.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Boolean(true) => "yes",
            Self::Boolean(false) => "no",
            Self::Time(reading) | Self::Date(reading) | Self::DateTime(reading) => &reading.is,
            Self::Money(money) => &money.amount,
            Self::Duration(text)
            | Self::Number(text)
            | Self::Email(text)
            | Self::Phone(text)
            | Self::Url(text)
            | Self::Person(text)
            | Self::Location(text)
            | Self::Selection(text)
            | Self::OneOf(text)
            | Self::Text(text) => text,
        }
    }
}

/// A message that answers the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// What it says.
    pub value: Value,
    /// The bytes of the message that say it.
    pub span: Range<usize>,
    /// How firmly.
    pub strength: Strength,
    /// The part of the message that is a separate clause and still has to be routed (`spec 02 §5.4`).
    pub remainder: Option<String>,
}

/// How firmly an answer was given (`spec 02 §6`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// The words mean this and nothing else.
    #[default]
    Firm,
    /// They may as well acknowledge something: "ok".
    Weak,
}

/// A value inside a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub value: Value,
    /// Where it stands, in bytes of the text.
    pub span: Range<usize>,
}

impl Found {
    /// A value that these words say.
    pub(crate) fn of(value: Value, words: &[Word]) -> Self {
        let span = words.first().map_or(0, |word| word.at)..words.last().map_or(0, |word| word.end);
        Self { value, span }
    }

    /// The answer it is, with what of the message still has to be routed.
    fn and(self, remainder: Option<String>) -> Match {
        Match { value: self.value, span: self.span, strength: Strength::Firm, remainder }
    }
}

/// A message that does not, and why: the word goes into the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch {
    /// A short stable phrase, for example `unexplained word`.
    pub reason: &'static str,
}

/// The wire form of a type nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExpected(pub String);

/// The types that are a word and nothing more, in the order of `spec 02 §6`.
const PLAIN: [(&str, Expected); 13] = [
    ("boolean", Expected::Boolean),
    ("time", Expected::Time),
    ("date", Expected::Date),
    ("datetime", Expected::DateTime),
    ("duration", Expected::Duration),
    ("number", Expected::Number),
    ("money", Expected::Money),
    ("email", Expected::Email),
    ("phone", Expected::Phone),
    ("url", Expected::Url),
    ("person", Expected::Person),
    ("location", Expected::Location),
    ("text", Expected::Text),
];

impl fmt::Display for UnknownExpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown expected type \"{}\": known are {}, selection:A|B and one_of:A=synonym|B",
            self.0,
            PLAIN.map(|(word, _)| word).join(", ")
        )
    }
}

impl core::error::Error for UnknownExpected {}

impl Expected {
    /// The words of the types that are a word and nothing more: all but the choices, which name their members.
    pub fn words() -> impl Iterator<Item = &'static str> {
        PLAIN.iter().map(|(word, _)| *word)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selection(options) => write!(f, "selection:{}", options.join("|")),
            Self::OneOf(choices) => {
                for (i, choice) in choices.iter().enumerate() {
                    f.write_str(if i == 0 { "one_of:" } else { "|" })?;
                    f.write_str(&choice.value)?;
                    if !choice.synonyms.is_empty() {
                        write!(f, "={}", choice.synonyms.join(","))?;
                    }
                }
                Ok(())
            }
            plain => f.write_str(PLAIN.iter().find(|(_, known)| known == plain).map_or("", |(word, _)| word)),
        }
    }
}

impl FromStr for Expected {
    type Err = UnknownExpected;

    fn from_str(wire: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownExpected(wire.to_string());
        if let Some((_, plain)) = PLAIN.iter().find(|(word, _)| *word == wire) {
            return Ok(plain.clone());
        }
        let (kind, members) = wire.split_once(':').ok_or_else(unknown)?;
        let mut members = members.split('|').map(str::trim);
        match kind {
            "selection" => members.map(named_text).collect::<Option<_>>().map(Self::Selection),
            "one_of" => members.try_fold(Vec::new(), Choice::among).map(Self::OneOf),
            _ => None,
        }
        .ok_or_else(unknown)
    }
}

impl Choice {
    /// `red=crimson,scarlet`, behind the values before it.
    fn among(mut choices: Vec<Self>, wire: &str) -> Option<Vec<Self>> {
        let (value, synonyms) = wire.split_once('=').unwrap_or((wire, ""));
        let synonyms = synonyms.split(',').map(str::trim).filter(|word| !word.is_empty());
        choices.push(Self {
            value: named_text(value.trim())?,
            synonyms: synonyms.map(ToString::to_string).collect(),
        });
        Some(choices)
    }
}

fn named_text(text: &str) -> Option<String> {
    Some(text.to_string()).filter(|text| !text.is_empty())
}

impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|e| de::Error::custom(format!("{e}")))
    }
}

/// Whether `text` answers a question that expects `expected`: [`answer`] for a text that was not read yet, at the
/// beginning of 1970 on a clock of UTC.
///
/// # Errors
///
/// [`NoMatch`] says why the message is no answer.
pub fn matches(expected: &Expected, text: &str) -> Result<Match, NoMatch> {
    answer(expected, &Words::of(text), &Context::default())
}

/// Whether a message answers a question that expects `expected`, and with what (`spec 02 §6`).
///
/// "Any is fine" says that there is no value and answers no type but a text, which holds it as it stands.
///
/// Interrupts win over every type; an option that is literally named like one is chosen by its number.
///
/// # Errors
///
/// [`NoMatch`] says why the message is no answer.
pub fn answer(expected: &Expected, message: &Words, context: &Context<'_>) -> Result<Match, NoMatch> {
    if message.text().trim_start().starts_with('/') {
        return Err(NoMatch { reason: "command" });
    }
    if interrupt(message).is_some() {
        return Err(NoMatch { reason: "interrupt" });
    }
    if message.all().is_empty() {
        return Err(NoMatch { reason: "no words" });
    }
    if *expected == Expected::Text {
        return free_text(message, context);
    }
    let quoted = message.all().iter().all(|word| word.quoted);
    if quoted && !may_be_quoted(expected) {
        return Err(NoMatch { reason: "quoted" });
    }
    let mut reason = "unexplained word";
    let mut tried = Vec::new();
    for lexicon in able(own(expected), message, context) {
        let reader = reader(expected, lexicon, message, context);
        match reader.answer() {
            Ok(found) => return Ok(found),
            Err(no) => reason = no.reason,
        }
        if is_found_inside(expected)
            && let Some(found) = suggestion::affirmed(lexicon, message, context, expected, &*reader)
        {
            return Ok(found);
        }
        tried.push((lexicon, reader));
    }
    if quoted || !is_found_inside(expected) {
        return Err(NoMatch { reason });
    }
    let mut informed = tried.iter().filter(|(lexicon, _)| more::has(lexicon));
    let more =
        informed.find_map(|(lexicon, reader)| more::read(lexicon, message, context, || reader.values()).ok());
    more.ok_or(NoMatch { reason })
}

/// A message as one type reads it in one language.
trait Reads {
    /// The answer it is, with a remainder when the rest is a clause of its own.
    fn answer(&self) -> Result<Match, NoMatch>;

    /// Every value it holds, for an answer inside more; none of a type that is not looked for inside a text.
    fn values(&self) -> Vec<Inside> {
        Vec::new()
    }
}

/// A type that is never looked for inside a text.
struct Whole<F>(F);

impl<F: Fn() -> Result<Match, NoMatch>> Reads for Whole<F> {
    fn answer(&self) -> Result<Match, NoMatch> {
        (self.0)()
    }
}

/// Who reads a message for a type.
fn reader<'r>(
    expected: &'r Expected,
    lexicon: &'static Lexicon,
    message: &'r Words,
    context: &'r Context<'r>,
) -> Box<dyn Reads + 'r> {
    match expected {
        Expected::Boolean => Box::new(Whole(move || boolean::read(lexicon, message, context))),
        Expected::Number => Box::new(number::Reader::of(lexicon, message, context)),
        Expected::Money => Box::new(money::Reader::of(lexicon, message, context)),
        Expected::Email | Expected::Phone | Expected::Url => {
            Box::new(Whole(move || contact::read(lexicon, message, context, expected)))
        }
        Expected::Person => Box::new(Whole(move || person::read(lexicon, message, context))),
        Expected::OneOf(choices) => Box::new(one_of::Reader::of(lexicon, message, context, choices)),
        Expected::Location => Box::new(location::Reader::of(lexicon, message, context)),
        Expected::Time => Box::new(moment::Maker::of(lexicon, message, context, moment::Kind::Time)),
        Expected::Date => Box::new(moment::Maker::of(lexicon, message, context, moment::Kind::Date)),
        Expected::DateTime => Box::new(moment::Maker::of(lexicon, message, context, moment::Kind::DateTime)),
        Expected::Duration => Box::new(moment::Maker::of(lexicon, message, context, moment::Kind::Duration)),
        Expected::Selection(options) => Box::new(selection::Reader::of(lexicon, message, context, options)),
        Expected::Text => Box::new(Whole(move || free_text(message, context))),
    }
}

/// Whether a message that is nothing but a quotation answers: an option may be quoted, and so may a yes. Of anything
/// else a quotation gives no value.
const fn may_be_quoted(expected: &Expected) -> bool {
    matches!(expected, Expected::Boolean | Expected::Selection(_) | Expected::OneOf(_))
}

/// Whether values of the type are looked for inside a text.
const fn is_found_inside(expected: &Expected) -> bool {
    !matches!(
        expected,
        Expected::Boolean | Expected::Email | Expected::Phone | Expected::Url | Expected::Person
    )
}

/// The one value of a type inside a text, which may say anything else besides. `None` when there are several, or
/// when nothing looks for values of that type inside a text.
#[must_use]
pub fn find(expected: &Expected, message: &Words, context: &Context<'_>) -> Option<Found> {
    able(own(expected), message, context)
        .find_map(|lexicon| more::one(reader(expected, lexicon, message, context).values()).ok())
}

/// The languages that read a message: of those that have this section the ones that know most of its words, the
/// person's own first. One that knows less must not read the few words it happens to know, since what the rest says to
/// them is nothing.
fn able(own: SectionId, message: &Words, context: &Context<'_>) -> impl Iterator<Item = &'static Lexicon> {
    let all = || context.lexicons().filter(move |lexicon| lexicon.has(own));
    let known = |lexicon: &Lexicon| lexicon.knows(message.all());
    let most = all().map(known).max();
    all().filter(move |lexicon| Some(known(lexicon)) == most)
}

/// The section without which a language cannot read a type.
const fn own(expected: &Expected) -> SectionId {
    match expected {
        Expected::Time | Expected::Date | Expected::DateTime | Expected::Duration => moment::OWN,
        Expected::Number => number::LEAD,
        Expected::Money => money::LEAD,
        Expected::Email | Expected::Phone | Expected::Url => contact::LEAD,
        Expected::Person => person::LEAD,
        Expected::OneOf(_) => one_of::LEAD,
        Expected::Location => location::OWN,
        Expected::Selection(_) => selection::LEAD,
        _ => boolean::YES,
    }
}

/// `spec 02 §6`, `text`: anything but an interrupt, a command, an explicit new request or a mere "thanks".
fn free_text(message: &Words, context: &Context<'_>) -> Result<Match, NoMatch> {
    if crate::intent::rules::rule(message).is_some() {
        return Err(NoMatch { reason: "explicit request" });
    }
    let mut able = able(request::ACT, message, context);
    if let Some(reason) = able.find_map(|lexicon| request::explicit(lexicon, message, context.question())) {
        return Err(NoMatch { reason });
    }
    if acknowledgement(message, &Context::default()) {
        return Err(NoMatch { reason: "acknowledgement" });
    }
    let value = Value::Text(message.text().trim().to_string());
    Ok(Found::of(value, message.all()).and(None))
}

/// The section of that name in the recognisers' lexicons.
pub(crate) const fn named(name: &str) -> SectionId {
    lexicon::named(RECOGNIZE_NAMES, name)
}

/// What a message does rather than names: no place and no person, however it is written.
const ACTS: [SectionId; 8] = [
    named("bye"),
    named("yes.word"),
    named("yes.phrase"),
    named("yes.weak"),
    named("no.word"),
    named("no.phrase"),
    named("thanks"),
    named("greeting"),
];

#[cfg(test)]
mod tests;
