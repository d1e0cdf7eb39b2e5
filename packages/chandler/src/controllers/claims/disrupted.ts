/** Counters of disrupted claims and of the pods that must be rescheduled, with upstream's names and labels. */
import { readDurationMs } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isTerminal, isTerminating } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

const LABELS = ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'];

/** @param policy the consolidation policy of its pool, if it is consolidated. */
export type CountDisrupted = (claim: Claim, reason: string, policy?: string) => void;

export function disruptedCounter({
  world,
  cluster,
}: Pick<ControllerContext, 'world' | 'cluster'>): CountDisrupted {
  const claims = world.metrics.counter({
    name: 'karpenter_nodeclaims_disrupted_total',
    help: 'NodeClaims that were ended, by reason.',
    labels: LABELS,
  });
  const pods = world.metrics.counter({
    name: 'karpenter_pods_disruption_initiated_total',
    help: 'Pods that have to move because their NodeClaim was ended, by reason.',
    labels: LABELS,
  });
  return (claim, reason, policy = '') => {
    const labels = {
      reason,
      nodepool: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '',
      capacity_type: claim.metadata.labels?.[KarpenterLabel.capacityType] ?? '',
      consolidation_policy: policy,
      termination_mode: terminationMode(claim),
    };
    const node = cluster.nodeOfClaim(claim.metadata.name);
    const moving = (node === undefined ? [] : cluster.podsOn(node)).filter(
      (pod) => !isTerminal(pod) && !isTerminating(pod) && !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod),
    );
    claims.add(1, labels);
    pods.add(moving.length, labels);
  };
}

/** Graceful without a termination grace period, eventual with one, forceful with one of zero. */
export function terminationMode({ spec }: Claim): string {
  if (spec.terminationGracePeriod === undefined) return 'graceful';
  const graceMs = readDurationMs(spec.terminationGracePeriod);
  if (graceMs === undefined) return 'graceful';
  return graceMs > 0 ? 'eventual' : 'forceful';
}
