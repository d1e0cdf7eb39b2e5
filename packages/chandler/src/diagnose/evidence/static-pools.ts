/**
 * Static NodePools that a pod is meant for. One that has fewer nodes than it should launches nodes, though not for the pod,
 * and what keeps them from joining keeps the pod pending. Of one that has them all, more nodes help only a pod that fits.
 */
import { NODES, type Taint } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS } from '../../api/index.ts';
import {
  isFound,
  isTrue,
  listOr,
  type PlanEvidence,
  type RefusalFact,
  wholeFailure,
} from '../../causes/index.ts';

import { taintText, toleratesTaint } from '../../scheduling/index.ts';
import { addPlan } from './add-plan.ts';
import { type BoundVolume, boundVolumes, volumeElsewhere } from './bound-volumes.ts';
import type { ReadEvent } from './events.ts';
import { type ExcludedPools, ofStatic, refusalOfStatic } from './excluded-pools.ts';
import type { GatherContext } from './gather-context.ts';
import type { Asked } from './plan-pod.ts';
import { isOffered } from './refusal-facts.ts';
import { type ClaimShape, conditionsOf, type NodeShape, type PodShape, type PoolShape } from './shapes.ts';

export interface ExcludedForPod extends ExcludedPools {
  readonly short: ShortPool | undefined;
}

/** A node of a static NodePool that was there and is not Ready. */
export interface UnreadyNode {
  readonly claim: ClaimShape;
  readonly node: NodeShape;
}

/** With what their nodes, and the scheduler, say about those that are meant. */
export async function withNodes(
  context: GatherContext,
  excluded: ExcludedPools,
  pod: PodShape,
  events: readonly ReadEvent[],
): Promise<ExcludedForPod> {
  const nodes = new Map<string, StaticNodes>();
  const unread = new Set<string>();
  for (const pool of excluded.pools) {
    const isStatic = excluded.refusals.some(
      ({ code, nodePool }) => code === 'PoolStatic' && nodePool === pool.metadata.name,
    );
    const read = isStatic ? await nodesOf(context, pool, pod) : undefined;
    if (read === 'unread') unread.add(pool.metadata.name);
    else if (read !== undefined) nodes.set(pool.metadata.name, read);
  }
  const short = [...nodes.values()].find(({ missing }) => missing !== undefined);
  const said = events.findLast(
    ({ reason, component }) => reason === 'FailedScheduling' && !/karpenter|chandler/.test(component),
  )?.message;
  const isElsewhere = said !== undefined && VOLUME_ELSEWHERE.test(said) && !NO_ROOM.test(said);
  const volumes = isElsewhere && nodes.size > 0 ? await boundVolumes(context, pod) : [];
  return {
    ...excluded,
    short: short?.missing === undefined ? undefined : { ...short, missing: short.missing },
    refusals: excluded.refusals.map((refusal) => {
      const own = nodes.get(refusal.nodePool ?? '');
      if (refusal.code !== 'PoolStatic') return refusal;
      if (unread.has(refusal.nodePool ?? '')) return withSaid(withUnread(refusal), said);
      if (isElsewhere && (own?.cordoned ?? []).length === 0 && !mayHaveVolume(own, volumes))
        return withSaid(volumesElsewhere(refusal, own, volumes), said);
      return withSaid(withTainted(withCordoned(refusal, own), own), said);
    }),
  };
}

/** What keeps a pod from NodePools that are not meant for it. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'ResourceInsufficient',
  'ResourceUnknown',
  'NoPools',
]);

/** What more nodes would not change. Offerings and limits are of new nodes. */
export const OF_POD_SPEC: ReadonlySet<string> = new Set([
  ...OF_OTHERS,
  'VolumeElsewhere',
  'StorageClassElsewhere',
]);

/** Plans the pod for a NodePool as if it were not static. Undefined: no plan is possible. */
export type PlanOpen = (open: PoolShape, pool: PoolShape) => Promise<Asked | undefined>;

