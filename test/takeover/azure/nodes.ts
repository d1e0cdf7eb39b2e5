/** Claims and nodes as Karpenter leaves them on AKS when all is well; their VMs are in vms.ts. */
import type { KubeObject } from '@chandler/kube';
import { claimObject, nodeObject, poolAnnotations, readyNodeStatus, settledClaimStatus } from '../objects.ts';
import {
  classAnnotations,
  IMAGES,
  imageId,
  inPlaceHash,
  type Place,
  poolHash,
  providerId,
  TERMS,
} from './objects.ts';

export interface Owners {
  readonly place: Place;
  /** As read from the API server. */
  readonly pool: KubeObject;
  readonly nodeClass: KubeObject;
}

/** As a D4s_v5 reports itself on AKS. */
export const NODE_CAPACITY = {
  cpu: '4',
  'ephemeral-storage': '129886128Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '16371296Ki',
  pods: '110',
};
const NODE_ALLOCATABLE = {
  ...NODE_CAPACITY,
  cpu: '3860m',
  'ephemeral-storage': '119703055367',
  memory: '12881504Ki',
};
/** As the provider expects it. */
const CLAIM_CAPACITY = {
  cpu: '4',
  'ephemeral-storage': '128G',
  memory: '15891378995',
  pods: '110',
};
const CLAIM_ALLOCATABLE = { ...CLAIM_CAPACITY, cpu: '3860m', memory: '12313637683' };

export function claimOf(owners: Owners, name: string, zone: number): KubeObject {
  const { pool, nodeClass, place } = owners;
  return claimObject(TERMS, {
    name,
    pool,
    labels: claimLabels(owners, zone),
    annotations: {
      ...poolAnnotations(poolHash(pool)),
      ...classAnnotations(nodeClass),
      'karpenter.azure.com/in-place-update-hash': inPlaceHash(place, pool.metadata.name!),
    },
  });
}

export function claimStatus({ place }: Owners, name: string): object {
  return settledClaimStatus(place.time, {
    providerID: providerId(place, name),
    nodeName: `aks-${name}`,
    imageID: imageId(IMAGES[0]!, place.imageVersion),
    capacity: CLAIM_CAPACITY,
    allocatable: CLAIM_ALLOCATABLE,
  });
}

export function nodeOf({ place }: Owners, claim: KubeObject): KubeObject {
  const claimName = claim.metadata.name!;
  return nodeObject(claim, {
    name: `aks-${claimName}`,
    providerID: providerId(place, claimName),
    annotations: claim.metadata.annotations,
    labels: {
      'kubernetes.azure.com/mode': 'user',
      'kubernetes.azure.com/role': 'agent',
      'kubernetes.azure.com/kubelet-identity-client-id': place.kubeletIdentityClientId,
      'kubernetes.azure.com/os-sku-requested': 'Ubuntu2204',
      'kubernetes.azure.com/os-sku-effective': 'Ubuntu2204',
      'kubernetes.azure.com/localdns-state': 'disabled',
    },
  });
}

export function nodeStatus({ time, kubernetesVersion }: Place): object {
  return readyNodeStatus(time, {
    capacity: NODE_CAPACITY,
    allocatable: NODE_ALLOCATABLE,
    kubeletVersion: `v${kubernetesVersion}`,
  });
}

// ---------------------------------------------------------------------------------------------------

function claimLabels({ place, pool }: Owners, zone: number): Record<string, string> {
  const spot = pool.metadata.name === 'spot';
  return {
    'karpenter.azure.com/placement-scope': 'zonal',
    'karpenter.azure.com/sku-name': 'Standard_D4s_v5',
    'karpenter.azure.com/sku-family': 'D',
    'karpenter.azure.com/sku-series': 'Ds_v5',
    'karpenter.azure.com/sku-version': '5',
    'karpenter.azure.com/sku-cpu': '4',
    'karpenter.azure.com/sku-memory': '16384',
    'karpenter.azure.com/sku-gpu-count': '0',
    'karpenter.azure.com/sku-networking-accelerated': 'true',
    'karpenter.azure.com/sku-storage-premium-capable': 'true',
    'karpenter.azure.com/sku-storage-ultra-ssd': 'false',
    'kubernetes.azure.com/cluster': place.nodeResourceGroup,
    'kubernetes.azure.com/os-sku': 'Ubuntu',
    'kubernetes.azure.com/priority': spot ? 'spot' : 'regular',
    'kubernetes.azure.com/scalesetpriority': spot ? 'spot' : 'regular',
    'kubernetes.azure.com/sku-cpu': '4',
    'kubernetes.azure.com/sku-memory': '16384',
    'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
    'topology.kubernetes.io/region': place.region,
    'topology.kubernetes.io/zone': `${place.region}-${zone}`,
  };
}
