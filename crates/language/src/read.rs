//! Reading a message as the answer to a question: the reader of each type, asked in each language.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::embedded::Candidate;
use crate::intent::rules::rule;
use crate::lexicon::{ANSWERS, Lexicon, SectionId};
use crate::{
    Context, Expected, Found, Match, NoMatch, Value, Words, beside, boolean, contact, embedded, interrupt,
    is_acknowledgement, location, moment, money, number, one_of, person, request, selection, suggestion,
};

/// Reads a message as the answer to a question that expects a value of this type.
///
/// The whole message has to be the value and words of closed lists, or begin or end with a clause that is. An interrupt
/// ("stop") answers nothing, whatever is expected; an option of that name is chosen by its number. "Any is fine" leaves the
/// value open, so it answers nothing but [`Expected::Text`].
///
/// # Errors
///
/// [`NoMatch`] with the reason when the message is no answer.
///
/// ```
/// use throughline_language::{Context, Expected, Words, read};
///
/// let size: Expected = "one_of:small=little|large=big,huge".parse()?;
/// let read = |text: &str| read(&size, &Words::of(text), &Context::default());
/// assert_eq!(read("big, please")?.value.text(), "large");
/// assert_eq!(read("any is fine").unwrap_err().reason, "unexplained word");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(expected: &Expected, message: &Words, context: &Context<'_>) -> Result<Match, NoMatch> {
    // A text may begin with a path: which slash is a command only who knows the commands can say.
    if *expected != Expected::Text && message.text().trim_start().starts_with('/') {
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
    for lexicon in able(own(expected), message) {
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
    let mut informed = tried.iter().filter(|(lexicon, _)| embedded::has(lexicon));
    let more = informed
        .find_map(|(lexicon, reader)| embedded::read(lexicon, message, context, || reader.told()).ok());
    more.ok_or(NoMatch { reason })
}

/// A message, read for one type in one language.
pub(crate) trait AnswerReader {
    /// Reads the message as an answer, with a remainder when the rest is a clause of its own.
    fn answer(&self) -> Result<Match, NoMatch>;

    /// Finds every value in the message; none for a type that is not looked for inside a text.
    fn values(&self) -> Vec<Candidate> {
        Vec::new()
    }

    /// The values among them that a longer text may answer with.
    fn told(&self) -> Vec<Candidate> {
        self.values()
    }
}

/// The reader of a type that is never looked for inside a text.
struct Whole<F>(F);

impl<F: Fn() -> Result<Match, NoMatch>> AnswerReader for Whole<F> {
    fn answer(&self) -> Result<Match, NoMatch> {
        (self.0)()
    }
}

/// The reader of a message for a type.
fn reader<'r>(
    expected: &'r Expected,
    lexicon: &'static Lexicon,
    message: &'r Words,
    context: &'r Context<'r>,
) -> Box<dyn AnswerReader + 'r> {
    match expected {
        Expected::Boolean => Box::new(Whole(move || boolean::read(lexicon, message, context))),
        Expected::Number => Box::new(number::Reader::of(lexicon, message, context, number::Kind::Decimal)),
        Expected::Integer => Box::new(number::Reader::of(lexicon, message, context, number::Kind::Whole)),
        Expected::Money => Box::new(money::Reader::of(lexicon, message, context)),
        Expected::Email | Expected::Phone | Expected::Url => {
            Box::new(Whole(move || contact::read(lexicon, message, context, expected)))
        }
        Expected::Person => Box::new(Whole(move || person::read(lexicon, message, context))),
        Expected::OneOf(choices) => Box::new(one_of::Reader::of(lexicon, message, context, choices)),
        Expected::Location => Box::new(location::Reader::of(lexicon, message, context)),
        Expected::Time => Box::new(moment::Reader::of(lexicon, message, context, moment::Kind::Time)),
        Expected::Date => Box::new(moment::Reader::of(lexicon, message, context, moment::Kind::Date)),
        Expected::DateTime => Box::new(moment::Reader::of(lexicon, message, context, moment::Kind::DateTime)),
        Expected::Duration => Box::new(moment::Reader::of(lexicon, message, context, moment::Kind::Duration)),
        Expected::Selection(options) => Box::new(selection::Reader::of(lexicon, message, context, options)),
        Expected::Text => Box::new(Whole(move || free_text(message, context))),
    }
}

