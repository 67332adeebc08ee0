//! Posts at the root of a conversation: what a decision was, for everybody (`spec 03 §5`).

use throughline_channels::Surface;
use throughline_engine::effect::{Attempt, EffectResult};
use throughline_engine::event::AssistantPosted;
use throughline_engine::given::Addressing;
use throughline_engine::lane::MessageKind;
use throughline_engine::{Event, EventKind, LaneKey};
use throughline_store::StoredEffect;

use crate::{FailPoint, Inbound, Runtime, Stop};

impl Runtime {
    /// Posts once. Where people read from the store the post is an event of the root's lane, under a key of the effect's:
    /// however often it is tried, it is there once.
    pub(super) async fn post(
        &self,
        effect: &StoredEffect,
        to: &LaneKey,
        text: &str,
    ) -> Result<Attempt<EffectResult>, Stop> {
        let class = effect.row.class.word();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let outcome = match self.ports.channels.get(&to.channel) {
            None => {
                let text = format!("there is no channel {} here", to.channel);
                Attempt::Rejected { text, errors: Vec::new() }
            }
            Some(channel) if channel.surface() == Surface::Sends => {
                channel.post(to, text, self.store.now()).await.map(|url| EffectResult::Posted { url })
            }
            Some(channel) => {
                let key = format!("post:{}", effect.row.id);
                let posted = AssistantPosted {
                    // It tells everybody something and asks nobody: what is said next is not about it.
                    kind: MessageKind::Notification,
                    task: None,
                    text: text.into(),
                    expected: None,
                    asked_of: None,
                    expires: None,
                };
                let kind = EventKind::AssistantPosted(posted);
                let event =
                    Event { id: key.clone(), received_at: self.store.now(), actor: String::new(), kind };
                let (lane, keys, addressing) = (to.clone(), vec![key], Addressing::default());
                self.accept(Inbound { lane, keys, event, addressing, body_hash: None }).await?;
                Attempt::Applied(EffectResult::Posted { url: channel.link(to) })
            }
        };
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(outcome)
    }

    /// Whether posting there twice under one effect posts once.
    pub(super) fn posts_once(&self, to: &LaneKey) -> bool {
        self.ports
            .channels
            .get(&to.channel)
            .is_some_and(|channel| channel.surface() == Surface::ReadFromStore)
    }
}
