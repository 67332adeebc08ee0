//! The configured models: a provider per purpose, the budget and the cache.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::Timestamp;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::canonical_json::{jcs, sha256};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_net::Address;

use crate::budget::{Budget, Caps, Price};
use crate::cache::{Cache, Key};
use crate::endpoint::{Endpoint, Timeouts};
use crate::no_answer::{limited, no_answer, not_answered, not_asked};
use crate::parse::parse;
use crate::prompt::Prompt;
use crate::readable::Telling;
use crate::vendor::{CallOutcome, Kind, Request};
use crate::{ApiKey, Caller, Model, SpentCall, Today};

/// One configured model.
#[derive(Clone)]
pub struct Setting {
    /// The provider's wire format.
    pub kind: Kind,
    /// Its base address.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<ApiKey>,
    /// True if the address may be of this machine.
    pub allow_loopback: bool,
    /// For Anthropic, true for the structured-output field instead of a forced tool.
    pub native: bool,
    /// The most tokens of an answer.
    pub max_output: u32,
    /// The price of tokens.
    pub price: Price,
}

/// The model for a purpose.
struct Route {
    endpoint: Arc<Endpoint>,
    model: String,
    max_output: u32,
    price: Price,
}

/// The models of one process.
pub struct Providers {
    routes: BTreeMap<Purpose, Route>,
    budget: Budget,
    cache: Cache,
    name: String,
}

impl Providers {
    /// Creates the configured models. Purposes with the same provider share its client and its pool.
    ///
    /// # Errors
    /// The purpose that cannot be used, and the reason.
    pub fn new(
        settings: BTreeMap<Purpose, Setting>,
        caps: Caps,
        timeouts: Timeouts,
    ) -> Result<Self, (Purpose, String)> {
        let mut routes = BTreeMap::new();
        let mut made: Vec<Arc<Endpoint>> = Vec::new();
        for (purpose, setting) in settings {
            let cannot = |why| (purpose, why);
            let address = Address::parse(&setting.base_url, setting.allow_loopback).map_err(cannot)?;
            let new = Endpoint::new(setting.kind, &address, setting.key.as_ref(), setting.native, timeouts);
            let new = new.map_err(cannot)?;
            let endpoint = match made.iter().find(|old| old.same(&new)) {
                Some(old) => old.clone(),
                None => {
                    made.push(Arc::new(new));
                    made[made.len() - 1].clone()
                }
            };
            let Setting { model, max_output, price, .. } = setting;
            routes.insert(purpose, Route { endpoint, model, max_output, price });
        }
        let mut names: Vec<&str> = routes.values().map(|route| route.model.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let name = names.join(", ");
        Ok(Self { routes, budget: Budget::new(caps), cache: Cache::default(), name })
    }

    /// The purposes that are configured, each with its provider, its address and its model.
    pub fn routes(&self) -> impl Iterator<Item = (Purpose, Kind, &str, &str)> {
        self.routes.iter().map(|(purpose, route)| {
            (*purpose, route.endpoint.kind(), route.endpoint.base(), route.model.as_str())
        })
    }

    async fn call(&self, route: &Route, ask: &Ask, prompt: &Prompt, caller: &Caller<'_>) -> Attempt<Answer> {
        let sent = tokens(&prompt.system) + tokens(&prompt.user);
        let estimate = route.price.of(sent, route.max_output.into());
        let Some(reserved) = self.budget.reserve(caller, estimate) else {
            return Attempt::Applied(no_answer("over_budget"));
        };
        let request = Request {
            model: &route.model,
            system: &prompt.system,
            user: &prompt.user,
            schema: &prompt.schema,
            name: prompt.name,
            max_output: route.max_output,
        };
        let budget = Duration::from_millis(ask.budget_ms.try_into().unwrap_or(0));
        let telling = caller.onlooker.and_then(|onlooker| Telling::of(&ask.question, onlooker));
        match route.endpoint.ask(&request, budget, telling).await {
            CallOutcome::Answered { text, usage } => {
                // A reply without usage is counted by our own estimate.
                let (input, output) =
                    usage.map_or((sent, tokens(&text)), |usage| (usage.input, usage.output));
                self.budget.settle(reserved, route.price.of(input, output));
                let (provider, model) = (route.endpoint.kind().as_str(), route.model.clone());
                caller.spent.note(SpentCall { provider, model, input, output });
                count_tokens("input", input);
                count_tokens("output", output);
                let answer = parse(ask, &text);
                if !matches!(answer, Answer::None { .. }) {
                    self.cache.put(key(caller.tenant, route, ask, prompt), &answer, text.len());
                }
                Attempt::Applied(answer)
            }
            CallOutcome::NoAnswer(why) => {
                // A refused request cost nothing; any other call without an answer may have cost all of its estimate.
                if why.starts_with("status_") {
                    self.budget.settle(reserved, route.price.of(0, 0));
                }
                Attempt::Applied(no_answer(&why))
            }
            CallOutcome::Limited { hint_ms } => {
                self.budget.settle(reserved, route.price.of(0, 0));
                limited(ask, hint_ms)
            }
            CallOutcome::NotApplied(why) => {
                self.budget.settle(reserved, route.price.of(0, 0));
                not_asked(ask, why)
            }
            CallOutcome::Unknown(why) => not_answered(ask, why),
        }
    }
}

#[async_trait]
impl Model for Providers {
    async fn ask(&self, ask: &Ask, caller: &Caller<'_>) -> Attempt<Answer> {
        let Some(route) = self.routes.get(&ask.purpose()) else {
            return Attempt::Applied(no_answer("off"));
        };
        let prompt = Prompt::of(ask, caller.effect);
        if let Some(known) = self.cache.get(&key(caller.tenant, route, ask, &prompt)) {
            return Attempt::Applied(known);
        }
        self.call(route, ask, &prompt, caller).await
    }

