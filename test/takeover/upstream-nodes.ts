/** Claims and nodes as Karpenter leaves them when all is well; their VMs are in upstream-VMs.ts. */
import type { KubeObject } from '@chandler/kube';
import {
  classAnnotations,
  conditions,
  IMAGES,
  imageId,
  inPlaceHash,
  type Place,
  poolAnnotations,
  providerId,
} from './upstream-objects.ts';

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
  const poolName = pool.metadata.name!;
  const spec = (
    pool['spec'] as {
      template: { spec: { requirements: object[]; taints?: object[] }; metadata: KubeObject['metadata'] };
    }
  ).template;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      generateName: `${poolName}-`,
      labels: { ...claimLabels(owners, zone), ...spec.metadata.labels },
      annotations: {
        ...spec.metadata.annotations,
        ...poolAnnotations(pool),
        ...classAnnotations(nodeClass),
        'karpenter.sh/nodeclaim-min-values-relaxed': 'false',
        'karpenter.azure.com/in-place-update-hash': inPlaceHash(place, poolName),
      },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [owner(pool, 'NodePool')],
    },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      expireAfter: '720h',
      requirements: [
        ...spec.spec.requirements,
        { key: 'karpenter.sh/nodepool', operator: 'In', values: [poolName] },
        { key: 'karpenter.azure.com/aksnodeclass', operator: 'In', values: ['default'] },
        {
          key: 'node.kubernetes.io/instance-type',
          operator: 'In',
          values: ['Standard_D4s_v5', 'Standard_D8s_v5'],
        },
      ],
      resources: { requests: { cpu: '3', memory: '4Gi', pods: '4' } },
      ...(spec.spec.taints === undefined ? {} : { taints: spec.spec.taints }),
    },
  };
}

export function claimStatus({ place }: Owners, name: string): object {
  return {
    providerID: providerId(place, name),
    nodeName: `aks-${name}`,
    imageID: imageId(IMAGES[0]!, place.imageVersion),
    capacity: CLAIM_CAPACITY,
    allocatable: CLAIM_ALLOCATABLE,
    lastPodEventTime: place.time,
    conditions: conditions(place, [
      'Launched',
      'Registered',
      'Initialized',
      'Consolidatable',
      'ConsistentStateFound',
      'Ready',
    ]),
  };
}

export function nodeOf(owners: Owners, claim: KubeObject): KubeObject {
  const name = claim.metadata.name!;
  const taints = (claim['spec'] as { taints?: object[] }).taints;
  const { place } = owners;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: `aks-${name}`,
      labels: {
        ...claim.metadata.labels,
        'kubernetes.io/hostname': `aks-${name}`,
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        'karpenter.sh/do-not-sync-taints': 'true',
        'kubernetes.azure.com/mode': 'user',
        'kubernetes.azure.com/role': 'agent',
        'kubernetes.azure.com/kubelet-identity-client-id': place.kubeletIdentityClientId,
        'kubernetes.azure.com/os-sku-requested': 'Ubuntu2204',
        'kubernetes.azure.com/os-sku-effective': 'Ubuntu2204',
        'kubernetes.azure.com/localdns-state': 'disabled',
      },
      annotations: { ...claim.metadata.annotations, 'node.alpha.kubernetes.io/ttl': '0' },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [owner(claim, 'NodeClaim')],
    },
    spec: { providerID: providerId(place, name), ...(taints === undefined ? {} : { taints }) },
  };
}

export function nodeStatus(place: Place): object {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready',
  };
  return {
    capacity: NODE_CAPACITY,
    allocatable: NODE_ALLOCATABLE,
    conditions: [{ ...ready, lastTransitionTime: place.time, lastHeartbeatTime: place.time }],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      kubeletVersion: `v${place.kubernetesVersion}`,
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function owner(object: KubeObject, kind: string) {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind,
    name: object.metadata.name!,
    uid: object.metadata.uid!,
    blockOwnerDeletion: true,
  };
}

function claimLabels({ place, pool }: Owners, zone: number): Record<string, string> {
  const spot = pool.metadata.name === 'spot';
  return {
    'karpenter.sh/nodepool': pool.metadata.name!,
    'karpenter.sh/capacity-type': spot ? 'spot' : 'on-demand',
    'karpenter.azure.com/aksnodeclass': 'default',
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
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
    'topology.kubernetes.io/region': place.region,
    'topology.kubernetes.io/zone': `${place.region}-${zone}`,
  };
}
