/** A cluster that Karpenter runs: two pools, a class, so many nodes with a pod each, and its lease. */
import { KUBELET_VERSION } from '@chandler/apiserver/standins';
import { KUBELET_CLIENT_ID } from '@chandler/cloudsim/azure';
import { FIRST_VERSIONS } from '@chandler/cloudsim/azure/testing';
import { type KubeObject, LEASES, NODES, PODS, type ResourceRef, type World } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NAMESPACE } from '../operator/operator-stage.ts';
import type { TakeoverStage } from './stage.ts';
import { claimOf, claimStatus, NODE_CAPACITY, nodeOf, nodeStatus, type Owners } from './upstream-nodes.ts';
import {
  classAnnotations,
  conditions,
  nodeClass,
  nodeClassStatus,
  nodePool,
  type Place,
  poolAnnotations,
} from './upstream-objects.ts';
import { putBillingExtension, putMachine } from './upstream-vms.ts';

export interface UpstreamCluster {
  readonly place: Place;
  /** For an operator that takes it over: Karpenter's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  /** As read from the API server. */
  readonly nodeClass: KubeObject;
  readonly pools: Readonly<Record<'general' | 'spot', KubeObject>>;
}

/** All that is needed to write objects: a stage, or servers in real time. */
export type Writable = Pick<TakeoverStage, 'arm' | 'admin' | 'inTime'> & { readonly world: World };

/** A class and two pools without any node. */
export async function upstreamOwners(
  stage: Writable,
): Promise<{ place: Place; ofClass: KubeObject; pools: UpstreamCluster['pools'] }> {
  const place = placeOf(stage);
  const ofClass = await create(stage, AKS_NODE_CLASSES, nodeClass(), nodeClassStatus(place));
  await annotate(stage, AKS_NODE_CLASSES, ofClass, classAnnotations(ofClass));
  const pools = {
    general: await create(stage, NODE_POOLS, nodePool('general')),
    spot: await create(stage, NODE_POOLS, nodePool('spot')),
  };
  return { place, ofClass, pools };
}

/** @param count how many nodes; three of five are of the pool `general`, the others of `spot`. */
export async function upstreamCluster(stage: TakeoverStage, count: number): Promise<UpstreamCluster> {
  const { place, ofClass, pools } = await upstreamOwners(stage);
  const names: string[] = [];
  const sizes = { general: 0, spot: 0 };
  for (let at = 0; at < count; at++) {
    const pool = poolOfNode(at);
    sizes[pool]++;
    names.push(await addNode(stage, { place, pool: pools[pool], nodeClass: ofClass }, at));
  }
  // Until every VM is there.
  await stage.world.clock.advance(30_000);
  for (const name of names) {
    const pool = pools[name.startsWith('spot') ? 'spot' : 'general'];
    await stage.inTime(putBillingExtension({ place, pool, nodeClass: ofClass }, stage.arm, name));
  }
  for (const name of ['general', 'spot'] as const) await settlePool(stage, place, pools[name], sizes[name]);
  return { place, env: upstreamEnvironment(place), names, nodeClass: ofClass, pools };
}

/** The pool as it is when all its nodes are there. */
export async function settlePool(
  stage: Writable,
  place: Place,
  pool: KubeObject,
  nodes: number,
): Promise<void> {
  await annotate(stage, NODE_POOLS, pool, poolAnnotations(pool));
  await setStatus(stage, NODE_POOLS, pool, poolStatus(place, nodes));
}

export function upstreamEnvironment(place: Place): Readonly<Record<string, string>> {
  return { NODE_IDENTITIES: place.identities.join(','), VM_MEMORY_OVERHEAD_PERCENT: '0.075' };
}

export function poolOfNode(at: number): 'general' | 'spot' {
  return at % 5 < 3 ? 'general' : 'spot';
}

/** The node is `aks-` and this. */
export function claimName(at: number): string {
  return `${poolOfNode(at)}-${at.toString(36).padStart(5, '0')}`;
}

