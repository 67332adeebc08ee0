//! Checks across settings, and the step from merged settings to a typed configuration.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use throughline_runtime::Zone;
use throughline_trackers::local::{LocalConfig, ProjectConfig};
use toml::Value;

use super::layer::Merged;
use super::trackers::RawTrackers;
use super::{
    Config, ConfigError, ConfigErrors, ConnectionLimits, Origin, Raw, RawTelegram, RawToken, Server, Setting,
    StoreUrl, TelegramConfig, TelegramMode, Traces, Users, mail, models, push, slack, store, tools, trackers,
    webhooks,
};
use crate::auth::Token;
use crate::codes::{self, Code};

/// Maximum of the settings that limit connections.
const MAX_CONNECTIONS: usize = 65_536;
/// Maximum of the settings that limit rates, in requests a second.
const MAX_RATE: usize = 1_000_000;

/// Merged settings with the errors found in them so far.
struct Checker<'m> {
    merged: &'m Merged,
    errors: Vec<ConfigError>,
}

impl Checker<'_> {
    fn error(&mut self, code: &'static Code, path: &str, text: String) {
        let origin = self.merged.origin(path);
        self.errors.push(ConfigError { code, origin, text, suggestion: None });
    }

    /// Reports an id that occurs twice in a list of tables.
    fn duplicates<'a>(&mut self, path: &str, ids: impl Iterator<Item = (&'a str, &'a str)>) {
        let mut seen = BTreeSet::new();
        for (tenant, id) in ids {
            if !seen.insert((tenant, id)) {
                self.error(&codes::CONFIG_INCONSISTENT, path, format!("`{path}` defines “{id}” twice"));
            }
        }
    }
}