/** Of those that are meant: one that would not take the pod, whatever the number of its nodes, refuses it for that. */
export async function withPlanned(
  context: GatherContext,
  excluded: ExcludedForPod,
  plan: PlanOpen,
): Promise<ExcludedForPod> {
  const refused = new Map<string, readonly RefusalFact[]>();
  for (const pool of excluded.pools) {
    const { name } = pool.metadata;
    if (!excluded.refusals.some(({ code, nodePool }) => WOULD_TAKE.has(code) && nodePool === name)) continue;
    const asked = await plan(asOpen(pool), pool);
    if (asked?.outcome !== 'refused' || asked.refusals.length === 0) continue;
    const isOwn = await isOfOwnNodes(context, pool);
    if (!asked.refusals.every((each) => OF_POD_SPEC.has(each.code) && !isOwn(each))) continue;
    refused.set(
      name,
      asked.refusals.map((each) => ofStatic(pool, each)),
    );
  }
  if (refused.size === 0) return excluded;
  const kept = excluded.refusals.filter(({ nodePool }) => !refused.has(nodePool ?? ''));
  const { short, others } = excluded;
  // Where another one would take it, these are not for the pod.
  const isTaken = kept.some(({ code }) => WOULD_TAKE.has(code));
  const aside = [...refused].map(([nodePool, [first]]) => ({ nodePool, reason: first?.text ?? '' }));
  return {
    ...excluded,
    pools: excluded.pools.filter(({ metadata }) => !isTaken || !refused.has(metadata.name)),
    refusals: isTaken ? kept : [...kept, ...[...refused.values()].flat()],
    others: isTaken ? [...others, ...aside] : others,
    short: short !== undefined && refused.has(short.missing.nodePool) ? undefined : short,
  };
}

/**
 * Where no NodePool that launches nodes is right for the pod: also static ones of which it tolerates a taint by its key,
 * and that would take it. Pods that need devices are seldom written with the labels of a NodePool.
 */
export async function withTolerated(
  context: GatherContext,
  excluded: ExcludedForPod,
  pod: PodShape,
  all: readonly PoolShape[],
  refused: readonly RefusalFact[],
  events: readonly ReadEvent[],
  plan: PlanOpen,
): Promise<ExcludedForPod> {
  if (excluded.refusals.length > 0 || !refused.every(({ code }) => OF_OTHERS.has(code))) return excluded;
  const meant: PoolShape[] = [];
  for (const pool of all.filter((each) => isTolerated(each, pod)))
    if ((await plan(asOpen(pool), pool))?.outcome === 'newClaim') meant.push(pool);
  const names = new Set(meant.map(({ metadata }) => metadata.name));
  const refusals = meant.map((pool) => refusalOfStatic(pool, 'it is the one that would take the pod'));
  const others = excluded.others.filter(({ nodePool }) => !names.has(nodePool));
  return await withNodes(context, { pools: meant, refusals, others }, pod, events);
}

/** What keeps these nodes from joining is read as that of a NodePool which would launch a node for it. */
export function waitingForStatic(
  context: GatherContext,
  pod: PodShape,
  { others }: ExcludedPools,
  { pool, missing, unready, gone }: ShortPool,
) {
  const target = `NodePool ${missing.nodePool} (static, ${missing.nodes} of ${missing.wanted} nodes)`;
  addPlan(context, pod, { outcome: 'newClaim', target, refusals: [], others, missing }, 'spec');
  const waits = { pools: [pool], outcome: 'newClaim' } as const;
  if (unready !== undefined) return { ...waits, unready };
  // As long as others are to be launched, what keeps the NodePool from that comes first.
  const isLaunched = missing.nodes + gone.length >= missing.wanted;
  return isLaunched && gone[0] !== undefined ? { ...waits, claim: gone[0].metadata.name } : waits;
}

// ---------------------------------------------------------------------------------------------------

interface StaticNodes {
  readonly pool: PoolShape;
  /** Undefined: all are there. */
  readonly missing: PlanEvidence['missing'];
  /** The first of those that are not Ready, or lack disk, memory or process IDs. */
  readonly unready: UnreadyNode | undefined;
  /** Initialized NodeClaims whose nodes do not exist any more. */
  readonly gone: readonly ClaimShape[];
  /** Those that could be read. */
  readonly known: readonly NodeShape[];
  readonly cordoned: readonly string[];
  /** The first that has a taint which the NodePool does not set and the pod does not tolerate. */
  readonly tainted: { readonly node: string; readonly taint: Taint } | undefined;
}