/** A VM, its claim, its node and a pod. Gives back the name of the claim. */
export async function addNode(stage: Writable, owners: Owners, at: number): Promise<string> {
  const name = claimName(at);
  const zone = 1 + (at % 3);
  await stage.inTime(putMachine(stage, owners, name, zone));
  const claim = await create(stage, NODE_CLAIMS, claimOf(owners, name, zone), claimStatus(owners, name));
  await create(stage, NODES, nodeOf(owners, claim), nodeStatus(owners.place));
  const { time } = owners.place;
  await create(stage, PODS, podOn(`aks-${name}`), {
    phase: 'Running',
    startTime: time,
    conditions: ['PodScheduled', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: time })),
  });
  return name;
}

/** As the library of Karpenter writes it; `holder` is empty when it was given up. */
export async function holdLease(stage: TakeoverStage, holder: string): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'karpenter-leader-election' };
  const now = new Date(stage.world.clock.now()).toISOString().replace('Z', '000Z');
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: holder === '' ? 1 : 15,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 3,
  };
  const there = await stage.inTime(stage.admin.find(LEASES, key));
  if (there === undefined)
    await stage.inTime(
      stage.admin.create(LEASES, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: key,
        spec,
      }),
    );
  else await stage.inTime(stage.admin.patch(LEASES, key, { type: 'merge', patch: { spec } }));
}

// ---------------------------------------------------------------------------------------------------

function placeOf({ arm, world }: Writable): Place {
  const { region, subscriptionId, nodeResourceGroup, clusterName } = arm.settings;
  const newest = [...FIRST_VERSIONS].sort(([, one], [, other]) => (one < other ? 1 : -1))[0]!;
  return {
    region,
    subscriptionId,
    nodeResourceGroup,
    clusterName,
    imageVersion: newest[0],
    kubernetesVersion: KUBELET_VERSION.slice(1),
    kubeletIdentityClientId: KUBELET_CLIENT_ID,
    identities: [
      `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/playground-agentpool`,
    ],
    time: new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

function podOn(nodeName: string): KubeObject {
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

/** What a Go quantity prints for so many nodes: `2k`, not `2000`. */
function poolStatus(place: Place, nodes: number): object {
  const thousands = (amount: number) =>
    amount > 0 && amount % 1000 === 0 ? `${amount / 1000}k` : `${amount}`;
  const kibibytes = (text: string) => `${Number.parseInt(text, 10) * nodes}Ki`;
  return {
    nodes,
    nodeClassObservedGeneration: 1,
    resources: {
      cpu: thousands(4 * nodes),
      'ephemeral-storage': kibibytes(NODE_CAPACITY['ephemeral-storage']),
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      memory: kibibytes(NODE_CAPACITY.memory),
      nodes: `${nodes}`,
      pods: thousands(110 * nodes),
    },
    conditions: conditions(place, [
      'ValidationSucceeded',
      'NodeClassReady',
      'NodeRegistrationHealthy',
      'Ready',
    ]),
  };
}

async function create(
  stage: Writable,
  resource: ResourceRef,
  object: KubeObject,
  status?: object,
): Promise<KubeObject> {
  const made = await stage.inTime(stage.admin.create(resource, object));
  if (status !== undefined) await setStatus(stage, resource, made, status);
  return made;
}

function keyOf({ metadata: { name = '', namespace } }: KubeObject) {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

function setStatus(stage: Writable, resource: ResourceRef, object: KubeObject, status: object) {
  const patch = { type: 'merge' as const, patch: { status } };
  return stage.inTime(stage.admin.patchStatus(resource, keyOf(object), patch));
}

function annotate(
  stage: Writable,
  resource: ResourceRef,
  object: KubeObject,
  annotations: Readonly<Record<string, string>>,
) {
  const patch = { type: 'merge' as const, patch: { metadata: { annotations } } };
  return stage.inTime(stage.admin.patch(resource, keyOf(object), patch));
}