pub(super) fn build(merged: Merged) -> Result<Config, ConfigErrors> {
    let settings = settings(&merged);
    let mut checker = Checker { merged: &merged, errors: Vec::new() };
    let raw: Raw = merged.table.clone().try_into().map_err(|error: toml::de::Error| {
        let text = error.message().replace('\n', ", ");
        ConfigError { code: &codes::CONFIG_INVALID, origin: None, text, suggestion: None }
    })?;
    let listen = listen(&mut checker, &raw.server.listen);
    if raw.server.demo {
        demo(&mut checker, &raw, listen);
    }
    for host in raw.web.frame_ancestors.iter().filter(|host| !is_frame_ancestor(host)) {
        let text = format!(
            "`web.frame_ancestors` names hosts like https://app.example.org or https://*.example.org, not “{host}”"
        );
        checker.error(&codes::CONFIG_INVALID, "web.frame_ancestors", text);
    }
    let rate = |rate| usize::try_from(rate).unwrap_or(usize::MAX);
    for (path, number, max) in [
        ("server.connections", raw.server.connections, MAX_CONNECTIONS),
        ("server.connections_per_peer", raw.server.connections_per_peer, MAX_CONNECTIONS),
        ("server.rate_per_peer", rate(raw.server.rate_per_peer), MAX_RATE),
        ("server.rate_per_person", rate(raw.server.rate_per_person), MAX_RATE),
    ] {
        if !(1..=max).contains(&number) {
            let text = format!("`{path}` is a number from 1 to {max}, not {number}");
            checker.error(&codes::CONFIG_INVALID, path, text);
        }
    }
    let store = raw.store.check().unwrap_or_else(|(setting, text)| {
        checker.error(&codes::STORE_URL, setting, text);
        StoreUrl::Memory
    });
    let of = |user: &'_ super::User| user.tenant.clone().unwrap_or_else(|| raw.tenant.clone());
    let owners: Vec<String> = raw.users.iter().map(of).collect();
    checker.duplicates(
        "users",
        owners.iter().map(String::as_str).zip(raw.users.iter().map(|user| user.id.as_str())),
    );
    checker.duplicates("tokens", raw.tokens.iter().map(|token| ("", token.id.as_str())));
    for user in raw.users.iter().filter(|user| user.id.is_empty() || user.id.contains(char::is_whitespace)) {
        checker.error(&codes::CONFIG_INVALID, "users", format!("a user's id is a word, not “{}”", user.id));
    }
    zones_and_languages(&mut checker, &raw);
    let owned = || owners.iter().map(String::as_str).zip(&raw.users);
    checker.duplicates("users", owned().filter_map(|(of, user)| Some((of, user.telegram.as_deref()?))));
    checker.duplicates("users", owned().filter_map(|(of, user)| Some((of, user.slack.as_deref()?))));
    let telegram = telegram(&mut checker, raw.telegram);
    let slack = slack::checked(raw.slack).unwrap_or_else(|text| {
        checker.error(&codes::CONFIG_INCONSISTENT, "slack.mode", text.into());
        None
    });
    let (mail, wrong) = mail::checked(raw.mail, raw.server.public_url.is_some());
    for (path, text) in wrong {
        checker.error(&codes::MAIL_CONFIG, path, text);
    }
    let push = push::checked(raw.push).unwrap_or_else(|text| {
        checker.error(&codes::PUSH_CONFIG, "push.contact", text);
        None
    });
    for (id, why) in
        raw.users.iter().filter_map(|user| Some((&user.id, mail::wrong_address(user.email.as_deref()?)?)))
    {
        let text = format!("the `email` of “{id}” is no address: {why}");
        checker.error(&codes::CONFIG_INVALID, "users", text);
    }
    let (models, unusable) = models::checked(raw.models);
    for (path, text) in unusable {
        checker.error(&codes::MODEL_MISCONFIGURED, &path, text);
    }
    let openid = raw.openid.checked(raw.server.demo).unwrap_or_else(|(key, why)| {
        let path = format!("openid.{key}");
        checker.error(&codes::OPENID_MISCONFIGURED, &path, format!("`{path}` cannot be used: {why}"));
        None
    });
    let mut tokens = Vec::new();
    for token in raw.tokens {
        tokens.extend(self::token(&mut checker, token, &raw.tenant, &raw.app));
    }
    for (path, value) in [("tenant", &raw.tenant), ("app", &raw.app)] {
        if value.is_empty() {
            checker.error(&codes::CONFIG_INVALID, path, format!("`{path}` must not be empty"));
        }
    }
    let (webhooks, wrong) = webhooks::checked(raw.webhooks, &raw.tenant);
    for (path, text) in wrong {
        checker.error(&codes::WEBHOOK_MISCONFIGURED, &path, text);
    }
    let trackers = RawTrackers {
        projects: raw.projects,
        jira: raw.jira,
        github: raw.github,
        linear: raw.linear,
        redmine: raw.redmine,
    };
    let mut tracked = trackers::checked(trackers, &raw.tenant);
    let raw_tools = tools::RawTools { servers: raw.mcp, tools: raw.tools, agents: raw.agents };
    let called = tools::checked(raw_tools);
    for (path, text) in &called.wrong {
        checker.error(&codes::TOOL_MISCONFIGURED, path, text.clone());
    }
    let mut policy = raw.policy;
    policy.language = policy.language.or_else(|| raw.language.clone());
    policy.approvers = raw.approvers;
    policy.tools = called.tools;
    policy.agents = called.agents;
    if let Some((path, why)) = policy.first_invalid() {
        checker.error(&codes::CONFIG_INVALID, &format!("policy.{path}"), format!("`policy.{path}` {why}"));
    }
    tracked.set(&mut policy, raw.destinations);
    tracked.come_back_to(raw.server.public_url.as_deref());
    for (path, text) in tracked.wrong {
        checker.error(&codes::TRACKER_MISCONFIGURED, &path, text);
    }
    for (path, text) in tracked.unfit {
        checker.error(&codes::CONFIG_INCONSISTENT, &path, text);
    }
    traces(&mut checker, &raw.telemetry.traces);
    if !checker.errors.is_empty() {
        return Err(ConfigErrors(checker.errors));
    }
    Ok(Config {
        server: Server {
            listen,
            public_url: raw.server.public_url,
            allowed_hosts: raw.server.allowed_hosts,
            demo: raw.server.demo,
            connections: ConnectionLimits::new(raw.server.connections, raw.server.connections_per_peer),
            rate_per_peer: raw.server.rate_per_peer,
            rate_per_person: raw.server.rate_per_person,
        },
        web: raw.web,
        store,
        users: Users::new(&raw.tenant, raw.users),
        tenant: raw.tenant,
        app: raw.app,
        zone: raw.zone,
        language: raw.language,
        policy,
        openid,
        tokens,
        tracker: LocalConfig { projects: tracked.local },
        jira: tracked.jira,
        github: tracked.github,
        linear: tracked.linear,
        redmine: tracked.redmine,
        delivery_host: raw.api.delivery_host,
        telegram,
        slack,
        mail,
        push,
        webhooks,
        models,
        tools: called.clients,
        telemetry: raw.telemetry,
        instance_key_file: raw.instance_key_file,
        settings,
    })
}

