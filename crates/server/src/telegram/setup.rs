//! Checks for `throughline doctor telegram`, and the actions of `throughline telegram setup`: real calls, each made
//! once.

use throughline_channels::telegram::outbound::{self, Call};
use throughline_channels::telegram::{Answer, Client, menu};

use super::{client, hook_id, secret};
use crate::config::{Config, TelegramConfig, TelegramMode};
use crate::finding::{Finding, State, finding};
use crate::instance_key;
use crate::start_error::StartError;

/// Checks the bot. `alone` means that no instance of ours is running, so that asking for updates disturbs nobody.
/// Returns nothing if no bot is configured.
pub async fn examine(config: &Config, alone: bool) -> Vec<Finding> {
    let Some(telegram) = &config.telegram else { return Vec::new() };
    let client = match client(telegram) {
        Ok(client) => client,
        Err(error) => {
            let fix = "write the token that @BotFather gave into the file (TL-1104)";
            return vec![finding("telegram bot", State::Broken, error.to_string(), Some(fix))];
        }
    };
    let mut found = Vec::new();
    if telegram.allow_loopback {
        let fix = "remove telegram.allow_loopback outside of tests";
        let text = format!("an emulator at {} is allowed", telegram.api_base);
        found.push(finding("telegram api", State::Warning, text, Some(fix)));
    }
    match client.call(&outbound::get_me()).await {
        Answer::Applied(me) => {
            let name = me["username"].as_str().unwrap_or_default();
            found.push(finding(
                "telegram bot",
                State::Ok,
                format!("@{name}, number {}", client.bot_id()),
                None,
            ));
            found.push(privacy(me["can_read_all_group_messages"] == true));
        }
        answer => {
            found.push(no_bot(&answer));
            return found;
        }
    }
    found.push(delivery(config, telegram, &client, alone).await);
    found
}

fn no_bot(answer: &Answer) -> Finding {
    let (text, fix) = match answer {
        Answer::Unauthorized(_) | Answer::Rejected(_) => (
            "Telegram refuses the token".to_owned(),
            "ask @BotFather for the token (/mybots, API Token) and write it into telegram.token_file (TL-3201)",
        ),
        Answer::NotSent(why) | Answer::Unknown(why) => (
            format!("Telegram cannot be reached: {why}"),
            "check the network, the proxy and telegram.api_base",
        ),
        other => (format!("Telegram answers {other:?}"), "try again in a while"),
    };
    finding("telegram bot", State::Broken, text, Some(fix))
}

fn privacy(reads_all: bool) -> Finding {
    if reads_all {
        let fix = "it works without: @BotFather, /setprivacy, Enable; then add the bot to its groups again";
        return finding(
            "telegram privacy",
            State::Warning,
            "off: the bot receives every message of its groups",
            Some(fix),
        );
    }
    let text = "on: in groups the bot receives commands, mentions and replies to it, which is all it needs";
    finding("telegram privacy", State::Ok, text, None)
}

