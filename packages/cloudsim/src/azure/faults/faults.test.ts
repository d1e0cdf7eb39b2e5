import { seededRandom } from '@chandler/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, testArm } from '../arm-server.fixture.ts';
import { FAULTS } from './catalogue.table.ts';
import { Faults } from './faults.ts';
import { FaultSyntaxError, parseFault } from './parse-fault.ts';
import { retaggedByPolicy } from './policy.ts';

describe('a policy on tags', () => {
  const write = { method: 'PATCH', type: 'Microsoft.Compute/virtualMachines', name: 'vm' };

  test('sets its tag in every write that has tags, whatever the case of the name', () => {
    const faults = new Faults(seededRandom(1));
    const body = { tags: { Team: 'mine', stage: 'test' } };
    expect(retaggedByPolicy(faults, body, write)).toBe(body);
    faults.add('retag=team:a:b');
    expect(retaggedByPolicy(faults, body, write)).toEqual({ tags: { team: 'a:b', stage: 'test' } });
    expect(retaggedByPolicy(faults, { identity: {} }, write)).toEqual({ identity: {} });
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
  });

  test('of one NodePool leaves the others alone', () => {
    const faults = new Faults(seededRandom(1));
    faults.add('retag@nodepool=a');
    const of = (pool: string) => ({ tags: { 'karpenter.sh_nodepool': pool } });
    expect(retaggedByPolicy(faults, of('b'), write)).toEqual(of('b'));
    expect(retaggedByPolicy(faults, of('a'), write)).toMatchObject({ tags: { team: 'central' } });
  });
});

describe('a fault as text', () => {
  test.each([
    ['cse=211', { name: 'cse', value: '211' }],
    ['allocation', { name: 'allocation' }],
    ['500@count=2', { name: '500', count: 2 }],
    [
      'zonal-allocation@zone=eastus-2,size=Standard_D*,rate=0.5,capacity=spot',
      { name: 'zonal-allocation', zone: '2', size: 'Standard_D*', rate: 0.5, capacity: 'spot' },
    ],
    [
      'slow=10@operation=PUT virtualMachines',
      { name: 'slow', value: '10', operation: 'PUT virtualMachines' },
    ],
    ['quota=0@phase=async,nodepool=gpu', { name: 'quota', value: '0', phase: 'async', nodepool: 'gpu' }],
  ])('%s', (text, spec) => expect(parseFault(text)).toEqual(spec));

  test.each([
    ['gremlins', /unknown fault 'gremlins'; available: 500, /],
    ['cse=many', /exit code.*must be a number/],
    ['allocation=3', /takes no value/],
    ['cse=1@colour=red', /unknown condition 'colour'; available: rate, /],
    ['cse=1@rate=2', /rate must be a number from 0 to 1, not '2'/],
    ['cse=1@count=0', /count must be a whole number/],
    ['cse=1@zone=west', /zone must be a digit/],
    ['cse=1@zone', /key=value/],
    ['cse=1@zone=1,zone=2', /set twice/],
    ['cse=1@zone=1@size=x', /more than one '@'/],
    ['cse=1@constructor=1', /unknown condition 'constructor'/],
    ['cse=1@__proto__=1', /unknown condition '__proto__'/],
    ['', /unknown fault ''/],
  ])('%s is rejected with the valid values', (text, message) => {
    expect(() => parseFault(text)).toThrow(FaultSyntaxError);
    expect(() => parseFault(text)).toThrow(message);
  });

  test('any text is either a fault or rejected with FaultSyntaxError', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseFault(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FaultSyntaxError);
        }
      }),
    );
  });

  test('every name of the table can be written', () => {
    const faults = new Faults(seededRandom(1));
    for (const row of FAULTS)
      faults.add(row.value === undefined ? row.name : `${row.name}=${row.defaultValue}`);
    expect(faults.list()).toHaveLength(FAULTS.length);
    expect(new Set(FAULTS.map((row) => row.name)).size).toBe(FAULTS.length);
  });
});

describe('a fault is triggered', () => {
  const vm = {
    type: 'Microsoft.Compute/virtualMachines',
    method: 'PUT',
    name: 'aks-a',
    phase: 'async',
  } as const;

  test('only where zone, size, capacity and name match', () => {
    const faults = new Faults(seededRandom(1));
    faults.add('allocation@zone=1,size=standard_d*_v5,capacity=spot,resource=aks-*');
    const subject = { ...vm, zone: '1', size: 'Standard_D4s_v5', capacity: 'spot' } as const;
    expect(faults.trigger('vm', subject)?.name).toBe('allocation');
    expect(faults.trigger('vm', { ...subject, zone: '2' })).toBeUndefined();
    expect(faults.trigger('vm', { ...subject, size: 'Standard_D4s_v4' })).toBeUndefined();
    expect(faults.trigger('vm', { ...subject, capacity: 'on-demand' })).toBeUndefined();
    expect(faults.trigger('vm', { ...subject, name: 'other' })).toBeUndefined();
    expect(faults.trigger('nic', subject)).toBeUndefined();
  });

  test('at its rate, the same from the same seed', () => {
    const triggered = () => {
      const faults = new Faults(seededRandom(7));
      faults.add('allocation@rate=0.3');
      return Array.from({ length: 1000 }, () => faults.trigger('vm', vm) !== undefined);
    };
    const first = triggered();
    expect(first).toEqual(triggered());
    const count = first.filter(Boolean).length;
    expect(count).toBeGreaterThan(250);
    expect(count).toBeLessThan(350);
  });

  test('as often as its count says, then it is removed', () => {
    const faults = new Faults(seededRandom(1));
    faults.add('allocation@count=2');
    expect([1, 2, 3].map(() => faults.trigger('vm', vm)?.struck)).toEqual([1, 2, undefined]);
    expect(faults.list()).toEqual([]);
  });

  test('at the PUT or later, by its phase or as ARM does', () => {
    const faults = new Faults(seededRandom(1));
    faults.add('allocation@phase=sync');
    expect(faults.trigger('vm', { ...vm, phase: 'async' })).toBeUndefined();
    expect(faults.trigger('vm', { ...vm, phase: 'sync' })?.name).toBe('allocation');
  });
});

