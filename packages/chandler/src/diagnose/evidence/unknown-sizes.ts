/**
 * Whether NodePools or a pod require sizes that the catalogue does not have. The cloud may have them, so that a plan which
 * refuses the pod says nothing about it.
 */
import { KubernetesLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';
import type { InstanceType, LabelRequirement } from '../../scheduling/index.ts';
import { closestName } from '../../settings/index.ts';

import type { Planner } from './planner.ts';
import type { PodShape, PoolShape } from './shapes.ts';

/** @param refusals of the plan. */
export async function dependsOnUnknownSizes(
  planner: Planner,
  pod: PodShape,
  pools: readonly PoolShape[],
  refusals: readonly RefusalFact[],
): Promise<boolean> {
  if (refusals.every(({ nodePool }) => nodePool === undefined)) return false;
  const sizeLabels = new Set(planner.sizeLabels);
  const aboutSizes = (all: readonly LabelRequirement[]) => all.filter(({ key }) => sizeLabels.has(key));
  const namedBy = (key: string, name: string | undefined) =>
    pools.some(
      (pool) => pool.metadata.name === name && requirementsOf(pool).some((each) => each.key === key),
    );
  // The pod and the NodePool were compared, and no size was.
  const isDecided = refusals.every(({ code, facts: { key = '' }, nodePool }) =>
    code === 'RequirementIncompatible'
      ? !sizeLabels.has(key) || namedBy(key, nodePool)
      : code === 'TaintNotTolerated' || code === 'LabelUndefined',
  );
  const ofPod = isDecided ? [] : termsOf(pod).map(aboutSizes);
  for (const pool of pools) {
    const wanted = [aboutSizes(requirementsOf(pool)), ...ofPod].filter(({ length }) => length > 0);
    if (wanted.length === 0) continue;
    // Whatever the node class excludes, the catalogue has it.
    const types = await planner.instanceTypes(pool, undefined, 'all');
    if (types === undefined || wanted.some((requirements) => isUnknown(requirements, types))) return true;
  }
  return false;
}

/**
 * NodePools that allow only sizes which the catalogue does not have, have never launched a node, and of which a known size
 * has nearly the name. `mayExist`: a size of this family may be newer than the catalogue.
 */
export async function unknownSizeFacts(
  planner: Planner,
  pools: readonly PoolShape[],
): Promise<readonly RefusalFact[]> {
  const found: RefusalFact[] = [];
  for (const pool of pools) {
    const named = requirementsOf(pool).find(
      ({ key, operator }) => key === KubernetesLabel.instanceType && operator === 'In',
    );
    const types = await planner.instanceTypes(pool, undefined, 'all');
    if (named === undefined || types === undefined || Number(pool.status?.resources?.['nodes'] ?? 0) > 0)
      continue;
    const known = types.map(({ name }) => name);
    const values = named.values ?? [];
    const guesses = values.map((value) => closestName(value, known));
    const [similar] = guesses;
    if (values.some((value) => known.includes(value)) || similar === undefined) continue;
    const sizes = values.join(', ');
    const mayExist = values.some((value) => isPlausible(value, known));
    const doubt = mayExist ? ' (the cloud may have it)' : '';
    found.push({
      code: 'SizeUnknown',
      facts: { sizes, similar, mayExist: String(mayExist) },
      text: `it allows only ${sizes}, which the catalogue does not have${doubt}; the nearest name is ${similar}`,
      nodePool: pool.metadata.name,
    });
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------

/** Some known size begins with the same family, and ends with the same generation or class: `Standard_E… …_v5`. */
function isPlausible(name: string, known: readonly string[]): boolean {
  const familyOf = (size: string) => /^\D*/.exec(size)![0].toLowerCase();
  const endOf = (size: string) => /[^_.]*$/.exec(size)![0].toLowerCase();
  return (
    known.some((size) => familyOf(size) === familyOf(name)) &&
    known.some((size) => endOf(size) === endOf(name))
  );
}

function requirementsOf({ spec }: PoolShape): readonly LabelRequirement[] {
  const { metadata, spec: template } = spec.template;
  return [...(template.requirements ?? []), ...fromLabels(metadata?.labels ?? {})];
}

/** One list for each alternative of its node affinity. */
function termsOf({ spec }: PodShape): readonly (readonly LabelRequirement[])[] {
  const selected = fromLabels(spec.nodeSelector ?? {});
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  return terms.length === 0
    ? [selected]
    : terms.map(({ matchExpressions = [] }) => [...selected, ...matchExpressions]);
}

function fromLabels(labels: Readonly<Record<string, string>>): readonly LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
}

/** Some value is not in the catalogue, or no size of it meets all of them and no size is named. */
function isUnknown(wanted: readonly LabelRequirement[], types: readonly InstanceType[]): boolean {
  const isMissing = ({ key, operator, values = [] }: LabelRequirement) =>
    operator === 'In' && values.some((value) => !types.some((type) => valuesOf(type, key).includes(value)));
  if (wanted.some(isMissing)) return true;
  const namesSizes = wanted.some(
    ({ key, operator }) => key === KubernetesLabel.instanceType && operator === 'In',
  );
  return !namesSizes && !types.some((type) => wanted.every((requirement) => meets(type, requirement)));
}

function valuesOf({ requirements }: InstanceType, wanted: string): readonly string[] {
  return requirements.find(({ key, operator }) => key === wanted && operator === 'In')?.values ?? [];
}

function meets(type: InstanceType, { key, operator, values = [] }: LabelRequirement): boolean {
  const own = valuesOf(type, key);
  const bound = Number(values[0]);
  switch (operator) {
    case 'In':
      return own.some((value) => values.includes(value));
    case 'NotIn':
      return own.length === 0 || own.some((value) => !values.includes(value));
    case 'DoesNotExist':
      return own.length === 0;
    case 'Gt':
      return own.some((value) => Number(value) > bound);
    case 'Gte':
      return own.some((value) => Number(value) >= bound);
    case 'Lt':
      return own.some((value) => Number(value) < bound);
    case 'Lte':
      return own.some((value) => Number(value) <= bound);
    default:
      return own.length > 0;
  }
}
