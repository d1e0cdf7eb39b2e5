/**
 * Undo: removes what the journal says was created here, by the recorded IDs and in reverse order, and only if it is still as it was
 * created. What others created, changed or removed is left as it is. Neither the options nor the cluster are needed.
 */
import type { Clock } from '@chandler/kube';
import { sameFields } from './compare.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { patiently } from './patience.ts';
import { isReplaced } from './plan.ts';
import { ConfigureError, isInside, NotAllowed, type RecordedResource } from './resource.ts';

/** `kept`: it is not for undo to remove, and leaves the journal. `left`: it stays in the journal. */
export type UndoOutcome = 'removed' | 'already gone' | 'kept' | 'left';

export interface UndoneStep {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  readonly outcome: UndoOutcome;
  /** Why it was kept or left, as a clause. */
  readonly reason?: string;
}

export interface UndoRequest {
  readonly journal: Journal;
  /** Undefined: not the ID of a resource that configure creates. */
  readonly recorded: (id: string) => RecordedResource | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStep?: (done: UndoneStep) => void;
}

/** An entry leaves the journal when its resource is gone. @throws {ConfigureError} while one is in use; nothing is removed then. */
export async function undo(request: UndoRequest): Promise<readonly UndoneStep[]> {
  const { journal, signal, onStep } = request;
  await refuseInUse(request);
  const steps: UndoneStep[] = [];
  for (const entry of [...journal.entries].reverse()) {
    signal.throwIfAborted();
    const { key, kind, name, id } = entry;
    const result = await undoEntry(request, entry, steps);
    if (result.outcome !== 'left') await journal.remove(key);
    const done = { key, kind, name, ...(id === undefined ? {} : { id }), ...result };
    steps.push(done);
    onStep?.(done);
  }
  return steps;
}

// ---------------------------------------------------------------------------------------------------------------

type Result = { readonly outcome: UndoOutcome; readonly reason?: string };

/** In reverse order the others would be gone before the cloud refuses to remove the one that is in use. */
async function refuseInUse({ journal, recorded, clock, signal }: UndoRequest): Promise<void> {
  for (const { kind, name, id = '' } of journal.entries) {
    const resource = recorded(id);
    const user = await patiently(clock, signal, async () => resource?.inUse?.(signal));
    if (user !== undefined)
      throw new ConfigureError(`nothing was removed: the ${kind} ${name} is in use: ${user}`);
  }
}

async function undoEntry(
  request: UndoRequest,
  entry: JournalEntry,
  done: readonly UndoneStep[],
): Promise<Result> {
  const { clock, signal } = request;
  const { id } = entry;
  if (id === undefined) return left('the journal does not have its ID; run --apply again, then --undo');
  const resource = request.recorded(id);
  if (resource === undefined) return left(`the journal has an ID for it that configure did not write: ${id}`);
  const kept = done.find((each) => each.outcome === 'left' && each.id !== undefined && isInside(each.id, id));
  if (kept !== undefined) return left(`it has the ${kept.kind} ${kept.name}, which was left`);
  try {
    const outer = await replacedOuter(request, id);
    if (outer !== undefined) return left(`somebody else deleted and created the ${outer.kind} ${outer.name}`);
    const found = await patiently(clock, signal, () => resource.read(signal));
    if (found === undefined) return { outcome: 'already gone' };
    if (resource.keptBecause !== undefined) return { outcome: 'kept', reason: resource.keptBecause };
    if (isReplaced(found, entry)) return left('somebody else deleted and created it');
    if (!sameFields(found.fields, entry.fields)) return left('it was changed since it was created');
    await patiently(clock, signal, () => resource.remove(signal));
    return { outcome: 'removed' };
  } catch (error) {
    if (error instanceof NotAllowed || error instanceof ConfigureError) return left(error.message);
    throw error;
  }
}

function left(reason: string): Result {
  return { outcome: 'left', reason };
}

/** The recorded resource that this one is part of, if there is another one with its ID now. */
async function replacedOuter(
  { journal, recorded, clock, signal }: UndoRequest,
  id: string,
): Promise<JournalEntry | undefined> {
  const outer = journal.entries.find((each) => each.id !== undefined && isInside(id, each.id));
  if (outer?.id === undefined) return undefined;
  const resource = recorded(outer.id);
  const found =
    resource === undefined ? undefined : await patiently(clock, signal, () => resource.read(signal));
  return found !== undefined && isReplaced(found, outer) ? outer : undefined;
}
