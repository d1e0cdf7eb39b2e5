/**
 * Applies a plan: one resource after the other, each recorded in the journal before it is created. A run that ended at any point is
 * continued by the next one, because each step is read again before it is written.
 */
import type { Clock } from '@chandler/kube';
import type { Journal } from './journal.ts';
import { patiently } from './patience.ts';
import {
  isRecorded,
  type Plan,
  type Reading,
  readResource,
  recordedInstead,
  replacedId,
  type Step,
} from './plan.ts';
import { recordedInsteadText } from './plan-report.ts';
import {
  ConfigureError,
  type DesiredResource,
  type Facts,
  type Fields,
  NotAllowed,
  Refused,
} from './resource.ts';

export interface ApplyRequest {
  readonly plan: Plan;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** After each step. */
  readonly onStep?: (done: DoneStep) => void;
}

export interface DoneStep {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly did: 'created' | 'updated' | 'nothing';
}

export interface Applied {
  readonly steps: readonly DoneStep[];
  readonly facts: Facts;
}

/** @throws {ConfigureError} that says what is done already. The plan must have no blocked step. */
export async function applyPlan(request: ApplyRequest): Promise<Applied> {
  const steps: DoneStep[] = [];
  const replaced: string[] = [];
  let facts: Facts = {};
  for (const step of request.plan.steps) {
    request.signal.throwIfAborted();
    try {
      const { did, learned } = await applyStep(request, step, facts, replaced);
      facts = { ...facts, ...learned };
      const { key, kind, name } = step.resource;
      const done: DoneStep = { key, kind, name, did };
      steps.push(done);
      request.onStep?.(done);
    } catch (error) {
      if (error instanceof NotAllowed || error instanceof ConfigureError)
        throw new ConfigureError(stoppedText(step, error, steps));
      throw error;
    }
  }
  return { steps, facts };
}

// ---------------------------------------------------------------------------------------------------------------

interface Outcome {
  readonly did: DoneStep['did'];
  readonly learned: Facts | undefined;
}

async function applyStep(
  request: ApplyRequest,
  { resource }: Step,
  facts: Facts,
  replaced: string[],
): Promise<Outcome> {
  const { journal, clock, signal } = request;
  const fields = resource.desired(facts);
  const id = resource.id(facts);
  if (fields === undefined || id === undefined)
    throw new ConfigureError(`it needs what an earlier resource did not give; run configure again`);
  const other = recordedInstead(journal, resource, facts);
  if (other !== undefined) throw new ConfigureError(recordedInsteadText(other));
  const before = await patiently(clock, signal, () => readResource(resource, fields, facts, signal));
  const { key, kind, name } = resource;
  const isOurs = isRecorded(journal, resource, before, facts, replaced);
  replaced.push(...replacedId(journal, resource, before));
  const created = { key, kind, name, state: 'created', fields, id } as const;
  if (before.state === 'exists') {
    // It was created, and the run ended before this was recorded.
    if (isOurs && journal.entry(key)?.state === 'creating')
      await journal.put({ ...created, ...factsOf(before) });
    return { did: 'nothing', learned: before.found.facts };
  }
  if (before.state === 'unknown') throw new NotAllowed(before.permission);
  if (before.state === 'different' && !isOurs)
    throw new ConfigureError(
      `it was created by somebody else in the meantime, and differs: ${before.how.join('; ')}`,
    );
  await journal.put({ ...created, state: 'creating' });
  const found = before.state === 'different' ? before.found : undefined;
  try {
    await patiently(clock, signal, () => resource.write(fields, facts, found, signal));
  } catch (error) {
    // The cloud said no: nothing was created, and the journal does not claim it.
    const isRefused = error instanceof NotAllowed || error instanceof Refused;
    if (isRefused && before.state === 'missing') await journal.remove(key);
    throw error;
  }
  const after = await shown(request, resource, fields, facts);
  await journal.put({ ...created, ...factsOf(after) });
  return { did: before.state === 'missing' ? 'created' : 'updated', learned: after.found.facts };
}

function factsOf({ found: { facts } }: Extract<Reading, { state: 'exists' }>) {
  return facts === undefined ? {} : { facts };
}

/** Once the cloud shows it as it was written. */
async function shown(
  { clock, signal }: ApplyRequest,
  resource: DesiredResource,
  fields: Fields,
  facts: Facts,
): Promise<Extract<Reading, { state: 'exists' }>> {
  return await patiently(clock, signal, async (again) => {
    const reading = await readResource(resource, fields, facts, signal);
    if (reading.state === 'exists') return reading;
    if (reading.state === 'unknown') throw new NotAllowed(reading.permission);
    const how = reading.state === 'different' ? reading.how.join('; ') : 'it is not there';
    throw again(`it was written, but the cloud does not show it as it should be: ${how}`);
  });
}

function stoppedText(step: Step, error: Error, done: readonly DoneStep[]): string {
  const made = done.filter(({ did }) => did !== 'nothing');
  const { kind, name } = step.resource;
  const state =
    made.length === 0
      ? 'Nothing was changed'
      : `Created or updated before: ${made.map((each) => `${each.kind} ${each.name}`).join(', ')}`;
  return `${kind} ${name}: ${error.message}. ${state}. Run the same command again to go on, or --undo to remove what was created.`;
}
