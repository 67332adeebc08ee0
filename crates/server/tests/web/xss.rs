//! Escaping in the markup: two hundred strings that resemble markup, in everything a page shows. The tags and
//! attributes of every page are our own, and the strings are there as text. (A browser test covers execution.)

use std::collections::BTreeSet;

use serde_json::json;
use throughline_channels::api::is_invisible;
use throughline_channels::direction::steady;

use crate::browser::*;
use crate::support::*;

const STRINGS: &str = include_str!("xss.txt");

/// Elements that our templates use.
const TAGS: &[&str] = &[
    "!doctype",
    "a",
    "article",
    "b",
    "body",
    "button",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "head",
    "header",
    "html",
    "img",
    "input",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "script",
    "section",
    "small",
    "span",
    "summary",
    "textarea",
    "time",
    "title",
    "ul",
    // Of what agents write in Markdown.
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h4",
    "h5",
    "h6",
    "hr",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
];
const ATTRIBUTES: &[&str] = &[
    "action",
    "alt",
    "autocomplete",
    "charset",
    "class",
    "content",
    "datetime",
    "disabled",
    "enterkeyhint",
    "for",
    "form",
    "formaction",
    "hidden",
    "href",
    "html",
    "id",
    "lang",
    "loading",
    "maxlength",
    "method",
    "multiple",
    "name",
    "open",
    "placeholder",
    "popover",
    "popovertarget",
    "rel",
    "required",
    "role",
    "rows",
    "spellcheck",
    "src",
    "start",
    "tabindex",
    "target",
    "title",
    "type",
    "value",
];

/// Parses the tags of a page with their attributes, as HTML does: a quoted value ends at the same quote.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len());
        let name = rest[..end].to_lowercase();
        rest = &rest[end..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with('>') {
                break;
            }
            let end = rest.find(|c: char| c.is_whitespace() || c == '=' || c == '>').unwrap_or(rest.len());
            let attribute = rest[..end].to_lowercase();
            rest = &rest[end..];
            let mut value = String::new();
            if let Some(quoted) = rest.strip_prefix("=\"") {
                let (inside, after) = quoted.split_once('"').expect("a quote ends");
                (value, rest) = (unescape(inside), after);
            } else {
                assert!(!rest.starts_with('='), "a value without quotes: {}", &rest[..rest.len().min(80)]);
            }
            attributes.push((attribute, value));
        }
        found.push((name, attributes));
    }
    found
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn only_ours(page: &str, html: &str) {
    for (tag, attributes) in tags(html) {
        assert!(TAGS.contains(&tag.as_str()), "<{tag}> on {page}");
        for (name, value) in attributes {
            let known =
                ATTRIBUTES.contains(&name.as_str()) || name.starts_with("data-") || name.starts_with("aria-");
            assert!(known, "{name}=… on <{tag}> of {page}");
            // A link that an agent wrote: it leads elsewhere, and opens there.
            let leads = tag == "a"
                && ["http://", "https://", "mailto:"].iter().any(|scheme| value.starts_with(scheme));
            if ["href", "src", "action", "formaction"].contains(&name.as_str()) && !leads {
                let ours =
                    ["/", "#"].iter().any(|start| value.starts_with(start)) && !value.starts_with("//");
                assert!(ours || value.starts_with("data:image/svg+xml,"), "{name}={value:?} of {page}");
            }
        }
    }
}

