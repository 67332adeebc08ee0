//! Connections that hold their place: whoever sends nothing, or reads nothing, locks nobody out.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use throughline_server::{Config, ConnectionLimits, open};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::*;

/// Limits that end within a test.
fn short(all: usize, per_peer: usize) -> ConnectionLimits {
    ConnectionLimits {
        reserve_life: Duration::from_millis(200),
        head: Duration::from_millis(500),
        idle: Duration::from_millis(500),
        write: Duration::from_millis(500),
        stalled: Duration::from_millis(50),
        ..ConnectionLimits::new(all, per_peer)
    }
}

async fn server(limits: ConnectionLimits) -> Server {
    let mut config = Config::load(&demo()).expect("the test's configuration is right");
    config.server.connections = limits;
    Server::run(open(config).await.expect("the instance opens")).await
}

/// Client that holds its connection.
#[derive(Clone, Copy, Debug)]
enum Holding {
    /// Sends nothing.
    Silent,
    /// Sends half a head.
    HalfAHead,
    /// Asks for large answers and reads none.
    ReadingNothing,
}

impl Holding {
    const ALL: [Self; 3] = [Self::Silent, Self::HalfAHead, Self::ReadingNothing];

    async fn connect(self, server: &Server) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4_096).expect("a small buffer");
        let stream = socket.connect(server.address).await.expect("the server listens");
        let request = format!("GET /v1/openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        let bytes = match self {
            Self::Silent => String::new(),
            Self::HalfAHead => request[..request.len() / 2].into(),
            Self::ReadingNothing => request.repeat(100),
        };
        // What the system does not take at once is more than the server reads.
        let _ = stream.try_write(bytes.as_bytes());
        stream
    }

    async fn crowd(self, server: &Server, number: usize) -> Vec<TcpStream> {
        let mut crowd = Vec::new();
        for _ in 0..number {
            crowd.push(self.connect(server).await);
        }
        crowd
    }
}

/// Checks that probes are answered at once, and an event once a client that reads nothing can be told from a slow one.
async fn serves(server: &Server, holding: Holding) {
    for path in ["/livez", "/readyz"] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}, {holding:?}");
    }
    let event = server.event("k1", &said("c1", "ana", "/maro help"));
    eventually("an event is taken", || async { event.send().await.status == 202 }).await;
}

/// Waits until the server has closed each of them.
async fn are_closed(holding: Holding, mut crowd: Vec<TcpStream>) {
    if matches!(holding, Holding::ReadingNothing) {
        // Nothing is read here, which would let the server go on. What it closed before it had to wait ends without a reset,
        // and those are fewer than half.
        let most = crowd.len() / 2;
        eventually("those that read nothing are closed", || {
            crowd.retain(|stream| !stream.take_error().is_ok_and(|error| error.is_some()));
            let few = crowd.len() < most;
            async move { few }
        })
        .await;
    }
    eventually("each connection is closed", || {
        crowd.retain(|stream| !is_at_end(stream));
        let none = crowd.is_empty();
        async move { none }
    })
    .await;
}

/// Reads what is there; returns true if nothing can follow.
fn is_at_end(stream: &TcpStream) -> bool {
    let mut bytes = [0; 4_096];
    loop {
        match stream.try_read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// Connects from an address of this machine.
pub(crate) async fn connect_from(server: &Server, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((from, 0))).expect("an address of this machine");
    socket.connect(server.address).await.expect("the server listens")
}

/// Begins a request whose body the server waits for; returns it with the body.
async fn busy(server: &Server, key: &str, from: Ipv4Addr) -> (TcpStream, Vec<u8>) {
    let mut stream = connect_from(server, from).await;
    let call = server.event(key, &said("c1", "ana", "/maro help")).header("Expect", "100-continue");
    let wire = call.wire();
    let head_end = wire.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    stream.write_all(&wire[..head_end]).await.expect("the server reads");
    let mut goes_on = *b"HTTP/1.1 100 Continue\r\n\r\n";
    stream.read_exact(&mut goes_on).await.expect("it asks for the body");
    assert_eq!(goes_on, *b"HTTP/1.1 100 Continue\r\n\r\n");
    (stream, wire[head_end..].to_vec())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_hold_their_connections_lock_nobody_out_and_are_closed() {
    for holding in Holding::ALL {
        let server = server(short(64, 64)).await;
        let crowd = holding.crowd(&server, 80).await;
        serves(&server, holding).await;
        are_closed(holding, crowd).await;
        server.stopped().await;
    }
}

/// The limits of an installation, with as many clients as lock an unprotected server out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eleven_hundred_clients_that_read_nothing_lock_nobody_out() {
    let server = server(ConnectionLimits::new(1_024, 1_024)).await;
    let crowd = Holding::ReadingNothing.crowd(&server, 1_100).await;
    serves(&server, Holding::ReadingNothing).await;
    server.stopped().await;
    are_closed(Holding::ReadingNothing, crowd).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_are_answered_when_every_connection_is_busy() {
    let server = server(short(3, 3)).await;
    let mut running = Vec::new();
    for key in ["k1", "k2", "k3"] {
        running.push(busy(&server, key, Ipv4Addr::LOCALHOST).await);
    }
    let event = server.event("k4", &said("c1", "ana", "/maro help"));
    let reply = event.send().await;
    assert_eq!((reply.status, reply.problem().as_str()), (503, "TL-2012"));
    assert!(reply.header("retry-after").is_some());
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).send().await.status, 200, "{path}");
    }
    // Whoever takes the reserve keeps it for a moment only.
    let crowd = Holding::Silent.crowd(&server, 100).await;
    assert_eq!(server.get("/livez").send().await.status, 200);
    are_closed(Holding::Silent, crowd).await;

    let (mut stream, rest) = running.remove(0);
    stream.write_all(&rest).await.unwrap();
    assert_eq!(Reply::read(&mut stream).await.status, 202, "what runs is not disturbed");
    eventually("there is a place again", || async { event.send().await.status == 202 }).await;
    drop(running);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_peer_does_not_take_the_connections_of_others() {
    let server = server(short(64, 2)).await;
    let other = Ipv4Addr::new(127, 0, 0, 2);
    let mut running = Vec::new();
    for key in ["k1", "k2"] {
        running.push(busy(&server, key, other).await);
    }
    let event = server.event("k3", &said("c1", "ana", "/maro help"));
    let mut third = connect_from(&server, other).await;
    third.write_all(&event.wire()).await.unwrap();
    assert_eq!(Reply::read(&mut third).await.problem(), "TL-2012");
    assert_eq!(event.send().await.status, 202, "another address is served as always");
    for (mut stream, rest) in running {
        stream.write_all(&rest).await.unwrap();
        assert_eq!(Reply::read(&mut stream).await.status, 202);
    }
    server.stopped().await;
}
