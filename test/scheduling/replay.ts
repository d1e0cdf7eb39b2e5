/**
 * Would kube-scheduler agree? The nodes of a plan are put into the playground's stand-in for it, and the pods are bound
 * one after the other, each only when the stand-in takes it on the very node that the plan names. A pod that has to wait
 * is tried again; a plan stands if one of a few natural orders gets all of them there.
 */
import type { KubeObject } from '../../src/api/object.ts';
import { amountOf } from '../../src/playground/standins/resources.ts';
import { refusalOf } from '../../src/playground/standins/scheduler/fits.ts';
import { ClusterPicture, type Lookup } from '../../src/playground/standins/scheduler/picture.ts';
import type { Pod, SchedulingInput } from '../../src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { asStandin, daemonsOn } from './check-capacity.ts';
import { type FinalNode, isFromDaemonSet } from './final-nodes.ts';

/** Pods that never got to their nodes, with what kube-scheduler would say; empty when all did. */
export function replay(input: SchedulingInput, nodes: readonly FinalNode[]): string[] {
  const moves = nodes.flatMap((node) => node.placed.map((pod) => ({ pod, node: node.name })));
  let stuck: string[] = [];
  for (const order of ORDERS) {
    stuck = play(
      input,
      nodes,
      [...moves].sort((left, right) => order(left.pod, right.pod)),
    );
    if (stuck.length === 0) return [];
  }
  return stuck;
}

// ---------------------------------------------------------------------------------------------------

interface Move {
  readonly pod: Pod;
  readonly node: string;
}

type Order = (left: Pod, right: Pod) => number;

const bySize: Order = (left, right) =>
  request(right, 'cpu') - request(left, 'cpu') ||
  request(right, 'memory') - request(left, 'memory') ||
  (podKey(left) < podKey(right) ? -1 : 1);

/** Pods that are bound by rules about others go before those that merely count. */
const byTies: Order = (left, right) => ties(right) - ties(left) || bySize(left, right);

const ORDERS: readonly Order[] = [bySize, byTies, (left, right) => -byTies(left, right)];

function request(pod: Pod, resource: string): number {
  return pod.spec.containers.reduce(
    (sum, { resources }) => sum + amountOf(resource, resources?.requests?.[resource] ?? 0),
    0,
  );
}

function ties({ spec }: Pod): number {
  const hard = (spec.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable !== 'ScheduleAnyway',
  ).length;
  const company = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0;
  return hard + company;
}

function play(input: SchedulingInput, nodes: readonly FinalNode[], moves: readonly Move[]): string[] {
  const picture = pictureOf(input, nodes);
  let waiting = moves;
  let reasons = new Map<Move, string>();
  for (;;) {
    reasons = new Map();
    for (const move of waiting) {
      const refusal = refusalOf(asStandin(move.pod), move.node, picture);
      if (refusal) reasons.set(move, refusal.reasons.join(', '));
      else picture.setPod(asStandin(move.pod), move.node);
    }
    if (reasons.size === 0 || reasons.size === waiting.length) break;
    waiting = waiting.filter((move) => reasons.has(move));
  }
  return [...reasons].map(([{ pod, node }, reason]) => `${podKey(pod)} on ${node}: ${reason}`);
}

function pictureOf(input: SchedulingInput, nodes: readonly FinalNode[]): ClusterPicture {
  const picture = new ClusterPicture(lookupOf(input, nodes));
  for (const node of nodes) {
    const allocatable = Object.fromEntries(
      [...node.allocatable].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]),
    );
    picture.setNode({
      metadata: { name: node.name, labels: { ...node.labels } },
      spec: { taints: node.taints },
      status: { allocatable },
    });
    for (const pod of node.bound) picture.setPod(asStandin(pod));
    const there = node.bound
      .filter(isFromDaemonSet)
      .flatMap(({ metadata }) => metadata.ownerReferences!.map((o) => o.name));
    for (const daemon of daemonsOn(input, node)) {
      const name = daemon.metadata.name!;
      if (there.some((owner) => name === `${owner}-pod`)) continue;
      picture.setPod(
        asStandin({ ...daemon, metadata: { ...daemon.metadata, name: `${name}-${node.name}` } }),
        node.name,
      );
    }
  }
  return picture;
}

function lookupOf(input: SchedulingInput, nodes: readonly FinalNode[]): Lookup {
  const { claims = [], volumes = [], classes = [] } = input.volumes ?? {};
  const named = <T>(list: readonly T[], matches: (item: T) => boolean) =>
    list.find(matches) as (T & KubeObject) | undefined;
  return {
    namespaceLabels: (namespace) =>
      (input.namespaces ?? []).find(({ name }) => name === namespace)?.labels ?? {},
    claim: (namespace, name) => {
      const claim = named(
        claims,
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
      );
      if (!claim) return undefined;
      // A claim with a volume is one that was bound.
      const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
      return { ...claim, metadata: { ...claim.metadata, annotations } } as unknown as ReturnType<
        Lookup['claim']
      >;
    },
    volume: (name) =>
      named(volumes, ({ metadata }) => metadata.name === name) as ReturnType<Lookup['volume']>,
    volumes: () => [],
    storageClass: (name) =>
      named(classes, ({ metadata }) => metadata.name === name) as ReturnType<Lookup['storageClass']>,
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
    return found as ReturnType<Lookup['csiNode']>;
  }
  const type = node.choice.type.name;
  const drivers = Object.entries(input.volumes?.newNodeLimits ?? {}).flatMap(([name, limits]) => {
    const count = limits[type] ?? limits['*'];
    return count === undefined ? [] : [{ name, nodeID: node.name, allocatable: { count } }];
  });
  return { metadata: { name: node.name }, spec: { drivers } };
}