interface ShortPool extends StaticNodes {
  readonly missing: NonNullable<PlanEvidence['missing']>;
}

/** What could not be read is recorded. */
async function nodesOf(
  { reader, recorder }: GatherContext,
  pool: PoolShape,
  pod: PodShape,
): Promise<StaticNodes | 'unread'> {
  const { name } = pool.metadata;
  const labels = { [KarpenterLabel.nodePool]: name };
  const looked = await reader.list(NODE_CLAIMS, { labels });
  const failure = wholeFailure(looked);
  if (failure !== undefined) {
    recorder.addUnread('nodeClaim', `NodeClaims of NodePool ${name}`, failure);
    return 'unread';
  }
  const initialized = (listOr(looked) as readonly ClaimShape[]).filter(isNode);
  const lookedAtNodes = await reader.list(NODES, { labels });
  const nodes = new Map(
    (listOr(lookedAtNodes) as readonly NodeShape[]).map((node) => [node.metadata.name, node]),
  );
  // A node that is not there any more is not usable, either; one that was not read may be.
  const lacking = wholeFailure(lookedAtNodes);
  if (lacking !== undefined && initialized.some(({ status }) => !nodes.has(status?.nodeName ?? ''))) {
    recorder.addUnread('node', `Nodes of NodePool ${name}`, lacking);
    return 'unread';
  }
  const known = initialized.flatMap((claim): readonly UnreadyNode[] => {
    const node = nodes.get(claim.status?.nodeName ?? '');
    return node === undefined ? [] : [{ claim, node }];
  });
  const dead = known.filter(({ node }) => !isUsable(node, pod));
  const gone = initialized.filter(({ status }) => !nodes.has(status?.nodeName ?? ''));
  const unusable = [
    ...dead.map(({ node }) => node.metadata.name),
    ...gone.map(({ metadata, status }) => status?.nodeName || metadata.name),
  ];
  const wanted = Number(pool.spec.replicas);
  const usable = known.length - dead.length;
  return {
    pool,
    missing:
      usable >= wanted
        ? undefined
        : { nodePool: name, nodes: usable, wanted, ...(unusable.length === 0 ? {} : { unusable }) },
    unready: usable >= wanted ? undefined : dead[0],
    gone,
    known: known.map(({ node }) => node),
    cordoned: known.flatMap(({ node }) => (node.spec?.unschedulable === true ? [node.metadata.name] : [])),
    tainted: known
      .filter((each) => !dead.includes(each) && each.node.spec?.unschedulable !== true)
      .map(({ node }) => ({ node: node.metadata.name, taint: foreignTaint(node, pool, pod) }))
      .find((each): each is { node: string; taint: Taint } => each.taint !== undefined),
  };
}

/** By condition, the taint that keeps pods away. */
const SHORTAGES = {
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
};

