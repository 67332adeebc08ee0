//! Minimal browser: it keeps a cookie, follows redirects, and sends the forms of its page.

use std::sync::Mutex;

use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

/// Person with a browser.
pub(crate) struct Browser<'s> {
    server: &'s Server,
    cookie: Mutex<Option<String>>,
}

/// Page that was loaded.
pub(crate) struct Page {
    /// Address after every redirect.
    pub(crate) address: String,
    pub(crate) reply: Reply,
}

impl<'s> Browser<'s> {
    pub(crate) fn new(server: &'s Server) -> Self {
        Self { server, cookie: Mutex::default() }
    }

    /// Returns the `Cookie` header.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.cookie.lock().unwrap().clone()
    }

    /// Adds the cookie to a request.
    pub(crate) fn call(&self, call: Call) -> Call {
        match self.cookie() {
            Some(cookie) => call.header("Cookie", &cookie),
            None => call,
        }
    }

    /// Sends one request and keeps the cookie that it sets.
    pub(crate) async fn send(&self, call: Call) -> Reply {
        let reply = self.call(call).send().await;
        if let Some(set) = reply.header("set-cookie") {
            let pair = set.split(';').next().unwrap().to_owned();
            *self.cookie.lock().unwrap() = Some(pair).filter(|pair| !pair.ends_with('='));
        }
        reply
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.server.get(path)).await
    }

    /// Loads a page, following redirects.
    pub(crate) async fn visit(&self, path: &str) -> Page {
        let mut address = path.to_owned();
        for _ in 0..5 {
            let reply = self.get(address.split('#').next().unwrap()).await;
            match reply.header("location") {
                Some(location) if reply.status == 303 => address = location.to_owned(),
                _ => return Page { address, reply },
            }
        }
        panic!("{path} redirects for ever");
    }

    /// Sends the fields of a form.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.send(form(self.server, path, fields)).await
    }

    /// Sends a form of a page with its hidden fields, and loads the next page.
    pub(crate) async fn submit(&self, page: &Page, path: &str, fields: &[(&str, &str)]) -> Page {
        let hidden = page.hidden();
        let all: Vec<(&str, &str)> = hidden
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain(fields.iter().copied())
            .collect();
        let reply = self.post(path, &all).await;
        match reply.header("location").map(str::to_owned) {
            Some(location) => self.visit(&location).await,
            None => Page { address: path.into(), reply },
        }
    }

    /// Posts a message without a script.
    pub(crate) async fn say(&self, page: &Page, text: &str) -> Page {
        self.submit(page, "/say", &[("text", text)]).await
    }

    /// Presses a button of the newest card that has it.
    pub(crate) async fn press(&self, page: &Page, action: &str) -> Page {
        self.submit(page, "/press", &[("token", &page.token(action))]).await
    }
}

/// Makes the request of a form.
pub(crate) fn form(server: &Server, path: &str, fields: &[(&str, &str)]) -> Call {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    server
        .post(path)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .bytes(body.finish().into_bytes())
}

impl Page {
    pub(crate) fn html(&self) -> String {
        assert_eq!(self.reply.status, 200, "{} {}", self.address, self.reply.text());
        self.reply.text()
    }

    /// Returns the value of the first attribute with that name.
    pub(crate) fn data(&self, name: &str) -> String {
        let html = self.html();
        let marker = format!(" {name}=\"");
        let start = html.find(&marker).unwrap_or_else(|| panic!("no {name} in {html}")) + marker.len();
        unescape(html[start..].split('"').next().unwrap())
    }

    /// Returns the hidden fields of the page's forms; where several forms have a field, the last one.
    pub(crate) fn hidden(&self) -> Vec<(String, String)> {
        let html = self.html();
        let mut found: Vec<(String, String)> = Vec::new();
        for input in html.split("<input type=\"hidden\" name=\"").skip(1) {
            let (name, rest) = input.split_once("\" value=\"").unwrap();
            let value = unescape(rest.split('"').next().unwrap());
            if !found.iter().any(|(known, _)| known == name) {
                found.push((name.into(), value));
            }
        }
        found
    }

