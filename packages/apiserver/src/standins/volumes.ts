/**
 * Volumes: binds claims to volumes, provisions volumes for claims whose class allows it, releases unused ones, and
 * creates claims for ephemeral volumes. A stand-in for the volume controllers and for every CSI provisioner.
 * Which volumes match a claim is decided in `scheduler/volumes.ts`; attaching is in `attachments.ts`.
 */
import {
  Controller,
  ignoreApiErrors,
  type KubeClient,
  keyOf,
  keyOfObject,
  type NamedObject,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  parseKey,
  type ResourceRef,
  type Result,
  type Stored,
  storeSource,
  type World,
} from '@chandler/kube';
import { isNamespaceTerminating } from './namespace-terminating.ts';
import { isFinished, isTerminating, nameOf, namespaceOf } from './object-facts.ts';
import { BIND_COMPLETED, claimNames } from './scheduler/volumes.ts';
import { writeStatus } from './status.ts';
import { planClaim, planVolume } from './volume-plan.ts';
import type { Watched } from './watched.ts';

export interface VolumesOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly client: KubeClient;
  /** Drivers of volumes that any node can mount. */
  readonly sharedDrivers: readonly string[];
}

export function volumeControllers(options: VolumesOptions): Controller[] {
  const { world, watched } = options;
  const claims = new Controller({
    name: 'standin.claim',
    world,
    concurrency: 4,
    reconcile: (key) => reconcileClaim(options, key),
    sources: [
      storeSource(watched.claims),
      // A volume names its claim, or may match any pending one.
      storeSource(watched.volumes, {
        filter: ({ type }) => type !== 'deleted',
        keys: ({ object }) => {
          const { claimRef } = object.spec;
          if (claimRef) return [`${claimRef.namespace}/${claimRef.name}`];
          return [...watched.claims.store.values()].filter(({ spec }) => !spec.volumeName).map(keyOf);
        },
      }),
      storeSource(watched.storageClasses, {
        keys: () => [...watched.claims.store.values()].filter(({ spec }) => !spec.volumeName).map(keyOf),
      }),
      // The claims of deleted pods may be deleted as well.
      storeSource(watched.pods, {
        filter: ({ type, object }) => type === 'deleted' || isFinished(object),
        keys: ({ object }) => claimNames(object).map((name) => `${namespaceOf(object)}/${name}`),
      }),
    ],
  });
  const volumes = new Controller({
    name: 'standin.volume',
    world,
    reconcile: (key) => reconcileVolume(options, key),
    sources: [
      storeSource(watched.volumes),
      storeSource(watched.claims, {
        filter: ({ type }) => type === 'deleted',
        keys: ({ object }) => (object.spec.volumeName ? [object.spec.volumeName] : []),
      }),
    ],
  });
  const ephemeral = new Controller({
    name: 'standin.ephemeral',
    world,
    reconcile: (key) => reconcileEphemeral(options, key),
    sources: [
      storeSource(watched.pods, {
        filter: ({ type, object }) =>
          type === 'added' && (object.spec.volumes ?? []).some(({ ephemeral: e }) => e),
      }),
    ],
  });
  return [claims, volumes, ephemeral];
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

async function reconcileClaim(options: VolumesOptions, key: string): Promise<Result> {
  const { watched, client } = options;
  const claim = watched.claims.store.get(parseKey(key));
  if (!claim) return {};
  if (isTerminating(claim)) {
    const users = [...watched.pods.store.values(namespaceOf(claim))];
    const inUse = users.some((pod) => !isFinished(pod) && claimNames(pod).includes(nameOf(claim)));
    if (!inUse) await dropFinalizer(client, PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_PROTECTION);
    return {};
  }
  const plan = planClaim(claim, {
    storageClass: (name) => watched.storageClasses.store.get({ name }),
    volume: (name) => watched.volumes.store.get({ name }),
    volumes: () => watched.volumes.store.values(),
    node: (name) => watched.nodes.store.get({ name }),
    nodes: () => watched.nodes.store.values(),
    isShared: (driver) => options.sharedDrivers.includes(driver),
  });
  if (plan.action === 'provision') {
    const made = await ignoreApiErrors(client.create(PERSISTENT_VOLUMES, plan.volume), 'alreadyExists');
    const volume = made ?? (await client.get(PERSISTENT_VOLUMES, keyOfObject(plan.volume)));
    await bindClaim(client, claim, volume);
  } else if (plan.action === 'bind') await bindClaim(client, claim, plan.volume);
  else await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, claim, { ...claim.status, phase: plan.phase });
  return {};
}

