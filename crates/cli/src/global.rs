//! The flags that every command accepts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The flags that every command accepts.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The configuration file, in place of ./throughline.toml and the user's
    #[arg(long, global = true, value_name = "FILE", env = "THROUGHLINE_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Talk to a running instance, in place of the local store: http://127.0.0.1:7070
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The file that holds the token for --server
    #[arg(long, global = true, value_name = "FILE", env = "THROUGHLINE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print the result as JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print lists with tabs between columns; no colour, no bars
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// Print nothing but the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Never ask anything; read lines from standard input as they are
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Colour of the output: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: Color,
}

/// The values of `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
