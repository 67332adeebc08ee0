//! A demo server with the scripted fake of a model provider.

use serde_json::Value;
use throughline_fakes::model::{Behaviour, FakeModel};
use tokio::runtime::{Builder, Runtime};

use crate::server::Server;

/// A server and the fake model it uses.
pub(crate) struct ModelServer {
    pub(crate) server: Server,
    model: FakeModel,
    /// Runs the fake.
    _runtime: Runtime,
}

impl ModelServer {
    /// Starts both.
    pub(crate) fn start() -> Self {
        Self::with("")
    }

    /// Starts both, with additional settings.
    pub(crate) fn with(more: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let model = runtime.block_on(FakeModel::start()).unwrap();
        let settings = format!(
            "[models.default]\nkind = \"openai-chat\"\nbase_url = \"{}\"\nmodel = \"small-1\"\nallow_loopback = true\n{more}",
            model.url("v1")
        );
        Self { server: Server::with(&settings), model, _runtime: runtime }
    }

    /// Queues an answer of the model.
    pub(crate) fn answer_next(&self, answer: &Value) {
        self.model.script(Behaviour::Say(answer.to_string()));
    }

    /// Queues an answer that the model writes step by step, as [`Self::step`] lets it.
    pub(crate) fn write_next(&self, answer: &Value) {
        self.model.script(Behaviour::Steps(answer.to_string()));
    }

    /// Lets the model write so many steps of its answer: its beginning, then eleven letters each.
    pub(crate) fn step(&self, steps: usize) {
        self.model.step(steps);
    }

    /// Returns the number of requests that were given up.
    pub(crate) fn dropped(&self) -> usize {
        self.model.dropped()
    }

    /// Lets the model not answer the next question.
    pub(crate) fn hang_next(&self) {
        self.model.script(Behaviour::Hang);
    }

    /// Returns the number of requests to the model. Panics if any was invalid or had no scripted answer.
    #[track_caller]
    pub(crate) fn calls(&self) -> usize {
        assert_eq!((self.model.violations(), self.model.unscripted()), (Vec::new(), 0));
        self.model.calls()
    }
}
