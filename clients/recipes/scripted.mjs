// The script of scripted.py as a language model of the AI SDK.
import { MockLanguageModelV4 } from 'ai/test';

/** Returns the next step on a request, calls of tools or a text, after these results of tools. */
function decide(request, results) {
  if (!request.includes('delete')) return { text: 'I look after the backups.' };
  if (results.length === 0) return { calls: [{ tool: 'list_backups', args: {} }] };
  const named = request.match(/\d+/g)?.map(Number) ?? [30];
  const left = (request.includes('both') ? [30, 90] : named).slice(results.length - 1);
  if (left.length > 0) return { calls: left.map((days) => ({ tool: 'delete_backups', args: { older_than_days: days } })) };
  return { text: `This is how it ended: ${results.at(-1)}.` };
}

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const begin = prompt.findLastIndex(({ role }) => role === 'user');
    const results = prompt.slice(begin).filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
    const said = results.filter(({ type }) => type === 'tool-result').map(({ output }) => output.value ?? output.reason);
    const { text, calls } = decide(prompt[begin].content[0].text, said.filter((each) => each !== 'one act at a time'));
    if (text) return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] };
    const content = calls.map(({ tool, args }) => {
      return { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: tool, input: JSON.stringify(args) };
    });
    return { content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
  },
});
