//! The exit codes of the program (docs/design/0036-http-api-and-command-line.md).

use std::process::ExitCode;

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: the command did its work.
    Ok,
    /// 1: the command failed.
    Failure,
    /// 2: the command line is wrong. Also used by clap.
    Usage,
    /// 3: tests or checks ran, and some failed.
    ChecksFailed,
    /// 4: the configuration is invalid.
    Configuration,
    /// 5: a server or store cannot be reached.
    Unreachable,
    /// 6: the request was refused: stale, already decided, not allowed.
    Refused,
    /// 130: interrupted by a second Ctrl-C. Shells report the first one with the same code.
    Interrupted,
}

impl Exit {
    /// Every code.
    const ALL: [Self; 8] = [
        Self::Ok,
        Self::Failure,
        Self::Usage,
        Self::ChecksFailed,
        Self::Configuration,
        Self::Unreachable,
        Self::Refused,
        Self::Interrupted,
    ];

    /// Lists the codes for the help and the man page.
    pub(crate) fn list() -> String {
        let line = |exit: Self| format!("  {:<5} {}", exit.code(), exit.meaning());
        format!("Exit codes:\n{}", Self::ALL.map(line).join("\n"))
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "it did its work",
            Self::Failure => "it failed",
            Self::Usage => "the command line is wrong",
            Self::ChecksFailed => "tests or checks ran, and some failed",
            Self::Configuration => "the configuration is wrong",
            Self::Unreachable => "a server or the store cannot be reached",
            Self::Refused => "it was refused: outdated, decided before, not allowed",
            Self::Interrupted => "interrupted",
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::ChecksFailed => 3,
            Self::Configuration => 4,
            Self::Unreachable => 5,
            Self::Refused => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
