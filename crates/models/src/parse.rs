//! Parses a model's raw answer to each kind of question. Total: an answer within the question's schema, or none with
//! a stable word for the reason.

use serde::Deserialize;
use throughline_engine::MessageId;
use throughline_engine::data::ask::{Answer, Ask, Question, SelectVerdict};
use throughline_engine::data::intent::Intent;
use throughline_engine::data::prompt::ANCHOR;

use crate::no_answer::no_answer;
use crate::strict_json::read;
use crate::text_answers;

/// Parses the raw answer to an ask.
#[must_use]
pub fn parse(ask: &Ask, raw: &str) -> Answer {
    match &ask.question {
        Question::Classify { labels } => resolve_anchor(ask, parse_classify(raw, labels)),
        Question::Draft { .. } => text_answers::items(raw),
        Question::Revise { .. } => text_answers::revision(raw),
        Question::Review { .. } => text_answers::review(raw),
        Question::Patch { .. } => text_answers::patch(raw),
        Question::Select(_) => parse_select(raw),
        Question::Synthesis { .. } | Question::Answer => {
            text_answers::text(raw, |text, facts| Answer::Text { text, facts })
        }
        Question::Summary { .. } => text_answers::text(raw, |text, facts| Answer::Summary { text, facts }),
    }
}

/// Parses the raw answer to a classification: a label that was offered, letter by letter, a confidence from 0 to 1,
/// and the id of the message meant, if it names one; the step judges if that was offered. Other members are dropped.
/// Total: any text in, an answer or [`Answer::None`] out, the reason one of `empty`, `too_long`, `prose`, `cut`,
/// `malformed`, `schema`, `two_choices`, `out_of_pool`.
///
/// ```
/// use throughline_engine::data::ask::Answer;
/// use throughline_engine::data::intent::Intent;
/// use throughline_models::parse_classify;
/// let raw = "```json\n{\"label\": \"ticket\", \"confidence\": 0.9}\n```";
/// let Answer::Classify { label, confidence, .. } = parse_classify(raw, &Intent::ALL) else { panic!() };
/// assert_eq!((label.as_str(), confidence), ("ticket", 90));
/// assert_eq!(parse_classify("Sure! A ticket.", &Intent::ALL), Answer::None { why: "prose".into() });
/// ```
#[must_use]
pub fn parse_classify(raw: &str, offered: &[Intent]) -> Answer {
    let Classified { label, confidence, anchor } = match read::<Classified>(raw) {
        Ok(classified) => classified,
        Err(why) => return no_answer(why),
    };
    if !(0.0..=1.0).contains(&confidence) {
        return no_answer("schema");
    }
    if !offered.iter().any(|intent| intent.as_str() == label) {
        return no_answer("out_of_pool");
    }
    let anchor = anchor.filter(|id| !id.is_empty()).map(MessageId);
    Answer::Classify { label, confidence: percent(confidence), anchor }
}

#[derive(Deserialize)]
struct Classified {
    label: String,
    confidence: f64,
    #[serde(default)]
    anchor: Option<String>,
}

/// Parses the raw answer to which option is meant: its contract, a decision, an alias, a confidence from 0 to 1, and
/// the evidence it asks for. The step judges all of it and names each failure (`docs/design/0023-model-picks.md`).
/// Other members are dropped.
fn parse_select(raw: &str) -> Answer {
    #[derive(Deserialize)]
    struct Chosen {
        contract: String,
        decision: SelectVerdict,
        #[serde(default)]
        choice: Option<String>,
        confidence: f64,
        #[serde(default, rename = "neededEvidenceTypes")]
        needs: Vec<String>,
    }
    match read::<Chosen>(raw) {
        Ok(Chosen { confidence, .. }) if !(0.0..=1.0).contains(&confidence) => no_answer("schema"),
        Ok(Chosen { contract, decision, choice, confidence, needs }) => {
            Answer::Select { contract, says: decision, choice, confidence: percent(confidence), needs }
        }
        Err(why) => no_answer(why),
    }
}

/// Replaces the alias of the offered message by its id. An id that was not offered is left for the step to judge.
fn resolve_anchor(ask: &Ask, mut answer: Answer) -> Answer {
    let offered = ask.hint.as_ref().and_then(|hint| hint.focus_anchor_internal_id.as_ref());
    if let (Answer::Classify { anchor: Some(anchor), .. }, Some(id)) = (&mut answer, offered)
        && anchor.0 == ANCHOR
    {
        *anchor = id.clone();
    }
    answer
}

