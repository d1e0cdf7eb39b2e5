/**
 * Registration: the claim's Node has appeared. It gets what the claim promises (labels, annotations, taints, owner,
 * finalizer); then the taint that kept pods away is taken off.
 */
import type { OwnerReference, Taint } from '@chandler/kube';
import { keyOfObject, NODES, type ResourceRef, type Result } from '@chandler/kube';
import { Finalizer, KarpenterLabel, sameTaint, UNREGISTERED_TAINT } from '../../api/index.ts';
import { BY_PROVIDER_ID, type NodeObject } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { ClaimDraft } from './draft.ts';
import type { LifecycleNews } from './news.ts';

export async function register(
  context: ControllerContext,
  draft: ClaimDraft,
  news: LifecycleNews,
): Promise<Result> {
  const { conditions } = draft;
  if (conditions.get('Registered')?.status !== 'Unknown' || draft.providerID === '') return {};
  const nodes = context.stores.nodes.store.by(BY_PROVIDER_ID, draft.providerID);
  if (nodes.length === 0) {
    conditions.setUnknown('Registered', 'NodeNotFound', 'Node not registered with cluster');
    return {};
  }
  if (nodes.length > 1) {
    const names = nodes.map(({ metadata }) => metadata.name).sort();
    conditions.setFalse(
      'Registered',
      'MultipleNodesFound',
      `Several nodes name this machine: ${names.join(', ')}`,
    );
    return {};
  }
  const node = nodes[0]!;
  if (!hasTaint(node, UNREGISTERED_TAINT) && node.metadata.labels?.[KarpenterLabel.registered] === undefined)
    news.unregisteredTaintMissing(draft);
  const pending = await pendingHooks(context, draft);
  await patchNode(context, node, synced(node, draft, pending.length === 0));
  if (pending.length > 0) {
    conditions.setUnknown('Registered', 'RegistrationHookPending', pending.join(', '));
    return { requeueAfterMs: 1_000 };
  }
  conditions.setTrue('Registered');
  draft.setStatus({ nodeName: node.metadata.name ?? '' });
  draft.onceWritten(() => news.registered(draft, node));
  return {};
}

/** A node's taints and labels as they are to be, with what is there kept. */
export function synced(node: NodeObject, draft: ClaimDraft, done: boolean): NodePatch {
  const { claim } = draft;
  const labels = { ...node.metadata.labels, ...draft.labels };
  const sync = labels[KarpenterLabel.doNotSyncTaints] === undefined;
  const wanted = sync ? [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])] : [];
  const have = node.spec?.taints ?? [];
  const taints = [...have, ...wanted.filter((taint) => !have.some((other) => sameTaint(other, taint)))];
  return {
    labels: done ? { ...labels, [KarpenterLabel.registered]: 'true' } : labels,
    annotations: { ...node.metadata.annotations, ...nodeAnnotations(draft) },
    taints: done ? taints.filter((taint) => !sameTaint(taint, UNREGISTERED_TAINT)) : taints,
    finalizers: union(node.metadata.finalizers ?? [], [Finalizer.termination]),
    ownerReferences: withOwner(node.metadata.ownerReferences ?? [], draft),
  };
}

interface NodePatch {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
}

// ---------------------------------------------------------------------------------------------------

async function pendingHooks({ cloud }: ControllerContext, draft: ClaimDraft): Promise<readonly string[]> {
  const answers = await Promise.all(
    (cloud.registrationHooks ?? []).map(async (hook) => ((await hook.done(draft.claim)) ? [] : [hook.name])),
  );
  return answers.flat();
}

function hasTaint(node: NodeObject, taint: { readonly key: string; readonly effect: string }): boolean {
  return (node.spec?.taints ?? []).some((other) => sameTaint(other, taint));
}

/** Our own notes stay on the claim. */
function nodeAnnotations(draft: ClaimDraft): Record<string, string> {
  return Object.fromEntries(
    Object.entries(draft.annotations).filter(([key]) => !key.startsWith('chandler.sh/')),
  );
}

function union(have: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...have, ...more])];
}

function withOwner(have: readonly OwnerReference[], { claim }: ClaimDraft): readonly OwnerReference[] {
  const uid = claim.metadata.uid ?? '';
  if (have.some((owner) => owner.uid === uid)) return have;
  const owner: OwnerReference = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    name: claim.metadata.name ?? '',
    uid,
    blockOwnerDeletion: true,
  };
  return [...have, owner];
}

async function patchNode({ client }: ControllerContext, node: NodeObject, wanted: NodePatch): Promise<void> {
  const { labels, annotations, finalizers, ownerReferences, taints } = wanted;
  const metadata = { labels, annotations, finalizers, ownerReferences };
  const same =
    equal(labels, node.metadata.labels ?? {}) &&
    equal(annotations, node.metadata.annotations ?? {}) &&
    equal(finalizers, node.metadata.finalizers ?? []) &&
    equal(ownerReferences, node.metadata.ownerReferences ?? []) &&
    equal(taints, node.spec?.taints ?? []);
  if (same) return;
  const patch = {
    metadata: { resourceVersion: node.metadata.resourceVersion, ...metadata },
    spec: { taints },
  };
  await client.patch(NODES as ResourceRef<NodeObject>, keyOfObject(node), { type: 'merge', patch });
}

function equal(one: object, other: object): boolean {
  return JSON.stringify(sortedEntries(one)) === JSON.stringify(sortedEntries(other));
}

function sortedEntries(value: object): unknown {
  return Array.isArray(value)
    ? value
    : Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
