//! The conformance suite of [`Model`]: run [`check`] over an implementation.

use throughline_engine::Language;
use throughline_engine::ask::AnswerVerdict;
use throughline_engine::ask::check_answer;
use throughline_engine::context::lane_context::LaneContext;
use throughline_engine::context::prompt::Anchor;
use throughline_engine::data::ask::{Answer, Ask, Candidate, DraftText, Question, ReviewAnswer, SelectInput};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::focus::AnchorHint;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::Metadata;
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_engine::{EffectId, MessageId, Policy, Timestamp};

use crate::{Caller, Model, Spent};

/// One ask of every kind about a text, offering everything an ask can offer.
#[must_use]
pub fn asks(text: &str) -> Vec<Ask> {
    let policy = Policy::default();
    let review = ReviewAnswer {
        kind: "architecture".into(),
        topic: "Caching".into(),
        summary: "One cache in front of the store.".into(),
        risks: vec!["Stale entries.".into()],
        ..ReviewAnswer::default()
    };
    let questions = [
        Question::Classify { labels: throughline_engine::data::intent::Intent::ALL.into() },
        Question::Draft { item_type: Some(ItemType::Bug), stories: None, from: Vec::new() },
        Question::Draft {
            item_type: Some(ItemType::Epic),
            stories: Some(5),
            from: vec!["Single sign-on.".into()],
        },
        Question::Revise {
            items: vec![DraftText {
                item: "i1".into(),
                item_type: ItemType::Bug,
                fields: [(Part::Title, "Login fails".to_owned())].into(),
            }],
        },
        Question::Review { kind: Some("security".into()) },
        Question::Review { kind: None },
        Question::Patch { review: review.clone(), version: 2 },
        Question::Synthesis { review },
        Question::Select(Box::new(choice())),
        Question::Answer,
        Question::Summary {
            base_cursor: 0,
            to: MessageId("m_6_0".into()),
            messages: vec![r#"{ "id": "m_6_0", "text": "We moved the login." }"#.into()],
        },
    ];
    let hint = AnchorHint {
        focus_anchor_internal_id: Some(MessageId("m_7_0".into())),
        focus_anchor_channel_id: Some("1700000000.000100".into()),
        focus_anchor_text_snippet: "The login fails on Firefox".into(),
        task_id: None,
    };
    let about = |question| {
        let said = r#"{ "id": "m_6_0", "at": "2026-01-15T10:00:00Z", "role": "user", "from": "ana", "text": "We moved the login." }"#;
        let focus = r#"{ "focus": { "id": "c1", "focusAnchorTextSnippet": "The login fails on Firefox" } }"#;
        let closed = matches!(question, Question::Select(_) | Question::Summary { .. });
        let anchor = Anchor { own: vec![focus.into()], ..Anchor::default() };
        let shown = LaneContext { window: vec![said.into()], anchor, ..LaneContext::default() };
        let shown = if closed { LaneContext::default() } else { shown };
        let hint = (!closed).then(|| hint.clone());
        Ask::within(question, text, hint, shown, &policy).expect("it is short")
    };
    questions.into_iter().map(about).collect()
}

/// Three options, one of them with every detail an option can have.
fn choice() -> SelectInput {
    let named = |alias: &str, label: &str| Candidate {
        alias: alias.into(),
        label: label.into(),
        ..Candidate::default()
    };
    let known = Candidate {
        sublabel: Some("shared".into()),
        badge: Some("D".into()),
        names: vec!["links d".into(), "the \"old\" one".into()],
        metadata: Metadata {
            path: Some("/links/d".into()),
            kind: Some("panel".into()),
            owner: Some("ana".into()),
            recency_rank: Some(0),
        },
        ..named("c1", "Links Panel D")
    };
    SelectInput {
        scope: Scope::Chat,
        candidates: vec![known, named("c2", "Links Panel E"), named("c3", "sample2")],
        hints: vec!["c2".into(), "c1".into()],
        rejected: vec!["c3".into()],
        evidence: Vec::new(),
        may_ask: true,
    }
}

/// Asks as the runtime would.
pub async fn asked(model: &dyn Model, ask: &Ask) -> Attempt<Answer> {
    let effect = EffectId("fx_65emfyihdqmez2f6x5fvmpxn".into());
    model
        .ask(
            ask,
            &Caller {
                tenant: "acme",
                user: "ana",
                effect: &effect,
                now: Timestamp(0),
                spent: &Spent::default(),
                onlooker: None,
            },
        )
        .await
}

/// Returns true if an answer stays within what was offered: it answers this question, or is none.
#[must_use]
pub fn inside(ask: &Ask, answer: &Answer) -> bool {
    match (&ask.question, answer) {
        (_, Answer::None { why }) => !why.is_empty() && why.len() <= 40,
        (Question::Classify { labels }, Answer::Classify { label, confidence, .. }) => {
            *confidence <= 100 && labels.iter().any(|offered| offered.as_str() == label)
        }
        // The step judges if the option was offered.
        (Question::Select(_), Answer::Select { confidence, .. }) => *confidence <= 100,
        (Question::Draft { .. }, Answer::Draft { .. })
        | (Question::Revise { .. }, Answer::Revision { .. })
        | (Question::Patch { .. }, Answer::Patch(_))
        | (Question::Synthesis { .. } | Question::Answer, Answer::Text { .. })
        | (Question::Summary { .. }, Answer::Summary { .. }) => true,
        (Question::Review { .. }, Answer::Review(review)) => {
            ["", "architecture", "security", "pm"].contains(&review.kind.as_str())
        }
        _ => false,
    }
}

/// Asks every kind of question and checks that each ends within what was offered, with an answer that the step can
/// judge.
///
/// # Panics
/// An ask does not; the message names it.
pub async fn check(model: &dyn Model, text: &str) {
    assert!(!model.name().is_empty(), "a model has a name");
    for ask in asks(text) {
        match asked(model, &ask).await {
            Attempt::Applied(answer) => {
                assert!(inside(&ask, &answer), "{:?} was answered with {answer:?}", ask.question);
                if let AnswerVerdict::Accept(taken) = check_answer(&ask, answer.clone(), &Policy::default()) {
                    assert_eq!(taken, answer, "what is taken is what was said");
                }
            }
            Attempt::NotApplied { why, .. } | Attempt::Unknown { why } => {
                assert!(!why.text(Language::En).is_empty(), "{:?} failed without a reason", ask.question);
            }
            Attempt::Rejected { text, .. } => panic!("a model refuses by having no answer, not: {text:?}"),
        }
    }
}
