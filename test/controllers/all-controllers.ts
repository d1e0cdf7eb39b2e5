/** All controllers together, as they run in production, on a fake cloud; and a cluster in which something runs. */
import { type Controller, PODS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { azureControllers } from '../../packages/chandler/src/cloud/azure/index.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';
import { cloudContext, coreControllers } from '../../packages/chandler/src/operator/testing.ts';

import { type FakeAzure, fakeAzure } from './fake-azure.ts';
import { NODE_CLASS, pod, pool, type StageOptions, type StageSet, setStage } from './stage.ts';

export function allControllers(azure: FakeAzure, { observability = true } = {}) {
  return (context: ControllerContext): readonly Controller[] => [
    ...coreControllers(context, { observability }),
    ...azureControllers(cloudContext(context), azure),
  ];
}

export interface FullStage {
  readonly stage: StageSet;
  readonly azure: FakeAzure;
  /** Stops all and starts them again, as after a crash. */
  restart(): Promise<void>;
}

export async function fullStage(options: Omit<StageOptions, 'controllers'> = {}): Promise<FullStage> {
  const stage = await setStage(options);
  const azure = fakeAzure(stage.world);
  const restart = () => stage.startAll(allControllers(azure));
  await restart();
  return { stage, azure, restart };
}

/** A pool whose nodes are not disrupted. */
export const UNDISRUPTED = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } };

/** A class, a pool and a pod on its own node, all settled. Returns the name of the claim. */
export async function settledPod(
  { stage }: FullStage,
  options: { readonly pool?: Record<string, unknown>; readonly pod?: Record<string, unknown> } = {},
): Promise<string> {
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general', options.pool));
  await stage.apply(PODS, pod('a', options.pod));
  await stage.until('the pod runs', async () => {
    const status = (await stage.get(PODS, 'a'))?.['status'] as { phase?: string } | undefined;
    return status?.phase === 'Running';
  });
  return (await stage.list(NODE_CLAIMS))[0]!.metadata.name!;
}
