/** All controllers together, as they run in production, on a cloud on paper; and a cluster in which something runs. */
import { azureControllers } from '../../src/controllers/azure/index.ts';
import { consistency } from '../../src/controllers/claims/consistency.ts';
import { drift } from '../../src/controllers/claims/drift.ts';
import { expiration } from '../../src/controllers/claims/expiration.ts';
import { garbageCollection } from '../../src/controllers/claims/garbage-collection.ts';
import { claimHydration, nodeHydration } from '../../src/controllers/claims/hydration.ts';
import type { ControllerContext, MakeController } from '../../src/controllers/context.ts';
import { gatedControllers } from '../../src/controllers/gated.ts';
import { lifecycle } from '../../src/controllers/lifecycle/lifecycle.ts';
import { METRICS_CONTROLLERS, meteredController } from '../../src/controllers/metrics/index.ts';
import { podEvents } from '../../src/controllers/pod-events/pod-events.ts';
import { poolCounter } from '../../src/controllers/pools/counter.ts';
import { poolHash } from '../../src/controllers/pools/hash.ts';
import { poolReadiness } from '../../src/controllers/pools/readiness.ts';
import { poolRegistrationHealth } from '../../src/controllers/pools/registration-health.ts';
import { poolValidation } from '../../src/controllers/pools/validation.ts';
import { provisioner } from '../../src/controllers/provisioning/provisioner.ts';
import { EvictionQueue } from '../../src/controllers/termination/eviction-queue.ts';
import { termination } from '../../src/controllers/termination/termination.ts';
import { AKS_NODE_CLASSES, type Controller, NODE_CLAIMS, NODE_POOLS, PODS } from '../../src/kube/index.ts';
import { type PaperAzure, paperAzure } from './paper-azure.ts';
import { NODE_CLASS, pod, pool, type StageOptions, type StageSet, setStage } from './stage.ts';

const CORE: readonly MakeController[] = [
  ...[
    provisioner,
    lifecycle,
    drift,
    expiration,
    garbageCollection,
    consistency,
    claimHydration,
    nodeHydration,
  ],
  ...[poolCounter, poolHash, poolReadiness, poolValidation, poolRegistrationHealth, podEvents],
  ...METRICS_CONTROLLERS,
];

/** The stage starts controllers one by one; this one stands for all. */
export function everyone(azure: PaperAzure) {
  let queue: EvictionQueue;
  return (context: ControllerContext): readonly Controller[] => [
    meteredController(context, (own) => {
      queue = new EvictionQueue(own);
      return queue.controller;
    }),
    meteredController(context, (own) => termination(own, queue)),
    ...[...CORE, ...gatedControllers(context)].map((make) => meteredController(context, make)),
    ...azureControllers(context, azure),
  ];
}

export interface FullStage {
  readonly stage: StageSet;
  readonly azure: PaperAzure;
  /** Stops all and starts them anew, as after a crash. */
  restart(): Promise<void>;
}

export async function fullStage(options: Omit<StageOptions, 'controllers'> = {}): Promise<FullStage> {
  const stage = await setStage(options);
  const azure = paperAzure(stage.world);
  const restart = () => stage.startAll(everyone(azure));
  await restart();
  return { stage, azure, restart };
}

/** A class, a pool and a pod on a node of its own, all settled. Gives back the claim's name. */
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
