//! `/conversations`: all conversations of the visitor, and a search over what was said in them.
//!
//! A search reads turns, the newest first, conversation after conversation, and stops after [`TURNS`] of them or
//! [`FOUND`] hits; the next page goes on there. So a page costs the same however long the history is, and nothing is
//! indexed that an erasure would have to find.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_runtime::MessageView;

use super::page::{ForPage, Refusal, page};
use super::sidebar::Item;
use super::visitor::{Visitor, VisitorView};
use crate::access::Act;
use crate::app::App;
use crate::conversations::{self, Listed};
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::routes::lanes;
use crate::web_channel::{self, Page};

/// Turns that one page of a search reads at most.
const TURNS: usize = 500;
/// Turns read at a time.
const BATCH: u32 = 50;
/// Hits after which a page of a search ends.
const FOUND: usize = 20;
/// Conversations on a page of the list.
const LISTED: u32 = 100;
/// Characters before and behind the first word that was found.
const AROUND: usize = 60;
/// Maximum words of a search.
const WORDS: usize = 8;

/// Query of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SearchQuery {
    /// Words to search for; all conversations without them.
    q: String,
    /// Key behind which the list goes on.
    after: Option<String>,
    /// Conversation and revision below which the search goes on.
    from: Option<String>,
    before: Option<u64>,
    page: Page,
}

#[derive(Serialize)]
struct SearchPage {
    seen: VisitorView,
    page: Page,
    q: String,
    /// Conversations, without a search.
    items: Vec<Item>,
    hits: Vec<Hit>,
    /// Address of the next page.
    next: Option<String>,
}

/// Message that was found, or a title.
#[derive(Debug, Serialize)]
struct Hit {
    address: String,
    title: String,
    /// Time of the message, for machines; `None` for a title.
    at: Option<String>,
    day: String,
    /// The text around the first word: what is found, and what is between.
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Part {
    found: bool,
    text: String,
}

/// `GET /conversations`
pub(crate) async fn get_conversations(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(query)): ForPage<QueryParams<SearchQuery>>,
) -> Result<Response, Refusal> {
    visitor.caller.need(Act::ReadLane.scope())?;
    let mut values = SearchPage {
        seen: visitor.view(&app),
        page: query.page,
        q: query.q.trim().to_owned(),
        items: Vec::new(),
        hits: Vec::new(),
        next: None,
    };
    let words = Words::of(&query.q);
    if words.0.is_empty() {
        let (tenant, me) = (&visitor.caller.tenant, visitor.session.user());
        let (listed, next) = conversations::page(&app, tenant, me, query.after.as_deref(), LISTED).await?;
        let now = app.store().now();
        values.items = listed.into_iter().map(|listed| Item::of(listed, query.page, now)).collect();
        values.next = next.map(|key| query.address(&[("after", &key)]));
    } else {
        let (hits, next) = search(&app, &visitor, &query, &words).await?;
        values.hits = hits;
        values.next =
            next.map(|(id, before)| query.address(&[("from", &id), ("before", &before.to_string())]));
    }
    Ok(page("conversations.html", &values)?)
}

impl SearchQuery {
    /// Returns the address of another page of the same list.
    fn address(&self, more: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("q", self.q.trim()).append_pair("page", self.page.name()).extend_pairs(more);
        format!("/conversations?{}", query.finish())
    }
}

/// Returns what was found, and the place at which the next page goes on.
async fn search(
    app: &App,
    visitor: &Visitor,
    query: &SearchQuery,
    words: &Words,
) -> Result<(Vec<Hit>, Option<(String, u64)>), Problem> {
    let me = visitor.session.user();
    let all = conversations::list(app, &visitor.caller.tenant, me).await?;
    let first = query.from.as_ref().and_then(|from| all.iter().position(|listed| listed.id == *from));
    let mut hits = Vec::new();
    if first.is_none() {
        hits.extend(all.iter().filter_map(|listed| title_hit(listed, query.page, words)));
    }
    let (mut before, mut read) = (query.before.filter(|_| first.is_some()).unwrap_or(u64::MAX), 0);
    for listed in &all[first.unwrap_or(0)..] {
        let lane = super::conversations::own(app, visitor, &listed.id).await?;
        let lane = app.runtime().lane(&lane).await?;
        loop {
            if read >= TURNS {
                return Ok((hits, Some((listed.id.clone(), before))));
            }
            let batch = app.store().turns_before(&lane.key, before, BATCH).await?;
            let end = batch.len() < BATCH as usize;
            for stored in &batch {
                if hits.len() >= FOUND {
                    return Ok((hits, Some((listed.id.clone(), before))));
                }
                before = stored.revision;
                read += 1;
                let ids = lanes::read(stored)?.row.messages;
                for message in app.runtime().messages_of(&lane, &ids).await? {
                    hits.extend(hit(listed, query.page, stored.revision, &message, words));
                }
            }
            if end {
                break;
            }
        }
        before = u64::MAX;
    }
    Ok((hits, None))
}

