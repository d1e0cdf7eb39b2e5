/**
 * Judges every node: for each method it is a candidate, or has all the reasons why not. The checks and their order are
 * those of Karpenter v1.15. Whether its pods would fit elsewhere is not asked here.
 */
import { conditionOf, type PodDisruptionBudget, readDurationMs } from '@chandler/kube';
import { KarpenterAnnotation, KarpenterLabel, KubernetesLabel, type NodeClaim } from '../api/index.ts';
import type { Steps } from '../scheduling/index.ts';
import { byCodeUnit, type Pod, type PoolObject } from '../scheduling/index.ts';
import type { Block } from './block.ts';
import { disruptionCost, isEmptyCost, rescheduleCost } from './costs.ts';
import { type DisruptionClass, METHODS, type MethodName } from './methods.table.ts';
import { type DisruptionInput, type DisruptionNode, type DisruptionOptions, isRebooting } from './model.ts';
import {
  blockingBudgets,
  doNotDisruptOf,
  isActive,
  isEvicted,
  isProtected,
  isReschedulable,
} from './pod-blocks.ts';
import { surgesOn } from './pod-surges.ts';
import { expirationOf, type PoolRules, readPoolRules } from './pool-rules.ts';
import type { PriceBook } from './price-book.ts';
import { PoolRepairPolicies, type RepairDecision, type ToleratedCondition } from './repair-policies.ts';
import { type PodSurge, WorkloadIndex } from './surge.ts';

export interface JudgedNode {
  readonly name: string;
  readonly nodePool: string;
  readonly node: DisruptionNode;
  readonly pool: PoolObject | undefined;
  readonly instanceType: string;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  /** Per hour; 0 if it is not known: such a node may be deleted, but no replacement is cheaper. */
  readonly price: number;
  /** What its disruption costs, at least 1. */
  readonly cost: number;
  /** As `cost`, for a choice among nodes of a static pool. */
  readonly disruptionCost: number;
  /** Its pods that need another node. */
  readonly pods: readonly Pod[];
  /** Those of them that move by a rolling update of their workload, if a method that allows it removes the node. */
  readonly surges: readonly PodSurge[];
  /** Of its NodePool; undefined if they cannot be read. */
  readonly rules: PoolRules | undefined;
  /** What repair would do with it now. */
  readonly repair?: RepairDecision;
  /** Of a node that repair leaves alone for a while. */
  readonly tolerated?: ToleratedCondition;
  /** For each method all the reasons why it is no candidate; none: it is one. */
  readonly blocks: Readonly<Record<MethodName, readonly Block[]>>;
}

/** Every node, by name. */
export function* judgeNodes(
  input: DisruptionInput,
  prices: PriceBook,
  options: DisruptionOptions,
  nowMs: number,
): Steps<readonly JudgedNode[]> {
  const pools = new Map(input.pools.map(({ nodePool }) => [nodePool.metadata.name ?? '', nodePool]));
  const budgets = Map.groupBy(input.podDisruptionBudgets, ({ metadata }) => metadata.namespace);
  const ruled = new Map(
    input.pools.map(({ nodePool: object }) => [
      object.metadata.name ?? '',
      readPoolRules(object, options.saving ?? {}, options.freezes ?? [], nowMs),
    ]),
  );
  const workloads = options.surge === true ? workloadIndexOf(input, options) : undefined;
  const policies = options.repair === undefined ? undefined : new PoolRepairPolicies(options.repair);
  const judge = (node: DisruptionNode): JudgedNode => {
    const nodePool = node.nodePool ?? '';
    const pool = pools.get(nodePool);
    const rules = ruled.get(nodePool);
    const pods = podBlocks(node, (namespace) => budgets.get(namespace ?? '') ?? [], nowMs);
    const readable = rules === undefined || 'problems' in rules ? undefined : rules;
    const surging = surgesOn(node.pods, pods, { poolAsks: readable?.surge === true, workloads, nowMs });
    const known = {
      name: node.name,
      nodePool,
      node,
      pool,
      instanceType: node.labels[KubernetesLabel.instanceType] ?? '',
      zone: node.labels[KubernetesLabel.zone],
      capacityType: node.labels[KarpenterLabel.capacityType],
      price: prices.nodePrice(nodePool, node.labels) ?? 0,
      cost: rescheduleCost(node.pods, options),
      disruptionCost: node.claim === undefined ? 0 : disruptionCost(node.pods, node.claim, nowMs, options),
      pods: node.pods.filter(isReschedulable),
      surges: surging.surges,
      rules: readable,
      ...repairOf(policies, node, nowMs),
    };
    const facts = { ...known, types: prices.typesOf(nodePool), podBlocks: pods, nowMs, options };
    const problems = rules !== undefined && 'problems' in rules ? rules.problems : [];
    const invalid = problems.map((problem): Block => ({ code: 'InvalidNodePool', problem }));
    const blocks = METHODS.map(({ name, class: kind, surges }) => [
      name,
      [
        ...nodeBlocks(facts, surges === true ? surging.blocks : pods, kind),
        ...invalid,
        ...stopBlocks(facts, kind),
        ...unwritableBlocks(facts),
        ...methodBlocks(name, facts),
      ],
    ]);
    return { ...known, blocks: Object.fromEntries(blocks) as JudgedNode['blocks'] };
  };
  const judged: JudgedNode[] = [];
  for (const node of input.nodes) {
    if (judged.length % NODES_PER_STEP === 0) yield;
    judged.push(judge(node));
  }
  return judged.sort((one, other) => byCodeUnit(one.name, other.name));
}

