//! Models: from settings and key files to the providers that the runtime asks; and `doctor model`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::{EffectId, Language, Timestamp};
use throughline_models::{ApiKey, Caller, Model, Providers, Setting, Spent, Timeouts};

use crate::config::{Config, ModelConfig};
use crate::finding::{Finding, State, finding};
use crate::start_error::StartError;

/// Opens the configured models; `None` if there are none. No request is sent yet.
///
/// # Errors
/// A key file or an address cannot be used.
pub(crate) fn open(config: &Config) -> Result<Option<Arc<Providers>>, StartError> {
    if config.models.by_purpose.is_empty() {
        return Ok(None);
    }
    let mut settings = BTreeMap::new();
    for (purpose, model) in &config.models.by_purpose {
        settings.insert(*purpose, setting(model)?);
    }
    let providers = Providers::new(settings, config.models.caps, Timeouts::default());
    let providers = providers.map_err(|(purpose, why)| StartError::Model {
        why: format!("what is asked for {} cannot be set up: {why}", purpose.as_str()),
    });
    Ok(Some(Arc::new(providers?)))
}

fn setting(model: &ModelConfig) -> Result<Setting, StartError> {
    Ok(Setting {
        kind: model.kind,
        base_url: model.base_url.clone(),
        model: model.model.clone(),
        key: model.api_key_file.as_deref().map(key).transpose()?,
        allow_loopback: model.allow_loopback,
        native: model.native,
        max_output: model.max_output,
        price: model.price,
    })
}

fn key(file: &Path) -> Result<ApiKey, StartError> {
    let cannot = |why: String| StartError::Model { why };
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(format!("the key file {} cannot be read: {error}", file.display())))?;
    ApiKey::parse(&text)
        .ok_or_else(|| cannot(format!("{} does not hold a key, which is one word", file.display())))
}

/// Asks every configured model one small question. Returns nothing if no model is configured.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let mut asked: Vec<(&ModelConfig, Vec<&str>)> = Vec::new();
    for (purpose, model) in &config.models.by_purpose {
        let same = |(known, _): &&mut (&ModelConfig, _)| {
            (known.kind, &known.base_url, &known.model, known.native, &known.api_key_file)
                == (model.kind, &model.base_url, &model.model, model.native, &model.api_key_file)
        };
        match asked.iter_mut().find(same) {
            Some((_, purposes)) => purposes.push(purpose.as_str()),
            None => asked.push((model, vec![purpose.as_str()])),
        }
    }
    let mut found = Vec::new();
    for (model, purposes) in asked {
        let name = format!("{} at {} for {}", model.model, model.base_url, purposes.join(", "));
        if model.allow_loopback {
            let fix = "remove allow_loopback outside of tests, unless the model does run on this machine";
            let text = format!("{} may be on this machine", model.base_url);
            found.push(finding("model address", State::Warning, text, Some(fix)));
        }
        found.push(answered(model, &name, config).await);
    }
    found
}

async fn answered(model: &ModelConfig, name: &str, config: &Config) -> Finding {
    const WHAT: &str = "model";
    let broken =
        |found: String, fix: &str| finding(WHAT, State::Broken, format!("{name}: {found}"), Some(fix));
    let providers = setting(model).and_then(|setting| {
        Providers::new([(Purpose::Classify, setting)].into(), config.models.caps, Timeouts::default())
            .map_err(|(_, why)| StartError::Model { why })
    });
    let providers = match providers {
        Ok(providers) => providers,
        Err(error) => return broken(error.to_string(), "write the key into the file, one word (TL-5101)"),
    };
    let effect = EffectId("fx_doctor".into());
    let caller = Caller {
        tenant: &config.tenant,
        user: "doctor",
        effect: &effect,
        now: Timestamp(0),
        spent: &Spent::default(),
        onlooker: None,
    };
    let attempt = providers.ask(&Ask::classify("hello", &config.policy), &caller).await;
    match attempt {
        Attempt::Applied(Answer::None { why }) => match why.as_str() {
            "status_401" | "status_403" => {
                broken("it refuses the key".into(), "write the right key into api_key_file (TL-5101)")
            }
            "status_404" => broken(
                "there is no such model, or nothing at that address".into(),
                "correct model or base_url: for openai-chat it ends before /chat/completions (TL-5101)",
            ),
            "timeout" => broken(
                "it did not answer in the time a classification has".into(),
                "use a faster model for classify, or raise policy.ask.classify_ms",
            ),
            why if why.starts_with("status_") => broken(
                format!("it refuses the request ({why})"),
                "is kind the right one for this address? (TL-5101)",
            ),
            why => finding(
                WHAT,
                State::Warning,
                format!("{name}: it answers, but not in the form it is asked for ({why})"),
                Some("another model may; until then people are asked instead"),
            ),
        },
        Attempt::Applied(_) => {
            finding(WHAT, State::Ok, format!("{name}: it answers as it is asked to"), None)
        }
        Attempt::NotApplied { why, .. } | Attempt::Unknown { why } => broken(
            why.text(Language::En),
            "check base_url and the network; a proxy from the environment is not used for models",
        ),
        Attempt::Rejected { text, .. } => broken(text.text(Language::En), "check its settings (TL-5101)"),
    }
}
