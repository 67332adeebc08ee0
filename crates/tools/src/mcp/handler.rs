//! Requests of a server while a tool runs: it may ask for a form, which a person fills in. It gets neither model
//! answers nor files.
#![expect(deprecated, reason = "older servers may still ask for roots, and are told no")]

use std::collections::BTreeMap;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult, ProtocolVersion,
};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::{Map, Value};
use throughline_engine::data::fault::ToolFault;

use super::in_flight::InFlight;
use crate::arguments;

/// The revision that is offered to a server which does not know the newest.
pub(super) const OLDER: ProtocolVersion = ProtocolVersion::V_2025_11_25;

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

/// The client's side of a connection.
pub(super) struct Handler(pub(super) InFlight);

fn declined(what: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("{what} is not given from here"), None)
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = ElicitationCapability::new().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(form);
        let us = Implementation::new("throughline", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us).with_protocol_version(OLDER)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.0.answer(Form::of(&request)).await)
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(declined("a folder"))
    }
}
