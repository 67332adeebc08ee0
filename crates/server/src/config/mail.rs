//! Settings of mail.

use std::path::PathBuf;
use std::sync::Arc;

use lettre::Address;
use lettre::message::Mailbox;
use serde::Deserialize;
use throughline_net::is_of_this_machine;

use super::{Config, User};
use crate::auth::{Scope, rights};

/// Mail server, and who writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// Name or address of the server.
    pub server: String,
    /// Its port.
    pub port: u16,
    /// Beginning of encryption.
    pub tls: MailTls,
    /// Account there.
    pub login: Option<MailLogin>,
    /// Sender of every mail.
    pub from: Mailbox,
    /// Allows a server on this machine.
    pub allow_loopback: bool,
}

/// Account at the mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailLogin {
    /// User.
    pub user: String,
    /// File of the password.
    pub password_file: PathBuf,
}

/// Beginning of encryption.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MailTls {
    /// With a command, before anything else is said.
    Starttls,
    /// With the connection.
    Implicit,
    /// Never: on this machine only.
    None,
}

impl MailTls {
    fn usual_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Implicit => 465,
            Self::None => 25,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct RawMail {
    server: Option<String>,
    port: Option<u64>,
    tls: MailTls,
    user: Option<String>,
    password_file: Option<PathBuf>,
    from: Option<String>,
    allow_loopback: bool,
}

/// Path of a setting with what is wrong about it.
type Wrong = (&'static str, String);

/// Returns the mail settings, `None` without a server, and what is wrong with them. A mail links to a page, so `public`
/// says whether there is an address for that.
pub(super) fn checked(raw: RawMail, public: bool) -> (Option<MailConfig>, Vec<Wrong>) {
    let mut wrong = Vec::new();
    let mut refuse = |path, why: &str| wrong.push((path, format!("`{path}` cannot be used: {why}")));
    let Some(server) = raw.server else {
        if raw.from.is_some() || raw.user.is_some() || raw.password_file.is_some() || raw.port.is_some() {
            refuse("mail.server", "none is named, so the other settings of `mail` do nothing");
        }
        return (None, wrong);
    };
    let here = is_of_this_machine(&server);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    if server.is_empty() || !server.bytes().all(plain) || (server.contains(':') && !here && !is_ipv6(&server))
    {
        refuse("mail.server", "it is a name like smtp.example.org, and the port is `mail.port`");
    }
    if here && !raw.allow_loopback {
        refuse("mail.server", "it is on this machine; say allow_loopback = true to use it");
    }
    if !public {
        refuse(
            "mail.server",
            "a mail links to the page of an approval; name the address of the pages as `server.public_url`",
        );
    }
    if raw.tls == MailTls::None && !here {
        refuse(
            "mail.tls",
            "without encryption everybody on the way could read along; `none` is for a server on this machine",
        );
    }
    let port = raw.port.map_or(Some(raw.tls.usual_port()), |port| u16::try_from(port).ok());
    let port = port.filter(|port| *port > 0).unwrap_or_else(|| {
        refuse("mail.port", "it is a number from 1 to 65535");
        0
    });
    let login = match (raw.user, raw.password_file) {
        (Some(user), Some(password_file)) => Some(MailLogin { user, password_file }),
        (None, None) => None,
        (Some(_), None) => {
            refuse("mail.user", "it goes with a `mail.password_file`");
            None
        }
        (None, Some(_)) => {
            refuse("mail.password_file", "it goes with a `mail.user`");
            None
        }
    };
    let from = match raw.from.as_deref().map(str::parse::<Mailbox>) {
        Some(Ok(from)) => Some(from),
        Some(Err(error)) => {
            refuse(
                "mail.from",
                &format!("it is an address like Throughline <throughline@example.org>: {error}"),
            );
            None
        }
        None => {
            refuse("mail.from", "a mail has a sender; name one like Throughline <throughline@example.org>");
            None
        }
    };
    let config = from.filter(|_| wrong.is_empty()).map(|from| MailConfig {
        server,
        port,
        tls: raw.tls,
        login,
        from,
        allow_loopback: raw.allow_loopback,
    });
    (config, wrong)
}

fn is_ipv6(host: &str) -> bool {
    host.parse::<std::net::Ipv6Addr>().is_ok()
}

/// Returns what is wrong with a person's address.
pub(crate) fn wrong_address(email: &str) -> Option<String> {
    email.parse::<Address>().err().map(|error| error.to_string())
}

/// Returns true if the person's roles let them open an approval and decide it on its page.
pub(crate) fn opens_approvals(user: &User) -> bool {
    let rights = rights(&user.roles);
    !user.is_out()
        && [Scope::ApprovalsRead, Scope::ApprovalsDecide].iter().all(|scope| rights.contains(scope))
}

/// Warns about people who are sent no mail.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    if config.mail.is_none() {
        return Vec::new();
    }
    let mut addressed = config.users.configured().iter().filter(|user| user.email.is_some()).peekable();
    if addressed.peek().is_none() && config.openid.is_none() {
        return vec!["mail is configured, but nobody in `users` has an `email`".into()];
    }
    let without = addressed.filter(|user| !opens_approvals(user));
    let text = |user: &Arc<User>| {
        let id = &user.id;
        format!(
            "{id} has an `email` and no role that opens approvals (approver, operator, admin): no mail is sent to them"
        )
    };
    without.map(text).collect()
}
