/** Entry point: what is known about the cluster, and what follows when it changes. */
export { type ArmReaderOptions, type ArmReadersOptions, armClusterReaders } from './arm-readers.ts';
export {
  type BootstrapToken,
  BootstrapTokenWatch,
  parseBootstrapToken,
  TOKEN_EXPIRY_METRIC,
  type TokenState,
  tokenState,
} from './bootstrap-token.ts';
export {
  CLUSTER_RECORDS,
  type ClusterValueDrift,
  caFingerprints,
  clusterValueDrift,
  recordClusterValues,
} from './cluster-drift.ts';
export { ClusterDetector, type ClusterDetectorOptions, type DetectedCluster } from './detector.ts';
export * from './facts.ts';
export { DEFAULT_DNS_SERVICE_IP } from './finders.ts';
export { isNewerVersion } from './kubernetes-version.ts';
export { readTlsCA } from './tls-ca.ts';
