//! The fake as a client sees it.

use serde_json::{Value, json};

use super::*;

/// A workspace with two teams, and a client of it.
struct Site {
    linear: FakeLinear,
    client: reqwest::Client,
}

impl Site {
    async fn new() -> Self {
        let linear = FakeLinear::start(crate::system_clock()).await.unwrap();
        linear.team(Team::new("ENG"));
        linear.team(Team::new("OPS"));
        linear.person(Person::new("ana", "Ana Sousa"));
        linear.label(Label { group: true, ..Label::new("Kind") });
        for name in ["Bug", "Feature"] {
            linear.label(Label { parent: Some("Kind".into()), ..Label::new(name) });
        }
        linear.label(Label { team: Some("OPS".into()), ..Label::new("pager") });
        Self { linear, client: reqwest::Client::new() }
    }

    async fn send(&self, token: &str, body: &Value) -> (u16, Value) {
        let request = self.client.post(format!("{}/graphql", self.linear.url()));
        let request = request.header("authorization", token).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
    }

    async fn ask(&self, query: &str, variables: Value) -> (u16, Value) {
        self.send(FakeLinear::TOKEN, &json!({"query": query, "variables": variables})).await
    }

    /// The data of an answer that has any.
    async fn data(&self, query: &str, variables: Value) -> Value {
        let (status, body) = self.ask(query, variables).await;
        assert_eq!((status, &body["errors"]), (200, &Value::Null), "{query}");
        body["data"].clone()
    }

    async fn create(&self, mut input: Value) -> (u16, Value) {
        if input["teamId"].is_null() {
            input["teamId"] = self.team("ENG").await;
        }
        let query = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }";
        self.ask(query, json!({"input": input})).await
    }

    async fn team(&self, key: &str) -> Value {
        let query = "query($key: String!) { teams(filter: {key: {eq: $key}}) { nodes { id } } }";
        self.data(query, json!({"key": key})).await["teams"]["nodes"][0]["id"].clone()
    }

    async fn labels(&self) -> Vec<Value> {
        let found = self.data("{ issueLabels { nodes { id } } }", json!({})).await;
        found["issueLabels"]["nodes"].as_array().unwrap().iter().map(|label| label["id"].clone()).collect()
    }
}

