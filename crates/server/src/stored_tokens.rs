//! Answers as they are stored for their Idempotency-Key: without the tokens of buttons. A token can be made again from
//! the card, so a copy of the database presses nothing.

use serde_json::Value;
use throughline_engine::CardId;
use throughline_engine::data::action::Action;
use throughline_runtime::Keys;

/// Beginning of a token's member.
const MEMBER: &str = "\"token\":";
/// Separates the parts of what is stored for a token. Nothing that is shown has this character.
const MARK: char = '\u{1}';

/// Returns the answer with each token replaced by what it is made from, and its hash.
pub(crate) fn hidden(body: &str) -> String {
    let mut stored = body.to_owned();
    if body.contains(MEMBER) {
        let answer: Value = serde_json::from_str(body).unwrap_or_default();
        hide_in(&answer, &mut stored);
    }
    stored
}

/// Returns the answer as it was given.
pub(crate) fn shown(keys: &Keys, tenant: &str, stored: &str) -> String {
    let mut body = String::with_capacity(stored.len());
    let mut rest = stored;
    while let Some(at) = rest.find(MEMBER) {
        let (before, value) = rest.split_at(at + MEMBER.len());
        body.push_str(before);
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let kept = values.next().and_then(Result::ok);
        let length = values.byte_offset();
        match kept.and_then(|kept| token(keys, tenant, &kept)) {
            Some(token) => {
                body.push_str(&Value::from(token).to_string());
                rest = &value[length..];
            }
            None => rest = value,
        }
    }
    body.push_str(rest);
    body
}

/// Replaces the tokens of every card in a part of the answer.
fn hide_in(part: &Value, stored: &mut String) {
    if let (Some(card), Some(version)) = (part["id"].as_str(), part["version"].as_u64()) {
        hide_buttons(&part["buttons"], (card, version, ""), stored);
        for item in part["items"].as_array().into_iter().flatten() {
            hide_buttons(&item["buttons"], (card, version, item["id"].as_str().unwrap_or_default()), stored);
        }
    }
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| hide_in(part, stored)),
        Value::Object(members) => members.values().for_each(|part| hide_in(part, stored)),
        _ => {}
    }
}

fn hide_buttons(buttons: &Value, (card, version, item): (&str, u64, &str), stored: &mut String) {
    for button in buttons.as_array().into_iter().flatten() {
        let (Some(token), Some(action)) = (button["token"].as_str(), button["action"].as_str()) else {
            continue;
        };
        if token.is_empty() {
            continue;
        }
        let hash = Keys::hash(token);
        let kept = format!("{MARK}{card}{MARK}{version}{MARK}{item}{MARK}{action}{MARK}{hash}");
        let member = |text: &str| format!("{MEMBER}{}", Value::from(text));
        *stored = stored.replace(&member(token), &member(&kept));
    }
}

/// Makes the token again. Its hash proves that it was one: what somebody wrote to look like it becomes none.
fn token(keys: &Keys, tenant: &str, kept: &str) -> Option<String> {
    let mut parts = kept.strip_prefix(MARK)?.split(MARK);
    let mut next = || parts.next();
    let (card, version, item, action, hash) = (next()?, next()?, next()?, next()?, next()?);
    let token = keys.token(tenant, &CardId::from(card), version.parse().ok()?, item, Action::parse(action)?);
    (Keys::hash(&token) == hash).then_some(token)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn button(keys: &Keys, item: &str, action: Action) -> Value {
        let token = keys.token("acme", &CardId::from("ap_1"), 3, item, action);
        json!({"action": action.as_str(), "label": "x", "token": token})
    }

    #[test]
    fn an_answer_is_stored_without_tokens_and_comes_back_as_it_was() {
        let keys = Keys::new([7; 32]);
        let said = "\"token\":\"\u{1}ap_1\u{1}3\u{1}\u{1}approve\u{1}00\"";
        let card = json!({
            "id": "ap_1", "version": 3, "title": said,
            "buttons": [button(&keys, "", Action::Approve), button(&keys, "", Action::Reject)],
            "items": [{"id": "s1", "buttons": [button(&keys, "s1", Action::Edit)]}],
        });
        let forged = json!({"arguments": {"token": "\u{1}ap_1\u{1}3\u{1}\u{1}approve\u{1}00"}});
        let body = json!({"messages": [{"text": said, "card": card}, forged], "token": "mine"}).to_string();
        let stored = hidden(&body);
        for (item, action) in [("", Action::Approve), ("", Action::Reject), ("s1", Action::Edit)] {
            let token = keys.token("acme", &CardId::from("ap_1"), 3, item, action);
            assert!(body.contains(&token) && !stored.contains(&token), "{action:?}");
        }
        assert!(serde_json::from_str::<Value>(&stored).is_ok(), "erasing reads it");
        assert_eq!(shown(&keys, "acme", &stored), body);
        assert_ne!(shown(&Keys::new([8; 32]), "acme", &stored), body, "only under the key it was made with");
        assert_eq!(shown(&keys, "acme", &body), body, "answers of earlier versions hold their tokens");
    }
}
