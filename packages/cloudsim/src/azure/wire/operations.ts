/**
 * Long operations: a call starts one and answers at once; the caller polls the URL in the headers until it has
 * ended. Ended operations are retained for some time, because a caller may poll late or again.
 */
import type { World } from '@chandler/kube';
import type { ArmAnswer, ArmRequest, ArmRoute } from './arm-request.ts';
import { ArmError, type ArmErrorBody, armError } from './errors.ts';

export interface Operation {
  readonly id: string;
  /** `Microsoft.Compute`. */
  readonly provider: string;
  readonly location: string;
  readonly subscriptionId: string;
  readonly startedMs: number;
  /** The expected duration, from which `Retry-After` is derived. */
  readonly expectedMs: number;
  readonly status: 'InProgress' | 'Succeeded' | 'Failed' | 'Canceled';
  readonly endedMs?: number;
  readonly error?: ArmErrorBody;
  /** What the Location URL answers in the end; undefined: nothing. */
  readonly output?: unknown;
}

export interface NewOperation {
  readonly provider: string;
  readonly location: string;
  readonly subscriptionId: string;
  readonly expectedMs: number;
}

export class Operations {
  readonly #world: World;
  readonly #keepMs: number;
  readonly #limit: number;
  readonly #all = new Map<string, Operation>();
  readonly #endedIds: string[] = [];
  /** Where the ids that still count begin in `#endedIds`. */
  #firstEnded = 0;

  constructor(world: World, options: { readonly keepMs?: number; readonly limit?: number } = {}) {
    this.#world = world;
    this.#keepMs = options.keepMs ?? 3_600_000;
    this.#limit = options.limit ?? 10_000;
  }

  start(operation: NewOperation): Operation {
    const started: Operation = {
      ...operation,
      id: this.#world.random.uuid(),
      startedMs: this.#world.clock.now(),
      status: 'InProgress',
    };
    this.#all.set(started.id, started);
    return started;
  }

  succeed(id: string, output?: unknown): void {
    this.#end(id, output === undefined ? { status: 'Succeeded' } : { status: 'Succeeded', output });
  }

  fail(id: string, error: ArmErrorBody): void {
    this.#end(id, { status: 'Failed', error });
  }

  /** Another operation on the same resource replaced it. */
  cancel(id: string, error: ArmErrorBody): void {
    this.#end(id, { status: 'Canceled', error });
  }

  get(id: string): Operation | undefined {
    return this.#all.get(id);
  }

  get size(): number {
    return this.#all.size;
  }

  #end(id: string, end: Partial<Operation>): void {
    const operation = this.#all.get(id);
    if (operation === undefined || operation.status !== 'InProgress') return;
    this.#all.set(id, { ...operation, ...end, endedMs: this.#world.clock.now() });
    this.#endedIds.push(id);
    this.#forgetOld();
  }

  #forgetOld(): void {
    const nowMs = this.#world.clock.now();
    while (this.#firstEnded < this.#endedIds.length) {
      const id = this.#endedIds[this.#firstEnded]!;
      const old = nowMs - (this.#all.get(id)?.endedMs ?? 0) > this.#keepMs;
      if (!old && this.#endedIds.length - this.#firstEnded <= this.#limit) break;
      this.#all.delete(id);
      this.#firstEnded += 1;
    }
    if (this.#firstEnded > this.#limit) {
      this.#endedIds.splice(0, this.#firstEnded);
      this.#firstEnded = 0;
    }
  }
}

/** The headers that lead to the operation. */
export function operationHeaders(
  request: ArmRequest,
  operation: Operation,
  forms: readonly ('async' | 'location')[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  const version = encodeURIComponent(request.apiVersion);
  const at = `${request.baseUrl}/subscriptions/${operation.subscriptionId}/providers/${operation.provider}/locations/${operation.location}`;
  if (forms.includes('async'))
    headers['azure-asyncoperation'] = `${at}/operations/${operation.id}?api-version=${version}`;
  if (forms.includes('location'))
    headers['location'] = `${at}/operationResults/${operation.id}?api-version=${version}`;
  const retryAfter = retryAfterSeconds(operation);
  if (retryAfter > 0) headers['retry-after'] = String(retryAfter);
  return headers;
}

/** The answer that goes with a started operation: created (201), updated (200), accepted (202). */
export function started(
  request: ArmRequest,
  operation: Operation,
  status: 200 | 201 | 202,
  body?: unknown,
): ArmAnswer {
  const forms = status === 202 ? (['async', 'location'] as const) : (['async'] as const);
  const headers = operationHeaders(request, operation, forms);
  return body === undefined ? { status, headers } : { status, headers, body };
}

/** Every provider has these two. */
export function operationRoutes(operations: Operations): readonly ArmRoute[] {
  const base = '/subscriptions/{sub}/providers/{provider}/locations/{location}';
  return [
    {
      method: 'GET',
      pattern: `${base}/operations/{id}`,
      apiVersions: [],
      access: 'token',
      handle: (request) => ({ status: 200, ...operationStatus(operations, request) }),
    },
    {
      method: 'GET',
      pattern: `${base}/operationResults/{id}`,
      apiVersions: [],
      access: 'token',
      handle: (request) => operationResult(operations, request),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

const LONGEST_RETRY_SECONDS = 10;

/** In whole seconds, so an operation that is shorter than that gives no advice. */
function retryAfterSeconds(operation: Operation): number {
  return Math.min(LONGEST_RETRY_SECONDS, Math.floor(operation.expectedMs / 1000));
}

function found(operations: Operations, request: ArmRequest): Operation {
  const operation = operations.get(request.params['id']!);
  const matches =
    operation?.provider.toLowerCase() === request.params['provider']!.toLowerCase() &&
    operation?.subscriptionId.toLowerCase() === request.params['sub']!.toLowerCase();
  if (operation === undefined || !matches)
    throw armError(404, 'NotFound', 'The entity was not found in this Azure location.');
  return operation;
}

function operationStatus(operations: Operations, request: ArmRequest): Omit<ArmAnswer, 'status'> {
  const operation = found(operations, request);
  const running = operation.status === 'InProgress';
  const retryAfter = retryAfterSeconds(operation);
  return {
    ...(running && retryAfter > 0 ? { headers: { 'retry-after': String(retryAfter) } } : {}),
    body: {
      startTime: new Date(operation.startedMs).toISOString(),
      ...(operation.endedMs === undefined ? {} : { endTime: new Date(operation.endedMs).toISOString() }),
      status: operation.status,
      ...(operation.error === undefined ? {} : { error: operation.error }),
      name: operation.id,
    },
  };
}

function operationResult(operations: Operations, request: ArmRequest): ArmAnswer {
  const operation = found(operations, request);
  if (operation.status === 'InProgress')
    return { status: 202, headers: operationHeaders(request, operation, ['location']) };
  if (operation.error !== undefined) throw new ArmError(409, operation.error);
  return operation.output === undefined ? { status: 204 } : { status: 200, body: operation.output };
}
