/**
 * What an administrator does when the faults have stopped, so that the cluster can converge: whatever would block a drain
 * or a disruption for ever is removed.
 */
import { POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { isTrue, type View } from './checks/check.ts';
import { budgetsOf } from './checks/disruption/budgets.ts';
import { ignoringErrors, isForeign } from './story/actions.ts';

/** Some of them are created only after the faults have stopped. */
export async function removeObstacles(view: View): Promise<void> {
  await deleteDisruptionBudgets(view);
  await disableExpiration(view);
  await openBudgets(view);
}

/** Removes do-not-disrupt from pods on nodes that are being deleted, and resumes nodes that stopped reporting. */
export async function unblockDrains({ servers, kube, cloud }: View): Promise<void> {
  const machines = cloud.nodeNames();
  for (const node of kube.list('nodes')) {
    const { name } = node.metadata;
    if (!isTrue(node, 'Ready') && (machines.has(name!) || isForeign(node)))
      await ignoringErrors(() => servers.playground.standins!.resumeNode(name!));
  }
  for (const pod of kube.list('pods')) {
    if (pod.metadata.annotations?.['karpenter.sh/do-not-disrupt'] === undefined) continue;
    const node = kube.get('nodes', pod.spec.nodeName ?? '');
    if (node?.metadata.deletionTimestamp === undefined) continue;
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } };
    const key = { name: pod.metadata.name!, namespace: pod.metadata.namespace! };
    await ignoringErrors(() => servers.admin.patch(PODS, key, { type: 'merge', patch }));
  }
}

// ---------------------------------------------------------------------------------------------------

/** Disruption budgets would block drains. */
async function deleteDisruptionBudgets({ servers, kube }: View): Promise<void> {
  const { admin } = servers;
  for (const { metadata } of kube.list('budgets'))
    await ignoringErrors(() =>
      admin.delete(POD_DISRUPTION_BUDGETS, { name: metadata.name!, namespace: metadata.namespace! }),
    );
}

/** Nodes do not expire any more, also in a pool that is created again only now. */
async function disableExpiration({ servers, kube }: View): Promise<void> {
  for (const { metadata, spec } of kube.list('pools')) {
    if (spec.template.spec.expireAfter === 'Never') continue;
    const patch = { spec: { template: { spec: { expireAfter: 'Never' } } } };
    await ignoringErrors(() =>
      servers.admin.patch(NODE_POOLS, { name: metadata.name! }, { type: 'merge', patch }),
    );
  }
}

/** Budgets that would keep nodes for ever are replaced; a share that has to be rounded up stays. */
async function openBudgets({ servers, kube }: View): Promise<void> {
  const budgets = [{ nodes: '34%' }];
  for (const { metadata, spec } of kube.list('pools')) {
    const now = budgetsOf({ metadata, spec });
    if (now.every(({ nodes, schedule }) => schedule === undefined && nodes !== '0' && nodes !== '0%'))
      continue;
    const patch = { spec: { disruption: { budgets } } };
    await ignoringErrors(() =>
      servers.admin.patch(NODE_POOLS, { name: metadata.name! }, { type: 'merge', patch }),
    );
  }
}
