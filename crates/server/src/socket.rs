//! Socket of a connection: it reports what arrives and what waits, and puts problem documents in place of the empty error
//! answers of the HTTP library.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::activity::Activity;
use crate::codes;
use crate::problem::{PROBLEM_JSON, Problem};

/// Socket that reports to its connection's activity, and replaces the library's own error answers.
pub(crate) struct Socket {
    stream: TcpStream,
    activity: Arc<Activity>,
    /// Replacement for an error answer of the library, and the length of the original.
    instead: Option<(Vec<u8>, usize)>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        Self { stream, activity, instead: None }
    }

    /// Writes bytes, and reports whether they have to wait for the client.
    fn write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.activity.wrote(Instant::now(), polled.is_pending());
        polled
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
            self.activity.arrived(Instant::now());
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
        let Some((mut answer, stands_for)) = socket.instead.take() else {
            return socket.write(cx, bytes);
        };
        while !answer.is_empty() {
            match socket.write(cx, &answer) {
                Poll::Ready(Ok(written)) => drop(answer.drain(..written)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    socket.instead = Some((answer, stands_for));
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(stands_for))
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
