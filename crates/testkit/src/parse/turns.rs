//! Parses `turns`.

use std::collections::BTreeMap;

use super::ParseError;
use super::expect;
use super::fact;
use super::given::{known, pause, span};
use super::host;
use super::node::{Fields, Node, suggest};
use super::option;
use super::work;
use crate::model::{Act, EraseTarget, Given, MAIN, MessageAct, PressAct, PressOption, Restart, Turn};

type Read<T> = Result<T, ParseError>;

/// The keys a turn may begin with besides a user's name.
const FORMS: [&str; 7] = ["host", "notify", "effect", "effects", "erase", "advance", "restart"];

/// All actions of a button; one this version does not have fails when the scenario runs.
pub(super) const ACTIONS: [&str; 30] = [
    "approve",
    "reject",
    "edit",
    "edit_story",
    "remove_story",
    "add_story",
    "cancel",
    "confirm_quantity",
    "confirm_size",
    "split",
    "show_full",
    "approve_decision",
    "turn_into_ticket",
    "finish",
    "select_review",
    "select_ticket",
    "dismiss",
    "remember",
    "adopt",
    "create_again",
    "happened",
    "do_again",
    "retry_missing",
    "comment",
    "show_all",
    "forget",
    "option",
    "none_of_these",
    "leave",
    "more",
];

pub(super) fn turns(node: &Node<'_>, given: &Given) -> Read<Vec<Turn>> {
    node.list()?.iter().map(|node| turn(node, given)).collect()
}

fn turn(node: &Node<'_>, given: &Given) -> Read<Turn> {
    let mut fields = node.map()?;
    let expect = fields.opt("expect").map(|node| expect::expectations(&node)).transpose()?;
    let mut name = fields.opt_text("as")?;
    let forms: Vec<(&str, Node<'_>)> =
        FORMS.into_iter().filter_map(|form| fields.opt(form).map(|node| (form, node))).collect();
    let act = match (forms.as_slice(), fields.rest().as_slice()) {
        ([(form, body)], []) => special(form, body, given)?,
        ([], [(user, body)]) => person(user, body, given, &mut name)?,
        ([], []) => return Err(node.fail("a turn says who does what, as `USER: text`, or what happens")),
        (_, rest) => {
            let slip = rest.iter().find(|(key, _)| suggest(key, &["expect", "as"]).starts_with(':'));
            if let Some((key, node)) = slip.filter(|(key, _)| !given.users.contains_key(key)) {
                return Err(node.fail(format!("unknown key `{key}`{}", suggest(key, &["expect", "as"]))));
            }
            let keys = forms.iter().map(|(form, _)| *form).chain(rest.iter().map(|(key, _)| key.as_str()));
            let keys: Vec<&str> = keys.collect();
            return Err(node.fail(format!("one turn is one act; here are several ({})", keys.join(", "))));
        }
    };
    Ok(Turn { line: node.line(), act, name, expect })
}

fn lane(fields: &mut Fields<'_>, given: &Given) -> Read<String> {
    let Some(node) = fields.opt("lane") else { return Ok(MAIN.into()) };
    let name = node.text()?;
    if given.lanes.is_empty() || name == MAIN || given.lanes.contains_key(&name) {
        return Ok(name);
    }
    let all: Vec<&str> = given.lanes.keys().map(String::as_str).chain([MAIN]).collect();
    Err(node.fail(format!("no lane is called `{name}`{}", suggest(&name, &all))))
}

fn person(user: &str, body: &Node<'_>, given: &Given, name: &mut Option<String>) -> Read<Act> {
    let user = known(body, user.into(), &given.users).map_err(|error| {
        // A mistyped key looks like an unknown person.
        let hint = suggest(user, &FORMS);
        if hint.starts_with(':') { body.fail(format!("no turn begins with `{user}`{hint}")) } else { error }
    })?;
    if !body.is_map() {
        let text = body.text()?;
        return Ok(Act::Message(MessageAct { user, lane: MAIN.into(), text, ..MessageAct::default() }));
    }
    let mut fields = body.map()?;
    if let Some(inner) = fields.opt_text("as")? {
        *name = Some(inner);
    }
    let lane = lane(&mut fields, given)?;
    let act = if fields.has("says") {
        says(user, lane, &mut fields)?
    } else if let Some(deletes) = fields.opt_text("deletes")? {
        Act::Message(MessageAct { user, lane, deletes: Some(deletes), ..MessageAct::default() })
    } else if fields.has("press") {
        press(user, lane, &mut fields)?
    } else if let Some(node) = fields.opt("presses") {
        Act::PressOption(chooses(user, lane, &node)?)
    } else if let Some(text) = fields.opt_text("command")? {
        Act::Command { user, lane, text }
    } else if let Some(node) = fields.opt("states") {
        Act::StateFact(fact::states(user, lane, &node)?)
    } else if let Some(node) = fields.opt("submits") {
        let mut values = BTreeMap::new();
        for (field, node) in node.map()?.rest() {
            values.insert(field, node.text()?);
        }
        let card = fields.opt_text("card")?.unwrap_or_else(|| "latest".into());
        let button = fields.opt("button").map(|node| action(&node)).transpose()?;
        Act::Form { user, lane, fields: values, card, item: fields.opt_text("item")?, button }
    } else {
        // Take these keys too, so that a misspelt one gets a suggestion.
        for form in [
            "says",
            "press",
            "presses",
            "command",
            "states",
            "submits",
            "card",
            "replies_to",
            "edits",
            "deletes",
        ] {
            fields.opt(form);
        }
        fields.finish()?;
        return Err(body.fail("a person `says`, `press`es, gives a `command` or `submits` a form"));
    };
    fields.finish()?;
    Ok(act)
}

fn says(user: String, lane: String, fields: &mut Fields<'_>) -> Read<Act> {
    let text = fields.need("says")?.text()?;
    let mut attach = Vec::new();
    for node in fields.opt("attach").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        attach.push(node.text()?);
    }
    Ok(Act::Message(MessageAct {
        user,
        lane,
        text,
        replies_to: fields.opt_text("replies_to")?,
        quote: fields.opt_text("quote")?,
        edits: fields.opt_text("edits")?,
        deletes: None,
        attach,
    }))
}

