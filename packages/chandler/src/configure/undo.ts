/**
 * Undo: removes what the journal says was created here, in reverse order, and only if it is still as it was created. What others
 * created, changed or removed is left as it is.
 */
import type { Clock } from '@chandler/kube';
import { sameFields } from './compare.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { patiently } from './patience.ts';
import { type DesiredResource, type Facts, NotAllowed } from './resource.ts';

export type UndoOutcome = 'removed' | 'already gone' | 'left';

export interface UndoneStep {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly outcome: UndoOutcome;
  /** Why it was left, as a clause. */
  readonly reason?: string;
}

export interface UndoRequest {
  readonly resources: readonly DesiredResource[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStep?: (done: UndoneStep) => void;
}

/** An entry leaves the journal when its resource is gone. */
export async function undo(request: UndoRequest): Promise<readonly UndoneStep[]> {
  const { resources, journal, signal, onStep } = request;
  const facts = await factsOf(resources, signal);
  const steps: UndoneStep[] = [];
  for (const entry of [...journal.entries].reverse()) {
    signal.throwIfAborted();
    const { key, kind, name } = entry;
    const resource = resources.find((each) => each.key === key);
    const result: Result =
      resource === undefined
        ? {
            outcome: 'left',
            reason: 'it does not belong to these options; run --undo with the options of --apply',
          }
        : await undoEntry(request, resource, entry, facts);
    if (result.outcome !== 'left') await journal.remove(key);
    const done = { key, kind, name, ...result };
    steps.push(done);
    onStep?.(done);
  }
  return steps;
}

// ---------------------------------------------------------------------------------------------------------------

type Result = { readonly outcome: UndoOutcome; readonly reason?: string };

/** What the resources that exist say of themselves. What cannot be read is found out again at its own entry. */
async function factsOf(resources: readonly DesiredResource[], signal: AbortSignal): Promise<Facts> {
  let facts: Facts = {};
  for (const resource of resources) {
    if (resource.desired(facts) === undefined) continue;
    try {
      facts = { ...facts, ...(await resource.read(facts, signal))?.facts };
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
    }
  }
  return facts;
}

async function undoEntry(
  { clock, signal }: UndoRequest,
  resource: DesiredResource,
  entry: JournalEntry,
  facts: Facts,
): Promise<Result> {
  try {
    // Without the fact that it was made with, such as the identity of an assignment, it went with that resource.
    if (resource.desired(facts) === undefined) return { outcome: 'already gone' };
    const found = await patiently(clock, signal, () => resource.read(facts, signal));
    if (found === undefined) return { outcome: 'already gone' };
    if (!sameFields(found.fields, entry.fields))
      return { outcome: 'left', reason: 'it was changed since it was created' };
    await patiently(clock, signal, () => resource.remove(found, facts, signal));
    return { outcome: 'removed' };
  } catch (error) {
    if (error instanceof NotAllowed) return { outcome: 'left', reason: error.message };
    throw error;
  }
}
