//! A client of one MCP server: revision 2026-07-28, or what an older server agrees on
//! (`docs/design/0037-models-and-tools.md`).
//!
//! One connection, made when needed, and made again after a doubling wait when it broke. Several calls share it; one
//! that is given up, because its time is over or nobody wants it any more, is cancelled at the server.

mod authorized;
mod child;
mod connect;
mod handler;
mod in_flight;
mod result_text;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitResult, ElicitationAction, InputRequest,
    InputRequiredResult, PaginatedRequestParams, ProtocolVersion,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_engine::data::call::{CallOutcome, QuestionField, RemoteQuestion};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_net::Address;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use self::authorized::Http;
use self::handler::{Form, Handler};
use self::in_flight::{Asked, InFlight, Place};
use crate::oauth::Authorization;
use crate::outcome::{rejected, wrong_argument};
use crate::transport_fault::{self, chain};
use crate::{ChildSetting, Grants, NoPlace, ServerAddress, ServerSetting, Timeouts, arguments};

/// The longest message of a server, in bytes.
const MAX_MESSAGE: usize = 4 * 1024 * 1024;
/// The most pages of a server's list of tools.
const MAX_PAGES: usize = 50;
const MAX_TOOLS: usize = 1_000;
/// The wait before a broken connection is made again, at first.
const AGAIN_FIRST: Duration = Duration::from_secs(1);
const AGAIN_LONGEST: Duration = Duration::from_secs(60);
/// The most times a server may answer with nothing but "ask again".
const STATES: usize = 3;

type Running = RunningService<RoleClient, Handler>;

/// One server.
pub(crate) struct Server {
    /// The name in the configuration.
    name: String,
    transport: Transport,
    timeouts: Timeouts,
    /// Room for calls at once.
    room: Arc<Semaphore>,
    state: Arc<Mutex<ConnectionState>>,
}

/// The transport.
enum Transport {
    Child(ChildSetting),
    Http { client: Http, config: Box<StreamableHttpClientTransportConfig> },
}

/// The connection, and its failures.
#[derive(Default)]
struct ConnectionState {
    open: Option<Arc<Connection>>,
    /// Failures since a call was last answered.
    failures: u32,
    again: Option<Instant>,
}

/// The reason the server cannot be called now.
struct NotReady {
    fault: ToolFault,
    /// The details, for operators.
    why: String,
    /// The milliseconds for which it will not be called.
    hint: Option<i64>,
}

impl NotReady {
    fn new(fault: ToolFault, why: impl Into<String>) -> Self {
        Self { fault, why: why.into(), hint: None }
    }
}

struct Connection {
    running: Running,
    in_flight: InFlight,
    /// The tools, as they were listed last.
    tools: std::sync::Mutex<Vec<ToolDescription>>,
    group: Option<child::Group>,
}

/// The reason that the tools of a server are not known.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoTools {
    /// Somebody has to connect it first, or again.
    #[error("nobody has connected it, or the connection has ended: `throughline tools connect {server}`")]
    Unconnected { server: String },
    /// It cannot be reached, or does not answer.
    #[error("{0}")]
    Unreachable(String),
}

/// A tool's definition by its server, which is pinned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolDescription {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) definition: Value,
}

/// A call of a tool.
pub(crate) struct ToolCall<'a> {
    pub(crate) tool: &'a str,
    pub(crate) args: &'a BTreeMap<String, String>,
    /// The answer to a form: the server's handle, and people's texts.
    pub(crate) answer: Option<(&'a str, &'a BTreeMap<String, String>)>,
    /// True if it may change something: then an answer that is too long still counts as applied.
    pub(crate) outward: bool,
}

/// A checked call, with its place among those of its connection.
pub(crate) struct ReadyCall {
    connection: Arc<Connection>,
    state: Arc<Mutex<ConnectionState>>,
    place: Place,
    _room: OwnedSemaphorePermit,
    params: CallToolRequestParams,
    outward: bool,
    /// The end of all its time, and the longest time of the call itself.
    whole: Instant,
    longest: Duration,
}

