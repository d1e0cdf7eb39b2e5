/**
 * The condition `CSEProvisioned` of a claim: when it is set, and which claims wait for it. `failures.ts` sets it to
 * False.
 */
import { ChandlerAnnotation } from '../../api/index.ts';
import type { ControllerContext } from '../context.ts';
import type { Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';

export const CSE_PROVISIONED = 'CSEProvisioned';
export const CSE_FAILED = 'CSEFailed';
export const CSE_PENDING = 'CSEPending';

/**
 * Set in every reconcile of a claim and written with its other changes: Unknown from the launch on, True once the node
 * has joined. A claim that joined before this controller ran has no such condition: taking over a cluster writes nothing.
 */
export function noteBootstrap(
  { cloud }: Pick<ControllerContext, 'cloud'>,
  claimPatch: Pick<ClaimPatch, 'conditions' | 'setAnnotations'>,
  wasRegistered: boolean,
): void {
  if (cloud.bootstrap === undefined) return;
  const { conditions } = claimPatch;
  const known = conditions.get(CSE_PROVISIONED)?.status;
  if (conditions.isTrue('Registered')) {
    if (known === 'Unknown' || (known === undefined && !wasRegistered)) conditions.setTrue(CSE_PROVISIONED);
    // `kubectl get` shows no failure of a node that joined after all.
    claimPatch.setAnnotations({
      [ChandlerAnnotation.bootstrapFailure]: null,
      [ChandlerAnnotation.bootstrapLog]: null,
    });
  } else if (known === undefined && conditions.isTrue('Launched'))
    conditions.setUnknown(CSE_PROVISIONED, CSE_PENDING, 'The outcome of the bootstrap is not known yet');
}

/** The instance is launched, and the outcome of its bootstrap is not known yet. */
export function awaitsBootstrap({ metadata, status }: Claim): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const stateOf = (type: string) => status?.conditions?.find((each) => each.type === type)?.status;
  if (stateOf('Launched') !== 'True' || stateOf('Registered') === 'True') return false;
  const state = stateOf(CSE_PROVISIONED);
  return state === undefined || state === 'Unknown';
}
