//! An HTTP client that sends each request with an idempotency key, and repeats it until it is answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;

/// The time limit of a request with all its repetitions. It is longer than any lease that a dead process may hold.
const PATIENCE: Duration = Duration::from_secs(90);

/// A client that keeps working while the server is killed and restarted.
#[derive(Clone)]
pub(crate) struct Client {
    agent: Agent,
    /// Addresses of the servers, which are asked in turn.
    urls: Vec<String>,
    asked: Arc<AtomicUsize>,
    refusals: Arc<Mutex<BTreeMap<String, u64>>>,
    gives_up_at: Option<&'static str>,
}

/// The number of refusals for a reason after which a client may give up.
const OFTEN: u64 = 20;

/// Answer to a delivered event.
pub(crate) struct Delivered {
    pub(crate) answer: Value,
    /// True if the event had its turn before.
    pub(crate) is_known: bool,
}

impl Client {
    pub(crate) fn new(url: &str) -> Self {
        Self::over(vec![url.into()])
    }

    /// Creates a client of several servers that share a store.
    pub(crate) fn over(urls: Vec<String>) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(40)))
            .build();
        Self {
            agent: config.into(),
            urls,
            asked: Arc::default(),
            refusals: Arc::default(),
            gives_up_at: None,
        }
    }

    /// Lets the client panic once it was often refused for a reason that lasts, such as `503 TL-6203`.
    pub(crate) fn gives_up_at(self, refusal: &'static str) -> Self {
        Self { gives_up_at: Some(refusal), ..self }
    }

    /// Returns the address of the server to ask next.
    fn url(&self) -> &str {
        let next = self.asked.fetch_add(1, Ordering::Relaxed);
        &self.urls[next % self.urls.len()]
    }

    /// Delivers an event and waits for its turn.
    pub(crate) fn event(&self, key: &str, body: &Value) -> Value {
        self.until(&format!("POST {key}"), || self.try_event(key, body)).answer
    }

    /// Delivers an event once. Returns its turn, or nothing if there is no answer or it is to be sent again.
    pub(crate) fn try_event(&self, key: &str, body: &Value) -> Option<Delivered> {
        let request = self
            .agent
            .post(format!("{}/v1/events", self.url()))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header("Prefer", "wait=20");
        let mut answer = request.send(body.to_string()).ok()?;
        let status = answer.status().as_u16();
        let is_known = answer.headers().contains_key("idempotency-replayed");
        let text = answer.body_mut().read_to_string().ok()?;
        match status {
            200 => Some(Delivered { answer: serde_json::from_str(&text).ok()?, is_known }),
            202 => None,
            // In progress, or overloaded: the request is repeated.
            409 | 429 | 503 => {
                self.refused(status, &text);
                None
            }
            other => panic!("{key}: {other} {text}"),
        }
    }

    /// Reports what became of an effect, until that is answered.
    pub(crate) fn report(&self, effect: &str, body: &Value) {
        self.until(&format!("the report on {effect}"), || {
            let request = self
                .agent
                .post(format!("{}/v1/effects/{effect}/result", self.url()))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", effect);
            let mut answer = request.send(body.to_string()).ok()?;
            let status = answer.status().as_u16();
            let text = answer.body_mut().read_to_string().ok()?;
            if status != 200 {
                self.refused(status, &text);
            }
            (status == 200).then_some(())
        });
    }

    /// Delivers an event and does not wait for its turn.
    pub(crate) fn event_without_waiting(&self, key: &str, body: &Value) {
        self.until(&format!("POST {key}"), || {
            let request = self
                .agent
                .post(format!("{}/v1/events", self.url()))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key);
            let mut answer = request.send(body.to_string()).ok()?;
            let status = answer.status().as_u16();
            let text = answer.body_mut().read_to_string().ok()?;
            if !matches!(status, 200 | 202) {
                self.refused(status, &text);
            }
            matches!(status, 200 | 202).then_some(())
        });
    }

    /// Notes why a request was refused.
    fn refused(&self, status: u16, text: &str) {
        let code = serde_json::from_str::<Value>(text).unwrap_or_default()["code"].take();
        let code = code.as_str().unwrap_or("without a code");
        *self.refusals.lock().unwrap().entry(format!("{status} {code}")).or_default() += 1;
    }

    /// Returns how often requests were refused, by status and code.
    pub(crate) fn refusals(&self) -> BTreeMap<String, u64> {
        self.refusals.lock().unwrap().clone()
    }

    /// Waits until the event of a key has a turn. Returns false if it has none in the end.
    pub(crate) fn has_turn(&self, key: &str, patience: Duration) -> bool {
        let started = Instant::now();
        while started.elapsed() < patience {
            let found = self.agent.get(format!("{}/v1/turns/key:{key}", self.url())).call();
            if found.is_ok_and(|found| found.status().as_u16() == 200) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// Sends a request to erase a person, once, and ignores the answer.
    pub(crate) fn erase(&self, person: &str) {
        let _ = self.agent.delete(format!("{}/v1/subjects/{person}", self.url())).call();
    }

    /// Erases a person and waits until it is done.
    pub(crate) fn erased(&self, person: &str) {
        let id = percent_encoding::utf8_percent_encode(person, percent_encoding::NON_ALPHANUMERIC);
        let mut answer = self.agent.delete(format!("{}/v1/subjects/{id}", self.url())).call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert_eq!(answer.status().as_u16(), 200, "erasing {person}: {text}");
    }

    /// Allows every tool as it describes itself now.
    pub(crate) fn pin_tools(&self) {
        let pin = self.agent.post(format!("{}/v1/tools/pin", self.url())).header("Idempotency-Key", "pin");
        let mut answer = pin.header("Content-Type", "application/json").send("{}").unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert_eq!(answer.status().as_u16(), 200, "pinning the tools: {text}");
    }

    /// Sends a GET request.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.until(path, || self.try_get(path))
    }

    /// Sends a GET request once.
    pub(crate) fn try_get(&self, path: &str) -> Option<Value> {
        let mut answer = self.agent.get(format!("{}{path}", self.url())).call().ok()?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().read_to_string().ok()?;
        assert!(status == 200 || status == 503, "{path}: {status} {text}");
        if status == 503 {
            self.refused(status, &text);
            return None;
        }
        serde_json::from_str(&text).ok()
    }

    /// Reads all pages of a list.
    pub(crate) fn list(&self, path: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.get(&format!("{path}{cursor}"));
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }

    pub(crate) fn wait_until_ready(&self) {
        self.until("/readyz", || {
            let ready = self.agent.get(format!("{}/readyz", self.url())).call().ok()?;
            (ready.status().as_u16() == 200).then_some(())
        });
    }

    /// Waits until no effect is planned or attempted.
    pub(crate) fn wait_until_settled(&self) {
        self.until("effects to settle", || {
            let open = |state: &str| !self.list(&format!("/v1/effects?state={state}&limit=200")).is_empty();
            (!open("planned") && !open("attempted")).then_some(())
        });
    }

    /// Returns the current cards of a lane, in the order of its messages.
    pub(crate) fn cards(&self, lane: &str) -> Vec<Value> {
        let messages = self.list(&format!("/v1/lanes/{lane}/messages?limit=200"));
        messages
            .into_iter()
            .map(|mut message| message["card"].take())
            .filter(|card| !card.is_null())
            .collect()
    }

    /// Waits until no item of the lane's receipt is pending, and returns the items.
    pub(crate) fn receipt(&self, lane: &str) -> Vec<Value> {
        let on_its_way = |item: &Value| {
            let state = item["state"].as_str().unwrap_or_default();
            state == "waiting" || state.contains("checking")
        };
        self.until("a receipt", || {
            let cards = self.cards(lane);
            let items = cards.iter().find(|card| card["step"] == "receipt")?["items"].as_array()?;
            (!items.iter().any(on_its_way)).then(|| items.clone())
        })
    }

    /// Tries again until there is a result.
    pub(crate) fn until<T>(&self, what: &str, mut again: impl FnMut() -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(done) = again() {
                return done;
            }
            let (urls, refusals) = (&self.urls, self.refusals());
            if let Some(refusal) = self.gives_up_at {
                let times = refusals.get(refusal).copied().unwrap_or_default();
                assert!(times < OFTEN, "no answer to {what}: {refusal}, {times} times");
            }
            assert!(
                started.elapsed() < PATIENCE,
                "no answer to {what} from {urls:?} in {PATIENCE:?}: {refusals:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
