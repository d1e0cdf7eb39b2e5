/** What `chandler migrate-values` did with each key, for people. */
import type { KeyReport } from '../../chart/index.ts';

/** One line for each key, those first that need attention. */
export function reportLines(keys: readonly KeyReport[]): string[] {
  return ORDER.flatMap((action) => keys.filter((key) => key.action === action)).map(lineOf);
}

// ---------------------------------------------------------------------------------------------------

const ORDER: readonly KeyReport['action'][] = ['unknown', 'dropped', 'renamed', 'kept'];
const WIDTH = Math.max(...ORDER.map((action) => action.length));

function lineOf({ key, action, to, reason }: KeyReport): string {
  const target = to === undefined ? '' : ` -> ${to}`;
  return `${action.padEnd(WIDTH)}  ${key}${target}${reason === undefined ? '' : `: ${reason}`}`;
}