async function bindClaim(
  client: KubeClient,
  claim: Stored<PersistentVolumeClaim>,
  volume: Stored<PersistentVolume>,
): Promise<void> {
  const { uid } = claim.metadata;
  if (volume.spec.claimRef?.uid !== uid) {
    const claimRef = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: namespaceOf(claim),
      name: nameOf(claim),
      uid,
    };
    const patch = { metadata: { resourceVersion: volume.metadata.resourceVersion }, spec: { claimRef } };
    await client.patch(PERSISTENT_VOLUMES, keyOfObject(volume), { type: 'merge', patch });
  }
  let bound = claim;
  if (
    claim.spec.volumeName !== nameOf(volume) ||
    claim.metadata.annotations?.[BIND_COMPLETED] === undefined
  ) {
    const annotations = { [BIND_COMPLETED]: 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
    const patch = { metadata: { annotations }, spec: { volumeName: nameOf(volume) } };
    bound = await client.patch(PERSISTENT_VOLUME_CLAIMS, keyOfObject(claim), { type: 'merge', patch });
  }
  const { accessModes, capacity } = volume.spec;
  await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, bound, {
    ...bound.status,
    phase: 'Bound',
    accessModes,
    capacity,
  });
}

async function reconcileVolume({ watched, client }: VolumesOptions, key: string): Promise<Result> {
  const volume = watched.volumes.store.get(parseKey(key));
  if (!volume) return {};
  const { claimRef } = volume.spec;
  const claim =
    claimRef && watched.claims.store.get({ namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' });
  const plan = planVolume(volume, claim);
  if (plan.release) await dropFinalizer(client, PERSISTENT_VOLUMES, volume, VOLUME_PROTECTION);
  else if (plan.remove)
    await ignoreApiErrors(client.delete(PERSISTENT_VOLUMES, keyOfObject(volume)), 'notFound');
  else if (plan.phase)
    await writeStatus(client, PERSISTENT_VOLUMES, volume, { ...volume.status, phase: plan.phase });
  return {};
}

async function reconcileEphemeral({ watched, client }: VolumesOptions, key: string): Promise<Result> {
  const pod = watched.pods.store.get(parseKey(key));
  if (!pod || isTerminating(pod)) return {};
  for (const claim of ephemeralClaims(pod)) {
    if (watched.claims.store.get(keyOfObject(claim))) continue;
    try {
      await ignoreApiErrors(client.create(PERSISTENT_VOLUME_CLAIMS, claim), 'alreadyExists');
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }
  return {};
}

/** The pod owns them, so they are deleted with it. */
function ephemeralClaims(pod: Stored<Pod>): (PersistentVolumeClaim & NamedObject)[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (!template) return [];
    const owner = { apiVersion: 'v1', kind: 'Pod', name: nameOf(pod), uid: pod.metadata.uid };
    return [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          ...template.metadata,
          name: `${nameOf(pod)}-${volume.name}`,
          namespace: namespaceOf(pod),
          ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
        },
        spec: template.spec,
      },
    ];
  });
}

async function dropFinalizer(
  client: KubeClient,
  resource: ResourceRef,
  object: Stored,
  finalizer: string,
): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return;
  const left = finalizers.filter((name) => name !== finalizer);
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } };
  await ignoreApiErrors(client.patch(resource, keyOfObject(object), { type: 'merge', patch }), 'notFound');
}
