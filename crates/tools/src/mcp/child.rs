//! Servers that are child processes. A child gets only the named variables of the environment, and is ended with
//! everything it started.

use std::process::Stdio;

#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::ChildSetting;

/// A running child and everything it started: one process group, killed as a whole when this is dropped.
pub(super) struct Group {
    #[cfg_attr(not(unix), expect(dead_code, reason = "it is killed when this is dropped"))]
    child: Child,
}

/// Starts a child. Its standard error is inherited.
///
/// # Errors
/// It cannot be started.
pub(super) fn start(setting: &ChildSetting) -> std::io::Result<(Group, ChildStdout, ChildStdin)> {
    let ChildSetting { command, args, env } = setting;
    let given = env.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(command);
    command
        .args(args)
        .env_clear()
        .envs(given)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    let (stdout, stdin) =
        pipes.ok_or_else(|| std::io::Error::other("it has no standard input and output"))?;
    Ok((Group { child }, stdout, stdin))
}

impl Group {
    /// The id of the group, which is that of the started process. The process is not reaped while this lives, so the
    /// id stays its own.
    #[cfg(unix)]
    fn leader(&self) -> Option<Pid> {
        self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
    }

    /// True if the started process has ended.
    #[cfg(unix)]
    pub(super) fn ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.leader().is_none_or(|leader| !matches!(waitid(WaitId::Pid(leader), look), Ok(None)))
    }

    /// On other systems its pipe tells.
    #[cfg(not(unix))]
    pub(super) fn ended(&self) -> bool {
        false
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader() {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}
