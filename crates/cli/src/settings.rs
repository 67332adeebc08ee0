//! The configuration, read as the command line says (`spec 07 §10`): flags over environment over files.

use std::path::Path;

use throughline_server::{Config, ConfigErrors, Sources, StoreUrl};

use crate::app::App;
use crate::error::Failure;
use crate::exit::Exit;

/// Where the settings of this run come from.
pub(crate) fn sources(app: &App) -> Sources {
    let mut sources = Sources::of_this_process();
    sources.file.clone_from(&app.flags.config);
    sources
}

/// The configuration, with its data in another folder if one is named.
pub(crate) fn load(app: &App, data: Option<&Path>) -> Result<Config, Failure> {
    let mut sources = sources(app);
    sources.data = data.map(Path::to_owned);
    Config::load(&sources).map_err(wrong)
}

/// The configuration of the installation that is worked on here. One that configured nobody is the demo: what
/// `throughline serve --demo` keeps in this folder is found without another flag.
pub(crate) fn installation(app: &App, data: Option<&Path>) -> Result<Config, Failure> {
    let config = load(app, data)?;
    if !config.users.is_empty() || !config.tokens.is_empty() {
        return Ok(config);
    }
    app.out.detail("nobody is configured, so this is the demo (throughline serve --demo)");
    let mut sources = sources(app).flag("server.demo", "true", "of an installation without users");
    sources.data = data.map(Path::to_owned);
    Config::load(&sources).map_err(wrong)
}

/// Whether the configured store was ever opened: opening it makes it.
pub(crate) fn stored(config: &Config) -> bool {
    !matches!(&config.store, StoreUrl::Sqlite(path) if !path.exists())
}

/// Refuses a store that is not there yet.
pub(crate) fn must_be_stored(config: &Config) -> Result<(), Failure> {
    if stored(config) {
        return Ok(());
    }
    Err(Failure::new(format!("there is nothing at {} yet", config.store))
        .code("TL-6103")
        .hint("another folder or --config FILE? `throughline chat` and `throughline serve --demo` begin one")
        .exit(Exit::Unreachable))
}

/// Everything that is wrong with a configuration, with line and suggestion each.
pub(crate) fn wrong(errors: ConfigErrors) -> Failure {
    let failure = Failure::new("the configuration cannot be used")
        .code(errors.code().id())
        .hint("`throughline config schema` lists every setting")
        .exit(Exit::Configuration);
    errors.0.iter().fold(failure, |failure, error| failure.why(error.to_string()))
}
