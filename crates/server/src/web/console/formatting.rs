//! Filters that format times, ids and states in templates.

use minijinja::Environment;
use minijinja::value::Serde;
use throughline_engine::{Millis, Timestamp};

use crate::web::card_view;
use crate::wire::Moment;

/// Adds the filters to the templates.
pub(crate) fn add(pages: &mut Environment<'_>) {
    pages.add_filter("ago", ago);
    pages.add_filter("clock", clock);
    pages.add_filter("zoned", zoned);
    pages.add_filter("short", short);
    pages.add_filter("tone", tone);
    pages.add_filter("spaced", spaced);
    pages.add_filter("query", query);
}

/// Formats the distance of a moment from now: `12 s ago`, `in 3 h`. Text that is not a time is returned unchanged.
fn ago(at: &str, now: &str) -> String {
    let (Some(at), Some(now)) = (Timestamp::parse(at), Timestamp::parse(now)) else { return at.into() };
    let away = now.since(at);
    match away {
        ..-999 => format!("in {}", length(-away)),
        -999..1_000 => "just now".into(),
        _ => format!("{} ago", length(away)),
    }
}

/// Formats a duration in its largest unit.
pub(crate) fn length(of: Millis) -> String {
    const UNITS: [(Millis, &str); 4] =
        [(Timestamp::DAY, "d"), (Timestamp::HOUR, "h"), (Timestamp::MINUTE, "min"), (Timestamp::SECOND, "s")];
    let unit = UNITS.iter().find(|(size, _)| of >= *size);
    unit.map_or_else(|| format!("{of} ms"), |(size, word)| format!("{} {word}", of / size))
}

/// Formats a moment as `2026-01-15 10:00:00 UTC`.
fn clock(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time} UTC"),
        _ => at.into(),
    }
}

/// Names the zone of the moment that a sentence of a card ends with.
fn zoned(sentence: &str, Serde(moments): Serde<Vec<Moment>>) -> String {
    card_view::zoned(sentence, &moments)
}

/// Shortens an id or a hash in the middle. The element's title has the whole.
fn short(id: &str) -> String {
    const WHOLE: usize = 16;
    let count = id.chars().count();
    if count <= WHOLE {
        return id.into();
    }
    let begin: String = id.chars().take(9).collect();
    let end: String = id.chars().skip(count - 4).collect();
    format!("{begin}…{end}")
}

/// Encodes a value of a link's query.
fn query(value: &str) -> String {
    form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// Replaces underscores: `waiting_approval` becomes `waiting approval`.
fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// Returns the meaning of a state for shape and colour: `good`, `bad`, `doubt`, `open` or `over`.
fn tone(state: &str) -> &'static str {
    match state {
        "done" | "approved" | "answered" | "shown" | "completed" | "applied" | "valid" => "good",
        "failed" | "rejected" | "refused" | "tampered" => "bad",
        "uncertain" | "paused" | "blocked" | "disputed" | "untrusted" => "doubt",
        "planned" | "attempted" | "pending" | "asked" | "deferred" | "running" | "active" | "soft"
        | "waiting" | "queued" => "open",
        _ => "over",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_far_a_moment_is_away() {
        let now = "2026-01-15T10:00:00.000Z";
        for (at, said) in [
            ("2026-01-15T09:59:59.500Z", "just now"),
            ("2026-01-15T09:59:48.000Z", "12 s ago"),
            ("2026-01-15T09:00:00.000Z", "1 h ago"),
            ("2026-01-13T10:00:00.000Z", "2 d ago"),
            ("2026-01-15T10:03:00.000Z", "in 3 min"),
            ("soon", "soon"),
        ] {
            assert_eq!(ago(at, now), said);
        }
        assert_eq!(clock(now), "2026-01-15 10:00:00 UTC");
        assert_eq!(length(12), "12 ms");
    }

    #[test]
    fn leaves_out_the_middle_of_what_is_long() {
        assert_eq!(short("tn_5xvq2m3zsd5ljwcnhsbqy7fd"), "tn_5xvq2m…y7fd");
        assert_eq!(short("DEMO-1"), "DEMO-1");
        assert_eq!(short("ääääääääääääääääääää"), "äääääääää…ääää");
    }
}
