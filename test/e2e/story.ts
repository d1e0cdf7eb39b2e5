/**
 * The story of a customer-managed key: a node class with a key, a pool, a pod; a claim, a VM, a node; the pod is healthy
 * and ARM shows that the OS disk is encrypted with that key. Then everything is deleted. The phases are the same in
 * every environment; the timeouts are those of a real cloud.
 */
import type { ArmServer } from '@chandler/cloudsim/azure/testing';
import { EVENTS, type KubeObject, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { pool } from '../controllers/stage.ts';
import type { Phase, Time } from './phases.ts';

export interface Ground extends Time {
  readonly arm: ArmServer;
  /** The customer's disk encryption set. */
  readonly diskEncryptionSetId: string;
  apply(resource: ResourceRef, object: object): Promise<unknown>;
  remove(resource: ResourceRef, name: string, namespace?: string): Promise<unknown>;
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
}

export const POD = 'web';

export const STORY: readonly Phase<Ground>[] = [
  {
    name: 'the disk encryption set is there, by ARM',
    limitMs: 30_000,
    waitsFor: async ({ arm, diskEncryptionSetId }) => {
      const set = await armGet(arm, diskEncryptionSetId, '2023-10-02');
      return set.properties?.provisioningState === 'Succeeded' ? undefined : JSON.stringify(set);
    },
  },
  {
    name: 'the NodeClass is Ready',
    limitMs: 60_000,
    act: (ground) => ground.apply(AKS_NODE_CLASSES, nodeClassWith(ground.diskEncryptionSetId)),
    waitsFor: (ground) => whole(ground, AKS_NODE_CLASSES, 'Ready'),
  },
  {
    name: 'the NodePool is Ready',
    limitMs: 30_000,
    act: (ground) => ground.apply(NODE_POOLS, pool('default')),
    waitsFor: (ground) => whole(ground, NODE_POOLS, 'Ready'),
  },
  {
    name: 'the pod is pending, and the scheduler says that nothing fits',
    limitMs: 30_000,
    act: (ground) => ground.apply(PODS, PENDING_POD),
    waitsFor: async (ground) => {
      const [pod] = await podsOf(ground);
      const scheduled = conditionOf(pod, 'PodScheduled');
      return scheduled?.reason === 'Unschedulable' || nodeNameOf(pod) ? undefined : textOf(pod);
    },
  },
  {
    name: 'one NodeClaim is created',
    limitMs: 30_000,
    waitsFor: async (ground) => {
      const claims = await ground.list(NODE_CLAIMS);
      return claims.length === 1 ? undefined : `${claims.length} claims; ${await eventsOf(ground)}`;
    },
  },
  {
    name: 'one VM is created and the claim is Launched',
    limitMs: 180_000,
    waitsFor: async (ground) => {
      const vms = ground.arm.resources.vms().length;
      const seen = await whole(ground, NODE_CLAIMS, 'Launched');
      return seen ?? (vms === 1 ? undefined : `${vms} VMs`);
    },
  },
  {
    name: 'the node is Ready and the claim Registered',
    limitMs: 180_000,
    waitsFor: async (ground) =>
      (await whole(ground, NODES, 'Ready')) ?? whole(ground, NODE_CLAIMS, 'Registered'),
  },
  {
    name: 'the claim is Initialized',
    limitMs: 60_000,
    waitsFor: (ground) => whole(ground, NODE_CLAIMS, 'Initialized'),
  },
  {
    name: 'the pod runs on that node',
    limitMs: 300_000,
    waitsFor: async (ground) => {
      const [[pod], [node]] = await Promise.all([podsOf(ground), ground.list(NODES)]);
      const phase = (pod?.['status'] as { phase?: string } | undefined)?.phase;
      return phase === 'Running' && nodeNameOf(pod) === node?.metadata.name ? undefined : textOf(pod);
    },
  },
  {
    name: 'the pod is healthy: its readiness probe passes',
    limitMs: 600_000,
    waitsFor: async (ground) => {
      const [pod] = await podsOf(ground);
      return conditionOf(pod, 'Ready')?.status === 'True' ? undefined : textOf(pod);
    },
  },
  {
    name: "the VM that ARM reports, and its disk, are encrypted with the customer's key",
    limitMs: 30_000,
    waitsFor: async ({ arm, diskEncryptionSetId, list }) => {
      const [claim] = await list(NODE_CLAIMS);
      const { providerID = '' } = (claim?.['status'] ?? {}) as { providerID?: string };
      const vm = await armGet(arm, providerID.slice('azure://'.length), '2024-07-01');
      const osDisk = vm.properties?.storageProfile?.osDisk;
      const [disk] = arm.resources.disks();
      const found = {
        vm: osDisk?.managedDisk?.diskEncryptionSet?.id,
        disk: (disk?.properties['encryption'] as { diskEncryptionSetId?: string } | undefined)
          ?.diskEncryptionSetId,
      };
      const same = (id: string | undefined) => id?.toLowerCase() === diskEncryptionSetId.toLowerCase();
      return same(found.vm) && same(found.disk) ? undefined : JSON.stringify(found);
    },
  },
  {
    name: 'pod and claim are deleted: node, VM, interface and disk go',
    limitMs: 300_000,
    act: async (ground) => {
      const [claim] = await ground.list(NODE_CLAIMS);
      await ground.remove(PODS, POD, 'default');
      await ground.remove(NODE_CLAIMS, claim!.metadata.name!);
    },
    waitsFor: async (ground) => {
      const { vms, nics, disks } = ground.arm.resources;
      const left = {
        claims: (await ground.list(NODE_CLAIMS)).length,
        nodes: (await ground.list(NODES)).length,
        vms: vms().length,
        nics: nics().length,
        disks: disks().length,
      };
      return Object.values(left).every((count) => count === 0) ? undefined : JSON.stringify(left);
    },
  },
];

export function nodeClassWith(osDiskDiskEncryptionSetID: string | undefined): KubeObject {
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec: osDiskDiskEncryptionSetID === undefined ? {} : { osDiskDiskEncryptionSetID },
  };
}

