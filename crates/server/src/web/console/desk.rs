//! What every page stands on: who looks and what they may, whether sending is paused, and where else the same is told.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::request::bearer;
use crate::routes::pause;
use crate::web::page::page;
use crate::web::visitor::{Seen, Visitor};
use crate::wire;

/// A person at the console.
pub(super) struct Desk {
    pub(super) app: Arc<App>,
    pub(super) caller: Caller,
    /// How they came in; `None`: with a token in a header, as programs do.
    visitor: Option<Visitor>,
}

impl FromRequestParts<Arc<App>> for Desk {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        let app = app.clone();
        if parts.headers.contains_key(AUTHORIZATION) {
            let caller = bearer(&app, &parts.headers).map_err(IntoResponse::into_response)?;
            return Ok(Self { app, caller, visitor: None });
        }
        let visitor = Visitor::from_request_parts(parts, &app).await?;
        Ok(Self { app, caller: visitor.caller.clone(), visitor: Some(visitor) })
    }
}

/// The parts of the console, in the order they are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Lanes,
    Approvals,
    Effects,
    Issues,
}

impl Section {
    const ALL: [Self; 4] = [Self::Lanes, Self::Approvals, Self::Effects, Self::Issues];

    fn link(self) -> Link {
        let (label, href) = match self {
            Self::Lanes => ("Lanes", "/console"),
            Self::Approvals => ("Approvals", "/console/approvals"),
            Self::Effects => ("Effects", "/console/effects"),
            Self::Issues => ("Issues", "/console/issues"),
        };
        Link { label, href, here: false }
    }

    fn scope(self) -> Scope {
        match self {
            Self::Lanes => Scope::LanesRead,
            Self::Approvals => Scope::ApprovalsRead,
            Self::Effects | Self::Issues => Scope::EffectsRead,
        }
    }
}

#[derive(Serialize)]
struct Link {
    label: &'static str,
    href: &'static str,
    here: bool,
}

/// Where else the same is told and done.
#[derive(Serialize)]
pub(super) struct Twin {
    /// On the command line.
    cli: Vec<String>,
    /// In the API.
    api: Vec<String>,
}

impl Twin {
    /// What tells the same. Empty where there is none.
    pub(super) fn new(cli: impl Into<String>, api: impl Into<String>) -> Self {
        Self { cli: vec![cli.into()], api: vec![api.into()] }
    }

    /// What does the same as the page's forms.
    pub(super) fn acts(mut self, cli: impl Into<String>, api: impl Into<String>) -> Self {
        self.cli.push(cli.into());
        self.api.push(api.into());
        self
    }
}

/// What is on every page.
#[derive(Serialize)]
pub(super) struct Frame {
    links: Vec<Link>,
    who: String,
    tenant: String,
    /// What of the visitor other pages say too: their proof, and how to be somebody else.
    seen: Option<Seen>,
    now: String,
    pause: wire::Pause,
    /// May switch the kill switch and decide again.
    operates: bool,
    decides: bool,
    resolves: bool,
    writes: bool,
}

impl Frame {
    /// The frame of a page that was asked for by nobody known: a problem's.
    pub(super) fn bare() -> Self {
        Self {
            links: Section::ALL.map(Section::link).into(),
            who: String::new(),
            tenant: String::new(),
            seen: None,
            now: String::new(),
            pause: pause::told(None),
            operates: false,
            decides: false,
            resolves: false,
            writes: false,
        }
    }
}

#[derive(Serialize)]
struct Page<'a, T> {
    frame: Frame,
    twin: Twin,
    #[serde(flatten)]
    values: &'a T,
}

impl Desk {
    pub(super) fn tenant(&self) -> &str {
        &self.caller.tenant
    }

    /// Goes on only for who may look at that part.
    pub(super) fn enter(&self, section: Section) -> Result<(), Problem> {
        self.caller.need(section.scope())
    }

    /// Goes on only with a form of one of this person's own pages.
    pub(super) fn sent_from_here(&self, csrf: &str) -> Result<(), Problem> {
        self.visitor.as_ref().map_or(Ok(()), |visitor| visitor.session.proves(&self.app, csrf))
    }

    pub(super) fn operates(&self) -> bool {
        pause::operates(&self.app, &self.caller).is_ok()
    }

    async fn frame(&self, section: Section) -> Result<Frame, Problem> {
        let seen = |section: &Section| self.caller.may(section.scope());
        let link = |one: Section| Link { here: one == section, ..one.link() };
        Ok(Frame {
            links: Section::ALL.into_iter().filter(seen).map(link).collect(),
            who: self.caller.principal.clone(),
            tenant: self.caller.tenant.clone(),
            seen: self.visitor.as_ref().map(|visitor| visitor.seen(&self.app)),
            now: self.app.store().now().rfc3339(),
            pause: pause::told(self.app.store().pause(self.tenant()).await?),
            operates: self.operates(),
            decides: self.caller.may(Scope::ApprovalsDecide),
            resolves: self.caller.may(Scope::EffectsResolve),
            writes: self.caller.may(Scope::EventsWrite),
        })
    }

    /// The page of that template.
    pub(super) async fn page<T: Serialize>(
        &self,
        section: Section,
        template: &str,
        twin: Twin,
        values: &T,
    ) -> Result<Response, Problem> {
        page(template, &Page { frame: self.frame(section).await?, twin, values })
    }
}
