//! Requests of a server while a tool runs: it may ask for a form, which a person fills in. It gets neither model
//! answers nor files.
#![expect(deprecated, reason = "older servers may still ask for roots, and are told no")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::{Map, Value};
use throughline_engine::data::fault::ToolFault;

use crate::arguments;

/// A form that a server wants filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Form {
    pub(super) message: String,
    pub(super) schema: Value,
}

impl Form {
    /// Reads a form, or the reason people cannot be asked to fill it in.
    pub(super) fn of(params: &ElicitRequestParams) -> Result<Self, ToolFault> {
        match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                Ok(Self { message: message.clone(), schema })
            }
            _ => Err(ToolFault::WantsPage),
        }
    }

    /// Fills in the form with people's texts.
    pub(super) fn filled(&self, given: &BTreeMap<String, String>) -> Result<Value, ToolFault> {
        let mut values = Map::new();
        for (name, text) in given {
            values.insert(name.clone(), arguments::coerce(name, &self.schema["properties"][name], text)?);
        }
        Ok(Value::Object(values))
    }
}

/// The answers known for a form that may come, and the form that came. Calls of one server are made one after the
/// other, so both belong to the call that runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Elicitation(Arc<Mutex<Asked>>);

#[derive(Debug, Default)]
struct Asked {
    given: Option<BTreeMap<String, String>>,
    form: Option<Result<Form, ToolFault>>,
}

impl Elicitation {
    /// Begins a call with these known answers.
    pub(super) fn begin(&self, given: Option<BTreeMap<String, String>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Asked { given, form: None };
    }

    /// Takes the form that came meanwhile and was not filled in.
    pub(super) fn take(&self) -> Option<Result<Form, ToolFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).form.take()
    }

    fn answer(&self, params: &ElicitRequestParams) -> ElicitResult {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let form = Form::of(params);
        if let (Some(given), Ok(form)) = (asked.given.take(), &form)
            && let Ok(values) = form.filled(&given)
        {
            return ElicitResult::new(ElicitationAction::Accept).with_content(values);
        }
        asked.form = Some(form);
        // A person is asked after this call has ended; nothing is held open for it.
        ElicitResult::new(ElicitationAction::Cancel)
    }
}

/// The client's side of a connection.
pub(super) struct Handler(pub(super) Elicitation);

fn declined(what: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("{what} is not given from here"), None)
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = ElicitationCapability::new().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(form);
        ClientConfig::new(capabilities, Implementation::new("throughline", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.0.answer(&request))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(declined("a folder"))
    }
}
