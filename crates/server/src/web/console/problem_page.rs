//! Problem documents as pages, with the same code and status, and the remedy.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;

use super::operator::{Equivalents, Frame};
use crate::codes;
use crate::problem::{PROBLEM_JSON, ProblemDetails};
use crate::web::page::page;

/// Maximum size of a problem document.
const MAX: usize = 64 * 1024;

#[derive(Serialize)]
struct ProblemPage {
    frame: Frame,
    twin: Equivalents,
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

/// Middleware that renders every problem document as a page.
pub(super) async fn render_problems(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let problem = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == PROBLEM_JSON);
    if !problem {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX).await.unwrap_or_default();
    let shown = serde_json::from_slice::<ProblemDetails>(&bytes)
        .ok()
        .and_then(|problem| page("console/problem.html", &problem_view(problem)).ok());
    let Some(shown) = shown else { return Response::from_parts(parts, bytes.into()) };
    let (html, body) = shown.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.extend(html.headers);
    Response::from_parts(parts, body)
}

fn problem_view(problem: ProblemDetails) -> ProblemPage {
    let code = codes::explain(&problem.code);
    ProblemPage {
        frame: Frame::bare(),
        twin: Equivalents::new(format!("throughline explain {}", problem.code), ""),
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
