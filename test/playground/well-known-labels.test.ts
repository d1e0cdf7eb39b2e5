/** A NodePool may require any label that nodes have: its node has it then, and is not replaced for it. */
import { SIZE_FAMILIES } from '@chandler/cloudsim/azure/testing';
import type { KubeObject } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AZURE_LABEL_RULES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { ensureObject } from '../../packages/chandler/src/playground/index.ts';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';
import { everyNth } from '../part.ts';
import { type ScenarioHarness, SMALL_CATALOGUE, startScenarioHarness } from './scenario-harness.ts';

let harness: ScenarioHarness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

/** Values that a pool of this cluster may require, one pool for each list; an empty list requires any value. */
const VALUES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'karpenter.sh/capacity-type': [['spot'], ['on-demand', 'spot']],
  'topology.kubernetes.io/zone': [['eastus-2'], ['0']],
  'topology.kubernetes.io/region': [['eastus']],
  'node.kubernetes.io/instance-type': [['Standard_D2s_v5']],
  'kubernetes.io/arch': [['amd64']],
  'kubernetes.io/os': [['linux']],
  'karpenter.azure.com/sku-name': [['Standard_D2s_v5']],
  'karpenter.azure.com/sku-family': [['D']],
  'karpenter.azure.com/sku-series': [['Ds_v5']],
  'karpenter.azure.com/sku-version': [['5']],
  'karpenter.azure.com/sku-cpu': [['2']],
  'karpenter.azure.com/sku-memory': [['8192']],
  'karpenter.azure.com/sku-gpu-count': [['0']],
  'karpenter.azure.com/sku-gpu-manufacturer': [['nvidia']],
  'karpenter.azure.com/sku-gpu-name': [['T4']],
  'karpenter.azure.com/sku-networking-accelerated': [['true']],
  'karpenter.azure.com/sku-storage-premium-capable': [['true']],
  'karpenter.azure.com/sku-storage-ephemeralos-maxsize': [[]],
  'karpenter.azure.com/sku-storage-ultra-ssd': [['true'], ['true', 'false']],
  'karpenter.azure.com/placement-scope': [['regional']],
  'kubernetes.azure.com/cluster': [[]],
  'kubernetes.azure.com/mode': [['system'], ['system', 'user']],
  'kubernetes.azure.com/scalesetpriority': [['spot'], ['regular', 'spot']],
  'kubernetes.azure.com/priority': [['spot']],
  'kubernetes.azure.com/os-sku': [['Ubuntu']],
  'kubernetes.azure.com/sku-cpu': [['2']],
  'kubernetes.azure.com/sku-memory': [['8192']],
};

/** Every pool has the first, no node of Linux has the second, and the simulated galleries have no image with the third. */
const NOT_REQUIRED = [
  'karpenter.sh/nodepool',
  'node.kubernetes.io/windows-build',
  'kubernetes.azure.com/fips_enabled',
];

interface Case {
  readonly pool: string;
  readonly key: string;
  readonly values: readonly string[];
}

const ALL_CASES: readonly Case[] = Object.entries(VALUES).flatMap(([key, lists], index) =>
  lists.map((values, list) => ({ pool: `p${index}-${list}`, key, values })),
);
const CASES = everyNth('requirements', ALL_CASES, 6);

function podFor({ pool }: Case) {
  return { cpu: '100m', memory: '64Mi', nodeSelector: { 'karpenter.sh/nodepool': pool } };
}

function poolOf({ pool, key, values }: Case, replicas?: number): KubeObject {
  const gpu = /gpu-(manufacturer|name)/.test(key);
  const operator = values.length === 0 ? 'Exists' : 'In';
  const requirements = [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    ...(gpu ? [] : [{ key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] }]),
  ];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: pool },
    spec: {
      ...(replicas === undefined
        ? { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } }
        : { replicas }),
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [
            ...requirements.filter((row) => row.key !== key),
            { key, operator, ...(values.length > 0 && { values }) },
          ],
          expireAfter: 'Never',
        },
      },
    },
  };
}

/** Static pools too, for labels that the size does not decide. */
const OF_REPLICAS = CASES.filter(({ key }) =>
  /mode|priority|ultra-ssd|scope|zone|capacity-type/.test(key),
).map((one) => ({ ...one, pool: `static-${one.pool}` }));

test('the table has every label that a NodePool may require', () => {
  expect([...Object.keys(VALUES), ...NOT_REQUIRED].sort()).toEqual([...AZURE_LABEL_RULES.wellKnown].sort());
});

test('every well-known label can be required, and the node is not replaced', async () => {
  const gpus = SIZE_FAMILIES.filter(({ quotaFamily }) => /T4|standardDDSv5/i.test(quotaFamily));
  const families = [...(SMALL_CATALOGUE.families ?? []), ...gpus];
  harness = await startScenarioHarness(['--feature-gates=StaticCapacity=true'], { families });
  const { admin, world } = harness;
  const startMs = world.clock.now();
  const objects = [
    ...CASES.flatMap((one) => [poolOf(one), deployment(one.pool, 1, podFor(one))]),
    ...OF_REPLICAS.map((one) => poolOf(one, 1)),
  ];
  const made = Promise.allSettled(objects.map((object) => ensureObject(admin, object)));
  for (let step = 0; step < 120; step++) await world.clock.advance(5_000);
  expect((await made).filter(({ status }) => status === 'rejected')).toEqual([]);
  const { items } = await admin.list(NODE_CLAIMS);
  const found = [...CASES, ...OF_REPLICAS].map(({ pool, key, values }) => ({
    requirement: `${pool}: ${key} ${values}`,
    claims: items
      .filter(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === pool)
      .map(({ metadata, status }) => ({
        isOld: Date.parse(metadata.creationTimestamp!) - startMs < 4 * 60_000,
        drifted: status?.conditions?.find((row) => row.type === 'Drifted')?.message,
        registered: status?.conditions?.find((row) => row.type === 'Registered')?.status,
      })),
  }));
  const good = JSON.stringify([{ isOld: true, registered: 'True' }]);
  expect(found.filter(({ claims }) => JSON.stringify(claims) !== good)).toEqual([]);
}, 240_000);
