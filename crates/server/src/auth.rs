//! Who calls: bearer tokens `tlk_<id>_<secret>`, kept as SHA-256, bound to one tenant, one app and a list of
//! scopes (`spec 06 §7.1`).

use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;
use throughline_engine::canon::{hex, sha256};

/// What a token may do (`spec 07 §5.1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is explained by the routes that need it")]
pub enum Scope {
    EventsWrite,
    LanesRead,
    OptionsWrite,
    ContextRead,
    FactsWrite,
    ApprovalsRead,
    ApprovalsDecide,
    EffectsRead,
    EffectsResolve,
    ActAs,
    Audit,
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 12] = [
        Self::EventsWrite,
        Self::LanesRead,
        Self::OptionsWrite,
        Self::ContextRead,
        Self::FactsWrite,
        Self::ApprovalsRead,
        Self::ApprovalsDecide,
        Self::EffectsRead,
        Self::EffectsResolve,
        Self::ActAs,
        Self::Audit,
        Self::Admin,
    ];

    /// Its name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::EventsWrite => "events:write",
            Self::LanesRead => "lanes:read",
            Self::OptionsWrite => "options:write",
            Self::ContextRead => "context:read",
            Self::FactsWrite => "facts:write",
            Self::ApprovalsRead => "approvals:read",
            Self::ApprovalsDecide => "approvals:decide",
            Self::EffectsRead => "effects:read",
            Self::EffectsResolve => "effects:resolve",
            Self::ActAs => "act_as",
            Self::Audit => "audit",
            Self::Admin => "admin",
        }
    }

    /// The scope of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}

impl Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::from_word(&word).ok_or_else(|| serde::de::Error::custom(format!("`{word}` is not a scope")))
    }
}

/// A token as it is configured. The secret is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its name.
    pub id: String,
    /// SHA-256 of the whole token, in hex.
    pub sha256: String,
    /// The tenant it is bound to.
    pub tenant: String,
    /// The app it is bound to.
    pub app: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// The user it acts as.
    pub principal: String,
}

impl Token {
    /// Whether this can be a token's id: it stands between two underscores.
    #[must_use]
    pub fn valid_id(id: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=32).contains(&id.len()) && id.bytes().all(plain)
    }

    /// A new token of that id: the text to hand out once, and the hash to configure.
    #[must_use]
    pub fn mint(id: &str, secret: [u8; 24]) -> (String, String) {
        let token = format!("tlk_{id}_{}", hex(&secret));
        let hash = Self::hash(&token);
        (token, hash)
    }

    /// Who comes with it.
    #[must_use]
    pub fn caller(&self) -> Caller {
        let Self { id, tenant, app, scopes, principal, .. } = self.clone();
        Caller { token: id, tenant, app, principal, scopes, sees: Sees::Tenant }
    }

    /// What is stored of a token.
    #[must_use]
    pub fn hash(token: &str) -> String {
        hex(&sha256(&[token.as_bytes()]))
    }
}

/// Who a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The token's id, part of every delivery key.
    pub token: String,
    /// The tenant whose data it sees.
    pub tenant: String,
    /// The app of the lanes it writes to.
    pub app: String,
    /// The user it acts as.
    pub principal: String,
    scopes: Vec<Scope>,
    sees: Sees,
}

/// Which lanes there are for a caller (`spec 06 §7.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// Every lane of the tenant.
    Tenant,
    /// The person's own web conversations.
    Own,
}

/// What a person's roles allow them to do themselves, and where. Whom an approver rule names is another matter.
#[must_use]
pub fn rights(roles: &[String]) -> (Vec<Scope>, Sees) {
    use Scope::{
        ApprovalsDecide, ApprovalsRead, Audit, ContextRead, EffectsRead, EffectsResolve, EventsWrite,
        LanesRead, OptionsWrite,
    };
    let is = |role: &str| roles.iter().any(|given| given == role);
    if is("admin") {
        // Nobody speaks for somebody else from a browser.
        return (Scope::ALL.into_iter().filter(|scope| *scope != Scope::ActAs).collect(), Sees::Tenant);
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
        scopes.extend([ApprovalsRead, ApprovalsDecide, ContextRead, EffectsRead, EffectsResolve]);
    }
    if is("auditor") {
        scopes.extend([ApprovalsRead, EffectsRead, Audit]);
    }
    scopes.sort_unstable();
    scopes.dedup();
    (scopes, if is("operator") || is("auditor") { Sees::Tenant } else { Sees::Own })
}

