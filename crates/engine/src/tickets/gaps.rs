//! Gaps of drafts: how they are shown, asked for in words, and left open on purpose.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::card_model::Field;
use crate::data::language::Language;
use crate::data::part_state::PartState;
use crate::data::policy::drafts::DraftPolicy;
use crate::data::ticket::{Draft, Part};
use crate::messages::card as words;
use crate::tickets::vocabulary;
use throughline_messages as say;

/// Returns the fields of an open preview: what is written, and the gaps, each with what has to be known of it.
pub(super) fn fields(language: Language, draft: &Draft, policy: &DraftPolicy) -> Vec<Field> {
    let asked = |part: &Part| {
        let wanted = draft.item_type.needs().contains(part) || policy.forbids(draft.item_type, *part);
        draft.state(*part) != PartState::Gap || wanted
    };
    Part::ALL.into_iter().filter(asked).map(|part| field(language, draft, part, policy)).collect()
}

fn field(language: Language, draft: &Draft, part: Part, policy: &DraftPolicy) -> Field {
    let forbids = policy.forbids(draft.item_type, part);
    let note = match draft.state(part) {
        PartState::Written(_) if draft.is_proposed(part) => Some(say::card_proposed(language)),
        PartState::Written(_) => written_by(language, draft, part),
        PartState::LeftOpen { by } => Some(words::left_open(language, by, forbids)),
        PartState::Gap => Some(words::gap(language, forbids)),
    };
    Field { note, ..Field::new(part.as_str(), &part.label(language), draft.part(part)) }
}

/// Names the writers of a part that is not the asker's alone. Links are code's, so they have none.
fn written_by(language: Language, draft: &Draft, part: Part) -> Option<String> {
    let authors = draft.authors(part);
    let others = part != Part::Evidence && !authors.only(&draft.by);
    let names: Vec<String> = authors.iter().map(|author| format!("@{author}")).collect();
    (others && !names.is_empty()).then(|| say::card_part_by(language, names.join(", ")))
}

/// Returns the part that a sentence leaves open by name: "no acceptance criteria".
pub(super) fn named_open(sentence: &str) -> Option<Part> {
    match vocabulary::leaves_open(sentence)? {
        vocabulary::Leaves::Named(part) => Some(part),
        _ => None,
    }
}

/// True if a text leaves open all that is still missing: "skip the rest".
pub(super) fn leave_the_rest(text: &str) -> bool {
    matches!(vocabulary::leaves_open(text), Some(vocabulary::Leaves::Rest))
}

/// Returns true if a text does nothing but leave parts open, where this part was asked for.
pub(crate) fn are_left_open(text: &str, asked: Part) -> bool {
    left_open_by(text, Some(asked), &[]).is_some()
}

/// Returns the parts that a text leaves open, if that is all it does: the part that was asked for ("skip", "n/a", "I don't
/// know"), a part it names ("no acceptance criteria"), or all of these gaps ("skip the rest").
pub(super) fn left_open_by(text: &str, asked: Option<Part>, gaps: &[Part]) -> Option<Vec<Part>> {
    match vocabulary::leaves_open(text)? {
        vocabulary::Leaves::Asked => asked.map(|part| alloc::vec![part]),
        vocabulary::Leaves::Named(part) => Some(alloc::vec![part]),
        vocabulary::Leaves::Rest => Some(gaps.to_vec()),
    }
}
