//! `throughline-bench limit FILE`: the limit of an event over HTTP. An axum handler reads the request and writes the rows of
//! the same turn into SQLite, in groups; it checks no token, decides nothing and reads nothing back.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Context, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::load::LANES;
use crate::figures::b1_turn::rows;
use crate::frame::block_on;
use crate::load::Kind;
use crate::load::limit::Bare;
use crate::load::rows::Rows;

/// The most turns in one transaction, as many as the store's own groups have.
const GROUP: usize = 64;

/// A turn to write, and who waits for it.
struct Write {
    lane: usize,
    written: oneshot::Sender<()>,
}

/// Serves until it is killed.
pub(crate) fn serve(arguments: &[String]) -> anyhow::Result<()> {
    let [file] = arguments else { bail!("the limit is given one file") };
    let rows = rows(Kind::Reply)?;
    let rows = rows.into_iter().next().context("a reply is one turn")?;
    let database = Bare::open(Path::new(file), LANES)?;
    let (queue, waiting) = sync_channel(LANES);
    std::thread::spawn(move || {
        if let Err(error) = write(database, &rows, &waiting) {
            crate::frame::note(&format!("the limit stopped: {error}"));
        }
    });
    block_on(async {
        let app = Router::new()
            .route("/readyz", get(|| async { StatusCode::OK }))
            .route("/v1/events", post(event))
            .with_state(queue);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        crate::print(&json!({ "url": url }).to_string());
        axum::serve(listener, app).await?;
        Ok(())
    })?
}

/// Writes what waits, as many turns as wait in one transaction.
fn write(mut database: Bare, rows: &Rows, waiting: &Receiver<Write>) -> anyhow::Result<()> {
    while let Ok(first) = waiting.recv() {
        let mut group = vec![first];
        group.extend(waiting.try_iter().take(GROUP - 1));
        let lanes: Vec<usize> = group.iter().map(|one| one.lane).collect();
        database.write_group(&lanes, rows)?;
        for one in group {
            // Its client may be gone.
            let _ = one.written.send(());
        }
    }
    Ok(())
}

async fn event(State(queue): State<SyncSender<Write>>, body: Bytes) -> Response {
    let Some(conversation) = conversation(&body) else { return StatusCode::BAD_REQUEST.into_response() };
    let (written, answer) = oneshot::channel();
    let lane = conversation.trim_start_matches('c').parse().unwrap_or(0) % LANES;
    if queue.try_send(Write { lane, written }).is_err() || answer.await.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let answer = json!({ "state": "received", "lane": conversation }).to_string();
    (StatusCode::ACCEPTED, [(CONTENT_TYPE, "application/json")], answer).into_response()
}

/// Returns the conversation that an event is for.
fn conversation(body: &[u8]) -> Option<String> {
    let event: Value = serde_json::from_slice(body).ok()?;
    Some(event["lane"]["conversation"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::client::message;

    #[test]
    fn reads_the_conversation_of_the_load() {
        assert_eq!(conversation(message("c7").as_bytes()).as_deref(), Some("c7"));
        assert_eq!(conversation(b"{}"), None);
    }
}
