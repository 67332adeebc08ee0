//! Checks for `throughline doctor slack`: real calls, each made once.

use throughline_channels::slack::manifest::{OPTIONAL_SCOPES, SCOPES, missing};
use throughline_channels::slack::{Answer, Client, outbound};

use super::{Way, client, own_token};
use crate::config::{Config, SlackConfig};
use crate::finding::{Finding, State, finding};
use crate::start_error::StartError;
use throughline_net::Key;

/// Checks the app. Returns nothing if none is configured.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let Some(slack) = &config.slack else { return Vec::new() };
    let (client, token, way) = match read(slack) {
        Ok(read) => read,
        Err(error) => {
            let fix = "docs/slack.md shows where each token is (TL-1105)";
            return vec![finding("slack app", State::Broken, error.to_string(), Some(fix))];
        }
    };
    let mut found = Vec::new();
    if slack.allow_loopback {
        let fix = "remove slack.allow_loopback outside of tests";
        let text = format!("an emulator at {} is allowed", slack.api_base);
        found.push(finding("slack api", State::Warning, text, Some(fix)));
    }
    let Some(token) = token else {
        let text = "no workspace of its own; others install it at /slack/install";
        found.push(finding("slack app", State::Ok, text, None));
        found.push(delivered(config, &client, &way).await);
        return found;
    };
    match client.call_with_scopes(&token, &outbound::auth_test()).await {
        (Answer::Applied(told), scopes) => {
            let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
            let said = format!("@{} in {}", text("user"), text("team"));
            found.push(finding("slack app", State::Ok, said, None));
            found.extend(granted(scopes.as_deref()));
        }
        (answer, _) => {
            found.push(no_app(&answer));
            return found;
        }
    }
    found.push(delivered(config, &client, &way).await);
    found
}

fn read(slack: &SlackConfig) -> Result<(Client, Option<Key>, Way), StartError> {
    Ok((client(slack)?, own_token(slack)?, Way::of(&slack.mode)?))
}

fn no_app(answer: &Answer) -> Finding {
    let (text, fix) = match answer {
        Answer::Unauthorized(why) => (
            format!("Slack refuses the bot's token: {why}"),
            "copy it again from OAuth & Permissions into slack.bot_token_file (TL-3301)",
        ),
        Answer::NotSent(why) | Answer::Unknown(why) => {
            (format!("Slack cannot be reached: {why}"), "check the network, the proxy and slack.api_base")
        }
        other => (format!("Slack answers {other:?}"), "try again in a while"),
    };
    finding("slack app", State::Broken, text, Some(fix))
}

/// Compares the scopes of the token with those of the manifest.
fn granted(scopes: Option<&str>) -> Vec<Finding> {
    const WHAT: &str = "slack scopes";
    let Some(granted) = scopes else {
        let fix = "compare them with `throughline slack manifest`";
        return vec![finding(WHAT, State::Warning, "Slack does not say what the token may do", Some(fix))];
    };
    let lacking = missing(SCOPES, granted);
    if !lacking.is_empty() {
        let fix = "add them under OAuth & Permissions, Scopes, then press Reinstall to Workspace (TL-3302)";
        return vec![finding(WHAT, State::Broken, format!("missing: {}", lacking.join(", ")), Some(fix))];
    }
    let mut found = vec![finding(WHAT, State::Ok, "all that are needed", None)];
    for (scope, reason) in OPTIONAL_SCOPES {
        if !missing([scope], granted).is_empty() {
            let text = format!("{scope} is not granted, which is there {reason}");
            let fix = "add it only if you want that; then press Reinstall to Workspace";
            found.push(finding("slack option", State::Ok, text, Some(fix)));
        }
    }
    found
}

/// Checks that deliveries arrive in the configured way.
async fn delivered(config: &Config, client: &Client, way: &Way) -> Finding {
    const WHAT: &str = "slack events";
    match way {
        Way::Socket(token) => match client.call(token, &outbound::open_connection()).await {
            Answer::Applied(_) => finding(WHAT, State::Ok, "over sockets", None),
            Answer::MissingScope { needed } => {
                let fix = "make an app-level token with connections:write under Basic Information (TL-3302)";
                finding(WHAT, State::Broken, format!("the app-level token lacks {needed}"), Some(fix))
            }
            answer => {
                let fix = "turn on Socket Mode, and copy the app-level token again (TL-3305)";
                finding(WHAT, State::Broken, format!("no socket can be opened: {answer:?}"), Some(fix))
            }
        },
        Way::Http(_) => match config.server.public_url.as_deref().filter(|url| url.starts_with("https://")) {
            Some(url) => finding(
                WHAT,
                State::Ok,
                format!("posted to {}/slack/events", url.trim_end_matches('/')),
                None,
            ),
            None => {
                let fix = "set server.public_url to the https address that Slack reaches";
                finding(WHAT, State::Broken, "Slack has no address to post to", Some(fix))
            }
        },
    }
}
