//! Resolves the names in a scenario: messages, cards and buttons that were seen so far in a run.

use std::collections::BTreeMap;
use throughline_engine::data::message::Message;

use throughline_engine::data::action::{Action, allowed};
use throughline_engine::data::card_model::ItemModel;
use throughline_engine::data::event::Press;
use throughline_engine::data::id::SetId;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::{MessageKind, Role};
use throughline_engine::{CardId, MessageId};

use crate::driver::{DriverError, SeenCard, TurnSeen};
use crate::seed::SeedNames;

/// A message that was seen in a lane.
#[derive(Clone, Debug)]
struct KnownMessage {
    lane: String,
    id: MessageId,
    role: Role,
    kind: Option<MessageKind>,
    by: String,
    channel_id: Option<String>,
}

/// The meaning of an `as:` name: the message of the turn, the answer to it, and the card it made.
#[derive(Clone, Debug, Default)]
struct NamedTurn {
    heard: Option<(MessageId, Option<String>)>,
    answer: Option<MessageId>,
    card: Option<CardId>,
}

/// Messages and cards seen so far, and their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    messages: Vec<KnownMessage>,
    cards: Vec<SeenCard>,
    names: BTreeMap<String, NamedTurn>,
    sets: BTreeMap<(String, String), SetId>,
}

impl Transcript {
    pub(crate) fn new(seeded: &SeedNames) -> Self {
        let mut transcript = Self::default();
        for ((_, name), id) in seeded {
            let named = NamedTurn { heard: Some((id.clone(), None)), answer: Some(id.clone()), card: None };
            transcript.names.insert(name.clone(), named);
        }
        transcript
    }

    /// Adds the lane's new messages and the cards of a turn. Returns the number of messages known before.
    pub(crate) fn note(&mut self, lane_name: &str, lane: &Lane, seen: &TurnSeen) -> usize {
        let known = self.messages.len();
        for id in lane.head.window.iter() {
            if self.messages.iter().any(|noted| noted.lane == lane_name && noted.id == id) {
                continue;
            }
            let Some(message) = lane.records.get::<Message>(&id) else { continue };
            self.messages.push(KnownMessage {
                lane: lane_name.into(),
                id,
                role: message.role,
                kind: message.kind,
                by: message.by.clone(),
                channel_id: message.channel_id.clone(),
            });
        }
        self.cards.extend(seen.cards.iter().cloned());
        known
    }

    /// Names the messages that are new since `known`, and the newest card that `seen` changed.
    pub(crate) fn name(&mut self, name: &str, lane: &str, known: usize, seen: &TurnSeen) {
        let new = || self.messages[known..].iter().filter(|noted| noted.lane == lane);
        let ours = || new().filter(|noted| noted.role == Role::Assistant);
        let heard = new().rfind(|noted| noted.role == Role::User);
        let answer = ours()
            .rfind(|noted| noted.kind != Some(MessageKind::Notification))
            .or_else(|| ours().next_back());
        let named = NamedTurn {
            heard: heard.map(|noted| (noted.id.clone(), noted.channel_id.clone())),
            answer: answer.map(|noted| noted.id.clone()),
            card: self.touched(Some(lane), seen).last().cloned(),
        };
        self.names.insert(name.into(), named);
    }

    /// Names a list in a lane.
    pub(crate) fn set_is(&mut self, lane: &str, name: &str, id: &SetId) {
        self.sets.insert((lane.into(), name.into()), id.clone());
    }

    /// Returns the id of a list by its name, or the id itself.
    pub(crate) fn set(&self, lane: &str, name: &str) -> Result<SetId, DriverError> {
        if name.starts_with(SetId::PREFIX) {
            return Ok(SetId(name.into()));
        }
        let known = self.sets.get(&(lane.to_string(), name.to_string())).cloned();
        known.ok_or_else(|| DriverError(format!("no list is called `{name}` in lane {lane}")))
    }

