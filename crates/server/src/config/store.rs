//! Place of the data.

use std::path::PathBuf;

use serde::Deserialize;
use throughline_store::RedisServer;

/// Place of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// Memory: lost when the process ends.
    Memory,
    /// SQLite file.
    Sqlite(PathBuf),
    /// PostgreSQL server, which several processes share.
    Postgres(PostgresUrl),
}

/// Address of a PostgreSQL server.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// Address for transactions.
    pub url: String,
    /// Address of the connection that listens, if transactions go through a pooler.
    pub listen_url: Option<String>,
    /// File of the password.
    pub password_file: Option<PathBuf>,
    /// Redis server beside it.
    pub redis: Option<RedisUrl>,
}

/// Address of a Redis server.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    /// Its address, without a password.
    pub url: String,
    /// File of the password.
    pub password_file: Option<PathBuf>,
}

impl std::fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&without_password(&self.url))
    }
}

impl std::fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(server) => f.write_str(&without_password(&server.url)),
        }
    }
}

impl StoreUrl {
    /// Reads an address: `sqlite:PATH`, `postgres://USER@HOST/DATABASE` or `memory:`.
    ///
    /// # Errors
    /// The reason, in words: it is no such address.
    pub fn parse(url: &str) -> Result<Self, String> {
        RawStore { url: url.into(), ..RawStore::default() }.check().map_err(|(_, why)| why)
    }

    /// Returns the kind of store: `memory`, `sqlite` or `postgres`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

/// Returns an address without its password: neither before the host nor among the parameters.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let rest = match rest.rsplit_once('@') {
        Some((person, place)) => format!("{}@{place}", person.split(':').next().unwrap_or_default()),
        None => rest.into(),
    };
    let public = |part: &&str| !part.trim_start().to_ascii_lowercase().starts_with("password");
    let query = query.map(|query| query.split('&').filter(public).collect::<Vec<_>>().join("&"));
    let query = query.filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{rest}{query}")
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStore {
    url: String,
    listen_url: Option<String>,
    password_file: Option<PathBuf>,
    redis_url: Option<String>,
    redis_password_file: Option<PathBuf>,
}

impl RawStore {
    /// Checks the settings. Returns the wrong one with the reason.
    pub(super) fn check(&self) -> Result<StoreUrl, (&'static str, String)> {
        let redis = self.check_redis()?;
        let Self { url, listen_url, password_file, .. } = self.clone();
        let server = is_server(&url);
        if let Some(listen) = listen_url.as_ref().filter(|listen| !server || !is_server(listen)) {
            let listen = without_password(listen);
            return Err((
                "store.listen_url",
                format!(
                    "`store.listen_url` is the address of a PostgreSQL server, beside such a `store.url`; it is “{listen}”"
                ),
            ));
        }
        if password_file.is_some() && !server {
            return Err(("store.password_file", "`store.password_file` is for a PostgreSQL server".into()));
        }
        match url.split_once(':') {
            Some(("memory", "")) => Ok(StoreUrl::Memory),
            Some(("sqlite", path)) if !path.is_empty() => {
                Ok(StoreUrl::Sqlite(path.strip_prefix("//").unwrap_or(path).into()))
            }
            _ if server => Ok(StoreUrl::Postgres(PostgresUrl { url, listen_url, password_file, redis })),
            _ => {
                let url = without_password(&url);
                Err((
                    "store.url",
                    format!(
                        "`store.url` is sqlite:PATH, postgres://USER@HOST/DATABASE or memory:, not “{url}”"
                    ),
                ))
            }
        }
    }

