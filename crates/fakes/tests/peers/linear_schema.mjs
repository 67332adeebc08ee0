// Checks requests, and the answers to them, against the schema that Linear publishes, with GraphQL's own reference
// implementation. They come as a list of {"query", "operation", "variables", "answer"}. Prints what is wrong, or how many
// were well.

import { isDeepStrictEqual } from "node:util";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , description, schemaFile, requestsFile] = process.argv;
const graphql = createRequire(description)("graphql");
const schema = graphql.buildSchema(readFileSync(schemaFile, "utf8"));
const requests = JSON.parse(readFileSync(requestsFile, "utf8"));
const wrong = new Set();
let answered = 0;
for (const { query, operation, variables, answer } of requests) {
  const document = graphql.parse(query);
  for (const error of graphql.validate(schema, document)) wrong.add(`${operation}: ${error.message}`);
  const definition = document.definitions.find((one) => one.name?.value === operation);
  const values = graphql.getVariableValues(schema, definition.variableDefinitions ?? [], variables ?? {});
  for (const error of values.errors ?? []) wrong.add(`${operation}: ${error.message}`);
  if (!answer?.data) continue;
  // What the schema makes of an answer's data is that data, if it is as published.
  const again = graphql.executeSync({ schema, document, operationName: operation, rootValue: answer.data, variableValues: variables });
  for (const error of again.errors ?? []) wrong.add(`answer to ${operation}: ${error.message}`);
  const told = JSON.parse(JSON.stringify(again.data));
  if (!isDeepStrictEqual(told, answer.data)) wrong.add(`answer to ${operation}: ${JSON.stringify([told, answer.data])}`);
  answered += 1;
}
for (const text of wrong) console.log(text);
if (wrong.size === 0) console.log(`well: ${requests.length} requests, ${answered} answers`);
