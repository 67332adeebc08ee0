//! Things of the workspace and their fields. A field that is not here is refused, as one that the schema does not have.

use serde_json::{Value, json};

use super::answer::Error;
use super::root::{connection, root};
use super::state::{OPENED, STATES, World};
use crate::time::written_with_millis as written;

/// The site that people see.
const SITE: &str = "https://linear.app/acme";

/// A thing of which fields can be asked for.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Query,
    Issue(usize),
    Team(usize),
    User(usize),
    State(usize, usize),
    Label(usize),
    Comment(usize),
    Relation(usize),
    SharedAccess,
    Connection(&'static str, Vec<Node>, Value),
    /// Fields by themselves.
    Plain(&'static str, Value),
    /// The result of a mutation: its type, and the thing with the name of its field. `None` if that is lost.
    Payload(&'static str, &'static str, Option<Box<Node>>),
}

/// The value of a field.
#[derive(Clone, Debug)]
pub(super) enum Out {
    Value(Value),
    Node(Node),
    Nodes(Vec<Node>),
}

impl Out {
    fn maybe(node: Option<Node>) -> Self {
        node.map_or(Self::Value(Value::Null), Self::Node)
    }
}

/// Fields that are never set, by type.
const UNSET: [(&str, &str); 7] = [
    (
        "Issue",
        "integrationSourceType delegate botActor sourceComment cycle dueDate estimate syncedWith externalUserCreator \
         asksExternalUserRequester asksRequester lastAppliedTemplate subIssueSortOrder projectMilestone project \
         recurringIssueTemplate startedTriageAt triagedAt addedToCycleAt addedToProjectAt addedToTeamAt autoArchivedAt \
         autoClosedAt canceledAt completedAt startedAt slaStartedAt slaBreachesAt slaHighRiskAt slaMediumRiskAt \
         snoozedUntilAt slaType snoozedBy favorite",
    ),
    (
        "Team",
        "viewerMembership integrationsSettings activeCycle triageResponsibility scimGroupName autoCloseStateId \
         autoClosePeriod \
         defaultTemplateForMembers defaultTemplateForNonMembers defaultProjectTemplate icon color description parent \
         defaultTemplateForMembersId defaultTemplateForNonMembersId mergeWorkflowState draftWorkflowState \
         startWorkflowState mergeableWorkflowState reviewWorkflowState markedAsDuplicateWorkflowState \
         allMembersCanJoin autoCloseChildIssues autoCloseParentIssues",
    ),
    (
        "User",
        "description avatarUrl statusUntilAt statusEmoji lastSeen timezone disableReason statusLabel archivedAt \
         gitHubUserId title calendarHash",
    ),
    ("WorkflowState", "description inheritedFrom archivedAt"),
    (
        "IssueLabel",
        "groupType lastAppliedAt description inheritedFrom archivedAt creator retiredBy retiredAt",
    ),
    (
        "Comment",
        "agentSession resolvingCommentId documentContentId initiativeId initiativeUpdateId parentId projectId \
         projectUpdateId botActor resolvingComment documentContent syncedWith externalThread externalUser initiative \
         initiativeUpdate parent project projectUpdate quotedText archivedAt editedAt resolvedAt resolvingUser",
    ),
    ("IssueRelation", "archivedAt"),
];

/// Fields that are false, by type.
const FALSE: [(&str, &str); 3] = [
    ("Issue", "inheritsSharedAccess"),
    (
        "Team",
        "initiativesEnabled viewerCanJoin viewerCanLeave cycleIssueAutoAssignCompleted cycleLockToActive \
         cycleIssueAutoAssignStarted requirePriorityToLeaveTriage \
         scimManaged private inheritIssueEstimation inheritWorkflowStatuses cyclesEnabled issueEstimationExtended \
         issueEstimationAllowZero aiDiscussionSummariesEnabled aiThreadSummariesEnabled groupIssueHistory \
         slackIssueComments slackNewIssue slackIssueStatuses triageEnabled issueOrderingNoPriorityFirst \
         issueSortOrderDefaultToBottom",
    ),
    ("User", "guest admin owner app supportsAgentSessions"),
];

/// Fields that are 0, by type.
const ZERO: [(&str, &str); 3] = [
    ("Issue", "customerTicketCount boardOrder sortOrder prioritySortOrder"),
    (
        "Team",
        "upcomingCycleCount autoArchivePeriod cycleCooldownTime cycleStartDay cycleDuration defaultIssueEstimate \
         ledInitiativeCount",
    ),
    ("User", "createdIssueCount"),
];

fn lists(table: &[(&str, &str)], kind: &str, name: &str) -> bool {
    table.iter().any(|(of, names)| *of == kind && names.split_whitespace().any(|one| one == name))
}

impl Node {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Query => "Query",
            Self::Issue(_) => "Issue",
            Self::Team(_) => "Team",
            Self::User(_) => "User",
            Self::State(..) => "WorkflowState",
            Self::Label(_) => "IssueLabel",
            Self::Comment(_) => "Comment",
            Self::Relation(_) => "IssueRelation",
            Self::SharedAccess => "IssueSharedAccess",
            Self::Connection(kind, ..) | Self::Plain(kind, _) | Self::Payload(kind, ..) => kind,
        }
    }

    pub(super) fn id(&self, world: &World) -> String {
        match self {
            Self::Issue(at) => world.issues[*at].id.clone(),
            Self::Team(at) => World::team_id(*at),
            Self::User(at) => World::person_id(*at),
            Self::State(team, at) => World::state_id(*team, *at),
            Self::Label(at) => World::label_id(*at),
            Self::Comment(at) => world.comments[*at].id.clone(),
            Self::Relation(at) => world.relations[*at].id.clone(),
            _ => String::new(),
        }
    }

    /// Returns true if it is left out of lists, unless they include what is archived.
    pub(super) fn is_archived(&self, world: &World) -> bool {
        match self {
            Self::Issue(at) => world.issues[*at].archived || world.issues[*at].trashed,
            Self::Team(at) => world.teams[*at].archived,
            _ => false,
        }
    }

    /// Returns a field.
    pub(super) fn field(&self, world: &World, name: &str, arguments: &Value) -> Result<Out, Error> {
        let value = |value: Value| Ok(Out::Value(value));
        if name == "__typename" {
            return value(self.kind().into());
        }
        let kind = self.kind();
        if lists(&UNSET, kind, name) {
            return value(Value::Null);
        }
        if lists(&FALSE, kind, name) {
            return value(false.into());
        }
        if lists(&ZERO, kind, name) {
            return value(0.into());
        }
        let own = match self {
            Self::Query => return root(world, name, arguments),
            Self::Issue(at) => issue(world, *at, name, arguments)?,
            Self::Team(at) => team(world, *at, name, arguments)?,
            Self::User(at) => user(world, *at, name),
            Self::State(team, at) => state(*team, *at, name),
            Self::Label(at) => label(world, *at, name),
            Self::Comment(at) => comment(world, *at, name),
            Self::Relation(at) => relation(world, *at, name),
            Self::SharedAccess => match name {
                "disallowedIssueFields" => Some(Out::Value(json!([]))),
                "sharedWithUsers" => Some(Out::Nodes(Vec::new())),
                "sharedWithCount" => Some(Out::Value(0.into())),
                "viewerHasOnlySharedAccess" | "isShared" => Some(Out::Value(false.into())),
                _ => None,
            },
            Self::Connection(_, nodes, page) => match name {
                "nodes" => Some(Out::Nodes(nodes.clone())),
                "pageInfo" => Some(Out::Node(Self::Plain("PageInfo", page.clone()))),
                _ => None,
            },
            Self::Plain(_, fields) => fields.get(name).cloned().map(Out::Value),
            Self::Payload(_, field, of) => match name {
                "success" => Some(Out::Value(true.into())),
                "lastSyncId" => Some(Out::Value(1.into())),
                _ if name == *field => Some(Out::maybe(of.as_deref().cloned())),
                _ => None,
            },
        };
        if own.is_none() && name == "id" {
            return value(self.id(world).into());
        }
        own.ok_or_else(|| Error::invalid(&format!("Cannot query field \"{name}\" on type \"{kind}\".")))
    }
}

