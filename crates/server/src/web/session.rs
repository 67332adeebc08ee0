//! Who is signed in: a cookie that says so, signed with the instance key (`spec 07 §4`). Nothing of it is stored; the
//! user or the token it stands for is looked up again with every request.

use axum::http::header::{COOKIE, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, SameSite};
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_engine::canon::hex;

use crate::app::App;
use crate::auth::{Caller, Scope, Sees, Token, rights};
use crate::codes;
use crate::problem::Problem;

/// The header every POST of a signed-in browser carries.
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";
/// How long a cookie counts.
const LIFETIME: i64 = 7 * Timestamp::DAY;
/// What the signatures are for.
const COOKIE_PURPOSE: &str = "web-session";
const CSRF_PURPOSE: &str = "web-csrf";

/// What a cookie says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// Random: what its CSRF token is derived from.
    id: String,
    tenant: String,
    app: String,
    user: String,
    by: By,
    ends: Timestamp,
}

/// How somebody came in: what has to be true still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    /// Whoever is there, in a demo.
    Demo,
    /// A configured user, by a one-time link.
    Link,
    /// With a token: its id and hash.
    Token { id: String, sha256: String },
}

/// There is a cookie, but it does not count, or no more.
pub(crate) struct Over;

impl Session {
    /// A user of the configured tenant, in a demo or by a link.
    pub(crate) fn of_user(app: &App, user: &str, by: By) -> Result<Self, Problem> {
        let config = app.config();
        Self::begin(app, &config.tenant, &config.app, user, by)
    }

    /// Whoever a token acts as.
    pub(crate) fn of_token(app: &App, token: &Token) -> Result<Self, Problem> {
        let by = By::Token { id: token.id.clone(), sha256: token.sha256.clone() };
        Self::begin(app, &token.tenant, &token.app, &token.principal, by)
    }

    fn begin(app: &App, tenant: &str, name: &str, user: &str, by: By) -> Result<Self, Problem> {
        let ends = app.store().now().plus(LIFETIME);
        let (tenant, name, user) = (tenant.into(), name.into(), user.into());
        Ok(Self { id: random()?, tenant, app: name, user, by, ends })
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    /// Whether somebody can sign out of it: a demo begins anew by itself.
    pub(crate) fn signed_in(&self) -> bool {
        self.by != By::Demo
    }

    /// Who comes with it now; `None`: what it stands for is gone.
    pub(crate) fn caller(&self, app: &App) -> Option<Caller> {
        let config = app.config();
        let person = |rights| Caller::person(&self.tenant, &self.app, &self.user, rights);
        match &self.by {
            By::Demo if config.server.demo && config.user(&self.tenant, &self.user).is_some() => {
                Some(person((Scope::ALL.into(), Sees::Tenant)))
            }
            By::Demo => None,
            By::Link => config.user(&self.tenant, &self.user).map(|user| person(rights(&user.roles))),
            By::Token { id, sha256 } => {
                let token = config.tokens.iter().find(|token| token.id == *id && token.sha256 == *sha256);
                token.map(Token::caller)
            }
        }
    }

    /// What proves that a page of this session sends.
    pub(crate) fn csrf(&self, app: &App) -> String {
        URL_SAFE_NO_PAD.encode(app.runtime().keys().sign(CSRF_PURPOSE, self.id.as_bytes()))
    }

    /// Whether `given` is that.
    pub(crate) fn proves(&self, app: &App, given: &str) -> Result<(), Problem> {
        let given = URL_SAFE_NO_PAD.decode(given).unwrap_or_default();
        if app.runtime().keys().signed(CSRF_PURPOSE, self.id.as_bytes(), &given) {
            return Ok(());
        }
        let text = format!("the page is not of this session ({} is signed in); reload it", self.user);
        Err(Problem::new(&codes::CSRF, text))
    }

    /// The cookie that says it.
    pub(crate) fn cookie(&self, app: &App) -> HeaderValue {
        let said = serde_json::to_vec(self).unwrap_or_default();
        let signature = app.runtime().keys().sign(COOKIE_PURPOSE, &said);
        let value = format!("{}.{}", URL_SAFE_NO_PAD.encode(&said), URL_SAFE_NO_PAD.encode(signature));
        header(app, value, LIFETIME / Timestamp::SECOND)
    }
}

/// The cookie that ends whatever was said.
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

/// Only over TLS, except on loopback without a public address of its own.
fn secure(app: &App) -> bool {
    let config = app.config();
    let public = config.server.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
    let address = app.address.get().copied().unwrap_or(config.server.listen);
    public || !address.ip().is_loopback()
}

/// A name that no other server on this machine uses: cookies are not told apart by port.
fn name(app: &App) -> String {
    if secure(app) {
        return "__Host-throughline".into();
    }
    let address = app.address.get().copied().unwrap_or(app.config().server.listen);
    format!("throughline-{}", address.port())
}

/// Who a request's cookie says is there; `None`: it has none.
pub(crate) fn of(app: &App, headers: &HeaderMap) -> Result<Option<(Session, Caller)>, Over> {
    let name = name(app);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let mut named = cookies.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == name);
    let Some(cookie) = named.next().filter(|cookie| !cookie.value().is_empty()) else { return Ok(None) };
    let session = read(app, cookie.value()).filter(|session| session.ends > app.store().now());
    let here = session.and_then(|session| session.caller(app).map(|caller| (session, caller)));
    here.map(Some).ok_or(Over)
}

fn read(app: &App, value: &str) -> Option<Session> {
    let (said, signature) = value.split_once('.')?;
    let (said, signature) = (URL_SAFE_NO_PAD.decode(said).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
    let ours = app.runtime().keys().signed(COOKIE_PURPOSE, &said, &signature);
    ours.then(|| serde_json::from_slice(&said).ok()).flatten()
}

/// The caller of a request of the API that comes with a cookie and no token. What changes something has to come
/// from our page.
pub(crate) fn of_request(app: &App, parts: &Parts) -> Result<Option<Caller>, Problem> {
    let Ok(here) = of(app, &parts.headers) else {
        let over = Problem::new(&codes::SESSION_OVER, "this browser is signed in no more; reload the page");
        return Err(over.header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
    };
    let Some((session, caller)) = here else { return Ok(None) };
    if !parts.method.is_safe() {
        let given = parts.headers.get(CSRF_HEADER).and_then(|given| given.to_str().ok());
        session.proves(app, given.unwrap_or_default())?;
    }
    Ok(Some(caller))
}

/// 16 random bytes, as text.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}
