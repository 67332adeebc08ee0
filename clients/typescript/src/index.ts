/** Client of Throughline, a turn engine for chat agents: `Agent` in twenty lines, `Throughline` for the HTTP API. */

export { Agent, type AgentOptions, type Journal, type Place, Said } from './agent.js';
export { ask, reply, show } from './answers.js';
export type * as api from './api.js';
export { type ClientOptions, type Keyed, Throughline } from './client.js';
export {
  NoHandler,
  Problem,
  Rejected,
  ThroughlineError,
  Undecided,
  Unexpected,
  Unreachable,
  WebhookError,
} from './errors.js';
export type { Act, Answer, Execution, Handover, ListInSight, Question, Result, TenantEvent, TenantEvents } from './types.js';
export { VERSION } from './version.js';
export * as webhooks from './webhooks.js';
