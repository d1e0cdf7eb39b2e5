/** Every node with its requests, price, phase and reason for staying, as `chandler top` and the page show it. Pure. */
import { conditionOf, type KubeObject, type Node, type Stored } from '@chandler/kube';
import {
  claimPhase,
  KarpenterAnnotation,
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
  type NodePool,
  nodePhase,
} from '../api/index.ts';
import { type NonDisruptionReason, type ReadEvent, reasonsOfEvents, toEvent } from '../diagnose/index.ts';
import { blockText } from '../disruption/index.ts';
import { Resources } from '../scheduling/index.ts';
import { type ClusterNode, failedToBootstrap, isTainted, joinNodes } from '../state/index.ts';
import type { PodTally } from './pod-tally.ts';

/** Requested of allocatable; undefined where it is not known. */
export interface Share {
  readonly requested: number | undefined;
  readonly allocatable: number | undefined;
}

export interface TopNode {
  /** Of the Node, or of the NodeClaim while it has none. */
  readonly name: string;
  /** Undefined: the NodeClaim has no Node yet. */
  readonly node: string | undefined;
  readonly nodeClaim: string | undefined;
  readonly nodePool: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  readonly version: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** `Ready`, `booting`, `deleting`, … */
  readonly phase: string;
  readonly warning: boolean;
  readonly createdMs: number | undefined;
  /** Undefined: it is not known. */
  readonly pricePerHour: number | undefined;
  /** In millicores. */
  readonly cpu: Share;
  /** In bytes. */
  readonly memory: Share;
  readonly pods: Share;
  /** Why it is not disrupted; the first matters most. Empty: nothing is known that keeps it. */
  readonly staying: readonly NonDisruptionReason[];
}

export interface Prices {
  /** Per hour; undefined if it is not known. */
  of(nodePool: string | undefined, labels: Readonly<Record<string, string>>): number | undefined;
  readonly notes: readonly string[];
}

export const NO_PRICES: Prices = { of: () => undefined, notes: [] };

/** The objects of a cluster; a store is such a list. */
export interface ClusterObjects {
  readonly nodes: Values<Node>;
  readonly claims: Values<NodeClaim>;
  /** False if they may not be read: then nothing is known about who manages a node. */
  readonly claimsAreKnown: boolean;
  readonly pools: Values<NodePool>;
  /** Why nodes are not disrupted, as the controller says. */
  readonly events: readonly Values<KubeObject>[];
  readonly pods: PodTally | undefined;
}

interface Values<T extends KubeObject> {
  values(): Iterable<Stored<T>>;
}

/** What is known about the cluster around a node. */
export interface NodeSurroundings {
  readonly prices: Prices;
  /** Undefined: requests are not known. */
  readonly pods: PodTally | undefined;
  readonly claimsAreKnown: boolean;
  /** Why disruption of a NodePool is stopped. */
  frozen(nodePool: string): string | undefined;
  /** Events about an object, which is named `Kind/name`. */
  told(subject: string): readonly ReadEvent[];
  readonly nowMs: number;
}

/** @param planned reasons by the name of the node, where a plan was made. */
export function topNodes(
  objects: ClusterObjects,
  prices: Prices,
  nowMs: number,
  planned?: ReadonlyMap<string, readonly NonDisruptionReason[]>,
): readonly TopNode[] {
  const told = eventsByObject(objects);
  const frozen = frozenPools(objects.pools.values());
  const around: NodeSurroundings = {
    prices,
    pods: objects.pods,
    claimsAreKnown: objects.claimsAreKnown,
    frozen: (nodePool) => frozen.get(nodePool),
    told: (subject) => told.get(subject) ?? [],
    nowMs,
  };
  return joinNodes([...objects.nodes.values()], [...objects.claims.values()]).map((joined) => {
    const reasons = planned?.get(joined.name);
    const node = describeNode(joined, around);
    return reasons === undefined ? node : { ...node, staying: reasons };
  });
}

export function describeNode(joined: ClusterNode, around: NodeSurroundings): TopNode {
  return {
    ...described(joined),
    // The instance of a claim that failed to bootstrap is deleted, as the metric of prices counts it.
    pricePerHour: isFailed(joined) ? 0 : around.prices.of(joined.nodePool, joined.labels),
    ...sharesOf(joined, around.pods),
    staying: joined.claim === undefined && !around.claimsAreKnown ? [] : stayingOf(joined, around),
  };
}

/** Disruption that somebody has stopped, as the controller says it of the NodePool; undefined: it has not. */
export function frozenText(pool: Stored<NodePool>): string | undefined {
  const frozen = conditionOf(pool, 'DisruptionFrozen');
  return frozen?.status === 'True' ? (frozen.message ?? 'frozen') : undefined;
}

