//! A problem, as a page: the same code, the same status, and what to do.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;

use super::desk::{Frame, Twin};
use crate::codes;
use crate::problem::{PROBLEM_JSON, ProblemDetails};
use crate::web::page::page;

/// No problem is larger.
const MAX: usize = 64 * 1024;

#[derive(Serialize)]
struct Told {
    frame: Frame,
    twin: Twin,
    status: u16,
    code: String,
    name: String,
    title: String,
    detail: String,
    errors: Vec<String>,
    why: &'static str,
    fix: &'static str,
    request: String,
    turn: Option<String>,
}

/// Makes a page of every problem on its way out.
pub(super) async fn as_page(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let problem = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == PROBLEM_JSON);
    if !problem {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX).await.unwrap_or_default();
    let shown = serde_json::from_slice::<ProblemDetails>(&bytes)
        .ok()
        .and_then(|problem| page("console/problem.html", &told(problem)).ok());
    let Some(shown) = shown else { return Response::from_parts(parts, bytes.into()) };
    let (html, body) = shown.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.extend(html.headers);
    Response::from_parts(parts, body)
}

fn told(problem: ProblemDetails) -> Told {
    let code = codes::explain(&problem.code);
    Told {
        frame: Frame::bare(),
        twin: Twin::new(format!("throughline explain {}", problem.code), ""),
        status: problem.status,
        why: code.map_or("", |code| code.why),
        fix: code.map_or("", |code| code.fix),
        code: problem.code,
        name: problem.name,
        title: problem.title,
        detail: problem.detail,
        errors: problem.errors.into_iter().map(|wrong| format!("{} {}", wrong.pointer, wrong.text)).collect(),
        request: problem.instance,
        turn: problem.turn,
    }
}
