//! Threads with an agent: status, title, suggested prompts.

use serde_json::{Value, json};

use super::super::state::Status;
use super::{Answer, ApiError, Ask, refuse};

/// The number of texts that are shown in turn, and of suggested prompts.
const MAX_LOADING: usize = 10;
const MAX_PROMPTS: usize = 4;

/// Returns the channel and the thread of a call.
fn thread(ask: &mut Ask<'_>) -> Result<(String, String), ApiError> {
    let thread = ask.required("thread_ts")?;
    let channel = ask.channel("channel_id")?;
    if !channel.messages.contains_key(&thread) {
        return refuse("invalid_thread_ts");
    }
    Ok((channel.id.clone(), thread))
}

pub(super) fn set_status(ask: &mut Ask<'_>) -> Answer {
    let (channel, thread) = thread(ask)?;
    let texts = ask.body["loading_messages"].as_array().cloned().unwrap_or_default();
    let loading: Vec<String> = texts.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let Some(text) = ask.body["status"].as_str().map(str::to_owned) else {
        return Err(ApiError::with_places("invalid_arguments", &["missing required field: status".into()]));
    };
    if loading.len() > MAX_LOADING || loading.len() != texts.len() {
        return refuse("invalid_arguments");
    }
    let place = (channel.clone(), thread.clone());
    ask.team.shown_statuses.insert(place, (text.clone(), ask.now));
    ask.team.statuses.push(Status { channel, thread, text, loading, at: ask.now });
    Ok(json!({}))
}

pub(super) fn set_title(ask: &mut Ask<'_>) -> Answer {
    let place = thread(ask)?;
    let title = ask.required("title")?;
    ask.team.titles.insert(place, title);
    Ok(json!({}))
}

pub(super) fn set_prompts(ask: &mut Ask<'_>) -> Answer {
    let place = thread(ask)?;
    let prompts = ask.body["prompts"].as_array().cloned().unwrap_or_default();
    let said = |prompt: &Value, name: &str| prompt[name].as_str().is_some_and(|text| !text.is_empty());
    let right = prompts.iter().all(|prompt| said(prompt, "title") && said(prompt, "message"));
    if prompts.is_empty() || prompts.len() > MAX_PROMPTS || !right {
        return refuse("invalid_arguments");
    }
    ask.team.prompts.insert(place, Value::Array(prompts));
    Ok(json!({}))
}
