// A program made with jira.js, which knows nothing of the fake but its address. Run by tests/peers/jira.rs.

import assert from "node:assert";
import { createRequire } from "node:module";

const [, , description, host, email, apiToken, person] = process.argv;
const { Version3Client } = createRequire(description)("jira.js");

const jira = new Version3Client({ host, authentication: { basic: { email, apiToken } } });
const paragraph = (text) => ({ type: "paragraph", content: [{ type: "text", text }] });
const doc = (text) => ({ type: "doc", version: 1, content: [paragraph(text)] });
const refused = async (call) => {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("it was taken");
};

assert.equal((await jira.serverInfo.getServerInfo()).deploymentType, "Cloud");
assert.equal((await jira.myself.getCurrentUser()).emailAddress, email);
assert.equal((await jira.projects.searchProjects()).values[0].key, "SHOP");
const asked = { projectKey: "SHOP", permissions: "CREATE_ISSUES,LINK_ISSUES" };
const permissions = await jira.permissions.getMyPermissions(asked);
assert.equal(permissions.permissions.CREATE_ISSUES.havePermission, true);

const { issueTypes } = await jira.issues.getCreateIssueMetaIssueTypes({ projectIdOrKey: "SHOP", maxResults: 200 });
const type = (name) => ({ id: issueTypes.find((one) => one.name === name).id });
const { fields } = await jira.issues.getCreateIssueMetaIssueTypeId({
  projectIdOrKey: "SHOP",
  issueTypeId: type("Story").id,
  maxResults: 200,
});
const points = fields.find((field) => field.name === "Story Points").fieldId;

const project = { key: "SHOP" };
const epic = await jira.issues.createIssue({ fields: { project, issuetype: type("Epic"), summary: "Pay" } });
const bulk = await jira.issues.createIssues({
  issueUpdates: ["Pay by card", "Pay by bill", ""].map((summary) => ({
    fields: {
      project,
      issuetype: type("Story"),
      summary,
      description: doc(`${summary}.`),
      labels: ["pay"],
      parent: { key: epic.key },
      assignee: { accountId: person },
      [points]: 3,
    },
  })),
});
assert.equal(bulk.issues.length, 2);
assert.equal(bulk.errors[0].failedElementNumber, 2);
const wrong = await refused(jira.issues.createIssue({ fields: { project, issuetype: type("Story") } }));
assert.match(JSON.stringify(wrong.response?.data ?? wrong), /You must specify a summary of the issue/);

const [card, bill] = bulk.issues.map((issue) => issue.key);
const shown = await jira.issues.getIssue({ issueIdOrKey: card, fields: ["summary", "parent", "assignee"] });
assert.equal(shown.fields.parent.key, epic.key);
assert.equal(shown.fields.assignee.accountId, person);
await jira.issues.editIssue({ issueIdOrKey: card, fields: { summary: "Pay by any card" } });
await jira.issueComments.addComment({ issueIdOrKey: card, comment: doc("Looks good") });
assert.equal((await jira.issueComments.getComments({ issueIdOrKey: card })).total, 1);
const { transitions } = await jira.issues.getTransitions({ issueIdOrKey: card });
const done = transitions.find((one) => one.to.statusCategory.key === "done");
await jira.issues.doTransition({ issueIdOrKey: card, transition: { id: done.id } });
await jira.issueLinks.linkIssues({
  type: { name: "Blocks" },
  inwardIssue: { key: card },
  outwardIssue: { key: bill },
});
const jql = 'project = "SHOP" AND labels = "pay" ORDER BY created ASC';
const page = { jql, fields: ["summary", "status", "issuelinks"], maxResults: 1 };
const first = await jira.issueSearch.searchForIssuesUsingJqlEnhancedSearchPost(page);
assert.equal(first.issues[0].fields.status.name, "Done");
assert.equal(first.issues[0].fields.issuelinks[0].outwardIssue.key, bill);
const next = { ...page, nextPageToken: first.nextPageToken };
const second = await jira.issueSearch.searchForIssuesUsingJqlEnhancedSearchPost(next);
assert.deepEqual(second.issues.map((issue) => issue.key), [bill]);
console.log("well");