fn press(user: String, lane: String, fields: &mut Fields<'_>) -> Read<Act> {
    let action = action(&fields.need("press")?)?;
    let count = |node: Option<Node<'_>>| match node {
        Some(node) => match node.count()? {
            0 => Err(node.fail("at least once")),
            n => Ok(n),
        },
        None => Ok(1),
    };
    Ok(Act::Press(PressAct {
        user,
        lane,
        action,
        card: fields.opt_text("card")?.unwrap_or_else(|| "latest".into()),
        item: fields.opt_text("item")?,
        remember: fields.opt("remember").map(|node| node.flag()).transpose()?.unwrap_or(false),
        times: count(fields.opt("times"))?,
        deliveries: count(fields.opt("deliveries"))?,
    }))
}

/// Parses a press on an option where its host shows it.
fn chooses(user: String, lane: String, node: &Node<'_>) -> Read<PressOption> {
    let mut fields = node.map()?;
    let (set, option) = (fields.need("set")?.text()?, fields.need("option")?.text()?);
    let version = fields.opt("version").map(|node| node.count()).transpose()?;
    fields.finish()?;
    Ok(PressOption { user, lane, set, option, version })
}

fn action(node: &Node<'_>) -> Read<String> {
    node.one_of("an action", |word| ACTIONS.contains(&word).then(|| word.to_string()), &ACTIONS)
}

fn special(form: &str, body: &Node<'_>, given: &Given) -> Read<Act> {
    match form {
        "advance" => Ok(Act::Advance(span(body)?)),
        "restart" => {
            let read = |word: &str| match word {
                "clean" => Some(Restart::Clean),
                "kill" => Some(Restart::Kill),
                _ => None,
            };
            Ok(Act::Restart(body.one_of("a way to restart", read, &["clean", "kill"])?))
        }
        "erase" if body.is_map() => {
            let mut fields = body.map()?;
            fields.opt("lane");
            let lane = lane(&mut fields, given)?;
            fields.finish()?;
            Ok(Act::Erase(EraseTarget::Lane(lane)))
        }
        "erase" => Ok(Act::Erase(EraseTarget::Person(known(body, body.text()?, &given.users)?))),
        "effects" if body.is_map() => {
            let mut fields = body.map()?;
            let pause = pause(&fields.need("pause")?)?;
            fields.finish()?;
            Ok(Act::Effects(Some(pause)))
        }
        "effects" => {
            let read = |word: &str| (word == "resume").then_some(Act::Effects(None));
            body.one_of("`resume` or `{ pause: { by: USER } }`", read, &["resume"])
        }
        "notify" => {
            let mut fields = body.map()?;
            let (from, text) = (fields.opt_text("from")?.unwrap_or_default(), fields.need("text")?.text()?);
            let lane = lane(&mut fields, given)?;
            fields.finish()?;
            Ok(Act::Notify { from, lane, text })
        }
        "effect" => {
            let mut fields = body.map()?;
            let (effect, outcome) = (fields.need("settle")?.text()?, fields.need("as")?.text()?);
            let text = match fields.opt_text("text")? {
                Some(text) => Some(text),
                None => fields.opt_text("key")?,
            };
            let lane = lane(&mut fields, given)?;
            fields.finish()?;
            Ok(Act::Settle { effect, lane, outcome, text })
        }
        _ => host(body, given),
    }
}

fn host(body: &Node<'_>, given: &Given) -> Read<Act> {
    let mut fields = body.map()?;
    if let Some(node) = fields.opt("assistant.posted") {
        fields.finish()?;
        return host::posts(&node, |fields| lane(fields, given)).map(Act::HostPost);
    }
    if let Some(node) = fields.opt("task.reported") {
        fields.finish()?;
        return work::reported(&node, |fields| lane(fields, given)).map(Act::TaskReport);
    }
    if let Some(node) = fields.opt("approval.requested") {
        fields.finish()?;
        return work::requested(&node, |fields| lane(fields, given)).map(Act::RequestApproval);
    }
    let here = |fields: &mut Fields<'_>| lane(fields, given);
    let events = ["options.shown", "options.closed", "focus.changed"];
    let found: Vec<_> =
        events.into_iter().filter_map(|event| fields.opt(event).map(|node| (event, node))).collect();
    fields.finish()?;
    match found.as_slice() {
        [("options.shown", node)] => option::shows(node, here).map(Act::ShowList),
        [("options.closed", node)] => option::closes(node, here).map(Act::CloseList),
        [("focus.changed", node)] => option::focuses(node, here).map(Act::ChangeFocus),
        _ => Err(body.fail("`host` holds one event")),
    }
}
