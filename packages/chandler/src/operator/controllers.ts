/** Every controller that runs on the leader, in the order of their start and stop. */
import type { Controller } from '@chandler/kube';
import {
  ALWAYS_OBSERVED,
  bootstrapOutcome,
  type ControllerContext,
  claimHydration,
  consistency,
  disruptionControllers,
  drift,
  EvictionQueue,
  expiration,
  failedJourneys,
  garbageCollection,
  gatedControllers,
  lifecycle,
  type MakeController,
  meteredController,
  nodeHydration,
  OBSERVED_ONE_BY_ONE,
  podEvents,
  poolCounter,
  poolDisruptionSettings,
  poolHash,
  poolReadiness,
  poolRegistrationHealth,
  poolValidation,
  provisioner,
  reboot,
  termination,
} from '../controllers/index.ts';

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
    (own: ControllerContext) => reboot(own, evictions),
    ...gatedControllers(context),
    ...ALWAYS_OBSERVED,
    ...(observability ? OBSERVED_ONE_BY_ONE : []),
  ].map((make) => meteredController(context, make));
  return [...made, ...disruptionControllers(context), evictions.controller];
}

// ---------------------------------------------------------------------------------------------------

const CORE: readonly MakeController[] = [
  poolHash,
  poolValidation,
  poolReadiness,
  poolRegistrationHealth,
  poolCounter,
  poolDisruptionSettings,
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
