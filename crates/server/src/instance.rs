//! One process's share of an installation: store, tracker and runtime, plugged together. No port yet.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use throughline_channels::telegram::CHANNEL;
use throughline_channels::{Channel, ReadFromStore};
use throughline_models::Model;
use throughline_runtime::host::{self, Host};
use throughline_runtime::{Keys, Parts, Ports, Runtime, Stop, from_environment};
use throughline_store::{MemoryStore, SqliteStore, Store, StoreError, SystemClock};
use throughline_tools::Clients;
use throughline_trackers::Tracker;
use throughline_trackers::local::LocalTracker;

use crate::codes::{self, Code};
use crate::directory::Known;
use crate::documents::StoredDocuments;
use crate::web::channel::WebChannel;
use crate::{Config, ConfigErrors, StoreUrl, key, models, telegram, tools};

/// The channels that are always there, beside the web. Their users read from the store.
const CHANNELS: [&str; 2] = ["api", "terminal"];

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The instance key cannot be used.
    #[error("cannot use the instance key {}: {why}; restore it from a backup, or name another with instance_key_file", file.display())]
    Key {
        /// Its file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The folder of the database cannot be made.
    #[error("cannot make the folder {} for the database: {why}", folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        why: String,
    },
    /// The Telegram channel cannot be used as it is configured.
    #[error("cannot use the Telegram channel: {why}")]
    Telegram {
        /// Why.
        why: String,
    },
    /// A model cannot be used as it is configured.
    #[error("cannot use the configured models: {why}")]
    Model {
        /// Why.
        why: String,
    },
    /// A tool or a sub-agent cannot be used as it is configured.
    #[error("cannot use the configured tools: {why}")]
    Tool {
        /// Why.
        why: String,
    },
    /// Updates are to be polled, but go to a webhook.
    #[error(
        "cannot poll Telegram: its updates go to the webhook {url}; remove it with `throughline telegram setup`"
    )]
    WebhookSet {
        /// Where they go.
        url: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {why}; stop what listens there, or choose another server.listen")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        why: String,
    },
    /// What waits in the store cannot be taken up.
    #[error("cannot take up what waits in the store: {0}")]
    Recover(Stop),
}

impl StartError {
    /// Its code.
    #[must_use]
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Config(errors) => errors.code(),
            Self::Store(error) | Self::Recover(Stop::Store(error)) => store_code(error),
            Self::Key { .. } => &codes::INSTANCE_KEY,
            Self::Folder { .. } => &codes::STORE_OPEN,
            Self::Telegram { .. } => &codes::TELEGRAM_CONFIG,
            Self::Model { .. } => &codes::MODEL_MISCONFIGURED,
            Self::Tool { .. } => &codes::TOOL_MISCONFIGURED,
            Self::WebhookSet { .. } => &codes::TELEGRAM_WEBHOOK_SET,
            Self::Listen { .. } => &codes::LISTEN_FAILED,
            Self::Recover(Stop::Unreadable { .. }) => &codes::UNREADABLE,
            Self::Recover(Stop::Crash(_)) => &codes::INTERNAL,
        }
    }
}

/// The code of what a store says.
pub(crate) fn store_code(error: &StoreError) -> &'static Code {
    match error {
        StoreError::ReadOnly { .. } => &codes::READ_ONLY,
        StoreError::InUse { .. } => &codes::STORE_IN_USE,
        StoreError::Open { why, .. } if why.contains("TL-6101") => &codes::SQLITE_TOO_OLD,
        StoreError::Open { .. } => &codes::STORE_OPEN,
        StoreError::Unknown { .. } | StoreError::Backend { .. } => &codes::STORE_UNAVAILABLE,
        StoreError::Refused { .. } => &codes::INTERNAL,
    }
}

/// Store, tracker and runtime of one process.
pub struct Instance {
    /// What it was made from.
    pub config: Config,
    /// Durability.
    pub store: Arc<dyn Store>,
    /// The loop. Nothing runs until [`Instance::start`].
    pub runtime: Arc<Runtime>,
    /// The embedded tracker.
    pub tracker: Arc<LocalTracker>,
    /// The clients of tools and sub-agents, if some are configured.
    pub tools: Option<Arc<Clients>>,
    /// The Telegram channel, if one is configured.
    pub telegram: Option<Arc<telegram::Edge>>,
}

