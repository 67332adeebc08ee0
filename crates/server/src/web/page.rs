//! Pages: templates with values. Every value is escaped.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, escape_formatter};
use serde::Serialize;
use throughline_channels::direction::steady;
use throughline_messages::Language;

use super::{asset, console};
use crate::problem::Problem;
use crate::{codes, language};

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../web/", $name)))),*]
    };
}

/// Templates of `crates/server/web`. Names ending in `.html` are escaped.
const TEMPLATES: &[(&str, &str)] = templates![
    "base.html",
    "again.html",
    "chat.html",
    "conversations.html",
    "edit.html",
    "embed/embed.html",
    "embed/enter.html",
    "install/offline.html",
    "installed.html",
    "issue.html",
    "organise.html",
    "parts.html",
    "plain.html",
    "refusal.html",
    "sessions.html",
    "sidebar.html",
    "sign_in.html",
    "turn.html",
    "workspace/workspace.html",
];

static PAGES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut pages = Environment::new();
    pages.set_undefined_behavior(UndefinedBehavior::Strict);
    match SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        Ok(syntax) => pages.set_syntax(syntax),
        Err(error) => tracing::error!(%error, "templates keep their blank lines"),
    }
    pages.add_function("asset", |name: &str| {
        asset::link(name).ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("no asset {name}")))
    });
    pages.add_function("language", || language::here().code());
    pages.add_function("t", say);
    pages.add_function("words", script_words);
    pages.set_formatter(|out, state, value| match value.as_str().map(steady) {
        Some(Cow::Owned(text)) if !value.is_safe() => escape_formatter(out, state, &Value::from(text)),
        _ => escape_formatter(out, state, value),
    });
    console::add_words(&mut pages);
    for (name, source) in TEMPLATES.iter().chain(console::TEMPLATES) {
        if let Err(error) = pages.add_template(name, source) {
            // A template's error is reported when its page is rendered; a test renders every page.
            tracing::error!(name, %error, "a template cannot be read");
        }
    }
    pages
});

/// Says a message of the catalogue in the language of the request.
fn say(id: &str, values: Kwargs) -> Result<String, Error> {
    let lacks = Cell::new(false);
    let value = |name: &str| match values.get::<Value>(name) {
        Ok(value) => value.to_string(),
        Err(_) => {
            lacks.set(true);
            String::new()
        }
    };
    let said = throughline_messages::say(language::here(), id, &value);
    values.assert_all_used()?;
    said.filter(|_| !lacks.get())
        .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("no message {id} of these values")))
}

/// Returns what a page's script says, by name, with `{name}` in place of each variable.
fn script_words() -> String {
    let language = language::here();
    let words = throughline_messages::IDS.iter().filter_map(|id| {
        let name = id.strip_prefix("script-")?;
        let text = throughline_messages::say(language, id, &|variable| format!("{{{variable}}}"))?;
        Some((name, text))
    });
    serde_json::to_string(&words.collect::<BTreeMap<_, _>>()).unwrap_or_default()
}

/// Renders a template with values.
pub(crate) fn page<T: Serialize>(template: &str, values: &T) -> Result<Response, Problem> {
    let rendered = PAGES.get_template(template).and_then(|template| template.render(Serde(values)));
    let html = rendered.map_err(|error| {
        tracing::error!(code = "TL-2008", template, %error, "a page could not be rendered");
        Problem::new(&codes::INTERNAL, "the page could not be made; /v1 tells the same as JSON")
    })?;
    let mut response = html.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Problem that is rendered as a page for people.
pub(crate) struct Refusal(Problem);

/// Part of a request for a page: one that cannot be read is refused with a page too.
pub(crate) struct ForPage<E>(pub(crate) E);

impl<E: FromRequestParts<S>, S: Send + Sync> FromRequestParts<S> for ForPage<E>
where
    E::Rejection: Into<Problem>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        Ok(Self(E::from_request_parts(parts, state).await?))
    }
}

