/** The condition `CSEProvisioned` of a claim: when it appears, and which claims wait for it. It fails in `failures.ts`. */
import type { ControllerContext } from '../context.ts';
import type { Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';

export const CSE_PROVISIONED = 'CSEProvisioned';
export const CSE_FAILED = 'CSEFailed';
export const CSE_PENDING = 'CSEPending';

/**
 * With every look at a claim, written together with what else there is to write: Unknown from the launch on, True once
 * the node has joined. A claim that had joined before we came gets none: taking over a cluster writes nothing.
 */
export function noteBootstrap(
  { cloud }: Pick<ControllerContext, 'cloud'>,
  { conditions }: Pick<ClaimPatch, 'conditions'>,
  wasRegistered: boolean,
): void {
  if (cloud.bootstrap === undefined) return;
  const known = conditions.get(CSE_PROVISIONED)?.status;
  if (conditions.isTrue('Registered')) {
    if (known === 'Unknown' || (known === undefined && !wasRegistered)) conditions.setTrue(CSE_PROVISIONED);
  } else if (known === undefined && conditions.isTrue('Launched'))
    conditions.setUnknown(
      CSE_PROVISIONED,
      CSE_PENDING,
      'The machine has not said yet how its bootstrap went',
    );
}

/** Its machine is on the way to become a node, and has not said how it went. */
export function awaitsBootstrap({ metadata, status }: Claim): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const stateOf = (type: string) => status?.conditions?.find((each) => each.type === type)?.status;
  if (stateOf('Launched') !== 'True' || stateOf('Registered') === 'True') return false;
  const state = stateOf(CSE_PROVISIONED);
  return state === undefined || state === 'Unknown';
}
