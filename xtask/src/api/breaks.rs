//! Breaking changes between two descriptions of the API: what a request may no longer hold or be sent to, and what an answer
//! no longer holds.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Way that a value goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To the server: it must go on taking what it took.
    Sent,
    /// To the client: it must go on getting what it got.
    Received,
}

/// Returns the breaking changes from one description to another, each as a sentence.
pub(super) fn breaks(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Comparison { old, new, found: Vec::new(), seen: BTreeSet::new() };
    found.operations();
    found.found
}

struct Comparison<'d> {
    old: &'d Value,
    new: &'d Value,
    found: Vec<String>,
    /// Pairs of references that are being compared: schemas refer to themselves.
    seen: BTreeSet<(String, String, bool)>,
}

impl<'d> Comparison<'d> {
    fn operations(&mut self) {
        for (path, methods) in members(&self.old["paths"]) {
            for (method, old) in members(methods) {
                let name = format!("{} {path}", method.to_uppercase());
                let new = &self.new["paths"][path][method];
                if new.is_null() {
                    self.found.push(format!("{name} is gone"));
                } else {
                    self.operation(&name, old, new);
                }
            }
        }
    }

    fn operation(&mut self, name: &str, old: &'d Value, new: &'d Value) {
        if old["operationId"] != new["operationId"] {
            self.found.push(format!("{name} has another operationId, {}", new["operationId"]));
        }
        self.parameters(name, old, new);
        self.body(name, &old["requestBody"], &new["requestBody"]);
        for (status, answer) in members(&old["responses"]) {
            let now = &new["responses"][status];
            if now.is_null() {
                self.found.push(format!("{name} no longer answers {status}"));
            } else {
                let (old, new) = (referred(self.old, answer), referred(self.new, now));
                self.answer(&format!("{name} {status}"), old, new);
            }
        }
        for way in list(&old["security"]) {
            if !list(&new["security"]).any(|now| is_enough(way, now)) {
                self.found.push(format!("{name} is no longer allowed with {way}"));
            }
        }
    }

    fn parameters(&mut self, name: &str, old: &'d Value, new: &'d Value) {
        let key =
            |parameter: &Value| (text(&parameter["in"]).to_owned(), text(&parameter["name"]).to_lowercase());
        let known: BTreeMap<_, _> = list(&old["parameters"]).map(|one| (key(one), one)).collect();
        let now: BTreeMap<_, _> = list(&new["parameters"]).map(|one| (key(one), one)).collect();
        for (key, one) in &known {
            let at = format!("{name} parameter {}", key.1);
            match now.get(key) {
                None => self.found.push(format!("{at} is gone")),
                Some(other) => {
                    if other["required"] == true && one["required"] != true {
                        self.found.push(format!("{at} is required now"));
                    }
                    self.schema(Way::Sent, &at, &one["schema"], &other["schema"]);
                }
            }
        }
        let added = now.iter().filter(|(key, one)| !known.contains_key(*key) && one["required"] == true);
        self.found.extend(added.map(|((_, added), _)| format!("{name} needs the parameter {added} now")));
    }

    fn body(&mut self, name: &str, old: &'d Value, new: &'d Value) {
        if new["required"] == true && old["required"] != true {
            self.found.push(format!("{name} needs a body now"));
        }
        self.contents(Way::Sent, &format!("{name} body"), &old["content"], &new["content"]);
    }

    fn answer(&mut self, name: &str, old: &'d Value, new: &'d Value) {
        for (header, _) in members(&old["headers"]) {
            if new["headers"][header].is_null() {
                self.found.push(format!("{name} no longer has the header {header}"));
            }
        }
        self.contents(Way::Received, name, &old["content"], &new["content"]);
    }

    fn contents(&mut self, way: Way, name: &str, old: &'d Value, new: &'d Value) {
        for (media, content) in members(old) {
            match &new[media] {
                Value::Null => self.found.push(format!("{name} is no longer {media}")),
                now => self.schema(way, name, &content["schema"], &now["schema"]),
            }
        }
    }

