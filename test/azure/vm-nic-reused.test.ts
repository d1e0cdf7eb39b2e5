/** A network interface that is left from an attempt without capacity is used by the next one, as that one wants it. */
import type { Fetch } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import type { AKSNodeClassSpec } from '../../packages/chandler/src/api/index.ts';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** An attempt that leaves its interface, and a second one with another spec of the class. */
async function launchedTwice(...specs: readonly [AKSNodeClassSpec, AKSNodeClassSpec]): Promise<VmCloud> {
  open = await vmCloud();
  const { server, cloud, clock } = open;
  server.faults.add('sku-not-available@count=1');
  const claim = aClaim('a');
  const before = open.nodeClass(specs[0]);
  const first = async () => {
    for (;;) {
      const step = await cloud.create({ claim, nodeClass: before }, neverAborted());
      await clock.advance(step.retryAfterMs ?? 1000);
    }
  };
  await expect(first()).rejects.toMatchObject({ code: 'SkuNotAvailable' });
  expect(server.resources.nics()).toHaveLength(1);
  const { metadata, status, ...made } = open.nodeClass(specs[1]);
  const conditions = (status?.conditions ?? []).map((each) => ({ ...each, observedGeneration: 2 }));
  const edited = { ...made, metadata: { ...metadata, generation: 2 }, status: { ...status, conditions } };
  await settleMachine(open, cloud, claim, edited);
  return open;
}

const nicPuts = ({ server }: VmCloud) =>
  server.resources
    .calls()
    .filter(({ method, path }) => method === 'PUT' && path.includes('/networkInterfaces/')).length;

test('it gets the tags of the class that was edited in between', async () => {
  const { server } = await launchedTwice({ tags: { team: 'old' } }, { tags: { team: 'new' } });
  expect(server.resources.vms()[0]!.tags).toMatchObject({ team: 'new' });
  expect(server.resources.nics()[0]!.tags).toMatchObject({ team: 'new' });
});

test('it is not put again when nothing differs', async () => {
  expect(nicPuts(await launchedTwice({}, {}))).toBe(1);
});

test('it is not put again when a policy has replaced a tag and the VM is throttled', async () => {
  open = await vmCloud();
  const { server } = open;
  const world = open;
  let vmPuts = 0;
  const governed: Fetch = async (input, init) => {
    const url = String(input);
    if (init?.method === 'PUT' && /\/virtualMachines\/[^/?]+\?/.test(url) && ++vmPuts === 1)
      return Response.json({ error: { code: 'TooManyRequests', message: 'later' } }, { status: 429 });
    const response = await world.fetch(input, init);
    if ((init?.method ?? 'GET') !== 'GET' || !url.includes('/networkInterfaces/')) return response;
    return new Response((await response.text()).replace('"team":"a"', '"team":"policy"'), response);
  };
  const { cloud } = open.startProcess(governed);
  await settleMachine(open, cloud, aClaim('a'), open.nodeClass({ tags: { team: 'a' } }));
  expect([vmPuts, nicPuts(open)]).toEqual([2, 1]);
  expect(server.resources.vms()).toHaveLength(1);
});
