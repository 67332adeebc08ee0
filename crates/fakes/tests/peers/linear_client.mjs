// A program made with Linear's own client, which knows nothing of the fake but its address. Run by tests/peers/linear.rs.

import assert from "node:assert";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , description, apiUrl, apiKey, person] = process.argv;
const address = pathToFileURL(createRequire(description).resolve("@linear/sdk"));
const { LinearClient, AuthenticationLinearError, InvalidInputLinearError, RatelimitedLinearError } = await import(address);

const linear = new LinearClient({ apiKey, apiUrl });
const refused = async (kind, call) => {
  const error = await call.then(() => assert.fail("it was taken")).catch((error) => error);
  assert(error instanceof kind, `${error}`);
  return error;
};

const me = await linear.viewer;
assert.equal(me.isMe, true);
const teams = await linear.teams({ filter: { key: { eq: "ENG" } } });
assert.equal(teams.nodes.length, 1);
const team = teams.nodes[0];
const { nodes: states } = await team.states();
const done = states.find((state) => state.type === "completed");
const { nodes: people } = await linear.users({ filter: { displayName: { eqIgnoreCase: person } } });
const { nodes: labels } = await linear.issueLabels({ filter: { team: { null: true }, name: { in: ["Bug", "Story"] } } });
assert.deepEqual(labels.map((label) => label.name).sort(), ["Bug", "Story"]);

const id = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
const made = await linear.createIssue({ id, teamId: team.id, title: "Pay", description: "# So\n\n- much", priority: 2 });
assert.equal(made.success, true);
const epic = await made.issue;
assert.deepEqual([epic.id, epic.identifier, epic.priorityLabel], [id, "ENG-1", "High"]);
const twice = await refused(InvalidInputLinearError, linear.createIssue({ id, teamId: team.id, title: "Pay" }));
assert.match(twice.message, /conflict on insert of Issue/i);
for (const title of ["By card", "By bill"]) {
  const labelIds = [labels.find((label) => label.name === "Story").id];
  const input = { teamId: team.id, title, parentId: epic.id, assigneeId: people[0].id, labelIds };
  assert.equal((await linear.createIssue(input)).success, true);
}
const both = labels.map((label) => label.id);
await refused(InvalidInputLinearError, linear.createIssue({ teamId: team.id, title: "x", labelIds: both }));
await refused(InvalidInputLinearError, linear.createIssue({ teamId: team.id, title: "" }));
await refused(InvalidInputLinearError, linear.issue("ENG-99"));

const card = await linear.issue("ENG-2");
assert.equal((await card.parent).identifier, "ENG-1");
assert.equal((await card.assignee).displayName, person);
assert.equal((await (await card.team).key), "ENG");
assert.deepEqual((await card.labels()).nodes.map((label) => label.name), ["Story"]);
assert.match(card.url, /\/issue\/ENG-2\/by-card$/);
assert.equal((await card.update({ title: "By any card", stateId: done.id })).success, true);
assert.equal((await (await linear.issue(card.id)).state).type, "completed");
const comment = await linear.createComment({ issueId: card.id, body: "Looks good" });
assert.equal((await comment.comment).body, "Looks good");
assert.equal((await card.comments()).nodes.length, 1);
const bill = await linear.issue("ENG-3");
await linear.createIssueRelation({ issueId: card.id, relatedIssueId: bill.id, type: "blocks" });
assert.equal((await card.relations()).nodes[0].type, "blocks");
assert.equal((await bill.inverseRelations()).nodes.length, 1);

const open = { team: { key: { eq: "ENG" } }, state: { type: { nin: ["completed", "canceled"] } } };
const first = await linear.issues({ filter: open, first: 1 });
assert.deepEqual([first.nodes[0].identifier, first.pageInfo.hasNextPage], ["ENG-3", true]);
await first.fetchNext();
assert.deepEqual(first.nodes.map((issue) => issue.identifier), ["ENG-3", "ENG-1"]);
assert.equal((await epic.children()).nodes.length, 2);

await refused(AuthenticationLinearError, new LinearClient({ apiKey: "lin_api_wrong", apiUrl }).viewer);
// The fake refuses this one because of a limit.
const limited = await refused(RatelimitedLinearError, linear.organization.catch((error) => Promise.reject(error)));
assert.equal(limited.retryAfter, 7);
console.log("well");
