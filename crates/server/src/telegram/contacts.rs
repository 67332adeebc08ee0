//! Contacts of the Telegram bot, stored as documents: current numbers of chats, chats closed to the bot, names of
//! people, and the accounts they joined.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throughline_channels::telegram::update::User;
use throughline_channels::telegram::{Chat, Chats};
use throughline_engine::{LaneKey, Timestamp};
use throughline_runtime::Keys;
use throughline_store::{Document, Store, StoreError};

use crate::config::{self, Config};

/// Chats, by conversation, which is the chat's first number.
const CHATS: &str = "telegram.chats";
/// Conversations, by the later numbers of a chat.
const ALIASES: &str = "telegram.aliases";
const PEOPLE: &str = "telegram.people";
/// Accounts, by a person's number.
const ACCOUNTS: &str = "telegram.accounts";
/// Number that joined an account last, by account; used to address the account's person.
const NUMBERS: &str = "telegram.numbers";
/// Invitations, by the hash of their token.
const LINKS: &str = "telegram.links";
/// Maximum of names cached in memory. The cache avoids a write for every known person.
const NAMES: usize = 10_000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StoredChat {
    /// Current number of the chat, if it is not its first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    now: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredPerson {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) bot: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StoredLink {
    user: String,
    until: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
}

/// Result of following an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JoinOutcome {
    /// The person has joined this account.
    Joined(String),
    /// The invitation is unknown, was used by somebody else, or has expired.
    Refused,
}

pub(crate) struct Contacts {
    store: Arc<dyn Store>,
    bot: i64,
    /// Accounts by number, from the configuration.
    configured: HashMap<String, String>,
    names: Mutex<HashMap<String, StoredPerson>>,
}

impl Contacts {
    pub(crate) fn new(config: &Config, store: Arc<dyn Store>, bot: i64) -> Self {
        let ours =
            |user: &&Arc<config::User>| user.tenant.as_ref().is_none_or(|tenant| *tenant == config.tenant);
        let users = config.users.configured().iter().filter(ours);
        let numbers = users.filter_map(|user| Some((user.telegram.clone()?, user.id.clone())));
        Self { store, bot, configured: numbers.collect(), names: Mutex::default() }
    }

    fn key(&self, of: &str) -> String {
        format!("{}:{of}", self.bot)
    }

    async fn read<T: DeserializeOwned>(
        &self,
        tenant: &str,
        in_: &str,
        key: &str,
    ) -> Result<Option<(T, u64)>, StoreError> {
        let found = self.store.document(tenant, in_, key).await?;
        Ok(found.and_then(|found| Some((serde_json::from_str(&found.body).ok()?, found.version))))
    }

    /// Changes a document, retrying on concurrent writes. If `change` returns `None`, nothing is written.
    async fn change<T: Default + Serialize + DeserializeOwned>(
        &self,
        tenant: &str,
        (collection, key): (&str, &str),
        people: &[&str],
        change: impl Fn(T) -> Option<T>,
    ) -> Result<(), StoreError> {
        loop {
            let (found, version) = self.read(tenant, collection, key).await?.unwrap_or_default();
            let Some(changed) = change(found) else { return Ok(()) };
            let body = serde_json::to_string(&changed).unwrap_or_default();
            let document = Document::new(key, version, body).about(people.iter().copied());
            if self.store.write_documents(tenant, vec![(collection.into(), document)], None).await? {
                return Ok(());
            }
        }
    }

    /// Returns the conversation of a chat's number.
    pub(super) async fn conversation(&self, tenant: &str, chat: i64) -> Result<String, StoreError> {
        let alias = self.read::<String>(tenant, ALIASES, &self.key(&chat.to_string())).await?;
        Ok(alias.map_or_else(|| chat.to_string(), |(conversation, _)| conversation))
    }

    /// Records a chat's new number. Its lanes keep their names; the number becomes an alias.
    pub(super) async fn migrate(&self, tenant: &str, from: i64, to: i64) -> Result<(), StoreError> {
        let conversation = self.conversation(tenant, from).await?;
        let alias = |_: String| Some(conversation.clone());
        self.change(tenant, (ALIASES, &self.key(&to.to_string())), &[], alias).await?;
        let chat = |chat: StoredChat| Some(StoredChat { now: Some(to), ..chat });
        self.change(tenant, (CHATS, &self.key(&conversation)), &[], chat).await
    }

    /// Records that a conversation is closed to the bot, with the reason, or that it is open again.
    pub(super) async fn silence(
        &self,
        tenant: &str,
        conversation: &str,
        why: Option<String>,
    ) -> Result<(), StoreError> {
        let chat =
            |chat: StoredChat| (chat.silent != why).then(|| StoredChat { silent: why.clone(), ..chat });
        self.change(tenant, (CHATS, &self.key(conversation)), &[], chat).await
    }

