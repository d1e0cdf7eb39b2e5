export { bootstrapOutcome } from './bootstrap-outcome/bootstrap-outcome.ts';
export { ClaimRefusals } from './claims/claim-refusals.ts';
export { consistency } from './claims/consistency.ts';
export { disruptedCounter } from './claims/disrupted.ts';
export { DriftPass, drift } from './claims/drift.ts';
export { expiration } from './claims/expiration.ts';
export { garbageCollection } from './claims/garbage-collection.ts';
export { claimHydration, nodeHydration } from './claims/hydration.ts';
export type {
  ControllerContext,
  ControllerSettings,
  FeatureGate,
  MakeController,
  ReconcileScope,
} from './context.ts';
export { scopeOf } from './context.ts';
export { disruptionControllers } from './disruption/disruption.ts';
export { FreezeWatch } from './disruption/freeze-watch.ts';
export { MovedWorkloads } from './disruption/moved-workloads.ts';
export { observedDisruption } from './disruption/observed-disruption.ts';
export { gatedControllers } from './gated.ts';
export { failedJourneys } from './journeys/failed-journeys.ts';
export { LaunchBackoff } from './launch-backoff.ts';
export type { Claim } from './lifecycle/claim-patch.ts';
export { lifecycle } from './lifecycle/lifecycle.ts';
export { PoolHealth } from './lifecycle/pool-health.ts';
export { meteredController } from './metrics/cloud-calls.ts';
export { ALWAYS_OBSERVED, OBSERVED_ONE_BY_ONE } from './metrics/index.ts';
export { PodTimes } from './metrics/pod-times.ts';
export { podEvents } from './pod-events/pod-events.ts';
export { poolCounter } from './pools/counter.ts';
export { poolDisruptionSettings } from './pools/disruption-settings.ts';
export { poolHash } from './pools/hash.ts';
export { poolReadiness } from './pools/readiness.ts';
export { poolRegistrationHealth } from './pools/registration-health.ts';
export { poolValidation } from './pools/validation.ts';
export { Batcher } from './provisioning/batcher.ts';
export { LaunchBudget } from './provisioning/launch-budget.ts';
export { type PoolExclusion, planningInput, podsToPlan, poolsToPlan } from './provisioning/planning.ts';
export { PodRefusals } from './provisioning/pod-refusals.ts';
export { provisioner } from './provisioning/provisioner.ts';
export { reboot } from './reboot/reboot.ts';
export { EvictionQueue } from './termination/eviction-queue.ts';
export { termination } from './termination/termination.ts';