export function isCandidate({ blocks }: JudgedNode, method: MethodName): boolean {
  return blocks[method].length === 0;
}

/** Past expireAfter, in a NodePool with soft expiration: it will be replaced, if not now then later. */
export function isExpired({ blocks, node, pool }: JudgedNode): boolean {
  if (node.claim === undefined || pool === undefined) return false;
  return blocks.expiration.every(({ code }) => code !== 'NotExpired');
}

/** What holds the node for every method of a class. */
export function nodeBlocks(
  { node, nodePool, pool, types }: NodeFacts,
  pods: readonly Block[],
  kind: DisruptionClass,
): readonly Block[] {
  const { claim, registered } = node;
  const blocks: Block[] = [];
  if (node.command !== undefined) blocks.push({ code: 'InCommand', command: node.command });
  // Nothing else is asked about a node that belongs to someone else.
  if (claim === undefined) return [...blocks, { code: 'NotManaged' }];
  const repairs = kind === 'repair';
  if (repairs && nodePool === '') blocks.push({ code: 'RepairNeedsNodePool' });
  const unfinished = repairs && registered && !node.initialized;
  if (node.node === undefined) blocks.push({ code: 'NoNode' });
  if (isRebooting(node)) blocks.push({ code: 'Rebooting' });
  if (node.deleting) blocks.push({ code: 'Deleting' });
  if (!node.initialized && !unfinished) blocks.push({ code: 'NotInitialized', registered });
  if (node.nominated === true && !unfinished) blocks.push({ code: 'Nominated' });
  if (!repairs && annotationOf(node, KarpenterAnnotation.doNotDisrupt) === 'true')
    blocks.push({ code: 'NodeDoNotDisrupt' });
  if (nodePool === '' && !repairs) blocks.push({ code: 'NodePoolLabelMissing' });
  else if (nodePool !== '' && pool === undefined) blocks.push({ code: 'NodePoolNotFound', nodePool });
  else if (nodePool !== '' && types === undefined) blocks.push({ code: 'InstanceTypesUnknown', nodePool });
  // Repair has a rule of its own.
  const bounded = repairs || (kind === 'eventual' && claim.spec.terminationGracePeriod !== undefined);
  return bounded ? blocks : [...blocks, ...pods];
}

/** Pods that may not be evicted now. */
export function podBlocks(
  { pods }: DisruptionNode,
  budgetsIn: (namespace: string | undefined) => readonly PodDisruptionBudget[],
  nowMs: number,
): readonly Block[] {
  const blocks: Block[] = [];
  for (const pod of pods) {
    if (!isActive(pod) || !isProtected(pod, nowMs)) continue;
    const held = doNotDisruptOf(pod);
    const untilMs = held.state === 'until' ? held.untilMs : undefined;
    blocks.push({ code: 'PodDoNotDisrupt', pod: nameOf(pod), ...(untilMs === undefined ? {} : { untilMs }) });
  }
  for (const pod of pods) {
    if (!isEvicted(pod)) continue;
    const names = blockingBudgets(pod, budgetsIn(pod.metadata.namespace)).map(nameOf);
    if (names.length > 1) blocks.push({ code: 'MultipleBudgets', pod: nameOf(pod), budgets: names });
    else if (names.length === 1)
      blocks.push({ code: 'PodDisruptionBudget', pod: nameOf(pod), budget: names[0]! });
  }
  return blocks;
}