/** `Node/x`, `Pod/shop/x`: objects without a namespace have their events in `default`. */
export function subjectOfEvent({ object }: Pick<ReadEvent, 'object'>): string {
  return object.replace(/^(Node\w*)\/default\//, '$1/');
}

// ---------------------------------------------------------------------------------------------------

const RESOURCES = new Resources();

const isFailed = ({ claim }: ClusterNode) => claim !== undefined && failedToBootstrap(claim);

function described(
  joined: ClusterNode,
): Omit<TopNode, 'pricePerHour' | 'cpu' | 'memory' | 'pods' | 'staying'> {
  const { name, node, claim, nodePool, labels } = joined;
  const created = Date.parse((claim ?? node)?.metadata.creationTimestamp ?? '');
  return {
    name,
    node: node?.metadata.name,
    nodeClaim: claim?.metadata.name,
    nodePool,
    instanceType: labels[KubernetesLabel.instanceType],
    zone: labels[KubernetesLabel.zone],
    capacityType: labels[KarpenterLabel.capacityType],
    version: node?.status?.nodeInfo?.kubeletVersion,
    labels,
    ...phaseOf(joined),
    createdMs: Number.isNaN(created) ? undefined : created,
  };
}

function phaseOf(joined: ClusterNode): Pick<TopNode, 'phase' | 'warning'> {
  const { node, claim } = joined;
  const ready = node && conditionOf(node, 'Ready')?.status;
  const own = claim === undefined ? nodePhase(ready) : claimPhase(claim, ready);
  if (own.phase !== 'Ready') return own;
  if (node?.metadata.deletionTimestamp !== undefined) return { phase: 'deleting', warning: false };
  if (isTainted(joined)) return { phase: 'disrupting', warning: false };
  return node?.spec?.unschedulable === true ? { phase: 'cordoned', warning: false } : own;
}

function sharesOf(
  { node, allocatable }: ClusterNode,
  tally: PodTally | undefined,
): Pick<TopNode, 'cpu' | 'memory' | 'pods'> {
  const [cpu, memory, pods] = RESOURCES.offered(allocatable);
  const usage = node === undefined ? undefined : tally?.on(node.metadata.name);
  const known = (amount: number | undefined) => (amount === undefined || amount <= 0 ? undefined : amount);
  return {
    cpu: { requested: usage?.cpuMillis, allocatable: known(cpu) },
    memory: { requested: usage?.memoryBytes, allocatable: known(memory) },
    pods: { requested: usage?.pods, allocatable: known(pods) },
  };
}

/** By `Kind/name`. */
function eventsByObject(objects: ClusterObjects): ReadonlyMap<string, readonly ReadEvent[]> {
  const events = objects.events.flatMap((store) => [...store.values()].map((event) => toEvent(event)));
  return Map.groupBy(events, subjectOfEvent);
}

/** By NodePool. */
function frozenPools(pools: Iterable<Stored<NodePool>>): ReadonlyMap<string, string> {
  return new Map(
    [...pools].flatMap((pool) => {
      const text = frozenText(pool);
      return text === undefined ? [] : [[pool.metadata.name, text]];
    }),
  );
}

/** As far as objects and events show it; `--plan` asks a plan. */
function stayingOf(
  { node, claim, name, nodePool, initialized, deleting }: ClusterNode,
  { frozen, told, nowMs }: NodeSurroundings,
): readonly NonDisruptionReason[] {
  if (claim === undefined) return [reason('NotManaged', blockText({ code: 'NotManaged' }))];
  // It does not stay, or has not come yet: its phase says so.
  if (deleting || !initialized) return [];
  const freeze = frozen(nodePool ?? '');
  return [
    ...(freeze === undefined ? [] : [reason('Frozen', freeze)]),
    ...(node?.metadata.annotations?.[KarpenterAnnotation.doNotDisrupt] === 'true'
      ? [reason('NodeDoNotDisrupt', blockText({ code: 'NodeDoNotDisrupt' }))]
      : []),
    ...reasonsOfEvents({
      events: [...told(`NodeClaim/${claim.metadata.name}`), ...told(`Node/${name}`)],
      isConsolidatable: conditionOf(claim, 'Consolidatable')?.status === 'True',
      hasNode: node !== undefined,
      ageMs: (lastMs) => nowMs - lastMs,
    }),
  ];
}

function reason(code: string, text: string): NonDisruptionReason {
  return { code, text, atMs: undefined };
}