/// Whose web conversation that is: `ana:0f3c9a` is ana's.
#[must_use]
pub fn owner(conversation: &str) -> Option<&str> {
    conversation.rsplit_once(':').map(|(owner, _)| owner).filter(|owner| !owner.is_empty())
}

impl Caller {
    /// A person in front of a browser. Requests of one person share their keys, however often they sign in.
    #[must_use]
    pub fn person(tenant: &str, app: &str, user: &str, (scopes, sees): (Vec<Scope>, Sees)) -> Self {
        let (tenant, app, principal) = (tenant.into(), app.into(), user.into());
        Self { token: format!("web:{user}"), tenant, app, principal, scopes, sees }
    }

    /// As a refusal names it.
    #[must_use]
    pub fn called(&self) -> String {
        match self.token.strip_prefix("web:") {
            Some(user) => format!("{user}, signed in by a browser,"),
            None => format!("the token {}", self.token),
        }
    }

    /// Whether that lane is there for this caller. Every route asks this; what is not there answers like what is
    /// missing.
    #[must_use]
    pub fn sees(&self, lane: &LaneKey) -> bool {
        let own = || {
            lane.channel == "web"
                && lane.app == self.app
                && owner(&lane.conversation) == Some(self.principal.as_str())
        };
        lane.tenant == self.tenant && (self.sees == Sees::Tenant || own())
    }

    /// Whether it is a person who may speak for nobody but themselves: not for the agent, not for a host.
    #[must_use]
    pub fn only_themselves(&self) -> bool {
        self.sees == Sees::Own
    }

    /// Whoever calls a demo: no token, every scope.
    #[must_use]
    pub fn demo(tenant: &str, app: &str) -> Self {
        Self {
            token: "demo".into(),
            tenant: tenant.into(),
            app: app.into(),
            principal: "you".into(),
            scopes: Scope::ALL.into(),
            sees: Sees::Tenant,
        }
    }

    /// Whether it may do that.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// The caller of a bearer token, if it is one of ours.
#[must_use]
pub fn caller(tokens: &[Token], bearer: &str) -> Option<Caller> {
    token(tokens, bearer).map(Token::caller)
}

/// The configured token that this is. Compared by hash, in constant time.
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

    /// The part of SEC-45 that is about lanes.
    #[test]
    fn a_person_sees_their_own_web_conversations_and_more_only_by_role() {
        let of = |roles: &[&str]| {
            let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
            Caller::person("acme", "bot", "ana", rights(&roles))
        };
        let lane = |channel: &str, conversation: &str| LaneKey::new("acme", "bot", channel, conversation, "");
        let own = lane("web", "ana:0f3c");
        let others = [
            lane("web", "bob:0f3c"),
            lane("web", "ana"),
            lane("web", "ana:x:0f3c"),
            lane("web", ":0f3c"),
            lane("api", "ana:0f3c"),
            LaneKey::new("acme", "other", "web", "ana:0f3c", ""),
        ];
        for (roles, writes, all) in [
            (&[][..], true, false),
            (&["pm"], true, false),
            (&["viewer"], false, false),
            (&["viewer", "member"], true, false),
            (&["approver"], true, false),
            (&["operator"], true, true),
            (&["auditor"], false, true),
            (&["admin"], true, true),
        ] {
            let caller = of(roles);
            assert!(caller.may(Scope::LanesRead) && !caller.may(Scope::ActAs), "{roles:?}");
            assert_eq!(caller.may(Scope::EventsWrite), writes, "{roles:?}");
            assert!(caller.sees(&own), "{roles:?}");
            assert!(others.iter().all(|lane| caller.sees(lane) == all), "{roles:?}");
            assert!(!caller.sees(&LaneKey::new("other", "bot", "web", "ana:0f3c", "")), "another tenant");
        }
        assert!(of(&["approver"]).may(Scope::ApprovalsDecide) && !of(&[]).may(Scope::ApprovalsRead));
    }

    #[test]
    fn scopes_go_both_ways() {
        for scope in Scope::ALL {
            assert_eq!(Scope::from_word(scope.word()), Some(scope));
        }
        assert_eq!(Scope::from_word("events"), None);
    }
}
