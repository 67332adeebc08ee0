//! A client of one MCP server: revision 2026-07-28, or what an older server agrees on
//! (`docs/design/0037-models-and-tools.md`).
//!
//! One connection, made when needed, and made again after a doubling wait when it broke. One call at a time: a
//! server's requests then belong to the call that runs.

mod child;
mod handler;
mod result_text;

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitResult, ElicitationAction, InputRequest,
    InputRequiredResult, PaginatedRequestParams, ProtocolVersion,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_engine::data::call::{CallOutcome, QuestionField, RemoteQuestion};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_net::Address;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, timeout, timeout_at};

use self::handler::{Elicitation, Form, Handler};
use crate::outcome::{rejected, wrong_argument};
use crate::{RemoteAddress, ServerSetting, Timeouts, arguments};

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
type Http = StreamableHttpError<reqwest::Error>;

/// One server.
pub(crate) struct Server {
    /// The name in the configuration.
    name: String,
    transport: Transport,
    timeouts: Timeouts,
    state: Arc<Mutex<ConnectionState>>,
}

/// The transport.
enum Transport {
    Child(ServerSetting),
    Http { client: Client, config: StreamableHttpClientTransportConfig },
}

/// The connection, and its failures.
#[derive(Default)]
struct ConnectionState {
    open: Option<Connection>,
    /// Failures since a call was last answered.
    failures: u32,
    again: Option<Instant>,
}

/// The reason the server cannot be called now, and for how many milliseconds it will not be.
struct NotReady {
    why: String,
    hint: Option<i64>,
}

struct Connection {
    running: Running,
    elicitation: Elicitation,
    group: Option<child::Group>,
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

/// A checked call, with the connection that is its own until it has ended.
pub(crate) struct ReadyCall {
    state: OwnedMutexGuard<ConnectionState>,
    params: CallToolRequestParams,
    /// People's texts, if it answers a form.
    given: Option<BTreeMap<String, String>>,
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
    pub(crate) fn new(name: &str, setting: &ServerSetting, timeouts: Timeouts) -> Result<Self, String> {
        let transport = match setting {
            ServerSetting::Child { .. } => Transport::Child(setting.clone()),
            ServerSetting::Http(place) => http(place, timeouts)?,
        };
        Ok(Self { name: name.to_owned(), transport, timeouts, state: Arc::default() })
    }

    /// Lists every tool, as the server defines it now.
    ///
    /// # Errors
    /// It cannot be reached or does not answer.
    pub(crate) async fn tools(&self) -> Result<Vec<ToolDescription>, String> {
        let mut state =
            timeout(self.timeouts.ready, self.state.lock()).await.map_err(|_| "it is busy".to_owned())?;
        self.current_tools(&mut state).await.map_err(|not_ready| not_ready.why)
    }

    /// Waits for earlier calls and for the connection, and checks the call, if `allowed` accepts the tool's definition.
    ///
    /// # Errors
    /// The outcome of the call, which is known without sending it.
    pub(crate) async fn ready(
        &self,
        call: &ToolCall<'_>,
        allowed: impl AsyncFnOnce(Option<&ToolDescription>) -> Result<(), Attempt<CallOutcome>>,
    ) -> Result<ReadyCall, Attempt<CallOutcome>> {
        let whole = Instant::now() + self.timeouts.whole;
        let not_sent = |why: Fault, hint| Attempt::NotApplied { why, hint };
        let Ok(mut state) = timeout(self.timeouts.ready, self.state.clone().lock_owned()).await else {
            return Err(not_sent(ToolFault::Busy.into(), None));
        };
        let tools = match self.current_tools(&mut state).await {
            Ok(tools) => tools,
            Err(NotReady { why, hint }) => return Err(not_sent(Fault::Said(why), hint)),
        };
        let described = tools.iter().find(|tool| tool.name == call.tool);
        allowed(described).await?;
        let Some(described) = described else {
            return Err(rejected(ToolFault::ServerLacks { name: call.tool.into() }));
        };
        let params = params(call, &described.definition["inputSchema"])?;
        let given = call.answer.map(|(_, given)| given.clone());
        Ok(ReadyCall { state, params, given, outward: call.outward, whole, longest: self.timeouts.call })
    }

    /// Ends the connection, and the server process with all it started.
    pub(crate) async fn close(&self) {
        let open = self.state.lock().await.open.take();
        if let Some(Connection { mut running, group, .. }) = open {
            let _ = timeout(Duration::from_secs(1), running.close()).await;
            drop(group);
        }
    }

    async fn current_tools(&self, state: &mut ConnectionState) -> Result<Vec<ToolDescription>, NotReady> {
        if state.open.as_ref().is_some_and(Connection::ended) {
            state.broke();
        }
        let wait =
            state.again.map_or(Duration::ZERO, |again| again.saturating_duration_since(Instant::now()));
        if state.open.is_none() && !wait.is_zero() {
            let why = "the server failed just now, and is given a moment".into();
            return Err(NotReady { why, hint: i64::try_from(wait.as_millis() + 1).ok() });
        }
        let ready = async {
            if state.open.is_none() {
                state.open = Some(self.connect().await?);
            }
            let Some(connection) = &state.open else { return Err("the connection is closed".to_owned()) };
            self.all_tools(connection).await
        };
        let ready = timeout(self.timeouts.ready, ready).await;
        match ready.unwrap_or_else(|_| Err("it was not ready in time".into())) {
            Ok(tools) => Ok(tools),
            Err(why) => {
                state.broke();
                Err(NotReady { why, hint: None })
            }
        }
    }