impl<P: Into<Problem>> From<P> for Refusal {
    fn from(problem: P) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct RefusalPage<'a> {
            code: String,
            title: &'a str,
            /// Description of this occurrence and the remedy, in English: only for readers of it.
            detail: Option<&'a str>,
            fix: Option<&'a str>,
        }
        let (code, status) = (self.0.code(), self.0.status());
        let english = language::here() == Language::En;
        let values = RefusalPage {
            code: code.id(),
            title: self.0.title(),
            detail: english.then(|| self.0.detail()),
            fix: english.then_some(code.fix),
        };
        match page("refusal.html", &values) {
            Ok(mut response) => {
                *response.status_mut() = status;
                self.0.add_headers(&mut response);
                response
            }
            Err(_) => self.0.into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use throughline_channels::form::FormField;
    use throughline_channels::slack::block_kit;
    use throughline_channels::slack::render::{self as slack, FormModel, Home, HomeEntry};

    use super::*;

    /// Returns the ids that a text calls `t` with, in those quotes.
    fn called(text: &str, quote: char) -> Vec<&str> {
        let call = format!("t({quote}");
        let begins = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
        let calls = text.match_indices(&call).map(|(at, _)| at).filter(begins);
        calls.filter_map(|at| Some(text[at + call.len()..].split_once(quote)?.0)).collect()
    }

    #[test]
    fn pages_and_scripts_say_every_message_and_no_other() {
        let scripts = asset::scripts();
        let templates: String = TEMPLATES.iter().map(|(_, source)| *source).collect();
        let rust: String = ["card_view", "chat", "forms", "history", "sidebar", "sign_in"]
            .map(|name| std::fs::read_to_string(format!("src/web/{name}.rs")).unwrap())
            .concat();
        let in_scripts = called(scripts, '\'').into_iter().map(|name| format!("script-{name}"));
        for id in in_scripts.chain(called(&templates, '"').into_iter().map(str::to_owned)) {
            assert!(throughline_messages::IDS.contains(&id.as_str()), "{id} is in no catalogue");
        }
        let ours = |id: &&&str| id.starts_with("page-") || id.starts_with("script-");
        for id in throughline_messages::IDS.iter().filter(ours) {
            let name = id.strip_prefix("script-").unwrap_or(id);
            let said = scripts.contains(&format!("'{name}'"))
                || templates.contains(&format!("\"{id}\""))
                || rust.contains(&format!("{}(", id.replace('-', "_")));
            assert!(said, "{id} is said nowhere");
        }
    }

    #[test]
    fn a_message_is_said_with_exactly_its_values() {
        let say = |source: &str| PAGES.render_str(source, ());
        assert_eq!(say("{{ t(\"page-of-owner\", owner=\"<ana>\") }}").unwrap(), "of <ana>");
        for wrong in ["t(\"page-of-owner\")", "t(\"page-skip\", owner=1)", "t(\"page-none\")"] {
            assert!(say(&format!("{{{{ {wrong} }}}}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_template_can_be_read_and_is_escaped() {
        for (name, _) in TEMPLATES.iter().chain(console::TEMPLATES) {
            assert!(name.ends_with(".html"), "{name} would not be escaped");
            assert!(PAGES.get_template(name).is_ok(), "{name}");
        }
    }

    /// Draws Slack's blocks by the template of the preview.
    fn drawn(blocks: &[serde_json::Value]) -> String {
        let source = "{% import \"console/preview-parts.html\" as draw %}{% for one in blocks %}{{ draw.block(one) }}{% endfor %}";
        let blocks = BTreeMap::from([("blocks", block_kit::read(blocks))]);
        PAGES.render_named_str("blocks.html", source, Serde(&blocks)).unwrap()
    }

    /// Each kind of block and element that Slack's renderer makes, in messages, forms and Home, is drawn.
    #[test]
    fn each_block_of_slack_is_drawn() {
        let language = throughline_messages::Language::default();
        let field = |name: &str, text: &str, faults: &[&str]| FormField {
            name: name.into(),
            label: name.into(),
            text: text.into(),
            long: text.is_empty(),
            faults: faults.iter().map(|fault| (*fault).to_owned()).collect(),
        };
        let fields = vec![field("title", "<b>Log in", &[]), field("problem", "", &["Problem is missing"])];
        let form = slack::form(&FormModel { title: "Edit".into(), fields, ..FormModel::default() }, language);
        let entry = |text: &str| HomeEntry { text: text.into(), ..HomeEntry::default() };
        let modes = vec![HomeEntry { clear: Some("C1:17.004".into()), ..entry("reviews") }];
        let home = slack::home(&Home { waiting: vec![entry("waits")], modes, ..Home::default() }, language);
        let reply = slack::reply("see https://x.org/a <b>");
        let views = [&form, &home].into_iter().flat_map(|view| view["blocks"].as_array().unwrap());
        let blocks: Vec<_> = views.chain(&reply[0].blocks).cloned().collect();
        let html = drawn(&blocks);
        for shown in [
            "&lt;b&gt;Log in",
            "Problem is missing",
            "class=\"heading\"",
            "<hr>",
            "<span class=\"key\">",
            "<span class=\"link\" title=\"https:&#x2f;&#x2f;x.org&#x2f;a\">",
        ] {
            assert!(html.contains(shown), "no {shown} in {html}");
        }
        assert!(!html.contains("class=\"unknown\""), "{html}");
        let unknown = drawn(&[serde_json::json!({"type": "image", "alt_text": "<i>"})]);
        assert!(unknown.contains("class=\"unknown\"") && unknown.contains("&lt;i&gt;"), "{unknown}");
    }
}
