/** Events about an object: what people would see in `kubectl describe`. */
import { EVENTS, isOwnedByNode } from '@chandler/kube';
import {
  type EventFact,
  isFound,
  listFailure,
  type Reading,
  type ReadObject,
  withoutContainerSecrets,
} from '../../causes/index.ts';

import type { GatherContext } from './gather-context.ts';
import { timeMs } from './shapes.ts';

/** With the reporting component, which causes do not need. */
export interface ReadEvent extends EventFact {
  readonly component: string;
  /** When it was seen first. */
  readonly firstMs: number;
  /** Of the object that it is about. */
  readonly name: string;
}

/** Which events count. */
export interface EventWindow {
  readonly sinceMs: number;
  /** What happened before then is over, as far as can be seen. */
  readonly overBeforeMs?: number | undefined;
}

/** As evidence of what it reports. */
export function eventReading(
  { recorder }: Pick<GatherContext, 'recorder'>,
  what: string,
  { lastMs }: EventFact,
  { overBeforeMs = 0 }: Pick<EventWindow, 'overBeforeMs'>,
): Reading {
  const reading = { ...recorder.reading(what), happenedAtMs: lastMs };
  return lastMs < overBeforeMs ? { ...reading, isOver: true } : reading;
}

export interface About {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Known: events about an earlier object of the name are left out. */
  readonly uid?: string | undefined;
}

/** Of a pod from a file of its node, kubelets write the hash of the file in place of the UID. */
export function aboutPod(pod: ReadObject): About {
  const { name, namespace, uid } = pod.metadata;
  return { kind: 'Pod', name, namespace, ...(isOwnedByNode(pod) ? {} : { uid }) };
}

/** The newest last. They become evidence. */
export async function readEvents(context: GatherContext, about: About): Promise<readonly ReadEvent[]> {
  const { recorder } = context;
  const events = await findEvents(context, about);
  if (events === undefined) return [];
  recorder.add({ kind: 'events', reading: recorder.reading(whatOf(about)), events: events.map(toFact) });
  return events;
}

/** Only those with this reason become evidence. */
export async function readEventsOf(context: GatherContext, about: About, reason: string): Promise<void> {
  const { recorder } = context;
  const events = (await findEvents(context, about))?.filter((event) => event.reason === reason) ?? [];
  if (events.length > 0)
    recorder.add({ kind: 'events', reading: recorder.reading(whatOf(about)), events: events.map(toFact) });
}

/** The newest last. Nothing is recorded but that they cannot be read, which is undefined. */
export async function findEvents(
  { reader, recorder }: GatherContext,
  about: About,
): Promise<readonly ReadEvent[] | undefined> {
  const { kind, name, namespace, uid } = about;
  const looked = await reader.list(EVENTS, {
    namespace: namespace ?? 'default',
    fields: { 'involvedObject.kind': kind, 'involvedObject.name': name },
  });
  const failure = listFailure(looked);
  if (failure !== undefined) recorder.addUnread('events', whatOf(about), failure);
  if (failure !== undefined || !isFound(looked)) return undefined;
  return looked.found
    .filter((event) => isAbout(event, uid))
    .map((event) => toEvent(event))
    .sort((one, other) => one.lastMs - other.lastMs)
    .slice(-MAX_EVENTS);
}

/** They were looked for, and could not be read: none is known, which is not none. */
export function areEventsUnread({ recorder }: Pick<GatherContext, 'recorder'>, about: About): boolean {
  return recorder.evidence().unread.some(({ kind, what }) => kind === 'events' && what === whatOf(about));
}

/** `Pod/shop/web-1`, `NodeClaim/default-x7k2p`. */
export function objectName({ kind, name, namespace }: Omit<About, 'uid'>): string {
  return namespace === undefined || namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

export function toEvent(event: ReadObject): ReadEvent {
  const {
    kind = '',
    name = '',
    namespace,
    fieldPath = '',
  } = (event['involvedObject'] ?? {}) as InvolvedObject;
  const container = CONTAINER_PATH.exec(fieldPath)?.[1];
  const reason = String(event['reason'] ?? '');
  const said = String(event['message'] ?? '');
  const message = said.replace(COMBINED, '');
  return {
    object: objectName({ kind, name, namespace }),
    name,
    ...(container === undefined ? {} : { container }),
    type: event['type'] === 'Warning' ? 'Warning' : 'Normal',
    reason,
    message: hasOutput(reason) ? withoutContainerSecrets(message) : message,
    ...(message === said ? {} : { isCombined: true }),
    count: countOf(event),
    lastMs: eventMs(event),
    component: componentOf(event),
    firstMs: firstMs(event),
  };
}

/** The message of such an event quotes a command of a container, or what it printed. */
export function hasOutput(reason: string): boolean {
  return OF_COMMANDS.has(reason);
}

/** When it was seen last; 0: it does not say. */
export function eventMs(event: ReadObject): number {
  const series = event['series'] as { lastObservedTime?: string } | undefined;
  const times = [
    series?.lastObservedTime,
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
    event.metadata.creationTimestamp,
  ];
  for (const time of times) {
    const ms = timeMs(time as string | undefined);
    if (ms !== undefined) return ms;
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------------

interface InvolvedObject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly fieldPath?: string;
}

const MAX_EVENTS = 200;

/** Of probes and hooks, and commands themselves. */
const OF_COMMANDS: ReadonlySet<string> = new Set([
  'Unhealthy',
  'ProbeWarning',
  'FailedPostStartHook',
  'FailedPreStopHook',
  // What the runtime says of a container that it cannot start.
  'Failed',
  'FailedSync',
]);

function whatOf(about: About): string {
  return `Events of ${objectName(about)}`;
}

/** `spec.containers{web}`. */
const CONTAINER_PATH = /^spec\.(?:initC|ephemeralC|c)ontainers\{([^}]+)\}$/;

/** Put before the message once there are many events of a reason that differ in it. */
const COMBINED = /^\(combined from similar events\): /;

function isAbout(event: ReadObject, uid: string | undefined): boolean {
  const own = (event['involvedObject'] as InvolvedObject | undefined)?.uid;
  return uid === undefined || own === undefined || own === '' || own === uid;
}

function toFact({ component: _component, name: _name, firstMs: _firstMs, ...fact }: ReadEvent): EventFact {
  return fact;
}

/** The old counter, or the series of the newer interface. */
function countOf(event: ReadObject): number {
  const series = event['series'] as { count?: number } | undefined;
  const count = series?.count ?? event['count'];
  return typeof count === 'number' && count > 0 ? count : 1;
}

function componentOf(event: ReadObject): string {
  const source = event['source'] as { component?: string } | undefined;
  return String(event['reportingComponent'] || source?.component || '');
}

/** When it was seen first, or at all. */
function firstMs(event: ReadObject): number {
  const times = [event['firstTimestamp'], event['eventTime'], event.metadata.creationTimestamp];
  const known = times.flatMap((time) => timeMs(time as string | undefined) ?? []);
  return known.length === 0 ? eventMs(event) : Math.min(...known);
}
