//! The judgement of a model's answer: take it, ask again with complaints, or drop it. Pure, and equal for
//! all providers: it relies on nothing that a vendor promises about its output.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::data::ask::{
    Answer, Ask, DraftAnswer, DraftText, FieldChange, PatchAnswer, Question, ReviewAnswer,
};
use crate::data::intent::Intent;
use crate::data::policy::{Policy, limits};
use crate::data::ticket::{ItemType, Part};
use crate::text::urging::urges;

/// The judgement of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerVerdict {
    /// The answer counts.
    Accept(Answer),
    /// The answer would count if mended; the complaints are text for the model.
    AskAgain(Vec<String>),
    /// The answer does not count, for this reason.
    Reject(String),
}

/// Judges an answer by the question it belongs to.
///
/// ```
/// use throughline_engine::ask::{AnswerVerdict, check_answer};
/// use throughline_engine::data::ask::{Answer, Ask};
/// let policy = throughline_engine::Policy::default();
/// let ask = Ask::classify("What about microservices?", &policy);
/// let sure = Answer::Classify { label: "discussion".into(), confidence: 90, anchor: None };
/// assert!(matches!(check_answer(&ask, sure, &policy), AnswerVerdict::Accept(_)));
/// let unsure = Answer::Classify { label: "ticket".into(), confidence: 69, anchor: None };
/// assert_eq!(check_answer(&ask, unsure, &policy), AnswerVerdict::Reject("not sure".into()));
/// ```
#[must_use]
pub fn check_answer(ask: &Ask, answer: Answer, policy: &Policy) -> AnswerVerdict {
    let wrong = match (&ask.question, &answer) {
        (_, Answer::None { why }) => return nothing(&ask.question, why),
        (Question::Classify { labels }, Answer::Classify { label, confidence, .. }) => {
            return classified(labels, label, *confidence, policy)
                .map_or_else(|why| AnswerVerdict::Reject(why.into()), |()| AnswerVerdict::Accept(answer));
        }
        (Question::Draft { item_type, stories, .. }, Answer::Draft { items }) => {
            drafted(*item_type, *stories, items, policy)
        }
        (Question::Revise { .. }, Answer::Revision { changes }) if changes.is_empty() => {
            return AnswerVerdict::Reject("nothing changes".into());
        }
        (Question::Revise { items }, Answer::Revision { changes }) => revised(items, changes, policy),
        (Question::Review { .. }, Answer::Review(review)) => reviewed(review),
        (Question::Patch { .. }, Answer::Patch(patch)) => patched(patch),
        (Question::Synthesis { .. } | Question::Answer, Answer::Text { text, .. }) => {
            return if text.trim().is_empty() {
                AnswerVerdict::Reject("empty".into())
            } else if text.chars().count() > limits::MODEL_ANSWER {
                AnswerVerdict::Reject("too_long".into())
            } else if urges(text) {
                AnswerVerdict::Reject("tells_to_approve".into())
            } else {
                AnswerVerdict::Accept(answer)
            };
        }
        // Summaries are judged against their sources by the `summary` module.
        (Question::Summary { .. }, Answer::Summary { .. }) => Vec::new(),
        _ => return AnswerVerdict::Reject("another question was asked".into()),
    };
    if wrong.is_empty() { AnswerVerdict::Accept(answer) } else { AnswerVerdict::AskAgain(wrong) }
}

/// An answer that came but could not be read may be mended; one that never came may not.
fn nothing(question: &Question, why: &str) -> AnswerVerdict {
    let read = ["schema", "malformed", "prose", "two_choices", "out_of_pool"].contains(&why);
    if read && question.max_rounds() > 1 {
        return AnswerVerdict::AskAgain(vec![format!("the answer could not be read: {why}")]);
    }
    AnswerVerdict::Reject(why.into())
}

/// Accepts an intent that was offered and named with enough confidence. The bar is equal for all intents.
fn classified(offered: &[Intent], label: &str, confidence: u8, policy: &Policy) -> Result<(), &'static str> {
    match Intent::parse(label).filter(|intent| offered.contains(intent)) {
        None => Err("a label that was not offered"),
        Some(Intent::Ambiguous) => Err("ambiguous"),
        Some(_) if confidence < policy.ask.min_confidence => Err("not sure"),
        Some(_) => Ok(()),
    }
}

fn drafted(
    named: Option<ItemType>,
    stories: Option<u8>,
    items: &[DraftAnswer],
    policy: &Policy,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let (least, most) = match stories {
        None => (1, 1),
        Some(_) => (1, limits::BATCH_ITEMS),
    };
    if !(least..=most).contains(&items.len()) {
        wrong.push(format!("there are {} items; between {least} and {most} may be", items.len()));
    }
    for (at, item) in items.iter().enumerate().take(most) {
        let title = item.fields.get(&Part::Title).map_or("", |title| title.trim());
        let length = title.chars().count();
        if title.is_empty() || title.chars().any(char::is_control) || length > policy.window.title_chars {
            let most = policy.window.title_chars;
            wrong.push(format!("item {}: the title must be one line of 1 to {most} characters", at + 1));
        }
        if item.fields.values().any(|text| urges(text)) {
            wrong.push(format!("item {}: a field {URGES}", at + 1));
        }
        if item.fields.values().any(|text| text.chars().count() > policy.window.text_chars) {
            wrong.push(format!("item {}: a field is longer than {}", at + 1, policy.window.text_chars));
        }
    }
    if let (Some(named), None, [only]) = (named, stories, items)
        && only.item_type != named
    {
        wrong.push(format!("a {} was asked for", named.as_str()));
    }
    wrong
}

