import type { Fetch } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, inventory, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe('the status of a long operation that cannot be read', () => {
  test.each([
    [
      'is refused',
      () => new Response('{"error":{"code":"AuthorizationFailed","message":"no"}}', { status: 403 }),
    ],
    ['is a page', () => new Response('<html>gateway</html>')],
    ['is half an answer', () => new Response('{"status": "Succ')],
    ['is a server error', () => new Response('', { status: 500 })],
    [
      'does not come',
      () => {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      },
    ],
  ])('%s, for ever: the machine itself is looked at, and the launch goes on', async (_, answer) => {
    open = await vmCloud({ mode: 'bootstrappingclient' });
    const fixture = open;
    let asked = 0;
    const fetch: Fetch = async (input, init) => {
      if (!/\/operations\//.test(String(input))) return fixture.fetch(input, init);
      asked += 1;
      return answer();
    };
    const { cloud } = fixture.startProcess(fetch);
    const claim = aClaim('a');
    for (let steps = 0; steps < 40; steps++) {
      const settled = await cloud
        .create({ claim, nodeClass: fixture.nodeClass() }, neverAborted())
        .then((step) => step.state === 'launched' && step.settled)
        .catch(() => false);
      if (settled) break;
      await fixture.clock.advance(3000);
    }
    expect(asked).toBeGreaterThan(0);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], nics: ['aks-a'] });
    expect(inventory(fixture).extensions).toHaveLength(2);
    const { steps } = await settleMachine(fixture, cloud, claim, fixture.nodeClass());
    expect(steps).toHaveLength(1);
  });
});
