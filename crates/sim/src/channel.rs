//! The virtual channel, which takes every message and gives each an id.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use throughline_channels::{Channel, Delivered, Posting, Sending, Surface};
use throughline_engine::LaneKey;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, SendingFault};

/// A channel that messages are sent to, like Slack or Telegram. `web` reads from the store instead.
pub(crate) struct SimChannel {
    name: String,
    sent: AtomicU64,
    /// The number of posts sent so far.
    posted: AtomicU64,
    /// Scripted results of the next posts.
    posts: Mutex<VecDeque<String>>,
}

impl SimChannel {
    pub(crate) fn new(name: &str, posts: &[String]) -> Self {
        let posts = Mutex::new(posts.iter().cloned().collect());
        Self { name: name.into(), sent: AtomicU64::new(0), posted: AtomicU64::new(0), posts }
    }

    /// The number of posts sent so far.
    pub(crate) fn posted(&self) -> u64 {
        self.posted.load(Ordering::Relaxed)
    }

    fn next_post(&self) -> Option<String> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

#[async_trait]
impl Channel for SimChannel {
    fn name(&self) -> &str {
        &self.name
    }

    fn surface(&self) -> Surface {
        if self.name == "web" { Surface::ReadFromStore } else { Surface::Sends }
    }

    async fn deliver(&self, _: Sending<'_>) -> Attempt<Delivered> {
        let n = self.sent.fetch_add(1, Ordering::Relaxed);
        Attempt::Applied(Delivered { id: Some(format!("{}:{n}", self.name)), more: false })
    }

    async fn post(&self, to: &LaneKey, _: Posting<'_>) -> Attempt<Option<String>> {
        match self.next_post().as_deref() {
            None | Some("ok") => {
                let n = self.posted.fetch_add(1, Ordering::Relaxed) + 1;
                Attempt::Applied(self.link(to).map(|root| format!("{root}/{n}")))
            }
            Some("429" | "refused") => Attempt::NotApplied {
                why: SendingFault::Slower { channel: self.name.clone() }.into(),
                hint: None,
            },
            Some("rejected") => {
                Attempt::Rejected { text: Fault::Said("we may not post there".into()), errors: Vec::new() }
            }
            Some("lost_request" | "5xx") => {
                Attempt::Unknown { why: SendingFault::Unnamed { channel: self.name.clone() }.into() }
            }
            Some(_) => {
                self.posted.fetch_add(1, Ordering::Relaxed);
                Attempt::Unknown { why: SendingFault::Unnamed { channel: self.name.clone() }.into() }
            }
        }
    }

    fn link(&self, lane: &LaneKey) -> Option<String> {
        Some(format!("https://{}.test/{}", self.name, lane.conversation))
    }

    /// The web chat shows all messages of a lane in one place.
    fn link_to(&self, lane: &LaneKey, message: &str) -> Option<String> {
        self.link(lane).filter(|_| self.name != "web").map(|root| format!("{root}/{message}"))
    }
}
