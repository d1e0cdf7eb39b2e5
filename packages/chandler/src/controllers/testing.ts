export { snakeCase } from './claims/snake-case.ts';
export { DEFAULT_SETTINGS } from './context.ts';
export { JourneyKeeper } from './journeys/failed-journeys.ts';
export { CLAIMS, ClaimPatch } from './lifecycle/claim-patch.ts';
export { finalize } from './lifecycle/finalize.ts';
export { LifecycleReporter } from './lifecycle/lifecycle-reporter.ts';
export { metricNamesOf } from './metrics/nodes.ts';
export { ProvisioningPass } from './provisioning/provisioner.ts';
export { staticProvisioning } from './static/provisioning.ts';
