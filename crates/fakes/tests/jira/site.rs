//! The configuration of the site.

use serde_json::{Value, json};

use super::Site;

#[tokio::test]
async fn describes_the_site() {
    let site = Site::start().await;
    let (_, types) = site.get("issue/createmeta/SHOP/issuetypes?startAt=1&maxResults=2").await;
    assert_eq!((types["total"].as_u64(), &types["issueTypes"][0]["name"]), (Some(5), &json!("Story")));
    let (_, fields) = site.get("issue/createmeta/SHOP/issuetypes/10001?maxResults=200").await;
    let required = |field: &&Value| field["required"] == true;
    let required: Vec<_> = fields["fields"]
        .as_array()
        .unwrap()
        .iter()
        .filter(required)
        .map(|field| field["fieldId"].clone())
        .collect();
    assert_eq!(required, ["issuetype", "project", "summary"]);
    assert_eq!(site.get("issue/createmeta/SHOP/issuetypes?maxResults=201").await.0, 400);
    site.jira.change_project("SHOP", |project| project.permissions.retain(|one| one != "LINK_ISSUES"));
    let (_, mine) = site.get("mypermissions?projectKey=SHOP&permissions=CREATE_ISSUES,LINK_ISSUES").await;
    assert_eq!(mine["permissions"]["CREATE_ISSUES"]["havePermission"], true);
    assert_eq!(mine["permissions"]["LINK_ISSUES"]["havePermission"], false);
    assert_eq!(site.get("mypermissions").await.0, 400);
    assert_eq!(site.get("project/TEAM").await.1["style"], "next-gen");
    let (status, body) = site.get("project/NONE").await;
    assert_eq!(
        (status, &body["errorMessages"][0]),
        (404, &json!("No project could be found with key 'NONE'."))
    );
    assert_eq!(site.get("project/search?maxResults=1").await.1["isLast"], false);
    assert_eq!(site.get("user/search?query=an").await.1[0]["accountId"], "5b10ana");
    assert_eq!(site.get("user/assignable/search?project=SHOP&query=gone").await.1, json!([]));
    for path in ["myself", "serverInfo", "field", "priority", "issuetype"] {
        assert_eq!(site.get(path).await.0, 200, "{path}");
    }
    site.conforms();
    assert_eq!(site.get("rockets").await, (404, Value::Null));
    site.jira.rotate_token("another");
    assert_eq!(site.get("myself").await.0, 401);
}
