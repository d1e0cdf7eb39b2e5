/** A controller that reconciles everything at once at an interval, instead of single keys. */
import { onceSource } from '../cache/sources.ts';
import { Controller, type ControllerOptions, type ReconcileContext, type Result } from './controller.ts';

export interface SingletonOptions extends Omit<ControllerOptions, 'reconcile' | 'sources' | 'concurrency'> {
  /** `requeueAfterMs` of the result overrides `everyMs`. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a run without a result returns nothing
  readonly run: (context: ReconcileContext) => Promise<Result | void>;
  /** Pause between the end of a run and the next. 0 is allowed: at once. */
  readonly everyMs: number;
}

export function singleton(options: SingletonOptions): Controller {
  const { run, everyMs, ...rest } = options;
  return new Controller({
    ...rest,
    sources: [onceSource()],
    reconcile: async (_, context) => ({ requeueAfterMs: everyMs, ...(await run(context)) }),
  });
}
