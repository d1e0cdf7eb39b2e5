/**
 * Would kube-scheduler agree? The nodes of a plan are given to the playground's scheduler, and the pods are
 * bound one after another, each only when the scheduler accepts it on exactly the planned node. A pod that is
 * not accepted is tried again; a plan is valid if one of a few natural orders binds all pods.
 */
import { amountOf } from '@chandler/apiserver/standins';
import { ClusterSnapshot, type Lookup, refusalOf } from '@chandler/apiserver/testing';
import type { KubeObject } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import type { Pod, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { Chance } from './chance.ts';
import { asStandin, daemonsOn } from './check-capacity.ts';
import { selects } from './check-topology.ts';
import { type FinalNode, isFromDaemonSet, type Labels } from './final-nodes.ts';
import { HOST } from './shorthand.ts';

/** Pods that never got to their nodes, with what kube-scheduler would say; empty when all did. */
export function replay(input: SchedulingInput, nodes: readonly FinalNode[]): string[] {
  const moves = nodes.flatMap((node) => node.placed.map((pod) => ({ pod, node: node.name })));
  const bySize = input.options?.priorityOrder ? byPriority : inQueue;
  let stuck: string[] = [];
  const ways: typeof WAYS = [
    ...WAYS,
    [wantedFirst(input.pods), firstThatCan],
    [inTurn(nodes), firstThatCan],
    [startersFirst(nodes), firstThatCan],
    [(left, right) => bySize(right, left), firstThatCan],
    [groupsFirst(nodes), crowdingLast(nodes)],
  ];
  for (const [order, playOut] of ways) {
    const sorted = [...moves].sort(
      (left, right) => order(left.pod, right.pod) || bySize(left.pod, right.pod),
    );
    const picture = pictureOf(input, nodes);
    const waiting = playOut(sorted, picture);
    stuck = waiting.map((move) => describeMove(move, picture));
    if (stuck.length === 0) return [];
  }
  return byChance(input, nodes, moves) || anyOrder(input, nodes, moves) ? [] : stuck;
}

/** As `replay`, but only in the order of the planners' queue, the largest pods first. */
export function replayInQueueOrder(input: SchedulingInput, nodes: readonly FinalNode[]): string[] {
  const moves = nodes.flatMap((node) => node.placed.map((pod) => ({ pod, node: node.name })));
  const picture = pictureOf(input, nodes);
  const sorted = moves.sort((left, right) => inQueue(left.pod, right.pod));
  return inRounds(sorted, picture).map((move) => describeMove(move, picture));
}

// ---------------------------------------------------------------------------------------------------

const ATTEMPTS = 60;
const MAX_SETS = 4_000;

interface Move {
  readonly pod: Pod;
  readonly node: string;
}

type Order = (left: Pod, right: Pod) => number;

const inQueue: Order = (left, right) =>
  request(right, 'cpu') - request(left, 'cpu') ||
  request(right, 'memory') - request(left, 'memory') ||
  compare(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
  compare(left.metadata.uid, right.metadata.uid);

const byPriority: Order = (left, right) =>
  (right.spec.priority ?? 0) - (left.spec.priority ?? 0) || inQueue(left, right);

/** Pods that are bound by rules about others go before those that merely count. */
const tiedFirst: Order = (left, right) => ties(right) - ties(left);
const tiedToDomainsFirst: Order = (left, right) => Number(ties(right) >= 10) - Number(ties(left) >= 10);
const affinityFirst: Order = (left, right) => affinityCount(right) - affinityCount(left);

/** Those that others want near, then those that want others, then the rest. */
function wantedFirst(pods: readonly Pod[]): Order {
  const terms = pods.flatMap(requiredAffinity);
  const rank = (pod: Pod) => {
    const labels = pod.metadata.labels ?? {};
    if (affinityCount(pod) > 0) return 1;
    return terms.some(({ labelSelector }) => selects(labelSelector, labels)) ? 0 : 2;
  };
  return (left, right) => rank(left) - rank(right);
}

/** A pod that no other in its domain satisfies the affinity of was the first of its group. */
function startersFirst(nodes: readonly FinalNode[]): Order {
  const company = new Map<Pod, number>();
  const there = nodes.flatMap(({ labels, bound, placed }) =>
    [...bound, ...placed].map((pod) => ({ pod, labels })),
  );
  for (const { pod, labels } of there) {
    const counts = requiredAffinity(pod).map(
      ({ topologyKey, labelSelector }) =>
        there.filter(
          (other) =>
            other.pod !== pod &&
            other.labels[topologyKey] === labels[topologyKey] &&
            selects(labelSelector, other.pod.metadata.labels ?? {}),
        ).length,
    );
    company.set(pod, Math.min(...counts));
  }
  return (left, right) => compareCounts(company.get(left)!, company.get(right)!);
}

/**
 * One pod of each domain in which all pods that satisfy a required affinity have that affinity themselves: it can only have come
 * before all others, as the first of its group.
 */
function firstOfGroups(nodes: readonly FinalNode[]): ReadonlySet<Pod> {
  const there = nodes.flatMap(({ labels, bound, placed }) => [
    ...bound.map((pod) => ({ pod, labels, waits: false })),
    ...placed.map((pod) => ({ pod, labels, waits: true })),
  ]);
  const found = new Map<string, Pod>();
  for (const { pod, labels, waits } of there) {
    for (const term of requiredAffinity(pod)) {
      const domain = JSON.stringify([term, labels[term.topologyKey]]);
      const company = there.filter(
        (other) =>
          other.labels[term.topologyKey] === labels[term.topologyKey] &&
          selects(term.labelSelector, other.pod.metadata.labels ?? {}),
      );
      const alike = company.every((other) =>
        requiredAffinity(other.pod).some((own) => JSON.stringify(own) === JSON.stringify(term)),
      );
      if (waits && alike && !found.has(domain)) found.set(domain, pod);
    }
  }
  return new Set(found.values());
}

/** One pod of each group that no other pod can start, then the pods that are bound by rules about domains. */
function groupsFirst(nodes: readonly FinalNode[]): Order {
  const first = firstOfGroups(nodes);
  return (left, right) =>
    Number(first.has(right)) - Number(first.has(left)) || tiedToDomainsFirst(left, right);
}

function compareCounts(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

/** The domains take turns: first one pod of a kind in each, then a second, so that no spread gets out of balance. */
function inTurn(nodes: readonly FinalNode[]): Order {
  const turns = new Map<Pod, number>();
  const taken = new Map<string, number>();
  for (const { labels, placed } of nodes) {
    for (const pod of placed) {
      const keys = (pod.spec.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
      const domain = keys.filter((key) => key !== HOST).map((key) => labels[key]);
      const kind = JSON.stringify([pod.metadata.labels, domain]);
      const turn = taken.get(kind) ?? 0;
      taken.set(kind, turn + 1);
      turns.set(pod, turn);
    }
  }
  return (left, right) => turns.get(left)! - turns.get(right)!;
}

const WAYS: readonly (readonly [Order, typeof inRounds])[] = [
  [() => 0, inRounds],
  [() => 0, firstThatCan],
  [tiedFirst, firstThatCan],
  [tiedToDomainsFirst, firstThatCan],
  [affinityFirst, firstThatCan],
  [(left, right) => tiedFirst(right, left), firstThatCan],
];

/**
 * A few dozen orders at random, those that are bound by rules mostly before the free ones. What is learnt from an order that
 * fails: pods that could not be bound move forward in the next one, and pods that filled up their domain move back.
 */
function byChance(input: SchedulingInput, nodes: readonly FinalNode[], moves: readonly Move[]): boolean {
  const chance = new Chance(moves.length);
  const labelsOf = new Map(nodes.map(({ name, labels }) => [name, labels]));
  const forward = new Map(
    moves.map((move) => [move, Math.min(1, ties(move.pod) + affinityCount(move.pod))] as const),
  );
  const first = firstOfGroups(nodes);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const rank = new Map(
      moves.map((move) => [
        move,
        first.has(move.pod) ? Number.POSITIVE_INFINITY : forward.get(move)! + 1.2 * chance.next(),
      ]),
    );
    const order = [...moves].sort((left, right) => compareCounts(rank.get(right)!, rank.get(left)!));
    const stuck = firstThatCan(order, pictureOf(input, nodes));
    if (stuck.length === 0) return true;
    for (const move of stuck) forward.set(move, forward.get(move)! + chance.next());
    const crowding = moves.filter(
      (move) => !stuck.includes(move) && stuck.some((other) => crowds(move, other, labelsOf)),
    );
    for (const move of crowding) forward.set(move, forward.get(move)! - chance.next());
  }
  return false;
}

/** Whether a pod counts, in the same domain, for a spread of the other. */
function crowds(move: Move, other: Move, labelsOf: ReadonlyMap<string, Labels>): boolean {
  if (move.pod.metadata.namespace !== other.pod.metadata.namespace) return false;
  return (other.pod.spec.topologySpreadConstraints ?? []).some(
    ({ topologyKey, labelSelector, whenUnsatisfiable }) =>
      whenUnsatisfiable !== 'ScheduleAnyway' &&
      labelsOf.get(move.node)![topologyKey] === labelsOf.get(other.node)![topologyKey] &&
      selects(labelSelector, move.pod.metadata.labels ?? {}),
  );
}

/**
 * Most plans never come here. What the scheduler says depends on who is there, not on who came first: so the search goes
 * over sets of pods, each looked at once, those that are bound by rules before the free ones.
 */
function anyOrder(input: SchedulingInput, nodes: readonly FinalNode[], moves: readonly Move[]): boolean {
  const picture = pictureOf(input, nodes);
  const order = [...moves].sort(
    (left, right) => ties(right.pod) + affinityCount(right.pod) - ties(left.pod) - affinityCount(left.pod),
  );
  const seen = new Set<bigint>();
  const search = (there: bigint, left: number): boolean => {
    if (left === 0) return true;
    if (seen.has(there) || seen.size > MAX_SETS) return false;
    seen.add(there);
    return order.some((move, at) => {
      const bit = 1n << BigInt(at);
      if ((there & bit) !== 0n || !bind(move, picture)) return false;
      if (search(there | bit, left - 1)) return true;
      picture.removePod(podKey(move.pod));
      return false;
    });
  };
  return search(0n, order.length);
}

function compare(left = '', right = ''): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function request(pod: Pod, resource: string): number {
  return pod.spec.containers.reduce(
    (sum, { resources }) => sum + amountOf(resource, resources?.requests?.[resource] ?? 0),
    0,
  );
}

/** A domain of many nodes fills up by what others do; a host mostly by what is on it. */
function ties({ spec }: Pod): number {
  const hard = (spec.topologySpreadConstraints ?? []).filter((c) => c.whenUnsatisfiable !== 'ScheduleAnyway');
  return hard.reduce((sum, { topologyKey }) => sum + (topologyKey === HOST ? 1 : 10), 0);
}

function affinityCount(pod: Pod): number {
  return requiredAffinity(pod).length;
}

function requiredAffinity({ spec }: Pod) {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Works like a queue: a pod that cannot be bound yet moves to the end. Returns pods that were never bound. */
function inRounds(moves: readonly Move[], picture: ClusterSnapshot): readonly Move[] {
  let waiting = moves;
  for (;;) {
    const left = waiting.filter((move) => !bind(move, picture));
    if (left.length === 0 || left.length === waiting.length) return left;
    waiting = left;
  }
}

/** After each placed pod, the first waiting pod is tried again. */
function firstThatCan(moves: readonly Move[], picture: ClusterSnapshot): readonly Move[] {
  const waiting = [...moves];
  for (;;) {
    const next = waiting.findIndex((move) => bind(move, picture));
    if (next < 0) return waiting;
    waiting.splice(next, 1);
  }
}

/** As firstThatCan; pods without such rules that count against those that wait come after all others. */
function crowdingLast(nodes: readonly FinalNode[]): typeof inRounds {
  const labelsOf = new Map(nodes.map(({ name, labels }) => [name, labels]));
  return (moves, picture) => {
    const waiting = [...moves];
    const isCrowding = (move: Move) =>
      ties(move.pod) < 10 && waiting.some((other) => other !== move && crowds(move, other, labelsOf));
    for (;;) {
      let next = waiting.findIndex((move) => !isCrowding(move) && bind(move, picture));
      if (next < 0) next = waiting.findIndex((move) => bind(move, picture));
      if (next < 0) return waiting;
      waiting.splice(next, 1);
    }
  };
}

function bind({ pod, node }: Move, picture: ClusterSnapshot): boolean {
  if (refusalOf(asStandin(pod), node, picture)) return false;
  picture.setPod(asStandin(pod), node);
  return true;
}

function describeMove({ pod, node }: Move, picture: ClusterSnapshot): string {
  return `${podKey(pod)} on ${node}: ${refusalOf(asStandin(pod), node, picture)?.reasons.join(', ')}`;
}

function pictureOf(input: SchedulingInput, nodes: readonly FinalNode[]): ClusterSnapshot {
  const picture = new ClusterSnapshot(lookupOf(input, nodes));
  for (const node of nodes) {
    const allocatable = Object.fromEntries(
      [...node.allocatable].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]),
    );
    picture.setNode(
      stored({
        metadata: { name: node.name, labels: { ...node.labels } },
        spec: { taints: node.taints },
        status: { allocatable },
      }),
    );
    for (const pod of node.bound) picture.setPod(asStandin(pod));
    const there = node.bound
      .filter(isFromDaemonSet)
      .flatMap(({ metadata }) => metadata.ownerReferences!.map((o) => o.name));
    for (const daemon of daemonsOn(input, node)) {
      const name = daemon.metadata.name!;
      if (there.some((owner) => name === `${owner}-pod`)) continue;
      const metadata = { ...daemon.metadata, name: `${name}-${node.name}` };
      // On an existing node the daemon is not running yet: its resources are reserved, its ports are not.
      const containers = daemon.spec.containers.map(({ ports = [], ...rest }) =>
        node.existing ? rest : { ports, ...rest },
      );
      picture.setPod(asStandin({ ...daemon, metadata, spec: { ...daemon.spec, containers } }), node.name);
    }
  }
  return picture;
}

function lookupOf(input: SchedulingInput, nodes: readonly FinalNode[]): Lookup {
  const { claims = [], volumes = [], classes = [] } = input.volumes ?? {};
  const named = <T extends KubeObject>(list: readonly T[], wanted: string) => {
    const found = list.find(({ metadata }) => metadata.name === wanted);
    return found && stored({ ...found, metadata: { ...found.metadata, name: wanted } });
  };
  return {
    namespaceLabels: (namespace) =>
      (input.namespaces ?? []).find(({ name }) => name === namespace)?.labels ?? {},
    claim: (namespace, name) => {
      const claim = claims.find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
      );
      if (!claim) return undefined;
      // A claim with a volume is one that was bound.
      const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
      return stored({ ...claim, metadata: { ...claim.metadata, name, namespace, annotations } });
    },
    volume: (name) => named(volumes, name),
    volumes: () => [],
    storageClass: (name) => named(classes, name),
    csiNode: (name) =>
      csiNodeOf(
        input,
        nodes.find((node) => node.name === name),
      ),
    attachedTo: () => [],
  };
}

function csiNodeOf(input: SchedulingInput, node: FinalNode | undefined): ReturnType<Lookup['csiNode']> {
  if (!node) return undefined;
  if (!node.choice) {
    const found = (input.volumes?.csiNodes ?? []).find(({ metadata }) => metadata.name === node.name);
    return found && stored({ ...found, metadata: { ...found.metadata, name: node.name } });
  }
  const type = node.choice.type.name;
  const drivers = Object.entries(input.volumes?.newNodeLimits ?? {}).flatMap(([name, limits]) => {
    const count = limits[type] ?? limits['*'];
    return count === undefined ? [] : [{ name, nodeID: node.name, allocatable: { count } }];
  });
  return stored({ metadata: { name: node.name }, spec: { drivers } });
}