    fn schema(&mut self, way: Way, at: &str, old: &'d Value, new: &'d Value) {
        let pair = (text(&old["$ref"]).to_owned(), text(&new["$ref"]).to_owned(), way == Way::Sent);
        let refer = !pair.0.is_empty() || !pair.1.is_empty();
        if refer && !self.seen.insert(pair) {
            return;
        }
        let (old, new) = (referred(self.old, old), referred(self.new, new));
        if alternatives(old).is_some() || alternatives(new).is_some() {
            self.alternatives(way, at, old, new);
            return;
        }
        self.types(way, at, old, new);
        if way == Way::Sent {
            self.found.extend(limits(at, old, new));
        }
        self.members(way, at, old, new);
        if old["items"].is_object() {
            self.schema(way, &format!("{at}[]"), &old["items"], &new["items"]);
        }
        for inner in ["additionalProperties", "propertyNames"] {
            if old[inner].is_object() && new[inner].is_object() {
                self.schema(way, &format!("{at} {inner}"), &old[inner], &new[inner]);
            }
        }
    }

    /// Compares values that have one of several forms: each that was sent is still taken, and none comes that was not known.
    fn alternatives(&mut self, way: Way, at: &str, old: &'d Value, new: &'d Value) {
        let (old, new) = (alternatives(old).unwrap_or(vec![old]), alternatives(new).unwrap_or(vec![new]));
        let (all, known) = if way == Way::Sent { (&old, &new) } else { (&new, &old) };
        for one in all {
            let fits = known.iter().any(|other| {
                let (before, after) = if way == Way::Sent { (one, other) } else { (other, one) };
                let mut inner = Comparison { found: Vec::new(), seen: self.seen.clone(), ..*self };
                inner.schema(way, at, before, after);
                inner.found.is_empty()
            });
            if !fits {
                let says = if way == Way::Sent { "is no longer taken as" } else { "may now be" };
                self.found.push(format!("{at} {says} {one}"));
            }
        }
    }

    fn types(&mut self, way: Way, at: &str, old: &Value, new: &Value) {
        let (before, after) = (types(old), types(new));
        let (all, known) = if way == Way::Sent { (&before, &after) } else { (&after, &before) };
        let is_known = |one: &str| known.contains(one) || (one == "integer" && known.contains("number"));
        // Without types, everything is allowed.
        let open = known.is_empty();
        let unknown: Vec<&str> = all.iter().copied().filter(|one| !open && !is_known(one)).collect();
        if !unknown.is_empty() || (all.is_empty() && !open) {
            let says = if way == Way::Sent { "no longer takes" } else { "may now be" };
            let unknown = if unknown.is_empty() { "anything".into() } else { unknown.join(", ") };
            self.found.push(format!("{at} {says} {unknown}"));
        }
    }

    fn members(&mut self, way: Way, at: &str, old: &'d Value, new: &'d Value) {
        let (before, after) = (Members::of(self.old, old), Members::of(self.new, new));
        for (name, schema) in &before.properties {
            let at = format!("{at}.{name}");
            match after.properties.get(name) {
                None => self.found.push(format!("{at} is gone")),
                Some(now) => self.schema(way, &at, schema, now),
            }
        }
        let (required, says) = match way {
            Way::Sent => (after.required.difference(&before.required), "is required now"),
            Way::Received => (before.required.difference(&after.required), "may be absent now"),
        };
        let kept = required.filter(|name| way == Way::Sent || after.properties.contains_key(**name));
        self.found.extend(kept.map(|name| format!("{at}.{name} {says}")));
        if way == Way::Sent {
            if after.closed && !before.closed {
                self.found.push(format!("{at} no longer takes other members"));
            }
            let added = after.conditions.iter();
            let added = added.filter(|one| !before.conditions.contains(one) && before.may_be(one.0));
            self.found.extend(added.map(|(when, then)| format!("{at} demands {then} if {when}")));
        }
    }
}

/// Members of an object, with those of its parts.
#[derive(Default)]
struct Members<'d> {
    properties: BTreeMap<&'d str, &'d Value>,
    required: BTreeSet<&'d str>,
    closed: bool,
    /// Demands that depend on other members.
    conditions: Vec<(&'d Value, &'d Value)>,
}

impl<'d> Members<'d> {
    fn of(document: &'d Value, schema: &'d Value) -> Self {
        let mut found = Self::default();
        found.collect(document, schema);
        found
    }

    /// Returns false if no value of before meets a condition, because it is on a word that no member could be.
    fn may_be(&self, when: &Value) -> bool {
        members(&when["properties"]).all(|(name, wanted)| {
            let words = self.properties.get(name.as_str()).and_then(|schema| schema["enum"].as_array());
            wanted["const"].is_null() || words.is_none_or(|words| words.contains(&wanted["const"]))
        })
    }

