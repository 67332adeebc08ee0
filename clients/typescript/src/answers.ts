/** Answers of an agent to a handover, and what is reported of a handler's result. */

import type { AnswerBody, EventAssistant, OptionBody, Remote, ResultReport, ShownBody, SnapshotBody } from './api.js';

/** Answers. A handler may return the text alone as well. */
export function reply(text: string): AnswerBody {
  return { assistant: { kind: 'answer', text } };
}

/** Asks. `expected` is `boolean`, `number`, `location`, `text` or `selection:A|B`; `of` is who is asked. */
export function ask(text: string, { expected, of }: { expected?: string; of?: string } = {}): AnswerBody {
  const assistant: EventAssistant = { kind: 'question', text };
  if (expected !== undefined) assistant.expected = expected;
  if (of !== undefined) assistant.asked_of = of;
  return { assistant };
}

/**
 * Shows options: labels by the reference that a choice executes, or whole options.
 *
 * `text` is what is said with them; the labels if it is absent. `place` is your id of where they are shown: a new list
 * there replaces the one before.
 */
export function show(
  options: Record<string, string> | readonly OptionBody[],
  { text, place = 'chat', scope = 'chat' }: { text?: string; place?: string; scope?: ShownBody['scope'] } = {},
): AnswerBody {
  const listed = Array.isArray(options)
    ? (options as OptionBody[])
    : Object.entries(options as Record<string, string>).map(([ref, label]) => ({ id: ref, label, exec_ref: ref }));
  const said = text ?? listed.map(({ label }) => label).join(', ');
  const answer: AnswerBody = { shown: { scope, scope_instance: place, options: listed } };
  if (said) answer.assistant = { kind: 'answer', text: said };
  return answer;
}

/** Returns the report on an effect that a handler performed with this result. */
export function report(effectClass: string, result: unknown): ResultReport {
  const done: ResultReport = { outcome: 'applied' };
  if (result === undefined || result === null) return done;
  const text = typeof result === 'string' ? result : undefined;
  if (effectClass === 'turn.handover') done.answer = text === undefined ? (result as AnswerBody) : reply(text);
  else if (effectClass === 'evidence.fetch') done.snapshot = result as SnapshotBody;
  else done.remote = text === undefined ? (result as Remote) : { text };
  return done;
}
