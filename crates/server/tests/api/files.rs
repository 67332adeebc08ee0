//! Files of conversations over HTTP: kept, named by messages, served to whoever may read them, and erased.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

/// A picture of one pixel.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

impl Server {
    fn upload(&self, query: &str, mime: &str, content: &[u8]) -> Call {
        self.post(&format!("/v1/files?{query}")).header("Content-Type", mime).bytes(content.to_vec())
    }

    /// Keeps a picture of a person; returns its id.
    async fn kept(&self, conversation: &str, who: &str, name: &str) -> String {
        let query = format!("conversation={conversation}&actor={who}&name={name}");
        let reply = self.upload(&query, "image/png", PICTURE).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    async fn says_with(&self, key: &str, conversation: &str, text: &str, files: &[Value]) -> Value {
        let mut body = said(conversation, "ana", text);
        body["files"] = json!(files);
        self.turn(key, &body).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_kept_shown_and_evidence_of_the_ticket() {
    for server in Server::on_each_store().await {
        let query = "conversation=c1&actor=ana&name=..%2Fexport%20f%C3%BCr%20Bob.png";
        let reply = server.upload(query, "image/png", PICTURE).send().await;
        let file = reply.json();
        assert_eq!(
            (&file["name"], &file["bytes"], &file["by"]),
            (&json!("export für Bob.png"), &json!(33), &json!("ana"))
        );
        let id = file["id"].as_str().unwrap();
        assert_eq!(file["path"], format!("/files/{id}"));

        let turn = server.says_with("k1", "c1", TASK, &[json!({"id": id})]).await;
        let evidence = card_of(&turn)["fields"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == "evidence")
            .unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned();
        let base = format!("http://{}", server.address);
        assert!(evidence.contains(&format!("{base}/files/{id} export für Bob.png")), "{evidence}");
        let lane = turn["lane"].as_str().unwrap();
        let messages = server.get(&format!("/v1/lanes/{lane}/messages")).send().await.json();
        let own =
            &messages["items"].as_array().unwrap().iter().find(|one| one["role"] == "user").unwrap()["files"];
        assert_eq!(
            (&own[0]["id"], &own[0]["kind"], &own[0]["bytes"]),
            (&json!(id), &json!("photo"), &json!(33))
        );

        let served = server.get(&format!("/v1/files/{id}")).send().await;
        assert_eq!((served.status, served.body.as_slice()), (200, PICTURE));
        assert_eq!(served.header("content-type"), Some("image/png"));
        assert_eq!(served.header("x-content-type-options"), Some("nosniff"));
        let told = served.header("content-disposition").unwrap();
        assert!(
            told.starts_with("inline; ") && told.ends_with("UTF-8''export%20f%C3%BCr%20Bob%2Epng"),
            "{told}"
        );

        // The same file of the same person is one; removed, it is none until it is sent again.
        let again = server.upload(query, "image/png", PICTURE).send().await.json();
        assert_eq!((&again["id"], &again["at"]), (&file["id"], &file["at"]));
        assert_eq!(server.delete(&format!("/v1/files/{id}")).send().await.status, 200);
        let gone = server.get(&format!("/v1/files/{id}")).send().await;
        assert_eq!((gone.status, gone.problem().as_str()), (404, "TL-2404"));
        assert_eq!(server.delete(&format!("/v1/files/{id}")).send().await.status, 404);
        assert_eq!(server.upload(query, "image/png", PICTURE).send().await.json()["id"], file["id"]);
        assert_eq!(server.get(&format!("/v1/files/{id}")).send().await.body, PICTURE);
        server.stopped().await;
    }
}

/// Files that a browser might run are saved, whatever their sender calls them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_pictures_are_shown() {
    let server = Server::demo().await;
    for mime in [
        "text/html",
        "image/svg+xml",
        "application/pdf",
        "text/html; charset=utf-8",
        "IMAGE/PNG, text/html",
        "",
    ] {
        let reply = server.upload("conversation=c1&name=x", mime, b"<script>alert(1)</script>").send().await;
        assert_eq!(reply.status, 200, "{mime:?}: {}", reply.text());
        let served = server.get(&format!("/v1/files/{}", reply.json()["id"].as_str().unwrap())).send().await;
        assert_eq!(served.header("content-type"), Some("application/octet-stream"), "{mime:?}");
        assert!(served.header("content-disposition").unwrap().starts_with("attachment; "), "{mime:?}");
        assert_eq!(served.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_file_is_refused_and_keeps_nothing() {
    let server = Server::demo().await;
    let large = vec![7; 5 * 1024 * 1024 + 1];
    let queries: [(&str, &[u8], u16, &str); 6] = [
        ("conversation=c1&name=a", b"", 400, "TL-2007"),
        ("conversation=c1&name=a", &large, 413, "TL-2003"),
        ("name=a", b"x", 400, "TL-2007"),
        ("conversation=two%20words", b"x", 400, "TL-2007"),
        ("conversation=c1&colour=red", b"x", 400, "TL-2007"),
        ("conversation=c1&actor=%00", b"x", 400, "TL-2007"),
    ];
    for (query, content, status, code) in queries {
        let reply = server.upload(query, "image/png", content).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (status, code), "{query}");
    }
    let other = server.kept("c2", "ana", "other.png").await;
    let long = format!("https://a.example/{}", "x".repeat(2_000));
    for (n, id) in [other.as_str(), "file_a_b"].into_iter().enumerate() {
        let mut body = said("c1", "ana", "look");
        body["files"] = json!([{"id": id}]);
        let reply = server.event(&format!("n{n}"), &body).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (404, "TL-2404"), "{id}");
    }
    let named: [(Value, &str); 7] = [
        (json!({"id": "two words"}), "/files/0/id"),
        (json!({}), "/files/0/name"),
        (json!({"url": "https://a.example/1"}), "/files/0/name"),
        (json!({"name": "two\nlines"}), "/files/0/name"),
        (json!({"name": "a", "url": "javascript:alert(1)"}), "/files/0/url"),
        (json!({"name": "a", "url": "https://a.example/ b"}), "/files/0/url"),
        (json!({"name": "a", "url": long}), "/files/0/url"),
    ];
    for (n, (file, pointer)) in named.iter().enumerate() {
        let mut body = said("c1", "ana", "look");
        body["files"] = json!([file]);
        let reply = server.event(&format!("r{n}"), &body).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "TL-2006"), "{file}");
        assert_eq!(reply.json()["errors"][0]["pointer"], *pointer, "{}", reply.text());
    }
    let mut body = said("c1", "ana", "look");
    body["files"] = json!(vec![json!({"name": "a"}); 11]);
    assert_eq!(server.event("r-many", &body).send().await.json()["errors"][0]["pointer"], "/files");
    // Nothing of it became a message.
    assert_eq!(server.get("/v1/lanes").send().await.json()["items"], json!([]));
    // A message may be files alone, and is nothing without either.
    let turn =
        server.says_with("alone", "c1", "", &[json!({"name": "plan.pdf", "mime": "application/pdf"})]).await;
    assert_eq!(turn["reason"], "message.unread");
    body = said("c1", "ana", " ");
    assert_eq!(server.event("blank", &body).send().await.status, 422);
}

/// A host that keeps its files itself names them with their addresses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_host_are_evidence_by_their_address() {
    let server = Server::demo().await;
    let file =
        json!({"name": "log.txt", "mime": "text/plain", "bytes": 12, "url": "https://files.example/1"});
    let turn = server.says_with("k1", "c1", TASK, &[file]).await;
    assert!(card_of(&turn).to_string().contains("https://files.example/1 log.txt"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_files_of_a_conversation_have_a_limit() {
    let server = Server::start(demo().flag("server.rate_per_person", "1000", "--rate")).await;
    let mut content = vec![7; 5 * 1024 * 1024];
    for n in 0..20 {
        content[0] = n;
        assert_eq!(server.upload("conversation=c1&name=a", "", &content).send().await.status, 200, "{n}");
    }
    let full = server.upload("conversation=c1&name=a", "", b"one more").send().await;
    assert_eq!((full.status, full.problem().as_str()), (413, "TL-2003"));
    assert!(full.text().contains("remove a file"), "{}", full.text());
    // What is kept already takes no room, and another conversation has its own.
    assert_eq!(server.upload("conversation=c1&name=a", "", &content).send().await.status, 200);
    assert_eq!(server.upload("conversation=c2&name=a", "", b"one more").send().await.status, 200);
}

/// Starts a server with a token of each of these people, who may do what people may.
async fn with_people<const N: usize>(settings: &str, people: [&str; N]) -> (Server, [String; N]) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = settings.to_owned();
    let tokens = people.map(|who| {
        let (token, hash) = Token::mint(who, [who.as_bytes()[0]; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"{who}\"\nsha256 = \"{hash}\"\nprincipal = \"{who}\"\n\
             scopes = [\"events:write\", \"lanes:read\", \"approvals:read\", \"approvals:decide\"]\n"
        ));
        token
    });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, tokens)
}

/// A file is read like its conversation, and by whoever decides what it is evidence of, as long as that waits for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_for_whoever_may_read_or_decide() {
    let settings = "[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"user:bob\"]\n\
                    [projects.DEMO]\n";
    let (server, [ana, bob, eve]) = with_people(settings, ["ana", "bob", "eve"]).await;
    let upload = async |who: &str, name: &str| {
        let query = format!("channel=web&conversation=ana:1&name={name}");
        server.upload(&query, "image/png", PICTURE).token(who).send().await
    };
    let evidence = upload(&ana, "evidence.png").await.json()["id"].as_str().unwrap().to_owned();
    let private = upload(&ana, "private.png").await.json()["id"].as_str().unwrap().to_owned();
    // Nobody else sends into her conversation, nor as her.
    assert_eq!(upload(&eve, "eves.png").await.problem(), "TL-2404");
    let as_her = server.upload("conversation=c1&actor=ana&name=a", "", b"x").token(&eve).send().await;
    assert_eq!(as_her.status, 403, "{}", as_her.text());

