/** What `chandler top` shows, as data: every node with its requests, price, phase and reason for staying. Pure. */
import { conditionOf, type Stored } from '@chandler/kube';
import {
  claimPhase,
  KarpenterAnnotation,
  KarpenterLabel,
  KubernetesLabel,
  type NodePool,
  nodePhase,
} from '../../api/index.ts';
import { type NonDisruptionReason, type ReadEvent, reasonsOfEvents, toEvent } from '../../diagnose/index.ts';
import { blockText } from '../../disruption/index.ts';
import { Resources } from '../../scheduling/index.ts';
import { type ClusterNode, failedToBootstrap } from '../../state/index.ts';
import { isTainted, joinNodes } from '../simulate/nodes.ts';
import type { PodTally } from './pod-tally.ts';
import type { Prices } from './prices.ts';
import type { TopObjects } from './top-objects.ts';

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

/** @param planned reasons by the name of the node, where a plan was made. */
export function topNodes(
  objects: TopObjects,
  prices: Prices,
  nowMs: number,
  planned?: ReadonlyMap<string, readonly NonDisruptionReason[]>,
): readonly TopNode[] {
  const told = eventsByObject(objects);
  const frozen = frozenPools(objects.pools.values());
  return joinNodes([...objects.nodes.values()], [...objects.claims.values()]).map((joined) => ({
    ...described(joined),
    // The instance of a claim that failed to bootstrap is deleted, as the metric of prices counts it.
    pricePerHour: isFailed(joined) ? 0 : prices.of(joined.nodePool, joined.labels),
    ...sharesOf(joined, objects.pods),
    staying:
      planned?.get(joined.name) ??
      (joined.claim === undefined && !objects.claimsAreKnown ? [] : stayingOf(joined, frozen, told, nowMs)),
  }));
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
function eventsByObject(objects: TopObjects): ReadonlyMap<string, readonly ReadEvent[]> {
  const events = objects.events.flatMap((store) => [...store.values()].map((event) => toEvent(event)));
  return Map.groupBy(events, ({ object }) => object.replace(/^(\w+)\/default\//, '$1/'));
}

/** Disruption that somebody has stopped, by NodePool. */
function frozenPools(pools: Iterable<Stored<NodePool>>): ReadonlyMap<string, string> {
  return new Map(
    [...pools].flatMap((pool) => {
      const frozen = conditionOf(pool, 'DisruptionFrozen');
      return frozen?.status === 'True' ? [[pool.metadata.name, frozen.message ?? 'frozen']] : [];
    }),
  );
}

/** As far as objects and events show it; `--plan` asks a plan. */
function stayingOf(
  { node, claim, name, nodePool, initialized, deleting }: ClusterNode,
  frozen: ReadonlyMap<string, string>,
  told: ReadonlyMap<string, readonly ReadEvent[]>,
  nowMs: number,
): readonly NonDisruptionReason[] {
  if (claim === undefined) return [reason('NotManaged', blockText({ code: 'NotManaged' }))];
  // It does not stay, or has not come yet: its phase says so.
  if (deleting || !initialized) return [];
  const freeze = frozen.get(nodePool ?? '');
  return [
    ...(freeze === undefined ? [] : [reason('Frozen', freeze)]),
    ...(node?.metadata.annotations?.[KarpenterAnnotation.doNotDisrupt] === 'true'
      ? [reason('NodeDoNotDisrupt', blockText({ code: 'NodeDoNotDisrupt' }))]
      : []),
    ...reasonsOfEvents({
      events: [...(told.get(`NodeClaim/${claim.metadata.name}`) ?? []), ...(told.get(`Node/${name}`) ?? [])],
      isConsolidatable: conditionOf(claim, 'Consolidatable')?.status === 'True',
      hasNode: node !== undefined,
      ageMs: (lastMs) => nowMs - lastMs,
    }),
  ];
}

function reason(code: string, text: string): NonDisruptionReason {
  return { code, text, atMs: undefined };
}
