// node hotel-agent.mjs http://127.0.0.1:7070 'find me a hotel' 'the second one'
import { Agent, ask, show } from '@throughline/client';

const HOTELS = ['Casa Azul', 'Lisbon Inn', 'Porto Palace'];
const [url = '', ...texts] = process.argv.slice(2);
const agent = new Agent(url);

// Your model and your tools go here.
agent.onHandover(({ text }) => {
  if (text.includes('hotel')) return show(Object.fromEntries(HOTELS.map((name) => [`book:${name}`, name])));
  return ask('For how many nights?', { expected: 'number' });
});

agent.onOption((option) => console.log('booking', option.exec_ref));

for (const text of texts) {
  console.log('>', text);
  console.log(String(await agent.say(text, { conversation: 'trip', user: 'ana' })));
}
