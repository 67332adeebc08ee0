//! Operator of the console: the person with their rights, and what every page shows.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use throughline_engine::LaneKey;

use crate::access::{self, Act};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::request::bearer;
use crate::routes::pause;
use crate::web::page::page;
use crate::web::visitor::{Visitor, VisitorView};
use crate::wire;

/// Person at the console.
pub(super) struct Operator {
    pub(super) app: Arc<App>,
    pub(super) caller: Caller,
    /// Visitor with a session; `None` for a program with a token in a header.
    visitor: Option<Visitor>,
}

impl FromRequestParts<Arc<App>> for Operator {
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

/// Section of the console, in the order of the menu.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Overview,
    Turns,
    Lanes,
    Approvals,
    Effects,
    Issues,
    Trackers,
    Webhooks,
    People,
    Learning,
    Health,
}

impl Section {
    const ALL: [Self; 11] = [
        Self::Overview,
        Self::Lanes,
        Self::Turns,
        Self::Approvals,
        Self::Effects,
        Self::Issues,
        Self::Trackers,
        Self::Webhooks,
        Self::People,
        Self::Learning,
        Self::Health,
    ];

    fn link(self) -> Link {
        let (label, href) = match self {
            Self::Overview => ("Overview", "/console"),
            Self::Lanes => ("Lanes", "/console/lanes"),
            Self::Turns => ("Turns", "/console/turns"),
            Self::Approvals => ("Approvals", "/console/approvals"),
            Self::Effects => ("Effects", "/console/effects"),
            Self::Issues => ("Issues", "/console/issues"),
            Self::Trackers => ("Trackers", "/console/trackers"),
            Self::Webhooks => ("Webhooks", "/console/webhooks"),
            Self::People => ("People", "/console/people"),
            Self::Learning => ("Learning", "/console/learning"),
            Self::Health => ("Health", "/console/health"),
        };
        Link { label, href, here: false }
    }

    fn scope(self) -> Scope {
        match self {
            Self::Overview | Self::Lanes | Self::Turns => Scope::LanesRead,
            Self::Approvals => Scope::ApprovalsRead,
            Self::Effects | Self::Issues => Scope::EffectsRead,
            Self::Trackers | Self::Webhooks | Self::People | Self::Learning | Self::Health => Scope::Admin,
        }
    }
}

#[derive(Serialize)]
struct Link {
    label: &'static str,
    href: &'static str,
    here: bool,
}

/// Equivalent commands and routes of a page.
#[derive(Serialize)]
pub(super) struct Equivalents {
    /// Commands.
    cli: Vec<String>,
    /// Routes of the API.
    api: Vec<String>,
}

impl Equivalents {
    /// Makes the equivalents that show the same data. Empty texts mean that there is none.
    pub(super) fn new(cli: impl Into<String>, api: impl Into<String>) -> Self {
        Self { cli: vec![cli.into()], api: vec![api.into()] }
    }

    /// Adds the equivalents of the page's forms.
    pub(super) fn acts(mut self, cli: impl Into<String>, api: impl Into<String>) -> Self {
        self.cli.push(cli.into());
        self.api.push(api.into());
        self
    }
}

/// Values shown on every page.
#[derive(Serialize)]
pub(super) struct Frame {
    links: Vec<Link>,
    who: String,
    tenant: String,
    /// Visitor's values for forms and for switching persons, as on other pages.
    seen: Option<VisitorView>,
    now: String,
    pause: wire::Pause,
    /// True if the person may switch the kill switch and replay.
    operates: bool,
    decides: bool,
    resolves: bool,
    writes: bool,
}

impl Frame {
    /// Returns the frame of an error page, whose visitor is unknown.
    pub(super) fn bare() -> Self {
        Self {
            links: Section::ALL.map(Section::link).into(),
            who: String::new(),
            tenant: String::new(),
            seen: None,
            now: String::new(),
            pause: pause::to_wire(None),
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
    twin: Equivalents,
    #[serde(flatten)]
    values: &'a T,
}

impl Operator {
    /// Returns true if the person may read the lane.
    pub(super) async fn reads(&self, lane: &LaneKey) -> Result<bool, Problem> {
        Ok(access::allows(&self.app, &self.caller, Act::ReadLane, lane).await?)
    }

    pub(super) fn tenant(&self) -> &str {
        &self.caller.tenant
    }

    /// Checks that the person may see a section.
    pub(super) fn enter(&self, section: Section) -> Result<(), Problem> {
        self.caller.need(section.scope())
    }

    /// Checks the CSRF token of a form.
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
            seen: self.visitor.as_ref().map(|visitor| visitor.view(&self.app)),
            now: self.app.store().now().rfc3339(),
            pause: pause::to_wire(self.app.store().pause(self.tenant()).await?),
            operates: self.operates(),
            decides: self.caller.may(Scope::ApprovalsDecide),
            resolves: self.caller.may(Scope::EffectsResolve),
            writes: self.caller.may(Scope::EventsWrite),
        })
    }

    /// Renders a page.
    pub(super) async fn page<T: Serialize>(
        &self,
        section: Section,
        template: &str,
        twin: Equivalents,
        values: &T,
    ) -> Result<Response, Problem> {
        page(template, &Page { frame: self.frame(section).await?, twin, values })
    }
}
