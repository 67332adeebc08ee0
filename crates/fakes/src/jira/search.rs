//! Search: a part of JQL, pages by token, and an index that lags.

use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::edition::Edition;
use super::state::{Issue, World};
use super::wire::Asked;

const MAX_PAGE: usize = 5_000;
/// The longest page if more than ids and keys are wanted.
const MAX_FULL_PAGE: usize = 100;
const MAX_DATA_CENTER_PAGE: usize = 1_000;
const UNBOUNDED: &str =
    "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.";

/// A condition of a query.
struct Clause {
    field: String,
    operator: String,
    values: Vec<String>,
}

struct Query {
    clauses: Vec<Clause>,
    newest_first: bool,
}

/// The search of a call.
struct Wanted<'a> {
    jql: &'a str,
    token: Option<&'a str>,
    /// The number of issues before the page, in Data Center.
    start: usize,
    most: usize,
    fields: Vec<&'a str>,
    properties: Vec<&'a str>,
    /// The ids of issues that are found even if the index does not have them yet.
    reconcile: Vec<String>,
}

pub(super) fn search(world: &World, asked: &Asked, now: i64) -> Outcome {
    let cloud = world.edition == Edition::Cloud;
    let wanted = wanted(asked, cloud)?;
    let query = parse(wanted.jql, cloud).map_err(|why| Answer::refused(400, &why))?;
    check(world, &query).map_err(|why| Answer::refused(400, &why))?;
    let start = match wanted.token {
        None => wanted.start,
        Some(token) => {
            offset(token, wanted.jql).ok_or_else(|| Answer::refused(400, "The nextPageToken is invalid."))?
        }
    };
    let indexed =
        |issue: &Issue| issue.created + world.index_lag <= now || wanted.reconcile.contains(&issue.id);
    let seen = world.issues.iter().filter(|issue| world.project(&issue.project).is_some() && indexed(issue));
    let mut found: Vec<&Issue> =
        seen.filter(|issue| query.clauses.iter().all(|clause| holds(world, issue, clause))).collect();
    if query.newest_first {
        found.reverse();
    }
    let page = found.iter().skip(start).take(wanted.most);
    let issues: Vec<_> = page.map(|issue| show(world, issue, &wanted)).collect();
    let next = start + issues.len();
    if !cloud {
        return Ok(Answer::ok(json!({"expand": "schema,names", "startAt": start, "maxResults": wanted.most,
            "total": found.len(), "issues": issues})));
    }
    let mut answer = json!({"issues": issues, "isLast": next >= found.len()});
    if next < found.len() {
        answer["nextPageToken"] = json!(token(next, wanted.jql));
    }
    Ok(Answer::ok(answer))
}

fn wanted(asked: &Asked, cloud: bool) -> Result<Wanted<'_>, Answer> {
    let body = &asked.body;
    let (jql, token, start, most, properties, reconcile);
    let mut fields: Vec<&str>;
    if asked.method == "GET" {
        (jql, token) = (asked.query("jql"), asked.query("nextPageToken"));
        start = asked.query("startAt").and_then(|start| start.parse().ok());
        most = asked.query("maxResults").and_then(|most| most.parse().ok());
        (fields, properties) = (asked.list("fields"), asked.list("properties"));
        reconcile = asked.list("reconcileIssues").into_iter().map(str::to_owned).collect();
    } else {
        if !body.is_object() || !body["reconcileIssues"].as_array().into_iter().flatten().all(Value::is_u64) {
            return Err(Answer::bad_payload());
        }
        (jql, token) = (body["jql"].as_str(), body["nextPageToken"].as_str());
        start = body["startAt"].as_u64().and_then(|start| usize::try_from(start).ok());
        most = body["maxResults"].as_u64().and_then(|most| usize::try_from(most).ok());
        let listed =
            |name: &str| body[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        (fields, properties) = (listed("fields"), listed("properties"));
        reconcile = body["reconcileIssues"].as_array().into_iter().flatten().map(Value::to_string).collect();
    }
    if properties.len() > 5 {
        return Err(Answer::refused(400, "A maximum of 5 issue property keys can be specified."));
    }
    // Data Center shows what is navigable unless fields are named, and counts pages; Cloud shows an id, and hands out tokens.
    let (token, start) = if cloud { (token, 0) } else { (None, start.unwrap_or_default()) };
    if !cloud && fields.is_empty() {
        fields.push("*navigable");
    }
    let short = fields.iter().all(|name| matches!(*name, "id" | "key"));
    let limit = match cloud {
        true if short => MAX_PAGE,
        true => MAX_FULL_PAGE,
        false => MAX_DATA_CENTER_PAGE,
    };
    let most = most.unwrap_or(50).min(limit);
    Ok(Wanted { jql: jql.unwrap_or_default(), token, start, most, fields, properties, reconcile })
}

