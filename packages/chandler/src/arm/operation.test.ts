import { describe, expect, test } from 'vitest';
import { type Operation, pollOnce, type StatusResponse } from './operation.ts';

const answer = (status: number, body: unknown, retryAfterMs?: number): StatusResponse => ({
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

const ask = (kind: Operation['kind'], given: StatusResponse) =>
  pollOnce({ kind, url: 'https://arm/op' }, async () => given);

describe('the status of a long operation', () => {
  test.each([
    ['status', answer(200, { status: 'InProgress' }, 5000), { state: 'running', retryAfterMs: 5000 }],
    ['status', answer(200, { status: 'Succeeded' }), { state: 'succeeded' }],
    ['status', answer(404, ''), { state: 'unknown' }],
    ['location', answer(202, ''), { state: 'running', retryAfterMs: undefined }],
    ['location', answer(204, ''), { state: 'succeeded' }],
    ['resource', answer(200, { properties: { provisioningState: 'Updating' } }), { state: 'running' }],
    ['resource', answer(200, { properties: { provisioningState: 'Succeeded' } }), { state: 'succeeded' }],
    ['resource', answer(404, ''), { state: 'unknown' }],
  ] as const)('%s %j', async (kind, given, expected) => {
    expect(await ask(kind, given)).toMatchObject(expected);
  });

  test('says why it failed, in each of its forms', async () => {
    const error = { code: 'AllocationFailed', message: 'no room' };
    expect(await ask('status', answer(200, { status: 'Failed', error }))).toMatchObject({
      state: 'failed',
      error: { code: 'AllocationFailed', text: 'AllocationFailed: no room' },
    });
    expect(await ask('location', answer(409, { error }))).toMatchObject({
      state: 'failed',
      error: { status: 409 },
    });
    expect(await ask('status', answer(200, { status: 'Canceled' }))).toMatchObject({
      state: 'failed',
      error: { code: 'OperationCanceled' },
    });
  });

  test.each([
    ['status', 429],
    ['location', 429],
    ['location', 503],
    ['location', 401],
    ['status', 500],
  ] as const)('%s: HTTP %i says nothing about the operation', async (kind, status) => {
    await expect(ask(kind, answer(status, { error: { code: 'X', message: '' } }))).rejects.toMatchObject({
      status,
    });
  });

  test('that is not JSON is a bad answer', async () => {
    await expect(ask('status', answer(200, '<html>'))).rejects.toMatchObject({ code: 'BadAnswer' });
  });
});
