//! Lists of web conversations: what each person's list says of theirs, stored beside the lanes.
//!
//! A conversation's id is its owner, a colon, and a name that sorts the newest first. The entry is stored as a
//! document when the first message arrives; the lane itself has no title. Reasons: `docs/design/0083-around-the-conversation.md`.

use serde::{Deserialize, Serialize};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Message;
use throughline_engine::data::pending::PendingKind;
use throughline_engine::{Event, EventKind, LaneKey, Timestamp};
use throughline_language::Words;
use throughline_language::intent::rules::{RuledIntent, rule};
use throughline_store::{Document, StoreError};

use crate::app::App;
use crate::auth::owner;
use crate::problem::Problem;
use crate::web_channel::CHANNEL;

/// Maximum length of a title, in characters.
pub(crate) const TITLE: usize = 60;
/// Shortest start of a title that a word is cut off from, in characters.
const SHORTEST: usize = 30;
/// Conversations of one person that are read for a list: the newest.
pub(crate) const READ: u32 = 500;
/// Attempts to change an entry that others change too.
const ATTEMPTS: usize = 5;

/// Entry of a conversation in a person's list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// Origin of the title, which decides whether a message may replace it.
    #[serde(skip_serializing_if = "is_default")]
    titled: Titled,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) pinned: bool,
    /// True if the person took it off their list.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) removed: bool,
    /// Time of the newest message of a person, to the minute.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) said_at: Timestamp,
    /// The conversation as its owner saw it last.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) seen: Option<Seen>,
}

/// Origin of a title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Titled {
    /// A message that says what the conversation is about.
    #[default]
    Content,
    /// A greeting or a command: the next message that says more replaces it.
    Provisional,
    /// The person.
    Owner,
}

/// State of a conversation at a moment at which its owner looked at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Its revision: at this one nothing is new.
    pub(crate) revision: u64,
    /// Time of its newest message.
    pub(crate) at: Timestamp,
    /// True if a question or a card that is no approval waited for the owner.
    pub(crate) asks: bool,
}

/// Conversation of a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) entry: Entry,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn collection(owner: &str) -> String {
    format!("web.conversations.{owner}")
}

/// Splits an id into its owner and the key of its document.
fn parts(id: &str) -> Option<(&str, &str)> {
    let owner = owner(id)?;
    Some((owner, &id[owner.len() + 1..]))
}

/// Returns the time in the name of a conversation, for entries that state none.
fn begun(key: &str) -> Timestamp {
    let newest_first = key.get(..11).and_then(|digits| i64::from_str_radix(digits, 16).ok());
    Timestamp(newest_first.map_or(0, |newest_first| (1 << 44) - newest_first))
}

impl Seen {
    /// Returns the state of a lane, as one person sees it.
    pub(crate) fn of(lane: &Lane, me: &str) -> Self {
        let at = messages(lane).map(|message| message.at).max().unwrap_or_default();
        Self { revision: lane.revision, at, asks: asks(lane, me) }
    }
}

fn messages(lane: &Lane) -> impl Iterator<Item = &Message> {
    lane.head.window.iter().filter_map(|id| lane.records.get::<Message>(&id))
}

/// Returns true if a question or a card of the lane waits for this person, or for anybody. Approvals are not meant: who
/// may give one is a matter of rules.
fn asks(lane: &Lane, me: &str) -> bool {
    let approval = |kind: &PendingKind| matches!(kind, PendingKind::WaitingApproval { .. });
    lane.head.pendings.iter().any(|pending| !approval(&pending.kind) && pending.is_asked_of(me))
}

/// Returns the number of loaded messages of others that are newer than what a person saw.
pub(crate) fn unread(lane: &Lane, me: &str, seen: Option<Seen>) -> usize {
    let seen = seen.unwrap_or_default().at;
    let told = |message: &&Message| {
        message.at > seen && message.by != me && message.to.as_deref().is_none_or(|to| to == me)
    };
    messages(lane).filter(told).count()
}

