/** Which sizes a node class cannot use, and why: an ordered list of checks; the first that fails is reported. */
import { gpuOf, gpuRunsOn, type NodeClassRefusal, type SkuFacts } from '../sizes/index.ts';
import type { Parameters } from './parameters.ts';

export function nodeClassRefusal(sku: SkuFacts, parameters: Parameters): NodeClassRefusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(sku, parameters);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** LocalDNS also wants 256 MB of memory, which every size that may become a node has. */
export const LOCAL_DNS_VCPUS = 4;

// ---------------------------------------------------------------------------------------------------------------

type Check = (sku: SkuFacts, parameters: Parameters) => NodeClassRefusal | undefined;

const CHECKS: readonly Check[] = [
  ({ name }, { imageFamily }) =>
    gpuRunsOn(name, imageFamily) ? undefined : { code: 'GpuNotOnImageFamily', imageFamily },
  (sku, { encryptionAtHost }) =>
    encryptionAtHost && !sku.encryptionAtHost ? { code: 'NoEncryptionAtHost' } : undefined,
  ({ vcpus }, { localDns }) =>
    localDns && vcpus < LOCAL_DNS_VCPUS
      ? { code: 'TooSmallForLocalDns', vcpus, needed: LOCAL_DNS_VCPUS }
      : undefined,
  ({ name }, { gpuMode }) => {
    const gpu = gpuMode === 'Driver' ? gpuOf(name) : undefined;
    if (gpu === undefined || gpu.driver !== undefined) return undefined;
    return { code: 'NoGpuDriver', manufacturer: gpu.manufacturer };
  },
  ({ architecture }, { artifactStreaming }) =>
    artifactStreaming && architecture === 'arm64' ? { code: 'NoArtifactStreaming', architecture } : undefined,
  (sku, { trustedLaunch }) => (trustedLaunch && !sku.trustedLaunch ? { code: 'NoTrustedLaunch' } : undefined),
];
