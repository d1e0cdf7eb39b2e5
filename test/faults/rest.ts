/** Whether the world has come to rest: nothing is on its way any more, and everybody who can run runs. */
import { conditionOf, isTrue, type View } from './checks/check.ts';
import { isWaiting, poolThatCould } from './checks/explanations.ts';
import type { TruthObject } from './truth/kube-truth.ts';

/** What is still to come; undefined when nothing is. */
export function whatIsMissing(view: View): string | undefined {
  return claimsMissing(view) ?? machinesMissing(view) ?? nodesMissing(view) ?? podsMissing(view);
}

// ---------------------------------------------------------------------------------------------------

function claimsMissing({ kube, azure }: View): string | undefined {
  for (const claim of kube.list('claims')) {
    const { name, uid, deletionTimestamp } = claim.metadata;
    if (deletionTimestamp !== undefined) return `claim ${name} goes`;
    if (!isTrue(claim, 'Initialized')) return `claim ${name} is not initialized: ${textOf(claim)}`;
    if (azure.vmOf(uid!) === undefined) return `claim ${name} has no machine`;
    if (claim.spec.expireAfter !== 'Never') return `claim ${name} will expire`;
  }
  for (const kind of ['pools', 'classes'] as const) {
    const going = kube.list(kind).find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const held =
      kind === 'classes' &&
      kube.list('claims').some(({ spec }) => spec.nodeClassRef.name === going?.metadata.name);
    if (going !== undefined && !held) return `${going.metadata.name} of ${kind} goes`;
  }
  // What could not be read is read again after minutes.
  for (const { metadata, status } of kube.list('classes')) {
    const open = (status?.conditions ?? []).find((each: { status: string }) => each.status === 'Unknown');
    if (metadata.deletionTimestamp === undefined && open !== undefined)
      return `class ${metadata.name} does not know about ${open.type}`;
  }
  return undefined;
}

function machinesMissing({ kube, azure }: View): string | undefined {
  const uids = new Set(kube.list('claims').map(({ metadata }) => metadata.uid));
  const orphan = azure.list().find(({ claimUid }) => claimUid !== undefined && !uids.has(claimUid));
  return orphan === undefined ? undefined : `${orphan.part} ${orphan.name} has no claim`;
}

function nodesMissing({ kube }: View): string | undefined {
  const machines = new Set(kube.list('claims').map(({ status }) => status?.providerID));
  for (const node of kube.list('nodes')) {
    const { name, deletionTimestamp, labels } = node.metadata;
    if (deletionTimestamp !== undefined) return `node ${name} goes`;
    if (!isTrue(node, 'Ready')) return `node ${name} is not ready`;
    if (labels?.['karpenter.sh/nodepool'] !== undefined && !machines.has(node.spec?.providerID))
      return `node ${name} has no claim`;
  }
  return undefined;
}

function podsMissing(view: View): string | undefined {
  for (const pod of view.kube.list('pods')) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) return `pod ${name} goes`;
    if (pod.spec.nodeName !== undefined && pod.status?.phase !== 'Running') return `pod ${name} starts`;
    const pool = isWaiting(pod) ? poolThatCould(view, pod) : undefined;
    if (pool !== undefined) return `pod ${name} waits, and pool ${pool} could take it`;
  }
  return undefined;
}

function textOf(claim: TruthObject): string {
  return ['Launched', 'Registered', 'Initialized']
    .map((type) => {
      const { status = 'absent', reason = '' } = conditionOf(claim, type) ?? {};
      return `${type}=${status} ${reason}`;
    })
    .join(', ');
}