/// Opens the store and plugs everything together. Nothing is performed and nothing is listened on.
///
/// # Errors
/// The store is in use or cannot be opened, or the instance key cannot be used.
pub async fn open(config: Config) -> Result<Instance, StartError> {
    let store = open_store(&config.store)?;
    open_with(config, store).await
}

/// The same over a store that is open already.
///
/// # Errors
/// The instance key cannot be used.
pub async fn open_with(config: Config, store: Arc<dyn Store>) -> Result<Instance, StartError> {
    #[cfg(not(feature = "failpoints"))]
    let tracker = |tracker| tracker;
    #[cfg(feature = "failpoints")]
    let tracker = crate::faulty::tracker;
    open_tracking(config, store, tracker).await
}

/// The same with an embedded tracker that is not as it comes: one that meets faults, in tests.
///
/// # Errors
/// As [`open_with`].
pub async fn open_tracking(
    config: Config,
    store: Arc<dyn Store>,
    tracker: impl FnOnce(LocalTracker) -> LocalTracker,
) -> Result<Instance, StartError> {
    let key = instance_key(&config, store.as_ref()).await?;
    let keys = Keys::new(key);
    let documents = Arc::new(StoredDocuments(store.clone()));
    let tracker = Arc::new(tracker(LocalTracker::new(config.tracker.clone(), documents)));
    let channel = |name: &str| (name.to_owned(), Arc::new(ReadFromStore::new(name)) as Arc<dyn Channel>);
    let pages: Arc<dyn Channel> = Arc::new(WebChannel::new(&config.server));
    let clients = tools::open(&config, &store)?;
    let telegram = telegram::Edge::open(&config, &store, &key)?.map(Arc::new);
    let sends = telegram.iter().map(|edge| (CHANNEL.to_owned(), edge.channel() as Arc<dyn Channel>));
    let ports = Ports {
        directory: Arc::new(Known::new(config.clone(), telegram.as_ref().map(|edge| edge.book()))),
        channels: CHANNELS
            .into_iter()
            .map(channel)
            .chain([(pages.name().to_owned(), pages)])
            .chain(sends)
            .collect(),
        trackers: [("local".to_owned(), tracker.clone() as Arc<dyn Tracker>)].into(),
        model: models::open(&config)?.map(|models| models as Arc<dyn Model>),
        // What has no client here is its host's, or a call of it fails and says so.
        workers: tools::workers(clients.as_ref()),
        hosted: config.delivery_host.iter().map(|class| ("api".to_owned(), *class)).collect(),
    };
    let runtime = Arc::new(Runtime::new(Parts {
        store: store.clone(),
        ports,
        policy: config.policy.clone(),
        keys,
        faults: from_environment(),
        entropy: Arc::new(entropy),
    }));
    Ok(Instance { config, store, runtime, tracker, tools: clients, telegram })
}

impl Instance {
    /// Takes up what waits in the store and runs the loops, until the host is drained.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn start(&self) -> Result<Host, StartError> {
        for tenant in self.config.tenants() {
            self.runtime.recover(tenant).await.map_err(StartError::Recover)?;
        }
        Ok(host::run(self.runtime.clone()))
    }
}

fn open_store(url: &StoreUrl) -> Result<Arc<dyn Store>, StartError> {
    let clock = Arc::new(SystemClock::default());
    match url {
        StoreUrl::Memory => Ok(Arc::new(MemoryStore::new(clock))),
        StoreUrl::Sqlite(path) => {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                let cannot = |error: std::io::Error| StartError::Folder {
                    folder: folder.into(),
                    why: error.to_string(),
                };
                std::fs::create_dir_all(folder).map_err(cannot)?;
            }
            Ok(Arc::new(SqliteStore::open(path, clock)?))
        }
    }
}

async fn instance_key(config: &Config, store: &dyn Store) -> Result<[u8; 32], StartError> {
    let Some(file) = config.key_file() else { return key::random() };
    let (key, new) = key::load_or_make(&file)?;
    if new && store.counts().await?.lanes > 0 {
        tracing::warn!(
            file = %file.display(), code = "TL-1102",
            "the instance key was missing and a new one was made: buttons that were shown before may not work"
        );
    }
    Ok(key)
}

/// 16 random bytes, for salts and commit ids.
fn entropy() -> [u8; 16] {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system gives random bytes; without them nothing here is safe");
    bytes
}
