//! What every page stands on: who looks and what they may, whether sending is paused, and where else the same is told.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use serde::Serialize;

use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::routes::pause;
use crate::web::page::page;
use crate::web::visitor::Visitor;
use crate::wire;

/// A person at the console.
pub(super) struct Desk {
    pub(super) app: Arc<App>,
    pub(super) caller: Caller,
}

impl FromRequestParts<Arc<App>> for Desk {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        Ok(Self { app: app.clone(), caller: visitor.caller })
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
