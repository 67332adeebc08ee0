//! Errors of the way to a server or an agent, as faults that people are told of. The details, which may hold addresses,
//! are for the log.

use std::error::Error as StdError;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use throughline_engine::data::call::CallOutcome;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};

use crate::outcome::rejected;

/// Error of the HTTP transport of MCP.
type Http = StreamableHttpError<reqwest::Error>;

/// Returns true if no byte of the request was written: a connection was never made.
pub(crate) fn is_unsent(error: &reqwest::Error) -> bool {
    error.is_connect() || error.is_builder()
}

/// Returns the outcome of a request that brought no HTTP answer.
pub(crate) fn of_request(error: &reqwest::Error) -> Attempt<CallOutcome> {
    if is_unsent(error) {
        Attempt::NotApplied { why: ToolFault::OutOfReach.into(), hint: None }
    } else {
        Attempt::Unknown { why: ToolFault::BrokenOff.into() }
    }
}

/// Returns the outcome of a call of MCP that failed.
pub(crate) fn of_call(error: &ServiceError) -> Attempt<CallOutcome> {
    let unknown = |why: ToolFault| Attempt::Unknown { why: why.into() };
    match error {
        ServiceError::McpError(refused) => rejected(Fault::Said(refused.message.to_string())),
        ServiceError::InputRequiredRoundsExceeded { .. } => rejected(ToolFault::AsksAgain),
        ServiceError::UnexpectedResponse => unknown(ToolFault::NoResult),
        ServiceError::TransportSend(_) => match http(error) {
            Some(Http::Client(error)) => of_request(error),
            Some(Http::HttpStatus(answer)) if answer.status == 429 => {
                let hint = answer.retry_after.as_deref().and_then(throughline_net::retry_after);
                Attempt::NotApplied { why: ToolFault::TooOften.into(), hint }
            }
            Some(Http::HttpStatus(answer)) => unknown(ToolFault::Failing { status: answer.status }),
            Some(Http::SessionExpired) => Attempt::NotApplied { why: ToolFault::Forgot.into(), hint: None },
            Some(Http::AuthRequired(_) | Http::InsufficientScope(_)) => rejected(ToolFault::RefusesToken),
            Some(Http::Auth(error)) => match of_access(error) {
                refused @ (ToolFault::LacksRights | ToolFault::RefusesToken) => rejected(refused),
                why => Attempt::NotApplied { why: why.into(), hint: None },
            },
            _ => unknown(ToolFault::BrokenOff),
        },
        _ => unknown(ToolFault::BrokenOff),
    }
}

/// Returns the reason that a server could not be got ready.
pub(crate) fn of_start(error: &ClientInitializeError) -> ToolFault {
    let cause = cause_of_start(error);
    if let Some(error) = find::<AuthError>(cause) {
        return of_access(error);
    }
    match find::<Http>(cause) {
        Some(Http::AuthRequired(_) | Http::InsufficientScope(_)) => ToolFault::RefusesToken,
        Some(Http::HttpStatus(answer)) => ToolFault::Failing { status: answer.status },
        _ if error.is_authorization_required() => ToolFault::RefusesToken,
        _ => ToolFault::OutOfReach,
    }
}

/// Returns the error of the transport, of the last attempt if an older revision was attempted too. `rmcp` does not name it
/// as a source.
fn cause_of_start(error: &ClientInitializeError) -> &(dyn StdError + 'static) {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => cause_of_start(fallback),
        ClientInitializeError::TransportError { error, .. } => error.error.as_ref(),
        error => error,
    }
}

/// Returns the reason that the tools of a server were not listed.
pub(crate) fn of_list(error: &ServiceError) -> ToolFault {
    match http(error) {
        Some(Http::AuthRequired(_) | Http::InsufficientScope(_)) => ToolFault::RefusesToken,
        Some(Http::Auth(error)) => of_access(error),
        _ => ToolFault::Unlisted,
    }
}

/// Returns what a server said when it refused to list its tools without a token.
pub(crate) fn challenge_of_list(error: &ServiceError) -> Option<&str> {
    http(error).and_then(Http::auth_challenge)
}

fn http(error: &ServiceError) -> Option<&Http> {
    match error {
        ServiceError::TransportSend(sent) => sent.error.downcast_ref::<Http>(),
        _ => None,
    }
}

/// Returns the reason that there is no token for a request, or not the right one.
fn of_access(error: &AuthError) -> ToolFault {
    match error {
        AuthError::AuthorizationRequired => ToolFault::Unconnected,
        AuthError::InsufficientScope { .. } => ToolFault::LacksRights,
        AuthError::TokenExpired => ToolFault::RefusesToken,
        _ => ToolFault::NoToken,
    }
}

/// Returns the first error of that type among an error and its causes.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        at = error.source();
    }
    None
}

/// Returns an error and its causes on one line, for the log and for operators.
pub(crate) fn chain(error: &dyn StdError) -> String {
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