    pub(crate) fn field(&self, name: &str) -> String {
        let found = self.hidden().into_iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("no {name} on {}", self.address)).1
    }

    /// Returns the token of the newest button of that action.
    pub(crate) fn token(&self, action: &str) -> String {
        let html = self.html();
        let marker = format!("\" data-action=\"{action}\"");
        let end = html.rfind(&marker).unwrap_or_else(|| panic!("no {action} in {html}"));
        let start = html[..end].rfind("value=\"").unwrap() + "value=\"".len();
        html[start..end].to_owned()
    }

    /// Returns the text of each message, oldest first.
    pub(crate) fn texts(&self) -> Vec<String> {
        let html = self.html();
        let of = |part: &str| unescape(part.split("</div>").next().unwrap());
        html.split("<div class=\"text\">").skip(1).map(of).collect()
    }
}

/// Decodes the entities of HTML.
pub(crate) fn unescape(html: &str) -> String {
    let mut text = html.to_owned();
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")]
    {
        text = text.replace(entity, character);
    }
    text
}

/// Installation with two people, an operator and an administrator's token; not a demo.
pub(crate) struct Office {
    pub(crate) root: String,
    pub(crate) narrow: String,
    sources: Sources,
    _folder: TempDir,
}

impl Office {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// Starts it with further settings.
    pub(crate) fn with(more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "tenant = \"acme\"\napp = \"bot\"\n".to_owned();
        text.push_str(more);
        for (user, roles) in
            [("ana", "\"approver\""), ("bob", ""), ("vic", "\"viewer\""), ("olga", "\"operator\"")]
        {
            text.push_str(&format!("[[users]]\nid = \"{user}\"\nroles = [{roles}]\n"));
        }
        text.push_str("[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"user:ana\"]\nself_approve = true\n");
        let mut token = |id: &str, scopes: &str, byte: u8| {
            let (token, hash) = Token::mint(id, [byte; 24]);
            text.push_str(&format!(
                "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\nscopes = [{scopes}]\nprincipal = \"ana\"\n"
            ));
            token
        };
        let root = token("root", "\"admin\", \"events:write\", \"lanes:read\", \"act_as\"", 1);
        let narrow = token("narrow", "\"events:write\", \"lanes:read\"", 2);
        let file = folder.path().join("throughline.toml");
        std::fs::write(&file, text).unwrap();
        let sources = Sources { file: Some(file), ..Sources::default() }
            .flag("server.listen", "127.0.0.1:0", "--listen")
            .flag("store.url", "memory:", "--store");
        Self { root, narrow, sources, _folder: folder }
    }

    pub(crate) fn sources(&self) -> Sources {
        self.sources.clone()
    }

    pub(crate) async fn serve(&self) -> Server {
        Server::start(self.sources()).await
    }

    /// Has an operator make a sign-in link; returns its path.
    pub(crate) async fn link(&self, server: &Server, user: &str) -> String {
        let made =
            server.post("/v1/sign-in-links").token(&self.root).json(&json!({ "user": user })).send().await;
        assert_eq!(made.status, 200, "{}", made.text());
        let url = made.json()["url"].as_str().unwrap().to_owned();
        url.strip_prefix(&format!("http://{}", server.address)).expect("our own address").to_owned()
    }

    /// Returns the browser of a person who signed in by a link.
    pub(crate) async fn signed_in<'s>(&self, server: &'s Server, user: &str) -> Browser<'s> {
        let browser = Browser::new(server);
        let page = browser.visit(&self.link(server, user).await).await;
        browser.submit(&page, "/sign-in", &[]).await.html();
        browser
    }
}

/// Returns an event in a web conversation.
pub(crate) fn said_in(conversation: &str, text: &str) -> Value {
    json!({"lane": {"channel": "web", "conversation": conversation}, "kind": "message.posted", "text": text})
}
