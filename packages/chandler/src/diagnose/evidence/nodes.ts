/** Nodes, and while one is leaving what keeps it: layer 6. */
import type { KubeObject } from '@chandler/kube';
import { POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import type { NodeEvidence } from '../../causes/index.ts';
import { compileSelector } from '../../scheduling/index.ts';

import { isFound, listOr } from '../reader/reader.ts';
import type { Ask } from './ask.ts';
import { readEvents } from './events.ts';
import { type BudgetShape, conditionsOf, fullName, type NodeShape, type PodShape, timeMs } from './shapes.ts';

export async function readNode(ask: Ask, node: NodeShape, claim: string | undefined): Promise<NodeEvidence> {
  const evidence = nodeEvidence(ask, node, claim);
  ask.ledger.add(evidence);
  // Without a UID: kubelets write the node's name there.
  await readEvents(ask, { kind: 'Node', name: node.metadata.name ?? '' });
  return evidence;
}

export function nodeEvidence({ ledger }: Ask, node: NodeShape, claim: string | undefined): NodeEvidence {
  const { name = '', labels = {}, creationTimestamp, deletionTimestamp } = node.metadata;
  return {
    kind: 'node',
    reading: ledger.reading(`Node ${name}`),
    name,
    claim,
    providerId: node.spec?.providerID || undefined,
    createdAtMs: timeMs(creationTimestamp) ?? ledger.atMs,
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

export function isFromPool(node: KubeObject): boolean {
  return node.metadata.labels?.[KarpenterLabel.nodePool] !== undefined;
}

/** Budgets that protect pods of the node; only worth it while the node is leaving. */
export async function readBudgets(ask: Ask, nodeName: string): Promise<void> {
  const { reader, ledger } = ask;
  const pods = (await podsOn(ask, nodeName)).filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  for (const namespace of new Set(pods.map(({ metadata }) => metadata.namespace ?? ''))) {
    const looked = await reader.list(POD_DISRUPTION_BUDGETS, { namespace });
    if (!isFound(looked)) {
      ledger.missed('budget', `PodDisruptionBudgets in ${namespace}`, looked);
      continue;
    }
    for (const budget of looked.found as readonly BudgetShape[]) addBudget(ask, budget, pods);
  }
}

// ---------------------------------------------------------------------------------------------------

async function podsOn({ reader, ledger }: Ask, node: string): Promise<readonly PodShape[]> {
  const looked = await reader.list(PODS, { fields: { 'spec.nodeName': node } });
  return listOr(looked, (unseen) =>
    ledger.missed('pod', `pods on node ${node}`, unseen),
  ) as readonly PodShape[];
}

function addBudget({ ledger }: Ask, budget: BudgetShape, pods: readonly PodShape[]): void {
  const { namespace } = budget.metadata;
  const selector = compileSelector(budget.spec?.selector);
  if ('problem' in selector) return;
  const held = pods.filter(
    ({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels ?? {}),
  );
  if (held.length === 0) return;
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  ledger.add({
    kind: 'budget',
    reading: ledger.reading(`PodDisruptionBudget ${fullName(budget)}`),
    name: fullName(budget),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    pods: held.map((pod) => fullName(pod)),
  });
}
