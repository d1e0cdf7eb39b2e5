/** What these controllers share about claims. */
import { NODE_CLAIMS } from '../../../api/index.ts';
import type { StoredClaim } from '../../index.ts';

export type Claim = StoredClaim;
export const CLAIMS = NODE_CLAIMS;

export function isRegistered(claim: Claim): boolean {
  return conditionOf(claim, 'Registered')?.status === 'True';
}

/** Also while it is not known for certain: the condition is there. */
export function isDrifted(claim: Claim): boolean {
  return conditionOf(claim, 'Drifted') !== undefined;
}

// ---------------------------------------------------------------------------------------------------

function conditionOf({ status }: Claim, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}
