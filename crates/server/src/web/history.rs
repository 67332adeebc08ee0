//! History of a conversation: its events folded into a list of items. The page's script folds events in the same way,
//! so that a reload shows what the script had built.

use serde::Serialize;
use throughline_engine::Timestamp;
use throughline_engine::data::lane::Lane;

use super::card_view::CardView;
use crate::app::App;
use crate::files;
use crate::markup;
use crate::problem::Problem;
use crate::routes::feed::{FeedEvent, events_of};
use crate::routes::seen_by::seen_by;
use crate::wire;

/// Maximum messages on a page.
const SHOWN: usize = 50;
/// Turns read at a time.
const BATCH: u32 = 64;

/// End of a conversation, or of the part before a turn.
pub(crate) struct History {
    pub(crate) items: Vec<Item>,
    /// Newest revision in it, after which a stream continues.
    pub(crate) revision: u64,
    /// Revision below which the earlier part begins.
    pub(crate) earlier: Option<u64>,
}

/// Message, or notice to the visitor alone.
#[derive(Debug, Serialize)]
pub(crate) struct Item {
    id: String,
    /// Sender's own name for it.
    key: Option<String>,
    /// Id of its turn.
    turn: String,
    revision: u64,
    /// Time, for machines and, in UTC, for people.
    at: String,
    clock: String,
    day: String,
    /// True for the first item of a day on the page.
    begins_day: bool,
    /// Side: `mine`, `theirs`, `ours`, or `notice` for the visitor alone.
    side: &'static str,
    /// Name of the author; of a notice, the recipient's.
    who: String,
    text: String,
    /// Text as HTML, if it has Markdown.
    markup: Option<String>,
    gone: bool,
    card: Option<CardView>,
    files: Vec<FileView>,
    /// True if the text is only the names of the files.
    names_files: bool,
}

/// File of a message.
#[derive(Debug, Serialize)]
struct FileView {
    /// Address, if its content is kept here.
    href: Option<String>,
    name: String,
    size: String,
    /// True if the browser shows it in its place.
    picture: bool,
}

/// Person through whose eyes a history is shown.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'r> {
    /// User id: their messages are `mine`.
    pub(crate) me: &'r str,
    /// True to show the notices to others too, which only a preview does.
    pub(crate) reads_all_notices: bool,
}

impl Item {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Shows another card in the place of its own.
    pub(crate) fn show(&mut self, card: wire::Card) {
        self.card = Some(card.into());
    }

    /// Returns its text in one line; for a card, its question.
    pub(crate) fn words(&self) -> &str {
        self.card.as_ref().map_or(&self.text, |shown| shown.question())
    }
}

/// Reads the newest messages of a lane below revision `before`, as `me` sees them.
pub(crate) async fn read(app: &App, lane: &Lane, before: u64, me: &str) -> Result<History, Problem> {
    let mut turns = Vec::new();
    let (mut below, mut messages) = (before, 0);
    while messages < SHOWN {
        let batch = app.store().turns_before(&lane.key, below, BATCH).await?;
        let Some(last) = batch.last() else { break };
        below = last.revision;
        for stored in batch {
            let mut events = events_of(app, lane, &stored).await?;
            seen_by(app, me, &lane.key, &mut events).await?;
            messages += events.iter().filter(|event| shows(event)).count();
            turns.push((stored.revision, events));
        }
    }
    let revision = turns.first().map_or(0, |(revision, _)| *revision);
    let mut items = fold(turns.into_iter().rev(), Reader { me, reads_all_notices: false });
    let surplus = surplus(&items);
    let earlier = items.get(surplus).map(|first| first.revision).filter(|_| surplus > 0 || below > 1);
    items.drain(..surplus);
    let mut day = String::new();
    for item in &mut items {
        item.begins_day = std::mem::replace(&mut day, item.day.clone()) != item.day;
    }
    Ok(History { items, revision, earlier: earlier.filter(|revision| *revision > 1) })
}

fn shows(event: &FeedEvent) -> bool {
    matches!(event, FeedEvent::Message(_) | FeedEvent::Gone { .. } | FeedEvent::Card { posted: true, .. })
}

/// Returns the number of items to drop, so that a page begins with a whole turn.
fn surplus(items: &[Item]) -> usize {
    let messages = items.iter().enumerate().filter(|(_, item)| item.side != "notice");
    let Some((first, _)) = messages.rev().nth(SHOWN - 1) else { return 0 };
    let revision = items[first].revision;
    items.iter().position(|item| item.revision == revision).unwrap_or(first)
}

