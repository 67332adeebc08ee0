//! The messages of the benchmarks, and the events that carry them.

use throughline_engine::data::event::{AssistantPosted, MessagePosted};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::{Metadata, SetOption};
use throughline_engine::{Event, EventKind, Timestamp};
use throughline_language::Expected;

use crate::frame::mixed;

/// Decided by a rule and answered with one reply: a turn with one outbox row.
pub(crate) const REPLY: &str = "How do I create a ticket for the billing team?";

/// Decided by no rule: it passes every rung to the gate, which shows a card with buttons and closes the one before.
pub(crate) const GATE: &str = "What do you think about microservices for the billing team?";

/// 200 characters that answer no question.
pub(crate) const LONG: &str = "The rollout of the new billing export moved to the next quarter because two \
    teams still depend on the old file format, and people in support would like to know what that means for \
    all customers today.";

/// A person's message under that delivery key.
pub(crate) fn posted(id: &str, at: i64, text: &str) -> Event {
    Event {
        id: id.into(),
        received_at: Timestamp(at),
        actor: "ana".into(),
        kind: EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
    }
}

/// A question of a host's agent that expects an answer of that type.
pub(crate) fn asked(id: &str, at: i64, expected: Expected) -> Event {
    let asked = AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: "Shall I move the billing export to Friday?".into(),
        expected: Some(expected),
        asked_of: None,
        expires: None,
        message_id: None,
    };
    Event {
        id: id.into(),
        received_at: Timestamp(at),
        actor: "agent".into(),
        kind: EventKind::AssistantPosted(asked),
    }
}

/// A list of that many options, shown by a host in the chat.
pub(crate) fn shown(id: &str, at: i64, options: usize) -> Event {
    let option = |n: usize| {
        let what = ["Quarterly report", "Links panel", "Design notes", "Travel plan", "Team budget"][n % 5];
        SetOption {
            sublabel: Some(format!("changed on day {n}")),
            metadata: Metadata { path: Some(format!("/files/{n}")), ..Metadata::default() },
            ..SetOption::named(format!("opt-{n}"), format!("{what} {n}")).running(format!("open:{n}"))
        }
    };
    let shown = OptionsShown {
        scope: Scope::Chat,
        scope_instance: "bench".into(),
        title: None,
        user: None,
        options: (0..options).map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    };
    Event {
        id: id.into(),
        received_at: Timestamp(at),
        actor: String::new(),
        kind: EventKind::OptionsShown(shown),
    }
}

/// Returns the n-th delivery key. Like the keys of real clients they are in no order.
pub(crate) fn delivery_key(n: u64) -> String {
    format!("http:bench:/v1/events:{:016x}", mixed(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_message_has_200_characters() {
        assert_eq!(LONG.chars().count(), 200);
    }
}
