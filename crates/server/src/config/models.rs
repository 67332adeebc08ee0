//! Settings of `models`. Values under `default` apply to every purpose that does not set its own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use throughline_engine::data::purpose::Purpose;
use throughline_models::{Cap, Caps, Kind, Price, check_address, default_output};

/// Models of an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelsConfig {
    /// Model for each purpose. A purpose that is missing here has no model.
    pub by_purpose: BTreeMap<Purpose, ModelConfig>,
    /// Daily limits.
    pub caps: Caps,
}

/// Settings of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// Wire format of the provider.
    pub kind: Kind,
    /// Address of the provider.
    pub base_url: String,
    /// Name of the model at the provider.
    pub model: String,
    /// File that holds the API key.
    pub api_key_file: Option<PathBuf>,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// For Anthropic: structured output instead of a forced tool.
    pub native: bool,
    /// Maximum tokens of an answer.
    pub max_output: u32,
    /// Price of tokens.
    pub price: Price,
}

/// Table as written in the file.
#[derive(Deserialize)]
pub(super) struct RawModels {
    default: Option<RawModel>,
    #[serde(default)]
    user_day: RawCap,
    #[serde(default)]
    tenant_day: RawCap,
    #[serde(flatten)]
    by_purpose: BTreeMap<Purpose, RawModel>,
}

#[derive(Clone, Default, Deserialize)]
struct RawModel {
    kind: Option<String>,
    base_url: Option<String>,
    model: Option<String>,
    api_key_file: Option<PathBuf>,
    allow_loopback: Option<bool>,
    native: Option<bool>,
    max_output_tokens: Option<u32>,
    input_price: Option<u64>,
    output_price: Option<u64>,
}

/// Daily limit as written; 0 means no limit.
#[derive(Default, Deserialize)]
struct RawCap {
    #[serde(default)]
    calls: u64,
    #[serde(default)]
    tokens: u64,
    #[serde(default)]
    cost: u64,
}

impl RawCap {
    fn cap(&self) -> Cap {
        let some = |number: u64| (number > 0).then_some(number);
        Cap { calls: some(self.calls), tokens: some(self.tokens), cost: some(self.cost) }
    }
}

impl RawModel {
    /// Completes these settings from the default. If the provider or the address differs, the default's address,
    /// model and key are not taken over: the key must not be sent to another provider.
    fn over(self, default: &Self) -> Self {
        let other = self.kind.is_some() && self.kind != default.kind;
        let elsewhere = self.base_url.is_some() && self.base_url.as_deref() != default.address();
        let base = match (other, elsewhere) {
            (true, _) => Self::default(),
            (_, true) => Self { kind: default.kind.clone(), model: default.model.clone(), ..Self::default() },
            (false, false) => default.clone(),
        };
        Self {
            kind: self.kind.or(base.kind),
            base_url: self.base_url.or(base.base_url),
            model: self.model.or(base.model),
            api_key_file: self.api_key_file.or(base.api_key_file),
            allow_loopback: self.allow_loopback.or(base.allow_loopback),
            native: self.native.or(base.native),
            max_output_tokens: self.max_output_tokens.or(base.max_output_tokens),
            input_price: self.input_price.or(base.input_price),
            output_price: self.output_price.or(base.output_price),
        }
    }

    /// Address, if these settings determine one.
    fn address(&self) -> Option<&str> {
        let home = || self.kind.as_deref().and_then(|word| word.parse().ok()).map(Kind::home);
        self.base_url.as_deref().or_else(home)
    }

    /// Returns the typed settings; `None` if the model is off. An error names the setting below the model, and the
    /// problem.
    fn typed(self, purpose: Purpose) -> Result<Option<ModelConfig>, (&'static str, String)> {
        let kind: Kind = match self.kind.as_deref() {
            Some("off") => return Ok(None),
            Some(word) => word.parse().map_err(|_| ("kind", format!("there is no provider “{word}”")))?,
            None => return Err(("", "it names no `kind`: which provider is it?".into())),
        };
        let model = self.model.filter(|model| !model.is_empty());
        let Some(model) = model else { return Err(("", "it names no `model`".into())) };
        let base_url = self.base_url.unwrap_or_else(|| kind.home().into());
        let allow_loopback = self.allow_loopback.unwrap_or(false);
        check_address(&base_url, allow_loopback).map_err(|why| ("base_url", why))?;
        Ok(Some(ModelConfig {
            kind,
            base_url,
            model,
            api_key_file: self.api_key_file,
            allow_loopback,
            native: self.native.unwrap_or(false),
            max_output: self.max_output_tokens.filter(|most| *most > 0).unwrap_or(default_output(purpose)),
            price: Price { input: self.input_price.unwrap_or(0), output: self.output_price.unwrap_or(0) },
        }))
    }
}