/// Folds turns, oldest first, into a list.
pub(crate) fn fold(turns: impl Iterator<Item = (u64, Vec<FeedEvent>)>, reader: Reader<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (revision, events) in turns {
        let (mut turn, mut at) = (String::new(), String::new());
        for event in events {
            let item = |id: String, at: &str, side, text: String| Item {
                id,
                key: None,
                turn: turn.clone(),
                revision,
                at: at.into(),
                clock: clock(at),
                day: day(at),
                begins_day: false,
                side,
                who: String::new(),
                text,
                markup: None,
                gone: false,
                card: None,
                files: Vec::new(),
                names_files: false,
            };
            match event {
                FeedEvent::Turn(info) => (turn, at) = (info.turn, info.at),
                FeedEvent::Message(message) => items.push(said(*message, reader.me, item)),
                FeedEvent::Gone { id, .. } => {
                    items.push(Item { gone: true, ..item(id.0, &at, "ours", String::new()) });
                }
                FeedEvent::Card { message, card, posted: true, .. } => {
                    items.push(Item {
                        card: Some(card.into()),
                        ..item(message.0, &at, "ours", String::new())
                    });
                }
                FeedEvent::Card { message, card, posted: false, .. } => {
                    if let Some(item) = items.iter_mut().find(|item| item.id == message.0) {
                        item.card = Some(card.into());
                    }
                }
                FeedEvent::Effect(effect) => {
                    let told = notice(&effect).filter(|(to, _)| reader.reads_all_notices || *to == reader.me);
                    items.extend(told.map(|(to, text)| Item {
                        who: to.to_owned(),
                        ..item(effect.id.clone(), &at, "notice", text.to_owned())
                    }));
                }
                FeedEvent::Pending { .. }
                | FeedEvent::Approval(_)
                | FeedEvent::Status { .. }
                | FeedEvent::Writing(_)
                | FeedEvent::Reset { .. } => {}
            }
        }
    }
    items
}

fn said(message: wire::Message, me: &str, item: impl Fn(String, &str, &'static str, String) -> Item) -> Item {
    let wire::Message { id, message_id: key, role, by, text, markup, at, card, files, .. } = message;
    let by = by.unwrap_or_default();
    let side = match role.as_str() {
        "user" if by == me => "mine",
        "user" => "theirs",
        _ => "ours",
    };
    let markup = markup.as_deref().map(markup::html);
    let names_files = names_files(&text, &files);
    let files = files.into_iter().map(FileView::from).collect();
    let card = card.map(CardView::from);
    Item { key, who: by, markup, card, files, names_files, ..item(id, &at, side, text) }
}

fn names_files(text: &str, files: &[wire::MessageFile]) -> bool {
    let name = |file: &wire::MessageFile| match &file.name {
        Some(name) => format!("{} {name}", file.kind),
        None => file.kind.clone(),
    };
    let names: Vec<String> = files.iter().map(name).collect();
    !names.is_empty() && text == format!("({})", names.join(", "))
}

impl From<wire::MessageFile> for FileView {
    fn from(file: wire::MessageFile) -> Self {
        let mime = file.mime.unwrap_or_default();
        Self {
            picture: file.id.is_some() && files::is_shown(&mime),
            href: file.id.map(|id| format!("/files/{id}")),
            name: file.name.unwrap_or(file.kind),
            size: file.bytes.map(size).unwrap_or_default(),
        }
    }
}

/// Formats a size: `12 kB`, `1.4 MB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", (bytes + 500) / 1_000),
        _ => {
            let tenths = (bytes + 50_000) / 100_000;
            format!("{}.{} MB", tenths / 10, tenths % 10)
        }
    }
}

/// Returns recipient and text of a notice.
fn notice(effect: &wire::Effect) -> Option<(&str, &str)> {
    let of = |member: &str| effect.body.get(member).and_then(|value| value.as_str());
    of("to").zip(of("text")).filter(|_| effect.class == "notice")
}

/// Formats the time as `10:02` in UTC; the script converts it to local time.
fn clock(at: &str) -> String {
    Timestamp::parse(at).map(Timestamp::clock).unwrap_or_default()
}

/// Formats the day as `2026-11-21` in UTC; the script converts it to local time.
fn day(at: &str) -> String {
    at.split('T').next().unwrap_or_default().into()
}
