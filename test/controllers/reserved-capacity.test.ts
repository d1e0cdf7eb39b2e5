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

/** The smallest type has a reservation with one free place. */
function withReservation(types: readonly InstanceType[]): readonly InstanceType[] {
  const [first, ...rest] = types;
  const one = (key: string, value: string) => ({ key, operator: 'In' as const, values: [value] });
  const offering = {
    requirements: [
      one('topology.kubernetes.io/zone', ZONE),
      one('karpenter.sh/capacity-type', 'reserved'),
      one(LABEL, 'r-1'),
    ],
    price: 0.001,
    reservation: { id: 'r-1', capacity: 1 },
  };
  return [{ ...first!, offerings: [...first!.offerings, offering] }, ...rest];
}

test('a NodeClaim names the reservation that it counts on, and no other counts on the same place', async () => {
  stage = await setStage({ controllers: [provisioner] });
  const { cloud } = stage;
  const read = cloud.instanceTypes;
  Object.assign(cloud, {
    reservationLabel: LABEL,
    wellKnownLabels: [LABEL],
    instanceTypes: async (...args: Parameters<typeof read>) => withReservation(await read(...args)),
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
    return [of('karpenter.sh/capacity-type'), of(LABEL)];
  });
  expect(reserved).toContainEqual([['reserved'], ['r-1']]);
  expect(reserved).toContainEqual([['on-demand'], undefined]);
});

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
