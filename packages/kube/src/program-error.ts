/**
 * Decides whether an error is an error of the program: a bug, not an answer of the outside world. Code that turns
 * failures of a call into a value, a condition or a retry must rethrow these, so that a bug is never taken for evidence.
 */
import type { Metrics } from './world.ts';

/**
 * True for TypeError, ReferenceError, RangeError, a failed assertion and an unconditional write. Not for what libraries throw under the same classes about input or network: the TypeError of `fetch` has a
 * cause, the one of an invalid URL has a code, and one that an SDK threw about a request has the request.
 */
export function isProgramError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (BUG_NAMES.has(error.name)) return true;
  const isBuiltIn =
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  if (!isBuiltIn) return false;
  if (error.cause !== undefined || 'request' in error) return false;
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || MISUSE_CODES.has(code);
}

/** Rethrows an error of the program; for a `catch` that handles every other error. */
export function rethrowProgramError(error: unknown): void {
  if (isProgramError(error)) throw error;
}

/** Counts an error of the program. @param component the controller, task or store in which it occurred. */
export function countProgramError(metrics: Metrics, component: string, amount = 1): void {
  metrics
    .counter({
      name: 'chandler_program_errors_total',
      help: 'Errors of the program itself, such as a TypeError or a failed assertion, by component.',
      labels: ['component'],
    })
    .add(amount, { component });
}

// ------------------------------------------------------------------------------------------------

const BUG_NAMES: ReadonlySet<string> = new Set(['AssertionError', 'UnconditionalWrite']);

/** Codes of Node.js for a call with a wrong argument: the caller is wrong, not the input. */
const MISUSE_CODES: ReadonlySet<string> = new Set([
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
  'ERR_INVALID_THIS',
  'ERR_MISSING_ARGS',
  'ERR_OUT_OF_RANGE',
  'ERR_INVALID_STATE',
]);
