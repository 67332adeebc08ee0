//! Mail to those who may decide what waits: one for each approval and person, as long as it waits
//! (`docs/design/0089-the-approvers-way.md`).
//!
//! `sender.rs` follows the turns and sends, `ledger.rs` is what is kept of it, `letter.rs` is what a mail says, `smtp.rs` speaks
//! with the mail server.

pub(crate) mod ledger;
pub(crate) mod letter;
mod sender;
mod smtp;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::TlsParameters;
use lettre::transport::smtp::extension::ClientId;
use throughline_net::{Reach, is_of_this_machine};

use crate::config::mail::opens_approvals;
use crate::config::{Config, MailConfig, MailLogin, MailTls};
use crate::finding::{Finding, State, finding};
use crate::start_error::StartError;

pub(crate) use sender::run;

/// Mail server, and who writes.
pub(crate) struct Mail {
    server: String,
    port: u16,
    security: Security,
    reach: Reach,
    /// Name that the server is greeted with.
    hello: ClientId,
    login: Option<Credentials>,
    from: Mailbox,
}

/// Encryption of the connection.
enum Security {
    Starttls(TlsParameters),
    Implicit(TlsParameters),
    None,
}

/// Opens the configured mail server. Nothing is sent yet.
///
/// # Errors
/// The file of the password cannot be read, or TLS cannot be set up.
pub(crate) fn open(config: &Config) -> Result<Option<Arc<Mail>>, StartError> {
    let Some(mail) = &config.mail else { return Ok(None) };
    open_one(mail, config.server.public_url.as_deref())
        .map(|mail| Some(Arc::new(mail)))
        .map_err(|why| StartError::Mail { why })
}

fn open_one(config: &MailConfig, public_url: Option<&str>) -> Result<Mail, String> {
    let MailConfig { server, port, tls, login, from, .. } = config;
    let parameters = || {
        TlsParameters::new_rustls(server.clone()).map_err(|error| format!("TLS cannot be set up: {error}"))
    };
    let here = is_of_this_machine(server);
    Ok(Mail {
        security: match tls {
            MailTls::Starttls => Security::Starttls(parameters()?),
            MailTls::Implicit => Security::Implicit(parameters()?),
            MailTls::None => Security::None,
        },
        reach: if here { Reach::Loopback } else { Reach::Elsewhere },
        hello: hello(public_url),
        login: login.as_ref().map(credentials).transpose()?,
        server: server.clone(),
        port: *port,
        from: from.clone(),
    })
}

/// Returns the name of the pages' host, by which the mail server is greeted.
fn hello(public_url: Option<&str>) -> ClientId {
    let host = public_url.and_then(|url| url.parse::<http::Uri>().ok()?.host().map(str::to_owned));
    match host {
        Some(host) if host.starts_with(|first: char| first.is_ascii_alphabetic()) => ClientId::Domain(host),
        _ => ClientId::default(),
    }
}

fn credentials(login: &MailLogin) -> Result<Credentials, String> {
    let MailLogin { user, password_file } = login;
    Ok(Credentials::new(user.clone(), password(password_file)?))
}

fn password(file: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the file of the password, {}, cannot be read: {error}", file.display()))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() || password.contains(['\r', '\n', '\0']) {
        return Err(format!("the file of the password, {}, does not hold one line", file.display()));
    }
    Ok(password.to_owned())
}

/// Returns the tenants whose people may have addresses. Who signs in at a provider has one from then on.
pub(crate) fn tenants(config: &Config) -> BTreeSet<String> {
    let of_people = config.users.configured().iter().filter_map(|user| user.tenant.clone());
    config.tenants().into_iter().map(str::to_owned).chain(of_people).collect()
}

/// Tries the configured mail server: connects, greets it, begins TLS and signs in. No mail is sent.
pub async fn examine(config: &Config) -> Vec<Finding> {
    const WHAT: &str = "mail";
    let Some(mail) = &config.mail else { return Vec::new() };
    let at = format!("{}:{}", mail.server, mail.port);
    let opened = match open_one(mail, config.server.public_url.as_deref()) {
        Ok(opened) => opened,
        Err(why) => {
            let fix = "correct what it names; docs/mail.md has an example (TL-1106)";
            return vec![finding(WHAT, State::Broken, format!("{at}: {why}"), Some(fix))];
        }
    };
    let connection = match opened.connect().await {
        Ok(connection) => connection,
        Err(why) => {
            let fix =
                "see that it is there, and that its name, port, certificate and password are right (TL-3401)";
            return vec![finding(WHAT, State::Broken, format!("{at}: {why}"), Some(fix))];
        }
    };
    connection.quit().await;
    let login = mail.login.as_ref().map(|login| format!(", and lets {} in", login.user));
    let tls = if mail.tls == MailTls::None { "without TLS" } else { "over TLS" };
    let found = format!("{at} answers {tls}{}", login.unwrap_or_default());
    let mut people = config.users.configured().iter();
    let nobody = !people.any(|user| user.email.is_some() && opens_approvals(user)) && config.openid.is_none();
    let mut all = vec![finding(WHAT, State::Ok, found, None)];
    if nobody {
        let fix = "give an `email` to people whose role opens approvals: approver, operator, admin";
        all.push(finding(WHAT, State::Warning, "nobody is sent any", Some(fix)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_greeted_with_a_name_or_an_address() {
        for (url, expected) in [
            (Some("https://throughline.example.org/below"), "throughline.example.org"),
            (Some("http://127.0.0.1:7070"), "[127.0.0.1]"),
            (Some("http://[::1]:7070"), "[127.0.0.1]"),
            (None, "[127.0.0.1]"),
        ] {
            assert_eq!(hello(url).to_string(), expected, "{url:?}");
        }
    }
}
