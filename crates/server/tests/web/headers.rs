//! Security headers: on every answer, and true of every page's markup.

use throughline_server::Sources;

use crate::browser::*;
use crate::support::*;

/// Expected policy, with Trusted Types.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; \
    base-uri 'none'; manifest-src 'self'; worker-src 'self'; img-src 'self' data:; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_says_what_may_be_done_with_it() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let asset = page
        .html()
        .split("href=\"")
        .find(|part| part.contains("chat.css"))
        .map(|part| unescape(part.split('"').next().unwrap()));
    let asset = asset.expect("a style sheet");
    for path in [
        "/",
        "/new",
        "/sign-in",
        "/turns/tn_x",
        "/tracker/X-1",
        "/edit?c=you:1&token=x",
        "/?c=nobody",
        &asset,
    ] {
        let reply = browser.get(path).await;
        assert_eq!(reply.header("content-security-policy"), Some(POLICY), "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{path}");
        }
    }
    let reply = browser.get(&asset).await;
    assert_eq!(
        (reply.status, reply.header("cache-control")),
        (200, Some("public, max-age=31536000, immutable"))
    );
    assert_eq!(page.reply.header("cache-control"), Some("no-store"));
    server.stopped().await;
}

/// A page whose address cannot be read is refused with a page, not with a document for programs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_cannot_be_read_is_refused_with_a_page() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    for path in [
        "/edit",
        "/conversation",
        "/edit?c=a&c=b",
        "/?c=a&c=b",
        "/conversations?q=a&q=b",
        "/new?page=nowhere",
    ] {
        let reply = browser.get(path).await;
        assert_eq!(reply.status, 400, "{path}");
        assert!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{path}");
        assert!(reply.text().contains("TL-2007"), "{path}: {}", reply.text());
    }
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_framed_only_by_the_hosts_that_are_named() {
    let office = Office::with("web.frame_ancestors = [\"https://app.example.org\"]\n");
    let server = office.serve().await;
    let reply = Browser::new(&server).get("/").await;
    let policy = reply.header("content-security-policy").unwrap();
    assert!(policy.contains("; frame-ancestors https://app.example.org; "), "{policy}");
    assert_eq!(reply.header("x-frame-options"), None, "it could name no host");
    server.stopped().await;
}

#[test]
fn a_host_that_is_none_is_refused_at_the_start() {
    for wrong in
        ["*", "https://", "a.example; script-src *", "a.example 'unsafe-inline'", "'none'", "javascript:x"]
    {
        let sources = Sources::default().flag("web.frame_ancestors", format!("[{wrong:?}]"), "--frames");
        let errors = throughline_server::Config::load(&sources).expect_err(wrong);
        assert!(errors.to_string().contains("web.frame_ancestors"), "{errors}");
    }
    for right in ["https://app.example.org", "https://*.example.org:8443", "app.example.org", "'self'"] {
        let sources = Sources::default().flag("web.frame_ancestors", format!("[{right:?}]"), "--frames");
        throughline_server::Config::load(&sources).expect(right);
    }
}

/// Answers about people and their work are kept by no cache, and over TLS the browser never asks without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_personal_is_cached_and_tls_is_kept() {
    let office = Office::new();
    let https = office.sources().flag("server.public_url", "HTTPS://bot.example.org", "--url");
    for (sources, strict) in [(office.sources(), None), (https, Some("max-age=31536000"))] {
        let server = Server::start(sources).await;
        for path in [
            "/",
            "/sign-in",
            "/console",
            "/nope",
            "/v1/lanes",
            "/v1/turns/tn_x",
            "/v1/tracker/issues",
            "/readyz",
            "/metrics",
        ] {
            let reply = server.get(path).token(&office.narrow).send().await;
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{path} {}", reply.status);
            assert_eq!(reply.header("strict-transport-security"), strict, "{path}");
        }
        server.stopped().await;
    }
}
