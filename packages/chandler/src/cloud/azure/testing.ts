export { launchCounters } from './azure-cloud-metrics.ts';
export type { ClusterReader } from './azure-cloud-options.ts';
export { bootstrapReader } from './bootstrap-outcome/reader.ts';
export {
  type Answer,
  extensionAnswer,
  failedExtension,
  IMAGE,
  json,
  refusal,
} from './bootstrap-outcome/wire.fixture.ts';
export { CA_PEM, clusterOptions, clusterReaders } from './cluster/cluster.fixture.ts';
export { AdoptionPass } from './controllers/adoption.ts';
export type { AzureControllerParts } from './controllers/index.ts';
export { LeftoversPass } from './controllers/orphaned-resources.ts';
export { type DriftExemptPool, exemptByAdoption } from './drift/disk-encryption-set-drift.ts';
export { adoptionRecords } from './drift/records.ts';
export { scene } from './node-class/node-class.fixture.ts';
export type { NodeClassStatusDeps } from './node-class/status.ts';
export { azureOptions } from './options/index.ts';
export { DES_ID, GOOD_ENV, resolveAzure, SUBSCRIPTION, TOKEN } from './options/options.fixture.ts';
export { skuLister } from './parts/azure-readers.ts';
export { azureWrite } from './parts/azure-write.ts';
export { kubeReaders } from './parts/kube-readers.ts';
export type { AzureParts } from './parts/parts.ts';
export { BUILT_IN_PRICES } from './prices/prices.table.ts';
export { KNOWN_NAMES } from './sizes/known-names.table.ts';
export { aSku, REGION } from './sizes/skus.fixture.ts';
export { AZURE_STAGES } from './stages.ts';
export { MAX_AT_ONCE } from './vm/launch-limiter.ts';
