// Agent that ends as by a crash at one point: `node crashing-agent.mjs URL FOLDER POINT [TEXT …]`.
// What it performs it writes into FOLDER/done. Without texts it recovers what was offered.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, show } from '@throughline/client';
import { FileJournal } from '@throughline/client/journal';

const [url = '', folder = '', point = '', ...texts] = process.argv.slice(2);
const agent = new Agent(url, { journal: new FileJournal(join(folder, 'journal')) });

/** @param {string} here */
function crashAt(here) {
  if (here === point) process.kill(process.pid, 'SIGKILL');
}

/** @param {string} what */
function performed(what) {
  appendFileSync(join(folder, 'done'), `${what}\n`);
}

agent.onHandover((message) => {
  crashAt('handover');
  performed(`answer ${message.id}`);
  return show({ casa: 'Casa Azul', lisbon: 'Lisbon Inn' });
});

agent.onOption((option) => {
  crashAt('option');
  performed(`book ${option.id}`);
});

const report = agent.client.report.bind(agent.client);
/** @type {typeof agent.client.report} */
agent.client.report = async (effect, done, keyed) => {
  const kind = done.answer ? 'answer' : 'option';
  crashAt(`before the report of the ${kind}`);
  const settled = await report(effect, done, keyed);
  crashAt(`after the report of the ${kind}`);
  return settled;
};

if (texts.length === 0) await agent.recover();
for (const text of texts) await agent.say(text, { conversation: 'trip', user: 'ana' });
