// The installer of Slack's SDK for JavaScript, which knows nothing of the fake but its address. Run by tests/peers/slack.rs.
//
// A person follows the link, is sent back, and the app has a token, which is refreshed when it runs out.

import assert from "node:assert";
import http from "node:http";
import { createRequire } from "node:module";

const [, , bolt, base, clientId, clientSecret] = process.argv;
const { InstallProvider, MemoryInstallationStore } = createRequire(bolt)("@slack/oauth");

const store = new MemoryInstallationStore();
const installer = new InstallProvider({
  clientId,
  clientSecret,
  stateSecret: "secret",
  installationStore: store,
  authorizationUrl: `${base}/oauth/v2/authorize`,
  clientOptions: { slackApiUrl: `${base}/api/` },
});

const server = http.createServer((request, response) => {
  if (request.url.startsWith("/install")) return installer.handleInstallPath(request, response, {}, options);
  return installer.handleCallback(request, response, {
    success: (installation, _options, _request, done) => done.end(installation.team.id),
    failure: (error, _options, _request, done) => done.end(String(error)),
  }, options);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const own = `http://127.0.0.1:${server.address().port}`;
const options = { scopes: ["chat:write", "users:read"], redirectUri: `${own}/back` };

const page = await fetch(`${own}/install`);
const cookie = page.headers.get("set-cookie").split(";")[0];
const link = (await page.text()).match(/href="([^"]+oauth[^"]+)"/)[1].replaceAll("&amp;", "&");
const agreed = await fetch(link, { redirect: "manual" });
assert.equal(agreed.status, 302);
const back = await fetch(agreed.headers.get("location"), { headers: { cookie } });
const team = await back.text();

const first = await store.fetchInstallation({ teamId: team, isEnterpriseInstall: false });
assert.deepEqual(first.bot.scopes, ["chat:write", "users:read"]);
// The store keeps this object, and the refresh changes it.
const { token } = first.bot;
first.bot.expiresAt = Math.floor(Date.now() / 1000) - 1;
const found = await installer.authorize({ teamId: team, isEnterpriseInstall: false });
assert.notEqual(found.botToken, token);
assert.match(found.botToken, /^xoxe\.xoxb-/);
console.log("well", team);
process.exit(0);
