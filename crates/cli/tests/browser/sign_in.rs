//! Signing in with a one-time link, where anonymous access is off.

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::{Kind, Server};

/// Two users, and an approver rule.
const OFFICE: &str = r#"
tenant = "office"

[[users]]
id = "ana"
roles = ["member", "approver"]

[[users]]
id = "bob"
roles = ["member"]

[[approvers]]
effects = ["tracker.*"]
targets = ["local:*"]
allow = ["role:approver"]
self_approve = true
"#;

#[test]
fn a_one_time_link_signs_one_person_in() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::of(Kind::Configured(OFFICE.into()));
    let page = Page::first(&browser);
    page.go(&server.url());
    page.find(By::Role("heading", "Sign in"));
    assert_all_named(&page, "body");
    for theme in ["light", "dark"] {
        page.theme(theme);
        assert_contrast(&page, theme);
    }
    let made = server.command(&["token", "link", "ana"]).output().unwrap();
    let link = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let chat = Chat::open_with(page, link.trim(), |page| page.click(By::Role("button", "Sign in as ana")));
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    assert!(chat.until_receipt().title.contains("approved by @ana"));
    chat.assert_no_faults();
    chat.click(By::Role("button", "Sign out"));
    chat.find(By::Role("heading", "Sign in"));
    // A link works once.
    chat.go(link.trim());
    chat.click(By::Role("button", "Sign in as ana"));
    chat.until_says("TL-2109");
}
