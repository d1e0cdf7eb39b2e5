/** The plan: what exists, what is missing, what differs, and what may not be read. Reading changes nothing. */
import type { Clock } from '@chandler/kube';
import { differences } from './compare.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { patiently } from './patience.ts';
import {
  type DesiredResource,
  type Facts,
  type Fields,
  type Found,
  isInside,
  type MissingPermission,
  NotAllowed,
  type RecordedResource,
  sameId,
} from './resource.ts';

export type Reading =
  | { readonly state: 'exists'; readonly found: Found }
  | { readonly state: 'missing' }
  | { readonly state: 'different'; readonly found: Found; readonly how: readonly string[] }
  | { readonly state: 'unknown'; readonly permission: MissingPermission };

export interface Step {
  readonly resource: DesiredResource;
  /** Undefined while a fact is not known. */
  readonly fields: Fields | undefined;
  readonly reading: Reading;
  /** By the journal. */
  readonly createdByUs: boolean;
  /** What the journal names in its place. */
  readonly recordedInstead?: JournalEntry;
  readonly action: StepAction;
}

/** `blocked`: it differs and is not ours, it may not be read, or the journal names another one in its place. */
export type StepAction = 'none' | 'create' | 'update' | 'blocked';

export interface Plan {
  /** `AKS cluster shop`. */
  readonly title: string;
  readonly target: string;
  readonly steps: readonly Step[];
  /** What the journal names, what is still there, and what is not wanted with these options. Nothing is applied meanwhile. */
  readonly unwanted: readonly JournalEntry[];
  /** What else the user should know, as sentences. */
  readonly notes: readonly string[];
  readonly facts: Facts;
}

export interface PlanRequest {
  readonly title: string;
  readonly target: string;
  readonly notes?: readonly string[];
  readonly resources: readonly DesiredResource[];
  readonly journal: Journal;
  /** By the ID in the journal. */
  readonly recorded: (id: string) => RecordedResource | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads one resource after the other: facts of one are needed for the next. */
export async function makePlan(request: PlanRequest): Promise<Plan> {
  const { title, target, notes = [], resources, journal, clock, signal } = request;
  const steps: Step[] = [];
  const replaced: string[] = [];
  let facts: Facts = {};
  for (const resource of resources) {
    signal.throwIfAborted();
    const fields = resource.desired(facts);
    const reading = await patiently(clock, signal, () => readResource(resource, fields, facts, signal));
    if ('found' in reading) facts = { ...facts, ...reading.found.facts };
    // Without a fact that may not be read, nobody can say which one the journal must name.
    const isUncertain = steps.some((step) => step.reading.state === 'unknown');
    const other = isUncertain ? undefined : recordedInstead(journal, resource, facts);
    const createdByUs = isRecorded(journal, resource, reading, facts, replaced);
    replaced.push(...replacedId(journal, resource, reading));
    steps.push({
      resource,
      fields,
      reading,
      createdByUs,
      ...(other === undefined ? {} : { recordedInstead: other }),
      action: other === undefined ? actionOf(reading, createdByUs) : 'blocked',
    });
  }
  return { title, target, steps, unwanted: await unwantedOf(request), notes, facts };
}

export function changesOf(plan: Plan): readonly Step[] {
  return plan.steps.filter(({ action }) => action === 'create' || action === 'update');
}

export function blockedOf(plan: Plan): readonly Step[] {
  return plan.steps.filter(({ action }) => action === 'blocked');
}

/** The entry of the journal for this resource, if it names another one. Undo would not find that one any more. */
export function recordedInstead(
  journal: Journal,
  resource: DesiredResource,
  facts: Facts,
): JournalEntry | undefined {
  const entry = journal.entry(resource.key);
  if (entry === undefined) return undefined;
  const id = resource.id(facts);
  const isSame =
    entry.id === undefined ? entry.name === resource.name : id !== undefined && sameId(entry.id, id);
  return isSame ? undefined : entry;
}

/** Whether the journal names the resource, and, if it was found, this one. @param replaced see `replacedId`; of earlier resources. */
export function isRecorded(
  journal: Journal,
  resource: DesiredResource,
  reading: Reading,
  facts: Facts,
  replaced: readonly string[],
): boolean {
  const entry = journal.entry(resource.key);
  if (entry === undefined || recordedInstead(journal, resource, facts) !== undefined) return false;
  if (!('found' in reading)) return true;
  const id = resource.id(facts);
  if (id === undefined || replaced.some((outer) => isInside(id, outer))) return false;
  return sameId(reading.found.id, id) && !isReplaced(reading.found, entry);
}

/** The recorded ID of one that somebody deleted and created again: what is inside of it is not of the journal either. */
export function replacedId(journal: Journal, resource: DesiredResource, reading: Reading): readonly string[] {
  const entry = journal.entry(resource.key);
  return entry?.id !== undefined && 'found' in reading && isReplaced(reading.found, entry) ? [entry.id] : [];
}

/** With the same ID, but not the one that was created here. */
export function isReplaced({ facts = {} }: Found, entry: JournalEntry): boolean {
  return Object.entries(entry.facts ?? {}).some(([name, value]) => (facts[name] ?? value) !== value);
}

export async function readResource(
  resource: DesiredResource,
  fields: Fields | undefined,
  facts: Facts,
  signal: AbortSignal,
): Promise<Reading> {
  if (fields === undefined) return { state: 'missing' };
  try {
    const found = await resource.read(facts, signal);
    if (found === undefined) return { state: 'missing' };
    const how = differences(found.fields, fields);
    return how.length === 0 ? { state: 'exists', found } : { state: 'different', found, how };
  } catch (error) {
    if (error instanceof NotAllowed) return { state: 'unknown', permission: error.permission };
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------

async function unwantedOf(request: PlanRequest): Promise<readonly JournalEntry[]> {
  const { resources, journal, recorded, clock, signal } = request;
  const unwanted: JournalEntry[] = [];
  for (const entry of journal.entries) {
    if (resources.some(({ key }) => key === entry.key)) continue;
    if (await patiently(clock, signal, () => mayExist(recorded(entry.id ?? ''), signal)))
      unwanted.push(entry);
  }
  return unwanted;
}

/** Also if it may not be read. */
async function mayExist(resource: RecordedResource | undefined, signal: AbortSignal): Promise<boolean> {
  try {
    if (resource === undefined) return true;
    // Others may need it: then it is in nobody's way.
    return resource.keptBecause === undefined && (await resource.read(signal)) !== undefined;
  } catch (error) {
    if (error instanceof NotAllowed) return true;
    throw error;
  }
}

function actionOf(reading: Reading, createdByUs: boolean): StepAction {
  switch (reading.state) {
    case 'exists':
      return 'none';
    case 'missing':
      return 'create';
    case 'different':
      return createdByUs ? 'update' : 'blocked';
    case 'unknown':
      return 'blocked';
  }
}
