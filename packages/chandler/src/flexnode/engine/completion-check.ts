/**
 * Checks before a run whether all selected steps are completed. The check is read-only, so it runs for all steps in
 * parallel; the results are read in order, and the first step that is not completed ends the check.
 */
import { INSTALLING_STEPS, type Step, type StepId } from '../step.ts';
import { stepContext, type Voice } from './context.ts';
import { type Journal, openJournal } from './journal.ts';
import { isSelected, type Selection, type StepStatus, statusInJournal, stepStatus } from './order.ts';
import type { Parts } from './parts.ts';

export interface CompletionCheck {
  readonly parts: Parts;
  readonly wanted: readonly Step[];
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly tell: Voice;
}

export interface Progress {
  /** Every selected step is completed with this config, according to the journal. */
  readonly isAllDone: boolean;
  /** A step that uses the credential of the operator has to run. */
  readonly needsOperator: boolean;
  /** The selected steps that have to run, or may have to. */
  readonly toRun: ReadonlySet<StepId>;
  /** Those of them that install a program. */
  readonly toInstall: ReadonlySet<StepId>;
}

/** What a run with this config would do, for the checks before it. */
export async function progressOf(parts: Parts, selection: Selection, signal: AbortSignal): Promise<Progress> {
  const journal = await openJournal(parts.host);
  const contexts = parts.steps
    .filter((step) => isSelected(step, selection))
    .map((step) => ({
      step,
      context: stepContext(parts, step, { journal, signal, tell: () => undefined }),
    }));
  const isAllDone = contexts.every(({ step, context }) => statusInJournal(step, context, journal.state).done);
  const remaining = await Promise.all(
    contexts.map(async ({ step, context }) => {
      // The others are not asked before they run: their checks are errors whenever they are selected.
      const isDone = CHECKED_STEPS.has(step.id) && (await stepStatus(step, context, journal.state)).done;
      if (isDone) return undefined;
      const installs = INSTALLING_STEPS.includes(step.id) && (await step.installs?.(context)) !== false;
      return { id: step.id, installs };
    }),
  );
  const steps = remaining.filter((each) => each !== undefined);
  const toRun = new Set(steps.map(({ id }) => id));
  return {
    isAllDone,
    needsOperator: OPERATOR_STEPS.some((id) => toRun.has(id)),
    toRun,
    toInstall: new Set(steps.filter(({ installs }) => installs).map(({ id }) => id)),
  };
}

/** Settles when none of its checks is in progress any more, because the caller may then change the machine. */
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
  // If the journal alone decides, the machine is not checked.
  if (contexts.some(({ step, context }) => !statusInJournal(step, context, journal.state).done)) return false;
  const statuses: Promise<StepStatus>[] = contexts.map(({ step, context }) =>
    stepStatus(step, context, journal.state),
  );
  // Attached immediately, because a later check may fail while an earlier one is awaited.
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

// ---------------------------------------------------------------------------------------------------

const OPERATOR_STEPS: readonly StepId[] = ['arc', 'credentials'];
const CHECKED_STEPS: ReadonlySet<StepId> = new Set([...OPERATOR_STEPS, ...INSTALLING_STEPS]);
