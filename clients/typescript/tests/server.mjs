// A real server for the tests: the built program, on a free port, in a temporary folder.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../../target/debug/throughline', import.meta.url));
const PROGRAM = process.env.THROUGHLINE_BIN ?? BUILT;
const HOTEL = `[policy]
fallback = "host"
capabilities = ["selection", "pending"]
[[approvers]]
effects = ["host.act"]
targets = ["act:*"]
allow = ["user:bob"]
`;

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** Server that can be killed and started again on the same port and folder. */
export class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  folder = mkdtempSync(join(tmpdir(), 'throughline-client-'));
  port = 0;

  /** Starts one, with hotels or as a demo without a configuration. */
  static async start(config = HOTEL) {
    if (!existsSync(PROGRAM)) throw new Error(`there is no ${PROGRAM}: run \`cargo build\`, or name it in THROUGHLINE_BIN`);
    const server = new Server();
    server.port = await freePort();
    writeFileSync(join(server.folder, 'config.toml'), config);
    await server.start();
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it and does not wait until it listens. */
  launch() {
    const log = openSync(join(this.folder, 'log'), 'a');
    const listen = `127.0.0.1:${this.port}`;
    // Settings of whoever runs the tests are not this server's.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('THROUGHLINE_')));
    this.#process = spawn(PROGRAM, ['serve', '--demo', '--config', 'config.toml', '--listen', listen], {
      cwd: this.folder,
      env,
      stdio: ['ignore', log, log],
    });
  }

  async start() {
    this.launch();
    while (this.#process?.exitCode === null) {
      const live = await fetch(`${this.url}/livez`).catch(() => undefined);
      if (live?.ok) return;
      await new Promise((resume) => setTimeout(resume, 20));
    }
    throw new Error(readFileSync(join(this.folder, 'log'), 'utf8'));
  }

  /** Kills it as a crash does. */
  async kill() {
    const dying = this.#process;
    if (!dying || dying.exitCode !== null) return;
    const dead = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await dead;
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * @template T
 * @param {AsyncIterable<T>} items
 */
export async function all(items) {
  /** @type {T[]} */
  const read = [];
  for await (const item of items) read.push(item);
  return read;
}

/**
 * @param {string} conversation
 * @param {string} text
 * @returns {import('../dist/api.js').EventBody}
 */
export function message(conversation, text) {
  return { lane: { conversation }, actor: { id: 'ana' }, kind: 'message.posted', text };
}

/**
 * @param {string} conversation
 * @returns {import('../dist/api.js').EventBody}
 */
export function question(conversation) {
  /** @type {import('../dist/api.js').EventAssistant} */
  const assistant = { kind: 'question', text: 'Which city?', expected: 'location', asked_of: 'ana' };
  return { lane: { conversation }, kind: 'assistant.posted', assistant };
}