/// True of the types that a message answers which is nothing but a quotation. A quoted date or amount is somebody else's.
const fn may_be_quoted(expected: &Expected) -> bool {
    matches!(expected, Expected::Boolean | Expected::Selection(_) | Expected::OneOf(_))
}

/// True of the types whose values are looked for inside a text.
const fn is_found_inside(expected: &Expected) -> bool {
    !matches!(
        expected,
        Expected::Boolean | Expected::Email | Expected::Phone | Expected::Url | Expected::Person
    )
}

/// Finds the one value of a type inside a text, which may say anything else besides. `None` when there are several, or when
/// values of that type are never looked for inside a text.
///
/// ```
/// use throughline_language::{Context, Expected, Words, find};
///
/// let text = Words::of("The flight is booked for 12 people, as you asked");
/// let found = find(&Expected::Number, &text, &Context::default()).unwrap();
/// assert_eq!((found.value.text(), &text.text()[found.span]), ("12", "12"));
/// ```
#[must_use]
pub fn find(expected: &Expected, message: &Words, context: &Context<'_>) -> Option<Found> {
    able(own(expected), message)
        .find_map(|lexicon| embedded::one(reader(expected, lexicon, message, context).values()).ok())
}

/// The languages that may read a message: of those that have this section the ones that know most of its words, in the
/// order of the message. One that knows fewer words must not read it: it would ignore the rest.
fn able(own: SectionId, message: &Words) -> impl Iterator<Item = &'static Lexicon> {
    let all = || message.languages().lexicons(&ANSWERS).filter(move |lexicon| lexicon.has(own));
    let known = |lexicon: &Lexicon| lexicon.knows(message.all());
    let most = all().map(known).max();
    all().filter(move |lexicon| Some(known(lexicon)) == most)
}

/// The section without which a language cannot read a type.
pub(crate) const fn own(expected: &Expected) -> SectionId {
    match expected {
        Expected::Time | Expected::Date | Expected::DateTime | Expected::Duration => moment::OWN,
        Expected::Number | Expected::Integer => number::LEAD,
        Expected::Money => money::LEAD,
        Expected::Email | Expected::Phone | Expected::Url => contact::LEAD,
        Expected::Person => person::LEAD,
        Expected::OneOf(_) => one_of::LEAD,
        Expected::Location => location::OWN,
        Expected::Selection(_) => selection::LEAD,
        _ => boolean::YES,
    }
}

/// Reads free text: anything but an interrupt, a command, an explicit new request or a mere "thanks".
fn free_text(message: &Words, context: &Context<'_>) -> Result<Match, NoMatch> {
    if rule(message).is_some() {
        return Err(NoMatch { reason: "explicit request" });
    }
    let mut able = able(request::ACT, message);
    if let Some(reason) = able.find_map(|lexicon| request::explicit(lexicon, message, context.question())) {
        return Err(NoMatch { reason });
    }
    if is_acknowledgement(message, &Context::default()) || ends_all(message) {
        return Err(NoMatch { reason: "acknowledgement" });
    }
    if let Some(aside) = beside(message) {
        return Err(NoMatch { reason: aside.code() });
    }
    let value = Value::Text(message.text().trim().to_string());
    Ok(Found::of(value, message.all()).and(None))
}

/// The fewest words with which a text ends all that was asked for: "no" or "nothing" may be the text itself.
const FAREWELL: usize = 4;

/// True if a text says in a sentence that nothing more is wanted: "that's everything I need".
fn ends_all(message: &Words) -> bool {
    let anything = Context::default().to("Is there anything else?");
    message.all().len() >= FAREWELL && is_acknowledgement(message, &anything)
}
