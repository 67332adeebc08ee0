//! The texts of our requests. What they ask for is little, because Linear counts it.

/// A request: its name and its text.
pub(super) struct Query {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

/// Makes a request that ends with the parts of an issue that we read.
macro_rules! of_issue {
    ($name:literal, $text:literal) => {
        Query {
            name: $name,
            text: concat!(
                $text,
                " fragment Parts on Issue { id identifier title url archivedAt trashed team { id key } \
                 state { type } assignee { id displayName } parent { identifier } labels { nodes { name } } }"
            ),
        }
    };
}

/// The account.
pub(super) const VIEWER: Query =
    Query { name: "Viewer", text: "query Viewer { viewer { displayName email } }" };

/// A team by its key.
pub(super) const TEAM: Query = Query {
    name: "Team",
    text: "query Team($key: String!) { teams(filter: {key: {eq: $key}}, first: 1, includeArchived: true) { \
           nodes { id key archivedAt retiredAt } } }",
};

/// The states that issues of a team can be in.
pub(super) const STATES: Query = Query {
    name: "States",
    text: "query States($team: String!) { team(id: $team) { defaultIssueState { id type } \
           states(first: 100) { nodes { id type position } } } }",
};

/// Labels of a team and of the workspace.
pub(super) const LABELS: Query = Query {
    name: "Labels",
    text: "query Labels($filter: IssueLabelFilter!) { issueLabels(filter: $filter, first: 250) { \
           nodes { id name isGroup team { id } parent { id } } } }",
};

/// People.
pub(super) const USERS: Query = Query {
    name: "Users",
    text: "query Users($filter: UserFilter!, $after: String) { users(filter: $filter, first: 100, after: $after) { \
           nodes { id name displayName email isAssignable } pageInfo { hasNextPage endCursor } } }",
};

/// An issue by its id or its key. One that was moved is found by its former keys, too.
pub(super) const ISSUE: Query =
    of_issue!("Issue", "query Issue($id: String!) { issue(id: $id) { ...Parts } }");

/// The issues that an issue is linked to.
pub(super) const RELATIONS: Query = Query {
    name: "Relations",
    text: "query Relations($id: String!, $after: String, $backwards: String) { issue(id: $id) { \
           relations(first: 100, after: $after) { nodes { relatedIssue { id } } pageInfo { hasNextPage endCursor } } \
           inverseRelations(first: 100, after: $backwards) { nodes { issue { id } } pageInfo { hasNextPage endCursor } } } }",
};

/// Creates an issue.
pub(super) const CREATE_ISSUE: Query = of_issue!(
    "CreateIssue",
    "mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ...Parts } } }"
);

/// Changes an issue.
pub(super) const CHANGE_ISSUE: Query = Query {
    name: "ChangeIssue",
    text: "mutation ChangeIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { \
           success } }",
};

/// Comments on an issue.
pub(super) const CREATE_COMMENT: Query = Query {
    name: "CreateComment",
    text: "mutation CreateComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
};

/// Links two issues.
pub(super) const CREATE_RELATION: Query = Query {
    name: "CreateRelation",
    text: "mutation CreateRelation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { \
           success } }",
};