    fn collect(&mut self, document: &'d Value, schema: &'d Value) {
        self.properties.extend(members(&schema["properties"]).map(|(name, value)| (name.as_str(), value)));
        self.required.extend(list(&schema["required"]).map(text));
        self.closed |= schema["additionalProperties"] == false;
        self.condition(schema);
        for part in list(&schema["allOf"]) {
            self.collect(document, referred(document, part));
        }
    }

    /// Collects a chain of conditions, each with what it demands. A demand with an exception counts as one without: whoever met
    /// that meets it.
    fn condition(&mut self, schema: &'d Value) {
        let otherwise = &schema["else"];
        if schema["if"].is_object() {
            let then = &schema["then"];
            let excepted = then["if"].is_object() && then["then"].is_null();
            self.conditions.push((&schema["if"], if excepted { &then["else"] } else { then }));
            self.condition(otherwise);
        }
        if otherwise.is_object() && otherwise["if"].is_null() {
            self.conditions.push((&Value::Null, otherwise));
        }
    }
}

/// Returns the limits of a value that are narrower than they were.
fn limits(at: &str, old: &Value, new: &Value) -> Vec<String> {
    let number = |schema: &Value, limit: &str| schema[limit].as_f64();
    let mut found = Vec::new();
    for limit in ["maximum", "maxLength", "maxItems", "maxProperties"] {
        let (before, after) = (number(old, limit), number(new, limit));
        if after.is_some_and(|after| before.is_none_or(|before| after < before)) {
            found.push(format!("{at}: {limit} is {} now", new[limit]));
        }
    }
    for limit in ["minimum", "minLength", "minItems", "minProperties"] {
        let (before, after) = (number(old, limit).unwrap_or(f64::MIN), number(new, limit));
        if after.is_some_and(|after| after > before) {
            found.push(format!("{at}: {limit} is {} now", new[limit]));
        }
    }
    for rule in ["pattern", "format", "const", "not", "uniqueItems", "multipleOf"] {
        if !new[rule].is_null() && new[rule] != old[rule] && !is_wider_format(rule, &old[rule], &new[rule]) {
            found.push(format!("{at}: {rule} is {} now", new[rule]));
        }
    }
    let (before, after) = (&old["enum"], &new["enum"]);
    match (before.as_array(), after.as_array()) {
        (None, Some(_)) => found.push(format!("{at} takes only {after} now")),
        (Some(before), Some(after)) => {
            let gone = before.iter().filter(|word| !after.contains(word));
            found.extend(gone.map(|word| format!("{at} no longer takes {word}")));
        }
        (_, None) => {}
    }
    found
}

/// Returns true for a format that only says how wide a number is, which its limits say.
fn is_wider_format(rule: &str, old: &Value, new: &Value) -> bool {
    let numeric = |format: &Value| {
        ["", "int32", "int64", "uint32", "uint64", "double", "float"].contains(&text(format))
    };
    rule == "format" && numeric(old) && numeric(new)
}

fn alternatives(schema: &Value) -> Option<Vec<&Value>> {
    let of = |name: &str| Some(schema[name].as_array()?.iter().collect());
    // An object may have members and, besides, a demand that one of some is there; then its members are what is compared.
    if schema["properties"].is_object() { None } else { of("oneOf").or_else(|| of("anyOf")) }
}

fn types(schema: &Value) -> BTreeSet<&str> {
    match &schema["type"] {
        Value::Array(all) => all.iter().map(text).collect(),
        Value::String(one) => BTreeSet::from([one.as_str()]),
        _ => BTreeSet::new(),
    }
}

/// Returns true if whoever has what the old way demands has what the new one demands. A way that demands nothing is of a demo,
/// and is enough for nobody who has a token.
fn is_enough(old: &Value, new: &Value) -> bool {
    let same = members(old).next().is_none() == members(new).next().is_none();
    same && members(new).all(|(scheme, scopes)| {
        let had = &old[scheme];
        had.is_array() && list(scopes).all(|scope| list(had).any(|one| one == scope))
    })
}

fn referred<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let place = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    place.and_then(|place| document.pointer(place)).unwrap_or(value)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests;
