//! Shows that work goes on: by a message that lists it, where progress is shown in messages, else by the thread's status.

use throughline_messages::{self as messages, Language};
use throughline_net::Key;

use super::channel::Slack;
use super::client::Client;
use super::outbound::{self, Call, Target};
use super::streams::Work;
use super::workspaces::Workspace;
use crate::{Does, Working};

impl Slack {
    /// Shows a work in its thread. Ends only by being dropped.
    pub(super) async fn show_work(&self, work: Working<'_>) {
        let lane = work.lane;
        let workspace = self.workspaces.workspace(lane).ok().filter(|_| !lane.thread.is_empty());
        let Some(Workspace { token, .. }) = workspace else { return std::future::pending().await };
        let status = messages::slack_thinking(self.language);
        if let Some(streams) = &self.streams {
            let person = match work.by {
                Some(by) => self.workspaces.user(lane, by).await,
                None => None,
            };
            let (lane, effect) = (lane.clone(), work.effect.to_owned());
            let title = title_of(work.does, self.language);
            let _shown = streams.begin(Work { lane, effect, title, status, person });
            return std::future::pending().await;
        }
        let to = Target::of(lane);
        let done = outbound::status(to, "");
        let _status = Status { client: self.client.clone(), token: token.clone(), done };
        self.client.call(&token, &outbound::status(to, &status)).await;
        std::future::pending().await
    }
}

/// The words for a work that goes on.
fn title_of(does: Does<'_>, language: Language) -> String {
    match does {
        Does::Asks => messages::slack_work_asks(language),
        Does::Calls(tool) => messages::slack_work_calls(language, tool),
        Does::Delegates(agent) => messages::slack_work_delegates(language, agent),
    }
}

/// Shows a thread's status for as long as it lives.
struct Status {
    client: Client,
    token: Key,
    done: Call,
}

impl Drop for Status {
    fn drop(&mut self) {
        // On every ending, also where nothing was said: a status that stays would say that work goes on.
        let (client, token, done) = (self.client.clone(), self.token.clone(), self.done.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { client.call(&token, &done).await });
        }
    }
}