    /// Stores a person's name.
    pub(super) async fn remember_name(&self, tenant: &str, user: &User) -> Result<(), StoreError> {
        let (id, person) = (user.id.to_string(), StoredPerson { name: user.name(), bot: user.is_bot });
        if self.cached(&id).as_ref() == Some(&person) {
            return Ok(());
        }
        let note = |known: StoredPerson| (known != person).then(|| person.clone());
        self.change(tenant, (PEOPLE, &id), &[&id], note).await?;
        self.cache(id, person);
        Ok(())
    }

    fn cached(&self, id: &str) -> Option<StoredPerson> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Clears the cached names.
    pub(crate) fn forget(&self, _id: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn cache(&self, id: String, person: StoredPerson) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(id, person);
    }

    /// Returns a person as last seen.
    pub(crate) async fn person(&self, tenant: &str, id: &str) -> Option<StoredPerson> {
        if let Some(person) = self.cached(id) {
            return Some(person);
        }
        self.read(tenant, PEOPLE, id).await.ok().flatten().map(|(person, _)| person)
    }

    /// Returns the user a person acts as: the account they joined, or the one the configuration gives their number,
    /// else the number. A person is the same user on every channel, so that nobody approves here what they requested
    /// elsewhere.
    pub(super) async fn user_of(&self, tenant: &str, number: &str) -> Result<String, StoreError> {
        let joined = self.read::<String>(tenant, ACCOUNTS, number).await?.map(|(account, _)| account);
        let account = joined.or_else(|| self.configured.get(number).cloned());
        Ok(account.unwrap_or_else(|| number.to_owned()))
    }

    /// Stores an invitation to an account.
    pub(crate) async fn offer(
        &self,
        tenant: &str,
        token: &str,
        user: &str,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        let link = StoredLink { user: user.into(), until: until.0, used_by: None };
        self.change(tenant, (LINKS, &Keys::hash(token)), &[user], |_: StoredLink| Some(link.clone())).await
    }

    /// Joins a person to the account of an invitation, once. Repeating it for the same person succeeds.
    pub(super) async fn join(
        &self,
        tenant: &str,
        token: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<JoinOutcome, StoreError> {
        let hash = Keys::hash(token);
        let Some((link, version)) = self.read::<StoredLink>(tenant, LINKS, &hash).await? else {
            return Ok(JoinOutcome::Refused);
        };
        match &link.used_by {
            Some(by) if by == id => return Ok(JoinOutcome::Joined(link.user)),
            Some(_) => return Ok(JoinOutcome::Refused),
            None if now.0 > link.until => return Ok(JoinOutcome::Refused),
            None => {}
        }
        let used = StoredLink { used_by: Some(id.into()), ..link.clone() };
        let body = serde_json::to_string(&used).unwrap_or_default();
        let (_, theirs) = self.read::<String>(tenant, ACCOUNTS, id).await?.unwrap_or_default();
        let both = [id, link.user.as_str()];
        let body_of = |value: &str| serde_json::json!(value).to_string();
        let account = Document::new(id, theirs, body_of(&link.user)).about(both);
        let (_, before) = self.read::<String>(tenant, NUMBERS, &link.user).await?.unwrap_or_default();
        let number = Document::new(&link.user, before, body_of(id)).about(both);
        let link_used = Document::new(hash, version, body).about(both);
        let writes = vec![(LINKS.into(), link_used), (ACCOUNTS.into(), account), (NUMBERS.into(), number)];
        let first = self.store.write_documents(tenant, writes, None).await?;
        Ok(if first { JoinOutcome::Joined(link.user) } else { JoinOutcome::Refused })
    }
}

#[async_trait]
impl Chats for Contacts {
    async fn chat(&self, lane: &LaneKey) -> Result<Chat, String> {
        let found = self.read::<StoredChat>(&lane.tenant, CHATS, &self.key(&lane.conversation)).await;
        let (chat, _) = found.map_err(|error| error.to_string())?.unwrap_or_default();
        let id = chat.now.or_else(|| lane.conversation.parse().ok());
        Ok(Chat { id: id.ok_or("the conversation is no chat")?, silent: chat.silent })
    }

    async fn moved(&self, lane: &LaneKey, from: i64, to: i64) {
        if let Err(error) = self.migrate(&lane.tenant, from, to).await {
            tracing::warn!(%error, "a chat's new number was not kept; Telegram tells it again");
        }
    }

    async fn silenced(&self, lane: &LaneKey, why: &str) {
        if let Err(error) = self.silence(&lane.tenant, &lane.conversation, Some(why.into())).await {
            tracing::warn!(%error, "that a chat is closed to us was not kept; Telegram tells it again");
        }
    }

    async fn number(&self, lane: &LaneKey, person: &str) -> Option<i64> {
        if let Ok(number) = person.parse() {
            return Some(number);
        }
        let joined = self.read::<String>(&lane.tenant, NUMBERS, person).await.ok().flatten();
        let configured =
            || self.configured.iter().find(|(_, account)| *account == person).map(|(n, _)| n.clone());
        joined.map(|(number, _)| number).or_else(configured)?.parse().ok()
    }

    async fn name(&self, lane: &LaneKey, person: &str) -> Option<String> {
        self.person(&lane.tenant, person).await.map(|person| person.name)
    }
}
