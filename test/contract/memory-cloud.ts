/**
 * The smallest cloud there can be: its instances are objects in memory. It shows what a provider has to bring, passes the
 * contract, and is run by the operator of production. Several processes may use one account, as with a real cloud.
 */
import { type Clock, type KubeObject, parseQuantity } from '@chandler/kube';
import { CORE_LABEL_RULES, type NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type Cloud,
  CloudError,
  type CloudProvider,
  type CloudTraits,
  type DeleteStep,
  type Instance,
  type LaunchRequest,
  type LaunchStep,
} from '../../packages/chandler/src/cloud/index.ts';
import type { Stage } from '../../packages/chandler/src/journey/index.ts';
import { type InstanceType, overlaidTypes } from '../../packages/chandler/src/scheduling/index.ts';

import type { CloudFault } from './drive.ts';
import { classReadiness, MEMORY_NODE_CLASSES } from './memory-node-class.ts';

/** What the cloud holds. */
export interface MemoryAccount {
  readonly clock: Clock;
  /** By name. */
  readonly instances: Map<string, MemoryInstance>;
  fault: CloudFault | undefined;
  /** Operations that were accepted. */
  readonly reboots: Set<string>;
  /** For the one that runs nodes on the instances. */
  onLaunch?: (instance: Instance, claim: NodeClaim) => void;
  onGone?: (instance: Instance) => void;
}

export interface MemoryInstance {
  readonly instance: Instance;
  readonly readyAtMs: number;
  goneAtMs?: number;
}

export function memoryAccount(clock: Clock): MemoryAccount {
  return { clock, instances: new Map(), fault: undefined, reboots: new Set() };
}

export const MEMORY_STAGES = ['instanceType', 'launchRequest', 'boot', 'bootResult'] as const;

const TRAITS: CloudTraits = {
  name: 'memory',
  nodeClasses: [MEMORY_NODE_CLASSES],
  wellKnownLabels: [],
  repairPolicies: [
    {
      conditionType: 'Ready',
      conditionStatus: 'False',
      tolerationMs: 600_000,
      action: 'ReplaceNode',
      fallback: true,
    },
    { conditionType: 'Stuck', conditionStatus: 'True', tolerationMs: 0, priority: 10, action: 'RebootNode' },
  ],
  ownership: { providerIdPrefix: 'memory://', isManagedElsewhere: () => false },
  terminationAdvice: {},
};

export function memoryProvider(account: MemoryAccount): CloudProvider {
  return {
    ...TRAITS,
    options: { title: 'Memory', table: {}, rules: [], ownGroups: [] },
    stages: MEMORY_STAGES,
    labelRules: CORE_LABEL_RULES,
    createParts: () => ({
      cloud: memoryCloud(account),
      controllers: (context) => [classReadiness(context)],
    }),
  };
}

