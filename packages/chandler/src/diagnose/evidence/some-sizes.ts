/**
 * A plan is made with some sizes of the catalogue first, which is much faster than with all of them: which sizes must be
 * among them, and when further sizes could change its answer.
 */
import { KarpenterLabel, KubernetesLabel, normalizeLabel } from '../../api/index.ts';
import type { SomeSizes } from '../../cloud/index.ts';

import { requiredLabels } from './may-take.ts';
import type { Planner } from './planner.ts';
import type { PodShape, PoolShape } from './shapes.ts';

/** Every size that the pod or a NodePool names. */
export function sizesFor(pod: PodShape, pools: readonly PoolShape[], { sizeLabels }: Planner): SomeSizes {
  const isOfSizes = ({ key }: { readonly key: string }) => sizeLabels.includes(normalizeLabel(key));
  const ofPod = requiredLabels(pod).flat().filter(isOfSizes);
  const ofPools = pools.flatMap(requirementsOf).filter(isOfSizes);
  return { named: new Set([...ofPod, ...ofPools].flatMap(({ values = [] }) => values)) };
}

/** Obstacles that no further size would change. */
export const WHATEVER_THE_SIZE: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  // Unless the largest types of a family are excluded.
  'ResourceInsufficient',
  'ResourceUnknown',
  'VolumeElsewhere',
  'StorageClassElsewhere',
]);

/**
 * The NodePool and the pod take whole families of sizes, or sizes that they name: of these the largest is known. Cores and
 * other numbers exclude a part of a family, and so do sizes that are excluded by name.
 */
export function takesWholeFamilies(pool: PoolShape, pod: PodShape, planner: Planner): boolean {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const all: readonly Requirement[] = [
    ...requirementsOf(pool),
    ...Object.keys(pod.spec.nodeSelector ?? {}).map((key) => ({ key })),
    ...(required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions),
  ];
  const { wellKnown } = planner.labelRules;
  return all.every(({ key: name, operator }) => {
    const key = normalizeLabel(name);
    if (!wellKnown.has(key) || OF_EVERY_SIZE.has(key)) return true;
    return planner.sizeLabels.includes(key) && operator !== 'NotIn' && operator !== 'DoesNotExist';
  });
}

// ---------------------------------------------------------------------------------------------------

/** Labels that sizes of one family do not differ in. */
const OF_EVERY_SIZE: ReadonlySet<string> = new Set([
  KubernetesLabel.arch,
  KubernetesLabel.os,
  KubernetesLabel.windowsBuild,
  KubernetesLabel.zone,
  KubernetesLabel.region,
  KarpenterLabel.nodePool,
  KarpenterLabel.capacityType,
]);

interface Requirement {
  readonly key: string;
  /** Absent: one value. */
  readonly operator?: string;
  readonly values?: readonly string[];
}

function requirementsOf({ spec }: PoolShape): readonly Requirement[] {
  const { metadata, spec: template } = spec.template;
  const labels = Object.entries(metadata?.labels ?? {}).map(([key, value]) => ({ key, values: [value] }));
  return [...(template.requirements ?? []), ...labels];
}
