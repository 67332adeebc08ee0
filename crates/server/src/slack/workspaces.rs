//! Workspaces that the app is installed in: the one of the configured token, and those that installed it by themselves,
//! whose tokens are sealed in the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use throughline_channels::slack::{App, NoWorkspace, Teams, Workspace};
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_net::Key;
use throughline_store::{Document, News, Store, StoreError};

use crate::sealed::Seal;

/// Installations, by workspace or organisation.
const COLLECTION: &str = "slack.workspaces";
/// Owners of shared channels: the tenant that answers, by app and channel.
const OWNERS: &str = "slack.owners";
/// Most installations.
const MOST: u32 = 10_000;
/// Time before its end in which a token is renewed.
const EARLY: Millis = 30 * Timestamp::MINUTE;

/// Installation, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    user: String,
    bot: String,
    app: String,
    url: String,
    /// Sealed token.
    token: String,
    /// Sealed refresh token, if tokens are rotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh: Option<String>,
    /// End of the token, if it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends_at: Option<i64>,
}

/// Token that has to be renewed.
pub(super) struct Ending {
    pub(super) workspace: Workspace,
    pub(super) refresh: Key,
}

/// Token as an installation or a renewal gave it.
pub(super) struct Granted {
    pub(super) workspace: Workspace,
    pub(super) refresh: Option<Key>,
    pub(super) ends_at: Option<Timestamp>,
}

/// Workspaces of one process.
pub(super) struct Installed {
    store: Arc<dyn Store>,
    /// Tenant whose documents the installations are.
    home: String,
    seal: Seal,
    command: String,
    known: RwLock<Vec<Workspace>>,
    /// True once every workspace is known.
    complete: AtomicBool,
}

impl Installed {
    pub(super) fn new(store: Arc<dyn Store>, home: &str, key: &[u8; 32], command: &str) -> Self {
        let seal = Seal::new(key, COLLECTION);
        Self {
            store,
            home: home.into(),
            seal,
            command: command.into(),
            known: RwLock::default(),
            complete: AtomicBool::new(false),
        }
    }

