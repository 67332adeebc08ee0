//! Languages of the pages: the person's, the installation's, and the browser's where nobody is signed in.

use crate::browser::*;

/// Sentences of a page: the texts between its tags, and the attributes that are read to people.
fn sentences(html: &str) -> Vec<String> {
    let body = html.split_once("<body").expect("a page").1;
    let mut found = Vec::new();
    for piece in body.split('>').skip(1) {
        let (text, tag) = piece.split_once('<').unwrap_or((piece, ""));
        found.push(text.trim().to_owned());
        for name in ["aria-label", "placeholder", "alt", "title"] {
            let marker = format!(" {name}=\"");
            let value = tag.split_once(&marker).and_then(|(_, rest)| rest.split('"').next());
            found.extend(value.map(str::to_owned));
        }
    }
    let letters = |text: &String| text.chars().any(char::is_alphabetic);
    found.into_iter().map(|text| unescape(&text)).filter(letters).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_reads_the_pages_in_their_language() {
    let office = Office::with("language = \"en\"\n[[users]]\nid = \"gerd\"\nlanguage = \"de-AT\"\n");
    let server = office.serve().await;
    let german = office.signed_in(&server, "gerd").await.visit("/").await;
    let html = german.html();
    assert!(html.contains("<html lang=\"de\">") && html.contains(">Neues Gespräch</a>"), "{html}");
    assert!(html.contains("Was soll daraus werden?") && html.contains("Angemeldet als gerd"));
    assert!(german.data("content").len() > 2, "{html}");
    let english = office.signed_in(&server, "ana").await.visit("/").await;
    assert!(english.html().contains("<html lang=\"en\">") && english.html().contains("Signed in as ana"));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_not_signed_in_reads_what_the_browser_asks_for() {
    let office = Office::new();
    let server = office.serve().await;
    for (asked, said) in [("de-DE,de;q=0.9,en;q=0.8", "Anmelden"), ("en", "Sign in"), ("fr", "Sign in")] {
        let page = server.get("/sign-in").header("Accept-Language", asked).send().await;
        assert!(page.text().contains(&format!("<h1>{said}</h1>")), "{asked}: {}", page.text());
    }
    server.stopped().await;
}

/// A refusal has its title in the reader's language, on a page and in an answer of the API; a program's is English.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_is_said_in_the_reader_s_language() {
    let office = Office::with("language = \"de\"\n");
    let server = office.serve().await;
    let browser = office.signed_in(&server, "ana").await;
    let page = browser.get("/turns/tn_none").await.text();
    assert!(page.contains("Unter diesem Namen gibt es hier nichts"), "{page}");
    assert!(page.contains("throughline explain TL-2404") && !page.contains("there is no"), "{page}");
    let told = browser.get("/v1/turns/tn_none").await.json();
    assert_eq!(told["title"], "Unter diesem Namen gibt es hier nichts");
    let program = server.get("/v1/turns/tn_none").token(&office.root).send().await.json();
    assert_eq!(program["title"], "There is nothing here under that name");
    server.stopped().await;
}

/// In the pseudo-language every sentence of a catalogue is in brackets, so one without them is of no catalogue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_sentence_of_the_pages_is_of_a_catalogue() {
    let office = Office::with("language = \"qps-ploc\"\n");
    let server = office.serve().await;
    let browser = office.signed_in(&server, "ana").await;
    let chat = browser.visit("/").await;
    let spoken = browser.say(&chat, "thanks").await;
    let pages = [
        ("the chat", chat.html()),
        ("a conversation", spoken.html()),
        ("the workspace", browser.visit("/workspace").await.html()),
        ("the sign-in", Browser::new(&server).visit("/sign-in").await.html()),
        ("a refusal", browser.get("/turns/tn_none").await.text()),
        ("a link that is over", Browser::new(&server).get("/sign-in?link=none").await.text()),
    ];
    // Names, what people and documents say, and the keys of a keyboard.
    let panels = std::fs::read_to_string("web/workspace/panels.toml").unwrap();
    let of_others = |text: &str| {
        ["Throughline", "ana", "thanks", "Enter", "Shift", "open the sample2 pls", "open links"]
            .contains(&text)
            || text == "the second one from reports"
            || panels.contains(text)
            || text.starts_with("tlk_")
            || text.starts_with("TL-")
            || text.starts_with('/')
    };
    for (name, html) in pages {
        let loose: Vec<String> = sentences(&html)
            .into_iter()
            .filter(|text| !text.starts_with('⟦') && !of_others(text))
            .filter(|text| text.chars().filter(|letter| letter.is_alphabetic()).count() > 1)
            .collect();
        assert_eq!(loose, Vec::<String>::new(), "{name}");
    }
    server.stopped().await;
}
