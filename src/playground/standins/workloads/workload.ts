/** What every workload loop shares: its clients and stores, and how pods are made and taken away many at a time. */
import type { KubeClient } from '../../../kube/client.ts';
import { keyOfObject } from '../../../kube/resource.ts';
import { type Source, storeSource } from '../../../kube/sources.ts';
import type { World } from '../../../world.ts';
import { controllerOf, namespaceOf, PODS, type Pod } from '../kinds.ts';
import { isNamespaceTerminating, unless } from '../outcome.ts';
import type { Watched } from '../watched.ts';

export interface WorkloadOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly client: KubeClient;
}

/** Pods, as changes of what manages them. */
export function podsOf(watched: Watched, kind: string): Source {
  return storeSource(watched.pods, {
    keys: ({ object, before }) =>
      [object, before].flatMap((pod) => {
        const owner = pod && controllerOf(pod);
        return owner?.kind === kind ? [`${namespaceOf(pod!)}/${owner.name}`] : [];
      }),
  });
}

export async function createPods(client: KubeClient, pods: readonly Pod[]): Promise<void> {
  await inBatches(pods, async (pod) => {
    try {
      // A name that is taken is tried again with the next look, under another name.
      await unless(client.create(PODS, pod), 'alreadyExists');
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
}

export async function deletePods(client: KubeClient, pods: readonly Pod[]): Promise<void> {
  await inBatches(pods, async (pod) => {
    const { uid } = pod.metadata;
    const options = uid === undefined ? {} : { preconditions: { uid } };
    await unless(client.delete(PODS, keyOfObject(pod), options), 'notFound', 'conflict');
  });
}

// ---------------------------------------------------------------------------------------------------

const BATCH = 32;

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await Promise.all(items.slice(at, at + BATCH).map(work));
}
