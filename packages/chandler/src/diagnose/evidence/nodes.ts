/** Nodes, and while one is leaving what keeps it: layer 6. */
import {
  isOwnedByDaemonSet,
  isOwnedByNode,
  isTerminal,
  isTerminating,
  LEASES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import {
  isFound,
  isPrepared,
  listFailure,
  listOr,
  type NodeEvidence,
  type ReadObject,
} from '../../causes/index.ts';
import { compileSelector } from '../../scheduling/index.ts';

import { readEvents } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import {
  type BudgetShape,
  conditionsOf,
  fullName,
  type LeaseShape,
  type NodeShape,
  type PodShape,
  timeMs,
} from './shapes.ts';

export async function readNode(
  context: GatherContext,
  node: NodeShape,
  claim: string | undefined,
): Promise<NodeEvidence> {
  const silence = await silenceOf(context, node.metadata.name);
  const failingDaemons = await failingDaemonsOn(context, node);
  const evidence = {
    ...nodeEvidence(context, node, claim),
    ...(silence === undefined ? {} : { silence }),
    ...(failingDaemons.length === 0 ? {} : { failingDaemons }),
  };
  context.recorder.add(evidence);
  // Without a UID: kubelets write the node's name there.
  await readEvents(context, { kind: 'Node', name: node.metadata.name });
  return evidence;
}

export function nodeEvidence(
  { recorder }: GatherContext,
  node: NodeShape,
  claim: string | undefined,
): NodeEvidence {
  const { name, labels = {}, creationTimestamp, deletionTimestamp } = node.metadata;
  return {
    kind: 'node',
    reading: recorder.reading(`Node ${name}`),
    name,
    claim,
    providerId: node.spec?.providerID || undefined,
    createdAtMs: timeMs(creationTimestamp) ?? recorder.atMs,
    deletingSinceMs: timeMs(deletionTimestamp),
    unschedulable: node.spec?.unschedulable === true,
    conditions: conditionsOf(node),
    taints: node.spec?.taints ?? [],
    labels,
    allocatable: node.status?.allocatable ?? {},
    kubeletVersion: node.status?.nodeInfo?.kubeletVersion,
  };
}

/** The claim of a node, by its owner reference. */
export function claimOfNode(node: NodeShape): string | undefined {
  return node.metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim')?.name;
}

/**
 * Budgets that protect pods of the node which are still to be evicted; only worth it while the node is leaving. Pods of
 * DaemonSets and of the kubelet's files are not evicted, and one that terminates was.
 */
export async function readBudgets(context: GatherContext, nodeName: string): Promise<void> {
  const { reader, recorder } = context;
  const pods = (await podsOn(context, nodeName)).filter(
    (pod) => !isTerminal(pod) && !isTerminating(pod) && !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod),
  );
  await addProtected(context, nodeName, pods);
  for (const namespace of new Set(pods.map(({ metadata }) => metadata.namespace ?? ''))) {
    const looked = await reader.list(POD_DISRUPTION_BUDGETS, { namespace });
    const failure = listFailure(looked);
    if (failure !== undefined) recorder.addUnread('budget', `PodDisruptionBudgets in ${namespace}`, failure);
    for (const budget of listOr(looked) as readonly BudgetShape[]) addBudget(context, budget, pods);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Agents remove startup taints: one that fails does not. Only of a node that has taints and is not initialized. */
async function failingDaemonsOn(context: GatherContext, node: NodeShape): Promise<readonly string[]> {
  const { name, labels = {} } = node.metadata;
  const isWaiting =
    labels[KarpenterLabel.registered] === 'true' && labels[KarpenterLabel.initialized] !== 'true';
  if (!isWaiting || (node.spec?.taints ?? []).length === 0) return [];
  return (await podsOn(context, name)).filter(isOwnedByDaemonSet).flatMap((pod) => {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const failed = [...initContainerStatuses, ...containerStatuses].find(
      ({ state }) => !isPrepared({ waiting: state?.waiting }),
    );
    return failed === undefined ? [] : [`${fullName(pod)} (${failed.state?.waiting?.reason})`];
  });
}

/** A kubelet renews its Lease every ten seconds: one that is older was missed several times. */
const RENEWED_MS = 60_000;

/**
 * The condition Ready changes only after most of a minute. The clock of whoever asks may be wrong: only if the Lease is old
 * by it, the newest Lease of all nodes is read, which is renewed all the time.
 */
async function silenceOf(
  { reader, recorder }: GatherContext,
  name: string,
): Promise<NodeEvidence['silence']> {
  const own = await reader.get(LEASES, { namespace: NODE_LEASES, name });
  const renewedAtMs = isFound(own) ? renewedAt(own.found) : undefined;
  if (renewedAtMs === undefined || recorder.atMs - renewedAtMs <= RENEWED_MS) return undefined;
  const all = listOr(await reader.list(LEASES, { namespace: NODE_LEASES }));
  const others = all.filter(({ metadata }) => metadata.name !== name).map((lease) => renewedAt(lease) ?? 0);
  const newestMs = others.reduce((newest, ms) => Math.max(newest, ms), 0);
  const forMs = (newestMs === 0 ? recorder.atMs : newestMs) - renewedAtMs;
  return forMs > RENEWED_MS ? { renewedAtMs, forMs } : undefined;
}

const NODE_LEASES = 'kube-node-lease';

function renewedAt(lease: ReadObject): number | undefined {
  return timeMs((lease as LeaseShape).spec?.renewTime);
}

async function podsOn({ reader, recorder }: GatherContext, node: string): Promise<readonly PodShape[]> {
  const looked = await reader.list(PODS, { fields: { 'spec.nodeName': node } });
  return listOr(looked, (unseen) =>
    recorder.addUnread('pod', `pods on node ${node}`, unseen),
  ) as readonly PodShape[];
}

/** Loaded on first use: few questions are about a node that is being drained. */
async function addProtected(
  { recorder }: GatherContext,
  node: string,
  pods: readonly PodShape[],
): Promise<void> {
  const { doNotDisruptOf, isProtected } = await import('../../disruption/index.ts');
  const protectedPods = pods
    .filter((pod) => isProtected(pod as never, recorder.atMs))
    .map((pod) => {
      const found = doNotDisruptOf(pod as never);
      return { pod: fullName(pod), untilMs: found.state === 'until' ? found.untilMs : undefined };
    });
  if (protectedPods.length === 0) return;
  recorder.add({ kind: 'drain', reading: recorder.reading(`pods on node ${node}`), node, protectedPods });
}

function addBudget({ recorder }: GatherContext, budget: BudgetShape, pods: readonly PodShape[]): void {
  const { namespace } = budget.metadata;
  const selector = compileSelector(budget.spec?.selector);
  if ('problem' in selector) return;
  const held = pods.filter(
    ({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels ?? {}),
  );
  if (held.length === 0) return;
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  recorder.add({
    kind: 'budget',
    reading: recorder.reading(`PodDisruptionBudget ${fullName(budget)}`),
    name: fullName(budget),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    pods: held.map((pod) => fullName(pod)),
  });
}
