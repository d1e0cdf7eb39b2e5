/** The counter of claims that were ended, in upstream's words. */
import { KarpenterLabel, parseDurationMs } from '../../api/index.ts';
import type { Metrics } from '../../world.ts';
import type { Claim } from '../lifecycle/draft.ts';

export function disruptedCounter(metrics: Metrics): (claim: Claim, reason: string) => void {
  const counter = metrics.counter({
    name: 'karpenter_nodeclaims_disrupted_total',
    help: 'NodeClaims that were ended, by reason.',
    labels: ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'],
  });
  return (claim, reason) =>
    counter.add(1, {
      reason,
      nodepool: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '',
      capacity_type: claim.metadata.labels?.[KarpenterLabel.capacityType] ?? '',
      consolidation_policy: '',
      termination_mode: terminationMode(claim),
    });
}

/** Graceful without a limit, eventual with one, forceful when it is no time at all. */
export function terminationMode({ spec }: Claim): string {
  if (spec.terminationGracePeriod === undefined) return 'graceful';
  return parseDurationMs(spec.terminationGracePeriod) > 0 ? 'eventual' : 'forceful';
}