/// Returns an issue as a search shows it: with nothing but its id unless fields are named.
fn show(world: &World, issue: &Issue, wanted: &Wanted<'_>) -> Value {
    if wanted.fields.iter().all(|name| *name == "id") && wanted.properties.is_empty() {
        return json!({"id": issue.id});
    }
    world.show(issue, &wanted.fields, &wanted.properties)
}

fn mark(jql: &str) -> u32 {
    jql.bytes().fold(5_381, |sum: u32, byte| sum.wrapping_mul(33) ^ u32::from(byte))
}

fn token(offset: usize, jql: &str) -> String {
    format!("CAEaAggD{offset:x}.{:x}", mark(jql))
}

fn offset(token: &str, jql: &str) -> Option<usize> {
    let (offset, of) = token.strip_prefix("CAEaAggD")?.split_once('.')?;
    (of == format!("{:x}", mark(jql))).then(|| usize::from_str_radix(offset, 16).ok()).flatten()
}

// ---- the query language ----

/// Splits a query into words, operators and quoted texts; the latter keep their quote in front.
fn tokens(jql: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = jql.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' | '\'' => {
                let (text, after) = quoted(rest, first)
                    .ok_or("Error in the JQL Query: The quoted string has not been completed.")?;
                found.push(format!("\"{text}"));
                rest = after.trim_start();
                continue;
            }
            '(' | ')' | ',' | '~' | '=' => 1,
            '!' | '>' | '<' => 1 + usize::from(rest[1..].starts_with(['=', '~'])),
            _ => rest.find(|c: char| c.is_whitespace() || "(),~=!<>\"'".contains(c)).unwrap_or(rest.len()),
        };
        found.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    Ok(found)
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => content.push(characters.next()?.1),
            _ if character == quote => return Some((content, &text[at + 1..])),
            _ => content.push(character),
        }
    }
    None
}

fn parse(jql: &str, bounded: bool) -> Result<Query, String> {
    let mut words = tokens(jql)?.into_iter().peekable();
    let wrong = |at: &str| format!("Error in the JQL Query: Expecting operator but got '{at}'.");
    let is = |word: Option<&String>, wanted: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    let mut clauses = Vec::new();
    while words.peek().is_some() && !is(words.peek(), "ORDER") {
        let field = words.next().unwrap_or_default().trim_start_matches('"').to_lowercase();
        let mut operator = words.next().ok_or_else(|| wrong("end"))?.to_lowercase();
        if operator == "not" {
            operator = format!("not {}", words.next().unwrap_or_default().to_lowercase());
        }
        if !matches!(operator.as_str(), "=" | "!=" | "~" | "in" | "not in" | ">" | ">=" | "<" | "<=" | "is") {
            return Err(wrong(&operator));
        }
        let mut values = Vec::new();
        if is(words.peek(), "(") {
            words.next();
            for word in words.by_ref().take_while(|word| word != ")").filter(|word| word != ",") {
                values.push(word.trim_start_matches('"').to_owned());
            }
        } else {
            values.push(words.next().ok_or_else(|| wrong("end"))?.trim_start_matches('"').to_owned());
        }
        clauses.push(Clause { field, operator, values });
        match words.peek() {
            None => {}
            Some(word) if word.eq_ignore_ascii_case("ORDER") => {}
            Some(word) if word.eq_ignore_ascii_case("AND") => drop(words.next()),
            Some(word) => {
                return Err(format!(
                    "Error in the JQL Query: Expecting either 'OR' or 'AND' but got '{word}'."
                ));
            }
        }
    }
    if bounded && clauses.is_empty() {
        return Err(UNBOUNDED.into());
    }
    let newest_first = words.any(|word| word.eq_ignore_ascii_case("DESC"));
    Ok(Query { clauses, newest_first })
}

