//! One connection: time limits for headers and idleness, and a graceful end.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tower::ServiceExt;

use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::response_end::WatchedBody;
use crate::socket::{Answering, Clock, HEAD_TIME, Overdue, Socket, plain};

/// Interval at which the time limits are checked.
const TICK: Duration = Duration::from_millis(500);
/// Maximum size of the request line with the headers.
const MAX_HEAD: usize = 64 * 1024;

/// Serves a connection until it is closed, idle for too long, or drained.
pub(crate) async fn serve_connection(stream: TcpStream, peer: SocketAddr, app: Arc<App>, router: Router) {
    let clock = Arc::new(Clock::new());
    let serving = clock.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let answering = Answering::new(&serving);
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { answer.await.map(|response| response.map(|body| WatchedBody::new(body, answering))) }
    });
    let io = TokioIo::new(Socket::new(stream, clock.clone()));
    // A connection accepted during the drain gets one answer and is closed.
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
                    timed_out(connection.into_parts().io.into_inner().into_stream()).await;
                    return;
                }
            },
        }
    }
}

/// Answers 408 to a client whose headers do not arrive.
async fn timed_out(mut stream: TcpStream) {
    let text = format!("the headers did not arrive within {} seconds", HEAD_TIME.as_secs());
    let answer = plain(&Problem::new(&codes::TIMEOUT, text));
    let written = tokio::time::timeout(Duration::from_secs(1), stream.write_all(&answer)).await;
    if !matches!(written, Ok(Ok(()))) {
        tracing::debug!("a client that was too slow did not take its 408 either");
    }
}