fn message(body: &Value) -> &str {
    body["errors"][0]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn only_the_account_gets_in() {
    let site = Site::new().await;
    let body = json!({"query": "{ viewer { displayName } }"});
    let bearer = format!("Bearer {}", FakeLinear::TOKEN);
    for (token, status) in [("", 401), ("wrong", 401), (&*bearer, 401), (FakeLinear::TOKEN, 200)] {
        let (found, body) = site.send(token, &body).await;
        assert_eq!(found, status, "{token}: {body}");
    }
    site.linear.rotate_token("lin_oauth_x");
    assert_eq!(site.send("Bearer lin_oauth_x", &body).await.0, 200);
    assert_eq!(site.send("lin_oauth_x", &body).await.0, 401);
}

#[tokio::test]
async fn refuses_what_the_schema_does_not_have() {
    let site = Site::new().await;
    for (query, expected) in [
        ("{ viewer { shoeSize } }", "Cannot query field \"shoeSize\" on type \"User\"."),
        ("{ nothing { id } }", "Cannot query field \"nothing\" on type \"Query\"."),
        ("mutation { nothing { id } }", "Cannot query field \"nothing\" on type \"Mutation\"."),
        ("{ viewer }", "Field must have a selection of subfields."),
        ("{ teams(colour: 1) { nodes { id } } }", "Unknown argument \"colour\"."),
        ("{ viewer { ...Missing } }", "Unknown fragment \"Missing\"."),
        (
            "query($id: String!) { issue(id: $id) { id } }",
            "Variable \"$id\" of required type was not provided.",
        ),
        ("{ viewer { id }", "Syntax Error: Unexpected <EOF>."),
    ] {
        let (status, body) = site.ask(query, json!({})).await;
        assert_eq!((status, message(&body)), (400, expected), "{query}");
        assert_eq!(body["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    }
    let (status, body) = site.ask("{ teams(first: 251) { nodes { id } } }", json!({})).await;
    assert_eq!((status, message(&body)), (400, "Argument Validation Error"));
    assert_eq!(site.send(FakeLinear::TOKEN, &json!({})).await.0, 400);
}

/// An id that is used is refused, and so is one of another form.
#[tokio::test]
async fn an_id_is_used_once() {
    let site = Site::new().await;
    let id = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
    assert_eq!(
        site.create(json!({"id": id, "title": "One"})).await.1["data"]["issueCreate"]["issue"]["id"],
        id
    );
    let (status, body) = site.create(json!({"id": id, "title": "Two"})).await;
    assert_eq!((status, message(&body)), (200, "conflict on insert of Issue"));
    assert_eq!(body["data"], Value::Null);
    for id in ["x", "9cfb482a-81e3-5154-b5b9-2c805e70a02d", "9cfb482a81e34154b5b92c805e70a02d"] {
        assert_eq!(
            message(&site.create(json!({"id": id, "title": "x"})).await.1),
            "Argument Validation Error",
            "{id}"
        );
    }
    assert_eq!(site.linear.issues("ENG").len(), 1);
}

#[tokio::test]
async fn a_create_that_is_refused_leaves_nothing() {
    let site = Site::new().await;
    let labels = site.labels().await;
    for (input, expected) in [
        (json!({"title": " "}), "Argument Validation Error"),
        (json!({"title": "x", "colour": 1}), "Field \"colour\" is not defined by the type of input."),
        (json!({"title": "x", "priority": 5}), "Argument Validation Error"),
        (json!({"title": "x", "teamId": "none"}), "Entity not found: Team"),
        (json!({"title": "x", "parentId": "ENG-9"}), "Entity not found: Issue"),
        (json!({"title": "x", "assigneeId": "none"}), "Entity not found: User"),
        (json!({"title": "x", "labelIds": ["none"]}), "Entity not found: IssueLabel"),
        (json!({"title": "x", "labelIds": [labels[0]]}), "labelIds are groups"),
        (json!({"title": "x", "labelIds": [labels[1], labels[2]]}), "labelIds not exclusive child labels"),
        (json!({"title": "x", "labelIds": [labels[3]]}), "labelIds not in team"),
    ] {
        assert_eq!(message(&site.create(input.clone()).await.1), expected, "{input}");
    }
    site.linear.change_team("ENG", |team| team.retired = true);
    assert_eq!(message(&site.create(json!({"title": "x"})).await.1), "Team is retired");
    assert!(site.linear.issues("ENG").is_empty());
}

/// An issue keeps its former keys, is left out of lists once it is archived, and takes no changes then.
#[tokio::test]
async fn issues_move_and_go() {
    let site = Site::new().await;
    for title in ["One", "Two", "Three"] {
        site.create(json!({"title": title})).await;
    }
    assert_eq!(site.linear.move_to("ENG-1", "OPS"), "OPS-1");
    site.linear.archive("ENG-2");
    let issue =
        "query($id: String!) { issue(id: $id) { identifier previousIdentifiers archivedAt trashed } }";
    let moved = site.data(issue, json!({"id": "ENG-1"})).await;
    assert_eq!(moved["issue"]["identifier"], "OPS-1");
    assert_eq!(moved["issue"]["previousIdentifiers"], json!(["ENG-1"]));
    assert!(site.data(issue, json!({"id": "ENG-2"})).await["issue"]["archivedAt"].is_string());
    let list = "query($all: Boolean, $after: String) { issues(first: 1, includeArchived: $all, after: $after, \
                filter: {team: {key: {eq: \"ENG\"}}}) { nodes { identifier } pageInfo { hasNextPage endCursor } } }";
    let first = site.data(list, json!({"all": true})).await;
    assert_eq!(first["issues"]["nodes"][0]["identifier"], "ENG-3");
    assert_eq!(first["issues"]["pageInfo"]["hasNextPage"], true);
    let after = &first["issues"]["pageInfo"]["endCursor"];
    let second = site.data(list, json!({"all": true, "after": after})).await;
    assert_eq!(second["issues"]["nodes"][0]["identifier"], "ENG-2");
    assert_eq!(site.data(list, json!({})).await["issues"]["pageInfo"]["hasNextPage"], false);
    let update = "mutation($id: String!) { issueUpdate(id: $id, input: {title: \"x\"}) { success } }";
    assert_eq!(message(&site.ask(update, json!({"id": "ENG-2"})).await.1), "Entity not found: Issue");
    assert_eq!(
        site.create(json!({"title": "Four"})).await.1["data"]["issueCreate"]["issue"]["identifier"],
        "ENG-4"
    );
}

#[tokio::test]
async fn nothing_is_under_itself() {
    let site = Site::new().await;
    site.create(json!({"title": "Above"})).await;
    site.create(json!({"title": "Below", "parentId": "ENG-1"})).await;
    let update =
        "mutation($id: String!, $to: String!) { issueUpdate(id: $id, input: {parentId: $to}) { success } }";
    for to in ["ENG-1", "ENG-2"] {
        let (_, body) = site.ask(update, json!({"id": "ENG-1", "to": to})).await;
        assert_eq!(message(&body), "parentId would create a circle", "{to}");
    }
}