    let read =
        async |who: &str, id: &str| server.get(&format!("/v1/files/{id}")).token(who).send().await.status;
    assert_eq!((read(&ana, &evidence).await, read(&bob, &evidence).await), (200, 404));
    let mut asks =
        json!({"lane": {"channel": "web", "conversation": "ana:1"}, "kind": "message.posted", "text": TASK});
    asks["files"] = json!([{"id": evidence}]);
    let turn = server.event("k1", &asks).header("Prefer", "wait=10").token(&ana).send().await.json();
    assert_eq!((read(&bob, &evidence).await, read(&eve, &evidence).await), (200, 404));
    assert_eq!((read(&bob, &private).await, read(&ana, &private).await), (404, 200));
    let removed = server.delete(&format!("/v1/files/{evidence}")).token(&bob).send().await;
    assert_eq!(removed.status, 403, "{}", removed.text());
    assert_eq!(server.get(&format!("/v1/files/{evidence}")).send().await.problem(), "TL-2101");

    // What does not wait for him any more is not his to read.
    let reject = json!({"lane": {"channel": "web", "conversation": "ana:1"}, "kind": "card.pressed",
                        "press": {"token": token(&card_of(&turn), "reject")}});
    assert_eq!(server.event("k2", &reject).header("Prefer", "wait=10").token(&ana).send().await.status, 200);
    assert_eq!((read(&bob, &evidence).await, read(&ana, &evidence).await), (404, 200));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_erased_with_its_person_and_with_its_conversation() {
    for server in Server::on_each_store().await {
        let hers = server.kept("c1", "ana", "hers.png").await;
        let his = server.kept("c1", "bob", "his.png").await;
        let there = server.kept("c2", "bob", "there.png").await;
        let turn = server.says_with("k1", "c1", "hello", &[json!({"id": hers})]).await;
        let status = async |id: &str| server.get(&format!("/v1/files/{id}")).send().await.status;
        assert_eq!((status(&hers).await, status(&his).await, status(&there).await), (200, 200, 200));
        assert_eq!(server.delete("/v1/subjects/ana").send().await.status, 200);
        assert_eq!((status(&hers).await, status(&his).await, status(&there).await), (404, 200, 200));
        let lane = turn["lane"].as_str().unwrap();
        assert_eq!(server.delete(&format!("/v1/lanes/{lane}")).send().await.status, 200);
        assert_eq!((status(&his).await, status(&there).await), (404, 200));
        server.stopped().await;
    }
}
