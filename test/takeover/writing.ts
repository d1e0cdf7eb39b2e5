/** Writes objects as Karpenter would have: with their status, and annotations that need what the API server gave back. */
import { type KubeClient, type KubeObject, LEASES, PODS, type ResourceRef, type World } from '@chandler/kube';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NAMESPACE } from '../operator/operator-stage.ts';
import { podOn, poolAnnotations, poolStatus, runningPodStatus } from './objects.ts';

/** All that is needed to write objects: a stage, or a server in real time. */
export interface Writable {
  readonly world: World;
  readonly admin: KubeClient;
  inTime<T>(promise: Promise<T>): Promise<T>;
}

/** As the API server gives it back before it has a status. */
export async function create(
  stage: Writable,
  resource: ResourceRef,
  object: KubeObject,
  status?: object,
): Promise<KubeObject> {
  const made = await stage.inTime(stage.admin.create(resource, object));
  if (status !== undefined) await setStatus(stage, resource, made, status);
  return made;
}

export function setStatus(stage: Writable, resource: ResourceRef, object: KubeObject, status: object) {
  const patch = { type: 'merge' as const, patch: { status } };
  return stage.inTime(stage.admin.patchStatus(resource, keyOf(object), patch));
}

export function annotate(
  stage: Writable,
  resource: ResourceRef,
  object: KubeObject,
  annotations: Readonly<Record<string, string>>,
) {
  const patch = { type: 'merge' as const, patch: { metadata: { annotations } } };
  return stage.inTime(stage.admin.patch(resource, keyOf(object), patch));
}

export function createPodOn(stage: Writable, nodeName: string, time: string): Promise<KubeObject> {
  return create(stage, PODS, podOn(nodeName), runningPodStatus(time));
}

/** The pool as it is when all its nodes are there. */
export async function settlePoolWith(
  stage: Writable,
  pool: KubeObject,
  own: {
    readonly hash: string;
    readonly time: string;
    readonly nodes: number;
    readonly capacity: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await annotate(stage, NODE_POOLS, pool, poolAnnotations(own.hash));
  await setStatus(stage, NODE_POOLS, pool, poolStatus(own.time, own.nodes, own.capacity));
}

/** As the library of Karpenter writes it; `holder` is empty when it was given up. */
export async function holdLease(stage: Writable, holder: string): Promise<void> {
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

/** The time of the clock as Kubernetes writes it. */
export function timeOf({ clock }: World): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}

// ---------------------------------------------------------------------------------------------------

function keyOf({ metadata: { name = '', namespace } }: KubeObject) {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
