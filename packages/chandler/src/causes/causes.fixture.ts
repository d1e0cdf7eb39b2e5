/** Builders of evidence for tests: each makes a record of something that is well; a test says what is not. */
import type { Condition } from '../api/index.ts';
import type {
  ContainerEvidence,
  EventFact,
  Evidence,
  EvidenceKind,
  EvidenceOf,
  RefusalFact,
  Sighting,
  Unread,
} from './evidence.ts';
import { EvidenceSet } from './evidence-set.ts';

export const NOW_MS = Date.parse('2026-01-27T15:00:00Z');
export const MINUTE_MS = 60_000;
export const DES = '/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/des';

type Changes<K extends EvidenceKind> = Partial<Omit<EvidenceOf<K>, 'kind'>>;

export function ago(minutes: number): string {
  return new Date(NOW_MS - minutes * MINUTE_MS).toISOString();
}

export function condition(
  type: string,
  status: Condition['status'],
  reason: string = type,
  message = '',
  minutesAgo = 30,
): Condition {
  return { type, status, reason, message, lastTransitionTime: ago(minutesAgo) };
}

export function reading(what: string, from: 'kubernetes' | 'azure' | 'controller' | 'dump' = 'kubernetes') {
  return { from, what, atMs: NOW_MS };
}

export function aPod(changes: Changes<'pod'> = {}): EvidenceOf<'pod'> {
  return {
    kind: 'pod',
    reading: reading('Pod shop/web-1'),
    name: 'shop/web-1',
    createdAtMs: NOW_MS - 20 * MINUTE_MS,
    deletingSinceMs: undefined,
    phase: 'Running',
    reason: undefined,
    message: undefined,
    nodeName: 'aks-default-x7k2p',
    nominatedNodeName: undefined,
    schedulerName: 'default-scheduler',
    schedulingGates: [],
    readinessGates: [],
    conditions: [condition('Ready', 'True')],
    containers: [aContainer()],
    hasMemoryLimit: true,
    unboundVolumes: [],
    ...changes,
  };
}

export function aWaitingPod(changes: Changes<'pod'> = {}): EvidenceOf<'pod'> {
  const { nodeName: _, ...pod } = aPod({ phase: 'Pending', conditions: [], containers: [] });
  return { ...pod, nodeName: undefined, ...changes };
}

/** On its node, with a container that is not well. */
export function aFailingPod(container: Partial<ContainerEvidence>, changes: Changes<'pod'> = {}) {
  return aPod({
    conditions: [condition('Ready', 'False', 'ContainersNotReady')],
    containers: [aContainer({ ready: false, ...container })],
    ...changes,
  });
}

export function aContainer(changes: Partial<ContainerEvidence> = {}): ContainerEvidence {
  const { started = true, waiting, terminated } = changes;
  return {
    name: 'web',
    image: 'shop.azurecr.io/web:1',
    init: false,
    ready: true,
    running: started && waiting === undefined && terminated === undefined,
    started: true,
    restarts: 0,
    waiting: undefined,
    terminated: undefined,
    lastTerminated: undefined,
    failsRepeatedly: false,
    probes: ['readiness', 'liveness'],
    restartPolicy: 'Always',
    ...changes,
  };
}

export function aClaim(changes: Changes<'nodeClaim'> = {}): EvidenceOf<'nodeClaim'> {
  return {
    kind: 'nodeClaim',
    reading: reading('NodeClaim default-x7k2p'),
    name: 'default-x7k2p',
    nodePool: 'default',
    nodeClass: 'default',
    createdAtMs: NOW_MS - 20 * MINUTE_MS,
    deletingSinceMs: undefined,
    providerId:
      'azure:///subscriptions/s/resourceGroups/n/providers/Microsoft.Compute/virtualMachines/aks-default-x7k2p',
    nodeName: 'aks-default-x7k2p',
    imageId: '/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/202601.13.0',
    conditions: [
      condition('Launched', 'True'),
      condition('Registered', 'True'),
      condition('Initialized', 'True'),
    ],
    taints: [],
    recordedDiskEncryptionSet: 'none',
    ...changes,
  };
}

/** Launched some minutes ago, and no Node yet. */
export function aJoiningClaim(minutes = 8, changes: Changes<'nodeClaim'> = {}) {
  return aClaim({
    nodeName: undefined,
    conditions: [
      condition('Launched', 'True', 'Launched', '', minutes),
      condition('Registered', 'Unknown', 'NodeNotFound', 'Node not registered with cluster', minutes),
    ],
    ...changes,
  });
}

export function aClass(changes: Changes<'nodeClass'> = {}): EvidenceOf<'nodeClass'> {
  return {
    kind: 'nodeClass',
    reading: reading('AKSNodeClass default'),
    objectKind: 'AKSNodeClass',
    name: 'default',
    found: true,
    deleting: false,
    generation: 1,
    conditions: [
      condition('ValidationSucceeded', 'True'),
      condition('ImagesReady', 'True'),
      condition('Ready', 'True'),
    ],
    diskEncryptionSet: undefined,
    findings: [],
    ...changes,
  };
}

