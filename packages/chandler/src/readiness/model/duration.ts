/** Durations in sentences and tables: whole seconds, as Karpenter writes durations (`1m30s`). */
import { formatDuration } from '@chandler/kube';

export function durationText(ms: number): string {
  return formatDuration(BigInt(Math.round(ms / 1000)) * 1_000_000_000n).replace(/(?<=[hm])0s$/, '');
}
