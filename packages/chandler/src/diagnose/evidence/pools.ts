/** NodePools and the node classes they name: layer 1. */
import type { ResourceRef } from '@chandler/kube';
import {
  isFound,
  type NodeClassEvidence,
  type NodePoolEvidence,
  type ReadObject,
} from '../../causes/index.ts';

import { type ReadEvent, readEvents } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { conditionsOf, type PoolShape, timeMs } from './shapes.ts';

export interface ClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** An event says so, and until when; an older controller only that it is so, about every minute. */
const HELD_UNTIL = /^Launches are held back until (\S+)/;
const HELD_BACK_MS = 2 * 60_000;

/** The pool, its events and its class. */
export async function readPool(
  context: GatherContext,
  pool: PoolShape,
  asked: Pick<NodePoolEvidence, 'unfinishedClaims' | 'nodes'> = {},
): Promise<readonly ReadEvent[]> {
  const { recorder } = context;
  const { name, uid, deletionTimestamp } = pool.metadata;
  const events = await readEvents(context, { kind: 'NodePool', name, uid });
  const reference = pool.spec.template.spec.nodeClassRef;
  const held = events.findLast(
    (event) => event.reason === 'LaunchesHeldBack' && recorder.atMs <= heldUntilMs(event),
  );
  recorder.add({
    kind: 'nodePool',
    reading: recorder.reading(`NodePool ${name}`),
    name,
    deleting: deletionTimestamp !== undefined,
    nodeClass: { kind: reference.kind, name: reference.name },
    conditions: conditionsOf(pool),
    limits: texts(pool.spec.limits),
    used: texts(pool.status?.resources),
    heldBack: held === undefined ? undefined : { reason: held.message, untilMs: heldUntilMs(held) },
    ...asked,
  });
  await readNodeClass(context, reference);
  return events;
}

/** Undefined for a kind that the cloud does not serve. */
export function classResource({ cloud }: GatherContext, reference: ClassRef): ResourceRef | undefined {
  return cloud.nodeClasses.find(({ group, kind }) => group === reference.group && kind === reference.kind);
}

/** The class as an object, where it is there. */
export async function readNodeClass(
  context: GatherContext,
  reference: ClassRef,
  about: 'everything' | 'encryption' = 'everything',
): Promise<ReadObject | undefined> {
  const { reader, recorder, cloud } = context;
  const what = `${reference.kind} ${reference.name}`;
  const resource = classResource(context, reference);
  if (resource === undefined) {
    recorder.addUnread('nodeClass', what, {
      why: 'notFound',
      message: `${reference.kind} (${reference.group}) is not a known kind of node class`,
    });
    return undefined;
  }
  const looked = await reader.get(resource, { name: reference.name });
  if (!isFound(looked) && looked.why !== 'notFound') {
    recorder.addUnread('nodeClass', what, looked);
    return undefined;
  }
  const found = isFound(looked) ? looked.found : undefined;
  if (found !== undefined && about === 'everything')
    await readEvents(context, { kind: reference.kind, name: reference.name, uid: found.metadata.uid });
  const evidence = classEvidence(context, reference, found);
  const conditions = evidence.conditions.filter(({ reason = '' }) =>
    cloud.evidence.isAboutEncryption(reason),
  );
  recorder.add(about === 'everything' ? evidence : { ...evidence, conditions });
  return found;
}

// ---------------------------------------------------------------------------------------------------

function heldUntilMs({ message, lastMs }: ReadEvent): number {
  return timeMs(HELD_UNTIL.exec(message)?.[1]) ?? lastMs + HELD_BACK_MS;
}

function classEvidence(
  { recorder, cloud }: GatherContext,
  { kind, name }: ClassRef,
  found: ReadObject | undefined,
): NodeClassEvidence {
  return {
    kind: 'nodeClass',
    reading: recorder.reading(`${kind} ${name}`),
    objectKind: kind,
    name,
    found: found !== undefined,
    deleting: found?.metadata.deletionTimestamp !== undefined,
    generation: found?.metadata.generation,
    conditions: found === undefined ? [] : conditionsOf(found),
    ...cloud.evidence.nodeClass(found),
  };
}

function texts(amounts: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([name, amount]) => [name, String(amount)]));
}
