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
    /// The folder of the database and the instance key, in place of the configured one or this one
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Talk to this server: https://bot.example.org. Without it, the one that has the local store is found
    #[arg(long, global = true, value_name = "URL", env = "THROUGHLINE_SERVER_URL")]
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
    /// Never page long output
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Colour of the output: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: Color,
}

impl Global {
    /// Returns the flags that name the installation, of a command line that is not whole yet: a shell completes it.
    pub(crate) fn of_words(words: impl Iterator<Item = String>) -> Self {
        let words: Vec<String> = words.collect();
        let given = |flag: &str| {
            words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(flag)? {
                "" => words.get(at + 1).cloned(),
                value => value.strip_prefix('=').map(str::to_owned),
            })
        };
        let or = |flag: &str, variable: &str| given(flag).or_else(|| std::env::var(variable).ok());
        Self {
            config: or("--config", "THROUGHLINE_CONFIG").map(PathBuf::from),
            data: given("--data").map(PathBuf::from),
            server: or("--server", "THROUGHLINE_SERVER_URL"),
            token_file: or("--token-file", "THROUGHLINE_TOKEN_FILE").map(PathBuf::from),
            json: false,
            plain: true,
            quiet: true,
            verbose: 0,
            no_input: true,
            no_pager: true,
            color: Color::Never,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_line_names_its_installation() {
        let of = |line: &str| Global::of_words(line.split(' ').map(str::to_owned));
        let read = of("throughline why --server http://a:1 --token-file=t --data d tn_");
        assert_eq!(read.server.as_deref(), Some("http://a:1"));
        assert_eq!(read.token_file, Some("t".into()));
        assert_eq!(read.data, Some("d".into()));
        assert_eq!(of("throughline why --servers x --data").data, None);
    }
}
