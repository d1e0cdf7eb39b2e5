/** Claims and nodes as Karpenter leaves them on EKS when all is well; their instances are in instances.ts. */
import { KUBELET_VERSION } from '@chandler/apiserver/standins';
import type { AwsServer } from '@chandler/cloudsim/aws';
import type { InstanceRecord } from '@chandler/cloudsim/aws/testing';
import type { KubeObject } from '@chandler/kube';
import {
  claimObject,
  nodeObject,
  type PoolName,
  poolAnnotations,
  readyNodeStatus,
  settledClaimStatus,
} from '../objects.ts';
import { classAnnotations, PROFILE_NAME, RECORDED_HASHES, TERMS, zoneId } from './objects.ts';

/** As an m5.xlarge reports itself on EKS. */
export const NODE_CAPACITY = {
  cpu: '4',
  'ephemeral-storage': '104779756Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '15896948Ki',
  pods: '58',
};
const NODE_ALLOCATABLE = {
  ...NODE_CAPACITY,
  cpu: '3920m',
  'ephemeral-storage': '95491281146',
  memory: '14880116Ki',
};
/** As the provider expects it. */
const CLAIM_CAPACITY = {
  cpu: '4',
  'ephemeral-storage': '100Gi',
  memory: '15155Mi',
  pods: '58',
  'vpc.amazonaws.com/pod-eni': '18',
};
const CLAIM_ALLOCATABLE = {
  ...CLAIM_CAPACITY,
  cpu: '3920m',
  'ephemeral-storage': '89Gi',
  memory: '14162Mi',
};

export interface ClaimOwners {
  readonly server: AwsServer;
  /** As read from the API server. */
  readonly pool: KubeObject;
  readonly profile: string;
}

/** Before it is launched. */
export function plannedClaim({ pool }: Pick<ClaimOwners, 'pool'>, name: string): KubeObject {
  const hash = RECORDED_HASHES.pools[pool.metadata.name as PoolName];
  return claimObject(TERMS, { name, pool, labels: {}, annotations: poolAnnotations(hash) });
}

export function claimOf(owners: ClaimOwners, name: string, instance: InstanceRecord): KubeObject {
  const { metadata, ...planned } = plannedClaim(owners, name);
  return {
    ...planned,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...instanceLabels(owners.server, instance) },
      annotations: {
        ...metadata.annotations,
        ...classAnnotations(),
        [PROFILE_NAME]: owners.profile,
        ...TAGGED,
      },
    },
  };
}

export function claimStatus(instance: InstanceRecord, time: string): object {
  return settledClaimStatus(time, {
    providerID: providerId(instance),
    nodeName: instance.nodeName,
    imageID: instance.imageId,
    capacity: CLAIM_CAPACITY,
    allocatable: CLAIM_ALLOCATABLE,
  });
}

export function nodeOf(claim: KubeObject, instance: InstanceRecord): KubeObject {
  // The instance was tagged after the node had registered.
  const annotations = Object.entries(claim.metadata.annotations ?? {}).filter(([key]) => !(key in TAGGED));
  return nodeObject(claim, {
    name: instance.nodeName,
    providerID: providerId(instance),
    annotations: Object.fromEntries(annotations),
    labels: { 'k8s.io/cloud-provider-aws': 'f438d6b1b3b1f7a1f3b2a0a2e5d6c7b8' },
  });
}

export function nodeStatus(time: string): object {
  return readyNodeStatus(time, {
    capacity: NODE_CAPACITY,
    allocatable: NODE_ALLOCATABLE,
    kubeletVersion: KUBELET_VERSION,
  });
}

export function providerId({ zone, id }: Pick<InstanceRecord, 'zone' | 'id'>): string {
  return `aws:///${zone}/${id}`;
}

/** On a claim whose instance has all its tags. */
export const TAGGED: Readonly<Record<string, string>> = {
  'karpenter.k8s.aws/tagged': 'true',
  'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
};

// ---------------------------------------------------------------------------------------------------

function instanceLabels(server: AwsServer, { zone }: InstanceRecord): Record<string, string> {
  return {
    'karpenter.k8s.aws/instance-capability-flex': 'false',
    'karpenter.k8s.aws/instance-category': 'm',
    'karpenter.k8s.aws/instance-cpu': '4',
    'karpenter.k8s.aws/instance-cpu-manufacturer': 'intel',
    'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz': '3100',
    'karpenter.k8s.aws/instance-ebs-bandwidth': '4750',
    'karpenter.k8s.aws/instance-encryption-in-transit-supported': 'false',
    'karpenter.k8s.aws/instance-family': 'm5',
    'karpenter.k8s.aws/instance-generation': '5',
    'karpenter.k8s.aws/instance-hypervisor': 'nitro',
    'karpenter.k8s.aws/instance-memory': '16384',
    'karpenter.k8s.aws/instance-network-bandwidth': '1250',
    'karpenter.k8s.aws/instance-size': 'xlarge',
    'karpenter.k8s.aws/instance-tenancy': 'default',
    'karpenter.k8s.aws/nitro-sandbox': 'true',
    'node.kubernetes.io/instance-type': 'm5.xlarge',
    'topology.k8s.aws/zone-id': zoneId(server, zone),
    'topology.kubernetes.io/region': server.settings.region,
    'topology.kubernetes.io/zone': zone,
  };
}
