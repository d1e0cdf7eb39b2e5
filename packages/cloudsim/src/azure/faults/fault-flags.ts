/**
 * Faults as they come from a command line whose lists are split at commas: conditions of a fault have commas between them
 * too, so the pieces are put together again.
 */
import { FAULTS } from './catalogue.table.ts';
import type { FaultSpec } from './fault.ts';
import { FaultSyntaxError, parseFault } from './parse-fault.ts';

/** What is wrong is a text; there is no fault for it then. */
export function readFaultFlags(pieces: readonly string[]): {
  readonly faults: readonly FaultSpec[];
  readonly problems: readonly string[];
} {
  const faults: FaultSpec[] = [];
  const problems: string[] = [];
  for (const text of wholeFaults(pieces)) {
    try {
      faults.push(parseFault(text));
    } catch (error) {
      if (!(error instanceof FaultSyntaxError)) throw error;
      problems.push(error.message);
    }
  }
  return { faults, problems };
}

// ---------------------------------------------------------------------------------------------------

/** A piece that names no fault goes on with the one before, if that has conditions. */
function wholeFaults(pieces: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const piece of pieces) {
    const name = piece.split(/[=@]/)[0]!.trim();
    const goesOn = whole.at(-1)?.includes('@') && !FAULTS.some((row) => row.name === name);
    if (goesOn) whole[whole.length - 1] += `,${piece}`;
    else whole.push(piece);
  }
  return whole;
}
