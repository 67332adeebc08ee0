//! Sessions of the web pages: a cookie signed with the instance key. Stored is which ones ended before their time
//! (`ended.rs`), and a list of those that began, for people to look at (`begun.rs`). The user or token behind a session is
//! looked up at every request.

mod begun;
pub(crate) mod ended;
pub(crate) mod seen;

use std::time::Duration;

use axum::http::header::{COOKIE, USER_AGENT, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, SameSite};
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_store::StoreError;

use crate::app::App;
use crate::auth::{Caller, Scope, SessionOf, Token, rights};
use crate::codes;
use crate::problem::Problem;
use crate::push;
use crate::random;

pub(crate) use begun::Begun;

/// Header with the CSRF token, required on every POST of a signed-in browser.
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";
/// Lifetime of a cookie, in milliseconds.
const LIFETIME: i64 = 7 * Timestamp::DAY;
/// Lifetime of a session in a frame of another site's page, in milliseconds: that page can begin another one at any time.
const FRAME_LIFETIME: i64 = 12 * Timestamp::HOUR;
/// Lifetime of a session that a provider vouched for, in milliseconds: roles are read from its claims at each sign-in.
const VOUCHED_LIFETIME: i64 = 12 * Timestamp::HOUR;
/// Purposes of the signatures.
const COOKIE_PURPOSE: &str = "web-session";
const CSRF_PURPOSE: &str = "web-csrf";

/// Content of the cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// Random id, from which the CSRF token is derived.
    id: String,
    tenant: String,
    app: String,
    user: String,
    by: By,
    ends: Timestamp,
}

/// Way in which a person signed in. It is checked again at every request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    /// Demo: no sign-in.
    Demo,
    /// One-time link for a configured user.
    Link,
    /// Token, with its id and hash.
    Token { id: String, sha256: String },
    /// Account at the provider of sign-ins.
    OpenId,
}

/// Error: the cookie is not valid, or no longer valid.
pub(crate) struct Over;

impl Session {
    /// Begins a session of a user of the configured tenant, for a demo or a link.
    pub(crate) fn of_user(app: &App, user: &str, by: By) -> Result<Self, Problem> {
        let config = app.config();
        Self::begin(app, &config.tenant, &config.app, user, by)
    }

    /// Begins a session of the user a token acts as.
    pub(crate) fn of_token(app: &App, token: &Token) -> Result<Self, Problem> {
        let by = By::Token { id: token.id.clone(), sha256: token.sha256.clone() };
        Self::begin(app, &token.tenant, &token.app, &token.principal, by)
    }

