//! Knowing when an answer was handed to its connection.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// A body that holds something until it is done with.
pub(crate) struct Watched<T> {
    body: Body,
    _held: T,
}

impl<T> Watched<T> {
    pub(crate) fn new(body: Body, held: T) -> Self {
        Self { body, _held: held }
    }
}

impl<T: Unpin> HttpBody for Watched<T> {
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
    response.map(|body| Body::new(Watched::new(body, Then(Some(then)))))
}

struct Then<F: FnOnce() + Send + 'static>(Option<F>);

impl<F: FnOnce() + Send + 'static> Drop for Then<F> {
    fn drop(&mut self) {
        let Some(then) = self.0.take() else { return };
        if cfg!(feature = "failpoints") {
            // The bytes are the connection's now; give it a moment to put them on the wire.
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
