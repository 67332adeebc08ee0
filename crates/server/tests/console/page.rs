//! Parser for pages: as much of a browser as the tests need.

use crate::browser::{Browser, form};
use crate::support::{Call, Reply, Server};

/// Page that was answered.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) html: String,
}

/// Elements without an end tag.
const VOID: [&str; 6] = ["meta", "link", "input", "br", "img", "hr"];

impl Page {
    /// Checks that the answer is a complete page; returns it.
    pub(crate) fn of(reply: &Reply) -> Self {
        let html = reply.text();
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{} {html}", reply.status);
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        well_formed(&html);
        for inline in ["<style", " style=", " onclick=", "javascript:", "<script>"] {
            assert!(!html.contains(inline), "{inline} in {html}");
        }
        assert!(html.contains("<main id=\"main\"") && html.contains("class=\"skip\""), "landmarks: {html}");
        assert_eq!(html.matches("<table").count(), html.matches("<caption>").count(), "a caption each");
        Self { status: reply.status, html }
    }

    /// Returns the text without tags, with whitespace collapsed.
    pub(crate) fn text(&self) -> String {
        text(&self.html)
    }

    /// Returns the part of the page after a mark.
    pub(crate) fn after(&self, mark: &str) -> Self {
        let at = self.html.find(mark).unwrap_or_else(|| panic!("no {mark} in {}", self.html));
        Self { status: self.status, html: self.html[at..].to_owned() }
    }

    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.text().contains(words), "no {words:?} in {}", self.text());
        self
    }

    pub(crate) fn links_to(&self, href: &str) -> &Self {
        let links = self.links("/");
        assert!(links.iter().any(|link| link == href), "no link to {href} among {links:?}");
        self
    }

    /// Returns the addresses of links with that prefix, in order, each once.
    pub(crate) fn links(&self, prefix: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for rest in self.html.split("href=\"").skip(1) {
            let href = unescaped(rest.split('"').next().unwrap_or_default());
            if href.starts_with(prefix) && !found.contains(&href) {
                found.push(href);
            }
        }
        found
    }

    /// Returns the value of a hidden field.
    pub(crate) fn field(&self, name: &str) -> String {
        let mark = format!("name=\"{name}\" value=\"");
        let at = self.html.find(&mark).unwrap_or_else(|| panic!("no field {name} in {}", self.html));
        unescaped(self.html[at + mark.len()..].split('"').next().unwrap_or_default())
    }

    /// Returns number, result and words of each rung, in order.
    pub(crate) fn rungs(&self) -> Vec<(u8, String, String)> {
        let rung = |item: &str| {
            let state = item.split('"').next().unwrap_or_default().to_owned();
            let words = text(
                item.split("<div>").nth(1).unwrap_or_default().split("</li>").next().unwrap_or_default(),
            );
            let number = words.split(' ').nth(1)?.strip_suffix(':')?.parse().ok()?;
            Some((number, state, words))
        };
        self.html.split("<li class=\"rung ").skip(1).filter_map(rung).collect()
    }
}

impl Server {
    /// Loads a page that must exist.
    pub(crate) async fn page(&self, path: &str) -> Page {
        let reply = self.get(path).send().await;
        let page = Page::of(&reply);
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        page
    }
}

/// Operator at the console of a demo, with a browser.
pub(crate) struct Operator<'s> {
    server: &'s Server,
    pub(crate) browser: Browser<'s>,
    pub(crate) csrf: String,
}

impl<'s> Operator<'s> {
    pub(crate) async fn at(server: &'s Server) -> Self {
        let browser = Browser::new(server);
        let csrf = browser.visit("/console").await.field("csrf");
        Self { server, browser, csrf }
    }

    /// Sends a form as a browser does.
    pub(crate) async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let fields = [fields, &[("csrf", &self.csrf)]].concat();
        self.browser.send(sent_from_here(form(self.server, path, &fields))).await
    }
}

/// Adds the headers that a browser sends with a form of a page with `Referrer-Policy: no-referrer`.
pub(crate) fn sent_from_here(call: Call) -> Call {
    call.header("Sec-Fetch-Site", "same-origin").header("Origin", "null")
}

/// Returns the target of a redirect.
pub(crate) fn sent_to(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{}", reply.text());
    reply.header("location").expect("a location").to_owned()
}

fn text(html: &str) -> String {
    let mut out = String::new();
    for part in html.split('<') {
        out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        out.push(' ');
    }
    unescaped(&out).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unescaped(text: &str) -> String {
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Checks that every element is closed, in order.
fn well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let name = tag.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "</{name}> closes something else"),
            None if name.starts_with('!') || VOID.contains(&name) => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "never closed");
}
