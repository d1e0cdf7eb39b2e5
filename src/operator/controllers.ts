/** Every controller that runs while we lead, in the order in which they are started and stopped. */
import { bootstrapOutcome } from '../controllers/bootstrap-outcome/bootstrap-outcome.ts';
import { consistency } from '../controllers/claims/consistency.ts';
import { drift } from '../controllers/claims/drift.ts';
import { expiration } from '../controllers/claims/expiration.ts';
import { garbageCollection } from '../controllers/claims/garbage-collection.ts';
import { claimHydration, nodeHydration } from '../controllers/claims/hydration.ts';
import type { ControllerContext, MakeController } from '../controllers/context.ts';
import { gatedControllers } from '../controllers/gated.ts';
import { failedJourneys } from '../controllers/journeys/failed-journeys.ts';
import { lifecycle } from '../controllers/lifecycle/lifecycle.ts';
import { ALWAYS_OBSERVED, meteredController, OBSERVED_ONE_BY_ONE } from '../controllers/metrics/index.ts';
import { podEvents } from '../controllers/pod-events/pod-events.ts';
import { poolCounter } from '../controllers/pools/counter.ts';
import { poolHash } from '../controllers/pools/hash.ts';
import { poolReadiness } from '../controllers/pools/readiness.ts';
import { poolRegistrationHealth } from '../controllers/pools/registration-health.ts';
import { poolValidation } from '../controllers/pools/validation.ts';
import { provisioner } from '../controllers/provisioning/provisioner.ts';
import { EvictionQueue } from '../controllers/termination/eviction-queue.ts';
import { termination } from '../controllers/termination/termination.ts';
import type { Controller } from '../kube/index.ts';

/** @param observability whether pods, nodes, pools and conditions are measured one by one. */
export function coreControllers(
  context: ControllerContext,
  { observability }: { readonly observability: boolean },
): readonly Controller[] {
  const evictions = new EvictionQueue(context);
  const made = [
    ...CORE,
    ...(context.cloud.bootstrap === undefined ? [] : [bootstrapOutcome]),
    (own: ControllerContext) => termination(own, evictions),
    ...gatedControllers(context),
    ...ALWAYS_OBSERVED,
    ...(observability ? OBSERVED_ONE_BY_ONE : []),
  ].map((make) => meteredController(context, make));
  return [...made, evictions.controller];
}

// ---------------------------------------------------------------------------------------------------

const CORE: readonly MakeController[] = [
  poolHash,
  poolValidation,
  poolReadiness,
  poolRegistrationHealth,
  poolCounter,
  claimHydration,
  nodeHydration,
  provisioner,
  lifecycle,
  podEvents,
  drift,
  expiration,
  garbageCollection,
  consistency,
  failedJourneys,
];
