//! The chat in a page of another site: the widget, its messages, the look that the page gives it, and signing in.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::driver::{Browser, Element};
use crate::lists::said;
use crate::page::{By, Page};
use crate::server::{Kind, Server};

/// The field for a message. Names are not told of a frame of another site.
const MESSAGE: By<'static> = By::Css("#text");

/// Serves one page at another site than the chat's: `localhost`, while the chat is at `127.0.0.1`.
fn host_page(port: u16, listener: TcpListener, html: String) -> String {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{html}", html.len());
        }
    });
    format!("http://localhost:{port}/")
}

/// Binds the port of a page, so that the chat's configuration can name it.
fn bind() -> (u16, TcpListener) {
    let listener = TcpListener::bind("localhost:0").unwrap();
    (listener.local_addr().unwrap().port(), listener)
}

fn page_with(server: &Server, attributes: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>Shop</title><h1>Shop</h1>
         <p>A page of another site.</p><script src='{}/embed.js' {attributes}></script></html>",
        server.url()
    )
}

#[track_caller]
fn frame(page: &Page<'_>) -> Element {
    let script = "const roots = [...document.body.children].map(it => it.shadowRoot).filter(it => it);
        return roots[0]?.querySelector('iframe:not([hidden])')";
    page.until("the frame", || Element::of(&page.run(script, &[])).ok_or_else(|| "no frame".into()))
}

/// Writes a message in the frame. Keys go to the page around it until the frame has the focus, so what was typed is looked at.
#[track_caller]
fn write(page: &Page<'_>, text: &str) {
    let connection = "return document.querySelector('[data-connection]')?.dataset.connection";
    page.until_is("the connection", connection, &json!("live"));
    page.until("the text to be typed", || {
        page.click(MESSAGE);
        page.run("document.getElementById('text').value = ''", &[]);
        page.type_text(text);
        let typed = page.run("return document.getElementById('text').value", &[]);
        if typed == json!(text) { Ok(()) } else { Err(typed.to_string()) }
    });
    page.press("Enter");
}

#[test]
fn a_page_of_another_site_shows_the_chat_in_its_own_look() {
    let Some(browser) = Browser::start() else { return };
    let (port, listener) = bind();
    let server = Server::with(&format!("[web]\nframe_ancestors = [\"http://localhost:{port}\"]\n"));
    let page = Page::first(&browser);
    let attributes = "data-name='Help desk' data-accent='#ffcc00' data-radius=4 data-scheme=light";
    page.go(&host_page(port, listener, page_with(&server, attributes)));
    page.run(
        "window.counts = []; throughline.on('unread', count => counts.push(count)); throughline.open()",
        &[],
    );
    let chat = frame(&page);
    page.switch_frame(Some(&chat));
    page.find(MESSAGE);
    write(&page, "What do you think about microservices?");
    page.until_says("What should I do with this?");
    // A yellow that white text could not be read on is darkened, and the text on it is dark or light as it must be.
    assert_contrast(&page, "light");
    let look = "const style = getComputedStyle(document.documentElement);
        return [style.getPropertyValue('--radius'), document.querySelector('.brand').textContent]";
    assert_eq!(page.run(look, &[]), json!(["4px", "Help desk"]));
    // Closed, what arrives is counted for the page around it.
    let conversation = page.run("return document.body.dataset.conversation", &[]);
    page.click(By::Css("#leave"));
    page.switch_frame(None);
    said(&server, conversation.as_str().unwrap(), "/maro status");
    page.until("the count", || {
        let counted = page.run("return counts.at(-1) > 0", &[]) == json!(true);
        counted.then_some(()).ok_or_else(|| page.run("return counts", &[]).to_string())
    });
    page.run(
        "throughline.theme({ background: '#101820', text: '#f4f4f4', scheme: 'dark' }); throughline.open()",
        &[],
    );
    page.until_is("the count to go", "return counts.at(-1)", &json!(0));
    page.switch_frame(Some(&frame(&page)));
    page.until_is(
        "the background",
        "return getComputedStyle(document.documentElement).backgroundColor",
        &json!("rgb(16, 24, 32)"),
    );
    page.press("Escape");
    page.switch_frame(None);
    let closed = "return [...document.body.children].find(it => it.shadowRoot).shadowRoot.querySelector('iframe').hidden";
    page.until_is("the chat to close", closed, &json!(true));
    assert_eq!(json!(page.faults()), json!([]));
    // The same page without a frame around it, where names are told.
    page.go(&format!("{}/embed", server.url()));
    page.find(By::Role("button", "Close the chat"));
    assert_all_named(&page, "body");
}

#[test]
fn a_person_is_signed_in_by_a_link_that_the_page_passes_on() {
    let Some(browser) = Browser::start() else { return };
    let (port, listener) = bind();
    let server = Server::of(Kind::Configured(format!(
        "[web]\nframe_ancestors = [\"http://localhost:{port}\"]\n[[users]]\nid = \"ana\"\nroles = [\"member\"]\n"
    )));
    let made = server.command(&["token", "link", "ana"]).output().unwrap();
    let link = String::from_utf8(made.stdout).unwrap();
    let page = Page::first(&browser);
    page.go(&host_page(port, listener, page_with(&server, "")));
    // What another page of the same browser says is not listened to.
    page.run("throughline.signIn(() => 'none'); throughline.open()", &[]);
    page.switch_frame(Some(&frame(&page)));
    page.until_says("the link was used before, or its time is over");
    page.switch_frame(None);
    page.run("throughline.signIn(arguments[0])", &[json!(link.trim())]);
    page.switch_frame(Some(&frame(&page)));
    page.find(MESSAGE);
    assert_eq!(page.run("return document.body.dataset.user", &[]), json!("ana"));
    write(&page, "What do you think about microservices?");
    page.until_says("What should I do with this?");
    page.switch_frame(None);
    // The session is the frame's alone: in a window of its own the browser is signed in by nobody.
    let own = Page::another(&browser);
    own.go(&server.url());
    own.find(By::Role("heading", "Sign in"));
}

#[test]
fn a_page_that_is_not_named_shows_nothing_and_is_not_heard() {
    let Some(browser) = Browser::start() else { return };
    let (port, listener) = bind();
    let server =
        Server::of(Kind::Configured("[web]\nframe_ancestors = [\"https://app.example.org\"]\n".into()));
    let page = Page::first(&browser);
    page.go(&host_page(port, listener, page_with(&server, "data-load=eager")));
    page.run("throughline.open()", &[]);
    page.switch_frame(Some(&frame(&page)));
    page.until("the browser to refuse the frame", || {
        let text = page.text();
        if text.contains("Message") || text.contains("Conversations") { Err(text) } else { Ok(()) }
    });
    assert!(!page.is_visible(MESSAGE));
}
