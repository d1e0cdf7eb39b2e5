/** Entry point: the status of an AKSNodeClass, and what of it a launch may use. */

export { clusterSource } from './cluster-source.ts';
export type { FindImages, ImagesAnswer, ImagesQuestion } from './images.ts';
export {
  AzureNodeClassStatus,
  type NodeClassReconciliation,
  type NodeClassStatusDeps,
  type PartError,
} from './status.ts';
export { type NodeClassImage, type Usable, usableImages, usableKubernetesVersion } from './usable.ts';
