//! Telegram adapter: bot, intake by polling or webhook, and contacts.
//!
//! Path of an update: `poll.rs` or the webhook's route → `intake.rs` (lane, inbox row) → the offset advances or 200 is
//! answered → a press is answered, outside of its lane.

mod contacts;
mod intake;
mod outage;
mod poll;
mod setup;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use throughline_channels::telegram::{Answer, Bot, BotToken, Client, Telegram, menu, outbound};
use throughline_engine::data::actor::Actor;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::{LaneKey, Language, Millis, Timestamp};
use throughline_runtime::Runtime;
use throughline_store::{Store, StoreError};
use tokio::sync::watch;

pub use intake::AcceptedUpdate;
pub use poll::{Polled, Poller};
pub use setup::{examine, set_up};

use crate::config::{Config, TelegramConfig, TelegramMode};
use crate::start_error::StartError;
pub(crate) use contacts::Contacts;

/// Telegram channel of one process.
pub struct Adapter {
    channel: Arc<Telegram>,
    contacts: Arc<Contacts>,
    store: Arc<dyn Store>,
    tenant: String,
    command: String,
    /// Name without the at sign, once Telegram has told it.
    username: OnceLock<String>,
    /// Webhook; `None` when polling.
    hook: Option<Hook>,
    /// True once updates are taken: polled for, or by webhook.
    listens: AtomicBool,
}

/// Webhook of the bot.
pub(crate) struct Hook {
    /// Last segment of its path.
    pub(crate) id: String,
    /// Secret that Telegram sends with each update.
    pub(crate) secret: String,
}

impl Adapter {
    /// Opens the configured channel; `None` if there is none. Telegram is not asked anything yet.
    ///
    /// # Errors
    /// The token, the secret or the address cannot be used.
    pub(crate) fn open(
        config: &Config,
        store: &Arc<dyn Store>,
        key: &[u8; 32],
    ) -> Result<Option<Self>, StartError> {
        let Some(telegram) = config.telegram.clone() else { return Ok(None) };
        let client = client(&telegram)?;
        let hook = match &telegram.mode {
            TelegramMode::Poll => None,
            TelegramMode::Webhook { secret_file } => {
                Some(Hook { id: hook_id(key, client.bot_id()), secret: secret(secret_file)? })
            }
        };
        let contacts = Arc::new(Contacts::new(config, store.clone(), client.bot_id()));
        let pages = config.server.public_url.as_deref();
        let language = config.language.as_deref().and_then(Language::of).unwrap_or_default();
        Ok(Some(Self {
            channel: Arc::new(Telegram::new(client, contacts.clone(), language).with_pages(pages)),
            contacts,
            store: store.clone(),
            tenant: config.tenant.clone(),
            command: config.policy.command.0.trim_start_matches('/').to_owned(),
            username: OnceLock::new(),
            listens: AtomicBool::new(hook.is_some()),
            hook,
        }))
    }

    /// Returns the channel for the runtime.
    pub(crate) fn channel(&self) -> Arc<Telegram> {
        self.channel.clone()
    }

    /// Returns the contacts.
    pub(crate) fn contacts(&self) -> Arc<Contacts> {
        self.contacts.clone()
    }

    /// Makes an invitation to an account, for the first person who follows it within ten minutes. Returns the link
    /// and the end of its validity.
    ///
    /// # Errors
    /// The store did not answer, or Telegram has not said which bot this is.
    pub async fn invite(&self, user: &str, random: [u8; 16]) -> Result<(String, Timestamp), StoreError> {
        let bot = self.bot().await.map_err(|answer| StoreError::Backend {
            act: "ask Telegram which bot this is",
            why: format!("{answer:?}"),
        })?;
        let token = URL_SAFE_NO_PAD.encode(random);
        let ends = self.store.now().plus(INVITATION_LIFETIME);
        self.contacts.offer(&self.tenant, &token, user, ends).await?;
        Ok((format!("https://t.me/{}?start={token}", bot.username), ends))
    }

