//! Loads the configuration: flags win over environment variables, and those over files.

use throughline_server::{Config, ConfigErrors, Sources, StoreUrl};

use crate::app::App;
use crate::error::Failure;
use crate::exit::Exit;

/// Returns the sources of the settings of this run.
pub(crate) fn sources(app: &App) -> Sources {
    let mut sources = Sources::of_this_process();
    sources.file.clone_from(&app.flags.config);
    sources.data.clone_from(&app.flags.data);
    sources
}

/// Loads the configuration.
pub(crate) fn load(app: &App) -> Result<Config, Failure> {
    Config::load(&sources(app)).map_err(invalid)
}

/// Loads the configuration, or that of the demo if it names no user and no token. So commands find the data of
/// `throughline serve --demo` in this folder without a flag.
pub(crate) fn installation(app: &App) -> Result<Config, Failure> {
    let config = load(app)?;
    if !config.users.configured().is_empty() || !config.tokens.is_empty() {
        return Ok(config);
    }
    app.out.detail("nobody is configured, so this is the demo (throughline serve --demo)");
    let sources = sources(app).flag("server.demo", "true", "of an installation without users");
    Config::load(&sources).map_err(invalid)
}

/// Returns true if the configured store exists. A store is created when it is first opened.
pub(crate) fn store_exists(config: &Config) -> bool {
    !matches!(&config.store, StoreUrl::Sqlite(path) if !path.exists())
}

/// Fails if the configured store does not exist.
pub(crate) fn require_store(config: &Config) -> Result<(), Failure> {
    if store_exists(config) {
        return Ok(());
    }
    Err(Failure::new(format!("there is nothing at {} yet", config.store))
        .code("TL-6103")
        .hint("another --data DIR or --config FILE? `throughline chat` and `throughline serve --demo` begin one")
        .exit(Exit::Unreachable))
}

/// Words the errors of a configuration, each with its line and a suggestion.
pub(crate) fn invalid(errors: ConfigErrors) -> Failure {
    let failure = Failure::new("the configuration cannot be used")
        .code(errors.code().id())
        .hint("`throughline config schema` lists every setting")
        .exit(Exit::Configuration);
    errors.0.iter().fold(failure, |failure, error| failure.why(error.to_string()))
}