    /// Returns the cards `seen` shows in a lane, or anywhere, in the order they first appeared in the run.
    pub(crate) fn touched(&self, lane: Option<&str>, seen: &TurnSeen) -> Vec<CardId> {
        let shown = |id: &CardId| seen.cards.iter().any(|card| card.id() == id);
        self.cards_of(lane).into_iter().filter(shown).collect()
    }

    /// Returns the cards of a lane, or all, in the order they first appeared.
    fn cards_of(&self, lane: Option<&str>) -> Vec<CardId> {
        let mut ids: Vec<CardId> = Vec::new();
        for card in self.cards.iter().filter(|card| lane.is_none_or(|lane| lane == card.lane)) {
            if !ids.contains(card.id()) {
                ids.push(card.id().clone());
            }
        }
        ids
    }

    /// Returns the last rendering of a card.
    pub(crate) fn rendering(&self, id: &CardId) -> Option<&SeenCard> {
        self.cards.iter().rev().find(|card| card.id() == id)
    }

    fn renderings<'a>(&'a self, id: &'a CardId) -> impl Iterator<Item = &'a SeenCard> {
        self.cards.iter().rev().filter(move |card| card.id() == id)
    }

    /// Returns the message that a reply or an expectation names.
    pub(crate) fn message(&self, lane: &str, name: &str) -> Result<MessageId, DriverError> {
        let here =
            || self.messages.iter().filter(|noted| noted.lane == lane && noted.role == Role::Assistant);
        let of_kind = |kind| here().rfind(|noted| noted.kind == Some(kind)).map(|noted| noted.id.clone());
        let found = match name {
            "latest" => {
                here().rfind(|noted| noted.kind != Some(MessageKind::Notification)).map(|n| n.id.clone())
            }
            "latest.card" => of_kind(MessageKind::Card),
            "latest.question" => of_kind(MessageKind::Question),
            "first.card" => here().find(|noted| noted.kind == Some(MessageKind::Card)).map(|n| n.id.clone()),
            _ => match version(name).filter(|_| !self.names.contains_key(name)) {
                Some(("card", _)) => of_kind(MessageKind::Card),
                Some((name, _)) => self.spoken(name)?,
                None => self.spoken(name)?,
            },
        };
        found.ok_or_else(|| DriverError(format!("there is no message `{name}` in lane {lane}")))
    }

    /// Returns the id of a user's own message that an edit names: the channel's id, or ours if it has none.
    pub(crate) fn own_message(&self, lane: &str, user: &str, name: &str) -> Result<String, DriverError> {
        let found = if name == "latest" {
            let own = |noted: &&KnownMessage| noted.lane == lane && noted.by == user;
            self.messages.iter().rev().find(own).map(|noted| (noted.id.clone(), noted.channel_id.clone()))
        } else {
            self.named(name)?.heard.clone()
        };
        let (id, channel) = found.ok_or_else(|| DriverError(format!("{user} wrote no message `{name}`")))?;
        Ok(channel.unwrap_or(id.0))
    }

    /// Returns the answer given in a named turn, or else the message of the turn.
    fn spoken(&self, name: &str) -> Result<Option<MessageId>, DriverError> {
        let named = self.named(name)?;
        Ok(named.answer.clone().or_else(|| named.heard.as_ref().map(|(id, _)| id.clone())))
    }

