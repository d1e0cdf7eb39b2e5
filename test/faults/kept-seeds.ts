/**
 * Seeds that keep the workload and the faults that they had when they found a bug: what was added since then is not for them.
 * The first additions, disruption and its company, came after the seeds below 10,000 of the first cloud.
 */
import { DEFAULT_CLOUD } from './clouds.ts';
import { REGRESSIONS } from './regressions.table.ts';

export function isKept(seed: number, cloud: string): boolean {
  return (
    cloud === DEFAULT_CLOUD &&
    seed < 10_000 &&
    REGRESSIONS.some((row) => row.seed === seed && row.cloud === undefined)
  );
}
