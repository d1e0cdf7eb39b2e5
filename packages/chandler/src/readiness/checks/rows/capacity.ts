/** Checks that ask the planner: which instance types NodePools can launch, and which pods none of them can hold. */
import { CapacityType, KarpenterLabel } from '../../../api/index.ts';
import { type PodRefusal, poolReasonText, refusalText } from '../../../scheduling/index.ts';
import type { Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { OTHER_NODES } from '../../model/other-nodes.ts';
import { find, itemsAt, textAt, textOf } from '../../model/tree.ts';
import { plainPodSpec, smallPod } from '../../planning/plain-objects.ts';
import { type PlannedPool, type Planning, planningOf } from '../../planning/planning.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, objectOf, pass, requiredValues, seen, skip, warn } from '../judgements.ts';
import { type Workload, workloadsOf } from '../workloads.ts';

const REQUIREMENTS = ['spec', 'template', 'spec', 'requirements'] as const;
/** With fewer, a shortage of one type is felt. */
const FEW_TYPES = 5;
/** Spot nodes are replaced by cheaper spot nodes only if there are as many types to choose from. */
const SPOT_TO_SPOT_TYPES = 15;
/** Labels that name instance types: a value that is newer than the catalogue is not wrong. */
const NAMING_LABELS = ['node.kubernetes.io/instance-type', 'karpenter.k8s.aws/instance-family'];

export const CAPACITY_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-15',
    title: 'NodePools do not overlap, or have weights',
    inputs: ['nodePools'],
    criterion:
      'Warns if two NodePools of the same weight can launch the same nodes for the same pods: requirements, labels and taints do not tell them apart.',
    severity: 'medium',
    phase: 4,
    fix: 'Give the NodePools different weights, or requirements that exclude each other.',
    docs: DOCS.nodePools,
    judge: overlaps,
  },
  {
    id: 'K-24',
    title: 'Instance types meet the requirements of NodePools',
    inputs: ['nodePools'],
    criterion: `Asks the planner with the built-in catalogue. Fails if no instance type meets the requirements of a NodePool; warns if fewer than ${FEW_TYPES} do, fewer than ${SPOT_TO_SPOT_TYPES} with spotToSpotConsolidation, or the catalogue does not know the types that are named.`,
    severity: 'critical',
    phase: 4,
    fix: 'Allow more instance families, sizes, zones or capacity types.',
    docs: DOCS.nodePools,
    judge: instanceTypes,
  },
  {
    id: 'K-26',
    title: 'minValues can be met',
    inputs: ['nodePools'],
    criterion:
      'Asks the planner with the built-in catalogue. Fails if a requirement of a NodePool has fewer different values than its minValues; warns with the policy BestEffort.',
    severity: 'high',
    phase: 4,
    fix: 'Lower minValues, or allow more values.',
    docs: DOCS.nodePools,
    judge: minValues,
  },
  {
    id: 'K-60',
    title: 'NodePools can hold the pods of workloads',
    inputs: ['nodePools', 'workloads'],
    criterion:
      'Asks the planner whether a NodePool can launch a node for a pod of each workload. Fails if none can and the workload asks for nodes of Karpenter; warns if other nodes may be meant.',
    severity: 'high',
    phase: 4,
    fix: 'Align node selectors, tolerations and requests of the workload with a NodePool.',
    docs: DOCS.nodePools,
    judge: (context) => each(groupsOf(context), (group) => held(group, context)),
  },
  {
    id: 'K-61',
    title: 'NodePools have the domains over which pods are spread',
    inputs: ['nodePools', 'workloads'],
    criterion:
      'Asks the planner to place the replicas of each workload with topologySpreadConstraints. Warns if some are unschedulable because no NodePool has the zones or other domains.',
    severity: 'high',
    phase: 4,
    fix: 'Allow the missing domains in a NodePool, or limit the pods to those that it has.',
    docs: DOCS.troubleshooting,
    judge: (context) => each(groupsOf(context), (group) => spread(group, context)),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function instanceTypes({ inputs, facts }: CheckContext): readonly Judgement[] {
  const planning = planningOf(inputs, facts);
  const toSpot = inputs.releases.some(
    ({ values }) => textAt(values, 'settings', 'featureGates', 'spotToSpotConsolidation') === 'true',
  );
  return [
    ...notKnown(planning),
    ...each(planning.pools, (pool) => {
      const object = objectOf(pool.manifest);
      const evidence = [seen(pool.manifest, ...REQUIREMENTS)];
      if (requiredValues(pool.manifest, KarpenterLabel.capacityType)?.join() === CapacityType.reserved)
        return skip('Which reservations there are is not in the files.', ['cloud'], evidence, { object });
      const found = planning.typesOf(pool, { minValuesPolicy: 'BestEffort' });
      const where = `of ${planning.region}`;
      if (typeof found !== 'number') {
        const unknown = unknownTypes(pool.manifest, planning);
        if (unknown.length > 0)
          return warn(
            `The catalogue of ${planning.asOf} does not know ${unknown.join(', ')} ${where}.`,
            evidence,
            { object },
          );
        const [reason] = found.map(refusalText);
        return fail(`No instance type ${where} meets its requirements: ${reason ?? 'none fits'}.`, evidence, {
          object,
        });
      }
      if (found < FEW_TYPES)
        return warn(`Only ${countText(found)} ${where} can be launched.`, evidence, { object });
      return toSpot && launchesSpot(pool) && found < SPOT_TO_SPOT_TYPES
        ? warn(`Spot nodes are not replaced by cheaper ones: ${countText(found)} are too few.`, evidence, {
            object,
          })
        : pass(`${countText(found)} ${where} can be launched.`, evidence, { object });
    }),
  ];
}

function minValues({ inputs, facts }: CheckContext): readonly Judgement[] {
  const planning = planningOf(inputs, facts);
  const isLenient = inputs.releases.some(
    ({ values }) => textAt(values, 'settings', 'minValuesPolicy') === 'BestEffort',
  );
  return each(planning.pools, (pool) => {
    const evidence = itemsAt(pool.manifest.tree, ...REQUIREMENTS).flatMap((item, index) =>
      find(item, 'minValues') === undefined ? [] : [seen(pool.manifest, ...REQUIREMENTS, index, 'minValues')],
    );
    if (evidence.length === 0) return undefined;
    const object = objectOf(pool.manifest);
    const found = planning.typesOf(pool, { minValuesPolicy: 'Strict' });
    if (typeof found === 'number') return pass('There are enough values.', evidence, { object });
    const unmet = found.find((refusal) => refusal.code === 'MinValuesUnmet');
    if (unmet === undefined) return undefined;
    const message = `${unmet.key} has ${unmet.found} values, and minValues asks for ${unmet.wanted}.`;
    return isLenient ? warn(message, evidence, { object }) : fail(message, evidence, { object });
  });
}

/** In both directions: a taint of one of them tells them apart. */
function overlaps({ inputs, facts }: CheckContext): readonly Judgement[] {
  const planning = planningOf(inputs, facts);
  const { pools } = planning;
  if (pools.length < 2) return [];
  const fits = (from: PlannedPool, to: PlannedPool) => planning.refusals([podOf(from)], [to]).length === 0;
  const found = pools.flatMap((one, index) =>
    pools
      .slice(index + 1)
      .filter((other) => weightOf(one) === weightOf(other) && fits(one, other) && fits(other, one))
      .map((other) =>
        warn(
          `${objectOf(other.manifest)} can launch the same nodes for the same pods, and has the same weight.`,
          [seen(one.manifest, ...REQUIREMENTS), seen(other.manifest, ...REQUIREMENTS)],
          { object: objectOf(one.manifest) },
        ),
      ),
  );
  return found.length > 0
    ? found
    : [
        pass(
          'No two NodePools of the same weight overlap.',
          pools.map(({ manifest }) => seen(manifest, ...REQUIREMENTS)),
        ),
      ];
}

/** A pod that asks for all that a pool requires, and tolerates its taints and no others. */
function podOf({ input }: PlannedPool) {
  const { spec, metadata } = input.nodePool.spec.template;
  const matchExpressions = spec.requirements.map(({ key, operator, values }) => ({
    key,
    operator,
    values: [...(values ?? [])],
  }));
  return smallPod('probe', {
    nodeSelector: { ...metadata?.labels },
    tolerations: (spec.taints ?? []).map(({ key }) => ({ key, operator: 'Exists' })),
    ...(matchExpressions.length === 0
      ? {}
      : {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
            },
          },
        }),
  });
}