export function memoryCloud(account: MemoryAccount): Cloud {
  return {
    ...TRAITS,
    async instanceTypes(_, signal) {
      signal.throwIfAborted();
      return TYPES;
    },
    async create(request, signal) {
      signal.throwIfAborted();
      return create(account, request);
    },
    async delete({ metadata }, signal) {
      signal.throwIfAborted();
      return remove(account, metadata);
    },
    async reboot(claim, operationId, signal) {
      signal.throwIfAborted();
      if (find(account, nameOf(claim))?.instance.claimUid !== claim.metadata.uid)
        throw new CloudError('NotFound', `no instance of ${claim.metadata.name}`);
      account.reboots.add(operationId);
    },
    nodeName: nameOf,
    async get(providerID, signal) {
      signal.throwIfAborted();
      const name = providerID.startsWith(PREFIX) ? providerID.slice(PREFIX.length) : '';
      const found = find(account, name);
      if (found === undefined) throw new CloudError('NotFound', `no instance ${providerID}`);
      return shown(found);
    },
    async list(signal) {
      signal.throwIfAborted();
      return [...account.instances.keys()].flatMap((name) => {
        const found = find(account, name);
        return found === undefined ? [] : [shown(found)];
      });
    },
    async drift({ claim, nodeClass }, signal) {
      signal.throwIfAborted();
      const recorded = claim.metadata.annotations?.[IMAGE];
      if (recorded === undefined || recorded === imageOf(nodeClass)) return undefined;
      return { reason: 'ImageDrift', message: `${recorded} is not ${imageOf(nodeClass)}` };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const PREFIX = 'memory:///';
const IMAGE = 'memory.test/image';
const ZONE = 'here';
const BOOT_MS = 2_000;
const DELETE_MS = 2_000;

const one = (key: string, value: string) => ({ key, operator: 'In', values: [value] });

const TYPES: readonly InstanceType[] = [2, 8].map((cpu) => ({
  name: `memory-${cpu}`,
  requirements: [
    one('node.kubernetes.io/instance-type', `memory-${cpu}`),
    one('kubernetes.io/arch', 'amd64'),
    one('kubernetes.io/os', 'linux'),
    one('topology.kubernetes.io/zone', ZONE),
    one('karpenter.sh/capacity-type', 'on-demand'),
  ],
  offerings: [
    {
      requirements: [
        one('topology.kubernetes.io/zone', ZONE),
        one('karpenter.sh/capacity-type', 'on-demand'),
      ],
      price: cpu / 100,
      available: true,
      launchable: true,
    },
  ],
  capacity: { cpu: `${cpu}`, memory: `${cpu * 4}Gi`, pods: '110' },
  volumeAttachmentLimits: { 'disk.memory.test': 4 },
}));

function create(account: MemoryAccount, request: LaunchRequest): LaunchStep {
  const { claim, nodeClass } = request;
  const nowMs = account.clock.now();
  const found = find(account, nameOf(claim));
  if (found !== undefined && found.instance.claimUid !== claim.metadata.uid)
    throw new CloudError('NameTaken', `${nameOf(claim)} belongs to another claim`);
  if (found?.goneAtMs !== undefined) return { state: 'waiting', retryAfterMs: 1_000, stages: [] };
  if (found !== undefined) {
    const settled = nowMs >= found.readyAtMs;
    const stages = [stage('boot', nowMs, settled ? 'ok' : 'waiting'), stage('bootResult', nowMs, 'ok')];
    return settled
      ? { state: 'launched', instance: found.instance, settled, stages }
      : { state: 'launched', instance: found.instance, settled, retryAfterMs: 500, stages: [stages[0]!] };
  }
  const type = typeFor(request);
  if (type === undefined || account.fault === 'noCapacity')
    throw new CloudError('InsufficientCapacity', 'no instance type fits');
  if (account.fault === 'throttled') return { state: 'waiting', retryAfterMs: 30_000, stages: [] };
  if (account.fault === 'unauthorized') throw new CloudError('Unauthorized', 'the account is locked');
  if (account.fault === 'unreachable') throw new CloudError('Unreachable', 'no answer');
  const instance = newInstance(request, type, imageOf(nodeClass), nowMs);
  account.instances.set(instance.name, { instance, readyAtMs: nowMs + BOOT_MS });
  account.onLaunch?.(instance, claim);
  if (account.fault === 'answerLost') throw new CloudError('Unreachable', 'no answer');
  const stages = [
    stage('instanceType', nowMs, 'ok', { type: type.name }),
    stage('launchRequest', nowMs, 'ok', { instance: instance.name }),
  ];
  return { state: 'launched', instance, settled: false, retryAfterMs: 500, stages };
}

function remove(account: MemoryAccount, metadata: NodeClaim['metadata']): DeleteStep {
  const found = find(account, nameOf({ metadata }));
  if (found === undefined || found.instance.claimUid !== metadata.uid) return { state: 'gone' };
  found.goneAtMs ??= account.clock.now() + DELETE_MS;
  return { state: 'deleting', retryAfterMs: 1_000 };
}

/** What is deleted is there until its time is up. */
function find(account: MemoryAccount, name: string): MemoryInstance | undefined {
  const found = account.instances.get(name);
  if (found === undefined || account.clock.now() < (found.goneAtMs ?? Number.POSITIVE_INFINITY)) return found;
  account.instances.delete(name);
  account.onGone?.(found.instance);
  return undefined;
}

function shown({ instance, goneAtMs }: MemoryInstance): Instance {
  return { ...instance, deleting: goneAtMs !== undefined };
}

function nameOf({ metadata }: Pick<NodeClaim, 'metadata'>): string {
  return `memory-${metadata.name}`;
}

function imageOf(nodeClass: KubeObject): string {
  return (nodeClass['spec'] as { readonly image?: string } | undefined)?.image ?? 'image-1';
}

/** The cheapest that the claim allows and that has what it requests. */
function typeFor({ claim: { spec }, nodePool, overlays = [] }: LaunchRequest): InstanceType | undefined {
  const asked = spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.values;
  const requests = Object.entries(spec.resources?.requests ?? {});
  const types = nodePool === undefined ? TYPES : overlaidTypes(TYPES, nodePool, overlays);
  return types
    .filter(({ name }) => asked?.includes(name) ?? true)
    .filter(({ capacity }) =>
      requests.every(
        ([name, amount]) => parseQuantity(amount).compare(parseQuantity(capacity[name] ?? 0)) <= 0,
      ),
    )
    .sort((first, second) => first.offerings[0]!.price - second.offerings[0]!.price)[0];
}

function newInstance(
  { claim, nodePool }: LaunchRequest,
  type: InstanceType,
  imageID: string,
  createdAtMs: number,
): Instance {
  const name = nameOf(claim);
  const pool = nodePool?.metadata.name ?? claim.metadata.labels?.['karpenter.sh/nodepool'];
  return {
    providerID: `${PREFIX}${name}`,
    name,
    claimUid: claim.metadata.uid,
    claimName: claim.metadata.name,
    ...(pool === undefined ? {} : { nodePool: pool }),
    instanceType: type.name,
    zone: ZONE,
    capacityType: 'on-demand',
    imageID,
    createdAtMs,
    deleting: false,
    labels: Object.fromEntries(type.requirements.map(({ key, values }) => [key, values?.[0] ?? ''])),
    annotations: { [IMAGE]: imageID },
    capacity: type.capacity,
    allocatable: type.capacity,
  };
}

function stage(
  name: (typeof MEMORY_STAGES)[number],
  atMs: number,
  outcome: Stage['outcome'],
  facts?: Stage['facts'],
): Stage {
  return { name, atMs, outcome, ...(facts === undefined ? {} : { facts }) };
}
