/**
 * Pods that wait for a NodePool in question and do not fit: it may be Ready, and nothing may fail, while pods that it is
 * meant for stay Pending. The first of them is evidence, with its plan. Pods that no NodePool matches say nothing about it.
 */
import { PODS, type Pod, type Stored } from '@chandler/kube';
import { isFound, type ReadObject } from '../../../causes/index.ts';
import { isProvisionable, wantsNoPool } from '../../../state/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { refusedPlans } from '../plan.ts';
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
  const plans = await refusedPlans(context, pools, pool);
  if (plans === undefined) return;
  for (const pod of waiting.filter((each) => plans.mayWait(each)).slice(0, MAX_PLANS)) {
    const addPlan = await plans.read(pod);
    if (addPlan === undefined) continue;
    await readPod(context, pod);
    addPlan();
    return;
  }
}

// ---------------------------------------------------------------------------------------------------

/** One of each owner, the oldest first. A dump that does not have all pods has those that wait. */
async function unschedulablePods({ reader, recorder }: GatherContext): Promise<readonly PodShape[]> {
  const found: PodShape[] = [];
  for await (const page of reader.pages(PODS, { fields: { 'status.phase': 'Pending' } })) {
    if (!isFound(page)) {
      recorder.addUnread('plan', 'Pending pods', page);
      return [];
    }
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
