//! Callers and what they may do. A bearer token `tlk_<id>_<secret>` is kept as its SHA-256 and is bound to one
//! tenant, one app and a list of scopes (`docs/design/0033-access-and-limits.md`).

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::{hex, sha256};

/// Right that a token or a person can have: to do what its line says. docs/configuration.md is made of these lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// deliver events: what people say, press and fill in
    EventsWrite,
    /// speak as the assistant (`assistant.posted`), beside `events:write`
    AssistantWrite,
    /// say how a task stands (`task.reported`), beside `events:write`
    TasksReport,
    /// read lanes in which the person took part: messages, turns and why; follow a lane
    LanesRead,
    /// the same for every lane of the tenant
    LanesReadAll,
    /// show lists of options and the focus, and report what became of an option
    OptionsWrite,
    /// read what a model would be told of a lane, and the facts that are known
    ContextRead,
    /// state facts, and take them back
    FactsWrite,
    /// read approvals
    ApprovalsRead,
    /// decide approvals by their ids
    ApprovalsDecide,
    /// read effects, issues and the kill switch
    EffectsRead,
    /// report other effects that the host performed
    EffectsReport,
    /// say what became of an uncertain effect; for people with the role `operator` or `admin`, also use the kill switch
    EffectsResolve,
    /// name another person than the token's own; whoever may act for anybody may read what anybody may
    ActAs,
    /// nothing in this version: kept for the audit log
    Audit,
    /// make sign-in links, switch the kill switch, erase, and decide recorded turns again
    Admin,
}

impl Scope {
    /// Every scope, in order.
    pub const ALL: [Self; 16] = [
        Self::EventsWrite,
        Self::AssistantWrite,
        Self::TasksReport,
        Self::LanesRead,
        Self::LanesReadAll,
        Self::OptionsWrite,
        Self::ContextRead,
        Self::FactsWrite,
        Self::ApprovalsRead,
        Self::ApprovalsDecide,
        Self::EffectsRead,
        Self::EffectsReport,
        Self::EffectsResolve,
        Self::ActAs,
        Self::Audit,
        Self::Admin,
    ];

    /// True if only programs have it: a person at a browser speaks for nobody else, neither for another person nor
    /// for the assistant, a sub-agent or whatever performed an effect.
    #[must_use]
    pub fn is_of_hosts(self) -> bool {
        matches!(self, Self::ActAs | Self::AssistantWrite | Self::TasksReport | Self::EffectsReport)
    }

    /// Returns the name used in the configuration: `events:write`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EventsWrite => "events:write",
            Self::AssistantWrite => "assistant:write",
            Self::TasksReport => "tasks:report",
            Self::LanesRead => "lanes:read",
            Self::LanesReadAll => "lanes:read_all",
            Self::OptionsWrite => "options:write",
            Self::ContextRead => "context:read",
            Self::FactsWrite => "facts:write",
            Self::ApprovalsRead => "approvals:read",
            Self::ApprovalsDecide => "approvals:decide",
            Self::EffectsRead => "effects:read",
            Self::EffectsReport => "effects:report",
            Self::EffectsResolve => "effects:resolve",
            Self::ActAs => "act_as",
            Self::Audit => "audit",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(|| UnknownScope(name.into()))
    }
}

/// Error for a name that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope")]
pub struct UnknownScope(String);

impl Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Configured token. The secret is not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Id: the part between `tlk_` and the secret.
    pub id: String,
    /// SHA-256 of the whole token, in hexadecimal.
    pub sha256: String,
    /// Tenant it is bound to.
    pub tenant: String,
    /// App it is bound to.
    pub app: String,
    /// Scopes it has.
    pub scopes: Vec<Scope>,
    /// User it acts as.
    pub principal: String,
}

impl Token {
    /// Returns true if `id` can be the id of a token: 1 to 32 lower-case letters, digits and dashes.
    #[must_use]
    pub fn valid_id(id: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=32).contains(&id.len()) && id.bytes().all(plain)
    }

    /// Makes a token: the text to hand out once, and the hash to configure.
    #[must_use]
    pub fn mint(id: &str, secret: [u8; 24]) -> (String, String) {
        let token = format!("tlk_{id}_{}", hex(&secret));
        let hash = Self::hash(&token);
        (token, hash)
    }

    /// Returns the caller who presents this token.
    #[must_use]
    pub fn caller(&self) -> Caller {
        let Self { id, tenant, app, scopes, principal, .. } = self.clone();
        Caller { token: id, tenant, app, principal, scopes, kind: CallerKind::Program, session: None }
    }

    /// Returns the hash under which a token is configured.
    #[must_use]
    pub fn hash(token: &str) -> String {
        hex(&sha256(&[token.as_bytes()]))
    }
}

/// Sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Id of the token, part of every delivery key.
    pub token: String,
    /// Tenant the caller belongs to.
    pub tenant: String,
    /// App of the lanes the caller writes to.
    pub app: String,
    /// User the caller acts as.
    pub principal: String,
    scopes: Vec<Scope>,
    kind: CallerKind,
    session: Option<SessionOf>,
}

/// Browser session that a caller acts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionOf {
    /// Id of the session.
    pub(crate) id: String,
    /// Time at which its cookie ends.
    pub(crate) ends: Timestamp,
}

/// Kind of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallerKind {
    /// Program with a token, or anybody in a demo.
    Program,
    /// Person at a browser.
    Person,
}