/// State to send back with an answer. It travels as the opaque handle of the work.
#[derive(Default, Serialize, Deserialize)]
struct Resume {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    form: Value,
}

impl Server {
    /// # Errors
    /// It cannot be used as configured; the text is for people.
    pub(crate) fn new(
        name: &str,
        setting: &ServerSetting,
        timeouts: Timeouts,
        grants: &Arc<dyn Grants>,
    ) -> Result<Self, String> {
        let transport = match &setting.at {
            ServerAddress::Child(child) => Transport::Child(child.clone()),
            ServerAddress::Http(place) => {
                let address = Address::parse(&place.url, place.allow_loopback)?;
                let mut config = http_config(&address, setting.calls);
                if let Some(token) = &place.token {
                    config = config.auth_header(token.as_str());
                }
                http(&address, timeouts, config, None)?
            }
            ServerAddress::Granted(place) => {
                let address = Address::parse(&place.url, place.allow_loopback)?;
                let config = http_config(&address, setting.calls);
                let (oauth, grants) = (place.oauth.clone(), grants.clone());
                let authorization =
                    Authorization::new(name, address.clone(), oauth, timeouts.connect, grants)?;
                http(&address, timeouts, config, Some(authorization))?
            }
        };
        let room = Arc::new(Semaphore::new(setting.calls));
        Ok(Self { name: name.to_owned(), transport, timeouts, room, state: Arc::default() })
    }

    /// Lists every tool, as the server defines it now.
    ///
    /// # Errors
    /// It cannot be reached or does not answer.
    pub(crate) async fn tools(&self) -> Result<Vec<ToolDescription>, NoTools> {
        let current = self.current().await;
        current.map(|(_, tools)| tools).map_err(|NotReady { fault, why, .. }| match fault {
            ToolFault::Unconnected => NoTools::Unconnected { server: self.name.clone() },
            _ => NoTools::Unreachable(why),
        })
    }

    /// Waits for room among earlier calls and for the connection, and checks the call, if `allowed` accepts the tool's
    /// definition.
    ///
    /// # Errors
    /// There is no room, or the outcome of the call is known without sending it.
    pub(crate) async fn ready(
        &self,
        call: &ToolCall<'_>,
        allowed: impl AsyncFnOnce(Option<&ToolDescription>) -> Result<(), Attempt<CallOutcome>>,
    ) -> Result<ReadyCall, NoPlace> {
        let Ok(room) = timeout(self.timeouts.ready, self.room.clone().acquire_owned()).await else {
            return Err(NoPlace::Busy);
        };
        let room = room.map_err(|_| not_sent(ToolFault::Closed, None))?;
        let whole = Instant::now() + self.timeouts.whole;
        let (connection, tools) = match self.current().await {
            Ok(current) => current,
            Err(NotReady { fault, why, hint }) => {
                tracing::warn!(server = self.name, why, "a tool server is not ready");
                return Err(not_sent(fault, hint).into());
            }
        };
        let described = tools.iter().find(|tool| tool.name == call.tool);
        allowed(described).await?;
        let Some(described) = described else {
            return Err(rejected(ToolFault::ServerLacks { name: call.tool.into() }).into());
        };
        let params = params(call, &described.definition["inputSchema"])?;
        let begins = connection.in_flight.begin(call.answer.map(|(_, given)| given.clone()));
        let Ok(place) = timeout(self.timeouts.ready, begins).await else { return Err(NoPlace::Busy) };
        let (state, longest) = (self.state.clone(), self.timeouts.call);
        Ok(ReadyCall { connection, state, place, _room: room, params, outward: call.outward, whole, longest })
    }

    /// Ends the connection, and the server process with all it started.
    pub(crate) async fn close(&self) {
        let open = self.state.lock().await.open.take();
        if let Some(Connection { mut running, group, .. }) = open.and_then(Arc::into_inner) {
            let _ = timeout(Duration::from_secs(1), running.close()).await;
            drop(group);
        }
    }

