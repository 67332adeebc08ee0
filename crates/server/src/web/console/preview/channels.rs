//! Drawing of a message on a channel: the channel's own renderer, read back as what a client makes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use throughline_channels::drawn::Run;
use throughline_channels::slack::block_kit::{self, Block};
use throughline_channels::slack::render::{self as slack, Look};
use throughline_channels::telegram::{html, render as telegram};
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::message::{MessageKind, Role};
use throughline_runtime::MessageView;

use crate::config::{Config, User};
use crate::language;
use crate::web::history::Item;

/// Token of a button in a picture. No press has it.
const TOKEN: &str = "preview";

/// Content of a message, as a channel is given it.
pub(super) enum Content<'c> {
    /// Message of a person: theirs, so no renderer of ours has a part in it.
    Person,
    /// Message that is not there any more.
    Gone,
    /// Notice to one person.
    Notice(&'c str),
    Question(&'c str),
    Reply(&'c str),
    Card(&'c CardModel),
}

impl<'c> Content<'c> {
    pub(super) fn of(item: &'c Item, view: Option<&'c MessageView>, card: Option<&'c CardModel>) -> Self {
        match (view, card) {
            (_, Some(card)) => Self::Card(card),
            _ if item.is_gone() => Self::Gone,
            (None, None) => Self::Notice(item.text()),
            (Some(view), None) if view.role == Role::User => Self::Person,
            (Some(view), None) if view.kind == Some(MessageKind::Question) => Self::Question(&view.text),
            (Some(view), None) => Self::Reply(&view.text),
        }
    }
}

/// Returns the card with buttons that no press can come from.
pub(super) fn pictured(mut card: CardModel) -> CardModel {
    let of_items = card.items.iter_mut().flat_map(|item| &mut item.buttons);
    for token in card.buttons.iter_mut().chain(of_items).filter_map(|button| button.token.as_mut()) {
        TOKEN.clone_into(token);
    }
    card
}

/// Message on Slack.
#[derive(Default, Serialize)]
pub(super) struct OnSlack {
    /// Messages; none where no renderer has a part in it.
    messages: Vec<Vec<Block>>,
    /// Blocks of a card, as the Block Kit Builder takes them.
    json: Option<String>,
}

/// Message on Telegram.
#[derive(Default, Serialize)]
pub(super) struct OnTelegram {
    /// Messages; none where no renderer has a part in it.
    messages: Vec<TelegramMessage>,
    /// Text of a window over the chat, which answers a press.
    alert: Option<String>,
}

#[derive(Serialize)]
struct TelegramMessage {
    runs: Vec<Run>,
    /// Labels of the inline keyboard, row by row.
    keys: Vec<Vec<String>>,
    /// Hint in the field for the reply.
    hint: Option<String>,
}

/// Settings with which the channels of this installation draw.
pub(super) struct Pen {
    look: Look,
    /// People's names by the ids under which Slack mentions them.
    members: BTreeMap<String, String>,
}

impl Pen {
    pub(super) fn of(config: &Config) -> Self {
        let member = |user: &Arc<User>| Some((user.slack.clone()?, user.id.clone()));
        let members: BTreeMap<_, _> = config.users.configured().iter().filter_map(member).collect();
        let people = members.iter().map(|(member, user)| (user.clone(), member.clone())).collect();
        let pages = config.server.public_url.clone();
        Self { look: Look { people, language: language::here(), pages }, members }
    }

    pub(super) fn on_slack(&self, content: &Content<'_>) -> OnSlack {
        match content {
            Content::Person | Content::Gone => OnSlack::default(),
            Content::Notice(text) | Content::Question(text) | Content::Reply(text) => {
                let read = |message: &slack::Message| self.read(message);
                OnSlack { messages: slack::reply(text).iter().map(read).collect(), json: None }
            }
            Content::Card(card) => {
                let message = slack::card(card, &self.look, false);
                let json = serde_json::to_string_pretty(&json!({ "blocks": message.blocks })).ok();
                OnSlack { messages: vec![self.read(&message)], json }
            }
        }
    }

    /// Reads a message back, with the names of those whom it mentions.
    fn read(&self, message: &slack::Message) -> Vec<Block> {
        let mut blocks = block_kit::read(&message.blocks);
        for block in &mut blocks {
            match block {
                Block::Text { runs } => self.name(runs),
                Block::SmallPrint { prints } => prints.iter_mut().for_each(|runs| self.name(runs)),
                _ => {}
            }
        }
        blocks
    }

    fn name(&self, runs: &mut [Run]) {
        for run in runs {
            if let Run::Person { id, name } = run {
                *name = self.members.get(id).cloned();
            }
        }
    }

    pub(super) fn on_telegram(&self, content: &Content<'_>) -> OnTelegram {
        let language = self.look.language;
        let parts = match content {
            Content::Person | Content::Gone => return OnTelegram::default(),
            Content::Notice(text) => {
                return OnTelegram { messages: Vec::new(), alert: Some(telegram::alert(text)) };
            }
            Content::Question(text) => telegram::question(text, None, &[], language),
            Content::Reply(text) => telegram::reply(text, None),
            Content::Card(card) => match &self.look.pages {
                Some(pages) => {
                    telegram::card(&telegram::with_pages((*card).clone(), pages), &BTreeMap::new(), language)
                }
                None => telegram::card(card, &BTreeMap::new(), language),
            },
        };
        OnTelegram { messages: parts.into_iter().map(TelegramMessage::from).collect(), alert: None }
    }
}

impl From<telegram::Part> for TelegramMessage {
    fn from(part: telegram::Part) -> Self {
        let labels = |row: Vec<telegram::InlineButton>| row.into_iter().map(|key| key.label).collect();
        Self {
            runs: html::runs(&part.html),
            keys: part.keys.into_iter().map(labels).collect(),
            hint: part.prompt.map(|prompt| prompt.hint),
        }
    }
}
