//! What a browser may do with our pages (`spec 07 §4`): our own script, style and connections, nothing else.

use axum::extract::Request;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// No inline script, no inline style, no third party, no frame around us, no string that becomes markup.
const CONTENT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// Puts the policy on every answer.
pub(crate) async fn restrict(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    let cross_origin = HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(cross_origin, HeaderValue::from_static("same-origin"));
    response
}
