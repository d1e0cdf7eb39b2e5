/** What counts as gone: only what Azure itself says is not there. A 404 of anybody else is no answer. */

import type { Fetch } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { everyNth } from '../part.ts';
import {
  aClaim,
  inventory,
  NOTHING,
  removeVm,
  settleMachine,
  type VmCloud,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(): Promise<VmCloud> {
  open = await vmCloud();
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const page = () =>
  new Response('<html><h1>404 Not Found</h1></html>', {
    status: 404,
    headers: { 'content-type': 'text/html' },
  });
const refusal = (code: string) => () =>
  Response.json({ error: { code, message: 'not found' } }, { status: 404 });

const NOT_A_WORD: readonly [string, () => Response][] = [
  ['a page of a proxy', page],
  ['nothing at all', () => new Response(null, { status: 404 })],
  ['a subscription that our token does not show', refusal('SubscriptionNotFound')],
  ['a resource type that is not known', refusal('InvalidResourceType')],
];

/** Everything about VMs is answered so, while it is on. */
function behind(inner: Fetch, answer: () => Response) {
  let on = false;
  const fetch: Fetch = async (input, init) =>
    on && /\/(virtualMachines|networkInterfaces|disks)\//.test(String(input)) ? answer() : inner(input, init);
  return {
    fetch,
    turn(to: 'on' | 'off') {
      on = to === 'on';
    },
  };
}

describe.each(everyNth('answers that say nothing', NOT_A_WORD, 3))('when all of Azure is %s', (_, answer) => {
  test('a deletion goes on until Azure says that the VM is gone', async () => {
    const fixture = await azure();
    const claim = aClaim('a');
    const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
    const launched = { ...claim, status: { providerID: last.instance.providerID } };
    const proxy = behind(fixture.fetch, answer);
    const { cloud } = fixture.startProcess(proxy.fetch);
    proxy.turn('on');
    await expect(cloud.delete(launched, neverAborted())).rejects.toMatchObject({
      name: 'CloudError',
      kind: 'Unreachable',
    });
    await expect(cloud.get(last.instance.providerID, neverAborted())).rejects.toMatchObject({
      kind: 'Unreachable',
    });
    expect(inventory(fixture).vms).toEqual(['aks-a']);
    proxy.turn('off');
    await removeVm(fixture, cloud, launched);
    expect(inventory(fixture)).toEqual(NOTHING);
  });

  test('a launch that is in flight is neither lost nor repeated', async () => {
    const fixture = await azure();
    const proxy = behind(fixture.fetch, answer);
    const { cloud } = fixture.startProcess(proxy.fetch);
    const claim = aClaim('a');
    const nodeClass = fixture.nodeClass();
    let step = await cloud.create({ claim, nodeClass }, neverAborted());
    while (step.state === 'waiting') {
      await fixture.clock.advance(step.retryAfterMs);
      step = await cloud.create({ claim, nodeClass }, neverAborted());
    }
    const named = { ...claim, status: { providerID: step.instance.providerID } };
    // Long enough for the operation to be over, so that the VM itself is looked at.
    await fixture.clock.advance(10 * 60_000);
    proxy.turn('on');
    const other = fixture.startProcess(proxy.fetch).cloud;
    await expect(other.create({ claim: named, nodeClass }, neverAborted())).rejects.toMatchObject({
      kind: 'Unreachable',
    });
    proxy.turn('off');
    const { last } = await settleMachine(fixture, other, named, fixture.nodeClass());
    expect(last.instance.providerID).toBe(step.instance.providerID);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], nics: ['aks-a'] });
  });
});

describe('a VM whose creation failed and that is gone when it is looked at', () => {
  const gone = refusal('ResourceNotFound');

  /** Accepted by Azure, which gives up later. */
  async function accepted() {
    const fixture = await azure();
    const proxy = behind(fixture.fetch, gone);
    const { cloud, unavailable } = fixture.startProcess(proxy.fetch);
    fixture.server.faults.add('allocation@phase=async');
    const claim = aClaim('a');
    const nodeClass = fixture.nodeClass();
    let step = await cloud.create({ claim, nodeClass }, neverAborted());
    while (step.state === 'waiting') {
      await fixture.clock.advance(step.retryAfterMs);
      step = await cloud.create({ claim, nodeClass }, neverAborted());
    }
    await fixture.clock.advance(10 * 60_000);
    proxy.turn('on');
    const named = { ...claim, status: { providerID: step.instance.providerID } };
    return { cloud, unavailable, claim, named, nodeClass };
  }

  test.each([true, false])(
    'is reported with its reason, and its offering is blocked (named: %s)',
    async (isNamed) => {
      const { cloud, unavailable, claim, named, nodeClass } = await accepted();
      const request = { claim: isNamed ? named : claim, nodeClass };
      await expect(cloud.create(request, neverAborted())).rejects.toMatchObject({
        kind: 'CreateFailed',
        reason: 'AllocationFailure',
        instanceFailed: true,
      });
      expect(unavailable.size).toBeGreaterThan(0);
    },
  );
});
