//! The configuration of the site: projects, screens, permissions, people.

use serde_json::{Map, Value, json};

use super::FakeJira;
use super::answer::{Answer, Outcome};
use super::project::{Field, IssueType, PERMISSIONS, Project};
use super::state::{Person, World};
use super::wire::Asked;

/// The permissions that can be asked for, beside those of projects.
const OTHER_PERMISSIONS: [&str; 7] = [
    "ADMINISTER",
    "ADMINISTER_PROJECTS",
    "CLOSE_ISSUES",
    "MODIFY_REPORTER",
    "RESOLVE_ISSUES",
    "SCHEDULE_ISSUES",
    "WORK_ON_ISSUES",
];

fn no_project(status: u16, named: &str) -> Answer {
    Answer::refused(status, &format!("No project could be found with key '{named}'."))
}

// ---- projects ----

pub(super) fn project(world: &World, named: &str) -> Outcome {
    let project = world.project(named).ok_or_else(|| no_project(404, named))?;
    let mut shown = world.show_project(project);
    shown["archived"] = json!(project.archived);
    shown["issueTypes"] = project.types.iter().map(|kind| world.show_type(kind)).collect();
    let list = |names: &[String]| -> Value {
        let one = |(id, name): (usize, &String)| json!({"id": id.to_string(), "name": name});
        (10_000..).zip(names).map(one).collect()
    };
    (shown["components"], shown["versions"]) = (list(&project.components), list(&project.versions));
    shown["lead"] = world.show_account(FakeJira::ACCOUNT);
    Ok(Answer::ok(shown))
}

pub(super) fn projects(world: &World, asked: &Asked) -> Outcome {
    let (start, most) = asked.page(50, 100)?;
    let (keys, query) = (asked.list("keys"), asked.query("query").unwrap_or_default().to_lowercase());
    let fits = |project: &&Project| {
        project.visible()
            && !project.archived
            && (keys.is_empty() || keys.contains(&project.key.as_str()))
            && (project.key.to_lowercase().contains(&query) || project.name.to_lowercase().contains(&query))
    };
    let mut found: Vec<&Project> = world.projects.iter().filter(fits).collect();
    found.sort_by(|one, other| one.key.cmp(&other.key));
    let values: Vec<_> =
        found.iter().skip(start).take(most).map(|project| world.show_project(project)).collect();
    let last = start + values.len() >= found.len();
    let mut page = json!({"self": world.link(&format!("project/search?startAt={start}&maxResults={most}")),
        "startAt": start, "maxResults": most, "total": found.len(), "isLast": last, "values": values});
    if !last {
        page["nextPage"] =
            json!(world.link(&format!("project/search?startAt={}&maxResults={most}", start + most)));
    }
    Ok(Answer::ok(page))
}

/// Lists the projects as Data Center does: all in one answer.
pub(super) fn all_projects(world: &World) -> Outcome {
    let seen = world.projects.iter().filter(|project| project.visible() && !project.archived);
    Ok(Answer::ok(seen.map(|project| world.show_project(project)).collect()))
}

// ---- screens ----

/// Returns the project whose create screens the service account can see.
fn creatable<'a>(world: &'a World, named: &str) -> Result<&'a Project, Answer> {
    // The published statuses have no 404 here.
    let found = world.project(named).filter(|project| project.allows("CREATE_ISSUES") && !project.archived);
    found.ok_or_else(|| no_project(400, named))
}

pub(super) fn create_types(world: &World, asked: &Asked, named: &str) -> Outcome {
    let page = asked.page(50, 200)?;
    let project = creatable(world, named)?;
    let all: Vec<_> = project.types.iter().map(|kind| world.show_type(kind)).collect();
    Ok(world.edition.screen_page("issueTypes", &all, page))
}

pub(super) fn create_fields(world: &World, asked: &Asked, named: &str, kind: &str) -> Outcome {
    let page = asked.page(50, 200)?;
    let project = creatable(world, named)?;
    let kind = project.types.iter().find(|one| one.id == kind);
    let kind = kind.ok_or_else(|| Answer::refused(400, "The issue type is not available in the project."))?;
    let one = |(id, mut field): (String, Value)| {
        field["fieldId"] = json!(id);
        field
    };
    let all: Vec<_> = screen(world, project, kind).into_iter().map(one).collect();
    Ok(world.edition.screen_page("fields", &all, page))
}

/// Returns the fields of a screen by id, with project and issue type, which every create screen has.
fn screen(world: &World, project: &Project, kind: &IssueType) -> Vec<(String, Value)> {
    let always = [
        Field::system("issuetype", "Issue Type", "issuetype").required().with(vec![world.show_type(kind)]),
        Field::system("project", "Project", "project").required().with(vec![world.show_project(project)]),
    ];
    let all = always.iter().chain(&kind.fields);
    all.map(|field| (field.id.clone(), world.show_field(project, field))).collect()
}

pub(super) fn edit_meta(world: &World, key: &str) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let project = world.project(&issue.project).filter(|project| project.allows("EDIT_ISSUES"));
    let kind = world.type_of(issue).ok_or_else(Answer::no_issue)?;
    // Without the permission, there is nothing to edit.
    let fields = project.map(|project| screen(world, project, kind)).unwrap_or_default();
    let fields: Map<_, _> = fields.into_iter().filter(|(id, _)| id != "project").collect();
    Ok(Answer::ok(json!({"fields": fields})))
}

