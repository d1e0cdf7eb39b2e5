/**
 * Pods that wait for a NodePool in question and do not fit: it may be Ready, and nothing may fail, while pods that come
 * closest to it stay Pending. The first of them is evidence, with its plan.
 */
import { PODS, type Pod, type Stored } from '@chandler/kube';
import { isFound, type ReadObject } from '../../../causes/index.ts';
import { isProvisionable, wantsNoPool } from '../../../state/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { refusedPlan } from '../plan.ts';
import { readPod } from '../pods.ts';
import { type PodShape, timeMs } from '../shapes.ts';
import { poolsWithClasses } from './pools-with-classes.ts';

/** A plan each; more would take too long. */
const MAX_PLANS = 5;

export async function readWaitingPods(context: GatherContext, pool: string): Promise<void> {
  if (context.planner === undefined) return;
  const waiting = await unschedulablePods(context);
  if (waiting.length === 0) return;
  const pools = (await poolsWithClasses(context)) ?? [];
  for (const pod of waiting.slice(0, MAX_PLANS)) {
    const addPlan = await refusedPlan(context, pod, pools, pool);
    if (addPlan === undefined) continue;
    await readPod(context, pod);
    addPlan();
    return;
  }
}

// ---------------------------------------------------------------------------------------------------

/** One of each owner, the oldest first. None if not all can be read: the first may be the wrong one. */
async function unschedulablePods({ reader }: GatherContext): Promise<readonly PodShape[]> {
  const found: PodShape[] = [];
  for await (const page of reader.pages(PODS, { fields: { 'status.phase': 'Pending' } })) {
    if (!isFound(page)) return [];
    const pods = page.found as readonly ReadObject[] as readonly Stored<Pod>[];
    found.push(
      ...(pods.filter(
        (pod) => isProvisionable(pod) && !wantsNoPool(pod),
      ) as readonly unknown[] as PodShape[]),
    );
  }
  const byOwner = Map.groupBy(
    found.sort(byAge),
    ({ metadata }) => metadata.ownerReferences?.[0]?.uid ?? metadata.uid,
  );
  return [...byOwner.values()].map(([first]) => first!);
}

function byAge({ metadata: one }: PodShape, { metadata: other }: PodShape): number {
  const difference = (timeMs(one.creationTimestamp) ?? 0) - (timeMs(other.creationTimestamp) ?? 0);
  return difference || (one.name < other.name ? -1 : 1);
}