    fn begin(app: &App, tenant: &str, name: &str, user: &str, by: By) -> Result<Self, Problem> {
        let lifetime = if by == By::OpenId { VOUCHED_LIFETIME } else { LIFETIME };
        let ends = app.store().now().plus(lifetime);
        let (tenant, name, user) = (tenant.into(), name.into(), user.into());
        Ok(Self { id: random::id()?, tenant, app: name, user, by, ends })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    /// Returns true if the person can sign out. A demo begins a new session by itself.
    pub(crate) fn signed_in(&self) -> bool {
        self.by != By::Demo
    }

    /// Records that the session begins in this browser.
    ///
    /// # Errors
    /// The store did not answer.
    pub(crate) async fn begin_in(&self, app: &App, headers: &HeaderMap) -> Result<(), StoreError> {
        let by = match self.by {
            By::Demo => return Ok(()),
            By::Link => "link",
            By::Token { .. } => "token",
            By::OpenId => "openid",
        };
        let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let begun = Begun {
            id: self.id.clone(),
            user: self.user.clone(),
            by: by.into(),
            agent: begun::agent(agent),
            began: app.store().now(),
            ends: self.ends,
            seen: None,
        };
        app.seen.note(&self.id, self.ends, begun.began);
        begun::record(app.store(), &self.tenant, &begun).await
    }

    /// Ends the session at once: in this browser, in streams, and for every copy of its cookie.
    ///
    /// # Errors
    ///
    /// It could not be recorded, so that it would count again after a restart.
    pub(crate) async fn end(&self, app: &App) -> Result<(), StoreError> {
        app.ended.end(app.store(), &self.id, self.ends).await?;
        push::session_ended(app, &self.tenant, &self.id).await
    }

    /// Notes that the session is used.
    fn is_seen(&self, app: &App) {
        let now = app.store().now();
        if !self.signed_in() || !app.seen.note(&self.id, self.ends, now) {
            return;
        }
        let (store, Self { id, tenant, ends, .. }) = (app.instance.store.clone(), self.clone());
        app.runtime().in_background(async move {
            if let Err(error) = begun::tell(store.as_ref(), &tenant, (&id, ends), now).await {
                tracing::debug!(%error, "the list of sessions does not know that one is used");
            }
        });
    }

    /// Returns the caller of the session; `None` if its user or token is gone.
    pub(crate) fn caller(&self, app: &App) -> Option<Caller> {
        let config = app.config();
        let person = |rights| Caller::person(&self.tenant, &self.app, &self.user, rights);
        let user = || config.active_user(&self.tenant, &self.user);
        let caller = match &self.by {
            By::Demo => user().filter(|_| config.server.demo).map(|_| person(Scope::ALL.into())),
            By::Link => user().map(|user| person(rights(&user.roles))),
            By::Token { id, sha256 } => config.token(id, sha256).map(Token::caller),
            By::OpenId => {
                let entry = config.users.entry(&self.tenant, &self.user);
                let vouched = entry.filter(|entry| entry.kept.identity.is_some() && !entry.user.is_out());
                vouched.map(|entry| person(rights(&entry.user.roles)))
            }
        };
        caller.map(|caller| caller.within(SessionOf { id: self.id.clone(), ends: self.ends }))
    }

    /// Returns the CSRF token of this session's pages.
    pub(crate) fn csrf(&self, app: &App) -> String {
        URL_SAFE_NO_PAD.encode(app.runtime().keys().sign(CSRF_PURPOSE, self.id.as_bytes()))
    }

    /// Checks a CSRF token.
    pub(crate) fn proves(&self, app: &App, given: &str) -> Result<(), Problem> {
        let given = URL_SAFE_NO_PAD.decode(given).unwrap_or_default();
        if app.runtime().keys().signed(CSRF_PURPOSE, self.id.as_bytes(), &given) {
            return Ok(());
        }
        let text = format!("the page is not of this session ({} is signed in); reload it", self.user);
        Err(Problem::new(&codes::CSRF, text))
    }

    /// Returns the session with the lifetime of one in a frame.
    pub(crate) fn in_frame(self, app: &App) -> Self {
        Self { ends: app.store().now().plus(FRAME_LIFETIME), ..self }
    }

    /// Returns the `Set-Cookie` value of this session.
    pub(crate) fn cookie(&self, app: &App) -> HeaderValue {
        let left = self.ends.since(app.store().now()) / Timestamp::SECOND;
        header(app, self.signed(app), left)
    }

    /// Returns the `Set-Cookie` value of this session in a frame of another site's page. Browsers keep it apart for each
    /// site around the frame (`Partitioned`), and only over TLS or on loopback.
    pub(crate) fn frame_cookie(&self, app: &App) -> HeaderValue {
        let cookie = Cookie::build((frame_name(app), self.signed(app)))
            .path("/")
            .http_only(true)
            .secure(true)
            .same_site(SameSite::None)
            .partitioned(true)
            .max_age(cookie::time::Duration::seconds(FRAME_LIFETIME / Timestamp::SECOND));
        HeaderValue::from_str(&cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
    }

    fn signed(&self, app: &App) -> String {
        let said = serde_json::to_vec(self).unwrap_or_default();
        let signature = app.runtime().keys().sign(COOKIE_PURPOSE, &said);
        format!("{}.{}", URL_SAFE_NO_PAD.encode(&said), URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Returns the sessions of a tenant that count, those that began last first.
pub(crate) async fn list(app: &App, tenant: &str) -> Result<Vec<Begun>, StoreError> {
    let config = app.config();
    let counts = |begun: &Begun| {
        !app.ended.contains(&begun.id) && config.user(tenant, &begun.user).is_none_or(|user| !user.is_out())
    };
    let listed = begun::list(app.store(), tenant).await?.into_iter().filter(counts);
    Ok(listed.map(|begun| Begun { seen: begun.seen.max(app.seen.at(&begun.id)), ..begun }).collect())
}

impl Begun {
    /// Ends the session at once.
    ///
    /// # Errors
    /// It could not be recorded, so that it would count again after a restart.
    pub(crate) async fn end(&self, app: &App) -> Result<(), StoreError> {
        app.ended.end(app.store(), &self.id, self.ends).await
    }
}

/// Returns the `Set-Cookie` value that ends a session.
pub(crate) fn no_cookie(app: &App) -> HeaderValue {
    header(app, String::new(), 0)
}

fn header(app: &App, value: String, seconds: i64) -> HeaderValue {
    let cookie = Cookie::build((name(app), value))
        .path("/")
        .http_only(true)
        .secure(secure(app))
        .same_site(SameSite::Strict)
        .max_age(cookie::time::Duration::seconds(seconds));
    HeaderValue::from_str(&cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
}

/// Returns true if the cookie is sent over TLS only: everywhere except on loopback without a public address.
fn secure(app: &App) -> bool {
    let config = app.config();
    let address = app.address.get().copied().unwrap_or(config.server.listen);
    config.server.is_https() || !address.ip().is_loopback()
}

/// Returns a cookie name that no other server on this machine uses, since cookies are shared between ports.
fn name(app: &App) -> String {
    if secure(app) {
        return "__Host-throughline".into();
    }
    let address = app.address.get().copied().unwrap_or(app.config().server.listen);
    format!("throughline-{}", address.port())
}

/// Returns the name of the cookie in frames.
fn frame_name(app: &App) -> String {
    let address = app.address.get().copied().unwrap_or(app.config().server.listen);
    format!("__Host-throughline-frame-{}", address.port())
}

/// Returns the session and caller of a request's cookie; `None` if it has no cookie. Where a browser sends both, the
/// frame is on the site's own page, and the person of that page counts.
pub(crate) fn of(app: &App, headers: &HeaderMap) -> Result<Option<(Session, Caller)>, Over> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let sent: Vec<_> = cookies.flat_map(Cookie::split_parse).flatten().collect();
    let named = |name: String| sent.iter().find(|cookie| cookie.name() == name && !cookie.value().is_empty());
    let Some(cookie) = named(name(app)).or_else(|| named(frame_name(app))) else { return Ok(None) };
    let session = read(app, cookie.value());
    let here = session.and_then(|session| session.caller(app).map(|caller| (session, caller)));
    let found = here.filter(|(_, caller)| counts(app, caller)).ok_or(Over)?;
    found.0.is_seen(app);
    Ok(Some(found))
}

/// Returns true while the caller's session counts. Whoever acts in none is asked for their token at each request.
pub(crate) fn counts(app: &App, caller: &Caller) -> bool {
    let over = |of: &SessionOf| of.ends <= app.store().now() || app.ended.contains(&of.id);
    !caller.session().is_some_and(over)
}

/// Completes when the caller's session ends; never, if they act in none.
pub(crate) async fn ended(app: &App, caller: &Caller) {
    let Some(session) = caller.session() else { return std::future::pending().await };
    loop {
        let more = app.ended.more();
        if !counts(app, caller) {
            return;
        }
        let left = u64::try_from(session.ends.0 - app.store().now().0).unwrap_or_default();
        tokio::select! {
            () = more => {}
            () = tokio::time::sleep(Duration::from_millis(left)) => {}
        }
    }
}

fn read(app: &App, value: &str) -> Option<Session> {
    let (said, signature) = value.split_once('.')?;
    let (said, signature) = (URL_SAFE_NO_PAD.decode(said).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
    let ours = app.runtime().keys().signed(COOKIE_PURPOSE, &said, &signature);
    ours.then(|| serde_json::from_slice(&said).ok()).flatten()
}

/// Problem: the cookie counts no more.
pub(crate) fn over() -> Problem {
    let over = Problem::new(&codes::SESSION_OVER, "this browser is signed in no more; reload the page");
    over.header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

/// Returns the caller of an API request that has a cookie and no token. A request that changes something needs the
/// CSRF token.
pub(crate) fn of_request(app: &App, parts: &Parts) -> Result<Option<Caller>, Problem> {
    let here = of(app, &parts.headers).map_err(|Over| over())?;
    let Some((session, caller)) = here else { return Ok(None) };
    if !parts.method.is_safe() {
        let given = parts.headers.get(CSRF_HEADER).and_then(|given| given.to_str().ok());
        session.proves(app, given.unwrap_or_default())?;
    }
    Ok(Some(caller))
}
