/**
 * The scheduling class of a pod, as one text: pods with the same text get the same result in the same cluster. And
 * which changes of the cluster could make an unschedulable pod schedulable.
 */
import type { Node, Pod, Stored } from '@chandler/kube';
import { controllerOf, namespaceOf } from '../object-facts.ts';
import { podRequests } from '../resources.ts';
import { hostPortsOf } from './host-ports.ts';
import { claimNames } from './volumes.ts';

/** Objects of a store are never changed, so each is looked at once. */
const KNOWN = new WeakMap<Stored<Pod>, string>();

export function podClass(pod: Stored<Pod>): string {
  let known = KNOWN.get(pod);
  if (known === undefined) {
    known = textOf(pod);
    KNOWN.set(pod, known);
  }
  return known;
}

/** Whether another pod can make it schedulable. */
export function dependsOnPods(pod: Stored<Pod>): boolean {
  const { affinity, topologySpreadConstraints } = pod.spec;
  return affinity?.podAffinity !== undefined || (topologySpreadConstraints ?? []).length > 0;
}

export function hasClaims(pod: Stored<Pod>): boolean {
  return claimNames(pod).length > 0;
}

/** Heartbeats change nodes all the time; only these changes matter. */
export function nodeChanged(before: Stored<Node> | undefined, after: Stored<Node>): boolean {
  return before === undefined || nodeFacts(before) !== nodeFacts(after);
}

// ---------------------------------------------------------------------------------------------------

function nodeFacts({ metadata, spec, status }: Stored<Node>): string {
  return JSON.stringify([metadata.labels, spec?.unschedulable, spec?.taints, status?.allocatable]);
}

function textOf(pod: Stored<Pod>): string {
  const { nodeName, nodeSelector, affinity, tolerations, topologySpreadConstraints, preemptionPolicy } =
    pod.spec;
  return JSON.stringify([
    namespaceOf(pod),
    pod.metadata.labels,
    [...podRequests(pod.spec)],
    hostPortsOf(pod.spec),
    claimNames(pod),
    [nodeName, nodeSelector, affinity, tolerations, topologySpreadConstraints, preemptionPolicy],
    controllerOf(pod)?.uid,
  ]);
}
