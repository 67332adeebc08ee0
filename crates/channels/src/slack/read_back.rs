//! Reads our own messages back: each keeps the effect that it was posted for, where only apps see it. So a message whose post
//! got no answer is found instead of posted twice (`docs/design/0058-slack.md`). Pure.

use serde_json::{Value, json};
use throughline_engine::Timestamp;

use super::names::App;

/// The pages of a conversation that are read to find one message.
pub const PAGES: usize = 5;

/// The difference between two clocks that hides no message, in seconds.
const SKEW: i64 = 120;

/// The name of the metadata of our messages.
const EVENT: &str = "throughline_effect";

/// The effect that a message is posted for, and the part of it, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostedFor<'a> {
    /// The effect's id.
    pub effect: &'a str,
    /// The part.
    pub part: usize,
}

impl<'a> PostedFor<'a> {
    /// A message of one part, or the first one.
    #[must_use]
    pub fn whole(effect: &'a str) -> Self {
        Self { effect, part: 0 }
    }

    /// The metadata of the message.
    #[must_use]
    pub fn metadata(self) -> Value {
        let mut payload = json!({"effect_id": self.effect});
        if self.part > 0 {
            payload["part"] = json!(self.part);
        }
        json!({"event_type": EVENT, "event_payload": payload})
    }

    /// True for the metadata of this message, and no other part of it.
    fn matches(self, metadata: &Value) -> bool {
        let payload = &metadata["event_payload"];
        metadata["event_type"] == EVENT
            && payload["effect_id"] == self.effect
            && payload["part"].as_u64().unwrap_or(0) == self.part as u64
    }

    /// The time stamp of our message on a page of a conversation; of several, that of the oldest. Any app may write any
    /// metadata, so only the app's own messages count.
    #[must_use]
    pub fn found_on<'p>(self, page: &'p Value, app: &App) -> Option<&'p str> {
        let ours = |message: &&Value| {
            let by = |field: &str, id: &str| !id.is_empty() && message[field] == id;
            by("user", &app.user) || by("bot_id", &app.bot)
        };
        let all = page["messages"].as_array()?.iter();
        let of_it = all.filter(ours).filter(|message| self.matches(&message["metadata"]));
        of_it.filter_map(|message| message["ts"].as_str()).min_by(|one, other| {
            // Seconds have ten digits until the year 2286, so the texts are in the order of the times.
            one.cmp(other)
        })
    }
}

/// The first second that is read, for a message that was not sent before `since`.
#[must_use]
pub fn oldest(since: Timestamp) -> i64 {
    (since.0 / Timestamp::SECOND - SKEW).max(0)
}

/// The cursor of the page behind this one; empty if it is the last.
#[must_use]
pub fn next_page(page: &Value) -> &str {
    page["response_metadata"]["next_cursor"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> App {
        App { user: "U0BOT".into(), bot: "B0BOT".into(), ..App::default() }
    }

    fn message(ts: &str, user: &str, of: PostedFor<'_>) -> Value {
        json!({"ts": ts, "user": user, "metadata": of.metadata()})
    }

    #[test]
    fn finds_the_apps_own_message_of_that_effect_and_part() {
        let first = PostedFor::whole("fx_1");
        let second = PostedFor { part: 1, ..first };
        let page = json!({"messages": [
            {"ts": "1700000000.000100", "user": "U0ANA", "text": "hi"},
            message("1700000001.000100", "U0EVIL", first),
            message("1700000002.000100", "U0BOT", PostedFor::whole("fx_2")),
            message("1700000004.000100", "U0BOT", second),
            message("1700000005.000100", "U0BOT", first),
            message("1700000003.000100", "U0BOT", first),
            {"ts": "1700000000.000200", "user": "U0BOT", "metadata": {"event_type": EVENT}},
        ]});
        assert_eq!(first.found_on(&page, &app()), Some("1700000003.000100"), "the older of two copies");
        assert_eq!(second.found_on(&page, &app()), Some("1700000004.000100"));
        assert_eq!(PostedFor::whole("fx_3").found_on(&page, &app()), None);
        assert_eq!(first.found_on(&page, &App::default()), None, "an app without ids has no messages");
        assert_eq!(first.found_on(&json!({"ok": true}), &app()), None);
    }

    #[test]
    fn reads_from_a_little_before() {
        assert_eq!(oldest(Timestamp(1_700_000_000_999)), 1_699_999_880);
        assert_eq!(oldest(Timestamp(0)), 0);
    }
}