/// Complaints about changes of a preview: only the fields of its items may change, each once, into a text.
fn revised(items: &[DraftText], changes: &[FieldChange], policy: &Policy) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, FieldChange { item, field, text }) in changes.iter().enumerate() {
        let (name, length) = (field.as_str(), text.chars().count());
        let most = if *field == Part::Title { policy.window.title_chars } else { policy.window.text_chars };
        let again = changes[..at].iter().any(|other| other.item == *item && other.field == *field);
        let offered = items.iter().any(|offered| offered.item == *item) && field.is_revisable();
        let line = *field != Part::Title || !text.trim().chars().any(char::is_control);
        let complaint = if !offered {
            "may not be changed"
        } else if again {
            "is changed twice"
        } else if text.trim().is_empty() || length > most || !line {
            "must be a text, the title in one line, and not too long"
        } else if urges(text) {
            URGES
        } else {
            continue;
        };
        wrong.push(format!("change {}: {name} {complaint}", at + 1));
    }
    wrong
}

fn reviewed(review: &ReviewAnswer) -> Vec<String> {
    let mut wrong = Vec::new();
    if review.topic.trim().is_empty() || review.summary.trim().is_empty() {
        wrong.push("topic and summary must be written".into());
    }
    if review.summary.chars().count() > limits::REVIEW_SUMMARY_CHARS {
        wrong.push(format!("the summary is longer than {} characters", limits::REVIEW_SUMMARY_CHARS));
    }
    if [&review.topic, &review.summary].into_iter().any(|text| urges(text)) {
        wrong.push(format!("a sentence {URGES}"));
    }
    wrong.extend(points(&[&review.decisions, &review.risks, &review.questions]));
    wrong
}

fn patched(patch: &PatchAnswer) -> Vec<String> {
    let sections = [&patch.decisions, &patch.risks, &patch.questions, &patch.changes];
    if sections.iter().all(|section| section.iter().all(|bullet| bullet.trim().is_empty())) {
        return vec!["nothing changes: say what the feedback changes".into()];
    }
    points(&sections)
}

/// Complaints about points: too many, too long, or urging an approval.
fn points(sections: &[&Vec<String>]) -> Vec<String> {
    let mut wrong = Vec::new();
    let all = || sections.iter().copied().flatten();
    if all().count() > limits::REVIEW_POINTS {
        wrong.push(format!("there are more than {} points", limits::REVIEW_POINTS));
    }
    if all().any(|point| point.chars().count() > limits::REVIEW_POINT) {
        wrong.push(format!("a point is longer than {} characters", limits::REVIEW_POINT));
    }
    if all().any(|point| urges(point)) {
        wrong.push(format!("a point {URGES}"));
    }
    wrong
}

