//! Notice of when an answer was handed to its connection.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Body that holds a value until it is finished.
pub(crate) struct WatchedBody<T> {
    body: Body,
    _held: T,
}

impl<T> WatchedBody<T> {
    pub(crate) fn new(body: Body, held: T) -> Self {
        Self { body, _held: held }
    }
}

impl<T: Unpin> HttpBody for WatchedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Calls `then` once the answer's body was handed to the connection.
pub(crate) fn on_sent(response: Response, then: impl FnOnce() + Send + Unpin + 'static) -> Response {
    response.map(|body| Body::new(WatchedBody::new(body, OnDrop(Some(then)))))
}

struct OnDrop<F: FnOnce() + Send + 'static>(Option<F>);

impl<F: FnOnce() + Send + 'static> Drop for OnDrop<F> {
    fn drop(&mut self) {
        let Some(then) = self.0.take() else { return };
        if cfg!(feature = "failpoints") {
            // The connection has the bytes now; it needs a moment to send them.
            if let Ok(handle) = tokio::runtime::Handle::try_current() {
                handle.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    then();
                });
            }
        } else {
            then();
        }
    }
}
