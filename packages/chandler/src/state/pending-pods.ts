/**
 * Which pods are pending and could get a new node, and which of those are rejected, and why. The scheduler decides
 * whether a node is found.
 */
import type { PersistentVolumeClaim, Pod, Stored } from '@chandler/kube';
import { isRestrictedLabel, KarpenterLabel, KubernetesLabel, type LabelRules } from '../api/index.ts';
import type { LabelRequirement, NodeSelectorTerm } from '../scheduling/index.ts';

import { conditionOf, isOwnedByDaemonSet, isOwnedByNode, isTerminal, isTerminating } from './objects.ts';
import type { Stores } from './stores.ts';

/** Why a pod is not scheduled: no new node would help it, or none can be created for it. */
export type PodRejection =
  | { readonly code: 'RestrictedLabel'; readonly field: string; readonly key: string }
  | { readonly code: 'MatchFields'; readonly field: string }
  | { readonly code: 'ClaimRefused'; readonly message: string }
  | {
      readonly code: 'VolumeClaim';
      readonly claim: string;
      readonly problem: VolumeProblem;
      /** The volume or storage class concerned. */
      readonly name?: string;
    };

export type VolumeProblem =
  | 'missing'
  | 'deleting'
  | 'lost'
  | 'volume missing'
  | 'volume deleting'
  | 'not yet bound'
  | 'no storage class'
  | 'storage class missing'
  | 'binds at once';

/** kube-scheduler marked it unschedulable, and it is neither bound nor preempting. */
export function isProvisionable(pod: Stored<Pod>): boolean {
  if (pod.spec.nodeName || isTerminal(pod) || isTerminating(pod)) return false;
  if (isOwnedByDaemonSet(pod) || isOwnedByNode(pod)) return false;
  if (pod.status?.nominatedNodeName) return false;
  const scheduled = conditionOf(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
}

/** Pods that opt out of provisioning: neither scheduled nor reported. */
export function wantsNoPool(pod: Stored<Pod>): boolean {
  return requiredTerms(pod).some(({ matchExpressions = [] }) =>
    matchExpressions.some(
      ({ key, operator }) => key === KarpenterLabel.nodePool && operator === 'DoesNotExist',
    ),
  );
}

export function rejectionOf(pod: Stored<Pod>, stores: Stores, rules: LabelRules): PodRejection | undefined {
  return selectorRejection(pod, rules) ?? volumeRejection(pod, stores);
}

export function rejectionText(rejection: PodRejection): string {
  switch (rejection.code) {
    case 'RestrictedLabel':
      return `${rejection.field}: the label ${rejection.key} cannot be required, because no new node is known to have it`;
    case 'MatchFields':
      return `${rejection.field}: matchFields is not supported`;
    case 'ClaimRefused':
      return `the API server rejects a NodeClaim for this pod: ${rejection.message}`;
    case 'VolumeClaim': {
      const about = rejection.name === undefined ? '' : ` (${rejection.name})`;
      return `PersistentVolumeClaim ${rejection.claim}: ${rejection.problem}${about}`;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function requiredTerms(pod: Stored<Pod>): readonly NodeSelectorTerm[] {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms ?? [];
}

function selectorRejection(pod: Stored<Pod>, rules: LabelRules): PodRejection | undefined {
  for (const key of Object.keys(pod.spec.nodeSelector ?? {})) {
    if (isForbidden(key, rules)) return { code: 'RestrictedLabel', field: 'spec.nodeSelector', key };
  }
  const terms = requiredTerms(pod);
  for (const [index, term] of terms.entries()) {
    const field = `spec.affinity.nodeAffinity.required[${index}]`;
    if ((term.matchFields ?? []).length > 0) return { code: 'MatchFields', field };
    const refused = (term.matchExpressions ?? []).find(
      (expression: LabelRequirement) => !isOptOut(expression) && isForbidden(expression.key, rules),
    );
    if (refused !== undefined) return { code: 'RestrictedLabel', field, key: refused.key };
  }
  return undefined;
}

function isOptOut({ key, operator }: LabelRequirement): boolean {
  return key === KarpenterLabel.nodePool && operator === 'DoesNotExist';
}

function isForbidden(key: string, rules: LabelRules): boolean {
  return key === KubernetesLabel.hostname || (isRestrictedLabel(key, rules) && !rules.wellKnown.has(key));
}

function volumeRejection(pod: Stored<Pod>, stores: Stores): PodRejection | undefined {
  const namespace = pod.metadata.namespace;
  for (const volume of pod.spec.volumes ?? []) {
    const claimName =
      volume.persistentVolumeClaim?.claimName ??
      (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);
    if (claimName === undefined) continue;
    const claim = stores.volumeClaims.store.get({ namespace, name: claimName });
    const problem = problemOfClaim(claim, stores);
    if (problem !== undefined) return { code: 'VolumeClaim', claim: `${namespace}/${claimName}`, ...problem };
  }
  return undefined;
}

function problemOfClaim(
  claim: Stored<PersistentVolumeClaim> | undefined,
  stores: Stores,
): { problem: VolumeProblem; name?: string } | undefined {
  if (claim === undefined) return { problem: 'missing' };
  if (isTerminating(claim)) return { problem: 'deleting' };
  if (claim.status?.phase === 'Lost') return { problem: 'lost' };
  const { volumeName, storageClassName } = claim.spec;
  if (volumeName) {
    const volume = stores.volumes.store.get({ name: volumeName });
    if (volume === undefined) return { problem: 'volume missing', name: volumeName };
    if (isTerminating(volume)) return { problem: 'volume deleting', name: volumeName };
    const bound = claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
    return bound ? undefined : { problem: 'not yet bound', name: volumeName };
  }
  if (!storageClassName) return { problem: 'no storage class' };
  const storageClass = stores.storageClasses.store.get({ name: storageClassName });
  if (storageClass === undefined) return { problem: 'storage class missing', name: storageClassName };
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer'
    ? undefined
    : { problem: 'binds at once', name: storageClassName };
}
