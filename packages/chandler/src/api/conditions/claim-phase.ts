/** The phase of a NodeClaim's life as one word for people, from its conditions and those of its Node. */
import { conditionOf } from '@chandler/kube';

export interface ClaimPhase {
  /** `launching`, `booting`, `registered`, `Ready`, `NotReady`, `deleting`, or the reason of a failed condition. */
  readonly phase: string;
  /** Something is wrong with it. */
  readonly warning: boolean;
}

interface ClaimState {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

/** @param ready the status of the condition Ready of the Node; undefined: there is none. */
export function claimPhase(claim: ClaimState, ready: string | undefined): ClaimPhase {
  const is = (type: string) => conditionOf(claim, type)?.status === 'True';
  const failed = claim.status?.conditions?.find(
    ({ type, status }) =>
      status === 'False' &&
      // The outcome of the bootstrap says nothing any more once the node has registered.
      (LIFECYCLE_CONDITIONS.includes(type) || (type === 'CSEProvisioned' && !is('Registered'))),
  );
  if (claim.metadata.deletionTimestamp !== undefined) return { phase: 'deleting', warning: false };
  if (is('Initialized')) return nodePhase(ready);
  if (failed !== undefined) return { phase: failed.reason ?? 'failed', warning: true };
  if (is('Registered')) return { phase: 'registered', warning: false };
  return { phase: is('Launched') ? 'booting' : 'launching', warning: false };
}

/** Of a Node that no NodeClaim has launched, or whose NodeClaim is initialized. */
export function nodePhase(ready: string | undefined): ClaimPhase {
  return ready === 'True' ? { phase: 'Ready', warning: false } : { phase: 'NotReady', warning: true };
}

// ---------------------------------------------------------------------------------------------------

const LIFECYCLE_CONDITIONS = ['Launched', 'Registered', 'Initialized'];