    /// Returns the connection and the server's tools.
    async fn current(&self) -> Result<(Arc<Connection>, Vec<ToolDescription>), NotReady> {
        let Ok(mut state) = timeout(self.timeouts.ready, self.state.lock()).await else {
            return Err(NotReady { fault: ToolFault::Busy, why: "it is busy".into(), hint: Some(0) });
        };
        let ready = timeout(self.timeouts.ready, self.connected(&mut state)).await;
        let ready =
            ready.unwrap_or_else(|_| Err(NotReady::new(ToolFault::NotInTime, "it was not ready in time")));
        match &ready {
            // It was sent nothing, so it is not spared: it works as soon as somebody has connected it.
            Err(NotReady { fault: ToolFault::Unconnected, .. }) => {}
            Err(not_ready) if not_ready.hint.is_none() => state.broke(),
            _ => {}
        }
        ready
    }

    /// Connects if needed, and lists the tools unless calls are in flight: a server that does one thing at a time would
    /// list them after these.
    async fn connected(
        &self,
        state: &mut ConnectionState,
    ) -> Result<(Arc<Connection>, Vec<ToolDescription>), NotReady> {
        if state.open.as_ref().is_some_and(|open| open.ended()) {
            state.broke();
        }
        // What comes late of a call that was given up could be taken for the next one's.
        state.open.take_if(|open| open.in_flight.has_given_up());
        let connection = match &state.open {
            Some(open) => open.clone(),
            None => {
                state.rested()?;
                Arc::new(self.connect().await?)
            }
        };
        state.open = Some(connection.clone());
        if connection.in_flight.is_idle() {
            let tools = self.all_tools(&connection).await?;
            *connection.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools;
        }
        let tools = connection.tools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((connection, tools))
    }

    /// Reads every page of its tools, up to a limit.
    async fn all_tools(&self, connection: &Connection) -> Result<Vec<ToolDescription>, NotReady> {
        let unlisted = |why: String| NotReady::new(ToolFault::Unlisted, why);
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = connection.running.list_tools(Some(params)).await;
            let page =
                page.map_err(|error| NotReady::new(transport_fault::of_list(&error), chain(&error)))?;
            tools.extend(page.tools.iter().map(described));
            cursor = page.next_cursor;
            if tools.len() > MAX_TOOLS {
                let why = format!("the server “{}” lists more than {MAX_TOOLS} tools", self.name);
                return Err(unlisted(why));
            }
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(unlisted(format!("the server “{}” lists its tools on more than {MAX_PAGES} pages", self.name)))
    }

    /// Connects in the newest revision, or in one that an older server agrees on. A server that answers the question for
    /// the newest with something else than an error is asked again as an older one.
    async fn connect(&self) -> Result<Connection, NotReady> {
        let connection = self.connect_by(&self.transport).await?;
        connection.map_err(|error| NotReady::new(transport_fault::of_start(&error), chain(&error)))
    }

    async fn connect_by(
        &self,
        transport: &Transport,
    ) -> Result<Result<Connection, ClientInitializeError>, NotReady> {
        let newest = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(handler::OLDER),
        };
        match self.open(transport, newest).await? {
            Err(error)
                if matches!(
                    transport_fault::of_start(&error),
                    ToolFault::OutOfReach | ToolFault::Failing { .. }
                ) =>
            {
                self.open(transport, ClientLifecycleMode::Initialize).await
            }
            opened => Ok(opened),
        }
    }

    async fn open(
        &self,
        transport: &Transport,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Result<Connection, ClientInitializeError>, NotReady> {
        let in_flight = InFlight::default();
        let handler = Handler(in_flight.clone());
        let (running, group) = match transport {
            Transport::Http { client, config } => {
                let config = StreamableHttpClientTransportConfig::clone(config);
                let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
                (handler.serve_with_lifecycle(transport, lifecycle).await, None)
            }
            Transport::Child(child) => {
                let (group, stdout, stdin) = child::start(child).map_err(|error| {
                    let why = format!("{} cannot be started: {error}", child.command.display());
                    NotReady::new(ToolFault::OutOfReach, why)
                })?;
                let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
                (handler.serve_with_lifecycle(transport, lifecycle).await, Some(group))
            }
        };
        Ok(running.map(|running| Connection { running, in_flight, tools: Default::default(), group }))
    }
}

