//! Who looks at a page: in a demo whoever is there, else who signed in.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::request::caller;

/// A person in front of a browser, with what they may do.
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        Ok(Self { caller: caller(app, &parts.headers)? })
    }
}
