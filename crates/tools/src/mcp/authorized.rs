//! Requests to a server over HTTP, each with a token that lasts.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::auth::AuthError;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use crate::oauth::Authorization;

type HttpError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The HTTP client of one server.
#[derive(Clone)]
pub(super) struct Http {
    pub(super) client: Client,
    /// The way to a token; without one, the transport's own header is used.
    pub(super) authorization: Option<Arc<Authorization>>,
}

impl Http {
    /// Sends a request. One that the server refused for its token did nothing there, so it is sent once more with a newer
    /// one.
    async fn with_token<T, Sent: Future<Output = Result<T, HttpError>>>(
        &self,
        fixed: Option<String>,
        send: impl Fn(Option<String>) -> Sent,
    ) -> Result<T, HttpError> {
        let Some(authorization) = &self.authorization else { return send(fixed).await };
        let none = |none| HttpError::Auth(AuthError::from(none));
        let token = authorization.access(None).await.map_err(none)?;
        let mut answer = send(Some(token.clone())).await;
        if let Err(HttpError::AuthRequired(_)) = answer {
            let newer = authorization.access(Some(&token)).await.map_err(none)?;
            answer = send(Some(newer)).await;
        }
        match answer {
            Err(HttpError::InsufficientScope(lacks)) => match &lacks.required_scope {
                Some(scopes) if authorization.wants(scopes).await => {
                    let required_scope = scopes.clone();
                    Err(AuthError::InsufficientScope { required_scope, upgrade_url: None }.into())
                }
                _ => Err(HttpError::InsufficientScope(lacks)),
            },
            answer => answer,
        }
    }
}

impl StreamableHttpClient for Http {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, super::MAX_MESSAGE)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.with_token(token, |token| {
            let (uri, message, session) = (uri.clone(), message.clone(), session.clone());
            let headers = headers.clone();
            self.client.post_message_with_max_sse_event_size(uri, message, session, token, headers, most)
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.with_token(token, |token| {
            self.client.delete_session(uri.clone(), session.clone(), token, headers.clone())
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, HttpError> {
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, super::MAX_MESSAGE).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<BoxedSseResponse, HttpError> {
        self.with_token(token, |token| {
            let (uri, session, last) = (uri.clone(), session.clone(), last.clone());
            let headers = headers.clone();
            self.client.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most)
        })
        .await
    }
}
