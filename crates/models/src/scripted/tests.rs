//! The script, its strictness, its journal, and every misbehaviour.

use throughline_engine::Policy;

use throughline_engine::data::ask::{Question, SelectVerdict};

use super::*;
use crate::conformance::{asked, asks};

fn ask() -> Ask {
    Ask::classify("please file that", &Policy::default())
}

fn script(yaml: &str) -> Scripted {
    Scripted::new(serde_yaml_ng::from_str::<Vec<ScriptEntry>>(yaml).unwrap())
}

#[tokio::test]
async fn answers_by_purpose_in_order_and_then_strictly_nothing() {
    let model = script(
        "
        - { purpose: draft, answer: { title: Login fails } }
        - { purpose: classify, answer: { label: ticket, confidence: 0.9 } }
        - { purpose: classify, fail: 429 }
        - { purpose: classify, fail: timeout }
        - { purpose: classify, raw: 'ticket, obviously' }
        ",
    );
    assert_eq!(
        asked(&model, &ask()).await,
        Attempt::Applied(Answer::Classify { label: "ticket".into(), confidence: 90, anchor: None })
    );
    assert!(matches!(asked(&model, &ask()).await, Attempt::NotApplied { hint: Some(1_000), .. }));
    assert_eq!(asked(&model, &ask()).await, Attempt::Applied(no_answer("timeout")));
    assert_eq!(asked(&model, &ask()).await, Attempt::Applied(no_answer("prose")));
    assert_eq!(asked(&model, &ask()).await, Attempt::Applied(no_answer("unscripted")));
    assert_eq!((model.calls(), model.unscripted()), (5, 1));
    assert_eq!(model.left().len(), 1, "the draft was never asked for");
    assert!(model.journal().iter().all(|asked| asked.ask == ask()));
}

#[tokio::test]
async fn a_scripted_label_outside_the_pool_is_judged_like_a_real_one() {
    let model = script("- { purpose: classify, answer: { label: approve, confidence: 1 } }");
    assert_eq!(asked(&model, &ask()).await, Attempt::Applied(no_answer("out_of_pool")));
}

#[test]
fn a_script_that_says_nothing_or_too_much_is_an_error() {
    let table = [
        ("{ purpose: classify }", "exactly one of"),
        ("{ purpose: classify, answer: {}, fail: timeout }", "exactly one of"),
        ("{ purpose: clasify, fail: timeout }", "clasify"),
        ("{ purpose: classify, fail: tiemout }", "tiemout"),
        ("{ purpose: classify, fial: timeout }", "fial"),
    ];
    for (yaml, said) in table {
        let error = serde_yaml_ng::from_str::<ScriptEntry>(yaml).unwrap_err().to_string();
        assert!(error.contains(said), "{yaml}: {error}");
    }
}

fn select() -> Ask {
    asks("the links thing").into_iter().find(|ask| matches!(ask.question, Question::Select(_))).unwrap()
}

/// The end of an ask with one misbehaviour, in a word.
async fn ends(ask: &Ask, misbehaviour: Misbehaviour) -> String {
    let model =
        Scripted::new([ScriptEntry { purpose: ask.purpose(), reply: ScriptedReply::Failure(misbehaviour) }]);
    match asked(&model, ask).await {
        Attempt::NotApplied { .. } => "not applied".to_owned(),
        Attempt::Unknown { .. } => "unknown".to_owned(),
        Attempt::Applied(Answer::None { why }) => why,
        Attempt::Applied(Answer::Classify { label, .. }) => label,
        Attempt::Applied(Answer::Select { choice, .. }) => choice.unwrap_or_default(),
        other => panic!("{misbehaviour:?}: {other:?}"),
    }
}

/// A failure that may be retried comes back as such, any other is no answer at once; nothing is ever an answer
/// outside the pool.
#[tokio::test]
async fn every_misbehaviour_ends_as_listed() {
    use Misbehaviour as M;
    let listed = |misbehaviour| match misbehaviour {
        M::ConnectRefused | M::Dns | M::Tls | M::ConnectTimeout | M::Status429 => "not applied",
        M::FirstByteTimeout | M::Status500 | M::Status503 | M::Status529 | M::StreamCut => "unknown",
        M::Timeout => "timeout",
        M::Status400 => "status_400",
        M::Status401 => "status_401",
        M::Status403 => "status_403",
        M::Status404 => "status_404",
        M::ContentFilter => "content_filter",
        M::Empty | M::Blanks => "empty",
        M::Refusal | M::Garbage | M::Prose | M::TellsToApprove => "prose",
        M::Cut => "cut",
        M::Comment | M::TrailingComma => "malformed",
        M::Schema | M::ToolCall => "schema",
        M::OutOfPool | M::LookAlike => "out_of_pool",
        M::TwoChoices => "two_choices",
        M::TooLong => "too_long",
        M::ExtraFields => "ticket",
    };
    for misbehaviour in M::ALL {
        assert_eq!(ends(&ask(), *misbehaviour).await, listed(*misbehaviour), "{misbehaviour:?}");
        assert_eq!(misbehaviour.as_str().parse(), Ok(*misbehaviour));
    }
}

/// A choice is not retried, because somebody waits: no answer at once, with the class of the failure
/// (`docs/design/0023-model-picks.md`). An option that was not offered is passed on for the step to judge.
#[tokio::test]
async fn every_misbehaviour_of_a_choice_ends_at_once() {
    use Misbehaviour as M;
    for misbehaviour in M::ALL {
        let listed = match misbehaviour {
            M::Status429 => "rate_limited".to_owned(),
            M::ConnectRefused | M::Dns | M::Tls | M::ConnectTimeout => "transport_error".to_owned(),
            M::FirstByteTimeout | M::Status500 | M::Status503 | M::Status529 | M::StreamCut => {
                "transport_error".to_owned()
            }
            M::OutOfPool => "approve_everything".to_owned(),
            M::LookAlike => "\u{441}1".to_owned(),
            M::ExtraFields => "c1".to_owned(),
            other => ends(&ask(), *other).await,
        };
        assert_eq!(ends(&select(), *misbehaviour).await, listed, "{misbehaviour:?}");
    }
}

/// A script can pick options and ask for evidence.
#[tokio::test]
async fn a_choice_is_scripted_like_any_answer() {
    let model = script(
        "
        - purpose: select
          answer: { contract: tl-ask-1, decision: request_context, choice: null, confidence: 0.5,
                    neededEvidenceTypes: [chat_active_options] }
        - { purpose: select, answer: { contract: tl-ask-1, decision: select, choice: c9, confidence: 0.99 } }
        - { purpose: select, answer: {} }
        ",
    );
    let needs = vec!["chat_active_options".to_owned()];
    let says = |says, choice: Option<&str>, confidence, needs| {
        let (contract, choice) = ("tl-ask-1".into(), choice.map(Into::into));
        Attempt::Applied(Answer::Select { contract, says, choice, confidence, needs })
    };
    assert_eq!(asked(&model, &select()).await, says(SelectVerdict::RequestContext, None, 50, needs));
    assert_eq!(asked(&model, &select()).await, says(SelectVerdict::Select, Some("c9"), 99, Vec::new()));
    assert_eq!(asked(&model, &select()).await, Attempt::Applied(no_answer("schema")));
}
