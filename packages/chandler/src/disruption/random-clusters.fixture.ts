/** Random clusters for properties: nodes of two NodePools in two zones, budgets, PodDisruptionBudgets, pending pods. */
import fc from 'fast-check';
import { type Budget, KubernetesLabel } from '../api/index.ts';
import type { InstanceType, Pod } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import { aCluster, aDisruptedPool, aManagedNode, aPdb, TYPES } from './disruption.fixture.ts';

const ZONES = ['zone-a', 'zone-b'];
const budget: fc.Arbitrary<Budget> = fc.record(
  {
    nodes: fc.constantFrom('0', '1', '2', '5', '20%', '50%', '100%'),
    reasons: fc.subarray(['Empty', 'Drifted', 'Underutilized'] as const).map((reasons) => [...reasons]),
  },
  { requiredKeys: ['nodes'] },
);
const podShape = fc.record({
  milli: fc.constantFrom(100, 500, 900, 1900),
  zone: fc.constantFrom(undefined, undefined, ...ZONES),
  owner: fc.constantFrom('ReplicaSet', 'ReplicaSet', 'DaemonSet'),
  app: fc.constantFrom('free', 'free', 'held'),
});
const nodeShape = fc.record({
  pool: fc.constantFrom('one', 'two'),
  type: fc.constantFrom('s', 'm', 'l'),
  capacityType: fc.constantFrom('spot', 'on-demand'),
  zone: fc.constantFrom(...ZONES),
  drifted: fc.boolean(),
  consolidatable: fc.constantFrom(true, true, false),
  deleting: fc.constantFrom(false, false, false, true),
  ready: fc.constantFrom(true, true, true, false),
  pods: fc.array(podShape, { maxLength: 4 }),
});
export const clusters = fc
  .record({
    nodes: fc.array(nodeShape, { minLength: 1, maxLength: 8 }),
    pending: fc.array(podShape, { maxLength: 3 }),
    budgets: fc.tuple(fc.array(budget, { maxLength: 2 }), fc.array(budget, { maxLength: 2 })),
    policy: fc.constantFrom('Balanced' as const, 'WhenEmptyOrUnderutilized' as const),
    heldAllowed: fc.constantFrom(0, 1),
    spotToSpot: fc.boolean(),
  })
  .map(({ nodes, pending, budgets, policy, heldAllowed, spotToSpot }) => {
    const pod = (name: string, { milli, zone, owner, app }: (typeof pending)[number]): Pod =>
      aPod(name, {
        cpu: `${milli}m`,
        labels: { app },
        owner,
        ...(zone === undefined || owner === 'DaemonSet'
          ? {}
          : { nodeSelector: { [KubernetesLabel.zone]: zone } }),
      });
    const input = aCluster(
      nodes.map(({ drifted, consolidatable, deleting, pods, ...shape }, at) =>
        aManagedNode(`n${at}`, {
          ...shape,
          conditions: { Drifted: drifted, Consolidatable: consolidatable },
          pods: fitting(shape.type, shape.zone, pods).map((each, index) => pod(`p${at}-${index}`, each)),
          more: { deleting },
        }),
      ),
      {
        pools: [
          aDisruptedPool('one', { budgets: budgets[0], policy }),
          aDisruptedPool('two', { budgets: budgets[1] }),
        ],
        pending: pending
          .filter(({ owner }) => owner !== 'DaemonSet')
          .map((each, index) => pod(`waits-${index}`, each)),
        budgets: [aPdb('held', 'held', heldAllowed)],
      },
    );
    return { input, options: { spotToSpot } };
  });

/** Pods that could run there. */
function fitting<T extends { milli: number; zone: string | undefined }>(
  type: string,
  zone: string,
  pods: T[],
): T[] {
  let free = cpuOf(TYPES.find(({ name }) => name === type)!);
  return pods.filter((pod) => {
    if (pod.milli > free || (pod.zone !== undefined && pod.zone !== zone)) return false;
    free -= pod.milli;
    return true;
  });
}

/** In milli-cores. */
export function cpuOf({ capacity }: InstanceType): number {
  return Number(capacity['cpu']) * 1000;
}
