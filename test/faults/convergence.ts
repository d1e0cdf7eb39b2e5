/**
 * Checks whether the cluster has converged: nothing is in progress and every pod that can run is running.
 */
import { conditionOf, isTrue, type View } from './checks/check.ts';
import { leftToDisrupt } from './checks/disruption/leftovers.ts';
import { isWaiting, poolThatCould } from './checks/explanations.ts';
import type { ObservedObject } from './server-state/kube-state.ts';

/** A description of unfinished work; undefined when there is none. */
export function unfinishedWork(view: View): string | undefined {
  return (
    unfinishedClaims(view) ??
    unfinishedCloud(view) ??
    unfinishedNodes(view) ??
    unfinishedPods(view) ??
    leftToDisrupt(view)
  );
}

// ---------------------------------------------------------------------------------------------------

function unfinishedClaims(view: View): string | undefined {
  const { kube, cloud } = view;
  for (const claim of kube.list('claims')) {
    const { name, uid, deletionTimestamp } = claim.metadata;
    if (deletionTimestamp !== undefined) return `claim ${name} is being deleted`;
    if (!isTrue(claim, 'Initialized')) return `claim ${name} is not initialized: ${textOf(claim)}`;
    if (cloud.instanceOf(uid!) === undefined) return `claim ${name} has no VM`;
    if (claim.spec.expireAfter !== 'Never') return `claim ${name} will expire`;
  }
  for (const kind of ['pools', 'classes'] as const) {
    const going = kube.list(kind).find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const held =
      kind === 'classes' &&
      kube.list('claims').some(({ spec }) => spec.nodeClassRef.name === going?.metadata.name);
    if (going !== undefined && !held) return `${going.metadata.name} of ${kind} is being deleted`;
  }
  // A failed read is retried after minutes.
  for (const nodeClass of kube.list('classes')) {
    const { metadata, status } = nodeClass;
    const open = (status?.conditions ?? []).find((each: { status: string }) => each.status === 'Unknown');
    if (metadata.deletionTimestamp === undefined && open !== undefined)
      return `class ${metadata.name} has condition ${open.type} Unknown`;
    const unfinished = view.story.unfinishedClass(nodeClass);
    if (metadata.deletionTimestamp === undefined && unfinished !== undefined)
      return `class ${metadata.name} ${unfinished}`;
  }
  return undefined;
}

function unfinishedCloud({ cloud }: View): string | undefined {
  const [orphan] = cloud.orphans();
  return orphan === undefined ? cloud.unfinished() : `${orphan.part} ${orphan.name} has no owner`;
}

function unfinishedNodes({ kube }: View): string | undefined {
  const machines = new Set(kube.list('claims').map(({ status }) => status?.providerID));
  for (const node of kube.list('nodes')) {
    const { name, deletionTimestamp, labels } = node.metadata;
    if (deletionTimestamp !== undefined) return `node ${name} is being deleted`;
    if (!isTrue(node, 'Ready')) return `node ${name} is not ready`;
    if (labels?.['karpenter.sh/nodepool'] !== undefined && !machines.has(node.spec?.providerID))
      return `node ${name} has no claim`;
  }
  return undefined;
}

function unfinishedPods(view: View): string | undefined {
  for (const pod of view.kube.list('pods')) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return `pod ${name} is being deleted`;
    if (pod.spec.nodeName !== undefined && pod.status?.phase !== 'Running') return `pod ${name} is starting`;
    const pool = isWaiting(pod) ? poolThatCould(view, pod) : undefined;
    if (pool !== undefined) return `pod ${name} is pending, and pool ${pool} could launch a node for it`;
  }
  return undefined;
}

function textOf(claim: ObservedObject): string {
  return ['Launched', 'Registered', 'Initialized']
    .map((type) => {
      const { status = 'absent', reason = '' } = conditionOf(claim, type) ?? {};
      return `${type}=${status} ${reason}`;
    })
    .join(', ');
}
