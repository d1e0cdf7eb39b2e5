/** Deployments: finds or creates the ReplicaSet of the current template and scales all of them as `rollout.ts` decides. */
import {
  Controller,
  DEPLOYMENTS,
  type Deployment,
  type EventSpec,
  ignoreApiErrors,
  keyOfObject,
  parseKey,
  REPLICA_SETS,
  type ReplicaSet,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import { isNamespaceTerminating } from '../namespace-terminating.ts';
import { controllerOf, isTerminating, nameOf, namespaceOf } from '../object-facts.ts';
import { writeStatus } from '../status.ts';
import { BY_OWNER } from '../watched.ts';
import { ownerReference, templateHash } from './owned-pods.ts';
import {
  deadlineInMs,
  deploymentStatus,
  findCurrent,
  firstSize,
  forgotten,
  planSizes,
  REVISION,
  revisionOf,
  TEMPLATE_HASH,
} from './rollout.ts';
import type { WorkloadOptions } from './workload.ts';

export function deploymentController(options: WorkloadOptions): Controller {
  const { world, watched } = options;
  return new Controller({
    name: 'standin.deployment',
    world,
    concurrency: 4,
    reconcile: (key) => reconcile(options, key),
    sources: [
      storeSource(watched.deployments),
      storeSource(watched.replicaSets, {
        keys: ({ object }) => {
          const owner = controllerOf(object);
          return owner?.kind === 'Deployment' ? [`${namespaceOf(object)}/${owner.name}`] : [];
        },
      }),
    ],
  });
}

// ---------------------------------------------------------------------------------------------------

async function reconcile(options: WorkloadOptions, key: string): Promise<Result> {
  const { watched, world, client } = options;
  const found = watched.deployments.store.get(parseKey(key));
  if (!found) return {};
  const setsNow = () => watched.replicaSets.store.by(BY_OWNER, found.metadata.uid);
  if (!isTerminating(found)) await advance(options, found, setsNow());
  const deployment = watched.deployments.store.get(parseKey(key));
  if (!deployment) return {};
  const sets = setsNow();
  const current = findCurrent(deployment, sets);
  const old = sets.filter((set) => set !== current);
  const nowMs = world.clock.now();
  const status = deploymentStatus(deployment, current, old, nowMs);
  await writeStatus(client, DEPLOYMENTS, deployment, status);
  const again = deadlineInMs(deployment, status, nowMs);
  return again === undefined ? {} : { requeueAfterMs: again };
}

async function advance(
  options: WorkloadOptions,
  deployment: Stored<Deployment>,
  sets: readonly Stored<ReplicaSet>[],
): Promise<void> {
  const { client } = options;
  let current = findCurrent(deployment, sets);
  const old = sets.filter((set) => set !== current);
  if (deployment.spec.paused) {
    // A paused Deployment keeps its template but is still scaled.
    const active = current ?? newest(old);
    if (active) await resize(options, deployment, active, deployment.spec.replicas ?? 1);
    return;
  }
  if (!current && !mustWaitForOld(deployment, old)) current = await createSet(options, deployment, old);
  if (current) await markRevision(options, deployment, current, old);
  for (const [set, size] of planSizes(deployment, current, old)) await resize(options, deployment, set, size);
  for (const set of forgotten(deployment, old)) {
    await ignoreApiErrors(
      client.delete(REPLICA_SETS, keyOfObject(set), { propagationPolicy: 'Background' }),
      'notFound',
    );
  }
}

/** Recreate creates nothing until the last old pod is deleted. */
function mustWaitForOld(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]): boolean {
  if (deployment.spec.strategy?.type !== 'Recreate') return false;
  return old.some(
    (set) =>
      (set.spec.replicas ?? 0) +
        (set.status?.replicas ?? 0) +
        Number(set.status?.['terminatingReplicas'] ?? 0) >
      0,
  );
}

async function createSet(
  { client, events }: WorkloadOptions,
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
): Promise<Stored<ReplicaSet> | undefined> {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template);
  const withHash = { [TEMPLATE_HASH]: hash };
  const { creationTimestamp: _, ...metadata } = template.metadata ?? {};
  const labels = { ...metadata.labels, ...withHash };
  const set: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: namespaceOf(deployment),
      labels,
      annotations: setAnnotations(deployment, nextRevision(old)),
      ownerReferences: [ownerReference(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas: firstSize(deployment, old),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...withHash } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
  try {
    const made = await client.create(REPLICA_SETS, set);
    events.publish(scaled(deployment, made, 0, made.spec.replicas ?? 0));
    return made;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    throw error;
  }
}

function setAnnotations(deployment: Stored<Deployment>, revision: number): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...annotations } =
    deployment.metadata.annotations ?? {};
  const desired = deployment.spec.replicas ?? 1;
  return {
    ...annotations,
    [REVISION]: String(revision),
    'deployment.kubernetes.io/desired-replicas': String(desired),
  };
}

function nextRevision(others: readonly Stored<ReplicaSet>[]): number {
  return Math.max(0, ...others.map(revisionOf)) + 1;
}

/** The current ReplicaSet has the highest revision; a rollback makes an old one the newest again. */
async function markRevision(
  { client }: WorkloadOptions,
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
): Promise<void> {
  let revision = revisionOf(current);
  if (old.some((set) => revisionOf(set) >= revision)) {
    revision = nextRevision(old);
    const patch = { metadata: { annotations: { [REVISION]: String(revision) } } };
    await client.patch(REPLICA_SETS, keyOfObject(current), { type: 'merge', patch });
  }
  if (deployment.metadata.annotations?.[REVISION] === String(revision)) return;
  const patch = { metadata: { annotations: { [REVISION]: String(revision) } } };
  await ignoreApiErrors(
    client.patch(DEPLOYMENTS, keyOfObject(deployment), { type: 'merge', patch }),
    'notFound',
  );
}

async function resize(
  { client, events }: WorkloadOptions,
  deployment: Stored<Deployment>,
  set: Stored<ReplicaSet>,
  size: number,
): Promise<void> {
  if ((set.spec.replicas ?? 1) === size) return;
  const annotations = { 'deployment.kubernetes.io/desired-replicas': String(deployment.spec.replicas ?? 1) };
  const patch = { metadata: { annotations }, spec: { replicas: size } };
  const done = await ignoreApiErrors(
    client.patch(REPLICA_SETS, keyOfObject(set), { type: 'merge', patch }),
    'notFound',
  );
  if (done) events.publish(scaled(deployment, set, set.spec.replicas ?? 1, size));
}

function scaled(
  deployment: Stored<Deployment>,
  set: Stored<ReplicaSet>,
  from: number,
  to: number,
): EventSpec {
  const direction = to >= from ? 'up' : 'down';
  return {
    resource: DEPLOYMENTS,
    object: deployment,
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${direction} replica set ${nameOf(set)} from ${from} to ${to}`,
  };
}

function newest(sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet> | undefined {
  return [...sets].sort((left, right) => revisionOf(right) - revisionOf(left))[0];
}
