/**
 * Long operations of ARM, one step at a time: send the request, keep where its status is, ask once, return.
 * The status is read by us and not by the SDK's poller, because the poller turns a failed operation into a
 * sentence (its codes and details are gone) and takes one throttled answer for the end of the operation.
 */
import type { RawResponse } from './arm-error.ts';
import { ArmError, BAD_ANSWER, beginningOf, fromErrorObject, fromResponse, toArmError } from './arm-error.ts';

/** Where the status of a long operation is. Plain data: it may be written down and picked up by another process. */
export interface Operation {
  readonly url: string;
  /** `status`: a document about the operation. `location`: 202 until it is over. `resource`: the resource itself. */
  readonly kind: 'status' | 'location' | 'resource';
}

/** `done`: Azure answered that it is finished. Otherwise ask `operation` from time to time. */
export type Submitted =
  | { readonly state: 'done' }
  | { readonly state: 'accepted'; readonly operation: Operation };

export type OperationState =
  | { readonly state: 'running'; readonly retryAfterMs: number | undefined }
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly error: ArmError }
  /** Azure no longer knows the operation: look at the resource. */
  | { readonly state: 'unknown' };

/** What we need of the SDK's poller. It is a promise too: awaiting it, or returning it from an async function, waits. */
export interface SteppablePoller {
  submitted(): Promise<void>;
  serialize(): Promise<string>;
}

/** Sends the request. Throws an `ArmError` when Azure refuses it. */
export async function submit(poller: SteppablePoller): Promise<Submitted> {
  try {
    await poller.submitted();
    return fromSerialized(await poller.serialize());
  } catch (error) {
    throw toArmError(error);
  }
}

export interface StatusResponse extends RawResponse {}

/** Asks once. Throws when the question failed, which says nothing about the operation. */
export async function pollOnce(
  operation: Operation,
  get: (url: string) => Promise<StatusResponse>,
): Promise<OperationState> {
  const answer = await get(operation.url);
  if (answer.status === 404) return { state: 'unknown' };
  if (answer.status >= 400 && !isVerdict(operation, answer)) throw fromResponse(answer);
  return READ[operation.kind](answer);
}

// ---------------------------------------------------------------------------------------------------

const KIND_OF_MODE: Readonly<Record<string, Operation['kind']>> = {
  OperationLocation: 'status',
  ResourceLocation: 'location',
  Body: 'resource',
};

function fromSerialized(text: string): Submitted {
  const { state } = JSON.parse(text) as {
    state: { status: string; config?: { operationLocation?: string; metadata?: { mode?: string } } };
  };
  if (state.status === 'succeeded') return { state: 'done' };
  if (state.status === 'failed' || state.status === 'canceled') {
    throw new ArmError({ code: 'Failed', message: `the response reports status ${state.status}` });
  }
  const url = state.config?.operationLocation;
  const kind = KIND_OF_MODE[state.config?.metadata?.mode ?? ''];
  if (url === undefined || kind === undefined) return { state: 'done' };
  return { state: 'accepted', operation: { url, kind } };
}

/** In `location` mode the failure of the operation is the answer itself; throttling and server errors are not. */
function isVerdict(operation: Operation, answer: StatusResponse): boolean {
  const passing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
  return operation.kind === 'location' && !passing && answer.status !== 401 && answer.status !== 403;
}

const READ: Readonly<Record<Operation['kind'], (answer: StatusResponse) => OperationState>> = {
  status(answer) {
    const body = bodyOf(answer);
    return judge(body['status'], body['error'], answer);
  },
  location(answer) {
    if (answer.status === 202) return { state: 'running', retryAfterMs: answer.retryAfterMs };
    return answer.status < 300 ? { state: 'succeeded' } : { state: 'failed', error: fromResponse(answer) };
  },
  resource(answer) {
    const properties = bodyOf(answer)['properties'] as Record<string, unknown> | undefined;
    return judge(properties?.['provisioningState'], undefined, answer);
  },
};

function judge(status: unknown, error: unknown, answer: StatusResponse): OperationState {
  const word = typeof status === 'string' ? status.toLowerCase() : '';
  if (word === 'succeeded') return { state: 'succeeded' };
  if (word === 'failed' || word === 'canceled' || word === 'cancelled') {
    return {
      state: 'failed',
      error: fromErrorObject(error, word === 'failed' ? 'OperationFailed' : 'OperationCanceled'),
    };
  }
  return { state: 'running', retryAfterMs: answer.retryAfterMs };
}

function bodyOf(answer: StatusResponse): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(answer.text);
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Reported below, with the body that arrived instead.
  }
  throw new ArmError({
    status: answer.status,
    code: BAD_ANSWER,
    message: `the status of a long-running operation is not JSON: ${beginningOf(answer.text)}`,
    requestId: answer.requestId,
  });
}
