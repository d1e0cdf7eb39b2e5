import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

test('ultra disks are offered in the zones of a region that has them', async () => {
  fixture = await vmCloud();
  const types = await fixture.cloud.instanceTypes(
    { nodeClass: fixture.nodeClass() } as never,
    neverAborted(),
  );
  const type = types.find(({ name }) => name === 'Standard_D4s_v5');
  const withUltra = type?.offerings.filter(({ requirements }) =>
    requirements.some(
      ({ key, values }) => key === 'karpenter.azure.com/sku-storage-ultra-ssd' && values?.includes('true'),
    ),
  );
  const zones = (withUltra ?? []).flatMap(
    ({ requirements }) => requirements.find(({ key }) => key === 'topology.kubernetes.io/zone')?.values ?? [],
  );
  expect([...new Set(zones)]).toEqual(['eastus-1', 'eastus-2', 'eastus-3']);
});
