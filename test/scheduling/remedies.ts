/**
 * The remedy for each refusal: change the one thing that it names, by the facts that it gives. A refusal is
 * correct if the obstacle disappears. One remedy per code; `undefined` when the facts are not sufficient.
 */

import type { Taint } from '@chandler/kube';
import { parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../../packages/chandler/src/api/index.ts';
import type {
  ExistingNode,
  InstanceType,
  Pod,
  PodProblem,
  PodRefusal,
  PodSpec,
  PoolInput,
  Refusal,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';

import { podKey } from './builders.ts';

export type Obstacle = Refusal | PodProblem;

/** Where an obstacle was met: in a pool, or on a node. */
export interface Place {
  readonly pool?: string;
  readonly node?: string;
}

/** The input with the cause of the obstacle taken away, for these pods. */
export function remedy(
  input: SchedulingInput,
  pods: readonly string[],
  obstacle: Obstacle,
  place: Place,
): SchedulingInput | undefined {
  const ill: Patient = { input, pods, place };
  switch (obstacle.code) {
    case 'TaintNotTolerated':
      return changePods(ill, (spec) => withToleration(spec, obstacle.taint));
    case 'LabelUndefined':
      return changePods(ill, (spec) => withoutKey(spec, obstacle.key));
    case 'RequirementIncompatible':
      return obstacle.source === 'pod'
        ? changePods(ill, (spec) => withoutKey(spec, obstacle.key))
        : withoutVolumes(ill);
    case 'ResourceInsufficient':
      // The missing amount refers to the largest of the group; smaller ones lack more.
      return giveMore(ill, obstacle.resource, obstacle.requested);
    case 'HostPortTaken':
      return changePods(ill, (spec) => withoutPort(spec, obstacle.port));
    case 'MinValuesUnmet':
      return changePool(ill, (pool) => lowerMinValues(pool, obstacle.key, obstacle.found));
    case 'LimitExceeded':
      return changePool(ill, (pool) => raiseLimit(pool, obstacle));
    case 'TopologyUnsatisfiable':
      return withoutTopology(ill, obstacle.kind, obstacle.key);
    case 'VolumeLimit':
    case 'VolumeClaimMissing':
    case 'StorageClassMissing':
    case 'VolumeMissing':
      return withoutVolumes(ill);
    case 'ResourceClaims':
      return changePods(ill, ({ resourceClaims: _, ...spec }) => spec);
    case 'ReservedOnly':
      return { ...input, options: { ...input.options, reservedMode: 'fallback' } };
    case 'NoOffering':
      return changeTypes(ill, (type) => ({
        ...type,
        offerings: type.offerings.map((offering) => ({ ...offering, available: true })),
      }));
    default:
      return undefined;
  }
}

/** Every obstacle of a refusal, with its place, in order. */
export function* obstaclesOf(refusal: PodRefusal): Generator<{ obstacle: Obstacle; place: Place }> {
  if (refusal.problem) yield { obstacle: refusal.problem, place: {} };
  for (const pool of refusal.pools) {
    yield { obstacle: pool.refusal, place: { pool: pool.nodePool } };
    for (const group of pool.types) yield { obstacle: group.refusal, place: { pool: pool.nodePool } };
  }
  for (const group of refusal.nodes) {
    for (const node of group.examples) yield { obstacle: group.refusal, place: { node } };
  }
}

/** The part of an obstacle that names what is in the way. */
export function nameOf(obstacle: Obstacle): string {
  const facts = obstacle as {
    key?: string;
    resource?: string;
    taint?: Taint;
    port?: number;
    kind?: string;
    source?: string;
  };
  const { key, resource, taint, port, kind, source } = facts;
  return JSON.stringify([obstacle.code, key, resource, taint, port, kind, source]);
}

// ---------------------------------------------------------------------------------------------------

interface Patient {
  readonly input: SchedulingInput;
  readonly pods: readonly string[];
  readonly place: Place;
}

function changePods({ input, pods }: Patient, change: (spec: PodSpec) => PodSpec): SchedulingInput {
  const changed = (pod: Pod) => (pods.includes(podKey(pod)) ? { ...pod, spec: change(pod.spec) } : pod);
  return { ...input, pods: input.pods.map(changed) };
}

function changePool({ input, place }: Patient, change: (pool: PoolInput) => PoolInput): SchedulingInput {
  const isMeant = (pool: PoolInput) => place.pool === undefined || pool.nodePool.metadata.name === place.pool;
  return { ...input, pools: input.pools.map((pool) => (isMeant(pool) ? change(pool) : pool)) };
}

function changeTypes(patient: Patient, change: (type: InstanceType) => InstanceType): SchedulingInput {
  return changePool(patient, (pool) => ({
    ...pool,
    instanceTypes:
      typeof pool.instanceTypes === 'string' ? pool.instanceTypes : pool.instanceTypes.map(change),
  }));
}

function withToleration(spec: PodSpec, { key, value, effect }: Taint): PodSpec {
  const toleration = { key, operator: 'Equal', ...(value ? { value } : {}), effect };
  return { ...spec, tolerations: [...(spec.tolerations ?? []), toleration] };
}

/** The pod no longer asks for the label, whether it must or would like to. */
function withoutKey(spec: PodSpec, key: string): PodSpec {
  const nodeSelector = Object.fromEntries(
    Object.entries(spec.nodeSelector ?? {}).filter(([name]) => name !== key),
  );
  const { nodeAffinity, ...affinity } = spec.affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const kept = terms
    .map((term) => ({ matchExpressions: (term.matchExpressions ?? []).filter((other) => other.key !== key) }))
    .filter((term) => term.matchExpressions.length > 0);
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: kept } };
  const spreads = spec.topologySpreadConstraints?.filter((constraint) => constraint.topologyKey !== key);
  return {
    ...spec,
    nodeSelector,
    affinity:
      kept.length > 0 && kept.length === terms.length ? { ...affinity, nodeAffinity: required } : affinity,
    ...(spreads ? { topologySpreadConstraints: spreads } : {}),
  };
}

