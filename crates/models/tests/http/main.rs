//! Providers over real HTTP, against the strict fake: each wire format, each misbehaviour, and the limits.

mod injection;
mod limits;
mod misbehaviour;
mod wires;

use std::collections::BTreeMap;
use std::time::Duration;

use throughline_engine::Language;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_fakes::model::FakeModel;
use throughline_models::conformance::{asked, asks};
use throughline_models::{ApiKey, Caps, Kind, Price, Providers, Setting, Timeouts, default_output};

/// A key that must never be seen.
pub(crate) const KEY: &str = "sk-canary-0123456789abcdef";

/// A sound answer to a classification.
pub(crate) const TICKET: &str = r#"{"label":"ticket","confidence":0.9,"anchor":null}"#;

/// A sound answer to a choice.
pub(crate) const FIRST: &str =
    r#"{"contract":"tl-ask-1","decision":"select","choice":"c1","confidence":0.9,"neededEvidenceTypes":[]}"#;

/// A wire format; `native` is for Anthropic, which has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) kind: Kind,
    pub(crate) native: bool,
}

pub(crate) const WIRES: [Wire; 4] = [
    Wire { kind: Kind::OpenAiChat, native: false },
    Wire { kind: Kind::OpenAiResponses, native: false },
    Wire { kind: Kind::Anthropic, native: false },
    Wire { kind: Kind::Anthropic, native: true },
];

impl Wire {
    /// The base address of a fake.
    pub(crate) fn base(self, fake: &FakeModel) -> String {
        let under = if self.kind == Kind::Anthropic { "" } else { "v1" };
        fake.url(under)
    }

    pub(crate) fn setting(self, base_url: &str, purpose: Purpose) -> Setting {
        Setting {
            kind: self.kind,
            base_url: base_url.into(),
            model: "small-1".into(),
            key: ApiKey::parse(KEY),
            allow_loopback: true,
            native: self.native,
            max_output: default_output(purpose),
            price: Price::default(),
        }
    }

    /// Providers for every purpose, with the default timeouts.
    pub(crate) fn at(self, base_url: &str, caps: Caps) -> Providers {
        self.within(base_url, caps, Timeouts::default())
    }

    /// Providers with short timeouts, for endpoints that do not answer.
    pub(crate) fn hasty(self, base_url: &str) -> Providers {
        let (connect, first_byte) = (Duration::from_millis(200), Duration::from_secs(1));
        self.within(base_url, Caps::default(), Timeouts { connect, first_byte })
    }

    fn within(self, base_url: &str, caps: Caps, timeouts: Timeouts) -> Providers {
        let settings: BTreeMap<_, _> =
            Purpose::ALL.into_iter().map(|purpose| (purpose, self.setting(base_url, purpose))).collect();
        Providers::new(settings, caps, timeouts).unwrap()
    }

    pub(crate) async fn started(self) -> (FakeModel, Providers) {
        let fake = FakeModel::start().await.unwrap();
        fake.require_key(KEY);
        let providers = self.at(&self.base(&fake), Caps::default());
        (fake, providers)
    }
}

pub(crate) fn classify(text: &str) -> Ask {
    asks(text).remove(0)
}

/// An ask for which option is meant.
pub(crate) fn select(text: &str) -> Ask {
    asks(text).into_iter().find(|ask| ask.purpose() == Purpose::Select).unwrap()
}

/// The end of an ask, in a word: the label or alias, the reason there is none, or that a second attempt may mend it.
pub(crate) async fn ended(providers: &Providers, ask: &Ask) -> String {
    match asked(providers, ask).await {
        Attempt::Applied(Answer::Classify { label, .. }) => label,
        Attempt::Applied(Answer::Select { choice, .. }) => choice.unwrap_or_default(),
        Attempt::Applied(Answer::None { why }) => why,
        Attempt::Applied(other) => format!("{other:?}"),
        Attempt::NotApplied { why, hint } => {
            let why = why.text(Language::En);
            assert!(why.starts_with("the model was not asked: ") && !why.contains(KEY), "{why}");
            hint.map_or_else(|| "again".into(), |ms| format!("again in {ms}"))
        }
        Attempt::Unknown { why } => {
            let why = why.text(Language::En);
            assert!(why.starts_with("the model did not answer: ") && !why.contains(KEY), "{why}");
            "again, unknown".into()
        }
        Attempt::Rejected { text, .. } => panic!("{text:?}"),
    }
}
