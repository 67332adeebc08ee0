//! The fake as Jira Data Center.

use super::*;

async fn site() -> Site {
    Site::start_as(Edition::DataCenter).await
}

/// Creates an issue of a type, by the account itself, and returns its key.
async fn create(site: &Site, kind: &str, more: Value) -> String {
    let mut fields = json!({"project": {"key": "SHOP"}, "issuetype": {"name": kind}, "summary": "One",
        "reporter": {"name": "maro"}});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    site.create(fields).await
}

#[tokio::test]
async fn only_a_personal_access_token_gets_in() {
    let site = site().await;
    let me = |root: &str| site.request(Method::GET, &format!("{root}/myself"), &Value::Null);
    let basic = me("/rest/api/2").basic_auth(FakeJira::EMAIL, Some(FakeJira::TOKEN));
    let (status, body) = answer(basic).await;
    assert_eq!((status, &body["status-code"]), (401, &json!(401)));
    let (status, body) = answer(me("/rest/api/3").bearer_auth(FakeJira::TOKEN)).await;
    assert_eq!((status, &body["status-code"]), (404, &json!(404)));
    let answered = me("/rest/api/2").bearer_auth(FakeJira::TOKEN).send().await.unwrap();
    for header in ["x-ratelimit-limit", "x-ratelimit-fillrate", "x-ratelimit-interval-seconds", "retry-after"]
    {
        assert!(answered.headers().contains_key(header), "{header}");
    }
    let (_, server) = site.get("serverInfo").await;
    assert_eq!(server["deploymentType"], "Server");
    for path in ["/authorize", "/oauth/token/accessible-resources", "/rest/api/2/project/search"] {
        let (status, _) =
            answer(site.request(Method::GET, path, &Value::Null).bearer_auth(FakeJira::TOKEN)).await;
        assert_eq!(status, 404, "{path}");
    }
}

