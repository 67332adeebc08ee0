// The script of scripted.py as a language model of the AI SDK.
import { MockLanguageModelV4 } from 'ai/test';

/** Returns the next step on a request, a tool with its arguments or a text, after these results of tools. */
function decide(request, results) {
  if (!request.includes('delete')) return { text: 'I look after the backups.' };
  if (results.length === 0) return { tool: 'list_backups', args: {} };
  if (results.length === 1) return { tool: 'delete_backups', args: { older_than_days: 30 } };
  return { text: `This is how it ended: ${results.at(-1)}.` };
}

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const begin = prompt.findLastIndex(({ role }) => role === 'user');
    const results = prompt.slice(begin).filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
    const said = results.filter(({ type }) => type === 'tool-result').map(({ output }) => output.value ?? output.reason);
    const step = decide(prompt[begin].content[0].text, said);
    if (step.text) return { content: [{ type: 'text', text: step.text }], finishReason: { unified: 'stop' }, usage, warnings: [] };
    const call = { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: step.tool, input: JSON.stringify(step.args) };
    return { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
  },
});
