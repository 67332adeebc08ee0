//! Security headers of the pages: only our own scripts, styles and connections are allowed.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Content security policy: no inline script or style, no third party, no string that becomes markup. The one that becomes a
/// script is the address of the service worker (`web/install/install.js`).
const CONTENT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; manifest-src 'self'; worker-src 'self'; img-src 'self' data:";
const SCRIPTS: &str = "require-trusted-types-for 'script'; trusted-types worker";

/// Security headers.
pub(crate) struct Policy {
    content: HeaderValue,
    /// `X-Frame-Options` for older browsers, which do not know `frame-ancestors`; it cannot name hosts.
    frames: Option<HeaderValue>,
}

impl Policy {
    /// Makes the policy. Without hosts, no page may be shown in a frame.
    pub(crate) fn new(frame_ancestors: &[String]) -> Arc<Self> {
        let nobody = frame_ancestors.is_empty();
        let ancestors = if nobody { "'none'".to_owned() } else { frame_ancestors.join(" ") };
        // The configuration has checked the hosts. If they still form no valid header, framing is forbidden.
        // Hosts that show the chat show their logo in it.
        let logos = if nobody { String::new() } else { format!(" {ancestors}") };
        let content =
            HeaderValue::from_str(&format!("{CONTENT}{logos}; frame-ancestors {ancestors}; {SCRIPTS}"));
        Arc::new(Self {
            content: content
                .unwrap_or(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
            frames: nobody.then_some(HeaderValue::from_static("DENY")),
        })
    }
}

/// Middleware that adds the headers to every answer.
pub(crate) async fn restrict(State(policy): State<Arc<Policy>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, policy.content.clone());
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Some(frames) = &policy.frames {
        headers.insert(X_FRAME_OPTIONS, frames.clone());
    }
    let cross_origin = HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(cross_origin, HeaderValue::from_static("same-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_framed_by_nobody_unless_hosts_are_named() {
        let policy = Policy::new(&[]);
        assert!(policy.content.to_str().unwrap().contains("; frame-ancestors 'none'; "));
        assert_eq!(policy.frames.as_ref().unwrap(), "DENY");
        let policy = Policy::new(&["https://a.example.org".into(), "'self'".into()]);
        let content = policy.content.to_str().unwrap();
        assert!(content.contains("; frame-ancestors https://a.example.org 'self'; "), "{content}");
        assert!(policy.frames.is_none());
    }
}
