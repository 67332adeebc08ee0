//! One connection: headers within their time, answers to their end, idle ones let go.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tower::ServiceExt;

use crate::app::App;
use crate::codes;
use crate::problem::{PROBLEM_JSON, Problem};

/// How long a request's headers may take from their first byte (`spec 06 §7.2`).
const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a connection may do nothing.
const IDLE_TIME: Duration = Duration::from_secs(60);
/// How often the two are looked at.
const TICK: Duration = Duration::from_millis(500);
/// The most that request line and headers may take.
const MAX_HEAD: usize = 64 * 1024;

/// Serves one connection until it is closed, idle for too long, or drained.
pub(crate) async fn connection(stream: TcpStream, peer: SocketAddr, app: Arc<App>, router: Router) {
    let clock = Arc::new(Clock::new());
    let serving = clock.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let answering = Answering::new(&serving);
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { answer.await.map(|response| response.map(|body| Watched::new(body, answering))) }
    });
    let io = TokioIo::new(Clocked { stream, clock: clock.clone() });
    // One that comes while we drain gets its answer and is closed.
    let mut builder = http1::Builder::new();
    builder.keep_alive(!app.draining()).max_buf_size(MAX_HEAD).header_read_timeout(None);
    let mut connection = builder.serve_connection(io, service);
    let mut ticks = tokio::time::interval(TICK);
    let mut closing = app.draining();
    loop {
        let drained = app.drained.notified();
        if app.draining() && !closing {
            closing = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        tokio::select! {
            result = &mut connection => {
                if let Err(error) = result {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = drained => {}
            _ = ticks.tick() => match clock.overdue() {
                None => {}
                Some(Overdue::Idle) => Pin::new(&mut connection).graceful_shutdown(),
                Some(Overdue::Head) => {
                    timed_out(connection.into_parts().io.into_inner().stream).await;
                    return;
                }
            },
        }
    }
}

/// Says 408 to a client whose headers do not come.
async fn timed_out(mut stream: TcpStream) {
    let text = format!("the headers did not arrive within {} seconds", HEAD_TIME.as_secs());
    let body = Problem::new(&codes::TIMEOUT, text).stored().body;
    let answer = format!(
        "HTTP/1.1 408 Request Timeout\r\ncontent-type: {PROBLEM_JSON}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let written = tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await;
    if !matches!(written, Ok(Ok(()))) {
        tracing::debug!("a client that was too slow did not take its 408 either");
    }
}

/// What a connection is doing, and since when.
#[derive(Clone, Copy)]
enum Doing {
    /// Nothing.
    Idle(Instant),
    /// Sending us headers.
    Head(Instant),
    /// Being answered.
    Answer,
}

enum Overdue {
    Idle,
    Head,
}

struct Clock(Mutex<Doing>);

impl Clock {
    fn new() -> Self {
        // A new connection sends its headers at once, or it is not a client.
        Self(Mutex::new(Doing::Head(Instant::now())))
    }

    fn set(&self, change: impl FnOnce(Doing) -> Doing) {
        let mut doing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *doing = change(*doing);
    }

    fn overdue(&self) -> Option<Overdue> {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Doing::Idle(since) if since.elapsed() > IDLE_TIME => Some(Overdue::Idle),
            Doing::Head(since) if since.elapsed() > HEAD_TIME => Some(Overdue::Head),
            _ => None,
        }
    }
}

/// A request is being answered, until this is dropped.
struct Answering(Arc<Clock>);

impl Answering {
    fn new(clock: &Arc<Clock>) -> Self {
        clock.set(|_| Doing::Answer);
        Self(clock.clone())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set(|_| Doing::Idle(Instant::now()));
    }
}

/// A socket that tells the clock when bytes come.
struct Clocked {
    stream: TcpStream,
    clock: Arc<Clock>,
}

impl AsyncRead for Clocked {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.clock.set(|doing| match doing {
                Doing::Idle(_) => Doing::Head(Instant::now()),
                other => other,
            });
        }
        polled
    }
}

impl AsyncWrite for Clocked {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// A body that holds something until it is done with.
struct Watched<T> {
    body: Body,
    _held: T,
}

impl<T> Watched<T> {
    fn new(body: Body, held: T) -> Self {
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