// row: WB3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_strings_are_text_wherever_they_stand() {
    let strings: BTreeSet<&str> = STRINGS.lines().collect();
    assert_eq!(strings.len(), 200);
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    for (n, text) in strings.iter().enumerate() {
        // As words to search for, in the beginning, while there is little to be searched.
        if n < 40 {
            let found = browser.visit(&format!("/conversations?q={}", encoded(text))).await;
            only_ours(text, &found.html());
        }
        // As a message, in the scope gate's quotation, and as the conversation's title.
        let page = browser.visit("/new").await;
        let page = browser.say(&page, text).await;
        let html = page.html();
        only_ours(text, &html);
        let shown = steady(text);
        assert_eq!(page.texts().first().map(String::as_str), Some(&*shown));
        let title = html.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap();
        assert!(html.contains(&format!("<span class=\"title\">{title}</span>")), "{title} is listed");
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let title = letters(&unescape(title));
        assert!(letters(&shown).contains(&title) || title == "Newconversation", "{title} of {shown}");
        if n % 4 != 0 {
            continue;
        }
        // In every field of a ticket: on the card, in its form, on the receipt and in the tracker.
        let page = browser.visit("/new").await;
        let page = browser.say(&page, TASK).await;
        let form = browser.press(&page, "edit").await;
        let fields = [
            ("field.title", *text),
            ("field.problem", text),
            ("field.acceptance", text),
            ("field.labels", text),
        ];
        let page = browser.submit(&form, "/edit", &fields).await;
        only_ours(text, &page.html());
        assert!(
            unescape(&page.html()).matches(&*shown).count() >= 4,
            "{text} is shown as text: {}",
            page.html()
        );
        let form = browser.press(&page, "edit").await;
        only_ours(text, &form.html());
        // The tracker refuses some of the strings as a label or a title.
        let line: String = text.chars().filter(|c| !c.is_control()).collect();
        let page = browser.submit(&form, "/edit", &[("field.labels", ""), ("field.title", &line)]).await;
        let page = browser.press(&page, "approve").await;
        only_ours(text, &page.html());
        let key = page.html().split("tracker&#x2f;").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let issue = browser.visit(&format!("/tracker/{key}")).await;
        only_ours(text, &issue.html());
        assert!(unescape(&issue.html()).contains(&*shown));
    }
    server.stopped().await;
}

/// Returns a string as a name of a file: one line of what can be seen.
fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !is_invisible(*c)).take(100).collect()
}

/// Keeps a picture of that name.
async fn kept(server: &Server, conversation: &str, name: &str) -> serde_json::Value {
    let path = format!("/v1/files?channel=web&conversation={}&name={}", encoded(conversation), encoded(name));
    let reply =
        server.post(&path).header("Content-Type", "image/png").bytes(b"picture".to_vec()).send().await;
    assert_eq!(reply.status, 200, "{name:?}: {}", reply.text());
    json!({"id": reply.json()["id"]})
}

/// Strings that arrive in addresses or from a host: ids, names of people, questions of the host's own agent.
// row: WB3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_and_hosts_bring_no_markup_either() {
    let server = Server::demo().await;
    let browser = Browser::new(&server);
    let page = browser.visit("/").await;
    let conversation = page.data("data-conversation");
    let mut spoke = Vec::new();
    for (n, text) in STRINGS.lines().enumerate() {
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let segment = query.replace('+', "%20");
        let path = match n % 6 {
            0 => format!("/?c={query}"),
            1 => format!("/turns/{segment}"),
            2 => format!("/tracker/{segment}"),
            3 => format!("/edit?c=you%3A1&token={query}"),
            4 => format!("/sign-in?link={query}"),
            _ => format!("/sign-in?to={query}"),
        };
        let reply = browser.get(&path).await;
        if reply.status == 303 {
            assert!(reply.header("location").unwrap().starts_with('/'), "{path}");
        } else {
            only_ours(&path, &reply.text());
        }
        let lane = json!({"channel": "web", "conversation": conversation});
        let id: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\u{202e}').take(100).collect();
        let files = json!([kept(&server, &conversation, text).await, {"name": line(text), "url": "https://a.example/1"}]);
        let spoken = json!({"lane": lane, "kind": "message.posted", "text": "hi", "actor": {"id": id}, "files": files});
        server.turn(&format!("actor-{n}"), &spoken).await;
        let asked = json!({"lane": lane, "kind": "assistant.posted",
            "assistant": {"kind": "question", "text": text, "expected": "text"}});
        server.turn(&format!("asked-{n}"), &asked).await;
        spoke.push((id, text));
        if spoke.len() < 10 {
            continue;
        }
        let html = browser.visit(&page.address).await.html();
        only_ours(text, &html);
        let read = unescape(&html);
        assert!(
            read.contains(&format!("Waiting for your answer: <q>{}</q>", steady(text))),
            "{text}: {html}"
        );
        for (id, text) in spoke.drain(..) {
            assert!(read.contains(&format!("<span class=\"who\">{id}</span>")), "{id}");
            let name = line(text);
            assert!(read.contains(&format!("<span class=\"file\">{name} ")), "{name}: {html}");
            for word in text.split(|c: char| !c.is_alphabetic()) {
                assert!(read.contains(word), "{word} of {text}");
            }
        }
    }
    server.stopped().await;
}