function isUsable(node: NodeShape, { spec }: PodShape): boolean {
  const conditions = { conditions: conditionsOf(node) };
  const isShort = Object.entries(SHORTAGES).some(([type, key]) => {
    const taint: Taint = { key, effect: 'NoSchedule' };
    const isTolerated = (spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
    return isTrue(conditions, type) && !isTolerated;
  });
  return isTrue(conditions, 'Ready') && !isShort;
}

/** A node that is closed by a taint may be where the volume is. */
function mayHaveVolume(own: StaticNodes | undefined, volumes: readonly BoundVolume[]): boolean {
  if (own?.tainted === undefined) return false;
  const { node: name } = own.tainted;
  const tainted = own.known.filter(({ metadata }) => metadata.name === name);
  return volumes.length === 0 || volumeElsewhere(own.pool, tainted, volumes) === undefined;
}

/** A pod that does not tolerate a taint of the NodePool is told so elsewhere. */
function foreignTaint({ spec }: NodeShape, pool: PoolShape, pod: PodShape): Taint | undefined {
  const own = new Set((pool.spec.template.spec.taints ?? []).map(({ key }) => key));
  const tolerations = pod.spec.tolerations ?? [];
  return (spec?.taints ?? []).find(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' &&
      !own.has(taint.key) &&
      !tolerations.some((toleration) => toleratesTaint(toleration, taint)),
  );
}

/** How kube-scheduler writes that nodes are not where a volume is, and that others there have no room. */
const VOLUME_ELSEWHERE =
  /volume node affinity conflict|match PersistentVolume's node affinity|no available volume zone/;
const NO_ROOM = /Insufficient \S+|Too many pods/;

/** By what is known without a plan, a node of the NodePool would take the pod. */
const WOULD_TAKE: ReadonlySet<string> = new Set(['PoolStatic', 'VolumeElsewhere']);

function withSaid(refusal: RefusalFact, said: string | undefined): RefusalFact {
  return said === undefined ? refusal : { ...refusal, text: `${refusal.text}; the scheduler says: ${said}` };
}

/** Then it may lack nodes that would take the pod. */
function withUnread(refusal: RefusalFact): RefusalFact {
  return {
    ...refusal,
    facts: { ...refusal.facts, unread: 'its nodes' },
    text: `${refusal.text}; whether its nodes are there and Ready is not known`,
  };
}

function withCordoned(refusal: RefusalFact, nodes: StaticNodes | undefined): RefusalFact {
  const [cordoned] = nodes?.cordoned ?? [];
  if (cordoned === undefined) return refusal;
  return {
    ...refusal,
    facts: { ...refusal.facts, cordoned },
    text: `node ${cordoned} is cordoned; ${refusal.text}`,
  };
}

function withTainted(refusal: RefusalFact, nodes: StaticNodes | undefined): RefusalFact {
  if (nodes?.tainted === undefined) return refusal;
  const { node, taint } = nodes.tainted;
  return {
    ...refusal,
    facts: { ...refusal.facts, tainted: node, taint: taintText(taint) },
    text: `node ${node} has the taint ${taintText(taint)}, which the pod does not tolerate; ${refusal.text}`,
  };
}

/** Names the volume, if it is known which one it is. */
function volumesElsewhere(
  refusal: RefusalFact,
  nodes: StaticNodes | undefined,
  volumes: readonly BoundVolume[],
): RefusalFact {
  const code = 'VolumeElsewhere';
  const elsewhere = nodes === undefined ? undefined : volumeElsewhere(nodes.pool, nodes.known, volumes);
  if (elsewhere !== undefined) return ofStatic(nodes!.pool, { ...elsewhere, code });
  const replicas = refusal.facts['replicas'];
  return {
    ...refusal,
    code,
    text: `none of its nodes is where the volume of the pod is, and it is static (spec.replicas is ${replicas})`,
  };
}

/** Its nodes have a resource of which the cloud does not know: of a device plugin. */
async function isOfOwnNodes(
  { reader }: GatherContext,
  { metadata }: PoolShape,
): Promise<(refusal: RefusalFact) => boolean> {
  const looked = await reader.list(NODES, { labels: { [KarpenterLabel.nodePool]: metadata.name } });
  // What cannot be seen may be so.
  if (!isFound(looked)) return ({ facts }) => facts['resource'] !== undefined;
  const nodes = looked.found as readonly NodeShape[];
  return ({ facts }) => {
    const { resource } = facts;
    if (resource === undefined || !resource.includes('/')) return false;
    return nodes.some(({ status }) => isOffered(status?.allocatable?.[resource]));
  };
}

function asOpen(pool: PoolShape): PoolShape {
  const { replicas: _replicas, limits: _limits, ...spec } = pool.spec;
  return { ...pool, spec } as PoolShape;
}

function isTolerated({ metadata, spec }: PoolShape, pod: PodShape): boolean {
  if (spec.replicas === undefined || metadata.deletionTimestamp !== undefined) return false;
  const keys = new Set((pod.spec.tolerations ?? []).flatMap(({ key = '' }) => (key === '' ? [] : [key])));
  return (spec.template.spec.taints ?? []).some(({ key }) => keys.has(key));
}

function isNode(claim: ClaimShape): boolean {
  return (
    claim.metadata.deletionTimestamp === undefined &&
    isTrue({ conditions: conditionsOf(claim) }, 'Initialized')
  );
}
