//! `throughline tools connect`: a person grants a tool server's tokens to this installation, in a browser.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use serde::Serialize;
use throughline_server::StartError;

use crate::api;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::settings;

/// Path to which the browser comes back.
const BACK: &str = "/connected";
/// The time in which a person agrees.
const LONGEST: Duration = Duration::from_secs(600);
/// The longest request of a browser that is read, in bytes.
const REQUEST: usize = 16 * 1024;
/// Name in the audit chain of whoever connected: they may read the files of this installation.
const BY: &str = "cli";

/// The result as printed with `--json`.
#[derive(Serialize)]
struct Connected<'a> {
    connected: &'a str,
}

/// Opens the store of this installation, has a person agree, and keeps what they granted.
pub(super) fn run(app: &App, server: &str, port: u16) -> Outcome {
    if app.flags.server.is_some() {
        return Err(Failure::usage(
            "a tool server is connected where the installation's files are, without --server",
        ));
    }
    let config = settings::installation(app)?;
    let failed = |error: StartError| api::not_started(&error);
    let not_connected = |why: String| {
        Failure::new(format!("{server} is not connected: {why}"))
            .code("TL-5303")
            .hint("docs/tools.md says how a server is authorized; begin again with the same command")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| Failure::new(format!("cannot listen on 127.0.0.1:{port}: {error}")))?;
    let address = listener.local_addr()?;
    let back = format!("http://{address}{BACK}");
    app.block_on(async {
        let instance = throughline_server::open(config).await.map_err(failed)?;
        let Some(clients) = &instance.tools else {
            return Err(not_connected("no tool server is configured".into()));
        };
        let consent = clients.begin_to_connect(server, &back).await.map_err(not_connected)?;
        app.out.message(&format!("Open this address in a browser, and agree:\n{}", consent.url));
        let came = tokio::task::spawn_blocking(move || wait(listener, &back)).await;
        let came = came.unwrap_or_else(|_| Err("whoever waited is gone".into())).map_err(not_connected)?;
        let done = clients.finish_to_connect(server, &consent, &came, BY).await;
        clients.close().await;
        done.map_err(not_connected)
    })??;
    if app.out.is_json() {
        app.out.value(&Connected { connected: server })?;
    } else {
        app.out.line(&format!("connected {server}"))?;
    }
    Ok(Exit::Ok)
}

/// Waits until a browser comes back, and returns the whole address that it came by.
fn wait(listener: TcpListener, back: &str) -> Result<String, String> {
    let (found, wanted) = mpsc::channel();
    let back = back.to_owned();
    // It ends with the process: a listener cannot be asked to stop waiting.
    std::thread::spawn(move || {
        for browser in listener.incoming().flatten() {
            if let Some(came) = serve(browser, &back)
                && found.send(came).is_err()
            {
                return;
            }
        }
    });
    wanted.recv_timeout(LONGEST).map_err(|_| "nobody came back within ten minutes".to_owned())
}

/// Answers a browser, and returns its address if it is the one that people come back by.
fn serve(mut browser: TcpStream, back: &str) -> Option<String> {
    let limit = Some(Duration::from_secs(5));
    browser.set_read_timeout(limit).ok()?;
    browser.set_write_timeout(limit).ok()?;
    let mut request = Vec::new();
    let mut chunk = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < REQUEST {
        match browser.read(&mut chunk) {
            Ok(read @ 1..) => request.extend_from_slice(&chunk[..read]),
            _ => break,
        }
    }
    let came = came_by(&String::from_utf8_lossy(&request), back);
    let (status, text) = match came {
        Some(_) => ("200 OK", "You may close this page. The terminal says whether it is connected."),
        None => ("404 Not Found", "This is not the page you were sent back to."),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = browser.write_all(answer.as_bytes());
    came
}

/// Returns the address of a request for the page to come back to, if it brings a code or an error.
fn came_by(request: &str, back: &str) -> Option<String> {
    let target = request.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    let query = target.strip_prefix(BACK)?.strip_prefix('?')?;
    let brings = query.split('&').any(|one| one.starts_with("code=") || one.starts_with("error="));
    brings.then(|| format!("{back}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_comes_back_with_a_code_or_an_error_and_by_nothing_else() {
        let back = "http://127.0.0.1:1/connected";
        let came = |line: &str| came_by(&format!("{line}\r\nhost: x\r\n\r\n"), back);
        for query in ["code=a&state=b", "state=b&iss=c&code=a", "error=access_denied&state=b"] {
            let line = format!("GET /connected?{query} HTTP/1.1");
            assert_eq!(came(&line), Some(format!("{back}?{query}")));
        }
        for line in [
            "GET /favicon.ico HTTP/1.1",
            "GET /connected HTTP/1.1",
            "GET /connected?state=b HTTP/1.1",
            "GET /other?code=a HTTP/1.1",
            "GET /connectedcode=a HTTP/1.1",
            "POST /connected?code=a HTTP/1.1",
            "",
        ] {
            assert_eq!(came(line), None, "{line}");
        }
    }
}
