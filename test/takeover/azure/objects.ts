/**
 * Objects as Karpenter's provider for Azure writes them, field by field. Hashes are of the goldens in
 * `packages/chandler/src/api/hash`; the one of the in-place update is worked out here again.
 */
import type { KubeObject } from '@chandler/kube';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  aksNodeClassHash,
  type Hashable,
  nodePoolHash,
} from '../../../packages/chandler/src/api/index.ts';
import { type CloudTerms, conditions } from '../objects.ts';

export const IMAGES = ['2204gen2containerd', '2204containerd', '2204gen2arm64containerd'];
export const GALLERY = 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2';
export const CLASS_HASH = 'karpenter.azure.com/aksnodeclass-hash';

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

export const TERMS: CloudTerms = {
  nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
  classLabel: 'karpenter.azure.com/aksnodeclass',
  requirement: { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
  instanceTypes: ['Standard_D4s_v5', 'Standard_D8s_v5'],
};

export const NODE_CLASS_SPEC = {
  imageFamily: 'Ubuntu2204',
  osDiskSizeGB: 128,
  maxPods: 110,
  tags: { team: 'payments', 'cost/center': '<42>' },
};

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
    conditions: conditions(place.time, [
      'KubernetesVersionReady',
      'ImagesReady',
      'SubnetsReady',
      'ValidationSucceeded',
      'LocalDNSReady',
      'Ready',
    ]),
  };
}

export function poolHash(pool: KubeObject): string {
  return nodePoolHash(pool as Hashable);
}

export function classAnnotations(ofClass: KubeObject): Record<string, string> {
  return {
    [CLASS_HASH]: aksNodeClassHash(ofClass as Hashable),
    [`${CLASS_HASH}-version`]: AKS_NODE_CLASS_HASH_VERSION,
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
