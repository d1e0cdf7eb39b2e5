/** The pods that still use a volume which cannot be attached for the pod in question: whether they are about to be gone. */
import { PODS } from '@chandler/kube';
import { isFound } from '../../causes/index.ts';

import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { type PodShape, timeMs } from './shapes.ts';

const MAX_HOLDERS = 5;
const NAMED = /Multi-Attach error.*\bused by pod\(s\) ([\w.-]+(?:, [\w.-]+)*)/;

/** Of the newest event that names them. Pods of other namespaces are not named. */
export async function readVolumeHolders(
  { reader, recorder }: GatherContext,
  { metadata: { namespace = '' } }: PodShape,
  events: readonly ReadEvent[],
): Promise<void> {
  const last = events.findLast(({ reason }) => reason === 'FailedAttachVolume');
  const names = NAMED.exec(last?.message ?? '')?.[1]?.split(', ') ?? [];
  for (const name of names.slice(0, MAX_HOLDERS)) {
    const looked = await reader.get(PODS, { namespace, name });
    const what = `Pod ${namespace}/${name}`;
    if (!isFound(looked) && looked.why !== 'notFound') recorder.addUnread('volumeHolder', what, looked);
    else
      recorder.add({
        kind: 'volumeHolder',
        reading: recorder.reading(what),
        name: `${namespace}/${name}`,
        isGone: !isFound(looked),
        deletingSinceMs: isFound(looked) ? timeMs(looked.found.metadata.deletionTimestamp) : undefined,
      });
  }
}