impl ReadyCall {
    /// Sends the call and waits for its answer. A call that takes too long, or that is dropped, is cancelled at the server.
    pub(crate) async fn send(self) -> Attempt<CallOutcome> {
        let Self { connection, state, place, _room, params, outward, whole, longest } = self;
        let until = whole.min(Instant::now() + longest);
        let Ok(answer) = timeout_at(until, call_until_complete(&connection, params)).await else {
            return Attempt::Unknown { why: ToolFault::NotInTime.into() };
        };
        let asked = place.answered();
        let answered = matches!(answer, Ok(_) | Err(ServiceError::McpError(_)));
        state.lock().await.called(&connection, answered);
        let failed = match &answer {
            Ok(CallToolResponse::Complete(result)) => result.is_error == Some(true),
            Ok(_) => false,
            Err(_) => true,
        };
        match (asked, answer) {
            (Asked::Form(form), _) if answered => asks(form, None, None),
            (Asked::Unclear, _) if answered && failed => not_sent(ToolFault::AskedTogether, Some(0)),
            (_, Ok(answer)) => interpret(outward, answer),
            (_, Err(error)) => {
                tracing::warn!(error = chain(&error), "a call of a tool failed");
                transport_fault::of_call(&error)
            }
        }
    }
}

impl ConnectionState {
    /// Returns an error while a connection that broke is not to be made again.
    fn rested(&self) -> Result<(), NotReady> {
        let again = self.again.map(|again| again.saturating_duration_since(Instant::now()));
        let Some(wait) = again.filter(|wait| !wait.is_zero()) else { return Ok(()) };
        let hint = i64::try_from(wait.as_millis() + 1).ok();
        let why = "the server failed just now, and is given a moment".into();
        Err(NotReady { fault: ToolFault::Resting, why, hint })
    }

    /// Notes that a call was answered, or that its connection broke.
    fn called(&mut self, connection: &Arc<Connection>, answered: bool) {
        if answered {
            (self.failures, self.again) = (0, None);
        } else if self.open.as_ref().is_some_and(|open| Arc::ptr_eq(open, connection)) {
            self.broke();
        }
    }

    /// Drops the broken connection. It is made again after a wait that doubles.
    fn broke(&mut self) {
        self.open = None;
        let wait = AGAIN_FIRST.saturating_mul(1 << self.failures.min(6)).min(AGAIN_LONGEST);
        self.failures += 1;
        self.again = Some(Instant::now() + wait);
    }
}

impl Connection {
    fn ended(&self) -> bool {
        self.running.is_closed()
            || self.running.peer().is_transport_closed()
            || self.group.as_ref().is_some_and(child::Group::ended)
    }
}

fn http(
    address: &Address,
    timeouts: Timeouts,
    config: StreamableHttpClientTransportConfig,
    authorization: Option<Arc<Authorization>>,
) -> Result<Transport, String> {
    let client = throughline_net::client(address.reach(), timeouts.connect)?;
    Ok(Transport::Http { client: Http { client, authorization }, config: Box::new(config) })
}

fn http_config(address: &Address, calls: usize) -> StreamableHttpClientTransportConfig {
    StreamableHttpClientTransportConfig::with_uri(address.endpoint())
        .max_sse_event_size(MAX_MESSAGE)
        .max_concurrent_requests(calls)
        .reinit_on_expired_session(false)
}

fn described(tool: &rmcp::model::Tool) -> ToolDescription {
    let definition = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
    });
    let description = tool.description.as_deref().unwrap_or_default().to_owned();
    ToolDescription { name: tool.name.to_string(), description, definition }
}