/// Checks the collector's address, and the share of traces.
fn traces(checker: &mut Checker<'_>, traces: &Traces) {
    let mut refuse = |path: &str, why: &str| {
        checker.error(&codes::CONFIG_INVALID, path, format!("`{path}` cannot be used: {why}"));
    };
    if let Some(why) = traces.endpoint.as_deref().and_then(crate::traces::refused) {
        refuse("telemetry.traces.endpoint", &why);
    }
    if traces.percent > 100 {
        refuse("telemetry.traces.percent", "it is a number from 0 to 100");
    }
}

/// Checks that a demo, in which everybody may do everything, is nobody's but this machine's.
fn demo(checker: &mut Checker<'_>, raw: &Raw, listen: SocketAddr) {
    let mut refuse = |path: &str, text: String| checker.error(&codes::DEMO_NOT_LOOPBACK, path, text);
    if !listen.ip().is_loopback() {
        refuse("server.listen", format!("a demo listens on this machine only, not on {listen}"));
    }
    if !raw.tokens.is_empty() {
        refuse("tokens", "a demo asks nobody for a token, so a token in it protects nothing".into());
    }
    let named = |path: &'static str| move |host: &String| (path, host.clone());
    let hosts = raw.server.public_url.iter().map(named("server.public_url"));
    let hosts = hosts.chain(raw.server.allowed_hosts.iter().map(named("server.allowed_hosts")));
    let hosts = hosts.chain(raw.web.frame_ancestors.iter().map(named("web.frame_ancestors")));
    for (path, host) in hosts.filter(|(_, host)| !is_of_this_machine(host)) {
        refuse(path, format!("a demo is used from this machine only, and `{path}` names “{host}”"));
    }
}

/// Returns true for a loopback address or `localhost`, alone or in an address with a scheme, a port and a path.
fn is_of_this_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let rest = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://")).unwrap_or(&host);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = |port: &str| port == "*" || port.parse::<u16>().is_ok();
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if is_port(port) && !name.ends_with(':') => name,
        _ => authority,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let loopback = address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    host == "'self'" || name == "localhost" || name.ends_with(".localhost") || loopback
}

/// Checks that every time zone exists and that every language has the shape of a language code.
fn zones_and_languages(checker: &mut Checker<'_>, raw: &Raw) {
    let own = raw.users.iter().map(|user| ("users", user.zone.as_ref(), user.language.as_deref()));
    let all = [("", raw.zone.as_ref(), raw.language.as_deref())].into_iter().chain(own);
    for (path, zone, language) in all {
        if let Some(zone) = zone
            && let Err(unknown) = zone.name.parse::<Zone>()
        {
            let path = if path.is_empty() { "zone" } else { path };
            checker.error(&codes::CONFIG_INVALID, path, unknown.to_string());
        }
        if let Some(language) = language.filter(|language| !is_language(language)) {
            let path = if path.is_empty() { "language" } else { path };
            let text = format!("a language is a code like en, de or de-AT, not “{language}”");
            checker.error(&codes::CONFIG_INVALID, path, text);
        }
    }
}

