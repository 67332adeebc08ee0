//! What a conversation's page shows: the lane's events, folded into a list. The script folds the same events in the
//! same way, so that what it has built is what a reload shows.

use serde::Serialize;
use throughline_engine::Timestamp;
use throughline_engine::lane::Lane;

use crate::app::App;
use crate::problem::Problem;
use crate::routes::feed::{Happening, events_of};
use crate::wire;

/// How many messages a page shows.
const SHOWN: usize = 50;
/// Turns read at once.
const BATCH: u32 = 64;

/// The end of a conversation, or of what lies before a turn.
pub(crate) struct History {
    pub(crate) items: Vec<Item>,
    /// The newest turn in it: where a stream goes on.
    pub(crate) revision: u64,
    /// What there is before it begins below this revision.
    pub(crate) earlier: Option<u64>,
}

/// One message, or something told to the visitor alone.
#[derive(Debug, Serialize)]
pub(crate) struct Item {
    id: String,
    /// The sender's own name for it.
    key: Option<String>,
    /// The turn that said it.
    turn: String,
    revision: u64,
    /// When, for machines and, in UTC, for people.
    at: String,
    clock: String,
    day: String,
    /// The first of its day on the page.
    begins_day: bool,
    /// `mine`, `theirs`, `ours`, or `notice`: for the visitor alone.
    side: &'static str,
    /// The person's name.
    who: String,
    text: String,
    gone: bool,
    card: Option<Shown>,
}

/// A card as a page shows it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    card: wire::Card,
    /// What kind of card it is, in a word.
    kicker: &'static str,
    heading: String,
    facts: Vec<String>,
    /// What came of it, when it can be followed here.
    link: Option<Link>,
}

#[derive(Debug, Serialize)]
struct Link {
    /// Only of this site: links elsewhere are text.
    href: Option<String>,
    label: String,
}

impl Item {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What it says in a line: of a card, what it asks.
    pub(crate) fn words(&self) -> &str {
        self.card.as_ref().map_or(&self.text, |shown| &shown.heading)
    }
}

/// Reads the newest messages of a lane whose turn is below `before`, as `me` sees them.
pub(crate) async fn read(app: &App, lane: &Lane, before: u64, me: &str) -> Result<History, Problem> {
    let mut turns = Vec::new();
    let (mut below, mut messages) = (before, 0);
    while messages < SHOWN {
        let batch = app.store().turns_before(&lane.key, below, BATCH).await?;
        let Some(last) = batch.last() else { break };
        below = last.revision;
        for stored in batch {
            let events = events_of(app, lane, &stored).await?;
            messages += events.iter().filter(|event| shows(event)).count();
            turns.push((stored.revision, events));
        }
    }
    let revision = turns.first().map_or(0, |(revision, _)| *revision);
    let mut items = fold(turns.into_iter().rev(), me);
    let surplus = surplus(&items);
    let earlier = items.get(surplus).map(|first| first.revision).filter(|_| surplus > 0 || below > 1);
    items.drain(..surplus);
    let mut day = String::new();
    for item in &mut items {
        item.begins_day = std::mem::replace(&mut day, item.day.clone()) != item.day;
    }
    Ok(History { items, revision, earlier: earlier.filter(|revision| *revision > 1) })
}

fn shows(event: &Happening) -> bool {
    matches!(event, Happening::Message(_) | Happening::Gone { .. } | Happening::Card { posted: true, .. })
}

/// How many items at the beginning are too many: a page begins with a whole turn.
fn surplus(items: &[Item]) -> usize {
    let messages = items.iter().enumerate().filter(|(_, item)| item.side != "notice");
    let Some((first, _)) = messages.rev().nth(SHOWN - 1) else { return 0 };
    let revision = items[first].revision;
    items.iter().position(|item| item.revision == revision).unwrap_or(first)
}

