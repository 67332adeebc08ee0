//! Values that a shell offers at the tab key: ids of this installation, users, settings, codes.
//!
//! The shell runs the program for it, so nothing is printed, created or waited for long; what cannot be had is not offered.

use std::ffi::OsStr;
use std::sync::mpsc;
use std::time::Duration;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use throughline_server::auth::Scope;
use throughline_server::codes;

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::global::Global;
use crate::settings;

/// The time that a person waits at a tab key.
const PATIENCE: Duration = Duration::from_secs(2);

/// A value and what is said beside it.
type Value = (String, String);

/// Completes ids of lanes.
pub(crate) fn lanes() -> ArgValueCompleter {
    from(|app, begun| ids(app, &[Kind::Lane], begun))
}

/// Completes ids of turns.
pub(crate) fn turns() -> ArgValueCompleter {
    from(|app, begun| ids(app, &[Kind::Turn], begun))
}

/// Completes ids of lanes, and of turns where one has begun.
pub(crate) fn lanes_and_turns() -> ArgValueCompleter {
    from(|app, begun| {
        let kind = if begun.starts_with("tn_") { Kind::Turn } else { Kind::Lane };
        ids(app, &[kind], begun)
    })
}

/// Completes ids of approvals.
pub(crate) fn approvals() -> ArgValueCompleter {
    from(|app, begun| ids(app, &[Kind::Approval], begun))
}

/// Completes ids of effects.
pub(crate) fn effects() -> ArgValueCompleter {
    from(|app, begun| ids(app, &[Kind::Effect], begun))
}

/// Completes what has a page: the words of `open`, and ids.
pub(crate) fn pages(words: &'static [&'static str]) -> ArgValueCompleter {
    from(move |app, begun| {
        let mut values: Vec<Value> = words.iter().map(|word| ((*word).to_owned(), String::new())).collect();
        values.extend(ids(app, &[Kind::Lane, Kind::Approval], begun));
        values
    })
}

/// Completes users of the configuration.
pub(crate) fn users() -> ArgValueCompleter {
    from(|app, _| {
        let Ok(config) = settings::installation(app) else { return Vec::new() };
        config.users.configured().iter().map(|user| (user.id.clone(), user.name.clone())).collect()
    })
}

/// Completes the paths of settings.
pub(crate) fn settings() -> ArgValueCompleter {
    from(|app, _| {
        let Ok(config) = settings::load(app) else { return Vec::new() };
        let value = |setting: &throughline_server::Setting| (setting.path.clone(), setting.value.clone());
        config.settings().iter().map(value).collect()
    })
}

/// Completes names of tools and sub-agents.
pub(crate) fn tools() -> ArgValueCompleter {
    from(|app, _| {
        let Ok(config) = settings::installation(app) else { return Vec::new() };
        let tools = config.tools.tools.keys().map(|name| format!("tool:{name}"));
        let agents = config.tools.agents.keys().map(|name| format!("agent:{name}"));
        tools.chain(agents).map(|name| (name, String::new())).collect()
    })
}

/// Completes error codes.
pub(crate) fn codes() -> ArgValueCompleter {
    from(|_, _| codes::ALL.iter().map(|code| (code.id(), code.title.to_owned())).collect())
}

/// Completes scopes of tokens.
pub(crate) fn scopes() -> ArgValueCompleter {
    from(|_, _| Scope::ALL.iter().map(|scope| (scope.as_str().to_owned(), String::new())).collect())
}

fn ids(app: &App, kinds: &[Kind], begun: &str) -> Vec<Value> {
    let Ok(api) = api::open(app) else { return Vec::new() };
    let latest = ("@latest".to_owned(), "the newest".to_owned());
    let of = |kind: &Kind| api.candidates(*kind, begun).unwrap_or_default();
    let found = kinds.iter().flat_map(of).map(|one| (one.id, one.about));
    [latest].into_iter().chain(found).collect()
}

/// Makes a completer of a function that lists all values.
fn from(list: impl Fn(&App, &str) -> Vec<Value> + Clone + Send + Sync + 'static) -> ArgValueCompleter {
    ArgValueCompleter::new(move |begun: &OsStr| {
        let begun = begun.to_string_lossy().into_owned();
        let (list, word) = (list.clone(), begun.clone());
        let (send, listed) = mpsc::channel();
        std::thread::spawn(move || send.send(list(&App::new(Global::of_words(std::env::args())), &word)));
        let values = listed.recv_timeout(PATIENCE).unwrap_or_default();
        let wanted = values.into_iter().filter(|(value, _)| value.starts_with(&begun));
        wanted.map(|(value, about)| CompletionCandidate::new(value).help(said(about))).collect()
    })
}

fn said(about: String) -> Option<clap::builder::StyledStr> {
    (!about.is_empty()).then(|| about.into())
}
