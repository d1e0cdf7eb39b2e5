import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { LeftoversPass } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { aClaim, inventory, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Only its NIC is there. */
async function begun(fixture: VmCloud, name: string): Promise<Stored<NodeClaim>> {
  const claim = aClaim(name);
  await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted());
  await fixture.clock.advance(2_000);
  return claim;
}

/** What a pass sees of the API server: the cache knows no claim, the list those of its moment. */
function passOver(fixture: VmCloud, claims: Stored<NodeClaim>[], afterList: () => Promise<void>) {
  const client = {
    withSignal: () => ({
      listAll: async () => {
        const items = [...claims];
        await afterList();
        return { items };
      },
    }),
  };
  const stores = { claims: { store: { values: () => [] } } };
  return new LeftoversPass({ world: fixture.world, client, stores } as never, fixture.cloud.garbage);
}

test('a claim and its interface that are created during the collection are not garbage', async () => {
  open = await vmCloud();
  const fixture = open;
  await begun(fixture, 'orphan');
  const claims: Stored<NodeClaim>[] = [];
  const pass = passOver(fixture, claims, async () => {
    claims.push(await begun(fixture, 'new'));
  });
  await pass.run(neverAborted());
  await fixture.clock.advance(10_000);
  expect(inventory(fixture).nics).toEqual(['aks-new']);
});

test('an interface whose claim only the API server knows stays', async () => {
  open = await vmCloud();
  const claim = await begun(open, 'known');
  await begun(open, 'orphan');
  await passOver(open, [claim], async () => {}).run(neverAborted());
  await open.clock.advance(10_000);
  expect(inventory(open).nics).toEqual(['aks-known']);
});
