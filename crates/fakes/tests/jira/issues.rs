//! Issues, and what happens to them.

use reqwest::Method;
use serde_json::{Value, json};
use throughline_fakes::jira::{Field, Project};

use super::{Site, doc, story};

#[tokio::test]
async fn refuses_what_jira_refuses() {
    let site = Site::start().await;
    site.jira.change_project("SHOP", |project| {
        let team = json!([{"id": "1", "value": "Red"}, {"id": "2", "value": "Old", "disabled": true}]);
        let mut team =
            Field::custom(10_050, "Team", "option", "select").with(team.as_array().unwrap().clone());
        team.required = true;
        let tree = json!([{"id": "5", "value": "EU", "children": [{"id": "6", "value": "Spain"}]}]);
        let tree = Field::custom(10_051, "Region", "option-with-child", "cascadingselect")
            .with(tree.as_array().unwrap().clone());
        project.components = vec!["Cart".into()];
        for kind in project.types.iter_mut().filter(|kind| kind.name == "Bug") {
            kind.fields.extend([team.clone(), tree.clone()]);
        }
    });
    site.jira.project(Project { archived: true, ..Project::company("OLD") });
    site.jira.project(Project { browsable: false, ..Project::company("HID") });
    let epic = site.create(story(json!({"issuetype": {"name": "Epic"}}))).await;
    let other =
        site.create(json!({"project": {"key": "TEAM"}, "issuetype": {"name": "Epic"}, "summary": "E"})).await;
    let peer = site.create(story(json!({"parent": {"key": epic}}))).await;
    let bug = |more: Value| {
        let mut fields = story(json!({"issuetype": {"id": "10004"}, "customfield_10050": {"value": "Red"}}));
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    for (fields, name, why) in [
        (story(json!({"summary": null})), "summary", "You must specify a summary"),
        (story(json!({"summary": " "})), "summary", "You must specify a summary"),
        (story(json!({"summary": "a\nb"})), "summary", "newline"),
        (story(json!({"summary": "a".repeat(256)})), "summary", "255"),
        (story(json!({"summary": 7})), "summary", "string"),
        (
            story(json!({"customfield_10099": 1})),
            "customfield_10099",
            "cannot be set. It is not on the appropriate screen",
        ),
        (story(json!({"labels": ["a b"]})), "labels", "contains spaces"),
        (story(json!({"labels": "a"})), "labels", "not an array"),
        (story(json!({"labels": ["a".repeat(256)]})), "labels", "255"),
        (story(json!({"priority": {"name": "Huge"}})), "priority", "invalid"),
        (
            story(json!({"components": [{"name": "Till"}]})),
            "components",
            "Component name 'Till' is not valid",
        ),
        (story(json!({"assignee": {"name": "ana"}})), "assignee", "valid value"),
        (story(json!({"assignee": {"accountId": "nobody"}})), "assignee", "does not exist"),
        (story(json!({"assignee": {"accountId": "5b10gone"}})), "assignee", "does not exist"),
        (story(json!({"duedate": "2026-02-30"})), "duedate", "yyyy-MM-dd"),
        (story(json!({"customfield_10026": "5"})), "customfield_10026", "number"),
        (story(json!({"description": "text"})), "description", "Atlassian Document"),
        (story(json!({"description": doc(&"a".repeat(32_768))})), "description", "32,767"),
        (story(json!({"parent": {"key": "SHOP-99"}})), "parent", "Could not find"),
        (story(json!({"parent": {"key": other}})), "parentId", "same project"),
        (story(json!({"parent": {"key": peer}})), "parentId", "hierarchy"),
        (story(json!({"issuetype": {"name": "Sub-task"}})), "issuetype", "sub-task but parent"),
        (story(json!({"issuetype": {"name": "Saga"}})), "issuetype", "invalid"),
        (story(json!({"project": {"key": "NONE"}})), "project", "required"),
        (story(json!({"project": {"key": "HID"}})), "project", "required"),
        (story(json!({"project": {"key": "OLD"}})), "project", "archived"),
        (bug(json!({"customfield_10050": null})), "customfield_10050", "Team is required."),
        (bug(json!({"customfield_10050": {"value": "Blue"}})), "customfield_10050", "valid"),
        (bug(json!({"customfield_10050": [{"value": "Red"}]})), "customfield_10050", "valid"),
        (bug(json!({"customfield_10050": {"id": "2"}})), "customfield_10050", "disabled"),
        (
            bug(json!({"customfield_10051": {"id": "5", "child": {"value": "Peru"}}})),
            "customfield_10051",
            "valid",
        ),
    ] {
        let (status, body) = site.post("issue", json!({"fields": fields})).await;
        let found = body["errors"][name].as_str().unwrap_or_default();
        assert!(status == 400 && found.contains(why), "{status} {name} {why:?}: {body}");
    }
    site.create(bug(
        json!({"customfield_10051": {"value": "EU", "child": {"id": "6"}}, "components": [{"name": "Cart"}]}),
    ))
    .await;
    assert_eq!(site.jira.issues("SHOP").len(), 3);
    site.conforms();
}

#[tokio::test]
async fn keeps_and_shows_an_issue() {
    let site = Site::start().await;
    let epic = site.create(story(json!({"issuetype": {"name": "Epic"}}))).await;
    let fields =
        story(json!({"description": doc("Pay by card"), "labels": ["b", "a"], "parent": {"key": epic},
        "assignee": {"accountId": "5b10ana"}, "customfield_10026": 5}));
    let property = json!({"key": "throughline.effect", "value": {"id": "fx_1"}});
    let (_, made) = site.post("issue", json!({"fields": fields, "properties": [property]})).await;
    let path = format!("issue/{}", made["key"].as_str().unwrap());
    let (_, shown) =
        site.get(&format!("{path}?fields=labels,assignee,parent,status&properties=throughline.effect")).await;
    assert_eq!(shown["fields"]["labels"], json!(["a", "b"]));
    assert_eq!(shown["fields"]["assignee"]["displayName"], "Ana");
    assert_eq!(shown["fields"]["parent"]["fields"]["issuetype"]["name"], "Epic");
    assert_eq!(shown["fields"].as_object().unwrap().len(), 4);
    assert_eq!(shown["properties"]["throughline.effect"]["id"], "fx_1");
    let update =
        json!({"fields": {"summary": "Renamed"}, "update": {"labels": [{"add": "c"}, {"remove": "a"}]}});
    assert_eq!(site.call(Method::PUT, &path, update).await.0, 204);
    let kept = site.jira.issue(made["key"].as_str().unwrap()).unwrap();
    assert_eq!((&kept.fields["summary"], &kept.fields["labels"]), (&json!("Renamed"), &json!(["b", "c"])));
    assert_eq!(kept.fields["priority"]["name"], "Medium");
    assert_eq!(kept.parent(), Some(epic.as_str()));
    let seen = site.get(&format!("{path}/properties/throughline.effect")).await;
    assert_eq!(seen, (200, json!({"key": "throughline.effect", "value": {"id": "fx_1"}})));
    assert_eq!(site.call(Method::PUT, &format!("{path}/properties/x"), json!([1])).await.0, 201);
    assert_eq!(site.call(Method::DELETE, &format!("{path}/properties/x"), Value::Null).await.0, 204);
    assert_eq!(site.get(&format!("{path}/properties/x")).await.0, 404);
    assert_eq!(site.get(&format!("{path}/editmeta")).await.1["fields"]["summary"]["required"], true);
    assert_eq!(site.call(Method::DELETE, &path, Value::Null).await.0, 204);
    assert_eq!(site.get(&path).await.0, 404);
    site.conforms();
}

#[tokio::test]
async fn creates_in_bulk() {
    let site = Site::start().await;
    let one = |summary: &str| json!({"fields": story(json!({"summary": summary}))});
    let (status, body) =
        site.post("issue/bulk", json!({"issueUpdates": [one("a"), one(""), one("c")]})).await;
    assert_eq!((status, body["issues"].as_array().unwrap().len()), (201, 2));
    assert_eq!(body["errors"][0]["failedElementNumber"], 1);
    assert!(body["errors"][0]["elementErrors"]["errors"]["summary"].is_string());
    let (status, body) = site.post("issue/bulk", json!({"issueUpdates": [one("")]})).await;
    assert_eq!((status, &body["issues"]), (400, &json!([])));
    let many: Vec<_> = (0..51).map(|_| one("a")).collect();
    assert_eq!(site.post("issue/bulk", json!({"issueUpdates": many})).await.0, 400);
    assert_eq!(site.jira.issues("SHOP").len(), 2);
    site.conforms();
}

#[tokio::test]
async fn comments_moves_and_links() {
    let site = Site::start().await;
    let (one, two) = (site.create(story(json!({}))).await, site.create(story(json!({}))).await);
    let comment =
        json!({"body": doc("Seen"), "properties": [{"key": "throughline.effect", "value": {"id": "fx_2"}}]});
    assert_eq!(site.post(&format!("issue/{one}/comment"), comment).await.0, 201);
    let (_, page) = site.get(&format!("issue/{one}/comment?expand=properties&maxResults=1")).await;
    assert_eq!(
        (page["total"].as_u64(), &page["comments"][0]["properties"][0]["value"]["id"]),
        (Some(1), &json!("fx_2"))
    );
    assert_eq!(site.post(&format!("issue/{one}/comment"), json!({"body": "text"})).await.0, 400);
    let (_, offered) = site.get(&format!("issue/{one}/transitions")).await;
    let categories: Vec<_> = offered["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|to| to["to"]["statusCategory"]["key"].clone())
        .collect();
    assert_eq!(categories, ["new", "indeterminate", "done"]);
    let path = format!("issue/{one}/transitions");
    assert_eq!(site.post(&path, json!({"transition": {"id": "31"}})).await.0, 204);
    assert_eq!(site.post(&path, json!({"transition": {"id": "99"}})).await.0, 400);
    assert!(site.jira.issue(&one).unwrap().closed);
    let from = json!({"key": one});
    let link = |kind: &str, to: &str| json!({"type": {"name": kind}, "inwardIssue": from, "outwardIssue": {"key": to}});
    assert_eq!(site.post("issueLink", link("Blocks", &two)).await, (201, Value::Null));
    assert_eq!(site.post("issueLink", link("Hugs", &two)).await.0, 404);
    assert_eq!(site.post("issueLink", link("Blocks", "SHOP-99")).await.0, 404);
    assert_eq!(site.jira.issue(&one).unwrap().links, [("Blocks".to_owned(), two.clone())]);
    let (_, shown) = site.get(&format!("issue/{two}?fields=issuelinks")).await;
    assert_eq!(shown["fields"]["issuelinks"][0]["inwardIssue"]["key"], one.as_str());
    assert_eq!(site.get("issueLinkType").await.1["issueLinkTypes"].as_array().unwrap().len(), 4);
    let remote =
        json!({"globalId": "system=maro&id=1", "object": {"title": "Chat", "url": "https://chat.example/1"}});
    let path = format!("issue/{one}/remotelink");
    assert_eq!(site.post(&path, remote.clone()).await.0, 201);
    assert_eq!(site.post(&path, remote).await.0, 200);
    assert_eq!(site.get(&path).await.1.as_array().unwrap().len(), 1);
    site.conforms();
}
