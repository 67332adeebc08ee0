//! Conversation with the mail server: one mail to one person at a time, so that what it says of one says nothing of others.

use std::future::Future;
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Mechanism;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailParameter};
use tokio::time::timeout;

use super::{Mail, Security};

/// Time until the server has let us in.
const CONNECT: Duration = Duration::from_secs(30);
/// Time of one mail.
const SEND: Duration = Duration::from_secs(60);
/// Time of a farewell.
const QUIT: Duration = Duration::from_secs(2);
/// Longest text that is kept of what a server said.
const SAID: usize = 200;

/// Connection to a server that let us in.
pub(super) struct Connection {
    smtp: AsyncSmtpConnection,
    broken: bool,
}

/// Reason why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The server takes nothing from us now.
    Unreachable(String),
    /// It may take this mail later.
    Later(String),
    /// It does not take this mail.
    Refused(String),
}

impl Mail {
    /// Connects, begins TLS and signs in.
    ///
    /// # Errors
    /// Returns the step that failed and what the server said, as a sentence without any secret.
    pub(super) async fn connect(&self) -> Result<Connection, String> {
        let smtp = within(CONNECT, self.let_in()).await.ok_or("it did not let us in within 30 seconds")??;
        Ok(Connection { smtp, broken: false })
    }

    async fn let_in(&self) -> Result<AsyncSmtpConnection, String> {
        let addresses = self.reach.addresses(&self.server, self.port).await?;
        let at_once = match &self.security {
            Security::Implicit(tls) => Some(tls.clone()),
            Security::Starttls(_) | Security::None => None,
        };
        let connected =
            AsyncSmtpConnection::connect_tokio1(addresses.as_slice(), None, &self.hello, at_once, None);
        let mut smtp = connected.await.map_err(|error| said("cannot connect", &error))?;
        if let Security::Starttls(tls) = &self.security {
            let begun = smtp.starttls(tls.clone(), &self.hello).await;
            begun.map_err(|error| said("cannot begin TLS", &error))?;
        }
        if let Some(login) = &self.login {
            let signed_in = smtp.auth(&[Mechanism::Plain, Mechanism::Login], login).await;
            signed_in.map_err(|error| said("cannot sign in", &error))?;
        }
        Ok(smtp)
    }
}

impl Connection {
    /// Sends a mail to one person, once.
    pub(super) async fn send(&mut self, from: &Address, to: &Address, mail: &[u8]) -> Result<(), Failure> {
        let sent = within(SEND, say(&mut self.smtp, from, to, mail)).await;
        let sent = sent.unwrap_or_else(|| Err(Failure::Later("it did not answer within a minute".into())));
        if sent.is_err() {
            // After a refusal the next mail may follow, unless the server ended the conversation.
            let ready = within(QUIT, self.smtp.command(Rset)).await;
            self.broken = !matches!(ready, Some(Ok(_)));
        }
        sent
    }

    /// Returns true if nothing more can be sent by it.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Says farewell. What was sent is sent, whatever is answered.
    pub(super) async fn quit(mut self) {
        let _ = within(QUIT, self.smtp.quit()).await;
    }
}

async fn say(
    smtp: &mut AsyncSmtpConnection,
    from: &Address,
    to: &Address,
    mail: &[u8],
) -> Result<(), Failure> {
    let ascii = [from, to].iter().all(|address| AsRef::<str>::as_ref(address).is_ascii());
    if !ascii && !smtp.server_info().supports_feature(Extension::SmtpUtfEight) {
        return Err(Failure::Refused("it takes no address with letters beyond ASCII".into()));
    }
    let parameters = if ascii { Vec::new() } else { vec![MailParameter::SmtpUtfEight] };
    // The sender is ours: what is said of it is said of every mail.
    let begun = smtp.command(MailFrom::new(Some(from.clone()), parameters)).await;
    begun.map_err(|error| Failure::Unreachable(said("it does not take our sender", &error)))?;
    let known = smtp.command(Rcpt::new(to.clone(), Vec::new())).await;
    known.map_err(|error| of_mail("it does not take the address", &error))?;
    smtp.command(Data).await.map_err(|error| of_mail("it does not take the mail", &error))?;
    smtp.message(mail).await.map_err(|error| of_mail("it does not take the mail", &error))?;
    Ok(())
}

fn of_mail(act: &str, error: &Error) -> Failure {
    let text = said(act, error);
    if error.is_permanent() { Failure::Refused(text) } else { Failure::Later(text) }
}

/// Describes a failed step, with what the server said.
fn said(act: &str, error: &Error) -> String {
    let text = format!("{act}: {error}");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|letter| !letter.is_control()).take(SAID).collect()
}

async fn within<T>(time: Duration, act: impl Future<Output = T>) -> Option<T> {
    timeout(time, act).await.ok()
}
