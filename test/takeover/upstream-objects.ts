/**
 * Objects as Karpenter and its provider for Azure write them, field by field: pools, classes, claims, nodes. Hashes are of
 * the goldens in `packages/chandler/src/api/hash`; the one of the in-place update is worked out here again.
 */
import type { KubeObject } from '@chandler/kube';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  aksNodeClassHash,
  type Hashable,
  NODE_POOL_HASH_VERSION,
  nodePoolHash,
} from '../../packages/chandler/src/api/index.ts';

export const IMAGES = ['2204gen2containerd', '2204containerd', '2204gen2arm64containerd'];
export const GALLERY = 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2';

export interface Place {
  readonly region: string;
  readonly subscriptionId: string;
  readonly nodeResourceGroup: string;
  readonly clusterName: string;
  /** The newest version of every image. */
  readonly imageVersion: string;
  readonly kubernetesVersion: string;
  readonly kubeletIdentityClientId: string;
  /** `node-identities`. */
  readonly identities: readonly string[];
  /** When upstream did all this. */
  readonly time: string;
}

export const NODE_CLASS_SPEC = {
  imageFamily: 'Ubuntu2204',
  osDiskSizeGB: 128,
  maxPods: 110,
  tags: { team: 'payments', 'cost/center': '<42>' },
};

/** All True, as they are when all is well. */
export function conditions({ time }: Place, types: readonly string[]): object[] {
  return types.map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: time,
    observedGeneration: 1,
  }));
}

export function nodeClass(): KubeObject {
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default', finalizers: ['karpenter.azure.com/termination'] },
    spec: NODE_CLASS_SPEC,
  };
}

export function nodeClassStatus(place: Place): object {
  const { imageVersion, kubernetesVersion } = place;
  return {
    images: IMAGES.map((definition) => ({
      id: imageId(definition, imageVersion),
      requirements: [
        {
          key: 'kubernetes.io/arch',
          operator: 'In',
          values: [definition.includes('arm64') ? 'arm64' : 'amd64'],
        },
        {
          key: 'karpenter.azure.com/sku-hyperv-generation',
          operator: 'In',
          values: [definition.includes('gen2') ? '2' : '1'],
        },
      ],
    })),
    kubernetesVersion,
    localDNSState: 'Disabled',
    conditions: conditions(place, [
      'KubernetesVersionReady',
      'ImagesReady',
      'SubnetsReady',
      'ValidationSucceeded',
      'LocalDNSReady',
      'Ready',
    ]),
  };
}

/** One pool for on-demand VMs, one for spot with a taint. */
export function nodePool(name: 'general' | 'spot'): KubeObject {
  const capacity = name === 'spot' ? 'spot' : 'on-demand';
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      weight: name === 'spot' ? 10 : 1,
      limits: { cpu: '10000' },
      // No pods run here: without the budget all nodes would be removed as empty.
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '1m',
        budgets: [{ nodes: '0' }],
      },
      template: {
        metadata: { labels: { team: 'payments' }, annotations: { 'example.com/owner': 'a' } },
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          expireAfter: '720h',
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacity] },
            { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
          ],
          ...(name === 'spot'
            ? { taints: [{ key: 'example.com/spot', value: 'true', effect: 'NoSchedule' }] }
            : {}),
        },
      },
    },
  };
}

export function poolAnnotations(pool: KubeObject): Record<string, string> {
  return {
    'karpenter.sh/nodepool-hash': nodePoolHash(pool as Hashable),
    'karpenter.sh/nodepool-hash-version': NODE_POOL_HASH_VERSION,
  };
}

export function classAnnotations(ofClass: KubeObject): Record<string, string> {
  return {
    'karpenter.azure.com/aksnodeclass-hash': aksNodeClassHash(ofClass as Hashable),
    'karpenter.azure.com/aksnodeclass-hash-version': AKS_NODE_CLASS_HASH_VERSION,
  };
}

/** What upstream puts on VMs, their interfaces and extensions. */
export function vmTags(place: Place, pool: string): Record<string, string> {
  return {
    'compute.aks.billing': 'linux',
    cost_center: '<42>',
    'karpenter.azure.com_cluster': place.clusterName,
    'karpenter.sh_nodepool': pool,
    team: 'payments',
  };
}

/** FNV-1a with 32 bits over the text that Go's encoder gives: keys in order, `<` `>` `&` escaped. */
export function inPlaceHash(place: Place, pool: string, tags = vmTags(place, pool)): string {
  const identities = Object.fromEntries([...place.identities].sort().map((id) => [id, {}]));
  const given = {
    ...(place.identities.length === 0 ? {} : { identities }),
    tags: Object.fromEntries(Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  const text = JSON.stringify(given).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  let hash = 2166136261n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  return String(hash);
}

export function imageId(definition: string, version: string): string {
  return `/CommunityGalleries/${GALLERY}/images/${definition}/versions/${version}`;
}

export function vmId(place: Place, claimName: string): string {
  const group = `/subscriptions/${place.subscriptionId}/resourceGroups/${place.nodeResourceGroup}`;
  return `${group}/providers/Microsoft.Compute/virtualMachines/aks-${claimName}`;
}

/** The resource group in lower case, as the cloud provider has it. */
export function providerId(place: Place, claimName: string): string {
  return `azure://${vmId(place, claimName).replace(place.nodeResourceGroup, place.nodeResourceGroup.toLowerCase())}`;
}
