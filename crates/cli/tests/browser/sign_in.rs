//! Signing in where nobody is let in by default: by a one-time link, as one person (`spec 07 §4`).

use crate::access::{can_be_read, everything_is_named};
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::{At, Page};
use crate::serving::{Kind, Serving};

/// Two people, and who may approve.
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
    let serving = Serving::of(Kind::Configured(OFFICE.into()));
    let page = Page::first(&browser);
    page.go(&serving.url());
    page.find(At::Named("heading", "Sign in"));
    everything_is_named(&page, "body");
    for theme in ["light", "dark"] {
        page.theme(theme);
        can_be_read(&page, theme);
    }
    let made = serving.command(&["token", "link", "ana"]).output().unwrap();
    let link = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let chat = Chat::shown(page, link.trim(), |page| page.click(At::Named("button", "Sign in as ana")));
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    assert!(chat.until_receipt().title.contains("approved by @ana"));
    chat.is_clean();
    chat.click(At::Named("button", "Sign out"));
    chat.find(At::Named("heading", "Sign in"));
    // It is used up.
    chat.go(link.trim());
    chat.click(At::Named("button", "Sign in as ana"));
    chat.until_says("TL-2109");
}
