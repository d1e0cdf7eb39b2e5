export { type AzureCloud, createAzureCloud } from './azure-cloud.ts';
export { tailOf } from './bootstrap-outcome/serial-log.ts';
export { armClusterReaders } from './cluster/arm-readers.ts';
export { BootstrapTokenWatch, parseBootstrapToken, tokenState } from './cluster/bootstrap-token.ts';
export { ClusterDetector } from './cluster/detector.ts';
export type { ClusterFacts, ClusterReaders } from './cluster/facts.ts';
export { azureControllers } from './controllers/index.ts';
export { azureDiagnosis } from './diagnosis.ts';
export { isMalformed, parseDiskEncryptionSetId } from './disk-encryption/disk-encryption-set-id.ts';
export { diskEncryptionProblemOf } from './disk-encryption/evidence/arm-error.ts';
export { DiskEncryptionEvidence, type Evidence } from './disk-encryption/evidence/gather.ts';
export { LaunchEvidence } from './disk-encryption/evidence/launch-evidence.ts';
export { DISK_ENCRYPTION_PROBLEMS } from './disk-encryption/evidence/problem.ts';
export { diskEncryptionReaders } from './disk-encryption/readers.ts';
export { DISK_ENCRYPTION_SET_RULE, isAdopted } from './drift/disk-encryption-set-drift.ts';
export { CALL_ROWS, CAPACITY_ROWS, type ErrorRow, SERVICE_ROWS } from './errors/error-rows.ts';
export type { AzureReader } from './evidence/azure-evidence.ts';
export { azureReader } from './evidence/azure-reader.ts';
export { resolveFamily } from './images/family.ts';
export { imageFinder } from './images/find-images.ts';
export { type ImageReaders, imageCatalogue } from './images/image-catalogue.ts';
export { communityImageId, imageIdOf, sharedImageId } from './images/image-id.ts';
export { imageRequirements } from './images/images-status.ts';
export { MAINTENANCE_CONFIG_MAP } from './images/maintenance-window.ts';
export type { CommunityVersion, NodeImageVersion } from './images/versions.ts';
export type { AzureInstanceType } from './instance-types/instance-type.ts';
export { offlineInstanceTypes } from './instance-types/offline.ts';
export type { InstanceTypeOptions } from './instance-types/parameters.ts';
export { InstanceTypeProvider } from './instance-types/provider.ts';
export { type RankedOffering, rankOfferings } from './instance-types/rank.ts';
export type { DecorateLaunch, LaunchSteps } from './launch-steps.ts';
export { nodeCloud } from './launch-template/cloud-name.ts';
export { buildLaunchTemplate, type LaunchTemplateRequest } from './launch-template/launch-template.ts';
export { clusterSource } from './node-class/cluster-source.ts';
export { AzureNodeClassStatus } from './node-class/status.ts';
export { azureOptions } from './options/index.ts';
export {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_OPTIONS,
  AZURE_RULES,
  type AzureControllerValues,
} from './options/options.ts';
export { azureAccess } from './parts/access.ts';
export { PriceList } from './prices/price-list.ts';
export { azureProvider, createAzureProvider } from './provider.ts';
export { type ComputeUsage, QuotaUsage } from './quota/quota-usage.ts';
export type { ResourceSku } from './sizes/resource-sku.ts';
export { skuRefusalText } from './sizes/sku-refusal.ts';
export type { GarbageCollector } from './vm/garbage-collection.ts';
export { vmNameOf } from './vm/names.ts';
export type { ClaimRef, Orphan } from './vm/orphans.ts';
