/**
 * Faults as given on the command line, where lists are split at commas: the conditions of a fault are separated by commas
 * too, so the parts of one fault are joined again.
 */
import { FAULTS } from './catalogue.table.ts';
import type { FaultSpec } from './fault.ts';
import { FaultSyntaxError, parseFault } from './parse-fault.ts';

/** Returns a message for every invalid fault. */
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

/** A part that names no fault continues the previous fault, if that one has conditions. */
function wholeFaults(pieces: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const piece of pieces) {
    const name = piece.split(/[=@]/)[0]!.trim();
    const continues = whole.at(-1)?.includes('@') && !FAULTS.some((row) => row.name === name);
    if (continues) whole[whole.length - 1] += `,${piece}`;
    else whole.push(piece);
  }
  return whole;
}