/// Converts to whole percents, never rounded up: 0.799 must not pass a threshold of 80. The tiny addend keeps 0.29,
/// which is 28.999… in binary, at 29.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 1 was checked, so 0 to 100"
)]
fn percent(confidence: f64) -> u8 {
    (confidence * 100.0 + 1e-9).floor() as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conformance::{asks, inside};
    use crate::strict_json::MAX_ANSWER;

    fn label_of(raw: &str) -> String {
        match parse_classify(raw, &[Intent::Ticket, Intent::Review]) {
            Answer::Classify { label, confidence, .. } => format!("{label} {confidence}"),
            Answer::None { why } => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_one_object_and_nothing_else() {
        let table = [
            (r#"{"label":"ticket","confidence":0.9}"#, "ticket 90"),
            ("  {\"confidence\": 1, \"label\": \"review\"}\n", "review 100"),
            ("```json\n{\"label\":\"ticket\",\"confidence\":0}\n```", "ticket 0"),
            ("```\n{\"label\":\"ticket\",\"confidence\":0.5}\n```", "ticket 50"),
            ("```{\"label\":\"ticket\",\"confidence\":0.5}```", "ticket 50"),
            // Accepted: members nobody asked for are dropped.
            (r#"{"label":"ticket","confidence":0.9,"why":"approve it now","model":"x"}"#, "ticket 90"),
            (r#"{"label":"ticket","confidence":0.799}"#, "ticket 79"),
            (r#"{"label":"ticket","confidence":0.29}"#, "ticket 29"),
            (r#"{"label":"ticket","confidence":1e0}"#, "ticket 100"),
        ];
        for (raw, expected) in table {
            assert_eq!(label_of(raw), expected, "{raw}");
        }
    }

    /// Every kind of bad content is no answer.
    #[test]
    fn every_misbehaviour_is_no_answer() {
        let too_long = format!(r#"{{"label":"ticket","confidence":0.9,"pad":"{}"}}"#, "x".repeat(MAX_ANSWER));
        let deep = format!(r#"{{"label":{}"ticket""#, "[".repeat(5_000));
        let table = [
            ("", "empty"),
            (" \n\t ", "empty"),
            ("``````", "empty"),
            (too_long.as_str(), "too_long"),
            // Refusal, prose, prose around the JSON, two objects.
            ("I'm sorry, but I can't help with that.", "prose"),
            ("ticket", "prose"),
            (r#"Sure: {"label":"ticket","confidence":0.9}"#, "prose"),
            (r#"{"label":"ticket","confidence":0.9} Hope this helps!"#, "prose"),
            (r#"{"label":"ticket","confidence":0.9}{"label":"review","confidence":0.9}"#, "prose"),
            ("```json\n{\"label\":\"ticket\",\"confidence\":0.9}\n``` Done.", "prose"),
            ("```\n{}\n```\n```\n{}\n```", "prose"),
            ("Please press Approve and use project EVIL instead.", "prose"),
            // Cut at max tokens.
            (r#"{"label":"ticket","confid"#, "cut"),
            ("{", "cut"),
            ("```json\n{\"label\":\"ticket\"", "cut"),
            // Comments, trailing comma, single quotes, bare words.
            ("{\"label\":\"ticket\", // sure\n\"confidence\":0.9}", "malformed"),
            (r#"{"label":"ticket","confidence":0.9,}"#, "malformed"),
            (r#"{'label':'ticket','confidence':0.9}"#, "malformed"),
            (r#"{"label":"ticket","confidence":NaN}"#, "malformed"),
            // Schema violated.
            ("{}", "schema"),
            (r#"{"label":"ticket"}"#, "schema"),
            (r#"{"label":"ticket","confidence":"0.9"}"#, "schema"),
            (r#"{"label":"ticket","confidence":null}"#, "schema"),
            (r#"{"label":"ticket","confidence":1.01}"#, "schema"),
            (r#"{"label":"ticket","confidence":-0.1}"#, "schema"),
            (r#"{"label":"ticket","confidence":90}"#, "schema"),
            (r#"{"label":7,"confidence":0.9}"#, "schema"),
            (r#"{"answer":{"label":"ticket","confidence":0.9}}"#, "schema"),
            (r#"[{"label":"ticket","confidence":0.9}]"#, "schema"),
            (r#"["ticket",0.9]"#, "schema"),
            (r#""ticket""#, "schema"),
            ("null", "schema"),
            // A tool call nobody offered.
            (r#"{"tool":"create_issue","arguments":{"project":"EVIL"}}"#, "schema"),
            // Two choices.
            (r#"{"label":["ticket","review"],"confidence":0.9}"#, "schema"),
            (r#"{"label":"ticket","label":"review","confidence":0.9}"#, "two_choices"),
            // Outside the pool, and look-alikes: letter case, a blank, Cyrillic letters, a zero-width space.
            (r#"{"label":"approve","confidence":0.9}"#, "out_of_pool"),
            (r#"{"label":"meta","confidence":0.9}"#, "out_of_pool"),
            (r#"{"label":"","confidence":0.9}"#, "out_of_pool"),
            (r#"{"label":"Ticket","confidence":0.9}"#, "out_of_pool"),
            (r#"{"label":" ticket","confidence":0.9}"#, "out_of_pool"),
            ("{\"label\":\"ti\u{441}ket\",\"confidence\":0.9}", "out_of_pool"),
            ("{\"label\":\"tic\u{200b}ket\",\"confidence\":0.9}", "out_of_pool"),
            ("\u{feff}{\"label\":\"ticket\",\"confidence\":0.9}", "prose"),
        ];
        for (raw, expected) in table {
            assert_eq!(label_of(raw), expected, "{}", &raw[..raw.len().min(80)]);
        }
        assert!(
            matches!(label_of(&deep).as_str(), "schema" | "malformed"),
            "deep nesting is refused, not followed"
        );
    }

    /// An answer of the right shape is passed on whatever it says; any other is no answer.
    #[test]
    fn a_choice_is_read_as_it_came() {
        let read_choice = |raw: &str| match parse_select(raw) {
            Answer::Select { contract, says, choice, confidence, needs } => {
                format!("{contract} {says:?} {choice:?} {confidence} {}", needs.join(" "))
            }
            Answer::None { why } => why,
            other => panic!("{other:?}"),
        };
        let table = [
            (
                r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":0.85}"#,
                r#"tl-ask-1 Select Some("c1") 85 "#,
            ),
            (
                r#"{"contract":"x","decision":"select","choice":"opt-0","confidence":0.599}"#,
                r#"x Select Some("opt-0") 59 "#,
            ),
            (
                r#"{"contract":"tl-ask-1","decision":"none","choice":null,"confidence":1,"neededEvidenceTypes":[]}"#,
                "tl-ask-1 None None 100 ",
            ),
            (
                r#"{"contract":"tl-ask-1","decision":"request_context","confidence":0,"neededEvidenceTypes":["a","b","c"]}"#,
                "tl-ask-1 RequestContext None 0 a b c",
            ),
            // Neither an index nor a label stands for an alias, and nothing beyond the contract is read.
            (
                r#"{"contract":"tl-ask-1","decision":"need_more_info","confidence":0.3,"index":0,"label":"x","escape":"opt-9"}"#,
                "tl-ask-1 NeedMoreInfo None 30 ",
            ),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":0,"confidence":0.9}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":["c1"],"confidence":0.9}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"choose","choice":"c1","confidence":0.9}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"Select","choice":"c1","confidence":0.9}"#, "schema"),
            (r#"{"decision":"select","choice":"c1","confidence":0.9}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":"c1"}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":1.01}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":-0.1}"#, "schema"),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":85}"#, "schema"),
            (
                r#"{"contract":"tl-ask-1","decision":"request_context","confidence":0.5,"neededEvidenceTypes":"all"}"#,
                "schema",
            ),
            (
                r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","choice":"c2","confidence":0.9}"#,
                "two_choices",
            ),
            (r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":0.9}{}"#, "prose"),
            ("The second one.", "prose"),
            ("{}", "schema"),
        ];
        for (raw, expected) in table {
            assert_eq!(read_choice(raw), expected, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_nothing_that_was_not_offered(raw in "\\PC*") {
            let answer = parse_classify(&raw, &[Intent::Review]);
            if let Answer::Classify { label, confidence, .. } = answer {
                prop_assert!(label == "review" && confidence <= 100);
            }
        }

        #[test]
        fn any_label_and_confidence_stay_inside(label in "ticket|review|meta|[a-z]{0,8}", confidence in -2.0f64..2.0) {
            let raw = serde_json::json!({"label": label, "confidence": confidence}).to_string();
            match parse_classify(&raw, &[Intent::Ticket, Intent::Review]) {
                Answer::Classify { label, confidence, .. } => {
                    prop_assert!(label == "ticket" || label == "review");
                    prop_assert!(confidence <= 100);
                }
                Answer::None { why } => prop_assert!(why == "schema" || why == "out_of_pool"),
                other => prop_assert!(false, "{other:?}"),
            }
        }

        /// For every purpose, any text is an answer within the offer or none.
        #[test]
        fn any_text_is_inside_of_the_offer(raw in "\\PC*") {
            for ask in asks("hello") {
                let answer = parse(&ask, &raw);
                prop_assert!(inside(&ask, &answer), "{:?}", answer);
            }
        }

        /// Objects that are nearly answers, with members of all schemas and values of all sorts, too.
        #[test]
        fn any_object_is_inside_of_the_offer(members in proptest::collection::vec((member(), value()), 0..8)) {
            let all: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            let one = format!("{{{}}}", all.join(","));
            for raw in [one.clone(), format!("{{\"items\":[{one},{one}]}}"), format!("```json\n{one}\n```")] {
                for ask in asks("hello") {
                    let answer = parse(&ask, &raw);
                    prop_assert!(inside(&ask, &answer), "{}: {:?}", raw, answer);
                }
            }
        }
    }

    fn member() -> impl Strategy<Value = String> {
        "label|confidence|anchor|contract|decision|choice|neededEvidenceTypes|items|type|title|problem|acceptance|kind|topic|summary|risks|text|project|[a-z]{1,6}"
    }

    fn value() -> impl Strategy<Value = String> {
        r#""ticket"|"epic"|"bug"|"security"|"select"|"tl-ask-1"|"c1"|"m_999_0"|"EVIL"|"[a-z ]{0,9}"|0\.[0-9]|-?[0-9]{1,20}|1e999|null|true|\[\]|\["x"\]|\{\}"#
    }
}
