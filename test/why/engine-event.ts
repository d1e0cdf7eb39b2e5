/** The event that the controller would write about the pod of a case: what the scheduling engine says of the same objects. */
import { PODS } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { EvidenceRecorder, isFound } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { dumpReader } from '../../packages/chandler/src/diagnose/index.ts';
import {
  AroundReader,
  type GatherContext,
  poolsWithClasses,
} from '../../packages/chandler/src/diagnose/testing.ts';
import { Planner, type Pod, podRefusalText } from '../../packages/chandler/src/scheduling/index.ts';
import { isProvisionable } from '../../packages/chandler/src/state/index.ts';

import { type CorpusCase, dumpOf } from './corpus.ts';
import { type EventWords, NOW_MS } from './objects.ts';

const CLOUD = azureDiagnosis();

/** Undefined: the controller does not run, does not look at the pod, or would launch a node for it. */
export async function engineEvent(one: CorpusCase): Promise<EventWords | undefined> {
  if (one.controller?.ready === 0) return undefined;
  const reader = dumpReader(dumpOf(one));
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, CLOUD);
  const recorder = new EvidenceRecorder('dump', NOW_MS);
  const context: GatherContext = { reader, recorder, cloud: CLOUD, planner, expectsCustomerKey: false };
  const looked = await reader.get(PODS, { namespace: 'shop', name: 'web' });
  if (!isFound(looked) || !isProvisionable(looked.found as never)) return undefined;
  const around = await new AroundReader(context).read(looked.found as never);
  if (around === undefined) return undefined;
  const pools = (await poolsWithClasses(context)) ?? [];
  const planned = [];
  const excluded: string[] = [];
  for (const { pool, nodeClass } of pools) {
    const instanceTypes = await planner.instanceTypes(pool, nodeClass, 'all');
    const isReady = pool.status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    );
    if (instanceTypes === undefined || isReady !== true)
      excluded.push(`nodepool ${JSON.stringify(pool.metadata.name)} is left out, it is not ready`);
    else planned.push({ nodePool: pool, instanceTypes, used: pool.status?.resources ?? {} });
  }
  const { refusals } = new Planner().plan({
    ...around,
    pods: [looked.found as unknown as Pod],
    pools: planned,
    wellKnownLabels: planner.wellKnownLabels,
  });
  const [refusal] = refusals;
  if (refusal === undefined) return undefined;
  const message = `Failed to schedule pod, ${podRefusalText(refusal, excluded)}`;
  return { on: 'Pod/shop/web', reason: 'FailedScheduling', message, by: 'karpenter' };
}