/// Turns, oldest first, as a list.
fn fold(turns: impl Iterator<Item = (u64, Vec<Happening>)>, me: &str) -> Vec<Item> {
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
                gone: false,
                card: None,
            };
            match event {
                Happening::Turn(info) => (turn, at) = (info.turn, info.at),
                Happening::Message(message) => items.push(said(*message, me, item)),
                Happening::Gone { id, .. } => {
                    items.push(Item { gone: true, ..item(id.0, &at, "ours", String::new()) });
                }
                Happening::Card { message, card, posted: true, .. } => {
                    items.push(Item {
                        card: Some(card.into()),
                        ..item(message.0, &at, "ours", String::new())
                    });
                }
                Happening::Card { message, card, posted: false, .. } => {
                    if let Some(item) = items.iter_mut().find(|item| item.id == message.0) {
                        item.card = Some(card.into());
                    }
                }
                Happening::Effect(effect) => {
                    let told = notice(&effect, me).map(str::to_owned);
                    items.extend(told.map(|text| item(effect.id, &at, "notice", text)));
                }
                Happening::Pending { .. } | Happening::Status { .. } | Happening::Reset { .. } => {}
            }
        }
    }
    items
}

fn said(message: wire::Message, me: &str, item: impl Fn(String, &str, &'static str, String) -> Item) -> Item {
    let wire::Message { id, message_id: key, role, by, text, at, card, .. } = message;
    let by = by.unwrap_or_default();
    let side = match role.as_str() {
        "user" if by == me => "mine",
        "user" => "theirs",
        _ => "ours",
    };
    Item { key, who: by, card: card.map(Shown::from), ..item(id, &at, side, text) }
}

/// What an effect tells `me` alone.
fn notice<'e>(effect: &'e wire::Effect, me: &str) -> Option<&'e str> {
    let of = |member: &str| effect.body.get(member).and_then(|value| value.as_str());
    of("text").filter(|_| effect.class == "notice" && of("to") == Some(me))
}

/// `10:02`, in UTC, until the script knows better.
fn clock(at: &str) -> String {
    Timestamp::parse(at).map(Timestamp::clock).unwrap_or_default()
}

/// `2026-11-21`, likewise.
fn day(at: &str) -> String {
    at.split('T').next().unwrap_or_default().into()
}

impl From<wire::Card> for Shown {
    fn from(card: wire::Card) -> Self {
        let kicker = match card.step.as_str() {
            "draft_preview" | "multi_ticket_preview" => "Preview",
            "scope_gate" => "Question",
            "uncertain_effect" | "uncertain_call" => "No answer yet",
            "receipt" => "Receipt",
            "remembered" => "Remembered",
            "decision_preview" => "Decision",
            "review_active" => "Review",
            "review_frozen" => "Review, frozen",
            "options" => "Options",
            _ => "Card",
        };
        let (mut heading, mut facts) = (card.title.clone(), Vec::new());
        if card.step == "receipt" {
            let mut parts = card.title.split(" · ").map(str::to_owned);
            heading = parts.next().unwrap_or_default();
            facts.extend(parts);
        }
        facts.extend(card.facts.iter().cloned());
        let link = card.link.as_deref().map(Link::to);
        Self { kicker, heading, facts, link, card }
    }
}

impl Link {
    fn to(url: &str) -> Self {
        let here = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
        let key = url.rsplit('/').next().unwrap_or_default();
        if here {
            Self { href: Some(url.into()), label: format!("Open {key}") }
        } else {
            Self { href: None, label: url.into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_of_this_site_can_be_followed() {
        let to = Link::to("/tracker/DEMO-1");
        assert_eq!((to.href.as_deref(), to.label.as_str()), (Some("/tracker/DEMO-1"), "Open DEMO-1"));
        for elsewhere in
            ["https://jira.example.org/AUTH-1", "//evil.example", "/\\evil.example", "javascript:x()"]
        {
            let to = Link::to(elsewhere);
            assert_eq!((to.href, to.label.as_str()), (None, elsewhere));
        }
    }
}
