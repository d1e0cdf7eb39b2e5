import { inspect } from 'node:util';
import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError, toArmError } from './arm-error.ts';
import { type ArmClients, createArmClients } from './clients.ts';
import { AZURE_PUBLIC_CLOUD } from './environments.ts';
import { submit } from './operation.ts';

const STATUS_URL =
  'https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/l/operations/1';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

type Answer = (call: Call) => Response;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

function fixture(answers: Answer[], options: { auxiliaryToken?: () => Promise<string> } = {}) {
  const calls: Call[] = [];
  const world = virtualWorld();
  const fetch: Fetch = async (input, init) => {
    const call = { method: init?.method ?? 'GET', url: String(input), headers: new Headers(init?.headers) };
    calls.push(call);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer is left for ${call.method} ${call.url}`);
    return answer(call);
  };
  const clients = createArmClients({
    world,
    fetch,
    environment: AZURE_PUBLIC_CLOUD,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: 's',
    version: '1.2.3',
    ...options,
  });
  return { clients, calls, world };
}

async function putMachine(clients: ArmClients) {
  const compute = await clients.compute();
  return submit(compute.virtualMachines.createOrUpdate('rg', 'vm', { location: 'l' }));
}

const accepted: Answer = () =>
  json({ id: '/x', properties: { provisioningState: 'Creating' } }, 201, {
    'azure-asyncoperation': STATUS_URL,
  });

describe('a long operation through the SDK', () => {
  test('sending it is one call, each question one more, and nothing waits in between', async () => {
    const { clients, calls, world } = fixture([
      accepted,
      () => json({ status: 'InProgress' }, 200, { 'retry-after': '7' }),
      () => json({ status: 'Succeeded' }),
    ]);
    const sent = await putMachine(clients);
    expect(sent).toEqual({ state: 'accepted', operation: { url: STATUS_URL, kind: 'status' } });
    if (sent.state !== 'accepted') return;
    expect(await clients.poll(sent.operation)).toEqual({ state: 'running', retryAfterMs: 7000 });
    expect(await clients.poll(sent.operation)).toEqual({ state: 'succeeded' });
    expect(calls.map((call) => call.method)).toEqual(['PUT', 'GET', 'GET']);
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('a failed operation keeps its code, its details and its text', async () => {
    const { clients } = fixture([
      accepted,
      () =>
        json({
          status: 'Failed',
          error: {
            code: 'AllocationFailed',
            message: 'no room',
            details: [{ code: 'ZonalAllocationFailed', message: 'zone 2 is full' }],
          },
        }),
    ]);
    const sent = await putMachine(clients);
    if (sent.state !== 'accepted') throw new Error('not accepted');
    const state = await clients.poll(sent.operation);
    expect(state.state).toBe('failed');
    if (state.state !== 'failed') return;
    expect(state.error.codes).toEqual(['AllocationFailed', 'ZonalAllocationFailed']);
    expect(state.error.text).toContain('zone 2 is full');
  });

  test('a throttled question says nothing about the operation, and closes that class of calls', async () => {
    const { clients, calls, world } = fixture([
      accepted,
      () => json({ error: { code: 'TooManyRequests', message: 'slow down' } }, 429, { 'retry-after': '40' }),
      () => json({ status: 'Succeeded' }),
    ]);
    const sent = await putMachine(clients);
    if (sent.state !== 'accepted') throw new Error('not accepted');
    await expect(clients.poll(sent.operation)).rejects.toMatchObject({ status: 429, retryAfterMs: 40_000 });
    await expect(clients.poll(sent.operation)).rejects.toMatchObject({ code: 'HeldBack' });
    expect(calls).toHaveLength(2);
    await world.clock.advance(40_000);
    expect(await clients.poll(sent.operation)).toEqual({ state: 'succeeded' });
  });

  test('an operation that Azure no longer knows is unknown, not failed', async () => {
    const { clients } = fixture([accepted, () => json({ error: { code: 'NotFound', message: '' } }, 404)]);
    const sent = await putMachine(clients);
    if (sent.state !== 'accepted') throw new Error('not accepted');
    expect(await clients.poll(sent.operation)).toEqual({ state: 'unknown' });
  });
});

describe('an invalid answer', () => {
  const cases: readonly [string, Answer, Partial<ArmError>][] = [
    [
      'an HTML page',
      () => new Response('<html>gateway</html>', { status: 502 }),
      { status: 502, code: 'BadAnswer' },
    ],
    [
      'JSON that stops in the middle',
      () => new Response('{"id": "/x", "prop', { headers: { 'content-type': 'application/json' } }),
      { code: 'BadAnswer' },
    ],
    [
      'no connection',
      () => {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      },
      { code: 'NoAnswer' },
    ],
    [
      'a status without a body',
      () => new Response(null, { status: 403 }),
      { status: 403, code: 'BadAnswer' },
    ],
  ];
  test.each(cases)('%s is named as what it is', async (_, answer, expected) => {
    const { clients, calls } = fixture([answer]);
    const compute = await clients.compute();
    const error = await compute.virtualMachines.get('rg', 'vm').then(
      () => undefined,
      (thrown: unknown) => toArmError(thrown),
    );
    expect(error).toBeInstanceOf(ArmError);
    expect(error).toMatchObject(expected);
    expect(calls, 'nothing is tried again inside').toHaveLength(1);
  });

  test('a call that is not answered in time ends on our clock', async () => {
    const world = virtualWorld();
    const clients = createArmClients({
      world,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
      environment: AZURE_PUBLIC_CLOUD,
      credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
      subscriptionId: 's',
      version: '1',
      timeoutMs: 20_000,
    });
    const compute = await clients.compute();
    const outcome = compute.virtualMachines.get('rg', 'vm').catch((error: unknown) => toArmError(error));
    await world.clock.advance(20_000);
    expect(await outcome).toMatchObject({ code: 'NoAnswer', message: 'no response within 20 s' });
  });
});

describe('every call', () => {
  test("carries our name, and on machine writes the other tenant's token", async () => {
    const { clients, calls } = fixture([accepted, () => json({ value: [] })], {
      auxiliaryToken: async () => 'other',
    });
    await putMachine(clients);
    const compute = await clients.compute();
    await compute.virtualMachines.list('rg').next();
    expect(calls[0]!.headers.get('user-agent')).toMatch(/^chandler-aks\/v1\.2\.3 /);
    expect(calls.map((call) => call.headers.get('x-ms-authorization-auxiliary'))).toEqual([
      'Bearer other',
      null,
    ]);
  });

  test('a refusal holds neither the token nor what was sent', async () => {
    const { clients } = fixture([() => json({ error: { code: 'Conflict', message: 'busy' } }, 409)]);
    const compute = await clients.compute();
    const body = { location: 'l', osProfile: { customData: 'c2VjcmV0' } };
    const error = await submit(compute.virtualMachines.createOrUpdate('rg', 'vm', body)).catch(
      (thrown: unknown) => thrown,
    );
    const shown = inspect(error, { depth: 20, showHidden: true });
    expect(shown).not.toContain('Bearer');
    expect(shown).not.toContain('c2VjcmV0');
  });

  test('a refusal keeps what Azure said, request id and Retry-After', async () => {
    const { clients } = fixture([
      () =>
        json(
          { error: { code: 'Conflict', message: 'busy', innererror: { code: 'Inner', message: 'why' } } },
          409,
          {
            'x-ms-request-id': 'r-1',
            'retry-after': '3',
          },
        ),
    ]);
    await expect(putMachine(clients)).rejects.toMatchObject({
      status: 409,
      code: 'Conflict',
      codes: ['Conflict', 'Inner'],
      requestId: 'r-1',
      retryAfterMs: 3000,
      text: 'Conflict: busy\nInner: why',
    });
  });
});