/// Returns the models, and the errors as pairs of setting and problem.
pub(super) fn checked(raw: RawModels) -> (ModelsConfig, Vec<(String, String)>) {
    let RawModels { default, user_day, tenant_day, mut by_purpose } = raw;
    let mut wrong: Vec<(String, String)> = Vec::new();
    let mut models = BTreeMap::new();
    for purpose in Purpose::ALL {
        let (said, at) = match (by_purpose.remove(&purpose), &default) {
            (None, None) => continue,
            (None, Some(default)) => (default.clone(), "default"),
            (Some(own), None) => (own, purpose.as_str()),
            (Some(own), Some(default)) => (own.over(default), purpose.as_str()),
        };
        match said.typed(purpose) {
            Ok(model) => models.extend(model.map(|model| (purpose, model))),
            Err((setting, why)) => {
                let dot = if setting.is_empty() { "" } else { "." };
                let path = format!("models.{at}{dot}{setting}");
                let text = format!("`models.{at}` cannot be used: {why}");
                if !wrong.iter().any(|(known, _)| *known == path) {
                    wrong.push((path, text));
                }
            }
        }
    }
    (
        ModelsConfig { by_purpose: models, caps: Caps { user: user_day.cap(), tenant: tenant_day.cap() } },
        wrong,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (ModelsConfig, Vec<(String, String)>) {
        checked(toml::from_str(text).unwrap())
    }

    #[test]
    fn a_key_is_sent_to_nobody_else() {
        let (models, wrong) = of(r#"
            default = { kind = "openai-chat", model = "small", api_key_file = "s/key" }
            draft = { base_url = "https://other.example/v1" }
            answer = { base_url = "https://api.openai.com/v1", model = "large" }
        "#);
        assert_eq!(wrong, []);
        assert_eq!(models.by_purpose[&Purpose::Draft].api_key_file, None);
        assert_eq!(models.by_purpose[&Purpose::Draft].model, "small");
        assert!(models.by_purpose[&Purpose::Answer].api_key_file.is_some(), "the same address, said again");
    }

    #[test]
    fn a_default_holds_for_every_purpose_until_one_says_otherwise() {
        let (models, wrong) = of(r#"
            default = { kind = "openai-chat", model = "small", api_key_file = "s/key", input_price = 15 }
            draft = { model = "large" }
            review = { kind = "anthropic", model = "claude" }
            select = { kind = "off" }
            user_day = { calls = 3, tokens = 0 }
        "#);
        assert_eq!(wrong, []);
        assert_eq!(models.by_purpose.len(), 5, "all but the one that is off");
        let classify = &models.by_purpose[&Purpose::Classify];
        assert_eq!((classify.base_url.as_str(), classify.max_output), ("https://api.openai.com/v1", 256));
        let draft = &models.by_purpose[&Purpose::Draft];
        assert_eq!((draft.model.as_str(), draft.price.input, draft.max_output), ("large", 15, 8_192));
        let review = &models.by_purpose[&Purpose::Review];
        assert_eq!(review.base_url, "https://api.anthropic.com");
        assert_eq!(
            (&review.api_key_file, review.price.input),
            (&None, 0),
            "a key goes to its own provider only"
        );
        assert_eq!(models.caps.user, Cap { calls: Some(3), ..Cap::default() });
    }

    #[test]
    fn nothing_said_is_no_model() {
        let (models, wrong) = of("");
        assert_eq!((models.by_purpose.len(), wrong.len()), (0, 0));
    }

    #[test]
    fn what_cannot_work_is_said_once_with_its_setting() {
        for (text, path, says) in [
            (r#"default = { model = "m" }"#, "models.default", "no `kind`"),
            (r#"draft = { kind = "anthropic" }"#, "models.draft", "no `model`"),
            (
                r#"default = { kind = "openai-chat", model = "m", base_url = "http://127.0.0.1:1/v1" }"#,
                "models.default.base_url",
                "allow_loopback",
            ),
            (
                r#"default = { kind = "openai-chat", model = "m", base_url = "https://169.254.169.254" }"#,
                "models.default.base_url",
                "no public address",
            ),
        ] {
            let (_, wrong) = of(text);
            assert_eq!(wrong.len(), 1, "{wrong:?}");
            assert!(wrong[0].0 == path && wrong[0].1.contains(says), "{wrong:?}");
        }
    }
}