pub(super) fn fields(world: &World) -> Outcome {
    let mut all: Vec<Value> = Vec::new();
    for field in world
        .projects
        .iter()
        .filter(|project| project.visible())
        .flat_map(|project| &project.types)
        .flat_map(|kind| &kind.fields)
    {
        if all.iter().any(|one| one["id"] == field.id) {
            continue;
        }
        let custom = field.id.strip_prefix("customfield_");
        let clauses = custom.map_or_else(
            || vec![field.id.clone()],
            |number| vec![format!("cf[{number}]"), field.name.clone()],
        );
        all.push(json!({"id": field.id, "key": field.id, "name": field.name, "custom": custom.is_some(),
            "orderable": true, "navigable": true, "searchable": true, "clauseNames": clauses, "schema": field.schema}));
    }
    Ok(Answer::ok(json!(all)))
}

pub(super) fn types(world: &World) -> Outcome {
    let mut all: Vec<Value> = Vec::new();
    for project in world.projects.iter().filter(|project| project.visible()) {
        for kind in &project.types {
            let mut shown = world.show_type(kind);
            if project.team_managed {
                let id = world.project_id(&project.key).to_string();
                shown["scope"] = json!({"type": "PROJECT", "project": {"id": id}});
            }
            if !all.contains(&shown) {
                all.push(shown);
            }
        }
    }
    Ok(Answer::ok(json!(all)))
}

// ---- permissions ----

pub(super) fn my_permissions(world: &World, asked: &Asked) -> Outcome {
    let wanted = world.edition.permissions(asked, &OTHER_PERMISSIONS);
    if wanted.is_empty() {
        return Err(Answer::refused(400, "The 'permissions' query parameter is required."));
    }
    let of_issue = asked.query("issueKey").or_else(|| asked.query("issueId"));
    let of_issue =
        of_issue.map(|key| world.issue(key).map(|issue| issue.project.clone()).ok_or_else(Answer::no_issue));
    let named = asked.query("projectKey").or_else(|| asked.query("projectId")).map(str::to_owned);
    let named = of_issue.transpose()?.or(named);
    let project = named.map(|key| world.project(&key).ok_or_else(|| no_project(404, &key))).transpose()?;
    let mut all = Map::new();
    for (id, key) in (10..).zip(wanted) {
        let of_project = PERMISSIONS.contains(&key);
        if !of_project && !OTHER_PERMISSIONS.contains(&key) {
            return Err(Answer::refused(400, &format!("Permission(s) unknown: {key}")));
        }
        // Without a project, it says whether there is any project that allows it.
        let have = match project {
            Some(project) => project.allows(key),
            None => world.projects.iter().any(|project| project.allows(key)),
        };
        let kind = if key == "ADMINISTER" { "GLOBAL" } else { "PROJECT" };
        let shown = json!({"id": id.to_string(), "key": key, "name": key, "type": kind, "description": "",
            "havePermission": have});
        all.insert(key.into(), shown);
    }
    Ok(Answer::ok(json!({"permissions": all})))
}

// ---- people and the site ----

pub(super) fn myself(world: &World) -> Outcome {
    Ok(Answer::ok(world.show_account(FakeJira::ACCOUNT)))
}

pub(super) fn users(world: &World, asked: &Asked) -> Outcome {
    let found: Vec<&Person> =
        world.people.iter().filter(|person| world.edition.lists(person, asked)).collect();
    matching(world, asked, &found)
}

pub(super) fn assignable_users(world: &World, asked: &Asked) -> Outcome {
    let of_issue = asked
        .query("issueKey")
        .map(|key| world.issue(key).map(|issue| issue.project.clone()).ok_or_else(Answer::no_issue));
    let named = of_issue.transpose()?.or_else(|| asked.query("project").map(str::to_owned));
    let named = named.ok_or_else(|| Answer::refused(400, "Specify a project or an issue."))?;
    let project = world.project(&named).ok_or_else(|| no_project(404, &named))?;
    let found: Vec<&Person> = world.assignable(project).collect();
    matching(world, asked, &found)
}

/// Returns the people whose name or address begins with the query, in one of its words.
fn matching(world: &World, asked: &Asked, people: &[&Person]) -> Outcome {
    let (start, most) = asked.page(50, 1_000)?;
    let (query, account) = world.edition.wanted_person(asked);
    let begins = |text: &str| {
        text.to_lowercase().starts_with(&*query)
            || text.to_lowercase().split([' ', '.']).any(|word| word.starts_with(&*query))
    };
    let fits = |person: &&&Person| match account {
        Some(id) => person.account_id == id,
        None => begins(&person.name) || begins(&person.email),
    };
    // Like Jira, it takes the page first and filters then: a page may be short though more follow.
    let page = people.iter().skip(start).take(most).filter(fits);
    Ok(Answer::ok(page.map(|person| world.show_person(person)).collect()))
}

pub(super) fn server_info(world: &World, now: i64) -> Outcome {
    Ok(Answer::ok(world.edition.server_info(world, now)))
}
