//! The differences between Jira Cloud (REST v3) and Jira Data Center (REST v2).
//!
//! Inside of the fake a person is always `{"accountId"}`, and an issue below an epic has it as its parent. Data Center shows a
//! person by `name` and `key`, and an epic by the field Epic Link. Its description is not published as one document that is
//! installed here, so only Cloud is compared with what Atlassian publishes; clients that speak both are the referee
//! (`tests/peers`).

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use serde_json::{Value, json};

use super::answer::Answer;
use super::project::{Field, GREENHOPPER, IssueType, PERMISSIONS, Project};
use super::state::{Person, World};
use super::time::written;
use super::wire::Asked;
use super::{FakeJira, adf, wiki};

/// Edition of Jira.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// Jira Cloud, REST v3.
    #[default]
    Cloud,
    /// Jira Data Center 9.12, REST v2.
    DataCenter,
}

/// Headers that Data Center adds to answers while its administrator limits requests.
pub(super) const LIMITS: [(&str, &str); 5] = [
    ("X-RateLimit-Limit", "100"),
    ("X-RateLimit-Remaining", "99"),
    ("X-RateLimit-FillRate", "10"),
    ("X-RateLimit-Interval-Seconds", "1"),
    ("Retry-After", "0"),
];

const TOO_LONG: &str = "The entered text is too long. It exceeds the allowed limit of 32,767 characters.";