    fn named(&self, name: &str) -> Result<&NamedTurn, DriverError> {
        self.names.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names.keys().map(String::as_str).collect();
            let also = if known.is_empty() { String::new() } else { format!("; named so far: {}", known.join(", ")) };
            DriverError(format!(
                "nothing is called `{name}`: there are latest, latest.card, latest.question, first.card, card.vN and names given by `as`, with .vN for an older version{also}"
            ))
        })
    }

    /// Returns the press an act names. `latest` is the newest card that has, had or could have the button. If no
    /// rendering of the named version shows it, the press is a decision by id and version, as the API makes it.
    pub(crate) fn button(
        &self,
        lane: &str,
        name: &str,
        item: Option<&str>,
        actions: &[Action],
    ) -> Result<(Press, CardId), DriverError> {
        let (card, wanted) = self.card(lane, name, actions)?;
        let card = &card;
        let version = match wanted {
            Some(version) => version,
            None => self.renderings(card).map(|seen| seen.card.version).max().unwrap_or(1),
        };
        let at_version = || self.renderings(card).filter(|seen| seen.card.version == version);
        if at_version().next().is_none() {
            return Err(DriverError(format!("the card was never shown at version {version}")));
        }
        let item = item.map(|item| self.item(at_version(), item)).transpose()?;
        let own = |seen: &SeenCard| match &item {
            None => seen.card.buttons.clone(),
            Some(item) => {
                let model = seen.card.items.iter().find(|model| model.id == *item);
                model.map(|model| model.buttons.clone()).unwrap_or_default()
            }
        };
        let pressed = at_version()
            .flat_map(own)
            .filter(|button| actions.contains(&button.action))
            .find_map(|button| button.token.clone());
        let press = match pressed {
            Some(token) => Press::Token(token),
            None => {
                let steps = || at_version().flat_map(|seen| allowed(seen.card.step));
                let possible = actions.iter().copied().find(|action| steps().any(|known| known == action));
                let action = possible.or_else(|| actions.first().copied());
                let action = action.ok_or_else(|| DriverError("no such button".into()))?;
                Press::Decision { card: card.clone(), version, item: item.unwrap_or_default(), action }
            }
        };
        Ok((press, card.clone()))
    }

    /// Returns the id of an item by its position from 1, or by its label.
    fn item<'a>(
        &self,
        mut seen: impl Iterator<Item = &'a SeenCard>,
        named: &str,
    ) -> Result<String, DriverError> {
        let place = named.parse::<usize>().ok();
        let found = seen.find_map(|seen| match place {
            Some(place) => seen.card.items.get(place.checked_sub(1)?),
            None => {
                let is = |item: &&ItemModel| item.label.eq_ignore_ascii_case(named) || item.id == named;
                seen.card.items.iter().find(is)
            }
        });
        found
            .map(|item| item.id.clone())
            .ok_or_else(|| DriverError(format!("the card shows no item `{named}`")))
    }

    /// Returns the card a name means, and its version if the name has one.
    fn card(&self, lane: &str, name: &str, actions: &[Action]) -> Result<(CardId, Option<u32>), DriverError> {
        let cards = self.cards_of(Some(lane));
        let at = version(name).filter(|_| !self.names.contains_key(name));
        let found = match (name, at) {
            ("first.card", _) => cards.first().cloned(),
            ("latest" | "latest.card", _) => self.newest(&cards, actions, None),
            (_, Some(("card", version))) => self.newest(&cards, actions, Some(version)),
            (_, Some((name, _))) => self.named(name)?.card.clone(),
            (_, None) => self.named(name)?.card.clone(),
        };
        let found = found.ok_or_else(|| DriverError(format!("there is no card `{name}` in lane {lane}")))?;
        Ok((found, at.map(|(_, version)| version)))
    }

    fn newest(&self, cards: &[CardId], actions: &[Action], version: Option<u32>) -> Option<CardId> {
        let of_version = |id: &&CardId| {
            version.is_none_or(|version| self.renderings(id).any(|seen| seen.card.version == version))
        };
        let offers = |id: &&CardId| {
            self.renderings(id).any(|seen| {
                let of_items = seen.card.items.iter().flat_map(|item| &item.buttons);
                let shown =
                    seen.card.buttons.iter().chain(of_items).any(|button| actions.contains(&button.action));
                shown || allowed(seen.card.step).iter().any(|action| actions.contains(action))
            })
        };
        let newest = || cards.iter().rev().filter(of_version);
        newest().find(offers).or_else(|| newest().next()).cloned()
    }
}

/// Splits `card.v3` into `card` and 3, and `preview.v3` into `preview` and 3.
fn version(name: &str) -> Option<(&str, u32)> {
    let (name, version) = name.rsplit_once(".v")?;
    Some((name, version.parse().ok()?))
}
