//! Runs an instance inside this process, for the duration of a command.
//!
//! It is the ordinary server on a free loopback port, and commands use it over HTTP, so they run the same code with and
//! without `--server`. Only this process knows its token.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use throughline_server::auth::{Scope, Token};
use throughline_server::{Config, StartError, serve};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::local::not_started;
use super::remote::Remote;
use crate::app::App;
use crate::error::Failure;
use crate::random;

/// A running instance. Dropping it stops it at once; [`Embedded::stop`] lets it finish its work.
pub(crate) struct Embedded {
    runtime: Runtime,
    remote: Remote,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), StartError>>,
}

impl Embedded {
    /// Starts an instance over a configured store and waits until it is ready.
    pub(crate) fn start(app: &App, config: &Config) -> Result<Self, Failure> {
        let mut config = config.clone();
        let token = own_token(&mut config)?;
        let runtime = app.runtime()?;
        let (bound, ready) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let ended = runtime.spawn(serve(
            config,
            |address| {
                let _ = bound.send(address);
            },
            async {
                // An error means that the sender was dropped, which stops the instance as well.
                let _ = stopped.await;
            },
        ));
        let Ok(address) = runtime.block_on(ready) else {
            return Err(match runtime.block_on(ended) {
                Ok(Err(error)) => not_started(&error),
                Ok(Ok(())) => Failure::new("the instance in this process ended before it was ready"),
                Err(error) => Failure::new("the instance in this process failed").because(&error),
            });
        };
        let remote = Remote::at(&format!("http://{address}"), Some(token))?;
        Ok(Self { runtime, remote, stop, ended })
    }

    /// Returns a client of the instance.
    pub(crate) fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Stops the instance after the work it has begun.
    pub(crate) fn stop(self) -> Result<(), Failure> {
        let _ = self.stop.send(());
        match self.runtime.block_on(self.ended) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                Err(Failure::new("the instance in this process did not end well").because(&error))
            }
            Err(error) => Err(Failure::new("the instance in this process failed").because(&error)),
        }
    }
}

/// Changes the configuration to a free port and a new token that only this process knows. Returns the token.
fn own_token(config: &mut Config) -> Result<String, Failure> {
    let principal = user(config);
    let id = "this-process";
    let (token, sha256) = Token::mint(id, random::bytes()?);
    config.server.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    config.server.demo = false;
    config.tokens.push(Token {
        id: id.into(),
        sha256,
        tenant: config.tenant.clone(),
        app: config.app.clone(),
        scopes: Scope::ALL.into(),
        principal,
    });
    Ok(token)
}

/// Returns the user that commands on this machine act as.
pub(crate) fn user(config: &Config) -> String {
    if config.server.demo { "you".to_owned() } else { user_here() }
}

/// Returns the name of the operating system's user. The approver rules say what this user may decide.
pub(crate) fn user_here() -> String {
    let output = Command::new("id").arg("-un").output().ok().filter(|output| output.status.success());
    let name = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "nobody".into())
}
