//! Socket of a connection: a clock of its state, and problem documents in place of the empty error answers of the
//! HTTP library.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::codes;
use crate::problem::{PROBLEM_JSON, Problem};

/// Time that a request's headers may take from their first byte.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(5);
/// Time that a connection may be idle.
const IDLE_TIME: Duration = Duration::from_secs(60);

/// State of a connection, with the time it began.
#[derive(Clone, Copy)]
enum Doing {
    /// No request.
    Idle(Instant),
    /// Headers are arriving.
    Head(Instant),
    /// A request is being answered.
    Answer,
}

/// Time limit that was exceeded.
pub(crate) enum Overdue {
    /// Idle for too long.
    Idle,
    /// Headers took too long.
    Head,
}

/// Clock of a connection's state.
pub(crate) struct Clock(Mutex<Doing>);

impl Clock {
    pub(crate) fn new() -> Self {
        // A new connection has to send its headers at once.
        Self(Mutex::new(Doing::Head(Instant::now())))
    }

    fn set(&self, change: impl FnOnce(Doing) -> Doing) {
        let mut doing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *doing = change(*doing);
    }

    pub(crate) fn overdue(&self) -> Option<Overdue> {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Doing::Idle(since) if since.elapsed() > IDLE_TIME => Some(Overdue::Idle),
            Doing::Head(since) if since.elapsed() > HEAD_TIME => Some(Overdue::Head),
            _ => None,
        }
    }
}

/// Guard while a request is being answered.
pub(crate) struct Answering(Arc<Clock>);

impl Answering {
    pub(crate) fn new(clock: &Arc<Clock>) -> Self {
        clock.set(|_| Doing::Answer);
        Self(clock.clone())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set(|_| Doing::Idle(Instant::now()));
    }
}

/// Socket that updates the clock when bytes arrive, and replaces the library's own error answers.
pub(crate) struct Socket {
    stream: TcpStream,
    clock: Arc<Clock>,
    /// Replacement for an error answer of the library, and the length of the original.
    instead: Option<(Vec<u8>, usize)>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, clock: Arc<Clock>) -> Self {
        Self { stream, clock, instead: None }
    }

    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let socket = &mut *self;
        if socket.instead.is_none() {
            socket.instead = worded(bytes).map(|answer| (answer, bytes.len()));
        }
        let Some((answer, stands_for)) = &mut socket.instead else {
            return Pin::new(&mut socket.stream).poll_write(cx, bytes);
        };
        while !answer.is_empty() {
            match Pin::new(&mut socket.stream).poll_write(cx, answer) {
                Poll::Ready(Ok(written)) => drop(answer.drain(..written)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        let written = *stands_for;
        socket.instead = None;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Returns a problem as a complete HTTP answer, for errors outside of any handler.
pub(crate) fn plain(problem: &Problem) -> Vec<u8> {
    let stored = problem.stored();
    let reason = problem.status().canonical_reason().unwrap_or("Error");
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {PROBLEM_JSON}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{}",
        stored.status,
        stored.body.len(),
        stored.body
    )
    .into_bytes()
}

/// Returns the replacement for an answer that the library gave by itself to an invalid request. It is recognised by
/// having neither a request id nor a body, which answers of ours always have.
fn worded(bytes: &[u8]) -> Option<Vec<u8>> {
    let status = bytes.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let ours = bytes.windows(19).any(|window| window.eq_ignore_ascii_case(b"throughline-request"));
    if status[0] != b'4' || ours || !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let problem = match status {
        b"414" | b"431" => {
            Problem::new(&codes::HEAD_TOO_LARGE, "the request line and the headers are too large")
        }
        _ => Problem::new(
            &codes::BAD_REQUEST,
            "this is no HTTP/1.1 request: the request line or a header is malformed",
        ),
    };
    Some(plain(&problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_without_words_get_ours() {
        let bare = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let told = String::from_utf8(worded(bare).unwrap()).unwrap();
        assert!(told.starts_with("HTTP/1.1 400 Bad Request\r\n") && told.contains("TL-2007"), "{told}");
        let large = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n";
        assert!(String::from_utf8(worded(large).unwrap()).unwrap().contains("TL-2010"));
        for other in [
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".as_slice(),
            b"HTTP/1.1 404 Not Found\r\nThroughline-Request: rq_1\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 4",
            b"{\"a\":1}",
            b"",
        ] {
            assert_eq!(worded(other), None);
        }
    }
}
