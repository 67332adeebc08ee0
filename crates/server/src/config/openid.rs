//! Settings of `openid`: the provider at which people sign in, and what its claims stand for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use throughline_net::check_address;

/// Claim that says who somebody is, unless the configuration names another.
const USER_CLAIM: &str = "preferred_username";
/// Scopes that are asked for beside `openid`, unless the configuration names others.
const SCOPES: [&str; 2] = ["profile", "email"];

/// Provider of sign-ins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdConfig {
    /// Address of the provider, as its tokens name it.
    pub issuer: String,
    /// Id that this installation is registered with there.
    pub client_id: String,
    /// File of the secret of that id, if it has one.
    pub secret_file: Option<PathBuf>,
    /// Name of the provider on the button.
    pub name: String,
    /// Scopes to ask for.
    pub scopes: Vec<String>,
    /// Claim that is a person's id here.
    pub user_claim: String,
    /// Claim that roles are read from: a text or a list of texts.
    pub roles_claim: Option<String>,
    /// Roles by a value of that claim. Without any, the values are the roles.
    pub roles: BTreeMap<String, String>,
    /// Role of whoever has no other one; without one they are not let in.
    pub default_role: Option<String>,
    /// Allows a provider on this machine, and then `http`.
    pub allow_loopback: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawOpenId {
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    name: Option<String>,
    scopes: Option<Vec<String>>,
    user_claim: Option<String>,
    roles_claim: Option<String>,
    roles: BTreeMap<String, String>,
    default_role: Option<String>,
    allow_loopback: bool,
}

impl RawOpenId {
    /// Returns the provider, if one is configured.
    ///
    /// # Errors
    /// The first wrong setting: its key, and the reason.
    pub(super) fn checked(self, demo: bool) -> Result<Option<OpenIdConfig>, (&'static str, String)> {
        let Some(issuer) = self.issuer else {
            let given =
                self.client_id.is_some() || self.client_secret_file.is_some() || self.roles_claim.is_some();
            return match given {
                true => Err(("issuer", "the address of the provider is missing".into())),
                false => Ok(None),
            };
        };
        if demo {
            return Err(("issuer", "a demo asks nobody to sign in".into()));
        }
        check_address(&issuer, self.allow_loopback).map_err(|why| ("issuer", why))?;
        let client_id = self.client_id.filter(|id| !id.trim().is_empty());
        let client_id = client_id.ok_or(("client_id", "the provider knows clients by an id".to_owned()))?;
        if self.roles_claim.is_none() {
            if !self.roles.is_empty() {
                return Err(("roles", "there is no `roles_claim` to read them from".into()));
            }
            if self.default_role.is_none() {
                return Err((
                    "roles_claim",
                    "without it, or a `default_role`, nobody would have a role".into(),
                ));
            }
        }
        Ok(Some(OpenIdConfig {
            name: self.name.unwrap_or_else(|| host_of(&issuer).to_owned()),
            issuer,
            client_id,
            secret_file: self.client_secret_file,
            scopes: self.scopes.unwrap_or_else(|| SCOPES.map(str::to_owned).into()),
            user_claim: self.user_claim.unwrap_or_else(|| USER_CLAIM.into()),
            roles_claim: self.roles_claim,
            roles: self.roles,
            default_role: self.default_role,
            allow_loopback: self.allow_loopback,
        }))
    }
}

fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(toml: &str) -> Result<Option<OpenIdConfig>, (&'static str, String)> {
        toml::from_str::<RawOpenId>(toml).unwrap().checked(false)
    }

    #[test]
    fn says_what_is_missing() {
        assert_eq!(checked(""), Ok(None));
        for (toml, key) in [
            ("client_id = \"us\"", "issuer"),
            ("issuer = \"http://login.example.org\"", "issuer"),
            ("issuer = \"https://login.example.org\"", "client_id"),
            ("issuer = \"https://login.example.org\"\nclient_id = \"us\"", "roles_claim"),
            (
                "issuer = \"https://a.org\"\nclient_id = \"us\"\ndefault_role = \"member\"\nroles = { a = \"b\" }",
                "roles",
            ),
        ] {
            assert_eq!(checked(toml).unwrap_err().0, key, "{toml}");
        }
    }

    #[test]
    fn is_named_after_its_host() {
        let found =
            checked("issuer = \"https://login.example.org/x\"\nclient_id = \"us\"\nroles_claim = \"groups\"");
        let found = found.unwrap().unwrap();
        assert_eq!(
            (found.name.as_str(), found.user_claim.as_str()),
            ("login.example.org", "preferred_username")
        );
        assert_eq!(found.scopes, ["profile", "email"]);
    }
}
