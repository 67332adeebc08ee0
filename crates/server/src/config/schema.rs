//! Schema of the configuration: every setting with its type and description. Validation, suggestions, the JSON Schema
//! and the parsing of environment variables use it.

mod policy;
mod trackers;

use std::borrow::Cow;

use serde_json::json;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::purpose::Purpose;
use throughline_models::Kind;
use toml::Value;

use crate::auth::Scope;

/// Type of a value.
#[derive(Clone, Debug)]
pub(super) enum Schema {
    /// Any text.
    Text,
    /// One of these words.
    Word(Vec<&'static str>),
    /// A whole number, not negative.
    Number,
    /// True or false.
    Flag,
    /// A list.
    List(Box<Schema>),
    /// Table with these keys.
    Table(Vec<SettingKey>),
    /// Table with keys that the user chooses.
    Map(Box<Schema>),
}

/// Key of a table.
#[derive(Clone, Debug)]
pub(super) struct SettingKey {
    pub(super) name: Cow<'static, str>,
    pub(super) schema: Schema,
    description: &'static str,
}

fn key(name: &'static str, schema: Schema, description: &'static str) -> SettingKey {
    SettingKey { name: name.into(), schema, description }
}

fn texts() -> Schema {
    Schema::List(Box::new(Schema::Text))
}

fn words(words: Vec<&'static str>) -> Schema {
    Schema::List(Box::new(Schema::Word(words)))
}

/// Returns the schema of the whole file.
pub(super) fn settings() -> Schema {
    use Schema::{Flag, List, Map, Number, Table, Text, Word};
    let list = |keys| List(Box::new(Table(keys)));
    let server = vec![
        key("listen", Text, "Address and port to listen on."),
        key("public_url", Text, "The address people see, for links."),
        key("allowed_hosts", texts(), "Host names that may be used on loopback beside the loopback names."),
        key("demo", Flag, "No token needed, loopback only."),
        key("connections", Number, "The most open connections."),
        key(
            "connections_per_peer",
            Number,
            "The most of them from one address; behind a proxy, as many as it opens.",
        ),
        key(
            "rate_per_peer",
            Number,
            "The most requests a second from one address, after a burst of ten seconds' worth.",
        ),
        key(
            "rate_per_person",
            Number,
            "The most requests a second in one person's name, after such a burst.",
        ),
    ];
    let web =
        vec![key("frame_ancestors", texts(), "Who may show the pages in a frame: https://app.example.org.")];
    let user = vec![
        key("id", Text, "The id that channels and tokens name."),
        key("tenant", Text, "The tenant the person belongs to; the configured tenant if not set."),
        key("name", Text, "What to call them."),
        key("roles", texts(), "Roles, for approver rules: role:pm."),
        key("groups", texts(), "Groups, for approver rules: group:backend."),
        key("telegram", Text, "Their Telegram number: what they may approve, they may approve there."),
        key("slack", Text, "Their Slack member id, U…: what they may approve, they may approve there."),
        key("email", Text, "Their mail address: what waits for them is told there."),
        key(
            "barred",
            Text,
            "`guest` or `foreign`: may approve only if listed one by one. `bot`: may not. Any other reason, such as `deactivated`: out; no session or token of theirs counts.",
        ),
        key("zone", Text, "Their time zone: Europe/Berlin, or +01:00."),
        key("language", Text, "The language they write in: en, de, de-AT."),
    ];
    let token = vec![
        key("id", Text, "The part of the token after tlk_: letters, digits and dashes."),
        key("sha256", Text, "SHA-256 of the whole token, in hex."),
        key("tenant", Text, "The tenant it is bound to."),
        key("app", Text, "The app it is bound to."),
        key("scopes", words(Scope::ALL.iter().map(|scope| scope.as_str()).collect()), "What it may do."),
        key("principal", Text, "The user it acts as."),
    ];
    let approver = vec![
        key("effects", texts(), "Effect classes: tracker.*, tool.call, agent.delegate."),
        key("targets", texts(), "Targets: local:DEMO, local:*, agent:writer."),
        key("allow", texts(), "Who may: user:ana, role:pm, group:backend."),
        key("self_approve", Flag, "True if the requester may approve."),
    ];
    // A model is asked from here, and what only a host can perform is offered to it anyway.
    let delivered = |class: &&EffectClass| !class.is_host_only() && **class != EffectClass::ModelAsk;
    let classes = EffectClass::ALL.iter().filter(delivered).map(|class| class.as_str()).collect();
    let telegram = vec![
        key("mode", Word(vec!["poll", "webhook"]), "Ask Telegram for updates, or have them delivered."),
        key("token_file", Text, "File of the bot's token, as BotFather gave it."),
        key("secret_file", Text, "For webhooks: file of the secret that Telegram sends along."),
        key("api_base", Text, "The Bot API; another address for a server of your own or an emulator."),
        key("allow_loopback", Flag, "True if api_base may be http on this machine."),
    ];
    let slack = vec![
        key("mode", Word(vec!["socket", "http"]), "Open sockets to Slack, or have deliveries posted."),
        key("bot_token_file", Text, "File of the bot's token, xoxb-…"),
        key("app_token_file", Text, "For sockets: file of the app-level token, xapp-…"),
        key(
            "signing_secret_file",
            Text,
            "For HTTP: file of the signing secret; a second line is the one before.",
        ),
        key("thread_follow", Word(vec!["auto", "mention"]), "Read replies in its threads, or only mentions."),
        key("stream", Word(vec!["off", "on"]), "Show progress in a message that becomes the answer."),
        key(
            "client_id",
            Text,
            "For further workspaces: the app's client id. They install it at /slack/install.",
        ),
        key("client_secret_file", Text, "For further workspaces: file of the client secret."),
        key(
            "workspaces",
            texts(),
            "Workspaces and organisations that may install it, T… and E…; all, if there are none.",
        ),
        key("authorize_url", Text, "The page at which people agree to an installation."),
        key("api_base", Text, "The Web API; another address for a gateway or an emulator."),
        key("allow_loopback", Flag, "True if api_base may be http on this machine."),
    ];
    let push = vec![
        key(
            "contact",
            Text,
            "Where push services reach you: mailto:ops@example.org, or a page over https. Without it there are no notifications.",
        ),
        key("allow_loopback", Flag, "True if a push service may be on this machine."),
    ];
    let mail = vec![
        key("server", Text, "The mail server's name: smtp.example.org. Without it no mail is sent."),
        key("port", Number, "Its port; 587 for starttls, 465 for implicit and 25 for none, if not set."),
        key(
            "tls",
            Word(vec!["starttls", "implicit", "none"]),
            "When encryption begins; none only on this machine.",
        ),
        key("user", Text, "The user to sign in as there, with a password_file."),
        key("password_file", Text, "File of that user's password."),
        key("from", Text, "The sender: Throughline <throughline@example.org>."),
        key("allow_loopback", Flag, "True if the server may be on this machine."),
    ];
    let webhook = vec![
        key("name", Text, "Its name in paths, logs and metrics."),
        key("tenant", Text, "The tenant whose events are sent; the configured tenant if not set."),
        key("url", Text, "The address that events are posted to."),
        key(
            "secret_files",
            texts(),
            "Files of secrets, whsec_…; each signs, so that one may replace another.",
        ),
        key(
            "kinds",
            words(vec!["turn", "message", "card", "effect", "pending", "approval"]),
            "The kinds of events; all, if there are none.",
        ),
        key("allow_loopback", Flag, "True if url may be on this machine, and then http."),
        key("timeout_ms", Number, "The time of one request; 10000 if not set, at most 30000."),
    ];
    let models = models();
    let telemetry = vec![
        key("level", Text, "error, warn, info, debug, trace, or a filter."),
        key("format", Word(vec!["text", "json"]), "How log lines are written."),
        key(
            "traces",
            Table(vec![
                key("endpoint", Text, "Address of an OTLP collector over HTTP. Without it nothing is sent."),
                key("authorization_file", Text, "File of the value of the Authorization header."),
                key("percent", Number, "The share of traces that are sent."),
            ]),
            "Spans of turns and effects.",
        ),
    ];
    Table(vec![
        key("server", Table(server), "The port and who may reach it."),
        key("web", Table(web), "The pages."),
        key(
            "store",
            Table(vec![
                key("url", Text, "sqlite:PATH, postgres://USER@HOST/DATABASE, or memory: for tests."),
                key("listen_url", Text, "Address that goes around a transaction pooler, for LISTEN."),
                key("password_file", Text, "File of the database user's password."),
                key("redis_url", Text, "Redis beside a PostgreSQL server, to spare it work."),
                key("redis_password_file", Text, "File of the password for Redis."),
            ]),
            "Where the data is.",
        ),
        key("tenant", Text, "The tenant of the demo, the terminal and the command line."),
        key("app", Text, "The app of the same."),
        key("zone", Text, "The time zone of people without their own; UTC if not set."),
        key("language", Text, "The language of people without their own; English if not set."),
        key("policy", policy::policy(), "Limits and lifetimes; times in milliseconds."),
        key("approvers", list(approver), "Who may approve what. No matching rule: nobody."),
        key("users", list(user), "The people."),
        key(
            "openid",
            Table(openid()),
            "The provider at which people sign in. Without an issuer there is none.",
        ),
        key("tokens", list(token), "Bearer tokens of the HTTP API."),
        key("projects", Map(Box::new(Table(trackers::project()))), "Projects issues go to, by key."),
        key(
            "destinations",
            list(trackers::destination()),
            "Projects of places; the first rule that fits counts.",
        ),
        key("jira", Map(Box::new(Table(trackers::jira()))), "Jira sites, by name."),
        key("github", Map(Box::new(Table(trackers::github()))), "GitHubs, by name."),
        key("linear", Map(Box::new(Table(trackers::linear()))), "Workspaces of Linear, by name."),
        key("redmine", Map(Box::new(Table(trackers::redmine()))), "Redmines, by name."),
        key(
            "api",
            Table(vec![key("delivery_host", words(classes), "Effect classes the HTTP host performs.")]),
            "The HTTP API.",
        ),
        key("telegram", Table(telegram), "The Telegram channel. Without a token file there is none."),
        key("slack", Table(slack), "The Slack channel. Without a bot's token file there is none."),
        key("mail", Table(mail), "Mail to those who may decide what waits. Without a server there is none."),
        key(
            "push",
            Table(push),
            "Notifications on the devices of those who may decide what waits. Without a contact there are none.",
        ),
        key("webhooks", list(webhook), "Endpoints that events are sent to."),
        key("models", Table(models), "The models, by purpose. Without any there is none."),
        key("mcp", Map(Box::new(Table(server_of_tools()))), "MCP servers that tools are on, by name."),
        key("tools", Map(Box::new(Table(tool()))), "The tools that may be called, by name."),
        key("agents", Map(Box::new(Table(agent()))), "The sub-agents that may be handed a task, by name."),
        key("telemetry", Table(telemetry), "The log, and where spans are sent."),
        key("instance_key_file", Text, "File of the instance key; beside the database if not set."),
    ])
}

/// Keys of `models`: defaults, settings for each purpose, and limits.
fn models() -> Vec<SettingKey> {
    use Schema::{Flag, Number, Table, Text, Word};
    let kinds = Kind::ALL.iter().map(|kind| kind.as_str()).chain(["off"]).collect();
    let model = vec![
        key("kind", Word(kinds), "The provider's wire format, or off."),
        key("base_url", Text, "The provider's address; that of its maker if not set."),
        key("model", Text, "The model's name there."),
        key("api_key_file", Text, "File of the key. None: no key is sent."),
        key("allow_loopback", Flag, "True if base_url may be on this machine, and then http."),
        key("native", Flag, "For anthropic: structured output instead of a forced tool."),
        key("max_output_tokens", Number, "The most tokens of an answer."),
        key("input_price", Number, "Cost of a million tokens sent, in hundredths of a currency."),
        key("output_price", Number, "The same for tokens that come back."),
    ];
    let cap = vec![
        key("calls", Number, "Requests a day; 0 for no cap."),
        key("tokens", Number, "Tokens a day, in and out; 0 for no cap."),
        key("cost", Number, "Cost a day, in hundredths of the prices' currency; 0 for no cap."),
    ];
    let description = |purpose| match purpose {
        Purpose::Classify => "What a message wants, where rules do not tell.",
        Purpose::Select => "Which option is meant.",
        Purpose::Draft => "The text of tickets and epics.",
        Purpose::Review => "Reviews, and what feedback changes of them.",
        Purpose::Summary => "Summaries of long conversations.",
        Purpose::Answer => "Answers in words.",
    };
    let mut keys =
        vec![key("default", Table(model.clone()), "What holds where a purpose says nothing else.")];
    keys.extend(
        Purpose::ALL.into_iter().map(|one| key(one.as_str(), Table(model.clone()), description(one))),
    );
    keys.push(key("user_day", Table(cap.clone()), "What one person may spend a day."));
    keys.push(key("tenant_day", Table(cap), "What one tenant may spend a day."));
    keys
}

fn openid() -> Vec<SettingKey> {
    use Schema::{Flag, Map, Text};
    vec![
        key("issuer", Text, "The provider's address, as its tokens name it."),
        key("client_id", Text, "Id that this installation is registered with there."),
        key("client_secret_file", Text, "File of the secret of that id, if it has one."),
        key("name", Text, "The provider's name on the button; its host if not set."),
        key("scopes", texts(), "Scopes to ask for beside openid; profile and email if not set."),
        key("user_claim", Text, "The claim that is a person's id here; preferred_username if not set."),
        key("roles_claim", Text, "The claim that roles are read from: a text or a list."),
        key(
            "roles",
            Map(Box::new(Text)),
            "Our role for a value of that claim. None: the values are the roles.",
        ),
        key("default_role", Text, "The role of whoever has no other one. None: they are not let in."),
        key("allow_loopback", Flag, "True if the issuer may be on this machine, and then http."),
    ]
}

fn risk() -> SettingKey {
    let risks = vec!["read", "write", "destructive"];
    key("risk", Schema::Word(risks), "What it may do; destructive if not set.")
}

fn idempotent() -> SettingKey {
    key("idempotent", Schema::Flag, "Your word that what is sent twice under one id is done once.")
}

/// Keys of an MCP server: a child process or an address.
fn server_of_tools() -> Vec<SettingKey> {
    use Schema::{Flag, Number, Text};
    vec![
        key("command", Text, "The program to start; it is spoken to over its standard input and output."),
        key("args", texts(), "Its arguments."),
        key(
            "env",
            texts(),
            "Names of environment variables it is given. Nothing else of the environment is.",
        ),
        key("url", Text, "The address of a server over HTTP, in place of a command."),
        key("token_file", Text, "File of the bearer token it wants."),
        key("oauth", Schema::Table(oauth()), "In place of a token_file: how a token is come by."),
        key("allow_loopback", Flag, "True if url may be on this machine, and then http."),
        key("calls", Number, "The most calls at once, 1 to 32; 4 if not set."),
    ]
}

fn oauth() -> Vec<SettingKey> {
    use Schema::{Text, Word};
    vec![
        key(
            "grant",
            Word(vec!["person", "client"]),
            "person, if not set: somebody agrees, once, by throughline tools connect. client: it has rights of its own.",
        ),
        key(
            "client_id",
            Text,
            "Id that is registered at its authorization server. Not set: we register ourselves.",
        ),
        key("client_secret_file", Text, "File of the secret of that id."),
        key(
            "client_metadata_url",
            Text,
            "Address of a document that describes us, where that is taken in place of a client_id.",
        ),
        key("private_key_file", Text, "For client: file of the private key, as PEM, in place of a secret."),
        key("signing_algorithm", Text, "Algorithm of that key: ES256, if not set, ES384 or RS256."),
        key("scopes", texts(), "Scopes to ask for. Not set: those that the server names."),
    ]
}

fn tool() -> Vec<SettingKey> {
    use Schema::Text;
    let args = Schema::Map(Box::new(Text));
    vec![
        key("server", Text, "Which of mcp it is on. Not set: the host behind the HTTP API performs it."),
        key("tool", Text, "Its name there; the same name if not set."),
        risk(),
        key("args", args, "What it has to know, by name: city = \"location\"."),
        idempotent(),
    ]
}

fn agent() -> Vec<SettingKey> {
    use Schema::{Flag, Text};
    vec![
        key(
            "url",
            Text,
            "Its address; its card is below. Not set: the host behind the HTTP API performs it.",
        ),
        risk(),
        key("token_file", Text, "File of the bearer token it wants."),
        key("allow_loopback", Flag, "True if url may be on this machine, and then http."),
        idempotent(),
    ]
}

/// Value that does not match the schema.
pub(super) enum Mismatch {
    /// Unknown key, with the nearest known one.
    Unknown { path: String, nearest: Option<String> },
    /// Wrong type, or not one of the allowed words.
    Invalid { path: String, why: String, nearest: Option<String> },
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// Returns the known word most similar to `word`, if one is similar enough.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let scored = known.map(|known| (strsim::jaro_winkler(&word.to_lowercase(), known), known));
    scored
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known.to_owned())
}

