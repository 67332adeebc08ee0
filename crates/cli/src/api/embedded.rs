//! A whole instance inside this process, for as long as a command acts.
//!
//! It is the same server, on a port of its own on loopback, and it is talked to over HTTP like any other: so what a
//! command does here and with `--server` is the same code. Only this process has its token.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use throughline_server::auth::{Scope, Token};
use throughline_server::{Config, StartError, serve};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Remote, local};
use crate::app::App;
use crate::error::Failure;
use crate::{key, settings};

/// A running instance. Dropping it leaves it at once; [`Embedded::stop`] lets it finish.
pub(crate) struct Embedded {
    runtime: Runtime,
    remote: Remote,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), StartError>>,
}

impl Embedded {
    /// Starts one over the configured store.
    pub(crate) fn start(app: &App) -> Result<Self, Failure> {
        let mut config = settings::installation(app, None)?;
        let listen = config.server.listen.to_string();
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
                // Stopped, or whoever could have stopped it is gone.
                let _ = stopped.await;
            },
        ));
        let Ok(address) = runtime.block_on(ready) else {
            return Err(match runtime.block_on(ended) {
                Ok(Err(error)) => local::not_started(&error, &listen),
                Ok(Ok(())) => Failure::new("the instance in this process ended before it was ready"),
                Err(error) => Failure::new("the instance in this process failed").because(&error),
            });
        };
        let remote = Remote::at(&format!("http://{address}"), Some(token))?;
        Ok(Self { runtime, remote, stop, ended })
    }

    /// The way to it.
    pub(crate) fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Lets it finish what runs, and waits for that.
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

/// Makes the configuration one that only this process can use: another port, and a token nobody else has.
fn own_token(config: &mut Config) -> Result<String, Failure> {
    let principal = if config.server.demo { "you".to_owned() } else { os_user() };
    let id = "this-process";
    let (token, sha256) = Token::mint(id, key::random()?);
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

/// The user the operating system says this is: who may decide is said in the approver rules.
fn os_user() -> String {
    let output = Command::new("id").arg("-un").output().ok().filter(|output| output.status.success());
    let name = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "nobody".into())
}