fn params(call: &ToolCall<'_>, schema: &Value) -> Result<CallToolRequestParams, Attempt<CallOutcome>> {
    let arguments = arguments::arguments(schema, call.args).map_err(|wrong| {
        if wrong.name.is_empty() {
            rejected(wrong.why)
        } else {
            wrong_argument(&wrong.name, wrong.why.into())
        }
    })?;
    let mut params = CallToolRequestParams::new(call.tool.to_owned()).with_arguments(arguments);
    if let Some((remote, given)) = call.answer {
        let resume: Resume = serde_json::from_str(remote).unwrap_or_default();
        if let Some(state) = resume.state {
            params = params.with_request_state(state);
        }
        if let Some(key) = resume.key {
            let form = Form { message: String::new(), schema: resume.form };
            let values = form.filled(given).map_err(rejected)?;
            let filled = ElicitResult::new(ElicitationAction::Accept).with_content(values);
            let filled = serde_json::to_value(filled).unwrap_or_default();
            params = params.with_input_responses([(key, filled)].into());
        }
    }
    Ok(params)
}

/// Calls, and again while the server only wants its state back.
async fn call_until_complete(
    connection: &Connection,
    mut params: CallToolRequestParams,
) -> Result<CallToolResponse, ServiceError> {
    for _ in 0..STATES {
        let response = connection.running.call_tool_once(params.clone()).await?;
        match response {
            CallToolResponse::InputRequired(InputRequiredResult {
                input_requests: None,
                request_state: Some(state),
                ..
            }) => {
                params.request_state = Some(state);
                params.input_responses = None;
            }
            other => return Ok(other),
        }
    }
    Err(ServiceError::InputRequiredRoundsExceeded { max_rounds: STATES })
}

/// Interprets a response.
fn interpret(outward: bool, response: CallToolResponse) -> Attempt<CallOutcome> {
    match response {
        CallToolResponse::Complete(result) => match result_text::text(&result) {
            Some(text) if result.is_error == Some(true) => rejected(Fault::Said(text)),
            Some(text) => Attempt::Applied(CallOutcome::Said(text)),
            None if outward => Attempt::Applied(CallOutcome::Said(
                "(its answer is longer than 256 KiB and is not shown)".into(),
            )),
            None => rejected(ToolFault::AnswerLong),
        },
        CallToolResponse::InputRequired(wanted) => {
            let mut requests = wanted.input_requests.unwrap_or_default().into_iter();
            match (requests.next(), requests.next()) {
                (Some((key, InputRequest::Elicitation(request))), None) => {
                    asks(Form::of(&request.params), Some(key), wanted.request_state)
                }
                (Some((_, InputRequest::CreateMessage(_))), None) => rejected(ToolFault::WantsModel),
                (Some((_, InputRequest::ListRoots(_))), None) => rejected(ToolFault::WantsFolders),
                _ => rejected(ToolFault::WantsSeveral),
            }
        }
        _ => Attempt::Unknown { why: ToolFault::NoResult.into() },
    }
}

fn not_sent(fault: ToolFault, hint: Option<i64>) -> Attempt<CallOutcome> {
    Attempt::NotApplied { why: fault.into(), hint }
}

fn asks(form: Result<Form, ToolFault>, key: Option<String>, state: Option<String>) -> Attempt<CallOutcome> {
    let asked = form.and_then(|form| Ok((arguments::fields(&form.schema)?, form)));
    let (fields, form) = match asked {
        Ok(asked) => asked,
        Err(why) => return rejected(why),
    };
    let resume = Resume { form: if key.is_some() { form.schema } else { Value::Null }, key, state };
    let remote = serde_json::to_string(&resume).unwrap_or_default();
    let fields = fields.into_iter().map(|(name, expected)| QuestionField { name, expected }).collect();
    Attempt::Applied(CallOutcome::Asked(RemoteQuestion { remote, text: form.message, fields }))
}
