/**
 * What all workloads do with pods: create them from a template, own them, determine which are active and available,
 * and the order of deletion. Pure, except for random names.
 */
import {
  apiVersionOfResource,
  conditionOf,
  type Labels,
  type NamedObject,
  type NamespacedMeta,
  type NamespacedObject,
  type OwnerReference,
  type Pod,
  type PodTemplateSpec,
  parseTimeMs,
  type Random,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { isFinished, isReady, isTerminating, nameOf, namespaceOf } from '../object-facts.ts';

export function ownerReference(resource: ResourceRef, owner: Stored): OwnerReference {
  return {
    apiVersion: apiVersionOfResource(resource),
    kind: resource.kind,
    name: nameOf(owner),
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function podFromTemplate(
  template: PodTemplateSpec,
  owner: { readonly resource: ResourceRef; readonly object: Stored<NamespacedObject> },
  name: string,
  extra: { readonly labels?: Labels; readonly annotations?: Labels } = {},
): Pod & NamedObject {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata: NamespacedMeta & { name: string } = {
    name,
    namespace: namespaceOf(owner.object),
    labels: { ...labels, ...extra.labels },
    ownerReferences: [ownerReference(owner.resource, owner.object)],
  };
  if (annotations || extra.annotations) metadata.annotations = { ...annotations, ...extra.annotations };
  if (finalizers) metadata.finalizers = finalizers;
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec };
}

/** `web-6c8b49` → `web-6c8b49-x7k2p`, truncated to a valid name. */
export function randomName(base: string, random: Random): string {
  let suffix = '';
  for (let at = 0; at < SUFFIX_LENGTH; at++)
    suffix += SAFE_LETTERS[Math.floor(random.next() * SAFE_LETTERS.length)];
  return `${base.slice(0, MAX_BASE_LENGTH)}-${suffix}`;
}

/** Digits as letters that make no words, as Kubernetes does with hashes. */
export function safeText(digits: string): string {
  return [...digits].map((digit) => SAFE_LETTERS[digit.charCodeAt(0) % SAFE_LETTERS.length]).join('');
}

/** The same template always gives the same short text. */
export function templateHash(template: PodTemplateSpec): string {
  const text = JSON.stringify(template);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return safeText(String(hash >>> 0));
}

export function isActive(pod: Stored<Pod>): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** Ready for at least minReadySeconds. */
export function isAvailable(pod: Stored<Pod>, minReadySeconds: number, nowMs: number): boolean {
  return isReady(pod) && availableInMs(pod, minReadySeconds, nowMs) <= 0;
}

/** When a ready pod becomes available; infinite for one that is not ready. */
export function availableInMs(pod: Stored<Pod>, minReadySeconds: number, nowMs: number): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds <= 0) return 0;
  const sinceMs = parseTimeMs(conditionOf(pod, 'Ready')?.lastTransitionTime);
  return sinceMs + minReadySeconds * 1000 - nowMs;
}

/** When to requeue because a pod becomes available; undefined if no pod will. */
export function nextAvailableMs(
  pods: readonly Stored<Pod>[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const waits = pods
    .map((pod) => availableInMs(pod, minReadySeconds, nowMs))
    .filter((waitMs) => waitMs > 0 && Number.isFinite(waitMs));
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The order of deletion: no node, not running, not ready, low deletion cost, crowded node, youngest. */
export function inDeletionOrder(pods: readonly Stored<Pod>[]): Stored<Pod>[] {
  const crowd = new Map<string, number>();
  for (const pod of pods) {
    const node = pod.spec.nodeName ?? '';
    crowd.set(node, (crowd.get(node) ?? 0) + 1);
  }
  const rank = (pod: Stored<Pod>) => [
    pod.spec.nodeName ? 1 : 0,
    ['Pending', 'Unknown', 'Running'].indexOf(pod.status?.phase ?? 'Pending'),
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0,
    -(crowd.get(pod.spec.nodeName ?? '') ?? 0),
    -(parseTimeMs(conditionOf(pod, 'Ready')?.lastTransitionTime) || 0),
    -(parseTimeMs(pod.metadata.creationTimestamp) || 0),
  ];
  return [...pods].sort(
    (left, right) => compareRanks(rank(left), rank(right)) || (nameOf(left) < nameOf(right) ? -1 : 1),
  );
}

/** A number, or a share of the whole. */
export function scaledValue(value: number | string | undefined, whole: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const share = (Number(value.replace(/%$/, '')) * whole) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}

// ---------------------------------------------------------------------------------------------------

const SAFE_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 57;

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return left[at]! - right[at]!;
  return 0;
}
