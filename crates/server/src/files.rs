//! Files that people send into conversations: kept beside the lanes, read by nobody but people
//! (`docs/design/0094-files-as-evidence.md`).
//!
//! A file belongs to one lane and one person. Its id names both of its documents, what is known of it and its content, and
//! begins with the lane, so that one reading finds it. The same file sent twice is one file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::event::EventKind;
use throughline_engine::{LaneKey, Timestamp};
use throughline_store::{Document, DocumentSubjects, StoreError};

use crate::access::{self, Access, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;

/// Largest file, in bytes.
pub(crate) const MOST_BYTES: usize = 5 * 1024 * 1024;
/// Most bytes of all files of a conversation.
const MOST_IN_LANE: u64 = 100 * 1024 * 1024;
/// Longest name, in characters.
const NAME: usize = 120;
/// Collection of the contents.
const CONTENTS: &str = "files.content";
/// Documents read at a time.
const PAGE: u32 = 200;
/// Attempts to write a file that others write too.
const ATTEMPTS: usize = 5;
/// Media types that a browser shows in its place: pictures without scripts. Everything else is saved.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// File of a conversation, without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    pub(crate) lane: LaneKey,
    /// Person who sent it.
    pub(crate) by: String,
    pub(crate) name: String,
    pub(crate) mime: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
    pub(crate) at: Timestamp,
}

/// Id of a file: `file_` with the lane's id and a part of the hash of its content, its name and its person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    text: String,
    lane: String,
}

impl FileId {
    fn of(file: &KeptFile) -> Self {
        let lane = file.lane.id().0;
        let named = [&file.by, "\n", &file.name, "\n", &file.mime, "\n", &file.sha256].map(str::as_bytes);
        let hash = &hex(&sha256(&named))[..24];
        Self { text: format!("file_{}_{hash}", lane.trim_start_matches("ln_")), lane }
    }

    /// Reads an id; `None` for what is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (lane, hash) = text.strip_prefix("file_")?.rsplit_once('_')?;
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_word(lane) && is_word(hash) && text.len() <= 200)
            .then(|| Self { text: text.into(), lane: format!("ln_{lane}") })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the collection of what is known of the lane's files.
    fn collection(&self) -> String {
        format!("files.{}", self.lane)
    }

    /// Returns the path at which people open it.
    pub(crate) fn path(&self) -> String {
        format!("/files/{}", self.text)
    }
}

impl KeptFile {
    /// Describes a file of a lane by its content.
    ///
    /// # Errors
    /// It is empty.
    pub(crate) fn new(
        (lane, by, at): (LaneKey, String, Timestamp),
        (name, mime): (&str, &str),
        content: &[u8],
    ) -> Result<Self, Problem> {
        if content.is_empty() {
            return Err(Problem::new(&codes::BAD_REQUEST, "the file is empty; send its bytes as the body"));
        }
        let mime = media_type(mime);
        let (name, hash) = (shown_name(name, &mime), hex(&sha256(&[content])));
        Ok(Self { lane, by, name, mime, bytes: content.len() as u64, sha256: hash, at })
    }

    pub(crate) fn id(&self) -> FileId {
        FileId::of(self)
    }

    fn attachment(&self, app: &App) -> Attachment {
        let id = self.id();
        Attachment {
            kind: Attachment::kind_of(&self.mime).into(),
            name: Some(self.name.clone()),
            mime: Some(self.mime.clone()),
            bytes: Some(self.bytes),
            url: Some(format!("{}{}", app.base(), id.path())),
            id: Some(id.text),
        }
    }
}

/// True if a browser shows a file of this media type in its place.
pub(crate) fn is_shown(mime: &str) -> bool {
    SHOWN.contains(&mime)
}

/// Returns the media type without its parameters, in lower case; that of any bytes for what is none.
fn media_type(given: &str) -> String {
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte))
    };
    let is_type = essence.split_once('/').is_some_and(|(kind, rest)| is_part(kind) && is_part(rest));
    if is_type && essence.len() <= 100 { essence } else { "application/octet-stream".into() }
}