describe('faults over HTTP', () => {
  test('are added as text or JSON, listed and removed', async () => {
    const { server } = await testArm();
    const url = `${server.url}/playground/faults`;
    const send = (method: string, path = '', body?: string) =>
      server.fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${server.faultSecret}` },
        ...(body === undefined ? {} : { body }),
      });
    expect((await send('POST', '', 'cse=211@zone=1')).status).toBe(201);
    expect((await send('POST', '', JSON.stringify([{ name: 'throttle', count: 2 }, 'slow=5']))).status).toBe(
      201,
    );
    const listed = (await (await send('GET')).json()) as { faults: { name: string }[]; known: unknown[] };
    expect(listed.faults.map((fault) => fault.name)).toEqual(['cse', 'throttle', 'slow']);
    expect(listed.known).toHaveLength(FAULTS.length);
    expect((await send('DELETE', '/throttle')).status).toBe(204);
    expect((await send('DELETE', '/throttle')).status).toBe(404);
    expect((await send('DELETE')).status).toBe(204);
    expect(server.faults.list()).toEqual([]);
    const wrong = await send('POST', '', 'gremlins');
    expect([wrong.status, (await wrong.text()).includes('gremlins')]).toEqual([400, true]);
  });
});

describe('faults over HTTP without the secret of the run', () => {
  test.each([
    ['GET', ''],
    ['POST', ''],
    ['DELETE', ''],
    ['DELETE', '/cse'],
  ])('%s %s is rejected and changes nothing', async (method, path) => {
    const { server } = await testArm({ faults: ['cse=211'] });
    for (const headers of [
      {},
      { authorization: 'Bearer guess' },
      { authorization: `Bearer ${server.token()}` },
    ]) {
      const body = method === 'POST' ? 'allocation' : undefined;
      const url = `${server.url}/playground/faults${path}`;
      const answer = await server.fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
      expect(answer.status).toBe(401);
      expect(await answer.text()).toContain('fault-header');
    }
    expect(server.faults.list().map(({ name }) => name)).toEqual(['cse']);
  });
});

describe('a fault on the wire', () => {
  test.each([
    ['500', 500, 'InternalServerError'],
    ['503', 503, 'ServiceUnavailable'],
    ['throttle=7', 429, 'TooManyRequests'],
    ['expired-token', 401, 'ExpiredAuthenticationToken'],
    ['forbidden', 403, 'AuthorizationFailed'],
    ['locked', 409, 'ScopeLocked'],
  ])('%s answers %i and does nothing', async (fault, status, code) => {
    const azure = await testArm({ faults: [`${fault}@count=1`] });
    const refused = await azure.nic('aks-a');
    expect([refused.status, refused.error.code]).toEqual([status, code]);
    if (fault.startsWith('throttle')) expect(refused.headers.get('retry-after')).toBe('7');
    expect(azure.server.resources.nics()).toEqual([]);
    expect((await azure.nic('aks-a')).status).toBe(201);
  });

  test.each([
    ['truncated', 201, undefined],
    ['non-json', 201, undefined],
    ['empty', 201, undefined],
    ['late-500', 500, 'InternalServerError'],
    ['wrong-content', 201, ''],
  ])('%s happens after the effect', async (fault, status, code) => {
    const azure = await testArm({ faults: [`${fault}@count=1`] });
    const called = await azure.nic('aks-a');
    expect(called.status).toBe(status);
    if (code === undefined) expect(called.json).toBeUndefined();
    else expect(called.error.code).toBe(code);
    expect(azure.server.resources.nics()).toHaveLength(1);
  });

  test('a lost request had no effect, a lost response had', async () => {
    const azure = await testArm({ faults: ['lost-request@count=1'] });
    await expect(azure.nic('aks-a')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(azure.server.resources.nics()).toEqual([]);
    azure.server.faults.add('lost-response@count=1');
    await expect(azure.nic('aks-a')).rejects.toThrow('fetch failed');
    expect(azure.server.resources.nics()).toHaveLength(1);
    expect(azure.server.resources.calls().map((call) => [call.status, call.faults])).toEqual([
      [0, ['lost-request']],
      [0, ['lost-response']],
    ]);
  });

  test('can be limited to some operations', async () => {
    const azure = await testArm({ faults: ['500@operation=PUT virtualMachines'] });
    await azure.nic('aks-a');
    expect((await azure.vm('aks-a')).status).toBe(500);
    expect((await azure.call('GET', `${COMPUTE}/virtualMachines/aks-a`)).status).toBe(404);
    expect((await azure.call('GET', `${NETWORK}/networkInterfaces/aks-a`)).status).toBe(200);
  });

  test('a slow answer is delayed, a hanging one can be aborted', async () => {
    const azure = await testArm({ faults: ['slow=5000@count=1', 'timeout@count=1'] });
    let answered = false;
    const slow = azure.nic('aks-a').then((called) => {
      answered = true;
      return called;
    });
    await azure.advance(4999);
    expect(answered).toBe(false);
    await azure.advance(1);
    expect((await slow).status).toBe(201);
    const abort = new AbortController();
    const hanging = azure.server.fetch(`${azure.group}/${COMPUTE}/virtualMachines?api-version=2025-04-01`, {
      headers: { authorization: `Bearer ${azure.server.token()}` },
      signal: abort.signal,
    });
    abort.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
  });
});
