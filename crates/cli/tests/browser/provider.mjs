// A provider of sign-ins with pages of its own: `oidc-provider` from npm. It prints its port, reads the address to which people
// come back, and then serves.

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [description] = process.argv.slice(2);
const { default: Provider } = await import(pathToFileURL(createRequire(description).resolve('oidc-provider')).href);

const server = createServer((_, response) => response.writeHead(503).end());
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

for await (const back of createInterface({ input: process.stdin })) {
  const provider = new Provider(`http://localhost:${server.address().port}`, {
    clients: [{ client_id: 'throughline', client_secret: 's3cret-of-the-client', redirect_uris: [back] }],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of npm`, preferred_username: id, groups: id === 'eve' ? ['root'] : [] }),
    }),
    // The pages that it has for development: a form for any name and password, and one that asks for consent.
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ['of a test'] },
  });
  server.removeAllListeners('request');
  server.on('request', provider.callback());
  console.log('ready');
}
