/**
 * Finds pods that were refused although a node was possible. Only checked where the answer does not depend on
 * other pods: pods without hard spread or affinity, pools without limits and minValues, no reserved capacity.
 * There, refusing a pod that fits is a bug of the engine.
 */
import { matchesNodeAffinity, untolerated } from '@chandler/apiserver/testing';
import type {
  LabelRequirement,
  Plan,
  Pod,
  PoolInput,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { asStandin, checkCapacity, daemonsOn, daemonsOnAny, fitsWith } from './check-capacity.ts';
import { finalNodes } from './check-plan.ts';
import { checkTopology } from './check-topology.ts';
import { checkVolumes } from './check-volumes.ts';
import { admits, allocatableOf, type Choice, type FinalNode, typesOf } from './final-nodes.ts';
import { CAPACITY_TYPE, HOST, POOL, TYPE, ZONE } from './shorthand.ts';

/** One line for each refused pod with a place it could have had. */
export function missedPlaces(input: SchedulingInput, plan: Plan): string[] {
  // With strict mode, pods wait for reserved capacity.
  if (input.options?.reservedMode === 'strict') return [];
  // A claim whose zone is open takes all of its zones from those that keep away from its pods.
  if (input.pods.some(keepsOutOfDomains)) return [];
  const refused = new Set(plan.refusals.flatMap(({ pods }) => pods));
  const nodes = finalNodes(input, plan);
  return input.pods
    .filter((pod) => refused.has(podKey(pod)) && standsAlone(pod))
    .flatMap((pod) => placeFor(input, pod, nodes) ?? []);
}

// ---------------------------------------------------------------------------------------------------

function standsAlone({ spec }: Pod): boolean {
  const hard = (spec.topologySpreadConstraints ?? []).some((c) => c.whenUnsatisfiable !== 'ScheduleAnyway');
  const affinity = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return !hard && affinity.length === 0 && (spec.resourceClaims ?? []).length === 0;
}

function keepsOutOfDomains({ spec }: Pod): boolean {
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(({ topologyKey }) => topologyKey !== HOST);
}

function placeFor(input: SchedulingInput, pod: Pod, nodes: readonly FinalNode[]): string | undefined {
  for (const node of nodes) {
    // A soft taint of a node is accepted only where some pool has one; nodes that are full of attached volumes refuse all.
    if (!node.existing || node.taints.some(({ effect }) => effect === 'PreferNoSchedule')) continue;
    if (input.volumes?.csiNodes) continue;
    // Whether a port is reserved for a daemon that is not running yet is not specified.
    if ((input.daemonSets ?? []).length > 0 && JSON.stringify(pod.spec).includes('hostPort')) continue;
    if (takes(input, pod, node, nodes)) return `${podKey(pod)} fits on ${node.name}`;
  }
  for (const pool of input.pools.filter(isPlain)) {
    for (const choice of choicesIn(input, pool)) {
      const fresh = freshNode(pool, choice);
      if (mentionsOpenKey(pod, pool) || mayMeetDaemonPort(input, pod)) continue;
      if (takes(input, pod, fresh, nodes, daemonsOnAny(input, freshNodes(pool, choice.type)))) {
        return `${podKey(pod)} fits on a new ${choice.type.name} of ${fresh.labels[POOL]}: ${JSON.stringify(choice.offering)}`;
      }
    }
  }
  return undefined;
}

/** As upstream, daemons are reckoned by type: one that runs on spot alone has its ports on demand too. */
function mayMeetDaemonPort({ daemonSets = [] }: SchedulingInput, pod: Pod): boolean {
  const daemons = JSON.stringify(daemonSets);
  const picky = daemons.includes(CAPACITY_TYPE) || daemons.includes(ZONE);
  return picky && daemons.includes('hostPort') && JSON.stringify(pod.spec).includes('hostPort');
}

function isPlain({ nodePool }: PoolInput): boolean {
  const { limits = {}, template } = nodePool.spec;
  const required: readonly LabelRequirement[] = template.spec.requirements;
  return Object.keys(limits).length === 0 && required.every(({ minValues }) => minValues === undefined);
}

function choicesIn(input: SchedulingInput, pool: PoolInput): Choice[] {
  return typesOf(input, pool)
    .flatMap((type) => type.offerings.map((offering) => ({ type, offering })))
    .filter(({ offering }) => offering.available !== false && !offering.reservation)
    .filter((choice) => isAllowed(pool, freshNode(pool, choice)));
}

/** With each offering that the pool allows, available or not. */
function freshNodes(pool: PoolInput, type: Choice['type']): FinalNode[] {
  return type.offerings
    .map((offering) => freshNode(pool, { type, offering }))
    .filter((node) => isAllowed(pool, node));
}

function isAllowed({ nodePool }: PoolInput, { labels }: FinalNode): boolean {
  const required: readonly LabelRequirement[] = nodePool.spec.template.spec.requirements;
  return required.every(
    (requirement) => labels[requirement.key] === undefined || admits(requirement, labels[requirement.key]),
  );
}

function freshNode({ nodePool }: PoolInput, { type, offering }: Choice): FinalNode {
  const { metadata, spec } = nodePool.spec.template;
  const required: readonly LabelRequirement[] = spec.requirements;
  const labels: Record<string, string> = {
    ...metadata?.labels,
    [POOL]: nodePool.metadata.name!,
    [TYPE]: type.name,
    [HOST]: 'fresh',
  };
  for (const { key, operator, values = [] } of [
    ...required,
    ...type.requirements,
    ...offering.requirements,
  ]) {
    if (operator === 'In' && values.length === 1) labels[key] = values[0]!;
  }
  return {
    name: 'fresh',
    labels,
    taints: spec.taints ?? [],
    allocatable: allocatableOf({ type, offering }),
    bound: [],
    placed: [],
    existing: undefined,
    claim: undefined,
    choice: { type, offering },
  };
}

/** A label with several values in the pool is not known in advance. */
function mentionsOpenKey(pod: Pod, { nodePool }: PoolInput): boolean {
  const required: readonly LabelRequirement[] = nodePool.spec.template.spec.requirements;
  const text = JSON.stringify([pod.spec.nodeSelector, pod.spec.affinity]);
  return required.some(
    ({ key, operator, values = [] }) => (operator !== 'In' || values.length > 1) && text.includes(`"${key}"`),
  );
}

function takes(
  input: SchedulingInput,
  pod: Pod,
  node: FinalNode,
  nodes: readonly FinalNode[],
  daemons = daemonsOn(input, node),
): boolean {
  if (untolerated(node.taints, pod.spec.tolerations) || !matchesNodeAffinity(asStandin(pod), node))
    return false;
  const filled: FinalNode = { ...node, placed: [...node.placed, pod] };
  if (fitsWith(filled, daemons) !== undefined) return false;
  const others = [...nodes.filter(({ name }) => name !== node.name), filled];
  const complaints = [
    ...checkCapacity(input, [filled]),
    ...checkVolumes(input, [filled]),
    ...checkTopology(input, others),
  ];
  return complaints.every(
    ({ rule, subject, detail }) =>
      !(subject === podKey(pod) || rule === 'volumes' || detail.includes(podKey(pod))),
  );
}