    /// Checks the settings of Redis.
    fn check_redis(&self) -> Result<Option<RedisUrl>, (&'static str, String)> {
        let Self { url, redis_url, redis_password_file: password_file, .. } = self.clone();
        let Some(redis) = redis_url else {
            let lonely = "`store.redis_password_file` is for the server of `store.redis_url`".into();
            return password_file.map_or(Ok(None), |_| Err(("store.redis_password_file", lonely)));
        };
        let shown = without_password(&redis);
        let wrong = |why: String| Err(("store.redis_url", format!("`store.redis_url` {why}")));
        if !is_server(&url) {
            return wrong(format!(
                "spares a PostgreSQL server work, and `store.url` names none; it is “{shown}”"
            ));
        }
        if !["redis://", "rediss://"].iter().any(|scheme| redis.starts_with(scheme)) {
            return wrong(format!("is redis://HOST, or rediss://HOST with encryption, not “{shown}”"));
        }
        if shown != redis || redis.contains('?') {
            return wrong(format!(
                "holds a password or a parameter: name a file with `store.redis_password_file`; it is “{shown}”"
            ));
        }
        let server = RedisServer { url: redis, password: None };
        server.check().map_or_else(
            |_| wrong(format!("names no host, port and number of a database; it is “{shown}”")),
            |()| Ok(Some(RedisUrl { url: server.url, password_file })),
        )
    }
}

/// Returns true for the address of a PostgreSQL server.
fn is_server(url: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (url, shown) in [
            ("postgres://u:p@h:5432/d", "postgres://u@h:5432/d"),
            ("postgres://u:p:q@h,i/d?sslmode=require", "postgres://u@h,i/d?sslmode=require"),
            ("postgres://u@h/d", "postgres://u@h/d"),
            ("postgres:///d?host=/run&user=u&password=p", "postgres:///d?host=/run&user=u"),
            ("postgres://h/d?password=p", "postgres://h/d"),
            ("postgres://u:p@q@h/d", "postgres://u@h/d"),
            ("sqlite:throughline.db", "sqlite:throughline.db"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn settings_of_a_server_are_refused_without_one() {
        let raw = |url: &str, listen: Option<&str>, password: Option<&str>| RawStore {
            url: url.into(),
            listen_url: listen.map(Into::into),
            password_file: password.map(Into::into),
            ..RawStore::default()
        };
        let server = "postgres://u@h/d";
        assert!(matches!(raw(server, Some(server), Some("f")).check(), Ok(StoreUrl::Postgres(_))));
        assert_eq!(raw("sqlite:t.db", Some(server), None).check().unwrap_err().0, "store.listen_url");
        assert_eq!(raw(server, Some("h"), None).check().unwrap_err().0, "store.listen_url");
        assert_eq!(raw("memory:", None, Some("f")).check().unwrap_err().0, "store.password_file");
        let (setting, text) = raw("mysql://u:secret@h/d", None, None).check().unwrap_err();
        assert!(setting == "store.url" && !text.contains("secret"), "{text}");
    }

    #[test]
    fn redis_is_beside_a_server_and_its_password_in_a_file() {
        let raw = |url: &str, redis: Option<&str>, password: Option<&str>| RawStore {
            url: url.into(),
            redis_url: redis.map(Into::into),
            redis_password_file: password.map(Into::into),
            ..RawStore::default()
        };
        let server = "postgres://u@h/d";
        for redis in ["redis://h", "rediss://ana@h:7000/2"] {
            let checked = raw(server, Some(redis), Some("f")).check();
            assert!(matches!(checked, Ok(StoreUrl::Postgres(PostgresUrl { redis: Some(_), .. }))), "{redis}");
        }
        for (url, redis) in [
            ("sqlite:t.db", "redis://h"),
            (server, "h:6379"),
            (server, "redis://ana:secret@h"),
            (server, "redis://:secret@h"),
            (server, "redis://h?password=secret"),
            (server, "redis://h:x"),
            (server, "redis://"),
        ] {
            let (setting, text) = raw(url, Some(redis), None).check().unwrap_err();
            assert!(setting == "store.redis_url" && !text.contains("secret"), "{redis}: {text}");
        }
        assert_eq!(raw(server, None, Some("f")).check().unwrap_err().0, "store.redis_password_file");
    }
}
