/** A cluster that Karpenter runs on EKS. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import type { InstanceRecord } from '@chandler/cloudsim/aws/testing';
import { type KubeObject, NODES } from '@chandler/kube';
import { EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { claimName, nodePool, POOL_NAMES, type PoolName, poolOfNode } from '../objects.ts';
import {
  annotate,
  create,
  createPodOn,
  setStatus,
  settlePoolWith,
  timeOf,
  type Writable,
} from '../writing.ts';
import { KarpenterCalls } from './instances.ts';
import { claimOf, claimStatus, NODE_CAPACITY, nodeOf, nodeStatus } from './nodes.ts';
import { classAnnotations, nodeClass, nodeClassStatus, RECORDED_HASHES, TERMS } from './objects.ts';

/** All that is needed to write objects and instances: a stage, or servers in real time. */
export type EksWritable = Writable & { readonly server: AwsServer };

export interface EksObjects {
  readonly calls: KarpenterCalls;
  readonly pools: Readonly<Record<PoolName, KubeObject>>;
  /** The instance profile of the class. */
  readonly profile: string;
  readonly classUid: string;
  /** Of the claims. */
  readonly names: readonly string[];
  /** When Karpenter did all this. */
  readonly time: string;
}

/** Karpenter's hash of region, class and a random UUID. */
export const PROFILE = 'playground_4067990795380418201';

/** A class, two pools, and nodes with a pod each. */
export async function upstreamObjects(stage: EksWritable, nodes: number): Promise<EksObjects> {
  const { server, world } = stage;
  const calls = new KarpenterCalls(server, world);
  const time = timeOf(world);
  const ofClass = await create(stage, EC2_NODE_CLASSES, nodeClass());
  const classUid = ofClass.metadata.uid!;
  await stage.inTime(calls.createProfile(PROFILE, classUid));
  // Until EC2 knows the profile and its role.
  await stage.inTime(world.clock.sleep(5_000));
  const pools = {
    general: await create(stage, NODE_POOLS, nodePool('general', TERMS)),
    spot: await create(stage, NODE_POOLS, nodePool('spot', TERMS)),
  };
  for (const name of POOL_NAMES) await stage.inTime(calls.createTemplate(name, PROFILE));
  const names = await addNodes(stage, { calls, pools, time }, nodes);
  await setStatus(stage, EC2_NODE_CLASSES, ofClass, nodeClassStatus(server, PROFILE, time));
  await annotate(stage, EC2_NODE_CLASSES, ofClass, classAnnotations());
  // Karpenter has read what EventBridge had to say about all that.
  server.queue.purge();
  return { calls, pools, profile: PROFILE, classUid, names, time };
}

// ---------------------------------------------------------------------------------------------------

/** Gives back the names of the claims. */
async function addNodes(
  stage: EksWritable,
  { calls, pools, time }: Pick<EksObjects, 'calls' | 'pools' | 'time'>,
  count: number,
): Promise<readonly string[]> {
  const launched: InstanceRecord[] = [];
  for (let at = 0; at < count; at++) launched.push(await stage.inTime(calls.launch(poolOfNode(at), at % 3)));
  // Until every instance runs and has failed to start a kubelet.
  await stage.inTime(stage.world.clock.sleep(15_000));
  const { server } = stage;
  for (const [at, instance] of launched.entries()) {
    const name = claimName(at);
    await stage.inTime(calls.tag(instance, name));
    const owners = { server, pool: pools[poolOfNode(at)], profile: PROFILE };
    const claim = await create(
      stage,
      NODE_CLAIMS,
      claimOf(owners, name, instance),
      claimStatus(instance, time),
    );
    await create(stage, NODES, nodeOf(claim, instance), nodeStatus(time));
    await createPodOn(stage, instance.nodeName, time);
  }
  for (const name of POOL_NAMES) {
    const hash = RECORDED_HASHES.pools[name];
    const nodes = launched.filter((_, at) => poolOfNode(at) === name).length;
    await settlePoolWith(stage, pools[name], { hash, time, nodes, capacity: NODE_CAPACITY });
  }
  return launched.map((_, at) => claimName(at));
}
