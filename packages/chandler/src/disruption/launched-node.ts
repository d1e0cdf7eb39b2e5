/**
 * A replacement as a node of the simulated cluster. The node has the labels of
 * the launch that the plan expects, so that spreads count it, and the largest capacity that it may have, so that limits hold
 * whatever is launched. No further pod fits on it: what it will really have room for is not known yet.
 */
import { parseQuantity, Quantity, type ResourceAmounts } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, normalizeLabel } from '../api/index.ts';
import {
  type ExistingNode,
  type InstanceType,
  type LabelRequirement,
  Planner,
  type Pod,
  type PoolInput,
  type PoolObject,
  type SchedulingInput,
} from '../scheduling/index.ts';
import type { Replacement } from './command.ts';

export function launchedNode(
  name: string,
  { nodePool, requirements, instanceTypes, cheapest, claim }: Replacement,
  typeOf: (type: string) => InstanceType | undefined,
  templateLabels: Readonly<Record<string, string>> = {},
): ExistingNode {
  const { instanceType, zone, capacityType } = cheapest;
  const known = instanceTypes.flatMap((type): ResourceAmounts[] => {
    const capacity = typeOf(type)?.capacity;
    return capacity === undefined ? [] : [capacity];
  });
  return {
    name,
    labels: {
      ...singleValues(typeOf(instanceType)?.requirements ?? []),
      ...singleValues(requirements),
      ...(claim?.labels ?? templateLabels),
      [KarpenterLabel.nodePool]: nodePool,
      [KubernetesLabel.hostname]: name,
      ...(instanceType === '' ? {} : { [KubernetesLabel.instanceType]: instanceType }),
      ...(zone === null ? {} : { [KubernetesLabel.zone]: zone }),
      ...(capacityType === null ? {} : { [KarpenterLabel.capacityType]: capacityType }),
    },
    taints: claim?.taints ?? [],
    allocatable: { pods: '0' },
    ...(known.length === 0 ? {} : { capacity: largest(known) }),
    managed: true,
    initialized: false,
  };
}

/** Which of the pods fit on a node that a static NodePool launches from its template, as far as the plan expects it. */
export function podsOfStatic(
  scheduling: SchedulingInput,
  { metadata, spec }: PoolObject,
  { cheapest: { instanceType, zone, capacityType } }: Replacement,
  typeOf: (type: string) => InstanceType | undefined,
  pods: readonly Pod[],
): readonly string[] {
  const type = typeOf(instanceType);
  if (type === undefined || pods.length === 0) return [];
  const { replicas: _, limits: _limits, ...rest } = spec;
  const is = (key: string, value: string | null) =>
    value === null ? [] : [{ key, operator: 'In' as const, values: [value] }];
  const requirements = [
    ...spec.template.spec.requirements,
    ...is(KubernetesLabel.zone, zone),
    ...is(KarpenterLabel.capacityType, capacityType),
  ];
  const template = { ...spec.template, spec: { ...spec.template.spec, requirements } };
  const pool: PoolInput = {
    nodePool: { metadata, spec: { ...rest, template } },
    instanceTypes: [type],
  };
  const { claims } = new Planner().plan({ ...scheduling, pools: [pool], nodes: [], boundPods: [], pods });
  return claims.reduce<readonly string[]>(
    (most, claim) => (claim.pods.length > most.length ? claim.pods : most),
    [],
  );
}

// ---------------------------------------------------------------------------------------------------

function singleValues(requirements: readonly LabelRequirement[]): Record<string, string> {
  return Object.fromEntries(
    requirements.flatMap(({ key, operator, values = [] }) =>
      operator === 'In' && values.length === 1 ? [[normalizeLabel(key), values[0]!]] : [],
    ),
  );
}

function largest(capacities: readonly ResourceAmounts[]): ResourceAmounts {
  const most = new Map<string, Quantity>();
  for (const capacity of capacities)
    for (const [resource, amount] of Object.entries(capacity)) {
      const quantity = parseQuantity(amount);
      if ((most.get(resource) ?? Quantity.zero).compare(quantity) < 0) most.set(resource, quantity);
    }
  return Object.fromEntries([...most].map(([resource, quantity]) => [resource, quantity.toString()]));
}
