//! Sign-in by OpenID Connect in a browser, at somebody else's provider on another site: `oidc-provider`, which is certified.
//!
//! It comes from npm: `cargo xtask peers` installs it outside of the repository and runs this test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::{Kind, Server};

/// A provider in a process of its own. Dropping it ends the process.
struct Provider {
    child: Child,
    says: BufReader<std::process::ChildStdout>,
    port: String,
}

impl Provider {
    fn start() -> Self {
        let description = std::env::var("THROUGHLINE_OIDC_PROVIDER").expect("it names a package.json");
        let script = format!("{}/tests/browser/provider.mjs", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new("node");
        command.arg(script).arg(description).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("there is node");
        let says = BufReader::new(child.stdout.take().unwrap());
        let mut provider = Self { child, says, port: String::new() };
        provider.port = provider.line();
        provider
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Tells it where people come back to.
    fn serves(&mut self, server: &Server) {
        let back = format!("{}/sign-in/openid/back\n", server.url());
        self.child.stdin.as_mut().unwrap().write_all(back.as_bytes()).unwrap();
        assert_eq!(self.line(), "ready");
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Goes through the provider's pages as somebody.
fn sign_in(page: &Page<'_>, name: &str) {
    page.click(By::Role("link", "Sign in with npm"));
    page.until_is(
        "the provider's form",
        "return document.querySelector('[name=login]') !== null",
        &json!(true),
    );
    page.click(By::Css("[name=login]"));
    page.type_lines(name);
    page.click(By::Css("[name=password]"));
    page.type_lines("any");
    page.click(By::Css("[type=submit]"));
    let asks = "return document.body.innerText.includes('Continue') || document.body.innerText.includes('throughline')";
    page.until_is("the question for consent", asks, &json!(true));
    page.click(By::Css("[type=submit]"));
}

#[test]
#[ignore = "needs a provider from npm: cargo xtask peers"]
fn somebody_signs_in_at_a_provider_of_another_site() {
    let Some(browser) = Browser::start() else { return };
    let mut provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "s3cret-of-the-client").unwrap();
    let settings = format!(
        "[openid]\nissuer = \"http://localhost:{}\"\nallow_loopback = true\nname = \"npm\"\nclient_id = \"throughline\"\n\
         client_secret_file = {secret:?}\nroles_claim = \"groups\"\nroles = {{ root = \"admin\" }}\n",
        provider.port
    );
    let server = Server::of(Kind::Configured(settings));
    provider.serves(&server);
    let page = Page::first(&browser);
    page.go(&format!("{}/console/people", server.url()));
    sign_in(&page, "eve");
    let there = "return location.pathname + ' ' + (document.querySelector('h1')?.innerText ?? '')";
    page.until_is("the page that was asked for", there, &json!("/console/people People"));
    page.until_is("the person", "return document.body.innerText.includes('eve of npm')", &json!(true));
    page.click(By::Css("form[action='/sign-out'] button"));
    page.until_is("the sign-in", "return location.pathname", &json!("/sign-in"));
    page.go(&format!("http://localhost:{}/session/end", provider.port));
    page.click(By::Css("[type=submit]"));
    page.go(&format!("{}/console", server.url()));
    sign_in(&page, "bob");
    let refused = "return document.body.innerText.includes('person bob has no role here')";
    page.until_is("the refusal", refused, &json!(true));
}
