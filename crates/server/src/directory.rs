//! Directory of people: configured users, and users known through Telegram or Slack.

use std::sync::Arc;

use async_trait::async_trait;
use throughline_channels::{slack, telegram};
use throughline_engine::data::actor::Actor;
use throughline_engine::{LaneKey, Timestamp};
use throughline_runtime::Directory;

use crate::config::Config;
use crate::slack::People;
use crate::telegram::{Adapter, Contacts};

/// People of the configuration, found by the ids that channels use.
pub(crate) struct ConfiguredDirectory {
    config: Config,
    telegram: Option<Arc<Contacts>>,
    slack: Option<Arc<People>>,
}

impl ConfiguredDirectory {
    pub(crate) fn new(config: Config, telegram: Option<Arc<Contacts>>, slack: Option<Arc<People>>) -> Self {
        Self { config, telegram, slack }
    }
}

#[async_trait]
impl Directory for ConfiguredDirectory {
    /// Somebody who is not configured has only their own principal.
    async fn actor(&self, lane: &LaneKey, id: &str) -> Actor {
        if let Some(people) = self.slack.as_ref().filter(|_| lane.channel == slack::CHANNEL) {
            return people.actor(lane, id).await;
        }
        if let Some(user) = self.config.user(&lane.tenant, id) {
            return user.actor();
        }
        if let Some(contacts) = self.telegram.as_ref().filter(|_| lane.channel == telegram::CHANNEL) {
            return Adapter::stranger(contacts, lane, id).await;
        }
        Actor { id: id.into(), name: id.into(), principals: vec![format!("user:{id}")], ..Actor::default() }
    }

    fn forget(&self, id: &str) {
        if let Some(contacts) = &self.telegram {
            contacts.forget(id);
        }
        if let Some(people) = &self.slack {
            people.forget(id);
        }
    }

    /// Returns the offset of the person's own time zone, or of the installation's.
    fn offset_s(&self, lane: &LaneKey, id: &str, at: Timestamp) -> i32 {
        let user = self.config.user(&lane.tenant, id);
        let own = user.as_ref().and_then(|user| user.zone.as_ref());
        let told = || self.slack.as_ref().filter(|_| lane.channel == slack::CHANNEL)?.offset_s(lane, id, at);
        let ours = || self.config.zone.as_ref().map(|zone| zone.offset_s(at));
        own.map(|zone| zone.offset_s(at)).or_else(told).or_else(ours).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_the_person_first() {
        let users = ConfiguredDirectory::new(Config::demo(None).unwrap(), None, None);
        let lane = LaneKey::new("demo", "throughline", "api", "c", "");
        let you = users.actor(&lane, "you").await;
        assert_eq!(you.principals, ["user:you", "role:approver"]);
        let stranger = users.actor(&lane, "eve").await;
        assert_eq!((stranger.principals, stranger.name.as_str()), (vec!["user:eve".to_owned()], "eve"));
        assert_eq!(users.offset_s(&lane, "you", Timestamp(0)), 0, "nobody said another zone than UTC");
        let elsewhere = LaneKey::new("other", "throughline", "api", "c", "");
        assert_eq!(users.actor(&elsewhere, "you").await.principals, ["user:you"], "another tenant's people");
    }
}
