/**
 * Decides which steps are selected, and which of them have to run. A step is completed if the journal and the machine
 * agree, its inputs have not changed, and no step that it depends on ran after it.
 */
import { FlexError } from '../flex-error.ts';
import { type Phase, STEP_IDS, type Step, type StepContext, type StepId } from '../step.ts';
import { fingerprint } from './fingerprint.ts';
import type { JournalState } from './records.ts';

export interface Selection {
  /** Step ids or phases. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
}

export const PHASES: readonly Phase[] = ['identity', 'installation', 'activation'];

/** The step runs again after these steps: running programs do not detect new files. */
const FOLLOWS: Partial<Record<StepId, readonly StepId[]>> = {
  'start-services': ['stop-services', 'containerd', 'kubernetes', 'kubelet'],
};

/** Throws a usage error for a word that names neither a step nor a phase. */
export function isSelected(step: Step, selection: Selection): boolean {
  const names = (words: readonly string[]) => words.includes(step.id) || words.includes(step.phase);
  if (selection.only !== undefined && selection.only.length > 0 && !names(selection.only)) return false;
  return !names(selection.skip ?? []);
}

export function checkSelection(selection: Selection): void {
  const known: readonly string[] = [...STEP_IDS, ...PHASES];
  for (const word of [...(selection.only ?? []), ...(selection.skip ?? [])]) {
    if (known.includes(word)) continue;
    throw new FlexError({
      class: 'usage',
      code: 'usage.unknown-step',
      message: `Unknown step or phase \`${word}\`.`,
      remedy: `Phases: ${PHASES.join(', ')}. Steps: ${STEP_IDS.join(', ')}.`,
    });
  }
}

/** `--only arc --skip arc`: an empty run must not report success. */
export function mustSelect(steps: readonly Step[], selection: Selection): void {
  if (steps.some((step) => isSelected(step, selection))) return;
  throw new FlexError({
    class: 'usage',
    code: 'usage.no-step',
    message: 'No step is selected.',
    remedy: `Phases: ${PHASES.join(', ')}. Steps: ${STEP_IDS.join(', ')}.`,
  });
}

export type StepStatus =
  | { readonly done: true; readonly fingerprint: string }
  | {
      readonly done: false;
      readonly fingerprint: string;
      readonly why: 'never-done' | 'interrupted' | 'inputs-changed' | 'follows-another' | 'machine-differs';
    };

export async function stepStatus(
  step: Step,
  context: StepContext,
  journal: JournalState,
): Promise<StepStatus> {
  const status = statusInJournal(step, context, journal);
  if (!status.done || (await step.isCompleted(context))) return status;
  return { done: false, fingerprint: status.fingerprint, why: 'machine-differs' };
}

/** The status according to the journal; the machine is not checked. */
export function statusInJournal(step: Step, context: StepContext, journal: JournalState): StepStatus {
  const print = fingerprint(step.inputs(context));
  const record = journal.steps.get(step.id);
  if (record === undefined || record.state === 'undone') {
    return { done: false, fingerprint: print, why: 'never-done' };
  }
  if (record.state !== 'completed') return { done: false, fingerprint: print, why: 'interrupted' };
  if (record.fingerprint !== print) return { done: false, fingerprint: print, why: 'inputs-changed' };
  const later = (FOLLOWS[step.id] ?? []).some((id) => (journal.steps.get(id)?.order ?? 0) > record.order);
  if (later) return { done: false, fingerprint: print, why: 'follows-another' };
  return { done: true, fingerprint: print };
}
