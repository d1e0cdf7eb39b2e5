/** Reserved capacity on the way from the cloud to NodeClaims. */
import { PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { awsProvider } from '../../packages/chandler/src/cloud/aws/index.ts';
import { provisioner } from '../../packages/chandler/src/controllers/index.ts';
import type { InstanceType } from '../../packages/chandler/src/scheduling/index.ts';
import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

const LABEL = 'example.sh/reservation';
const ZONE = 'eastus-1';

let stage: StageSet;
afterEach(() => stage.end());

/** The smallest type has these reservations, each with one free place. */
function withReservations(types: readonly InstanceType[], ids: readonly string[]): readonly InstanceType[] {
  const [first, ...rest] = types;
  const one = (key: string, value: string) => ({ key, operator: 'In' as const, values: [value] });
  const reserved = ids.map((id) => ({
    requirements: [
      one('topology.kubernetes.io/zone', ZONE),
      one('karpenter.sh/capacity-type', 'reserved'),
      one(LABEL, id),
    ],
    price: 0.001,
    reservation: { id, capacity: 1 },
  }));
  return [{ ...first!, offerings: [...first!.offerings, ...reserved] }, ...rest];
}

test.each([
  [
    'on demand',
    ['r-1'],
    [
      ['reserved', 'r-1'],
      ['on-demand', undefined],
    ],
  ],
  [
    'in another reservation',
    ['r-1', 'r-2'],
    [
      ['reserved', 'r-1,r-2'],
      ['reserved', 'r-2'],
    ],
  ],
])(
  'a NodeClaim names the reservations that it counts on, and the next one is %s',
  async (_, ids, expected) => {
    stage = await setStage({ controllers: [provisioner] });
    const { cloud } = stage;
    const read = cloud.instanceTypes;
    Object.assign(cloud, {
      reservationLabel: LABEL,
      wellKnownLabels: [LABEL],
      instanceTypes: async (...args: Parameters<typeof read>) => withReservations(await read(...args), ids),
    });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    await stage.apply(PODS, pod('a'));
    await stage.until('the first', async () => (await stage.list(NODE_CLAIMS)).length === 1);
    // Nothing launches claims here, and the second pod fits only a node of its own.
    await stage.apply(PODS, pod('b', { hostname: 'b', ...apart }));
    await stage.until('the second', async () => (await stage.list(NODE_CLAIMS)).length === 2);
    const reserved = (await stage.list(NODE_CLAIMS)).map((claim) => {
      const { requirements } = claim['spec'] as { requirements: { key: string; values?: string[] }[] };
      const of = (key: string) => requirements.find((each) => each.key === key)?.values;
      return [of('karpenter.sh/capacity-type')?.join(), of(LABEL)?.join()];
    });
    expect(reserved).toHaveLength(2);
    for (const each of expected) expect(reserved).toContainEqual(each);
  },
);

/** Not beside another pod. */
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: {} },
      ],
    },
  },
};

test('the label of AWS is that of its capacity reservations', () => {
  expect(awsProvider.reservationLabel).toBe('karpenter.k8s.aws/capacity-reservation-id');
});
