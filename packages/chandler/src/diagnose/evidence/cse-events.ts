/**
 * Reads failed provisioning from events on the claim and on its pool, for a claim that no longer exists. The result is
 * evidence of the extension, so that the same causes explain it.
 */
import { NODE_CLAIMS } from '../../api/index.ts';
import { isFound } from '../../causes/index.ts';

import { readClaim } from './claims.ts';
import { type EventWindow, eventReading, type ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import type { ClaimShape } from './shapes.ts';

const CSE_FAILED = 'CSEFailed';

/** `NodeClaim default-x7k2p: CSE exited with code …`: how events on a pool name the claim. */
const NAMED = /^NodeClaim (\S+): /;

/** The newest failure, if it is not older than that. Not used for a claim that still exists. */
export async function readCseEvents(
  context: GatherContext,
  events: readonly ReadEvent[],
  window: EventWindow,
): Promise<void> {
  const { recorder, reader } = context;
  const event = events.findLast(({ reason, lastMs }) => reason === CSE_FAILED && lastMs >= window.sinceMs);
  if (event === undefined) return;
  const claim = NAMED.exec(event.message)?.[1] ?? event.name;
  if (recorder.has('nodeClaim', `NodeClaim ${claim}`)) return;
  const kept = await reader.get(NODE_CLAIMS, { name: claim });
  if (isFound(kept)) {
    await readClaim(context, kept.found as ClaimShape);
    return;
  }
  recorder.add({
    kind: 'extension',
    reading: eventReading(context, `event ${CSE_FAILED} on ${event.object}`, event, window),
    claim,
    name: '',
    state: 'failed',
    message: event.message.replace(NAMED, ''),
    imageId: undefined,
  });
}
