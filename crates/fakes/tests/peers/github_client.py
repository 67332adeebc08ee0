"""A program made with PyGithub, which knows nothing of the fake but its address.

Run by tests/peers/github.rs.
"""

import sys

from github import Auth, Github, GithubException, UnknownObjectException

url, token, name, person = sys.argv[1:]
github = Github(
    base_url=url,
    auth=Auth.Token(token),
    retry=None,
    per_page=2,
    seconds_between_requests=0,
    seconds_between_writes=0,
)
me = github.get_user().login
repository = github.get_repo(name)
assert repository.full_name == name and repository.has_issues and repository.permissions.push
assert person in [one.login for one in repository.get_assignees()]
assert repository.has_in_assignees(person) and not repository.has_in_assignees("zoe")

# Creates, and what is refused.
epic = repository.create_issue("Ship", body="All of it.", labels=["epic"])
assert (epic.number, epic.user.login, epic.state) == (1, me, "open")
for fields, wrong in [({"title": " "}, "title"), ({"title": "x", "assignees": ["zoe"]}, "assignees")]:
    try:
        repository.create_issue(**fields)
        raise AssertionError("it was taken")
    except GithubException as error:
        assert error.status == 422 and error.data["errors"][0]["field"] == wrong, error
try:
    repository.get_issue(99)
    raise AssertionError("it is there")
except UnknownObjectException as error:
    assert error.status == 404
stories = [repository.create_issue(f"Ship by {way}", labels=["ship"]) for way in ("train", "plane", "boat")]

# Sub-issues, their order and their counts.
for story in stories:
    epic.add_sub_issue(story)
train, plane, boat = stories
epic.prioritize_sub_issue(boat, plane)
epic.prioritize_sub_issue(train, boat)
under = list(epic.get_sub_issues())
assert [issue.number for issue in under] == [plane.number, boat.number, train.number], under
try:
    train.add_sub_issue(epic)
    raise AssertionError("it was taken")
except GithubException as error:
    assert error.status == 422, error
epic.remove_sub_issue(boat.id)

# Changes.
train.edit(title="Ship by night train", body="Slowly.", assignee=person)
train.add_to_labels("slow", "night")
train.remove_from_labels("night")
plane.set_labels("ship", "loud")
boat.delete_labels()
train.remove_from_assignees(person)
boat.add_to_assignees(person)
train.create_comment("Looks good")
for number in range(2, 6):
    train.create_comment(f"Comment {number}")
train.edit(state="closed", state_reason="completed")

# Read back, over pages.
train = repository.get_issue(train.number)
assert (train.title, train.body, train.state, train.state_reason) == (
    "Ship by night train", "Slowly.", "closed", "completed",
)
assert train.closed_at is not None and train.assignees == []
assert [label.name for label in train.get_labels()] == ["ship", "slow"]
assert train.parent_issue_url == epic.url
summary = repository.get_issue(epic.number).sub_issues_summary
assert (summary.total, summary.completed, summary.percent_completed) == (2, 1, 50)
comments = train.get_comments()
assert comments.totalCount == 5
assert [comment.body for comment in comments][::4] == ["Looks good", "Comment 5"]
assert [comment.body for comment in comments.reversed][0] == "Comment 5"
assert [issue.number for issue in repository.get_issues(state="all")] == [4, 3, 2, 1]
assert [issue.number for issue in repository.get_issues(labels=["ship"])] == [plane.number]
assert [issue.number for issue in repository.get_issues(assignee=person)] == [boat.number]
assert {"bug", "epic", "ship", "slow", "night", "loud"} <= {label.name for label in repository.get_labels()}
try:
    repository.create_label("Ship", "aabbcc")
    raise AssertionError("it was taken")
except GithubException as error:
    assert error.data["errors"][0]["code"] == "already_exists", error

# Search.
def search(query: str, **qualifiers: str) -> list[int]:
    return [issue.number for issue in github.search_issues(query, sort="created", order="asc", **qualifiers)]

assert search("ship by", repo=name, **{"is": "issue"}) == [train.number, plane.number, boat.number]
assert github.search_issues("ship", repo=name).totalCount == 4
assert search('"night train"', state="closed") == [train.number]
assert search("-label:loud is:open", repo=name) == [epic.number, boat.number]
assert search("ship", **{"parent-issue": f"{name}#{epic.number}"}) == [train.number, plane.number]
try:
    search("ship", repo="acme/nothing")
    raise AssertionError("it was searched")
except GithubException as error:
    assert error.status == 422, error
print("well")