export function aPool(changes: Changes<'nodePool'> = {}): EvidenceOf<'nodePool'> {
  return {
    kind: 'nodePool',
    reading: reading('NodePool default'),
    name: 'default',
    deleting: false,
    nodeClass: { kind: 'AKSNodeClass', name: 'default' },
    conditions: [condition('NodeClassReady', 'True'), condition('ValidationSucceeded', 'True')],
    limits: {},
    used: {},
    heldBack: undefined,
    ...changes,
  };
}

export function aNode(changes: Changes<'node'> = {}): EvidenceOf<'node'> {
  return {
    kind: 'node',
    reading: reading('Node aks-default-x7k2p'),
    name: 'aks-default-x7k2p',
    claim: 'default-x7k2p',
    providerId: aClaim().providerId,
    createdAtMs: NOW_MS - 15 * MINUTE_MS,
    deletingSinceMs: undefined,
    unschedulable: false,
    conditions: [condition('Ready', 'True', 'KubeletReady')],
    taints: [],
    labels: {},
    allocatable: { cpu: '4' },
    kubeletVersion: 'v1.34.2',
    ...changes,
  };
}

export function aVm(changes: Changes<'vm'> = {}): EvidenceOf<'vm'> {
  return {
    kind: 'vm',
    reading: reading('VM aks-default-x7k2p', 'azure'),
    name: 'aks-default-x7k2p',
    claim: 'default-x7k2p',
    found: true,
    provisioningState: 'Succeeded',
    powerState: 'running',
    agentReady: true,
    diskEncryptionSetId: undefined,
    imageId: undefined,
    size: 'Standard_D4s_v5',
    bootDiagnostics: true,
    createdAtMs: NOW_MS - 20 * MINUTE_MS,
    ...changes,
  };
}

export function aController(changes: Changes<'controller'> = {}): EvidenceOf<'controller'> {
  return {
    kind: 'controller',
    reading: reading('Deployment kube-system/karpenter'),
    deployment: 'kube-system/karpenter',
    replicas: { wanted: 2, ready: 2 },
    leader: 'karpenter-1',
    stopped: undefined,
    hosting: 'selfHosted',
    version: '0.1.0',
    ...changes,
  };
}

export function options(set: string, changes: Changes<'options'> = {}): EvidenceOf<'options'> {
  const value = {
    value: set,
    source: set === '' ? 'hardcoded' : 'env',
    path: 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
  };
  return {
    kind: 'options',
    reading: reading('options', 'controller'),
    values: { nodeOsdiskDiskencryptionsetId: value },
    problems: [],
    ...changes,
  };
}

export function question(expectsCustomerKey = true): EvidenceOf<'question'> {
  return {
    kind: 'question',
    reading: reading('the question'),
    subject: 'pod/shop/web-1',
    expectsCustomerKey,
  };
}

export function cluster(changes: Changes<'cluster'> = {}): EvidenceOf<'cluster'> {
  return {
    kind: 'cluster',
    reading: reading('managed cluster', 'azure'),
    diskEncryptionSetId: undefined,
    privateCluster: false,
    authorizedIpRanges: [],
    apiServerHost: 'c.hcp.westeurope.azmk8s.io',
    powerState: 'Running',
    ...changes,
  };
}

export function cloudError(reason: string, changes: Changes<'cloudError'> = {}): EvidenceOf<'cloudError'> {
  return {
    kind: 'cloudError',
    reading: reading('launch of default-x7k2p', 'controller'),
    claim: 'default-x7k2p',
    errorKind: 'CreateFailed',
    reason,
    code: undefined,
    message: `Azure said ${reason}`,
    stage: 'vmRequest',
    ...changes,
  };
}

export function serialLog(text: string, changes: Changes<'serialLog'> = {}): EvidenceOf<'serialLog'> {
  return {
    kind: 'serialLog',
    reading: reading('serial log of aks-default-x7k2p', 'azure'),
    claim: 'default-x7k2p',
    text,
    imageId: undefined,
    ...changes,
  };
}

export function sightings(...seen: readonly Sighting[]): EvidenceOf<'value'> {
  return {
    kind: 'value',
    reading: reading('journey of default-x7k2p'),
    name: 'diskEncryptionSet',
    claim: 'default-x7k2p',
    sightings: seen,
  };
}

export function plan(...refusals: readonly RefusalFact[]): EvidenceOf<'plan'> {
  return {
    kind: 'plan',
    reading: reading('plan', 'controller'),
    pod: 'shop/web-1',
    outcome: 'refused',
    target: undefined,
    refusals,
  };
}

export function refusal(code: string, text = `refused: ${code}`): RefusalFact {
  return { code, facts: {}, text, nodePool: 'default' };
}

export function events(...facts: readonly Partial<EventFact>[]): EvidenceOf<'events'> {
  return {
    kind: 'events',
    reading: reading('events'),
    events: facts.map((fact) => ({
      object: 'Pod/shop/web-1',
      type: 'Warning',
      reason: 'Failed',
      message: '',
      count: 1,
      lastMs: NOW_MS - MINUTE_MS,
      ...fact,
    })),
  };
}

export function evidence(records: readonly Evidence[], unread: readonly Unread[] = []): EvidenceSet {
  return new EvidenceSet({ records, unread, atMs: NOW_MS });
}
