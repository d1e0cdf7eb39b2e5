/**
 * Registration: the claim's Node exists. It gets the claim's labels, annotations, taints, owner reference and
 * finalizer; then the taint that keeps pods away is removed.
 */
import type { OwnerReference, Taint } from '@chandler/kube';
import { keyOfObject, NODES, type Node, type Result, type Stored } from '@chandler/kube';
import { Finalizer, KarpenterLabel, sameTaint, UNREGISTERED_TAINT } from '../../api/index.ts';
import { BY_PROVIDER_ID } from '../../state/index.ts';

import type { ReconcileScope } from '../context.ts';
import type { ClaimPatch } from './claim-patch.ts';
import type { LifecycleReporter } from './lifecycle-reporter.ts';

export async function register(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
): Promise<Result> {
  const { conditions } = claimPatch;
  if (conditions.get('Registered')?.status !== 'Unknown' || claimPatch.providerID === '') return {};
  const nodes = context.stores.nodes.store.by(BY_PROVIDER_ID, claimPatch.providerID);
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
    reporter.unregisteredTaintMissing(claimPatch);
  const pending = await pendingHooks(context, claimPatch);
  await patchNode(context, node, synced(node, claimPatch, pending.length === 0));
  if (pending.length > 0) {
    conditions.setUnknown('Registered', 'RegistrationHookPending', pending.join(', '));
    return { requeueAfterMs: 1_000 };
  }
  conditions.setTrue('Registered');
  claimPatch.setStatus({ nodeName: node.metadata.name });
  claimPatch.onceWritten(() => reporter.registered(context, claimPatch, node));
  return {};
}

/** The node's metadata and taints after registration; existing values are kept. */
export function synced(node: Stored<Node>, claimPatch: ClaimPatch, done: boolean): NodePatch {
  const { claim } = claimPatch;
  const labels = { ...node.metadata.labels, ...claimPatch.labels };
  const sync = labels[KarpenterLabel.doNotSyncTaints] === undefined;
  const wanted = sync ? [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])] : [];
  const have = node.spec?.taints ?? [];
  const taints = [...have, ...wanted.filter((taint) => !have.some((other) => sameTaint(other, taint)))];
  return {
    labels: done ? { ...labels, [KarpenterLabel.registered]: 'true' } : labels,
    annotations: { ...node.metadata.annotations, ...nodeAnnotations(claimPatch) },
    taints: done ? taints.filter((taint) => !sameTaint(taint, UNREGISTERED_TAINT)) : taints,
    finalizers: union(node.metadata.finalizers ?? [], [Finalizer.termination]),
    ownerReferences: withOwner(node.metadata.ownerReferences ?? [], claimPatch),
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

async function pendingHooks(
  { cloud, signal }: ReconcileScope,
  claimPatch: ClaimPatch,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    (cloud.registrationHooks ?? []).map(async (hook) =>
      (await hook.done(claimPatch.claim, signal)) ? [] : [hook.name],
    ),
  );
  return answers.flat();
}

function hasTaint(node: Stored<Node>, taint: { readonly key: string; readonly effect: string }): boolean {
  return (node.spec?.taints ?? []).some((other) => sameTaint(other, taint));
}

/** Annotations of this product stay on the claim. */
function nodeAnnotations(claimPatch: ClaimPatch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claimPatch.annotations).filter(([key]) => !key.startsWith('chandler.sh/')),
  );
}

function union(have: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...have, ...more])];
}

function withOwner(have: readonly OwnerReference[], { claim }: ClaimPatch): readonly OwnerReference[] {
  const uid = claim.metadata.uid;
  if (have.some((owner) => owner.uid === uid)) return have;
  const owner: OwnerReference = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    name: claim.metadata.name,
    uid,
    blockOwnerDeletion: true,
  };
  return [...have, owner];
}

async function patchNode({ client }: ReconcileScope, node: Stored<Node>, wanted: NodePatch): Promise<void> {
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
  await client.patch(NODES, keyOfObject(node), { type: 'merge', patch });
}

function equal(one: object, other: object): boolean {
  return JSON.stringify(sortedEntries(one)) === JSON.stringify(sortedEntries(other));
}

function sortedEntries(value: object): unknown {
  return Array.isArray(value)
    ? value
    : Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