export interface Seen {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function conditionOf(object: KubeObject | undefined, type: string): Seen | undefined {
  const status = object?.['status'] as { conditions?: readonly Seen[] } | undefined;
  return status?.conditions?.find((condition) => condition.type === type);
}

/** What conditions say, but for those that are well. */
export function textOf(object: KubeObject | undefined): string {
  if (object === undefined) return 'nothing';
  const status = object['status'] as { conditions?: readonly Seen[] } | undefined;
  const troubles = (status?.conditions ?? [])
    .filter((condition) => condition.status !== 'True')
    .map(({ type, status: state, reason, message }) => `${type}=${state} ${reason ?? ''} ${message ?? ''}`);
  return `${object.metadata.name}: ${troubles.join('; ') || 'no condition that says why'}`;
}

/** Undefined when there is exactly one and its condition is True; else what is seen. */
export async function whole(
  ground: Pick<Ground, 'list'>,
  resource: ResourceRef,
  type: string,
): Promise<string | undefined> {
  const items = await ground.list(resource);
  if (items.length !== 1) return `${items.length} of ${resource.plural}; ${await eventsOf(ground)}`;
  return conditionOf(items[0], type)?.status === 'True' ? undefined : textOf(items[0]);
}

export function nodeNameOf(pod: KubeObject | undefined): string | undefined {
  return (pod?.['spec'] as { nodeName?: string } | undefined)?.nodeName;
}

// ---------------------------------------------------------------------------------------------------

const PENDING_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: POD, namespace: 'default' },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.k8s.io/pause:3.10',
        resources: { requests: { cpu: '500m', memory: '256Mi' } },
        readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
      },
    ],
  },
};

interface ArmAnswer {
  readonly properties?: {
    readonly provisioningState?: string;
    readonly storageProfile?: {
      readonly osDisk?: { readonly managedDisk?: { readonly diskEncryptionSet?: { readonly id?: string } } };
    };
  };
}

/** As anybody else would ask ARM, past the controller. */
async function armGet(arm: ArmServer, id: string, version: string): Promise<ArmAnswer> {
  const headers = { authorization: `Bearer ${arm.token()}` };
  const answer = await arm.fetch(`${arm.url}${id}?api-version=${version}`, { headers });
  return (await answer.json()) as ArmAnswer;
}

async function podsOf(ground: Ground): Promise<readonly KubeObject[]> {
  return (await ground.list(PODS)).filter(({ metadata }) => metadata.name === POD);
}

async function eventsOf(ground: Pick<Ground, 'list'>): Promise<string> {
  const warnings = (await ground.list(EVENTS)).filter((event) => event['type'] === 'Warning');
  return warnings
    .slice(-3)
    .map((event) => `${event['reason']}: ${event['message'] ?? event['note']}`)
    .join('; ');
}