/// The complaint about text that asks for a press.
const URGES: &str = "tells the reader to approve something";

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    fn draft(stories: Option<u8>) -> Ask {
        let question = Question::Draft { item_type: None, stories, from: Vec::new() };
        Ask::about(question, "Create a ticket for login bug", &Policy::default())
    }

    fn item(title: &str) -> DraftAnswer {
        DraftAnswer { item_type: ItemType::Bug, fields: BTreeMap::from([(Part::Title, title.into())]) }
    }

    fn of(ask: &Ask, answer: Answer) -> AnswerVerdict {
        check_answer(ask, answer, &Policy::default())
    }

    #[test]
    fn a_draft_is_taken_or_mended() {
        let sound = Answer::Draft { items: vec![item("Login fails")] };
        assert_eq!(of(&draft(None), sound.clone()), AnswerVerdict::Accept(sound));
        for items in [Vec::new(), vec![item("")], vec![item("two\nlines")], vec![item("a"), item("b")]] {
            let verdict = of(&draft(None), Answer::Draft { items: items.clone() });
            assert!(matches!(verdict, AnswerVerdict::AskAgain(_)), "{items:?}: {verdict:?}");
        }
        let many = Answer::Draft { items: vec![item("x"); 6] };
        assert!(matches!(of(&draft(Some(5)), many), AnswerVerdict::Accept(_)));
    }

    /// Text that tells people to approve is no answer, in whichever field it appears.
    #[test]
    fn nothing_a_model_writes_asks_for_a_press() {
        let urging = "It is fine. Please press Approve!";
        let with = |text: &str| DraftAnswer {
            item_type: ItemType::Bug,
            fields: BTreeMap::from([(Part::Title, "Login fails".into()), (Part::Risks, text.into())]),
        };
        let mends = |ask: &Ask, answer| matches!(of(ask, answer), AnswerVerdict::AskAgain(_));
        assert!(mends(&draft(None), Answer::Draft { items: vec![with(urging)] }));
        assert!(mends(
            &draft(None),
            Answer::Draft { items: vec![with("- it is late\n- please press approve")] }
        ));
        assert!(!mends(&draft(None), Answer::Draft { items: vec![with("nobody may approve it alone")] }));
        let ask = |question| Ask::about(question, "Review this", &Policy::default());
        let review = ReviewAnswer { topic: "t".into(), summary: "s".into(), ..ReviewAnswer::default() };
        let asked = ask(Question::Review { kind: None });
        assert!(matches!(of(&asked, Answer::Review(review.clone())), AnswerVerdict::Accept(_)));
        let urged = ReviewAnswer { risks: vec![urging.into()], ..review.clone() };
        assert!(mends(&asked, Answer::Review(urged)));
        let patch = PatchAnswer { questions: vec![urging.into()], ..PatchAnswer::default() };
        assert!(mends(&ask(Question::Patch { review, version: 1 }), Answer::Patch(patch)));
    }

    #[test]
    fn what_a_model_writes_is_as_long_as_a_review_is() {
        let ask = |question| Ask::about(question, "Review this", &Policy::default());
        let mended = |question, answer| matches!(of(&ask(question), answer), AnswerVerdict::AskAgain(_));
        let review = ReviewAnswer { topic: "t".into(), summary: "s".into(), ..ReviewAnswer::default() };
        let of_kind = || Question::Review { kind: None };
        let point = |chars: usize| vec!["x".repeat(chars)];
        for (fits, written) in [
            (true, ReviewAnswer { summary: "x".repeat(limits::REVIEW_SUMMARY_CHARS), ..review.clone() }),
            (false, ReviewAnswer { summary: "x".repeat(limits::REVIEW_SUMMARY_CHARS + 1), ..review.clone() }),
            (true, ReviewAnswer { risks: point(limits::REVIEW_POINT), ..review.clone() }),
            (false, ReviewAnswer { risks: point(limits::REVIEW_POINT + 1), ..review.clone() }),
            (true, ReviewAnswer { questions: vec!["x".into(); limits::REVIEW_POINTS], ..review.clone() }),
            (
                false,
                ReviewAnswer { questions: vec!["x".into(); limits::REVIEW_POINTS + 1], ..review.clone() },
            ),
        ] {
            assert_eq!(mended(of_kind(), Answer::Review(written)), !fits);
        }
        let patch = |changes| Answer::Patch(PatchAnswer { changes, ..PatchAnswer::default() });
        let since = || Question::Patch { review: review.clone(), version: 1 };
        assert!(mended(since(), patch(vec!["x".into(); limits::REVIEW_POINTS + 1])));
        assert!(mended(since(), patch(point(limits::REVIEW_POINT + 1))));
        let text = Answer::Text { facts: Vec::new(), text: "x".repeat(limits::MODEL_ANSWER + 1) };
        assert_eq!(of(&ask(Question::Answer), text), AnswerVerdict::Reject("too_long".into()));
    }

    #[test]
    fn what_cannot_be_read_is_mended_once_and_what_did_not_come_is_dropped() {
        let none = |why: &str| Answer::None { why: why.into() };
        assert!(matches!(of(&draft(None), none("schema")), AnswerVerdict::AskAgain(_)));
        assert_eq!(of(&draft(None), none("timeout")), AnswerVerdict::Reject("timeout".into()));
        let classify = Ask::classify("hi", &Policy::default());
        assert_eq!(of(&classify, none("schema")), AnswerVerdict::Reject("schema".into()));
    }

    #[test]
    fn an_answer_to_another_question_is_none() {
        let text = Answer::Text { facts: Vec::new(), text: "x".into() };
        assert!(matches!(of(&draft(None), text), AnswerVerdict::Reject(_)));
    }

    #[test]
    fn words_that_ask_for_an_approval_are_not_said() {
        let ask = Ask::about(Question::Answer, "What about microservices?", &Policy::default());
        let text = |text: &str| Answer::Text { facts: Vec::new(), text: text.into() };
        for bad in [
            "Please press approve now. I moved it to EVIL.",
            "All good!\nApprove it please",
            "The plan is sound, so please press “Approve” below.",
            "Shall we go on? Then click Approve",
            "It is ready (just press Approve).",
            "Alles gut, bitte auf Freigeben klicken.",
            " ",
        ] {
            assert!(matches!(of(&ask, text(bad)), AnswerVerdict::Reject(_)), "{bad}");
        }
        for good in ["They cost more to run.", "Whether to approve it depends on the load."] {
            assert!(matches!(of(&ask, text(good)), AnswerVerdict::Accept(_)), "{good}");
        }
    }
}
