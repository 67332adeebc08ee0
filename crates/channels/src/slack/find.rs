//! Looks for a message that an earlier attempt may have posted, before it is posted again (`docs/design/0058-slack.md`).

use serde_json::json;
use throughline_engine::Timestamp;

use super::answer::Answer;
use super::channel::Slack;
use super::names::CHANNEL;
use super::outbound::{self, Span, Target};
use super::rate_limit::Bucket;
use super::read_back::{self, PostedFor};
use super::workspaces::Workspace;
use crate::Unsure;

/// The end of a search for a message of ours.
enum Found {
    /// It is there, with this time stamp.
    There(String),
    /// All was read, and it is not there.
    Absent,
    /// Not all of it can be read, for this reason.
    Unreadable(String),
    /// Nothing can be read just now; what a call answered.
    NotNow(Answer),
}

impl Slack {
    /// Looks for a message that an earlier attempt may have posted. Returns what the attempt ends with, or nothing if the
    /// message has to be posted.
    pub(super) async fn look_for(
        &self,
        workspace: &Workspace,
        at: Target<'_>,
        of: PostedFor<'_>,
        unsure: Unsure,
        now: Timestamp,
    ) -> Option<Answer> {
        let found = self.find(workspace, at, of, unsure.since, now).await;
        let outcome = match &found {
            Found::There(_) => "found",
            Found::Absent => "absent",
            Found::Unreadable(_) => "unreadable",
            Found::NotNow(_) => "later",
        };
        metrics::counter!("throughline_read_back_total", "channel" => CHANNEL, "outcome" => outcome)
            .increment(1);
        match found {
            Found::There(ts) => Some(Answer::Applied(json!({"channel": at.channel, "ts": ts}))),
            Found::NotNow(answer) => Some(answer),
            Found::Absent if unsure.resend => None,
            Found::Absent => Some(Answer::Absent),
            Found::Unreadable(why) if unsure.resend => {
                let effect = of.effect;
                tracing::warn!(effect, why, "a message is posted again, and may be there twice");
                None
            }
            Found::Unreadable(why) => Some(Answer::Unreadable(why)),
        }
    }

    async fn find(
        &self,
        workspace: &Workspace,
        at: Target<'_>,
        of: PostedFor<'_>,
        since: Timestamp,
        now: Timestamp,
    ) -> Found {
        let mut cursor = String::new();
        for number in 0..read_back::PAGES {
            let call = outbound::said(at, Span::Since(read_back::oldest(since)), &cursor);
            let page = match self.call(workspace, &call, Bucket::Method(call.method), now).await {
                Answer::Applied(page) => page,
                // Nobody knows whether a page was read: it changes nothing, so it is not read yet.
                Answer::Unknown(why) if number == 0 => return Found::NotNow(Answer::NotSent(why)),
                later @ (Answer::NotSent(_) | Answer::TooMany { .. } | Answer::Unauthorized(_))
                    if number == 0 =>
                {
                    return Found::NotNow(later);
                }
                // Where pages are scarce, the second may never be read: the message would wait for it forever.
                other => return Found::Unreadable(format!("{}: {other:?}", call.method)),
            };
            if let Some(ts) = of.found_on(&page, &workspace.app) {
                return Found::There(ts.to_owned());
            }
            cursor = read_back::next_page(&page).to_owned();
            if cursor.is_empty() {
                return Found::Absent;
            }
        }
        Found::Unreadable(format!("it is not among the first {} pages", read_back::PAGES))
    }
}
