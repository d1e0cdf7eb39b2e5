/** From a planned claim to the body of its NodeClaim, for pending pods and for pods of nodes that are replaced. */
import type { Pod, Stored } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import type { PlannedClaim } from '../../scheduling/index.ts';
import { byKey } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import { type ClaimBody, type ClaimRequest, claimBody } from './claim-body.ts';
import { inNotationOf } from './request-notation.ts';

export interface PlannedBody extends Pick<ClaimRequest, 'podUids' | 'attempt'> {
  readonly planned: PlannedClaim;
  readonly nodePool: Stored<NodePool>;
  /** The pods that it is launched for. */
  readonly pods: readonly Stored<Pod>[];
}

export function plannedBody(
  { stores }: Pick<ControllerContext, 'stores'>,
  { planned, nodePool, pods, podUids, attempt }: PlannedBody,
): ClaimBody {
  const requests = inNotationOf(planned.requests, planned.daemonRequests, {
    daemons: [...stores.daemonSets.store.values()].sort(byKey).map((daemons) => daemons.spec.template.spec),
    pods: pods.map((pod) => pod.spec),
  });
  return claimBody({ planned: { ...planned, requests }, nodePool, podUids, attempt });
}