function weightOf({ input }: PlannedPool): number {
  return input.nodePool.spec.weight ?? 0;
}

/** Workloads whose pods the planner cannot tell apart. */
interface Group {
  readonly workloads: readonly Workload[];
  readonly spec: NonNullable<ReturnType<typeof plainPodSpec>>;
}

/** DaemonSets run where nodes are; what is bound to other groups of nodes is not about NodePools. */
function groupsOf({ inputs }: CheckContext): readonly Group[] {
  const own = workloadsOf(inputs).flatMap((workload) => {
    const { manifest, template } = workload;
    const spec = manifest.kind === 'DaemonSet' ? undefined : plainPodSpec(manifest.tree, template);
    return spec === undefined || choosesOthers(spec) ? [] : [{ workload, spec }];
  });
  const key = ({ spec, workload }: (typeof own)[number]) =>
    JSON.stringify([
      { ...spec, containers: spec.containers?.map(({ resources }) => resources) },
      // Pods that are spread count those of their own labels.
      spec.topologySpreadConstraints === undefined ? [] : [workload.labels, replicasOf(workload)],
    ]);
  return [...Map.groupBy(own, key).values()].map((group) => ({
    workloads: group.map(({ workload }) => workload),
    spec: group[0]!.spec,
  }));
}

function choosesOthers({ nodeSelector = {}, affinity }: Group['spec']): boolean {
  const keys =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.flatMap(
      ({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key),
    );
  return [...Object.keys(nodeSelector), ...(keys ?? [])].some((each) => OTHER_NODES.test(each));
}

function held({ workloads, spec }: Group, { inputs, facts }: CheckContext): readonly Judgement[] {
  const planning = planningOf(inputs, facts);
  if (planning.pools.length === 0) return notKnown(planning);
  const { topologySpreadConstraints: _, ...alone } = spec;
  const [refusal] = planning.refusals([{ metadata: { name: 'probe', namespace: 'default' }, spec: alone }]);
  if (refusal?.problem !== undefined && refusal.problem !== null) return [];
  const offered = planning.pools.map(({ manifest }) => seen(manifest, 'metadata', 'name'));
  return workloads.map((workload) => {
    const object = objectOf(workload.manifest);
    const evidence = [...placementOf(workload), ...offered];
    if (refusal === undefined) return pass('A NodePool can launch a node for it.', evidence, { object });
    if (planning.unknown.length > 0)
      return skip('A NodePool is not known.', ['plan', 'state'], evidence, { object });
    const message = `No NodePool can launch a node for it: ${reasonsOf(refusal)}.`;
    return asksForOurs(spec, planning)
      ? fail(message, evidence, { object })
      : warn(message, evidence, { object });
  });
}

/** It names a label of Karpenter or of a NodePool, so that other nodes are not meant. */
function asksForOurs({ nodeSelector = {}, affinity }: Group['spec'], { pools }: Planning): boolean {
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const asked = [
    ...Object.keys(nodeSelector),
    ...terms.flatMap(({ matchExpressions = [] }) =>
      matchExpressions.filter(({ operator }) => operator !== 'DoesNotExist').map(({ key }) => key),
    ),
  ];
  const ours = new Set(
    pools.flatMap(({ input }) => {
      const { metadata, spec } = input.nodePool.spec.template;
      return [
        ...Object.keys(metadata?.labels ?? {}),
        ...spec.requirements.map(({ key }) => key).filter((key) => !key.includes('kubernetes.io/')),
      ];
    }),
  );
  return asked.some((key) => /^karpenter\.(sh|k8s\.aws)\//.test(key) || ours.has(key));
}

/** Where a workload says on which nodes it runs. */
function placementOf({ manifest, template }: Workload): readonly Evidence[] {
  const fields = ['nodeSelector', 'affinity', 'tolerations'].filter(
    (field) => find(manifest.tree, ...template, 'spec', field) !== undefined,
  );
  return fields.length === 0
    ? [seen(manifest, 'metadata', 'name')]
    : fields.map((field) => seen(manifest, ...template, 'spec', field));
}

/** Each reason once. */
function reasonsOf({ pools }: PodRefusal): string {
  const reasons = pools.map((pool) => `${pool.nodePool}: ${poolReasonText(pool)}`);
  return `${reasons.slice(0, 3).join('; ')}${reasons.length > 3 ? `; and ${reasons.length - 3} more` : ''}`;
}

/** More would only repeat what the first ones show. */
const MAX_REPLICAS = 12;

function spread({ workloads, spec }: Group, { inputs, facts }: CheckContext): Judgement | undefined {
  const { topologySpreadConstraints = [] } = spec;
  const planning = planningOf(inputs, facts);
  const [first] = workloads;
  if (first === undefined || planning.pools.length === 0) return undefined;
  if (!topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway'))
    return undefined;
  const count = Math.min(replicasOf(first), MAX_REPLICAS);
  const pods = Array.from({ length: count }, (_, index) => ({
    metadata: { name: `${first.manifest.name}-${index}`, namespace: 'default', labels: first.labels },
    spec,
  }));
  const refused = planning.refusals(pods);
  const unspread = refused.find(({ pools, claims }) =>
    [...pools, ...claims].some(({ refusal }) => refusal.code === 'TopologyUnsatisfiable'),
  );
  const object = objectOf(first.manifest);
  const evidence = [
    seen(first.manifest, ...first.template, 'spec', 'topologySpreadConstraints'),
    ...planning.pools.map(({ manifest }) => seen(manifest, ...REQUIREMENTS)),
  ];
  if (refused.length === 0) return pass('All its pods can be placed.', evidence, { object });
  if (unspread === undefined) return undefined;
  if (planning.unknown.length > 0)
    return skip('A NodePool is not known.', ['plan', 'state'], evidence, { object });
  const number = refused.reduce((sum, { pods: own }) => sum + own.length, 0);
  return warn(`${number} of ${count} pods cannot be placed: ${reasonsOf(unspread)}.`, evidence, { object });
}

/** Where nothing says it, some. */
function replicasOf({ manifest }: Workload): number {
  const written = Number(textOf(find(manifest.tree, 'spec', 'replicas')) ?? '3');
  return Number.isInteger(written) ? written : 3;
}

function unknownTypes({ tree }: Manifest, planning: Planning): readonly string[] {
  return itemsAt(tree, ...REQUIREMENTS)
    .filter((item) => NAMING_LABELS.includes(textAt(item, 'key') ?? '') && textAt(item, 'operator') === 'In')
    .flatMap((item) => {
      const values = itemsAt(item, 'values').flatMap((value) => textOf(value) ?? []);
      return values.filter((value) => !planning.knows(textAt(item, 'key')!, value));
    });
}

function launchesSpot({ manifest }: PlannedPool): boolean {
  const found = itemsAt(manifest.tree, ...REQUIREMENTS).find(
    (item) => textAt(item, 'key') === 'karpenter.sh/capacity-type',
  );
  return itemsAt(found, 'values').some((value) => textOf(value) === 'spot');
}

function notKnown({ unknown }: Planning): readonly Judgement[] {
  return unknown.map((manifest) =>
    skip(
      'Its requirements are not known, or the API server rejects them.',
      ['plan', 'state'],
      [seen(manifest, ...REQUIREMENTS)],
      {
        object: objectOf(manifest),
      },
    ),
  );
}

function countText(count: number): string {
  return count === 1 ? '1 instance type' : `${count} instance types`;
}
