/** The shapes of rows and changes in a recording: what a file must have, so that the page can show it. */

/** `?` after it: may be null. Lists and objects in rows are only looked at as such. */
export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'object' | `${'text' | 'number' | 'boolean'}?`;

export type Shape = Readonly<Record<string, Kind>>;

export const NODE: Shape = {
  name: 'text',
  node: 'text?',
  claim: 'text?',
  pool: 'text?',
  type: 'text?',
  zone: 'text?',
  capacity: 'text?',
  version: 'text?',
  phase: 'text',
  phaseText: 'text',
  warning: 'boolean',
  createdMs: 'number?',
  pricePerHour: 'number?',
  cpuMillis: 'number?',
  memoryBytes: 'number?',
  maxPods: 'number?',
  staying: 'list',
};

export const POOL: Shape = {
  name: 'text',
  nodeClass: 'text',
  ready: 'boolean?',
  readyText: 'text',
  weight: 'number?',
  limits: 'object',
  budgets: 'list',
  consolidation: 'text',
  consolidateAfter: 'text',
};

export const TOTALS: Shape = {
  pricePerHour: 'number?',
  unpriced: 'number',
  lowerBoundPerHour: 'number?',
  cpuRequestedMillis: 'number?',
  cpuAllocatableMillis: 'number',
  memoryRequestedBytes: 'number?',
  memoryAllocatableBytes: 'number',
  pods: 'number?',
  pending: 'number?',
};

export const FREEZE: Shape = { pool: 'text', untilMs: 'number?', text: 'text' };

export const MISSING: Shape = { resource: 'text', reason: 'text', text: 'text' };

export const HAPPENED: Shape = {
  atMs: 'number',
  what: 'text',
  subject: 'text',
  reason: 'text',
  text: 'text',
  warning: 'boolean',
};

export const PRICE: Shape = { atMs: 'number', pricePerHour: 'number' };

export const STAYING: Shape = { code: 'text', text: 'text' };

/** Namespace, name, node, phase, millicores, bytes, workload. */
export const POD: readonly Kind[] = ['text', 'text', 'text', 'text', 'number', 'number', 'text'];
