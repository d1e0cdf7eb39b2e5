/** A node class and the dependencies of its status, all sound; a test breaks what it is about. */
import type { Stored } from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import type { AKSNodeClass, AKSNodeClassSpec, AKSNodeClassStatus } from '../../../api/index.ts';
import { hardcoded, type Sourced } from '../../../settings/index.ts';

import { evidenceOf, soundWorld, type World } from '../disk-encryption/evidence/evidence.fixture.ts';
import { AzureNodeClassStatus, type NodeClassStatusDeps } from './status.ts';

export const SUBNET =
  '/subscriptions/sub/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes';

export const IMAGES = [
  { id: '/CommunityGalleries/g/images/2204gen2/versions/202608.10.0', requirements: [] },
];

export function nodeClassOf(
  spec: AKSNodeClassSpec = {},
  rest: { generation?: number; status?: AKSNodeClassStatus } = {},
): Stored<AKSNodeClass> {
  return stored({
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: {
      name: 'default',
      generation: rest.generation ?? 1,
      creationTimestamp: '2026-08-20T10:00:00Z',
    },
    spec,
    ...(rest.status === undefined ? {} : { status: rest.status }),
  });
}

export interface SceneOptions {
  readonly option?: Sourced<string | undefined>;
  readonly cluster?: Sourced<string> | Error;
  readonly azure?: Partial<World>;
  readonly deps?: Partial<NodeClassStatusDeps>;
}

/** Everything a test may turn, and the status computed with it. */
export function scene(options: SceneOptions = {}) {
  const world = virtualWorld({ startMs: Date.UTC(2026, 7, 21) });
  const azure = soundWorld(options.azure);
  const { evidence, launches, time } = evidenceOf(azure);
  const deps: NodeClassStatusDeps = {
    world,
    kubernetesVersion: async () => ({ value: 'v1.34.2', source: 'cluster', path: '/version' }),
    findImages: async () => ({ images: IMAGES }),
    subnet: {
      clusterSubnetID: () => ({ value: SUBNET, source: 'env', path: 'VNET_SUBNET_ID' }),
      nodeResourceGroup: () => 'MC_rg_cluster_westeurope',
      hasOverlay: () => true,
      get: async () => ({}),
    },
    validation: {
      diskEncryptionSetOption: () => options.option ?? hardcoded(''),
      clusterDiskEncryptionSet: async () => {
        if (options.cluster instanceof Error) throw options.cluster;
        return options.cluster === undefined ? {} : { set: options.cluster };
      },
      evidence,
      unsupportedFields: () => [],
    },
    localDns: {
      supported: () => true,
      networkPlugin: () => 'azure',
      networkPolicy: () => '',
      hasNetworkPolicies: async () => false,
      hasNodeLocalDns: async () => false,
    },
    ...options.deps,
  };
  const azureStatus = new AzureNodeClassStatus(deps);
  const status = {
    reconcile: (nodeClass: AKSNodeClass, signal: AbortSignal = neverAborted()) =>
      azureStatus.reconcile(nodeClass, signal),
  };
  return { world, azure, launches, time, deps, status };
}

export function conditionOf(status: AKSNodeClassStatus, type: string) {
  return status.conditions?.find((condition) => condition.type === type);
}
