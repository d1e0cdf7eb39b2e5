/**
 * Seeds that keep the workload and the faults that they had when they found a bug: what was added later is not for them. Seeds of
 * other clouds than the first found theirs with everything that is drawn today.
 */
import { DEFAULT_CLOUD } from './clouds.ts';
import { REGRESSIONS } from './regressions.table.ts';

export function isKept(seed: number, cloud: string): boolean {
  return cloud === DEFAULT_CLOUD && REGRESSIONS.some((row) => row.seed === seed && row.cloud === undefined);
}
