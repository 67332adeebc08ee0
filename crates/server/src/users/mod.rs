//! Records of people beside the configuration, so that they come and go without a restart: whom an administrator added or
//! suspended, and whose account at the provider of sign-ins is whose. One document for each person; every process of an
//! installation reads them at its start and again when another one wrote.

use serde_json::json;
use throughline_engine::data::canonical_json::jcs;
use throughline_store::{Document, News, Store, StoreError};

use crate::config::mail::wrong_address;
use crate::config::{AddedUser, KeptUser, UserEntry, Users};
use crate::openid::Account;

/// Collection of what is kept.
const COLLECTION: &str = "users";
/// Documents read at a time.
const BATCH: u32 = 1_000;
/// Most roles of a person, and bytes of a name or a role.
const MOST_ROLES: usize = 50;
const LONGEST: usize = 128;
/// Most bytes of a mail address.
const LONGEST_ADDRESS: usize = 254;

/// Change of a person by an administrator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserChange {
    pub(crate) name: Option<String>,
    pub(crate) roles: Option<Vec<String>>,
    pub(crate) suspended: Option<bool>,
    /// Mail address; empty for none.
    pub(crate) email: Option<String>,
}

impl UserChange {
    /// Returns the first member of those that only the configuration changes of somebody whom it names.
    fn of_added(&self) -> Option<&'static str> {
        let name = self.name.as_ref().map(|_| "name");
        name.or(self.roles.as_ref().map(|_| "roles")).or(self.email.as_ref().map(|_| "email"))
    }
}

