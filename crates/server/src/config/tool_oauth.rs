//! Settings of `mcp.NAME.oauth`: the way to a token of a tool server.

use std::path::PathBuf;

use serde::Deserialize;
use throughline_tools::{SigningAlgorithm, check_address};

use super::tools::SettingError;

/// Way to a token of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthConfig {
    /// Owner of its rights.
    pub of: GrantConfig,
    /// Scopes to ask for; those that the server names if there are none.
    pub scopes: Vec<String>,
}

/// Owner of the rights that a token has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantConfig {
    /// A person's, who agrees once.
    Person(KnownAsConfig),
    /// The client's own, proved by a secret.
    Secret {
        /// Id of the client.
        client_id: String,
        /// File of its secret.
        file: PathBuf,
    },
    /// The client's own, proved by signing.
    SigningKey {
        /// Id of the client.
        client_id: String,
        /// File of its private key, as PEM.
        file: PathBuf,
        /// Algorithm.
        algorithm: SigningAlgorithm,
    },
}

/// Name by which the authorization server of a person's grant knows the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownAsConfig {
    /// It registers itself.
    Nobody,
    /// Id that somebody registered there.
    Registered {
        /// The id.
        client_id: String,
        /// File of its secret, if it has one.
        file: Option<PathBuf>,
    },
    /// Address of a document that describes it.
    Document {
        /// The address.
        url: String,
    },
}

impl OAuthConfig {
    /// Returns the file of the secret or the private key.
    pub(super) fn secret_file(&self) -> Option<&PathBuf> {
        match &self.of {
            GrantConfig::Secret { file, .. } | GrantConfig::SigningKey { file, .. } => Some(file),
            GrantConfig::Person(KnownAsConfig::Registered { file, .. }) => file.as_ref(),
            GrantConfig::Person(KnownAsConfig::Nobody | KnownAsConfig::Document { .. }) => None,
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Grant {
    #[default]
    Person,
    Client,
}

#[derive(Deserialize)]
pub(super) struct RawOAuth {
    #[serde(default)]
    grant: Grant,
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    client_metadata_url: Option<String>,
    private_key_file: Option<PathBuf>,
    signing_algorithm: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
}

impl RawOAuth {
    /// Checks what belongs together.
    pub(super) fn checked(self) -> Result<OAuthConfig, SettingError> {
        let wrong = |key, why: &str| Err((key, why.to_owned()));
        if self.private_key_file.is_none() && self.signing_algorithm.is_some() {
            return wrong(".oauth.signing_algorithm", "there is no `private_key_file` to sign with");
        }
        if !self.scopes.iter().all(|scope| is_word(scope)) {
            return wrong(".oauth.scopes", "each is one word");
        }
        let of = match (self.grant, self.client_id) {
            (Grant::Client, None) => {
                return wrong(".oauth.client_id", "a client of its own rights has an id");
            }
            (Grant::Client, Some(_)) if self.client_metadata_url.is_some() => {
                return wrong(".oauth.client_metadata_url", "it is for grants of a person");
            }
            (Grant::Client, Some(client_id)) => match (self.client_secret_file, self.private_key_file) {
                (Some(file), None) => GrantConfig::Secret { client_id, file },
                (None, Some(file)) => {
                    let algorithm = algorithm(self.signing_algorithm.as_deref())?;
                    GrantConfig::SigningKey { client_id, file, algorithm }
                }
                _ => {
                    return wrong(
                        ".oauth",
                        "it names a `client_secret_file` or a `private_key_file`, one of both",
                    );
                }
            },
            (Grant::Person, _) if self.private_key_file.is_some() => {
                return wrong(".oauth.private_key_file", "it is for grant = \"client\"");
            }
            (Grant::Person, Some(_)) if self.client_metadata_url.is_some() => {
                return wrong(".oauth", "it names a `client_id` or a `client_metadata_url`, not both");
            }
            (Grant::Person, Some(client_id)) => {
                GrantConfig::Person(KnownAsConfig::Registered { client_id, file: self.client_secret_file })
            }
            (Grant::Person, None) if self.client_secret_file.is_some() => {
                return wrong(".oauth.client_secret_file", "a secret belongs to a `client_id`");
            }
            (Grant::Person, None) => GrantConfig::Person(match self.client_metadata_url {
                None => KnownAsConfig::Nobody,
                Some(url) => {
                    check_address(&url, false).map_err(|why| (".oauth.client_metadata_url", why))?;
                    KnownAsConfig::Document { url }
                }
            }),
        };
        Ok(OAuthConfig { of, scopes: self.scopes })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}

fn algorithm(word: Option<&str>) -> Result<SigningAlgorithm, SettingError> {
    match word {
        None | Some("ES256") => Ok(SigningAlgorithm::Es256),
        Some("ES384") => Ok(SigningAlgorithm::Es384),
        Some("RS256") => Ok(SigningAlgorithm::Rs256),
        Some(_) => Err((".oauth.signing_algorithm", "it is ES256, ES384 or RS256".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<OAuthConfig, SettingError> {
        toml::from_str::<RawOAuth>(text).unwrap().checked()
    }

    #[test]
    fn each_way_to_a_token_is_written_in_one_way() {
        assert_eq!(of("").unwrap().of, GrantConfig::Person(KnownAsConfig::Nobody));
        let registered = of("client_id = 'us'\nclient_secret_file = 's'\nscopes = ['a', 'b:c']").unwrap();
        assert_eq!(registered.secret_file(), Some(&"s".into()));
        assert_eq!(registered.scopes, ["a", "b:c"]);
        let signed = of("grant = 'client'\nclient_id = 'us'\nprivate_key_file = 'k'").unwrap().of;
        let (client_id, file) = ("us".into(), "k".into());
        assert_eq!(signed, GrantConfig::SigningKey { client_id, file, algorithm: SigningAlgorithm::Es256 });
    }

    #[test]
    fn what_does_not_belong_together_is_said_with_its_setting() {
        for (text, path, says) in [
            ("grant = 'client'", ".oauth.client_id", "has an id"),
            ("grant = 'client'\nclient_id = 'us'", ".oauth", "one of both"),
            (
                "grant = 'client'\nclient_id = 'us'\nclient_secret_file = 's'\nprivate_key_file = 'k'",
                ".oauth",
                "one of both",
            ),
            ("private_key_file = 'k'", ".oauth.private_key_file", "\"client\""),
            ("signing_algorithm = 'ES256'", ".oauth.signing_algorithm", "sign with"),
            (
                "grant = 'client'\nclient_id = 'us'\nprivate_key_file = 'k'\nsigning_algorithm = 'none'",
                ".oauth.signing_algorithm",
                "ES384",
            ),
            ("client_secret_file = 's'", ".oauth.client_secret_file", "client_id"),
            ("client_metadata_url = 'http://a.example.com/c'", ".oauth.client_metadata_url", "not https"),
            ("client_id = 'us'\nclient_metadata_url = 'https://a.example.com/c'", ".oauth", "not both"),
            ("scopes = ['a b']", ".oauth.scopes", "one word"),
        ] {
            let (at, why) = of(text).unwrap_err();
            assert!(at == path && why.contains(says), "{text}: {at} {why}");
        }
    }
}
