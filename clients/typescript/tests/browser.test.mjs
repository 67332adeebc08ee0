// The hotel agent in a page, in Chromium, behind a proxy that makes page and API one origin.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Server } from './server.mjs';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const MISSING = spawnSync('chromium', ['--version']).status !== 0;
const LEFT_OUT = process.env.THROUGHLINE_NO_BROWSER || MISSING;
const PAGE = `<!doctype html><script type="module">
import { Agent, ask, show } from '/dist/index.js';
const tell = (text) => fetch('/told', { method: 'POST', body: text });
try {
  const booked = [];
  const agent = new Agent(location.origin)
    .onHandover(({ text }) => (text.includes('hotel') ? show({ a: 'Casa Azul', b: 'Lisbon Inn' }) : ask('When?')))
    .onOption(({ exec_ref }) => void booked.push(exec_ref));
  const place = { conversation: 'page', user: 'ana' };
  const said = [await agent.say('find me a hotel', place), await agent.say('the second one', place)];
  for await (const { event } of agent.client.stream(said[0].turn.lane, { after: '0' })) if (event === 'pending') break;
  await tell([...said, ...booked].join(' | '));
} catch (error) {
  await tell(String(error));
}
</script>`;

/**
 * Serves the page and the package, and hands everything else to the server.
 * @param {URL} api
 * @param {(text: string) => void} told
 */
function proxy(api, told) {
  return createServer((asked, answer) => {
    const path = asked.url ?? '/';
    if (path === '/') return void answer.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (/^\/dist\/\w+\.js$/.test(path)) {
      answer.writeHead(200, { 'content-type': 'text/javascript' });
      return void createReadStream(join(DIST, path.slice('/dist/'.length))).pipe(answer);
    }
    if (path === '/told') {
      let text = '';
      asked.setEncoding('utf8').on('data', (part) => (text += part));
      return void asked.on('end', () => (answer.end(), told(text)));
    }
    // As a proxy of one's own does that stands before the server: it is the client.
    const { origin: _, ...headers } = { ...asked.headers, host: api.host };
    const onward = request({ host: api.hostname, port: api.port, path, method: asked.method ?? 'GET', headers });
    onward.on('response', (got) => got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers)));
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
}

const skip = LEFT_OUT ? 'there is no chromium (Debian: `apt install chromium`), or THROUGHLINE_NO_BROWSER is set' : false;
test('the agent runs in a page', { skip, timeout: 60_000 }, async () => {
  const server = await Server.start();
  const profile = mkdtempSync(join(tmpdir(), 'throughline-page-'));
  /** @type {(text: string) => void} */ let told = () => {};
  const text = new Promise((resolve) => (told = resolve));
  const page = proxy(new URL(server.url), told);
  await new Promise((resolve) => page.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (page.address());
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`];
  const browser = spawn('chromium', [...flags, `http://127.0.0.1:${port}/`], { stdio: 'ignore' });
  const ended = new Promise((resolve) => browser.once('exit', resolve));
  try {
    assert.equal(await text, 'Casa Azul, Lisbon Inn | “Lisbon Inn”: on it. | b');
  } finally {
    browser.kill();
    await ended;
    page.closeAllConnections();
    page.close();
    await server.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