    /// Reads every page of its tools, up to a limit.
    async fn all_tools(&self, connection: &Connection) -> Result<Vec<ToolDescription>, String> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = connection.running.list_tools(Some(params)).await.map_err(|error| chain(&error))?;
            tools.extend(page.tools.iter().map(described));
            cursor = page.next_cursor;
            if tools.len() > MAX_TOOLS {
                return Err(format!("the server “{}” lists more than {MAX_TOOLS} tools", self.name));
            }
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(format!("the server “{}” lists its tools on more than {MAX_PAGES} pages", self.name))
    }

    async fn connect(&self) -> Result<Connection, String> {
        let elicitation = Elicitation::default();
        let handler = Handler(elicitation.clone());
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        let (running, group) = match &self.transport {
            Transport::Http { client, config } => {
                let transport = StreamableHttpClientTransport::with_client(client.clone(), config.clone());
                (handler.serve_with_lifecycle(transport, lifecycle).await, None)
            }
            Transport::Child(ServerSetting::Child { command, args, env }) => {
                let (group, stdout, stdin) = child::start(command, args, env)
                    .map_err(|error| format!("{} cannot be started: {error}", command.display()))?;
                let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
                (handler.serve_with_lifecycle(transport, lifecycle).await, Some(group))
            }
            Transport::Child(ServerSetting::Http(_)) => return Err("it is no process".into()),
        };
        let running = running.map_err(|error: ClientInitializeError| chain(&error))?;
        Ok(Connection { running, elicitation, group })
    }
}

impl ReadyCall {
    /// Sends the call and waits for its answer.
    pub(crate) async fn send(mut self) -> Attempt<CallOutcome> {
        // only a call that was answered puts it back: what came late to another one would be taken for the next one's.
        let Some(connection) = self.state.open.take() else {
            return Attempt::NotApplied { why: ToolFault::Closed.into(), hint: None };
        };
        connection.elicitation.begin(self.given);
        let until = self.whole.min(Instant::now() + self.longest);
        let answer = timeout_at(until, call_until_complete(&connection, self.params)).await;
        let form = connection.elicitation.take();
        match answer {
            Ok(Ok(response)) => {
                self.state.restore(connection);
                interpret(self.outward, response, form)
            }
            Ok(Err(error)) => {
                match error {
                    ServiceError::McpError(_) => self.state.restore(connection),
                    _ => self.state.broke(),
                }
                interpret_error(&error)
            }
            Err(_) => Attempt::Unknown { why: ToolFault::NotInTime.into() },
        }
    }
}

impl ConnectionState {
    /// Keeps the connection after a call that was answered.
    fn restore(&mut self, connection: Connection) {
        *self = Self { open: Some(connection), failures: 0, again: None };
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

fn http(place: &RemoteAddress, timeouts: Timeouts) -> Result<Transport, String> {
    let address = Address::parse(&place.url, place.allow_loopback)?;
    let client = throughline_net::client(address.reach(), timeouts.connect)?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(address.endpoint())
        .max_sse_event_size(MAX_MESSAGE)
        .max_concurrent_requests(4)
        .reinit_on_expired_session(false);
    if let Some(token) = &place.token {
        config = config.auth_header(token.as_str());
    }
    Ok(Transport::Http { client, config })
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

/// Interprets a response, with the form that came while the tool ran.
fn interpret(
    outward: bool,
    response: CallToolResponse,
    form: Option<Result<Form, ToolFault>>,
) -> Attempt<CallOutcome> {
    if let Some(form) = form {
        return asks(form, None, None);
    }
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

/// Interprets the failure of a call.
fn interpret_error(error: &ServiceError) -> Attempt<CallOutcome> {
    match error {
        ServiceError::McpError(refused) => rejected(Fault::Said(refused.message.to_string())),
        ServiceError::InputRequiredRoundsExceeded { .. } => rejected(ToolFault::AsksAgain),
        ServiceError::TransportSend(sent) => match sent.error.downcast_ref::<Http>() {
            Some(Http::Client(http)) if http.is_connect() || http.is_builder() => {
                Attempt::NotApplied { why: Fault::Said(chain(error)), hint: None }
            }
            Some(Http::HttpStatus(status)) if status.status == 429 => {
                let hint = status.retry_after.as_deref().and_then(throughline_net::retry_after);
                Attempt::NotApplied { why: ToolFault::TooOften.into(), hint }
            }
            Some(Http::SessionExpired) => Attempt::NotApplied { why: ToolFault::Forgot.into(), hint: None },
            Some(Http::AuthRequired(_) | Http::InsufficientScope(_)) => rejected(ToolFault::RefusesToken),
            _ => Attempt::Unknown { why: Fault::Said(chain(error)) },
        },
        _ => Attempt::Unknown { why: Fault::Said(chain(error)) },
    }
}

/// An error and its causes, on one line.
fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text.chars().take(240).collect()
}
