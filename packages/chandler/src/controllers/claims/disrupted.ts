/** Counters of disrupted claims and of the pods that must be rescheduled, with upstream's names and labels. */
import { readDurationMs } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isTerminal, isTerminating } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { snakeCase } from './snake-case.ts';

const LABELS = ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'];

/** @param policy the consolidation policy of its pool, if it is consolidated. @param mode default: as the claim says. */
export type CountDisrupted = (claim: Claim, reason: string, policy?: string, mode?: string) => void;

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
  return (claim, reason, policy = '', mode = terminationMode(claim)) => {
    const labels = {
      reason,
      nodepool: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '',
      capacity_type: claim.metadata.labels?.[KarpenterLabel.capacityType] ?? '',
      consolidation_policy: policy,
      termination_mode: mode,
    };
    const node = cluster.nodeOfClaim(claim.metadata.name);
    const moving = (node === undefined ? [] : cluster.podsOn(node)).filter(
      (pod) => !isTerminal(pod) && !isTerminating(pod) && !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod),
    );
    claims.add(1, labels);
    pods.add(moving.length, labels);
  };
}

/** Claims that were disrupted because of an unhealthy condition of their node. */
export function unhealthyCounter({
  world,
}: Pick<ControllerContext, 'world'>): (claim: Claim, condition: string, mode: string) => void {
  const claims = world.metrics.counter({
    name: 'karpenter_nodeclaims_unhealthy_disrupted_total',
    help: 'NodeClaims that were disrupted because their node was unhealthy, by condition.',
    labels: ['condition', 'nodepool', 'capacity_type', 'image_id', 'termination_mode'],
  });
  return ({ metadata, status }, condition, mode) =>
    claims.add(1, {
      condition: snakeCase(condition),
      nodepool: metadata.labels?.[KarpenterLabel.nodePool] ?? '',
      capacity_type: metadata.labels?.[KarpenterLabel.capacityType] ?? '',
      image_id: status?.imageID ?? '',
      termination_mode: mode,
    });
}

/** Graceful without a termination grace period, eventual with one, forceful with one of zero. */
export function terminationMode({ spec }: Claim): string {
  if (spec.terminationGracePeriod === undefined) return 'graceful';
  return modeOf(readDurationMs(spec.terminationGracePeriod));
}

/** Of a drain that ends after this time; undefined: it has no end. */
export function modeOf(graceMs: number | undefined): string {
  if (graceMs === undefined) return 'graceful';
  return graceMs > 0 ? 'eventual' : 'forceful';
}