/// Returns a person's conversations, those with the newest messages first.
pub(crate) async fn list(app: &App, tenant: &str, user: &str) -> Result<Vec<Listed>, StoreError> {
    let documents = app.store().documents(tenant, &collection(user), None, READ).await?;
    let mut listed: Vec<Listed> = documents.iter().filter_map(|document| read(user, document)).collect();
    listed.sort_by_key(|listed| std::cmp::Reverse(listed.entry.said_at));
    Ok(listed)
}

/// Returns a page of a person's conversations, those that began last first, and the key of the next page.
pub(crate) async fn page(
    app: &App,
    tenant: &str,
    user: &str,
    after: Option<&str>,
    limit: u32,
) -> Result<(Vec<Listed>, Option<String>), StoreError> {
    let documents = app.store().documents(tenant, &collection(user), after, limit).await?;
    let full = documents.len() == limit as usize;
    let next = documents.last().filter(|_| full).map(|last| last.key.clone());
    Ok((documents.iter().filter_map(|document| read(user, document)).collect(), next))
}

/// Reads an entry; `None` if it was removed.
fn read(user: &str, document: &Document) -> Option<Listed> {
    let mut entry: Entry = serde_json::from_str(&document.body).ok()?;
    if entry.said_at == Timestamp::default() {
        entry.said_at = begun(&document.key);
    }
    (!entry.removed).then(|| Listed { id: format!("{user}:{}", document.key), entry })
}

/// Returns the entry of a conversation, also of a removed one.
pub(crate) async fn entry(app: &App, tenant: &str, id: &str) -> Result<Option<Entry>, StoreError> {
    let Some((owner, key)) = parts(id) else { return Ok(None) };
    let found = app.store().document(tenant, &collection(owner), key).await?;
    Ok(found.and_then(|document| serde_json::from_str(&document.body).ok()))
}

/// Changes the entry of a conversation. Returns false if there is none.
pub(crate) async fn change(
    app: &App,
    lane: &LaneKey,
    change: impl Fn(&mut Entry),
) -> Result<bool, StoreError> {
    let Some((owner, key)) = parts(&lane.conversation) else { return Ok(false) };
    for _ in 0..ATTEMPTS {
        let Some(found) = app.store().document(&lane.tenant, &collection(owner), key).await? else {
            return Ok(false);
        };
        let Ok(before) = serde_json::from_str::<Entry>(&found.body) else { return Ok(false) };
        let mut after = before.clone();
        change(&mut after);
        if after == before || write(app, lane, owner, key, found.version, &after).await? {
            return Ok(true);
        }
    }
    Ok(true)
}

async fn write(
    app: &App,
    lane: &LaneKey,
    owner: &str,
    key: &str,
    version: u64,
    entry: &Entry,
) -> Result<bool, StoreError> {
    let body = serde_json::to_string(entry).unwrap_or_default();
    let mut document = Document::new(key, version, body).about([owner]);
    document.about.lane = Some(lane.id());
    app.store().write_documents(&lane.tenant, vec![(collection(owner), document)], None).await
}

/// Records a title that a person gives. An empty one has no effect.
pub(crate) async fn rename(app: &App, lane: &LaneKey, text: &str) -> Result<bool, Problem> {
    let title = title(text);
    let rename = |entry: &mut Entry| {
        if !title.is_empty() {
            entry.title.clone_from(&title);
            entry.titled = Titled::Owner;
        }
    };
    Ok(change(app, lane, rename).await?)
}

/// Records that the owner saw a conversation as it is.
pub(crate) async fn record_seen(app: &App, lane: &Lane) -> Result<(), StoreError> {
    let Some(owner) = owner(&lane.key.conversation) else { return Ok(()) };
    let seen = Seen::of(lane, owner);
    let newer = |entry: &mut Entry| {
        if entry.seen.is_none_or(|before| before.revision < seen.revision) {
            entry.seen = Some(seen);
        }
    };
    change(app, &lane.key, newer).await.map(drop)
}

