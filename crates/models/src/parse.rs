//! Our own reading of a model's raw answer, whatever the vendor promises (`spec 07 §7`): one JSON object, at most
//! one code fence around it, nothing else. Anything else is no answer, with a stable word for why.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use throughline_engine::MessageId;
use throughline_engine::ask::{Answer, Ask, Question, Says};
use throughline_engine::intent::Intent;

use crate::unique::Once;
use crate::written;
use throughline_engine::ask::wording::ANCHOR;

/// The longest answer that is read, in bytes.
pub const MAX_ANSWER: usize = 256 * 1024;

/// No answer, and why.
#[must_use]
pub fn no_answer(why: &str) -> Answer {
    Answer::None { why: why.into() }
}

/// Reads the raw answer to an ask.
#[must_use]
pub fn parse(ask: &Ask, raw: &str) -> Answer {
    match &ask.question {
        Question::Classify { labels } => meant(ask, parse_classify(raw, labels)),
        Question::Draft { .. } => written::items(raw),
        Question::Review { .. } => written::review(raw),
        Question::Patch { .. } => written::patch(raw),
        Question::Select(_) => parse_select(raw),
        Question::Synthesis { .. } | Question::Answer => {
            written::text(raw, |text, facts| Answer::Text { text, facts })
        }
        Question::Summary { .. } => written::text(raw, |text, facts| Answer::Summary { text, facts }),
    }
}

/// Reads the raw answer to a classification: a label that was offered, letter by letter, and a confidence from 0
/// to 1, and the id of the message it took to be meant, if it names one; whether that was offered, the step judges.
/// Other members are dropped. Total: any text in, an answer or [`Answer::None`] out, why one of `empty`,
/// `too_long`, `prose`, `cut`, `malformed`, `schema`, `two_choices`, `out_of_pool`.
///
/// ```
/// use throughline_engine::{ask::Answer, intent::Intent};
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
    if !offered.iter().any(|intent| intent.word() == label) {
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

/// Reads the raw answer to which option is meant (`spec 04 §12.2`): its contract, a decision, an alias, a confidence from
/// 0 to 1, and what it would have to see. All as it came: whether the contract is ours, the alias was offered and what is
/// wanted can be looked up, the step judges, and gives each its own name. Nothing else is read.
fn parse_select(raw: &str) -> Answer {
    #[derive(Deserialize)]
    struct Chosen {
        contract: String,
        decision: Says,
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

/// Puts the message's id in the place of the name it was offered under; what was not offered, the step judges.
fn meant(ask: &Ask, mut answer: Answer) -> Answer {
    let offered = ask.hint.as_ref().and_then(|hint| hint.focus_anchor_internal_id.as_ref());
    if let (Answer::Classify { anchor: Some(anchor), .. }, Some(id)) = (&mut answer, offered)
        && anchor.0 == ANCHOR
    {
        *anchor = id.clone();
    }
    answer
}

/// Whole percents, never rounded up: 0.799 must not pass a threshold of 80. The tiny addend keeps 0.29, which is
/// 28.999… in binary, at 29.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 1 was checked, so 0 to 100"
)]
fn percent(confidence: f64) -> u8 {
    (confidence * 100.0 + 1e-9).floor() as u8
}

/// The one JSON object that a raw answer must be, read as `T`; else the stable word for why not.
pub(crate) fn read<T: DeserializeOwned>(raw: &str) -> Result<T, &'static str> {
    let json = one_object(raw)?;
    serde_json::from_str::<Once>(json).map_err(|error| named(&error))?;
    serde_json::from_str(json).map_err(|error| named(&error))
}

/// The text that must be one JSON object.
fn one_object(raw: &str) -> Result<&str, &'static str> {
    if raw.len() > MAX_ANSWER {
        return Err("too_long");
    }
    let text = raw.trim();
    if text.is_empty() {
        return Err("empty");
    }
    let json = match text.strip_prefix("```") {
        Some(fenced) => unfence(fenced)?,
        None => text,
    };
    // A value of another shape is a schema error; text around or in place of the object is prose.
    match json.chars().next() {
        Some('{') => Ok(json),
        Some(_) if serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok() => Err("schema"),
        Some(_) => Err("prose"),
        None => Err("empty"),
    }
}

/// What is inside the fence: after an optional language, up to a closing fence that ends the text.
fn unfence(fenced: &str) -> Result<&str, &'static str> {
    let inner = fenced.strip_suffix("```").ok_or(if fenced.contains("```") { "prose" } else { "cut" })?;
    if inner.contains("```") {
        return Err("prose");
    }
    let language = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    Ok(inner[language..].trim())
}

/// The stable word for what serde found.
fn named(error: &serde_json::Error) -> &'static str {
    let text = error.to_string();
    match error.classify() {
        Category::Eof => "cut",
        Category::Syntax if text.starts_with("trailing characters") => "prose",
        Category::Data if text.starts_with("duplicate field") => "two_choices",
        Category::Data => "schema",
        Category::Syntax | Category::Io => "malformed",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conformance::{asks, inside};

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

    /// The misbehaviours of `spec 07 §7` that are a matter of content.
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

    /// What is of the right shape is passed on, whatever it says; what is not is no answer.
    #[test]
    fn a_choice_is_read_as_it_came() {
        let told = |raw: &str| match parse_select(raw) {
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
            assert_eq!(told(raw), expected, "{raw}");
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

        /// Every purpose: any text in, an answer inside of what was offered or none out.
        #[test]
        fn any_text_is_inside_of_the_offer(raw in "\\PC*") {
            for ask in asks("hello") {
                let answer = parse(&ask, &raw);
                prop_assert!(inside(&ask, &answer), "{:?}", answer);
            }
        }

        /// The same for what nearly is an answer: members of all schemas, with values of all sorts.
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
