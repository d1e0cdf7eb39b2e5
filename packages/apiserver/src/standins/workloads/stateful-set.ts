/** StatefulSets: pods with stable names and volumes, as `stateful-plan.ts` decides. Claims are never deleted. */
import {
  Controller,
  ignoreApiErrors,
  keyOfObject,
  type NamedObject,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  parseKey,
  type Result,
  STATEFUL_SETS,
  type StatefulSet,
  type Stored,
  storeSource,
  type Volume,
} from '@chandler/kube';
import { isNamespaceTerminating } from '../namespace-terminating.ts';
import { nameOf } from '../object-facts.ts';
import { writeStatus } from '../status.ts';
import { BY_OWNER } from '../watched.ts';
import { nextAvailableMs, podFromTemplate } from './owned-pods.ts';
import {
  claimName,
  claimsFor,
  planStateful,
  REVISION_LABEL,
  revisionName,
  statefulStatus,
} from './stateful-plan.ts';
import { createPods, deletePods, podsOf, type WorkloadOptions } from './workload.ts';

export function statefulSetController(options: WorkloadOptions): Controller {
  const { world, watched } = options;
  return new Controller({
    name: 'standin.statefulset',
    world,
    concurrency: 4,
    reconcile: (key) => reconcile(options, key),
    sources: [storeSource(watched.statefulSets), podsOf(watched, 'StatefulSet')],
  });
}

// ---------------------------------------------------------------------------------------------------

async function reconcile(options: WorkloadOptions, key: string): Promise<Result> {
  const { world, watched, client } = options;
  const set = watched.statefulSets.store.get(parseKey(key));
  if (!set) return {};
  const podsNow = () => watched.pods.store.by(BY_OWNER, set.metadata.uid);
  const plan = planStateful(set, podsNow(), world.clock.now());
  for (const ordinal of plan.create) await createOne(options, set, ordinal);
  await deletePods(options, { resource: STATEFUL_SETS, object: set }, plan.remove);
  const nowMs = world.clock.now();
  await writeStatus(client, STATEFUL_SETS, set, statefulStatus(set, podsNow(), nowMs));
  const again = nextAvailableMs(podsNow(), set.spec.minReadySeconds ?? 0, nowMs);
  return again === undefined ? {} : { requeueAfterMs: again };
}

async function createOne(options: WorkloadOptions, set: Stored<StatefulSet>, ordinal: number): Promise<void> {
  const { watched, client } = options;
  for (const claim of claimsFor(set, ordinal)) {
    if (watched.claims.store.get(keyOfObject(claim))) continue;
    try {
      await ignoreApiErrors(client.create(PERSISTENT_VOLUME_CLAIMS, claim), 'alreadyExists');
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  await createPods(options, { resource: STATEFUL_SETS, object: set }, [podFor(set, ordinal)]);
}

function podFor(set: Stored<StatefulSet>, ordinal: number): Pod & NamedObject {
  const name = `${nameOf(set)}-${ordinal}`;
  const { template, serviceName } = set.spec;
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, metadata.name, ordinal) },
  }));
  const others = (template.spec.volumes ?? []).filter(
    (volume) => !claims.some((claim) => claim.name === volume.name),
  );
  const spec = {
    ...template.spec,
    hostname: name,
    ...(serviceName ? { subdomain: serviceName } : {}),
    ...(claims.length + others.length === 0 ? {} : { volumes: [...claims, ...others] }),
  };
  return podFromTemplate({ ...template, spec }, { resource: STATEFUL_SETS, object: set }, name, {
    labels: {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [REVISION_LABEL]: revisionName(set),
    },
  });
}