    fn answers(&self, purpose: Purpose) -> bool {
        self.routes.contains_key(&purpose)
    }

    fn spent_today(&self, tenant: &str, now: Timestamp) -> Option<Today> {
        Some(self.budget.today(tenant, now))
    }

    fn forget(&self) {
        self.cache.clear();
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// The most tokens of an answer, unless the configuration says otherwise.
#[must_use]
pub fn default_output(purpose: Purpose) -> u32 {
    match purpose {
        Purpose::Classify | Purpose::Select => 256,
        Purpose::Answer | Purpose::Summary => 2_048,
        Purpose::Draft | Purpose::Review => 8_192,
    }
}

/// The cache key: everything an answer depends on, and the tenant, so that no tenant gets another's answers. It
/// includes the message that is referred to, which the prompt only has an alias for, and leaves out the fence's
/// marker, which depends on the effect.
fn key(tenant: &str, route: &Route, ask: &Ask, prompt: &Prompt) -> Key {
    let user = prompt.user.replace(&prompt.marker, "");
    let endpoint = &route.endpoint;
    let limit = route.max_output.to_string();
    let anchor = ask.hint.as_ref().and_then(|hint| hint.focus_anchor_internal_id.as_ref());
    let parts = [
        tenant,
        anchor.map_or("", |anchor| anchor.as_str()),
        endpoint.kind().as_str(),
        endpoint.base(),
        &route.model,
        &limit,
        &prompt.system,
        &user,
        &jcs(&prompt.schema),
    ];
    let lengths: Vec<[u8; 8]> = parts.iter().map(|part| (part.len() as u64).to_be_bytes()).collect();
    let all: Vec<&[u8]> =
        lengths.iter().zip(&parts).flat_map(|(length, part)| [length.as_slice(), part.as_bytes()]).collect();
    sha256(&all)
}

/// Estimates tokens: four bytes of ASCII are one, and so is any other character.
fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    (ascii.div_ceil(4) + other) as u64
}

fn count_tokens(kind: &'static str, tokens: u64) {
    metrics::counter!("throughline_model_tokens_total", "type" => kind).increment(tokens);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ascii_bytes_or_one_other_character_are_a_token() {
        assert_eq!([tokens(""), tokens("Setup DB"), tokens("naïve"), tokens("日本語")], [0, 2, 2, 3]);
    }
}
