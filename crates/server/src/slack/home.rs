//! App Home: what waits for a person, everywhere they take part.

use throughline_channels::Channel;
use throughline_channels::slack::render::{Home, HomeEntry, home};
use throughline_channels::slack::{Workspace, inbound, outbound};
use throughline_engine::data::actor::Actor;
use throughline_engine::data::approval::Approval;
use throughline_engine::data::card::Card;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::{Message, Role};
use throughline_engine::{CardId, LaneKey, MessageId, Timestamp};
use throughline_messages::{self as messages, Language};
use throughline_runtime::{Runtime, RuntimeError};

use super::Adapter;
use crate::approver_rules::{ApproverStanding, standing};
use crate::auth::{Scope, rights};

/// Most rows that are looked through for one Home.
const LOOKED: u32 = 200;
/// Characters of what was said last in a thread.
const SAID: usize = 120;

impl Adapter {
    /// Renews a person's Home. `cleared` is the thread whose choice is being cleared.
    pub(super) async fn show_home(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        member: &str,
        cleared: Option<&str>,
    ) {
        let person = self.people.account(&workspace.tenant, member);
        let language = self.language_of(workspace, member);
        match self.home_of(runtime, workspace, &person, language).await {
            Ok(mut model) => {
                // Its turn may not have been taken yet.
                model.modes.retain(|mode| cleared.is_none() || mode.clear.as_deref() != cleared);
                let view = home(&model, language);
                self.signal(workspace, &outbound::publish_home(member, &view)).await;
            }
            Err(error) => tracing::warn!(%error, "a person's Home cannot be made"),
        }
    }

    async fn home_of(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        person: &str,
        language: Language,
    ) -> Result<Home, RuntimeError> {
        let lane = inbound::lane(&workspace.tenant, &workspace.app, "", "");
        let actor = self.people.actor(&lane, person).await;
        let mut model = Home { command: format!("/{}", self.command), ..Home::default() };
        let mut waiting = self.store.approvals(&workspace.tenant, true, LOOKED).await?;
        waiting.sort_by_key(|row| row.approval.created_at);
        for row in waiting {
            let theirs = self.store.took_part(&row.lane, person).await?;
            let may = standing(runtime.policy(), &actor, &row.approval) == ApproverStanding::May;
            if may || theirs {
                let page = self.page_of(&row.approval.card).filter(|_| may && opens_pages(&actor));
                let entry = self.entry(runtime, &row.lane, &row.approval.card).await?;
                let note = Some(waits(&row.approval, self.store.now(), language));
                model.waiting.push(HomeEntry { link: entry.link.or(page), note, ..entry });
            }
        }
        for info in self.store.lanes_of(&workspace.tenant, person, None, LOOKED).await? {
            if info.key.channel != self.channel.name() {
                continue;
            }
            let lane = runtime.lane(&info.key).await?;
            let entry = self.thread(&lane);
            if let Some(remembered) = &lane.head.remembered {
                let text = format!("{}: {}", remembered.intent.as_str(), entry.text);
                model.modes.push(HomeEntry { text, clear: Some(place_of(&info.key)), ..entry.clone() });
            }
            if !entry.text.is_empty() {
                model.threads.push(entry);
            }
        }
        Ok(model)
    }

    /// Returns the line of a card that waits: what it asks, with the address of its message.
    async fn entry(
        &self,
        runtime: &Runtime,
        key: &LaneKey,
        card: &CardId,
    ) -> Result<HomeEntry, RuntimeError> {
        let lane = runtime.lane(key).await?;
        let mut entry = HomeEntry { text: card.0.clone(), link: self.link(key), ..HomeEntry::default() };
        if let Some(card) = lane.records.get::<Card>(card) {
            entry.text = runtime.card_model(&lane, card).await?.title;
            let sent = self.store.channel_ids(key, card.message.as_str()).await?;
            entry.link = sent.last().and_then(|id| self.channel.link_to(key, id)).or(entry.link);
        }
        Ok(entry)
    }

    /// Returns the line of a thread: what a person said there last. Empty where nobody said anything.
    fn thread(&self, lane: &Lane) -> HomeEntry {
        let said =
            |id: MessageId| lane.records.get::<Message>(&id).filter(|message| message.role == Role::User);
        let newest = lane.head.window.iter().filter_map(said).next_back();
        let text = newest.map(|message| message.text.chars().take(SAID).collect()).unwrap_or_default();
        HomeEntry { text, link: self.link(&lane.key), ..HomeEntry::default() }
    }

    /// Returns the address of an approval's page, for one that waits outside of Slack.
    fn page_of(&self, card: &CardId) -> Option<String> {
        Some(format!("{}/console/approvals/{card}", self.pages.as_ref()?))
    }

    /// Returns the address of a lane of this channel.
    fn link(&self, lane: &LaneKey) -> Option<String> {
        if lane.channel == self.channel.name() { self.channel.link(lane) } else { None }
    }
}

/// Returns who waits, since when and until when.
fn waits(approval: &Approval, now: Timestamp, language: Language) -> String {
    let (who, since) = (&approval.requested_by, approval.created_at.deadline_at(now, language));
    match approval.expires_at {
        Some(end) => messages::slack_home_waits_until(language, since, end.deadline_at(now, language), who),
        None => messages::slack_home_waits(language, since, who),
    }
}

/// Returns true if one of the person's roles opens approvals on the pages.
fn opens_pages(actor: &Actor) -> bool {
    let roles: Vec<String> =
        actor.principals.iter().filter_map(|one| one.strip_prefix("role:").map(str::to_owned)).collect();
    rights(&roles).contains(&Scope::ApprovalsDecide)
}

/// Returns the place of a lane, as a button of Home carries it.
fn place_of(lane: &LaneKey) -> String {
    format!("{}:{}", lane.conversation, lane.thread)
}
