/** Seeds that keep the workload and the faults that they had when they found a bug: what is added later is not for them. */
import { REGRESSIONS } from './regressions.table.ts';

export function isKept(seed: number): boolean {
  return REGRESSIONS.some((row) => row.seed === seed);
}
