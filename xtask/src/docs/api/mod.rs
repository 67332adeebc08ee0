//! The reference part of docs/http-api.md, made from the server's own OpenAPI document.

mod schema;

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::Value;

use super::anchor;
use crate::repo::Repo;
use schema::{Schemas, text};

const DOCUMENT: &str = "crates/server/openapi.json";
const ERRORS: &str = "docs/errors.md";

/// Returns the reference as Markdown.
pub(super) fn reference(repo: &Repo) -> Result<String> {
    let read = |path: &str| repo.read(path).with_context(|| format!("cannot read {path}"));
    let document =
        serde_json::from_str(&read(DOCUMENT)?).with_context(|| format!("{DOCUMENT} is no JSON"))?;
    Ok(rendered(&document, &read(ERRORS)?))
}

fn rendered(document: &Value, errors: &str) -> String {
    let operations = operations(document);
    let tags = tags(document, &operations);
    let of = |tag: &str| operations.iter().filter(move |operation| operation.tag == tag).collect::<Vec<_>>();
    let mut out = String::from("## Every operation\n\n| | |\n| --- | --- |\n");
    for operation in tags.iter().flat_map(|tag| of(tag.name)) {
        let _ = writeln!(
            out,
            "| `{}` | [{}]({}) |",
            operation.path(),
            operation.summary(),
            anchor(operation.summary())
        );
    }
    let schemas = Schemas::new(document);
    for tag in &tags {
        let _ = write!(out, "\n## {}\n", capital(tag.name));
        out.push_str(&paragraph(tag.says));
        for operation in of(tag.name) {
            operation.write(&schemas, &mut out);
        }
    }
    out.push_str("\n## Errors\n\nThe body of each is a [ProblemDetails](#problemdetails).\n\n");
    out.push_str(&error_table(errors));
    out.push_str("\n## Objects\n\n");
    out.push_str(
        "A *page of* something is `items` and, unless it is the last, `next`: hand it back as `?cursor=`.\n",
    );
    out.push_str(&schemas.answered());
    out
}

/// A group of operations.
struct Tag<'d> {
    name: &'d str,
    says: &'d str,
}

/// Returns the groups in the order of the document, then those it does not describe.
fn tags<'d>(document: &'d Value, operations: &[Operation<'d>]) -> Vec<Tag<'d>> {
    let described = document["tags"].as_array().into_iter().flatten();
    let mut tags: Vec<Tag<'_>> =
        described.map(|tag| Tag { name: text(&tag["name"]), says: text(&tag["description"]) }).collect();
    for operation in operations {
        if !tags.iter().any(|tag| tag.name == operation.tag) {
            tags.push(Tag { name: operation.tag, says: "" });
        }
    }
    tags
}

/// One method of one path.
struct Operation<'d> {
    method: String,
    route: &'d str,
    tag: &'d str,
    value: &'d Value,
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (route, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, value) in methods.as_object().into_iter().flatten() {
            let method = method.to_uppercase();
            operations.push(Operation { method, route, tag: text(&value["tags"][0]), value });
        }
    }
    operations
}

impl Operation<'_> {
    fn path(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    fn summary(&self) -> &str {
        text(&self.value["summary"])
    }

    fn write(&self, schemas: &Schemas<'_>, out: &mut String) {
        let _ = write!(out, "\n### {}\n\n`{}`\n", self.summary(), self.path());
        out.push_str(&paragraph(text(&self.value["description"])));
        let parameters: Vec<String> =
            self.value["parameters"].as_array().into_iter().flatten().map(parameter).collect();
        if !parameters.is_empty() {
            let _ = write!(out, "\n{}", parameters.concat());
        }
        if let Some(body) = content(&self.value["requestBody"]).first() {
            let _ = write!(out, "\nBody: {}\n\n{}", schemas.says(body.schema), schemas.body(body.schema));
        }
        out.push_str("\nAnswers:\n\n");
        let answers = self.value["responses"].as_object().into_iter().flatten();
        let (shared, own): (Vec<_>, Vec<_>) = answers.partition(|(_, answer)| answer["$ref"].is_string());
        for (status, answer) in own {
            let _ = writeln!(
                out,
                "- **{status}**{}: {}",
                answered(answer, schemas),
                text(&answer["description"])
            );
        }
        if !shared.is_empty() {
            let statuses: Vec<&str> = shared.iter().map(|(status, _)| status.as_str()).collect();
            let _ = writeln!(out, "- {}: a [problem](#errors)", statuses.join(", "));
        }
        if let Some(scopes) = scopes(&self.value["security"]) {
            let _ = writeln!(out, "\nScope: {scopes}.");
        }
    }
}

/// Returns the scopes that an operation needs, if it needs any.
fn scopes(security: &Value) -> Option<String> {
    let ways = security.as_array().into_iter().flatten().filter_map(|way| way["bearer"].as_array());
    let named = |scopes: &Vec<Value>| {
        scopes.iter().map(|scope| format!("`{}`", text(scope))).collect::<Vec<_>>().join(" and ")
    };
    let ways: Vec<String> = ways.filter(|scopes| !scopes.is_empty()).map(named).collect();
    Some(ways.join(" or ")).filter(|ways| !ways.is_empty())
}