/// Records a message on its owner's list. A failure is only logged: the message is still accepted.
pub(crate) async fn record_message(app: &App, lane: &LaneKey, event: &Event) {
    let EventKind::MessagePosted(posted) = &event.kind else { return };
    let Some((owner, key)) = parts(&lane.conversation).filter(|_| lane.channel == CHANNEL) else { return };
    if let Err(error) = note(app, lane, (owner, key), &posted.text).await {
        tracing::warn!(%error, "a conversation was not put on its owner's list");
    }
}

async fn note(app: &App, lane: &LaneKey, (owner, key): (&str, &str), text: &str) -> Result<(), StoreError> {
    let found = app.store().document(&lane.tenant, &collection(owner), key).await?;
    let before = found.as_ref().and_then(|found| serde_json::from_str::<Entry>(&found.body).ok());
    let mut after = before.clone().unwrap_or_default();
    let now = app.store().now();
    // To the minute, so that a busy conversation does not write with every message.
    after.said_at = Timestamp(now.0 - now.0.rem_euclid(Timestamp::MINUTE));
    after.removed = false;
    if before.is_none() || after.titled == Titled::Provisional {
        let about = says_what_it_is_about(app, text);
        if before.is_none() || about {
            after.title = title(text);
            after.titled = if about { Titled::Content } else { Titled::Provisional };
        }
    }
    if before.as_ref() == Some(&after) {
        return Ok(());
    }
    // If another message is recorded concurrently, it says as much.
    let version = found.map_or(0, |found| found.version);
    write(app, lane, owner, key, version, &after).await.map(drop)
}

/// Returns true unless a message only greets, gives a command, or asks about the assistant.
fn says_what_it_is_about(app: &App, text: &str) -> bool {
    let start: String = text.chars().take(400).collect();
    let meta = rule(&Words::of(&start)).is_some_and(|ruling| ruling.intent == RuledIntent::Meta);
    !meta && app.runtime().policy().command.rest(text).is_none() && !title(text).is_empty()
}

/// Shortens a text to a title of one line: its first line with a letter or digit, without the marks of lists and
/// headings before it and the full stop behind it, cut between words.
pub(crate) fn title(text: &str) -> String {
    let mut lines = text.lines().map(|line| {
        let line = line.replace(['*', '`'], "");
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#>-•_~".contains(c));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let line = lines.find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    let line = line.trim_end_matches(['.', ':', ',', ';', ' ']);
    if line.chars().count() <= TITLE {
        return line.to_owned();
    }
    // One more than is shown: a word that ends just there is whole.
    let shown: String = line.chars().take(TITLE + 1).collect();
    let word = shown.rfind(' ').filter(|at| shown[..*at].chars().count() >= SHORTEST);
    let end = word.or_else(|| shown.char_indices().next_back().map(|(at, _)| at)).unwrap_or_default();
    format!("{}…", shown[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        for (text, expected) in [
            ("  Log-in   fails\t", "Log-in fails"),
            ("Create a bug: the page is empty.\nSteps: open it", "Create a bug: the page is empty"),
            ("\n\n## **Plan** for May\n- one", "Plan for May"),
            ("> quoted\n", "quoted"),
            ("…!\nthe second line", "the second line"),
            ("👍", ""),
            ("", ""),
        ] {
            assert_eq!(title(text), expected);
        }
        assert_eq!(title(&"ä".repeat(60)), "ä".repeat(60));
        assert_eq!(title(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
        let long = "The export of the monthly reports for the finance department saves nothing at all";
        assert_eq!(title(long), "The export of the monthly reports for the finance department…");
    }

    #[test]
    fn an_entry_of_an_earlier_version_has_the_time_of_its_name() {
        let entry: Entry = serde_json::from_str("{\"title\":\"t\"}").unwrap();
        assert_eq!(entry, Entry { title: "t".into(), ..Entry::default() });
        let now = 1_800_000_000_000_i64;
        let key = format!("{:011x}abc", (1_i64 << 44) - now);
        assert_eq!(begun(&key), Timestamp(now));
        assert_eq!(begun("short"), Timestamp(0));
    }
}
