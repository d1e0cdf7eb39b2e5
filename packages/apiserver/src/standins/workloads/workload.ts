/** What every workload controller shares: its clients and stores, and how pods are created and deleted in batches. */
import {
  type EventRecorder,
  type EventSpec,
  ignoreApiErrors,
  type KubeClient,
  keyOfObject,
  type NamespacedObject,
  PODS,
  type Pod,
  type ResourceRef,
  type Source,
  type Stored,
  storeSource,
  type World,
} from '@chandler/kube';
import { isNamespaceTerminating } from '../namespace-terminating.ts';
import { controllerOf, nameOf, namespaceOf } from '../object-facts.ts';
import type { Watched } from '../watched.ts';

export interface WorkloadOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly client: KubeClient;
  readonly events: EventRecorder;
}

/** The owner of the pods. */
export interface Owner {
  readonly resource: ResourceRef;
  readonly object: Stored<NamespacedObject>;
}

/** Changes of pods, as changes of their owner. */
export function podsOf(watched: Watched, kind: string): Source {
  return storeSource(watched.pods, {
    keys: ({ object, before }) =>
      [object, before].flatMap((pod) => {
        const owner = pod && controllerOf(pod);
        return owner?.kind === kind ? [`${namespaceOf(pod!)}/${owner.name}`] : [];
      }),
  });
}

export async function createPods(
  { client, events }: WorkloadOptions,
  owner: Owner,
  pods: readonly Pod[],
): Promise<void> {
  await inBatches(pods, async (pod) => {
    try {
      // A name that is taken is retried in the next reconcile with another name.
      const made = await ignoreApiErrors(client.create(PODS, pod), 'alreadyExists');
      if (made) events.publish(podEvent(owner, 'SuccessfulCreate', `Created pod: ${nameOf(made)}`));
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
}

export async function deletePods(
  { client, events }: WorkloadOptions,
  owner: Owner,
  pods: readonly Stored<Pod>[],
): Promise<void> {
  await removePods(client, pods, (pod) =>
    events.publish(podEvent(owner, 'SuccessfulDelete', `Deleted pod: ${nameOf(pod)}`)),
  );
}

/** Deletes exactly these pods; a replacement under the same name is kept. */
export async function removePods(
  client: KubeClient,
  pods: readonly Stored<Pod>[],
  onGone: (pod: Stored<Pod>) => void = () => undefined,
): Promise<void> {
  await inBatches(pods, async (pod) => {
    const { uid } = pod.metadata;
    const gone = await ignoreApiErrors(
      client.delete(PODS, keyOfObject(pod), { preconditions: { uid } }),
      'notFound',
      'conflict',
    );
    if (gone) onGone(pod);
  });
}

// ---------------------------------------------------------------------------------------------------

const BATCH = 32;

function podEvent(owner: Owner, reason: string, message: string): EventSpec {
  return { ...owner, type: 'Normal', reason, message };
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await Promise.all(items.slice(at, at + BATCH).map(work));
}
