//! WebSockets that we open to a service.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::Url;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_tls_with_config};

use crate::Address;

/// The longest message that is read, in bytes.
const MESSAGE: usize = 4 * 1024 * 1024;

/// The time that the other side has to answer a close.
const GOODBYE: Duration = Duration::from_secs(1);

/// An open WebSocket.
pub struct WebSocket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// A message that a WebSocket received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A text.
    Text(String),
    /// A sign of life: a ping, which is answered, or a pong.
    Alive,
}

impl WebSocket {
    /// Connects to a `wss` address within reach, or to `ws` on this machine if `allow_loopback`.
    ///
    /// # Errors
    /// Returns a sentence for a person if the address may not be connected to, or nobody answers there. It does not
    /// repeat the address, which holds a ticket.
    pub async fn connect(address: &str, allow_loopback: bool) -> Result<Self, String> {
        let url = Url::parse(address).map_err(|error| format!("it is no address: {error}"))?;
        let scheme = match url.scheme() {
            "wss" => "https",
            "ws" => "http",
            _ => return Err("it is no address of a WebSocket".into()),
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().ok_or("the address names no port")?;
        // The rules for addresses are those of other requests; the query is a ticket and no part of them.
        let checked = Address::parse(&format!("{scheme}://{host}:{port}"), allow_loopback)?;
        let stream = checked.reach().connect(host.trim_matches(['[', ']']), port).await?;
        let config = WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
        let opened = client_async_tls_with_config(address, stream, Some(config), None).await;
        opened.map(|(socket, _)| Self(socket)).map_err(|error| described(&error))
    }

    /// Receives the next message; `None` at the end.
    ///
    /// # Errors
    /// The connection broke, or what came is no WebSocket's.
    pub async fn receive(&mut self) -> Option<Result<Received, String>> {
        loop {
            return match self.0.next().await? {
                Ok(Message::Text(text)) => Some(Ok(Received::Text(text.as_str().to_owned()))),
                Ok(Message::Ping(_) | Message::Pong(_)) => Some(Ok(Received::Alive)),
                // The stream ends after it.
                Ok(Message::Close(_)) => continue,
                Ok(Message::Binary(_) | Message::Frame(_)) => continue,
                Err(Error::ConnectionClosed | Error::AlreadyClosed) => None,
                Err(error) => Some(Err(described(&error))),
            };
        }
    }

    /// Sends a text.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn send(&mut self, text: String) -> Result<(), String> {
        self.0.send(Message::text(text)).await.map_err(|error| described(&error))
    }

    /// Sends a ping.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn ping(&mut self) -> Result<(), String> {
        self.0.send(Message::Ping(Vec::new().into())).await.map_err(|error| described(&error))
    }

    /// Says that nothing more comes, and waits a moment for the other side to say the same.
    pub async fn close(mut self) {
        // The other side may be gone already.
        let _ = tokio::time::timeout(GOODBYE, self.0.close(None)).await;
    }
}

/// The error without the address.
fn described(error: &Error) -> String {
    match error {
        Error::Url(_) | Error::HttpFormat(_) => "the address cannot be used for a WebSocket".into(),
        Error::Http(response) => format!("answered with status {}", response.status()),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_wss_or_an_allowed_emulator() {
        for address in
            ["ws://127.0.0.1:9/?ticket=x", "http://127.0.0.1:9", "ws://example.org/", "x", "wss://10.0.0.1/"]
        {
            assert!(WebSocket::connect(address, false).await.is_err(), "{address}");
        }
    }

    /// With TLS, too, a connection that breaks is an error with no ticket in it.
    #[tokio::test]
    async fn a_broken_connection_is_an_error() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let twice = tokio::spawn(async move {
            for _ in 0..2 {
                drop(listener.accept().await);
            }
        });
        for scheme in ["ws", "wss"] {
            let address = format!("{scheme}://127.0.0.1:{port}/link?ticket=secret");
            let error = WebSocket::connect(&address, true).await.err().unwrap();
            assert!(!error.contains("secret"), "{error}");
        }
        twice.await.unwrap();
    }
}
