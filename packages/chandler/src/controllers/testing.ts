export { DEFAULT_SETTINGS } from './context.ts';
export { JourneyKeeper } from './journeys/failed-journeys.ts';
export { CLAIMS, ClaimDraft } from './lifecycle/draft.ts';
export { finalize } from './lifecycle/finalize.ts';
export { LifecycleNews } from './lifecycle/news.ts';
export { metricNamesOf } from './metrics/nodes.ts';
export { snakeCase } from './nodes/health.ts';
export { ProvisioningPass } from './provisioning/provisioner.ts';
export { staticProvisioning } from './static/provisioning.ts';
