//! A question that proposes a value, and an answer that agrees: "Shall I book it for 5 pm?" – "yes, that works".
//!
//! A question proposes when it names one value of the type it expects and asks for no other: "Where to? Is Leeds near
//! you?" proposes, "Which city, for example Leeds?" does not.

use super::lexicon::{Lexicon, SectionId};
use super::words::{Gap, Words};
use super::{Context, Expected, Match, Value, boolean, find};
use crate::read::AnswerReader;

/// Words that a question begins with which asks for any value.
const OPEN: SectionId = super::section("suggestion.open");
/// Words that make a question such a one, anywhere in it.
const VAGUE: SectionId = super::section("suggestion.vague");
/// Words among which an open question begins: "Sure, and where …".
const BEFORE: usize = 4;

/// The value the question proposes, when the message says yes to it and names none itself; what else the message says
/// remains.
pub(crate) fn affirmed(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    expected: &Expected,
    reader: &dyn AnswerReader,
) -> Option<Match> {
    let (question, list) = (context.question(), |id| lexicon.section(id));
    let asked = question.all().chunk_by(|word, _| word.after < Gap::Hard).next_back()?;
    let open = (0..asked.len().min(BEFORE)).any(|at| list(OPEN).at(asked, at));
    if open || list(VAGUE).within(question.all()) {
        return None;
    }
    let yes =
        boolean::read(lexicon, message, context).ok().filter(|yes| yes.value == Value::Boolean(true))?;
    let proposed = find(expected, question, &context.clone().to(""))?;
    reader.values().is_empty().then_some(Match { value: proposed.value, ..yes })
}
