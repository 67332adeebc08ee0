//! What is kept about Telegram's chats and people, as documents of the store: under which number a chat goes on, where
//! we may not write, what people are called, whose account is whose.

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

use crate::Config;

/// A chat, under its conversation: its first number.
const CHATS: &str = "telegram.chats";
/// The conversation of a number that a chat got later.
const ALIASES: &str = "telegram.aliases";
const PEOPLE: &str = "telegram.people";
/// Whose account a person is.
const ACCOUNTS: &str = "telegram.accounts";
/// The number that last joined an account: whom to name when the account is spoken to.
const NUMBERS: &str = "telegram.numbers";
/// Offers to join, by the hash of their token.
const LINKS: &str = "telegram.links";
/// Names kept in memory, so that writing what is known already costs nothing.
const NAMES: usize = 10_000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StoredChat {
    /// The number it has now, when that is not its conversation.
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

/// What became of an offer to join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// This account is theirs now.
    To(String),
    /// Unknown, used by somebody else, or over.
    No,
}

pub(crate) struct Book {
    store: Arc<dyn Store>,
    bot: i64,
    /// Numbers that the configuration gives to accounts.
    configured: HashMap<String, String>,
    names: Mutex<HashMap<String, StoredPerson>>,
}

impl Book {
    pub(crate) fn new(config: &Config, store: Arc<dyn Store>, bot: i64) -> Self {
        let users = config.users.iter().filter(|user| config.user(&config.tenant, &user.id) == Some(*user));
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

    /// Changes a document, whoever else writes it meanwhile. `None` from `change`: nothing to write.
    async fn change<T: Default + Serialize + DeserializeOwned>(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
        change: impl Fn(T) -> Option<T>,
    ) -> Result<(), StoreError> {
        loop {
            let (found, version) = self.read(tenant, collection, key).await?.unwrap_or_default();
            let Some(changed) = change(found) else { return Ok(()) };
            let body = serde_json::to_string(&changed).unwrap_or_default();
            let document = Document { key: key.into(), version, body };
            if self.store.write_documents(tenant, vec![(collection.into(), document)], None).await? {
                return Ok(());
            }
        }
    }

    /// The conversation that a chat's number belongs to.
    pub(super) async fn conversation(&self, tenant: &str, chat: i64) -> Result<String, StoreError> {
        let alias = self.read::<String>(tenant, ALIASES, &self.key(&chat.to_string())).await?;
        Ok(alias.map_or_else(|| chat.to_string(), |(conversation, _)| conversation))
    }

    /// A chat goes on under another number: its lanes keep their names, the number is an alias of theirs.
    pub(super) async fn migrate(&self, tenant: &str, from: i64, to: i64) -> Result<(), StoreError> {
        let conversation = self.conversation(tenant, from).await?;
        let alias = |_: String| Some(conversation.clone());
        self.change(tenant, ALIASES, &self.key(&to.to_string()), alias).await?;
        let chat = |chat: StoredChat| Some(StoredChat { now: Some(to), ..chat });
        self.change(tenant, CHATS, &self.key(&conversation), chat).await
    }

    /// We may write in a conversation, or not any more and why.
    pub(super) async fn silence(
        &self,
        tenant: &str,
        conversation: &str,
        why: Option<String>,
    ) -> Result<(), StoreError> {
        let chat =
            |chat: StoredChat| (chat.silent != why).then(|| StoredChat { silent: why.clone(), ..chat });
        self.change(tenant, CHATS, &self.key(conversation), chat).await
    }

    /// Keeps what a person is called.
    pub(super) async fn note(&self, tenant: &str, user: &User) -> Result<(), StoreError> {
        let (id, person) = (user.id.to_string(), StoredPerson { name: user.name(), bot: user.is_bot });
        if self.remembered(&id).as_ref() == Some(&person) {
            return Ok(());
        }
        let note = |known: StoredPerson| (known != person).then(|| person.clone());
        self.change(tenant, PEOPLE, &id, note).await?;
        self.remember(id, person);
        Ok(())
    }

    fn remembered(&self, id: &str) -> Option<StoredPerson> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// What a person is called is not kept in memory any more, nor whose number it is.
    pub(crate) fn forget(&self, _id: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn remember(&self, id: String, person: StoredPerson) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= NAMES {
            names.clear();
        }
        names.insert(id, person);
    }

    /// A person as they were last seen.
    pub(crate) async fn person(&self, tenant: &str, id: &str) -> Option<StoredPerson> {
        if let Some(person) = self.remembered(id) {
            return Some(person);
        }
        self.read(tenant, PEOPLE, id).await.ok().flatten().map(|(person, _)| person)
    }

    /// Who a person is: their account, by an invitation or the configuration; else their number. The same on every
    /// channel, so that nobody approves here what they asked for there.
    pub(super) async fn who(&self, tenant: &str, number: &str) -> Result<String, StoreError> {
        let joined = self.read::<String>(tenant, ACCOUNTS, number).await?.map(|(account, _)| account);
        let account = joined.or_else(|| self.configured.get(number).cloned());
        Ok(account.unwrap_or_else(|| number.to_owned()))
    }

    /// Offers whoever comes with the token to join an account, until then.
    pub(crate) async fn offer(
        &self,
        tenant: &str,
        token: &str,
        user: &str,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        let link = StoredLink { user: user.into(), until: until.0, used_by: None };
        self.change(tenant, LINKS, &Keys::hash(token), |_: StoredLink| Some(link.clone())).await
    }

    /// Joins a person to the account of an offer, once. The same person coming again finds it done.
    pub(super) async fn join(
        &self,
        tenant: &str,
        token: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<Joined, StoreError> {
        let hash = Keys::hash(token);
        let Some((link, version)) = self.read::<StoredLink>(tenant, LINKS, &hash).await? else {
            return Ok(Joined::No);
        };
        match &link.used_by {
            Some(by) if by == id => return Ok(Joined::To(link.user)),
            Some(_) => return Ok(Joined::No),
            None if now.0 > link.until => return Ok(Joined::No),
            None => {}
        }
        let used = StoredLink { used_by: Some(id.into()), ..link.clone() };
        let body = serde_json::to_string(&used).unwrap_or_default();
        let (_, theirs) = self.read::<String>(tenant, ACCOUNTS, id).await?.unwrap_or_default();
        let account =
            Document { key: id.into(), version: theirs, body: serde_json::json!(link.user).to_string() };
        let (_, before) = self.read::<String>(tenant, NUMBERS, &link.user).await?.unwrap_or_default();
        let body_of = |value: &str| serde_json::json!(value).to_string();
        let number = Document { key: link.user.clone(), version: before, body: body_of(id) };
        let link_used = Document { key: hash, version, body };
        let writes = vec![(LINKS.into(), link_used), (ACCOUNTS.into(), account), (NUMBERS.into(), number)];
        let first = self.store.write_documents(tenant, writes, None).await?;
        Ok(if first { Joined::To(link.user) } else { Joined::No })
    }
}

#[async_trait]
impl Chats for Book {
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