/// Checks that updates arrive in the configured way.
async fn delivery(config: &Config, telegram: &TelegramConfig, client: &Client, alone: bool) -> Finding {
    const WHAT: &str = "telegram updates";
    let info = match client.call(&outbound::get_webhook_info()).await {
        Answer::Applied(info) => info,
        answer => {
            return finding(
                WHAT,
                State::Broken,
                format!("Telegram answers {answer:?}"),
                Some("try again in a while"),
            );
        }
    };
    let set = info["url"].as_str().unwrap_or_default();
    let waiting = info["pending_update_count"].as_i64().unwrap_or_default();
    match (&telegram.mode, set) {
        (TelegramMode::Poll, "") if alone => match client.call(&outbound::get_updates(None, 0)).await {
            Answer::Conflict(why) => {
                let fix =
                    "stop the other program that uses this bot, or make a bot of its own for it (TL-3204)";
                finding(
                    WHAT,
                    State::Broken,
                    format!("another program polls with this token: {why}"),
                    Some(fix),
                )
            }
            _ => finding(WHAT, State::Ok, format!("polling; {waiting} wait"), None),
        },
        (TelegramMode::Poll, "") => finding(WHAT, State::Ok, format!("polling; {waiting} wait"), None),
        (TelegramMode::Poll, set) => {
            let fix = "`throughline telegram setup` removes it; what waits is kept (TL-3203)";
            finding(
                WHAT,
                State::Broken,
                format!("a webhook is set to {set}, so nothing can be polled"),
                Some(fix),
            )
        }
        (TelegramMode::Webhook { .. }, set) => match hook_url(config, client) {
            Err(why) => finding(WHAT, State::Broken, why, Some("see docs/telegram.md, Webhook")),
            Ok(url) if url != set => {
                let found =
                    if set.is_empty() { "no webhook is set".into() } else { format!("the webhook is {set}") };
                finding(WHAT, State::Broken, found, Some("`throughline telegram setup` sets ours"))
            }
            Ok(_) => match info["last_error_message"].as_str() {
                Some(error) => {
                    let fix = "the address has to be reachable from outside, over https, and answer 2xx";
                    finding(
                        WHAT,
                        State::Warning,
                        format!("Telegram last failed to deliver: {error}; {waiting} wait"),
                        Some(fix),
                    )
                }
                None => finding(WHAT, State::Ok, format!("by webhook; {waiting} wait"), None),
            },
        },
    }
}

/// Returns the address of the webhook.
fn hook_url(config: &Config, client: &Client) -> Result<String, String> {
    let base = config
        .server
        .public_url
        .as_deref()
        .ok_or("server.public_url is not set, so Telegram cannot find us")?;
    if !base.starts_with("https://") {
        return Err(format!("server.public_url is {base}; Telegram delivers to https only"));
    }
    let file = config.key_file().ok_or("a store in memory has no lasting instance key; use sqlite")?;
    let (key, _) = instance_key::load_or_make(&file).map_err(|error| error.to_string())?;
    Ok(format!("{}/telegram/{}", base.trim_end_matches('/'), hook_id(&key, client.bot_id())))
}

/// Applies the configuration to Telegram: sets or removes the webhook, and sets the menu of commands. Returns what
/// was done.
///
/// # Errors
/// The configuration cannot be used.
pub async fn set_up(config: &Config) -> Result<Vec<Finding>, StartError> {
    let cannot = |why: String| StartError::Telegram { why };
    let telegram = config.telegram.as_ref();
    let telegram =
        telegram.ok_or_else(|| cannot("telegram.token_file is not set, so there is no bot".into()))?;
    let client = client(telegram)?;
    let mut done = Vec::new();
    match client.call(&outbound::get_me()).await {
        Answer::Applied(me) => {
            let name = me["username"].as_str().unwrap_or_default();
            done.push(finding("bot", State::Ok, format!("@{name}: https://t.me/{name}"), None));
        }
        answer => return Ok(vec![no_bot(&answer)]),
    }
    let (call, said) = match &telegram.mode {
        TelegramMode::Poll => (outbound::delete_webhook(), "polling: no webhook is set".to_owned()),
        TelegramMode::Webhook { secret_file } => {
            let url = hook_url(config, &client).map_err(cannot)?;
            let said = format!("delivered to {url}");
            (outbound::set_webhook(&url, &secret(secret_file)?), said)
        }
    };
    done.push(made(&client, "updates", &call, &said).await);
    for language in menu::LANGUAGES {
        let said = match language {
            "" => "the menu is set".to_owned(),
            language => format!("the menu is set for {language}"),
        };
        done.push(made(&client, "commands", &menu::set_my_commands(language), &said).await);
    }
    Ok(done)
}

async fn made(client: &Client, what: &'static str, call: &Call, said: &str) -> Finding {
    match client.call(call).await {
        Answer::Applied(_) => finding(what, State::Ok, said, None),
        answer => finding(
            what,
            State::Broken,
            format!("{} failed: {answer:?}", call.method),
            Some("try again in a while"),
        ),
    }
}
