"""A program made with jira (pycontribs), which knows nothing of the fake but its address.

Run by tests/peers/jira.rs.
"""

import sys

from jira import JIRA, JIRAError

server, email, token, person = sys.argv[1:]
jira = JIRA(server=server, basic_auth=(email, token), options={"rest_api_version": "3"}, max_retries=0)


def doc(text: str) -> dict:
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
    return {"type": "doc", "version": 1, "content": [paragraph]}


assert jira._is_cloud and jira.myself()["emailAddress"] == email
assert jira.project("SHOP").name == "SHOP project"
assert jira.my_permissions(projectKey="SHOP", permissions="EDIT_ISSUES")["permissions"]["EDIT_ISSUES"]["havePermission"]
# It has no method for these two of Jira Cloud.
kinds = jira._get_json("issue/createmeta/SHOP/issuetypes")["issueTypes"]
types = {kind["name"]: kind["id"] for kind in kinds}
screen = jira._get_json(f"issue/createmeta/SHOP/issuetypes/{types['Story']}")["fields"]
fields = {field["name"]: field["fieldId"] for field in screen}
assert fields["Story Points"] == "customfield_10026", fields

epic = jira.create_issue(project="SHOP", issuetype={"id": types["Epic"]}, summary="Ship")
story = {
    "project": {"key": "SHOP"},
    "issuetype": {"name": "Story"},
    "summary": "Ship by train",
    "description": doc("Slowly."),
    "labels": ["ship"],
    "parent": {"key": epic.key},
    "priority": {"name": "High"},
    fields["Story Points"]: 2,
}
made = jira.create_issues([story, {**story, "summary": ""}, {**story, "summary": "Ship by plane"}])
assert [one["status"] for one in made] == ["Success", "Error", "Success"], made
train, plane = made[0]["issue"], made[2]["issue"]
assert train.fields.parent.key == epic.key and train.fields.priority.name == "High"
try:
    jira.create_issue(fields={**story, "summary": None})
    raise AssertionError("it was taken")
except JIRAError as error:
    assert error.status_code == 400 and "You must specify a summary" in error.text, error

train.update(fields={"summary": "Ship by night train", "assignee": {"accountId": person}})
jira.add_comment(train, doc("Looks good"))
assert len(jira.comments(train)) == 1
jira.transition_issue(train, "Done")
jira.create_issue_link("Blocks", train.key, plane.key)
assert "Relates" in [kind.name for kind in jira.issue_link_types()]
jql = 'project = SHOP AND labels = "ship" ORDER BY created ASC'
found = jira.enhanced_search_issues(jql, fields="summary,status,issuelinks")
assert [issue.key for issue in found] == [train.key, plane.key], found
assert found[0].fields.status.name == "Done"
assert found[1].fields.issuelinks[0].inwardIssue.key == train.key
assert jira.add_simple_link(train, {"title": "Chat", "url": "https://chat.example/1"}).id
print("well")