/** `namespace/name`. */
export function nameOf({ metadata }: { readonly metadata: Pod['metadata'] }): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`;
}

/** A node that received or lost a pod within consolidateAfter: it is neither consolidated nor gets pods by consolidation. */
export function settledAtMs(claim: NodeClaim, pool: PoolObject): number | undefined {
  const afterMs = readDurationMs(pool.spec.disruption?.consolidateAfter ?? '0s');
  const initialized = conditionOf(claim, 'Initialized');
  if (afterMs === undefined || initialized?.status !== 'True') return undefined;
  const since = Date.parse(claim.status?.lastPodEventTime ?? initialized.lastTransitionTime ?? '');
  return Number.isNaN(since) ? undefined : since + afterMs;
}

// ---------------------------------------------------------------------------------------------------

const NODES_PER_STEP = 100;

type NodeFacts = Omit<JudgedNode, 'blocks'> & {
  readonly types: ReadonlyMap<string, unknown> | undefined;
  readonly podBlocks: readonly Block[];
  readonly options: DisruptionOptions;
  readonly nowMs: number;
};

function workloadIndexOf(
  { workloads, scheduling }: DisruptionInput,
  { surgeRefusals }: DisruptionOptions,
): WorkloadIndex {
  const none = { deployments: [], replicaSets: [], statefulSets: [] };
  return new WorkloadIndex(workloads ?? none, scheduling.volumes?.claims, surgeRefusals);
}

/** Before registration the claim has the annotations. */
function annotationOf({ node, claim, registered }: DisruptionNode, key: string): string | undefined {
  const holder = node !== undefined && registered ? node : claim;
  return holder?.metadata.annotations?.[key];
}

function methodBlocks(method: MethodName, facts: NodeFacts): readonly Block[] {
  if (facts.node.claim === undefined || facts.pool === undefined) return [];
  return METHOD_BLOCKS[method](facts, facts.node.claim, facts.pool);
}

type MethodCheck = (facts: NodeFacts, claim: NodeClaim, pool: PoolObject) => readonly Block[];

const METHOD_BLOCKS: Readonly<Record<MethodName, MethodCheck>> = {
  repair: repairBlocks,
  emptiness: (facts, claim, pool) => [
    ...staticBlocks(facts, pool),
    ...disabledBlocks(facts, pool),
    ...((facts.node.buffers ?? []).length === 0
      ? []
      : [{ code: 'BufferPods' as const, node: facts.name, buffers: facts.node.buffers! }]),
    ...(isEmptyCost(facts.cost) ? [] : [{ code: 'NotEmpty' as const, pods: facts.pods.length }]),
    ...waitBlocks(facts, claim, pool),
    ...ageBlocks(facts, claim),
  ],
  'static-drift': ({ nodePool }, claim, pool) => [
    ...(pool.spec.replicas === undefined ? [{ code: 'DynamicNodePool' as const, nodePool }] : []),
    ...driftBlocks(claim),
  ],
  drift: (facts, claim, pool) => [
    ...staticBlocks(facts, pool),
    ...driftBlocks(claim),
    ...backoffBlocks(facts),
  ],
  expiration: (facts, claim) => [...expirationBlocks(facts, claim), ...backoffBlocks(facts)],
  'multi-node': consolidationBlocks,
  'single-node': consolidationBlocks,
};

function repairOf(
  pools: PoolRepairPolicies | undefined,
  node: DisruptionNode,
  nowMs: number,
): Pick<JudgedNode, 'repair' | 'tolerated'> {
  const policies = pools?.of(node.nodePool ?? '');
  const repair = policies?.decide(node, nowMs);
  const tolerated = policies?.tolerated(node, nowMs);
  return {
    ...(repair === undefined ? {} : { repair }),
    ...(tolerated === undefined ? {} : { tolerated }),
  };
}

function repairBlocks(facts: NodeFacts, claim: NodeClaim): readonly Block[] {
  const { node, repair, tolerated, podBlocks: pods } = facts;
  if (tolerated !== undefined) return [{ code: 'Tolerated', ...tolerated }];
  if (repair === undefined) return [{ code: 'Healthy' }];
  if (annotationOf(node, KarpenterAnnotation.doNotRepair) === 'true') return [{ code: 'DoNotRepair' }];
  const bounded = repair.drainBoundMs !== undefined || claim.spec.terminationGracePeriod !== undefined;
  if (bounded || pods.length === 0) return [];
  const names = new Set(pods.flatMap((block) => ('pod' in block ? [block.pod] : [])));
  return [{ code: 'RepairNeedsGracePeriod', pods: [...names] }];
}

function consolidationBlocks(facts: NodeFacts, claim: NodeClaim, pool: PoolObject): readonly Block[] {
  const { instanceType, nodePool, types, node } = facts;
  const blocks: Block[] = [...staticBlocks(facts, pool)];
  if (types !== undefined && !types.has(instanceType))
    blocks.push({ code: 'InstanceTypeNotFound', instanceType });
  for (const label of [KarpenterLabel.capacityType, KubernetesLabel.zone])
    if (node.labels[label] === undefined) blocks.push({ code: 'LabelMissing', label });
  blocks.push(...disabledBlocks(facts, pool));
  if (isEmptyCost(facts.cost)) blocks.push({ code: 'Empty' });
  else if (pool.spec.disruption?.consolidationPolicy === 'WhenEmpty')
    blocks.push({ code: 'PolicyWhenEmpty', nodePool });
  const backoff = facts.options.consolidationBackoff?.get(nodePool);
  if (backoff !== undefined && backoff.untilMs > facts.nowMs)
    blocks.push({ code: 'ConsolidationBackoff', nodePool, ...backoff });
  return [...blocks, ...waitBlocks(facts, claim, pool), ...ageBlocks(facts, claim)];
}

/** Freezes and windows are for what could wait. An unhealthy node cannot. */
function stopBlocks({ rules, node, nodePool }: NodeFacts, kind: DisruptionClass): readonly Block[] {
  if (kind === 'repair' || node.claim === undefined) return [];
  const { freeze, closed } = rules ?? {};
  return [
    ...(freeze === undefined ? [] : [{ code: 'Frozen' as const, freeze }]),
    ...(closed === undefined ? [] : [{ code: 'OutsideWindow' as const, nodePool, ...closed }]),
  ];
}

/** It would take a place in the budgets, and keep others from theirs. */
function unwritableBlocks({ options, node, nowMs }: NodeFacts): readonly Block[] {
  const untilMs = options.unwritable?.get(node.claim?.metadata.uid ?? '');
  return untilMs === undefined || untilMs <= nowMs ? [] : [{ code: 'Unwritable', untilMs }];
}

function ageBlocks({ rules, nodePool, nowMs }: NodeFacts, claim: NodeClaim): readonly Block[] {
  const untilMs = Date.parse(claim.metadata.creationTimestamp ?? '') + (rules?.minNodeAgeMs ?? 0);
  return untilMs > nowMs ? [{ code: 'TooYoung', nodePool, untilMs }] : [];
}

function backoffBlocks({ options, nodePool, nowMs }: NodeFacts): readonly Block[] {
  const backoff = options.driftBackoff?.get(nodePool);
  if (backoff === undefined || backoff.untilMs <= nowMs) return [];
  return [{ code: 'DriftBackoff', nodePool, ...backoff }];
}

/** Only where the NodePool asks for it: otherwise expired claims are deleted without a plan. */
function expirationBlocks({ rules, nowMs }: NodeFacts, claim: NodeClaim): readonly Block[] {
  const { softMs } = (rules?.softExpirationMs === undefined ? undefined : expirationOf(claim, rules)) ?? {};
  return softMs === undefined || softMs > nowMs ? [{ code: 'NotExpired' }] : [];
}

function staticBlocks({ nodePool }: NodeFacts, { spec }: PoolObject): readonly Block[] {
  return spec.replicas === undefined ? [] : [{ code: 'StaticNodePool', nodePool }];
}

function disabledBlocks({ nodePool }: NodeFacts, { spec }: PoolObject): readonly Block[] {
  // Longer than can be read is as good as never.
  return readDurationMs(spec.disruption?.consolidateAfter ?? '0s') === undefined
    ? [{ code: 'ConsolidationDisabled', nodePool }]
    : [];
}

/** The condition decides; the time is printed so that nobody has to compute it. */
function waitBlocks({ nowMs }: NodeFacts, claim: NodeClaim, pool: PoolObject): readonly Block[] {
  if (conditionOf(claim, 'Consolidatable')?.status === 'True') return [];
  const consolidateAfter = pool.spec.disruption?.consolidateAfter ?? '0s';
  const untilMs = settledAtMs(claim, pool) ?? nowMs;
  return [{ code: 'NotConsolidatable', consolidateAfter, ...(untilMs <= nowMs ? {} : { untilMs }) }];
}

function driftBlocks(claim: NodeClaim): readonly Block[] {
  return conditionOf(claim, 'Drifted')?.status === 'True' ? [] : [{ code: 'NotDrifted' }];
}
