//! Socket Mode: the WebSockets of an app, their tickets, envelopes and acknowledgements.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::ws::{Message as WsMessage, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::outbox::{Frame, Given, Socket};
use super::{FakeSlack, Shared, delivery};

/// The number of sockets that an app may have at once.
const MAX_SOCKETS: usize = 10;

/// Answers `apps.connections.open`: the address of a socket, with a ticket for one connection.
pub(super) fn open(shared: &Shared) -> Option<String> {
    let mut world = shared.world();
    let outbox = &mut world.outbox;
    if !outbox.socket_mode {
        return None;
    }
    outbox.opened += 1;
    let ticket = format!("{:08x}-ticket", outbox.opened);
    outbox.tickets.insert(ticket.clone());
    Some(format!("ws://{}/link/?ticket={ticket}&app_id={}", shared.sockets, FakeSlack::APP))
}

/// Serves sockets, for ever.
pub(super) async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let router = Router::new().route("/link/", get(link)).with_state(shared);
    // A connection that is dropped is reset: the app sees at once that it is gone.
    let listener = listener.tap_io(|stream| drop(stream.set_zero_linger()));
    // It fails only where the listener fails, and then no app gets in.
    let _ = axum::serve(listener, router).await;
}

async fn link(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let ticket = query.get("ticket").map(String::as_str).unwrap_or_default();
    {
        let mut world = shared.world();
        if !world.outbox.tickets.remove(ticket) || world.outbox.sockets.len() >= MAX_SOCKETS {
            return (StatusCode::FORBIDDEN, "this ticket cannot be used").into_response();
        }
    }
    upgrade.on_upgrade(move |socket| serve(shared, socket))
}

async fn serve(shared: Arc<Shared>, socket: WebSocket) {
    let (sender, receiver) = unbounded_channel();
    let id = {
        let mut world = shared.world();
        let outbox = &mut world.outbox;
        outbox.connected += 1;
        let id = outbox.connected;
        outbox.sockets.insert(id, Socket { sender, leaving: false });
        let hello = json!({"type": "hello", "num_connections": outbox.sockets.len(),
            "debug_info": {"host": "applink-1", "build_number": 10, "approximate_connection_time": 18_060},
            "connection_info": {"app_id": FakeSlack::APP}});
        outbox.write(id, Frame::Text(hello.to_string()));
        id
    };
    shared.bell.notify_one();
    exchange(&shared, socket, receiver).await;
    let now = shared.now();
    shared.world().outbox.gone(id, now);
    shared.bell.notify_one();
}

/// Writes frames and reads acknowledgements until one side ends the connection.
async fn exchange(shared: &Shared, socket: WebSocket, mut frames: UnboundedReceiver<Frame>) {
    let (mut write, mut read) = socket.split();
    loop {
        tokio::select! {
            frame = frames.recv() => {
                let message = match frame {
                    Some(Frame::Text(text)) => WsMessage::Text(text.into()),
                    Some(Frame::Ping) => WsMessage::Ping("Ping from applink-1".into()),
                    Some(Frame::Close) => WsMessage::Close(None),
                    Some(Frame::Drop) | None => return,
                };
                if write.send(message).await.is_err() {
                    return;
                }
            }
            message = read.next() => match message {
                Some(Ok(WsMessage::Text(text))) => acknowledge(shared, &text),
                Some(Ok(WsMessage::Ping(_) | WsMessage::Pong(_))) => {}
                Some(Ok(WsMessage::Binary(_))) => shared.wrong("a binary frame over a socket"),
                Some(Ok(WsMessage::Close(_)) | Err(_)) | None => return,
            },
        }
    }
}

fn acknowledge(shared: &Shared, text: &str) {
    let ack: Value = serde_json::from_str(text).unwrap_or_default();
    let envelope = ack["envelope_id"].as_str().unwrap_or_default();
    let found = shared.world().outbox.envelope(envelope);
    let Some((id, attempt)) = found else {
        return shared.wrong(&format!("an acknowledgement of an unknown envelope: {text}"));
    };
    let (again, takes) = {
        let world = shared.world();
        let one = &world.outbox.deliveries[id.0];
        (one.attempts[attempt].answered.is_some(), one.takes_payload())
    };
    let payload = ack["payload"].clone();
    let empty = payload.is_null() || payload.as_object().is_some_and(serde_json::Map::is_empty);
    if again {
        shared.wrong(&format!("a second acknowledgement of an envelope: {text}"));
    }
    if !takes && !empty {
        shared.wrong(&format!("a payload in an acknowledgement that takes none: {text}"));
    }
    let answer = if empty { Value::Null } else { payload };
    delivery::taken(shared, id, attempt, &Given { status: 200, answer, last: false });
}

impl FakeSlack {
    /// Returns the ids of the open sockets, oldest first.
    #[must_use]
    pub fn sockets(&self) -> Vec<u64> {
        self.shared.world().outbox.sockets.keys().copied().collect()
    }

    /// Tells a socket that it will be closed. The reason is `warning` or `refresh_requested`; with `link_disabled`,
    /// Socket Mode is switched off and every socket is closed.
    pub fn disconnects(&self, socket: u64, reason: &str) {
        let frame = json!({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}});
        let mut world = self.shared.world();
        let outbox = &mut world.outbox;
        if let Some(socket) = outbox.sockets.get_mut(&socket) {
            socket.leaving = true;
        }
        outbox.write(socket, Frame::Text(frame.to_string()));
        if reason == "link_disabled" {
            outbox.socket_mode = false;
            let all: Vec<u64> = outbox.sockets.keys().copied().collect();
            all.into_iter().for_each(|socket| outbox.write(socket, Frame::Close));
        }
    }

    /// Switches Socket Mode on again.
    pub fn enable_socket_mode(&self) {
        self.shared.world().outbox.socket_mode = true;
    }

    /// Closes a socket with a close frame.
    pub fn closes(&self, socket: u64) {
        self.shared.world().outbox.write(socket, Frame::Close);
    }

    /// Resets the connection of a socket, without a close frame.
    pub fn drops(&self, socket: u64) {
        self.shared.world().outbox.write(socket, Frame::Drop);
    }

    /// Pings a socket.
    pub fn pings(&self, socket: u64) {
        self.shared.world().outbox.write(socket, Frame::Ping);
    }

    /// Sends any text over a socket.
    pub fn sends_raw(&self, socket: u64, text: &str) {
        self.shared.world().outbox.write(socket, Frame::Text(text.into()));
    }

    /// Sends what a socket does not acknowledge again when the socket goes, even presses, forms and commands. Slack
    /// promises that of events only, which is the default.
    pub fn resends_everything(&self, resends: bool) {
        self.shared.world().outbox.resends_all = resends;
    }
}
