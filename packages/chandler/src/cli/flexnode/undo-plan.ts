/** The plan of unbootstrap, read from the journal alone: the steps to undo, and whether each path is removed or restored. */
import { type Host, type OwnedPath, readJournal, STEP_IDS, type StepId } from '../../flexnode/index.ts';

export interface UndoPlan {
  /** In the order in which they are undone. */
  readonly steps: readonly {
    readonly step: StepId;
    readonly paths: readonly { readonly path: string; readonly becomes: 'removed' | 'restored' }[];
  }[];
}

export async function undoPlan(host: Host): Promise<UndoPlan> {
  const journal = await readJournal(host);
  const begun = STEP_IDS.filter((id) => (journal.steps.get(id)?.state ?? 'undone') !== 'undone');
  return {
    steps: begun.toReversed().map((step) => ({
      step,
      paths: [...journal.paths.values()]
        .filter((owned) => owned.step === step)
        .toReversed()
        .map((owned) => ({ path: owned.path, becomes: outcomeOf(owned) })),
    })),
  };
}

export function undoPlanText({ steps }: UndoPlan): string {
  if (steps.length === 0) return 'This machine is not bootstrapped; nothing to undo.\n';
  const lines = steps.flatMap(({ step, paths }) => [
    `${step}:${paths.length === 0 ? ' no files' : ''}`,
    ...paths.map(({ path, becomes }) => `  ${becomes === 'removed' ? 'remove ' : 'restore'} ${path}`),
  ]);
  return `${['Would undo these steps in this order. Nothing was changed.', ...lines].join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

function outcomeOf({ before }: OwnedPath): 'removed' | 'restored' {
  return before.kind === 'absent' ? 'removed' : 'restored';
}
