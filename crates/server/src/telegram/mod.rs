//! Telegram, plugged in: its bot, the way in (polling or webhook) and what is kept about chats and people.
//!
//! An update's way: [`poll`] or [`hook`] → [`intake`] (lane, inbox row) → only then the offset moves on or 200 is
//! answered → the press's answer, beside the lane.

mod book;
mod hook;
mod intake;
mod outage;
mod poll;
mod setup;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use throughline_channels::telegram::{Answer, Bot, BotToken, Client, Telegram, menu, outbound};
use throughline_engine::canon::{hex, sha256};
use throughline_engine::given::Actor;
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_runtime::Runtime;
use throughline_store::{Store, StoreError};
use tokio::sync::watch;

pub use intake::Taken;
pub use poll::{Polled, Poller};
pub use setup::{examine, set_up};

pub(crate) use hook::post_update;

use crate::config::{TelegramConfig, TelegramMode};
use crate::{Config, StartError};
pub(crate) use book::Book;

/// The Telegram channel of one process.
pub struct Edge {
    channel: Arc<Telegram>,
    book: Arc<Book>,
    store: Arc<dyn Store>,
    tenant: String,
    command: String,
    /// Without the at sign, once Telegram told it.
    username: OnceLock<String>,
    /// Of the webhook; none when polling.
    hook: Option<Hook>,
}

/// What a webhook is known by.
struct Hook {
    /// The last part of its path.
    id: String,
    /// What Telegram sends along.
    secret: String,
}

impl Edge {
    /// The configured channel; `None` when there is none. Nothing is asked of Telegram yet.
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
        let book = Arc::new(Book::new(config, store.clone(), client.bot_id()));
        let pages = config.server.public_url.as_deref();
        Ok(Some(Self {
            channel: Arc::new(Telegram::new(client, book.clone()).with_pages(pages)),
            book,
            store: store.clone(),
            tenant: config.tenant.clone(),
            command: config.policy.command.0.trim_start_matches('/').to_owned(),
            username: OnceLock::new(),
            hook,
        }))
    }

    /// The channel, for the loop.
    pub(crate) fn channel(&self) -> Arc<Telegram> {
        self.channel.clone()
    }

    /// What is kept about chats and people.
    pub(crate) fn book(&self) -> Arc<Book> {
        self.book.clone()
    }

    /// A link by which whoever follows it first joins that account, within ten minutes (`spec 07 §3.3`), and when they
    /// are over.
    ///
    /// # Errors
    /// The store did not answer, or Telegram has not said which bot this is.
    pub async fn invite(&self, user: &str, random: [u8; 16]) -> Result<(String, Timestamp), StoreError> {
        let bot = self.bot().await.map_err(|answer| StoreError::Backend {
            act: "ask Telegram which bot this is",
            why: format!("{answer:?}"),
        })?;
        let token = URL_SAFE_NO_PAD.encode(random);
        let ends = self.store.now().plus(INVITED);
        self.book.offer(&self.tenant, &token, user, ends).await?;
        Ok((format!("https://t.me/{}?start={token}", bot.username), ends))
    }

    /// The path that updates are delivered to. `None` when polling.
    #[must_use]
    pub fn hook_path(&self) -> Option<String> {
        self.hook.as_ref().map(|hook| format!("/telegram/{}", hook.id))
    }

    /// Whether updates can come the way the configuration says. Telegram being out of reach is no reason not to start.
    ///
    /// # Errors
    /// Polling, and a webhook is set.
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

    /// Receives until told to stop.
    pub(crate) async fn run(self: Arc<Self>, runtime: Arc<Runtime>, mut stop: watch::Receiver<bool>) {
        let mut random = [0; 16];
        // Only to tell two processes apart.
        let _ = getrandom::fill(&mut random);
        let mut poller = Poller::new(self.clone(), runtime.clone(), &hex(&random));
        let receiving = async {
            self.menu().await;
            match self.hook {
                None => poller.run().await,
                Some(_) => self.listen(&runtime).await,
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

    /// Who we are. Asked once: without our own name no mention is ours, and what mentions us would be overheard.
    async fn bot(&self) -> Result<Bot, Answer> {
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

    /// Keeps the menu of commands as it should be, in every language.
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

    /// Somebody of a Telegram lane who has no account with us: their number, and a name to call them.
    pub(crate) async fn stranger(book: &Book, lane: &LaneKey, id: &str) -> Actor {
        let known = book.person(&lane.tenant, id).await;
        let name = known.as_ref().map_or(id, |person| person.name.as_str()).to_owned();
        let nobody = NOBODY.contains(&id) || known.is_some_and(|person| person.bot);
        let barred = nobody.then(|| "bot".to_owned());
        Actor { id: id.into(), name, principals: vec![format!("telegram:{id}")], barred, ..Actor::default() }
    }
}

/// How long an invitation is good.
const INVITED: Millis = 10 * Timestamp::MINUTE;

/// Accounts that stand for many: an anonymous administrator of a group, a channel, Telegram itself (`spec 06 §5.2`).
const NOBODY: [&str; 3] = ["1087968824", "136817688", "777000"];

/// A client with the configured token.
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

/// The webhook's secret: 1 to 256 letters, digits, dashes and underscores, as Telegram takes it.
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

/// Where updates are delivered: unguessable without the instance key, and the same at every start.
fn hook_id(key: &[u8; 32], bot: i64) -> String {
    let digest = sha256(&[b"throughline/telegram-hook/1", key, bot.to_string().as_bytes()]);
    URL_SAFE_NO_PAD.encode(&digest[..16])
}
