//! Page on which people see where they are signed in, and end it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;

use super::forms::SentForm;
use super::page::{Refusal, page};
use super::visitor::{Visitor, VisitorView};
use crate::app::App;
use crate::problem::Problem;
use crate::routes::my_sessions as api;
use crate::routes::users::session_to_wire;
use crate::wire;

#[derive(Serialize)]
struct SessionsPage {
    seen: VisitorView,
    sessions: Vec<Row>,
    /// True if there are others than this one.
    others: bool,
}

#[derive(Serialize)]
struct Row {
    session: wire::Session,
    /// Browser and system, in two words; empty if it names none that is known.
    browser: String,
}

/// `GET /sessions`
pub(crate) async fn get_sessions(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, Refusal> {
    let mine = api::mine(&app, &visitor.caller).await?;
    let here = visitor.caller.session();
    let row = |begun| {
        let session = session_to_wire(begun, here);
        Row { browser: browser(&session.agent), session }
    };
    let sessions: Vec<Row> = mine.into_iter().map(row).collect();
    let others = sessions.iter().any(|row| !row.session.here);
    Ok(page("sessions.html", &SessionsPage { seen: visitor.view(&app), sessions, others })?)
}

/// `POST /sessions`: ends one session, or all but this one. Whoever ends their own is signed out.
pub(crate) async fn post_sessions(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
    let caller = &sent.visitor.caller;
    let ended = match sent.field("session") {
        "" => api::end_others(&app, caller).await.map(drop),
        id => api::end_mine(&app, caller, id).await.map(drop),
    };
    ended.map_err(|problem: Problem| Refusal::from(problem).into_response())?;
    Ok(Redirect::to("/sessions").into_response())
}

/// Names a browser and its system: `Firefox, Linux`.
fn browser(agent: &str) -> String {
    const BROWSERS: [(&str, &str); 5] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Macintosh", "macOS"),
        ("Linux", "Linux"),
    ];
    let named = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    [named(&BROWSERS), named(&SYSTEMS)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_in_two_words() {
        for (agent, named) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36",
                "Chrome, Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
                "Safari, iPhone",
            ),
            ("Lynx/2.9", ""),
        ] {
            assert_eq!(browser(agent), named, "{agent}");
        }
    }
}
