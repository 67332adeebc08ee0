/** Types that the description of the API leaves open: the content of effects, and the tenant's events. */

import type { AnswerBody, Effect, Remote, SnapshotBody } from './api.js';

/** Question that waits for an answer in a message. */
export interface Question {
  id: string;
  text: string;
  expected?: unknown;
  asked_of?: string;
}

/** List that the author of a message sees: its options as they are numbered, and those that the text resembles. */
export interface ListInSight {
  id: string;
  options: string[];
  candidates?: string[];
}

/** Effect `turn.handover`: a message that nothing decided, with what an agent needs to answer it. */
export type Handover = Effect & {
  message: string;
  by: string;
  text: string;
  context: string;
  deadline: string;
  task: string;
  files?: unknown[];
  hint?: unknown;
  questions?: Question[];
  lists?: ListInSight[];
  handoff?: unknown;
  unsaid?: string;
};

/** Effect `option.execute`: a chosen option. `id` is the idempotency key of what you do, `exec_ref` is yours. */
export type Execution = Effect & {
  set: string;
  option: string;
  label: string;
  exec_ref: string;
  user: string;
  scope_instance: string;
  /** The approval that released it, as `ap_… v1`; absent if it needed none. */
  approval?: string;
};

/** Effect `host.act`: an act that a person approved. `id` is the idempotency key of what you do, `payload` its JSON. */
export type Act = Effect & {
  request_id: string;
  title: string;
  target: string;
  payload: string;
  payload_sha256: string;
  lines?: string[];
};

/** What the handler of a handover returns: a text, an answer, or nothing to say nothing. */
export type Answer = string | AnswerBody | undefined | void;

/** What any other handler returns: what came of it on the host's side, a list's content, or nothing. */
export type Result = string | Remote | SnapshotBody | undefined | void;

/** Event of the tenant's stream, and body of a webhook. */
export interface TenantEvent {
  id: string;
  type: string;
  at: string;
  lane?: string | null;
  place?: unknown;
  turn?: string | null;
  data: unknown;
}

/** Batch of the tenant's events; `cursor` is the position behind it. */
export interface TenantEvents {
  items: TenantEvent[];
  cursor: string;
}