#[tokio::test]
async fn people_have_a_name_and_a_key() {
    let site = site().await;
    let (_, me) = site.get("myself").await;
    assert_eq!((&me["name"], &me["accountId"]), (&json!("maro"), &Value::Null));
    for path in ["user/search?username=an", "user/assignable/search?project=SHOP&username=an"] {
        let (_, found) = site.get(path).await;
        assert_eq!((&found[0]["name"], &found[0]["key"]), (&json!("ana"), &json!("5b10ana")), "{path}");
    }
    let count = async |path: &str| site.get(path).await.1.as_array().unwrap().len();
    assert_eq!(count("user/search?username=gone").await, 0);
    assert_eq!(count("user/search?username=gone&includeInactive=true").await, 1);
    let key = create(&site, "Task", json!({"assignee": {"name": "ana"}})).await;
    let (_, shown) = site.get(&format!("issue/{key}")).await;
    assert_eq!(shown["fields"]["assignee"]["name"], "ana");
    assert_eq!(shown["fields"]["reporter"]["name"], "maro");
    let fields = json!({"assignee": {"accountId": "5b10ana"}});
    let (status, _) = site.call(Method::PUT, &format!("issue/{key}"), json!({"fields": fields})).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn texts_are_markup_in_a_string() {
    let site = site().await;
    let key = create(&site, "Task", json!({"description": "h3. Title\n\n* a"})).await;
    let (_, shown) = site.get(&format!("issue/{key}?fields=description")).await;
    assert_eq!(shown["fields"]["description"], "h3. Title\n\n* a");
    let comment = |body: Value| site.post("issue/SHOP-1/comment", json!({"body": body}));
    assert_eq!(comment(doc("A document")).await.0, 400);
    assert_eq!(comment(json!("x".repeat(32_768))).await.0, 400);
    assert_eq!(comment(json!("*Good*")).await.0, 201);
    assert_eq!(site.jira.issue(&key).unwrap().comments[0].text, "Good");
}

#[tokio::test]
async fn a_screen_is_a_page_of_values() {
    let site = site().await;
    let (_, types) = site.get("issue/createmeta/SHOP/issuetypes?maxResults=2").await;
    assert_eq!(
        (&types["isLast"], &types["total"], types["values"].as_array().unwrap().len()),
        (&json!(false), &json!(5), 2)
    );
    let epic = &types["values"][0];
    assert_eq!((&epic["name"], &epic["hierarchyLevel"]), (&json!("Epic"), &Value::Null));
    let id = epic["id"].as_str().unwrap();
    let (_, screen) = site.get(&format!("issue/createmeta/SHOP/issuetypes/{id}")).await;
    let all = screen["values"].as_array().unwrap();
    let field = |name: &str| all.iter().find(|field| field["name"] == name);
    let name = field("Epic Name").unwrap();
    assert_eq!((&name["required"], &name["fieldId"]), (&json!(true), &json!("customfield_10102")));
    assert!(field("Parent").is_none() && field("Reporter").unwrap()["hasDefaultValue"] == false);
    let (_, all) = site.get("mypermissions?projectKey=SHOP").await;
    assert_eq!(all["permissions"]["CREATE_ISSUES"]["havePermission"], true);
}

#[tokio::test]
async fn a_story_joins_an_epic_by_its_link() {
    let site = site().await;
    let fields = json!({"project": {"key": "SHOP"}, "issuetype": {"name": "Epic"}, "summary": "Big"});
    let (status, refused) = site.post("issue", json!({"fields": fields})).await;
    assert_eq!(status, 400);
    assert_eq!(refused["errors"]["customfield_10102"], "Epic Name is required.");
    let epic = create(&site, "Epic", json!({"customfield_10102": "Big"})).await;
    let story = create(&site, "Story", json!({"customfield_10100": epic})).await;
    let (_, shown) = site.get(&format!("issue/{story}")).await;
    assert_eq!(
        (&shown["fields"]["customfield_10100"], &shown["fields"]["parent"]),
        (&json!(epic), &Value::Null)
    );
    assert_eq!(site.jira.issue(&story).unwrap().parent(), Some(epic.as_str()));
    let parent = json!({"parent": {"key": epic}});
    let (status, _) = site.call(Method::PUT, &format!("issue/{story}"), json!({"fields": parent})).await;
    assert_eq!(status, 400);
    let sub = create(&site, "Sub-task", json!({"parent": {"key": story}})).await;
    let (_, shown) = site.get(&format!("issue/{sub}")).await;
    assert_eq!(shown["fields"]["parent"]["key"], json!(story));
    let (_, found) = site.post("search", json!({"jql": format!("\"Epic Link\" = {epic}")})).await;
    assert_eq!((&found["total"], &found["issues"][0]["key"]), (&json!(1), &json!(story)));
}

#[tokio::test]
async fn a_search_counts_its_pages() {
    let site = site().await;
    for _ in 0..3 {
        create(&site, "Task", json!({})).await;
    }
    let (_, page) = site.get("search?jql=project%3DSHOP&startAt=1&maxResults=1").await;
    assert_eq!((&page["startAt"], &page["maxResults"], &page["total"]), (&json!(1), &json!(1), &json!(3)));
    assert_eq!(
        (&page["issues"][0]["key"], &page["issues"][0]["fields"]["summary"]),
        (&json!("SHOP-2"), &json!("One"))
    );
    assert_eq!((&page["isLast"], &page["nextPageToken"]), (&Value::Null, &Value::Null));
    let (_, all) = site.post("search", json!({"jql": "ORDER BY created DESC"})).await;
    assert_eq!(all["issues"][0]["key"], "SHOP-3");
    let (status, gone) = site.get("search/jql?jql=project%3DSHOP").await;
    assert_eq!((status, &gone["status-code"]), (404, &json!(404)));
    let (status, none) = site.get("issue/SHOP-99").await;
    assert_eq!((status, &none["errorMessages"]), (404, &json!(["Issue Does Not Exist"])));
}

#[tokio::test]
async fn what_both_have_is_the_same() {
    let site = site().await;
    let (one, two) = (create(&site, "Task", json!({})).await, create(&site, "Task", json!({})).await);
    let link = json!({"type": {"name": "Blocks"}, "inwardIssue": {"key": one}, "outwardIssue": {"key": two}});
    assert_eq!(site.post("issueLink", link).await.0, 201);
    let remote = json!({"globalId": "g", "object": {"url": "https://chat.example/1", "title": "Chat"}});
    assert_eq!(site.post(&format!("issue/{one}/remotelink"), remote).await.0, 201);
    let property = format!("issue/{one}/properties/mark");
    assert_eq!(site.call(Method::PUT, &property, json!({"id": 1})).await.0, 201);
    assert_eq!(site.get(&property).await.1["value"], json!({"id": 1}));
    let step = json!({"transition": {"id": "31"}});
    assert_eq!(site.post(&format!("issue/{one}/transitions"), step).await.0, 204);
    let issue = site.jira.issue(&one).unwrap();
    assert!(issue.closed && issue.links.len() == 1 && issue.remote_links.len() == 1);
}
