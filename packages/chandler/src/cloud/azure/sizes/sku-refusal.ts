/**
 * Why a size of the region is not offered: a closed set, so that a user can ask and a page can count. The first
 * group holds for everybody, the second for one node class.
 */

export type SkuRefusal =
  /** The name is no size name. */
  | { readonly code: 'NameNotUnderstood'; readonly name: string }
  /** Azure did not say, or not in a way that makes sense. */
  | { readonly code: 'FactMissing'; readonly fact: string }
  /** AKS accepts no node of this size. */
  | { readonly code: 'RefusedByAks' }
  /** Nodes of this size are known to fail. */
  | { readonly code: 'KnownToFail' }
  /** Closed for this subscription in the whole region. */
  | { readonly code: 'ClosedInRegion'; readonly reason: string }
  | { readonly code: 'TooFewCpus'; readonly vcpus: number; readonly needed: number }
  | { readonly code: 'TooLittleMemory'; readonly memoryGiB: number; readonly neededGiB: number }
  /** Pays for more cores than it switches on. */
  | { readonly code: 'ConstrainedCpus'; readonly vcpus: number }
  | { readonly code: 'Confidential' }
  /** It has GPUs, and it is not known whose and which driver they need. */
  | { readonly code: 'UnknownGpu'; readonly gpus: number }
  | NodeClassRefusal;

export type NodeClassRefusal =
  | { readonly code: 'GpuNotOnImageFamily'; readonly imageFamily: string }
  | { readonly code: 'NoGpuDriver'; readonly manufacturer: string }
  | { readonly code: 'NoEncryptionAtHost' }
  | { readonly code: 'TooSmallForLocalDns'; readonly vcpus: number; readonly needed: number }
  | { readonly code: 'NoArtifactStreaming'; readonly architecture: string }
  | { readonly code: 'NoTrustedLaunch' };

/** A size and why it is not there. */
export interface RefusedSku {
  readonly name: string;
  readonly refusal: SkuRefusal;
}

export function skuRefusalText(refusal: SkuRefusal): string {
  switch (refusal.code) {
    case 'NameNotUnderstood':
      return `${JSON.stringify(refusal.name)} is not the name of a VM size`;
    case 'FactMissing':
      return `Azure reports no valid ${refusal.fact} for it`;
    case 'RefusedByAks':
      return 'AKS does not accept nodes of this size';
    case 'KnownToFail':
      return 'nodes of this size are known to fail';
    case 'ClosedInRegion':
      return `it is not available to the subscription in this region${refusal.reason === '' ? '' : ` (${refusal.reason})`}`;
    case 'TooFewCpus':
      return `it has ${refusal.vcpus} vCPUs, and a node needs ${refusal.needed}`;
    case 'TooLittleMemory':
      return `it has ${refusal.memoryGiB} GiB of memory, and a node needs ${refusal.neededGiB}`;
    case 'ConstrainedCpus':
      return `only ${refusal.vcpus} of its vCPUs are enabled, at the price of all of them`;
    case 'Confidential':
      return 'confidential sizes are not supported';
    case 'UnknownGpu':
      return `it has ${refusal.gpus} GPUs of an unknown type`;
    case 'GpuNotOnImageFamily':
      return `its GPU is not supported on image family ${refusal.imageFamily}`;
    case 'NoGpuDriver':
      return `no driver can be installed for its ${refusal.manufacturer} GPU; set spec.gpu.mode to None to install it yourself`;
    case 'NoEncryptionAtHost':
      return 'it does not support encryption at host, which spec.security.encryptionAtHost requires';
    case 'TooSmallForLocalDns':
      return `it has ${refusal.vcpus} vCPUs, and LocalDNS needs ${refusal.needed}`;
    case 'NoArtifactStreaming':
      return `artifact streaming does not support ${refusal.architecture}`;
    case 'NoTrustedLaunch':
      return 'it does not support trusted launch, which spec.security.trustedLaunch requires';
  }
}
