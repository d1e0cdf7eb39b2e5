/** What every workload controller shares: its clients and stores, and how pods are created and deleted in batches. */
import {
  type ApiStatusError,
  type EventRecorder,
  type EventSpec,
  ignoreApiErrors,
  isApiError,
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

/**
 * What the API server refuses is an event of the owner, as the real controllers write it. Then nothing more is tried: the
 * error is thrown, and the reconcile is repeated later.
 */
export async function createPods(
  { client, events }: WorkloadOptions,
  owner: Owner,
  pods: readonly Pod[],
): Promise<void> {
  const refusals: unknown[] = [];
  await inBatches(pods, async (pod) => {
    if (refusals.length > 0) return;
    try {
      // A name that is taken is retried in the next reconcile with another name.
      const made = await ignoreApiErrors(client.create(PODS, pod), 'alreadyExists');
      if (made) events.publish(podEvent(owner, 'SuccessfulCreate', `Created pod: ${nameOf(made)}`));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      refusals.push(error);
      if (isApiError(error)) events.publish(failedCreate(owner, pod, error));
    }
  });
  if (refusals.length > 0) throw refusals[0];
}

/** What the API server said, in its own words. */
export function refusalText(error: ApiStatusError): string {
  return error.status?.message ?? error.message;
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

/** One event for each reason, not for each name that was tried. */
function failedCreate({ resource, object }: Owner, pod: Pod, error: ApiStatusError): EventSpec {
  const said = refusalText(error);
  const name = pod.metadata.name ?? '';
  return {
    resource,
    object,
    type: 'Warning',
    reason: 'FailedCreate',
    message:
      resource.kind === 'StatefulSet'
        ? `create Pod ${name} in StatefulSet ${nameOf(object)} failed error: ${said}`
        : `Error creating: ${said}`,
    dedupeValues: [object.metadata.uid, 'FailedCreate', said.replaceAll(name, '')],
  };
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await Promise.all(items.slice(at, at + BATCH).map(work));
}
