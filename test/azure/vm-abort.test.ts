import type { Fetch } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, inventory, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

/** Calls that match get no answer until they are aborted. */
function silentFor(send: Fetch, matches: (method: string, url: string) => boolean) {
  const waiting: string[] = [];
  const fetch: Fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? 'GET';
    if (!matches(method, url)) return send(input, init);
    waiting.push(`${method} ${new URL(url).pathname}`);
    return new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
    });
  };
  return { fetch, waiting };
}

describe('a stop or a lost lease ends the call to Azure that is in flight', () => {
  test.each([
    ['GET', /\/virtualMachines\//],
    ['PUT', /\/networkInterfaces\//],
    ['PUT', /\/virtualMachines\//],
  ])('%s %s of a launch; the next process goes on from there', async (method, path) => {
    fixture = await vmCloud();
    const { fetch, waiting } = silentFor(fixture.fetch, (sent, url) => sent === method && path.test(url));
    const { cloud } = fixture.startProcess(fetch);
    const stop = new AbortController();
    const reason = new Error('the operator was stopped');
    const request = { claim: aClaim('a'), nodeClass: fixture.nodeClass() };
    let ended: unknown;
    const driving = (async () => {
      for (;;) {
        const step = await cloud.create(request, stop.signal);
        await fixture.clock.sleep(step.retryAfterMs ?? 1_000);
      }
    })().catch((error: unknown) => {
      ended = error;
    });
    for (let round = 0; round < 200 && waiting.length === 0; round++) await fixture.clock.advance(500);
    expect(waiting).toHaveLength(1);
    const beforeMs = fixture.clock.now();
    stop.abort(reason);
    await driving;
    expect(ended).toBe(reason);
    expect(fixture.clock.now()).toBe(beforeMs);
    const after = fixture.startProcess();
    await settleMachine(fixture, after.cloud, request.claim, fixture.nodeClass());
    expect(inventory(fixture).vms).toHaveLength(1);
  });

  test('a deletion', async () => {
    fixture = await vmCloud();
    const claim = aClaim('a');
    await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
    const { fetch, waiting } = silentFor(fixture.fetch, (method) => method === 'DELETE');
    const { cloud } = fixture.startProcess(fetch);
    const stop = new AbortController();
    const deleting = cloud.delete(claim, stop.signal);
    deleting.catch(() => undefined);
    for (let round = 0; round < 50 && waiting.length === 0; round++) await fixture.clock.advance(100);
    stop.abort(new Error('stopped'));
    await expect(deleting).rejects.toThrow('stopped');
  });
});
