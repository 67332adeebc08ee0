//! A demo with a model behind a port: the scripted fake, asked over HTTP as a provider is.

use serde_json::Value;
use throughline_fakes::model::{Does, FakeModel};
use tokio::runtime::{Builder, Runtime};

use crate::serving::Serving;

/// A server and the model it asks.
pub(crate) struct Modelled {
    pub(crate) serving: Serving,
    model: FakeModel,
    /// Runs the fake as long as it lives.
    _runtime: Runtime,
}

impl Modelled {
    /// Starts both.
    pub(crate) fn start() -> Self {
        Self::with("")
    }

    /// Starts both, with more settings.
    pub(crate) fn with(more: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let model = runtime.block_on(FakeModel::start()).unwrap();
        let settings = format!(
            "[models.default]\nkind = \"openai-chat\"\nbase_url = \"{}\"\nmodel = \"small-1\"\nallow_loopback = true\n{more}",
            model.url("v1")
        );
        Self { serving: Serving::with(&settings), model, _runtime: runtime }
    }

    /// What it answers the next question with.
    pub(crate) fn says(&self, answer: &Value) {
        self.model.next(Does::Say(answer.to_string()));
    }

    /// How often it was asked. Every question so far was in order, and had an answer in the script.
    #[track_caller]
    pub(crate) fn calls(&self) -> usize {
        assert_eq!((self.model.violations(), self.model.unscripted()), (Vec::new(), 0));
        self.model.calls()
    }
}
