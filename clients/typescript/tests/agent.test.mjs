// Agents against the real server, and their crashes: nothing is done twice in the world, nothing is lost.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Agent, NoHandler, Rejected, Throughline, ask, show } from '@throughline/client';
import { Server, all, message } from './server.mjs';

const EXAMPLE = fileURLToPath(new URL('../examples/hotel-agent.mjs', import.meta.url));
const CRASHING = fileURLToPath(new URL('crashing-agent.mjs', import.meta.url));
const TEXTS = ['find me a hotel', 'the second one', 'and a car?', '3', 'thanks'];
const SAID = `\
> find me a hotel
Casa Azul, Lisbon Inn, Porto Palace
> the second one
booking book:Lisbon Inn
“Lisbon Inn”: on it.
> and a car?
For how many nights?
> 3
it is an answer: 3
> thanks
For how many nights?
`;
/** @type {Server} */ let server;
before(async () => void (server = await Server.start()));
after(() => server.end());

/**
 * @param {string[]} command
 * @returns {Promise<{ signal: string | null, out: string }>}
 */
function node(...command) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.on('close', (_, signal) => resolve({ signal, out }));
  });
}

/** @param {string} conversation */
const place = (conversation) => ({ conversation, user: 'ana' });

test('the example is the conversation of the documentation, in less than 25 lines', async () => {
  assert.equal((await node(EXAMPLE, server.url, ...TEXTS)).out, SAID);
  const text = readFileSync(EXAMPLE, 'utf8');
  assert.ok(text.trimEnd().split('\n').length < 25);
  const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
  assert.ok(page.includes(`\`\`\`js\n${text}\`\`\``));
});

test('an act is performed once it was approved', async () => {
  /** @type {unknown[]} */ const paid = [];
  const agent = new Agent(server.url).onAct((act) => {
    paid.push(JSON.parse(act.payload));
    return 'paid';
  });
  const lane = { conversation: 'bills' };
  const bill = { request_id: 'b7', title: 'Pay 5 EUR', target: 'payments', payload: { amount: 5 } };
  const ask = () => agent.client.requestApproval(lane, bill, { actor: 'ana' });
  const asked = await ask();
  assert.equal(asked.reason, 'approval.needed');
  assert.equal((await ask()).reason, 'request.known');
  const card = asked.messages[0]?.card;
  assert.ok(card);
  const turn = await agent.client.decide(card.id, { version: 1, decision: 'approve', actor: { id: 'bob' } });
  await agent.perform(turn);
  assert.deepEqual(paid, [{ amount: 5 }]);
  assert.deepEqual((await ask()).messages[0]?.card?.request, { id: 'b7', state: 'done' });
});

test('a handler may answer with a text, nothing or a question', async () => {
  const answers = ['a text', undefined, ask('How many?', { expected: 'number', of: 'ana' })];
  const agent = new Agent(server.url).onHandover(async () => answers.shift());
  const said = [];
  for (let n = 0; n < 3; n++) said.push(String(await agent.say('tell me something', place('kinds'))));
  assert.deepEqual(said, ['a text', '', 'How many?']);
  assert.equal((await agent.say('7', place('kinds'))).applied, '7');
});

test('what is rejected is reported so', async () => {
  const agent = new Agent(server.url).onHandover(() => {
    throw new Rejected('no model today');
  });
  const { turn } = await agent.say('tell me something', place('rejected'));
  assert.equal((await agent.client.effect(turn.effects[0]?.id ?? '')).state, 'failed');
});

test('a fault of a handler loses nothing', async () => {
  const broken = new Agent(server.url).onHandover(() => {
    throw new RangeError('a bug');
  });
  await assert.rejects(broken.say('tell me something', place('fault')), RangeError);
  const mended = new Agent(server.url).onHandover(({ text }) => `about ${text}`);
  assert.equal(await mended.recover(), 1);
  assert.equal(await mended.recover(), 0);
});

test('an effect without a handler is said and stays', async () => {
  const agent = new Agent(server.url);
  await assert.rejects(agent.say('tell me something', place('none')), NoHandler);
  const [effect] = await all(agent.client.effects({ state: 'attempted' }));
  assert.equal(effect?.class, 'turn.handover');
  assert.equal(await agent.onHandover(() => 'here').recover(), 1);
});

test('an effect is performed once by many tasks', async () => {
  let performed = 0;
  const agent = new Agent(server.url).onHandover(async () => {
    performed += 1;
    await Promise.all(Array.from({ length: 8 }, () => agent.recover()));
    return 'done';
  });
  const said = await agent.say('tell me something', place('once'));
  assert.equal(String(await agent.perform(said.turn)), '');
  assert.deepEqual([performed, String(said)], [1, 'done']);
});

test('a turn that is taken back while it is answered is no error', async () => {
  const agent = new Agent(server.url).onHandover(async () => {
    await new Throughline(server.url).deliver(message('stop', 'stop'));
    return 'too late';
  });
  const { turn } = await agent.say('tell me something', place('stop'));
  assert.equal((await agent.client.effect(turn.effects[0]?.id ?? '')).state, 'cancelled');
});

const POINTS = ['handover', 'option'].concat(
  ['answer', 'option'].flatMap((kind) => [`before the report of the ${kind}`, `after the report of the ${kind}`]),
);
for (const point of POINTS) {
  for (const serverToo of [false, true]) {
    test(`a crash at "${point}"${serverToo ? ', of the server too,' : ''} is made up for`, async () => {
      const own = await Server.start();
      try {
        const run = (/** @type {string[]} */ ...rest) => node(CRASHING, own.url, own.folder, ...rest);
        assert.equal((await run(point, ...TEXTS.slice(0, 2))).signal, 'SIGKILL');
        if (serverToo) {
          await own.kill();
          await own.start();
        }
        await run('nowhere');
        const client = new Throughline(own.url);
        const [lane] = await all(client.lanes());
        assert.ok(lane);
        // It crashed before the second text was said.
        if ((await all(client.turns(lane.id))).length < 3) await run('nowhere', TEXTS[1] ?? '');
        const effects = (await all(client.effects())).filter(({ delivery }) => delivery === 'host');
        const wanted = effects.map((effect) => `${effect.class === 'option.execute' ? 'book' : 'answer'} ${effect.id}`);
        const done = readFileSync(join(own.folder, 'done'), 'utf8').trimEnd().split('\n');
        assert.deepEqual(done.sort(), wanted.sort());
        assert.deepEqual(effects.map(({ state }) => state), ['done', 'done']);
        assert.deepEqual(readdirSync(join(own.folder, 'journal')), []);
      } finally {
        await own.end();
      }
    });
  }
}

test('the server crashes while an effect is performed', async () => {
  const own = await Server.start();
  try {
    /** @type {string[]} */ const done = [];
    const crash = async () => {
      await own.kill();
      own.launch();
    };
    const agent = new Agent(own.url)
      .onHandover(async () => {
        await crash();
        return show({ casa: 'Casa Azul', lisbon: 'Lisbon Inn' });
      })
      .onOption(async ({ id }) => {
        done.push(id);
        await crash();
      });
    for (const text of TEXTS.slice(0, 2)) {
      await crash();
      await agent.say(text, place('trip'));
    }
    assert.equal(done.length, 1);
    assert.equal((await agent.client.effect(done[0] ?? '')).state, 'done');
  } finally {
    await own.end();
  }
});
