//! Language of a request's pages: the signed-in person's, else the installation's; where nobody is signed in, what the
//! browser asks for.

use axum::http::HeaderMap;
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

/// Returns the language of the person whose browser sends a request of the API; a program's is English.
pub(crate) fn of_browser(app: &App, headers: &HeaderMap) -> Language {
    if matches!(session::of(app, headers), Ok(Some(_))) { here() } else { Language::En }
}

/// Returns the language of a request.
pub(crate) fn of_request(app: &App, headers: &HeaderMap) -> Language {
    let config = app.config();
    let ours = || config.language.as_deref().and_then(Language::of);
    let spoken = match session::of(app, headers) {
        Ok(Some((_, caller))) => {
            let user = config.active_user(&caller.tenant, &caller.principal);
            user.and_then(|user| user.language.as_deref()).and_then(Language::of).or_else(ours)
        }
        _ => ours().or_else(|| Language::accepted(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?)),
    };
    spoken.unwrap_or_default()
}