/// Returns the scopes that a person's roles give them. Approver rules are separate: they name roles themselves.
#[must_use]
pub fn rights(roles: &[String]) -> Vec<Scope> {
    use Scope::{
        ApprovalsDecide, ApprovalsRead, Audit, ContextRead, EffectsRead, EffectsResolve, EventsWrite,
        LanesRead, LanesReadAll, OptionsWrite,
    };
    let is = |role: &str| roles.iter().any(|given| given == role);
    if is("admin") {
        return Scope::ALL.into_iter().filter(|scope| !scope.is_of_hosts()).collect();
    }
    let mut scopes = vec![LanesRead];
    let looks_only = (is("viewer") || is("auditor")) && !is("member") && !is("approver") && !is("operator");
    if !looks_only {
        scopes.extend([EventsWrite, OptionsWrite]);
    }
    if is("approver") {
        scopes.extend([ApprovalsRead, ApprovalsDecide]);
    }
    if is("operator") {
        scopes.extend([
            LanesReadAll,
            ApprovalsRead,
            ApprovalsDecide,
            ContextRead,
            EffectsRead,
            EffectsResolve,
        ]);
    }
    if is("auditor") {
        scopes.extend([LanesReadAll, ApprovalsRead, EffectsRead, Audit]);
    }
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

/// Returns the owner of a web conversation: `ana` for `ana:0f3c9a`.
#[must_use]
pub fn owner(conversation: &str) -> Option<&str> {
    conversation.rsplit_once(':').map(|(owner, _)| owner).filter(|owner| !owner.is_empty())
}

impl Caller {
    /// Returns the caller for a person who signed in with a browser. All requests of one person share their
    /// Idempotency-Keys, however often they sign in.
    #[must_use]
    pub fn person(tenant: &str, app: &str, user: &str, scopes: Vec<Scope>) -> Self {
        let (tenant, app, principal) = (tenant.into(), app.into(), user.into());
        let token = format!("web:{user}");
        Self { token, tenant, app, principal, scopes, kind: CallerKind::Person, session: None }
    }

    /// Returns the caller as one who acts in a browser's session, and no longer than that.
    #[must_use]
    pub(crate) fn within(mut self, session: SessionOf) -> Self {
        self.session = Some(session);
        self
    }

    /// Returns the browser's session, if the caller acts in one.
    pub(crate) fn session(&self) -> Option<&SessionOf> {
        self.session.as_ref()
    }

    /// Returns the caller's name for messages of refusals.
    #[must_use]
    pub fn label(&self) -> String {
        match self.token.strip_prefix("web:") {
            Some(user) => format!("{user}, signed in by a browser,"),
            None => format!("the token {}", self.token),
        }
    }

    /// Returns true if the caller is a person at a browser.
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.kind == CallerKind::Person
    }

    /// Returns true if the caller is a person who may only act as themselves: neither for the agent nor for a host.
    #[must_use]
    pub fn acts_only_as_self(&self) -> bool {
        self.is_person() && !self.may(Scope::ActAs)
    }

    /// Returns the caller of a demo: no token, every scope.
    #[must_use]
    pub fn demo(tenant: &str, app: &str) -> Self {
        Self {
            token: "demo".into(),
            tenant: tenant.into(),
            app: app.into(),
            principal: "you".into(),
            scopes: Scope::ALL.into(),
            kind: CallerKind::Program,
            session: None,
        }
    }

    /// Returns true if the caller has the scope.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// Returns the caller of a bearer token, if the token is configured.
#[must_use]
pub fn caller(tokens: &[Token], bearer: &str) -> Option<Caller> {
    token(tokens, bearer).map(Token::caller)
}

/// Returns the configured token that matches a bearer token. Hashes are compared in constant time.
#[must_use]
pub fn token<'t>(tokens: &'t [Token], bearer: &str) -> Option<&'t Token> {
    let (id, _) = bearer.strip_prefix("tlk_")?.split_once('_')?;
    let hash = Token::hash(bearer);
    let token = tokens.iter().find(|token| token.id == id)?;
    let differs = token
        .sha256
        .bytes()
        .zip(hash.bytes())
        .fold(token.sha256.len() ^ hash.len(), |found, (a, b)| found | usize::from(a ^ b));
    (differs == 0).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> (String, Token) {
        let (text, sha256) = Token::mint("ci-1", [7; 24]);
        let scopes = vec![Scope::EventsWrite];
        let token = Token {
            id: "ci-1".into(),
            sha256,
            tenant: "acme".into(),
            app: "a".into(),
            scopes,
            principal: "ana".into(),
        };
        (text, token)
    }

    #[test]
    fn a_token_opens_its_tenant_and_nothing_else_does() {
        let (text, token) = token();
        let found = caller(std::slice::from_ref(&token), &text).unwrap();
        assert_eq!((found.tenant.as_str(), found.principal.as_str()), ("acme", "ana"));
        assert!(found.may(Scope::EventsWrite) && !found.may(Scope::ActAs));
        let mut changed = text.clone();
        changed.pop();
        for wrong in [
            "",
            "tlk_",
            "tlk_ci-1",
            "tlk_ci-1_",
            &changed,
            &format!("{text}0"),
            &text.to_uppercase(),
            "tlk_other_00",
        ] {
            assert_eq!(caller(std::slice::from_ref(&token), wrong), None, "{wrong}");
        }
    }

    #[test]
    fn nobody_speaks_for_a_program_from_a_browser() {
        for role in ["viewer", "member", "approver", "operator", "auditor", "admin"] {
            let scopes = rights(&[role.to_owned()]);
            assert!(!scopes.iter().any(|scope| scope.is_of_hosts()), "{role}: {scopes:?}");
        }
    }

    #[test]
    fn scopes_go_both_ways() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        assert!("events".parse::<Scope>().is_err());
    }
}
