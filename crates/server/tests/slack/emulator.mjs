// Serves the Slack of the npm package `emulate`, with an app that is installed there and events that are delivered to it.
// Arguments: the package.json of `emulate`, a bot token, a signing secret, the id of the bot's user.
// Writes one line of JSON, with its address, its people and its channel, then one for each delivery and each call.
// Reads one line, the address of the app's events; ends when its input does.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer as createListener } from "node:net";
import { createInterface } from "node:readline";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [described, token, secret, botUser] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

// The package exports no service alone: it is the module of its bundle that has Slack's methods.
const bundle = join(dirname(described), "dist");
const modules = readdirSync(bundle).filter((name) => name.endsWith(".js"));
const isSlack = (name) => readFileSync(join(bundle, name), "utf8").includes('app.post("/api/chat.postMessage"');
const { slackPlugin, seedFromConfig, getSlackStore } = await import(
  pathToFileURL(join(bundle, modules.find(isSlack)))
);
const core = join(dirname(described), "../@emulators/core/dist/index.js");
const { createServer, serve } = await import(pathToFileURL(core));

let target = null;
let headers = () => ({});
// Slack does not wait for the app before it answers the person, and sends an event again that was not taken.
async function deliver(event, payload) {
  const body = JSON.stringify(payload);
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const answer = await fetch(target, { method: "POST", headers: headers({ body, event }), body }).catch(() => null);
    say({ event, subtype: payload.event?.subtype ?? null, id: payload.event_id, status: answer?.status ?? 0 });
    if (answer?.ok) return;
  }
}
const withEvents = {
  ...slackPlugin,
  register(app, store, webhooks, ...rest) {
    webhooks.setHeaderFactory = (factory) => {
      headers = factory;
    };
    webhooks.dispatch = async (event, _action, payload) => {
      if (target) deliver(event, payload);
    };
    slackPlugin.register(app, store, webhooks, ...rest);
  },
};

const free = createListener().listen(0, "127.0.0.1");
await once(free, "listening");
const { port } = free.address();
free.close();
await once(free, "close");
const url = `http://127.0.0.1:${port}`;
const { app, store } = createServer(withEvents, { port, baseUrl: url });
slackPlugin.seed(store, url);
const scopes = ["chat:write", "channels:history", "channels:read", "users:read", "im:write", "reactions:write"];
seedFromConfig(store, url, {
  signing_secret: secret,
  strict_scopes: true,
  users: [{ name: "ana" }, { name: "mia" }],
  channels: [{ name: "team" }],
  oauth_apps: [
    {
      app_id: "A0MARO001",
      client_id: "823000100.700000000",
      client_secret: "unused",
      name: "Maro",
      redirect_uris: [],
      scopes,
      bot_id: "B0MARO001",
      bot_user_id: botUser,
      bot_name: "maro",
    },
  ],
  tokens: [
    { token, user_id: botUser, bot_id: "B0MARO001", bot_user_id: botUser, app_id: "A0MARO001", scopes },
    { token: "xoxp-ana", user: "ana", scopes },
    { token: "xoxp-mia", user: "mia", scopes },
  ],
});
const all = getSlackStore(store);
const person = (name) => all.users.findOneBy("name", name).user_id;
const noted = async (request) => {
  const answer = await app.fetch(request);
  const told = await answer.clone().json().catch(() => ({}));
  say({ call: new URL(request.url).pathname, status: answer.status, error: told.ok ? null : (told.error ?? "no answer") });
  return answer;
};
await once(serve({ fetch: noted, port, hostname: "127.0.0.1" }), "listening");
say({ url, ana: person("ana"), mia: person("mia"), channel: all.channels.findOneBy("name", "team").channel_id });
for await (const line of createInterface({ input: process.stdin })) target = line;
process.exit(0);