fn parameter(parameter: &Value) -> String {
    let place = text(&parameter["in"]);
    let must = place != "path" && parameter["required"] == true;
    let must = if must { ", required" } else { "" };
    format!("- `{}` ({place}{must}): {}\n", text(&parameter["name"]), text(&parameter["description"]))
}

/// Describes the body of an answer.
fn answered(answer: &Value, schemas: &Schemas<'_>) -> String {
    let kinds: Vec<String> = content(answer)
        .iter()
        .map(|content| match content.media {
            "application/json" => schemas.kind(content.schema),
            "application/problem+json" => "a [problem](#errors)".into(),
            media => format!("`{media}`"),
        })
        .collect();
    if kinds.is_empty() { String::new() } else { format!(", {}", kinds.join(" or ")) }
}

struct Content<'d> {
    media: &'d str,
    schema: &'d Value,
}

fn content(of: &Value) -> Vec<Content<'_>> {
    let contents = of["content"].as_object().into_iter().flatten();
    contents.map(|(media, content)| Content { media, schema: &content["schema"] }).collect()
}

/// Returns the table of error codes that answer requests, by status, from the page that explains them.
fn error_table(errors: &str) -> String {
    let mut rows = Vec::new();
    for section in errors.split("\n## ").skip(1) {
        let Some((heading, rest)) = section.split_once('\n') else { continue };
        let status = rest.lines().find_map(|line| line.strip_prefix("HTTP status: "));
        let title = rest.lines().find_map(|line| line.strip_prefix("**")?.strip_suffix("**"));
        let (Some(status), Some(title)) = (status, title) else { continue };
        let code = heading.split(' ').next().unwrap_or(heading);
        let name = heading.split('`').nth(1).unwrap_or_default();
        rows.push(format!(
            "| {} | [{code}](errors.md{}) | `{name}` | {title} |\n",
            status.trim_end_matches('.'),
            anchor(heading)
        ));
    }
    // Stable: within a status they keep the order of their numbers.
    rows.sort_by_key(|row| row.get(..5).map(str::to_owned));
    format!("| Status | Code | Name | |\n| --- | --- | --- | --- |\n{}", rows.concat())
}

fn paragraph(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{text}\n") }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_operation_reads_as_prose() {
        let document = json!({
            "tags": [{"name": "lanes", "description": "Where it happens."}],
            "paths": {"/v1/lanes/{lane}": {"post": {
                "tags": ["lanes"], "summary": "Open a lane's door", "description": "Wide.",
                "parameters": [
                    {"name": "lane", "in": "path", "required": true, "description": "ln_…"},
                    {"name": "Key", "in": "header", "required": true, "description": "a key"},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Door"}}}},
                "responses": {
                    "200": {"description": "Open.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Page_Lane"}}}},
                    "409": {"description": "Shut.", "content": {"application/problem+json": {}}},
                    "400": {"$ref": "#/components/responses/BadRequest"},
                    "404": {"$ref": "#/components/responses/NotFound"},
                },
                "security": [{"bearer": ["doors:open", "lanes:read"]}, {"bearer": ["admin"]}, {"session": []}, {}],
            }}},
            "components": {"schemas": {
                "Door": {"type": "object", "description": "Which door.", "required": ["wide"], "properties": {
                    "by": {"oneOf": [{"$ref": "#/components/schemas/Person", "description": "Who."}, {"type": "null"}]},
                    "wide": {"type": "boolean", "description": "How."},
                }},
                "Person": {"type": "object", "properties": {"id": {"type": ["string", "null"], "description": "Its id."}}},
                "Page_Lane": {"type": "object", "properties": {"items": {"type": "array"}}},
                "Lane": {"type": "object", "description": "A lane.", "required": ["id"], "properties": {"id": {"type": "string", "description": "Its id."}}},
            }},
        });
        let errors = "# Errors\n\n## TL-2203 `key.used`\n\n**It was used**\n\nHTTP status: 422.\n\n## TL-1001 `x`\n\n**X**\n";
        let expected = "\
## Every operation

| | |
| --- | --- |
| `POST /v1/lanes/{lane}` | [Open a lane's door](#open-a-lanes-door) |

## Lanes

Where it happens.

### Open a lane's door

`POST /v1/lanes/{lane}`

Wide.

- `lane` (path): ln_…
- `Key` (header, required): a key

Body: Which door.

| Member | Type | |
| --- | --- | --- |
| `wide` | boolean | How. |
| `by` | object, optional | Who. |
| `by.id` | string, optional | Its id. |

Answers:

- **200**, page of [Lane](#lane): Open.
- **409**, a [problem](#errors): Shut.
- 400, 404: a [problem](#errors)

Scope: `doors:open` and `lanes:read` or `admin`.

## Errors

The body of each is a [ProblemDetails](#problemdetails).

| Status | Code | Name | |
| --- | --- | --- | --- |
| 422 | [TL-2203](errors.md#tl-2203-keyused) | `key.used` | It was used |

## Objects

A *page of* something is `items` and, unless it is the last, `next`: hand it back as `?cursor=`.

### Lane

A lane.

| Member | Type | |
| --- | --- | --- |
| `id` | string | Its id. |
";
        assert_eq!(rendered(&document, errors), expected);
    }
}
