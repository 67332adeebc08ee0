//! The exit codes (`spec 07 §10`), in one place.

use std::process::ExitCode;

/// How the program ends. Interrupted (130) is the shell's word for our end by Ctrl-C, and ours for a second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok,
    /// It could not be done.
    Failure,
    /// The command line is wrong. (clap uses the same.)
    Usage,
    /// Tests or checks ran and failed.
    ChecksFailed,
    /// The configuration is wrong.
    Configuration,
    /// A server or store cannot be reached.
    Unreachable,
    /// It was understood and refused: stale, consumed, not allowed.
    Refused,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// The number.
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