fn slug(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    title
        .chars()
        .map(plain)
        .collect::<String>()
        .split('-')
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn issue(world: &World, at: usize, name: &str, arguments: &Value) -> Result<Option<Out>, Error> {
    let stored = &world.issues[at];
    let identifier = world.identifier(at);
    let of = |kind, nodes| connection(world, kind, nodes, arguments).map(Some);
    let value = match name {
        "identifier" => json!(identifier),
        "number" => json!(stored.number),
        "title" => json!(stored.title),
        "description" => {
            if stored.description.is_empty() {
                Value::Null
            } else {
                json!(stored.description)
            }
        }
        "url" => json!(format!("{SITE}/issue/{identifier}/{}", slug(&stored.title))),
        "branchName" => json!(format!("{}-{}", identifier.to_lowercase(), slug(&stored.title))),
        "priority" => json!(stored.priority),
        "priorityLabel" => {
            let names = ["No priority", "Urgent", "High", "Medium", "Low"];
            json!(names[usize::try_from(stored.priority).unwrap_or_default().min(4)])
        }
        "trashed" => {
            if stored.trashed {
                true.into()
            } else {
                Value::Null
            }
        }
        "archivedAt" => {
            let gone = stored.archived || stored.trashed;
            if gone { json!(written(stored.updated)) } else { Value::Null }
        }
        "createdAt" => json!(written(stored.created)),
        "updatedAt" => json!(written(stored.updated)),
        "previousIdentifiers" => json!(stored.former),
        "labelIds" => stored.labels.iter().map(|label| World::label_id(*label)).collect(),
        "reactionData" => json!({}),
        "reactions" => return Ok(Some(Out::Nodes(Vec::new()))),
        "sharedAccess" => return Ok(Some(Out::Node(Node::SharedAccess))),
        "team" => return Ok(Some(Out::Node(Node::Team(stored.team)))),
        "state" => return Ok(Some(Out::Node(Node::State(stored.team, stored.state)))),
        "creator" => return Ok(Some(Out::Node(Node::User(0)))),
        "assignee" => return Ok(Some(Out::maybe(stored.assignee.map(Node::User)))),
        "parent" => return Ok(Some(Out::maybe(stored.parent.map(Node::Issue)))),
        "children" => {
            let under = (0..world.issues.len()).filter(|one| world.issues[*one].parent == Some(at));
            return of("IssueConnection", under.map(Node::Issue).collect());
        }
        "labels" => {
            return of("IssueLabelConnection", stored.labels.iter().copied().map(Node::Label).collect());
        }
        "comments" => {
            let own = (0..world.comments.len()).rev().filter(|one| world.comments[*one].issue == at);
            return of("CommentConnection", own.map(Node::Comment).collect());
        }
        "relations" => {
            let own = (0..world.relations.len()).filter(|one| world.relations[*one].issue == at);
            return of("IssueRelationConnection", own.map(Node::Relation).collect());
        }
        "inverseRelations" => {
            let own = (0..world.relations.len()).filter(|one| world.relations[*one].related == at);
            return of("IssueRelationConnection", own.map(Node::Relation).collect());
        }
        _ => return Ok(None),
    };
    Ok(Some(Out::Value(value)))
}

fn team(world: &World, at: usize, name: &str, arguments: &Value) -> Result<Option<Out>, Error> {
    let team = &world.teams[at];
    let gone = |is: bool| if is { json!(written(0)) } else { Value::Null };
    let value = match name {
        "key" => json!(team.key),
        "name" | "displayName" => json!(format!("Team {}", team.key)),
        "archivedAt" => gone(team.archived),
        "retiredAt" => gone(team.retired),
        "createdAt" | "updatedAt" => json!(written(0)),
        "timezone" => json!("Europe/Lisbon"),
        "issueEstimationType" => json!("notUsed"),
        "setIssueSortOrderOnStateChange" => json!("default"),
        "visibility" => json!("public"),
        "securitySettings" => json!({}),
        "cycleCalenderUrl" | "inviteHash" => json!(""),
        "issueCount" => json!(world.issues.iter().filter(|issue| issue.team == at).count()),
        "defaultIssueState" => return Ok(Some(Out::Node(Node::State(at, OPENED)))),
        "triageIssueState" => return Ok(Some(Out::Node(Node::State(at, 0)))),
        "states" => {
            let states = (0..STATES.len()).map(|state| Node::State(at, state)).collect();
            return connection(world, "WorkflowStateConnection", states, arguments).map(Some);
        }
        _ => return Ok(None),
    };
    Ok(Some(Out::Value(value)))
}

fn user(world: &World, at: usize, name: &str) -> Option<Out> {
    let person = &world.people[at];
    Some(Out::Value(match name {
        "displayName" => json!(person.display_name),
        "name" => json!(person.name),
        "email" => json!(person.email()),
        "active" => json!(person.active),
        "isAssignable" => json!(person.assignable),
        "isMe" => json!(at == 0),
        "isMentionable" | "canAccessAnyPublicTeam" => json!(true),
        "url" => json!(format!("{SITE}/profiles/{}", person.display_name)),
        "initials" => json!(person.display_name.chars().take(2).collect::<String>()),
        "avatarBackgroundColor" => json!("#5e6ad2"),
        "createdAt" | "updatedAt" => json!(written(0)),
        "inviteHash" => json!(""),
        _ => return None,
    }))
}

fn state(team: usize, at: usize, name: &str) -> Option<Out> {
    let (called, kind) = STATES[at];
    Some(match name {
        "name" => Out::Value(called.into()),
        "type" => Out::Value(kind.into()),
        "position" => Out::Value(at.into()),
        "color" => Out::Value("#bec2c8".into()),
        "createdAt" | "updatedAt" => Out::Value(written(0).into()),
        "team" => Out::Node(Node::Team(team)),
        _ => return None,
    })
}

fn label(world: &World, at: usize, name: &str) -> Option<Out> {
    let label = &world.labels[at];
    Some(match name {
        "name" => Out::Value(json!(label.name)),
        "isGroup" => Out::Value(json!(label.group)),
        "color" => Out::Value("#eb5757".into()),
        "createdAt" | "updatedAt" => Out::Value(written(0).into()),
        "team" => Out::maybe(label.team.as_ref().and_then(|key| world.team_at(key)).map(Node::Team)),
        "parent" => {
            let group = |one: &usize| {
                world.labels[*one].group && Some(&world.labels[*one].name) == label.parent.as_ref()
            };
            Out::maybe((0..world.labels.len()).find(group).map(Node::Label))
        }
        _ => return None,
    })
}

fn comment(world: &World, at: usize, name: &str) -> Option<Out> {
    let comment = &world.comments[at];
    Some(match name {
        "body" => Out::Value(json!(comment.body)),
        "url" => {
            Out::Value(json!(format!("{SITE}/issue/{}#comment-{}", world.identifier(comment.issue), at)))
        }
        "issueId" => Out::Value(json!(world.issues[comment.issue].id)),
        "issue" => Out::Node(Node::Issue(comment.issue)),
        "user" => Out::Node(Node::User(0)),
        "createdAt" | "updatedAt" => Out::Value(written(comment.created).into()),
        "reactionData" => Out::Value(json!({})),
        "reactions" => Out::Nodes(Vec::new()),
        _ => return None,
    })
}

fn relation(world: &World, at: usize, name: &str) -> Option<Out> {
    let relation = &world.relations[at];
    Some(match name {
        "type" => Out::Value(json!(relation.kind)),
        "issue" => Out::Node(Node::Issue(relation.issue)),
        "relatedIssue" => Out::Node(Node::Issue(relation.related)),
        "createdAt" | "updatedAt" => Out::Value(written(relation.created).into()),
        _ => return None,
    })
}