/// Returns a file's name as one line without its folder; that of its kind for none.
fn shown_name(given: &str, mime: &str) -> String {
    let name = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let seen = |c: &char| !c.is_control() && !throughline_channels::api::is_invisible(*c);
    let name: String = name.chars().filter(seen).collect();
    // The end tells what it is.
    let surplus = name.chars().count().saturating_sub(NAME);
    let name: String = name.trim().chars().skip(surplus).collect();
    if name.is_empty() { Attachment::kind_of(mime).into() } else { name }
}

/// Keeps a file and returns it. Sent again, it is the one that is kept already.
///
/// # Errors
/// The conversation has no room for it, or the store did not answer.
pub(crate) async fn keep(app: &App, file: KeptFile, content: &[u8]) -> Result<KeptFile, Problem> {
    let (store, tenant, id) = (app.store(), file.lane.tenant.as_str(), file.id());
    let collection = id.collection();
    let before = store.document(tenant, &collection, id.as_str()).await?;
    if let Some(kept) = before.as_ref().and_then(read) {
        return Ok(kept);
    }
    let kept = total(app, tenant, &collection).await?;
    if kept + file.bytes > MOST_IN_LANE {
        let text = format!(
            "the files of a conversation have at most {MOST_IN_LANE} bytes together; this one has {kept} already: \
             begin another conversation, or remove a file"
        );
        return Err(Problem::new(&codes::TOO_LARGE, text));
    }
    let known = serde_json::to_string(&file).unwrap_or_default();
    write(app, &file, &id, (known, STANDARD.encode(content))).await?;
    Ok(file)
}

/// Removes the content of a file and what is known of it; its id leads to nothing then.
pub(crate) async fn remove(app: &App, file: &KeptFile) -> Result<(), Problem> {
    write(app, file, &file.id(), (String::new(), String::new())).await
}

/// Returns a file that the caller may read: like its lane, or as evidence of an approval that a rule lets them decide.
///
/// # Errors
/// There is none for them.
pub(crate) async fn find(app: &App, caller: &Caller, id: &str) -> Result<KeptFile, Problem> {
    caller.need(Act::ReadLane.scope())?;
    let nothing = || Problem::not_found("file");
    let id = FileId::parse(id).ok_or_else(nothing)?;
    let found = app.store().document(&caller.tenant, &id.collection(), id.as_str()).await?;
    let file = found.as_ref().and_then(read).ok_or_else(nothing)?;
    let access = access::access(app, caller, Act::ReadLane, &file.lane).await?;
    if access == Access::Hidden && is_evidence_for(app, caller, &file, &id).await? {
        return Ok(file);
    }
    access::answer(access, caller, Act::ReadLane, "file")?;
    Ok(file)
}

/// Returns the content of a file; `None` if it was removed meanwhile.
pub(crate) async fn content(app: &App, file: &KeptFile) -> Result<Option<Bytes>, StoreError> {
    let found = app.store().document(&file.lane.tenant, CONTENTS, file.id().as_str()).await?;
    let content = found.and_then(|found| STANDARD.decode(found.body).ok());
    Ok(content.filter(|content| !content.is_empty()).map(Bytes::from))
}

/// Completes the files that a message names by their ids.
///
/// # Errors
/// An id is not that of a file of this conversation.
pub(crate) async fn complete(app: &App, lane: &LaneKey, kind: &mut EventKind) -> Result<(), Problem> {
    let EventKind::MessagePosted(posted) = kind else { return Ok(()) };
    for file in &mut posted.files {
        let Some(named) = file.id.as_deref() else { continue };
        let id = FileId::parse(named).filter(|id| id.lane == lane.id().0);
        let kept = match &id {
            Some(id) => app.store().document(&lane.tenant, &id.collection(), id.as_str()).await?,
            None => None,
        };
        let Some(kept) = kept.as_ref().and_then(read) else {
            let text = format!("this conversation has no file {named:?}; send it to POST /v1/files first");
            return Err(Problem::new(&codes::NOT_FOUND, text));
        };
        *file = kept.attachment(app);
    }
    Ok(())
}

fn read(document: &Document) -> Option<KeptFile> {
    serde_json::from_str(&document.body).ok()
}