fn title_hit(listed: &Listed, page: Page, words: &Words) -> Option<Hit> {
    let parts = words.find(&listed.entry.title)?;
    let at = listed.entry.said_at.rfc3339();
    Some(Hit {
        address: web_channel::address(page, &listed.id, None),
        title: listed.entry.title.clone(),
        day: day(&at),
        at: None,
        parts,
    })
}

fn hit(listed: &Listed, page: Page, revision: u64, message: &MessageView, words: &Words) -> Option<Hit> {
    let text = match &message.card {
        None => message.text.clone(),
        Some(card) => format!("{} {}", card.title, message.text),
    };
    let parts = words.find(&text)?;
    let at = message.at.rfc3339();
    Some(Hit {
        // The part of the conversation that ends with the message.
        address: web_channel::address(page, &listed.id, Some(revision + 1)),
        title: listed.entry.title.clone(),
        day: day(&at),
        at: Some(at),
        parts,
    })
}

fn day(at: &str) -> String {
    at.split('T').next().unwrap_or_default().into()
}

/// Words of a search. A text is found if it has all of them, as parts of words and in any case.
struct Words(Vec<Vec<char>>);

impl Words {
    fn of(q: &str) -> Self {
        let words = q.split_whitespace().take(WORDS);
        Self(words.map(|word| word.chars().map(folded).collect()).collect())
    }

    /// Returns the text around the first word that is found in it, cut at what is found.
    fn find(&self, text: &str) -> Option<Vec<Part>> {
        let text: Vec<char> = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        let plain: Vec<char> = text.iter().copied().map(folded).collect();
        let places = |word: &Vec<char>| {
            plain
                .windows(word.len())
                .enumerate()
                .filter(|(_, part)| part == word)
                .map(|(at, _)| at..at + word.len())
                .collect::<Vec<_>>()
        };
        let found: Vec<Vec<_>> = self.0.iter().map(places).collect();
        if found.iter().any(Vec::is_empty) {
            return None;
        }
        let first = found.iter().flatten().map(|place| place.start).min()?;
        let begin = first.saturating_sub(AROUND);
        let end = (first + AROUND).min(text.len());
        let is_found = |at: usize| found.iter().flatten().any(|place| place.contains(&at));
        let mut parts: Vec<Part> = Vec::new();
        for (at, c) in text.iter().enumerate().take(end).skip(begin) {
            match parts.last_mut().filter(|last| last.found == is_found(at)) {
                Some(last) => last.text.push(*c),
                None => parts.push(Part { found: is_found(at), text: c.to_string() }),
            }
        }
        if begin > 0
            && let Some(part) = parts.first_mut().filter(|part| !part.found)
        {
            part.text.insert(0, '…');
        }
        if end < text.len()
            && let Some(part) = parts.last_mut()
        {
            part.text.push('…');
        }
        Some(parts)
    }
}

/// Returns a character without its case. One that has several lower-case characters stays, so that places in a text
/// stay the same.
fn folded(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(q: &str, text: &str) -> Option<String> {
        let parts = Words::of(q).find(text)?;
        let mark = |part: &Part| if part.found { format!("[{}]", part.text) } else { part.text.clone() };
        Some(parts.iter().map(mark).collect())
    }

    #[test]
    fn a_text_is_found_by_all_words_in_any_case() {
        assert_eq!(shown("EXPORT blau", "Der Export ist\nblau"), Some("Der [Export] ist [blau]".into()));
        assert_eq!(shown("export grün", "Der Export ist blau"), None);
        assert_eq!(shown("ÜBER", "darüber"), Some("dar[über]".into()));
        assert_eq!(shown("<b>", "a <B> c"), Some("a [<B>] c".into()));
        assert_eq!(shown("aa", "aaa"), Some("[aaa]".into()));
        assert_eq!(shown("long", "x"), None);
    }

    #[test]
    fn only_the_part_around_the_first_word_is_shown() {
        let text = format!("{} needle {}", "a".repeat(200), "b".repeat(200));
        let shown = shown("needle", &text).unwrap();
        assert!(shown.starts_with('…') && shown.ends_with("b…") && shown.contains(" [needle] "), "{shown}");
        assert!(shown.chars().count() < 2 * AROUND + 8, "{shown}");
    }
}
