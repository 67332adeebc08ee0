//! Files in the chat: attached by the button, by pasting and by dropping, shown, and evidence of the ticket.

use serde_json::{Value, json};

use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::Server;

/// Makes a picture and a text file, and hands them over in one of the ways that people do. Chromium's own file dialog cannot
/// be driven; what it hands over is the same list.
const HAND_OVER: &str = "const [way, names, size] = arguments;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [320, 200];
    const ink = canvas.getContext('2d');
    ink.fillStyle = 'teal';
    ink.fillRect(0, 0, 320, 200);
    const picture = Uint8Array.from(atob(canvas.toDataURL('image/png').split(',')[1]), c => c.charCodeAt(0));
    const files = new DataTransfer();
    for (const name of names) {
      const [content, type] = name.endsWith('.png') ? [picture, 'image/png'] : [new Uint8Array(size ?? 2000), 'text/plain'];
      files.items.add(new File([content], name, { type }));
    }
    const text = document.getElementById('text');
    const happens = { bubbles: true, cancelable: true };
    if (way === 'paste') text.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, ...happens }));
    if (way === 'drop') document.getElementById('log').dispatchEvent(new DragEvent('drop', { dataTransfer: files, ...happens }));
    if (way === 'choose') {
      const input = document.getElementById('files');
      input.files = files.files;
      input.dispatchEvent(new Event('change', happens));
    }";

fn hand_over(page: &Page<'_>, way: &str, names: &[&str]) {
    page.run(HAND_OVER, &[json!(way), json!(names)]);
}

/// Waits until these files are at the composer, and kept.
#[track_caller]
fn until_attached(page: &Page<'_>, names: &[&str]) {
    let script = "return [...document.querySelectorAll('#attached > li:not([aria-busy])')]
        .map(file => file.querySelector('span').textContent)";
    page.until_is("the files", script, &json!(names));
}

/// Returns the addresses of the files of messages.
fn shown(page: &Page<'_>) -> Vec<String> {
    let script = "return [...document.querySelectorAll('.mine .files a')].map(file => file.href)";
    serde_json::from_value(page.run(script, &[])).unwrap()
}

#[test]
fn files_are_attached_shown_and_evidence_of_the_ticket() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    let choose = chat.find(By::Role("button", "Attach files"));
    assert!(chat.has(&choose));
    hand_over(&chat, "choose", &["screenshot.png"]);
    hand_over(&chat, "paste", &["notes.txt"]);
    until_attached(&chat, &["screenshot.png", "notes.txt"]);
    hand_over(&chat, "drop", &["wrong.png"]);
    until_attached(&chat, &["screenshot.png", "notes.txt", "wrong.png"]);
    chat.click(By::Role("button", "Remove wrong.png"));
    until_attached(&chat, &["screenshot.png", "notes.txt"]);
    // A reload keeps them, as it keeps the words.
    chat.reload();
    until_attached(&chat, &["screenshot.png", "notes.txt"]);
    chat.write(BUG);
    let preview = chat.until_preview(1);
    until_attached(&chat, &[]);
    assert_eq!(shown(&chat).len(), 2);
    let picture = "const picture = document.querySelector('.mine .files img');
        return [picture.alt, picture.complete && picture.naturalWidth]";
    chat.until_is("the picture", picture, &json!(["screenshot.png", 320]));
    let evidence = "return [...document.querySelectorAll('[data-card] [data-field=evidence] a')].map(link => link.textContent)";
    chat.until_is("the evidence", evidence, &json!(["this conversation", "screenshot.png", "notes.txt"]));
    // The server's own page is the same.
    chat.reload();
    assert_eq!(shown(&chat).len(), 2);
    chat.until_is("the picture", picture, &json!(["screenshot.png", 320]));
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.assert_no_faults();
    chat.go(&format!("{}/tracker/DEMO-1", server.url()));
    chat.click(By::Role("link", "screenshot.png"));
    let size = "return document.querySelector('img')?.naturalWidth";
    chat.until_is("the picture alone", size, &json!(320));
}

#[test]
fn files_alone_are_a_message_and_what_does_not_fit_is_told() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.run(HAND_OVER, &[json!("choose"), json!(["large.txt"]), json!(5 * 1024 * 1024 + 1)]);
    chat.until_says("large.txt is larger than 5 MB, so it was not attached.");
    let many: Vec<String> = (0..11).map(|n| format!("{n}.txt")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    hand_over(&chat, "drop", &many);
    chat.until_says("A message has at most 10 files.");
    until_attached(&chat, &many[..10]);
    for name in &many[1..10] {
        chat.click(By::Role("button", &format!("Remove {name}")));
    }
    until_attached(&chat, &many[..1]);
    chat.click(By::Role("button", "Send"));
    chat.until_says("Kept: file 0.txt. I read words only: write what it is about.");
    assert_eq!(shown(&chat).len(), 1);
    // The names of files are no words to be shown, or edited.
    let hidden = "return [...document.querySelectorAll('.mine > .text')].every(text => text.hidden)";
    assert_eq!(chat.run(hidden, &[]), json!(true));
    assert_eq!(chat.run("return document.querySelector('.edit-own')", &[]), Value::Null);
    // It has the file that was left.
    let kept = server.get(&format!("/v1/lanes/{}/messages", lane(&chat)));
    assert_eq!(kept["items"][0]["files"].as_array().unwrap().len(), 1);
    chat.assert_no_faults();
}

/// A message whose file does not arrive is not sent without it.
#[test]
fn what_was_written_stays_if_its_file_is_lost_on_the_way() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    let lose = "const real = window.fetch;
        window.fetch = (path, ...rest) => path.startsWith('/v1/files')
          ? new Promise((_, refuse) => { window.lose = () => refuse(new TypeError('gone')); })
          : real(path, ...rest);";
    chat.run(lose, &[]);
    hand_over(&chat, "paste", &["screenshot.png"]);
    chat.until_is(
        "the file on its way",
        "return document.querySelectorAll('#attached > [aria-busy]').length",
        &json!(1),
    );
    chat.write(BUG);
    chat.run("lose()", &[]);
    chat.until_says("screenshot.png could not be sent. Attach it again when the network is back.");
    let left = "return [document.getElementById('text').value, document.querySelectorAll('#log > *').length]";
    assert_eq!(chat.run(left, &[]), json!([BUG, 0]));
}

fn lane(chat: &Chat<'_>) -> String {
    chat.run("return document.body.dataset.lane", &[]).as_str().unwrap().to_owned()
}
