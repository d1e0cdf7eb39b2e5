/**
 * Whether pods fit on nodes: resources, node selectors, required node affinity and taints. Spread and affinity between
 * pods are left out, so that more fits here than in the cluster. An exhaustive search for small sets.
 */

import { podRequests } from '@chandler/apiserver/standins';
import { amountsOf } from '@chandler/apiserver/testing';
import type { Pod } from '../../../../packages/chandler/src/scheduling/index.ts';
import { keepsOff, wantsNode } from '../../../scheduling/check-node-fit.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';

/** A node and what is left of it. */
export interface Room {
  readonly node: ObservedObject;
  readonly free: Map<string, number>;
}

/** @param pods all that keep their place on the node. */
export function roomOn(node: ObservedObject, pods: readonly ObservedObject[]): Room {
  const free = new Map(amountsOf(node.status?.allocatable));
  const room = { node, free };
  for (const pod of pods) use(room, pod, 1);
  return room;
}

/** The pods that find no place; none if the search is given up. */
export function unplaced(pods: readonly ObservedObject[], rooms: readonly Room[]): readonly ObservedObject[] {
  const sorted = [...pods].sort((one, other) => cpuOf(other) - cpuOf(one));
  const left = rooms.map(({ node, free }) => ({ node, free: new Map(free) }));
  const search = { steps: 0, placed: 0 };
  return placeFrom(sorted, 0, left, search) ? [] : sorted.slice(search.placed);
}

// ---------------------------------------------------------------------------------------------------

const MAX_STEPS = 20_000;

interface Search {
  steps: number;
  /** The most that were placed at once. */
  placed: number;
}

function placeFrom(
  pods: readonly ObservedObject[],
  at: number,
  rooms: readonly Room[],
  search: Search,
): boolean {
  search.placed = Math.max(search.placed, at);
  const pod = pods[at];
  if (pod === undefined || ++search.steps > MAX_STEPS) return true;
  for (const room of rooms) {
    if (!fits(pod, room)) continue;
    use(room, pod, 1);
    const done = placeFrom(pods, at + 1, rooms, search);
    use(room, pod, -1);
    if (done) return true;
  }
  return false;
}

function fits(pod: ObservedObject, { node, free }: Room): boolean {
  const taints = (node.spec?.taints ?? []) as Parameters<typeof keepsOff>[0][];
  if (node.spec?.unschedulable === true) return false;
  if (taints.some((taint) => keepsOff(taint, pod.spec.tolerations ?? []))) return false;
  if (!wantsNode(pod as unknown as Pod, node.metadata.labels ?? {})) return false;
  if ((free.get('pods') ?? 1) < 1) return false;
  return [...podRequests(pod.spec)].every(([name, amount]) => amount <= (free.get(name) ?? 0));
}

function use({ free }: Room, pod: ObservedObject, times: number): void {
  for (const [name, amount] of podRequests(pod.spec)) free.set(name, (free.get(name) ?? 0) - times * amount);
  if (free.has('pods')) free.set('pods', free.get('pods')! - times);
}

function cpuOf(pod: ObservedObject): number {
  return podRequests(pod.spec).get('cpu') ?? 0;
}
