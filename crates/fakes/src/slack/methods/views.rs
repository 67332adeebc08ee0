//! Modals and Home tabs.

use serde_json::{Value, json};

use super::super::blocks;
use super::super::state::{TRIGGER_LIFETIME, Team, View};
use super::{Answer, ApiError, Ask, refuse};

/// The number of views in a stack.
const MAX_STACK: usize = 3;

/// Uses a trigger. Returns whose it is.
fn trigger(ask: &mut Ask<'_>) -> Result<String, ApiError> {
    let id = ask.text("trigger_id").to_owned();
    if id.is_empty() {
        return Err(ApiError::with_places(
            "invalid_arguments",
            &["missing required field: trigger_id".into()],
        ));
    }
    let now = ask.now;
    let trigger = ask.team.triggers.get_mut(&id).ok_or_else(|| ApiError::new("invalid_trigger_id"))?;
    if trigger.used {
        return refuse("exchanged_trigger_id");
    }
    if now - trigger.at > TRIGGER_LIFETIME {
        return refuse("expired_trigger_id");
    }
    trigger.used = true;
    Ok(trigger.user.clone())
}

/// Returns a view, checked and with ids. It sees the same ids as before if it replaces one.
pub(in crate::slack) fn checked(team: &mut Team, given: &Value, kind: &str) -> Result<Value, ApiError> {
    let mut wrong = blocks::check_view(given);
    if wrong.is_empty() && given["type"] != kind {
        wrong.push(format!("must be a {kind} [json-pointer:/view/type]"));
    }
    if !wrong.is_empty() {
        return Err(ApiError::with_places("invalid_arguments", &wrong));
    }
    if given.to_string().len() > 250_000 {
        return refuse("view_too_large");
    }
    let mut body = given.clone();
    let listed = given["blocks"].as_array().map(Vec::as_slice).unwrap_or_default();
    body["blocks"] = json!(blocks::with_ids(listed, || team.id("b")));
    Ok(body)
}

/// Returns a new view, which is not shown yet.
pub(in crate::slack) fn created(team: &mut Team, body: Value, user: &str, now: i64) -> View {
    let (id, hash) = (team.id("V"), hash(team, now));
    let (user, root) = (user.to_owned(), id.clone());
    View { id, hash, user, body, values: json!({}), root, ..View::default() }
}

/// Returns a new hash.
pub(in crate::slack) fn hash(team: &mut Team, now: i64) -> String {
    format!("{}.{}", now / 1_000, team.id("h"))
}

/// Returns an error if another view has the external id.
fn free_external_id(ask: &Ask<'_>, body: &Value) -> Result<(), ApiError> {
    let id = body["external_id"].as_str().unwrap_or_default();
    let mut open = ask.team.modals.values().flatten();
    if !id.is_empty() && open.any(|view| view.body["external_id"] == id) {
        return refuse("duplicate_external_id");
    }
    Ok(())
}

pub(super) fn open(ask: &mut Ask<'_>) -> Answer {
    let body = checked(ask.team, &ask.body["view"], "modal")?;
    free_external_id(ask, &body)?;
    let user = trigger(ask)?;
    let view = created(ask.team, body, &user, ask.now);
    ask.team.modals.insert(user, vec![view.clone()]);
    Ok(json!({"view": view.json(ask.team)}))
}

pub(super) fn push(ask: &mut Ask<'_>) -> Answer {
    let body = checked(ask.team, &ask.body["view"], "modal")?;
    free_external_id(ask, &body)?;
    let user = trigger(ask)?;
    if ask.team.modals.get(&user).is_none_or(Vec::is_empty) {
        return refuse("not_found");
    }
    let view = created(ask.team, body, &user, ask.now);
    let view = pushed(ask.team, view)?;
    Ok(json!({"view": view.json(ask.team)}))
}

/// Puts a view on top of its person's stack.
pub(in crate::slack) fn pushed(team: &mut Team, mut view: View) -> Result<View, ApiError> {
    let stack = team.modals.entry(view.user.clone()).or_default();
    if stack.len() >= MAX_STACK {
        return refuse("push_limit_reached");
    }
    if let Some(below) = stack.last() {
        (view.previous, view.root) = (Some(below.id.clone()), below.root.clone());
    }
    stack.push(view.clone());
    Ok(view)
}

pub(super) fn update(ask: &mut Ask<'_>) -> Answer {
    let (id, external, hash) =
        (ask.text("view_id").to_owned(), ask.text("external_id").to_owned(), ask.text("hash").to_owned());
    let is = |view: &View| {
        !id.is_empty() && view.id == id || !external.is_empty() && view.body["external_id"] == external
    };
    let modals = ask.team.modals.values().flatten();
    let Some(before) = modals.chain(ask.team.homes.values()).find(|view| is(view)).cloned() else {
        return refuse("not_found");
    };
    if !hash.is_empty() && hash != before.hash {
        return refuse("hash_conflict");
    }
    let kind = before.body["type"].as_str().unwrap_or_default().to_owned();
    let body = checked(ask.team, &ask.body["view"], &kind)?;
    let view = replaced(ask.team, &before, body, ask.now);
    Ok(json!({"view": view.json(ask.team)}))
}

/// Replaces the contents of a view. What was typed stays where block and action stay.
pub(in crate::slack) fn replaced(team: &mut Team, before: &View, body: Value, now: i64) -> View {
    let mut view = View { body, hash: hash(team, now), errors: Default::default(), ..before.clone() };
    let kept: Vec<String> =
        view.blocks().iter().filter_map(|block| block["block_id"].as_str().map(str::to_owned)).collect();
    if let Some(values) = view.values.as_object_mut() {
        values.retain(|block, _| kept.contains(block));
    }
    let shown = team.modals.values_mut().flatten().chain(team.homes.values_mut());
    for slot in shown.filter(|slot| slot.id == view.id) {
        *slot = view.clone();
    }
    view
}

pub(super) fn publish(ask: &mut Ask<'_>) -> Answer {
    let user = ask.required("user_id")?;
    if !ask.team.users.contains_key(&user) {
        return refuse("user_not_found");
    }
    let hash = ask.text("hash").to_owned();
    let before = ask.team.homes.get(&user).cloned();
    if !hash.is_empty() && before.as_ref().is_some_and(|before| before.hash != hash) {
        return refuse("hash_conflict");
    }
    let body = checked(ask.team, &ask.body["view"], "home")?;
    let view = match before {
        Some(before) => replaced(ask.team, &before, body, ask.now),
        None => created(ask.team, body, &user, ask.now),
    };
    ask.team.homes.insert(user, view.clone());
    Ok(json!({"view": view.json(ask.team)}))
}
