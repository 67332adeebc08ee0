//! Language of a request's answer: the signed-in person's, else the installation's; where nobody is signed in, what the
//! browser asks for. A program's is English.

use axum::extract::Request;
use axum::http::header::ACCEPT_LANGUAGE;
use throughline_messages::Language;

use crate::app::App;
use crate::session;

tokio::task_local! {
    /// Language of the request that is being answered.
    pub(crate) static LANGUAGE: Language;
}

/// Returns the language of the request that is being answered.
pub(crate) fn here() -> Language {
    LANGUAGE.try_with(|language| *language).unwrap_or_default()
}

/// Returns the language of a request.
pub(crate) fn of_request(app: &App, request: &Request) -> Language {
    let (config, headers) = (app.config(), request.headers());
    let ours = || config.language.as_deref().and_then(Language::of);
    let spoken = match session::of(app, headers) {
        Ok(Some((_, caller))) => {
            let user = config.active_user(&caller.tenant, &caller.principal);
            user.and_then(|user| Language::of(user.language.as_deref()?)).or_else(ours)
        }
        _ if request.uri().path().starts_with("/v1/") => None,
        _ => ours().or_else(|| Language::accepted(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?)),
    };
    spoken.unwrap_or_default()
}