/// Returns true for the shape of a BCP 47 code: a subtag of two or three letters, then subtags of letters and digits.
fn is_language(code: &str) -> bool {
    let mut words = code.split('-');
    let first = words
        .next()
        .is_some_and(|word| (2..=3).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphabetic()));
    first
        && words.all(|word| (1..=8).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Returns true if `host` can stand in `frame-ancestors`: a host with an optional scheme and port, and nothing that
/// could begin another directive.
fn is_frame_ancestor(host: &str) -> bool {
    let name = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://")).unwrap_or(host);
    let (name, port) = name.split_once(':').unwrap_or((name, "*"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'*');
    let named = !name.is_empty() && name != "*" && name.bytes().all(plain);
    host == "'self'" || (named && (port == "*" || port.parse::<u16>().is_ok()))
}

fn listen(checker: &mut Checker<'_>, text: &str) -> SocketAddr {
    let localhost = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let address =
        text.parse().ok().or(localhost.map(|port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)));
    address.unwrap_or_else(|| {
        let text = format!("`server.listen` is an address and a port like 127.0.0.1:7070, not “{text}”");
        checker.error(&codes::CONFIG_INVALID, "server.listen", text);
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
    })
}

fn telegram(checker: &mut Checker<'_>, raw: RawTelegram) -> Option<TelegramConfig> {
    let RawTelegram { mode, token_file, secret_file, api_base, allow_loopback } = raw;
    let token_file = token_file?;
    let mode = match (mode.as_str(), secret_file) {
        ("webhook", Some(secret_file)) => TelegramMode::Webhook { secret_file },
        ("webhook", None) => {
            let text = "a webhook without a secret could be called by anybody: name a `telegram.secret_file`";
            checker.error(&codes::CONFIG_INCONSISTENT, "telegram.mode", text.into());
            return None;
        }
        _ => TelegramMode::Poll,
    };
    Some(TelegramConfig { mode, token_file, api_base, allow_loopback })
}

fn token(checker: &mut Checker<'_>, raw: RawToken, tenant: &str, app: &str) -> Option<Token> {
    let RawToken { id, sha256, tenant: of, app: its, scopes, principal } = raw;
    if !Token::valid_id(&id) {
        let text = format!("a token's id is 1 to 32 lower-case letters, digits and dashes, not “{id}”");
        checker.error(&codes::CONFIG_INVALID, "tokens", text);
        return None;
    }
    let sha256 = sha256.to_lowercase();
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let text =
            format!("the token “{id}” wants the SHA-256 of the whole token, 64 hex digits, as `sha256`");
        checker.error(&codes::CONFIG_INVALID, "tokens", text);
        return None;
    }
    if principal.is_empty() {
        checker.error(
            &codes::CONFIG_INVALID,
            "tokens",
            format!("the token “{id}” acts as nobody: name a `principal`"),
        );
        return None;
    }
    let tenant = of.unwrap_or_else(|| tenant.into());
    let app = its.unwrap_or_else(|| app.into());
    Some(Token { id, sha256, tenant, app, scopes, principal })
}

/// Lists every setting in force, leaf by leaf.
fn settings(merged: &Merged) -> Vec<Setting> {
    let mut found = Vec::new();
    for (path, origin) in &merged.origins {
        let mut names = path.split('.');
        let first = names.next().and_then(|name| merged.table.get(name));
        let Some(value) = names.fold(first, |value, name| value.and_then(|value| value.get(name))) else {
            continue;
        };
        found.push(Setting {
            path: path.clone(),
            value: hide(path, value).to_string(),
            origin: origin.clone(),
        });
    }
    found
}

/// Masks the hashes of tokens, and passwords in addresses.
fn hide(path: &str, value: &Value) -> Value {
    let mut value = value.clone();
    if let ("store.url" | "store.listen_url" | "store.redis_url", Value::String(url)) = (path, &mut value) {
        *url = store::without_password(url);
    }
    if path == "tokens"
        && let Value::Array(tokens) = &mut value
    {
        for hash in tokens.iter_mut().filter_map(|token| token.get_mut("sha256")) {
            *hash = Value::String("…".into());
        }
    }
    value
}

