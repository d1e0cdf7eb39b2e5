/**
 * The first look at the input: objects that lack what every object of their kind has are named and left
 * out, so that the rest of the engine can rely on shapes. What the values mean is judged later.
 */
import type { ExistingNode, InstanceType, Pod, PoolInput, SchedulingInput } from '../model.ts';
import type { InputError } from '../refusal.ts';

export function sift(input: SchedulingInput, errors: InputError[]): SchedulingInput {
  const keep = <T>(
    list: readonly T[] | undefined,
    problemOf: (item: T, index: number) => InputError | undefined,
  ): T[] =>
    (Array.isArray(list) ? list : []).filter((item, index) => {
      const problem = problemOf(item, index);
      if (problem !== undefined) errors.push(problem);
      return problem === undefined;
    });
  const shared = isObject(input.catalogues) ? Object.entries(input.catalogues) : [];
  return {
    ...input,
    pods: keep(input.pods, podProblem),
    pools: keep(input.pools, poolProblem).map((pool) =>
      typeof pool.instanceTypes === 'string' || wellShaped(pool.instanceTypes)
        ? pool
        : { ...pool, instanceTypes: keep(pool.instanceTypes, typeProblem) },
    ),
    catalogues: Object.fromEntries(
      shared.map(([name, types]) => [name, wellShaped(types) ? types : keep(types, typeProblem)]),
    ),
    nodes: keep(input.nodes, nodeProblem),
    boundPods: keep(input.boundPods, podProblem),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function podProblem(pod: Pod, index: number): InputError | undefined {
  if (isObject(pod) && isObject(pod.metadata)) return undefined;
  return { object: `Pod/${index}`, field: 'metadata', problem: 'missing' };
}

function poolProblem(pool: PoolInput, index: number): InputError | undefined {
  const nodePool = isObject(pool) ? pool.nodePool : undefined;
  if (!isObject(nodePool) || !isObject(nodePool.metadata)) {
    return { object: `NodePool/${index}`, field: 'metadata', problem: 'missing' };
  }
  if (isObject(nodePool.spec?.template?.spec)) return undefined;
  const name = (nodePool.metadata as { name?: string }).name ?? index;
  return { object: `NodePool/${name}`, field: 'spec.template.spec', problem: 'missing' };
}

function nodeProblem(node: ExistingNode, index: number): InputError | undefined {
  return isObject(node) ? undefined : { object: `Node/${index}`, field: '', problem: 'is no object' };
}

function typeProblem(type: InstanceType, index: number): InputError | undefined {
  if (!isObject(type)) return { object: `InstanceType/${index}`, field: '', problem: 'is no object' };
  const lists = [type.requirements, type.offerings].every(
    (list) => list === undefined || Array.isArray(list),
  );
  const offerings = lists && (type.offerings ?? []).every(isObject);
  if (offerings && isObject(type.capacity)) return undefined;
  const field = lists ? (offerings ? 'capacity' : 'offerings') : 'requirements';
  return {
    object: `InstanceType/${(type as { name?: string }).name ?? index}`,
    field,
    problem: 'has the wrong shape',
  };
}

/** The usual case: the list stays the same object, so that pools keep sharing it. */
function wellShaped(types: readonly InstanceType[]): boolean {
  return Array.isArray(types) && types.every((type, index) => typeProblem(type, index) === undefined);
}
