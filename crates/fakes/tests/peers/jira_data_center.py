"""A program made with jira (pycontribs) as it speaks to Jira Data Center, which knows nothing of the fake but its address.

Run by tests/peers/jira.rs.
"""

import sys

from jira import JIRA, JIRAError

server, token, person = sys.argv[1:]
jira = JIRA(server=server, token_auth=token, max_retries=0)

assert not jira._is_cloud and jira.server_info()["deploymentType"] == "Server"
me = jira.myself()["name"]
assert [project.key for project in jira.projects()] == ["SHOP"]
assert jira.my_permissions(projectKey="SHOP")["permissions"]["EDIT_ISSUES"]["havePermission"]
types = {kind.name: kind.id for kind in jira.project_issue_types("SHOP")}
fields = {field.name: field.fieldId for field in jira.project_issue_fields("SHOP", types["Story"])}
assert "Parent" not in fields, fields
of_epic = {field.name: field for field in jira.project_issue_fields("SHOP", types["Epic"])}
assert of_epic["Epic Name"].required and of_epic["Epic Name"].schema.custom.endswith(":gh-epic-label")

common = {"project": {"key": "SHOP"}, "reporter": {"name": me}}
epic = jira.create_issue(
    fields={**common, "issuetype": {"name": "Epic"}, "summary": "Ship", of_epic["Epic Name"].fieldId: "Ship"}
)
story = {
    **common,
    "issuetype": {"name": "Story"},
    "summary": "Ship by train",
    "description": "h3. How\n\n* slowly",
    "labels": ["ship"],
    "priority": {"name": "High"},
    fields["Epic Link"]: epic.key,
}
train = jira.create_issue(fields=story)
plane = jira.create_issue(fields={**story, "summary": "Ship by plane"})
assert getattr(train.fields, fields["Epic Link"]) == epic.key and train.fields.description.startswith("h3. How")
for wrong in ({"summary": None}, {"parent": {"key": epic.key}}):
    try:
        jira.create_issue(fields={**story, **wrong})
        raise AssertionError("it was taken")
    except JIRAError as error:
        assert error.status_code == 400, error

[found] = jira.search_assignable_users_for_issues(username=person, project="SHOP")
assert found.name == person and found.key != person and not hasattr(found, "accountId")
assert [user.name for user in jira.search_users(user=person)] == [person]
train.update(fields={"summary": "Ship by night train", "assignee": {"name": found.name}})
assert jira.issue(train.key).fields.assignee.name == person
jira.add_comment(train, "Looks *good*")
assert [comment.body for comment in jira.comments(train)] == ["Looks *good*"]
jira.transition_issue(train, "Done")
jira.create_issue_link("Blocks", train.key, plane.key)
jql = f'project = SHOP AND labels = "ship" AND "Epic Link" = {epic.key} ORDER BY created ASC'
found = jira.search_issues(jql, fields="summary,status,issuelinks", maxResults=1)
assert (found.total, [issue.key for issue in found]) == (2, [train.key]), found
found = jira.search_issues(jql, fields="summary,status,issuelinks", startAt=1, maxResults=1)
assert found[0].fields.issuelinks[0].inwardIssue.key == train.key
assert jira.add_simple_link(train, {"title": "Chat", "url": "https://chat.example/1"}).id
jira.add_issue_property(train, "mark", {"id": 1})
assert jira.issue_property(train, "mark").value.id == 1
print("well")