function withoutPort(spec: PodSpec, port: number): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) => ({
      ...container,
      ports: (container.ports ?? []).filter(({ hostPort }) => hostPort !== port),
    })),
  };
}

function withoutVolumes(patient: Patient): SchedulingInput {
  return changePods(patient, ({ volumes: _, ...spec }) => spec);
}

function withoutTopology(patient: Patient, kind: string, key: string): SchedulingInput {
  if (kind === 'pod anti-affinity of another pod') {
    const { input } = patient;
    const calm = (pod: Pod) => ({ ...pod, spec: withoutTerms(pod.spec, 'podAntiAffinity', key) });
    return { ...input, pods: input.pods.map(calm), boundPods: (input.boundPods ?? []).map(calm) };
  }
  if (kind === 'topology spread') {
    return changePods(patient, (spec) => ({
      ...spec,
      topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).filter((c) => c.topologyKey !== key),
    }));
  }
  const field = kind === 'pod affinity' ? 'podAffinity' : 'podAntiAffinity';
  return changePods(patient, (spec) => withoutTerms(spec, field, key));
}

function withoutTerms(spec: PodSpec, field: 'podAffinity' | 'podAntiAffinity', key: string): PodSpec {
  const terms = spec.affinity?.[field]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const kept = terms.filter(({ topologyKey }) => topologyKey !== key);
  const { [field]: _, ...affinity } = spec.affinity ?? {};
  if (kept.length === 0) return { ...spec, affinity };
  return {
    ...spec,
    affinity: { ...affinity, [field]: { requiredDuringSchedulingIgnoredDuringExecution: kept } },
  };
}

/** So much is added to the node, or to every type of the pool. */
function giveMore(patient: Patient, resource: string, added: string): SchedulingInput {
  const more = (list: ResourceList): ResourceList => ({
    ...list,
    [resource]: sum(String(list[resource] ?? 0), added),
  });
  const { node } = patient.place;
  if (node !== undefined) {
    const grow = (n: ExistingNode) => (n.name === node ? { ...n, allocatable: more(n.allocatable) } : n);
    return { ...patient.input, nodes: (patient.input.nodes ?? []).map(grow) };
  }
  return changeTypes(patient, (type) => ({
    ...type,
    capacity: more(type.capacity),
    offerings: type.offerings.map((offering) =>
      offering.capacityOverride?.[resource] === undefined
        ? offering
        : { ...offering, capacityOverride: more(offering.capacityOverride) },
    ),
  }));
}

function sum(left: string, right: string): string {
  return parseQuantity(left).add(parseQuantity(right)).toString();
}

function lowerMinValues(pool: PoolInput, key: string, found: number): PoolInput {
  return changeSpec(pool, (spec) => {
    const requirements = spec.template.spec.requirements.map(({ minValues, ...rest }) =>
      rest.key === key && found > 0
        ? { ...rest, minValues: found }
        : rest.key === key
          ? rest
          : { ...rest, ...(minValues === undefined ? {} : { minValues }) },
    );
    return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, requirements } } };
  });
}

function raiseLimit(pool: PoolInput, refusal: Extract<Refusal, { code: 'LimitExceeded' }>): PoolInput {
  return changeSpec(pool, (spec) => ({
    ...spec,
    limits: { ...spec.limits, [refusal.resource]: sum(refusal.limit, refusal.needed) },
  }));
}

function changeSpec(
  pool: PoolInput,
  change: (spec: PoolInput['nodePool']['spec']) => PoolInput['nodePool']['spec'],
): PoolInput {
  return { ...pool, nodePool: { ...pool.nodePool, spec: change(pool.nodePool.spec) } };
}