/// Checks that fields, projects and issues of a query exist.
fn check(world: &World, query: &Query) -> Result<(), String> {
    for clause in &query.clauses {
        let known = match clause.field.as_str() {
            "project" => |world: &World, value: &str| world.project(value).is_some(),
            "key" | "issuekey" | "issue" | "id" | "parent" | "epic link" => {
                |world: &World, value: &str| world.issue(value).is_some()
            }
            "labels" | "text" | "summary" | "description" | "comment" | "issuetype" | "type" | "status"
            | "statuscategory" | "assignee" | "created" | "updated" => |_: &World, _: &str| true,
            field if property_of(field).is_some() => |_: &World, _: &str| true,
            field => {
                return Err(format!(
                    "Field '{field}' does not exist or you do not have permission to view it."
                ));
            }
        };
        for value in clause.values.iter().filter(|_| clause.operator != "is") {
            if !known(world, value) {
                return Err(match clause.field.as_str() {
                    "project" => format!("The value '{value}' does not exist for the field 'project'."),
                    field => format!("An issue with key '{value}' does not exist for field '{field}'."),
                });
            }
        }
    }
    Ok(())
}

/// Returns the key of the property and the path in its value: `issue.property[key].path`.
fn property_of(field: &str) -> Option<(&str, &str)> {
    field.strip_prefix("issue.property[")?.split_once("].")
}

fn holds(world: &World, issue: &Issue, clause: &Clause) -> bool {
    let texts = values_of(world, issue, &clause.field);
    let equal = |value: &String| texts.iter().any(|text| text.eq_ignore_ascii_case(value));
    let first = clause.values.first().map(String::as_str).unwrap_or_default();
    match clause.operator.as_str() {
        "=" | "in" => clause.values.iter().any(equal),
        "!=" | "not in" => !texts.is_empty() && !clause.values.iter().any(equal),
        "~" => texts.iter().any(|text| has_words(text, first)),
        "is" => texts.is_empty(),
        operator => texts.iter().any(|text| {
            // Times are written so that their order is that of their texts.
            let (text, than) = (text.replace('T', " "), first.replace('/', "-"));
            match operator {
                ">" => text > than,
                ">=" => text >= than,
                "<" => text < than,
                _ => text <= than,
            }
        }),
    }
}

/// Returns true if a text has all words, in any order and case.
fn has_words(text: &str, words: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let has = split(text);
    split(words).iter().all(|word| has.contains(word))
}

fn values_of(world: &World, issue: &Issue, field: &str) -> Vec<String> {
    let description =
        || issue.fields.get("description").map(|text| world.edition.text(text)).unwrap_or_default();
    let comments = || issue.comments.iter().map(|comment| comment.text.clone());
    let status = || super::activity::status(world, &issue.status);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match field {
        "project" => {
            let project = world.find_project(&issue.project).map(|project| project.name.clone());
            [Some(issue.project.clone()), project, Some(world.project_id(&issue.project).to_string())]
                .into_iter()
                .flatten()
                .collect()
        }
        "key" | "issuekey" | "issue" | "id" => vec![issue.key.clone(), issue.id.clone()],
        "parent" | "epic link" => {
            let id = issue.fields.get("parent").and_then(|parent| text(&parent["id"]));
            issue.parent().map(str::to_owned).into_iter().chain(id).collect()
        }
        "labels" => issue
            .fields
            .get("labels")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(text)
            .collect(),
        "summary" => vec![issue.summary().into()],
        "description" => vec![description()],
        "comment" => comments().collect(),
        "text" => {
            let all: Vec<String> =
                [issue.summary().to_owned(), description()].into_iter().chain(comments()).collect();
            vec![all.join("\n")]
        }
        "issuetype" | "type" => vec![issue.item_type.clone()],
        "status" => vec![issue.status.clone()],
        "statuscategory" => text(&status()["statusCategory"]["name"]).into_iter().collect(),
        "assignee" => issue
            .fields
            .get("assignee")
            .and_then(|assignee| text(&assignee["accountId"]))
            .into_iter()
            .collect(),
        "created" => vec![super::time::written(issue.created)],
        "updated" => vec![super::time::written(issue.updated)],
        _ => property_values(issue, field),
    }
}

fn property_values(issue: &Issue, field: &str) -> Vec<String> {
    let Some((key, path)) = property_of(field) else { return Vec::new() };
    let found =
        issue.properties.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
    let value = path.split('.').fold(found, |value, name| {
        let object = value?.as_object()?;
        object.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    });
    value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).into_iter().collect()
}
