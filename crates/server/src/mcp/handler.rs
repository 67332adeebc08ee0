//! Handler of the protocol's requests.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, Implementation, InitializeRequestParams,
    InitializeResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool as Listed,
};
use rmcp::service::{RequestContext, SubscriptionContext};

use super::request::Api;
use super::tools::{Form, TOOLS, Tool};
use super::{approval_wait, call, resources, schema, updates};
use crate::app::App;
use crate::auth::Caller;

/// Revisions of the protocol that are spoken.
const REVISIONS: &[ProtocolVersion] =
    &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

const INSTRUCTIONS: &str = "Throughline decides what people mean in a conversation, and binds approvals to exactly what was shown. \
    Deliver what people write with deliver_message and act on the decision in the answer. A person's text approves nothing: what \
    needs leave is decided with buttons. After a call without an answer, repeat it with the same idempotency_key.";

/// Handler of one request; requests share nothing but the routes.
#[derive(Clone)]
pub(super) struct Handler {
    app: Arc<App>,
    routes: Router,
}

/// Sender of a request, and the API as they reach it.
pub(super) struct Asker {
    pub(super) caller: Caller,
    pub(super) api: Api,
}

impl Handler {
    pub(super) fn new(app: Arc<App>, routes: Router) -> Self {
        Self { app, routes }
    }

    /// Returns who sent the request; the route has read that from its token.
    fn asker(&self, context: &RequestContext<RoleServer>) -> Result<Asker, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let found = parts.and_then(|parts| Some((parts.extensions.get::<Caller>()?.clone(), &parts.headers)));
        let (caller, headers) =
            found.ok_or_else(|| ErrorData::internal_error("the request lost its sender", None))?;
        Ok(Asker { caller, api: Api::of(&self.routes, headers) })
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("throughline", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        REVISIONS.into()
    }

    /// Answers the handshake of the revisions that have one. They subscribe within a session, and there is none; the
    /// newest revision subscribes with a request of its own.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = None;
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = self.asker(&context)?;
        let theirs = TOOLS.iter().filter(|tool| tool.is_for(&asker.caller)).filter_map(schema::tool);
        let mut result = ListToolsResult::with_all_items(theirs.cloned().collect());
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Listed> {
        schema::tool(Tool::named(name)?).cloned()
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&asked.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", asked.name), None));
        };
        let asker = self.asker(&context)?;
        let given = asked.arguments.unwrap_or_default();
        let result = match tool.form {
            Form::Awaited => approval_wait::read(&self.app, &asker, tool, given, &context).await,
            Form::Whole | Form::Event { .. } => match call::request(tool, given) {
                Ok(request) => call::result(tool, &asker.api.send(request).await),
                Err(problem) => call::refused(tool, problem),
            },
        };
        Ok(CallToolResponse::Complete(result))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.asker(&context)?, page.and_then(|page| page.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates(&self.asker(&context)?.caller))
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.asker(&context)?, &asked.uri).await?;
        Ok(ReadResourceResponse::Complete(read))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            uris.iter().filter(|uri| updates::are_told(uri)).take(updates::MOST).cloned().collect()
        });
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let asker = self.asker(subscription.request_context())?;
        updates::tell(&self.app, &asker, &subscription).await
    }
}