    /// Adds a workspace, in the place of the one with the same team.
    pub(super) fn add(&self, workspace: Workspace) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|other| other.app.team != workspace.app.team);
        known.push(workspace);
    }

    /// Removes a workspace, in the store too.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn remove(&self, team: &str) -> Result<(), StoreError> {
        self.known.write().unwrap_or_else(PoisonError::into_inner).retain(|one| one.app.team != team);
        while let Some(found) = self.store.document(&self.home, COLLECTION, team).await? {
            let gone = Document::new(team, found.version, String::new());
            if self.store.write_documents(&self.home, vec![(COLLECTION.into(), gone)], None).await? {
                break;
            }
        }
        self.store.announce(News::Changed);
        Ok(())
    }

    fn find(&self, of: impl Fn(&Workspace) -> bool) -> Option<Workspace> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|one| of(one)).cloned()
    }

    /// Returns the workspace that a delivery is for: by a team that it names, else by its organisation. Where there is only
    /// one, it is that one.
    pub(super) fn of(&self, teams: &Teams) -> Option<Workspace> {
        let named = teams.teams.iter().find_map(|team| self.find(|one| one.app.team == *team));
        let org = || teams.enterprise.as_ref().and_then(|id| self.find(|one| one.app.team == *id));
        named.or_else(org).or_else(|| {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if let [only] = known.as_slice() { Some(only.clone()) } else { None }
        })
    }

    /// Records that every workspace is known.
    pub(super) fn completed(&self) {
        self.complete.store(true, Ordering::Relaxed);
    }

    /// Returns true once every workspace is known.
    pub(super) fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Relaxed)
    }

    /// Returns the workspace of a lane.
    pub(super) fn of_lane(&self, lane: &LaneKey) -> Result<Workspace, NoWorkspace> {
        let found = self.find(|one| one.tenant == lane.tenant && one.app.user == lane.app);
        let none = if self.is_complete() { NoWorkspace::NotInstalled } else { NoWorkspace::NotKnownYet };
        found.ok_or(none)
    }

    /// Reads the installations of the store, which other processes may have changed.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn load(&self) -> Result<(), StoreError> {
        let documents = self.store.documents(&self.home, COLLECTION, None, MOST).await?;
        let gone = |team: &str| documents.iter().any(|one| one.key == team && one.body.is_empty());
        self.known
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|one| one.tenant != one.app.team || !gone(&one.app.team));
        for (team, stored) in read(documents) {
            match self.seal.open(&team, &stored.token).and_then(|token| Key::parse(&token)) {
                Some(token) => self.add(self.workspace(&team, &stored, token)),
                None => tracing::error!(
                    code = "TL-3301",
                    team,
                    "the token of a workspace cannot be read with this instance key; install the app there again"
                ),
            }
        }
        Ok(())
    }

    async fn stored(&self) -> Result<Vec<(String, Stored)>, StoreError> {
        Ok(read(self.store.documents(&self.home, COLLECTION, None, MOST).await?).collect())
    }

    fn workspace(&self, team: &str, stored: &Stored, token: Key) -> Workspace {
        let app = App {
            team: team.into(),
            user: stored.user.clone(),
            bot: stored.bot.clone(),
            id: stored.app.clone(),
            command: self.command.clone(),
        };
        Workspace { tenant: team.into(), app, token, url: stored.url.clone() }
    }

    /// Stores an installation or a renewed token, and uses it from now on.
    ///
    /// # Errors
    /// Nothing was stored.
    pub(super) async fn keep(&self, granted: Granted) -> Result<(), StoreError> {
        let Granted { workspace, refresh, ends_at } = granted;
        let team = workspace.app.team.as_str();
        let sealed = |secret: &Key| {
            self.seal
                .close(team, secret.as_str())
                .map_err(|error| StoreError::Backend { act: "keep a token", why: error.to_string() })
        };
        let stored = Stored {
            user: workspace.app.user.clone(),
            bot: workspace.app.bot.clone(),
            app: workspace.app.id.clone(),
            url: workspace.url.clone(),
            token: sealed(&workspace.token)?,
            refresh: refresh.as_ref().map(sealed).transpose()?,
            ends_at: ends_at.map(|at| at.0),
        };
        let body = serde_json::to_string(&stored).unwrap_or_default();
        loop {
            let found = self.store.document(&self.home, COLLECTION, team).await?;
            let version = found.map_or(0, |found| found.version);
            let document = Document::new(team, version, body.clone());
            if self.store.write_documents(&self.home, vec![(COLLECTION.into(), document)], None).await? {
                self.add(workspace);
                self.store.announce(News::Changed);
                return Ok(());
            }
        }
    }

    /// Returns the tokens that end soon.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn ending(&self, now: Timestamp) -> Result<Vec<Ending>, StoreError> {
        let soon = |stored: &Stored| stored.ends_at.is_some_and(|at| at - now.0 <= EARLY);
        let open = |(team, stored): (String, Stored)| {
            let refresh = self.seal.open(&team, stored.refresh.as_ref()?)?;
            let workspace = self.find(|one| one.app.team == team)?;
            Some(Ending { workspace, refresh: Key::parse(&refresh)? })
        };
        Ok(self.stored().await?.into_iter().filter(|(_, stored)| soon(stored)).filter_map(open).collect())
    }

    /// Returns true if this workspace's tenant answers in a channel that several workspaces share. The first to hear
    /// something there owns it.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn owns(&self, workspace: &Workspace, channel: &str) -> Result<bool, StoreError> {
        let key = format!("{}:{channel}", workspace.app.id);
        loop {
            if let Some(owner) = self.store.document(&self.home, OWNERS, &key).await? {
                return Ok(owner.body == workspace.tenant);
            }
            let mine = Document::new(&key, 0, workspace.tenant.clone());
            if self.store.write_documents(&self.home, vec![(OWNERS.into(), mine)], None).await? {
                return Ok(true);
            }
        }
    }
}

/// Reads installations. One that was removed is an empty document.
fn read(documents: Vec<Document>) -> impl Iterator<Item = (String, Stored)> {
    documents.into_iter().filter_map(|one| Some((one.key, serde_json::from_str(&one.body).ok()?)))
}

/// Returns the tenants of the workspaces that installed the app by themselves.
///
/// # Errors
/// The store did not answer.
pub(crate) async fn tenants(store: &dyn Store, home: &str) -> Result<Vec<String>, StoreError> {
    let documents = store.documents(home, COLLECTION, None, MOST).await?;
    Ok(documents.into_iter().filter(|one| !one.body.is_empty()).map(|one| one.key).collect())
}
