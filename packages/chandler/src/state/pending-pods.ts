/**
 * Which pods are pending and could get a new node, and which of those are rejected, and why. The scheduler decides
 * whether a node is found.
 */
import type { Pod, Stored } from '@chandler/kube';
import { isRestrictedLabel, KarpenterLabel, KubernetesLabel, type LabelRules } from '../api/index.ts';
import {
  type ClaimProblem,
  claimProblemText,
  type LabelRequirement,
  type NodeSelectorTerm,
  problemOfClaim,
} from '../scheduling/index.ts';

import { conditionOf, isOwnedByDaemonSet, isOwnedByNode, isTerminal, isTerminating } from './objects.ts';
import type { Stores } from './stores.ts';

/** Why a pod is not scheduled: no new node would help it, or none can be created for it. */
export type PodRejection =
  | SelectorRejection
  | { readonly code: 'ClaimRefused'; readonly message: string }
  | ({ readonly code: 'VolumeClaim'; readonly claim: string } & ClaimProblem);

export type SelectorRejection =
  | { readonly code: 'RestrictedLabel'; readonly field: string; readonly key: string }
  | { readonly code: 'MatchFields'; readonly field: string };

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

/** By what the pod requires of nodes. */
export function selectorRejection(pod: Stored<Pod>, rules: LabelRules): SelectorRejection | undefined {
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

export function rejectionText(rejection: PodRejection): string {
  switch (rejection.code) {
    case 'RestrictedLabel':
      return `${rejection.field}: the label ${rejection.key} cannot be required, because no new node is known to have it`;
    case 'MatchFields':
      return `${rejection.field}: matchFields is not supported`;
    case 'ClaimRefused':
      return `the API server rejects a NodeClaim for this pod: ${rejection.message}`;
    case 'VolumeClaim':
      return claimProblemText(rejection.claim, rejection);
  }
}

// ---------------------------------------------------------------------------------------------------

function requiredTerms(pod: Stored<Pod>): readonly NodeSelectorTerm[] {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms ?? [];
}

function isOptOut({ key, operator }: LabelRequirement): boolean {
  return key === KarpenterLabel.nodePool && operator === 'DoesNotExist';
}

function isForbidden(key: string, rules: LabelRules): boolean {
  return key === KubernetesLabel.hostname || (isRestrictedLabel(key, rules) && !rules.wellKnown.has(key));
}

function volumeRejection(pod: Stored<Pod>, stores: Stores): PodRejection | undefined {
  const namespace = pod.metadata.namespace;
  const lookup = {
    volume: (name: string) => stores.volumes.store.get({ name }),
    storageClass: (name: string) => stores.storageClasses.store.get({ name }),
  };
  for (const volume of pod.spec.volumes ?? []) {
    const claimName =
      volume.persistentVolumeClaim?.claimName ??
      (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);
    if (claimName === undefined) continue;
    const claim = stores.volumeClaims.store.get({ namespace, name: claimName });
    const problem = problemOfClaim(claim, lookup);
    if (problem !== undefined) return { code: 'VolumeClaim', claim: `${namespace}/${claimName}`, ...problem };
  }
  return undefined;
}
