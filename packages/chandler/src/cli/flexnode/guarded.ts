/** Wraps the work of every `flexnode` verb: a failure is printed as text or JSON and becomes the exit code of its class. */
import { EXIT_CODES, type FailureClass, redactedJson } from '../../flexnode/index.ts';
import type { Sourced } from '../../settings/index.ts';

import type { Call, Terminal } from '../verb.ts';

export interface Guarded {
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  readonly options: { readonly output?: Sourced<string> };
}

export async function guarded(call: Guarded, name: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { failureOf, failureText } = await import('./failure-text.ts');
    const failure = call.interrupted.aborted ? { facts: INTERRUPTED } : failureOf(error);
    if (failure === undefined) throw error;
    const { facts, problems } = { problems: undefined, ...failure };
    if (call.options.output?.value === 'json') call.terminal.out(`${redactedJson({ error: facts })}\n`);
    else call.terminal.err(failureText(`flexnode ${name}`, facts, problems));
    return exitCode(facts.class);
  }
}

export function exitCode(failure: FailureClass | undefined): number {
  return failure === undefined ? 0 : EXIT_CODES[failure];
}

/** For interrupts before or after a run; a run reports its own interrupt. */
const INTERRUPTED = { class: 'signal', code: 'run.interrupted', message: 'interrupted' } as const;

export type AnyCall = Pick<Call, 'terminal' | 'env' | 'interrupted' | 'world'>;