/// Reason that a person was not changed.
#[derive(Debug)]
pub(crate) enum NotChanged {
    /// The change is none that can be made: member, and why.
    Invalid(&'static str, String),
    /// An administrator wants to remove themselves.
    Themselves,
    /// There is no such person.
    Nobody,
    Store(StoreError),
}

impl From<StoreError> for NotChanged {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Reads what is kept of the people of a tenant.
pub(crate) async fn load(users: &Users, store: &dyn Store, tenant: &str) -> Result<(), StoreError> {
    let mut after: Option<String> = None;
    loop {
        let read = store.documents(tenant, COLLECTION, after.as_deref(), BATCH).await?;
        after = read.last().map(|document| document.key.clone());
        for document in read {
            users.keep(tenant, &document.key, kept(&document));
        }
        if after.is_none() {
            return Ok(());
        }
    }
}

fn kept(document: &Document) -> KeptUser {
    serde_json::from_str(&document.body).unwrap_or_default()
}

/// Adds a person, or changes one.
///
/// # Errors
/// The change cannot be made, or the store did not answer.
pub(crate) async fn change(
    users: &Users,
    store: &dyn Store,
    (tenant, id): (&str, &str),
    change: &UserChange,
    by: &str,
) -> Result<UserEntry, NotChanged> {
    let configured = users.entry(tenant, id).is_some_and(|entry| entry.configured);
    checked(id, change, configured, by)?;
    let changed = |mut kept: KeptUser| {
        if change.of_added().is_some() || (!configured && kept == KeptUser::default()) {
            let added = kept.added.get_or_insert_with(AddedUser::default);
            if let Some(name) = &change.name {
                added.name = name.trim().into();
            }
            if let Some(roles) = &change.roles {
                added.roles.clone_from(roles);
                added.roles.sort();
                added.roles.dedup();
            }
            if let Some(email) = &change.email {
                added.email = Some(email.trim().to_owned()).filter(|email| !email.is_empty());
            }
        }
        kept.suspended = change.suspended.unwrap_or(kept.suspended);
        Ok(kept)
    };
    write(users, store, (tenant, id), "user.changed", by, changed).await?;
    users.entry(tenant, id).ok_or(NotChanged::Nobody)
}

fn checked(id: &str, change: &UserChange, configured: bool, by: &str) -> Result<(), NotChanged> {
    let invalid = |member, why: &str| Err(NotChanged::Invalid(member, why.into()));
    let is_word = |word: &str| {
        !word.is_empty()
            && word.len() <= LONGEST
            && !word.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    if !is_word(id) {
        return invalid("id", "an id is one word of at most 128 bytes");
    }
    if let Some(member) = change.of_added().filter(|_| configured) {
        return invalid(
            member,
            "the configuration says who this is; only whether they are suspended changes here",
        );
    }
    if change.name.as_ref().is_some_and(|name| name.len() > LONGEST || name.contains(char::is_control)) {
        return invalid("name", "a name is one line of at most 128 bytes");
    }
    let roles = change.roles.as_deref().unwrap_or_default();
    if roles.len() > MOST_ROLES || !roles.iter().all(|role| is_word(role)) {
        return invalid("roles", "roles are at most 50 words");
    }
    let email = change.email.as_deref().map_or("", str::trim);
    if email.len() > LONGEST_ADDRESS {
        return invalid("email", "an address is at most 254 bytes");
    }
    if let Some(why) = Some(email).filter(|email| !email.is_empty()).and_then(wrong_address) {
        return invalid("email", &format!("this is no address: {why}"));
    }
    if change.suspended == Some(true) && id == by {
        return invalid("suspended", "nobody suspends themselves; another administrator can");
    }
    Ok(())
}

/// Removes what is kept of a person: whoever the configuration does not name is gone, with their sessions. Their account at the
/// provider is nobody's again, and so is the id.
///
/// # Errors
/// Nothing is kept of them, it is the administrator themselves, or the store did not answer.
pub(crate) async fn remove(
    users: &Users,
    store: &dyn Store,
    (tenant, id): (&str, &str),
    by: &str,
) -> Result<(), NotChanged> {
    if id == by {
        return Err(NotChanged::Themselves);
    }
    let gone = |kept: KeptUser| match kept == KeptUser::default() {
        true => Err(NotChanged::Nobody),
        false => Ok(KeptUser::default()),
    };
    write(users, store, (tenant, id), "user.removed", by, gone).await
}

/// Keeps who signed in. Of an id, the first account counts, until an administrator removes it.
///
/// # Errors
/// It is the id of another account, of somebody suspended, or of somebody without a role.
pub(crate) async fn signed_in(
    users: &Users,
    store: &dyn Store,
    tenant: &str,
    account: &Account,
) -> Result<(), NotChanged> {
    let Account { id, identity } = account;
    let refused = |why: String| Err(NotChanged::Invalid("id", why));
    let user = users.get(tenant, id);
    let has_role = !identity.roles.is_empty() || user.as_ref().is_some_and(|user| !user.roles.is_empty());
    let known = |mut kept: KeptUser| {
        if kept.suspended || user.as_ref().is_some_and(|user| user.is_out()) {
            return refused(format!("the person {id} is suspended"));
        }
        if !has_role {
            return refused(format!("the person {id} has no role here, and the provider's claims give none"));
        }
        let other = |held: &crate::config::Identity| {
            (&held.issuer, &held.subject) != (&identity.issuer, &identity.subject)
        };
        if kept.identity.as_ref().is_some_and(other) {
            return refused(format!(
                "the id {id} is another account's; an administrator can release it at /console/people"
            ));
        }
        kept.identity = Some(identity.clone());
        Ok(kept)
    };
    write(users, store, (tenant, id), "user.signed_in", id, known).await
}

/// Writes what is kept of a person, again if somebody else wrote meanwhile, and tells the other processes.
async fn write(
    users: &Users,
    store: &dyn Store,
    (tenant, id): (&str, &str),
    what: &str,
    by: &str,
    change: impl Fn(KeptUser) -> Result<KeptUser, NotChanged>,
) -> Result<(), NotChanged> {
    loop {
        let found = store.document(tenant, COLLECTION, id).await?;
        let before = found.as_ref().map(kept).unwrap_or_default();
        let after = change(before.clone())?;
        if after == before {
            users.keep(tenant, id, after);
            return Ok(());
        }
        let body = match after == KeptUser::default() {
            true => String::new(),
            false => serde_json::to_string(&after).unwrap_or_default(),
        };
        let version = found.map_or(0, |found| found.version);
        let document = Document::new(id, version, body).about([id]);
        let audit = jcs(&json!({"what": what, "target": id, "by": by, "at": store.now()}));
        if store.write_documents(tenant, vec![(COLLECTION.into(), document)], Some(&audit)).await? {
            users.keep(tenant, id, after);
            store.announce(News::Changed);
            return Ok(());
        }
    }
}
