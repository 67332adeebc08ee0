//! Instance: store, tracker and runtime of one process, connected, without a port.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use throughline_channels::{Channel, ReadFromStore};
use throughline_models::Model;
use throughline_runtime::host::{self, Host};
use throughline_runtime::{Keys, Parts, Ports, Runtime, Worker, from_environment};
use throughline_store::{
    MemoryStore, PostgresServer, PostgresStore, RedisServer, SqliteStore, Store, StoreError, SystemClock,
};
use throughline_tools::Clients;
use throughline_trackers::Tracker;
use throughline_trackers::local::LocalTracker;

use crate::config::{Config, PostgresUrl, RedisUrl, StoreUrl};
use crate::directory::ConfiguredDirectory;
use crate::documents::StoredDocuments;
use crate::instance_key;
use crate::learned::{self, versions, worker::PolicyWorker};
use crate::mail::{self, Mail};
use crate::models;
use crate::openid::Provider;
use crate::push::{self, Push};
use crate::slack;
use crate::start_error::StartError;
use crate::telegram;
use crate::tools;
use crate::trackers;
use crate::trackers::hooks::Hook;
use crate::trackers::jira_apps::{self, JiraApp};
use crate::users;
use crate::web_channel::WebChannel;
use crate::webhooks::{self, Webhook};

/// Channels that exist in every installation, beside the web. Their users read from the store.
const CHANNELS: [&str; 3] = ["api", "terminal", learned::CHANNEL];

/// Store, tracker and runtime of one process.
pub struct Instance {
    /// Configuration it was opened with.
    pub config: Config,
    /// Store.
    pub store: Arc<dyn Store>,
    /// Runtime. Nothing runs until [`Instance::start`].
    pub runtime: Arc<Runtime>,
    /// Embedded tracker.
    pub tracker: Arc<LocalTracker>,
    /// Clients of tools and sub-agents, if any are configured.
    pub tools: Option<Arc<Clients>>,
    /// Telegram channel, if configured.
    pub telegram: Option<Arc<telegram::Adapter>>,
    /// Slack channel, if configured.
    pub slack: Option<Arc<slack::Adapter>>,
    /// Trackers that may deliver, by name.
    pub(crate) hooks: BTreeMap<String, Hook>,
    /// Endpoints that events are sent to.
    pub(crate) webhooks: Vec<Arc<Webhook>>,
    /// Mail server, if configured.
    pub(crate) mail: Option<Arc<Mail>>,
    /// Way to people's browsers, if configured.
    pub(crate) push: Option<Arc<Push>>,
    /// Apps of Jira sites, by the name of their tracker.
    pub(crate) jira_apps: BTreeMap<String, JiraApp>,
    /// Provider of sign-ins, if one is configured.
    pub(crate) openid: Option<Provider>,
}

/// Opens the store and connects everything. No effect is performed, and no port is opened.
///
/// # Errors
/// The store is in use or cannot be opened, or the instance key cannot be used.
pub async fn open(config: Config) -> Result<Instance, StartError> {
    let store = open_store(&config.store).await?;
    open_with(config, store).await
}

/// Connects everything over a store that is already open.
///
/// # Errors
/// The instance key cannot be used.
pub async fn open_with(config: Config, store: Arc<dyn Store>) -> Result<Instance, StartError> {
    #[cfg(not(feature = "failpoints"))]
    let tracker = |tracker| tracker;
    #[cfg(feature = "failpoints")]
    let tracker = crate::tracker_faults::tracker;
    open_tracking(config, store, tracker).await
}

