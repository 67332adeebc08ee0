//! One connection: its time limits, its end for a newcomer, and a graceful end.

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
use tokio::time::Instant;
use tower::ServiceExt;

use crate::activity::{Answering, Overdue};
use crate::app::App;
use crate::codes;
use crate::config::ConnectionLimits;
use crate::connections::Place;
use crate::middleware::Reserved;
use crate::problem::Problem;
use crate::response_end::WatchedBody;
use crate::socket::{Socket, plain};

/// Maximum size of the request line with the headers.
const MAX_HEAD: usize = 64 * 1024;

/// Serves a connection until it is closed, exceeds a time limit, gives its place to a newcomer, or is drained.
pub(crate) async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    app: Arc<App>,
    router: Router,
) {
    let limits = &app.config().server.connections;
    let (activity, reserved) = (place.activity.clone(), place.reserved);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let answering = Answering::new(&activity);
        request.extensions_mut().insert(ConnectInfo(peer));
        if reserved {
            request.extensions_mut().insert(Reserved);
        }
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { answer.await.map(|response| response.map(|body| WatchedBody::new(body, answering))) }
    });
    let activity = &place.activity;
    let io = TokioIo::new(Socket::new(stream, activity.clone()));
    // A connection of the reserve, or accepted during the drain, gets one answer and is closed.
    let mut builder = http1::Builder::new();
    let kept_alive = !reserved && !app.draining();
    builder.keep_alive(kept_alive).max_buf_size(MAX_HEAD).header_read_timeout(None);
    let mut connection = builder.serve_connection(io, service);
    let mut ticks = tokio::time::interval(limits.tick());
    let end_of_reserve = tokio::time::sleep_until(Instant::now() + limits.reserve_life);
    tokio::pin!(end_of_reserve);
    let mut closing = !kept_alive;
    let overdue = loop {
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
            () = activity.evicted() => break None,
            () = &mut end_of_reserve, if reserved => break None,
            _ = ticks.tick() => {
                let limits = if app.draining() { &limits.draining() } else { limits };
                match activity.overdue(limits, Instant::now()) {
                    None => {}
                    Some(Overdue::Idle) => Pin::new(&mut connection).graceful_shutdown(),
                    Some(overdue) => break Some(overdue),
                }
            }
        }
    };
    let stream = connection.into_parts().io.into_inner().into_stream();
    match overdue {
        Some(Overdue::Head) => timed_out(stream, limits).await,
        _ if activity.is_stalled() => reset(&stream),
        _ => {}
    }
}

/// Makes the connection end with a reset, so that the system keeps none of the bytes that its client does not take.
fn reset(stream: &TcpStream) {
    if let Err(error) = stream.set_zero_linger() {
        tracing::debug!(%error, "a connection that takes no bytes ends without a reset");
    }
}

/// Answers 408 to a client whose headers do not arrive.
async fn timed_out(mut stream: TcpStream, limits: &ConnectionLimits) {
    let text = format!("the headers did not arrive within {} seconds", limits.head.as_secs());
    let answer = plain(&Problem::new(&codes::TIMEOUT, text));
    let written = tokio::time::timeout(Duration::from_secs(1), stream.write_all(&answer)).await;
    if !matches!(written, Ok(Ok(()))) {
        tracing::debug!("a client that was too slow did not take its 408 either");
    }
}