/// Returns the bytes of all files of a collection.
async fn total(app: &App, tenant: &str, collection: &str) -> Result<u64, StoreError> {
    let (mut bytes, mut after) = (0, None::<String>);
    loop {
        let page = app.store().documents(tenant, collection, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(bytes) };
        after = Some(last.key.clone());
        bytes += page.iter().filter_map(read).map(|file| file.bytes).sum::<u64>();
    }
}

/// Writes both documents of a file, whatever they were before.
async fn write(
    app: &App,
    file: &KeptFile,
    id: &FileId,
    (known, content): (String, String),
) -> Result<(), Problem> {
    let (store, tenant) = (app.store(), file.lane.tenant.as_str());
    for _ in 0..ATTEMPTS {
        let mut writes = Vec::new();
        for (collection, body) in [(id.collection(), &known), (CONTENTS.to_owned(), &content)] {
            let before = store.document(tenant, &collection, id.as_str()).await?;
            let version = before.map_or(0, |before| before.version);
            let about =
                DocumentSubjects { people: vec![file.by.clone()], lane: Some(file.lane.id()), words: false };
            writes.push((collection, Document { about, ..Document::new(id.as_str(), version, body) }));
        }
        if store.write_documents(tenant, writes, None).await? {
            return Ok(());
        }
    }
    Err(Problem::new(
        &codes::STORE_UNAVAILABLE,
        format!("{} is written by others all the time; try again", id.as_str()),
    ))
}

/// True if the file is evidence of something that waits for a decision, which a rule lets the caller take.
async fn is_evidence_for(
    app: &App,
    caller: &Caller,
    file: &KeptFile,
    id: &FileId,
) -> Result<bool, StoreError> {
    let waiting = app.store().awaited(&file.lane).await?;
    for row in waiting.iter().filter(|row| row.approval.payload.contains(id.as_str())) {
        if access::access_to_approval(app, caller, Act::ReadApproval, row).await? == Access::Allowed {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, mime: &str) -> KeptFile {
        let lane = LaneKey::new("acme", "app", "web", "ana:1", "");
        KeptFile::new((lane, "ana".into(), Timestamp(0)), (name, mime), b"content").unwrap()
    }

    #[test]
    fn a_name_is_one_line_without_a_folder() {
        let long = format!("{}.png", "x".repeat(300));
        let table = [
            ("screenshot.png", "screenshot.png"),
            ("../../etc/passwd", "passwd"),
            (r"C:\Users\ana\Plan B.pdf", "Plan B.pdf"),
            ("two\r\nlines.txt", "twolines.txt"),
            ("gnp\u{202e}.exe", "gnp.exe"),
            ("  ", "photo"),
            ("", "photo"),
            ("a/", "photo"),
            (&long, &long[long.len() - NAME..]),
        ];
        for (given, name) in table {
            assert_eq!(file(given, "image/png").name, name, "{given:?}");
        }
    }

    #[test]
    fn a_media_type_is_one_or_that_of_any_bytes() {
        let table = [
            ("image/PNG", "image/png"),
            ("text/plain; charset=utf-8", "text/plain"),
            ("", "application/octet-stream"),
            ("png", "application/octet-stream"),
            ("text/html\r\nX: y", "application/octet-stream"),
            ("a/b/c", "application/octet-stream"),
        ];
        for (given, mime) in table {
            assert_eq!(file("f", given).mime, mime, "{given:?}");
        }
        assert!(is_shown("image/png") && !is_shown("image/svg+xml") && !is_shown("text/html"));
    }

    #[test]
    fn an_id_leads_to_its_lane_and_is_that_of_one_file() {
        let one = file("a.png", "image/png");
        assert_eq!(FileId::parse(one.id().as_str()), Some(one.id()));
        assert_eq!(one.id().lane, one.lane.id().0);
        assert_eq!(one.id(), file("a.png", "image/png").id());
        assert_ne!(one.id(), file("b.png", "image/png").id());
        for bad in ["", "file_", "file_a", "file__", "file_a_", "file_../x_1", "file_a_b%00", "m_1_2"] {
            assert_eq!(FileId::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn an_empty_file_is_refused() {
        let lane = LaneKey::new("acme", "app", "web", "ana:1", "");
        let refused = KeptFile::new((lane, "ana".into(), Timestamp(0)), ("a", ""), b"").unwrap_err();
        assert!(refused.detail().contains("empty"));
    }
}
