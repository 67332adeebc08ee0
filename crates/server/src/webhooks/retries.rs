//! Conversations that wait after a failure: each goes on from its own place, in its own time, until it has caught up.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use throughline_engine::LaneId;
use throughline_store::{StoredTurn, TurnSeq};
use tokio::time::sleep;

use super::queue::Held;
use super::sender::{AT_ONCE, BATCH, Changes, Sender, Sent};
use crate::lead::Again;

/// Longest time without a look at what is due: the clock may be set meanwhile.
const LOOK: Duration = Duration::from_secs(1);

impl Sender {
    /// Sends what waits when its time comes, and ends with an error.
    pub(super) async fn retry(&self) -> Again {
        loop {
            let (due, next) = self.due().await;
            if due.is_empty() {
                tokio::select! {
                    () = self.more_held.notified() => {}
                    () = sleep(next) => {}
                }
                continue;
            }
            let all = iter(due).map(|(lane, held)| self.go_on(lane, held));
            let ended: Vec<_> = all.buffer_unordered(AT_ONCE).collect().await;
            if let Some(error) = ended.into_iter().find_map(Result::err) {
                return error;
            }
        }
    }

    /// Returns the conversations that are due, and the time until the next one is.
    async fn due(&self) -> (Vec<(String, Held)>, Duration) {
        let (book, now) = (self.book().await, self.now());
        if book.progress.value.disabled.is_some() {
            return (Vec::new(), LOOK);
        }
        let waiting = book.held.iter().filter_map(|(lane, held)| Some((lane, held.value.as_ref()?)));
        let (due, later): (Vec<_>, Vec<_>) = waiting.partition(|(_, held)| held.not_before <= now);
        let next = later.iter().map(|(_, held)| held.not_before.since(now)).min();
        let next = next.and_then(|millis| u64::try_from(millis).ok()).map_or(LOOK, Duration::from_millis);
        (due.into_iter().map(|(lane, held)| (lane.clone(), held.clone())).collect(), next.min(LOOK))
    }

    /// Sends the next events of a conversation that waited.
    async fn go_on(&self, lane: String, held: Held) -> Result<(), Again> {
        let turns = self.turns(&lane, &held, None).await?;
        let sent = match turns.is_empty() {
            true => Sent::All,
            false => self.deliver(&turns, held.slot).await?,
        };
        let mut book = self.book().await;
        let now = self.now();
        let mut changes = Changes::default();
        match sent {
            Sent::Gone => return self.disable(&mut book).await,
            Sent::Stopped(stopped) => match stopped.given_up(held.attempts, &lane, now) {
                Some((dead, next)) => {
                    changes.dead = Some(dead);
                    changes.held.insert(lane, Some(next));
                }
                None => drop(changes.held.insert(lane, Some(stopped.hold(held.attempts, now)))),
            },
            Sent::All => {
                let revision = turns.last().map_or(held.revision, |turn| turn.revision);
                let next = Held::at(revision, now);
                // Nobody moves on while the book is held, so what is not there now is left to whoever follows.
                let left = self.turns(&lane, &next, Some(book.progress.value.position)).await?;
                changes.held.insert(lane, (!left.is_empty()).then_some(next));
            }
        }
        self.write(&mut book, changes).await
    }

    /// Returns the next turns of a conversation, as far as the webhook has read the order of all.
    async fn turns(&self, lane: &str, held: &Held, until: Option<TurnSeq>) -> Result<Vec<StoredTurn>, Again> {
        let until = match until {
            Some(position) => position,
            None => self.book().await.progress.value.position,
        };
        let store = self.app.store();
        let Some(info) = store.lane(&self.webhook.tenant, &LaneId::from(lane)).await? else {
            return Ok(Vec::new());
        };
        let mut turns = store.turns(&info.key, held.revision, BATCH).await?;
        turns.retain(|turn| turn.position <= until);
        Ok(turns)
    }
}