/// Like [`open_with`], with a function that changes the embedded tracker: tests add faults to it.
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
    let named = |channel: Arc<dyn Channel>| (channel.name().to_owned(), channel);
    let pages: Arc<dyn Channel> = Arc::new(WebChannel::new(&config.server));
    let clients = tools::open(&config, &store, &key)?;
    let jira_apps = jira_apps::open(&config, &store, &key)?;
    let telegram = telegram::Adapter::open(&config, &store, &key)?.map(Arc::new);
    let slack = slack::Adapter::open(&config, &store, &key)?.map(Arc::new);
    let sends = [
        telegram.as_ref().map(|adapter| adapter.channel() as Arc<dyn Channel>),
        slack.as_ref().map(|adapter| adapter.channel() as Arc<dyn Channel>),
    ];
    let policy_worker = Arc::new(PolicyWorker::default());
    let own_act = (format!("act:{}", learned::TARGET), policy_worker.clone() as Arc<dyn Worker>);
    let ports = Ports {
        directory: Arc::new(ConfiguredDirectory::new(
            config.clone(),
            telegram.as_ref().map(|adapter| adapter.contacts()),
            slack.as_ref().map(|adapter| adapter.people()),
        )),
        channels: CHANNELS
            .into_iter()
            .map(channel)
            .chain([pages].into_iter().chain(sends.into_iter().flatten()).map(named))
            .collect(),
        trackers: trackers::open(&config, &jira_apps)?
            .into_iter()
            .chain([("local".to_owned(), tracker.clone() as Arc<dyn Tracker>)])
            .collect(),
        model: models::open(&config)?.map(|models| models as Arc<dyn Model>),
        // Tools without a client here are the host's; without a host a call fails with that reason.
        workers: tools::workers(clients.as_ref()).into_iter().chain([own_act]).collect(),
        hosted: config.delivery_host.iter().map(|class| ("api".to_owned(), *class)).collect(),
        own_host: vec![learned::CHANNEL.to_owned()],
    };
    let openid = Provider::open(&config, &key)?;
    for tenant in config.tenants() {
        users::load(&config.users, store.as_ref(), tenant).await?;
    }
    let hooks = trackers::hooks::open(&config)?;
    let webhooks = webhooks::open(&config)?;
    let mail = mail::open(&config)?;
    let push = push::open(&config, &key)?;
    let runtime = Arc::new(Runtime::new(Parts {
        store: store.clone(),
        ports,
        policy: config.policy.clone(),
        keys,
        faults: from_environment(),
        entropy: Arc::new(entropy),
    }));
    policy_worker.connect(&runtime);
    Ok(Instance {
        config,
        store,
        runtime,
        tracker,
        tools: clients,
        telegram,
        slack,
        hooks,
        webhooks,
        mail,
        push,
        jira_apps,
        openid,
    })
}

impl Instance {
    /// Returns every tenant: those of the configuration, and the workspaces that installed the Slack app.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn tenants(&self) -> Result<BTreeSet<String>, StoreError> {
        let configured = self.config.tenants().into_iter().map(str::to_owned);
        let installed = slack::tenants(self.store.as_ref(), &self.config.tenant).await?;
        Ok(configured.chain(installed).collect())
    }

    /// Resumes the work that waits in the store and runs the loops, until the host is drained.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn start(&self) -> Result<Host, StartError> {
        for tenant in self.tenants().await? {
            users::load(&self.config.users, self.store.as_ref(), &tenant).await?;
            versions::take_over(&self.runtime, &tenant).await.map_err(StartError::Recover)?;
            self.runtime.recover(&tenant).await.map_err(StartError::Recover)?;
        }
        Ok(host::run(self.runtime.clone()))
    }
}

async fn open_store(url: &StoreUrl) -> Result<Arc<dyn Store>, StartError> {
    let clock = Arc::new(SystemClock::default());
    match url {
        StoreUrl::Postgres(server) => Ok(Arc::new(PostgresStore::connect(&postgres_server(server)?).await?)),
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

/// Returns a configured server, with its password.
///
/// # Errors
/// The password cannot be read.
pub fn postgres_server(server: &PostgresUrl) -> Result<PostgresServer, StartError> {
    let PostgresUrl { url, listen_url, password_file, redis } = server.clone();
    let of = |file: Option<PathBuf>| file.as_deref().map(password).transpose();
    let redis = redis.map(|RedisUrl { url, password_file }| {
        of(password_file).map(|password| RedisServer { url, password })
    });
    Ok(PostgresServer { url, listen_url, password: of(password_file)?, redis: redis.transpose()? })
}

/// Reads the password of a database, or of Redis.
fn password(file: &Path) -> Result<String, StartError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| StartError::Password { file: file.into(), why: error.to_string() })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

async fn instance_key(config: &Config, store: &dyn Store) -> Result<[u8; 32], StartError> {
    let Some(file) = config.key_file() else { return instance_key::random() };
    if store.is_shared() {
        return instance_key::shared(&file, store).await;
    }
    let (key, new) = instance_key::load_or_make(&file)?;
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
