//! A connection's socket and its clock: what it is doing and since when, and our own words where the HTTP library
//! would answer a broken request without any.

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

/// How long a request's headers may take from their first byte (`spec 06 §7.2`).
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a connection may do nothing.
const IDLE_TIME: Duration = Duration::from_secs(60);

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

/// What took too long.
pub(crate) enum Overdue {
    /// Doing nothing.
    Idle,
    /// Sending headers.
    Head,
}

/// What a connection is doing.
pub(crate) struct Clock(Mutex<Doing>);

impl Clock {
    pub(crate) fn new() -> Self {
        // A new connection sends its headers at once, or it is not a client.
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

/// A request is being answered, until this is dropped.
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

/// The socket: it tells the clock when bytes come, and words the library's own answers.
pub(crate) struct Socket {
    stream: TcpStream,
    clock: Arc<Clock>,
    /// What is written in place of an answer that has no words, and how long that one was.
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

/// A problem as a whole HTTP answer, for where there is no handler.
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

/// The words for an answer that the HTTP library gives by itself, to what is no request. Every answer of ours has a
/// request id; those have none, and no body.
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