    /// Returns true once updates are taken. Telegram may be out of reach: then they come when it is back.
    pub(crate) fn listens(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// Returns the webhook; `None` when polling.
    pub(crate) fn hook(&self) -> Option<&Hook> {
        self.hook.as_ref()
    }

    /// Returns the path of the webhook; `None` when polling.
    #[must_use]
    pub fn hook_path(&self) -> Option<String> {
        self.hook.as_ref().map(|hook| format!("/telegram/{}", hook.id))
    }

    /// Checks that updates can arrive in the configured way. The start goes on if Telegram cannot be reached.
    ///
    /// # Errors
    /// Polling is configured, and a webhook is set.
    pub(crate) async fn check(&self) -> Result<(), StartError> {
        if self.hook.is_some() {
            return Ok(());
        }
        match self.client().call(&outbound::get_webhook_info()).await {
            Answer::Applied(info) => match info["url"].as_str().filter(|url| !url.is_empty()) {
                Some(url) => Err(StartError::WebhookSet { url: url.into() }),
                None => Ok(()),
            },
            answer => {
                tracing::warn!(?answer, "Telegram cannot be asked how it delivers; polling tries for itself");
                Ok(())
            }
        }
    }

    /// Receives updates until told to stop.
    pub(crate) async fn run(self: Arc<Self>, runtime: Arc<Runtime>, mut stop: watch::Receiver<bool>) {
        let mut random = [0; 16];
        // Distinguishes processes; it need not be secret.
        let _ = getrandom::fill(&mut random);
        let mut poller = Poller::new(self.clone(), runtime.clone(), &hex(&random));
        let receiving = async {
            self.menu().await;
            match self.hook {
                None => poller.run().await,
                Some(_) => self.record_heartbeats(&runtime).await,
            }
        };
        tokio::select! {
            () = receiving => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        poller.answered().await;
        poller.resign().await;
    }

    fn client(&self) -> &Client {
        self.channel.client()
    }

    /// Returns the bot's identity, asking Telegram once. Updates wait for it: without the bot's name a mention of it
    /// could not be recognised.
    pub(crate) async fn bot(&self) -> Result<Bot, Answer> {
        let bot = |username: &String| Bot {
            id: self.client().bot_id(),
            username: username.clone(),
            command: self.command.clone(),
        };
        if let Some(username) = self.username.get() {
            return Ok(bot(username));
        }
        match self.client().call(&outbound::get_me()).await {
            Answer::Applied(me) => {
                let username = me["username"].as_str().unwrap_or_default().to_owned();
                Ok(bot(self.username.get_or_init(|| username)))
            }
            answer => Err(answer),
        }
    }

    /// Sets the menu of commands in every language, where it differs.
    pub async fn menu(&self) {
        for language in menu::LANGUAGES {
            match self.client().call(&menu::get_my_commands(language)).await {
                Answer::Applied(found) if found == menu::menu(language) => {}
                Answer::Applied(_) => {
                    let set = self.client().call(&menu::set_my_commands(language)).await;
                    if !matches!(set, Answer::Applied(_)) {
                        tracing::warn!(
                            language,
                            "the menu of commands was not set; the next start tries again"
                        );
                    }
                }
                answer => tracing::debug!(language, ?answer, "the menu of commands cannot be read"),
            }
        }
    }

    /// Returns the actor for a person without an account: their number and name.
    pub(crate) async fn stranger(contacts: &Contacts, lane: &LaneKey, id: &str) -> Actor {
        let known = contacts.person(&lane.tenant, id).await;
        let name = known.as_ref().map_or(id, |person| person.name.as_str()).to_owned();
        let shared = SHARED_ACCOUNTS.contains(&id) || known.is_some_and(|person| person.bot);
        let barred = shared.then(|| "bot".to_owned());
        Actor { id: id.into(), name, principals: vec![format!("telegram:{id}")], barred, ..Actor::default() }
    }
}

/// Lifetime of an invitation.
const INVITATION_LIFETIME: Millis = 10 * Timestamp::MINUTE;

/// Numbers that many people share: an anonymous administrator of a group, a channel, Telegram itself. They may not
/// approve.
const SHARED_ACCOUNTS: [&str; 3] = ["1087968824", "136817688", "777000"];

/// Makes a client with the configured token.
fn client(config: &TelegramConfig) -> Result<Client, StartError> {
    let cannot = |why: String| StartError::Telegram { why };
    let file = &config.token_file;
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(format!("the token file {} cannot be read: {error}", file.display())))?;
    let token = BotToken::read(&text).ok_or_else(|| {
        cannot(format!(
            "{} does not hold a bot's token, which is a number, a colon and a secret",
            file.display()
        ))
    })?;
    Client::new(&config.api_base, config.allow_loopback, token)
        .map_err(|why| cannot(format!("telegram.api_base cannot be used: {why}")))
}

/// Reads the webhook's secret: letters, digits, dashes and underscores, as Telegram accepts.
fn secret(file: &Path) -> Result<String, StartError> {
    let cannot = |why: String| StartError::Telegram { why };
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(format!("the secret file {} cannot be read: {error}", file.display())))?;
    let secret = text.trim();
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !(16..=256).contains(&secret.len()) || !secret.chars().all(good) {
        let why = "does not hold a secret of 16 to 256 letters, digits, dashes and underscores";
        return Err(cannot(format!("{} {why}", file.display())));
    }
    Ok(secret.to_owned())
}

/// Derives the webhook's path segment: unguessable without the instance key, and the same at every start.
fn hook_id(key: &[u8; 32], bot: i64) -> String {
    let digest = sha256(&[b"throughline/telegram-hook/1", key, bot.to_string().as_bytes()]);
    URL_SAFE_NO_PAD.encode(&digest[..16])
}