impl Edition {
    /// The path of its API.
    #[must_use]
    pub fn root(self) -> &'static str {
        match self {
            Self::Cloud => "/rest/api/3",
            Self::DataCenter => "/rest/api/2",
        }
    }

    /// Returns a project as an administrator makes it there: Epic, Story, Task, Bug and Sub-task, with the screens of the
    /// edition.
    #[must_use]
    pub fn project(self, key: &str) -> Project {
        let mut project = Project::company(key);
        if self == Self::DataCenter {
            project.types.iter_mut().for_each(data_center_screen);
        }
        project
    }

    /// Returns true if a call has the proof of the service account: its address and API token, or in Data Center its
    /// personal access token.
    pub(super) fn authorized(self, headers: &HeaderMap, token: &str) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|given| given.to_str().ok()).unwrap_or_default();
        match self {
            Self::Cloud => {
                let encoded = given.strip_prefix("Basic ").unwrap_or_default();
                let wanted = format!("{}:{token}", FakeJira::EMAIL);
                let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
                decoded.is_ok_and(|decoded| decoded == wanted.as_bytes())
            }
            Self::DataCenter => given.strip_prefix("Bearer ") == Some(token),
        }
    }

    /// Returns the body of an answer to a call without proof.
    pub(super) fn unauthorized(self) -> Value {
        let why = "Client must be authenticated to access this resource.";
        match self {
            Self::Cloud => json!({"errorMessages": [why], "errors": {}}),
            Self::DataCenter => json!({"message": why, "status-code": 401}),
        }
    }

    /// Returns the answer to a path that there is not; `None` for a page.
    pub(super) fn no_path(self, url: &str) -> Option<Answer> {
        let body = || json!({"message": format!("null for uri: {url}"), "status-code": 404});
        (self == Self::DataCenter).then(|| Answer::json(404, body()))
    }

    /// Returns a refusal in the words of the edition.
    pub(super) fn worded(self, mut answer: Answer) -> Answer {
        let cloud = "Issue does not exist or you do not have permission to see it.";
        let said = answer.body.as_mut().and_then(|body| body.get_mut("errorMessages")?.as_array_mut());
        for text in said.into_iter().flatten().filter(|text| self == Self::DataCenter && **text == cloud) {
            *text = json!("Issue Does Not Exist");
        }
        answer
    }

    // ---- people ----

    pub(super) fn show_person(self, world: &World, person: &Person) -> Value {
        let id = &person.account_id;
        let mut shown = json!({"emailAddress": person.email, "displayName": person.name, "active": person.active,
            "timeZone": "Etc/UTC"});
        let name = person.username();
        let own = match self {
            Self::Cloud => json!({"self": world.link(&format!("user?accountId={id}")), "accountId": id,
                "accountType": "atlassian"}),
            Self::DataCenter => {
                json!({"self": world.link(&format!("user?username={name}")), "name": name, "key": id})
            }
        };
        for (member, value) in own.as_object().into_iter().flatten() {
            shown[member] = value.clone();
        }
        shown
    }

    /// Returns the person that a value of a field means.
    pub(super) fn person<'a>(
        self,
        world: &'a World,
        field: &Field,
        value: &Value,
    ) -> Result<&'a Person, String> {
        let wanted = value.as_object().ok_or("data was not an object")?;
        let text = |member: &str| wanted.get(member).and_then(Value::as_str);
        let (named, found) = match self {
            Self::Cloud => {
                let id =
                    text("accountId").ok_or_else(|| format!("Specify a valid value for {}", field.id))?;
                (id, world.person(id))
            }
            Self::DataCenter => {
                let name = text("name")
                    .or_else(|| text("key"))
                    .ok_or("expected Object containing a 'name' property")?;
                let is = |person: &&Person| person.username() == name || person.account_id == name;
                (name, world.people.iter().find(is))
            }
        };
        found.filter(|person| person.active).ok_or_else(|| format!("User '{named}' does not exist."))
    }

    /// Returns what a search of people looks for, or the id of the one who is wanted.
    pub(super) fn wanted_person(self, asked: &Asked) -> (String, Option<&str>) {
        let (query, id) = match self {
            Self::Cloud => ("query", asked.query("accountId")),
            Self::DataCenter => ("username", None),
        };
        (asked.query(query).unwrap_or_default().to_lowercase(), id)
    }

    /// Returns true if a search of all people lists this one: in Data Center somebody who left only if they are wanted.
    pub(super) fn lists(self, person: &Person, asked: &Asked) -> bool {
        let left_too =
            asked.query("includeInactive").is_some_and(|wanted| wanted.eq_ignore_ascii_case("true"));
        self == Self::Cloud || person.active || left_too
    }

    // ---- texts ----

    /// Returns the value of a field of formatted text: a document, or in Data Center markup in a string.
    pub(super) fn document(self, value: &Value) -> Result<Value, String> {
        if value.is_null() {
            return Ok(Value::Null);
        }
        let text = match self {
            Self::Cloud if !adf::is_document(value) => {
                return Err(
                    "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
                        .into(),
                );
            }
            Self::Cloud => adf::text(value),
            Self::DataCenter => value.as_str().ok_or("Operation value must be a string")?.to_owned(),
        };
        if text.encode_utf16().count() > adf::MAX_TEXT { Err(TOO_LONG.into()) } else { Ok(value.clone()) }
    }

    /// Returns what people read of the value of such a field.
    pub(super) fn text(self, value: &Value) -> String {
        match self {
            Self::Cloud => adf::text(value),
            Self::DataCenter => wiki::text(value.as_str().unwrap_or_default()),
        }
    }

    /// Returns a sprint as an issue shows it.
    pub(super) fn sprint(self, id: &serde_json::Number) -> Value {
        match self {
            Self::Cloud => json!({"id": id, "name": format!("Sprint {id}"), "state": "active"}),
            Self::DataCenter => json!(format!(
                "com.atlassian.greenhopper.service.sprint.Sprint@5e8[id={id},rapidViewId=1,state=ACTIVE,name=Sprint {id}]"
            )),
        }
    }

    // ---- projects and the site ----

    /// Returns a page of what a create screen has, under the name that the edition has for it.
    pub(super) fn screen_page(self, name: &str, all: &[Value], (start, most): (usize, usize)) -> Answer {
        let shown: Vec<&Value> = all.iter().skip(start).take(most).collect();
        let last = start + shown.len() >= all.len();
        let mut page = json!({"startAt": start, "maxResults": most, "total": all.len()});
        match self {
            Self::Cloud => page[name] = json!(shown),
            Self::DataCenter => (page["isLast"], page["values"]) = (json!(last), json!(shown)),
        }
        Answer::ok(page)
    }

    /// Leaves out what the edition does not tell of a type or a project.
    pub(super) fn tells(self, mut shown: Value) -> Value {
        if let (Self::DataCenter, Some(members)) = (self, shown.as_object_mut()) {
            let of_cloud = ["hierarchyLevel", "simplified", "style", "isPrivate", "jsdPublic"];
            members.retain(|name, _| !of_cloud.contains(&name.as_str()));
        }
        shown
    }

    /// Returns the permissions that a call asks for; Data Center tells all of them.
    pub(super) fn permissions<'a>(self, asked: &'a Asked, others: &'a [&'a str]) -> Vec<&'a str> {
        match self {
            Self::Cloud => asked.list("permissions"),
            Self::DataCenter => PERMISSIONS.into_iter().chain(others.iter().copied()).collect(),
        }
    }

    pub(super) fn server_info(self, world: &World, now: i64) -> Value {
        let mut info = json!({"baseUrl": world.site, "buildDate": written(0), "serverTime": written(now),
            "scmInfo": "5f7a1c0d", "serverTitle": "Jira"});
        let own = match self {
            Self::Cloud => json!({"version": "1001.0.0-SNAPSHOT", "versionNumbers": [1001, 0, 0],
                "deploymentType": "Cloud", "buildNumber": 100_290, "serverTimeZone": "Etc/UTC"}),
            Self::DataCenter => json!({"version": "9.12.15", "versionNumbers": [9, 12, 15],
                "deploymentType": "Server", "buildNumber": 9_120_015, "databaseBuildNumber": 9_120_015}),
        };
        for (member, value) in own.as_object().into_iter().flatten() {
            info[member] = value.clone();
        }
        info
    }

    /// Returns true if an issue of the first level may be the parent of one of the second; in Data Center an epic may have
    /// sub-tasks.
    pub(super) fn is_above(self, above: i32, below: i32) -> bool {
        above == below + 1 || self == Self::DataCenter && below < 0 && above >= 0
    }

    /// Returns true if an issue of a type shows what it is below as its parent; otherwise its Epic Link does.
    pub(super) fn shows_parent(self, kind: Option<&IssueType>) -> bool {
        self == Self::Cloud || kind.is_some_and(|kind| kind.level < 0)
    }
}

impl Person {
    /// Returns the name with which the person signs in to Data Center.
    pub(super) fn username(&self) -> &str {
        self.email.split('@').next().unwrap_or_default()
    }
}

/// Changes the screen of a type to that of Data Center: a reporter is required and has no default, an epic needs its name,
/// and a story joins an epic by Epic Link alone.
fn data_center_screen(kind: &mut IssueType) {
    if kind.level >= 0 {
        kind.fields.retain(|field| field.id != "parent");
    }
    for field in &mut kind.fields {
        match field.kind() {
            "gh-epic-link" => *field = software(10_100, "Epic Link", "any", "gh-epic-link"),
            "gh-sprint" => *field = software(10_104, "Sprint", "array", "gh-sprint").of("string"),
            _ => {}
        }
    }
    kind.fields.push(Field::system("reporter", "Reporter", "user").required());
    if kind.level == 1 {
        kind.fields.push(software(10_102, "Epic Name", "string", "gh-epic-label").required());
    }
}

fn software(number: u32, name: &str, kind: &str, custom: &str) -> Field {
    Field::custom(number, name, kind, &format!("{GREENHOPPER}:{custom}"))
}
