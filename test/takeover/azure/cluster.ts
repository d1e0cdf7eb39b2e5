/** A cluster that Karpenter runs on AKS. */
import { KUBELET_VERSION } from '@chandler/apiserver/standins';
import { KUBELET_CLIENT_ID } from '@chandler/cloudsim/azure';
import { type ArmServer, FIRST_VERSIONS } from '@chandler/cloudsim/azure/testing';
import { type KubeObject, NODES } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { claimName, nodePool, POOL_NAMES, type PoolName, poolOfNode } from '../objects.ts';
import { annotate, create, createPodOn, settlePoolWith, timeOf, type Writable } from '../writing.ts';
import { claimOf, claimStatus, NODE_CAPACITY, nodeOf, nodeStatus, type Owners } from './nodes.ts';
import { classAnnotations, nodeClass, nodeClassStatus, type Place, poolHash, TERMS } from './objects.ts';
import { putBillingExtension, putMachine } from './vms.ts';

/** All that is needed to write objects and VMs: a stage, or servers in real time. */
export type AksWritable = Writable & { readonly arm: ArmServer };

export interface AksOwners {
  readonly place: Place;
  /** As read from the API server. */
  readonly ofClass: KubeObject;
  readonly pools: Readonly<Record<PoolName, KubeObject>>;
}

/** A class and two pools without any node. */
export async function upstreamOwners(stage: AksWritable): Promise<AksOwners> {
  const place = placeOf(stage);
  const ofClass = await create(stage, AKS_NODE_CLASSES, nodeClass(), nodeClassStatus(place));
  await annotate(stage, AKS_NODE_CLASSES, ofClass, classAnnotations(ofClass));
  const pools = {
    general: await create(stage, NODE_POOLS, nodePool('general', TERMS)),
    spot: await create(stage, NODE_POOLS, nodePool('spot', TERMS)),
  };
  return { place, ofClass, pools };
}

/** Gives back the names of the claims. */
export async function addNodes(
  stage: AksWritable,
  { place, ofClass, pools }: AksOwners,
  count: number,
): Promise<readonly string[]> {
  const ownersOf = (pool: PoolName) => ({ place, pool: pools[pool], nodeClass: ofClass });
  const places = Array.from({ length: count }, (_, at) => at);
  for (const at of places) await addNode(stage, ownersOf(poolOfNode(at)), at);
  // Until every VM is there.
  await stage.inTime(stage.world.clock.sleep(30_000));
  for (const at of places)
    await stage.inTime(putBillingExtension(ownersOf(poolOfNode(at)), stage.arm, claimName(at)));
  for (const name of POOL_NAMES)
    await settlePool(stage, place, pools[name], places.filter((at) => poolOfNode(at) === name).length);
  return places.map(claimName);
}

/** The pool as it is when all its nodes are there. */
export function settlePool(stage: Writable, { time }: Place, pool: KubeObject, nodes: number): Promise<void> {
  return settlePoolWith(stage, pool, { hash: poolHash(pool), time, nodes, capacity: NODE_CAPACITY });
}

export function upstreamEnvironment(place: Place): Readonly<Record<string, string>> {
  return { NODE_IDENTITIES: place.identities.join(','), VM_MEMORY_OVERHEAD_PERCENT: '0.075' };
}

/** A VM, its claim, its node and a pod. */
export async function addNode(stage: AksWritable, owners: Owners, at: number): Promise<void> {
  const name = claimName(at);
  const zone = 1 + (at % 3);
  await stage.inTime(putMachine(stage, owners, name, zone));
  const claim = await create(stage, NODE_CLAIMS, claimOf(owners, name, zone), claimStatus(owners, name));
  await create(stage, NODES, nodeOf(owners, claim), nodeStatus(owners.place));
  await createPodOn(stage, `aks-${name}`, owners.place.time);
}

// ---------------------------------------------------------------------------------------------------

function placeOf({ arm, world }: AksWritable): Place {
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
    time: timeOf(world),
  };
}