pub(super) fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    if !config.server.demo && config.tokens.is_empty() {
        found.push(
            "no tokens are configured, so nobody can use the HTTP API; `throughline token create NAME --principal USER` makes one"
                .into(),
        );
    }
    if config.policy.approvers.is_empty() {
        found.push("no approver rule is configured, so nobody can approve anything (TL-4103)".into());
    }
    if config.store == StoreUrl::Memory {
        found.push("the store is in memory: everything is gone when the process ends".into());
    }
    for token in config.tokens.iter().filter(|token| config.user(&token.tenant, &token.principal).is_none()) {
        let Token { id, principal, .. } = token;
        found.push(format!(
            "the token {id} acts as {principal}, who is not in `users` and so has no role or group"
        ));
    }
    found.extend(mail::warnings(config));
    found.extend(projects(config));
    found.extend(config.key_file().and_then(|file| readable_by_others(&file, "the instance key")));
    let keys = config.models.by_purpose.values().filter_map(|model| model.api_key_file.as_ref());
    let keys: BTreeSet<_> = keys.collect();
    found.extend(keys.into_iter().filter_map(|file| readable_by_others(file, "a model's key")));
    let tokens = config.tools.token_files();
    found.extend(tokens.into_iter().filter_map(|file| readable_by_others(file, "a token")));
    let of_jira = config
        .jira
        .values()
        .flat_map(|site| [Some(site.account.secret_file()), site.webhook_secret_file.as_ref()]);
    let of_github =
        config.github.values().flat_map(|site| [Some(&site.token_file), site.webhook_secret_file.as_ref()]);
    let of_linear = config.linear.values().map(|site| Some(&site.token_file));
    let of_redmine = config.redmine.values().map(|site| Some(&site.token_file));
    if let StoreUrl::Postgres(server) = &config.store {
        let of_redis = server.redis.as_ref().and_then(|redis| redis.password_file.as_ref());
        let files = server.password_file.iter().chain(of_redis);
        found.extend(files.filter_map(|file| readable_by_others(file, "the store's password")));
    }
    let password =
        config.mail.as_ref().and_then(|mail| mail.login.as_ref()).map(|login| &login.password_file);
    found.extend(password.and_then(|file| readable_by_others(file, "the password of the mail server")));
    let secrets = of_jira.chain(of_github).chain(of_linear).chain(of_redmine);
    let secrets: BTreeSet<_> = secrets.flatten().collect();
    found.extend(secrets.into_iter().filter_map(|file| readable_by_others(file, "a tracker's secret")));
    let secrets = config.settings().iter().filter(|setting| matches!(setting.origin, Origin::Environment(_)));
    for setting in secrets.filter(|setting| setting.path.ends_with("sha256")) {
        found.push(format!("{} is set in the environment, where other processes may read it", setting.path));
    }
    found
}

/// Warns about projects in which no issue can be created.
fn projects(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let key = &config.policy.project.project;
    if let Some(project) = config.tracker.projects.get(key) {
        let closed = [(project.archived, "archived"), (project.hidden, "hidden")];
        for (_, word) in closed.into_iter().filter(|(closed, _)| *closed) {
            found.push(format!("tickets go to the project {key}, which is {word}: none can be created"));
        }
    }
    let unlinked = |project: &&ProjectConfig| !project.hierarchy.contains(&project.child_link);
    for (key, project) in config.tracker.projects.iter().filter(|(_, project)| unlinked(project)) {
        found.push(format!(
            "projects.{key}.child_link is “{}”, which its hierarchy does not have: no epic with stories can be created",
            project.child_link.as_str()
        ));
    }
    found
}

/// Warns if a file that holds a secret can be read by other users.
fn readable_by_others(file: &std::path::Path, what: &str) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Some(format!("{} has mode {mode:o}; others can read {what}: chmod 600", file.display()));
        }
    }
    let _ = (file, what);
    None
}
