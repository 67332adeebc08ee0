//! One HTTP call to a vendor's API: its response, or what is known where there is none.

use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;

/// The longest answer that is read, in bytes.
const BODY: usize = 4 * 1024 * 1024;

/// An HTTP response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns a header's text. Names are in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The reason there is no response. The texts hold no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// No byte of the request was written.
    NotSent(String),
    /// Some bytes may have been written.
    Lost(String),
}

/// Makes one attempt: no retry, and an answer of at most 4 MiB. `method` names the call in errors.
///
/// # Errors
/// There is no response; the error says if a byte of the request may have been written.
pub async fn send(request: RequestBuilder, method: &str) -> Result<Response, TransportError> {
    let sent = request.send().await;
    let mut response = sent.map_err(|error| transport_error(error, method))?;
    let mut answer = Response {
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: Vec::new(),
    };
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if answer.body.len() + chunk.len() <= BODY => {
                answer.body.extend_from_slice(&chunk)
            }
            Ok(Some(_)) => {
                return Err(TransportError::Lost(format!("the answer to {method} is too long")));
            }
            Ok(None) => return Ok(answer),
            Err(error) => return Err(TransportError::Lost(crate::describe_error(method, error))),
        }
    }
}

/// Only a connection that was never made proves that nothing was sent.
fn transport_error(error: reqwest::Error, method: &str) -> TransportError {
    let never = error.is_connect() || error.is_builder();
    // Without the address, which may hold a token.
    let why = crate::describe_error(method, error);
    if never { TransportError::NotSent(why) } else { TransportError::Lost(why) }
}
