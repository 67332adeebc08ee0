//! Timeline of a turn: how long its event waited, how long each effect took until its outcome was known, and the turns
//! on the outcomes. It is made of what a turn's page has read anyway.

use std::collections::BTreeMap;

use serde::Serialize;
use throughline_engine::{Millis, Timestamp};
use throughline_runtime::turn_log::Turn;

use super::formatting::length;
use super::lanes::turn_href;
use crate::turn_chain::TurnChain;

/// Width of the chart.
const WIDTH: Millis = 1_000;

/// Line of the timeline.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Span {
    what: String,
    href: String,
    /// Kind: `wait`, `effect`.
    kind: &'static str,
    /// Time after the beginning, in words.
    after: String,
    took: String,
    /// Place in the chart, of [`WIDTH`].
    x: Millis,
    width: Millis,
}

/// Timeline with its whole length.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Timeline {
    spans: Vec<Span>,
    whole: String,
}

/// Part of a timeline, in moments.
struct Part {
    what: String,
    href: String,
    kind: &'static str,
    from: Timestamp,
    to: Timestamp,
}

/// Returns the timeline of a turn and of what followed from it; `None` if its event was erased.
pub(super) fn timeline(chain: &TurnChain) -> Option<Timeline> {
    let begun = received(&chain.own)?;
    let mut parts = vec![waited(&chain.own, "its event waited for the turn".into(), begun)];
    let mut planned: BTreeMap<&str, (&str, Timestamp)> = BTreeMap::new();
    for turn in chain.turns() {
        planned
            .extend(turn.row.effects.iter().map(|(class, id)| (id.as_str(), (class.as_str(), turn.row.at))));
    }
    for (effect, turn) in &chain.settled {
        let known = received(turn).unwrap_or(turn.row.at);
        if let Some((class, from)) = planned.get(effect.as_str()) {
            let href = format!("/console/effects/{effect}");
            parts.push(Part { what: (*class).into(), href, kind: "effect", from: *from, to: known });
        }
        let reason = turn.row.decision.reason.code();
        parts.push(waited(turn, format!("its outcome waited, then {reason}"), known));
    }
    Some(drawn(&parts, begun))
}

fn waited(turn: &Turn, what: String, from: Timestamp) -> Part {
    Part { what, href: turn_href(&turn.row.turn), kind: "wait", from, to: turn.row.at }
}

fn received(turn: &Turn) -> Option<Timestamp> {
    turn.content.as_ref().map(|content| content.event.received_at)
}

fn drawn(parts: &[Part], begun: Timestamp) -> Timeline {
    let end = parts.iter().map(|part| part.to).max().unwrap_or(begun);
    let whole = end.since(begun).max(1);
    let spans = parts.iter().map(|part| {
        // Clocks of two processes may differ by a little.
        let (after, took) = (part.from.since(begun).max(0), part.to.since(part.from).max(0));
        let width = (took * WIDTH / whole).max(4);
        Span {
            what: part.what.clone(),
            href: part.href.clone(),
            kind: part.kind,
            after: length(after),
            took: length(took),
            x: (after * WIDTH / whole).min(WIDTH - width),
            width,
        }
    });
    Timeline { spans: spans.collect(), whole: length(end.since(begun).max(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_where_and_as_long_as_they_happened() {
        let at = |ms: i64| Timestamp(1_000 + ms);
        let part = |from, to| Part {
            what: "x".into(),
            href: "/".into(),
            kind: "effect",
            from: at(from),
            to: at(to),
        };
        let drawn = drawn(&[part(0, 0), part(0, 500), part(500, 2_000), part(1_999, 1_990)], at(0));
        let places: Vec<_> =
            drawn.spans.iter().map(|span| (span.x, span.width, span.took.as_str())).collect();
        assert_eq!(places, [(0, 4, "0 ms"), (0, 250, "500 ms"), (250, 750, "1 s"), (996, 4, "0 ms")]);
        assert_eq!(drawn.whole, "2 s");
    }
}
