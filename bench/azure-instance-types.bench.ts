/**
 * The instance types of a region with more than 1,000 sizes, for one node class: read from the ResourceSkus
 * response, recomputed after all prices changed and after one launch failed, read from the cache; and the
 * choice for one claim.
 */
import type { AKSNodeClass } from '../packages/chandler/src/api/index.ts';
import {
  InstanceTypeProvider,
  PriceList,
  QuotaUsage,
  rankOfferings,
} from '../packages/chandler/src/cloud/azure/index.ts';
import { aSku, KNOWN_NAMES, REGION } from '../packages/chandler/src/cloud/azure/testing.ts';
import { UnavailableOfferings } from '../packages/chandler/src/cloud/index.ts';
import { hardcoded } from '../packages/chandler/src/settings/index.ts';

import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const ROUNDS = 40;
const GOAL_MS = 100;

/** Real series, each once more under a version that does not exist yet, so that the region is a full one. */
const skus = KNOWN_NAMES.flatMap(({ template, cpus }) =>
  cpus.split(' ').flatMap((text) => {
    const vcpus = Number(text.split('-').at(-1));
    const shape = { vcpus, memoryGiB: vcpus * 4, ultraSsdZones: ['1', '2'] };
    const name = template.replace('#', text);
    const later = name.replace(/_v([0-9])$/, '_v1$1');
    return name === later ? [aSku(name, shape)] : [aSku(name, shape), aSku(later, shape)];
  }),
);

const { clock, log } = benchWorld();
/** Prices that can all change at once: then every type has to be made anew. */
const book = new PriceList({ clock, log, fetch: fetchNothing, region: REGION, published: false });
const prices = {
  sequence: 0,
  price(name: string, capacityType: 'on-demand' | 'spot'): number | undefined {
    const price = book.price(name, capacityType);
    return price === undefined ? undefined : price * (1 + this.sequence / 1_000);
  },
};
const unavailable = new UnavailableOfferings({ clock });
const provider = new InstanceTypeProvider({
  region: REGION,
  clock,
  log,
  options: {
    vmMemoryOverheadPercent: hardcoded(0.075),
    networkPlugin: hardcoded('azure'),
    networkPluginMode: hardcoded('overlay'),
    nodeResourceGroup: hardcoded('MC_bench'),
  },
  listSkus: () => Promise.resolve(skus),
  prices,
  quota: new QuotaUsage({ clock, log, listUsages: () => Promise.resolve([]) }),
  unavailable,
});

const nodeClass: AKSNodeClass = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu', osDiskSizeGB: 128 },
};

const readMs = timed(() => provider.refresh(skus));
const coldMs = timed(() => provider.forNodeClass(nodeClass));
const before = provider.forNodeClass(nodeClass);
const repricings: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  prices.sequence += 1;
  repricings.push(timed(() => provider.forNodeClass(nodeClass)));
}
const rebuilds: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  unavailable.mark(
    { instanceType: 'Standard_D2s_v5', zone: `${REGION}-${(round % 3) + 1}`, capacityType: `round-${round}` },
    600_000,
    'AllocationFailure',
  );
  rebuilds.push(timed(() => provider.forNodeClass(nodeClass)));
}
unavailable.mark(
  { instanceType: 'Standard_D2s_v5', zone: `${REGION}-1`, capacityType: 'on-demand' },
  600_000,
  'AllocationFailure',
);
const types = provider.forNodeClass(nodeClass);
const cachedMs = timed(() => provider.forNodeClass(nodeClass));
const ranked = () =>
  rankOfferings({
    types,
    claimName: 'default-bench',
    requests: { cpu: '3', memory: '6Gi' },
    requirements: [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D', 'E', 'F'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: types.map(({ name }) => name) },
    ],
  });
const choices = ranked();
const rankMs = median(Array.from({ length: ROUNDS }, () => timed(ranked)));
const repricedMs = median(repricings);
const warmMs = median(rebuilds);
const failed = types.find(({ name }) => name === 'Standard_D2s_v5')!;

report({
  name: 'azure-instance-types',
  figures: {
    skus: skus.length,
    types: types.length,
    offerings: types.reduce((sum, type) => sum + type.offerings.length, 0),
    readSkusMs: rounded(readMs),
    firstListMs: rounded(coldMs),
    allTypesAnewMs: rounded(repricedMs),
    afterOneFailureMs: rounded(warmMs),
    slowestAfterOneFailureMs: rounded(Math.max(...rebuilds)),
    cachedListMs: rounded(cachedMs),
    rankOneClaimMs: rounded(rankMs),
  },
  goals: { allTypesAnewMs: atMost(repricedMs, GOAL_MS), afterOneFailureMs: atMost(warmMs, GOAL_MS) },
  checked: [
    assertWork(skus.length > 1_000 && types.length > 1_000, 'a region of more than 1,000 sizes was resolved'),
    assertWork(
      types.every((type, index) => type.offerings[0]!.price > before[index]!.offerings[0]!.price),
      'every type was made anew when all prices changed',
    ),
    assertWork(
      failed.offerings.filter(({ available }) => available === false).length === 1,
      'the offering that failed is the only one of its size that is not available',
    ),
    assertWork(
      types.every(
        ({ requirements, capacity }) => requirements.length >= 30 && capacity['memory'] !== undefined,
      ),
      'every type has its labels and its memory',
    ),
    assertWork(
      choices.length > 500 && choices.every(({ type }) => type.sku.vcpus > 3),
      'the choice holds what is big enough',
    ),
  ],
});

function fetchNothing(): Promise<Response> {
  return Promise.reject(new Error('a benchmark with built-in prices sends no requests'));
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((first, second) => first - second)[Math.floor(values.length / 2)]!;
}
