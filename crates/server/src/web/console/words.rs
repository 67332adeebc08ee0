//! How a page says times, ids and states. Filters for the templates, so that pages can be handed what the API tells.

use minijinja::Environment;
use throughline_engine::{Millis, Timestamp};

/// Makes the words known to the templates.
pub(crate) fn add(pages: &mut Environment<'_>) {
    pages.add_filter("ago", ago);
    pages.add_filter("clock", clock);
    pages.add_filter("short", short);
    pages.add_filter("tone", tone);
    pages.add_filter("spaced", spaced);
}

/// `12 s ago`, `in 3 h`: how far a moment is from now. What is no time stays as it is.
fn ago(at: &str, now: &str) -> String {
    let (Some(at), Some(now)) = (Timestamp::parse(at), Timestamp::parse(now)) else { return at.into() };
    let away = now.since(at);
    match away {
        ..-999 => format!("in {}", length(-away)),
        -999..1_000 => "just now".into(),
        _ => format!("{} ago", length(away)),
    }
}

/// A length of time in its largest unit.
pub(crate) fn length(of: Millis) -> String {
    const UNITS: [(Millis, &str); 4] =
        [(Timestamp::DAY, "d"), (Timestamp::HOUR, "h"), (Timestamp::MINUTE, "min"), (Timestamp::SECOND, "s")];
    let unit = UNITS.iter().find(|(size, _)| of >= *size);
    unit.map_or_else(|| format!("{of} ms"), |(size, word)| format!("{} {word}", of / size))
}

/// `2026-01-15 10:00:00` of a moment as the API tells it.
fn clock(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time}"),
        _ => at.into(),
    }
}

/// An id or hash with its middle left out. The whole of it is in the element's title.
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

/// `waiting_approval` as `waiting approval`.
fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// What a state means to whoever looks: `good`, `bad`, `doubt`, `open` or `over`. Shape and colour follow from it.
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
        assert_eq!(clock(now), "2026-01-15 10:00:00");
        assert_eq!(length(12), "12 ms");
    }

    #[test]
    fn leaves_out_the_middle_of_what_is_long() {
        assert_eq!(short("tn_5xvq2m3zsd5ljwcnhsbqy7fd"), "tn_5xvq2m…y7fd");
        assert_eq!(short("DEMO-1"), "DEMO-1");
        assert_eq!(short("ääääääääääääääääääää"), "äääääääää…ääää");
    }
}
