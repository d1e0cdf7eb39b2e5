/** Objects as Karpenter writes them on every cloud, field by field. What a cloud adds is given. */
import type { KubeObject } from '@chandler/kube';

export type PoolName = 'general' | 'spot';
export const POOL_NAMES: readonly PoolName[] = ['general', 'spot'];
export const POOL_HASH = 'karpenter.sh/nodepool-hash';

/** What a cloud calls its things. */
export interface CloudTerms {
  readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
  /** The label of nodes with the name of their class. */
  readonly classLabel: string;
  /** Of the pools: which instance types. */
  readonly requirement: {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  };
  /** Those that claims were narrowed to. */
  readonly instanceTypes: readonly string[];
}

/** All True, as they are when all is well. */
export function conditions(time: string, types: readonly string[]): object[] {
  return types.map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: time,
    observedGeneration: 1,
  }));
}

/** One pool for on-demand instances, one for spot with a taint. */
export function nodePool(
  name: PoolName,
  { nodeClassRef, requirement }: Pick<CloudTerms, 'nodeClassRef' | 'requirement'>,
): KubeObject {
  const capacity = name === 'spot' ? 'spot' : 'on-demand';
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      weight: name === 'spot' ? 10 : 1,
      limits: { cpu: '10000' },
      // No workload owns the pods here: without the budget all nodes would be removed.
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '1m',
        budgets: [{ nodes: '0' }],
      },
      template: {
        metadata: { labels: { team: 'payments' }, annotations: { 'example.com/owner': 'a' } },
        spec: {
          nodeClassRef,
          expireAfter: '720h',
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacity] },
            requirement,
          ],
          ...(name === 'spot'
            ? { taints: [{ key: 'example.com/spot', value: 'true', effect: 'NoSchedule' }] }
            : {}),
        },
      },
    },
  };
}

export function poolAnnotations(hash: string): Record<string, string> {
  return { [POOL_HASH]: hash, [`${POOL_HASH}-version`]: 'v3' };
}

export interface ClaimParts {
  readonly name: string;
  /** As read from the API server. */
  readonly pool: KubeObject;
  /** Of the instance and of its type. */
  readonly labels: Readonly<Record<string, string>>;
  /** With the hashes. */
  readonly annotations: Readonly<Record<string, string>>;
}

export function claimObject(
  { nodeClassRef, classLabel, instanceTypes }: CloudTerms,
  { name, pool, labels, annotations }: ClaimParts,
): KubeObject {
  const poolName = pool.metadata.name!;
  const { template } = pool['spec'] as {
    template: { spec: { requirements: object[]; taints?: object[] }; metadata: KubeObject['metadata'] };
  };
  const { requirements, taints } = template.spec;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      generateName: `${poolName}-`,
      labels: {
        'karpenter.sh/nodepool': poolName,
        'karpenter.sh/capacity-type': poolName === 'spot' ? 'spot' : 'on-demand',
        [classLabel]: nodeClassRef.name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        ...labels,
        ...template.metadata.labels,
      },
      annotations: {
        ...template.metadata.annotations,
        'karpenter.sh/nodeclaim-min-values-relaxed': 'false',
        ...annotations,
      },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [owner(pool, 'NodePool')],
    },
    spec: {
      nodeClassRef,
      expireAfter: '720h',
      requirements: [
        ...requirements,
        { key: 'karpenter.sh/nodepool', operator: 'In', values: [poolName] },
        { key: classLabel, operator: 'In', values: [nodeClassRef.name] },
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: instanceTypes },
      ],
      resources: { requests: { cpu: '3', memory: '4Gi', pods: '4' } },
      ...(taints === undefined ? {} : { taints }),
    },
  };
}

/** Of a claim whose node has been there for long. */
export function settledClaimStatus(
  time: string,
  own: {
    readonly providerID: string;
    readonly nodeName: string;
    readonly imageID: string;
    readonly capacity: object;
    readonly allocatable: object;
  },
): object {
  return {
    ...own,
    lastPodEventTime: time,
    conditions: conditions(time, [
      'Launched',
      'Registered',
      'Initialized',
      'Consolidatable',
      'ConsistentStateFound',
      'Ready',
    ]),
  };
}

/** Registered and initialized. `annotations`: those of the claim when the node registered. */
export function nodeObject(
  claim: KubeObject,
  own: {
    readonly name: string;
    readonly providerID: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>> | undefined;
  },
): KubeObject {
  const { taints } = claim['spec'] as { taints?: object[] };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: own.name,
      labels: {
        ...claim.metadata.labels,
        'kubernetes.io/hostname': own.name,
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        'karpenter.sh/do-not-sync-taints': 'true',
        ...own.labels,
      },
      annotations: { ...own.annotations, 'node.alpha.kubernetes.io/ttl': '0' },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [owner(claim, 'NodeClaim')],
    },
    spec: { providerID: own.providerID, ...(taints === undefined ? {} : { taints }) },
  };
}

export function readyNodeStatus(
  time: string,
  own: { readonly capacity: object; readonly allocatable: object; readonly kubeletVersion: string },
): object {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready',
  };
  const { capacity, allocatable, kubeletVersion } = own;
  return {
    capacity,
    allocatable,
    conditions: [{ ...ready, lastTransitionTime: time, lastHeartbeatTime: time }],
    nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', kubeletVersion },
  };
}

/** It leaves no room for another on the same node. */
export function podOn(nodeName: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `on-${nodeName}`, namespace: 'default', labels: { app: 'a' } },
    spec: {
      nodeName,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '3', memory: '4Gi' } } }],
    },
  };
}

export function runningPodStatus(time: string): object {
  const types = ['PodScheduled', 'Ready'];
  return {
    phase: 'Running',
    startTime: time,
    conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: time })),
  };
}

/** As a pool counts so many equal nodes; a quantity as Go prints it: `2k`, not `2000`. */
export function poolStatus(time: string, nodes: number, capacity: Readonly<Record<string, string>>): object {
  const total = (text: string) => {
    const amount = Number.parseInt(text, 10) * nodes;
    const unit = /[A-Z]?i?$/i.exec(text)![0];
    return unit === '' && amount > 0 && amount % 1000 === 0 ? `${amount / 1000}k` : `${amount}${unit}`;
  };
  const sums = Object.entries(capacity).map(([name, text]) => [name, text === '0' ? '0' : total(text)]);
  return {
    nodes,
    nodeClassObservedGeneration: 1,
    resources: { ...Object.fromEntries(sums), nodes: `${nodes}` },
    conditions: conditions(time, [
      'ValidationSucceeded',
      'NodeClassReady',
      'NodeRegistrationHealthy',
      'Ready',
    ]),
  };
}

/** The pool with another value of this label on its nodes. */
export function withTeam(pool: KubeObject, team: string): KubeObject {
  const changed = structuredClone(pool);
  const { template } = changed['spec'] as { template: { metadata: { labels: Record<string, string> } } };
  template.metadata.labels['team'] = team;
  return changed;
}

/** Three of five nodes are of `general`. */
export function poolOfNode(at: number): PoolName {
  return at % 5 < 3 ? 'general' : 'spot';
}

export function claimName(at: number): string {
  return `${poolOfNode(at)}-${at.toString(36).padStart(5, '0')}`;
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
