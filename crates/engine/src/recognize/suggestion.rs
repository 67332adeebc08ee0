//! A question that proposes a value, and an answer that agrees: "Shall I book it for 5 pm?" – "yes, that works".

use super::lexicon::Lexicon;
use super::words::Words;
use super::{Context, Expected, Match, Value, boolean, find};

/// The one value of the expected type that the question names.
pub(crate) fn suggested(expected: &Expected, context: &Context<'_>) -> Option<Value> {
    find(expected, context.question(), &context.clone().to("")).map(|found| found.value)
}

/// The value the question names, when the message says yes to it; what else the message says remains.
pub(crate) fn affirmed(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
) -> Option<Match> {
    if context.asked.is_empty() {
        return None;
    }
    let yes = boolean::read(lexicon, message, context).ok()?;
    let value = (yes.value == Value::Boolean(true)).then(|| suggested(expected, context))??;
    Some(Match { value, ..yes })
}
