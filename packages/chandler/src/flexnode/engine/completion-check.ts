/**
 * The look before a run: is every wanted step done already? Looking changes nothing, so all steps are looked at at once;
 * their answers are heard in their order, and the first that is not done, or cannot tell, ends the look.
 */
import type { Step } from '../step.ts';
import { stepContext, type Voice } from './context.ts';
import type { Journal } from './journal.ts';
import { type StepStatus, statusInJournal, stepStatus } from './order.ts';
import type { Parts } from './parts.ts';

export interface CompletionCheck {
  readonly parts: Parts;
  readonly wanted: readonly Step[];
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly tell: Voice;
}

/** Resolves, or throws, when nothing that it began is under way any more: what follows may change the machine. */
export async function areAllDone({
  parts,
  wanted,
  journal,
  signal,
  tell,
}: CompletionCheck): Promise<boolean> {
  const enough = new AbortController();
  const looking = AbortSignal.any([signal, enough.signal]);
  const contexts = wanted.map((step) => ({
    step,
    context: stepContext(parts, step, { journal, signal: looking, tell }),
  }));
  // What the journal alone knows is not asked of the machine.
  if (contexts.some(({ step, context }) => !statusInJournal(step, context, journal.state).done)) return false;
  const statuses: Promise<StepStatus>[] = contexts.map(({ step, context }) =>
    stepStatus(step, context, journal.state),
  );
  // From the start, since a later one may fail while an earlier one is waited for.
  const settled = Promise.allSettled(statuses);
  try {
    for (const status of statuses) {
      if (signal.aborted) throw signal.reason;
      if (!(await status).done) return false;
    }
    return true;
  } finally {
    enough.abort(new Error('an earlier step has changes'));
    await settled;
  }
}
