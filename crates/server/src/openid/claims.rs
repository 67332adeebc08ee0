//! Claims of a provider, and whom they mean here.

use openidconnect::AdditionalClaims;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::{Identity, OpenIdConfig};

/// Longest id of a person, in bytes.
const LONGEST: usize = 128;

/// Claims beside the standard ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Claims(Map<String, Value>);

impl AdditionalClaims for Claims {}

/// Person as a provider knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// Id here.
    pub(crate) id: String,
    pub(crate) identity: Identity,
}

/// Reads who somebody is.
///
/// # Errors
/// Returns a sentence for them: the claims say no id.
pub(super) fn account(config: &OpenIdConfig, claims: &Map<String, Value>) -> Result<Account, String> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let claim = config.user_claim.as_str();
    let id = text(claim);
    if id.is_empty() {
        return Err(format!("its claims have no {claim}, which would be the id here"));
    }
    if id.len() > LONGEST || id.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!("its {claim} is no id: one word of at most {LONGEST} bytes"));
    }
    // An address that nobody checked may be somebody else's.
    let verified = claims.get("email_verified") == Some(&Value::Bool(true));
    if claim == "email" && !verified {
        return Err("the provider has not verified its email address".into());
    }
    let identity = Identity {
        issuer: config.issuer.clone(),
        subject: text("sub").to_owned(),
        name: text("name").to_owned(),
        email: Some(text("email")).filter(|email| verified && !email.is_empty()).map(str::to_owned),
        roles: roles(config, claims),
    };
    Ok(Account { id: id.to_owned(), identity })
}

/// Reads roles: values of the claim, each by what it stands for.
fn roles(config: &OpenIdConfig, claims: &Map<String, Value>) -> Vec<String> {
    let claimed = config.roles_claim.as_deref().and_then(|claim| find(claims, claim));
    let values: Vec<&str> = match claimed {
        Some(Value::String(one)) => one.split_whitespace().collect(),
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let role = |value: &&str| match config.roles.is_empty() {
        true => Some((*value).to_owned()),
        false => config.roles.get(*value).cloned(),
    };
    let mut roles: Vec<String> = values.iter().filter_map(role).collect();
    if roles.is_empty() {
        roles.extend(config.default_role.clone());
    }
    roles.sort();
    roles.dedup();
    roles
}

/// Returns a claim by its name, or within others by a path with dots: `realm_access.roles`.
fn find<'c>(claims: &'c Map<String, Value>, path: &str) -> Option<&'c Value> {
    if let Some(found) = claims.get(path) {
        return Some(found);
    }
    let (first, rest) = path.split_once('.')?;
    find(claims.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> OpenIdConfig {
        OpenIdConfig {
            issuer: "https://login.example.org".into(),
            client_id: "us".into(),
            secret_file: None,
            name: "Login".into(),
            scopes: Vec::new(),
            user_claim: "preferred_username".into(),
            roles_claim: Some("groups".into()),
            roles: [("staff", "member"), ("leads", "approver")].map(|(a, b)| (a.into(), b.into())).into(),
            default_role: None,
            allow_loopback: false,
        }
    }

    fn read(config: &OpenIdConfig, claims: &Value) -> Result<Account, String> {
        account(config, claims.as_object().unwrap())
    }

    #[test]
    fn reads_id_name_and_roles() {
        let claims = json!({"sub": "7", "preferred_username": "ana", "name": "Ana L", "groups": ["leads", "staff", "x"]});
        let found = read(&config(), &claims).unwrap();
        assert_eq!((found.id.as_str(), found.identity.name.as_str()), ("ana", "Ana L"));
        assert_eq!(found.identity.roles, ["approver", "member"]);
        assert_eq!(
            (found.identity.subject.as_str(), found.identity.issuer.as_str()),
            ("7", "https://login.example.org")
        );
    }

    #[test]
    fn roles_are_a_text_a_list_or_within_others() {
        let of = |config: &OpenIdConfig, groups: Value| {
            read(config, &json!({"sub": "7", "preferred_username": "ana", "groups": groups}))
                .unwrap()
                .identity
                .roles
        };
        assert_eq!(of(&config(), json!("staff")), ["member"]);
        assert_eq!(of(&config(), json!("staff leads")), ["approver", "member"]);
        for nothing in [json!(null), json!(7), json!({}), json!([7, null]), json!(["x"]), json!([])] {
            assert!(of(&config(), nothing.clone()).is_empty(), "{nothing}");
        }
        let deep = OpenIdConfig { roles_claim: Some("groups.a.b".into()), ..config() };
        assert_eq!(of(&deep, json!({"a": {"b": ["staff"]}})), ["member"]);
        let as_they_are = OpenIdConfig { roles: [].into(), ..config() };
        assert_eq!(of(&as_they_are, json!(["pm"])), ["pm"]);
        let all = OpenIdConfig { default_role: Some("viewer".into()), ..config() };
        assert_eq!(
            (of(&all, json!(["x"])), of(&all, json!(["staff"]))),
            (vec!["viewer".into()], vec!["member".into()])
        );
    }

    #[test]
    fn nobody_is_taken_for_another_by_an_address_that_was_not_checked() {
        let by_mail = OpenIdConfig { user_claim: "email".into(), ..config() };
        let of = |verified: Value| {
            read(&by_mail, &json!({"sub": "7", "email": "ana@example.org", "email_verified": verified}))
        };
        assert_eq!(of(json!(true)).unwrap().id, "ana@example.org");
        for not in [json!(false), json!(null), json!("true"), json!(1)] {
            assert!(of(not.clone()).is_err(), "{not}");
        }
    }

    #[test]
    fn an_id_is_one_word() {
        for wrong in [
            json!(""),
            json!("  "),
            json!("a b"),
            json!("a\u{7}b"),
            json!(7),
            json!(null),
            json!("x".repeat(129)),
        ] {
            assert!(read(&config(), &json!({"sub": "7", "preferred_username": wrong})).is_err(), "{wrong}");
        }
    }
}
