/**
 * The events of a run: `--output json` prints one per line, and the progress display and the log are rendered from them.
 * Events never contain secrets.
 */
import type { FlexErrorFacts } from '../flex-error.ts';
import type { Leftover, Phase, StepId } from '../step.ts';

export type RunVerb = 'bootstrap' | 'unbootstrap' | 'upgrade';

export type SkipReason =
  /** The journal and the machine agree that it is done, with the same inputs. */
  | 'completed'
  /** `--only` or `--skip`. */
  | 'not-selected'
  /** Unbootstrap: it was never begun here. */
  | 'never-begun';

export type ErrorFacts = Omit<FlexErrorFacts, 'cause'>;

interface AboutStep {
  readonly step: StepId;
  /** `ContainerdInstaller`. */
  readonly name: string;
  readonly title: string;
  readonly phase: Phase;
  /** 1 for the first of `count`. */
  readonly index: number;
  readonly count: number;
}

export type FlexEvent = { readonly at: string } & FlexEventBody;

export type FlexEventBody =
  | {
      readonly type: 'run-started';
      readonly run: string;
      readonly verb: RunVerb;
      readonly steps: readonly StepId[];
    }
  | ({ readonly type: 'step-started' } & AboutStep)
  | ({ readonly type: 'step-skipped'; readonly reason: SkipReason } & AboutStep)
  | {
      readonly type: 'progress';
      readonly step: StepId;
      readonly message: string;
      readonly fields?: Readonly<Record<string, string | number>>;
    }
  | ({ readonly type: 'step-completed'; readonly durationMs: number } & AboutStep)
  | ({ readonly type: 'step-failed'; readonly durationMs: number; readonly error: ErrorFacts } & AboutStep)
  | ({ readonly type: 'step-undone'; readonly durationMs: number; readonly leftovers: number } & AboutStep)
  /** A file that was modified after bootstrap was saved before it was replaced. */
  | { readonly type: 'kept'; readonly path: string; readonly copy: string }
  | { readonly type: 'leftover'; readonly leftover: Leftover }
  | {
      readonly type: 'run-completed';
      readonly verb: RunVerb;
      readonly success: boolean;
      /** `false` if no step had changes and nothing was written. */
      readonly changed: boolean;
      readonly durationMs: number;
      readonly leftovers: number;
      readonly error?: ErrorFacts;
    };

export type OnEvent = (event: FlexEvent) => void;

export function aboutStep(
  step: { readonly id: StepId; readonly name: string; readonly title: string; readonly phase: Phase },
  index: number,
  count: number,
): AboutStep {
  return { step: step.id, name: step.name, title: step.title, phase: step.phase, index: index + 1, count };
}

export function withoutCause({ cause: _cause, ...facts }: FlexErrorFacts): ErrorFacts {
  return facts;
}
