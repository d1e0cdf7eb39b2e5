/**
 * Evidence about a claim that no longer exists: its kept journey, otherwise events on the claim and on its pool. Returns
 * whether there was any.
 */
import { CONFIG_MAPS } from '@chandler/kube';
import { NODE_POOLS } from '../../api/index.ts';
import { isFound, listOr, type ReadObject } from '../../causes/index.ts';

import { KEPT_JOURNEYS_NAME, type KeptClaim, readKept } from '../kept-journeys.ts';
import { type Subject, subjectText } from '../subject.ts';
import { journeyEvidence, readClaim } from './claims.ts';
import { claimErrors, readPoolErrors } from './cloud-errors.ts';
import { controllerNamespaces, USUAL_NAMESPACES } from './controller.ts';
import { readCseEvents } from './cse-events.ts';
import { type ReadEvent, readEvents } from './events.ts';
import type { GatherContext } from './gather-context.ts';

const LATELY_MS = 24 * 3600_000;

/**
 * The kept journey of a failed claim, with the time of its deletion: the question is answered for that time. The cloud is
 * not asked about an instance that was deleted, and the current state of the class is not used.
 */
export async function keptClaim(context: GatherContext, name: string): Promise<KeptClaim | undefined> {
  for (const object of await keptJourneys(context)) {
    const kept = readKept((object['data'] as Record<string, string> | undefined)?.[name]);
    if (kept !== undefined) return kept;
  }
  return undefined;
}

export async function followKept(
  context: GatherContext,
  subject: Subject,
  { claim }: KeptClaim,
): Promise<void> {
  const { recorder } = context;
  recorder.add({
    kind: 'question',
    reading: recorder.reading(subjectText(subject)),
    subject: subjectText(subject),
    expectsCustomerKey: false,
  });
  await readClaim(context, claim);
  const journey = journeyEvidence(context, claim);
  context.cloud.evidence.readValues(context, {
    claim,
    journey,
    nodeClass: undefined,
    controller: undefined,
    vm: undefined,
  });
  recorder.addUnread('nodeClaim', `NodeClaim ${subject.name}`, {
    why: 'notFound',
    message:
      'it no longer exists; the answer is from the launch record that the controller kept when the NodeClaim failed',
  });
}

export async function goneClaim(context: GatherContext, subject: Subject): Promise<boolean> {
  const { recorder, reader } = context;
  const events = await readEvents(context, { kind: 'NodeClaim', name: subject.name });
  const pool = poolOfName(
    subject.name,
    listOr(await reader.list(NODE_POOLS)).map(({ metadata }) => metadata.name),
  );
  const onPool = pool === undefined ? [] : await readEvents(context, { kind: 'NodePool', name: pool });
  const about = onPool.filter(isAbout(subject.name));
  if (events.length + about.length === 0) return false;
  recorder.add({
    kind: 'question',
    reading: recorder.reading(subjectText(subject)),
    subject: subjectText(subject),
    expectsCustomerKey: false,
  });
  recorder.addUnread('nodeClaim', `NodeClaim ${subject.name}`, {
    why: 'notFound',
    message: 'it no longer exists; the answer is from its events',
  });
  const sinceMs = recorder.atMs - LATELY_MS;
  const launches = { sinceMs, overBeforeMs: lastMs(events, ['Launched', ...JOINED]) };
  claimErrors(context, subject.name, events, launches);
  await readCseEvents(context, [...about, ...events], { sinceMs, overBeforeMs: lastMs(events, JOINED) });
  if (pool !== undefined && recorder.evidence().first('cloudError') === undefined)
    readPoolErrors(context, pool, about, launches);
  return true;
}

/** Claims are named after their pool. */
export function poolOfName(claim: string, pools: readonly string[]): string | undefined {
  return pools
    .filter((pool) => claim.startsWith(`${pool}-`))
    .sort((one, other) => other.length - one.length)[0];
}

// ---------------------------------------------------------------------------------------------------

/** Of every namespace, because only the controller knows in which one it runs; where they may not be listed, of the usual ones. */
async function keptJourneys(context: GatherContext): Promise<readonly ReadObject[]> {
  const { reader, recorder } = context;
  const listed = await reader.list(CONFIG_MAPS, { fields: { 'metadata.name': KEPT_JOURNEYS_NAME } });
  if (isFound(listed)) return listed.found;
  const found: ReadObject[] = [];
  for (const namespace of new Set([...(await controllerNamespaces(context)), ...USUAL_NAMESPACES])) {
    const looked = await reader.get(CONFIG_MAPS, { namespace, name: KEPT_JOURNEYS_NAME });
    if (isFound(looked)) found.push(looked.found);
    else if (looked.why === 'forbidden')
      recorder.addUnread('journey', `ConfigMap ${namespace}/${KEPT_JOURNEYS_NAME}`, looked);
  }
  return found;
}

/** Conditions of a claim that has become a node. */
const JOINED = ['Registered', 'Initialized', 'Ready'];
/** Only nodes are disrupted. */
const DISRUPTED = ['DisruptionTerminating', 'Unconsolidatable'];

/** When one of these conditions became True last, or the node was considered for disruption: what failed before is over. */
function lastMs(events: readonly ReadEvent[], conditions: readonly string[]): number | undefined {
  return events.findLast(
    ({ reason, message }) =>
      DISRUPTED.includes(reason) || (conditions.includes(reason) && message.includes('-> True')),
  )?.lastMs;
}

/** `NodeClaim x event: …` and `NodeClaim x: …`. */
function isAbout(claim: string): (event: ReadEvent) => boolean {
  return ({ message }) =>
    message.startsWith(`NodeClaim ${claim} `) || message.startsWith(`NodeClaim ${claim}:`);
}