impl Schema {
    /// Collects everything in `value` that does not match.
    pub(super) fn mismatches(&self, path: &str, value: &Value, found: &mut Vec<Mismatch>) {
        let mut wrong = |expected: &str| {
            let why = format!("it is {}, and wants {expected}", kind(value));
            found.push(Mismatch::Invalid { path: path.into(), why, nearest: None });
        };
        match (self, value) {
            (Self::Text, Value::String(_)) | (Self::Flag, Value::Boolean(_)) => {}
            (Self::Number, Value::Integer(number)) if *number >= 0 => {}
            (Self::Word(words), Value::String(word)) if words.contains(&word.as_str()) => {}
            (Self::Word(words), Value::String(word)) => {
                let why = format!("“{word}” is none of {}", words.join(", "));
                let nearest = nearest(word, words.iter().copied());
                found.push(Mismatch::Invalid { path: path.into(), why, nearest });
            }
            (Self::List(of), Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    of.mismatches(&join(path, &i.to_string()), item, found);
                }
            }
            (Self::Map(of), Value::Table(members)) => {
                for (name, value) in members {
                    of.mismatches(&join(path, name), value, found);
                }
            }
            (Self::Table(keys), Value::Table(members)) => {
                for (name, value) in members {
                    match keys.iter().find(|key| key.name == *name) {
                        Some(key) => key.schema.mismatches(&join(path, name), value, found),
                        None => {
                            let nearest = nearest(name, keys.iter().map(|key| key.name.as_ref()));
                            let nearest = nearest.map(|name| join(path, &name));
                            found.push(Mismatch::Unknown { path: join(path, name), nearest });
                        }
                    }
                }
            }
            (Self::Text, _) => wrong("text in quotes"),
            (Self::Word(words), _) => wrong(&format!("one of {}", words.join(", "))),
            (Self::Number, _) => wrong("a whole number, not negative"),
            (Self::Flag, _) => wrong("true or false"),
            (Self::List(_), _) => wrong("a list"),
            (Self::Table(_) | Self::Map(_), _) => wrong("a table"),
        }
    }

    /// Finds the schema at a path, ignoring case, and returns it with the path as it is spelt. The error is the
    /// nearest known path.
    pub(super) fn find(&self, segments: &[&str]) -> Result<(String, &Self), Option<String>> {
        self.find_under("", segments)
    }

    fn find_under(&self, path: &str, segments: &[&str]) -> Result<(String, &Self), Option<String>> {
        let Some((name, rest)) = segments.split_first() else { return Ok((path.into(), self)) };
        match self {
            Self::Table(keys) => match keys.iter().find(|key| key.name.eq_ignore_ascii_case(name)) {
                Some(key) => key.schema.find_under(&join(path, &key.name), rest),
                None => {
                    Err(nearest(name, keys.iter().map(|key| key.name.as_ref())).map(|near| join(path, &near)))
                }
            },
            Self::Map(of) => of.find_under(&join(path, name), rest),
            _ => Err(Some(path.into())),
        }
    }

    /// Parses the text of a flag or an environment variable.
    pub(super) fn read(&self, text: &str) -> Result<Value, String> {
        match self {
            Self::Text | Self::Word(_) => Ok(Value::String(text.into())),
            Self::Number => {
                text.trim().parse().map(Value::Integer).map_err(|_| format!("“{text}” is no whole number"))
            }
            Self::Flag => match text.trim() {
                "true" | "1" | "yes" | "on" => Ok(Value::Boolean(true)),
                "false" | "0" | "no" | "off" | "" => Ok(Value::Boolean(false)),
                _ => Err(format!("“{text}” is neither true nor false")),
            },
            Self::List(of) if !text.trim_start().starts_with('[') && !matches!(**of, Self::Table(_)) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                items.map(|item| of.read(item)).collect::<Result<_, _>>().map(Value::Array)
            }
            Self::List(_) | Self::Table(_) | Self::Map(_) => {
                let mut table: toml::Table =
                    format!("value = {text}").parse().map_err(|_| "it is not a TOML value".to_owned())?;
                table.remove("value").ok_or_else(|| "it is not a TOML value".to_owned())
            }
        }
    }

    /// Returns the JSON Schema.
    pub(super) fn json_schema(&self, title: &str) -> serde_json::Value {
        let mut schema = self.to_json();
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["title"] = json!(title);
        schema
    }

    fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Word(words) => json!({"enum": words}),
            Self::Number => json!({"type": "integer", "minimum": 0}),
            Self::Flag => json!({"type": "boolean"}),
            Self::List(of) => json!({"type": "array", "items": of.to_json()}),
            Self::Map(of) => json!({"type": "object", "additionalProperties": of.to_json()}),
            Self::Table(keys) => {
                let properties: serde_json::Map<String, serde_json::Value> =
                    keys.iter().map(|key| (key.name.to_string(), key.to_json())).collect();
                json!({"type": "object", "additionalProperties": false, "properties": properties})
            }
        }
    }
}

impl SettingKey {
    fn to_json(&self) -> serde_json::Value {
        let mut schema = self.schema.to_json();
        if !self.description.is_empty() {
            schema["description"] = json!(self.description);
        }
        schema
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(number) if *number < 0 => "a negative number",
        Value::Integer(_) => "a number",
        Value::Float(_) => "a number with a point",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
